//! Specification statements as text.

use super::expr::{bare_type, char_len, data_object, expr, optional, type_spec};
use super::{Writer, joined};
use crate::{
    Attr, Bound, CudaAttr, DeclKind, Declaration, DerivedType, Entity, Expr, Generic, Intent, Interface, InterfaceItem,
    InterfaceKind, LetterSpec, Name, Shape, TypeItem, UseStmt,
};
use std::fmt::Write as _;

impl Writer {
    /// A specification statement or definition.
    pub(super) fn declaration(&mut self, decl: &Declaration) {
        let text = match &decl.kind {
            DeclKind::ImplicitNone(specs) if specs.is_empty() => "implicit none".to_owned(),
            DeclKind::ImplicitNone(specs) => {
                format!("implicit none ({})", joined(specs, ", ", |spec| spec.word().to_owned()))
            }
            DeclKind::Implicit(items) => {
                format!(
                    "implicit {}",
                    joined(items, ", ", |(spec, letters)| {
                        format!("{} ({})", type_spec(spec), joined(letters, ", ", |&letters| letter_spec(letters)))
                    })
                )
            }
            DeclKind::Type { spec, attrs, entities } => {
                format!("{}{} :: {}", type_spec(spec), attr_list(attrs), joined(entities, ", ", entity))
            }
            DeclKind::Attr { attr: shape, entities } => {
                let word = match shape {
                    Attr::Dimension(_) => "dimension".to_owned(),
                    Attr::Cuda(attr, _) => format!("attributes({})", cuda_attr(*attr)),
                    other => attr(other),
                };
                if entities.is_empty() { word } else { format!("{word} :: {}", joined(entities, ", ", entity)) }
            }
            DeclKind::Parameter { items, is_bare } => {
                let list = joined(items, ", ", |(name, value)| format!("{} = {}", name.text, expr(value)));
                if *is_bare { format!("parameter {list}") } else { format!("parameter ({list})") }
            }
            DeclKind::Data(sets) => format!(
                "data {}",
                joined(sets, ", ", |(objects, values)| {
                    format!("{} {}", joined(objects, ", ", data_object), data_values(values))
                })
            ),
            DeclKind::Common(blocks) => format!(
                "common {}",
                joined(blocks, ", ", |(name, entities)| {
                    let name = name.as_ref().map_or("", |n| n.as_str());
                    format!("/{name}/ {}", joined(entities, ", ", entity))
                })
            ),
            DeclKind::Equivalence(sets) => {
                format!("equivalence {}", joined(sets, ", ", |set| format!("({})", joined(set, ", ", expr))))
            }
            DeclKind::Namelist(groups) => format!(
                "namelist {}",
                joined(groups, ", ", |(group, items)| format!("/{}/ {}", group.text, names(items)))
            ),
            DeclKind::CrayPointer(pairs) => format!(
                "pointer {}",
                joined(pairs, ", ", |(pointer, pointee)| format!("({}, {})", pointer.text, entity(pointee)))
            ),
            DeclKind::Derived(definition) => return self.derived(definition),
            DeclKind::Enum(definition) => {
                self.line("enum, bind(c)");
                self.indented(|w| {
                    for (name, value) in &definition.items {
                        let value = value.as_ref().map_or_else(String::new, |v| format!(" = {}", expr(v)));
                        w.line(format!("enumerator :: {}{value}", name.text));
                    }
                });
                "end enum".to_owned()
            }
            DeclKind::Interface(interface) => return self.interface(interface),
            DeclKind::Procedure { interface, attrs, entities } => {
                let interface = interface.as_ref().map_or_else(String::new, bare_type);
                format!("procedure({interface}){} :: {}", attr_list(attrs), joined(entities, ", ", entity))
            }
            DeclKind::Error => "! declarations that could not be read".to_owned(),
            DeclKind::Import(import) if import.is_none => "import, none".to_owned(),
            DeclKind::Import(import) if import.names.is_empty() => "import".to_owned(),
            DeclKind::Import(import) => format!("import :: {}", names(&import.names)),
            DeclKind::StatementFunction { name, args, value } => {
                format!("{}({}) = {}", name.text, names(args), expr(value))
            }
            DeclKind::IgnoreTkr(items) => {
                let items = joined(items, ", ", |(letters, name)| match &**letters {
                    "" => name.text.to_string(),
                    letters => format!("({letters}) {}", name.text),
                });
                format!("!dir$ ignore_tkr {items}").trim_end().to_owned()
            }
            DeclKind::Format { label, text } => return self.labelled(Some(*label), format!("format{text}")),
        };
        self.line(text);
    }

    fn derived(&mut self, definition: &DerivedType) {
        let mut head = "type".to_owned();
        if definition.is_abstract {
            head.push_str(", abstract");
        }
        if let Some(parent) = &definition.extends {
            let _ = write!(head, ", extends({})", parent.text);
        }
        if definition.bind_c {
            head.push_str(", bind(c)");
        }
        if let Some(access) = &definition.access {
            let _ = write!(head, ", {}", attr(access));
        }
        let _ = write!(head, " :: {}", definition.name.text);
        if !definition.params.is_empty() {
            let names: Vec<&str> = definition.params.iter().map(|name| &*name.text).collect();
            let _ = write!(head, "({})", names.join(", "));
        }
        if let Some(name) = definition.name.text.strip_prefix("structure ") {
            self.line(format!("structure /{name}/"));
            self.indented(|w| w.components(&definition.items));
            return self.line("end structure");
        }
        self.line(head);
        self.indented(|w| {
            if definition.sequence {
                w.line("sequence");
            }
            let is_component = |item: &TypeItem| match item {
                TypeItem::Procedure { attrs, .. } => attrs.iter().any(|a| matches!(a, Attr::Pointer(_))),
                _ => false,
            };
            let mut contains = false;
            for item in &definition.items {
                let bound = match item {
                    TypeItem::Field(_) | TypeItem::Union(_) | TypeItem::Error => false,
                    TypeItem::Private { of_bindings, .. } => *of_bindings,
                    TypeItem::Procedure { .. } => !is_component(item),
                    TypeItem::Generic { .. } | TypeItem::Final(_) => true,
                };
                if bound && !std::mem::replace(&mut contains, true) {
                    w.outer_line("contains");
                }
                w.line(type_item(item));
            }
        });
        self.line(format!("end type {}", definition.name.text));
    }

    /// What a STRUCTURE or a MAP holds.
    fn components(&mut self, items: &[TypeItem]) {
        for item in items {
            let TypeItem::Union(maps) = item else {
                self.line(type_item(item));
                continue;
            };
            self.line("union");
            self.indented(|w| {
                for map in maps {
                    w.line("map");
                    w.indented(|w| w.components(map));
                    w.line("end map");
                }
            });
            self.line("end union");
        }
    }

    fn interface(&mut self, interface: &Interface) {
        self.line(match &interface.kind {
            InterfaceKind::Explicit => "interface".to_owned(),
            InterfaceKind::Abstract => "abstract interface".to_owned(),
            InterfaceKind::Generic(spec) => format!("interface {}", generic(spec)),
        });
        self.indented(|w| {
            for item in &interface.items {
                match item {
                    InterfaceItem::Body(body) => w.subprogram(body),
                    InterfaceItem::Names { module, names: list } => {
                        let word = if *module { "module procedure" } else { "procedure" };
                        w.line(format!("{word} :: {}", names(list)));
                    }
                }
            }
        });
        self.line("end interface");
    }

    /// USE.
    pub(super) fn use_stmt(&mut self, stmt: &UseStmt) {
        let nature = match stmt.intrinsic {
            None => " ",
            Some(true) => ", intrinsic :: ",
            Some(false) => ", non_intrinsic :: ",
        };
        let items = joined(&stmt.items, ", ", |item| match &item.module {
            Some(module) => format!("{} => {}", generic(&item.local), generic(module)),
            None => generic(&item.local),
        });
        let list = match (stmt.only, items.is_empty()) {
            (true, _) => format!(", only: {items}"),
            (false, true) => String::new(),
            (false, false) => format!(", {items}"),
        };
        self.line(format!("use{nature}{}{}", stmt.module.text, list.trim_end()));
    }
}

fn type_item(item: &TypeItem) -> String {
    match item {
        TypeItem::Field(field) => {
            format!(
                "{}{} :: {}",
                type_spec(&field.spec),
                attr_list(&field.attrs),
                joined(&field.entities, ", ", entity)
            )
        }
        TypeItem::Union(_) => "! a union outside of a structure".into(),
        TypeItem::Private { .. } => "private".into(),
        TypeItem::Error => "! components that could not be read".into(),
        TypeItem::Procedure { interface, attrs, bindings } => {
            let interface = interface.as_ref().map_or_else(String::new, |spec| format!("({})", bare_type(spec)));
            let bindings = joined(bindings, ", ", |(name, target)| match target {
                Some(target) => format!("{} => {}", name.text, target.text),
                None => name.text.to_string(),
            });
            // A procedure pointer without an interface still has its parentheses.
            let pointer = attrs.iter().any(|a| matches!(a, Attr::Pointer(_)));
            let interface = if pointer && interface.is_empty() { "()".to_owned() } else { interface };
            format!("procedure{interface}{} :: {bindings}", attr_list(attrs))
        }
        TypeItem::Generic { attrs, spec, names: list } => {
            format!("generic{} :: {} => {}", attr_list(attrs), generic(spec), names(list))
        }
        TypeItem::Final(list) => format!("final :: {}", names(list)),
    }
}

/// What a generic interface or a USE item names.
pub(crate) fn generic(spec: &Generic) -> String {
    match spec {
        Generic::Name(name) | Generic::Io(name) => name.text.to_string(),
        Generic::Operator(name) => format!("operator({})", name.text),
        Generic::Assignment(_) => "assignment(=)".into(),
    }
}

/// Names with commas.
pub(super) fn names(list: &[Name]) -> String {
    joined(list, ", ", |name| name.text.to_string())
}

fn letter_spec(spec: LetterSpec) -> String {
    if spec.first == spec.last { spec.first.to_string() } else { format!("{}-{}", spec.first, spec.last) }
}

fn attr_list(attrs: &[Attr]) -> String {
    joined(attrs, "", |a| format!(", {}", attr(a)))
}

/// The word of a CUDA data attribute.
pub(crate) fn cuda_attr(attr: CudaAttr) -> &'static str {
    match attr {
        CudaAttr::Device => "device",
        CudaAttr::Managed => "managed",
        CudaAttr::Shared => "shared",
        CudaAttr::Constant => "constant",
        CudaAttr::Pinned => "pinned",
        CudaAttr::Texture => "texture",
        CudaAttr::Unified => "unified",
    }
}

/// An attribute as in a declaration.
pub(crate) fn attr(attr: &Attr) -> String {
    match attr {
        Attr::Cuda(attr, _) => cuda_attr(*attr).into(),
        Attr::Allocatable(_) => "allocatable".into(),
        Attr::Asynchronous(_) => "asynchronous".into(),
        Attr::Bind(name, _) => bind(name.as_ref()),
        Attr::Contiguous(_) => "contiguous".into(),
        Attr::Dimension(dims) => format!("dimension{}", shape(dims)),
        Attr::External(_) => "external".into(),
        Attr::Intent(Intent::In, _) => "intent(in)".into(),
        Attr::Intent(Intent::Out, _) => "intent(out)".into(),
        Attr::Intent(Intent::InOut, _) => "intent(inout)".into(),
        Attr::Intrinsic(_) => "intrinsic".into(),
        Attr::Kind(_) => "kind".into(),
        Attr::Len(_) => "len".into(),
        Attr::Optional(_) => "optional".into(),
        Attr::Parameter(_) => "parameter".into(),
        Attr::Pointer(_) => "pointer".into(),
        Attr::Private(_) => "private".into(),
        Attr::Protected(_) => "protected".into(),
        Attr::Public(_) => "public".into(),
        Attr::Automatic(_) => "automatic".into(),
        Attr::Save(_) => "save".into(),
        Attr::Target(_) => "target".into(),
        Attr::Value(_) => "value".into(),
        Attr::Volatile(_) => "volatile".into(),
        Attr::Binding(name) => name.text.to_string(),
        Attr::PassArg(name) => format!("pass({})", name.text),
    }
}

/// `bind(c[, name=…])`
pub(super) fn bind(name: Option<&crate::Expr>) -> String {
    name.map_or_else(|| "bind(c)".to_owned(), |name| format!("bind(c, name={})", expr(name)))
}

/// A declared name with what stands beside it.
fn entity(e: &Entity) -> String {
    let mut text = if e.name.text.starts_with("%fill") { "%fill".to_owned() } else { e.name.text.to_string() };
    if let Some(dims) = &e.shape {
        text.push_str(&shape(dims));
    }
    if let Some(len) = &e.char_len {
        let _ = write!(text, "*({})", char_len(len));
    }
    if let Some(value) = &e.init {
        let _ = write!(text, " = {}", expr(value));
    }
    if let Some(target) = &e.pointer_init {
        let _ = write!(text, " => {}", expr(target));
    }
    if let Some(data) = &e.data {
        let _ = write!(text, " {}", data_values(&data.1));
    }
    text
}

fn data_values(values: &[(Option<Expr>, Expr)]) -> String {
    let values = joined(values, ", ", |(repeat, value)| match repeat {
        Some(repeat) => format!("{}*{}", expr(repeat), expr(value)),
        None => expr(value),
    });
    format!("/ {values} /")
}

fn shape(shape: &Shape) -> String {
    format!("({})", joined(&shape.dims, ", ", bound))
}

fn bound(bound: &Bound) -> String {
    match bound {
        Bound::Explicit { lower: None, upper } => expr(upper),
        Bound::Explicit { lower: Some(lower), upper } => format!("{}:{}", expr(lower), expr(upper)),
        Bound::Colon { lower } => format!("{}:", optional(lower.as_ref())),
        Bound::Star { lower: None } => "*".into(),
        Bound::Star { lower: Some(lower) } => format!("{}:*", expr(lower)),
        Bound::AssumedRank => "..".into(),
    }
}

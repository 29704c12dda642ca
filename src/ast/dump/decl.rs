//! Specification statements as lines.

use super::expr::{char_len, expr, optional, type_spec};
use super::{Dumper, concat, spaced};
use crate::unparse::{attr_word, cuda_attr, generic, prefix_word};
use crate::{
    Attr, Bound, DeclKind, Declaration, DerivedType, Entity, Expr, Interface, InterfaceItem, InterfaceKind, Name,
    Prefix, Shape, TypeItem, UseStmt,
};
use std::fmt::Write as _;

impl Dumper {
    /// A specification statement or definition; declared names are lines below it.
    pub(super) fn declaration(&mut self, decl: &Declaration) {
        match &decl.kind {
            DeclKind::ImplicitNone(specs) if specs.is_empty() => self.line("implicit-none"),
            DeclKind::ImplicitNone(specs) => {
                self.line(format!("implicit-none ({})", spaced(specs, |spec| spec.word().to_owned())));
            }
            DeclKind::Implicit(items) => {
                for (spec, letters) in items {
                    let letters = spaced(letters, |l| format!("{}-{}", l.first, l.last));
                    self.line(format!("implicit {} {letters}", type_spec(spec)));
                }
            }
            DeclKind::Type { spec, attrs, entities } => {
                self.line(format!("declare {}{}", type_spec(spec), attr_list(attrs)));
                self.entities(entities);
            }
            DeclKind::Attr { attr: what, entities } => {
                self.line(format!("attribute {}", attr(what)));
                self.entities(entities);
            }
            DeclKind::Parameter { items, is_bare } => {
                let word = if *is_bare { "bare parameter" } else { "parameter" };
                for (name, value) in items {
                    self.line(format!("{word} {} {}", name.text, expr(value)));
                }
            }
            DeclKind::Data(sets) => {
                for (objects, values) in sets {
                    let values = spaced(values, |(repeat, value)| match repeat {
                        Some(repeat) => format!("(repeat {} {})", expr(repeat), expr(value)),
                        None => expr(value),
                    });
                    self.line(format!("data ({}) ({values})", spaced(objects, expr)));
                }
            }
            DeclKind::Common(blocks) => {
                for (name, entities) in blocks {
                    self.line(format!("common {}", name.as_ref().map_or("_", |n| n.as_str())));
                    self.entities(entities);
                }
            }
            DeclKind::Equivalence(sets) => {
                for set in sets {
                    self.line(format!("equivalence {}", spaced(set, expr)));
                }
            }
            DeclKind::Namelist(groups) => {
                for (group, items) in groups {
                    self.line(format!("namelist {} ({})", group.text, names(items)));
                }
            }
            DeclKind::CrayPointer(pairs) => {
                for (pointer, pointee) in pairs {
                    self.line(format!("cray-pointer {}", pointer.text));
                    self.entities(std::slice::from_ref(pointee));
                }
            }
            DeclKind::Derived(definition) => self.derived(definition),
            DeclKind::Enum(definition) => {
                self.line("enum");
                self.indented(|d| {
                    for (name, value) in &definition.items {
                        d.line(format!("enumerator {} {}", name.text, optional(value.as_ref())));
                    }
                });
            }
            DeclKind::Interface(interface) => self.interface(interface),
            DeclKind::Procedure { interface, attrs, entities } => {
                let interface = interface.as_ref().map_or_else(|| "_".to_owned(), type_spec);
                self.line(format!("procedure {interface}{}", attr_list(attrs)));
                self.entities(entities);
            }
            DeclKind::Error => self.line("(error)"),
            DeclKind::Import(import) if import.is_none => self.line("import none"),
            DeclKind::Import(import) => self.line(format!("import ({})", names(&import.names))),
            DeclKind::StatementFunction { name, args, value } => {
                self.line(format!("statement-function {} ({}) {}", name.text, names(args), expr(value)));
            }
            DeclKind::IgnoreTkr(items) => {
                self.line(format!(
                    "ignore-tkr {}",
                    spaced(items, |(letters, name)| format!("({letters}) {}", name.text))
                ));
            }
            DeclKind::Format { label, text } => self.line(format!("format {label} {text}")),
        }
    }

    fn entities(&mut self, entities: &[Entity]) {
        self.indented(|d| {
            for e in entities {
                d.line(format!("entity {}", entity(e)));
            }
        });
    }

    fn derived(&mut self, definition: &DerivedType) {
        let mut head = format!("type {}", definition.name.text);
        for param in &definition.params {
            let _ = write!(head, " {}", param.text);
        }
        if let Some(parent) = &definition.extends {
            let _ = write!(head, " extends={}", parent.text);
        }
        for (flag, word) in
            [(definition.is_abstract, "abstract"), (definition.bind_c, "bind"), (definition.sequence, "sequence")]
        {
            if flag {
                let _ = write!(head, " {word}");
            }
        }
        if let Some(access) = &definition.access {
            let _ = write!(head, " {}", attr(access));
        }
        self.line(head);
        self.indented(|d| {
            for item in &definition.items {
                d.type_item(item);
            }
        });
    }

    fn type_item(&mut self, item: &TypeItem) {
        match item {
            TypeItem::Field(field) => {
                self.line(format!("field {}{}", type_spec(&field.spec), attr_list(&field.attrs)));
                self.entities(&field.entities);
            }
            TypeItem::Union(maps) => {
                self.line("union");
                for map in maps {
                    self.indented(|d| {
                        d.line("map");
                        d.indented(|d| map.iter().for_each(|item| d.type_item(item)));
                    });
                }
            }
            TypeItem::Private { .. } => self.line("private"),
            TypeItem::Error => self.line("(error)"),
            TypeItem::Procedure { interface, attrs, bindings } => {
                let interface = interface.as_ref().map_or_else(|| "_".to_owned(), type_spec);
                let bindings = spaced(bindings, |(name, target)| match target {
                    Some(target) => format!("{}=>{}", name.text, target.text),
                    None => name.text.to_string(),
                });
                self.line(format!("procedure {interface}{} ({bindings})", attr_list(attrs)));
            }
            TypeItem::Generic { spec, names: list, .. } => {
                self.line(format!("generic {} ({})", generic(spec), names(list)));
            }
            TypeItem::Final(list) => self.line(format!("final ({})", names(list))),
        }
    }

    fn interface(&mut self, interface: &Interface) {
        self.line(match &interface.kind {
            InterfaceKind::Explicit => "interface _".to_owned(),
            InterfaceKind::Abstract => "interface abstract".to_owned(),
            InterfaceKind::Generic(spec) => format!("interface generic={}", generic(spec)),
        });
        self.indented(|d| {
            for item in &interface.items {
                match item {
                    InterfaceItem::Body(body) => d.subprogram(body),
                    InterfaceItem::Names { names: list, .. } => d.line(format!("procedures ({})", names(list))),
                }
            }
        });
    }

    /// USE.
    pub(super) fn use_stmt(&mut self, stmt: &UseStmt) {
        let mut text = format!("use {}", stmt.module.text);
        match stmt.intrinsic {
            None => {}
            Some(true) => text.push_str(" intrinsic"),
            Some(false) => text.push_str(" non_intrinsic"),
        }
        if stmt.only {
            text.push_str(" only");
        }
        for item in &stmt.items {
            let module = item.module.as_ref().map_or_else(String::new, |m| format!("=>{}", generic(m)));
            let _ = write!(text, " {}{module}", generic(&item.local));
        }
        self.line(text);
    }
}

/// Names with blanks.
pub(super) fn names(list: &[Name]) -> String {
    spaced(list, |name| name.text.to_string())
}

fn attr_list(attrs: &[Attr]) -> String {
    concat(attrs, attr)
}

fn attr(attr: &Attr) -> String {
    match attr {
        Attr::Cuda(word, _) => cuda_attr(*word).into(),
        Attr::Dimension(dims) => format!("dimension{}", shape(dims)),
        Attr::Bind(name, _) => format!("bind={}", optional(name.as_ref())),
        other => attr_word(other),
    }
}

/// A prefix of a subprogram.
pub(super) fn prefix(prefix: &Prefix) -> String {
    match prefix {
        Prefix::Type(spec) => type_spec(spec),
        Prefix::LaunchBounds(bounds, _) => format!("(launch_bounds {})", spaced(bounds, expr)),
        Prefix::ClusterDims(dims, _) => format!("(cluster_dims {})", spaced(dims, expr)),
        other => prefix_word(other),
    }
}

fn entity(e: &Entity) -> String {
    let mut text = e.name.text.to_string();
    if let Some(dims) = &e.shape {
        text.push_str(&shape(dims));
    }
    let mut part = |word: &str, value: Option<&Expr>| {
        if let Some(value) = value {
            let _ = write!(text, " {word} {}", expr(value));
        }
    };
    part("=", e.init.as_ref());
    part("=>", e.pointer_init.as_ref());
    if let Some(len) = &e.char_len {
        let _ = write!(text, " len={}", char_len(len));
    }
    for (repeat, value) in e.data.iter().flat_map(|data| &data.1) {
        let repeat = repeat.as_ref().map_or(String::new(), |r| format!("{}*", expr(r)));
        let _ = write!(text, " / {repeat}{}", expr(value));
    }
    text
}

fn shape(shape: &Shape) -> String {
    let dims = spaced(&shape.dims, |bound| match bound {
        Bound::Explicit { lower: None, upper } => expr(upper),
        Bound::Explicit { lower: Some(lower), upper } => format!("{}:{}", expr(lower), expr(upper)),
        Bound::Colon { lower } => format!("{}:", lower.as_ref().map_or_else(String::new, expr)),
        Bound::Star { lower } => format!("{}*", lower.as_ref().map_or_else(String::new, |l| format!("{}:", expr(l)))),
        Bound::AssumedRank => "..".into(),
    });
    format!("({dims})")
}

//! Types as written, and their names in messages.

use super::collect::star_kind;
use crate::checked::{CharLen, Const, ExprKind, Field, Type, TypeId};
use crate::checker::{Checker, Resolution, Sym};
use crate::typing::{Typing, same_type};
use ast::{KindParam, Name, TypeSpec, TypeSpecKind};
use diag::{Code, Diagnostic};
use source::Span;

impl Checker<'_> {
    /// The type that is written; `len` is a `*len` beside the name.
    pub(crate) fn type_spec(&mut self, spec: &TypeSpec, len: Option<&ast::CharLen>) -> Option<Type> {
        let beside = match len {
            Some(len) if !matches!(spec.kind, TypeSpecKind::Character { .. }) => {
                Some(self.kind_beside_name(spec, len)?)
            }
            _ => None,
        };
        match &spec.kind {
            TypeSpecKind::Integer(kind) => {
                let k = self.kind(beside.as_ref().or(kind.as_ref()), self.options.integer_kind(), 1)?;
                self.typing().known_kind(k, &[1, 2, 4, 8], "integer", spec.span).map(Type::Integer)
            }
            TypeSpecKind::Logical(kind) => {
                let k = self.kind(beside.as_ref().or(kind.as_ref()), self.options.integer_kind(), 1)?;
                self.typing().known_kind(k, &[1, 2, 4, 8], "logical", spec.span).map(Type::Logical)
            }
            TypeSpecKind::Real(kind) => {
                let k = self.kind(beside.as_ref().or(kind.as_ref()), self.options.real_kind(), 1)?;
                self.typing().known_kind(k, &[2, 4, 8], "real", spec.span).map(Type::Real)
            }
            TypeSpecKind::DoublePrecision => Some(Type::Real(8)),
            TypeSpecKind::Complex(kind) => {
                let k = self.kind(beside.as_ref().or(kind.as_ref()), self.options.real_kind(), 2)?;
                self.typing().known_kind(k, &[4, 8], "complex", spec.span).map(Type::Complex)
            }
            TypeSpecKind::DoubleComplex => Some(Type::Complex(8)),
            TypeSpecKind::Character { len: own, kind } => {
                let k = self.kind(kind.as_ref(), 1, 1)?;
                self.typing().known_kind(k, &[1], "character", spec.span)?;
                let len = match len.or(own.as_ref()) {
                    None => CharLen::Const(1),
                    Some(ast::CharLen::Assumed) => CharLen::Assumed,
                    Some(ast::CharLen::Deferred) => CharLen::Deferred,
                    Some(ast::CharLen::Expr(e)) => {
                        let value = self.specification(e)?;
                        match value.kind {
                            ExprKind::Const(Const::Int(n)) => CharLen::Const(n.max(0)),
                            _ => CharLen::Expr(Box::new(value)),
                        }
                    }
                };
                Some(Type::Character(len))
            }
            TypeSpecKind::Type(derived) => {
                let id = self.derived_spec(derived)?;
                let id = self.for_device(id);
                if self.cx.side.on_device() && self.defs.ty(id).is_made {
                    let what = if self.defs.has_part(id, &|f| f.is_parameter) {
                        "lengths that are known at run time only"
                    } else {
                        "pointers with initial targets"
                    };
                    let text = format!("`type({})`, which has {what}, in device code", self.defs.ty(id).name);
                    return self.reporter.refuse(spec.span, text);
                }
                self.typing().concrete_type(id, spec.span)
            }
            TypeSpecKind::Class(derived) => {
                let name = &derived.name;
                let id = self.derived_spec(derived)?;
                if self.cx.side.on_device() && self.defs.is_extensible(id) {
                    return self.reporter.refuse(spec.span, format!("`class({})` in device code", name.as_str()));
                }
                Some(Type::Derived(id))
            }
            TypeSpecKind::ClassStar if self.cx.side.on_device() => {
                self.reporter.refuse(spec.span, "`class(*)` in device code")
            }
            TypeSpecKind::ClassStar | TypeSpecKind::TypeStar => Some(Type::Any),
        }
    }

    /// Whether objects declared with this type have a dynamic type of their own. Where nothing extends a type, an object of its
    /// class simply has that type.
    pub(crate) fn is_polymorphic(&mut self, spec: Option<&TypeSpec>) -> bool {
        match spec.map(|s| &s.kind) {
            Some(TypeSpecKind::ClassStar) => true,
            Some(TypeSpecKind::Class(derived)) => match self.find_name(&derived.name) {
                Some(Sym::Type(id) | Sym::Generic { ty: Some(id), .. }) => self.defs.is_extensible(id),
                _ => false,
            },
            _ => false,
        }
    }

    /// A kind: the default, a constant, or bytes divided by the number of parts.
    /// `real x*8`: the bytes of a number beside its name, an extension of DEC's that nvfortran has.
    fn kind_beside_name(&mut self, spec: &TypeSpec, len: &ast::CharLen) -> Option<KindParam> {
        use TypeSpecKind::{Complex, Integer, Logical, Real};
        let bytes = match len {
            ast::CharLen::Expr(e) => match &e.kind {
                ast::ExprKind::Int { digits, kind: None } => digits.parse::<u32>().ok(),
                _ => None,
            },
            _ => None,
        };
        let takes_bytes = matches!(spec.kind, Integer(_) | Logical(_) | Real(_) | Complex(_));
        let (Some(bytes), true) = (bytes, takes_bytes) else {
            let text = "only `character` takes a length beside the name";
            return self.reporter.error(Code::BadCharacterLength, spec.span, text);
        };
        let text = "the bytes of a number beside its name are an extension";
        self.typing().not_standard(Code::FormOfCompilers, spec.span, text, "declare it with a kind of its own");
        Some(KindParam::Star(bytes))
    }

    fn kind(&mut self, kind: Option<&KindParam>, default: u8, parts: u32) -> Option<i64> {
        let Some(kind) = kind else { return Some(i64::from(default)) };
        if let Some(bytes) = star_kind(kind) {
            return Some(i64::from(bytes / parts));
        }
        match kind {
            KindParam::Expr(e) => self.constant_integer(e),
            KindParam::Star(_) => None,
        }
    }

    /// Of SEQUENCE and BIND(C) types of one name with the same components, which are one type wherever they are defined
    /// (Fortran 2018, 7.5.2.4), the first. With other initial values it is another type here, for which arguments may be given
    /// all the same.
    pub(crate) fn first_sequence_type(&mut self, id: TypeId) -> TypeId {
        // With private components each definition is a type of its own.
        let is_open = |def: &ast::DerivedType| {
            !def.items.iter().any(|item| matches!(item, ast::TypeItem::Private { of_bindings: false, .. }))
        };
        let is_sequence = |c: &Self, id: TypeId| {
            c.defs.type_info(id).ast.is_some_and(|def| (def.sequence || def.bind_c) && is_open(def))
        };
        if !is_sequence(self, id) {
            return id;
        }
        let name = self.defs.ty(id).name.clone();
        for other in self.defs.type_ids().take_while(|other| *other < id) {
            if self.defs.ty(other).name != name || !is_sequence(self, other) {
                continue;
            }
            self.resolve_type(other);
            if self.defs.type_info(id).template != self.defs.type_info(other).template {
                continue;
            }
            let (a, b) = (&self.defs.ty(id).fields, &self.defs.ty(other).fields);
            let same = |(a, b): (&Field, &Field)| {
                let length = |f: &Field| if let Type::Character(CharLen::Const(n)) = f.ty { n } else { 0 };
                a.name == b.name
                    && a.offset == b.offset
                    && a.init == b.init
                    && same_type(&a.ty, &b.ty)
                    && length(a) == length(b)
                    && (a.allocatable, a.pointer) == (b.allocatable, b.pointer)
                    && a.shape.rank() == b.shape.rank()
                    && a.shape.constant_bounds() == b.shape.constant_bounds()
            };
            let is_complete = |id| self.defs.type_info(id).state == Resolution::Done;
            if is_complete(id) && is_complete(other) && a.len() == b.len() && a.iter().zip(b).all(same) {
                return other;
            }
        }
        id
    }

    /// The derived type of a name.
    pub(crate) fn named_type(&mut self, name: &Name) -> Option<TypeId> {
        match self.find_name(name) {
            Some(Sym::Type(id) | Sym::Generic { ty: Some(id), .. }) => {
                if !self.cx.by_descriptor {
                    self.resolve_type(id);
                }
                match self.defs.type_info(id).refused.clone() {
                    Some(what) => self.reporter.refuse_again(&what),
                    None => Some(self.first_sequence_type(id)),
                }
            }
            Some(Sym::Error) => None,
            Some(Sym::Refused(what)) => self.reporter.refuse_again(&what),
            Some(Sym::Ambiguous(a, b)) => self.typing().ambiguous(name, &a, &b),
            None if name.as_str() == "dim3" => Some(self.dim3()),
            None if self.scopes.is_tainted(self.cx.scope) => None,
            None if self.typing().foreign(name.as_str()).is_some() => {
                let what = self.typing().foreign(name.as_str())?;
                self.typing().refuse_foreign(&what, name.span)
            }
            Some(_) => {
                // nvfortran takes an object with the name of its type, which a scope around declares.
                let outer = self.scopes.get(self.cx.scope).parent.and_then(|outer| self.find_from(outer, &name.text));
                if let Some(Sym::Type(id) | Sym::Generic { ty: Some(id), .. }) = outer {
                    let text = format!("`{}` means something else in this scope than a derived type", name.as_str());
                    let help = "give the object another name";
                    self.typing().not_standard(Code::FormOfCompilers, name.span, text, help);
                    self.resolve_type(id);
                    return Some(self.first_sequence_type(id));
                }
                let text = format!("`{}` is not a derived type", name.as_str());
                self.reporter.error(Code::WrongKindOfName, name.span, text)
            }
            None => {
                let near = self.scopes.similar(self.cx.scope, name.as_str(), |s| {
                    matches!(s, Sym::Type(_) | Sym::Generic { ty: Some(_), .. })
                });
                let text = format!("there is no derived type `{}` here", name.as_str());
                let d = Diagnostic::new(Code::UnknownType, name.span, text).suggest(near.as_deref());
                let help = self.typing().use_help(name.as_str()).filter(|_| near.is_none());
                self.reporter.report(help.into_iter().fold(d, Diagnostic::help));
                None
            }
        }
    }
}

impl Typing<'_> {
    /// A type of which there are objects.
    pub(crate) fn concrete_type(&mut self, id: TypeId, span: Span) -> Option<Type> {
        if !self.defs.type_info(id).ast.is_some_and(|a| a.is_abstract) {
            return Some(Type::Derived(id));
        }
        let text = format!("there are no objects of the abstract type `{}`", self.defs.ty(id).name);
        self.reporter.error_help(Code::BadPolymorphism, span, text, "use a type that extends it")
    }

    fn known_kind(&mut self, kind: i64, known: &[i64], name: &str, span: Span) -> Option<u8> {
        if known.contains(&kind) {
            return Some(kind as u8);
        }
        let list = known.iter().map(|k| format!("`{name}({k})`")).collect::<Vec<_>>().join(", ");
        self.reporter.error_help(
            Code::UnsupportedKind,
            span,
            format!("there is no `{name}({kind})`"),
            format!("there is {list}"),
        )
    }

    /// Reports a name with two meanings.
    pub(crate) fn ambiguous<T>(&mut self, name: &Name, a: &str, b: &str) -> Option<T> {
        let text = format!("`{}` comes from module `{a}` and, with another meaning, from module `{b}`", name.as_str());
        self.reporter.error_help(
            Code::AmbiguousName,
            name.span,
            text,
            "use one of the modules with an `only` list, or rename the name there",
        )
    }
}

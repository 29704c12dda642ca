//! What `bind(c)` procedures and types must not have (Fortran 2018, 18.3.4, 18.3.6).
//!
//! Not here: which kinds C has; all kinds of this compiler are interoperable.

use crate::checked::{CharLen, ProcId, Shape, Type};
use crate::typing::Typing;
use ast::{Attr, TypeItem};
use diag::Code;
use source::Span;

impl Typing<'_> {
    /// Looks at all procedures and types of the program that have the attribute.
    pub(crate) fn check_interoperability(&mut self) {
        for id in self.defs.proc_ids() {
            let info = self.defs.proc_info(id);
            if !info.embedded && !info.is_broken && info.ast.is_some_and(|sub| sub.bind.is_some()) {
                self.check_bound_procedure(id);
            }
        }
        for id in self.defs.type_ids() {
            let Some(def) = self.defs.type_info(id).ast.filter(|def| def.bind_c) else { continue };
            if self.options.embedded.contains(&def.span.file) {
                continue;
            }
            let name = &def.name;
            let mut wrong = |span: Span, what: &str| {
                let text = format!("`bind(c)` type `{}` {what}", name.as_str());
                self.reporter.error::<()>(Code::NotInteroperable, span, text);
            };
            if let Some(parent) = &def.extends {
                wrong(parent.span, "extends another");
            }
            if def.sequence {
                wrong(name.span, "has `sequence`");
            }
            for item in &def.items {
                match item {
                    TypeItem::Field(field) => {
                        let by_descriptor = |a: &&Attr| matches!(a, Attr::Allocatable(_) | Attr::Pointer(_));
                        if field.attrs.iter().any(|a| by_descriptor(&a)) {
                            wrong(field.span, "has an allocatable or pointer component");
                        }
                    }
                    TypeItem::Procedure { .. } | TypeItem::Generic { .. } | TypeItem::Final(_) => {
                        wrong(name.span, "has type-bound procedures");
                        break;
                    }
                    TypeItem::Private(_) | TypeItem::Error => {}
                }
            }
        }
    }

    fn check_bound_procedure(&mut self, id: ProcId) {
        let p = self.defs.proc(id);
        for &v in &p.params {
            let var = self.defs.var(v);
            let is_long = matches!(&var.ty, Type::Character(CharLen::Const(n)) if *n != 1);
            if is_long && matches!(var.shape, Shape::Scalar | Shape::Explicit(_) | Shape::AssumedSize(..)) {
                let text = format!("the characters of argument `{}` of a `bind(c)` procedure have a length", var.name);
                self.reporter.error_help::<()>(
                    Code::NotInteroperable,
                    var.span,
                    text,
                    "declare it `character(len=1)`, as an array where there are several",
                );
            }
        }
        let Some(result) = p.result.map(|v| self.defs.var(v)) else { return };
        if !matches!(result.shape, Shape::Scalar) || result.attrs.allocatable || result.attrs.pointer {
            let text = format!("the result of `bind(c)` function `{}` is not a scalar", p.name);
            self.reporter.error::<()>(Code::NotInteroperable, result.span, text);
        }
    }
}

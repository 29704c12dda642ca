//! What `bind(c)` procedures and types must not have (Fortran 2018, 18.3.4, 18.3.6).
//!
//! Not here: which kinds C has; all kinds of this compiler are interoperable.

use crate::checked::{ALTERNATE, CharLen, ProcId, Shape, Type, TypeId};
use crate::typing::Typing;
use ast::{Attr, TypeItem};
use diag::{Code, Diagnostic};
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
                        for e in &field.entities {
                            let fields = &self.defs.ty(id).fields;
                            let ty = fields.iter().find(|f| f.name == e.name.text).map(|f| &f.ty);
                            if matches!(ty, Some(Type::Character(CharLen::Const(n))) if *n != 1) {
                                wrong(e.span, "has a component with characters of a length other than 1");
                            }
                        }
                    }
                    TypeItem::Procedure { .. } | TypeItem::Generic { .. } | TypeItem::Final(_) => {
                        wrong(name.span, "has type-bound procedures");
                        break;
                    }
                    TypeItem::Union(_) | TypeItem::Private { .. } | TypeItem::Error => {}
                }
            }
        }
    }

    fn check_bound_procedure(&mut self, id: ProcId) {
        let p = self.defs.proc(id);
        if p.elemental {
            // Fortran 2018, C1551.
            let text = format!("`bind(c)` procedure `{}` is elemental", p.name);
            self.reporter.error::<()>(Code::NotInteroperable, p.span, text);
        }
        for &v in &p.params {
            let var = self.defs.var(v);
            let embedded = &self.options.embedded;
            let is_sequence = |id: TypeId| {
                let def = self.defs.type_info(id).ast;
                def.is_none_or(|def| def.bind_c || def.sequence || embedded.contains(&def.span.file))
            };
            let what = if &*var.name == ALTERNATE {
                format!("`bind(c)` procedure `{}` has an alternate return", p.name)
            } else {
                let what = if var.attrs.optional && (var.attrs.value || var.attrs.copied) {
                    "is optional and has `value`"
                } else if self.defs.var_info(v).polymorphic {
                    "is polymorphic"
                } else if let Type::Derived(id) = var.ty
                    && !is_sequence(id)
                {
                    let what = "has a type that is not `bind(c)`";
                    if !self.defs.has_part(id, &|f| f.allocatable || f.pointer) {
                        // Its components lie as those of a `bind(c)` type, and nvfortran takes it.
                        let text = format!("argument `{}` of a `bind(c)` procedure {what}", var.name);
                        let d = Diagnostic::new(Code::TypeNotBound, var.span, text);
                        self.reporter.report(d.help("declare the type with `bind(c)`"));
                        continue;
                    }
                    what
                } else if let (Type::Derived(id), true) = (&var.ty, var.attrs.allocatable || var.attrs.pointer)
                    && self.defs.type_info(*id).ast.is_some_and(|def| !embedded.contains(&def.span.file))
                    && self.defs.has_part(*id, &|f| f.init.is_some())
                {
                    "is allocatable or a pointer, and its type initialises a component"
                } else if var.attrs.pointer && var.attrs.contiguous {
                    "is a contiguous pointer"
                } else {
                    continue;
                };
                format!("argument `{}` of a `bind(c)` procedure {what}", var.name)
            };
            self.reporter.error::<()>(Code::NotInteroperable, var.span, what);
        }
        for &v in &p.params {
            let var = self.defs.var(v);
            let is_long = matches!(&var.ty, Type::Character(CharLen::Const(n)) if *n != 1);
            if is_long && matches!(var.shape, Shape::Scalar | Shape::Explicit(_) | Shape::AssumedSize(..)) {
                // C gets the address of the characters, and nvfortran takes it.
                let text = format!("the characters of argument `{}` of a `bind(c)` procedure have a length", var.name);
                let help = "declare it `character(len=1)`, as an array where there are several";
                self.reporter.report(Diagnostic::new(Code::TypeNotBound, var.span, text).help(help));
            }
        }
        let Some(result) = p.result.map(|v| self.defs.var(v)) else { return };
        let what = if !matches!(result.shape, Shape::Scalar) || result.attrs.allocatable || result.attrs.pointer {
            "is not a scalar"
        } else if matches!(&result.ty, Type::Character(len) if !matches!(len, CharLen::Const(1))) {
            "has characters of a length other than 1"
        } else {
            return;
        };
        let text = format!("the result of `bind(c)` function `{}` {what}", p.name);
        self.reporter.error::<()>(Code::NotInteroperable, result.span, text);
    }
}

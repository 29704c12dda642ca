//! Procedure pointers, variables and components (Fortran 2018, 10.2.2.4, 7.5.4.4).
//!
//! A procedure pointer is an integer that says which procedure it points to, 0 for none. A call through it goes to a procedure
//! record of its own ([`ProcBody::Pointer`]) that has the pointer's interface and takes the pointer's value first.

use crate::checked::{
    Attrs, Const, Expr, ExprKind, ProcBody, ProcId, ProcKind, Shape, StmtKind, Storage, Type, TypeId, Variable,
};
use crate::checker::{Binding, Checker, CodeSide, Sym, VarInfo};
use crate::typing::{Argument, Fit, Given, constant, difference, is_procedure_pointer, same_type, type_name};
use ast::Name;
use diag::{Code, Diagnostic};
use source::Span;
use std::sync::Arc;

/// What is declared of the procedures that a pointer may point to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pointed {
    pub(crate) name: Arc<str>,
    pub(crate) interface: Option<ProcId>,
    /// The type of the result, where only that is declared.
    pub(crate) result: Option<Type>,
}

impl Checker<'_> {
    /// The value of a procedure as a target.
    pub(crate) fn procedure_target(&mut self, id: ProcId, span: Span) -> Expr {
        self.resolve_interface(id);
        self.note_call(id, span);
        self.link_foreign(id);
        Expr { kind: ExprKind::Procedure(id), ty: Type::Integer(8), rank: 0, span }
    }

    /// Reports a device procedure as an argument or a target in host code: what gets it could not call it.
    pub(super) fn check_side_of_target(&mut self, id: ProcId, span: Span) -> Option<()> {
        self.resolve_interface(id);
        let p = self.defs.proc(id);
        if p.kind != ProcKind::Device || self.cx.side != CodeSide::Host || self.cx.debugger {
            return Some(());
        }
        let text = format!("device procedure `{}` is given to host code, which cannot call it", p.name);
        let d = Diagnostic::new(Code::WrongSideCall, span, text).secondary(p.span, "declared here");
        self.reporter.report(d.help("declare it with `attributes(host,device)`"));
        None
    }

    /// `pointer => value`
    pub(crate) fn procedure_pointer(&mut self, target: Expr, value: &ast::Expr) -> Option<StmtKind> {
        let value = self.procedure_value(value)?;
        if let ExprKind::Procedure(id) = value.kind {
            self.check_side_of_target(id, value.span)?;
        }
        self.check_pointed(&target, &value)?;
        Some(StmtKind::Assign { target, value })
    }

    /// The target of a procedure pointer has the pointer's interface; where only the type of the result is declared, it is a
    /// function of that type (Fortran 2018, 10.2.2.4).
    pub(super) fn check_pointed(&mut self, pointer: &Expr, value: &Expr) -> Option<()> {
        // `null()`
        if matches!(value.kind, ExprKind::Const(_)) {
            return Some(());
        }
        let (wanted, wanted_result) = self.given_procedure(&Given::Expr(pointer.clone()));
        let (given, given_result) = match value.kind {
            ExprKind::Procedure(id) => (Some(id), None),
            _ => self.given_procedure(&Given::Expr(value.clone())),
        };
        for id in given.iter().chain(&wanted) {
            self.resolve_interface(*id);
        }
        if let ExprKind::Procedure(id) = value.kind
            && self.defs.proc(id).elemental
            && !self.defs.proc_info(id).embedded
        {
            // Fortran 2018, C1029.
            let text = format!(
                "`{}` is elemental, and no procedure pointer points to such a procedure",
                self.defs.proc(id).name
            );
            return self.reporter.error(Code::BadPointerAssignment, value.span, text);
        }
        let name = match &pointer.kind {
            ExprKind::Var(id) => self.defs.var(*id).name.clone(),
            ExprKind::Field { base, field } => match base.ty {
                Type::Derived(ty) => self.defs.ty(ty).fields.get(*field as usize)?.name.clone(),
                _ => return Some(()),
            },
            _ => return Some(()),
        };
        let text = match (given, wanted) {
            (Some(given), Some(wanted))
                if self.defs.proc_info(given).unknown_dummies && self.needs_interface(wanted).is_some() =>
            {
                self.needs_interface(wanted).map(|what| {
                    format!("pointer `{name}` has an interface that {what}, and its target has no explicit interface")
                })
            }
            (Some(given), Some(wanted)) => {
                let what = difference(&self.defs, given, wanted, None);
                let given = &self.defs.proc(given).name;
                what.map(|what| format!("`{given}` does not have the interface of pointer `{name}`: {what}"))
            }
            (Some(given), None) if self.needs_interface(given).is_some() => self.needs_interface(given).map(|what| {
                let given = &self.defs.proc(given).name;
                format!("`{given}` {what} and needs an explicit interface, which pointer `{name}` does not have")
            }),
            (None, Some(wanted)) if self.needs_interface(wanted).is_some() => {
                self.needs_interface(wanted).map(|what| {
                    format!("pointer `{name}` has an interface that {what}, and its target has no explicit interface")
                })
            }
            (_, None) => wanted_result.and_then(|wanted| {
                let what = self.other_result(given, given_result, &wanted)?;
                let wanted = type_name(&self.defs, &wanted);
                Some(format!("pointer `{name}` is to a function of `{wanted}`, and its target {what}"))
            }),
            (None, Some(wanted)) => {
                let wanted = self.defs.proc(wanted).result.map(|r| self.defs.var(r).ty.clone());
                given_result.zip(wanted).filter(|(x, y)| !same_type(x, y) && !matches!(y, Type::Any)).map(|(x, y)| {
                    let (x, y) = (type_name(&self.defs, &x), type_name(&self.defs, &y));
                    format!("pointer `{name}` is to a function of `{y}`, and its target gives `{x}`")
                })
            }
        };
        match text {
            Some(text) => self.reporter.error(Code::BadPointerAssignment, value.span, text),
            None => Some(()),
        }
    }

    /// What it is about a procedure that makes callers need its interface (Fortran 2018, 15.4.2.2).
    fn needs_interface(&self, id: ProcId) -> Option<&'static str> {
        let (p, info) = (self.defs.proc(id), self.defs.proc_info(id));
        if info.embedded || info.is_broken || info.unknown_dummies {
            return None;
        }
        let result = p.result.map(|r| self.defs.var(r));
        if result.is_some_and(|r| r.shape.rank() > 0 || r.attrs.pointer || r.attrs.allocatable) {
            return Some("gives an array, a pointer or an allocatable object");
        }
        p.params.iter().find_map(|&param| {
            let var = self.defs.var(param);
            if self.defs.var_info(param).polymorphic {
                Some("takes a polymorphic argument")
            } else if matches!(var.shape, Shape::AssumedShape(_) | Shape::AssumedRank) {
                Some("takes an array with its shape")
            } else if var.attrs.pointer || var.attrs.allocatable {
                Some("takes a pointer or an allocatable object")
            } else if var.attrs.optional || var.attrs.value {
                Some("takes an argument that is `optional` or `value`")
            } else {
                None
            }
        })
    }

    /// What a target is that is no function of the type that its pointer is declared with.
    fn other_result(&self, given: Option<ProcId>, result: Option<Type>, wanted: &Type) -> Option<String> {
        let result = match given {
            Some(id) if self.defs.proc_info(id).unknown_dummies || self.defs.proc_info(id).is_broken => return None,
            Some(id) => match self.defs.proc(id).result {
                Some(r) => self.defs.var(r).ty.clone(),
                None => return Some("is a subroutine".to_owned()),
            },
            None => result?,
        };
        (!same_type(&result, wanted)).then(|| format!("gives `{}`", type_name(&self.defs, &result)))
    }

    fn procedure_value(&mut self, e: &ast::Expr) -> Option<Expr> {
        if let ast::ExprKind::Name(name) = &e.kind {
            match self.find_name(name) {
                Some(Sym::Proc(id)) => return Some(self.procedure_target(id, e.span)),
                Some(Sym::Generic { procs, .. }) => {
                    if let Some(id) = procs.iter().copied().find(|p| self.defs.proc(*p).name == name.text) {
                        return Some(self.procedure_target(id, e.span));
                    }
                }
                Some(Sym::Var(id)) if matches!(self.defs.var(id).storage, Storage::Procedure) => {
                    return Some(Expr { kind: ExprKind::Var(id), ty: Type::Integer(8), rank: 0, span: e.span });
                }
                Some(Sym::Intrinsic(_)) => {
                    let id = self.intrinsic_procedure(name)?;
                    return Some(self.procedure_target(id, e.span));
                }
                None => {
                    if let Some(id) = self.scopes.external(&name.text) {
                        return Some(self.procedure_target(id, e.span));
                    }
                    if crate::intrinsics::lookup(name.as_str()).is_some() {
                        let id = self.intrinsic_procedure(name)?;
                        return Some(self.procedure_target(id, e.span));
                    }
                }
                _ => {}
            }
        }
        let value = self.expr(e)?;
        if matches!(value.kind, ExprKind::Null) {
            return Some(constant(Const::Int(0), Type::Integer(8), e.span));
        }
        if is_procedure_pointer(&self.defs, &value) {
            return Some(value);
        }
        self.reporter.error(Code::BadPointerAssignment, e.span, "the target of a procedure pointer must be a procedure")
    }

    /// A call through a procedure pointer: how its arguments fit, the pointer's value first among them.
    pub(crate) fn call_through(
        &mut self,
        pointer: Expr,
        pointed: &Pointed,
        mut args: Vec<Argument>,
        is_function: bool,
        span: Span,
    ) -> Option<(Fit, Vec<Argument>)> {
        let proc = self.pointer_callee(pointed, &args, is_function, span)?;
        args.insert(0, Argument::of(pointer));
        self.fit_as(proc, &pointed.name, args, is_function, span)
    }

    fn pointer_callee(&mut self, p: &Pointed, args: &[Argument], is_function: bool, span: Span) -> Option<ProcId> {
        let id = match p.interface {
            Some(interface) => {
                self.resolve_interface(interface);
                if let Some(what) = self.defs.proc_info(interface).refused.clone() {
                    return self.reporter.refuse_again(&what);
                }
                let id = self.external(&p.name, None, span);
                self.copy_interface(id, interface);
                self.defs.proc_mut(id).elemental = false;
                id
            }
            None => {
                let result = match (is_function, &p.result) {
                    (false, _) => None,
                    (true, Some(ty)) => Some(ty.clone()),
                    (true, None) => match self.scopes.implicit_type(self.cx.scope, &p.name) {
                        Some(ty) => Some(ty),
                        None => {
                            let text = format!("procedure pointer `{}` has no type", p.name);
                            let help = "declare it with an interface, or with the type of its result";
                            return self.reporter.error_help(Code::UndeclaredName, span, text, help);
                        }
                    },
                };
                let id = self.external(&p.name, result, span);
                self.dummies_of_arguments(id, args, span);
                id
            }
        };
        self.defs.proc_info_mut(id).unknown_dummies = false;
        let value = Variable {
            name: "pointer".into(),
            ty: Type::Integer(8),
            shape: Shape::Scalar,
            storage: Storage::Dummy(0),
            attrs: Attrs { value: true, ignore_tkr: "".into(), ..Attrs::default() },
            init: None,
            owner: None,
            module: None,
            span,
        };
        let value = self.defs.add_var(value, VarInfo::default());
        let made = self.defs.proc_mut(id);
        made.body = ProcBody::Pointer;
        made.params.insert(0, value);
        Some(id)
    }

    /// What a procedure pointer component points to: its interface, and where the object is passed.
    pub(crate) fn component_pointed(&mut self, ty: TypeId, name: &Name) -> Option<(Pointed, Option<usize>)> {
        let Some(Binding::Pointer { interface, nopass, pass, scope }) =
            self.defs.type_info(ty).bindings.get(&name.text).cloned()
        else {
            return None;
        };
        let mut pointed = Pointed { name: name.text.clone(), ..Pointed::default() };
        if let Some(spec) = interface {
            let outer = std::mem::replace(&mut self.cx.scope, scope);
            let found = self.interface_or_type(&spec);
            self.cx.scope = outer;
            (pointed.interface, pointed.result) = found?;
        }
        let at = match (nopass, pointed.interface) {
            (true, _) => None,
            (false, Some(id)) => {
                self.resolve_interface(id);
                Some(self.defs.passed_position(id, pass.as_ref()))
            }
            (false, None) => Some(0),
        };
        Some((pointed, at))
    }
}

//! Procedure pointers, variables and components (Fortran 2018, 10.2.2.4, 7.5.4.4).
//!
//! A procedure pointer is an integer that says which procedure it points to, 0 for none. A call through it goes to a procedure
//! record of its own ([`ProcBody::Pointer`]) that has the pointer's interface and takes the pointer's value first.

use super::{Argument, Fit};
use crate::checked::{
    Attrs, CmpOp, Const, Expr, ExprKind, LogicOp, ProcBody, ProcId, Shape, StmtKind, Storage, Type, TypeId, Variable,
};
use crate::checker::{Checker, VarInfo};
use crate::decl::Binding;
use crate::scope::Sym;
use ast::Name;
use diag::Code;
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
    /// Whether an expression is a procedure pointer.
    pub(crate) fn is_procedure_pointer(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Var(id) => self.vars[id.0 as usize].procedure_pointer,
            ExprKind::Field { base, field } => self.pointer_component(base, *field).is_some(),
            ExprKind::Call { proc, .. } => {
                self.out.proc(*proc).result.is_some_and(|r| self.vars[r.0 as usize].procedure_pointer)
            }
            ExprKind::Procedure(_) => true,
            _ => false,
        }
    }

    fn pointer_component(&self, base: &Expr, field: u32) -> Option<TypeId> {
        let Type::Derived(id) = base.ty else { return None };
        let name = &self.out.ty(id).fields.get(field as usize)?.name;
        matches!(self.types[id.0 as usize].bindings.get(name), Some(Binding::Pointer { .. })).then_some(id)
    }

    /// The value of a procedure as a target.
    pub(crate) fn procedure_target(&mut self, id: ProcId, span: Span) -> Expr {
        self.header(id);
        self.note_call(id, span);
        Expr { kind: ExprKind::Procedure(id), ty: Type::Integer(8), rank: 0, span }
    }

    /// `pointer => value`
    pub(crate) fn procedure_pointer(&mut self, target: Expr, value: &ast::Expr) -> Option<StmtKind> {
        let value = self.procedure_value(value)?;
        Some(StmtKind::Assign { target, value })
    }

    fn procedure_value(&mut self, e: &ast::Expr) -> Option<Expr> {
        if let ast::ExprKind::Name(name) = &e.kind {
            match self.find_name(name) {
                Some(Sym::Proc(id)) => return Some(self.procedure_target(id, e.span)),
                Some(Sym::Generic { procs, .. }) => {
                    if let Some(id) = procs.iter().copied().find(|p| self.out.proc(*p).name == name.text) {
                        return Some(self.procedure_target(id, e.span));
                    }
                }
                Some(Sym::Var(id)) if matches!(self.out.var(id).storage, Storage::Procedure) => {
                    return Some(Expr { kind: ExprKind::Var(id), ty: Type::Integer(8), rank: 0, span: e.span });
                }
                Some(Sym::Intrinsic(_)) => {
                    let id = self.intrinsic_procedure(name)?;
                    return Some(self.procedure_target(id, e.span));
                }
                None => {
                    if let Some(id) = self.known_external(&name.text) {
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
            return Some(Self::constant(Const::Int(0), Type::Integer(8), e.span));
        }
        if self.is_procedure_pointer(&value) {
            return Some(value);
        }
        self.error(Code::BadPointerAssignment, e.span, "the target of a procedure pointer must be a procedure")
    }

    /// `associated(pointer[, target])`
    pub(crate) fn procedure_association(&mut self, pointer: Expr, target: Option<Expr>, span: Span) -> Expr {
        let zero = Self::constant(Const::Int(0), Type::Integer(8), span);
        let logical = |kind: ExprKind| Expr { kind, ty: Type::Logical(4), rank: 0, span };
        let compare = |op, left: Expr, right: Expr| {
            logical(ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) })
        };
        let set = compare(CmpOp::Ne, pointer.clone(), zero);
        match target {
            None => set,
            Some(target) => {
                let same = compare(CmpOp::Eq, pointer, target);
                logical(ExprKind::Logic { op: LogicOp::And, left: Box::new(set), right: Box::new(same) })
            }
        }
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
                self.header(interface);
                if let Some(what) = self.procs[interface.0 as usize].refused.clone() {
                    return self.refuse_again(&what);
                }
                let id = self.external(&p.name, None, span);
                let model = self.out.proc(interface);
                let (params, result, function) = (model.params.clone(), model.result, model.is_function);
                let made = &mut self.out.procs[id.0 as usize];
                (made.params, made.result, made.is_function) = (params, result, function);
                id
            }
            None => {
                let result = match (is_function, &p.result) {
                    (false, _) => None,
                    (true, Some(ty)) => Some(ty.clone()),
                    (true, None) => match self.implicit_type(self.cx.scope, &p.name) {
                        Some(ty) => Some(ty),
                        None => {
                            let text = format!("procedure pointer `{}` has no type", p.name);
                            let help = "declare it with an interface, or with the type of its result";
                            return self.error_help(Code::UndeclaredName, span, text, help);
                        }
                    },
                };
                let id = self.external(&p.name, result, span);
                self.dummies_of_arguments(id, args, span);
                id
            }
        };
        self.procs[id.0 as usize].unknown_dummies = false;
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
        let value = self.add_var(value, VarInfo::default());
        let made = &mut self.out.procs[id.0 as usize];
        made.body = ProcBody::Pointer;
        made.params.insert(0, value);
        Some(id)
    }

    /// What a procedure pointer component points to: its interface, and where the object is passed.
    pub(crate) fn component_pointed(&mut self, ty: TypeId, name: &Name) -> Option<(Pointed, Option<usize>)> {
        let Some(Binding::Pointer { interface, nopass, pass, scope }) =
            self.types[ty.0 as usize].bindings.get(&name.text).cloned()
        else {
            return None;
        };
        let mut pointed = Pointed { name: name.text.clone(), ..Pointed::default() };
        match interface.as_ref().map(|i| (i, self.find_from(scope, i))) {
            Some((_, Some(Sym::Proc(id)))) => pointed.interface = Some(id),
            Some((_, Some(Sym::Generic { procs, .. }))) => pointed.interface = procs.first().copied(),
            Some((name, _)) => {
                pointed.result = match &**name {
                    "real" => Some(Type::Real(self.real_kind())),
                    "integer" => Some(self.integer()),
                    "logical" => Some(self.logical()),
                    "complex" => Some(Type::Complex(self.real_kind())),
                    _ => None,
                }
            }
            None => {}
        }
        let at = match (nopass, pointed.interface) {
            (true, _) => None,
            (false, Some(id)) => {
                self.header(id);
                Some(self.passed_position(id, pass.as_ref()))
            }
            (false, None) => Some(0),
        };
        Some((pointed, at))
    }
}

//! REDUCE (Fortran 2018, 16.9): a function of the program combines the elements of an array.
//!
//! The arguments of the node are the array, a call of the function with two variables of the node's own, DIM, MASK, IDENTITY,
//! and these variables: the value so far and the element that comes next. Lowering sets them for each element. With ORDERED or
//! without it, the elements come in array element order.

use super::Reference;
use crate::checked::{Attrs, CharLen, Expr, ExprKind, ProcId, Shape, Storage, Type, Variable};
use crate::checker::{Checker, CodeSide, VarInfo};
use crate::typing::{Argument, is_class, same_type};
use source::Span;

impl Checker<'_> {
    pub(super) fn user_reduction(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        if self.cx.side != CodeSide::Host || self.cx.proc.is_none() {
            return self.reporter.refuse(span, "`reduce` outside of statements of the host");
        }
        let array = self.typing().need_array(&mut r, 0)?;
        if is_class(&self.defs, &array) {
            return self.reporter.refuse(array.span, "`reduce` of a polymorphic array");
        }
        match array.ty {
            Type::Character(CharLen::Const(_)) => {}
            Type::Character(_) => {
                return self.reporter.refuse(span, "`reduce` of characters of another length than a constant");
            }
            Type::Derived(ty) if self.defs.has_part(ty, &|f| f.allocatable) => {
                return self.reporter.refuse(array.span, "`reduce` of objects with allocatable components");
            }
            _ => {}
        }
        let operation = self.typing().need(&mut r, 1)?;
        let ExprKind::Procedure(operation_id) = operation.kind else {
            return self.typing().bad_argument(id, 1, &operation, "a pure function of two arguments");
        };
        let (dim, rank) = self.typing().dimension(&mut r, 2, array.rank)?;
        let mask = self.typing().take_logical(&mut r, 3)?;
        if let Some(mask) = mask.as_ref().filter(|m| m.rank != 0 && m.rank != array.rank) {
            let mask = mask.clone();
            return self.typing().bad_argument(id, 3, &mask, "a mask of the array's shape");
        }
        let identity = self.typing().like(&mut r, 4, &array)?;
        if let Some(e) = identity.as_ref().filter(|e| e.rank != 0) {
            let e = e.clone();
            return self.typing().bad_argument(id, 4, &e, "a scalar");
        }
        self.typing().take_logical(&mut r, 5)?;
        let ty = array.ty.clone();
        let (value, element) =
            (self.own_variable("reduce value", &ty, span), self.own_variable("reduce element", &ty, span));
        let call = self.combination(operation_id, &value, &element, operation.span)?;
        if !same_type(&call.ty, &ty) || call.rank != 0 {
            return self.typing().bad_argument(id, 1, &call, "a function whose result is like an element of the array");
        }
        let args = vec![Some(array), Some(call), dim, mask, identity, Some(value), Some(element)];
        self.typing().intrinsic_node(id, args, ty, rank, span)
    }

    /// A variable of the node's own.
    pub(crate) fn own_variable(&mut self, what: &str, ty: &Type, span: Span) -> Expr {
        let var = Variable {
            name: what.into(),
            ty: ty.clone(),
            shape: Shape::Scalar,
            storage: Storage::Local,
            attrs: Attrs { ignore_tkr: "".into(), ..Attrs::default() },
            init: None,
            owner: self.cx.proc,
            module: None,
            span,
        };
        let id = self.defs.add_var(var, VarInfo::default());
        Expr { kind: ExprKind::Var(id), ty: ty.clone(), rank: 0, span }
    }

    /// The call of the operation.
    fn combination(&mut self, operation: ProcId, value: &Expr, element: &Expr, span: Span) -> Option<Expr> {
        let arguments = vec![Argument::of(value.clone()), Argument::of(element.clone())];
        match self.fit(operation, &arguments, span) {
            Ok(fit) => self.function_call(fit, arguments, span),
            Err(wrong) => self.reporter.report_all(wrong),
        }
    }
}

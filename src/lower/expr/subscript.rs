//! Subscripts: the element that a list of subscript expressions selects.
//!
//! Not here: addresses from values (`builder::address`).

use crate::function::FunctionLowering;
use crate::types::ir_ty;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::MemRef;
use ir::Val;
use sema::checked::{BinaryOp, Const, Expr, ExprKind};

impl<'p> FunctionLowering<'_, 'p> {
    /// The element with these subscripts.
    pub(crate) fn element(&mut self, view: &ArrayView, subs: &'p [Expr], name: &str) -> MemRef {
        let mut parts = Vec::with_capacity(subs.len());
        for sub in subs {
            parts.push(self.subscript(sub));
        }
        if self.b.options().check_bounds {
            for (dim, &(var, add)) in parts.iter().enumerate() {
                let last = dim + 1 == view.dims.len();
                if let Some(d) = view.dims.get(dim).filter(|_| !(view.assumed_size && last)).cloned() {
                    let sub = self.b.iadd(var, Val::i64(add));
                    self.b.check_subscript(sub, &d, dim, name);
                }
            }
        }
        self.b.element_at(view, &parts)
    }

    /// A subscript as a value and a constant.
    pub(crate) fn subscript(&mut self, e: &'p Expr) -> (Val, i64) {
        match &e.kind {
            ExprKind::Const(Const::Int(n)) => (Val::i64(0), *n),
            ExprKind::Convert(inner) if self.lookup(e).is_none() => {
                let (v, add) = self.subscript_of(inner);
                (self.b.widen(v, ir_ty(&inner.ty)), add)
            }
            _ => self.subscript_of(e),
        }
    }

    /// Splits `x + c`, `c + x` and `x − c`; the value keeps the expression's type.
    fn subscript_of(&mut self, e: &'p Expr) -> (Val, i64) {
        if self.lookup(e).is_none()
            && e.rank == 0
            && let ExprKind::Binary { op, left, right } = &e.kind
        {
            match (op, &left.kind, &right.kind) {
                (BinaryOp::Add, _, ExprKind::Const(Const::Int(c))) => {
                    let (v, add) = self.subscript_of(left);
                    return (v, add.wrapping_add(*c));
                }
                (BinaryOp::Sub, _, ExprKind::Const(Const::Int(c))) => {
                    let (v, add) = self.subscript_of(left);
                    return (v, add.wrapping_sub(*c));
                }
                (BinaryOp::Add, ExprKind::Const(Const::Int(c)), _) => {
                    let (v, add) = self.subscript_of(right);
                    return (v, add.wrapping_add(*c));
                }
                _ => {}
            }
        }
        if let ExprKind::Special { index, add } = &e.kind {
            return (self.b.thread_register(*index), i64::from(*add));
        }
        (self.scalar(e), 0)
    }
}

//! Logical expressions as predicates and branches.
//!
//! Fortran does not say whether the right operand of `.and.` and `.or.` is evaluated when the left one decides. It is not
//! evaluated here if that could have an effect (it reads memory, calls, divides): programs written for nvfortran guard a
//! subscript by `i <= n .and. a(i) > 0`. Operands that only compute are both evaluated, without a branch.

use crate::analysis::expressions::divides;
use crate::builder::character::comparison;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::intrinsic::may_be_absent;
use crate::storage::VarStorage;
use crate::types::ir_ty;
use ir::op::{self, BinOp};
use ir::{Bb, Ty, Val};
use sema::checked::{BinaryOp, Class, CmpOp, Expr, ExprKind, LogicOp, Type, UnaryOp, visit};

impl<'p> FunctionLowering<'_, 'p> {
    /// A logical expression as a predicate.
    pub(crate) fn pred(&mut self, e: &'p Expr) -> Val {
        if self.lookup(e).is_some() {
            let v = self.value(e);
            return self.b.as_pred(&v, &e.ty);
        }
        self.at(e.span, |this| match &e.kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                let p = this.pred(operand);
                this.b.negate(p)
            }
            ExprKind::Paren(inner) => this.pred(inner),
            ExprKind::Convert(inner) if matches!(inner.ty, Type::Logical(_)) => this.pred(inner),
            ExprKind::Compare { op, left, right } => this.compare(*op, left, right),
            ExprKind::Logic { op, left, right } => this.logic(*op, left, right),
            _ => {
                let v = this.value(e);
                this.b.as_pred(&v, &e.ty)
            }
        })
    }

    fn logic(&mut self, op: LogicOp, left: &'p Expr, right: &'p Expr) -> Val {
        let a = self.pred(left);
        let join = match op {
            LogicOp::And => BinOp::And,
            LogicOp::Or => BinOp::Or,
            LogicOp::Eqv | LogicOp::Neqv => {
                let b = self.pred(right);
                let differ: Val = self.b.bin(BinOp::Xor, Ty::Pred, a, b).into();
                return if op == LogicOp::Eqv { self.b.negate(differ) } else { differ };
            }
        };
        if self.is_pure(right) {
            let b = self.pred(right);
            return self.b.combine(join, a, b);
        }
        let result = self.b.mutable(Ty::Pred);
        self.b.set(result, a);
        let goes_on = if join == BinOp::And { a } else { self.b.negate(a) };
        self.when(goes_on, |this| {
            this.scope(|this| {
                let b = this.pred(right);
                this.b.set(result, b);
            });
        });
        self.b.freeze(result.into())
    }

    /// Whether evaluating an expression touches nothing but registers, and cannot fail.
    pub(crate) fn is_pure(&mut self, e: &'p Expr) -> bool {
        if self.lookup(e).is_some() {
            return true;
        }
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Special { .. } => true,
            ExprKind::Var(v) => {
                matches!(self.storage_of(*v), Some(VarStorage::Reg(_) | VarStorage::Complex(..) | VarStorage::Value(_)))
            }
            ExprKind::Binary { op: BinaryOp::Pow, .. } => false,
            _ if self.b.is_host() && divides(e) => false,
            ExprKind::Intrinsic { id, args } => {
                let is_known = |(at, a): (usize, &Option<Expr>)| {
                    a.as_ref().is_none_or(|a| !may_be_absent(self.b.program(), *id, at, a))
                };
                id.class() == Class::Elemental
                    && args.iter().enumerate().all(is_known)
                    && args.iter().flatten().all(|a| self.is_pure(a))
            }
            ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Compare { .. }
            | ExprKind::Logic { .. }
            | ExprKind::Convert(_)
            | ExprKind::Paren(_) => {
                let mut all = !matches!(e.ty, Type::Character(_));
                visit::parts(e, &mut |part| {
                    all = all && !matches!(part.ty, Type::Character(_)) && self.is_pure(part);
                });
                all
            }
            _ => false,
        }
    }

    /// Branches on a logical expression.
    pub(crate) fn branch_on(&mut self, e: &'p Expr, yes: Bb, no: Bb) {
        match &e.kind {
            ExprKind::Paren(inner) => return self.branch_on(inner, yes, no),
            ExprKind::Convert(inner) if matches!(inner.ty, Type::Logical(_)) => return self.branch_on(inner, yes, no),
            ExprKind::Unary { op: UnaryOp::Not, operand } => return self.branch_on(operand, no, yes),
            ExprKind::Logic { op: op @ (LogicOp::And | LogicOp::Or), left, right } if !self.is_pure(right) => {
                let next = self.b.new_block();
                if *op == LogicOp::And {
                    self.branch_on(left, next, no);
                } else {
                    self.branch_on(left, yes, next);
                }
                self.b.switch_to(next);
                return self.branch_on(right, yes, no);
            }
            _ => {}
        }
        let p = self.scope(|this| this.pred(e));
        match p {
            Val::Imm(bits) => self.b.jump(if bits & 1 == 1 { yes } else { no }),
            Val::Reg(_) => self.at(e.span, |this| this.b.branch(p, yes, no)),
        }
    }

    fn compare(&mut self, op: CmpOp, left: &'p Expr, right: &'p Expr) -> Val {
        let (a, b) = (self.value(left), self.value(right));
        match &left.ty {
            Type::Complex(_) => {
                let ty = ir_ty(&left.ty);
                let (a, b) = (self.b.as_complex(&a, &left.ty), self.b.as_complex(&b, &right.ty));
                let re = self.b.cmp(op::CmpOp::Eq, ty, a.0, b.0);
                let im = self.b.cmp(op::CmpOp::Eq, ty, a.1, b.1);
                let equal: Val = self.b.bin(BinOp::And, Ty::Pred, re, im).into();
                if op == CmpOp::Ne { self.b.negate(equal) } else { equal }
            }
            Type::Character(_) => self.b.compare_characters(op, &a, &b),
            Type::Logical(_) => {
                let (a, b) = (self.b.as_pred(&a, &left.ty), self.b.as_pred(&b, &right.ty));
                let differ: Val = self.b.bin(BinOp::Xor, Ty::Pred, a, b).into();
                if op == CmpOp::Eq { self.b.negate(differ) } else { differ }
            }
            ty => {
                let (a, b) = (self.b.as_scalar(&a, &left.ty), self.b.as_scalar(&b, &right.ty));
                self.b.cmp(comparison(op), ir_ty(ty), a, b).into()
            }
        }
    }
}

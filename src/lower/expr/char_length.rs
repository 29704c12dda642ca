//! Lengths of character expressions, and concatenation.
//!
//! Not here: operations on character values (`builder::character`).

use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::expr::scattered::scattered;
use crate::function::FunctionLowering;
use crate::storage::VarStorage;
use crate::types::{ir_ty, is_flat};
use crate::value::Value;
use ir::op::CmpOp;
use ir::{Ty, Val};
use sema::checked::{CharLen, Const, Expr, ExprKind, Intrinsic, Item, Type};

impl<'p> FunctionLowering<'_, 'p> {
    /// The length of a character expression, or the bytes of flat objects; `None` for other types. `operands` has those prepared so
    /// far.
    pub(crate) fn length_of(&mut self, e: &'p Expr, operands: Option<&Operands>) -> Option<Val> {
        if is_flat(self.b.program(), &e.ty) {
            return Some(match operands.and_then(|operands| operands.operand(e)) {
                Some(Operand::View(view)) => view.element,
                Some(Operand::Value(Value::Char(_, bytes))) => *bytes,
                _ => self.with_operands(operands.cloned().unwrap_or_default(), |this| this.bytes_of(e)),
            });
        }
        let Type::Character(len) = &e.ty else { return None };
        if let CharLen::Const(n) = len {
            return Some(Val::i64((*n).max(0)));
        }
        let operand = operands
            .and_then(|operands| operands.operand(e))
            .cloned()
            .or_else(|| self.lookup(e).map(|(operand, ..)| operand));
        if let Some(operand) = operand {
            return match operand {
                Operand::View(view) => view.len,
                Operand::Value(Value::Char(_, len)) => Some(len),
                Operand::Value(_) => None,
            };
        }
        Some(match &e.kind {
            ExprKind::Const(Const::Char(text)) => Val::i64(text.len() as i64),
            ExprKind::Var(v) => match self.storage_of(*v) {
                Some(VarStorage::Scalar(_, Some(len)) | VarStorage::Value(Value::Char(_, len))) => len,
                Some(VarStorage::Array(view)) => view.len.unwrap_or(Val::i64(0)),
                Some(VarStorage::Described(d)) => self.b.desc_element(&d),
                _ => Val::i64(0),
            },
            ExprKind::Element { base, .. } | ExprKind::Section { base, .. } => self.length_of(base, operands)?,
            ExprKind::Field { .. } if scattered(self.b.program(), e).is_some() && !self.is_current(e) => {
                self.length_of_parts(e, operands)
            }
            ExprKind::Field { base, field } => match self.described_field(base, *field) {
                Some(d) => self.b.desc_element(&d),
                None if is_flat(self.b.program(), &base.ty) => self.length_of_parts(e, operands),
                None => Val::i64(0),
            },
            ExprKind::Seen { base, .. } => self.class_view(base).element,
            ExprKind::Substring { base, lo, hi } => {
                let whole = self.length_of(base, operands)?;
                let lo = lo.as_ref().map_or(Val::i64(1), |e| self.prepared_int64(e, operands));
                let hi = hi.as_ref().map_or(whole, |e| self.prepared_int64(e, operands));
                self.b.count(lo, hi, Val::i64(1))
            }
            ExprKind::Concat(left, right) => {
                let (a, b) = (self.length_of(left, operands)?, self.length_of(right, operands)?);
                self.b.iadd(a, b)
            }
            ExprKind::Let { value: inner, .. } | ExprKind::Paren(inner) | ExprKind::Convert(inner) => {
                self.length_of(inner, operands)?
            }
            ExprKind::Array(items) => match len {
                // The type that the constructor begins with.
                CharLen::Expr(n) => {
                    let n = self.int64(n);
                    self.b.at_least_zero(n)
                }
                _ => self.length_of_items(items)?,
            },
            ExprKind::Call { proc, args } if e.rank > 0 => match self.reference_length(*proc, args, operands) {
                Some(len) => len,
                None => self.view(e).len.unwrap_or(Val::i64(0)),
            },
            // The length comes with the value.
            ExprKind::Call { .. } | ExprKind::Intrinsic { id: Intrinsic::Trim | Intrinsic::Repeat, .. }
                if e.rank == 0 =>
            {
                let value = self.value(e);
                self.b.as_char(&value).1
            }
            ExprKind::Intrinsic { id: Intrinsic::Transfer, args } => {
                let mold = args.get(1).and_then(Option::as_ref)?;
                self.length_of(mold, operands)?
            }
            ExprKind::Intrinsic { id: Intrinsic::Max | Intrinsic::Min, args } => {
                let mut longest = Val::i64(0);
                for arg in args.iter().flatten() {
                    let n = self.length_of(arg, operands)?;
                    longest = self.b.bin(ir::op::BinOp::Max, Ty::I64, longest, n).into();
                }
                longest
            }
            ExprKind::Intrinsic { args, .. } => {
                let of = args.iter().flatten().find(|a| matches!(a.ty, Type::Character(_)))?;
                self.length_of(of, operands)?
            }
            _ => match len {
                CharLen::Expr(e) => {
                    let n = self.int64(e);
                    self.b.at_least_zero(n)
                }
                _ => Val::i64(0),
            },
        })
    }

    /// An integer that may be among the operands.
    fn prepared_int64(&mut self, e: &'p Expr, operands: Option<&Operands>) -> Val {
        match operands.and_then(|operands| operands.operand(e)).cloned() {
            Some(Operand::Value(v)) => {
                let v = self.b.as_scalar(&v, &e.ty);
                self.b.widen(v, ir_ty(&e.ty))
            }
            _ => self.int64(e),
        }
    }

    fn length_of_items(&mut self, items: &'p [Item]) -> Option<Val> {
        items.iter().find_map(|item| match item {
            Item::Expr(e) => self.length_of(e, None),
            Item::Do(implied) => {
                // The length is that of the first element, which a loop without one does not have.
                let c = self.index_loop(implied.var, &implied.first, &implied.last, implied.step.as_ref());
                let (lo, hi, by) =
                    (self.b.widen(c.first, c.ty), self.b.widen(c.last, c.ty), self.b.widen(c.step, c.ty));
                let trips = self.b.count(lo, hi, by);
                let some = self.b.icmp(CmpOp::Gt, trips, Val::i64(0));
                let len = self.b.mutable(Ty::I64);
                self.b.set(len, Val::i64(0));
                let ty = &self.b.program().var(implied.var).ty;
                self.when(some, |this| {
                    this.b.store_value(c.place, ty, &Value::Scalar(c.first));
                    let first = this.length_of_items(&implied.items).unwrap_or(Val::i64(0));
                    this.b.set(len, first);
                });
                Some(len.into())
            }
        })
    }

    /// `left // right`; a chain of them is put together in one piece.
    pub(crate) fn concat(&mut self, left: &'p Expr, right: &'p Expr) -> Value {
        let mut pieces = Vec::new();
        self.operands_of_concat(left, &mut pieces);
        self.operands_of_concat(right, &mut pieces);
        let values: Vec<Value> = pieces.into_iter().map(|e| self.value(e)).collect();
        self.b.joined(&values)
    }

    fn operands_of_concat(&mut self, e: &'p Expr, out: &mut Vec<&'p Expr>) {
        match &e.kind {
            ExprKind::Concat(left, right) if self.lookup(e).is_none() => {
                self.operands_of_concat(left, out);
                self.operands_of_concat(right, out);
            }
            _ => out.push(e),
        }
    }
}

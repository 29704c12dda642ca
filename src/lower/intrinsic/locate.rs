//! MAXLOC, MINLOC, FINDLOC.

use super::{Args, arg};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::types::ir_ty;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, MemRef, element_lvalue};
use ir::op::{BinOp, CmpOp};
use ir::{Reg, Ty, Val};
use sema::checked::{Expr, Intrinsic, Type};

/// A search in progress.
struct Search<'p> {
    id: Intrinsic,
    array: &'p Expr,
    mask: Option<&'p Expr>,
    /// What FINDLOC looks for.
    wanted: Option<(Value, Type)>,
    back: Val,
    best: Lvalue,
    /// One-based positions; 0 while nothing is found.
    at: Vec<Reg>,
}

impl<'p> FunctionLowering<'_, 'p> {
    /// The search that a reference means, for positions of `rank` subscripts.
    fn search(&mut self, id: Intrinsic, args: Args<'p>, rank: usize) -> Option<Search<'p>> {
        let array = arg(args, 0)?;
        let find = id == Intrinsic::Findloc;
        let shift = usize::from(find);
        let second = arg(args, 1 + shift);
        let mask = arg(args, 2 + shift).or(second.filter(|e| matches!(e.ty, Type::Logical(_))));
        let wanted = if find {
            let e = arg(args, 1)?;
            let v = self.value(e);
            Some((self.b.freeze_value(v), e.ty.clone()))
        } else {
            None
        };
        let back = match arg(args, 4 + shift) {
            Some(e) => self.pred(e),
            None => Val::pred(false),
        };
        if !find && !matches!(array.ty, Type::Integer(_) | Type::Real(_) | Type::Character(_)) {
            return None;
        }
        let best = match array.ty {
            // The address of the characters.
            Type::Character(_) => Lvalue::Reg(self.b.mutable(Ty::I64)),
            _ => self.b.variable_of(&array.ty),
        };
        let at = (0..rank).map(|_| self.b.mutable(Ty::I64)).collect();
        Some(Search { id, array, mask, wanted, back, best, at })
    }

    fn prepare_search(&mut self, s: &Search<'p>) -> Option<(Operands, Vec<Val>)> {
        let mut operands = Operands::default();
        if matches!(s.array.ty, Type::Character(_)) {
            // The best element so far stays where it is.
            let view = self.view(s.array);
            let view = self.b.local_view(view, &s.array.ty);
            operands.insert(s.array, Operand::View(view));
        } else {
            self.prepare(s.array, &mut operands);
        }
        let extents = operands.extents(s.array)?;
        if let Some(mask) = s.mask {
            self.prepare(mask, &mut operands);
        }
        self.b.check_mask(s.array, s.mask, &operands);
        Some((operands, extents))
    }

    /// Looks at the current element, whose zero-based position is `index`.
    fn look(&mut self, s: &Search<'p>, index: &[Val]) {
        let p = s.mask.map_or(Val::pred(true), |m| self.pred(m));
        self.when(p, |this| this.look_unmasked(s, index));
    }

    fn look_unmasked(&mut self, s: &Search<'p>, index: &[Val]) {
        let Some(&first) = s.at.first() else { return };
        let none = self.b.icmp(CmpOp::Eq, first.into(), Val::i64(0));
        let x = self.value(s.array);
        let better = match &s.wanted {
            Some((wanted, ty)) => {
                let equal = equal_values(&mut self.b, &x, &s.array.ty, wanted, ty);
                let may = self.b.combine(BinOp::Or, none, s.back);
                self.b.combine(BinOp::And, equal, may)
            }
            None if matches!(s.array.ty, Type::Character(_)) => self.precedes_in_text(s, none, &x),
            None => {
                let ty = ir_ty(&s.array.ty);
                let v = self.b.as_scalar(&x, &s.array.ty);
                let old = self.b.load_value(s.best, &s.array.ty);
                let old = self.b.as_scalar(&old, &s.array.ty);
                let (strict, equal) =
                    if s.id == Intrinsic::Maxloc { (CmpOp::Gt, CmpOp::Ge) } else { (CmpOp::Lt, CmpOp::Le) };
                let mut better = self.b.precedes(strict, v, old, ty);
                if !crate::builder::arith::is(s.back, 0) {
                    let as_good = self.b.precedes(equal, v, old, ty);
                    let taken = self.b.combine(BinOp::And, as_good, s.back);
                    better = self.b.combine(BinOp::Or, better, taken);
                }
                self.b.combine(BinOp::Or, none, better)
            }
        };
        self.when(better, |this| {
            match (&s.wanted, s.best, &x) {
                (Some(_), ..) => {}
                (None, Lvalue::Reg(best), Value::Char(mem, _)) => {
                    let addr = this.b.address(*mem);
                    this.b.set(best, addr);
                }
                (None, best, _) => this.b.store_value(best, &s.array.ty, &x),
            }
            for (&r, &i) in s.at.iter().zip(index) {
                let position = this.b.iadd(i, Val::i64(1));
                this.b.set(r, position);
            }
        });
    }

    /// Whether characters are to be taken: nothing is found yet, or they come before the best ones so far.
    fn precedes_in_text(&mut self, s: &Search<'p>, none: Val, x: &Value) -> Val {
        let (Lvalue::Reg(best), Value::Char(mem, len)) = (s.best, x) else { return none };
        let (strict, equal) = match s.id {
            Intrinsic::Maxloc => (sema::checked::CmpOp::Gt, sema::checked::CmpOp::Ge),
            _ => (sema::checked::CmpOp::Lt, sema::checked::CmpOp::Le),
        };
        let better = self.b.mutable(Ty::Pred);
        self.b.set(better, none);
        let some = self.b.negate(none);
        let old = Value::Char(MemRef { addr: best.into(), offset: 0, ..*mem }, *len);
        self.when(some, |this| {
            let mut taken = this.b.compare_characters(strict, x, &old);
            if !crate::builder::arith::is(s.back, 0) {
                let as_good = this.b.compare_characters(equal, x, &old);
                let last = this.b.combine(BinOp::And, as_good, s.back);
                taken = this.b.combine(BinOp::Or, taken, last);
            }
            this.b.set(better, taken);
        });
        self.b.freeze(better.into())
    }

    /// With DIM, of an array of rank 1.
    pub(super) fn locate_scalar(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        let s = self.search(id, args, 1)?;
        let (operands, extents) = self.prepare_search(&s)?;
        start_search(&mut self.b, &s);
        self.with_operands(operands, |this| {
            this.nest(&extents, &mut |this, index| {
                this.move_to(index);
                this.look(&s, index);
            });
        });
        let at = self.b.freeze(s.at.first().map_or(Val::i64(0), |&r| r.into()));
        Some(Value::Scalar(self.b.narrow(at, ir_ty(&e.ty))))
    }

    /// Without DIM, or with it of an array of higher rank.
    pub(super) fn locate_array(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let array = arg(args, 0)?;
        let shift = usize::from(id == Intrinsic::Findloc);
        let dim = arg(args, 1 + shift).filter(|d| matches!(d.ty, Type::Integer(_)));
        if let Some(dim) = dim {
            let dim = self.dimension(dim);
            return self.locate_along(id, args, e, dim);
        }
        let rank = usize::from(array.rank);
        let s = self.search(id, args, rank)?;
        let (operands, extents) = self.prepare_search(&s)?;
        start_search(&mut self.b, &s);
        self.with_operands(operands, |this| {
            this.nest(&extents, &mut |this, index| {
                this.move_to(index);
                this.look(&s, index);
            });
        });
        let view = self.b.temporary_array(&e.ty, None, &[Val::i64(rank as i64)]);
        for (i, &r) in s.at.iter().enumerate() {
            let v = self.b.narrow(r.into(), ir_ty(&e.ty));
            let mem = self.b.element_linear(&view, Val::i64(i as i64));
            self.b.store_value(element_lvalue(mem, None), &e.ty, &Value::Scalar(v));
        }
        Some(view)
    }

    fn locate_along(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr, dim: Val) -> Option<ArrayView> {
        let s = self.search(id, args, 1)?;
        let (operands, extents) = self.prepare_search(&s)?;
        let (outer, along) = self.b.without_dimension(&extents, dim);
        let view = self.b.temporary_array(&e.ty, None, &outer);
        let result = view.clone();
        self.with_operands(operands, |this| {
            this.nest(&outer, &mut |this, index| {
                start_search(&mut this.b, &s);
                this.repeat(along, &mut |this, i| {
                    let full = this.b.with_dimension(index, dim, i);
                    this.move_to(&full);
                    this.look(&s, &[i]);
                });
                let at = s.at.first().map_or(Val::i64(0), |&r| r.into());
                let v = this.b.narrow(at, ir_ty(&e.ty));
                let mem = this.b.element_by_position(&result, index);
                this.b.store_value(element_lvalue(mem, None), &e.ty, &Value::Scalar(v));
            });
        });
        Some(view)
    }
}

fn start_search<'p>(b: &mut Builder<'_, 'p>, s: &Search<'p>) {
    for &r in &s.at {
        b.set(r, Val::i64(0));
    }
    if s.wanted.is_none() && !matches!(s.array.ty, Type::Character(_)) {
        b.store_value(s.best, &s.array.ty, &Value::Scalar(Val::Imm(0)));
    }
}

fn equal_values(builder: &mut Builder<'_, '_>, x: &Value, x_ty: &Type, y: &Value, y_ty: &Type) -> Val {
    match x_ty {
        Type::Character(_) => builder.compare_characters(sema::checked::CmpOp::Eq, x, y),
        Type::Logical(_) => {
            let (a, b) = (builder.as_pred(x, x_ty), builder.as_pred(y, y_ty));
            let differ: Val = builder.bin(BinOp::Xor, Ty::Pred, a, b).into();
            builder.negate(differ)
        }
        _ => {
            let y = builder.convert(y, y_ty, x_ty);
            let (a, b) = (builder.as_complex(x, x_ty), builder.as_complex(&y, x_ty));
            let ty = ir_ty(x_ty);
            let re: Val = builder.cmp(CmpOp::Eq, ty, a.0, b.0).into();
            if !matches!(x_ty, Type::Complex(_)) {
                return re;
            }
            let im: Val = builder.cmp(CmpOp::Eq, ty, a.1, b.1).into();
            builder.combine(BinOp::And, re, im)
        }
    }
}

//! Arguments of array functions that are known at run time only and outside of what the standard allows (Fortran 2018, 16.9): DIM,
//! ORDER, SHAPE, NCOPIES. The result is undefined then, so the program stops, checked or not.
//!
//! Not here: constant arguments, which `sema` checks, and the number of a bit.

use super::{Args, arg};
use crate::analysis::expressions::{constant_int, has_effects};
use crate::builder::Builder;
use crate::builder::arith::constant;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Intrinsic, Shape};

/// What [`Rt::ErrorBounds`] has for a dimension where the value of an argument is wrong.
const ARGUMENT: i32 = -1;
/// The same where it stands twice.
const TWICE: i32 = -2;

impl Builder<'_, '_> {
    /// Stops the program unless the value of an argument is from `lower` to `upper`.
    pub(super) fn demand_argument(&mut self, name: &str, value: Val, lower: Val, upper: Val) {
        if let (Some(value), Some(lower), Some(upper)) = (constant(value), constant(lower), constant(upper))
            && (lower..=upper).contains(&value)
        {
            return;
        }
        let (below, above) = (self.icmp(CmpOp::Lt, value, lower), self.icmp(CmpOp::Gt, value, upper));
        let is_wrong = self.bin(BinOp::Or, Ty::Pred, below, above).into();
        self.stop_when(is_wrong, name, [value, lower, upper], ARGUMENT);
    }

    /// Stops the program unless the values, the dimensions of an array, are all of them in some order.
    pub(super) fn demand_permutation(&mut self, name: &str, values: &[Val]) {
        let rank = Val::i64(values.len() as i64);
        for (at, &value) in values.iter().enumerate() {
            self.demand_argument(name, value, Val::i64(1), rank);
            for &before in &values[..at] {
                if let (Some(a), Some(b)) = (constant(value), constant(before))
                    && a != b
                {
                    continue;
                }
                let is_same = self.icmp(CmpOp::Eq, value, before);
                self.stop_when(is_same, name, [value, Val::i64(1), rank], TWICE);
            }
        }
    }

    fn stop_when(&mut self, is_wrong: Val, name: &str, [value, lower, upper]: [Val; 3], what: i32) {
        self.when(is_wrong, |this| {
            let (text, len) = this.name_text(name);
            this.rt(Rt::ErrorBounds, vec![value, lower, upper, Val::i32(what), text, len]);
        });
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Stops the program unless DIM of a function with a scalar result is a dimension of its array.
    pub(super) fn demand_dimension(&mut self, id: Intrinsic, args: Args<'p>) {
        let (Some(at), Some(array)) = (id.dummies().iter().position(|dummy| *dummy == "dim"), arg(args, 0)) else {
            return;
        };
        let Some(dim) = arg(args, at).filter(|dim| constant_int(dim).is_none()) else { return };
        let program = self.b.program();
        let is_ranked = matches!(&array.kind, sema::checked::ExprKind::Var(v)
            if matches!(program.var(*v).shape, Shape::AssumedRank));
        if at == 0 || array.rank == 0 || is_ranked || has_effects(program, dim) || dim.rank > 0 {
            return;
        }
        let value = self.int64(dim);
        self.b.demand_argument("dim", value, Val::i64(1), Val::i64(i64::from(array.rank)));
    }
}

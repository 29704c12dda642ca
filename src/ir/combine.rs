//! Atomics on one word that are one atomic together: their order does not matter, and nobody sees what each of them finds.
//!
//! Not here: what one atomic does (`eval`).

use crate::Ty;
use crate::op::AtomOp;

/// What several atomics on a word do together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Combined {
    /// The operand of one atomic of that operation that leaves what all of them leave.
    pub operand: u64,
    /// Whether one of them changes the word, if that follows from the operands alone.
    changes: Option<bool>,
}

impl Combined {
    /// The atomics with these operands, in any order; `None` if the order of that operation matters.
    pub fn of(op: AtomOp, ty: Ty, operands: impl Iterator<Item = u64> + Clone) -> Option<Combined> {
        // Signed, so that orders are those of 64 bits; what is above 32 bits goes nowhere.
        let signed = match ty {
            Ty::I32 => |word: u64| i64::from(word as i32),
            Ty::I64 => |word: u64| word as i64,
            Ty::Pred | Ty::I8 | Ty::I16 | Ty::F32 | Ty::F64 => return None,
        };
        let operands = operands.map(signed);
        // Sums that come to nothing have changed the word on the way.
        let changes = || Some(operands.clone().any(|word| word != 0));
        let (operand, changes) = match op {
            AtomOp::Min => (operands.fold(i64::MAX, i64::min), None),
            AtomOp::Max => (operands.fold(i64::MIN, i64::max), None),
            AtomOp::And => (operands.fold(-1, |all, word| all & word), None),
            AtomOp::Or => (operands.fold(0, |all, word| all | word), None),
            AtomOp::Xor => (operands.clone().fold(0, |all, word| all ^ word), changes()),
            // What is subtracted adds up.
            AtomOp::Add | AtomOp::Sub => (operands.clone().fold(0, i64::wrapping_add), changes()),
            AtomOp::AddHalf | AtomOp::Exch | AtomOp::Cas | AtomOp::Inc | AtomOp::Dec => return None,
        };
        Some(Combined { operand: operand as u64, changes })
    }

    /// Whether one of the atomics changes a word that is `old` before and `new` behind them.
    pub fn changes(&self, old: u64, new: u64) -> bool {
        self.changes.unwrap_or(old != new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval;

    #[test]
    fn one_atomic_leaves_what_all_of_them_leave() {
        use AtomOp::{Add, And, Max, Min, Or, Sub, Xor};
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..4000 {
            let op = [Add, Sub, Min, Max, And, Or, Xor][rng.usize(0..7)];
            let ty = if rng.bool() { Ty::I32 } else { Ty::I64 };
            let mut word = || {
                let word = if rng.bool() { rng.u64(0..3) } else { rng.u64(..) };
                scalar::bits::canonical(ty, if rng.u32(0..3) == 0 { word } else { 0 })
            };
            let old = word();
            let operands = [(); 5].map(|()| word());
            let of = Combined::of(op, ty, operands.into_iter()).expect("an operation whose order does not matter");
            let (mut left, mut changed) = (old, false);
            for operand in operands {
                let new = eval::eval_atomic(op, ty, left, operand, 0);
                changed |= new != left;
                left = new;
            }
            let new = eval::eval_atomic(op, ty, old, of.operand, 0);
            assert_eq!((new, of.changes(old, new)), (left, changed), "{op} {ty} {old:x} {operands:x?}");
        }
        assert_eq!(Combined::of(AtomOp::Inc, Ty::I32, [1].into_iter()), None);
        assert_eq!(Combined::of(AtomOp::Add, Ty::F32, [1].into_iter()), None);
    }
}

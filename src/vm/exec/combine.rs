//! Atomics of all lanes on one word whose order does not matter and whose results nobody sees: as one atomic.
//!
//! Not here: atomics in general (`access`).

use super::report::RunState;
use crate::code::AtomicOp;
use crate::frame::Frame;
use ir::op::AtomOp;
use jit::Movement;
use scalar::lanes;

/// What the lanes of an atomic do together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combined {
    /// The operand of one atomic that leaves what those of all lanes leave.
    pub(super) operand: u64,
    /// Whether the word changes, if that follows from the operands.
    changes: Option<bool>,
}

impl Combined {
    /// The atomics of the lanes of `mask`, if they can be one.
    pub(super) fn of<const W: usize>(a: &AtomicOp, frame: &Frame<W>, mask: u32, run: &RunState<W>) -> Option<Combined> {
        let is_seen = a.d.is_some() || run.report || run.observer.is_some();
        if is_seen || mask == 0 || run.lanes.as_uniform().is_none() || !Movement::commutes(a.op, a.ty) {
            return None;
        }
        let operand = |lane| frame.get((a.ty, a.a), lane);
        let operands: [u64; W] = std::array::from_fn(operand);
        Some(if a.ty.bytes() == 8 {
            combine(a.op, mask, &operands)
        } else {
            combine(a.op, mask, &operands.map(narrow))
        })
    }

    /// Whether the atomics of the lanes change a word that is `old` before and `new` behind them.
    pub(super) fn changes(&self, old: u64, new: u64) -> bool {
        self.changes.unwrap_or(old != new)
    }
}

/// The sign extended, so that orders are those of 64 bits; what is above 32 bits goes nowhere.
fn narrow(word: u64) -> u64 {
    i64::from(word as i32) as u64
}

fn combine<const W: usize>(op: AtomOp, mask: u32, operands: &[u64; W]) -> Combined {
    let all = |first: u64, f: fn(u64, u64) -> u64| lanes(mask).fold(first, |all, lane| f(all, operands[lane]));
    let any = lanes(mask).any(|lane| operands[lane] != 0);
    match op {
        AtomOp::Min => {
            Combined { operand: all(i64::MAX as u64, |a, b| (a as i64).min(b as i64) as u64), changes: None }
        }
        AtomOp::Max => {
            Combined { operand: all(i64::MIN as u64, |a, b| (a as i64).max(b as i64) as u64), changes: None }
        }
        AtomOp::And => Combined { operand: all(u64::MAX, |a, b| a & b), changes: None },
        AtomOp::Or => Combined { operand: all(0, |a, b| a | b), changes: None },
        AtomOp::Xor => Combined { operand: all(0, |a, b| a ^ b), changes: Some(any) },
        // What is subtracted adds up; what comes to nothing has changed the word on the way.
        _ => Combined { operand: all(0, u64::wrapping_add), changes: Some(any) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Ty, eval};

    #[test]
    fn one_atomic_leaves_what_those_of_all_lanes_leave() {
        let mut rng = fastrand::Rng::with_seed(3);
        use AtomOp::{Add, And, Max, Min, Or, Sub, Xor};
        for _ in 0..2000 {
            let (op, ty) =
                (rng.choice([Add, Sub, Min, Max, And, Or, Xor]).unwrap(), rng.choice([Ty::I32, Ty::I64]).unwrap());
            let word = |rng: &mut fastrand::Rng| {
                let word = if rng.bool() { rng.u64(0..3) } else { rng.u64(..) };
                scalar::bits::canonical(ty, word)
            };
            let operands: [u64; 32] = std::array::from_fn(|_| if rng.u32(0..4) == 0 { word(&mut rng) } else { 0 });
            let (mask, old) = (rng.u32(1..), word(&mut rng));
            let of =
                if ty == Ty::I64 { combine(op, mask, &operands) } else { combine(op, mask, &operands.map(narrow)) };
            let (mut left, mut changed) = (old, false);
            for lane in lanes(mask) {
                let new = eval::eval_atomic(op, ty, left, operands[lane], 0);
                changed |= new != left;
                left = new;
            }
            let new = eval::eval_atomic(op, ty, old, of.operand, 0);
            assert_eq!((new, of.changes(old, new)), (left, changed), "{op} {ty} {operands:x?} {mask:x}");
        }
    }
}

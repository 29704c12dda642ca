//! Arithmetic on scalars that several loops share, and sums of the single lane of the host.

use crate::code::{R3, Slot, Term};
use ir::op::CmpOp;

/// The integer in a scalar, of 32 bits if `narrow`.
#[inline(always)]
pub(crate) fn signed(word: u64, narrow: bool) -> i64 {
    if narrow { i64::from(word as u32 as i32) } else { word as i64 }
}

/// Whether a compare of two integer scalars holds. Sign extension keeps the order of unsigned numbers too.
#[inline(always)]
pub(crate) fn holds(op: CmpOp, wide: bool, r: R3, scalars: &[u64]) -> bool {
    let value = |slot: Slot| signed(scalars[slot as usize], !wide);
    let (x, y) = (value(r.a), value(r.b));
    match op {
        CmpOp::Eq => x == y,
        CmpOp::Ne => x != y,
        CmpOp::Lt => x < y,
        CmpOp::Le => x <= y,
        CmpOp::Gt => x > y,
        CmpOp::Ge => x >= y,
        CmpOp::LtU => (x as u64) < y as u64,
        CmpOp::GeU => x as u64 >= y as u64,
    }
}

/// The sum of two scalars of 32 bits.
#[inline(always)]
pub(crate) fn add_words(x: u64, y: u64) -> u64 {
    u64::from((x as u32).wrapping_add(y as u32))
}

/// The sum of terms of the only lane.
#[inline(always)]
pub(crate) fn lane_sum<const W: usize>(terms: &[Term], words: &[[u32; W]], longs: &[[u64; W]]) -> i64 {
    let mut out = 0i64;
    for t in terms {
        let value =
            if t.narrow { i64::from(words[t.slot as usize][0] as i32) } else { longs[t.slot as usize][0] as i64 };
        out = out.wrapping_add(value.wrapping_mul(t.factor));
    }
    out
}

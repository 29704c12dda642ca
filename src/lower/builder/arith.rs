//! Address arithmetic: `i64` operations that fold constants, and common combinations of them.
//!
//! Folding happens here and not only in `opt`: bounds and strides are so often constant that the unfolded form would be most
//! of the IR of a kernel, also at `-O0`, where the emulator runs it as it is.
//!
//! Not here: arithmetic of Fortran values (`arithmetic`).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::types::imm;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use ir::{Ty, Val};

/// The constant that an operand is.
pub(crate) fn constant(v: Val) -> Option<i64> {
    match v {
        Val::Imm(bits) => Some(bits as i64),
        Val::Reg(_) => None,
    }
}

/// Whether an operand is that constant.
pub(crate) fn is(v: Val, value: i64) -> bool {
    constant(v) == Some(value)
}

impl Builder<'_, '_> {
    /// `a + b` of addresses or counts.
    pub(crate) fn iadd(&mut self, a: Val, b: Val) -> Val {
        match (constant(a), constant(b)) {
            (Some(x), Some(y)) => Val::i64(x.wrapping_add(y)),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(_), None) => self.bin(BinOp::Add, Ty::I64, b, a).into(),
            _ => self.bin(BinOp::Add, Ty::I64, a, b).into(),
        }
    }

    /// `a - b`
    pub(crate) fn isub(&mut self, a: Val, b: Val) -> Val {
        match (constant(a), constant(b)) {
            (Some(x), Some(y)) => Val::i64(x.wrapping_sub(y)),
            (_, Some(y)) => self.iadd(a, Val::i64(y.wrapping_neg())),
            _ if a == b => Val::i64(0),
            _ => self.bin(BinOp::Sub, Ty::I64, a, b).into(),
        }
    }

    /// `a * b`
    pub(crate) fn imul(&mut self, a: Val, b: Val) -> Val {
        match (constant(a), constant(b)) {
            (Some(x), Some(y)) => Val::i64(x.wrapping_mul(y)),
            (Some(0), _) | (_, Some(0)) => Val::i64(0),
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (Some(_), None) => self.bin(BinOp::Mul, Ty::I64, b, a).into(),
            _ => self.bin(BinOp::Mul, Ty::I64, a, b).into(),
        }
    }

    /// `a * b + c`
    pub(crate) fn imad(&mut self, a: Val, b: Val, c: Val) -> Val {
        let trivial = |v: Val| matches!(constant(v), Some(0 | 1));
        if trivial(a) || trivial(b) || is(c, 0) || (constant(a).is_some() && constant(b).is_some()) {
            let product = self.imul(a, b);
            return self.iadd(product, c);
        }
        self.tri(TriOp::Mad, Ty::I64, a, b, c).into()
    }

    /// `max(a, 0)`
    pub(crate) fn at_least_zero(&mut self, a: Val) -> Val {
        match constant(a) {
            Some(x) => Val::i64(x.max(0)),
            None => self.bin(BinOp::Max, Ty::I64, a, Val::i64(0)).into(),
        }
    }

    /// How many values `lo, lo + step, …` there are up to `hi`: the extent of a section, the trip count of a loop.
    pub(crate) fn count(&mut self, lo: Val, hi: Val, step: Val) -> Val {
        if let (true, Some(first)) = (is(step, 1), constant(lo)) {
            let n = self.iadd(hi, Val::i64(1i64.wrapping_sub(first)));
            return self.at_least_zero(n);
        }
        let span = self.isub(hi, lo);
        if is(step, 1) {
            let n = self.iadd(span, Val::i64(1));
            return self.at_least_zero(n);
        }
        if is(step, -1) {
            let n = self.isub(Val::i64(1), span);
            return self.at_least_zero(n);
        }
        let span = self.iadd(span, step);
        let n = match (constant(span), constant(step)) {
            (Some(x), Some(y)) if y != 0 => Val::i64(x.wrapping_div(y)),
            _ => self.bin(BinOp::Div, Ty::I64, span, step).into(),
        };
        self.at_least_zero(n)
    }

    /// How many iterations of an `integer(8)` loop follow the first one, as an unsigned number, and whether there is a first one. The
    /// bounds may be further apart than the largest number.
    pub(crate) fn rounds_after_first(&mut self, first: Val, last: Val, step: Val) -> (Val, Val) {
        if let (Some(first), Some(last), Some(step)) = (constant(first), constant(last), constant(step)) {
            let enters = if step > 0 { first <= last } else { first >= last };
            let left = last.abs_diff(first).checked_div(step.unsigned_abs()).unwrap_or(0);
            return (Val::i64(left as i64), Val::pred(enters));
        }
        let forwards = self.icmp(CmpOp::Gt, step, Val::i64(0));
        let low = self.choose(forwards, first, last);
        let high = self.choose(forwards, last, first);
        let back = self.isub(Val::i64(0), step);
        let stride = self.choose(forwards, step, back);
        let enters = self.icmp(CmpOp::Le, low, high);
        // Division is signed: it divides half of the distance, and one step more may fit into what is left over.
        let distance = self.isub(high, low);
        let half = self.bin(BinOp::ShrU, Ty::I64, distance, Val::i64(1));
        let half_steps: Val = self.bin(BinOp::Div, Ty::I64, half, stride).into();
        let steps = self.iadd(half_steps, half_steps);
        let taken = self.imul(steps, stride);
        let rest = self.isub(distance, taken);
        let unsigned = |this: &mut Self, v: Val| -> Val { this.bin(BinOp::Xor, Ty::I64, v, Val::i64(i64::MIN)).into() };
        let (rest, stride) = (unsigned(self, rest), unsigned(self, stride));
        let one_more = self.icmp(CmpOp::Ge, rest, stride);
        let one_more = self.choose(one_more, Val::i64(1), Val::i64(0));
        (self.iadd(steps, one_more), enters)
    }

    /// One of two numbers.
    fn choose(&mut self, condition: Val, yes: Val, no: Val) -> Val {
        match condition {
            Val::Imm(bits) => {
                if bits & 1 == 1 {
                    yes
                } else {
                    no
                }
            }
            Val::Reg(_) => self.select(Ty::I64, condition, yes, no).into(),
        }
    }

    /// The extent of an allocated dimension. Bounds that are too far apart to count give the largest number, so that the
    /// allocation fails instead of being a small one.
    pub(crate) fn allocated_extent(&mut self, lower: Val, upper: Val) -> Val {
        if let (Some(lo), Some(hi)) = (constant(lower), constant(upper)) {
            return Val::i64(hi.saturating_sub(lo).saturating_add(1).max(0));
        }
        let extent = self.count(lower, upper, Val::i64(1));
        if constant(lower).is_some_and(|lo| lo > 0) {
            return extent;
        }
        // Where the upper bound is not below the lower one, an extent of 0 or less has wrapped.
        let some = self.icmp(CmpOp::Ge, upper, lower);
        let none = self.icmp(CmpOp::Le, extent, Val::i64(0));
        let wrapped = self.combine(BinOp::And, some, none);
        self.select(Ty::I64, wrapped, Val::i64(i64::MAX), extent).into()
    }

    /// In host code a division of integers by zero ends the program, as it does on the processors that nvfortran compiles for.
    /// Device code continues with the value that a GPU gives.
    pub(crate) fn check_divisor(&mut self, divisor: Val, ty: Ty) {
        if !self.is_host() || ty.is_real() {
            return;
        }
        let zero = match constant(divisor) {
            Some(bits) => Val::pred(bits == 0),
            None => self.cmp(CmpOp::Eq, ty, divisor, imm(ty, 0)).into(),
        };
        self.when(zero, |this| this.trap_here(ir::Trap::ZeroDivisor));
    }

    /// The product of extents.
    pub(crate) fn product(&mut self, factors: &[Val]) -> Val {
        let mut all = Val::i64(1);
        for &f in factors {
            all = self.imul(all, f);
        }
        all
    }

    /// Bytes of an array of these extents, none of which is negative: more than any memory has if they are too many to count.
    pub(crate) fn array_bytes(&mut self, extents: &[Val], element: Val) -> Val {
        extents.iter().fold(element, |bytes, &extent| self.saturating_product(extent, bytes))
    }

    /// `a * b` of numbers that are not negative, or the largest one.
    fn saturating_product(&mut self, a: Val, b: Val) -> Val {
        match (constant(a), constant(b)) {
            (Some(x), Some(y)) => Val::i64(x.saturating_mul(y)),
            (Some(0 | 1), _) | (_, Some(0 | 1)) => self.imul(a, b),
            _ => {
                let low = self.imul(a, b);
                let high = self.bin(BinOp::MulHi, Ty::I64, a, b);
                let sign = self.bin(BinOp::ShrS, Ty::I64, low, Val::i64(63));
                let beyond = self.bin(BinOp::Or, Ty::I64, high, sign);
                let fits = self.cmp(CmpOp::Eq, Ty::I64, beyond, Val::i64(0));
                self.select(Ty::I64, fits, low, Val::i64(i64::MAX)).into()
            }
        }
    }

    /// An integer of type `ty` as an `i64`.
    pub(crate) fn widen(&mut self, v: Val, ty: Ty) -> Val {
        if ty == Ty::I64 {
            return v;
        }
        match v {
            Val::Imm(bits) => Val::i64(scalar::bits::signed(ty, bits)),
            Val::Reg(_) => self.cvt(CvtOp::Cast, ty, Ty::I64, v).into(),
        }
    }

    /// An `i64` as an integer of type `ty`.
    pub(crate) fn narrow(&mut self, v: Val, ty: Ty) -> Val {
        if ty == Ty::I64 {
            return v;
        }
        match constant(v) {
            Some(x) => imm(ty, x),
            None => self.cvt(CvtOp::Cast, Ty::I64, ty, v).into(),
        }
    }

    /// The value of a register that may change, as it is now.
    pub(crate) fn freeze(&mut self, v: Val) -> Val {
        match v {
            Val::Reg(r) if self.func().regs[r.index()].mutable => {
                let ty = self.ty(r);
                self.mov(ty, v).into()
            }
            _ => v,
        }
    }

    /// `not p`
    pub(crate) fn negate(&mut self, p: Val) -> Val {
        match constant(p) {
            Some(x) => Val::pred(x & 1 == 0),
            None => self.un(UnOp::Not, Ty::Pred, p).into(),
        }
    }

    /// `a op b` of predicates, where `op` is And or Or.
    pub(crate) fn combine(&mut self, op: BinOp, a: Val, b: Val) -> Val {
        let absorbing = i64::from(op == BinOp::Or);
        match (constant(a), constant(b)) {
            (Some(x), _) if x == absorbing => a,
            (_, Some(y)) if y == absorbing => b,
            (Some(_), _) => b,
            (_, Some(_)) => a,
            _ => self.bin(op, Ty::Pred, a, b).into(),
        }
    }

    /// `a op b` of `i64`, a predicate.
    pub(crate) fn icmp(&mut self, op: CmpOp, a: Val, b: Val) -> Val {
        if let (Some(x), Some(y)) = (constant(a), constant(b)) {
            return Val::pred(match op {
                CmpOp::Eq => x == y,
                CmpOp::Ne => x != y,
                CmpOp::Lt => x < y,
                CmpOp::Le => x <= y,
                CmpOp::Gt => x > y,
                CmpOp::Ge => x >= y,
                CmpOp::LtU => (x as u64) < y as u64,
                CmpOp::GeU => x as u64 >= y as u64,
            });
        }
        self.cmp(op, Ty::I64, a, b).into()
    }
}

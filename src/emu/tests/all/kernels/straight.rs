//! Random kernels without loops, of which most lanes take the same way: threads beyond a bound, or at a border, have nothing to do.

use super::Gen;
use ir::op::{BinOp, CmpOp};
use ir::{Ty, Val};

impl Gen {
    /// Assignments, and places where threads end that a condition holds for.
    pub(super) fn straight(&mut self) {
        for _ in 0..self.rng.usize(..3) {
            for _ in 0..self.rng.usize(..3) {
                self.assign();
            }
            let mut condition = self.border();
            if self.rng.usize(..3) == 0 {
                let other = self.border();
                let op = self.rng.choice([BinOp::And, BinOp::Or]).unwrap();
                condition = self.b.bin(op, Ty::Pred, condition, other).into();
            }
            let (end, go_on) = (self.b.new_block(), self.b.new_block());
            let [yes, no] = if self.rng.usize(..2) == 0 { [end, go_on] } else { [go_on, end] };
            self.b.branch(condition, yes, no);
            self.b.switch_to(end);
            if self.rng.usize(..2) == 0 {
                let value = self.word();
                self.store_own(0, value);
            }
            self.b.ret(Vec::new());
            self.b.switch_to(go_on);
        }
        for _ in 0..=self.rng.usize(..4) {
            self.assign();
        }
    }

    /// A comparison of something that grows from thread to thread with a bound.
    fn border(&mut self) -> Val {
        let mut index = if self.rng.usize(..2) == 0 { self.global } else { *self.rng.choice(&self.small).unwrap() };
        if self.rng.usize(..3) == 0 {
            index = self.b.bin(BinOp::Mul, Ty::I32, index, Val::i32(self.rng.choice([-1, 2, 3]).unwrap()));
        }
        let shift = self.rng.choice([0, 1, -3, 40, i32::MAX, i32::MIN]).unwrap();
        let index = self.b.bin(BinOp::Add, Ty::I32, index, Val::i32(shift));
        let bound = match self.rng.usize(..4) {
            0 => Val::Reg(*self.rng.choice(&self.uniform).unwrap()),
            1 => Val::i32(self.rng.choice([0, 1, 2, 31, 32, i32::MAX, i32::MIN]).unwrap()),
            _ => Val::i32(self.rng.usize(..400) as i32),
        };
        let op = self.rng.choice([CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge, CmpOp::Eq, CmpOp::Ne]).unwrap();
        self.b.cmp(op, Ty::I32, index, bound).into()
    }
}

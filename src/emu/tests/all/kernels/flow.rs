//! Control flow of random kernels: sequences, branches and loops, which lanes take together or apart.

use super::{Gen, OUT};
use ir::op::{BinOp, CmpOp};
use ir::{Ty, Val};

impl Gen {
    pub(super) fn block(&mut self, depth: usize) {
        for _ in 0..2 + self.rng.usize(..4) {
            if self.budget == 0 || self.b.is_terminated() {
                return;
            }
            self.budget -= 1;
            match self.rng.usize(..16) {
                0..=4 => self.assign(),
                5 => {
                    let (j, value) = (self.rng.usize(..OUT), self.word());
                    self.store_own(j, value);
                }
                6 | 7 if depth < 4 => self.branch(depth),
                8 | 9 if depth < 3 => self.repeat(depth),
                10 => self.memory(),
                11 => self.call(),
                12 if self.may_leave() && self.rng.usize(..2) == 0 => self.leave(),
                12 if depth == 0 && !self.alone => self.leave_by_warps(),
                13..=15 => self.meet(),
                _ => self.assign(),
            }
        }
    }

    fn branch(&mut self, depth: usize) {
        // What a whole block decides alike keeps it together.
        let alike = self.together && self.rng.usize(..3) == 0;
        let c = if alike {
            let (a, limit) = (*self.rng.choice(&self.uniform).unwrap(), self.rng.usize(..6) as i32);
            self.b.cmp(CmpOp::Lt, Ty::I32, a, Val::i32(limit)).into()
        } else {
            self.condition()
        };
        let (yes, no, after) = (self.b.new_block(), self.b.new_block(), self.b.new_block());
        self.b.branch(c, yes, no);
        let before = std::mem::replace(&mut self.together, alike);
        for bb in [yes, no] {
            self.b.switch_to(bb);
            if bb == yes || self.rng.usize(..2) == 0 {
                self.block(depth + 1);
            }
            if self.rng.usize(..40) == 0 && !self.b.is_terminated() && self.alone {
                self.b.ret(Vec::new());
            }
            if !self.b.is_terminated() {
                self.b.jump(after);
            }
        }
        self.together = before;
        self.b.switch_to(after);
    }

    /// A loop with a variable of its own that counts the iterations.
    fn repeat(&mut self, depth: usize) {
        let k = self.b.mutable(Ty::I32);
        let together = self.rng.usize(..2) == 0;
        let limit = if together {
            Val::i32(self.rng.usize(..6) as i32)
        } else {
            let a = self.word();
            self.b.bin(BinOp::And, Ty::I32, a, Val::i32(7)).into()
        };
        self.b.set(k, Val::i32(0));
        let (head, body, latch, done) =
            (self.b.new_block(), self.b.new_block(), self.b.new_block(), self.b.new_block());
        self.b.jump(head);
        self.b.switch_to(head);
        let more = self.b.cmp(CmpOp::Lt, Ty::I32, k, limit);
        self.b.branch(more, body, done);
        self.b.switch_to(body);
        let before = self.together;
        self.together &= together;
        self.small.push(k);
        self.loops.push((latch, done, self.together));
        self.block(depth + 1);
        self.loops.pop();
        self.small.pop();
        self.together = before;
        if !self.b.is_terminated() {
            self.b.jump(latch);
        }
        self.b.switch_to(latch);
        let next = self.b.bin(BinOp::Add, Ty::I32, k, Val::i32(1));
        self.b.set(k, next);
        self.b.back_edge();
        self.b.jump(head);
        self.b.switch_to(done);
        if self.rng.usize(..3) == 0 {
            // What the counter holds behind the loop.
            let i = self.rng.usize(..3);
            self.b.set(self.words[i], k);
        }
    }

    /// Whether lanes may leave the innermost loop, or an iteration of it, apart.
    fn may_leave(&self) -> bool {
        self.loops.last().is_some_and(|&(.., together)| !together)
    }

    /// Whole warps end, but not the first: the others go on and meet at barriers without them.
    fn leave_by_warps(&mut self) {
        let warp = self.b.bin(BinOp::ShrU, Ty::I32, self.linear, Val::i32(5));
        let bound = Val::i32(1 + self.rng.usize(..3) as i32);
        let op = self.rng.choice([CmpOp::Eq, CmpOp::Ge]).unwrap();
        let condition = self.b.cmp(op, Ty::I32, warp, bound);
        let (end, go_on) = (self.b.new_block(), self.b.new_block());
        self.b.branch(condition, end, go_on);
        self.b.switch_to(end);
        let (j, value) = (self.rng.usize(..OUT), self.word());
        self.store_own(j, value);
        self.b.ret(Vec::new());
        self.b.switch_to(go_on);
        self.left = true;
    }

    /// CYCLE or EXIT of the innermost loop where a condition holds.
    fn leave(&mut self) {
        let Some(&(latch, done, _)) = self.loops.last() else { return };
        let c = self.condition();
        let go_on = self.b.new_block();
        let to = if self.rng.usize(..2) == 0 { latch } else { done };
        self.b.branch(c, to, go_on);
        self.b.switch_to(go_on);
    }
}

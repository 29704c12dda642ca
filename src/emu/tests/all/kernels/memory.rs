//! Memory of random kernels beside `in` and `out`: the thread's own, and that by which threads exchange values.

use super::{Gen, THREADS};
use ir::op::{AtomOp, BarOp, BinOp, CmpOp, CvtOp, ShflOp, VoteOp};
use ir::{Access, AddrBase, LocalSlot, Reg, Scope, SharedSize, SharedVar, Space, Ty, Val};
use source::Span;

impl Gen {
    /// Shared memory of the thread itself, or local memory, at a subscript that varies.
    pub(super) fn memory(&mut self) {
        let value = self.word();
        let i = self.rng.usize(..3);
        let a = *self.rng.choice(&self.small).unwrap();
        let index = self.b.bin(BinOp::And, Ty::I32, a, Val::i32(3));
        if self.rng.usize(..2) == 0 {
            let slot =
                LocalSlot { bytes: 32, align: 8, name: "l".into(), span: Span::NONE, inlined: ir::InlineId::NONE };
            let id = self.b.add_local(slot);
            let base = self.b.addr_local(id);
            let ty = self.rng.choice([Ty::I8, Ty::I16, Ty::I32, Ty::I64]).unwrap();
            let value = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, value);
            let value = self.b.bin(BinOp::Mul, Ty::I64, value, Val::i64(0x1_0000_0101));
            let value = if ty == Ty::I64 { value } else { self.b.cvt(CvtOp::Cast, Ty::I64, ty, value) };
            self.b.store(ty, Space::Local, Access::Plain, base, 0, value);
            let wide = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, index);
            let bytes = self.b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(i64::from(ty.bytes())));
            let at = self.b.bin(BinOp::Add, Ty::I64, base, bytes);
            self.b.store(Ty::I8, Space::Local, Access::Plain, at, 0, Val::i32(77));
            self.b.store(ty, Space::Local, Access::Plain, at, 0, value);
            let space = self.rng.choice([Space::Local, Space::Generic]).unwrap();
            let back = self.rng.choice([base, at]).unwrap();
            let v = self.b.load(ty, space, Access::Plain, back, 0);
            let v = if ty == Ty::I64 { v } else { self.b.cvt(CvtOp::Cast, ty, Ty::I64, v) };
            let high = self.b.bin(BinOp::ShrS, Ty::I64, v, Val::i64(32));
            let v = self.b.bin(BinOp::Xor, Ty::I64, v, high);
            let byte = self.b.load(Ty::I8, space, Access::Plain, at, 0);
            let byte = self.b.cvt(CvtOp::Cast, Ty::I8, Ty::I64, byte);
            let v = self.b.bin(BinOp::Add, Ty::I64, v, byte);
            let v = self.b.cvt(CvtOp::Cast, Ty::I64, Ty::I32, v);
            self.b.set(self.words[i], v);
        } else {
            // Rows of 16 bytes, or words side by side.
            let base = self.shared(4);
            let ty = self.rng.choice([Ty::I8, Ty::I16, Ty::I32]).unwrap();
            let step = self.rng.choice([16, ty.bytes() as i64]).unwrap();
            let wide = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, self.linear);
            let row = self.b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(step));
            let at = self.b.bin(BinOp::Add, Ty::I64, base, row);
            let value = if ty == Ty::I32 { value } else { self.b.cvt(CvtOp::Cast, Ty::I32, ty, value).into() };
            self.b.store(ty, Space::Shared, Access::Plain, at, 4, value);
            let v = self.b.load(ty, Space::Shared, Access::Plain, at, 4);
            let v = if ty == Ty::I32 { v } else { self.b.cvt(CvtOp::Cast, ty, Ty::I32, v) };
            self.b.set(self.words[i], v);
        }
    }

    /// The address of four words of shared memory of the thread itself.
    pub(super) fn shared_words(&mut self) -> Reg {
        let base = self.shared(4);
        let wide = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, self.linear);
        let row = self.b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(16));
        self.b.bin(BinOp::Add, Ty::I64, base, row)
    }

    /// A shared array of so many words for each thread.
    fn shared(&mut self, words: u64) -> Reg {
        let id = self.b.add_shared(SharedVar {
            name: "s".into(),
            size: SharedSize::Static(words * 4 * THREADS as u64),
            align: 4,
            element_bytes: 4,
            bounds: vec![(1, words as i64 * THREADS as i64)],
            span: Span::NONE,
        });
        self.b.addr(AddrBase::Shared(id))
    }

    /// Threads exchange something, where all of them are together.
    pub(super) fn meet(&mut self) {
        if self.alone || !self.together {
            return self.assign();
        }
        let i = self.rng.usize(..3);
        match self.rng.usize(..8) {
            0 => {
                let (value, lane) = (self.word(), self.lane_number());
                let op = *self.rng.choice(ShflOp::ALL).unwrap();
                let v = self.b.shuffle(op, Ty::I32, value, lane, Val::i32(self.rng.choice([1, 2, 8, 16, 32]).unwrap()));
                self.b.set(self.words[i], v);
            }
            1 => {
                let (value, lane) = (self.double(), self.lane_number());
                let op = *self.rng.choice(ShflOp::ALL).unwrap();
                let v = self.b.shuffle(op, Ty::F64, value, lane, Val::i32(self.rng.choice([4, 32]).unwrap()));
                self.b.set(self.doubles[i], v);
            }
            2 => {
                let c = self.condition();
                let v = self.b.vote(VoteOp::Ballot, Ty::Pred, None, c);
                self.b.set(self.words[i], v);
            }
            3 => {
                let (c, x, y) = (self.condition(), self.word(), self.word());
                let op = self.rng.choice([VoteOp::All, VoteOp::Any]).unwrap();
                let p = self.b.vote(op, Ty::Pred, None, c);
                let v = self.b.select(Ty::I32, p, x, y);
                self.b.set(self.words[i], v);
            }
            4 => {
                let value = self.word();
                let value = self.b.bin(BinOp::And, Ty::I32, value, Val::i32(self.rng.choice([0, 1, 6]).unwrap()));
                let op = self.rng.choice([VoteOp::MatchAny, VoteOp::MatchAll]).unwrap();
                let v = self.b.vote(op, Ty::I32, None, value);
                self.b.set(self.words[i], v);
            }
            // What others say is known only while all threads are there.
            5 if self.left => self.b.sync_threads(),
            5 => {
                let c = self.condition();
                if self.rng.usize(..2) == 0 {
                    let v = self.b.barrier(BarOp::Count, c);
                    return self.b.set(self.words[i], v);
                }
                let (x, y) = (self.word(), self.word());
                let p = self.b.barrier(self.rng.choice([BarOp::And, BarOp::Or]).unwrap(), c);
                let v = self.b.select(Ty::I32, p, x, y);
                self.b.set(self.words[i], v);
            }
            6 => {
                // A sum or a bound of the whole block, which no order of threads changes, begun at zero: what shared memory
                // holds before is anything on a GPU.
                let at = self.shared(1);
                let wide = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, self.linear);
                let bytes = self.b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(4));
                let own = self.b.bin(BinOp::Add, Ty::I64, at, bytes);
                self.b.store(Ty::I32, Space::Shared, Access::Plain, own, 0, Val::i32(0));
                self.b.sync_threads();
                let value = self.word();
                let op = self.rng.choice([AtomOp::Add, AtomOp::Max, AtomOp::Xor, AtomOp::Or]).unwrap();
                self.b.atomic(op, Ty::I32, Space::Shared, Scope::Block, at, value);
                self.b.sync_threads();
                let v = self.b.load(Ty::I32, Space::Shared, Access::Plain, at, 0);
                self.b.sync_threads();
                self.b.set(self.words[i], v);
            }
            _ => {
                let base = self.shared(1);
                let value = self.word();
                let wide = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, self.linear);
                let bytes = self.b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(4));
                let at = self.b.bin(BinOp::Add, Ty::I64, base, bytes);
                self.b.store(Ty::I32, Space::Shared, Access::Plain, at, 0, value);
                self.b.sync_threads();
                // Those of its own warp have not ended.
                let distances = if self.left { [1, 5, 16, 31] } else { [1, 5, 16, 33] };
                let other = self.b.bin(BinOp::Xor, Ty::I32, self.linear, Val::i32(self.rng.choice(distances).unwrap()));
                let exists = self.b.cmp(CmpOp::LtU, Ty::I32, other, self.threads);
                let other = self.b.select(Ty::I32, exists, other, self.linear);
                let wide = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, other);
                let bytes = self.b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(4));
                let at = self.b.bin(BinOp::Add, Ty::I64, base, bytes);
                let v = self.b.load(Ty::I32, Space::Shared, Access::Plain, at, 0);
                self.b.sync_threads();
                self.b.set(self.words[i], v);
            }
        }
    }

    /// A lane or a distance for a shuffle, now and then not the same for all.
    fn lane_number(&mut self) -> Val {
        if self.rng.usize(..3) == 0 { self.word() } else { Val::i32(self.rng.usize(..32) as i32) }
    }
}

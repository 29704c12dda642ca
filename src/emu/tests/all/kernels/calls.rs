//! Functions of random kernels, and their calls: dummy arguments by reference may lie in any memory.

use super::{Choices, Gen};
use ir::op::{BinOp, CmpOp, CvtOp};
use ir::{Access, FuncId, FuncKind, Function, FunctionBuilder, LocalSlot, Space, Ty, Val};
use source::Span;

/// Of two words, [`device_function`].
const COMPUTES: FuncId = FuncId(0);
/// Of the addresses of two arrays of four words, [`with_memory`].
const WITH_MEMORY: FuncId = FuncId(2);
/// Of the address of such an array, [`with_calls`].
const WITH_CALLS: FuncId = FuncId(3);

/// A function of two words whose lanes leave its loop in different iterations.
pub(super) fn device_function(seed: u64) -> Function {
    let mut rng = Choices::with_seed(seed);
    let mut b = FunctionBuilder::new("f", FuncKind::Device, Span::NONE);
    let (x, y) = (b.mutable_param(Ty::I32, "x"), b.param(Ty::I32, "y"));
    b.result(Ty::I32);
    let k = b.mutable(Ty::I32);
    let (head, body, done, small) = (b.new_block(), b.new_block(), b.new_block(), b.new_block());
    b.set(k, Val::i32(0));
    b.jump(head);
    b.switch_to(head);
    let limit = b.bin(BinOp::And, Ty::I32, y, Val::i32(3));
    let more = b.cmp(CmpOp::Lt, Ty::I32, k, limit);
    b.branch(more, body, done);
    b.switch_to(body);
    let op = rng.choice([BinOp::Add, BinOp::Mul, BinOp::Xor]).unwrap();
    let next = b.bin(op, Ty::I32, x, y);
    b.set(x, next);
    let next = b.bin(BinOp::Add, Ty::I32, k, Val::i32(1));
    b.set(k, next);
    b.back_edge();
    b.jump(head);
    b.switch_to(done);
    let odd = b.cmp(CmpOp::Gt, Ty::I32, x, Val::i32(0));
    let early = b.new_block();
    b.branch(odd, early, small);
    b.switch_to(early);
    b.ret(vec![x.into()]);
    b.switch_to(small);
    let r = b.bin(BinOp::Sub, Ty::I32, y, k);
    b.ret(vec![r.into()]);
    b.finish()
}

/// A function that reads an array of four words, changes another, which may be the same, and has one of its own.
pub(super) fn with_memory() -> Function {
    let mut b = FunctionBuilder::new("g", FuncKind::Device, Span::NONE);
    let (to, from) = (b.param(Ty::I64, "to"), b.param(Ty::I64, "from"));
    b.result(Ty::I32);
    let id = b.add_local(LocalSlot {
        bytes: 16,
        align: 4,
        name: "own".into(),
        span: Span::NONE,
        inlined: ir::InlineId::NONE,
    });
    let own = b.addr_local(id);
    let k = b.mutable(Ty::I32);
    let (head, done, early, late) = (b.new_block(), b.new_block(), b.new_block(), b.new_block());
    b.set(k, Val::i32(0));
    b.jump(head);
    b.switch_to(head);
    let wide = b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, k);
    let bytes = b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(4));
    let at = b.bin(BinOp::Add, Ty::I64, from, bytes);
    let word = b.load(Ty::I32, Space::Generic, Access::Plain, at, 0);
    let at = b.bin(BinOp::Add, Ty::I64, own, bytes);
    b.store(Ty::I32, Space::Local, Access::Plain, at, 0, word);
    let next = b.bin(BinOp::Add, Ty::I32, k, Val::i32(1));
    b.set(k, next);
    let more = b.cmp(CmpOp::Lt, Ty::I32, k, Val::i32(4));
    b.back_edge();
    b.branch(more, head, done);
    b.switch_to(done);
    // A subscript that differs by lane.
    let first = b.load(Ty::I32, Space::Local, Access::Plain, own, 0);
    let index = b.bin(BinOp::And, Ty::I32, first, Val::i32(3));
    let wide = b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, index);
    let bytes = b.bin(BinOp::Mul, Ty::I64, wide, Val::i64(4));
    let at = b.bin(BinOp::Add, Ty::I64, own, bytes);
    let word = b.load(Ty::I32, Space::Local, Access::Plain, at, 0);
    let changed = b.call(COMPUTES, vec![word, first].into_iter().map(Val::Reg).collect(), &[Ty::I32])[0];
    b.store(Ty::I32, Space::Generic, Access::Plain, to, 4, changed);
    let is_odd = b.bin(BinOp::And, Ty::I32, word, Val::i32(1));
    let is_odd = b.cmp(CmpOp::Ne, Ty::I32, is_odd, Val::i32(0));
    b.branch(is_odd, early, late);
    b.switch_to(early);
    b.ret(vec![changed.into()]);
    b.switch_to(late);
    b.store(Ty::I32, Space::Generic, Access::Plain, to, 12, word);
    let back = b.load(Ty::I32, Space::Generic, Access::Plain, from, 4);
    let sum = b.bin(BinOp::Add, Ty::I32, back, index);
    b.ret(vec![sum.into()]);
    b.finish()
}

/// A function that calls [`with_memory`] with memory of its own and of its caller.
pub(super) fn with_calls() -> Function {
    let mut b = FunctionBuilder::new("h", FuncKind::Device, Span::NONE);
    let from = b.param(Ty::I64, "from");
    b.result(Ty::I32);
    let id = b.add_local(LocalSlot {
        bytes: 16,
        align: 4,
        name: "mine".into(),
        span: Span::NONE,
        inlined: ir::InlineId::NONE,
    });
    let own = b.addr_local(id);
    for at in [0, 4, 8, 12] {
        let word = b.load(Ty::I32, Space::Generic, Access::Plain, from, at);
        b.store(Ty::I32, Space::Local, Access::Plain, own, at, word);
    }
    let first = b.call(WITH_MEMORY, vec![own.into(), from.into()], &[Ty::I32])[0];
    let second = b.call(WITH_MEMORY, vec![own.into(), own.into()], &[Ty::I32])[0];
    let last = b.load(Ty::I32, Space::Local, Access::Plain, own, 12);
    let sum = b.bin(BinOp::Xor, Ty::I32, first, second);
    let sum = b.bin(BinOp::Add, Ty::I32, sum, last);
    b.ret(vec![sum.into()]);
    b.finish()
}

impl Gen {
    /// Calls a function.
    pub(super) fn call(&mut self) {
        let i = self.rng.usize(..3);
        let v = match self.rng.usize(..3) {
            0 => {
                let (x, y) = (self.word(), self.word());
                self.b.call(COMPUTES, vec![x, y], &[Ty::I32])[0]
            }
            1 => {
                let (to, from) = (self.own_words(), self.some_words());
                self.b.call(WITH_MEMORY, vec![to, from], &[Ty::I32])[0]
            }
            _ => {
                let from = self.some_words();
                self.b.call(WITH_CALLS, vec![from], &[Ty::I32])[0]
            }
        };
        self.b.set(self.words[i], v);
    }

    /// The address of four words.
    fn some_words(&mut self) -> Val {
        if self.rng.usize(..3) == 0 {
            let (at, _) = self.address(4);
            return at;
        }
        self.own_words()
    }

    /// The address of four words of the thread's own that are set: of local, shared or global memory.
    fn own_words(&mut self) -> Val {
        let at = match self.rng.usize(..3) {
            0 if self.apart == 4 => self.b.bin(BinOp::Add, Ty::I64, self.own, Val::i64(8)),
            1 => self.shared_words(),
            _ => {
                let slot = LocalSlot {
                    bytes: 16,
                    align: 4,
                    name: "words".into(),
                    span: Span::NONE,
                    inlined: ir::InlineId::NONE,
                };
                let id = self.b.add_local(slot);
                self.b.addr_local(id)
            }
        };
        for offset in 0..4 {
            let value = self.word();
            self.b.store(Ty::I32, Space::Generic, Access::Plain, at, 4 * offset, value);
        }
        at.into()
    }
}

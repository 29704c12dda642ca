//! Barriers of a part of a block (PTX ISA 9.7.13.1): `bar` and `barrier` with a number, or with a number of threads.
//!
//! The IR's barrier is one of all threads. These are made of words in shared memory, which the first thread of the block sets to 0 when the
//! kernel begins: for each barrier how many threads have arrived, and how often it was complete. The last thread to arrive completes it,
//! the others wait until it has; fences order what they did before and do behind it.
//!
//! A warp counts as 32 threads, also where lanes of it are not there. Only where the instruction does not say that all lanes of a warp come
//! to it together (`barrier` without `.aligned`) threads are counted one by one.

use super::{Op, Reader, Result, unsupported};
use crate::syntax::{Instruction, Type, What};
use ir::op::{AtomOp, BinOp, CmpOp, Special, VoteOp};
use ir::{Access, Bb, Scope, SharedId, SharedSize, SharedVar, Space, Ty, Val};

/// How many barriers a block has.
const BARRIERS: u64 = 16;
/// Bytes of one: threads that have arrived, and how often it was complete.
const BYTES: u64 = 8;

impl<'a> Reader<'a> {
    /// Whether an instruction is a barrier that the IR does not have: of another number than 0, or of a number of threads.
    fn is_named(&self, instruction: &Instruction) -> bool {
        let parts = instruction.parts();
        let is_barrier = matches!(parts[0], "bar" | "barrier");
        if !is_barrier || parts.iter().any(|part| matches!(*part, "warp" | "cluster" | "red")) {
            return false;
        }
        let number = instruction.operands.first().and_then(|operand| self.known(operand));
        instruction.operands.len() > 1 || number != Some(0)
    }

    /// Makes the barriers of a kernel, if it has any.
    pub(super) fn begin_barriers(&mut self) {
        let body = self.body;
        let mut all = body.iter().filter_map(|statement| match &statement.what {
            What::Instruction(instruction) => Some(instruction),
            _ => None,
        });
        if !all.any(|instruction| self.is_named(instruction)) {
            return;
        }
        let span = self.b.span();
        let id = self.b.add_shared(SharedVar {
            name: "barriers".into(),
            size: SharedSize::Static(BARRIERS * BYTES),
            align: BYTES,
            element_bytes: 4,
            bounds: vec![(0, (BARRIERS * BYTES / 4) as i64)],
            span,
        });
        let [x, y, z] = [Special::TidX, Special::TidY, Special::TidZ].map(|s| self.b.special(s));
        let yz = self.b.bin(BinOp::Or, Ty::I32, y, z);
        let any = self.b.bin(BinOp::Or, Ty::I32, x, yz);
        let is_first = self.b.cmp(CmpOp::Eq, Ty::I32, any, Val::Imm(0));
        let (clears, goes_on) = (self.b.new_block(), self.b.new_block());
        self.b.branch(is_first, clears, goes_on);
        self.b.switch_to(clears);
        let base = self.b.addr_shared(id);
        for word in 0..BARRIERS * BYTES / 4 {
            self.b.store(Ty::I32, Space::Shared, Access::Plain, base, 4 * word as i64, Val::Imm(0));
        }
        self.b.jump(goes_on);
        self.b.switch_to(goes_on);
        self.b.sync_threads();
        self.barriers = Some(id);
    }

    /// Such a barrier; false if the instruction is another one.
    pub(super) fn named_barrier(&mut self, op: &Op<'a>) -> Result<bool> {
        if !self.is_named(op.instruction) {
            return Ok(false);
        }
        op.only(&["sync", "arrive", "cta", "aligned"])?;
        let waits = match (op.has("sync"), op.has("arrive")) {
            (true, false) => true,
            (false, true) => false,
            _ => return op.refused(),
        };
        op.count(if waits { 1 } else { 2 }, 2)?;
        let Some(id) = self.barriers else {
            return unsupported(format!("PTX barrier `{}` of a part of a block in a function", op.instruction.opcode));
        };
        let number = self.read(op.operand(0)?, Type::U32)?;
        let threads = match op.operands.get(1) {
            Some(threads) => self.read(threads, Type::U32)?,
            None => {
                let [x, y, z] = [Special::NtidX, Special::NtidY, Special::NtidZ].map(|s| self.b.special(s));
                let plane = self.b.bin(BinOp::Mul, Ty::I32, x, y);
                self.b.bin(BinOp::Mul, Ty::I32, plane, z).into()
            }
        };
        let is_together = op.instruction.stem() == "bar" || op.has("aligned");
        self.meet(id, number, threads, (waits, is_together));
        Ok(true)
    }

    /// A value in the first of the lanes that are there, and 0 in the others. All have come to here, and what they did is before what the
    /// first one does.
    fn by_first_lane(&mut self, value: Val) -> Val {
        let there: Val = self.b.vote(VoteOp::Ballot, Ty::Pred, None, Val::pred(true)).into();
        self.b.sync_warp(there);
        let lane = self.b.special(Special::LaneId);
        let bit: Val = self.b.bin(BinOp::Shl, Ty::I32, Val::i32(1), lane).into();
        let before = self.b.bin(BinOp::Sub, Ty::I32, bit, Val::i32(1));
        let earlier = self.b.bin(BinOp::And, Ty::I32, there, before);
        let is_first = self.b.cmp(CmpOp::Eq, Ty::I32, earlier, Val::Imm(0));
        self.b.select(Ty::I32, is_first, value, Val::i32(0)).into()
    }

    fn meet(&mut self, id: SharedId, number: Val, threads: Val, (waits, is_together): (bool, bool)) {
        let (space, scope) = (Space::Shared, Scope::Block);
        let base: Val = self.b.addr_shared(id).into();
        let number = self.extended(number, Ty::I32, Ty::I64, false);
        let offset = self.b.bin(BinOp::Mul, Ty::I64, number, Val::Imm(BYTES));
        let arrived: Val = self.b.bin(BinOp::Add, Ty::I64, base, offset).into();
        let completed = self.plus(arrived, 4);
        let before = self.b.atomic(AtomOp::Or, Ty::I32, space, scope, completed, Val::Imm(0));
        let count = if is_together { self.by_first_lane(Val::i32(32)) } else { Val::i32(1) };
        self.b.fence(scope);
        let others = self.b.atomic(AtomOp::Add, Ty::I32, space, scope, arrived, count);
        let all = self.b.bin(BinOp::Add, Ty::I32, others, count);
        let is_all = self.b.cmp(CmpOp::Eq, Ty::I32, all, threads);
        // Whoever adds nothing does not complete it.
        let adds = self.b.cmp(CmpOp::Ne, Ty::I32, count, Val::Imm(0));
        let is_last = self.b.bin(BinOp::And, Ty::Pred, is_all, adds);
        let (completes, head, again, end): (Bb, Bb, Bb, Bb) =
            (self.b.new_block(), self.b.new_block(), self.b.new_block(), self.b.new_block());
        self.b.branch(is_last, completes, if waits { head } else { end });
        self.b.switch_to(completes);
        self.b.fence(scope);
        self.b.atomic(AtomOp::Exch, Ty::I32, space, scope, arrived, Val::Imm(0));
        self.b.fence(scope);
        self.b.atomic(AtomOp::Add, Ty::I32, space, scope, completed, Val::Imm(1));
        self.b.jump(end);
        if waits {
            self.b.switch_to(head);
            let now = self.b.atomic(AtomOp::Or, Ty::I32, space, scope, completed, Val::Imm(0));
            let is_complete = self.b.cmp(CmpOp::Ne, Ty::I32, now, before);
            self.b.branch(is_complete, end, again);
            self.b.switch_to(again);
            self.b.back_edge();
            self.b.jump(head);
        }
        self.b.switch_to(end);
        self.b.fence(scope);
    }
}

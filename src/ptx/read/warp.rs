//! Barriers, fences, votes and shuffles (PTX ISA 9.7.13).
//!
//! A shuffle that names all lanes is the IR's, which knows segments of a power of two that end where their lanes end; for other
//! segments the lane that a value comes from is computed. A shuffle of some lanes is made of votes, one for each bit, because the IR's waits for
//! all lanes.

use super::{Op, Reader, Result, each_assigned, ir_type, unsupported};
use crate::syntax::{Kind, Number, Operand, Type};
use ir::op::{BarOp, BinOp, CmpOp, ShflOp, Special, VoteOp};
use ir::{Scope, Ty, Val};

impl<'a> Reader<'a> {
    /// The constant that an operand is, by itself or as the only value of its register.
    pub(super) fn known(&self, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Number(Number::Int(value)) => Some(*value),
            Operand::Name(name, 0) => {
                let definition = self.definitions.get(name).copied().flatten()?;
                let is_move = definition.opcode.starts_with("mov.") && definition.guard.is_none();
                match definition.operands.get(1)? {
                    Operand::Number(Number::Int(value)) if is_move => Some(*value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `membar` and `fence`
    pub(super) fn fence(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["cta", "gl", "gpu", "sys", "cluster", "sc", "acq_rel", "acquire", "release"])?;
        let scope = if op.has("gl") { Scope::Device } else { op.scope() };
        self.b.fence(scope);
        Ok(())
    }

    /// `bar` and `barrier`
    pub(super) fn barrier(&mut self, op: &Op<'a>) -> Result<()> {
        if self.named_barrier(op)? {
            return Ok(());
        }
        op.only(&["sync", "cta", "aligned", "red", "popc", "and", "or", "warp"])?;
        if op.has("warp") {
            let mask = self.read(op.operand(0)?, Type::B32)?;
            self.b.sync_warp(mask);
            return Ok(());
        }
        let first = usize::from(op.has("red"));
        let is_whole = op.operands.len() == first * 2 + 1 && self.known(op.operand(first)?) == Some(0);
        if !is_whole {
            return unsupported(format!("PTX barrier `{}` of a part of a block", op.instruction.opcode));
        }
        if !op.has("red") {
            if !op.has("sync") {
                return op.refused();
            }
            self.b.sync_threads();
            return Ok(());
        }
        let holds = self.read(op.operand(2)?, Type::PRED)?;
        let (operation, ty) = match () {
            () if op.has("popc") => (BarOp::Count, Type::U32),
            () if op.has("and") => (BarOp::And, Type::PRED),
            () => (BarOp::Or, Type::PRED),
        };
        let value = self.b.barrier(operation, holds);
        self.write(op.operand(0)?, ty, value.into())
    }

    /// `vote`, `match` and `activemask`
    pub(super) fn vote(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["sync", "all", "any", "uni", "ballot"])?;
        let target = op.operand(0)?;
        if op.parts[0] == "activemask" {
            let value = self.b.special(Special::ActiveMask);
            return self.write(target, Type::B32, value.into());
        }
        let mask = if op.has("sync") { Some(self.read(op.operand(2)?, Type::B32)?) } else { None };
        if op.parts[0] == "match" {
            let ty = op.ty()?;
            op.integer_of(ty, &[32, 64])?;
            let value = self.read(op.operand(1)?, ty)?;
            let operation = if op.has("any") { VoteOp::MatchAny } else { VoteOp::MatchAll };
            let found = self.b.vote(operation, ir_type(ty)?, mask, value);
            return match target {
                Operand::Pair(d, p) => {
                    self.write(d, Type::B32, found.into())?;
                    let holds = self.b.cmp(CmpOp::Ne, Ty::I32, found, Val::i32(0));
                    self.write(p, Type::PRED, holds.into())
                }
                d => self.write(d, Type::B32, found.into()),
            };
        }
        let holds = self.read(op.operand(1)?, Type::PRED)?;
        let vote = |this: &mut Self, operation| this.b.vote(operation, Ty::Pred, mask, holds);
        let (value, ty) = match () {
            () if op.has("ballot") => (vote(self, VoteOp::Ballot), Type::B32),
            () if op.has("all") => (vote(self, VoteOp::All), Type::PRED),
            () if op.has("any") => (vote(self, VoteOp::Any), Type::PRED),
            () => {
                let (all, any) = (vote(self, VoteOp::All), vote(self, VoteOp::Any));
                let none = self.not(Ty::Pred, any.into());
                (self.b.bin(BinOp::Or, Ty::Pred, all, none), Type::PRED)
            }
        };
        self.write(target, ty, value.into())
    }

    /// `shfl`: `d|p, a, b, c`, and the lanes that take part (PTX ISA 9.7.9.6)
    pub(super) fn shuffle(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["sync", "idx", "up", "down", "bfly"])?;
        op.count(4, 5)?;
        let Some(operation) = op.parts.iter().find_map(|part| ShflOp::from_mnemonic(part)) else { return op.refused() };
        let ty = op.ty()?;
        op.integer_of(ty, &[32])?;
        let (a, lane) = (self.read(op.operand(1)?, ty)?, self.read(op.operand(2)?, Type::B32)?);
        let control = self.read(op.operand(3)?, Type::B32)?;
        let (target, inside) = match op.operand(0)? {
            Operand::Pair(d, p) => (&**d, Some(&**p)),
            d => (d, None),
        };
        let is_all = !op.has("sync") || self.known(op.operand(4)?).is_some_and(|mask| mask as u32 == u32::MAX);
        let width =
            if is_all { self.known(op.operand(3)?).and_then(|control| plain_width(operation, control)) } else { None };
        let wants_place = inside.is_some_and(|p| self.is_read(p)) || width.is_none();
        let place = if wants_place { Some(self.source(operation, lane, control)) } else { None };
        let value: Val = if let Some(width) = width {
            self.b.shuffle(operation, Ty::I32, a, lane, Val::Imm(width)).into()
        } else {
            let (source, is_inside) = place.unwrap_or((Val::Imm(0), Val::Imm(0)));
            let own: Val = self.b.special(Special::LaneId).into();
            let source: Val = self.b.select(Ty::I32, is_inside, source, own).into();
            if is_all {
                self.b.shuffle(ShflOp::Idx, Ty::I32, a, source, Val::Imm(32)).into()
            } else {
                let mask = self.read(op.operand(4)?, Type::B32)?;
                self.exchanged(a, source, mask)
            }
        };
        self.write(target, ty, value)?;
        match (inside, place) {
            (Some(p), Some((_, is_inside))) => self.write(p, Type::PRED, is_inside),
            _ => Ok(()),
        }
    }

    /// Whether anything reads a register that is assigned once: compilers name a predicate that they have no use for.
    fn is_read(&self, operand: &Operand) -> bool {
        let Some(name) = operand.name() else { return false };
        let body = self.body;
        body.iter().any(|statement| match &statement.what {
            crate::syntax::What::Instruction(i) => {
                let mut assigned = 0;
                each_assigned(i, |n| assigned += usize::from(n == name));
                i.guard.as_ref().is_some_and(|(guard, _)| guard == name) || mentions(&i.operands, name) > assigned
            }
            _ => false,
        })
    }

    /// The lane that a value comes from, and whether it is in the segment.
    fn source(&mut self, operation: ShflOp, lane: Val, control: Val) -> (Val, Val) {
        let own: Val = self.b.special(Special::LaneId).into();
        let fixed = self.b.bin(BinOp::ShrU, Ty::I32, control, Val::Imm(8));
        let fixed: Val = self.b.bin(BinOp::And, Ty::I32, fixed, Val::Imm(31)).into();
        let lane: Val = self.b.bin(BinOp::And, Ty::I32, lane, Val::Imm(31)).into();
        let clamp = self.b.bin(BinOp::And, Ty::I32, control, Val::Imm(31));
        let open = self.not(Ty::I32, fixed);
        let start = self.b.bin(BinOp::And, Ty::I32, own, fixed);
        let top = self.b.bin(BinOp::And, Ty::I32, clamp, open);
        let most = self.b.bin(BinOp::Or, Ty::I32, start, top);
        let source: Val = match operation {
            ShflOp::Up => self.b.bin(BinOp::Sub, Ty::I32, own, lane).into(),
            ShflOp::Down => self.b.bin(BinOp::Add, Ty::I32, own, lane).into(),
            ShflOp::Xor => self.b.bin(BinOp::Xor, Ty::I32, own, lane).into(),
            ShflOp::Idx => {
                let low = self.b.bin(BinOp::And, Ty::I32, lane, open);
                self.b.bin(BinOp::Or, Ty::I32, start, low).into()
            }
        };
        let relation = if operation == ShflOp::Up { CmpOp::Ge } else { CmpOp::Le };
        (source, self.b.cmp(relation, Ty::I32, source, most).into())
    }

    /// The value that another lane of the mask has: a vote for each bit.
    fn exchanged(&mut self, a: Val, source: Val, mask: Val) -> Val {
        let mut out = Val::Imm(0);
        for bit in 0..32 {
            let one = self.b.bin(BinOp::And, Ty::I32, a, Val::Imm(1 << bit));
            let holds = self.b.cmp(CmpOp::Ne, Ty::I32, one, Val::Imm(0));
            let lanes = self.b.vote(VoteOp::Ballot, Ty::Pred, Some(mask), holds);
            let of_lane = self.b.bin(BinOp::ShrU, Ty::I32, lanes, source);
            let one = self.b.bin(BinOp::And, Ty::I32, of_lane, Val::Imm(1));
            let placed = self.b.bin(BinOp::Shl, Ty::I32, one, Val::Imm(bit));
            out = self.b.bin(BinOp::Or, Ty::I32, out, placed).into();
        }
        out
    }

    /// `redux.sync`: the lanes of the mask together (PTX ISA 9.7.13.10)
    pub(super) fn reduce(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["sync", "add", "min", "max", "and", "or", "xor"])?;
        op.count(3, 3)?;
        let ty = op.ty()?;
        op.integer_of(ty, &[32])?;
        let (a, mask) = (self.read(op.operand(1)?, ty)?, self.read(op.operand(2)?, Type::B32)?);
        let mut total: Val = a;
        let mut is_first: Val = Val::pred(true);
        for lane in 0..32 {
            let value = self.exchanged(a, Val::Imm(lane), mask);
            let sum: Val = match () {
                () if op.has("add") => self.b.bin(BinOp::Add, Ty::I32, total, value).into(),
                () if op.has("and") => self.b.bin(BinOp::And, Ty::I32, total, value).into(),
                () if op.has("or") => self.b.bin(BinOp::Or, Ty::I32, total, value).into(),
                () if op.has("xor") => self.b.bin(BinOp::Xor, Ty::I32, total, value).into(),
                () if ty.kind != Kind::Signed => self.lesser(op.has("min"), Ty::I32, total, value),
                () if op.has("min") => self.b.bin(BinOp::Min, Ty::I32, total, value).into(),
                () => self.b.bin(BinOp::Max, Ty::I32, total, value).into(),
            };
            let bit = self.b.bin(BinOp::And, Ty::I32, mask, Val::Imm(1 << lane));
            let is_there = self.b.cmp(CmpOp::Ne, Ty::I32, bit, Val::Imm(0));
            let next = self.b.select(Ty::I32, is_first, value, sum);
            total = self.b.select(Ty::I32, is_there, next, total).into();
            let still = self.not(Ty::Pred, is_there.into());
            is_first = self.b.bin(BinOp::And, Ty::Pred, is_first, still).into();
        }
        self.write(op.operand(0)?, ty, total)
    }
}

/// How many lanes the segments of a shuffle have whose clamp is at their end, by the operand that describes them.
fn plain_width(operation: ShflOp, control: u64) -> Option<u64> {
    let (fixed, clamp) = (control >> 8 & 31, control & 31);
    let (width, open) = (32 - fixed, !fixed & 31);
    let end = if operation == ShflOp::Up { 0 } else { open };
    (width.is_power_of_two() && clamp & open == end).then_some(width)
}

/// How often operands name something.
fn mentions(operands: &[Operand], name: &str) -> usize {
    operands
        .iter()
        .map(|operand| match operand {
            Operand::Name(n, _) | Operand::Not(n) => usize::from(&**n == name),
            Operand::Vector(all) | Operand::List(all) => mentions(all, name),
            Operand::Memory(base, _) => mentions(std::slice::from_ref(base), name),
            Operand::Pair(a, b) => mentions(std::slice::from_ref(a), name) + mentions(std::slice::from_ref(b), name),
            Operand::Number(_) => 0,
        })
        .sum()
}

//! Loops of one block whose iterations do not depend on each other, 4 to 32 of them at a time in vector registers.
//!
//! A loop is one of these if all its words have one size, side by side from iteration to iteration or the same for all, if what it
//! computes is used within the iteration, but for counters of any size, to which a constant is added, and if it ends by a counter.
//! Whether what it stores is what it loads in another iteration is asked when it begins. The last iteration is left to the block, which
//! then leaves the loop.
//!
//! NaNs that come out of an operation are the evaluator's business (see `reals`): where one does, the iterations that are at hand are
//! left to the block, before they have stored anything.

use super::emit::{Emitter, Late, PACKED, PACKED_WORDS, Progress, Result, SAVED, STATEMENTS, written};
use super::registers::{RAX, RCX};
use super::repeat::BASES;
use super::walks::{Step, Walk, step_of};
use super::{Block, Formula, Operand, Operation, Register, Terminator};
use crate::reals;
use crate::segment::Class;
use iced_x86::code_asm::{
    AsmRegisterYmm, CodeLabel, byte_ptr, eax, ecx, qword_ptr, r14, r15d, rax, rbp, rcx, rdx, rsp, word_ptr, xmm1, ymm0,
    ymm1, ymm2, ymm3, ymm4, ymm5, ymm6, ymm7, ymm8, ymm9, ymm10, ymm11, ymm12, ymm13, ymm14, ymm15, ymmword_ptr,
};
use ir::Ty;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use std::collections::BTreeMap;

/// Registers of the values of an iteration. `ymm0` collects what is a NaN; `ymm1` and `ymm2` are operands.
const VALUES: [AsmRegisterYmm; 13] =
    [ymm3, ymm4, ymm5, ymm6, ymm7, ymm8, ymm9, ymm10, ymm11, ymm12, ymm13, ymm14, ymm15];

/// Bytes of a vector register.
const BYTES: i32 = 32;

/// Places on the stack: the iterations that are sure, the bytes of a stored array that are done in vectors, and what is the same in
/// all iterations.
const SURE: i32 = PACKED;
const COUNT: i32 = PACKED + 8;
const INVARIANTS: i32 = PACKED + 16;

/// Fewer vectors are not worth the preparation.
const FEWEST: i32 = 3;

/// How the iterations of a block are packed.
pub(super) struct Packing {
    /// Bytes of a word.
    width: u32,
    /// The value of each operation, by its place in the block.
    values: BTreeMap<usize, AsmRegisterYmm>,
    /// The operands of each operation and each store.
    sources: BTreeMap<usize, Vec<Source>>,
    /// What is the same in all iterations, in the order of its places on the stack.
    invariants: Vec<Operand>,
    /// Registers that are counted, with their steps.
    counters: Vec<(Register, i64)>,
    /// What the loop goes on by: the comparison holds for the counter and the bound.
    test: (CmpOp, Ty, Register, Operand),
}

/// An operand.
#[derive(Clone, Copy)]
enum Source {
    Value(AsmRegisterYmm),
    /// The number of an invariant.
    Invariant(usize),
}

/// How the iterations of a block can be packed, if they can.
pub(super) fn packing(block: &Block, late: Option<Late>, walks: &[Walk]) -> Option<Packing> {
    let late = late?;
    let late_at = late.at;
    let Terminator::Branch { then_pc, .. } = block.end else { return None };
    let [Operand::Register(counter), bound] = late.operands else { return None };
    let op = if then_pc == block.pc { late.op } else { opposite(late.op)? };
    let (Step::Constant(step), _) = step_of(block, counter)? else { return None };
    let is_known = match step {
        1 => matches!(op, CmpOp::Lt | CmpOp::Le | CmpOp::Ne),
        -1 => matches!(op, CmpOp::Gt | CmpOp::Ge | CmpOp::Ne),
        _ => false,
    };
    if !is_known || !late.ty.is_int() {
        return None;
    }
    let mut of = Packing {
        width: 0,
        values: BTreeMap::new(),
        sources: BTreeMap::new(),
        invariants: Vec::new(),
        counters: Vec::new(),
        test: (op, late.ty, counter, bound),
    };
    let is_written = |r: Register| block.body.iter().any(|i| written(&i.operation) == Some(r));
    if matches!(bound, Operand::Register(bound) if is_written(bound)) {
        return None;
    }
    // What is computed and stored: the place of each operation and its operands.
    let mut packed: Vec<(usize, &[Operand])> = Vec::new();
    // Where each value is read last; stores come behind everything.
    let last = block.body.len();
    let mut last_use: BTreeMap<usize, usize> = BTreeMap::new();
    let mut current: BTreeMap<Register, usize> = BTreeMap::new();
    let mut has_stored = false;
    let mut accesses = walks.iter();
    for (at, instruction) in block.body.iter().enumerate() {
        let mut operands: &[Operand] = &[];
        let mut is_store = false;
        match &instruction.operation {
            Operation::Compute { .. } if at == late_at => continue,
            Operation::Compute { formula, result, operands: of_it } => {
                if let Some((Step::Constant(step), counted_at)) = step_of(block, *result)
                    && counted_at == at
                {
                    // The step is multiplied by the iterations as it stands in an instruction.
                    i32::try_from(step).ok()?;
                    of.counters.push((*result, step));
                    continue;
                }
                of.take_width(width_of(*formula, *result)?)?;
                let is_constant = |o: &Operand| matches!(o, Operand::Constant(_));
                let takes_truth = match formula {
                    Formula::Cmp(..) => false,
                    Formula::Cvt(CvtOp::PredToInt, ..) => true,
                    _ => result.class == Class::Pred,
                };
                if takes_truth && of_it.iter().any(is_constant) {
                    return None;
                }
                if *formula == Formula::Select && !matches!(of_it[0], Operand::Register(c) if current.contains_key(&c))
                {
                    return None;
                }
                operands = of_it;
            }
            Operation::Load { bytes, .. } => {
                let walk = accesses.next()?;
                of.take_width(Some(*bytes))?;
                let is_good = walk.step == Step::Constant(i64::from(*bytes)) || walk.step == Step::Constant(0);
                if has_stored || !is_good {
                    return None;
                }
            }
            Operation::Store { bytes, value, .. } => {
                let walk = accesses.next()?;
                of.take_width(Some(*bytes))?;
                if walk.step != Step::Constant(i64::from(*bytes)) {
                    return None;
                }
                (has_stored, is_store) = (true, true);
                operands = std::slice::from_ref(value);
            }
            Operation::Serve { .. } => return None,
            Operation::Statement | Operation::BackEdge => continue,
        }
        packed.push((at, operands));
        for operand in operands {
            if let Operand::Register(register) = operand {
                match current.get(register) {
                    Some(&from) => {
                        last_use.insert(
                            from,
                            if is_store { last } else { last_use.get(&from).copied().unwrap_or(0).max(at) },
                        );
                    }
                    // A register that is assigned in the loop and read before: the iterations depend on each other, or it is a counter.
                    None if is_written(*register) => return None,
                    None => {}
                }
            }
        }
        if let Some(result) = written(&instruction.operation) {
            if block.live_out.contains(&result) {
                return None;
            }
            current.insert(result, at);
        }
    }
    if !has_stored {
        return None;
    }
    of.assign(block, &packed, &last_use)?;
    Some(of)
}

impl Packing {
    /// Notes that words of so many bytes are computed; predicates have any size. `None` if others are.
    fn take_width(&mut self, width: Option<u32>) -> Option<()> {
        let Some(width) = width else { return Some(()) };
        if self.width != 0 && self.width != width {
            return None;
        }
        self.width = width;
        Some(())
    }

    /// Gives registers to the values.
    fn assign(
        &mut self,
        block: &Block,
        packed: &[(usize, &[Operand])],
        last_use: &BTreeMap<usize, usize>,
    ) -> Option<()> {
        let mut free: Vec<AsmRegisterYmm> = VALUES.into_iter().rev().collect();
        let mut current: BTreeMap<Register, usize> = BTreeMap::new();
        for &(at, operands) in packed {
            let mut sources = Vec::new();
            for operand in operands {
                let value = match operand {
                    Operand::Register(register) => {
                        current.get(register).and_then(|from| self.values.get(from)).copied()
                    }
                    Operand::Constant(_) => None,
                };
                sources.push(match value {
                    Some(value) => Source::Value(value),
                    None => Source::Invariant(self.invariant(*operand)?),
                });
            }
            self.sources.insert(at, sources);
            for (from, _) in last_use.iter().filter(|&(_, &used)| used == at) {
                free.extend(self.values.get(from));
            }
            if let Some(result) = written(&block.body[at].operation) {
                let value = free.pop()?;
                self.values.insert(at, value);
                current.insert(result, at);
                if !last_use.contains_key(&at) {
                    free.push(value);
                }
            }
        }
        Some(())
    }

    fn invariant(&mut self, operand: Operand) -> Option<usize> {
        let at = self.invariants.iter().position(|i| *i == operand).unwrap_or_else(|| {
            self.invariants.push(operand);
            self.invariants.len() - 1
        });
        (2 + (at + 1) * (BYTES as usize / 8) <= PACKED_WORDS).then_some(at)
    }
}

/// The comparison that holds where the other does not, of signed integers.
fn opposite(op: CmpOp) -> Option<CmpOp> {
    (!matches!(op, CmpOp::LtU | CmpOp::GeU)).then(|| op.inverse())
}

/// Bytes of the words of a formula that is known in packed form; the inner `None` if they may have any size.
#[allow(clippy::option_option)] // Not known, any, or so many.
fn width_of(formula: Formula, result: Register) -> Option<Option<u32>> {
    let of = |ty: Ty| match ty {
        Ty::Pred => None,
        ty => Some(Some(ty.bytes())),
    };
    match formula {
        // A word is whatever it is loaded as, or stored.
        Formula::Move | Formula::Select => Some((result.class == Class::Long).then_some(8)),
        Formula::Un(UnOp::Not, Ty::Pred) | Formula::Bin(BinOp::And | BinOp::Or | BinOp::Xor, Ty::Pred) => Some(None),
        Formula::Un(UnOp::Sqrt | UnOp::Neg | UnOp::Abs, ty) if ty.is_real() => of(ty),
        Formula::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, ty) if ty.is_real() => of(ty),
        Formula::Bin(BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or | BinOp::Xor, ty) if ty.is_int() => of(ty),
        Formula::Bin(BinOp::Mul, ty @ (Ty::I16 | Ty::I32)) => of(ty),
        Formula::Tri(TriOp::Fma, ty) => of(ty),
        Formula::Cmp(CmpOp::LtU | CmpOp::GeU, _) => None,
        Formula::Cmp(_, ty) => of(ty),
        Formula::Cvt(CvtOp::Bits, from, to) if from.bytes() == to.bytes() => of(to),
        Formula::Cvt(CvtOp::PredToInt, _, to) => of(to),
        Formula::Cvt(CvtOp::IntToPred, from @ (Ty::I8 | Ty::I16 | Ty::I32), _) => of(from),
        _ => None,
    }
}

impl Emitter<'_> {
    /// Runs iterations in vector registers: of those that are sure, whose number is in `edx`, as many as the loop surely has and one
    /// less. Goes on with the block if there were any, else falls through; then `edx` is as it was.
    pub(super) fn packed(&mut self, block: &Block, total: Progress, walks: &[Walk], of: &Packing) -> Result {
        let mut none = self.a.create_label();
        let lanes = BYTES / of.width as i32;
        self.a.mov(qword_ptr(rsp + SURE), rdx)?;
        self.rounds(of, none)?;
        // `rax` iterations behind which the loop goes on.
        self.a.cmp(rax, rdx)?;
        self.a.cmova(rax, rdx)?;
        self.a.and(rax, -lanes)?;
        self.a.cmp(rax, FEWEST * lanes)?;
        self.a.jb(none)?;
        self.a.imul_3(rax, rax, of.width as i32)?;
        self.a.mov(qword_ptr(rsp + COUNT), rax)?;
        self.check_overlap(block, walks, of, none)?;
        self.prepare_invariants(of)?;
        let used = self.homes.vectors();
        for &(i, xmm) in &used {
            self.a.vmovsd(qword_ptr(rsp + (SAVED + 8 * i as i32)), xmm)?;
        }
        self.a.xor(rdx, rdx)?;
        let (mut top, mut done) = (self.a.create_label(), self.a.create_label());
        self.a.set_label(&mut top)?;
        self.a.vxorps(ymm0, ymm0, ymm0)?;
        self.packed_iteration(block, walks, of, done)?;
        self.a.add(rdx, BYTES)?;
        self.a.cmp(rdx, qword_ptr(rsp + COUNT))?;
        self.a.jb(top)?;
        self.a.set_label(&mut done)?;
        self.a.vzeroupper()?;
        for (i, xmm) in used {
            self.a.vmovsd(xmm, qword_ptr(rsp + (SAVED + 8 * i as i32)))?;
        }
        self.a.mov(rax, rdx)?;
        self.a.mov(rdx, qword_ptr(rsp + SURE))?;
        self.a.shr(rax, of.width.trailing_zeros())?;
        self.a.test(rax, rax)?;
        self.a.je(none)?;
        for &(register, step) in &of.counters {
            let own = self.read(Operand::Register(register), RCX)?;
            if own != RCX {
                self.a.mov(rcx, own.q)?;
            }
            self.a.imul_3(rdx, rax, step as i32)?;
            if register.class == Class::Long {
                self.a.add(rcx, rdx)?;
            } else {
                self.a.add(ecx, iced_x86::code_asm::edx)?;
            }
            self.write(register, RCX)?;
        }
        self.a.imul_3(rcx, rax, total.points as i32)?;
        self.a.sub(r14, rcx)?;
        if total.statements > 0 {
            self.a.imul_3(rcx, rax, total.statements as i32)?;
            self.a.add(qword_ptr(rsp + STATEMENTS), rcx)?;
        }
        self.a.imul_3(rcx, rax, total.stores as i32)?;
        self.a.add(rbp, rcx)?;
        self.a.mov(r15d, total.loads)?;
        let again = self.target(block.pc);
        self.a.jmp(again)?;
        self.a.set_label(&mut none)?;
        self.a.mov(rdx, qword_ptr(rsp + SURE))?;
        Ok(())
    }

    /// Puts into `rax` the iterations behind which the loop surely goes on.
    fn rounds(&mut self, of: &Packing, none: CodeLabel) -> Result {
        let (op, ty, counter, bound) = of.test;
        let step = of.counters.iter().find(|c| c.0 == counter).map_or(1, |c| c.1);
        let (up, down) = (Operand::Register(counter), bound);
        // Going up, the bound less the counter; going down, the reverse.
        let (from, to) = if step > 0 { (up, down) } else { (down, up) };
        self.read_into(to, RAX)?;
        self.read_into(from, RCX)?;
        if ty == Ty::I32 {
            self.a.movsxd(rax, eax)?;
            self.a.movsxd(rcx, ecx)?;
        }
        self.a.sub(rax, rcx)?;
        self.a.jo(none)?;
        if matches!(op, CmpOp::Lt | CmpOp::Gt | CmpOp::Ne) {
            self.a.sub(rax, 1)?;
        }
        self.a.js(none)?;
        Ok(())
    }

    /// Goes to `none` if a word that one iteration stores is one that another of the same vector loads or stores.
    fn check_overlap(&mut self, block: &Block, walks: &[Walk], of: &Packing, none: CodeLabel) -> Result {
        let is_store = |walk: &Walk| matches!(block.body[walk.at].operation, Operation::Store { .. });
        let base = |i: usize| qword_ptr(rsp + (BASES + 8 * i as i32));
        for (i, _) in walks.iter().enumerate().filter(|(_, walk)| is_store(walk)) {
            for (k, other) in walks.iter().enumerate() {
                if k == i || is_store(other) && k > i {
                    continue;
                }
                self.a.mov(rax, base(k))?;
                self.a.sub(rax, base(i))?;
                if other.step == Step::Constant(0) {
                    // A word that all iterations load lies outside of what is stored.
                    self.a.add(rax, of.width as i32 - 1)?;
                    self.a.mov(rcx, qword_ptr(rsp + COUNT))?;
                    self.a.add(rcx, of.width as i32 - 1)?;
                    self.a.cmp(rax, rcx)?;
                    self.a.jb(none)?;
                } else if is_store(other) {
                    let mut same = self.a.create_label();
                    self.a.test(rax, rax)?;
                    self.a.je(same)?;
                    self.a.add(rax, BYTES - 1)?;
                    self.a.cmp(rax, 2 * BYTES - 2)?;
                    self.a.jbe(none)?;
                    self.a.set_label(&mut same)?;
                    self.a.nop()?;
                } else {
                    // What is loaded may be stored later, or by a vector before.
                    self.a.add(rax, BYTES - 1)?;
                    self.a.cmp(rax, BYTES - 2)?;
                    self.a.jbe(none)?;
                }
            }
        }
        Ok(())
    }

    /// Puts what is the same in all iterations into vectors on the stack.
    fn prepare_invariants(&mut self, of: &Packing) -> Result {
        for (i, &operand) in of.invariants.iter().enumerate() {
            self.read_into(operand, RAX)?;
            let is_predicate = matches!(operand, Operand::Register(Register { class: Class::Pred, .. }));
            if is_predicate {
                self.a.neg(rax)?;
            }
            self.a.vmovq(xmm1, rax)?;
            match of.width {
                _ if is_predicate => self.a.vpbroadcastq(ymm1, xmm1)?,
                1 => self.a.vpbroadcastb(ymm1, xmm1)?,
                2 => self.a.vpbroadcastw(ymm1, xmm1)?,
                4 => self.a.vpbroadcastd(ymm1, xmm1)?,
                _ => self.a.vpbroadcastq(ymm1, xmm1)?,
            }
            self.a.vmovups(ymmword_ptr(rsp + (INVARIANTS + BYTES * i as i32)), ymm1)?;
        }
        Ok(())
    }

    fn packed_source(&mut self, source: Source, scratch: AsmRegisterYmm) -> Result<AsmRegisterYmm> {
        match source {
            Source::Value(value) => Ok(value),
            Source::Invariant(i) => {
                self.a.vmovups(scratch, ymmword_ptr(rsp + (INVARIANTS + BYTES * i as i32)))?;
                Ok(scratch)
            }
        }
    }

    /// One vector of iterations, `rdx` bytes behind the first; goes to `done` before anything is stored if a NaN comes out.
    fn packed_iteration(&mut self, block: &Block, walks: &[Walk], of: &Packing, done: CodeLabel) -> Result {
        let base = |at: usize| {
            let i = walks.iter().position(|walk| walk.at == at).unwrap_or(0);
            (qword_ptr(rsp + (BASES + 8 * i as i32)), walks[i].step)
        };
        let mut may_be_nan = false;
        for (at, instruction) in block.body.iter().enumerate() {
            let Some(&value) = of.values.get(&at) else { continue };
            match &instruction.operation {
                Operation::Load { .. } => {
                    let (place, step) = base(at);
                    self.a.mov(rax, place)?;
                    match (step, of.width) {
                        (Step::Constant(0), 1) => self.a.vpbroadcastb(value, byte_ptr(rax))?,
                        (Step::Constant(0), 2) => self.a.vpbroadcastw(value, word_ptr(rax))?,
                        (Step::Constant(0), 8) => self.a.vbroadcastsd(value, qword_ptr(rax))?,
                        (Step::Constant(0), _) => self.a.vbroadcastss(value, iced_x86::code_asm::dword_ptr(rax))?,
                        _ => self.a.vmovups(value, ymmword_ptr(rax + rdx))?,
                    }
                }
                Operation::Compute { formula, .. } => {
                    may_be_nan |= self.packed_formula(*formula, value, &of.sources[&at])?;
                }
                Operation::Store { .. } | Operation::Serve { .. } | Operation::Statement | Operation::BackEdge => {}
            }
        }
        if may_be_nan {
            self.a.vptest(ymm0, ymm0)?;
            self.a.jne(done)?;
        }
        for (at, instruction) in block.body.iter().enumerate() {
            if let Operation::Store { .. } = instruction.operation {
                let from = self.packed_source(of.sources[&at][0], ymm1)?;
                let (place, _) = base(at);
                self.a.mov(rax, place)?;
                self.a.vmovups(ymmword_ptr(rax + rdx), from)?;
            }
        }
        Ok(())
    }

    /// Computes a value; gives whether a NaN of it was noted.
    fn packed_formula(&mut self, formula: Formula, d: AsmRegisterYmm, sources: &[Source]) -> Result<bool> {
        // Predicates have all bits of a word set or none.
        if let (Formula::Select, &[Source::Value(c), x, y]) = (formula, sources) {
            let y = self.packed_source(y, ymm1)?;
            let x = self.packed_source(x, ymm2)?;
            self.a.vpblendvb(d, y, x, c)?;
            return Ok(false);
        }
        let x = self.packed_source(sources[0], ymm1)?;
        let y = match sources.get(1) {
            Some(&y) => self.packed_source(y, ymm2)?,
            None => x,
        };
        macro_rules! sized {
            ($ty:expr, $wide:ident | $narrow:ident, $($operand:expr),+) => {
                if $ty.bytes() == 8 { self.a.$wide($($operand),+)? } else { self.a.$narrow($($operand),+)? }
            };
        }
        let checked = match formula {
            Formula::Un(UnOp::Sqrt, ty) => {
                sized!(ty, vsqrtpd | vsqrtps, d, x);
                Some(ty)
            }
            Formula::Un(op @ (UnOp::Neg | UnOp::Abs), ty) => {
                let sign = if ty == Ty::F64 { 1u64 << 63 } else { 1 << 31 };
                self.a.mov(rax, if op == UnOp::Neg { sign } else { sign - 1 })?;
                self.a.vmovq(iced_x86::code_asm::xmm2, rax)?;
                sized!(ty, vpbroadcastq | vpbroadcastd, ymm2, iced_x86::code_asm::xmm2);
                if op == UnOp::Neg {
                    self.a.vxorps(d, x, ymm2)?;
                } else {
                    self.a.vandps(d, x, ymm2)?;
                }
                (ty == Ty::F32).then_some(ty)
            }
            Formula::Un(..) => {
                self.a.vpcmpeqd(ymm2, ymm2, ymm2)?;
                self.a.vxorps(d, x, ymm2)?;
                None
            }
            Formula::Bin(op, ty) if ty.is_real() => {
                match op {
                    BinOp::Add => sized!(ty, vaddpd | vaddps, d, x, y),
                    BinOp::Sub => sized!(ty, vsubpd | vsubps, d, x, y),
                    BinOp::Mul => sized!(ty, vmulpd | vmulps, d, x, y),
                    _ => sized!(ty, vdivpd | vdivps, d, x, y),
                }
                Some(ty)
            }
            Formula::Bin(op, ty) => {
                match (op, ty) {
                    (BinOp::Add, Ty::I8) => self.a.vpaddb(d, x, y)?,
                    (BinOp::Add, Ty::I16) => self.a.vpaddw(d, x, y)?,
                    (BinOp::Sub, Ty::I8) => self.a.vpsubb(d, x, y)?,
                    (BinOp::Sub, Ty::I16) => self.a.vpsubw(d, x, y)?,
                    (BinOp::Mul, Ty::I16) => self.a.vpmullw(d, x, y)?,
                    (BinOp::Add, _) => sized!(ty, vpaddq | vpaddd, d, x, y),
                    (BinOp::Sub, _) => sized!(ty, vpsubq | vpsubd, d, x, y),
                    (BinOp::Mul, _) => self.a.vpmulld(d, x, y)?,
                    (BinOp::And, _) => self.a.vandps(d, x, y)?,
                    (BinOp::Or, _) => self.a.vorps(d, x, y)?,
                    _ => self.a.vxorps(d, x, y)?,
                }
                None
            }
            Formula::Cvt(CvtOp::IntToPred, from, _) => {
                // Ones, and the lowest bits.
                self.a.vpcmpeqd(ymm2, ymm2, ymm2)?;
                match from {
                    Ty::I8 => self.a.vpabsb(ymm2, ymm2)?,
                    Ty::I16 => self.a.vpabsw(ymm2, ymm2)?,
                    _ => self.a.vpabsd(ymm2, ymm2)?,
                }
                self.a.vpand(d, x, ymm2)?;
                self.packed_comparison(CmpOp::Eq, from, d, d, ymm2)?;
                None
            }
            Formula::Tri(_, ty) => {
                // `x` becomes the result; the third operand takes its place.
                self.a.vmovaps(ymm1, x)?;
                if matches!(sources[2], Source::Value(z) if z == d) {
                    sized!(ty, vfmadd231pd | vfmadd231ps, d, ymm1, y);
                } else if matches!(sources[2], Source::Value(_)) {
                    let z = self.packed_source(sources[2], d)?;
                    sized!(ty, vfmadd213pd | vfmadd213ps, ymm1, y, z);
                    self.a.vmovaps(d, ymm1)?;
                } else if let Source::Invariant(i) = sources[2] {
                    sized!(ty, vfmadd213pd | vfmadd213ps, ymm1, y, ymmword_ptr(rsp + (INVARIANTS + BYTES * i as i32)));
                    self.a.vmovaps(d, ymm1)?;
                }
                Some(ty)
            }
            Formula::Cmp(op, ty) => {
                self.packed_comparison(op, ty, d, x, y)?;
                None
            }
            _ => {
                self.a.vmovaps(d, x)?;
                None
            }
        };
        if let Some(ty) = checked {
            sized!(ty, vcmppd | vcmpps, ymm1, d, d, 3);
            self.a.vorps(ymm0, ymm0, ymm1)?;
        }
        Ok(checked.is_some())
    }

    fn packed_comparison(
        &mut self,
        op: CmpOp,
        ty: Ty,
        d: AsmRegisterYmm,
        x: AsmRegisterYmm,
        y: AsmRegisterYmm,
    ) -> Result {
        macro_rules! sized {
            ($wide:ident | $narrow:ident, $($operand:expr),+) => {
                if ty.bytes() == 8 { self.a.$wide($($operand),+)? } else { self.a.$narrow($($operand),+)? }
            };
        }
        if ty.is_real() {
            sized!(vcmppd | vcmpps, d, x, y, reals::predicate(op));
            return Ok(());
        }
        let (x, y) = if matches!(op, CmpOp::Lt | CmpOp::Ge) { (y, x) } else { (x, y) };
        match (matches!(op, CmpOp::Eq | CmpOp::Ne), ty) {
            (true, Ty::I8) => self.a.vpcmpeqb(d, x, y)?,
            (true, Ty::I16) => self.a.vpcmpeqw(d, x, y)?,
            (true, _) => sized!(vpcmpeqq | vpcmpeqd, d, x, y),
            (false, Ty::I8) => self.a.vpcmpgtb(d, x, y)?,
            (false, Ty::I16) => self.a.vpcmpgtw(d, x, y)?,
            (false, _) => sized!(vpcmpgtq | vpcmpgtd, d, x, y),
        }
        if matches!(op, CmpOp::Ne | CmpOp::Le | CmpOp::Ge) {
            self.a.vpcmpeqd(ymm1, ymm1, ymm1)?;
            self.a.vxorps(d, d, ymm1)?;
        }
        Ok(())
    }
}

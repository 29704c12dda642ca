//! How the addresses of a loop of one block grow from one iteration to the next.
//!
//! Not here: how such a loop is run (`repeat`, `packed`).

use super::emit::{REPEAT_WORDS, written};
use super::{Address, Block, Formula, Instruction, Operand, Operation, Register, Terminator};
use crate::segment::Class;
use ir::Ty;
use ir::op::BinOp;

/// A step is smaller than this, in bytes.
pub(super) const LARGEST_STEP: i64 = 1 << 24;

/// Accesses at most: the stack has a place for each, behind six others.
const MOST_ACCESSES: usize = REPEAT_WORDS - 6;

/// An access of the loop.
pub(super) struct Walk {
    /// The place of its instruction in the block.
    pub(super) at: usize,
    /// How far the address is at the access from what its registers say when the iteration begins.
    pub(super) ahead: i64,
    /// How far it is from one iteration to the next.
    pub(super) step: Step,
}

/// How much an address, or a register, grows by in an iteration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Step {
    /// A constant.
    Constant(i64),
    /// A register that the loop does not change, as a signed number, times a constant. The loop is repeated if that is positive.
    Register(Register, i64),
}

/// A word of 32 bits in an address, which must not wrap, and its step.
#[derive(PartialEq)]
pub(super) struct Narrow {
    pub(super) register: Register,
    pub(super) step: Step,
}

/// The address of a load or store.
pub(super) fn address_of(operation: &Operation) -> &Address {
    static NONE: Address = Address { base: 0, is_local: false, terms: Vec::new() };
    match operation {
        Operation::Load { address, .. } | Operation::Store { address, .. } => address,
        Operation::Compute { .. } | Operation::Serve { .. } | Operation::Statement | Operation::BackEdge => &NONE,
    }
}

/// The accesses of a block that is a loop of its own whose addresses grow by constants, and the words of 32 bits that must not wrap.
pub(super) fn walks(block: &Block) -> Option<(Vec<Walk>, Vec<Narrow>)> {
    let Terminator::Branch { then_pc, else_pc, .. } = block.end else { return None };
    if (then_pc == block.pc) == (else_pc == block.pc) {
        return None;
    }
    // Polls are asked once for all iterations, as they are at a back edge that comes last.
    let is_back_edge = |i: &Instruction| matches!(i.operation, Operation::BackEdge);
    if block.body.iter().rev().skip(1).any(is_back_edge) {
        return None;
    }
    if block.body.iter().any(|i| matches!(i.operation, Operation::Serve { .. })) {
        return None;
    }
    let (mut walks, mut narrow): (Vec<Walk>, Vec<Narrow>) = (Vec::new(), Vec::new());
    for (at, instruction) in block.body.iter().enumerate() {
        if !matches!(instruction.operation, Operation::Load { .. } | Operation::Store { .. }) {
            continue;
        }
        let mut walk = Walk { at, ahead: 0, step: Step::Constant(0) };
        for term in &address_of(&instruction.operation).terms {
            let (step, counted_at) = step_of(block, term.register)?;
            if step == Step::Constant(0) {
                continue;
            }
            if term.register.class == Class::Word {
                let of = Narrow { register: term.register, step };
                if !narrow.contains(&of) {
                    narrow.push(of);
                }
            }
            walk.step = match (step, walk.step) {
                (Step::Constant(step), Step::Constant(sum)) => {
                    let bytes = step.checked_mul(term.factor)?;
                    if counted_at < at {
                        walk.ahead = walk.ahead.checked_add(bytes)?;
                    }
                    Step::Constant(sum.checked_add(bytes)?)
                }
                // One register alone, counted behind the access.
                (Step::Register(register, factor), Step::Constant(0)) if counted_at > at && walk.ahead == 0 => {
                    Step::Register(register, factor.checked_mul(term.factor)?)
                }
                _ => return None,
            };
        }
        if !is_small(walk.step) || walk.ahead.abs() > LARGEST_STEP {
            return None;
        }
        walks.push(walk);
    }
    // There are two registers that are always free.
    let is_good = walks.len() <= MOST_ACCESSES && steps(&walks).len() <= 2 && narrow.iter().all(|n| is_small(n.step));
    is_good.then_some((walks, narrow))
}

/// Whether a step, or its factor, is small enough.
fn is_small(step: Step) -> bool {
    match step {
        Step::Constant(step) | Step::Register(_, step) => step.abs() < LARGEST_STEP,
    }
}

/// The steps of addresses that grow.
pub(super) fn steps(walks: &[Walk]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for walk in walks {
        if walk.step != Step::Constant(0) && !out.contains(&walk.step) {
            out.push(walk.step);
        }
    }
    out
}

/// By how much a register grows in an iteration of a block, and the place of the operation that counts it; `None` if it is neither by a
/// constant nor by a register that stays.
pub(super) fn step_of(block: &Block, register: Register) -> Option<(Step, usize)> {
    let writes = |of: Register| block.body.iter().enumerate().filter(move |(_, i)| written(&i.operation) == Some(of));
    let mut own_writes = writes(register);
    let Some((at, instruction)) = own_writes.next() else { return Some((Step::Constant(0), usize::MAX)) };
    let Operation::Compute { formula: Formula::Bin(op, ty), operands, .. } = &instruction.operation else {
        return None;
    };
    let (Operand::Register(own), by) = (*operands.first()?, *operands.get(1)?) else { return None };
    if own_writes.next().is_some() || own != register {
        return None;
    }
    let step = match (by, ty) {
        (Operand::Constant(bits), Ty::I32) => Step::Constant(i64::from(bits as u32 as i32)),
        (Operand::Constant(bits), Ty::I64) => Step::Constant(bits as i64),
        (Operand::Register(by), Ty::I32 | Ty::I64) if writes(by).next().is_none() => Step::Register(by, 1),
        _ => return None,
    };
    match (op, step) {
        (BinOp::Add, step) => Some((step, at)),
        (BinOp::Sub, Step::Constant(step)) => Some((Step::Constant(step.checked_neg()?), at)),
        _ => None,
    }
}

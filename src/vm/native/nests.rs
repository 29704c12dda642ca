//! From operations of host code to loop nests of `jit::host`.
//!
//! A block of the IR that lies in a loop, or any where the whole function is compiled, becomes one block or several: what is left to the
//! interpreter (calls, most services, launches and whatever else can stop the host) ends one, and the next begins behind it.

use super::liveness::{Liveness, each_successor};
use super::translate::{class_of, constants};
use crate::code::{AddressExpr, Code, FileSlot, HostBlock, MemOp, Op, RegFile, Slot, Variant, form};
use crate::warp::MOST_SERVED;
use ir::rt::Rt;
use ir::{Access, Space, Ty};
use jit::Class;
use jit::host::{
    Address, Block, Formula, HostRoutine, HostTerm, Instruction, Nest, Operand, Operation, Register, Terminator,
};
use std::collections::{BTreeMap, BTreeSet};

/// Operations behind an entry, up to where the code is left for sure, that are worth it to enter the code.
const WORTH: usize = 16;

/// A routine, and the operations that are loads and stores.
pub(super) struct Translation {
    pub(super) routine: HostRoutine,
    /// The blocks at which it is worth it to enter the code.
    pub(super) entries: BTreeSet<u32>,
    pub(super) accesses: Vec<u32>,
}

/// Translates the loops of a function, or all of it. What is in no loop is a nest of its own then.
pub(super) fn translate(code: &Code, is_whole: bool) -> Option<Translation> {
    let variant = code.variants.first()?;
    let mut of = Translator {
        code,
        variant,
        live: Liveness::new(code, variant, &code.ops),
        constants: constants(code),
        accesses: Vec::new(),
    };
    let mut nests: BTreeMap<Option<u32>, Nest> = BTreeMap::new();
    for block in code.host_blocks.iter().filter(|block| is_whole || block.nest.is_some()) {
        of.block(block, &mut nests.entry(block.nest).or_default().blocks);
    }
    let mut nests: Vec<Nest> = nests.into_values().collect();
    // Blocks of which one is left to the interpreter at once are none.
    nests.retain(|nest| !nest.blocks.is_empty());
    let goes_on = |pc: u32| is_whole && matches!(code.ops.get(pc as usize), Some(Op::Call(_) | Op::Return(_)));
    let entries = nests.iter().flat_map(|nest| entries(nest, goes_on)).collect();
    let routine = HostRoutine { nests, poll_quantum: crate::POLL_QUANTUM, first_site: 0 };
    Some(Translation { routine, entries, accesses: of.accesses })
}

/// The blocks of a nest that are no short way to an operation that is left to the interpreter, as those between two calls of the run
/// time are. `goes_on` says at which operations behind the code it is gone on with other code.
fn entries(nest: &Nest, goes_on: impl Fn(u32) -> bool) -> impl Iterator<Item = u32> {
    let by_pc: BTreeMap<u32, &Block> = nest.blocks.iter().map(|block| (block.pc, block)).collect();
    let is_worth_it = move |block: &Block| {
        let mut operations = block.body.len();
        let mut end = &block.end;
        while operations < WORTH {
            let Terminator::Jump(to) = end else { return true };
            let Some(next) = by_pc.get(to) else { return goes_on(*to) };
            operations += next.body.len() + 1;
            end = &next.end;
        }
        true
    };
    nest.blocks.iter().filter(move |block| is_worth_it(block)).map(|block| block.pc)
}

struct Translator<'a> {
    code: &'a Code,
    variant: &'a Variant,
    live: Liveness<'a>,
    constants: BTreeMap<FileSlot, u64>,
    accesses: Vec<u32>,
}

impl Translator<'_> {
    fn block(&mut self, of: &HostBlock, out: &mut Vec<Block>) {
        let block =
            |pc: u32| Block { pc, depth: of.depth, body: Vec::new(), live_out: Vec::new(), end: Terminator::Jump(pc) };
        let mut open = block(of.start);
        for pc in of.start..of.end {
            let Some(op) = self.code.ops.get(pc as usize) else { return };
            if let Some(end) = self.terminator(op) {
                if let Op::BackJump { .. } = op {
                    open.body.push(Instruction { pc, operation: Operation::BackEdge });
                }
                each_successor(op, pc, |to| self.note_live(&mut open, to));
                out.push(Block { end, ..open });
                return;
            }
            match self.operation(op) {
                Some(Some(operation)) => {
                    if matches!(operation, Operation::Load { .. } | Operation::Store { .. }) {
                        self.accesses.push(pc);
                    }
                    open.body.push(Instruction { pc, operation });
                }
                Some(None) => {}
                None => {
                    let done = std::mem::replace(&mut open, block(pc + 1));
                    // What begins with such an operation is no block: the code is left where it would be gone to.
                    if !done.body.is_empty() {
                        let mut done = done;
                        self.note_live(&mut done, pc);
                        out.push(Block { end: Terminator::Jump(pc), ..done });
                    }
                }
            }
        }
        // A return ends a block of the IR and is left to the interpreter.
        if open.pc < of.end {
            self.note_live(&mut open, of.end);
            out.push(Block { end: Terminator::Jump(of.end), ..open });
        }
    }

    /// Notes the registers of a block that are live at an operation behind it.
    fn note_live(&self, block: &mut Block, pc: u32) {
        for instruction in &block.body {
            let result = match &instruction.operation {
                Operation::Compute { result, .. } | Operation::Load { result, .. } => result,
                Operation::Serve { result: Some(result), .. } => result,
                _ => continue,
            };
            let file = match result.class {
                Class::Pred => RegFile::P,
                Class::Word => RegFile::W,
                Class::Long => RegFile::L,
                Class::Scalar => RegFile::S,
            };
            if self.live.is_live(pc, (file, result.slot)) && !block.live_out.contains(result) {
                block.live_out.push(*result);
            }
        }
    }

    /// How an operation ends a block.
    fn terminator(&self, op: &Op) -> Option<Terminator> {
        Some(match op {
            Op::Jump { to } | Op::BackJump { to } => Terminator::Jump(*to),
            Op::Branch { p, then_pc, else_pc, .. } => {
                let is_read = |pc: u32| self.live.is_live(pc, (RegFile::P, *p));
                Terminator::Branch {
                    condition: self.operand((RegFile::P, *p)),
                    then_pc: *then_pc,
                    else_pc: *else_pc,
                    is_last_use: !is_read(*then_pc) && !is_read(*else_pc),
                }
            }
            Op::Switch(switch) if matches!(switch.ty, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64) => Terminator::Switch {
                ty: switch.ty,
                value: self.operand((RegFile::of(switch.ty), switch.a)),
                arms: switch.arms.to_vec(),
                default: switch.default,
            },
            _ => return None,
        })
    }

    /// The operation; `Some(None)` if there is nothing to do, `None` if it is left to the interpreter.
    fn operation(&self, op: &Op) -> Option<Option<Operation>> {
        if let Some(m) = op.load() {
            let (bytes, address) = self.access(m)?;
            let result = register(if bytes == 8 { RegFile::L } else { RegFile::W }, m.value);
            return Some(Some(Operation::Load { bytes, result, address }));
        }
        if let Some(m) = op.store() {
            let (bytes, address) = self.access(m)?;
            let value = self.operand((if bytes == 8 { RegFile::L } else { RegFile::W }, m.value));
            return Some(Some(Operation::Store { bytes, value, address }));
        }
        match *op {
            // Lanes of the host never part.
            Op::Nop | Op::Reconverge => return Some(None),
            Op::Stmt => return Some(Some(Operation::Statement)),
            Op::BackEdge => return Some(Some(Operation::BackEdge)),
            Op::Rt(ref rt) => {
                let is_served = matches!(rt.rt, Rt::ForeignCall | Rt::ForeignCallback | Rt::ForeignReturn)
                    && rt.args.len() <= MOST_SERVED
                    && rt.results.len() <= 1;
                let result = rt.results.first().map(|&(ty, slot)| register(RegFile::of(ty), slot));
                let operands = rt.args.iter().map(|&(ty, slot)| self.operand((RegFile::of(ty), slot))).collect();
                return is_served.then_some(Some(Operation::Serve { result, operands }));
            }
            Op::LocalAddr { d, offset } => {
                let operands = vec![Operand::Constant(offset)];
                return Some(Some(Operation::Compute {
                    formula: Formula::LocalAddress,
                    result: register(RegFile::L, d),
                    operands,
                }));
            }
            _ => {}
        }
        let (formula, (file, d), reads) = form(op)?;
        let is_splat = formula == Formula::Move && matches!(reads[0], Some((RegFile::S, _)));
        let operands = reads.into_iter().flatten().map(|slot| self.operand(slot)).collect();
        (file != RegFile::S && !is_splat)
            .then(|| Some(Operation::Compute { formula, result: register(file, d), operands }))
    }

    fn access(&self, m: &MemOp) -> Option<(u32, Address)> {
        let is_memory = matches!(m.space, Space::Host | Space::Global | Space::Const);
        if !is_memory || m.access == Access::Volatile {
            return None;
        }
        let AddressExpr { base, local, terms, index: None, .. } = self.variant.address_exprs.get(m.expr as usize)?
        else {
            return None;
        };
        let mut address = Address { base: *base, is_local: *local, terms: Vec::new() };
        for term in terms {
            let file = if term.narrow { RegFile::W } else { RegFile::L };
            match self.constants.get(&(file, term.slot)) {
                Some(&bits) => {
                    let value = if term.narrow { i64::from(bits as u32 as i32) } else { bits as i64 };
                    address.base = address.base.wrapping_add(value.wrapping_mul(term.factor));
                }
                None => address.terms.push(HostTerm { register: register(file, term.slot), factor: term.factor }),
            }
        }
        Some((m.width.bytes() as u32, address))
    }

    fn operand(&self, (file, slot): FileSlot) -> Operand {
        let of_predicate =
            || self.code.constsp.iter().find(|c| file == RegFile::P && c.0 == slot).map(|c| u64::from(c.1));
        match self.constants.get(&(file, slot)).copied().or_else(of_predicate) {
            Some(bits) => Operand::Constant(bits),
            None => Operand::Register(register(file, slot)),
        }
    }
}

fn register(file: RegFile, slot: Slot) -> Register {
    Register { class: class_of(file), slot }
}

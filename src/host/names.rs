//! Which variable an operation meant: its name for a finding.
//!
//! An address that faults was computed from something: a descriptor's base, a dummy, the address of a variable. The slot of
//! the address is followed backwards through the operations before it to the nearest such origin. This is a search for a
//! name to show, not an analysis: it looks at the code in its layout order and gives up after [`STEPS`].

use ir::{AddrBase, DebugVar, FuncId, Ty, VarLoc};
use vm::{Code, Op, Program, Site};

const STEPS: usize = 64;

/// A slot of one of the three files of a frame.
type SlotKey = (u8, u32);

fn key(ty: Ty, slot: u32) -> SlotKey {
    match ty {
        Ty::Pred => (0, slot),
        Ty::I64 | Ty::F64 => (2, slot),
        _ => (1, slot),
    }
}

/// The name of the variable that the memory operation at `site` goes to, as the source has it.
pub(crate) fn variable_at(program: &Program, site: Site) -> Option<String> {
    let code = program.code.get(site.func.index())?;
    let start = match code.ops.get(site.pc as usize)? {
        Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Atomic { addr, .. } => (2, *addr),
        _ => return None,
    };
    let mut work = vec![(start, site.pc as usize)];
    let mut steps = 0;
    while let Some((slot, before)) = work.pop() {
        steps += 1;
        if steps > STEPS {
            return None;
        }
        if let Some(name) = origin(program, site.func, code, slot) {
            return Some(name);
        }
        let Some((at, op)) = definition(code, slot, before) else { continue };
        match op {
            Op::Bin64 { a, b, .. } => work.extend([((2, *b), at), ((2, *a), at)]),
            Op::MadI64 { c, .. } => work.push(((2, *c), at)),
            Op::Mov64 { a, .. } => work.push(((2, *a), at)),
            Op::Sel64 { a, b, .. } => work.extend([((2, *b), at), ((2, *a), at)]),
            Op::Load { addr, .. } => work.push(((2, *addr), at)),
            Op::LocalAddr { offset, .. } => {
                if let Some(name) = local(program, site.func, code, *offset) {
                    return Some(name);
                }
            }
            _ => {}
        }
    }
    None
}

/// The last operation before `before` that sets a slot.
fn definition(code: &Code, slot: SlotKey, before: usize) -> Option<(usize, &Op)> {
    let sets = |op: &Op| match *op {
        Op::Bin64 { d, .. }
        | Op::MadI64 { d, .. }
        | Op::Mov64 { d, .. }
        | Op::Sel64 { d, .. }
        | Op::LocalAddr { d, .. } => slot == (2, d),
        Op::Load { width, d, .. } => slot == (if width.bytes() == 8 { 2 } else { 1 }, d),
        _ => false,
    };
    code.ops[..before].iter().enumerate().rev().find(|(_, op)| sets(op))
}

/// The name of what a slot is by itself: a dummy, a variable, the address of a global.
fn origin(program: &Program, func: FuncId, code: &Code, slot: SlotKey) -> Option<String> {
    let function = program.module.func(func);
    let lives = |var: &&DebugVar| match var.loc {
        VarLoc::Reg(r) | VarLoc::At(r) | VarLoc::DescriptorAt(r) => {
            code.slots.get(r.index()).is_some_and(|&(ty, s)| key(ty, s) == slot)
        }
        _ => false,
    };
    if let Some(var) = function.vars.iter().find(lives) {
        return Some(var.name.to_string());
    }
    let constant = code.consts64.iter().find(|&&(s, _)| (2, s) == slot).map(|&(_, value)| value)?;
    global(program, constant)
}

/// The name of the global variable at an address.
pub(crate) fn global(program: &Program, address: u64) -> Option<String> {
    let globals = program.module.globals.iter().zip(&program.globals);
    let (global, _) = globals.into_iter().find(|&(g, &base)| address >= base && address - base < g.bytes.max(1))?;
    global.var.as_ref().map(|v| v.name.to_string())
}

fn local(program: &Program, func: FuncId, code: &Code, offset: u64) -> Option<String> {
    let function = program.module.func(func);
    let slot =
        code.local_offsets.iter().zip(&function.locals).position(|(&o, l)| offset >= o && offset - o < l.bytes)?;
    let here = |var: &&DebugVar| match var.loc {
        VarLoc::Memory(AddrBase::Local(id)) | VarLoc::Descriptor(AddrBase::Local(id)) => id.index() == slot,
        _ => false,
    };
    function.vars.iter().find(here).map(|v| v.name.to_string())
}

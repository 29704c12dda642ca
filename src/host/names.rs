//! Which variable an operation meant: its name for a finding.
//!
//! An address that faults was computed from something: a descriptor's base, a dummy, the address of a variable. The slot of
//! the address is followed backwards through the operations before it to the nearest such origin. This is a search for a
//! name to show, not an analysis: it looks at the code in its layout order and gives up after [`STEPS`].

use ir::{AddrBase, DebugVar, FuncId, Ty, VarLoc};
use vm::{Code, Origin, Program, Site};

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
pub fn variable_at(program: &Program, site: Site) -> Option<String> {
    let code = program.code.get(site.func.index())?;
    let mut work: Vec<(SlotKey, u32)> = Vec::new();
    let mut found = code.origin(site.pc)?;
    let mut at = site.pc;
    for _ in 0..STEPS {
        let own = found.local.and_then(|offset| local(program, site.func, code, offset));
        let global = || found.constant.and_then(|address| global(program, address));
        if let Some(name) = own.or_else(global) {
            return Some(name);
        }
        work.extend(found.slots.iter().map(|&(ty, slot)| (key(ty, slot), at)));
        found = loop {
            let (slot, before) = work.pop()?;
            if let Some(name) = origin(program, site.func, code, slot) {
                return Some(name);
            }
            if let Some((pc, next)) = definition(code, slot, before) {
                at = pc;
                break next;
            }
        };
    }
    None
}

/// The last operation before `before` that sets a slot.
fn definition(code: &Code, slot: SlotKey, before: u32) -> Option<(u32, Origin)> {
    let sets = |pc: u32| code.origin(pc).filter(|o| o.assigns.is_some_and(|(ty, s)| key(ty, s) == slot));
    (0..before).rev().find_map(|pc| Some((pc, sets(pc)?)))
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

//! Which variable an instruction meant: its name for a finding.
//!
//! An address that faults was computed from something: a descriptor's base, a dummy, the address of a variable. The operands
//! of the address are followed backwards through the instructions before it to the nearest such origin; pointers come before
//! what is scaled and added to them, so that an array is named before its subscripts. This is a search for a name to show,
//! not an analysis: it looks at the code in its layout order and gives up after [`STEPS`].

use ir::op::{BinOp, UnOp};
use ir::{AddrBase, DebugVar, FuncId, Function, InstKind, Reg, Val, VarLoc, VarShape};
use vm::{Program, Site, Warp};

const STEPS: usize = 64;

/// A place among the instructions of a function: block and index.
type Place = (usize, usize);

/// Registers that an address was made of and are still to be looked at, with the place before which they were assigned.
#[derive(Default)]
struct Search {
    pointers: Vec<(Reg, Place)>,
    /// Subscripts and other scaled parts, which count only if no pointer has a name.
    scaled: Vec<(Reg, Place)>,
}

impl Search {
    fn pointer(&mut self, val: Val, at: Place) {
        if let Val::Reg(reg) = val {
            self.pointers.push((reg, at));
        }
    }

    fn scaled(&mut self, val: Val, at: Place) {
        if let Val::Reg(reg) = val {
            self.scaled.push((reg, at));
        }
    }

    /// Adds the operands of an instruction at `at` that made an address or a part of one. What comes last is looked at first.
    fn operands(&mut self, kind: &InstKind, at: Place) {
        match *kind {
            InstKind::Load { addr, .. } | InstKind::Store { addr, .. } | InstKind::Atomic { addr, .. } => {
                self.pointer(addr, at);
            }
            InstKind::Un { op: UnOp::Mov, a, .. } => self.pointer(a, at),
            InstKind::Bin { op: BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Min | BinOp::Max, a, b, .. } => {
                self.pointer(b, at);
                self.pointer(a, at);
            }
            InstKind::Bin { op: BinOp::Mul | BinOp::Shl, a, b, .. } => {
                self.scaled(b, at);
                self.scaled(a, at);
            }
            InstKind::Tri { a, b, c, .. } => {
                self.scaled(b, at);
                self.scaled(a, at);
                self.pointer(c, at);
            }
            InstKind::Select { a, b, .. } => {
                self.pointer(b, at);
                self.pointer(a, at);
            }
            InstKind::Cvt { a, .. } => self.scaled(a, at),
            _ => {}
        }
    }

    fn next(&mut self) -> Option<(Reg, Place)> {
        self.pointers.pop().or_else(|| self.scaled.pop())
    }
}

/// The name of the variable that the memory operation at `site` goes to, as the source has it.
pub fn variable_at(program: &Program, site: Site) -> Option<String> {
    let (bb, index) = program.instruction_index(site)?;
    let function = program.module().func(site.func);
    let at = (bb.index(), index);
    let mut search = Search::default();
    search.operands(program.instruction(site)?, at);
    if let InstKind::Load { addr: Val::Imm(address), .. } | InstKind::Store { addr: Val::Imm(address), .. } =
        *program.instruction(site)?
    {
        return global(program, address);
    }
    for _ in 0..STEPS {
        let (reg, before) = search.next()?;
        if let Some(var) = function.vars.iter().find(|var| is_in(var, reg)) {
            // The value of a scalar is a subscript, and no address.
            if matches!((&var.loc, &var.shape), (VarLoc::Reg(_), VarShape::Scalar)) {
                continue;
            }
            return Some(var.name.to_string());
        }
        let Some((at, kind)) = definition(function, reg, before) else { continue };
        let name = match *kind {
            InstKind::Addr { base, .. } => base_name(program, site.func, base),
            InstKind::Load { addr: Val::Imm(address), .. } => described(program, address),
            _ => None,
        };
        if name.is_some() {
            return name;
        }
        search.operands(kind, at);
    }
    None
}

/// Whether a variable is a scalar that the caller of the procedure passes by its address.
pub(crate) fn is_passed(program: &Program, site: Site, name: &str) -> bool {
    let is_by_address =
        |var: &DebugVar| var.is_dummy && matches!(var.shape, VarShape::Scalar) && matches!(var.loc, VarLoc::At(_));
    program.module().func(site.func).vars.iter().any(|var| &*var.name == name && is_by_address(var))
}

/// Where the procedure at `site` was told that a dummy array is, by the name.
pub(crate) fn passed_address(program: &Program, warp: &Warp<1>, site: Site, name: &str) -> Option<u64> {
    let vars = &program.module().func(site.func).vars;
    let is_meant = |var: &&DebugVar| var.is_dummy && matches!(var.shape, VarShape::Array(_)) && &*var.name == name;
    let VarLoc::At(reg) = vars.iter().find(is_meant)?.loc else { return None };
    let here = *warp.splits().next()?.activations().first()?;
    if here.site.func == site.func { warp.read_reg(program, here.frame, reg, 0) } else { None }
}

/// Whether a variable, its address or its descriptor's address is in a register.
fn is_in(var: &DebugVar, reg: Reg) -> bool {
    matches!(var.loc, VarLoc::Reg(r) | VarLoc::At(r) | VarLoc::DescriptorAt(r) if r == reg)
}

/// The last instruction before `before` that assigns a register.
fn definition(function: &Function, reg: Reg, before: Place) -> Option<(Place, &InstKind)> {
    let (last, end) = before;
    (0..=last).rev().find_map(|bb| {
        let insts = &function.blocks.get(bb)?.insts;
        let insts = if bb == last { insts.get(..end)? } else { &insts[..] };
        let index = insts.iter().rposition(|inst| inst.kind.def() == Some(reg))?;
        Some(((bb, index), &insts[index].kind))
    })
}

/// The name of the variable that lies at a base.
fn base_name(program: &Program, func: FuncId, base: AddrBase) -> Option<String> {
    if let AddrBase::Global(id) = base {
        return program.module().globals.get(id.index())?.var.as_ref().map(|v| v.name.to_string());
    }
    let here = |var: &&DebugVar| matches!(var.loc, VarLoc::Memory(b) | VarLoc::Descriptor(b) if b == base);
    program.module().func(func).vars.iter().find(here).map(|v| v.name.to_string())
}

/// The name of the global variable at an address.
pub(crate) fn global(program: &Program, address: u64) -> Option<String> {
    global_at(program, address).map(|var| var.name.to_string())
}

/// The name of the global variable whose descriptor is at an address.
fn described(program: &Program, address: u64) -> Option<String> {
    let var = global_at(program, address).filter(|var| matches!(var.loc, VarLoc::Descriptor(_)));
    var.map(|var| var.name.to_string())
}

fn global_at(program: &Program, address: u64) -> Option<&DebugVar> {
    let mut globals = program.module().globals.iter().zip(program.globals());
    let (global, _) = globals.find(|&(g, &base)| address >= base && address - base < g.bytes.max(1))?;
    global.var.as_ref()
}

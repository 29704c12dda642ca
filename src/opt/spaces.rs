//! Where accesses through generic addresses go, once the function that makes the address is the one that has the access: a dummy
//! argument that may lie anywhere is, in the place of the call, a variable of the caller.

use ir::op::{BinOp, TriOp, UnOp};
use ir::{AddrBase, FuncKind, Function, InstKind, Module, Reg, Space, Val};

/// Sums of an address at most.
const DEEPEST: usize = 16;

/// Runs the pass over device code.
pub(crate) fn run(module: &mut Module) {
    let globals: Vec<Space> = module.globals.iter().map(|g| g.space).collect();
    for f in module.funcs.iter_mut().filter(|f| f.kind != FuncKind::Host && !f.inlined.is_empty()) {
        let sources = sources(f);
        let of = |addr| match base(&sources, addr, DEEPEST)? {
            AddrBase::Local(_) => Some(Space::Local),
            AddrBase::Shared(_) => Some(Space::Shared),
            AddrBase::Global(id) => globals.get(id.index()).copied().filter(|&space| space == Space::Global),
        };
        let insts = f.blocks.iter_mut().flat_map(|b| &mut b.insts);
        for inst in insts {
            match &mut inst.kind {
                InstKind::Load { space, addr, .. } | InstKind::Store { space, addr, .. }
                    if *space == Space::Generic =>
                {
                    *space = of(*addr).unwrap_or(Space::Generic);
                }
                InstKind::Atomic { space, addr, .. } if *space == Space::Generic => {
                    *space = of(*addr).filter(|&space| space != Space::Local).unwrap_or(Space::Generic);
                }
                _ => {}
            }
        }
    }
}

/// The only instruction that sets each register, if there is one.
fn sources(f: &Function) -> Vec<Option<InstKind>> {
    let mut out = vec![None; f.regs.len()];
    let mut sets = vec![0; f.regs.len()];
    f.params.iter().for_each(|p| sets[p.reg.index()] += 1);
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        inst.kind.each_def(|r: Reg| {
            sets[r.index()] += 1;
            out[r.index()] = Some(inst.kind.clone());
        });
    }
    out.iter_mut().zip(sets).filter(|(_, sets)| *sets != 1).for_each(|(source, _)| *source = None);
    out
}

/// The variable that an address begins with.
fn base(sources: &[Option<InstKind>], addr: Val, depth: usize) -> Option<AddrBase> {
    let Val::Reg(reg) = addr else { return None };
    let of = |val| base(sources, val, depth.checked_sub(1)?);
    match *sources.get(reg.index())?.as_ref()? {
        InstKind::Addr { base, .. } => Some(base),
        InstKind::Un { op: UnOp::Mov, a, .. } => of(a),
        InstKind::Bin { op: BinOp::Add, a, b, .. } => match (of(a), of(b)) {
            (Some(base), None) | (None, Some(base)) => Some(base),
            _ => None,
        },
        InstKind::Bin { op: BinOp::Sub, a, .. } => of(a),
        InstKind::Tri { op: TriOp::Mad, c, .. } => of(c),
        _ => None,
    }
}

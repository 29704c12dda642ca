//! Where accesses through generic addresses go, once the function that makes the address is the one that has the access: a dummy
//! argument that may lie anywhere is, in the place of the call, a variable of the caller.

use ir::analysis::Bases;
use ir::{AddrBase, FuncKind, InstKind, Module, Space};

/// Runs the pass over device code.
pub(crate) fn run(module: &mut Module) {
    let globals: Vec<Space> = module.globals.iter().map(|g| g.space).collect();
    for f in module.funcs.iter_mut().filter(|f| f.kind != FuncKind::Host && !f.inlined.is_empty()) {
        let bases = Bases::new(f);
        let of = |addr| match bases.of(addr)? {
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

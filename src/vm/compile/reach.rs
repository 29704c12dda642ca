//! What a kernel does itself or in what it calls, as far as those who run its blocks must know.
//!
//! Not here: how blocks of a cluster meet and how kernels are launched (`emu`), and how blocks reach each other's shared memory
//! (`memory::slow_path`).

use ir::analysis::reached;
use ir::op::BarOp;
use ir::rt::Rt;
use ir::{FuncId, InstKind, Module};

/// Whether a kernel has clusters, and it or what it calls waits for them or asks for addresses of their shared memory.
pub(crate) fn unites_cluster(module: &Module, kernel: FuncId) -> bool {
    let is_united = |inst: &InstKind| {
        matches!(inst, InstKind::Barrier { op: BarOp::Cluster, .. } | InstKind::Rt { rt: Rt::ClusterMap, .. })
    };
    module.func(kernel).cluster.is_some() && has(module, kernel, is_united)
}

/// Whether device code, or what it calls, launches kernels.
pub(crate) fn launches(module: &Module, func: FuncId) -> bool {
    has(module, func, |inst| matches!(inst, InstKind::Launch { .. }))
}

/// Whether a function or what it calls has such an instruction.
fn has(module: &Module, func: FuncId, is_it: impl Fn(&InstKind) -> bool) -> bool {
    let has_it = |id: FuncId| module.func(id).blocks.iter().flat_map(|b| &b.insts).any(|inst| is_it(&inst.kind));
    reached(module, func).into_iter().any(has_it)
}

//! Which kernels have blocks that work together with the others of their cluster.
//!
//! Not here: how they meet (`emu`), and how they reach each other's shared memory (`memory::slow_path`).

use ir::op::BarOp;
use ir::rt::Rt;
use ir::{FuncId, InstKind, Module};
use std::collections::BTreeSet;

/// Whether a kernel has clusters, and it or what it calls waits for them or asks for addresses of their shared memory.
pub(crate) fn is_united(module: &Module, kernel: FuncId) -> bool {
    if module.func(kernel).cluster.is_none() {
        return false;
    }
    let (mut seen, mut work) = (BTreeSet::from([kernel]), vec![kernel]);
    while let Some(id) = work.pop() {
        for inst in module.func(id).blocks.iter().flat_map(|b| &b.insts) {
            match &inst.kind {
                InstKind::Barrier { op: BarOp::Cluster, .. } | InstKind::Rt { rt: Rt::ClusterMap, .. } => return true,
                InstKind::Call { func, .. } if seen.insert(*func) => work.push(*func),
                _ => {}
            }
        }
    }
    false
}

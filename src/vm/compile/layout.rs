//! Where the static shared variables of a module lie.

use ir::{FuncKind, InstKind, Module, SharedSize};
use std::collections::BTreeSet;

/// Offsets of static shared variables: those of device functions have one place for the whole module, those of a kernel
/// follow, so that a device function finds its own from every caller.
pub(crate) struct SharedLayout {
    /// By function and variable; `None` for dynamic ones.
    pub(crate) offsets: Vec<Vec<Option<u64>>>,
    /// Bytes that a function and all that it calls need.
    pub(crate) totals: Vec<u64>,
}

impl SharedLayout {
    pub(crate) fn new(module: &Module) -> SharedLayout {
        let mut offsets: Vec<Vec<Option<u64>>> = vec![Vec::new(); module.funcs.len()];
        let mut ends = vec![0; module.funcs.len()];
        let mut device_end = 0;
        let kinds = [FuncKind::Device, FuncKind::Kernel];
        for kind in kinds {
            for (i, f) in module.funcs.iter().enumerate().filter(|(_, f)| f.kind == kind) {
                let mut at = if kind == FuncKind::Device { device_end } else { callee_end(module, i, &ends) };
                for var in &f.shared {
                    offsets[i].push(match var.size {
                        SharedSize::Static(bytes) => {
                            at = u64::next_multiple_of(at, var.align.max(1));
                            at += bytes;
                            Some(at - bytes)
                        }
                        SharedSize::Dynamic => None,
                    });
                }
                ends[i] = at;
                if kind == FuncKind::Device {
                    device_end = at;
                }
            }
        }
        let totals = (0..module.funcs.len()).map(|i| callee_end(module, i, &ends).max(ends[i])).collect();
        SharedLayout { offsets, totals }
    }
}

/// The end of the shared variables of everything that `func` reaches by calls.
fn callee_end(module: &Module, func: usize, ends: &[u64]) -> u64 {
    let mut seen = BTreeSet::new();
    let mut work = vec![func];
    let mut end = 0;
    while let Some(f) = work.pop() {
        for inst in module.funcs[f].blocks.iter().flat_map(|b| &b.insts) {
            if let InstKind::Call { func, .. } = &inst.kind
                && seen.insert(func.index())
            {
                end = end.max(ends[func.index()]);
                work.push(func.index());
            }
        }
    }
    end
}

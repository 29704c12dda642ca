//! Which functions a function reaches by calls.

use crate::{FuncId, InstKind, Module};
use std::collections::BTreeSet;

/// The function and what it calls, itself or through others. Launches are no calls.
pub fn reached(module: &Module, func: FuncId) -> BTreeSet<FuncId> {
    let (mut seen, mut work) = (BTreeSet::from([func]), vec![func]);
    while let Some(f) = work.pop().and_then(|id| module.funcs.get(id.index())) {
        for inst in f.blocks.iter().flat_map(|block| &block.insts) {
            if let InstKind::Call { func, .. } = inst.kind
                && seen.insert(func)
            {
                work.push(func);
            }
        }
    }
    seen
}

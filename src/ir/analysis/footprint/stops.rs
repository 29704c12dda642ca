//! What may end a launch before its threads have come to their end, other than an access.

use crate::analysis::apart::{divergent_branches, reached};
use crate::analysis::{BitSet, Cfg, Loop, PostDominators, UniformLevel};
use crate::{BlockData, FuncKind, Function, InstKind, Space, Term, Val};

/// For each block, whether some threads of a thread block may be there while others never come: it lies on a way between a
/// branch at which they disagree and the place where they meet again.
pub(super) fn divergent_blocks(f: &Function, cfg: &Cfg) -> Vec<bool> {
    // Who calls a device function, and from where, is not looked at.
    if f.kind != FuncKind::Kernel {
        return vec![true; f.blocks.len()];
    }
    let pdom = PostDominators::new(cfg);
    let mut out = BitSet::new(f.blocks.len());
    for bb in divergent_branches(f, cfg, UniformLevel::Block) {
        out.union(&reached(cfg, cfg.succs(bb).iter().copied(), pdom.ipdom(bb)));
    }
    (0..f.blocks.len()).map(|at| out.contains(at)).collect()
}

/// Whether a block that is reached may end the launch.
pub(super) fn may_stop(block: &BlockData, is_divergent: bool) -> bool {
    let waits = |kind: &InstKind| match kind {
        InstKind::Barrier { .. } | InstKind::Shuffle { .. } => is_divergent,
        InstKind::Vote { mask, .. } => is_divergent || !mask.is_none_or(|m| m == Val::i32(-1)),
        InstKind::SyncWarp { mask } => is_divergent || *mask != Val::i32(-1),
        InstKind::Un { .. }
        | InstKind::Bin { .. }
        | InstKind::Tri { .. }
        | InstKind::Cmp { .. }
        | InstKind::Select { .. }
        | InstKind::Cvt { .. }
        | InstKind::Addr { .. }
        | InstKind::Load { .. }
        | InstKind::Store { .. }
        | InstKind::Atomic { .. }
        | InstKind::Fence { .. }
        | InstKind::Special { .. }
        | InstKind::Call { .. }
        | InstKind::Rt { .. }
        | InstKind::Launch { .. }
        | InstKind::Stmt
        | InstKind::BackEdge
        | InstKind::Clear { .. } => false,
    };
    matches!(block.term, Term::Trap(_)) || block.insts.iter().any(|inst| waits(&inst.kind))
}

/// Whether a loop reads memory that others can write, so that it may wait for them.
pub(super) fn reads_memory(f: &Function, of: &Loop) -> bool {
    let reads = |kind: &InstKind| match kind {
        InstKind::Load { space, .. } => *space != Space::Local,
        InstKind::Atomic { .. } | InstKind::Call { .. } => true,
        InstKind::Un { .. }
        | InstKind::Bin { .. }
        | InstKind::Tri { .. }
        | InstKind::Cmp { .. }
        | InstKind::Select { .. }
        | InstKind::Cvt { .. }
        | InstKind::Addr { .. }
        | InstKind::Store { .. }
        | InstKind::Fence { .. }
        | InstKind::Barrier { .. }
        | InstKind::SyncWarp { .. }
        | InstKind::Vote { .. }
        | InstKind::Shuffle { .. }
        | InstKind::Special { .. }
        | InstKind::Rt { .. }
        | InstKind::Launch { .. }
        | InstKind::Stmt
        | InstKind::BackEdge
        | InstKind::Clear { .. } => false,
    };
    of.blocks.iter().any(|bb| f.block(*bb).insts.iter().any(|inst| reads(&inst.kind)))
}

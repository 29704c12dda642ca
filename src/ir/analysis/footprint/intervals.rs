//! Which accesses of shared memory can meet those of other threads of the block.
//!
//! The threads of a block that have not exited leave a barrier together, and they pass it only if all of them stand at one
//! and the same place. So what runs between two barriers began, in every thread, behind the same barrier or at the beginning
//! of the kernel: accesses of two threads are unordered only if one barrier, or the beginning, leads to both without another
//! barrier on the way. Of such pairs it is asked whether they can touch a common byte, the index of the block being the same.
//!
//! What barriers of a part of the block order is not seen, nor are functions looked at that have barriers of their own; if the
//! kernel calls one, nothing is claimed.

use super::relate::{PAIRS, Relation, between, extent};
use super::walk::Walk;
use super::{AccessId, Kind, Sharing};
use crate::analysis::Cfg;
use crate::{Bb, Function, InstKind};
use std::collections::{BTreeMap, BTreeSet};

/// Who in the block may touch what each access touches, before the next barrier; `None` if that cannot be said.
pub(super) fn relate_shared(walk: &Walk<'_>, f: &Function) -> Option<BTreeMap<AccessId, Sharing>> {
    if walk.has_inner_barrier {
        return None;
    }
    let sites = &walk.shared;
    let extents: Vec<(i128, i128)> = sites.iter().map(|s| extent(walk, &s.site)).collect();
    let mut worst = vec![Relation::Apart; sites.len()];
    let mut seen = BTreeSet::new();
    let cfg = Cfg::new(f);
    for start in starts(f) {
        let here = reached(walk, f, &cfg, start);
        for (k, &i) in here.iter().enumerate() {
            for &j in &here[k..] {
                let (a, b) = (&sites[i].site, &sites[j].site);
                let is_apart = extents[i].1 <= extents[j].0 || extents[j].1 <= extents[i].0;
                if a.kind == Kind::Read && b.kind == Kind::Read || is_apart || !seen.insert((i, j)) {
                    continue;
                }
                let relation = if seen.len() > PAIRS { Relation::Anybody } else { between(walk, a, b, true) };
                worst[i] = worst[i].max(relation);
                worst[j] = worst[j].max(relation);
            }
        }
    }
    let mut out = BTreeMap::new();
    for (site, worst) in sites.iter().map(|s| &s.site).zip(worst) {
        let Some(id) = site.id else { continue };
        let sharing = match worst {
            Relation::Apart if site.kind == Kind::Read => Sharing::ReadOnly,
            Relation::Apart | Relation::SameThread => Sharing::ThreadDisjoint,
            Relation::SameBlock | Relation::Anybody => Sharing::BlockDisjoint,
        };
        out.entry(id).and_modify(|s: &mut Sharing| *s = sharing.max(*s)).or_insert(sharing);
    }
    Some(out)
}

/// A place between two instructions: the number of the next one in its block.
type Place = (Bb, usize);

/// The beginning of the function, and the places behind its barriers.
fn starts(f: &Function) -> Vec<Place> {
    let barriers = f.blocks.iter().enumerate().flat_map(|(bb, block)| {
        let insts = block.insts.iter().enumerate();
        insts
            .filter(|(_, inst)| matches!(inst.kind, InstKind::Barrier { .. }))
            .map(move |(at, _)| (Bb(bb as u32), at + 1))
    });
    std::iter::once((Bb(0), 0)).chain(barriers).collect()
}

/// The numbers of the sites to which ways without a barrier lead, ascending.
fn reached(walk: &Walk<'_>, f: &Function, cfg: &Cfg, start: Place) -> Vec<usize> {
    let mut ways = vec![start];
    let mut entered = BTreeSet::new();
    // The parts of blocks that are passed: from, and up to but not with.
    let mut parts: BTreeMap<Bb, Vec<(usize, usize)>> = BTreeMap::new();
    while let Some((bb, first)) = ways.pop() {
        let insts = &f.block(bb).insts;
        let barrier = insts[first..].iter().position(|inst| matches!(inst.kind, InstKind::Barrier { .. }));
        let end = barrier.map_or(insts.len(), |at| first + at);
        parts.entry(bb).or_default().push((first, end));
        if barrier.is_none() {
            ways.extend(cfg.succs(bb).iter().filter(|next| entered.insert(**next)).map(|&next| (next, 0)));
        }
    }
    let is_in = |(bb, at): Place| parts.get(&bb).is_some_and(|p| p.iter().any(|&(from, to)| (from..to).contains(&at)));
    (0..walk.shared.len()).filter(|&i| is_in(walk.shared[i].place)).collect()
}

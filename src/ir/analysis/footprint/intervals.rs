//! Which accesses can race with those of other threads of the block.
//!
//! The threads of a block that have not exited leave a barrier together, and they pass it only if all of them stand at one
//! and the same place. So what runs between two barriers began, in every thread, behind the same barrier or at the beginning
//! of the kernel: accesses of two threads are unordered only if one barrier, or the beginning, leads to both without another
//! barrier on the way. Of such pairs it is asked whether they can touch a common byte, the index of the block being the same.
//!
//! Where the iterations of a loop are visited one by one (`walk`), a barrier of another iteration is another place, provided
//! that all threads of the block come to the barrier in the same iteration. The sequence of blocks in which a thread cannot
//! be while others never come (`stops`) is the same for all threads. The heads of unrolled loops are such blocks, and the
//! order of the iterations is known, so it is enough that the barrier's block is one. Else all iterations count as one place.
//!
//! What barriers of a part of the block order is not seen, and functions that have barriers are not looked at: if the kernel
//! calls one, nothing is claimed.

use super::relate::{PAIRS, Relation, are_atomic, between, extent};
use super::state::{Place, Walk};
use super::{AccessId, Kind, stops};
use crate::analysis::Cfg;
use crate::{Bb, Function, InstKind};
use std::collections::{BTreeMap, BTreeSet};

/// Who in the block may race with each access before the next barrier; `None` if that cannot be said.
pub(super) fn relate(walk: &Walk<'_>, f: &Function) -> Option<BTreeMap<AccessId, Relation>> {
    if walk.has_inner_barrier {
        return None;
    }
    let sites = &walk.sites;
    let extents: Vec<(i128, i128)> = sites.iter().map(|site| extent(walk, site)).collect();
    let mut worst = vec![Relation::Apart; sites.len()];
    let mut seen = BTreeSet::new();
    for start in starts(walk, f) {
        let here = reached(walk, f, start);
        for (k, &i) in here.iter().enumerate() {
            for &j in &here[k..] {
                let (a, b) = (&sites[i], &sites[j]);
                let is_apart = extents[i].1 <= extents[j].0
                    || extents[j].1 <= extents[i].0
                    || !(a.spaces.0 && b.spaces.0 || a.spaces.1 && b.spaces.1);
                if a.kind == Kind::Read && b.kind == Kind::Read || is_apart || !seen.insert((i, j)) {
                    continue;
                }
                let relation = if seen.len() > PAIRS { Relation::Anybody } else { between(walk, a, b, true) };
                if !are_atomic(a, b, relation.min(Relation::SameBlock)) {
                    worst[i] = worst[i].max(relation);
                    worst[j] = worst[j].max(relation);
                }
            }
        }
    }
    let mut out = BTreeMap::new();
    for (site, worst) in sites.iter().zip(worst) {
        match site.id {
            Some(id) => {
                let found = out.entry(id).or_insert(worst);
                *found = worst.max(*found);
            }
            // What a service reads must not be written by others at all.
            None if worst > Relation::SameThread => return None,
            None => {}
        }
    }
    Some(out)
}

/// The beginning of the function, and the places behind its barriers; places that count as one are together.
fn starts(walk: &Walk<'_>, f: &Function) -> Vec<Vec<Place>> {
    let divergent = stops::divergent_blocks(f, &Cfg::new(f));
    let mut out = vec![vec![(0, 0)]];
    let mut together: BTreeMap<(Bb, usize), Vec<Place>> = BTreeMap::new();
    for (number, visit) in walk.visits.iter().enumerate() {
        for (at, inst) in f.block(visit.bb).insts.iter().enumerate() {
            if !matches!(inst.kind, InstKind::Barrier { .. }) {
                continue;
            }
            let place = (number, at + 1);
            if divergent[visit.bb.index()] {
                together.entry((visit.bb, at)).or_default().push(place);
            } else {
                out.push(vec![place]);
            }
        }
    }
    out.extend(together.into_values());
    out
}

/// The numbers of the sites to which ways without a barrier lead, ascending.
fn reached(walk: &Walk<'_>, f: &Function, start: Vec<Place>) -> Vec<usize> {
    let mut ways = start;
    let mut entered = BTreeSet::new();
    // The parts of visits that are passed: from, and up to but not with.
    let mut parts: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    while let Some((number, first)) = ways.pop() {
        let Some(visit) = walk.visits.get(number) else { continue };
        let insts = &f.block(visit.bb).insts;
        let barrier = insts[first..].iter().position(|inst| matches!(inst.kind, InstKind::Barrier { .. }));
        let end = barrier.map_or(insts.len(), |at| first + at);
        parts.entry(number).or_default().push((first, end));
        if barrier.is_none() {
            ways.extend(visit.next.iter().filter(|next| entered.insert(**next)).map(|&next| (next, 0)));
        }
    }
    let is_in =
        |(visit, at): Place| parts.get(&visit).is_some_and(|p| p.iter().any(|&(from, to)| (from..to).contains(&at)));
    (0..walk.sites.len()).filter(|&i| is_in(walk.sites[i].place)).collect()
}

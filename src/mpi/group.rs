//! Groups: ordered sets of ranks of `MPI_COMM_WORLD`.

use crate::handle::UNDEFINED;
use std::sync::Arc;

/// The ranks of `MPI_COMM_WORLD` that a group has, by their ranks in it.
pub(crate) type Group = Arc<[u32]>;

/// The rank of a member; `None` if it is none.
pub(crate) fn rank_of(group: &[u32], member: u32) -> Option<u32> {
    // Groups are mostly whole or sorted.
    match group.get(member as usize) {
        Some(&there) if there == member => Some(member),
        _ => group.iter().position(|&m| m == member).map(|rank| rank as u32),
    }
}

/// `MPI_Group_translate_ranks`.
pub(crate) fn translate(from: &[u32], rank: i32, to: &[u32]) -> Option<i32> {
    let member = *from.get(usize::try_from(rank).ok()?)?;
    Some(rank_of(to, member).map_or(UNDEFINED, |rank| rank as i32))
}

/// `MPI_Group_incl`; `None` if a rank is no member or there twice.
pub(crate) fn included(group: &[u32], ranks: &[i32]) -> Option<Group> {
    let mut out: Vec<u32> = Vec::with_capacity(ranks.len());
    for &rank in ranks {
        let member = *group.get(usize::try_from(rank).ok()?)?;
        if out.contains(&member) {
            return None;
        }
        out.push(member);
    }
    Some(out.into())
}

/// `MPI_Group_excl`.
pub(crate) fn excluded(group: &[u32], ranks: &[i32]) -> Option<Group> {
    let out = included(group, ranks)?;
    Some(group.iter().copied().filter(|member| !out.contains(member)).collect())
}

/// The ranks that triplets of first, last and stride name; `None` if a stride is 0.
pub(crate) fn ranges(triplets: &[[i32; 3]]) -> Option<Vec<i32>> {
    let mut out = Vec::new();
    for &[first, last, stride] in triplets {
        let mut rank = first;
        if stride == 0 {
            return None;
        }
        while (stride > 0 && rank <= last) || (stride < 0 && rank >= last) {
            out.push(rank);
            rank = rank.checked_add(stride)?;
        }
    }
    Some(out)
}

/// `MPI_Group_union`.
pub(crate) fn union(a: &[u32], b: &[u32]) -> Group {
    a.iter().copied().chain(b.iter().copied().filter(|m| !a.contains(m))).collect()
}

/// `MPI_Group_intersection`.
pub(crate) fn intersection(a: &[u32], b: &[u32]) -> Group {
    a.iter().copied().filter(|m| b.contains(m)).collect()
}

/// `MPI_Group_difference`.
pub(crate) fn difference(a: &[u32], b: &[u32]) -> Group {
    a.iter().copied().filter(|m| !b.contains(m)).collect()
}

/// `MPI_IDENT` 0, `MPI_CONGRUENT` 1, `MPI_SIMILAR` 2, `MPI_UNEQUAL` 3: the same order, the same members, neither.
pub(crate) fn compare(a: &[u32], b: &[u32]) -> i32 {
    let sorted = |g: &[u32]| {
        let mut g = g.to_vec();
        g.sort_unstable();
        g
    };
    match () {
        () if a == b => 0,
        () if sorted(a) == sorted(b) => 2,
        () => 3,
    }
}

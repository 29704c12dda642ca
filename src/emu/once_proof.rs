//! That the loose stores of a launch touch each byte once, kept from launch to launch.
//!
//! Programs scatter by the same index array over and over. If the bytes on which it depends where loose stores go
//! (`ir::analysis::footprint::Guards::deciding`) are the same as at an earlier launch with the same arguments, which a guard has
//! followed to its end, then these stores touch the same bytes as then, and need no bit for each.
//!
//! The contents are compared by the pages that hold them: a page that was written since is another one. So a proof costs the copy of a
//! page that is written, which is why programs that change the index between all launches get none any more.
//!
//! Not here: the bits (`checks::once`), which launches are alike (`footprint`).

use mem::{Memory, Snapshot};
use std::sync::{Arc, Mutex, PoisonError};

/// Proofs that were lost, after which none is kept any more.
const MOST_LOST: u32 = 3;

/// The contents of memory that decide where loose stores go: by the address of each allocation.
#[derive(Debug)]
pub(crate) struct Deciding(Vec<(u64, Snapshot)>);

impl Deciding {
    /// Those of the allocations in which some bytes are; `None` if one of them is in none.
    fn of(memory: &Memory, bytes: &[(u64, u64)]) -> Option<Deciding> {
        let mut all: Vec<(u64, Snapshot)> = Vec::new();
        for &(low, high) in bytes.iter().filter(|(low, high)| low < high) {
            if !memory.contains(low, high) {
                return None;
            }
            let base = memory.info(memory.find(low)?).base;
            if all.iter().all(|(known, _)| *known != base) {
                all.push((base, memory.snapshot(base)?));
            }
        }
        Some(Deciding(all))
    }

    /// Whether the allocations are still there.
    fn is_live(&self, memory: &Memory) -> bool {
        self.0.iter().all(|(base, then)| {
            let now = memory.find(*base).map(|id| memory.info(id));
            now.is_some_and(|now| (now.base, now.bytes) == (*base, then.bytes() as u64))
        })
    }

    /// Whether the same is there now.
    pub(crate) fn is_in(&self, memory: &Memory) -> bool {
        self.0.iter().all(|(base, then)| memory.snapshot(*base).is_some_and(|now| has_same_bytes(then, &now)))
    }

    /// Whether the same is in both.
    fn is_like(&self, other: &Deciding) -> bool {
        let pairs = || self.0.iter().zip(&other.0);
        self.0.len() == other.0.len()
            && pairs().all(|(own, other)| own.0 == other.0 && has_same_bytes(&own.1, &other.1))
    }
}

fn has_same_bytes(a: &Snapshot, b: &Snapshot) -> bool {
    a.bytes() == b.bytes() && a.pages() == b.pages()
}

/// What is known of launches that are alike.
#[derive(Debug, Default)]
pub(crate) struct OnceProof(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The first block of which it was proven, of those up to the last, and what decided then.
    proven: Option<(u64, Arc<Deciding>)>,
    /// Launches that have asked whether they should try.
    asked: u32,
    lost: u32,
}

impl OnceProof {
    fn with<R>(&self, f: impl FnOnce(&mut Known) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// For a launch whose blocks from a number on are about to run, where those bytes decide: what decides, and whether it is proven.
    /// `None` if no proof may be kept.
    pub(crate) fn begin(
        &self,
        memory: &Memory,
        bytes: &[(u64, u64)],
        first_block: u64,
    ) -> Option<(Arc<Deciding>, bool)> {
        self.with(|known| {
            if known.lost >= MOST_LOST {
                return None;
            }
            let now = Deciding::of(memory, bytes)?;
            let proven = known.proven.as_ref().filter(|(from, _)| *from <= first_block);
            let is_proven = proven.map(|(_, then)| then.is_like(&now));
            if is_proven == Some(false) {
                known.proven = None;
                known.lost += 1;
            }
            (known.lost < MOST_LOST).then(|| (Arc::new(now), is_proven == Some(true)))
        })
    }

    /// Whether it is worth to find out, for a launch that gains nothing else by it: launches that follow may.
    pub(crate) fn is_worth_trying(&self) -> bool {
        self.with(|known| {
            known.asked = known.asked.saturating_add(1);
            known.asked > 1 && known.lost < MOST_LOST
        })
    }

    /// Gives a proof up that will not be wanted any more: it holds the pages of what decides, also when that has been freed.
    pub(crate) fn give_up_unless(&self, is_recent: bool, memory: &Memory) {
        self.with(|known| {
            let is_wanted = |(_, deciding): &(u64, Arc<Deciding>)| is_recent && deciding.is_live(memory);
            known.proven.take_if(|proven| !is_wanted(proven));
        });
    }

    /// Keeps that it is proven of the blocks from a number on.
    pub(crate) fn keep(&self, first_block: u64, deciding: &Arc<Deciding>) {
        self.with(|known| known.proven = Some((first_block, deciding.clone())));
    }
}

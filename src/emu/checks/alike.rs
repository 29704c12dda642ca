//! What alike stores have met (`guard`): stores of one value, whichever thread executes them, that race with themselves alone.
//!
//! Nothing orders the threads of such a launch, so that two stores of a place by different threads race. Each place has a word that
//! says which thread stores to it first in the order of the blocks, how often before any other thread does, and whether another one
//! does. From these follow the racy bytes, and how many stores race with an earlier one, in whatever order the threads of the
//! emulator come to the blocks. Which threads the report names the second pass finds, which need not go on when it knows that
//! ([`KnownRaces`]).

use mem::LaneAddresses;
use race::{ByteSet, Relation};
use scalar::lanes;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use vm::Site;

/// Places of a page of words.
const PAGE: usize = 1 << 14;

/// Bits of a word, from the lowest: how often the first thread stores before others; whether others of its block do; whether others
/// of any block do; the number of the first thread in its block; its block. A word of no store is 0.
const LEAD: u64 = (1 << 20) - 1;
const IS_CLOSED: u64 = 1 << 20;
const IS_RACY: u64 = 1 << 21;
const THREAD_AT: u32 = 22;
const BLOCK_AT: u32 = 32;

/// The alike stores of a launch, by number.
#[derive(Debug)]
pub(super) struct Alike(Vec<OfSite>);

/// What one store has met.
#[derive(Debug)]
struct OfSite {
    site: Site,
    bytes: u64,
    /// How many lanes have stored.
    stores: AtomicU64,
    /// How far apart threads have raced, as [`rank`] has it.
    worst: AtomicU8,
    /// By allocation.
    places: Box<[OnceLock<Words>]>,
}

/// The words of an allocation.
#[derive(Debug)]
struct Words {
    base: u64,
    pages: Box<[OnceLock<Box<[AtomicU64]>>]>,
}

/// The races of a launch, as far as the first pass knows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownRaces {
    pub(crate) bytes: ByteSet,
    /// Of each store that races with itself: how often, and how far apart the threads are at most.
    pub(crate) sites: Vec<(Site, u64, Relation)>,
}

/// The thread that stores: its block, and its warp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Storing {
    pub(super) block: u64,
    pub(super) warp: u32,
}

fn rank(relation: Relation) -> u8 {
    match relation {
        Relation::WithinWarp => 1,
        Relation::WithinBlock => 2,
        Relation::AcrossBlocks => 3,
    }
}

/// What a word is after a store of a thread, and how far apart it and the first thread are if they race; `None` if it has no room.
#[inline(always)]
fn after(word: u64, block: u64, thread: u64) -> Option<(u64, Option<Relation>)> {
    let own = block << BLOCK_AT | thread << THREAD_AT | 1;
    if word == 0 {
        return Some((own, None));
    }
    let (first_block, first_thread) = (word >> BLOCK_AT, word >> THREAD_AT & 1023);
    if block > first_block {
        return Some((word | IS_RACY, Some(Relation::AcrossBlocks)));
    }
    if block < first_block {
        return Some((own | IS_RACY, Some(Relation::AcrossBlocks)));
    }
    if thread != first_thread {
        let is_same_warp = thread / 32 == first_thread / 32;
        let relation = if is_same_warp { Relation::WithinWarp } else { Relation::WithinBlock };
        return Some((word | IS_RACY | IS_CLOSED, Some(relation)));
    }
    if word & IS_CLOSED != 0 {
        return Some((word, None));
    }
    (word & LEAD != LEAD).then_some((word + 1, None))
}

impl Words {
    fn word(&self, address: u64, bytes: u64) -> Option<&AtomicU64> {
        let offset = address.checked_sub(self.base)?;
        let number = if bytes.is_power_of_two() { offset >> bytes.trailing_zeros() } else { offset / bytes } as usize;
        let page = self.pages.get(number / PAGE)?;
        page.get_or_init(|| (0..PAGE).map(|_| AtomicU64::new(0)).collect()).get(number % PAGE)
    }
}

impl Alike {
    /// For stores at these sites with so many bytes each, and for so many allocations.
    pub(super) fn new(sites: impl Iterator<Item = (Site, u64)>, places: usize) -> Alike {
        let of_site = |(site, bytes)| OfSite {
            site,
            bytes,
            stores: AtomicU64::new(0),
            worst: AtomicU8::new(0),
            places: (0..places).map(|_| OnceLock::new()).collect(),
        };
        Alike(sites.map(of_site).collect())
    }

    /// Notes what the lanes of a mask store at the site of a number, all to the allocation of a number that lies from `base` up to
    /// `end`; false if that is more than can be noted.
    pub(super) fn note(
        &self,
        number: usize,
        (place, base, end): (usize, u64, u64),
        by: Storing,
        (addresses, mask): (&LaneAddresses<32>, u32),
        is_alone: bool,
    ) -> bool {
        let Some((of, words)) = self.0.get(number).and_then(|of| Some((of, of.places.get(place)?))) else {
            return false;
        };
        let words = words.get_or_init(|| {
            let count = (end - base).div_ceil(of.bytes) as usize;
            Words { base, pages: (0..count.div_ceil(PAGE)).map(|_| OnceLock::new()).collect() }
        });
        let (mut worst, mut last, mut times) = (0, u64::MAX, 0);
        for lane in lanes(mask) {
            let address = addresses.address(lane);
            // Where lanes store to one place, the first two say all.
            times = if address == last { times + 1 } else { 0 };
            last = address;
            if times > 1 {
                continue;
            }
            let Some(word) = words.word(address, of.bytes) else { return false };
            let mut seen = word.load(Ordering::Relaxed);
            let relation = loop {
                let Some((next, relation)) = after(seen, by.block, u64::from(by.warp) * 32 + lane as u64) else {
                    return false;
                };
                if next == seen {
                    break relation;
                }
                if is_alone {
                    word.store(next, Ordering::Relaxed);
                    break relation;
                }
                match word.compare_exchange_weak(seen, next, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => break relation,
                    Err(now) => seen = now,
                }
            };
            worst = worst.max(relation.map_or(0, rank));
        }
        let count = u64::from(mask.count_ones());
        if is_alone {
            of.stores.store(of.stores.load(Ordering::Relaxed) + count, Ordering::Relaxed);
        } else {
            of.stores.fetch_add(count, Ordering::Relaxed);
        }
        if of.worst.load(Ordering::Relaxed) < worst {
            of.worst.fetch_max(worst, Ordering::Relaxed);
        }
        true
    }

    /// The races; `None` if there are none.
    pub(super) fn races(&self) -> Option<KnownRaces> {
        let mut out = KnownRaces::default();
        for of in &self.0 {
            let relation = match of.worst.load(Ordering::Relaxed) {
                0 => continue,
                1 => Relation::WithinWarp,
                2 => Relation::WithinBlock,
                _ => Relation::AcrossBlocks,
            };
            let mut count = of.stores.load(Ordering::Relaxed);
            for words in of.places.iter().filter_map(OnceLock::get) {
                for (number, page) in words.pages.iter().enumerate() {
                    for (at, word) in page.get().iter().flat_map(|page| page.iter().enumerate()) {
                        let word = word.load(Ordering::Relaxed);
                        count -= word & LEAD;
                        if word & IS_RACY != 0 {
                            let address = words.base + (number * PAGE + at) as u64 * of.bytes;
                            out.bytes.insert(address, of.bytes);
                        }
                    }
                }
            }
            out.sites.push((of.site, count, relation));
        }
        (!out.sites.is_empty()).then_some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stores of threads to one place, each by block and number, in an order.
    fn word_of(stores: &[(u64, u64)]) -> (u64, u8) {
        stores.iter().fold((0, 0), |(word, worst), &(block, thread)| match after(word, block, thread) {
            Some((word, relation)) => (word, worst.max(relation.map_or(0, rank))),
            None => (word, worst),
        })
    }

    #[test]
    fn the_first_thread_of_the_first_block_counts() {
        assert_eq!(word_of(&[(3, 7), (3, 7), (3, 7)]), (3 << BLOCK_AT | 7 << THREAD_AT | 3, 0));
        let (word, worst) = word_of(&[(3, 7), (3, 7), (3, 8), (3, 7)]);
        assert_eq!((word & LEAD, word & IS_RACY != 0, worst), (2, true, rank(Relation::WithinWarp)));
        assert_eq!(word_of(&[(3, 7), (3, 40)]).1, rank(Relation::WithinBlock));
    }

    #[test]
    fn blocks_may_come_in_any_order() {
        let of_blocks: [&[(u64, u64)]; 3] = [&[(1, 5), (1, 5), (1, 9), (1, 5)], &[(2, 5), (2, 5)], &[(7, 0)]];
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let word = |order: &[usize; 3]| {
            let all: Vec<_> = order.iter().flat_map(|&block| of_blocks[block]).copied().collect();
            word_of(&all)
        };
        for order in &orders {
            let (word, worst) = word(order);
            assert_eq!((word >> BLOCK_AT, word >> THREAD_AT & 1023, word & LEAD), (1, 5, 2), "{order:?}");
            assert_eq!((word & IS_RACY != 0, worst), (true, rank(Relation::AcrossBlocks)), "{order:?}");
        }
    }

    #[test]
    fn stores_that_race_are_all_but_those_of_the_first_thread() {
        let site = |pc| Site { pc, ..Site::default() };
        let alike = Alike::new([(site(1), 4), (site(2), 4)].into_iter(), 2);
        let at = LaneAddresses::uniform(1008);
        let own = LaneAddresses::Strided(mem::Strided::contiguous(2000, 4));
        for block in [4, 0, 2] {
            assert!(alike.note(0, (0, 1000, 2000), Storing { block, warp: 1 }, (&at, 0xf0), block == 2));
            assert!(alike.note(1, (1, 2000, 9000), Storing { block: 0, warp: 0 }, (&own, u32::MAX), true));
        }
        assert!(!alike.note(0, (0, 1000, 2000), Storing { block: 0, warp: 0 }, (&own, 1 << 31), true) || PAGE > 250);
        let races = alike.races().unwrap_or_default();
        assert_eq!(races.sites, [(site(1), 11, Relation::AcrossBlocks)]);
        assert!(races.bytes.is_touching(1008, 4) && !races.bytes.is_touching(1012, 100_000));
    }
}

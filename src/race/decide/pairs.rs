//! The races found so far: one entry for each two places in the program and kind of race.
//!
//! Most pairs of accesses repeat a race that is known. They are only counted.

use std::collections::BTreeMap;

use crate::access::{Kind, Space, Thread};
use crate::decide::history::{AccessInfo, Arrival};

/// What two racing accesses do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaceKind {
    /// Both write.
    WriteWrite,
    /// One reads, one writes.
    ReadWrite,
}

/// How far apart two racing threads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// Lanes of one warp.
    WithinWarp,
    /// Warps of one block.
    WithinBlock,
    /// Blocks of one launch.
    AcrossBlocks,
}

impl Relation {
    fn of(a: Thread, b: Thread) -> Self {
        if a.block != b.block {
            Self::AcrossBlocks
        } else if a.warp() != b.warp() {
            Self::WithinBlock
        } else {
            Self::WithinWarp
        }
    }
}

/// Races between the same two places in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RacePair {
    /// The memory.
    pub space: Space,
    /// What the two do.
    pub kind: RaceKind,
    /// The earlier access of the first race found between threads as far apart as any found.
    pub first: AccessInfo,
    /// The later access of that race.
    pub second: AccessInfo,
    /// First byte and number of bytes that the two accesses have in common.
    pub bytes: (u64, u32),
    /// Later accesses that race with at least one earlier access.
    pub count: u64,
    /// Pairs found within a warp, within a block and across blocks; more may exist where one place has very many.
    pub counts: [u64; 3],
    /// All races found are two writes of the same place, width and value.
    pub is_same_value: bool,
    /// In all races found one access is atomic or volatile and the other plain.
    pub is_mixed: bool,
    /// In some race of an atomic or volatile access and a plain one, the plain one is a write that releases nothing.
    pub is_plain_write: bool,
    /// In all races found the accesses would be ordered, or exempt, if scopes were wider.
    pub is_insufficient_scope: bool,
}

impl RacePair {
    /// How far apart the two threads are.
    pub fn relation(&self) -> Relation {
        Relation::of(self.first.thread, self.second.thread)
    }
}

/// Two places in the program, the smaller number first, and what accesses there do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    sites: [u32; 2],
    kind: RaceKind,
    space: Space,
}

/// What two accesses are to each other.
struct Facts {
    key: Key,
    relation: Relation,
    is_same_value: bool,
    is_mixed: bool,
    is_plain_write: bool,
}

impl Facts {
    fn of(space: Space, old: &Arrival, new: &Arrival) -> Self {
        let (a, b) = (&old.info, &new.info);
        let is_write_write = a.kind.is_write() && b.kind.is_write();
        let kind = if is_write_write { RaceKind::WriteWrite } else { RaceKind::ReadWrite };
        let is_mixed = a.kind.is_strong() != b.kind.is_strong();
        let is_plain_write = |arrival: &Arrival| {
            let kind = arrival.info.kind;
            !kind.is_strong() && kind.is_write() && !arrival.is_promoted
        };
        Self {
            key: Key { sites: [a.site.min(b.site), a.site.max(b.site)], kind, space },
            relation: Relation::of(a.thread, b.thread),
            is_same_value: is_write_write
                && (a.address, a.width, a.value) == (b.address, b.width, b.value)
                && ![a.kind, b.kind].into_iter().any(|kind| kind.is_rmw() || kind == Kind::Free),
            is_mixed,
            is_plain_write: is_mixed && (is_plain_write(old) || is_plain_write(new)),
        }
    }
}

/// Which later accesses a pair was counted for.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    /// The number of the warp's access.
    serial: u64,
    lanes: u32,
}

/// Keys of pairs that were used last.
const RECENT: usize = 8;

/// The races found so far, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) list: Vec<RacePair>,
    counted: Vec<Counted>,
    index: BTreeMap<Key, usize>,
    recent: [Option<(Key, usize)>; RECENT],
    /// The pairs that the present access of a warp was counted for.
    present: Vec<usize>,
    /// The number of that access.
    serial: u64,
}

impl Pairs {
    fn find(&mut self, key: Key) -> Option<usize> {
        let [a, b] = key.sites;
        let recent = &mut self.recent[(a ^ b.wrapping_mul(3) ^ key.kind as u32) as usize % RECENT];
        match recent {
            Some((known, at)) if *known == key => Some(*at),
            _ => {
                let at = *self.index.get(&key)?;
                *recent = Some((key, at));
                Some(at)
            }
        }
    }

    /// Counts a race if it says nothing new of its pair; then says how far apart the threads of the pair are. `serial` is the
    /// number of the warp's access.
    pub(crate) fn count_more(&mut self, space: Space, old: &Arrival, new: &Arrival, serial: u64) -> Option<Relation> {
        let facts = Facts::of(space, old, new);
        let at = self.find(facts.key)?;
        let pair = &self.list[at];
        let is_known = facts.relation <= pair.relation()
            && !pair.is_insufficient_scope
            && (facts.is_same_value || !pair.is_same_value)
            && (facts.is_mixed || !pair.is_mixed)
            && (pair.is_plain_write || !facts.is_plain_write);
        let relation = pair.relation();
        is_known.then(|| {
            self.count(at, facts.relation, new, serial);
            relation
        })
    }

    fn count(&mut self, at: usize, relation: Relation, new: &Arrival, serial: u64) {
        let (pair, counted) = (&mut self.list[at], &mut self.counted[at]);
        if self.serial != serial {
            self.serial = serial;
            self.present.clear();
        }
        if counted.serial != serial {
            *counted = Counted { serial, lanes: 0 };
            self.present.push(at);
        }
        // How many earlier accesses are kept is bounded, so only the later ones are counted.
        pair.count += u64::from(counted.lanes >> new.lane & 1 == 0);
        counted.lanes |= 1 << new.lane;
        pair.counts[relation as usize] += 1;
    }

    /// Counts for `lanes` of the present access of a warp what was counted for `lane`.
    pub(crate) fn count_alike(&mut self, lane: u8, lanes: u32, serial: u64) {
        if self.serial != serial {
            return;
        }
        for &at in &self.present {
            let counted = &mut self.counted[at];
            if counted.lanes >> lane & 1 == 1 {
                self.list[at].count += u64::from((lanes & !counted.lanes).count_ones());
                counted.lanes |= lanes;
            }
        }
    }

    /// Takes in a race; `bytes` are those that both accesses touch.
    pub(crate) fn note(
        &mut self,
        space: Space,
        old: &Arrival,
        new: &Arrival,
        bytes: (u64, u32),
        is_insufficient_scope: bool,
        serial: u64,
    ) {
        let facts = Facts::of(space, old, new);
        let at = self.find(facts.key).unwrap_or_else(|| {
            self.list.push(RacePair {
                space,
                kind: facts.key.kind,
                first: old.info,
                second: new.info,
                bytes,
                count: 0,
                counts: [0; 3],
                is_same_value: true,
                is_mixed: true,
                is_plain_write: false,
                is_insufficient_scope: true,
            });
            self.counted.push(Counted::default());
            self.index.insert(facts.key, self.list.len() - 1);
            self.list.len() - 1
        });
        self.count(at, facts.relation, new, serial);
        let pair = &mut self.list[at];
        if facts.relation > pair.relation() {
            // What mends the wider race mends the narrower one too, not the other way round.
            (pair.first, pair.second, pair.bytes) = (old.info, new.info, bytes);
        }
        pair.is_same_value &= facts.is_same_value;
        pair.is_mixed &= facts.is_mixed;
        pair.is_plain_write |= facts.is_plain_write;
        pair.is_insufficient_scope &= is_insufficient_scope;
    }
}

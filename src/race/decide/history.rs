//! The access history of one range of watched bytes: the past accesses with which a later one can still race.
//!
//! It is like that of `FastTrack` (Flanagan and Freund, PLDI 2009), but keeps all unordered accesses instead of single epochs,
//! and has the two kinds of order of PTX. *Base causality* is what `BlockClock` knows. *Observation order* orders strong writes of this place
//! only: a write precedes the strong reads that read it, directly or through read-modify-writes, each link morally strong.
//! An access X is before Y if base causality says so; or, if X is strong, through a path of both orders whose inner steps
//! are strong accesses of this place. Only strong accesses start such a path: a plain store before one's own atomic is not
//! excused by somebody's having read the atomic. (To the letter PTX does not join several observation steps; the pairs
//! that differ are coherence-ordered chains of strong writes, which nobody would call racy.)
//!
//! An access is dropped when one that is ordered after it and conflicts at least as widely arrives. So an entry needs only
//! its observers, and whether the present value descends from it (`is_live`): then the next strong read observes it.
//!
//! Once a race was found here, the number of entries is bounded. Once an access has only repeated races that are known, only
//! some accesses of each instruction are kept, the newest of several warps and blocks. Later accesses still find those that
//! they race with; counts of pairs become lower bounds.

use std::collections::BTreeMap;

use crate::access::{Kind, Thread};

/// Entries kept of a range that is known to be racy.
const RACY_LIMIT: usize = 128;
/// Accesses of one instruction that are kept of a range whose races are all known.
pub(crate) const HOT_LIMIT: usize = 8;
/// Reads that are kept as a list.
const FEW: usize = 32;

/// One access of one thread, as the caller described it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessInfo {
    /// Who.
    pub thread: Thread,
    /// The time in the thread's block, counted in instructions.
    pub time: u32,
    /// What it did.
    pub kind: Kind,
    /// The first byte of the access.
    pub address: u64,
    /// Its bytes.
    pub width: u32,
    /// The caller's number of the instruction.
    pub site: u32,
    /// The caller's number of the call stack.
    pub stack: u32,
    /// The bits read or written.
    pub value: u64,
}

/// An access that arrives at a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) info: AccessInfo,
    pub(crate) lane: u8,
    /// Whether its scope reaches beyond its block.
    pub(crate) is_wide: bool,
    /// A plain store that releases.
    pub(crate) is_promoted: bool,
}

impl Arrival {
    fn is_strong(&self) -> bool {
        self.info.kind.is_strong()
    }

    /// Whether observation order applies to it.
    fn is_observable(&self) -> bool {
        self.is_strong() || self.is_promoted
    }

    fn has_shape_of(&self, other: &Self) -> bool {
        (self.info.address, self.info.width) == (other.info.address, other.info.width)
    }

    fn is_in_block_of(&self, other: &Self) -> bool {
        self.info.thread.block == other.info.thread.block
    }

    /// Whether both are within the scope of the other and overlap completely.
    fn is_mutual(&self, other: &Self) -> bool {
        self.has_shape_of(other) && (self.is_in_block_of(other) || self.is_wide && other.is_wide)
    }

    /// Whether both are the same but for the thread that does it, and when.
    fn is_like(&self, other: &Self) -> bool {
        let what = |a: &Self| (a.info.site, a.info.value, a.info.address, a.info.width, a.info.kind, a.is_promoted);
        what(self) == what(other)
    }

    /// Whether two accesses of different threads are a race unless ordered.
    pub(crate) fn is_conflicting(&self, other: &Self) -> bool {
        self.info.thread != other.info.thread
            && (self.info.kind.is_write() || other.info.kind.is_write())
            && !(self.is_strong() && other.is_strong() && self.is_mutual(other))
    }

    /// Whether every access that conflicts with `old` also conflicts with this one, which is ordered after it.
    fn is_superseding(&self, old: &Self, is_narrow: bool) -> bool {
        if !self.is_strong() {
            return if self.info.kind.is_write() {
                // Observation order may excuse this one, so it must not stand for what is never excused.
                !self.is_promoted || old.is_observable()
            } else {
                !old.info.kind.is_write()
            };
        }
        let is_same_reach = self.is_in_block_of(old) && (old.is_wide || !self.is_wide) || !is_narrow;
        old.is_strong()
            && self.has_shape_of(old)
            && is_same_reach
            && (self.info.kind.is_write() || !old.info.kind.is_write())
    }
}

#[derive(Clone, Debug)]
struct Entry {
    access: Arrival,
    is_live: bool,
    #[allow(clippy::box_collection, reason = "there may be very many entries, and most have none")]
    observers: Option<Box<Vec<(Thread, u32)>>>,
}

impl Entry {
    fn observers(&self) -> &[(Thread, u32)] {
        self.observers.as_deref().map_or(&[], Vec::as_slice)
    }
}

/// The last weak read of each thread. There may be very many ranges with a read or two, and single ones that all threads
/// read.
#[derive(Clone, Debug)]
enum Reads {
    /// By thread.
    Few(Vec<Arrival>),
    Many(BTreeMap<Thread, Arrival>),
}

impl Default for Reads {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Reads {
    /// Adds a read; if only one is to be kept of each instruction, in the place of an older one.
    fn insert(&mut self, new: Arrival, is_only: bool) {
        if is_only
            && let Self::Few(list) = self
            && let Some(at) = list.iter().position(|old| old.info.site == new.info.site)
        {
            list.remove(at);
        }
        match self {
            Self::Few(list) => match list.binary_search_by_key(&new.info.thread, |old| old.info.thread) {
                Ok(at) => list[at] = new,
                Err(at) if list.len() < FEW => {
                    make_room(list);
                    list.insert(at, new);
                }
                Err(_) => {
                    *self = Self::Many(list.drain(..).chain([new]).map(|a| (a.info.thread, a)).collect());
                }
            },
            Self::Many(map) => {
                map.insert(new.info.thread, new);
            }
        }
    }

    fn for_each(&self, f: impl FnMut(&Arrival)) {
        match self {
            Self::Few(list) => list.iter().for_each(f),
            Self::Many(map) => map.values().for_each(f),
        }
    }

    fn retain(&mut self, mut f: impl FnMut(&Arrival) -> bool) {
        match self {
            Self::Few(list) => list.retain(f),
            Self::Many(map) => map.retain(|_, a| f(a)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Few(list) => list.len(),
            Self::Many(map) => map.len(),
        }
    }

    /// Drops reads beyond the limit of a racy range.
    fn bound(&mut self) {
        if let Self::Many(map) = self {
            while map.len() > RACY_LIMIT {
                map.pop_first();
            }
        }
    }

    /// Drops most reads of each instruction.
    fn thin(&mut self, limit: usize, kept: &mut Vec<bool>) {
        if let Self::Many(map) = self {
            *self = Self::Few(std::mem::take(map).into_values().collect());
        }
        if let Self::Few(list) = self {
            thin(list, limit, kept, |read| read);
        }
    }
}

/// The access history; see the module's head.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessHistory {
    /// Writes and strong reads.
    entries: Vec<Entry>,
    /// The last weak read of each thread.
    reads: Reads,
    /// The last write, if a strong read can observe it.
    last: Option<Box<Arrival>>,
    is_racy: bool,
    /// Whether an access has raced here and only repeated races that are known.
    is_hot: bool,
    /// Entries and reads that were left when they were last thinned.
    thinned: [u16; 2],
}

/// Room for what is known of accesses while they arrive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    covered: Vec<bool>,
    observed: Vec<bool>,
    dropped: Vec<bool>,
    kept: Vec<bool>,
}

/// What arriving accesses need to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Whether the launch has strong accesses of block scope in this space.
    pub(crate) is_narrow: bool,
    /// The accesses of one instruction that are kept once the range is hot.
    pub(crate) hot_limit: usize,
}

impl AccessHistory {
    /// Whether a race was found.
    pub(crate) fn is_racy(&self) -> bool {
        self.is_racy
    }

    /// Whether an access has raced here and only repeated races that are known.
    pub(crate) fn is_hot(&self) -> bool {
        self.is_hot
    }

    /// Lets the accesses of one instruction arrive, by ascending lane; calls `report` with each pair that races, which says
    /// whether that race is known and can say nothing new.
    ///
    /// `is_known(lane, thread, time)` is base causality.
    pub(crate) fn arrive<'a>(
        &mut self,
        arrivals: impl Iterator<Item = &'a Arrival> + Clone,
        setting: Setting,
        scratch: &mut Scratch,
        is_known: impl Fn(usize, Thread, u32) -> bool,
        mut report: impl FnMut(&Arrival, &Arrival) -> bool,
    ) {
        let before = self.entries.len();
        let (mut is_racing, mut is_repeated) = (false, true);
        let mut report = |old: &Arrival, new: &Arrival| {
            is_racing = true;
            let is_known = report(old, new);
            is_repeated &= is_known;
            is_known
        };
        // What each arrival is ordered after, and the races with what was there before the instruction.
        let Scratch { covered, observed, dropped, kept } = scratch;
        covered.clear();
        observed.clear();
        for new in arrivals.clone() {
            let lane = usize::from(new.lane);
            let is_observer = new.is_strong()
                && new.info.kind.is_read()
                && self.last.as_ref().is_some_and(|last| last.is_mutual(new));
            observed.push(is_observer);
            // What is like an access whose race says nothing new does not either.
            let mut known: Option<&Arrival> = None;
            for entry in &self.entries {
                let old = &entry.access;
                let is_before = is_known(lane, old.info.thread, old.info.time)
                    || old.is_observable() && entry.observers().iter().any(|o| is_known(lane, o.0, o.1));
                let is_seen = is_observer && entry.is_live && old.is_observable();
                covered.push(is_before || is_seen);
                // A plain store is mixed with the very atomic that reads it, even if that orders what comes later.
                if !(is_before || is_seen && old.is_strong())
                    && old.is_conflicting(new)
                    && !known.is_some_and(|known| known.is_like(old))
                    && report(old, new)
                {
                    known = Some(old);
                }
            }
            if new.info.kind.is_write() {
                self.reads.for_each(|old| {
                    if old.is_conflicting(new) && !is_known(lane, old.info.thread, old.info.time) {
                        report(old, new);
                    }
                });
            }
        }
        for (new, _) in arrivals.clone().zip(&*observed).filter(|(_, is_observer)| **is_observer) {
            for entry in self.entries.iter_mut().filter(|e| e.is_live && e.access.is_observable()) {
                if !entry.observers().iter().any(|o| o.0 == new.info.thread) {
                    entry.observers.get_or_insert_default().push((new.info.thread, new.info.time));
                }
            }
        }
        dropped.clear();
        dropped.resize(before, false);
        for (a, new) in arrivals.enumerate() {
            let covered = &covered[a * before..(a + 1) * before];
            for sibling in self.entries[before..].iter().filter(|s| s.access.is_conflicting(new)) {
                report(&sibling.access, new);
            }
            for (e, entry) in self.entries[..before].iter().enumerate() {
                dropped[e] |= covered[e] && new.is_superseding(&entry.access, setting.is_narrow);
            }
            if new.info.kind.is_write() {
                let is_continued = new.info.kind.is_rmw() && self.last.as_ref().is_some_and(|last| last.is_mutual(new));
                for (e, entry) in self.entries.iter_mut().enumerate() {
                    entry.is_live = is_continued && entry.is_live || covered.get(e).copied().unwrap_or(false);
                }
                self.last = new.is_observable().then(|| Box::new(*new));
                if !new.is_observable() {
                    self.reads.retain(|old| !is_known(usize::from(new.lane), old.info.thread, old.info.time));
                }
            }
            if new.info.kind == Kind::Read {
                self.reads.insert(*new, self.is_hot && setting.hot_limit == 1);
            } else {
                // Of the lanes of one instruction some will do, as of those of several.
                if self.is_hot && self.entries.len() - before >= of_warp(setting.hot_limit) {
                    self.entries.pop();
                }
                let is_live = new.info.kind.is_write();
                let entry = Entry { access: *new, is_live, observers: None };
                let is_like =
                    |old: &Entry| (old.access.info.site, old.access.info.kind) == (new.info.site, new.info.kind);
                // Alone, it takes the place of the only one that is kept of the instruction.
                let like = if self.is_hot && setting.hot_limit == 1 && observed.len() == 1 {
                    self.entries.iter().position(is_like)
                } else {
                    None
                };
                match like {
                    Some(at) => {
                        self.entries[at] = entry;
                        dropped[at] = false;
                    }
                    None => {
                        make_room(&mut self.entries);
                        self.entries.push(entry);
                    }
                }
            }
        }
        if dropped.contains(&true) {
            let mut at = 0;
            self.entries.retain(|_| {
                at += 1;
                !dropped.get(at - 1).copied().unwrap_or(false)
            });
        }
        self.is_racy |= is_racing;
        self.is_hot |= is_racing && is_repeated;
        if self.is_hot {
            self.thin(setting.hot_limit, kept);
        } else if self.is_racy {
            self.bound();
        }
    }

    /// Drops the oldest entries.
    fn bound(&mut self) {
        if self.entries.len() > RACY_LIMIT {
            let excess = self.entries.len() - RACY_LIMIT / 2;
            self.entries.drain(..excess);
        }
        self.reads.bound();
    }

    /// Drops most of the entries of each instruction.
    fn thin(&mut self, limit: usize, kept: &mut Vec<bool>) {
        let is_many = |len: usize, thinned: u16| len > usize::from(thinned) * 3 / 2 + limit / 2;
        if is_many(self.entries.len(), self.thinned[0]) {
            thin(&mut self.entries, limit, kept, |entry| &entry.access);
            self.thinned[0] = self.entries.len().min(usize::from(u16::MAX)) as u16;
        }
        if is_many(self.reads.len(), self.thinned[1]) {
            self.reads.thin(limit, kept);
            self.thinned[1] = self.reads.len().min(usize::from(u16::MAX)) as u16;
        }
    }
}

/// How many of `limit` accesses may be of one warp.
fn of_warp(limit: usize) -> usize {
    limit.div_ceil(4)
}

/// Keeps the last `limit` accesses of each instruction, at most half of them of one block and a quarter of one warp. `kept` is room.
fn thin<T>(list: &mut Vec<T>, limit: usize, kept: &mut Vec<bool>, access: impl Fn(&T) -> &Arrival) {
    kept.clear();
    kept.resize(list.len(), false);
    for at in (0..list.len()).rev() {
        let new = &access(&list[at]).info;
        let (mut all, mut of_block, mut of_one_warp) = (0, 0, 0);
        for later in (at + 1..list.len()).filter(|later| kept[*later]) {
            let other = &access(&list[later]).info;
            if (other.site, other.kind) == (new.site, new.kind) {
                let is_of_block = other.thread.block == new.thread.block;
                all += 1;
                of_block += usize::from(is_of_block);
                of_one_warp += usize::from(is_of_block && other.thread.warp() == new.thread.warp());
            }
        }
        kept[at] = all < limit && of_block < limit.div_ceil(2) && of_one_warp < of_warp(limit);
    }
    let mut at = 0;
    list.retain(|_| {
        at += 1;
        kept[at - 1]
    });
    if list.capacity() > 2 * list.len().max(4) {
        list.shrink_to_fit();
    }
}

/// Makes room for one more, and for no others while there are few.
fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() && list.len() < 4 {
        list.reserve_exact(1);
    }
}

//! Sync records: what a strong read of a location acquires.
//!
//! PTX: a release pattern (a fence, then a strong write to *M*) synchronises with an acquire pattern that reads *M* if
//! the write precedes the read in observation order, that is directly or through a chain of atomic read-modify-writes, each
//! link morally strong: both ends strong, of the same place and width, each within the scope of the other. A record holds
//! what the writes of the present chain release; a plain strong store starts a new chain, a read-modify-write continues it.
//!
//! A record exists only where something was released, so a program without fences pays nothing. Two clocks are kept: what
//! reaches the launch, and for each block what its own threads released, for reads or fences that reach no further.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::clock::block::Heads;
use crate::clock::sparse::{SparseClock, join_options, join_shared};

/// What the threads of one block released.
#[derive(Clone, Debug)]
struct Local {
    acquired: Arc<SparseClock>,
    /// Whether part of it was released for the block only.
    is_more: bool,
}

#[derive(Clone, Debug)]
struct Record {
    width: u32,
    /// Block of the last write.
    writer: u32,
    /// Whether the last write's scope reaches beyond its block.
    is_wide: bool,
    wide: Option<Arc<SparseClock>>,
    local: BTreeMap<u32, Local>,
}

/// A strong access, or a plain store that releases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strong {
    pub(crate) address: u64,
    pub(crate) width: u32,
    pub(crate) block: u32,
    pub(crate) is_wide: bool,
    pub(crate) is_rmw: bool,
}

impl Record {
    /// Whether the access and the last write are morally strong relative to each other.
    fn is_linked(&self, access: &Strong) -> bool {
        self.width == access.width && (self.writer == access.block || self.is_wide && access.is_wide)
    }
}

/// The records of one address space.
#[derive(Clone, Debug, Default)]
pub(crate) struct SyncTable {
    /// Records by address; no two overlap.
    records: BTreeMap<u64, Record>,
    /// The widest record that there has been.
    widest: u64,
    /// The blocks that have released something to their own threads, with the address of the record; some may be gone.
    local: BTreeSet<(u32, u64)>,
}

impl SyncTable {
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.local.clear();
    }

    /// A block has ended: nobody can read what was released to its own threads.
    pub(crate) fn end_block(&mut self, block: u32) {
        while let Some(&(_, address)) = self.local.range((block, 0)..=(block, u64::MAX)).next() {
            self.local.remove(&(block, address));
            if let Some(record) = self.records.get_mut(&address) {
                record.local.remove(&block);
            }
        }
    }

    /// The bytes that the records take, but for parts of clocks that are among those seen before.
    pub(crate) fn bytes(&self, seen: &mut BTreeSet<usize>) -> u64 {
        let entries = self.records.len() * size_of::<(u64, Record)>() + self.local.len() * size_of::<(u32, u64)>();
        let clocks = self.records.values().flat_map(|r| r.wide.iter().chain(r.local.values().map(|l| &l.acquired)));
        2 * entries as u64 + clocks.map(|clock| clock.bytes(seen)).sum::<u64>()
    }

    /// Whether a record may overlap the bytes from `start` up to, not with, `end`.
    pub(crate) fn is_near(&self, start: u64, end: u64) -> bool {
        start < end && self.records.range(start.saturating_sub(self.widest)..end).next().is_some()
    }

    /// What a read acquires: with a fence, or at once, that reaches the launch; with a fence for the block only.
    pub(crate) fn acquired(&self, read: &Strong) -> Option<(Arc<SparseClock>, Option<Arc<SparseClock>>)> {
        let record = self.records.get(&read.address).filter(|r| r.is_linked(read))?;
        let local = record.local.get(&read.block);
        let cta = local.map(|l| Arc::clone(&l.acquired));
        let all = if !read.is_wide {
            cta.clone()
        } else if local.is_some_and(|l| l.is_more) || record.wide.is_none() {
            join_options(record.wide.as_ref(), cta.as_ref())
        } else {
            record.wide.clone()
        };
        all.map(|all| (all, cta))
    }

    /// A strong write, or a plain store that releases.
    pub(crate) fn write(&mut self, access: &Strong, heads: &Heads) {
        self.remove_others(access.address, access.width);
        let is_continued = access.is_rmw && self.records.get(&access.address).is_some_and(|r| r.is_linked(access));
        if !is_continued {
            self.records.remove(&access.address);
        }
        if heads.cta.is_none() && !is_continued {
            return;
        }
        self.widest = self.widest.max(u64::from(access.width));
        let record = self.records.entry(access.address).or_insert_with(|| Record {
            width: access.width,
            writer: access.block,
            is_wide: access.is_wide,
            wide: None,
            local: BTreeMap::new(),
        });
        record.writer = access.block;
        record.is_wide = access.is_wide;
        record.wide = join_options(record.wide.as_ref(), heads.wide.as_ref());
        if let Some(cta) = &heads.cta {
            let is_more = !heads.wide.as_ref().is_some_and(|wide| Arc::ptr_eq(wide, cta));
            let new = &mut self.local;
            let local = record.local.entry(access.block).or_insert_with(|| {
                new.insert((access.block, access.address));
                Local { acquired: Arc::clone(cta), is_more }
            });
            local.acquired = join_shared(Some(&local.acquired), cta);
            local.is_more |= is_more;
        }
    }

    /// A write that releases nothing: what it overwrites can no longer be read.
    pub(crate) fn overwrite(&mut self, address: u64, width: u32) {
        self.remove_others(address, width);
        self.records.remove(&address);
    }

    /// Removes the records that overlap a write but are not of exactly its place and width.
    fn remove_others(&mut self, address: u64, width: u32) {
        let end = address.saturating_add(u64::from(width));
        let near = self.records.range(address.saturating_sub(self.widest)..end);
        let gone: Vec<u64> = near
            .filter(|(start, r)| **start + u64::from(r.width) > address && (**start, r.width) != (address, width))
            .map(|(start, _)| *start)
            .collect();
        for start in gone {
            self.records.remove(&start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(block: u32, time: u32) -> Heads {
        let mut acquired = SparseClock::default();
        acquired.raise_thread(block, 0, time);
        let acquired = Arc::new(acquired);
        Heads { wide: Some(Arc::clone(&acquired)), cta: Some(acquired) }
    }

    fn access(address: u64, width: u32, block: u32, is_rmw: bool) -> Strong {
        Strong { address, width, block, is_wide: true, is_rmw }
    }

    fn time(table: &SyncTable, read: &Strong, block: u32) -> u32 {
        table.acquired(read).map_or(0, |(acquired, _)| acquired.thread(block, 0))
    }

    #[test]
    fn chain_of_atomics_hands_on_every_head() {
        let mut t = SyncTable::default();
        t.write(&access(64, 4, 1, false), &head(1, 10));
        t.write(&access(64, 4, 2, true), &head(2, 20));
        t.write(&access(64, 4, 3, true), &Heads::default());
        let read = access(64, 4, 4, false);
        assert_eq!((time(&t, &read, 1), time(&t, &read, 2)), (10, 20));
        t.write(&access(64, 4, 3, false), &head(3, 30));
        assert_eq!((time(&t, &read, 1), time(&t, &read, 3)), (0, 30));
    }

    #[test]
    fn other_width_ends_the_record() {
        let mut t = SyncTable::default();
        t.write(&access(64, 8, 1, false), &head(1, 10));
        assert_eq!(time(&t, &access(64, 4, 2, false), 1), 0);
        assert_eq!(time(&t, &access(64, 8, 2, false), 1), 10);
        assert!(t.is_near(71, 72) && !t.is_near(0, 64));
        t.overwrite(71, 1);
        assert!(t.is_empty());
    }

    #[test]
    fn block_scope_reaches_the_block_only() {
        let mut t = SyncTable::default();
        let heads = Heads { wide: None, cta: head(1, 10).cta };
        t.write(&access(64, 4, 1, false), &heads);
        assert_eq!(time(&t, &access(64, 4, 2, false), 1), 0);
        assert_eq!(time(&t, &access(64, 4, 1, false), 1), 10);
        t.write(&Strong { is_wide: false, ..access(64, 4, 1, false) }, &head(1, 11));
        assert_eq!(time(&t, &access(64, 4, 2, false), 1), 0);
        assert_eq!(time(&t, &access(64, 4, 1, false), 1), 11);
    }
}

//! Drafts: a memory as it looks to blocks that run ahead of their turn.
//!
//! A [`Draft`] shows the contents of a memory, its *base*, which must not change meanwhile, and keeps what is written to
//! itself. It knows which bytes were read before it wrote them, so that whoever runs several drafts of one base can see
//! whether one of them would have read something else had the earlier ones been applied before ([`Draft::meets`]); if not, it
//! may be applied ([`Draft::apply`]) and comes to what its code does to the base in its turn.
//!
//! To its readers a draft is a [`Memory`] in which nothing lives, so that every access misses there, and is then looked up by
//! way of [`Memory::load_draft`] and its kin; other memories pay nothing for it. An allocation counts as a whole as long as nothing else is asked for: it is read from
//! the base as if there were no draft, or only stored to, in a log, or only touched by pending atomics. Of those with which
//! more is done each byte counts ([`crate::sheet`]).
//!
//! An atomic whose result nobody uses may be left pending ([`Draft::pend`]) for its caller to do when the draft is applied.
//! A draft that then reads or writes such bytes, that reads from an allocation that counts as a whole after it wrote there,
//! or that grows beyond its limit, is *spoilt*: it is good for nothing but
//! being thrown away. Accesses to a spoilt draft fail as those outside of allocations do.
//!
//! Not here: allocating and freeing, of which a draft's code must do nothing.

use crate::address::Region;
use crate::memory::Memory;
use crate::overlay::{FOLDER, Overlay, Track, lock};
use crate::sheet::{SHEET, part};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

/// A memory as it looks to blocks that run ahead of their turn.
#[derive(Debug, Default)]
pub struct Draft(Memory);

impl Draft {
    /// Begins a draft of `base`. `mixed` says, by place ([`Memory::places`]), of which allocations each byte counts; `most` is
    /// how many sheets of 4 KiB it may use.
    pub fn begin(&mut self, base: &Arc<Memory>, mixed: &Arc<[bool]>, most: usize) {
        self.end();
        let overlay = &mut **self.0.overlay.get_or_insert_default();
        let kept = overlay.made.load(Relaxed) + lock(&overlay.log).capacity() / (SHEET / 8);
        if kept > 2 * most || overlay.shape != base.shape() {
            *overlay = Overlay { shape: base.shape(), ..Overlay::default() };
        }
        overlay.tracks.resize_with(base.places(), Track::default);
        (overlay.mixed, overlay.base) = (mixed.clone(), Some(base.clone()));
        (overlay.most, overlay.is_ahead) = (most, true);
    }

    /// Makes it blank, and lets go of the base.
    pub fn end(&mut self) {
        let Some(overlay) = self.0.overlay.as_deref_mut() else { return };
        overlay.base = None;
        for (place, number) in std::mem::take(&mut *lock(&overlay.used)) {
            let folders = overlay.tracks.get_mut(place as usize).and_then(|t| t.folders.get_mut());
            let folder = folders.and_then(|all| all.get_mut(number as usize / FOLDER)).and_then(OnceLock::get_mut);
            if let Some(sheet) = folder.and_then(|f| f[number as usize % FOLDER].get_mut()) {
                sheet.clear();
            }
        }
        for place in std::mem::take(&mut *lock(&overlay.touched)) {
            if let Some(track) = overlay.tracks.get_mut(place as usize) {
                for flag in [&mut track.is_read, &mut track.is_stored, &mut track.is_pended] {
                    *flag.get_mut() = false;
                }
            }
        }
        *overlay.count.get_mut() = 0;
        lock(&overlay.log).clear();
        for flag in [&mut overlay.is_reading, &mut overlay.is_pending, &mut overlay.is_spoilt] {
            *flag.get_mut() = false;
        }
    }

    /// The memory that its code sees.
    pub fn memory(&self) -> &Memory {
        &self.0
    }

    /// Says that atomics on these bytes, which lie in an allocation and in one word, are pending.
    pub fn pend(&self, address: u64, bytes: usize) {
        let Some(overlay) = self.0.overlay.as_deref() else { return };
        let Some(spot) = overlay.locate(address, bytes as u64, &mut 0) else { return };
        overlay.touch(&spot, &spot.track.is_pended);
        if !overlay.is_mixed(&spot) {
            if spot.track.is_stored.load(Relaxed) {
                overlay.is_spoilt.store(true, Relaxed);
            }
            return;
        }
        overlay.is_pending.store(true, Relaxed);
        if let Some(sheet) = overlay.sheet(&spot, spot.offset) {
            sheet.note_pending(part(spot.offset, bytes));
        }
    }

    /// Whether it is good for nothing.
    pub fn is_spoilt(&self) -> bool {
        self.0.overlay.as_deref().is_none_or(|o| o.is_spoilt.load(Relaxed))
    }

    /// How many sheets it uses, those that its log would fill included.
    pub fn sheets(&self) -> usize {
        self.0.overlay.as_deref().map_or(0, |o| o.count.load(Relaxed) + lock(&o.log).len().div_ceil(SHEET / 8))
    }

    /// Whether it is as large as it may become.
    pub fn is_full(&self) -> bool {
        self.0.overlay.as_deref().is_some_and(|o| self.sheets() >= o.most)
    }

    /// Whether it has read any allocation of which `uses` says more than that it was read.
    pub fn reads_any(&self, uses: &[u8]) -> bool {
        let Some(own) = self.0.overlay.as_deref() else { return true };
        let is_changed = |&place: &u32| uses.get(place as usize).is_some_and(|&p| p > 1);
        let is_read = |place: &u32| own.tracks[*place as usize].is_read.load(Relaxed);
        lock(&own.touched).iter().any(|place| is_changed(place) && is_read(place))
    }

    /// Whether it has read what an earlier draft of the same base writes.
    pub fn meets(&self, earlier: &Draft) -> bool {
        let (Some(own), Some(earlier)) = (self.0.overlay.as_deref(), earlier.0.overlay.as_deref()) else { return true };
        let changes = |place: u32| earlier.tracks.get(place as usize).is_some_and(Track::is_written);
        let is_whole = |&place: &u32| !own.mixed.get(place as usize).is_some_and(|&m| m);
        let is_read = |&place: &u32| own.tracks[place as usize].is_read.load(Relaxed);
        if lock(&own.touched).iter().any(|place| is_whole(place) && is_read(place) && changes(*place)) {
            return true;
        }
        own.is_reading.load(Relaxed)
            && lock(&own.used).iter().any(|&(place, number)| {
                changes(place)
                    && match (own.existing(place, number), earlier.existing(place, number)) {
                        (Some(sheet), Some(other)) => sheet.meets(other),
                        _ => false,
                    }
            })
    }

    /// Notes what was done with each allocation, by place: 1 if it was read, 2 stored to, 4 touched by pending atomics.
    pub fn note_uses(&self, uses: &mut [u8]) {
        let Some(overlay) = self.0.overlay.as_deref() else { return };
        for &place in lock(&overlay.touched).iter() {
            if let (Some(noted), Some(t)) = (uses.get_mut(place as usize), overlay.tracks.get(place as usize)) {
                let flags = [&t.is_read, &t.is_stored, &t.is_pended].map(|f| u8::from(f.load(Relaxed)));
                *noted |= flags[0] | flags[1] << 1 | flags[2] << 2;
            }
        }
    }

    /// Writes what it has to its base. `None` if there is no room for pages.
    pub fn apply(&self) -> Option<()> {
        let overlay = self.0.overlay.as_deref()?;
        let base = overlay.base.as_deref()?;
        for &(place, number) in lock(&overlay.used).iter() {
            if let (Some(sheet), Some(live)) = (overlay.existing(place, number), base.live.get(place as usize)) {
                sheet.apply(&live.backing, number as usize * SHEET)?;
            }
        }
        overlay.do_noted(base)
    }

    /// Says that it is its turn: it has been applied, its pending atomics have been done, and what it reads from here on is
    /// right in any case.
    pub fn take_turn(&mut self) {
        let Some(overlay) = self.0.overlay.as_deref_mut() else { return };
        overlay.is_ahead = false;
        lock(&overlay.log).clear();
        if std::mem::take(overlay.is_pending.get_mut()) {
            for &(place, number) in lock(&overlay.used).iter() {
                if let Some(sheet) = overlay.existing(place, number) {
                    sheet.settle();
                }
            }
        }
    }
}

impl Memory {
    /// Whether a live allocation holds all bytes from `low` up to `high`, not included.
    pub fn holds(&self, low: u64, high: u64) -> bool {
        let in_draft = || self.overlay.as_ref().is_some_and(|o| o.holds(low, high - low));
        low <= high && (self.locate(low, high - low, &mut 0).is_some() || in_draft())
    }

    /// How many places its list of allocations has.
    pub fn places(&self) -> usize {
        self.live.len()
    }

    /// Whether all that device code may write can be written without a page that might be wanting.
    pub fn has_room_for_writes(&self) -> bool {
        let alive = self.live.iter().filter(|l| Region::of(l.base).is_some_and(Region::is_device_accessible));
        alive.map(|l| l.backing.wanting()).sum::<u64>() <= self.desk.pool().room()
    }

    /// Two numbers of which one changes whenever anything is allocated or freed.
    fn shape(&self) -> (u32, usize) {
        (self.history.next().map_or(u32::MAX, |id| id.0), self.live.len() - self.dead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Lanes;
    use source::Span;

    fn base() -> (Arc<Memory>, u64, u64) {
        let mut m = Memory::new();
        let mut alloc = |name| m.alloc(Region::Device(0), 10_000, name, Span::NONE).unwrap_or_default();
        let (a, b) = (alloc("a"), alloc("b"));
        m.write(a, &[1; 10_000]).expect("inside");
        (Arc::new(m), a, b)
    }

    fn draft(base: &Arc<Memory>, mixed: &[bool]) -> Draft {
        let mut draft = Draft::default();
        draft.begin(base, &mixed.into(), 100);
        draft
    }

    fn load(draft: &Draft, address: u64) -> Option<u32> {
        let mut out = [0];
        (draft.memory().load_draft::<u32, 1>(&Lanes::Uniform(address), 1, &mut out, &mut 0) == 0).then_some(out[0])
    }

    fn put<T: crate::Word>(draft: &Draft, address: u64, value: T) -> bool {
        draft.memory().store_draft::<T, 1>(&Lanes::Uniform(address), 1, &[value], &mut 0) == 0
    }

    fn store(draft: &Draft, address: u64, value: u32) {
        assert!(put(draft, address, value));
    }

    #[test]
    fn a_draft_sees_its_own_words_and_leaves_the_base_alone_until_it_is_applied() {
        let (base, a, _) = base();
        let draft = draft(&base, &[true, true]);
        store(&draft, a + 8, 77);
        assert!(put(&draft, a + 13, 2u8));
        assert_eq!([a, a + 8, a + 12].map(|at| load(&draft, at)), [0x0101_0101, 77, 0x0101_0201].map(Some));
        let mut bytes = [0; 4];
        assert!(draft.memory().read(a + 10, &mut bytes).is_some());
        assert_eq!(bytes, [0, 0, 1, 2]);
        assert_eq!(base.load::<u32>(a + 8, &mut 0), Some(0x0101_0101));
        assert_eq!((load(&draft, a + 10_000), load(&draft, a - 4)), (None, None));
        assert!(draft.memory().holds(a, a + 10_000) && !draft.memory().holds(a, a + 10_001));
        assert!(!draft.is_spoilt() && draft.apply().is_some());
        assert_eq!([a + 4, a + 8, a + 12].map(|at| base.load(at, &mut 0)), [0x0101_0101, 77, 0x0101_0201u32].map(Some));
    }

    #[test]
    fn rows_are_as_their_words() {
        let (base, a, b) = base();
        let draft = draft(&base, &[true, true]);
        let memory = draft.memory();
        let values: [u32; 32] = std::array::from_fn(|i| i as u32 + 5);
        let mut out = [0u32; 32];
        for first in [b, b + 4, b + 4000, b + 4096 - 64] {
            assert_eq!(memory.store_draft(&Lanes::Contiguous(first), u32::MAX, &values, &mut 0), 0);
            assert_eq!(memory.load_draft(&Lanes::Contiguous(first), u32::MAX, &mut out, &mut 0), 0);
            assert_eq!(out, values);
        }
        assert_eq!(memory.store_draft(&Lanes::Contiguous(a), 0xff, &values, &mut 0), 0);
        assert_eq!(memory.load_draft(&Lanes::Contiguous(a), u32::MAX, &mut out, &mut 0), 0);
        assert_eq!((out[7], out[8]), (12, 0x0101_0101));
        assert_eq!(memory.store_draft(&Lanes::Contiguous(a + 9_900), u32::MAX, &values, &mut 0), 0xfe00_0000);
        assert!(draft.apply().is_some());
        assert_eq!([b, b + 128, b + 4096 + 60].map(|at| base.load(at, &mut 0)), [5u32, 36, 36].map(Some));
    }

    #[test]
    fn a_draft_meets_what_it_read_before_it_wrote_it() {
        let (base, a, b) = base();
        let [earlier, elsewhere, same, own] = [(); 4].map(|()| draft(&base, &[true, true]));
        store(&earlier, a + 64, 3);
        assert_eq!((load(&elsewhere, a + 60), load(&elsewhere, b)), (Some(0x0101_0101), Some(0)));
        assert_eq!(load(&same, a + 64), Some(0x0101_0101));
        store(&own, a + 64, 4);
        assert_eq!(load(&own, a + 64), Some(4));
        assert_eq!([&elsewhere, &same, &own].map(|d| d.meets(&earlier)), [false, true, false]);
    }

    #[test]
    fn allocations_that_count_as_a_whole_are_read_or_stored_to() {
        let (base, a, b) = base();
        let [earlier, reader, writer] = [(); 3].map(|()| draft(&base, &[]));
        store(&earlier, a + 64, 3);
        store(&writer, a + 128, 5);
        store(&writer, a + 128, 6);
        assert_eq!((load(&reader, a), load(&writer, b)), (Some(0x0101_0101), Some(0)));
        let mut uses = [0; 2];
        earlier.note_uses(&mut uses);
        assert_eq!(uses, [2, 0]);
        assert_eq!([&reader, &writer].map(|d| (d.reads_any(&uses), d.meets(&earlier))), [(true, true), (false, false)]);
        assert!(earlier.apply().is_some() && writer.apply().is_some());
        assert_eq!([a + 64, a + 128].map(|at| base.load(at, &mut 0)), [3u32, 6].map(Some));
        assert_eq!((load(&writer, a), writer.is_spoilt()), (None, true));
        writer.note_uses(&mut uses);
        assert_eq!(uses, [3, 1]);
    }

    #[test]
    fn bytes_of_a_pending_atomic_spoil_the_draft_that_reads_them() {
        let (base, a, _) = base();
        let mixed: Arc<[bool]> = [true, true].into();
        let mut draft = draft(&base, &mixed);
        draft.pend(a + 4, 4);
        assert_eq!((load(&draft, a), draft.is_spoilt()), (Some(0x0101_0101), false));
        assert_eq!((load(&draft, a + 4), draft.is_spoilt()), (None, true));
        draft.begin(&base, &mixed, 100);
        assert_eq!(draft.sheets(), 0);
        assert_eq!((load(&draft, a + 4), draft.is_spoilt(), draft.sheets()), (Some(0x0101_0101), false, 1));
        store(&draft, a + 4, 9);
        draft.pend(a + 4, 4);
        assert!(draft.apply().is_some() && base.store::<u32>(a + 4, 10, &mut 0).is_some());
        draft.take_turn();
        assert_eq!((load(&draft, a + 4), draft.is_spoilt()), (Some(10), false));
    }

    #[test]
    fn a_draft_that_grows_too_large_is_spoilt() {
        let (base, a, b) = base();
        let mut draft = draft(&base, &[]);
        draft.begin(&base, &[true, true].into(), 3);
        [a, a + 4096, a + 8192].into_iter().for_each(|at| store(&draft, at, 1));
        assert!(!draft.is_spoilt());
        assert!(!put(&draft, b, 1u32) && draft.is_spoilt());
    }
}

//! Accesses to a draft: what it keeps of each allocation, and where a word is read and written (see `draft`).

use crate::lanes::{Lanes, Word, load_at};
use crate::memory::{Live, Memory};
use crate::sheet::{SHEET, Sheet, part, parts};
use crate::warp::failing;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Sheets of a folder.
pub(crate) const FOLDER: usize = 64;
/// Where in the head of a noted store the number of its words begins, and the logarithm of their bytes.
const COUNT: u32 = 48;
const WIDTH: u32 = 56;

pub(crate) type Folder = OnceLock<Box<[OnceLock<Box<Sheet>>; FOLDER]>>;

/// What is noted of an allocation.
#[derive(Default)]
pub(crate) struct Track {
    /// Whether it was read, stored to, or touched by atomics that are pending.
    pub(crate) is_read: AtomicBool,
    pub(crate) is_stored: AtomicBool,
    pub(crate) is_pended: AtomicBool,
    pub(crate) folders: OnceLock<Box<[Folder]>>,
}

impl Track {
    pub(crate) fn is_written(&self) -> bool {
        self.is_stored.load(Relaxed) || self.is_pended.load(Relaxed)
    }
}

/// What is noted of all memory; the part of a [`Memory`] that makes it a draft.
#[derive(Default)]
pub(crate) struct Overlay {
    pub(crate) base: Option<Arc<Memory>>,
    /// Which allocations there were when it was used last.
    pub(crate) shape: (u32, usize),
    /// By place in the base's list.
    pub(crate) tracks: Vec<Track>,
    /// The allocations of which each byte counts, by place.
    pub(crate) mixed: Arc<[bool]>,
    pub(crate) touched: Mutex<Vec<u32>>,
    /// Sheets that are not blank: place of the allocation and number.
    pub(crate) used: Mutex<Vec<(u32, u32)>>,
    pub(crate) count: AtomicUsize,
    pub(crate) most: usize,
    /// Sheets that exist.
    pub(crate) made: AtomicUsize,
    /// What was stored to allocations that count as a whole: for each store where, how much, and the words.
    pub(crate) log: Mutex<Vec<u64>>,
    /// Whether it is not its turn.
    pub(crate) is_ahead: bool,
    pub(crate) is_reading: AtomicBool,
    pub(crate) is_pending: AtomicBool,
    pub(crate) is_spoilt: AtomicBool,
}

/// Where an access goes.
pub(crate) struct Spot<'a> {
    pub(crate) base: &'a Memory,
    pub(crate) live: &'a Live,
    pub(crate) track: &'a Track,
    pub(crate) place: u32,
    pub(crate) offset: usize,
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overlay").field("sheets", &self.count).finish_non_exhaustive()
    }
}

/// What a mutex guards.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Overlay {
    #[inline]
    pub(crate) fn locate(&self, address: u64, bytes: u64, hint: &mut u32) -> Option<Spot<'_>> {
        let base = self.base.as_deref()?;
        let live = base.locate(address, bytes, hint)?;
        let track = self.tracks.get(*hint as usize)?;
        Some(Spot { base, live, track, place: *hint, offset: (address - live.base) as usize })
    }

    /// Whether all bytes lie in one allocation.
    pub(crate) fn holds(&self, low: u64, bytes: u64) -> bool {
        self.locate(low, bytes, &mut 0).is_some()
    }

    /// Sets a flag of an allocation.
    #[inline]
    pub(crate) fn touch(&self, spot: &Spot<'_>, flag: &AtomicBool) {
        if !flag.load(Relaxed) {
            flag.store(true, Relaxed);
            lock(&self.touched).push(spot.place);
        }
    }

    /// Whether each byte of an allocation counts. In its turn a draft has to see what it writes.
    #[inline]
    pub(crate) fn is_mixed(&self, spot: &Spot<'_>) -> bool {
        self.mixed.get(spot.place as usize).is_some_and(|&m| m) || !self.is_ahead
    }

    fn spoil<T>(&self) -> Option<T> {
        self.is_spoilt.store(true, Relaxed);
        None
    }

    /// About to read from an allocation that counts as a whole.
    #[inline]
    fn read_whole(&self, spot: &Spot<'_>) -> Option<()> {
        self.touch(spot, &spot.track.is_read);
        if spot.track.is_written() { self.spoil() } else { Some(()) }
    }

    /// Notes stores to an allocation that counts as a whole: `count` words from `address` on.
    fn note<T: Word>(&self, log: &mut Vec<u64>, spot: &Spot<'_>, address: u64, values: &[T]) -> Option<()> {
        if spot.track.is_pended.load(Relaxed) || log.len() >= self.most * (SHEET / 8) {
            return self.spoil();
        }
        log.push(address | (values.len() as u64) << COUNT | u64::from(T::BYTES.trailing_zeros()) << WIDTH);
        let together = |word: u64, (i, value): (usize, &T)| word | value.word() << (i * T::BYTES * 8);
        log.extend(values.chunks(8 / T::BYTES).map(|values| values.iter().enumerate().fold(0, together)));
        Some(())
    }

    /// Does the stores that were noted, in order. `None` if there is no room for pages.
    pub(crate) fn do_noted(&self, base: &Memory) -> Option<()> {
        let log = lock(&self.log);
        let (mut rest, mut hint) = (&log[..], 0);
        while let Some((&head, words)) = rest.split_first() {
            let (address, count) = (head & ((1 << COUNT) - 1), (head >> COUNT) as usize & 63);
            let bytes = count << (head >> WIDTH);
            let (words, behind) = words.split_at(bytes.div_ceil(8));
            rest = behind;
            match (bytes, words) {
                (4, &[word]) => base.store(address, word as u32, &mut hint)?,
                (8, &[word]) => base.store(address, word, &mut hint)?,
                _ => {
                    let live = base.locate(address, bytes as u64, &mut hint)?;
                    let mut row = [0; 256];
                    for (bytes, word) in row.chunks_exact_mut(8).zip(words) {
                        bytes.copy_from_slice(&word.to_le_bytes());
                    }
                    live.backing.write((address - live.base) as usize, &row[..bytes])?;
                }
            }
        }
        Some(())
    }

    pub(crate) fn existing(&self, place: u32, number: u32) -> Option<&Sheet> {
        let folders = self.tracks.get(place as usize)?.folders.get()?;
        let folder = folders.get(number as usize / FOLDER)?.get()?;
        folder[number as usize % FOLDER].get().map(|sheet| &**sheet)
    }

    /// The sheet of a byte, about to be written on. `None` if that would be one too many.
    #[inline]
    pub(crate) fn sheet<'a>(&self, spot: &Spot<'a>, offset: usize) -> Option<&'a Sheet> {
        let number = offset / SHEET;
        let found = spot.track.folders.get().and_then(|all| all.get(number / FOLDER)?.get()?[number % FOLDER].get());
        match found {
            Some(sheet) if !sheet.is_blank() => Some(sheet),
            _ => self.fresh(spot, number),
        }
    }

    #[cold]
    fn fresh<'a>(&self, spot: &Spot<'a>, number: usize) -> Option<&'a Sheet> {
        let (track, live) = (spot.track, spot.live);
        if self.count.fetch_add(1, Relaxed) >= self.most && self.is_ahead {
            return self.spoil();
        }
        let count = (live.bytes as usize).div_ceil(SHEET * FOLDER);
        let folders = track.folders.get_or_init(|| std::iter::repeat_with(Folder::new).take(count).collect());
        let folder = folders.get(number / FOLDER)?.get_or_init(|| Box::new(std::array::from_fn(|_| OnceLock::new())));
        let sheet = folder[number % FOLDER].get_or_init(|| {
            self.made.fetch_add(1, Relaxed);
            Sheet::new()
        });
        lock(&self.used).push((spot.place, number as u32));
        Some(sheet)
    }

    /// Reads a word of the allocation.
    #[inline]
    fn word<T: Word>(&self, spot: &Spot<'_>, offset: usize) -> Option<T> {
        if !self.is_mixed(spot) {
            self.read_whole(spot)?;
            return Some(load_at(&spot.live.backing, offset));
        }
        self.touch(spot, &spot.track.is_read);
        if !offset.is_multiple_of(T::BYTES) {
            let mut bytes = [0; 8];
            for (i, byte) in bytes[..T::BYTES].iter_mut().enumerate() {
                *byte = self.word::<u8>(spot, offset + i)?;
            }
            return Some(T::from_bytes(bytes));
        }
        let before = || load_at::<T>(&spot.live.backing, offset);
        let part = part(offset, T::BYTES);
        let number = (offset / SHEET) as u32;
        let sheet = if self.is_ahead {
            let sheet = self.sheet(spot, offset)?;
            if self.is_pending.load(Relaxed) && sheet.is_pending(part) {
                return self.spoil();
            }
            sheet
        } else {
            let Some(sheet) = self.existing(spot.place, number) else { return Some(before()) };
            sheet
        };
        let own = sheet.written(part);
        if own == part.1 {
            return Some(sheet.get(offset));
        }
        if self.is_ahead {
            sheet.note_read((part.0, part.1 & !own));
            self.is_reading.store(true, Relaxed);
        }
        if own == 0 {
            return Some(before());
        }
        let (mut bytes, own_bytes) = (before().to_bytes(), sheet.get::<T>(offset).to_bytes());
        for (i, byte) in bytes.iter_mut().enumerate().take(T::BYTES) {
            if own >> (offset % 64 + i) & 1 != 0 {
                *byte = own_bytes[i];
            }
        }
        Some(T::from_bytes(bytes))
    }

    /// Writes a word of the allocation.
    #[inline]
    fn put<T: Word>(&self, spot: &Spot<'_>, offset: usize, value: T) -> Option<()> {
        if !offset.is_multiple_of(T::BYTES) {
            let bytes = value.to_bytes();
            return (0..T::BYTES).try_for_each(|i| self.put(spot, offset + i, bytes[i]));
        }
        let sheet = self.sheet(spot, offset)?;
        if self.is_pending.load(Relaxed) && sheet.is_pending(part(offset, T::BYTES)) {
            return self.spoil();
        }
        sheet.put(offset, value);
        Some(())
    }

    /// Copies bytes out.
    pub(crate) fn read(&self, address: u64, out: &mut [u8]) -> Option<()> {
        let spot = self.locate(address, out.len() as u64, &mut 0)?;
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = self.word(&spot, spot.offset + i)?;
        }
        Some(())
    }

    /// Reads one word for each lane of `mask`; gives the mask of the lanes that could not.
    fn load_lanes<T: Word, const W: usize>(
        &self,
        lanes: &Lanes<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> u32 {
        if let Lanes::Contiguous(first) = *lanes
            && let Some(spot) = self.locate(first, (W * T::BYTES) as u64, hint)
        {
            let is_mixed = self.is_mixed(&spot);
            if !is_mixed && self.read_whole(&spot).is_none() {
                return mask;
            }
            if !is_mixed || mask.count_ones() as usize == W && self.notes_row::<T, W>(&spot) {
                return spot.base.load_lanes(lanes, mask, out, hint);
            }
        }
        if let Lanes::Uniform(address) = *lanes {
            let word = self.locate(address, T::BYTES as u64, hint).and_then(|s| self.word::<T>(&s, s.offset));
            return failing(mask, |i| word.map(|word| out[i] = word));
        }
        // Where an allocation is read as a whole, its words are there to be taken.
        let mut whole = u32::MAX;
        failing(mask, |i| {
            let spot = self.locate(lanes.address(i, T::BYTES), T::BYTES as u64, hint)?;
            if spot.place != whole {
                if self.is_mixed(&spot) {
                    return self.word(&spot, spot.offset).map(|word| out[i] = word);
                }
                self.read_whole(&spot)?;
                whole = spot.place;
            }
            out[i] = load_at(&spot.live.backing, spot.offset);
            Some(())
        })
    }

    /// About to read a row of words of an allocation of which each byte counts: notes that they were read and says yes if
    /// they are all as they were.
    fn notes_row<T: Word, const W: usize>(&self, spot: &Spot<'_>) -> bool {
        let (first, bytes) = (spot.offset, W * T::BYTES);
        if !is_in_sheet(first, bytes) {
            return false;
        }
        self.touch(spot, &spot.track.is_read);
        let is_pending = self.is_pending.load(Relaxed);
        let clean = |s: &Sheet, part| s.written(part) == 0 && !(is_pending && s.is_pending(part));
        if !self.is_ahead {
            let sheet = self.existing(spot.place, (first / SHEET) as u32);
            return sheet.is_none_or(|s| parts(first, bytes).all(|part| clean(s, part)));
        }
        let Some(sheet) = self.sheet(spot, first).filter(|s| parts(first, bytes).all(|part| clean(s, part))) else {
            return false;
        };
        parts(first, bytes).for_each(|part| sheet.note_read(part));
        self.is_reading.store(true, Relaxed);
        true
    }

    /// Writes one word for each lane of `mask`, in the order of lanes; gives the mask of the lanes that could not.
    fn store_lanes<T: Word, const W: usize>(
        &self,
        lanes: &Lanes<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> u32 {
        let mut log = lock(&self.log);
        if let Lanes::Contiguous(first) = *lanes
            && mask.count_ones() as usize == W
            && let Some(spot) = self.locate(first, (W * T::BYTES) as u64, hint)
        {
            self.touch(&spot, &spot.track.is_stored);
            if !self.is_mixed(&spot) {
                return if self.note(&mut log, &spot, first, values).is_some() { 0 } else { mask };
            }
            if is_in_sheet(spot.offset, W * T::BYTES) && spot.offset.is_multiple_of(8) && !self.is_pending.load(Relaxed)
            {
                let Some(sheet) = self.sheet(&spot, spot.offset) else { return mask };
                sheet.put_row(spot.offset, values);
                return 0;
            }
        }
        let mut last = u32::MAX;
        failing(mask, |i| {
            let address = lanes.address(i, T::BYTES);
            let spot = self.locate(address, T::BYTES as u64, hint)?;
            if spot.place != last {
                self.touch(&spot, &spot.track.is_stored);
                last = spot.place;
            }
            if self.is_mixed(&spot) {
                return self.put(&spot, spot.offset, values[i]);
            }
            self.note(&mut log, &spot, address, &values[i..=i])
        })
    }
}

impl Memory {
    /// Whether it is that of a draft: then nothing is found in it but by [`Memory::read`], [`Memory::holds`],
    /// [`Memory::load_draft`] and [`Memory::store_draft`].
    #[inline]
    pub fn is_draft(&self) -> bool {
        self.overlay.is_some()
    }

    /// Of a draft: reads one word for each lane of `mask`; gives the mask of the lanes that could not.
    pub fn load_draft<T: Word, const W: usize>(
        &self,
        lanes: &Lanes<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> u32 {
        self.overlay.as_ref().map_or(mask, |o| o.load_lanes(lanes, mask, out, hint))
    }

    /// Of a draft: writes one word for each lane of `mask`, in the order of lanes; gives the mask of the lanes that could not.
    pub fn store_draft<T: Word, const W: usize>(
        &self,
        lanes: &Lanes<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> u32 {
        self.overlay.as_ref().map_or(mask, |o| o.store_lanes(lanes, mask, values, hint))
    }
}

/// Whether so many bytes lie in one sheet.
fn is_in_sheet(first: usize, bytes: usize) -> bool {
    first % SHEET + bytes <= SHEET
}

//! The program's memory as procedures of C see it: a buffer for each stretch, at an address that stays the same.
//!
//! A buffer is a copy of the program's memory, or that memory itself, which the program has lent. Of large copies only those pages are
//! filled that have changed since the last call, and only those looked at behind it that C has written (`mapping`).
#![allow(unsafe_code)] // C has the addresses of the buffers and writes to them during a call.

use crate::door::{read_memory, write_memory};
use crate::libraries::Libraries;
use crate::mapping::{self, Mapping};
use crate::stack;
use ir::foreign::{Contents, Entries, Piece};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::Arc;

/// Changes are found in units of this many bytes.
const UNIT: usize = 4;
/// Blocks of so many bytes are compared at once first.
const BLOCK: usize = 4096;

/// Bytes of a line.
const LINE: usize = 64;

/// The alignment of a buffer, which is that of the largest vectors.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "bytes are reached by the address")] [u8; LINE]);

/// A stretch of memory.
struct Buffer {
    place: Place,
    bytes: usize,
}

enum Place {
    /// A copy, which begins at one of the lines.
    Copy(Vec<Line>, usize),
    /// A copy by pages.
    Mapped(Mapped),
    /// Memory of the program that is lent, by its address.
    Lent(*mut u8),
}

/// A copy by pages.
struct Mapped {
    mapping: Mapping,
    /// What it was filled with, which is as it was as long as this is here, and the numbers of the pages of that.
    filled: Option<(Arc<dyn Contents>, Vec<usize>)>,
}

impl Mapped {
    /// Fills the pages that have changed.
    fn fill(&mut self, contents: &Arc<dyn Contents>) {
        let all = contents.bytes();
        let (page, numbers) = contents.pages().unwrap_or_else(|| (all.max(1), Vec::new()));
        let old = self.filled.take().map_or_else(Vec::new, |(_, numbers)| numbers);
        let mut bytes = vec![0; page.min(all)];
        for (at, offset) in (0..all).step_by(page).enumerate() {
            let is_same = old.len() == numbers.len() && numbers.get(at).is_some_and(|number| old[at] == *number);
            if !is_same {
                let bytes = &mut bytes[..page.min(all - offset)];
                contents.read(offset, bytes);
                self.mapping.put(offset, bytes);
            }
        }
        self.filled = Some((contents.clone(), numbers));
    }
}

// SAFETY: who calls C has borrowed the memory that is lent as long as the call lasts, on whichever thread.
unsafe impl Send for Buffer {}

impl Buffer {
    fn new(contents: &dyn Contents, align: usize) -> Buffer {
        let bytes = contents.bytes();
        let mapping = contents.pages().filter(|_| align <= mapping::PAGE).and_then(|_| Mapping::new(bytes));
        let place = match mapping {
            Some(mapping) => Place::Mapped(Mapped { mapping, filled: None }),
            None => {
                let lead = align.div_ceil(LINE) - 1;
                let lines = vec![Line([0; LINE]); bytes.div_ceil(LINE).max(1) + lead];
                let first = lines.as_ptr().addr();
                Place::Copy(lines, (first.next_multiple_of(align.max(1)) - first) / LINE)
            }
        };
        Buffer { place, bytes }
    }

    fn fill(&mut self, contents: &Arc<dyn Contents>) {
        match &mut self.place {
            Place::Mapped(mapped) => mapped.fill(contents),
            _ => contents.read(0, self.contents()),
        }
    }

    /// Adds the stretches that differ from what it was filled with, unless they do not count. Large copies are as before then.
    fn changes(&mut self, piece: &Piece, out: &mut Vec<(u64, Vec<u8>)>) {
        let all = 0..self.bytes;
        let written = match &self.place {
            Place::Mapped(mapped) => mapped.mapping.written().unwrap_or_else(|| vec![all]),
            _ => vec![all],
        };
        for range in written {
            let range = range.start..range.end.min(self.bytes);
            if !piece.reads_only {
                changed(piece, self.contents(), range.clone(), out);
            }
            if let Place::Mapped(mapped) = &mut self.place {
                mapped.mapping.forget(range);
            }
        }
    }

    fn address(&self) -> u64 {
        match &self.place {
            Place::Copy(lines, first) => lines[*first..].as_ptr() as u64,
            Place::Mapped(mapped) => mapped.mapping.address() as u64,
            Place::Lent(first) => *first as u64,
        }
    }

    fn contents(&mut self) -> &mut [u8] {
        let first = match &mut self.place {
            Place::Copy(lines, first) => lines[*first..].as_mut_ptr().cast::<u8>(),
            Place::Mapped(mapped) => mapped.mapping.address(),
            Place::Lent(first) => *first,
        };
        // SAFETY: that many bytes are there in a row, any byte is a value, and no procedure of C runs now; who has lent memory has
        // borrowed it exclusively.
        unsafe { std::slice::from_raw_parts_mut(first, self.bytes) }
    }
}

/// The buffers, by the first address that the program has for them.
#[derive(Default)]
pub(crate) struct Buffers {
    by_base: BTreeMap<u64, Buffer>,
    /// What the program has as the addresses of the procedures that C can call, by their entries; 0 for those of other ranks.
    entries: Vec<u64>,
    /// How many of them there are.
    learnt: usize,
    /// Where procedures of libraries are that the program gives to others, by what it has as their addresses.
    natives: BTreeMap<u64, u64>,
}

impl Buffers {
    /// Fills the buffers for a call. Those of memory that the program has no more are given up.
    pub(crate) fn fill(&mut self, memory: &[Piece]) {
        let has = |base: u64, bytes: usize| {
            let at = memory.binary_search_by_key(&base, |piece| piece.base);
            at.is_ok_and(|at| memory[at].contents.bytes() == bytes)
        };
        self.by_base.retain(|&base, buffer| has(base, buffer.bytes));
        for piece in memory {
            let buffer =
                self.by_base.entry(piece.base).or_insert_with(|| Buffer::new(&*piece.contents, piece.align as usize));
            buffer.fill(&piece.contents);
        }
        for piece in memory {
            self.translate(piece.base, &piece.pointers, Buffers::to_native);
        }
    }

    /// Lends memory of the program, which has so many bytes from `first` on.
    ///
    /// # Safety
    /// The bytes stay there until they are taken back, and while C runs or buffers are looked at nobody else uses them.
    pub(crate) unsafe fn lend(&mut self, base: u64, bytes: usize, first: *mut u8) {
        self.by_base.insert(base, Buffer { place: Place::Lent(first), bytes });
    }

    /// The first addresses of what is lent, and its bytes.
    pub(crate) fn lent(&self) -> impl Iterator<Item = (u64, u64)> {
        let is_lent = |(_, buffer): &(&u64, &Buffer)| matches!(buffer.place, Place::Lent(_));
        self.by_base.iter().filter(is_lent).map(|(&base, buffer)| (base, buffer.bytes as u64))
    }

    /// C has no use any more for what was lent there.
    pub(crate) fn take_back(&mut self, base: u64) {
        self.by_base.remove(&base);
    }

    /// Where so many bytes of the program are that are lent.
    pub(crate) fn lent_at(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let (base, buffer) = self.by_base.range(..=address).next_back()?;
        let offset = address - base;
        match buffer.place {
            Place::Lent(first) if offset + bytes <= buffer.bytes as u64 => Some(first.wrapping_add(offset as usize)),
            _ => None,
        }
    }

    /// What has changed in the buffers; pointers are the program's again.
    pub(crate) fn changes(&mut self, memory: &[Piece]) -> Vec<(u64, Vec<u8>)> {
        let mut out = Vec::new();
        for piece in memory {
            if !piece.reads_only {
                self.translate(piece.base, &piece.pointers, Buffers::to_program);
            }
            if let Some(buffer) = self.by_base.get_mut(&piece.base) {
                buffer.changes(piece, &mut out);
            }
        }
        out
    }

    /// Translates the pointers at some offsets from an address of the program, or of memory of C, on.
    pub(crate) fn translate(&mut self, from: u64, pointers: &[u64], translated: fn(&Buffers, u64) -> u64) {
        for &at in pointers {
            let Some(&mut old) = self.word(from + at) else {
                self.translate_of_c(from + at, translated);
                continue;
            };
            let new = translated(self, u64::from_le_bytes(old));
            if let Some(word) = self.word(from + at) {
                *word = new.to_le_bytes();
            }
        }
    }

    /// Translates a pointer in memory of C, which may have given that back by now.
    fn translate_of_c(&self, address: u64, translated: fn(&Buffers, u64) -> u64) {
        let mut word = [0; 8];
        if !read_memory(address, &mut word) {
            return;
        }
        let (old, new) = (u64::from_le_bytes(word), translated(self, u64::from_le_bytes(word)));
        if new != old {
            write_memory(address, &new.to_le_bytes());
        }
    }

    /// The word at an address of the program.
    fn word(&mut self, address: u64) -> Option<&mut [u8; 8]> {
        let (base, buffer) = self.by_base.range_mut(..=address).next_back()?;
        buffer.contents().get_mut((address - base) as usize..)?.first_chunk_mut()
    }

    /// Gives the procedures that C may call entries, if they have none yet; those of libraries have addresses.
    pub(crate) fn learn(&mut self, entries: &Entries, libraries: &Libraries) -> Result<(), String> {
        for (&address, signature) in entries {
            if signature.is_of_library {
                if let Entry::Vacant(place) = self.natives.entry(address) {
                    let Some(native) = libraries.symbol(&signature.name) else {
                        return Err(format!("it is given `{}`, which no library has", signature.name));
                    };
                    place.insert(native as u64);
                }
            } else if !self.entries.contains(&address) {
                let Some(entry) = libraries.entry_of(address, stack::ENTRIES) else {
                    return Err(format!("C code can be given {} procedures of the program at most", stack::ENTRIES));
                };
                if signature.is_named {
                    libraries.provide(&signature.name, stack::entry_address(entry));
                }
                if self.entries.len() <= entry {
                    self.entries.resize(entry + 1, 0);
                }
                self.entries[entry] = address;
                self.learnt += 1;
            }
        }
        Ok(())
    }

    /// How many procedures have entries.
    pub(crate) fn known(&self) -> usize {
        self.learnt + self.natives.len()
    }

    /// What the program has as the address of the procedure with an entry.
    pub(crate) fn procedure(&self, entry: usize) -> Option<u64> {
        self.entries.get(entry).copied().filter(|&address| address != 0)
    }

    /// The address that C has for one of the program; others stay as they are.
    pub(crate) fn to_native(&self, address: u64) -> u64 {
        if address != 0
            && let Some(entry) = self.entries.iter().position(|&known| known == address)
        {
            return stack::entry_address(entry) as u64;
        }
        if let Some(&native) = self.natives.get(&address) {
            return native;
        }
        let below = self.by_base.range(..=address).next_back();
        let holding = below.filter(|(base, buffer)| address - *base <= buffer.bytes as u64);
        holding.map_or(address, |(base, buffer)| buffer.address() + (address - base))
    }

    /// The address that the program has for one of C; others stay as they are.
    pub(crate) fn to_program(&self, address: u64) -> u64 {
        if let Some(known) = stack::entry_at(address).and_then(|entry| self.procedure(entry)) {
            return known;
        }
        if let Some((&known, _)) = self.natives.iter().find(|(_, native)| **native == address) {
            return known;
        }
        let holds = |(_, buffer): &(&u64, &Buffer)| address.wrapping_sub(buffer.address()) < buffer.bytes.max(1) as u64;
        self.by_base.iter().find(holds).map_or(address, |(base, buffer)| base + (address - buffer.address()))
    }
}

/// Adds the stretches of a range of `now` that differ from what the piece held. The range begins with a unit.
fn changed(piece: &Piece, now: &[u8], range: Range<usize>, out: &mut Vec<(u64, Vec<u8>)>) {
    let mut before = [0; BLOCK];
    let mut first = None;
    // A stretch may go on in the next block.
    for from in range.clone().step_by(BLOCK) {
        let now_here = &now[from..range.end.min(from + BLOCK)];
        let before = &mut before[..now_here.len()];
        piece.contents.read(from, before);
        if now_here == before {
            end_stretch(piece, now, (&mut first, from), out);
            continue;
        }
        for (unit, (now_here, before)) in now_here.chunks(UNIT).zip(before.chunks(UNIT)).enumerate() {
            let at = from + unit * UNIT;
            if now_here == before {
                end_stretch(piece, now, (&mut first, at), out);
            } else {
                first.get_or_insert(at);
            }
        }
    }
    end_stretch(piece, now, (&mut first, range.end), out);
}

/// Adds the stretch up to a place, if one has begun.
fn end_stretch(piece: &Piece, now: &[u8], (first, end): (&mut Option<usize>, usize), out: &mut Vec<(u64, Vec<u8>)>) {
    if let Some(first) = first.take() {
        out.push((piece.base + first as u64, now[first..end].to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(base: u64, bytes: &[u8], pointers: &[u64]) -> Piece {
        Piece { base, align: 1, contents: Arc::new(bytes.to_vec()), reads_only: false, pointers: pointers.to_vec() }
    }

    #[test]
    fn buffers_stay_where_they_are_and_tell_what_changed() {
        let mut buffers = Buffers::default();
        let memory = [piece(0x1000, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &[]), piece(0x2000, &[0; 4], &[])];
        buffers.fill(&memory);
        let address = buffers.to_native(0x1008);
        buffers.fill(&memory[..1]);
        assert_eq!(buffers.to_native(0x1008), address);
        assert_eq!(buffers.to_native(0x2000), 0x2000, "it was given up");
        buffers.by_base.get_mut(&0x1000).expect("there").contents()[9] = 0;
        assert_eq!(buffers.changes(&memory[..1]), [(0x1008, vec![9, 0])]);
        assert_eq!(buffers.to_program(address), 0x1008);
    }

    #[test]
    fn buffers_have_the_alignment_that_is_asked_for() {
        let mut buffers = Buffers::default();
        let mut memory = [piece(0x1000, &[1; 10], &[]), piece(0x20000, &[2; 100], &[])];
        (memory[0].align, memory[1].align) = (4096, 1 << 16);
        buffers.fill(&memory);
        let (a, b) = (buffers.to_native(0x1000), buffers.to_native(0x20000));
        assert!(a.is_multiple_of(4096) && b.is_multiple_of(1 << 16));
        assert_eq!(buffers.by_base.get_mut(&0x20000).expect("there").contents(), [2; 100]);
        assert_eq!(buffers.to_program(b + 99), 0x20063);
    }

    #[test]
    fn stretches_go_on_across_blocks() {
        let before = piece(0x1000, &[0; 3 * BLOCK + 6], &[]);
        let mut now = vec![0; 3 * BLOCK + 6];
        now[BLOCK - 8..BLOCK + 4].fill(1);
        now[2 * BLOCK] = 2;
        now[3 * BLOCK + 5] = 3;
        let mut out = Vec::new();
        changed(&before, &now, 0..now.len(), &mut out);
        let (a, b, c) = (0x1000 + BLOCK as u64 - 8, 0x1000 + 2 * BLOCK as u64, 0x1000 + 3 * BLOCK as u64 + 4);
        assert_eq!(out, [(a, vec![1; 12]), (b, vec![2, 0, 0, 0]), (c, vec![0, 3])]);
    }

    /// Pages with numbers, each of one byte many times.
    #[derive(Debug)]
    struct Paged(Vec<(usize, u8)>);

    impl Contents for Paged {
        fn bytes(&self) -> usize {
            self.0.len() << 16
        }

        fn read(&self, offset: usize, out: &mut [u8]) {
            out.iter_mut().enumerate().for_each(|(at, to)| *to = self.0[(offset + at) >> 16].1);
        }

        fn pages(&self) -> Option<(usize, Vec<usize>)> {
            Some((1 << 16, self.0.iter().map(|(number, _)| *number).collect()))
        }
    }

    #[test]
    fn pages_are_filled_anew_when_they_have_changed() {
        const PAGE: usize = 1 << 16;
        let of = |pages: &[(usize, u8)], reads_only| {
            let contents = Paged(pages.to_vec());
            [Piece { base: 0x1000, align: 1, contents: Arc::new(contents), reads_only, pointers: Vec::new() }]
        };
        let mut buffers = Buffers::default();
        let at = |buffers: &mut Buffers, offset: usize| buffers.by_base[&0x1000].address() as usize + offset;
        // SAFETY: who calls it gives places inside of the buffer.
        let put = |place: usize, byte: u8| unsafe { (place as *mut u8).write(byte) };
        // SAFETY: the same.
        let get = |place: usize| unsafe { (place as *const u8).read() };
        let before = of(&[(1, 10), (2, 20), (3, 30)], false);
        buffers.fill(&before);
        let place = at(&mut buffers, 0);
        put(place + PAGE - 1, 11);
        put(place + PAGE, 21);
        let changes = buffers.changes(&before);
        assert_eq!(changes, [(0x1000 + PAGE as u64 - 4, vec![10, 10, 10, 11, 21, 20, 20, 20])]);
        // The program has another second page now; a page of the same number is not looked at.
        let after = of(&[(1, 10), (5, 50), (3, 99)], true);
        buffers.fill(&after);
        assert_eq!([0, PAGE, 2 * PAGE].map(|offset| get(place + offset))[..2], [10, 50]);
        // What C must not write goes.
        put(place, 77);
        assert_eq!(buffers.changes(&after), []);
        buffers.fill(&after);
        assert_eq!(get(place), 10);
    }

    #[test]
    fn memory_that_is_lent_is_where_it_is() {
        let (mut buffers, mut words) = (Buffers::default(), [0x2008u64, 0, 7]);
        // SAFETY: the words stay where they are.
        unsafe {
            buffers.lend(0x1000, 8, words.as_mut_ptr().cast());
            buffers.lend(0x2000, 16, (&raw mut words[1]).cast());
        }
        let address = &raw const words[2] as u64;
        assert_eq!((buffers.to_native(0x2008), buffers.to_program(address)), (address, 0x2008));
        assert_eq!(buffers.lent_at(0x2008, 8).map(|at| at as u64), Some(address));
        assert_eq!(buffers.lent_at(0x2009, 8), None);
        buffers.translate(0x1000, &[0], Buffers::to_native);
        assert_eq!(words[0], address);
        buffers.take_back(0x2000);
        assert_eq!(buffers.to_native(0x2008), 0x2008);
        assert_eq!(buffers.lent().collect::<Vec<_>>(), [(0x1000, 8)]);
    }

    #[test]
    fn pointers_are_translated_and_come_back() {
        let mut buffers = Buffers::default();
        let memory = [piece(0x1000, &0x2002u64.to_le_bytes(), &[0]), piece(0x2000, &[7; 4], &[])];
        buffers.fill(&memory);
        let inner = buffers.to_native(0x2002);
        assert_eq!(*buffers.by_base.get_mut(&0x1000).expect("there").contents(), inner.to_le_bytes());
        assert_eq!(buffers.changes(&memory), []);
    }
}

//! The program's memory as procedures of C see it: a buffer for each stretch, at an address that stays the same.
#![allow(unsafe_code)] // C has the addresses of the buffers and writes to them during a call.

use crate::stack;
use ir::foreign::{Entries, Piece};
use std::collections::BTreeMap;

/// Changes are found in units of this many bytes.
const UNIT: usize = 4;

/// The alignment of a buffer, which is that of the largest vectors.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "bytes are reached by the address")] [u8; 64]);

/// A stretch of memory.
struct Buffer {
    lines: Vec<Line>,
    bytes: usize,
}

impl Buffer {
    fn new(bytes: usize) -> Buffer {
        Buffer { lines: vec![Line([0; 64]); bytes.div_ceil(64).max(1)], bytes }
    }

    fn address(&self) -> u64 {
        self.lines.as_ptr() as u64
    }

    fn contents(&mut self) -> &mut [u8] {
        // SAFETY: the lines are that many bytes in a row, any byte is a value, and no procedure of C runs now.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast::<u8>(), self.bytes) }
    }
}

/// The buffers, by the first address that the program has for them.
#[derive(Default)]
pub(crate) struct Buffers {
    buffers: BTreeMap<u64, Buffer>,
    /// What the program has as the addresses of the procedures that C can call, by their entries.
    entries: Vec<u64>,
}

impl Buffers {
    /// Fills the buffers for a call. Those of memory that the program has no more are given up.
    pub(crate) fn fill(&mut self, memory: &[Piece]) {
        let has = |base: u64, bytes: usize| {
            let at = memory.binary_search_by_key(&base, |piece| piece.base);
            at.is_ok_and(|at| memory[at].bytes.len() == bytes)
        };
        self.buffers.retain(|&base, buffer| has(base, buffer.bytes));
        for piece in memory {
            let buffer = self.buffers.entry(piece.base).or_insert_with(|| Buffer::new(piece.bytes.len()));
            buffer.contents().copy_from_slice(&piece.bytes);
        }
        for piece in memory {
            for &at in &piece.pointers {
                self.translate(piece, at, Buffers::to_native);
            }
        }
    }

    /// What has changed in the buffers; pointers are the program's again.
    pub(crate) fn changes(&mut self, memory: &[Piece]) -> Vec<(u64, Vec<u8>)> {
        let mut out = Vec::new();
        for piece in memory.iter().filter(|piece| !piece.reads_only) {
            for &at in &piece.pointers {
                self.translate(piece, at, Buffers::to_program);
            }
            if let Some(buffer) = self.buffers.get_mut(&piece.base) {
                changed(piece, buffer.contents(), &mut out);
            }
        }
        out
    }

    fn translate(&mut self, piece: &Piece, at: u64, translated: fn(&Buffers, u64) -> u64) {
        let at = at as usize;
        let word = |buffer: &mut Buffer| buffer.contents().get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        let Some(old) = self.buffers.get_mut(&piece.base).and_then(word) else { return };
        let new = translated(self, old);
        if let Some(buffer) = self.buffers.get_mut(&piece.base) {
            buffer.contents()[at..at + 8].copy_from_slice(&new.to_le_bytes());
        }
    }

    /// Gives the procedures that C may call entries, if they have none yet.
    pub(crate) fn learn(&mut self, entries: &Entries) -> Result<(), String> {
        for &address in entries.keys() {
            if !self.entries.contains(&address) {
                if self.entries.len() == stack::ENTRIES {
                    return Err(format!("C code can be given {} procedures of the program at most", stack::ENTRIES));
                }
                self.entries.push(address);
            }
        }
        Ok(())
    }

    /// What the program has as the address of the procedure with an entry.
    pub(crate) fn procedure(&self, entry: usize) -> Option<u64> {
        self.entries.get(entry).copied()
    }

    /// The address that C has for one of the program; others stay as they are.
    pub(crate) fn to_native(&self, address: u64) -> u64 {
        if let Some(entry) = self.entries.iter().position(|&known| known == address) {
            return stack::entry_address(entry) as u64;
        }
        let below = self.buffers.range(..=address).next_back();
        let holding = below.filter(|(base, buffer)| address - *base <= buffer.bytes as u64);
        holding.map_or(address, |(base, buffer)| buffer.address() + (address - base))
    }

    /// The address that the program has for one of C; others stay as they are.
    pub(crate) fn to_program(&self, address: u64) -> u64 {
        if let Some(known) = stack::entry_at(address).and_then(|entry| self.procedure(entry)) {
            return known;
        }
        let holds = |(_, buffer): &(&u64, &Buffer)| address.wrapping_sub(buffer.address()) < buffer.bytes.max(1) as u64;
        self.buffers.iter().find(holds).map_or(address, |(base, buffer)| base + (address - buffer.address()))
    }
}

/// Adds the stretches of `now` that differ from what the piece held.
fn changed(piece: &Piece, now: &[u8], out: &mut Vec<(u64, Vec<u8>)>) {
    if now == piece.bytes {
        return;
    }
    let differs = |at: usize| {
        let end = (at + UNIT).min(now.len());
        now[at..end] != piece.bytes[at..end]
    };
    let mut at = 0;
    while at < now.len() {
        let first = at;
        while at < now.len() && differs(at) {
            at += UNIT;
        }
        if at > first {
            out.push((piece.base + first as u64, now[first..at.min(now.len())].to_vec()));
        }
        at += UNIT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(base: u64, bytes: &[u8], pointers: &[u64]) -> Piece {
        Piece { base, bytes: bytes.to_vec(), reads_only: false, pointers: pointers.to_vec() }
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
        buffers.buffers.get_mut(&0x1000).expect("there").contents()[9] = 0;
        assert_eq!(buffers.changes(&memory[..1]), [(0x1008, vec![9, 0])]);
        assert_eq!(buffers.to_program(address), 0x1008);
    }

    #[test]
    fn pointers_are_translated_and_come_back() {
        let mut buffers = Buffers::default();
        let memory = [piece(0x1000, &0x2002u64.to_le_bytes(), &[0]), piece(0x2000, &[7; 4], &[])];
        buffers.fill(&memory);
        let inner = buffers.to_native(0x2002);
        assert_eq!(*buffers.buffers.get_mut(&0x1000).expect("there").contents(), inner.to_le_bytes());
        assert_eq!(buffers.changes(&memory), []);
    }
}

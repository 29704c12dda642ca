//! The log of stores to allocations that a write buffer follows as a whole: where, how many words, and the words.
//!
//! Not here: stores to allocations that it follows byte by byte, which go to buffer pages.

use super::page::packed;
use crate::memory::Memory;
use crate::words::Word;

/// Where in the head of an entry the number of its words begins, and the logarithm of their bytes.
const COUNT: u32 = 48;
const WIDTH: u32 = 56;

/// Stores in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct StoreLog(Vec<u64>);

impl StoreLog {
    /// Bytes of the log.
    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * 8
    }

    /// Bytes that it takes, used or not.
    pub(crate) fn capacity(&self) -> usize {
        self.0.capacity() * 8
    }

    /// Forgets all stores.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a store of at most 63 consecutive words from `address` on, which is below 2^48.
    pub(crate) fn push<T: Word>(&mut self, address: u64, values: &[T]) {
        self.0.push(address | (values.len() as u64) << COUNT | u64::from(T::BYTES.trailing_zeros()) << WIDTH);
        self.0.extend(values.chunks(8 / T::BYTES).map(packed));
    }

    /// Does the stores, in order. `None` if there is no room for pages.
    pub(crate) fn apply(&self, memory: &mut Memory) -> Option<()> {
        let (mut rest, mut hint) = (&self.0[..], 0);
        while let Some((&head, words)) = rest.split_first() {
            let (address, count) = (head & ((1 << COUNT) - 1), (head >> COUNT) as usize & 63);
            let bytes = count << (head >> WIDTH);
            let (words, behind) = words.split_at(bytes.div_ceil(8));
            rest = behind;
            match (bytes, words) {
                (4, &[word]) => memory.store(address, word as u32, &mut hint)?,
                (8, &[word]) => memory.store(address, word, &mut hint)?,
                _ => {
                    let mut row = [0; 256];
                    for (bytes, word) in row.chunks_exact_mut(8).zip(words) {
                        bytes.copy_from_slice(&word.to_le_bytes());
                    }
                    let live = memory.locate(address, bytes as u64, &mut hint)?;
                    let offset = (address - live.base) as usize;
                    memory.write_at(hint, offset, &row[..bytes])?;
                }
            }
        }
        Some(())
    }
}

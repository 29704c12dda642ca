//! The contents of one allocation as they were at some time: pages that it shares with the memory until that writes them.
//!
//! Not here: copies of a whole memory, which are its clones (`memory`).
#![allow(unsafe_code)] // The borrow of the memory is what makes sharing its pages safe.

use crate::backing::{Backing, RetireList};
use crate::header::PAGE;
use crate::memory::Memory;
use std::sync::Arc;

/// The contents of one allocation.
#[derive(Debug)]
pub struct Snapshot {
    backing: Backing,
    bytes: usize,
}

impl Memory {
    /// What the live allocation that holds `address` has in it now.
    pub fn snapshot(&self, address: u64) -> Option<Snapshot> {
        let live = &self.live[self.position(address)?];
        let list: Arc<RetireList> = self.sibling_list();
        // SAFETY: who stores has borrowed the memory exclusively, so nobody does.
        Some(Snapshot { backing: unsafe { live.backing.share(&list) }, bytes: live.bytes as usize })
    }
}

impl Snapshot {
    /// Bytes of a page; the last one may have less.
    pub const PAGE: usize = PAGE;

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Copies bytes out; `None` if any of them lies outside.
    pub fn read(&self, offset: usize, out: &mut [u8]) -> Option<()> {
        if offset.checked_add(out.len()).is_none_or(|end| end > self.bytes) {
            return None;
        }
        self.backing.read(offset, out)
    }

    /// A number for each page. While two snapshots are there, pages of the same number have the same bytes.
    pub fn pages(&self) -> Vec<usize> {
        self.backing.identities()
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::address::Region;
    use source::Span;

    #[test]
    fn pages_that_were_not_written_are_the_same() {
        let mut m = Memory::new();
        let bytes = 3 * PAGE + 100;
        let a = m.alloc(Region::Host, bytes as u64, "a", Span::NONE).expect("room");
        m.write(a, &[1; 8]).expect("inside");
        let before = m.snapshot(a + 5).expect("it lives");
        m.write(a + 2 * PAGE as u64 - 1, &[2; 2]).expect("inside");
        m.write(a + bytes as u64 - 1, &[3]).expect("inside");
        let after = m.snapshot(a).expect("it lives");
        let same: Vec<bool> =
            before.pages().iter().zip(after.pages()).map(|(before, after)| *before == after).collect();
        assert_eq!(same, [true, false, false, false]);
        let mut out = [9; 3];
        assert_eq!((before.read(2 * PAGE - 2, &mut out), out), (Some(()), [0; 3]));
        assert_eq!((after.read(2 * PAGE - 2, &mut out), out), (Some(()), [0, 2, 2]));
        assert_eq!((after.read(bytes - 2, &mut out), after.bytes()), (None, bytes));
        assert!(m.free(a, Span::NONE).is_ok() && m.snapshot(a).is_none());
    }
}

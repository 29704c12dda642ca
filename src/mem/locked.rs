//! Page-locked parts of host memory (`cudaHostRegister`), which device code may touch as the host does.

use std::collections::BTreeMap;

/// The parts of host memory that are page-locked, by their first address: bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locked(BTreeMap<u64, u64>);

impl Locked {
    /// Adds a part; false if some of its bytes are in others.
    pub(crate) fn add(&mut self, address: u64, bytes: u64) -> bool {
        let before = self.0.range(..address.saturating_add(bytes)).next_back();
        let is_free = before.is_none_or(|(&at, &n)| at.saturating_add(n) <= address);
        if is_free {
            self.0.insert(address, bytes);
        }
        is_free
    }

    /// Takes out the part that begins at an address; false if none does.
    pub(crate) fn remove(&mut self, address: u64) -> bool {
        self.0.remove(&address).is_some()
    }

    /// Takes out the parts that begin in an allocation.
    pub(crate) fn forget(&mut self, base: u64, bytes: u64) {
        if !self.0.is_empty() {
            self.0.retain(|&at, _| at < base || at - base >= bytes);
        }
    }

    /// First addresses and bytes.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().map(|(&at, &bytes)| (at, bytes))
    }

    /// Whether all bytes of a range lie in one part.
    pub(crate) fn has(&self, address: u64, bytes: u64) -> bool {
        let before = self.0.range(..=address).next_back();
        before.is_some_and(|(&at, &n)| address.saturating_add(bytes) <= at.saturating_add(n))
    }
}

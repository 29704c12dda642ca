//! Page-locked parts of host memory (`cudaHostRegister`), which device code may touch as the host does.

use crate::address::Region;
use crate::memory::Memory;
use std::collections::BTreeMap;

/// The parts of host memory that are page-locked, by their first address: bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locked(BTreeMap<u64, u64>);

impl Locked {
    /// Forgets the parts that begin in an allocation.
    pub(crate) fn forget(&mut self, base: u64, bytes: u64) {
        if !self.0.is_empty() {
            self.0.retain(|&at, _| at < base || at - base >= bytes);
        }
    }
}

impl Memory {
    /// Locks bytes of host memory; false if some of them are locked already.
    pub fn lock(&mut self, address: u64, bytes: u64) -> bool {
        let before = self.locked.0.range(..address.saturating_add(bytes)).next_back();
        let is_free = before.is_none_or(|(&at, &n)| at.saturating_add(n) <= address);
        if is_free {
            self.locked.0.insert(address, bytes);
        }
        is_free
    }

    /// Ends what [`Memory::lock`] began at that address; false if nothing did.
    pub fn unlock(&mut self, address: u64) -> bool {
        self.locked.0.remove(&address).is_some()
    }

    /// Ends all that [`Memory::lock`] began.
    pub fn unlock_all(&mut self) {
        self.locked.0.clear();
    }

    /// The parts of host memory that are locked: first addresses and bytes.
    pub fn locked(&self) -> impl Iterator<Item = (u64, u64)> {
        self.locked.0.iter().map(|(&at, &bytes)| (at, bytes))
    }

    /// Whether all bytes of a range lie in one locked part of host memory.
    pub fn is_locked(&self, address: u64, bytes: u64) -> bool {
        let before = self.locked.0.range(..=address).next_back();
        before.is_some_and(|(&at, &n)| address.saturating_add(bytes) <= at.saturating_add(n))
    }

    /// Whether device code may touch a range: by its region, or since it is locked.
    pub fn is_device_accessible(&self, address: u64, bytes: u64) -> bool {
        Region::of(address).is_some_and(Region::is_device_accessible) || self.is_locked(address, bytes)
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use source::Span;

    #[test]
    fn locked_parts_are_those_of_memory_that_lives() {
        let mut m = Memory::new();
        let a = m.alloc(Region::Host, 1000, "a", Span::NONE).expect("room");
        assert!(m.lock(a + 100, 200) && !m.lock(a + 299, 8) && !m.lock(a, 101) && m.lock(a + 300, 8));
        assert!(m.is_locked(a + 100, 200) && !m.is_locked(a + 96, 8) && !m.is_locked(a + 296, 8));
        assert!(m.clone().is_device_accessible(a + 300, 8) && !m.is_device_accessible(a, 8));
        assert!(m.unlock(a + 300) && !m.unlock(a + 300));
        m.free(a, Span::NONE).expect("it lives");
        assert_eq!(m.locked().count(), 0);
    }
}

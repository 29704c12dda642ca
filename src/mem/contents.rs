//! Reading and writing the contents of a memory, by address and with bounds checked.
//!
//! These are the accesses of everything but running code: the host's services, copies, the debugger. Running code goes through
//! `view`. A range of bytes lies wholly inside one live allocation or is refused.
#![allow(unsafe_code)] // The borrow of the memory is what makes a store safe.

use crate::header::PAGE;
use crate::memory::{Live, Memory};
use crate::words::Word;

impl Memory {
    /// Copies bytes out; `None` if any of them lies outside the live allocation at `address`.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Option<()> {
        if out.is_empty() {
            return Some(());
        }
        self.peek(address, out)?;
        self.touches.note(address, out.len() as u64, false);
        Some(())
    }

    /// The same for bytes that are copied elsewhere: those that nothing has written are not noted, since nothing uses them.
    pub fn read_copied(&self, address: u64, out: &mut [u8]) -> Option<()> {
        self.peek(address, out)?;
        let mut at = 0;
        for (hole, len) in self.holes(address, out.len() as u64).into_iter().chain([(out.len() as u64, 0)]) {
            if hole > at {
                self.touches.note(address + at, hole - at, false);
            }
            at = hole + len;
        }
        Some(())
    }

    /// The same without a note for [`Memory::take_touches`].
    pub fn peek(&self, address: u64, out: &mut [u8]) -> Option<()> {
        if out.is_empty() {
            return Some(());
        }
        let Some(l) = self.locate(address, out.len() as u64, &mut 0) else { return self.read_of_c(address, out) };
        l.backing.read((address - l.base) as usize, out)
    }

    /// Copies bytes in; `None`, and nothing written, if any of them lies outside the live allocation at `address`. For want
    /// of pages too it is `None`.
    pub fn write(&mut self, address: u64, data: &[u8]) -> Option<()> {
        if data.is_empty() {
            return Some(());
        }
        let Some(l) = self.locate(address, data.len() as u64, &mut 0) else { return self.write_of_c(address, data) };
        // SAFETY: the memory is borrowed exclusively, so no other thread accesses it.
        unsafe { l.backing.write((address - l.base) as usize, data)? };
        self.touches.note(address, data.len() as u64, true);
        self.initialised.with(|bits| bits.set(address, data.len() as u64));
        Some(())
    }

    /// Sets bytes to zero, giving whole pages back; `None` if any lies outside the live allocation at `address`.
    pub fn clear(&mut self, address: u64, len: u64) -> Option<()> {
        if len == 0 {
            return Some(());
        }
        let Some(at) = self.position(address) else {
            let zeros = vec![0; len.min(PAGE as u64) as usize];
            let starts = (0..len).step_by(PAGE);
            return starts
                .map(|at| self.write_of_c(address + at, &zeros[..(len - at).min(PAGE as u64) as usize]))
                .collect::<Option<()>>();
        };
        let l = &mut self.live[at];
        let offset = address - l.base;
        if len > l.bytes - offset {
            return None;
        }
        l.backing.clear(offset as usize, len as usize)?;
        self.touches.note(address, len, true);
        self.initialised.with(|bits| bits.set(address, len));
        Some(())
    }

    /// Copies `len` bytes from `source` to `destination`, as if through a temporary.
    pub fn copy(&mut self, destination: u64, source: u64, len: u64) -> Option<()> {
        if len == 0 {
            return Some(());
        }
        let mut hint = u32::MAX;
        for end in [destination, source] {
            if self.locate(end, len, &mut hint).is_none() && !self.has_of_c(end, len) {
                return None;
            }
        }
        let holes = self.holes(source, len);
        let mut buffer = vec![0; len.min(PAGE as u64) as usize];
        // Chunks go upwards or downwards so that an overlapping source is read before it is overwritten.
        let chunks = len.div_ceil(buffer.len() as u64);
        for i in 0..chunks {
            let chunk = if destination > source { chunks - 1 - i } else { i };
            let at = chunk * buffer.len() as u64;
            let n = (len - at).min(buffer.len() as u64) as usize;
            match self.locate(source + at, n as u64, &mut hint) {
                Some(from) => from.backing.read((source + at - from.base) as usize, &mut buffer[..n])?,
                None => self.read_of_c(source + at, &mut buffer[..n])?,
            }
            self.write(destination + at, &buffer[..n])?;
        }
        for (offset, hole) in holes {
            self.mark_copied_hole(destination + offset, source + offset, hole);
        }
        Some(())
    }

    /// Reads one word; `None` if it lies outside. `hint` remembers where the last access was; start it at 0.
    #[inline(always)]
    pub fn load<T: Word>(&self, address: u64, hint: &mut u32) -> Option<T> {
        let Some(l) = self.locate(address, T::BYTES as u64, hint) else { return self.load_of_c(address) };
        // SAFETY: the word lies in the allocation, whose backing is at least as large.
        Some(unsafe { l.backing.load((address - l.base) as usize) })
    }

    /// Writes one word; `None` if it lies outside, or for want of a page.
    #[inline(always)]
    pub fn store<T: Word>(&mut self, address: u64, value: T, hint: &mut u32) -> Option<()> {
        let Some(l) = self.locate(address, T::BYTES as u64, hint) else { return self.store_of_c(address, value) };
        // SAFETY: as in `load`; the memory is borrowed exclusively, so no other thread accesses it.
        unsafe { l.backing.store((address - l.base) as usize, value) }
    }

    /// Copies bytes in at an offset of the allocation at `place`, and notes nothing. `None` if any of them lies outside, or for
    /// want of pages.
    pub(crate) fn write_at(&mut self, place: u32, offset: usize, data: &[u8]) -> Option<()> {
        let l = self.live.get(place as usize)?;
        // SAFETY: as in `write`.
        unsafe { l.backing.write(offset, data) }
    }

    /// Whether a live allocation holds all bytes from `low` up to `high`, not included.
    pub fn contains(&self, low: u64, high: u64) -> bool {
        low <= high && (self.locate(low, high - low, &mut 0).is_some() || self.has_of_c(low, high - low))
    }

    /// The live allocation that holds `len` bytes from `address` on; `hint` is where it was found last.
    #[inline(always)]
    pub(crate) fn locate(&self, address: u64, len: u64, hint: &mut u32) -> Option<&Live> {
        if let Some(l) = self.live.get(*hint as usize) {
            let offset = address.wrapping_sub(l.base);
            if offset < l.bytes && len <= l.bytes - offset {
                return Some(l);
            }
        }
        let at = self.position(address)?;
        let l = &self.live[at];
        let offset = address - l.base;
        if offset >= l.bytes || len > l.bytes - offset {
            return None;
        }
        *hint = at as u32;
        Some(l)
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::address::Region;
    use source::Span;

    fn filled() -> (Memory, u64) {
        let mut m = Memory::new();
        let a = m.alloc(Region::Device(0), 1000, "a", Span::NONE).expect("room");
        (m, a)
    }

    #[test]
    fn accesses_outside_the_allocation_are_refused() {
        let (mut m, a) = filled();
        assert!(m.write(a, &[1; 1000]).is_some());
        assert!(m.write(a + 1, &[1; 1000]).is_none());
        assert!(m.read(a + 1000, &mut [0]).is_none());
        assert!(m.read(a - 1, &mut [0]).is_none());
        assert_eq!(m.load::<u32>(a + 998, &mut 0), None);
        assert_eq!(m.load::<u32>(a + 996, &mut 0), Some(0x0101_0101));
    }

    #[test]
    fn copy_handles_overlap() {
        let mut m = Memory::new();
        let a = m.alloc(Region::Host, 300_000, "a", Span::NONE).expect("room");
        let data: Vec<u8> = (0..250_000u32).map(|i| (i % 251) as u8).collect();
        m.write(a, &data).expect("inside");
        m.copy(a + 1000, a, 250_000).expect("inside");
        let mut out = vec![0; 250_000];
        m.read(a + 1000, &mut out).expect("inside");
        assert_eq!(out, data);
    }

    #[test]
    fn replaced_pages_are_given_back() {
        let mut m = Memory::new();
        m.set_page_limit(3 << 16);
        let a = m.alloc(Region::Host, 1 << 16, "a", Span::NONE).expect("room");
        for i in 0..20 {
            let before = m.clone();
            m.write(a, &[i]).expect("inside");
            drop(before);
            m.release_retired();
        }
        assert_eq!(m.take_exhaustion(), None);
        let (mut one, mut two) = (m.clone(), m.clone());
        m.write(a, &[1]).expect("inside");
        one.store::<u8>(a, 2, &mut 0).expect("inside");
        assert_eq!(two.store::<u8>(a, 3, &mut 0), None);
        assert_eq!(m.take_exhaustion(), Some(3 << 16));
        let mut out = [0];
        two.read(a, &mut out).expect("inside");
        assert_eq!(out, [19]);
    }
}

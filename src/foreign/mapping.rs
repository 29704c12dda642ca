//! Memory for C that tells which of its pages were written.
//!
//! A file in memory is mapped twice: shared, where contents are put, and private, which is what C has. A page that C writes becomes one
//! of the process alone, and the system tells which pages are still the file's (Linux, "pagemap", bit 61). That holds for what the
//! system itself writes for C too. What was written can be forgotten: then the page is the file's again.
//!
//! Where the system does not tell this, there is no such memory.
#![allow(unsafe_code)] // Maps memory and gives its addresses.

use std::fs::File;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// Bytes of a page of the system.
pub(crate) const PAGE: usize = 4096;
/// What the system tells of a page: it is there, it is in the swap area, it is one of a file or shared.
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const OF_FILE: u64 = 1 << 61;
/// Pages that the system is asked for at once.
const AT_ONCE: usize = 8192;

/// Memory that C has, and what it was filled with.
#[derive(Debug)]
pub(crate) struct Mapping {
    private: *mut u8,
    shared: *mut u8,
    bytes: usize,
}

// SAFETY: the memory is the mapping's own, and its methods that change it borrow it exclusively.
unsafe impl Send for Mapping {}

impl Mapping {
    /// So many zeros; `None` if the system has no such memory.
    pub(crate) fn new(bytes: usize) -> Option<Mapping> {
        static IS_TOLD: OnceLock<bool> = OnceLock::new();
        let is_told = || Mapping::map(2 * PAGE).is_some_and(|mut mapping| mapping.tells());
        if *IS_TOLD.get_or_init(is_told) { Mapping::map(bytes) } else { None }
    }

    fn map(bytes: usize) -> Option<Mapping> {
        let bytes = bytes.max(1).next_multiple_of(PAGE);
        // SAFETY: the name is a string of C; the descriptor that comes is nobody else's.
        let file = unsafe {
            let descriptor = libc::memfd_create(c"memory for C".as_ptr(), libc::MFD_CLOEXEC);
            if descriptor < 0 {
                return None;
            }
            OwnedFd::from_raw_fd(descriptor)
        };
        File::from(file.try_clone().ok()?).set_len(bytes as u64).ok()?;
        let map = |flags| {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: a new mapping of a file of so many bytes, at an address that the system chooses.
            let first = unsafe {
                libc::mmap(std::ptr::null_mut(), bytes, access, flags | libc::MAP_NORESERVE, file.as_raw_fd(), 0)
            };
            (first != libc::MAP_FAILED).then_some(first.cast::<u8>())
        };
        let private = map(libc::MAP_PRIVATE)?;
        let Some(shared) = map(libc::MAP_SHARED) else {
            // SAFETY: it was mapped with so many bytes, and nobody has its address.
            unsafe { libc::munmap(private.cast(), bytes) };
            return None;
        };
        Some(Mapping { private, shared, bytes })
    }

    /// Whether the system tells of two pages which of them was written.
    fn tells(&mut self) -> bool {
        self.put(0, &[1; 2 * PAGE]);
        // SAFETY: both pages are mapped, and nobody else has their addresses.
        let read = unsafe {
            self.private.write_volatile(2);
            self.private.add(PAGE).read_volatile()
        };
        let is_told = read == 1 && matches!(self.written().as_deref(), Some([Range { start: 0, end: PAGE }]));
        self.forget(0..PAGE);
        // SAFETY: the same.
        is_told && self.written().is_some_and(|none| none.is_empty()) && unsafe { self.private.read_volatile() } == 1
    }

    /// The first of its bytes.
    pub(crate) fn address(&self) -> *mut u8 {
        self.private
    }

    /// Puts bytes at an offset. What C has written to their pages is forgotten.
    pub(crate) fn put(&mut self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.bytes, "who puts bytes knows how many there are");
        self.forget(offset..offset + bytes.len());
        // SAFETY: so many bytes are mapped there, and C does not have this address.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.shared.add(offset), bytes.len()) };
    }

    /// Where pages were written, as ranges of bytes in order; `None` if the system does not tell.
    pub(crate) fn written(&self) -> Option<Vec<Range<usize>>> {
        let told = File::open("/proc/self/pagemap").ok()?;
        let first = self.private as usize / PAGE;
        let count = self.bytes / PAGE;
        let mut out: Vec<Range<usize>> = Vec::new();
        let mut words = vec![0; AT_ONCE.min(count) * size_of::<u64>()];
        for from in (0..count).step_by(AT_ONCE) {
            let pages = AT_ONCE.min(count - from);
            let words = &mut words[..pages * size_of::<u64>()];
            told.read_exact_at(words, (first + from) as u64 * 8).ok()?;
            for (at, word) in words.as_chunks().0.iter().enumerate() {
                let word = u64::from_le_bytes(*word);
                if word & (PRESENT | SWAPPED) == 0 || word & OF_FILE != 0 {
                    continue;
                }
                let start = (from + at) * PAGE;
                match out.last_mut() {
                    Some(last) if last.end == start => last.end += PAGE,
                    _ => out.push(start..start + PAGE),
                }
            }
        }
        Some(out)
    }

    /// Forgets what C has written to the pages of these bytes.
    pub(crate) fn forget(&mut self, bytes: Range<usize>) {
        let (start, end) = (bytes.start / PAGE * PAGE, bytes.end.next_multiple_of(PAGE).min(self.bytes));
        if start < end {
            // SAFETY: the pages are mapped, and are the file's afterwards.
            unsafe { libc::madvise(self.private.add(start).cast(), end - start, libc::MADV_DONTNEED) };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        for first in [self.private, self.shared] {
            // SAFETY: it was mapped with so many bytes, and C has no use for it any more.
            unsafe { libc::munmap(first.cast(), self.bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_were_written_are_known_and_can_be_forgotten() {
        let Some(mut mapping) = Mapping::new(40 * PAGE + 5) else { return };
        mapping.put(3, &[7; 2 * PAGE]);
        let at = |mapping: &Mapping, offset: usize| mapping.address().wrapping_add(offset);
        // SAFETY: the offsets are inside.
        unsafe {
            assert_eq!((at(&mapping, 2).read(), at(&mapping, 3).read()), (0, 7));
            assert_eq!(mapping.written().as_deref(), Some(&[][..]));
            at(&mapping, 2 * PAGE + 1).write(8);
            at(&mapping, 3 * PAGE).write(9);
            at(&mapping, 40 * PAGE + 4).write(1);
        }
        assert_eq!(mapping.written(), Some(vec![2 * PAGE..4 * PAGE, 40 * PAGE..41 * PAGE]));
        mapping.put(0, &[5]);
        mapping.forget(3 * PAGE..3 * PAGE + 1);
        assert_eq!(mapping.written(), Some(vec![2 * PAGE..3 * PAGE, 40 * PAGE..41 * PAGE]));
        // SAFETY: the same.
        let bytes = [0, 3, 2 * PAGE + 1, 3 * PAGE].map(|offset| unsafe { at(&mapping, offset).read() });
        assert_eq!(bytes, [5, 7, 8, 0]);
    }

    #[test]
    fn what_the_system_writes_counts() {
        let Some(mapping) = Mapping::new(3 * PAGE) else { return };
        let mut file = File::open("/dev/zero").expect("there is one");
        // SAFETY: the bytes are inside, and nobody else uses them.
        let out = unsafe { std::slice::from_raw_parts_mut(mapping.address().wrapping_add(PAGE), 4) };
        std::io::Read::read_exact(&mut file, out).expect("there is enough");
        let second = PAGE..2 * PAGE;
        assert_eq!(mapping.written(), Some(vec![second]));
    }
}

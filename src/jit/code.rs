//! Executable memory, and how compiled code is entered.
//!
//! Pages are written first and made executable afterwards; they are never both.
#![allow(unsafe_code)] // Maps code and calls it.

use crate::state::{Outcome, State};
use memmap2::{Mmap, MmapMut};
use std::ffi::c_void;

/// A place in compiled code where it may be entered: how far its first byte is from the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry(pub(crate) u32);

/// Executable pages.
#[derive(Debug)]
pub(crate) struct Pages(Mmap);

impl Pages {
    /// Makes code executable. `None` where the system forbids it.
    pub(crate) fn new(bytes: &[u8]) -> Option<Pages> {
        let mut pages = MmapMut::map_anon(bytes.len().max(1)).ok()?;
        pages[..bytes.len()].copy_from_slice(bytes);
        Some(Pages(pages.make_exec().ok()?))
    }

    /// The code, and zeros to the end of the last page.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Calls the function that the code begins with.
    ///
    /// # Safety
    /// It takes a state of this kind and the place of an entry, `entry` is one of its entries, and the state is what it needs.
    pub(crate) unsafe fn call(&self, entry: Entry, state: *mut c_void) -> u32 {
        // SAFETY: the entry lies in the code.
        let target = unsafe { self.0.as_ptr().add(entry.0 as usize) };
        // SAFETY: the code begins with a function of this type.
        let start: extern "C" fn(*mut c_void, *const u8) -> u32 = unsafe { std::mem::transmute(self.0.as_ptr()) };
        start(state, target)
    }
}

/// Compiled code of a routine.
#[derive(Debug)]
pub struct NativeCode {
    pages: Pages,
    /// By operation: the entries for a warp of which all lanes run, and for one of which some do.
    entries: Vec<(u32, [Entry; 2])>,
}

impl NativeCode {
    /// Makes code executable. `None` where the system forbids it.
    pub(crate) fn new(bytes: &[u8], entries: Vec<(u32, [Entry; 2])>) -> Option<NativeCode> {
        Some(NativeCode { pages: Pages::new(bytes)?, entries })
    }

    /// The operations at which the code may be entered, in order.
    pub fn entries(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().map(|e| e.0)
    }

    /// Where the code is entered at operation `pc`, for a warp of which all lanes run or for one of which some do.
    pub fn entry(&self, pc: u32, is_full: bool) -> Option<Entry> {
        let at = self.entries.binary_search_by_key(&pc, |e| e.0).ok()?;
        Some(self.entries[at].1[usize::from(!is_full)])
    }

    /// The machine code, for a listing.
    pub fn bytes(&self) -> &[u8] {
        self.pages.bytes()
    }

    /// Runs the code from an entry on until it returns.
    ///
    /// # Safety
    /// `entry` is one of this code, and `state` may be read and written. Every pointer of the state is valid for the registers, patterns and windows that the routine
    /// names, nobody else uses what they point to meanwhile, and the processor has the instruction set that the code was made for.
    pub unsafe fn run(&self, entry: Entry, state: *mut State) -> Outcome {
        // SAFETY: the caller says so.
        match unsafe { self.pages.call(entry, state.cast()) } {
            0 => Outcome::Continue,
            _ => Outcome::Left,
        }
    }
}

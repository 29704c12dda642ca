//! What the code of host loops works on, and the code itself.
#![allow(unsafe_code)] // A site moves with its table from thread to thread; code is called.

use super::Formula;
use crate::code::{Entry, Pages};
use std::ffi::c_void;

/// Where a load or store of the code found memory last.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Site {
    /// The first address, less the constant part of the access's ([`SiteInfo::base`]).
    pub low: u64,
    /// How many bytes behind it a word of the access may begin, and one.
    pub room: u64,
    /// Where the byte at `low` is.
    pub place: *mut u8,
    /// The first address itself, by which the code does not ask.
    pub first: u64,
}

// SAFETY: a site is a note of where bytes were. Who uses the pointer asks first whether the note still holds.
unsafe impl Send for Site {}
// SAFETY: as above.
unsafe impl Sync for Site {}

impl Site {
    /// A site that no access lies in.
    pub const EMPTY: Site = Site { low: 0, room: 0, place: std::ptr::null_mut(), first: u64::MAX };
}

/// What the code works on.
#[derive(Debug)]
#[repr(C)]
pub struct HostState {
    /// Predicates.
    pub preds: *mut u32,
    /// Words of 32 bits.
    pub words: *mut u32,
    /// Words of 64 bits.
    pub longs: *mut u64,
    /// The table of sites.
    pub sites: *mut Site,
    /// Schedule points that are left.
    pub budget: u64,
    /// Stores so far.
    pub writes: u64,
    /// Statements begun so far.
    pub statements: u64,
    /// Schedule points since the last store.
    pub polls: u32,
    /// Where the interpreter goes on.
    pub pc: u32,
    /// Address of the local memory of the frame.
    pub local_base: u64,
    /// Fills a site, given `user`, the address and the site's number in the routine. False if there is no memory for the access.
    pub refill: extern "C" fn(*mut c_void, u64, u32) -> bool,
    /// Has the service at an operation served, given `user`, the operation and `served`, where the arguments are and the result comes.
    /// False if the interpreter has to do it; then nothing was done. Where bytes of memory lie does not change.
    pub serve: extern "C" fn(*mut c_void, u32, *mut u64) -> bool,
    /// The arguments and the result of a service.
    pub served: [u64; super::MOST_ARGUMENTS],
    /// What these functions are given.
    pub user: *mut c_void,
    /// The formulas of the code, see [`HostCode::formulas`].
    pub formulas: *const Formula,
}

/// A load or store of the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteInfo {
    /// The constant part of its address.
    pub base: i64,
    /// Bytes of its word.
    pub bytes: u32,
    /// Whether it is a store.
    pub writes: bool,
}

/// The code of the loops of a function.
#[derive(Debug)]
pub struct HostCode {
    pub(super) pages: Pages,
    /// Operations at which it may be entered, in order.
    pub(super) entries: Vec<(u32, Entry)>,
    /// What is left to the evaluator.
    pub(super) formulas: Vec<Formula>,
    /// Its loads and stores.
    pub(super) sites: Vec<SiteInfo>,
    pub(super) first_site: u32,
}

impl HostCode {
    /// Where the code may be entered, by operation.
    pub fn entries(&self) -> impl Iterator<Item = (u32, Entry)> {
        self.entries.iter().copied()
    }

    /// The number in the table and the properties of a site of the routine.
    pub fn site(&self, number: u32) -> Option<(usize, SiteInfo)> {
        Some(((self.first_site + number) as usize, *self.sites.get(number as usize)?))
    }

    /// How many sites a table must have.
    pub fn table(&self) -> usize {
        self.first_site as usize + self.sites.len()
    }

    /// The first of the formulas, for [`HostState::formulas`].
    pub fn formulas(&self) -> *const Formula {
        self.formulas.as_ptr()
    }

    /// The machine code, for a listing.
    pub fn bytes(&self) -> &[u8] {
        self.pages.bytes()
    }

    /// Runs the code from an entry on until it returns.
    ///
    /// # Safety
    /// `entry` is one of this code, and `state` may be read and written. Every pointer of the state is valid for the registers and
    /// sites that the routine names, `formulas` is that of this code, and nobody else uses what they point to meanwhile.
    pub unsafe fn run(&self, entry: Entry, state: *mut HostState) {
        // SAFETY: the entry lies in the code, which begins with a function that takes a state.
        unsafe { self.pages.call(entry, state.cast()) };
    }
}

/// Evaluates a formula for the code.
pub(super) extern "C" fn evaluate(formula: *const Formula, a: u64, b: u64, c: u64) -> u64 {
    // SAFETY: the code names a formula of its own list, which lives as long as the code.
    unsafe { *formula }.evaluate([a, b, c])
}

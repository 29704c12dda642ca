//! What is known for calls of procedures of libraries that are made at once: how they are called, and which part of the stack is lent.
//!
//! Not here: the calls (`service::direct`).
#![allow(unsafe_code)] // Knows an address of this process.

use ::foreign::Route;
use std::collections::BTreeMap;

/// What is known for calls that are made at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Direct {
    /// How procedures are called, by the addresses of the texts of their signatures, and which was called last.
    pub(crate) routes: Vec<(u64, Route)>,
    last: usize,
    /// When memory was lent: its generation, and the stack: its first address, its end, and where it is.
    pub(crate) generation: u64,
    pub(crate) stack: Stack,
    /// Why a call has failed that was made while the host ran. The service that made it is asked for again, and says it.
    pub(crate) failed: Option<String>,
    /// Where addresses are in variables of C code: those of the variables, and offsets.
    pub(crate) variables: Vec<(u64, Vec<u64>)>,
    /// The same of objects in memory of C that were passed.
    pub(crate) objects: BTreeMap<u64, Vec<u64>>,
    /// Whether memory can be lent, once that is known. Where the system has no room to settle pages, calls are given copies.
    pub(crate) can_lend: Option<bool>,
}

/// The part of the stack that is lent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    pub(crate) base: u64,
    pub(crate) end: u64,
    pub(crate) place: *mut u8,
}

impl Default for Stack {
    fn default() -> Stack {
        Stack { base: 0, end: 0, place: std::ptr::null_mut() }
    }
}

// SAFETY: the place is used only by who has borrowed the memory, whose generation says whether it holds.
unsafe impl Send for Stack {}
// SAFETY: as above.
unsafe impl Sync for Stack {}

impl Stack {
    /// Where an address of it is.
    pub(crate) fn at(&self, address: u64) -> Option<*mut u8> {
        (self.base..self.end).contains(&address).then(|| self.place.wrapping_add((address - self.base) as usize))
    }
}

impl Direct {
    /// Notes that each element of a variable of C code has an address in it.
    pub(crate) fn note_pointers(&mut self, variable: u64, bytes: u64, element: u64, offset: u64) {
        let places = (offset..bytes).step_by(element.max(1) as usize);
        self.variables.push((variable, places.collect()));
    }

    /// How the procedure is called whose signature has its text there.
    pub(crate) fn route(&mut self, text: u64) -> Option<&Route> {
        if self.routes.get(self.last).is_none_or(|(of, _)| *of != text) {
            self.last = self.routes.iter().position(|(of, _)| *of == text)?;
        }
        self.routes.get(self.last).map(|(_, route)| route)
    }
}

//! Names of the program that C code uses: procedures that it calls, and variables.
//!
//! The library that is made of C files leaves such names open. A second one stands for them, so that it can be loaded: behind each
//! name is room for a variable. Once the program gives a procedure of that name, its address is put wherever the library has the
//! address of the name.
//!
//! Not here: which procedures the program has (`lower`).
#![allow(unsafe_code)] // Writes addresses into a library, as the loader does, and calls what was compiled with it.

use crate::elf::{self, Needed};
use crate::link::{self, Made};
use crate::shared::{address_in, open};
use libloading::Library;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fs;

/// How the functions for C descriptors begin.
const OF_DESCRIPTORS: &str = "CFI_";

/// The names, and where their addresses go.
#[derive(Debug, Default)]
pub(crate) struct Names {
    places: BTreeMap<String, Vec<(usize, i64)>>,
    /// What uses them, for messages.
    what: String,
    /// What was made of the C files, and what stands for the names.
    made: Option<&'static Library>,
    stand_in: Option<&'static Library>,
}

impl Names {
    /// Loads a library, and finds out which names it leaves open; `is_known` says of a name whether another library has it.
    pub(crate) fn of(made: &Made, is_known: impl Fn(&str) -> bool) -> Result<Names, String> {
        let file = fs::read(&made.file).map_err(|e| format!("cannot read `{}`: {e}", made.file.display()))?;
        let needs = elf::needs(&file);
        let (of_descriptors, open_names): (Vec<Needed>, Vec<Needed>) = needs
            .names
            .into_iter()
            .filter(|needed| !is_known(&needed.name))
            .partition(|needed| needed.name.starts_with(OF_DESCRIPTORS));
        let mut stand_in = None;
        if !of_descriptors.is_empty() || !open_names.is_empty() {
            let names: Vec<&str> = open_names.iter().map(|needed| &*needed.name).collect();
            let other = link::stand_in(&made.what, &names, !of_descriptors.is_empty())?;
            stand_in = Some(load(&other)?);
        }
        let library = load(made)?;
        let begin = needs.defined.and_then(|(name, offset)| Some(address_in(library, &name)? - offset as usize));
        let place = |(offset, addend): (u64, i64)| Some((begin? + offset as usize, addend));
        let places = open_names.into_iter().map(|needed| {
            let places = needed.places.into_iter().filter_map(place).collect();
            (needed.name, places)
        });
        Ok(Names { places: places.collect(), what: made.what.clone(), made: Some(library), stand_in })
    }

    /// What was made of the C files.
    pub(crate) fn library(&self) -> Option<&'static Library> {
        self.made
    }

    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    pub(crate) fn wanted(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Whether the main program is in C.
    pub(crate) fn has_main(&self) -> bool {
        self.made.is_some_and(|library| address_in(library, "main").is_some())
    }

    /// Where the variable of that name lies that stands for the program's.
    pub(crate) fn variable(&self, name: &str) -> Option<usize> {
        self.has(name).then(|| address_in(self.stand_in?, name))?
    }

    /// Puts the address of a procedure wherever the library has that of the name.
    pub(crate) fn provide(&self, name: &str, address: usize) {
        for &(place, addend) in self.places.get(name).into_iter().flatten() {
            // SAFETY: the loader has put an address there, and the library, which stays loaded, can be written there; no code of it
            // runs now.
            unsafe { (place as *mut usize).write_unaligned(address.wrapping_add_signed(addend as isize)) };
        }
    }

    /// Gives back memory that `CFI_allocate` has given; whether it was such memory.
    pub(crate) fn release(&self, address: u64) -> bool {
        let Some(release) = self.stand_in.and_then(|library| address_in(library, "cufemu_release")) else {
            return false;
        };
        // SAFETY: the function is ours, and takes any address.
        unsafe {
            let release: extern "C" fn(*mut c_void) -> i32 = std::mem::transmute(release);
            release(address as *mut c_void) != 0
        }
    }
}

/// Loads what was made.
fn load(made: &Made) -> Result<&'static Library, String> {
    let what = &made.what;
    open(&made.file).map_err(|reason| match reason.split_once("undefined symbol: ") {
        Some((_, symbol)) => format!("nothing defines `{symbol}`, which {what} needs: give the library that has it"),
        None => format!("cannot load what was made of {what}: {reason}"),
    })
}

//! Libraries that are loaded, and the procedures in them.
#![allow(unsafe_code)] // Calls `dladdr`.

use crate::link::{self, Inputs};
use crate::names::Names;
use crate::on_demand::OnDemand;
use crate::process;
use crate::shared::{address_in, open, open_first, stay};
use libloading::Library;
#[cfg(unix)]
use libloading::os::unix::Library as UnixLibrary;
use std::sync::{Mutex, PoisonError};

/// The libraries of a program; the C library is always one.
#[derive(Debug)]
pub struct Libraries {
    loaded: Vec<&'static Library>,
    names: Names,
    on_demand: OnDemand,
    /// What programs have as the addresses of the procedures that C can call, by their entries. C may keep an entry that one rank has
    /// given, and what it calls by name is the same for all.
    entries: Mutex<Vec<u64>>,
}

impl Libraries {
    /// Compiles and loads what the command line gives; the error is for the user, a sentence and perhaps lines of a compiler.
    pub fn load(inputs: &Inputs) -> Result<Libraries, String> {
        let inputs = &inputs.with_archives();
        let mut libraries = Vec::new();
        // What the C files and objects need comes first.
        for path in &inputs.shared {
            let name = path.display();
            if !path.is_file() {
                return Err(format!("cannot load `{name}`: there is no such file"));
            }
            // A name without a directory would be looked for elsewhere.
            let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
            libraries.push(open(&whole).map_err(|reason| format!("cannot load `{name}`: {reason}"))?);
        }
        for name in &inputs.names {
            libraries.push(named(name, inputs)?);
        }
        let mut names = Names::default();
        if let Some(made) = link::link(inputs)? {
            libraries.extend(this());
            names = Names::of(&made, |name| libraries.iter().any(|library| address_in(library, name).is_some()))?;
            libraries.splice(0..0, names.library());
        } else {
            libraries.extend(this());
        }
        Ok(Libraries { loaded: libraries, names, on_demand: OnDemand::new(inputs), entries: Mutex::default() })
    }

    /// The names that C code uses and no library defines: they are to be the program's.
    pub fn wanted(&self) -> impl Iterator<Item = &str> {
        self.names.wanted()
    }

    /// Whether a name is one of those.
    pub fn wants(&self, name: &str) -> bool {
        self.names.has(name)
    }

    /// What needs those names, for messages.
    pub fn needs_names(&self) -> &str {
        self.names.what()
    }

    /// Whether the main program is in C.
    pub fn has_main(&self) -> bool {
        self.names.has_main()
    }

    /// Where the libraries have a variable of that name and so many bytes; the reason if that is not so.
    pub fn variable(&self, name: &str, bytes: u64) -> Result<u64, String> {
        match self.names.variable(name) {
            Some(_) if bytes > link::VARIABLE_BYTES => {
                Err(format!("it uses `{name}`, which has more than {} bytes", link::VARIABLE_BYTES))
            }
            Some(address) => Ok(address as u64),
            None => self.symbol(name).map(|address| address as u64).ok_or_else(|| self.why_missing(name)),
        }
    }

    /// The entry of a procedure of the program; `None` if there is none left of so many.
    pub(crate) fn entry_of(&self, address: u64, most: usize) -> Option<usize> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = entries.iter().position(|&known| known == address) {
            return Some(known);
        }
        (entries.len() < most).then(|| {
            entries.push(address);
            entries.len() - 1
        })
    }

    /// C finds a procedure of the program at an address.
    pub(crate) fn provide(&self, name: &str, address: usize) {
        self.names.provide(name, address);
    }

    /// Gives back memory that C has allocated for the program; whether it was such memory.
    pub fn release(&self, address: u64) -> bool {
        self.names.release(address)
    }

    /// Whether a library has a procedure of that name, or one that is loaded on demand may have it.
    pub fn has(&self, name: &str) -> bool {
        self.loaded(name).is_some() || self.on_demand.may_have(name)
    }

    /// Whether a library of the program, and not the C library or its mathematics, has a variable or procedure of that name.
    pub fn defines(&self, name: &str) -> bool {
        let Some(own) = self.symbol(name).and_then(holder) else { return false };
        let mut system = ["fflush", "cos"].into_iter().filter_map(|name| self.symbol(name).and_then(holder));
        system.all(|base| base != own)
    }

    /// The address of a procedure or variable.
    pub(crate) fn symbol(&self, name: &str) -> Option<usize> {
        self.loaded(name).or_else(|| address_in(self.on_demand.library(name)?.ok()?, name))
    }

    /// The same in the libraries that the command line gives, and in the C library.
    fn loaded(&self, name: &str) -> Option<usize> {
        if name.is_empty() || name.contains('\0') || self.names.has(name) {
            return None;
        }
        if let Some(own) = process::symbol(name) {
            return Some(own);
        }
        self.loaded.iter().find_map(|library| address_in(library, name))
    }

    /// Closes the libraries that were loaded on demand, by the thread that has called them.
    pub(crate) fn close(&self) {
        self.on_demand.close();
    }

    /// Why there is no procedure of that name, for the user.
    pub(crate) fn why_missing(&self, name: &str) -> String {
        match self.on_demand.library(name) {
            Some(Err(reason)) => reason.to_owned(),
            _ => "no library has it".to_owned(),
        }
    }
}

/// Where the library that holds an address begins.
#[cfg(unix)]
fn holder(address: usize) -> Option<usize> {
    /// `Dl_info` of `dlfcn.h`.
    #[repr(C)]
    struct Info {
        file: *const std::ffi::c_char,
        base: *const (),
        symbol: *const std::ffi::c_char,
        address: *const (),
    }
    unsafe extern "C" {
        fn dladdr(address: *const (), info: *mut Info) -> std::ffi::c_int;
    }
    let text = std::ptr::null();
    let mut info = Info { file: text, base: std::ptr::null(), symbol: text, address: std::ptr::null() };
    // SAFETY: `dladdr` looks up any address, and fills the structure that it is given.
    let found = unsafe { dladdr(address as *const (), &raw mut info) };
    (found != 0).then_some(info.base as usize)
}

#[cfg(not(unix))]
fn holder(_address: usize) -> Option<usize> {
    None
}

/// The library of a name in `-l`.
fn named(name: &str, inputs: &Inputs) -> Result<&'static Library, String> {
    open_first(link::candidates(name, inputs)).map_err(|reason| match reason {
        Some(reason) => format!("cannot load library `{name}`: {reason}"),
        None => format!("there is no library `{name}` (`lib{name}.so`); `-L DIR` names a directory to look in"),
    })
}

/// The libraries that cufemu itself has, among them the C library.
fn this() -> Option<&'static Library> {
    #[cfg(unix)]
    let library = Some(stay(UnixLibrary::this().into()));
    #[cfg(not(unix))]
    let library = None;
    library
}

//! Libraries that are loaded, and the procedures in them.
#![allow(unsafe_code)] // Calls `dladdr`.

use crate::link::{self, Inputs};
use crate::on_demand::OnDemand;
use crate::shared::{address_in, open, open_first, stay};
use libloading::Library;
#[cfg(unix)]
use libloading::os::unix::Library as UnixLibrary;

/// The libraries of a program; the C library is always one.
#[derive(Debug)]
pub struct Libraries {
    libraries: Vec<&'static Library>,
    on_demand: OnDemand,
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
        if let Some(made) = link::link(inputs)? {
            let what = &made.what;
            let library = open(&made.file).map_err(|reason| match reason.split_once("undefined symbol: ") {
                Some((_, symbol)) => format!(
                    "nothing defines `{symbol}`, which {what} needs: give the library that has it; that C code uses \
                     procedures or variables of the Fortran program is not supported"
                ),
                None => format!("cannot load what was made of {what}: {reason}"),
            })?;
            libraries.insert(0, library);
        }
        libraries.extend(this());
        Ok(Libraries { libraries, on_demand: OnDemand::new(inputs) })
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
        if name.is_empty() || name.contains('\0') {
            return None;
        }
        self.libraries.iter().find_map(|library| address_in(library, name))
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

//! One shared library: loading it, and what is in it.
#![allow(unsafe_code)] // Loading a library runs code of it.

use libloading::Library;
#[cfg(unix)]
use libloading::os::unix::{Library as UnixLibrary, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
use std::path::{Path, PathBuf};

/// Loads a library, so that those loaded later find its procedures. It stays until the process ends: threads may hold data whose
/// destructors are in it.
pub(crate) fn open(path: &Path) -> Result<&'static Library, String> {
    open_with(path, true)
}

/// The same; others find its procedures if `is_global` says so.
fn open_with(path: &Path, is_global: bool) -> Result<&'static Library, String> {
    // SAFETY: the user has given the library; what it does when it is loaded is what it does in any program.
    #[cfg(unix)]
    let library = unsafe {
        UnixLibrary::open(Some(path), RTLD_NOW | if is_global { RTLD_GLOBAL } else { RTLD_LOCAL }).map(Library::from)
    };
    #[cfg(not(unix))]
    let _ = is_global;
    // SAFETY: the same.
    #[cfg(not(unix))]
    let library = unsafe { Library::new(path) };
    library.map(stay).map_err(|error| reason(&error, path))
}

/// A library that is never unloaded.
pub(crate) fn stay(library: Library) -> &'static Library {
    Box::leak(Box::new(library))
}

/// Loads the first of these files that can be loaded; otherwise, why not the last of those that there are.
pub(crate) fn open_first(paths: impl IntoIterator<Item = PathBuf>) -> Result<&'static Library, Option<String>> {
    first(paths, true)
}

/// The same for a library whose procedures others do not find.
pub(crate) fn open_first_alone(paths: impl IntoIterator<Item = PathBuf>) -> Result<&'static Library, Option<String>> {
    first(paths, false)
}

fn first(paths: impl IntoIterator<Item = PathBuf>, is_global: bool) -> Result<&'static Library, Option<String>> {
    let mut reason = None;
    for path in paths {
        match open_with(&path, is_global) {
            Ok(library) => return Ok(library),
            // A file that is not there says nothing.
            Err(why) if path.is_file() => reason = Some(format!("`{}`: {why}", path.display())),
            Err(_) => {}
        }
    }
    Err(reason)
}

/// What the loader says, without the name of the file.
fn reason(error: &libloading::Error, path: &Path) -> String {
    let text = match error {
        libloading::Error::DlOpen { source } => source.to_string(),
        other => other.to_string(),
    };
    let text = text.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&text);
    text.trim_end_matches('.').to_owned()
}

/// The address of what a library calls so.
pub(crate) fn address_in(library: &Library, name: &str) -> Option<usize> {
    // SAFETY: the address is only looked at; who calls it knows what it is.
    let symbol = unsafe { library.get::<*const ()>(name) };
    symbol.ok().map(|symbol| *symbol as usize).filter(|&address| address != 0)
}

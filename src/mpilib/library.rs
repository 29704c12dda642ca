//! The library: which file it is, and its functions.
//!
//! Handles are pointers in Open MPI and integers in MPICH. Here both are words: an integer is passed in the same register, and
//! a function that sets an integer sets the lower half of a word that was 0.
#![allow(unsafe_code)] // Loads a library and names the types of its functions.

use crate::launch::{Kind, Launch};
use libloading::Library;
#[cfg(unix)]
use libloading::os::unix::{Library as UnixLibrary, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};

/// A handle of MPI, or room for one.
pub(crate) type Word = usize;
/// Room for a status of either family.
pub(crate) type Status = [c_int; 16];

macro_rules! functions {
    ($($name:ident $symbol:literal: fn($($arg:ty),*);)*) => {
        /// The functions.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($arg),*) -> c_int,)*
        }

        impl Functions {
            /// # Safety
            /// The library is an MPI.
            unsafe fn of(library: &Library) -> Result<Functions, String> {
                Ok(Functions {
                    // SAFETY: the standard has the functions with these arguments.
                    $($name: *unsafe { library.get($symbol) }
                        .map_err(|_| format!("it has no `{}`", $symbol))?,)*
                })
            }
        }
    };
}

functions! {
    init_thread "MPI_Init_thread": fn(*mut c_int, *mut c_void, c_int, *mut c_int);
    finalize "MPI_Finalize": fn();
    abort "MPI_Abort": fn(Word, c_int);
    comm_dup "MPI_Comm_dup": fn(Word, *mut Word);
    comm_free "MPI_Comm_free": fn(*mut Word);
    comm_rank "MPI_Comm_rank": fn(Word, *mut c_int);
    comm_size "MPI_Comm_size": fn(Word, *mut c_int);
    isend "MPI_Isend": fn(*const c_void, c_int, Word, c_int, c_int, Word, *mut Word);
    improbe "MPI_Improbe": fn(c_int, c_int, Word, *mut c_int, *mut Word, *mut Status);
    imrecv "MPI_Imrecv": fn(*mut c_void, c_int, Word, *mut Word, *mut Word);
    get_count "MPI_Get_count": fn(*const Status, Word, *mut c_int);
    test "MPI_Test": fn(*mut Word, *mut c_int, *mut Status);
    processor_name "MPI_Get_processor_name": fn(*mut c_char, *mut c_int);
    library_version "MPI_Get_library_version": fn(*mut c_char, *mut c_int);
}

/// Values that differ between the families.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values {
    pub(crate) world: Word,
    pub(crate) byte: Word,
    pub(crate) any_source: c_int,
    /// The place of `MPI_SOURCE` in a status.
    pub(crate) source_at: usize,
}

/// `MPI_ANY_TAG` of both families.
pub(crate) const ANY_TAG: c_int = -1;
/// `MPI_THREAD_FUNNELED` of both families.
pub(crate) const FUNNELED: c_int = 1;

/// An MPI library.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) functions: Functions,
    pub(crate) values: Values,
    pub(crate) kind: Kind,
    pub(crate) file: PathBuf,
}

/// Loads the library of the launcher, or the one that the user names. The error is a sentence.
pub(crate) fn load(launch: &Launch, named: Option<&Path>) -> Result<Loaded, String> {
    if let Some(path) = named {
        return open(path).map_err(|reason| format!("cannot load the MPI library `{}`: {reason}", path.display()));
    }
    let kinds = launch.kind.map_or(vec![Kind::OpenMpi, Kind::Mpich], |kind| vec![kind]);
    let names: Vec<&str> = kinds.iter().flat_map(|kind| kind.files()).copied().collect();
    let beside = launch.directories.iter().flat_map(|dir| names.iter().map(|name| dir.join(name)));
    let candidates = beside.filter(|path| path.is_file()).chain(names.iter().map(PathBuf::from));
    let mut reasons = Vec::new();
    for path in candidates {
        match open(&path) {
            Ok(loaded) => return Ok(loaded),
            Err(reason) => reasons.push(format!("{}: {reason}", path.display())),
        }
    }
    let whose = launch.kind.map_or_else(String::new, |kind| format!(" of {}", kind.name()));
    let mut text = format!(
        "the launcher{whose} has started this process as rank {} of {}, but its MPI library cannot be loaded ({}); `--mpi FILE` \
         names it",
        launch.rank,
        launch.ranks,
        reasons.join("; ")
    );
    if let Some(other) = other_kind(launch) {
        text.push_str(&format!(". The library of {} is here: start the program with its `mpirun`", other.name()));
    }
    Err(text)
}

/// The other family, if the launcher's own is missing and that is here.
fn other_kind(launch: &Launch) -> Option<Kind> {
    let other = match launch.kind? {
        Kind::OpenMpi => Kind::Mpich,
        Kind::Mpich => Kind::OpenMpi,
    };
    other.files().iter().any(|name| open(Path::new(name)).is_ok()).then_some(other)
}

/// Loads a file, so that parts that it loads itself find its functions.
fn open(path: &Path) -> Result<Loaded, String> {
    // SAFETY: an MPI library does nothing to cufemu when it is loaded.
    #[cfg(unix)]
    let library = unsafe { UnixLibrary::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.map(Library::from);
    // SAFETY: the same.
    #[cfg(not(unix))]
    let library = unsafe { Library::new(path) };
    let library = library.map_err(|error| reason(&error, path))?;
    // SAFETY: the addresses of variables are only looked at.
    let variable = |name: &str| unsafe { library.get::<*const ()>(name) }.ok().map(|at| *at as Word);
    let (kind, values) = match (variable("ompi_mpi_comm_world"), variable("ompi_mpi_byte")) {
        (Some(world), Some(byte)) => (Kind::OpenMpi, Values { world, byte, any_source: -1, source_at: 0 }),
        _ => {
            let values = Values { world: 0x4400_0000, byte: 0x4c00_010d, any_source: -2, source_at: 2 };
            (Kind::Mpich, values)
        }
    };
    // SAFETY: the names of the functions say that it is an MPI.
    let functions = unsafe { Functions::of(&library) }?;
    // The functions are called until the process ends.
    std::mem::forget(library);
    Ok(Loaded { functions, values, kind, file: path.to_owned() })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_mpi_is_refused() {
        let launch = Launch { kind: Some(Kind::Mpich), rank: 1, ranks: 2, local_ranks: 2, directories: Vec::new() };
        let error = load(&launch, Some(Path::new("/no/such/libmpi.so"))).expect_err("no such file");
        assert!(error.starts_with("cannot load the MPI library `/no/such/libmpi.so`: "), "{error}");
        if cfg!(target_os = "linux") {
            let error = load(&launch, Some(Path::new("libc.so.6"))).expect_err("no MPI");
            assert!(error.contains("it has no `MPI_Init_thread`"), "{error}");
        }
    }
}

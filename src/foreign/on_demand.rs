//! Libraries that nobody has to name: they are loaded when a function of theirs is first looked for.
//!
//! Not here: the embedded modules that call them (`compile`).
#![allow(unsafe_code)] // Calls a function of a library.

use crate::link::{self, Inputs};
use crate::shared::{address_in, open_first};
use libloading::Library;
use std::sync::OnceLock;

/// How the functions of HDF5 begin: two more capitals or a small letter follow (`H5Fopen`, `H5open`).
const HDF5: &str = "H5";

/// The library HDF5, if it is needed.
#[derive(Debug)]
pub(crate) struct OnDemand {
    inputs: Inputs,
    hdf5: OnceLock<Result<&'static Library, String>>,
}

impl OnDemand {
    /// Nothing is loaded; the directories of `-L` are looked in first.
    pub(crate) fn new(inputs: &Inputs) -> OnDemand {
        let inputs = Inputs { directories: inputs.directories.clone(), mpi: inputs.mpi, ..Inputs::default() };
        OnDemand { inputs, hdf5: OnceLock::new() }
    }

    /// Whether a name is one that the library may have.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        name.strip_prefix(HDF5).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    }

    /// The library that may have a function or variable of that name; loads it. The error is for the user.
    pub(crate) fn library(&self, name: &str) -> Option<Result<&'static Library, &str>> {
        self.may_have(name).then(|| {
            let loaded = self.hdf5.get_or_init(|| hdf5(&self.inputs));
            loaded.as_ref().copied().map_err(String::as_str)
        })
    }

    /// Closes HDF5 if it was loaded. What it knows of the thread that has called it cannot be closed by another one, as would happen
    /// at the end of the process.
    pub(crate) fn close(&self) {
        let Some(Ok(library)) = self.hdf5.get() else { return };
        let Some(address) = address_in(library, "H5close") else { return };
        // SAFETY: `herr_t H5close(void)`, which may be called at any time.
        unsafe { std::mem::transmute::<usize, unsafe extern "C" fn() -> i32>(address)() };
    }
}

/// What the library is called: Debian has one for each MPI and one without. That of another MPI would call that.
fn hdf5_names(mpi: Option<&str>) -> Vec<String> {
    let plain = ["hdf5", "hdf5_serial"].map(str::to_owned);
    match mpi {
        Some(mpi) => [format!("hdf5_{mpi}")].into_iter().chain(plain).collect(),
        None => plain.into_iter().chain(["hdf5_openmpi", "hdf5_mpich"].map(str::to_owned)).collect(),
    }
}

fn hdf5(inputs: &Inputs) -> Result<&'static Library, String> {
    let names = hdf5_names(inputs.mpi);
    open_first(names.iter().flat_map(|name| link::candidates(name, inputs))).map_err(|reason| {
        let why = reason.unwrap_or_else(|| {
            let files: Vec<String> = names.iter().take(2).map(|name| format!("`lib{name}.so`")).collect();
            format!("there is no {}", files.join(" and no "))
        });
        format!("the HDF5 library cannot be loaded ({why}); install it, or name its directory by `-L DIR`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_the_launcher_is_looked_for_first() {
        assert_eq!(hdf5_names(Some("mpich")), ["hdf5_mpich", "hdf5", "hdf5_serial"]);
        assert_eq!(hdf5_names(None), ["hdf5", "hdf5_serial", "hdf5_openmpi", "hdf5_mpich"]);
    }

    #[test]
    fn only_its_own_names_ask_for_a_library() {
        let on_demand = OnDemand::new(&Inputs::default());
        assert!(on_demand.library("h5open").is_none());
        assert!(on_demand.library("H5").is_none());
        assert!(on_demand.library("H5_").is_none());
        assert!(on_demand.hdf5.get().is_none());
    }
}

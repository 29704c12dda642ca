//! NVIDIA's libraries (`libcublas.so` …): they are loaded when a function of theirs is first looked for, and called.
//!
//! Not here: which functions there are and what they take (`library`), the device that they work on (`gpu`).
#![allow(unsafe_code)] // Calls functions of libraries.

use crate::call::Arguments;
use crate::link::{self, Inputs};
use crate::shared::{address_in, open_first_alone};
use ir::foreign::{CScalar, CValue};
use libloading::Library;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Versions of the files, the newest first, for the loader, which knows more directories than can be listed.
const VERSIONS: &[u32] = &[13, 12, 11, 10];
/// Where CUDA is, beside what the environment says.
const HOMES: &[&str] = &["/usr/local/cuda", "/opt/cuda"];
/// Where its libraries are there.
const PARTS: &[&str] = &["lib64", "targets/x86_64-linux/lib", "lib"];

/// The libraries that were looked for, by their names without `lib` and `.so`.
type Loaded = BTreeMap<String, Result<&'static Library, String>>;

/// NVIDIA's libraries.
#[derive(Debug)]
pub struct CudaLibraries {
    inputs: Inputs,
    homes: Vec<PathBuf>,
    loaded: Mutex<Loaded>,
}

/// A function of a library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CudaFunction(usize);

/// An argument of a function.
#[derive(Debug)]
pub enum CudaArg<'a> {
    /// An integer or an address.
    Word(u64),
    /// The bits of a real.
    Real(u64),
    /// The address of these bytes.
    Bytes(&'a mut [u8]),
}

impl CudaLibraries {
    /// Nothing is loaded; the directories of `-L` are looked in first.
    pub fn new(inputs: &Inputs) -> CudaLibraries {
        let homes = link::cuda_homes().chain(HOMES.iter().map(PathBuf::from));
        let inputs = Inputs { directories: inputs.directories.clone(), ..Inputs::default() };
        CudaLibraries { inputs, homes: homes.collect(), loaded: Mutex::default() }
    }

    /// A function of the library of that name; the error is for the user.
    pub fn function(&self, library: &str, name: &str) -> Result<CudaFunction, String> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let found = loaded.entry(library.to_owned()).or_insert_with(|| self.load(library)).clone()?;
        let address = address_in(found, name);
        address.map(CudaFunction).ok_or_else(|| {
            format!(
                "`lib{library}.so` of this installation has no `{name}`; install another version of CUDA's libraries"
            )
        })
    }

    fn load(&self, name: &str) -> Result<&'static Library, String> {
        if cfg!(not(all(unix, target_arch = "x86_64"))) {
            return Err("NVIDIA's libraries can be called on x86-64 only".to_owned());
        }
        open_first_alone(self.candidates(name)).map_err(|reason| {
            let why = reason.unwrap_or_else(|| format!("there is no `lib{name}.so`"));
            format!(
                "NVIDIA's library `lib{name}.so` cannot be loaded ({why}); install CUDA's libraries, or name their \
                 directory by `-L DIR`, `LD_LIBRARY_PATH` or `CUDA_HOME`"
            )
        })
    }

    /// The archive of that name (`libcudadevrt.a`), which the driver links.
    pub fn archive(&self, name: &str) -> Option<PathBuf> {
        let directories = self.inputs.directories.iter().cloned().chain(self.directories());
        directories.map(|directory| directory.join(format!("lib{name}.a"))).find(|file| file.is_file())
    }

    /// Where CUDA's libraries may be installed.
    fn directories(&self) -> impl Iterator<Item = PathBuf> {
        self.homes.iter().flat_map(|home| PARTS.iter().map(|part| home.join(part)))
    }

    /// The files in which a library may be, the likeliest first.
    fn candidates(&self, name: &str) -> Vec<PathBuf> {
        let mut out = link::candidates(name, &self.inputs);
        out.extend(VERSIONS.iter().map(|version| PathBuf::from(format!("lib{name}.so.{version}"))));
        out.extend(self.directories().flat_map(|directory| link::in_directory(&directory, name)));
        out
    }
}

impl CudaFunction {
    /// Calls it; its result is a status.
    pub fn call(self, args: &mut [CudaArg<'_>]) -> i32 {
        let mut arguments = Arguments::default();
        let status = CValue::Scalar(CScalar::Int(4));
        arguments.begin(Some(&status));
        for arg in args {
            let (scalar, word) = match arg {
                CudaArg::Word(word) => (CScalar::Int(8), *word),
                CudaArg::Real(bits) => (CScalar::Real(8), *bits),
                CudaArg::Bytes(bytes) => (CScalar::Pointer, bytes.as_mut_ptr() as u64),
            };
            arguments.add(&CValue::Scalar(scalar), &[word]);
        }
        // SAFETY: it is a function of NVIDIA's library; the arguments are those of its interface, and the bytes live until it returns.
        #[cfg(all(unix, target_arch = "x86_64"))]
        unsafe {
            crate::frame::enter(self.0 as *const (), arguments.frame());
        }
        arguments.scalar_result(CScalar::Int(4)) as i32
    }
}

#[cfg(all(test, unix, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use std::path::Path;
    use std::process::Command;

    /// A library of this name with these functions, made by the system's compiler. `None` without one.
    fn made(directory: &Path, name: &str, text: &str) -> Option<CudaLibraries> {
        std::fs::create_dir_all(directory).ok()?;
        let source = directory.join("library.c");
        std::fs::write(&source, text).ok()?;
        let file = directory.join(format!("lib{name}.so.12"));
        let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(file).arg(&source).status();
        made.ok().filter(std::process::ExitStatus::success)?;
        let inputs = Inputs { directories: vec![directory.to_owned()], ..Inputs::default() };
        Some(CudaLibraries::new(&inputs))
    }

    #[test]
    fn functions_are_found_and_called_with_all_kinds_of_arguments() {
        let directory = link::temporary(&format!("cufemu-cuda-{}", std::process::id()));
        let text = "#include <stdint.h>
            int cufakeMany(void *h, int64_t a, double x, int b, int c, int d, int e, float y, int f, double *out) {
                out[0] = (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f) + x;
                out[1] = y;
                return h == (void *)77 ? 11 : 12;
            }";
        // Without a C compiler there is nothing to call.
        let Some(libraries) = made(&directory, "cufake", text) else { return };
        let many = libraries.function("cufake", "cufakeMany").expect("is there");
        let mut out = [0u8; 16];
        let mut args = vec![CudaArg::Word(77), CudaArg::Word(1 << 40), CudaArg::Real(0.5f64.to_bits())];
        args.extend([1, 2, 3, 4].map(CudaArg::Word));
        args.extend([CudaArg::Real(u64::from(2.5f32.to_bits())), CudaArg::Word(5), CudaArg::Bytes(&mut out)]);
        assert_eq!(many.call(&mut args), 11);
        let expected = (1u64 << 40) as f64 + 2.0 + 6.0 + 12.0 + 20.0 + 30.0 + 0.5;
        assert_eq!((&out[..8], &out[8..]), (&expected.to_le_bytes()[..], &2.5f64.to_le_bytes()[..]));
        let missing = libraries.function("cufake", "cufakeFew").expect_err("is not there");
        assert!(missing.contains("`libcufake.so` of this installation has no `cufakeFew`"), "{missing}");
        let none = libraries.function("cunone", "cunoneMany").expect_err("is not there");
        assert!(none.contains("`libcunone.so` cannot be loaded (there is no `libcunone.so`)"), "{none}");
        let _ = std::fs::remove_dir_all(directory);
    }
}

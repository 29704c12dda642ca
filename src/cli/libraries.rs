//! What the command line gives beside Fortran files: C files, objects, libraries, kernels of CUDA C.
//!
//! Not here: compiling and loading them (crate `foreign`), reading kernels (`kernels`).

use crate::cli::nvfortran::Compiler;
use compile::{ForeignNames, NamesOfC};
use foreign::{CudaLibraries, Inputs, Libraries};
use host::has_runtime_routine;
use machine::RealWorld;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Libraries that need not be there: what they have is part of cufemu, or of a run-time library that it stands for.
const PROVIDED: &[&str] = &[
    "cublas",
    "cublasLt",
    "cuda",
    "cudafor",
    "cudart",
    "cufft",
    "cufftMp",
    "cufftw",
    "curand",
    "cusolver",
    "cusparse",
    "cutensor",
    "hdf5_fortran",
    "nccl",
    "nvToolsExt",
    "nvf",
    "nvhpcwrapnvtx",
];

/// The library that files of C++ need, which the compiler of C does not know of.
const OF_CPP: &str = if cfg!(target_os = "macos") { "c++" } else { "stdc++" };

/// Takes the files out of the list that are no Fortran files.
pub(crate) fn take(files: &mut Vec<PathBuf>, compiler: &Compiler) -> Inputs {
    let mut inputs = Inputs {
        names: compiler.libraries.iter().filter(|name| !PROVIDED.contains(&name.as_str())).cloned().collect(),
        directories: compiler.library_directories.iter().map(PathBuf::from).collect(),
        ..Inputs::default()
    };
    inputs.options.extend(compiler.includes.iter().map(|directory| format!("-I{directory}")));
    for (name, value) in &compiler.defines {
        inputs.options.push(match value {
            Some(value) => format!("-D{name}={value}"),
            None => format!("-D{name}"),
        });
    }
    inputs.options.extend(compiler.undefines.iter().map(|name| format!("-U{name}")));
    files.retain(|file| {
        let list = match kind(file) {
            Some(Kind::Source) => &mut inputs.sources,
            Some(Kind::Object) => &mut inputs.objects,
            Some(Kind::Shared) => &mut inputs.shared,
            Some(Kind::Kernels) => &mut inputs.kernels,
            None => return true,
        };
        list.push(file.clone());
        false
    });
    if inputs.sources.iter().any(|file| file.extension().is_some_and(|ending| ending != "c")) {
        inputs.names.push(OF_CPP.to_owned());
    }
    inputs
}

/// What the names of libraries that were built for an MPI end with.
pub(crate) fn of_mpi(kind: mpilib::Kind) -> &'static str {
    match kind {
        mpilib::Kind::OpenMpi => "openmpi",
        mpilib::Kind::Mpich => "mpich",
    }
}

enum Kind {
    Source,
    Object,
    Shared,
    Kernels,
}

/// What a file is by its name, if it is none of Fortran.
fn kind(file: &Path) -> Option<Kind> {
    let name = file.file_name()?.to_string_lossy();
    match name.rsplit_once('.')?.1 {
        "c" | "cpp" | "cc" | "cxx" | "c++" | "C" => Some(Kind::Source),
        "o" | "a" => Some(Kind::Object),
        "so" => Some(Kind::Shared),
        "ptx" | "cu" => Some(Kind::Kernels),
        // libfoo.so.1
        _ => name.contains(".so.").then_some(Kind::Shared),
    }
}

/// What the compiler asks of libraries.
struct Known(Arc<Libraries>);

impl NamesOfC for Known {
    fn has(&self, name: &str) -> bool {
        has_runtime_routine(name) || library::has(name) || self.0.has(name)
    }

    fn defines(&self, name: &str) -> bool {
        self.0.defines(name)
    }

    fn wants(&self, name: &str) -> bool {
        self.0.wants(name)
    }

    fn has_main(&self) -> bool {
        self.0.has_main()
    }
}

/// The libraries of a run; clones are the same libraries.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    libraries: Arc<Libraries>,
    of_cuda: Arc<CudaLibraries>,
}

impl Loaded {
    /// The names of procedures that the given files define, and that cufemu has too.
    pub(crate) fn defined(&self) -> Arc<[String]> {
        library::wrappers().filter(|name| self.libraries.defines(name)).map(str::to_owned).collect()
    }

    /// Compiles and loads what is given; the error is for the user.
    pub(crate) fn new(inputs: &Inputs) -> Result<Loaded, String> {
        let of_cuda = Arc::new(CudaLibraries::new(inputs));
        Ok(Loaded { libraries: Arc::new(Libraries::load(inputs)?), of_cuda })
    }

    /// The procedures that there are, those of CUDA's runtime and libraries too, for the compiler.
    pub(crate) fn names(&self) -> ForeignNames {
        ForeignNames::new(Known(self.libraries.clone()))
    }

    /// Why the program is not whole: C code uses a name that is not one of these either, of procedures and variables of the program.
    pub(crate) fn missing<'n>(&self, names: impl Iterator<Item = &'n str>) -> Option<String> {
        let names: BTreeSet<&str> = names.collect();
        let missing = self.libraries.wanted().find(|name| !names.contains(name))?;
        let what = self.libraries.needs_names();
        Some(format!(
            "nothing defines `{missing}`, which {what} needs: give the library that has it, or a procedure or variable with \
             `bind(c)`"
        ))
    }

    /// A world where they can be called.
    pub(crate) fn world(&self, world: RealWorld) -> RealWorld {
        world.with_libraries(self.libraries.clone())
    }

    /// NVIDIA's libraries, for a GPU.
    pub(crate) fn of_cuda(&self) -> &Arc<CudaLibraries> {
        &self.of_cuda
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_names() {
        let mut files = ["a.cuf", "b.c", "d/c.o", "libd.a", "./libe.so", "libf.so.1.2", "g.f90", "h.ptx", "i.cu"]
            .map(PathBuf::from)
            .to_vec();
        let compiler = Compiler::read(&["-lm", "-lcublas", "-Llib", "-DN=2"].map(str::to_owned));
        let inputs = take(&mut files, &compiler);
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(files, paths(&["a.cuf", "g.f90"]));
        assert_eq!(inputs.sources, paths(&["b.c"]));
        assert_eq!(inputs.kernels, paths(&["h.ptx", "i.cu"]));
        assert_eq!(inputs.objects, paths(&["d/c.o", "libd.a"]));
        assert_eq!(inputs.shared, paths(&["./libe.so", "libf.so.1.2"]));
        assert_eq!((&inputs.names[..], &inputs.options[..]), (&["m".to_owned()][..], &["-DN=2".to_owned()][..]));
        assert_eq!(inputs.directories, paths(&["lib"]));
    }
}

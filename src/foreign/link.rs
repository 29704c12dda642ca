//! From files to libraries: the system's C compiler makes a shared library of C files, objects and archives.
//!
//! What these use and nothing defines may be the program's; a second library stands for it when they are loaded.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where libraries are looked for after the directories of `-L` and those of `LD_LIBRARY_PATH`.
const DIRECTORIES: &[&str] = &[
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/lib64",
    "/usr/lib",
    "/lib",
];

/// What the command line gives beside Fortran files.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Files of C and C++.
    pub sources: Vec<PathBuf>,
    /// Objects and archives.
    pub objects: Vec<PathBuf>,
    /// Shared libraries.
    pub shared: Vec<PathBuf>,
    /// Kernels of CUDA C: PTX files (`.ptx`) and sources (`.cu`).
    pub kernels: Vec<PathBuf>,
    /// Names of libraries (`-l`).
    pub names: Vec<String>,
    /// Where they are looked for (`-L`).
    pub directories: Vec<PathBuf>,
    /// Options of the C compiler (`-I`, `-D`, `-U`).
    pub options: Vec<String>,
    /// What the names of libraries for the MPI of the launcher end with (`openmpi`, `mpich`), if there is a launcher.
    pub mpi: Option<&'static str>,
}

impl Inputs {
    /// The same with archives for those names of which a directory of `-L` has only an archive.
    pub(crate) fn with_archives(&self) -> Inputs {
        let mut out = self.clone();
        out.names.retain(|name| {
            let here = |file: String| self.directories.iter().map(|d| d.join(&file)).find(|path| path.is_file());
            match (here(format!("lib{name}.so")), here(format!("lib{name}.a"))) {
                (None, Some(archive)) => {
                    out.objects.push(archive);
                    false
                }
                _ => true,
            }
        });
        out
    }
}

/// A library that was made. Its file is gone when this is.
pub(crate) struct Made {
    pub(crate) file: PathBuf,
    /// The files that it was made of, for messages.
    pub(crate) what: String,
    directory: PathBuf,
}

impl Drop for Made {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// The header for C descriptors, and the functions that it declares.
const HEADER: (&str, &str) = ("ISO_Fortran_binding.h", include_str!("c/ISO_Fortran_binding.h"));
const FUNCTIONS: (&str, &str) = ("iso_fortran_binding.c", include_str!("c/iso_fortran_binding.c"));

/// Bytes for a variable of the program that C uses.
pub(crate) const VARIABLE_BYTES: u64 = 1 << 16;

/// Makes a shared library of C files, objects and archives, if there are any; the error is for the user.
pub(crate) fn link(inputs: &Inputs) -> Result<Option<Made>, String> {
    let files: Vec<&PathBuf> = inputs.sources.iter().chain(&inputs.objects).collect();
    if files.is_empty() {
        return Ok(None);
    }
    if let Some(missing) = files.iter().find(|file| !file.is_file()) {
        return Err(format!("cannot read `{}`: there is no such file", missing.display()));
    }
    let what = files.iter().map(|file| format!("`{}`", file.display())).collect::<Vec<_>>().join(", ");
    let made = Made::new("program.so", what)?;
    made.write(HEADER)?;
    let mut arguments: Vec<OsString> = ["-O2", "-g"].map(OsString::from).to_vec();
    // The addresses of procedures of the program are put there later.
    arguments.push("-Wl,-z,norelro".into());
    // Names of the files stand for what is in them, also where the C library has others of that name.
    arguments.push("-Wl,-Bsymbolic".into());
    arguments.extend(inputs.options.iter().map(OsString::from));
    arguments.push("-I".into());
    arguments.push(made.directory.clone().into());
    arguments.extend(inputs.sources.iter().map(OsString::from));
    // Of an archive everything is wanted: nothing in it is called from C.
    arguments.push("-Wl,--whole-archive".into());
    arguments.extend(inputs.objects.iter().map(OsString::from));
    arguments.push("-Wl,--no-whole-archive".into());
    arguments.extend(inputs.shared.iter().map(OsString::from));
    made.compile(arguments)?;
    Ok(Some(made))
}

/// Makes a library that has what those names stand for until the program has it, and the functions for C descriptors, if they are
/// wanted.
pub(crate) fn stand_in(what: &str, names: &[&str], has_functions: bool) -> Result<Made, String> {
    let made = Made::new("names.so", what.to_owned())?;
    let place = |name: &&str| format!("__asm__(\".comm {name},{VARIABLE_BYTES},64\");\n");
    let places = names.iter().map(place).collect::<Vec<_>>().concat();
    let mut arguments = vec![made.write(("names.c", &places))?.into()];
    if has_functions {
        made.write(HEADER)?;
        arguments.push(made.write(FUNCTIONS)?.into());
    }
    made.compile(arguments)?;
    Ok(made)
}

impl Made {
    /// A place for a library of that name.
    fn new(name: &str, what: String) -> Result<Made, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = temporary(&format!("cufemu-{}-{number}", std::process::id()));
        fs::create_dir_all(&directory).map_err(|e| format!("cannot make `{}`: {e}", directory.display()))?;
        Ok(Made { file: directory.join(name), what, directory })
    }

    /// Writes a file beside it.
    fn write(&self, (name, text): (&str, &str)) -> Result<PathBuf, String> {
        let path = self.directory.join(name);
        fs::write(&path, text).map_err(|e| format!("cannot write `{}`: {e}", path.display()))?;
        Ok(path)
    }

    /// Has the system's C compiler make it.
    fn compile(&self, arguments: Vec<OsString>) -> Result<(), String> {
        let what = &self.what;
        let compiler = std::env::var("CC").ok().filter(|cc| !cc.trim().is_empty()).unwrap_or_else(|| "cc".to_owned());
        // `CC` may hold options too, as `make` has it.
        let mut words = compiler.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("cc"));
        command.args(words).args(["-shared", "-fPIC", "-o"]).arg(&self.file).args(arguments).arg("-lm");
        let ended = command.output().map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                format!("there is no C compiler `{compiler}` for {what}; install one, or give a compiled library")
            }
            _ => format!("the C compiler `{compiler}` cannot be run: {error}"),
        })?;
        if ended.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ended.stderr);
        Err(format!("the C compiler `{compiler}` cannot make a library of {what}:\n{}", said.trim_end()))
    }
}

/// A directory for files that are needed for a while.
pub(crate) fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(name)
}

/// Where the environment says that CUDA is.
pub(crate) fn cuda_homes() -> impl Iterator<Item = PathBuf> {
    let set = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os);
    set.filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// The files in which the library of that name may be, the likeliest first.
pub(crate) fn candidates(name: &str, inputs: &Inputs) -> Vec<PathBuf> {
    let file = format!("lib{name}.so");
    let searched = std::env::var_os("LD_LIBRARY_PATH");
    let searched = searched.iter().flat_map(std::env::split_paths);
    let directories: Vec<PathBuf> =
        inputs.directories.iter().cloned().chain(searched).chain(DIRECTORIES.iter().map(PathBuf::from)).collect();
    let mut out: Vec<PathBuf> = directories.iter().map(|directory| directory.join(&file)).collect();
    // The loader knows more directories.
    out.push(PathBuf::from(&file));
    // Where nothing for compilers is installed, the name has a version; `libm.so` is a text for the linker.
    out.extend(directories.iter().flat_map(|directory| versions(directory, &format!("{file}."))));
    out
}

/// The files of a directory in which the library of that name may be.
pub(crate) fn in_directory(directory: &Path, name: &str) -> Vec<PathBuf> {
    let file = format!("lib{name}.so");
    let versions = versions(directory, &format!("{file}."));
    [directory.join(&file)].into_iter().chain(versions).collect()
}

/// The files of a directory whose names begin so, sorted.
fn versions(directory: &Path, beginning: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(beginning));
    let mut out: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    out.sort();
    out
}

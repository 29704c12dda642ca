//! The modules that come with the compiler. They have default kinds of four bytes, whatever the options say; the external procedures
//! of the run-time library, which programs know without an interface, have those of the program.

use crate::parts::{Parts, Selection};
use crate::{cublas, hdf5, mpi};
use ast::{Program, StmtKind, Subprogram, Unit, UnitKind, UseStmt};
use diag::Diagnostics;
use parse::{ParseOptions, SourceForm};
use source::{FileId, SourceMap};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, OnceLock};

/// One of the modules.
struct Embedded {
    name: &'static str,
    text: fn() -> &'static str,
    parts: OnceLock<Parts>,
}

impl Embedded {
    const fn new(name: &'static str, text: fn() -> &'static str) -> Embedded {
        Embedded { name, text, parts: OnceLock::new() }
    }
}

/// Table: module names and their sources.
static MODULES: [Embedded; 34] = [
    Embedded::new(RUNTIME, || include_str!("modules/cudafor.cuf")),
    Embedded::new("cooperative_groups", || include_str!("modules/cooperative_groups.cuf")),
    Embedded::new(DEVICE_PROCEDURES, || &crate::cudadevice::SOURCE),
    Embedded::new("cublas", || &cublas::MODULE),
    Embedded::new("cublas_v2", || &cublas::MODULE_V2),
    Embedded::new("cublasxt", || &cublas::MODULE_XT),
    Embedded::new("cufemu_cublas", || &cublas::SHARED),
    Embedded::new("cufft", || include_str!("modules/cufft.cuf")),
    Embedded::new("cufftxt", || include_str!("modules/cufftxt.cuf")),
    Embedded::new("cufemu_cufftxt", || include_str!("modules/cufftxt_slabs.cuf")),
    Embedded::new("curand", || include_str!("modules/curand.cuf")),
    Embedded::new("curand_device", || &crate::curand_device::SOURCE),
    Embedded::new("cusolverdn", || &CUSOLVERDN),
    Embedded::new("cusparse", || &CUSPARSE),
    Embedded::new("nccl", || include_str!("modules/nccl.cuf")),
    Embedded::new("sort", || include_str!("modules/sort.cuf")),
    Embedded::new("cutensorex", || include_str!("modules/cutensorex.cuf")),
    Embedded::new("hdf5", || &hdf5::MODULE),
    Embedded::new("iso_c_binding", || include_str!("modules/iso_c_binding.cuf")),
    Embedded::new("iso_fortran_env", || include_str!("modules/iso_fortran_env.cuf")),
    Embedded::new("ieee_exceptions", || include_str!("modules/ieee_exceptions.cuf")),
    Embedded::new("ieee_features", || include_str!("modules/ieee_features.cuf")),
    Embedded::new("ieee_arithmetic", || {
        concat!(include_str!("modules/ieee_arithmetic.cuf"), include_str!("modules/ieee_half.cuf"))
    }),
    Embedded::new("mpi", || &mpi::MODULE),
    Embedded::new("mpi_f08", || &mpi::F08),
    Embedded::new(lower::MPI_CALLS[0], || include_str!("modules/mpi_calls.cuf")),
    Embedded::new(mpi::EXTERNALS, || &mpi::EXTERNAL_PROCEDURES),
    Embedded::new("nvtx", || include_str!("modules/nvtx.cuf")),
    Embedded::new("omp_lib", || include_str!("modules/omp_lib.cuf")),
    Embedded::new("openacc", || include_str!("modules/openacc.cuf")),
    // The name that the module had before OpenACC 1.0.
    Embedded::new("accel_lib", || "module accel_lib\n  use openacc\nend module accel_lib\n"),
    Embedded::new("wmma", || &crate::wmma::SOURCE),
    Embedded::new(LIBRARY, || {
        concat!(
            include_str!("modules/library.cuf"),
            include_str!("modules/library_units.cuf"),
            include_str!("modules/library_more.cuf"),
            include_str!("modules/library_process.cuf")
        )
    }),
    Embedded::new(MATHEMATICS, || &MATHEMATICS_SOURCE),
];

/// An include file that comes with the compiler: the name by which the user knows it, and its text.
pub(crate) fn include(name: &str) -> Option<(String, String)> {
    (name == "omp_lib.h").then(|| ("<omp_lib.h>".to_owned(), include_str!("modules/omp_lib.h").to_owned()))
}

/// The module of CUDA's runtime, whose routines host code may call without a USE statement.
pub(crate) const RUNTIME: &str = "cudafor";

/// The module whose procedures device code may call without a USE statement.
pub(crate) const DEVICE_PROCEDURES: &str = "cudadevice";

/// The module behind the external procedures that the run-time library has without any module; they are in its file.
pub(crate) const LIBRARY: &str = "cufemu_library";

/// The names of those procedures, sorted.
const LIBRARY_NAMES: &[&str] = &[
    "access",
    "alarm",
    "chdir",
    "chmod",
    "ctime",
    "cufemu_pause",
    "date",
    "dclock",
    "dffrac",
    "dflmax",
    "dflmin",
    "drand",
    "drandm",
    "dsecnds",
    "dtime",
    "etime",
    "execute_command_line",
    "fdate",
    "ffrac",
    "fgetc",
    "flmax",
    "flmin",
    "fork",
    "fputc",
    "free",
    "fseek",
    "fstat",
    "ftell",
    "gerror",
    "getc",
    "getcwd",
    "getfd",
    "getgid",
    "getlog",
    "getpid",
    "getuid",
    "gmtime",
    "hostnm",
    "idate",
    "ierrno",
    "inmax",
    "ioinit",
    "irand",
    "irandm",
    "isatty",
    "itime",
    "kill",
    "link",
    "lstat",
    "ltime",
    "malloc",
    "mclock",
    "omp_get_max_threads",
    "omp_get_num_procs",
    "omp_get_num_threads",
    "omp_get_thread_num",
    "omp_get_wtick",
    "omp_get_wtime",
    "omp_in_parallel",
    "omp_set_num_threads",
    "outstr",
    "perror",
    "putc",
    "putenv",
    "qsort",
    "ran",
    "rand",
    "random",
    "random_init",
    "rename",
    "rindex",
    "rtc",
    "secnds",
    "second",
    "selected_char_kind",
    "setvbuf",
    "setvbuf3f",
    "signal",
    "srand",
    "stat",
    "stime",
    "symlnk",
    "system",
    "time",
    "timef",
    "times",
    "ttynam",
    "unlink",
    "wait",
];

/// The module of mathematical functions, which lowering calls by the names of its procedures.
pub(crate) const MATHEMATICS: &str = "cufemu_math";

/// What the two kinds of real have of their own: constants, polynomials, reduction of large arguments.
const MATHEMATICS_OF_EACH_KIND: [&str; 5] = [
    include_str!("modules/math_head.cuf"),
    include_str!("modules/math_polynomials8.cuf"),
    include_str!("modules/math_polynomials4.cuf"),
    include_str!("modules/math_payne_hanek.cuf"),
    include_str!("modules/math_random.cuf"),
];

/// What is written for `real(8)` and instantiated for `real(4)` too.
const MATHEMATICS_OF_BOTH_KINDS: [&str; 9] = [
    include_str!("modules/math_exponential.cuf"),
    include_str!("modules/math_logarithm.cuf"),
    include_str!("modules/math_power.cuf"),
    include_str!("modules/math_trigonometric.cuf"),
    include_str!("modules/math_inverse.cuf"),
    include_str!("modules/math_error.cuf"),
    include_str!("modules/math_gamma.cuf"),
    include_str!("modules/math_bessel.cuf"),
    include_str!("modules/math_complex.cuf"),
];

/// The source of the mathematics module.
static MATHEMATICS_SOURCE: LazyLock<String> = LazyLock::new(|| {
    let both = MATHEMATICS_OF_BOTH_KINDS.concat();
    let single = both.replace("r8", "r4").replace("i8", "i4").replace("c8", "c4");
    format!("{}{both}{single}end module\n", MATHEMATICS_OF_EACH_KIND.concat())
});

/// The module cusolverdn: what all types share, and the routines for each type, named like those of LAPACK.
static CUSOLVERDN: LazyLock<String> = LazyLock::new(|| {
    let of_type = |(letter, symmetric, orthogonal, ty, real): (&str, &str, &str, &str, &str)| {
        include_str!("modules/cusolverdn_routines.cuf")
            .replace("@SY", &format!("{letter}{symmetric}"))
            .replace("@OR", &format!("{letter}{orthogonal}"))
            .replace('@', letter)
            .replace("TYPE", ty)
            .replace("REAL", real)
    };
    let types = [
        ("S", "sy", "or", "real(4)", "real(4)"),
        ("D", "sy", "or", "real(8)", "real(8)"),
        ("C", "he", "un", "complex(4)", "real(4)"),
        ("Z", "he", "un", "complex(8)", "real(8)"),
    ];
    [include_str!("modules/cusolverdn_head.cuf"), &types.map(of_type).concat(), "end module cusolverdn\n"].concat()
});

/// The module cusparse: what all types share, and tridiagonal systems for each type.
static CUSPARSE: LazyLock<String> = LazyLock::new(|| {
    let types = [("S", "real(4)"), ("D", "real(8)"), ("C", "complex(4)"), ("Z", "complex(8)")];
    let systems =
        types.map(|(letter, ty)| include_str!("modules/cusparse_systems.cuf").replace('@', letter).replace("TYPE", ty));
    [include_str!("modules/cusparse_head.cuf"), &systems.concat(), "end module cusparse\n"].concat()
});

/// The parts of an embedded module, if there is one of that name.
fn parts(name: &str) -> Option<&'static Parts> {
    let module = MODULES.iter().find(|m| m.name == name)?;
    Some(module.parts.get_or_init(|| Parts::new((module.text)())))
}

/// Parses modules, as far as they are embedded ones, and those that they use: what a program needs of them that mentions the
/// names, or all. Adds their files to `files`.
pub(crate) fn parsed<'m>(
    modules: impl IntoIterator<Item = &'m str>,
    names: Option<BTreeSet<Arc<str>>>,
    files: &mut BTreeSet<FileId>,
    map: &mut SourceMap,
    diags: &mut Diagnostics,
) -> Vec<Unit> {
    let mut selection = Selection::new(names);
    modules.into_iter().for_each(|module| selection.add(module, &parts));
    let plain = ParseOptions { form: Some(SourceForm::Free), preprocess: Some(false), ..ParseOptions::default() };
    let mut units = Vec::new();
    for (name, text) in selection.texts() {
        let file = map.add(format!("<{name}>"), text);
        files.insert(file);
        units.extend(parse::parse(map, &[file], &plain, &mut |_, _| None, diags).program.units);
    }
    units
}

/// A main program that calls the one in C.
pub(crate) fn main_of_c(files: &mut BTreeSet<FileId>, map: &mut SourceMap) -> Vec<Unit> {
    let plain = ParseOptions { form: Some(SourceForm::Free), preprocess: Some(false), ..ParseOptions::default() };
    let file = map.add("<main_of_c>".to_owned(), include_str!("modules/main_of_c.cuf").to_owned());
    files.insert(file);
    parse::parse(map, &[file], &plain, &mut |_, _| None, &mut Diagnostics::new()).program.units
}

/// Whether a program that mentions these names may mean a procedure of the run-time library.
pub(crate) fn names_library(names: &BTreeSet<Arc<str>>) -> bool {
    LIBRARY_NAMES.iter().any(|name| names.contains(*name))
}

/// Whether a program that mentions these names may mean a routine of CUDA's runtime.
pub(crate) fn names_runtime_routine(names: &BTreeSet<Arc<str>>) -> bool {
    let mut routines = names.iter().filter(|name| name.starts_with("cuda"));
    routines.any(|name| parts(RUNTIME).is_some_and(|parts| parts.declares(name)))
}

/// Whether a program that mentions these names may mean a procedure of device code that is written in Fortran.
pub(crate) fn names_device_procedure(names: &BTreeSet<Arc<str>>) -> bool {
    parts(DEVICE_PROCEDURES).is_some_and(|parts| names.iter().any(|name| parts.declares(name)))
}

/// The modules that the units use and do not define themselves.
pub(crate) fn used_modules(program: &Program) -> BTreeSet<Arc<str>> {
    let mut used = Used::default();
    let mut defined = BTreeSet::new();
    for unit in &program.units {
        match &unit.kind {
            UnitKind::Main(s) | UnitKind::External(s) => subprogram(s, &mut used),
            UnitKind::Module { name, uses, decls, procedures, .. } => {
                defined.insert(name.text.clone());
                of(uses, &mut used);
                interfaces(decls, &mut used);
                for procedure in procedures {
                    subprogram(procedure, &mut used);
                }
            }
            UnitKind::BlockData { uses, .. } => of(uses, &mut used),
        }
    }
    &(&used.names - &defined) | &used.intrinsic
}

/// The modules that the units use, or extend by submodules, and that neither they nor the compiler define.
pub(crate) fn missing_modules(program: &Program) -> BTreeSet<Arc<str>> {
    let mut missing = used_modules(program);
    let mut defined = BTreeSet::new();
    for unit in &program.units {
        if let UnitKind::Module { name, ancestor, .. } = &unit.kind {
            defined.insert(name.text.clone());
            missing.extend(ancestor.iter().map(|ancestor| ancestor.text.clone()));
        }
    }
    missing.retain(|name| !defined.contains(name) && MODULES.iter().all(|module| module.name != &**name));
    missing
}

/// The modules that USE statements name.
#[derive(Default)]
struct Used {
    names: BTreeSet<Arc<str>>,
    /// Those that `use, intrinsic` names: the compiler's, also where the program has a module of that name.
    intrinsic: BTreeSet<Arc<str>>,
}

fn of(uses: &[UseStmt], used: &mut Used) {
    used.names.extend(uses.iter().map(|u| u.module.text.clone()));
    used.intrinsic.extend(uses.iter().filter(|u| u.intrinsic == Some(true)).map(|u| u.module.text.clone()));
}

fn interfaces(decls: &[ast::Declaration], used: &mut Used) {
    for decl in decls {
        if let ast::DeclKind::Interface(interface) = &decl.kind {
            for item in &interface.items {
                if let ast::InterfaceItem::Body(body) = item {
                    subprogram(body, used);
                }
            }
        }
    }
}

fn subprogram(s: &Subprogram, used: &mut Used) {
    of(&s.uses, used);
    interfaces(&s.decls, used);
    s.internal.iter().for_each(|p| subprogram(p, used));
    block(&s.body, used);
}

/// USE statements of BLOCK constructs, however deep. The parser bounds the depth.
fn block(body: &[ast::Stmt], used: &mut Used) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Block { uses, decls, body, .. } => {
                of(uses, used);
                interfaces(decls, used);
                block(body, used);
            }
            StmtKind::If { arms, .. } => arms.iter().for_each(|a| block(&a.body, used)),
            StmtKind::Do { body, .. } | StmtKind::Associate { body, .. } => block(body, used),
            StmtKind::Select { arms, .. } | StmtKind::SelectRank { arms, .. } => {
                arms.iter().for_each(|a| block(&a.body, used));
            }
            StmtKind::SelectType { arms, .. } => arms.iter().for_each(|(_, body, _)| block(body, used)),
            StmtKind::Cuf(cuf) => {
                if let Some(body) = &cuf.body {
                    block(std::slice::from_ref(body), used);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_library_are_those_of_its_procedures() {
        let (mut map, mut diags) = (SourceMap::new(), Diagnostics::new());
        let units = parsed([LIBRARY], None, &mut BTreeSet::new(), &mut map, &mut diags);
        let mut names: Vec<&str> = Vec::new();
        for unit in &units {
            if let UnitKind::External(sub) = &unit.kind {
                names.push(sub.name.as_str());
            }
        }
        names.sort_unstable();
        assert_eq!(names, LIBRARY_NAMES);
    }
}

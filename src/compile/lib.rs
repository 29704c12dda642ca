//! The whole pipeline from source text to IR as one call, with the embedded modules.
//!
//! [`compile`] runs `parse`, `sema`, `lower` and `opt` in a row. Modules that the language or CUDA Fortran brings along
//! (`cudafor`, `iso_c_binding` …) are Fortran sources in `modules/`; of those that a program uses it gets what it names. So are
//! the mathematical functions; because only a checked program says which it calls, one that calls some is checked again with
//! these.
//!
//! [`compile_main`] is the second half alone, for an expression that the debugger has put into a main program.
//!
//! Not here: reading files (the caller does), running anything.

mod cublas;
mod cudadevice;
mod curand_device;
mod embedded;
mod hdf5;
mod mpi;
mod parts;
mod wmma;

use diag::{Code, Diagnostics};
use sema::checked::Program;
use source::{FileId, SourceMap};
use std::collections::BTreeSet;
use std::sync::Arc;

pub use lower::LowerOptions;
pub use parse::{Ignore, MacroOption, ParseOptions, Parsed, SourceForm, parse};
pub use ptx::{Ptx, parse as parse_ptx};
pub use sema::{ForeignNames, NamesOfC, SemaOptions};

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// Source form, preprocessing, macros.
    pub parse: ParseOptions,
    /// Default kinds, managed memory.
    pub sema: SemaOptions,
    /// Fused multiply-add, bounds checks.
    pub lower: LowerOptions,
    /// 0 leaves the IR as lowering made it.
    pub level: u8,
    /// Whether the modules that the program uses and the mathematics library are there whole, also what it does not name: for
    /// expressions asked later.
    pub whole_modules: bool,
    /// Whether a debugger may stop at statements and show scalar variables.
    pub watched: bool,
    /// Whether schedule points of local memory are counted ([`opt::Options::keeps_points`]).
    pub keeps_points: bool,
    /// PTX files with kernels.
    pub kernels: Vec<PtxFile>,
}

/// A PTX file, and where its lines come from.
#[derive(Clone, Debug)]
pub struct PtxFile {
    /// The file as it was read.
    pub ptx: Ptx,
    /// The file of each number in `.loc`, as far as they could be read.
    pub sources: Vec<(u32, FileId)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            parse: ParseOptions::default(),
            sema: SemaOptions { needs_main: true, ..SemaOptions::default() },
            lower: LowerOptions::default(),
            level: 1,
            whole_modules: false,
            watched: true,
            keeps_points: true,
            kernels: Vec::new(),
        }
    }
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What the program means.
    pub program: Arc<Program>,
    /// The code.
    pub module: Arc<ir::Module>,
    /// Comments `!cufemu ignore(CODE)`.
    pub ignores: Vec<Ignore>,
}

/// A program that obeys the rules.
#[derive(Debug)]
pub struct Checked {
    /// What it means.
    pub program: Program,
    /// The files of the embedded modules.
    embedded: BTreeSet<FileId>,
    /// The trees of the embedded modules, then those of the files.
    trees: ast::Program,
}

/// Checks a parsed program with what it needs of the embedded modules; `None`, with errors in `diags`, if it is not valid.
pub fn check(
    parsed: parse::Parsed,
    options: &Options,
    map: &mut SourceMap,
    diags: &mut Diagnostics,
) -> Option<Checked> {
    let mut used = embedded::used_modules(&parsed.program);
    if embedded::names_library(&parsed.names) {
        used.insert(embedded::LIBRARY.into());
    }
    if embedded::names_device_procedure(&parsed.names) {
        used.insert(embedded::DEVICE_PROCEDURES.into());
    }
    if embedded::names_runtime_routine(&parsed.names) {
        used.insert(embedded::RUNTIME.into());
    }
    if parsed.names.contains(mpi::MARK) {
        used.insert(mpi::EXTERNALS.into());
    }
    let mut known = parsed.names;
    if mpi::gives_procedures(&known) {
        let [module, procedure] = lower::MPI_CALLS;
        used.insert(module.into());
        known.insert(procedure.into());
    }
    // External procedures of MPI need no module, and no `mpif.h`.
    let may_be_external = mpi::names_routine(&known);
    let ast::Program { units: mut own, regions } = parsed.program;
    let has_main = own.iter().any(|unit| matches!(unit.kind, ast::UnitKind::Main(_)));
    let main_of_c = !has_main && options.sema.foreign.has_main();
    let mut names = Some(known).filter(|_| !options.whole_modules && !diags.has_errors());
    loop {
        let is_whole = names.is_none();
        let (mut embedded, mut said) = (BTreeSet::new(), Diagnostics::new());
        let mut units = embedded::parsed(used.iter().map(|m| &**m), names.take(), &mut embedded, map, &mut said);
        if main_of_c {
            units.extend(embedded::main_of_c(&mut embedded, map));
        }
        let first = units.len();
        units.append(&mut own);
        let trees = ast::Program { units, regions: regions.clone() };
        let is_spoilt = diags.has_errors();
        let sema = SemaOptions { is_spoilt, ..sema_options(options, &embedded) };
        let program = sema::check(&trees, &sema, &mut said);
        // Names that are like one that is not known, and what CUDA has and we have not, are told by the whole modules only.
        let is_settled = program.is_some() && said.iter().all(|d| d.code != Code::UnsupportedIfReached);
        let has_externals = !may_be_external || used.contains(mpi::EXTERNALS);
        if is_settled || is_whole && has_externals {
            diags.append(said);
            return program.map(|program| Checked { program, embedded, trees });
        }
        if !has_externals {
            used.insert(mpi::EXTERNALS.into());
        }
        own = { trees }.units.split_off(first);
    }
}

/// The modules that a program uses, or extends by submodules, and that neither it nor the compiler defines.
pub fn missing_modules(program: &ast::Program) -> BTreeSet<Arc<str>> {
    embedded::missing_modules(program)
}

/// An include file that comes with the compiler, such as `mpif.h`: the name by which the user knows it, and its text.
pub fn built_in_include(name: &str) -> Option<(String, String)> {
    mpi::include(name).or_else(|| embedded::include(name))
}

/// Compiles the files into one program; `None`, with errors in `diags`, if they are not valid.
pub fn compile(
    map: &mut SourceMap,
    files: &[FileId],
    options: &Options,
    include: parse::IncludeReader<'_>,
    diags: &mut Diagnostics,
) -> Option<Compiled> {
    let mut parsed = parse::parse(map, files, &options.parse, include, diags);
    let is_broken = diags.has_errors();
    if is_broken && !parsed.is_whole {
        return None;
    }
    let ignores = std::mem::take(&mut parsed.ignores);
    let Checked { mut program, mut embedded, mut trees } = check(parsed, options, map, diags).filter(|_| !is_broken)?;
    let functions = lower::mathematics(&program);
    if options.whole_modules || !functions.is_empty() {
        let functions = (!options.whole_modules).then(|| functions.into_iter().map(Arc::from).collect());
        let mut all = embedded::parsed([embedded::MATHEMATICS], functions, &mut embedded, map, diags);
        all.append(&mut trees.units);
        let sema = sema_options(options, &embedded);
        // What it reports has been reported.
        program = sema::check(&ast::Program { units: all, ..trees }, &sema, &mut Diagnostics::new())?;
    }
    let mut module = lower::lower(&program, &options.lower, map);
    module.embedded_files = embedded;
    link(&mut module, options, map, diags)?;
    if options.watched {
        hide_statements(&mut module, map);
    }
    let keeps_frames = options.watched || options.lower.check_init;
    let Options { level, watched, keeps_points, .. } = *options;
    opt::run(&mut module, opt::Options { level, watched, keeps_frames, keeps_points });
    Some(Compiled { program: Arc::new(program), module: Arc::new(module), ignores })
}

/// What the checker is told, of the kernels and functions of PTX files too.
fn sema_options(options: &Options, embedded: &BTreeSet<FileId>) -> SemaOptions {
    let files = || options.kernels.iter().map(|file| &file.ptx);
    SemaOptions {
        embedded: embedded.clone(),
        kernels: files().flat_map(|ptx| ptx.kernels().cloned()).collect(),
        device_functions: files().flat_map(|ptx| ptx.functions().cloned()).collect(),
        ..options.sema.clone()
    }
}

/// Reads the kernels of PTX files that the program declares; `None`, with errors in `diags`, if one cannot be read.
fn link(module: &mut ir::Module, options: &Options, map: &SourceMap, diags: &mut Diagnostics) -> Option<()> {
    let files: Vec<Ptx> = options.kernels.iter().map(|file| file.ptx.clone()).collect();
    let sources = options.kernels.iter().flat_map(|file| {
        let ptx = file.ptx.file();
        file.sources.iter().map(move |&(number, source)| ((ptx, number), source))
    });
    ptx::link(module, &files, &ptx::Lines::new(map, sources.collect()), diags);
    (!diags.has_errors()).then_some(())
}

/// Removes the statements of embedded modules, in which a debugger never stops; their code may be inlined elsewhere.
fn hide_statements(module: &mut ir::Module, map: &SourceMap) {
    let hidden: BTreeSet<FileId> =
        map.files().filter(|(_, file)| file.name().starts_with('<')).map(|(id, _)| id).collect();
    for func in &mut module.funcs {
        let is_hidden = hidden.contains(&func.span.file);
        for block in &mut func.blocks {
            block.insts.retain(|inst| {
                !matches!(inst.kind, ir::InstKind::Stmt) || !is_hidden && !hidden.contains(&inst.span.file)
            });
        }
    }
}

/// Compiles the main program of a checked program, and what it calls, as it stands: for an expression of the debugger's, which
/// is given a main program of its own. Subscripts are checked, so that mistakes in them are reported.
pub fn compile_main(program: &Program) -> ir::Module {
    lower::lower_main(program, &LowerOptions { check_bounds: true, ..LowerOptions::default() })
}

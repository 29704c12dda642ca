//! The whole pipeline from source text to IR as one call, with the embedded modules.
//!
//! [`compile`] runs `parse`, `sema`, `lower` and `opt` in a row. Modules that the language or CUDA Fortran brings along
//! (`cudafor`, `iso_c_binding` …) are Fortran sources in `modules/`, parsed only when a program uses them. So are the
//! mathematical functions; because only a checked program says whether it calls some, one that does is checked again with
//! their module.
//!
//! [`compile_main`] is the second half alone, for an expression that the debugger has put into a main program.
//!
//! Not here: reading files (the caller does), running anything.

mod embedded;

use diag::Diagnostics;
use sema::checked::Program;
use source::{FileId, SourceMap};
use std::collections::BTreeSet;
use std::sync::Arc;

pub use lower::LowerOptions;
pub use parse::{Ignore, MacroOption, ParseOptions, SourceForm};
pub use sema::SemaOptions;

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
    /// Whether the mathematics library is there even if the program calls nothing of it: for expressions asked later.
    pub mathematics: bool,
    /// Whether a debugger may stop at statements and show scalar variables.
    pub watched: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            parse: ParseOptions::default(),
            sema: SemaOptions { needs_main: true, ..SemaOptions::default() },
            lower: LowerOptions::default(),
            level: 1,
            mathematics: false,
            watched: true,
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

/// What parsing gives, with the embedded modules that it needs.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The trees of the embedded modules, then those of the files.
    pub program: ast::Program,
    /// How many units the embedded modules have.
    pub embedded_units: usize,
    /// The files of the embedded modules.
    pub embedded: BTreeSet<FileId>,
    /// Comments `!cufemu ignore(CODE)`.
    pub ignores: Vec<Ignore>,
    /// Whether errors, if there are any, cost executable statements at most.
    pub is_whole: bool,
}

/// Parses the files, and the embedded modules that they use. `include` obtains an included file by its name and the name of
/// the file that asks.
pub fn parse(
    map: &mut SourceMap,
    files: &[FileId],
    options: &ParseOptions,
    include: parse::IncludeReader<'_>,
    diags: &mut Diagnostics,
) -> Parsed {
    let user = parse::parse(map, files, options, include, diags);
    let mut wanted = embedded::used_modules(&user.program);
    let mut program = ast::Program::default();
    let mut known = BTreeSet::new();
    while let Some(name) = wanted.pop_first() {
        let Some(text) = embedded::source(&name) else { continue };
        let (file, parsed) = embedded::parsed(&name, text, map, diags);
        known.insert((name, file));
        wanted.extend(embedded::used_modules(&parsed));
        wanted.retain(|w| known.iter().all(|(k, _)| k != w));
        program.units.extend(parsed.units);
    }
    let embedded_units = program.units.len();
    program.units.extend(user.program.units);
    let embedded = known.into_iter().map(|(_, file)| file).collect();
    Parsed { program, embedded_units, embedded, ignores: user.ignores, is_whole: user.is_whole }
}

/// Compiles the files into one program; `None`, with errors in `diags`, if they are not valid.
pub fn compile(
    map: &mut SourceMap,
    files: &[FileId],
    options: &Options,
    include: parse::IncludeReader<'_>,
    diags: &mut Diagnostics,
) -> Option<Compiled> {
    let mut parsed = parse(map, files, &options.parse, include, diags);
    let is_broken = diags.has_errors();
    if is_broken && !parsed.is_whole {
        return None;
    }
    let mut sema = SemaOptions { embedded: parsed.embedded, ..options.sema.clone() };
    let mut program = sema::check(&parsed.program, &sema, diags)?;
    if is_broken {
        return None;
    }
    if options.mathematics || lower::needs_mathematics(&program) {
        let (file, mathematics) = embedded::mathematics(map, diags);
        sema.embedded.insert(file);
        let mut units = mathematics.units;
        units.append(&mut parsed.program.units);
        // What it reports has been reported.
        program = sema::check(&ast::Program { units }, &sema, &mut Diagnostics::new())?;
    }
    let mut module = lower::lower(&program, &options.lower, map);
    if options.watched {
        opt::run(&mut module, options.level);
    } else {
        opt::run_unwatched(&mut module, options.level, &mut |_, _| {});
    }
    Some(Compiled { program: Arc::new(program), module: Arc::new(module), ignores: parsed.ignores })
}

/// Compiles the main program of a checked program, and what it calls, as it stands: for an expression of the debugger's, which
/// is given a main program of its own. Subscripts are checked, since what is wrong with them is to be told.
pub fn compile_main(program: &Program) -> ir::Module {
    lower::lower_main(program, &LowerOptions { check_bounds: true, ..LowerOptions::default() })
}

//! Runs snippets; modules of the embedded sources are played by a small stand-in.

use cufemu_sema as sema;
use diag::Diagnostics;
use source::SourceMap;
use std::collections::BTreeSet;

/// A stand-in for the embedded modules.
const STUB: &str = include_str!("stubs/cudafor.f90");

/// A checked snippet, or what was said about it.
pub(crate) struct Outcome {
    /// The program, when there were no errors.
    pub(crate) program: Option<sema::checked::Program>,
    /// One line for each diagnostic: `line:column code message`.
    pub(crate) short: String,
}

/// Checks a snippet of CUDA Fortran.
pub(crate) fn check(text: &str) -> Outcome {
    check_with(text, |_| {})
}

/// The same with options.
pub(crate) fn check_with(text: &str, set: impl FnOnce(&mut sema::SemaOptions)) -> Outcome {
    let mut map = SourceMap::new();
    let stub = map.add("cudafor.f90", STUB);
    let file = map.add("t.cuf", text);
    let mut diags = Diagnostics::new();
    let parsed = parse::parse(&mut map, &[stub, file], &parse::ParseOptions::default(), &mut |_, _| None, &mut diags);
    let mut options = sema::SemaOptions { embedded: BTreeSet::from([stub]), ..sema::SemaOptions::default() };
    set(&mut options);
    let program = sema::check(&parsed.program, &options, &mut diags);
    let list = diags.into_sorted();
    let mut short = String::new();
    for d in &list {
        let at = map.location(d.primary.span).map_or("-".into(), |l| format!("{}:{}", l.line, l.column));
        short += &format!("{at} {} {}\n", d.code, d.message);
        for h in &d.helps {
            short += &format!("    {h}\n");
        }
    }
    Outcome { program, short }
}

/// The dump of a snippet that must be free of errors, with its warnings in front.
pub(crate) fn dump(text: &str) -> String {
    let outcome = check(text);
    match outcome.program {
        Some(program) => outcome.short + &sema::checked::dump(&program),
        None => format!("errors:\n{}", outcome.short),
    }
}

/// The diagnostics of a snippet.
pub(crate) fn errors(text: &str) -> String {
    check(text).short
}

/// What an expression means in a procedure of a checked program: type and rank, or what was said about it.
pub(crate) fn expression(program: &sema::checked::Program, proc: &str, text: &str) -> String {
    let mut map = SourceMap::new();
    let file = map.add("e.cuf", format!("x = {text}\nend\n"));
    let mut diags = Diagnostics::new();
    let parsed = parse::parse(&mut map, &[file], &parse::ParseOptions::default(), &mut |_, _| None, &mut diags);
    let Some(ast::UnitKind::Main(main)) = parsed.program.units.first().map(|u| &u.kind) else {
        return "no unit".into();
    };
    let Some(ast::StmtKind::Assign { value, .. }) = main.body.first().map(|s| &s.kind) else {
        return "no statement".into();
    };
    let id = program.procs.iter().position(|p| &*p.qualified == proc).map(|i| sema::checked::ProcId(i as u32));
    match sema::check_expression(program, id, value, None, &mut diags) {
        Some(e) => format!("{:?}, rank {}", e.ty, e.rank),
        None => diags.into_sorted().iter().map(|d| format!("{} {}", d.code, d.message)).collect::<Vec<_>>().join("; "),
    }
}

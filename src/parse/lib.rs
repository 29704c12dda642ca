//! From source text to the syntax tree: prescan, preprocessor, grammar, nesting.
//!
//! ```text
//! file ──cpp──▶ lines ──prescan──▶ logical lines ──classify, cuf.pest──▶ pairs ──build──▶ statements ──nest──▶ units
//! ```
//!
//! [`parse`] is the one entry. It takes one logical line at a time, so that a file of any size is parsed in one pass and
//! an error spoils one statement only. It keeps no symbols: `a(i)` stays "apply" (invariant I2), with one exception that
//! is looked up in the declarations of the same scope only, the statement function (`nest/function.rs`).
//!
//! Invariants: no input makes it panic or recurse without bound; every span of the tree names bytes of an original file;
//! each error is reported once, at its place, and the statements around it are still parsed.
//!
//! Not here: reading files (the caller does, also for includes), meaning of names, types, ranges of constants (`sema`),
//! branches to labels that do not exist (`sema`).

mod build;
mod classify;
mod cpp;
mod grammar;
mod line;
mod logical;
mod nest;
mod options;
mod outline;
mod prescan;
mod statement;
mod wording;

pub use options::{MacroOption, ParseOptions, SourceForm};

use diag::Diagnostics;
use source::{FileId, SourceMap, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How an include file is obtained: the name as written and the name of the file that asks for it give the name under which
/// the text is known to the user, and the text. `None` when there is no such file.
pub type IncludeReader<'a> = &'a mut (dyn FnMut(&str, &str) -> Option<(String, String)> + 'a);

/// What parsing gives: the tree, and what the comments ask of later stages.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The syntax tree of all files, in their order.
    pub program: ast::Program,
    /// The comments `!cufemu ignore(CODE, …)`, in order.
    pub ignores: Vec<Ignore>,
    /// All names that the files mention, in lower case, be they of variables, keywords or components.
    pub names: BTreeSet<Arc<str>>,
    /// Whether the tree says of all errors what they cost: executable statements, and declarations of new names. Then the rest
    /// means what it says and can be checked for more errors. It is not so when an attribute of a name that is declared
    /// elsewhere, a line's end or the structure is in doubt.
    pub is_whole: bool,
}

/// A comment `!cufemu ignore(CODE, …)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ignore {
    /// The comment.
    pub span: Span,
    /// The codes as written.
    pub codes: Vec<String>,
}

/// Parses files into one program. Include files are added to `map`; errors go to `diags`, and what could not be parsed
/// is in the tree as `Error` nodes or absent. Numbers in `files` that `map` does not know are passed over.
pub fn parse(
    map: &mut SourceMap,
    files: &[FileId],
    options: &ParseOptions,
    include: IncludeReader<'_>,
    diags: &mut Diagnostics,
) -> Parsed {
    let mut records = prescan::record::Records::default();
    let mut said = Diagnostics::new();
    let mut parsed = parse_files(map, files, options, include, &mut records, &mut said);
    if let Some(mut known) = records.with_late_operators() {
        // What was taken for `.not.` is an operator that a statement behind it defines.
        said = Diagnostics::new();
        parsed = parse_files(map, files, options, include, &mut known, &mut said);
    }
    diags.append(said);
    parsed
}

fn parse_files(
    map: &mut SourceMap,
    files: &[FileId],
    options: &ParseOptions,
    include: IncludeReader<'_>,
    records: &mut prescan::record::Records,
    diags: &mut Diagnostics,
) -> Parsed {
    let mut parsed = Parsed { is_whole: true, ..Parsed::default() };
    let mut names = build::Names::new(options);
    for &file in files {
        let mut lines = prescan::Prescan::open(map, file, options, include, records, diags);
        let mut nest = nest::Nest::default();
        loop {
            let errors = diags.error_count();
            let Some(logical) = lines.next_statement(diags) else { break };
            // What a missing include file and an error in a line cost, `nest` knows.
            let reported = usize::from(logical.kind == logical::LogicalKind::Lost || logical.broken);
            parsed.is_whole &= diags.error_count() == errors + reported;
            parsed.is_whole &= nest.statement(&logical, &mut names, diags);
        }
        parsed.ignores.append(&mut lines.ignores);
        parsed.program.regions.append(&mut lines.regions);
        let end = lines.end_of(file);
        let errors = diags.error_count();
        parsed.program.units.extend(nest.finish(end, diags));
        parsed.is_whole &= diags.error_count() == errors;
    }
    parsed.names = names.into_texts();
    parsed
}

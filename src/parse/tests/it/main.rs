//! Tests of parsing as a whole: small programs, their dumps and their errors.
//!
//! Every program that parses is also written back and parsed again, which must give the same dump.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod cpp;
mod cuda;
mod decl;
mod errors;
mod expr;
mod fixed;
mod free;
mod nest;
mod robust;
mod speed;
mod stmt;

use cufemu_parse::{ParseOptions, Parsed, SourceForm, parse};
use diag::Diagnostics;
use source::{SourceMap, Span};
use std::fmt::Write as _;

/// What came of a source text.
struct Outcome {
    map: SourceMap,
    parsed: Parsed,
    diags: Diagnostics,
}

impl Outcome {
    /// The dump of the tree.
    fn dump(&self) -> String {
        ast::dump(&self.parsed.program)
    }

    /// One line for each diagnostic, sorted by place: code, place, message, and helps after arrows.
    fn report(self) -> String {
        let map = self.map;
        let mut out = String::new();
        for d in self.diags.into_sorted() {
            let at = |span: Span| map.location(span).map_or("-".to_owned(), |l| format!("{}:{}", l.line, l.column));
            let _ = writeln!(out, "{} {} {}", d.code, at(d.primary.span), d.message);
            for label in &d.secondary {
                let _ = writeln!(out, "    {} {}", at(label.span), label.text);
            }
            for help in &d.helps {
                let _ = writeln!(out, "    -> {help}");
            }
        }
        out
    }
}

/// Parses a text under a file name that decides the source form; `included` are the files it may include.
fn read_with(name: &str, text: &str, options: &ParseOptions, included: &[(&str, &str)]) -> Outcome {
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let mut diags = Diagnostics::new();
    let mut include = |wanted: &str, _: &str| {
        included.iter().find(|(name, _)| *name == wanted).map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
    };
    let parsed = parse(&mut map, &[file], options, &mut include, &mut diags);
    Outcome { map, parsed, diags }
}

/// Parses a free-form text.
fn read(text: &str) -> Outcome {
    read_with("test.cuf", text, &ParseOptions::default(), &[])
}

/// The dump of a text that must parse, after a round trip.
fn tree(text: &str) -> String {
    whole(read(text))
}

/// The dump of what must have parsed, after a round trip.
fn whole(outcome: Outcome) -> String {
    let dump = outcome.dump();
    let source = ast::unparse(&outcome.parsed.program);
    let report = outcome.report();
    assert!(report.is_empty(), "{report}");
    let again = read(&source);
    assert_eq!(dump, again.dump(), "{source}");
    let report = again.report();
    assert!(report.is_empty(), "{report}\n{source}");
    dump
}

/// The dump of statements in a main program, without the line of the program.
fn statements(text: &str) -> String {
    body(&tree(&format!("program p\n{text}\nend program\n")))
}

/// Lines as one text.
fn lines<T: AsRef<str>>(list: impl IntoIterator<Item = T>) -> String {
    list.into_iter().fold(String::new(), |out, line| out + line.as_ref() + "\n")
}

/// A dump without its first line, one level less deep.
fn body(dump: &str) -> String {
    lines(dump.lines().skip(1).map(|line| line.strip_prefix("  ").unwrap_or(line)))
}

/// The errors of a free-form text.
fn errors(text: &str) -> String {
    read(text).report()
}

/// The errors of statements in a subroutine; lines count from 1 at its first statement.
fn statement_errors(text: &str) -> String {
    errors(&format!("subroutine s; {text}\nend subroutine\n"))
}

fn fixed_options() -> ParseOptions {
    ParseOptions { form: Some(SourceForm::Fixed), ..ParseOptions::default() }
}

//! The preprocessor: `#` lines and macros, line by line, before the prescan.
//!
//! It works on physical lines and knows nothing of statements, so conditionals may stand between a line and its
//! continuation. Where the C standard and the habits of Fortran preprocessors differ, the habits win: `//` is an operator
//! and no comment, `!` begins a comment in which nothing is replaced (but for directives), character literals are left
//! alone also when they go on over lines, and `#DEFINE` may be in upper case. `##` pastes, `#x` makes a literal,
//! `/**/` in a macro's text pastes too. The arguments of a macro may go on over lines that end with `&`.
//!
//! Every line that comes out is either a copy of a line of a file, or made of pieces that say what they were made from
//! (a macro's text stands for the place where the macro is used).
//!
//! Not here: `#pragma` and `#ident` (ignored), dates (`__DATE__` and `__TIME__` are constant, so that a run can be
//! repeated).

mod directive;
mod eval;
mod expand;
mod macros;

use crate::line::{Line, Made, Piece, split};
use crate::{IncludeReader, MacroOption, ParseOptions, SourceForm};
use diag::{Code, Diagnostic, Diagnostics};
use macros::{Macro, Macros};
use source::{FileId, SourceMap, Span};
use std::collections::BTreeMap;

/// How deep include files may include others.
pub(crate) const MAX_INCLUDE_DEPTH: usize = 32;

/// Runs the preprocessor over a file.
pub(crate) fn run(
    map: &mut SourceMap,
    file: FileId,
    form: SourceForm,
    options: &ParseOptions,
    include: IncludeReader<'_>,
    diags: &mut Diagnostics,
) -> Vec<Line> {
    let mut cpp = Cpp {
        macros: predefined(options, diags),
        form,
        out: Vec::new(),
        open_quote: None,
        depth: 0,
        include,
        redefined: BTreeMap::new(),
    };
    cpp.file(map, file, diags);
    for ((_, name), (span, count)) in std::mem::take(&mut cpp.redefined) {
        let d = Diagnostic::new(Code::MacroRedefined, span, format!("macro `{name}` is defined anew"));
        let d = d.help(format!("put `#undef {name}` before it if that is meant"));
        diags.push(if count > 1 { d.note(format!("{count} times in this file")) } else { d });
    }
    cpp.out
}

/// The macros that nvfortran 25.1 defines for x86-64 Linux, as far as programs ask for them; those that `predefined` names aside.
const OF_NVFORTRAN: &[(&str, &str)] = &[
    ("__NVCOMPILER", "1"),
    ("__NVCOMPILER_LLVM__", "1"),
    ("__NVCOMPILER_MAJOR__", "25"),
    ("__NVCOMPILER_MINOR__", "1"),
    ("__NVCOMPILER_PATCHLEVEL__", "0"),
    ("__PGI", "1"),
    ("__PGLLVM__", "1"),
    ("__PGIC__", "25"),
    ("__PGIC_MINOR__", "1"),
    ("__PGIC_PATCHLEVEL__", "0"),
    ("unix", "1"),
    ("__unix", "1"),
    ("__unix__", "1"),
    ("linux", "1"),
    ("__linux", "1"),
    ("__linux__", "1"),
    ("__x86_64", "1"),
    ("__x86_64__", "1"),
    ("__amd64", "1"),
    ("__amd64__", "1"),
    ("__LP64__", "1"),
    ("__LONG_MAX__", "9223372036854775807L"),
];

fn predefined(options: &ParseOptions, diags: &mut Diagnostics) -> Macros {
    let mut macros = Macros::default();
    for (name, text) in OF_NVFORTRAN {
        macros.define(name, Macro::object(text));
    }
    if options.cuda {
        macros.define("_CUDA", Macro::object("1"));
    }
    for option in &options.macros {
        match option {
            MacroOption::Define(text) => {
                let (head, body) = text.split_once('=').unwrap_or((text, "1"));
                match macros::parse_definition(&format!("{head} {body}")) {
                    Ok((name, definition)) => {
                        macros.define(&name, definition);
                    }
                    Err(why) => {
                        let message = format!("`-D{text}` is malformed: {why}");
                        diags.push(Diagnostic::new(Code::BadPreprocessorLine, Span::NONE, message));
                    }
                }
            }
            MacroOption::Undefine(name) => macros.undefine(name),
        }
    }
    macros
}

/// The state of a run.
struct Cpp<'a> {
    macros: Macros,
    form: SourceForm,
    out: Vec<Line>,
    /// The quote of a literal that goes on from line to line.
    open_quote: Option<u8>,
    depth: usize,
    include: IncludeReader<'a>,
    /// Macros that were defined anew, by file and name: where first, and how often.
    redefined: BTreeMap<(String, String), (Span, usize)>,
}

/// An `#if` that is open.
struct Conditional {
    span: Span,
    /// Whether its lines are taken now.
    active: bool,
    /// Whether one of its branches was taken already.
    taken: bool,
    /// Whether the lines around it are taken.
    outer: bool,
    seen_else: Option<Span>,
}

/// The file being read.
struct Reading<'t> {
    file: FileId,
    name: String,
    text: &'t str,
    lines: Vec<Line>,
    next: usize,
    conditionals: Vec<Conditional>,
    /// `#line`: what has to be added to a line's number.
    line_shift: i64,
}

impl Reading<'_> {
    fn active(&self) -> bool {
        self.conditionals.last().is_none_or(|c| c.active)
    }

    /// The number of line `index` as `__LINE__` has it.
    fn number(&self, index: usize) -> i64 {
        index as i64 + 1 + self.line_shift
    }
}

impl Cpp<'_> {
    fn file(&mut self, map: &mut SourceMap, file: FileId, diags: &mut Diagnostics) {
        let Some(source) = map.file(file) else { return };
        let text = source.text().clone();
        let name = source.name().to_owned();
        let lines = split(map, file);
        let mut reading = Reading { file, name, text: &text, lines, next: 0, conditionals: Vec::new(), line_shift: 0 };
        while reading.next < reading.lines.len() {
            let index = reading.next;
            reading.next += 1;
            let Some(line) = reading.lines.get(index).cloned() else { break };
            let bytes = line_text(&reading, &line).as_bytes();
            let first = bytes.iter().position(|&b| b != b' ' && b != b'\t');
            // In column 6 of fixed form it continues a statement.
            let continues = self.form == SourceForm::Fixed && bytes.starts_with(b"     #");
            if first.is_some_and(|at| bytes[at] == b'#') && !continues && self.open_quote.is_none() {
                self.directive(map, &mut reading, index, diags);
            } else if reading.active() {
                self.source_line(&mut reading, line, index, diags);
            }
        }
        for open in reading.conditionals {
            diags.push(
                Diagnostic::new(Code::UnbalancedConditional, open.span, "conditional without `#endif`")
                    .label("opened here"),
            );
        }
    }

    /// A line that is no directive: removes C comments, replaces macros.
    fn source_line(&mut self, reading: &mut Reading<'_>, line: Line, index: usize, diags: &mut Diagnostics) {
        let mut line = line;
        if let Some(form) = self.form.set_by(line_text(reading, &line)) {
            self.form = form;
        }
        if self.open_quote.is_none()
            && let Some(at) = comment_start(line_text(reading, &line), self.form)
        {
            line = without_comment(reading, &line, at);
        }
        loop {
            let text = line.made_text().unwrap_or_else(|| line_text(reading, &line)).to_owned();
            let number = reading.number(index);
            match self.expand_line(&line, &text, &reading.name, number, diags) {
                expand::Expanded::Same => {
                    self.out.push(line);
                    return;
                }
                expand::Expanded::Made(made) => {
                    self.out.push(Line::made(line.file, line.start, line.end, made));
                    return;
                }
                expand::Expanded::Unclosed { name, span } => {
                    let Some(joined) = join_continuation(reading, &line, &text) else {
                        diags.push(
                            Diagnostic::new(
                                Code::BadMacroCall,
                                span,
                                format!("the arguments of macro `{name}` are not closed"),
                            )
                            .help("close the parenthesis on the same line, or end the line with `&`"),
                        );
                        // The line is left out: as it stands it would only be reported again.
                        return;
                    };
                    line = joined;
                }
            }
        }
    }
}

/// Cuts a `/* … */` out of the lines; what stands before and after it becomes one line.
fn without_comment(reading: &mut Reading<'_>, line: &Line, at: usize) -> Line {
    let mut made = Made::default();
    let text = line_text(reading, line).to_owned();
    push_copy(&mut made, line, &text, 0, at);
    let mut rest = at + 2;
    let mut current = line.clone();
    let mut text = text;
    loop {
        if let Some(end) = text.get(rest..).and_then(|t| t.find("*/")) {
            let after = rest + end + 2;
            push_text(&mut made, " ", current.span_of(after.saturating_sub(1), after));
            let tail = text.len();
            let next = comment_start(&text[after..], SourceForm::Free).map(|n| after + n);
            push_copy(&mut made, &current, &text, after, next.unwrap_or(tail));
            match next {
                Some(next) => rest = next + 2,
                None => break,
            }
        } else {
            let Some(next) = reading.lines.get(reading.next).cloned() else { break };
            reading.next += 1;
            line_text(reading, &next).clone_into(&mut text);
            current = next;
            rest = 0;
        }
    }
    Line::made(line.file, line.start, line.end, made)
}

/// Where a C comment begins that is closed somewhere; literals and Fortran comments are passed over.
fn comment_start(text: &str, form: SourceForm) -> Option<usize> {
    let bytes = text.as_bytes();
    if !text.contains("/*") || form == SourceForm::Fixed && matches!(bytes.first(), Some(b'c' | b'C' | b'*')) {
        return None;
    }
    let mut quote = None;
    for (at, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(q), b) if q == b => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'!') => return None,
            (None, b'/') if bytes.get(at + 1) == Some(&b'*') => return Some(at),
            _ => {}
        }
    }
    None
}

fn line_text<'t>(reading: &Reading<'t>, line: &Line) -> &'t str {
    reading.text.get(line.start as usize..line.end as usize).unwrap_or("")
}

/// Appends bytes `from..to` of a line.
fn push_copy(made: &mut Made, line: &Line, text: &str, from: usize, to: usize) {
    if from >= to {
        return;
    }
    let at = made.text.len();
    line.trace(from, to, |offset, span, copied| made.pieces.push(Piece { at: at + offset, span, copied }));
    made.text.push_str(&text[from..to]);
}

/// Appends text that stands for `span`.
fn push_text(made: &mut Made, text: &str, span: Span) {
    if !text.is_empty() {
        made.pieces.push(Piece { at: made.text.len(), span, copied: false });
        made.text.push_str(text);
    }
}

/// The line with the next one appended, when it ends with `&`.
fn join_continuation(reading: &mut Reading<'_>, line: &Line, text: &str) -> Option<Line> {
    let code = text.split('!').next().unwrap_or(text).trim_end();
    let kept = code.strip_suffix('&')?.len();
    loop {
        let next = reading.lines.get(reading.next)?.clone();
        let more = line_text(reading, &next);
        let start = more.len() - more.trim_start().len();
        if more[start..].starts_with('#') {
            return None;
        }
        reading.next += 1;
        if more[start..].is_empty() || more[start..].starts_with('!') {
            continue;
        }
        let from = if more[start..].starts_with('&') { start + 1 } else { start };
        let mut made = Made::default();
        push_copy(&mut made, line, text, 0, kept);
        push_text(&mut made, " ", line.span_of(kept, kept + 1));
        push_copy(&mut made, &next, more, from, more.len());
        return Some(Line::made(line.file, line.start, line.end, made));
    }
}

//! Comments that mean something.
//!
//! `!$cuf` begins a directive, `!@cuf` a line that is a statement where CUDA Fortran is on, `!$` a statement under `-mp`,
//! `!dir$ ignore_tkr` (also `!pgi$`, `!dec$`, and gfortran's `!gcc$ attributes no_arg_check ::`) a directive for argument matching, `!cufemu ignore(CODE)` a wish to the
//! checks of this program. All others are comments, `!$omp` and `!$acc` among them; of the latter it is noted where compute
//! regions begin and end. In fixed form `c` and `*` in column 1 stand for `!`.

use crate::{Ignore, ParseOptions};
use ast::{RegionDirective, RegionKind};
use source::Span;

/// What a comment is, with the offset after its sentinel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sentinel {
    /// A comment.
    Comment,
    /// `!$cuf`
    Cuf(usize),
    /// `!@cuf` and, under `-mp`, `!$`
    Conditional(usize),
    /// `!dir$` before `ignore_tkr`
    IgnoreTkr(usize),
}

/// Reads the sentinel of a comment whose `!` is at `at`.
pub(super) fn sentinel(line: &[u8], at: usize, options: &ParseOptions) -> Sentinel {
    let rest = &line[(at + 1).min(line.len())..];
    let has = |word: &[u8]| rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word);
    let next = |n: usize| rest.get(n).copied().unwrap_or(b' ');
    match rest.first() {
        Some(b'$') if options.cuda && has(b"$cuf") && matches!(next(4), b' ' | b'\t' | b'&' | b'0') => {
            Sentinel::Cuf(at + 5)
        }
        Some(b'$') if options.openmp && matches!(next(1), b' ' | b'\t' | b'&') => Sentinel::Conditional(at + 2),
        Some(b'@') if options.cuda && has(b"@cuf") && matches!(next(4), b' ' | b'\t' | b'&') => {
            Sentinel::Conditional(at + 5)
        }
        Some(b'd' | b'D' | b'p' | b'P') if has(b"dir$") || has(b"pgi$") || has(b"dec$") => {
            let blanks = rest[4..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            let word = &rest[4 + blanks..];
            if word.len() >= 10 && word[..10].eq_ignore_ascii_case(b"ignore_tkr") {
                Sentinel::IgnoreTkr(at + 5 + blanks)
            } else {
                Sentinel::Comment
            }
        }
        Some(b'g' | b'G') if has(b"gcc$") && is_no_arg_check(&rest[4..]) => {
            let blanks = rest[4..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            Sentinel::IgnoreTkr(at + 5 + blanks)
        }
        _ => Sentinel::Comment,
    }
}

/// Whether a directive of gfortran is the attribute that says what `ignore_tkr` says.
fn is_no_arg_check(directive: &[u8]) -> bool {
    let text = String::from_utf8_lossy(directive).to_ascii_lowercase();
    let rest = text.trim_start().strip_prefix("attributes").unwrap_or_default();
    rest.trim_start().strip_prefix("no_arg_check").is_some_and(|rest| rest.trim_start().starts_with("::"))
}

/// Reads `!cufemu ignore(CODE, …)`; `comment` is the text after the `!`.
pub(super) fn ignore(comment: &str, span: impl FnOnce() -> Span) -> Option<Ignore> {
    let rest = strip_word(comment.trim_start(), "cufemu")?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let rest = strip_word(rest.trim_start(), "ignore")?;
    let (codes, _) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    let codes = codes.split(',').map(|code| code.trim().to_owned()).filter(|code| !code.is_empty()).collect();
    Some(Ignore { span: span(), codes })
}

/// Reads a directive of OpenACC that begins or ends a compute region or a `host_data` region; `comment` is the text after the `!`.
pub(super) fn region(comment: &str, span: impl FnOnce() -> Span) -> Option<RegionDirective> {
    let mut words = strip_word(comment, "$acc")?
        .split(|c: char| !c.is_ascii_alphabetic() && c != '_')
        .filter(|word| !word.is_empty());
    let is_compute =
        |word: &str| ["parallel", "kernels", "serial"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let first = words.next()?;
    let second = words.next().unwrap_or_default();
    let is_host_data = |word: &str| word.eq_ignore_ascii_case("host_data");
    let kind = match first {
        word if word.eq_ignore_ascii_case("end") && is_host_data(second) => RegionKind::EndHostData,
        word if is_host_data(word) => RegionKind::BeginHostData,
        word if word.eq_ignore_ascii_case("end") && is_compute(second) => RegionKind::End,
        word if is_compute(word) && second.eq_ignore_ascii_case("loop") => RegionKind::Loop,
        word if is_compute(word) => RegionKind::Begin,
        _ => return None,
    };
    Some(RegionDirective { span: span(), kind })
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    head.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}

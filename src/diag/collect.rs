//! The diagnostics of one run, counted and in order.
//!
//! Of two diagnostics with one code at one place, only the first is kept. Above the limit, errors are counted but not kept, so a
//! file that is not Fortran at all does not fill the screen.
//!
//! Not here: merging equal run-time findings (`finding`).

use crate::{Code, Diagnostic, Severity};
use source::Span;
use std::collections::BTreeSet;

/// Collects diagnostics while a stage works.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    seen: BTreeSet<(Span, Code)>,
    limit: usize,
    error_count: usize,
    warning_count: usize,
    omitted_count: usize,
}

impl Default for Diagnostics {
    fn default() -> Diagnostics {
        Diagnostics::new()
    }
}

impl Diagnostics {
    /// An empty collection without a limit.
    pub fn new() -> Diagnostics {
        Diagnostics::with_limit(usize::MAX)
    }

    /// An empty collection that keeps at most `limit` errors, and as many others.
    pub fn with_limit(limit: usize) -> Diagnostics {
        Diagnostics {
            list: Vec::new(),
            seen: BTreeSet::new(),
            limit,
            error_count: 0,
            warning_count: 0,
            omitted_count: 0,
        }
    }

    /// Adds a diagnostic, unless its code was already reported at its place. Returns whether it was new.
    pub fn push(&mut self, diagnostic: Diagnostic) -> bool {
        let span = diagnostic.primary.span;
        if span.is_none() {
            // Without a place, diagnostics are compared by their text.
            if self.list.contains(&diagnostic) {
                return false;
            }
        } else if !self.seen.insert((span, diagnostic.code)) {
            return false;
        }
        let counted = if diagnostic.is_error() { &mut self.error_count } else { &mut self.warning_count };
        *counted += 1;
        if *counted > self.limit {
            self.omitted_count += 1;
        } else {
            self.list.push(diagnostic);
        }
        true
    }

    /// Adds all diagnostics of another collection in their order, and its counts.
    pub fn append(&mut self, other: Diagnostics) {
        let kept_errors = other.list.iter().filter(|d| d.is_error()).count();
        self.error_count += other.error_count - kept_errors;
        self.warning_count += other.warning_count - (other.list.len() - kept_errors);
        self.omitted_count += other.omitted_count;
        for diagnostic in other.list {
            self.push(diagnostic);
        }
    }

    /// The number of errors, including those above the limit.
    pub fn error_count(&self) -> usize {
        self.error_count
    }

    /// The number of diagnostics milder than errors.
    pub fn warning_count(&self) -> usize {
        self.warning_count
    }

    /// The number of diagnostics counted but not kept.
    pub fn omitted_count(&self) -> usize {
        self.omitted_count
    }

    /// Whether there was an error.
    pub fn has_errors(&self) -> bool {
        self.error_count > 0
    }

    /// Whether the limit is reached, so that a stage can give up.
    pub fn is_full(&self) -> bool {
        self.error_count >= self.limit
    }

    /// Whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.error_count == 0 && self.warning_count == 0
    }

    /// The diagnostics kept, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// The diagnostics kept, sorted by file and place; those without a place come last, equal places by severity, the
    /// worst first, and then as they came.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|d| {
            let span = d.place();
            (span.file, span.start, span.end, std::cmp::Reverse(d.severity()))
        });
        self.list
    }

    /// The final line, such as `2 errors, 1 warning`; `None` if there is nothing to report.
    pub fn summary(&self) -> Option<String> {
        let part = |n: usize, word: Severity| match n {
            0 => None,
            1 => Some(format!("1 {word}")),
            _ => Some(format!("{n} {word}s")),
        };
        let mut parts: Vec<String> =
            [part(self.error_count, Severity::Error), part(self.warning_count, Severity::Warning)]
                .into_iter()
                .flatten()
                .collect();
        if self.omitted_count > 0 {
            parts.push(format!("{} not shown", self.omitted_count));
        }
        if parts.is_empty() { None } else { Some(parts.join(", ")) }
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        for diagnostic in diagnostics {
            self.push(diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use source::FileId;

    fn at(code: Code, start: u32) -> Diagnostic {
        Diagnostic::new(code, Span::new(FileId(0), start, start + 1), "message")
    }

    #[test]
    fn equal_code_at_equal_place_is_kept_once() {
        let mut all = Diagnostics::new();
        assert!(all.push(at(Code::SyntaxError, 5)));
        assert!(!all.push(at(Code::SyntaxError, 5)));
        assert!(all.push(at(Code::BadLabel, 5)));
        assert!(all.push(Diagnostic::new(Code::NoMainProgram, Span::NONE, "a")));
        assert!(all.push(Diagnostic::new(Code::NoMainProgram, Span::NONE, "b")));
        assert!(!all.push(Diagnostic::new(Code::NoMainProgram, Span::NONE, "b")));
        assert_eq!(all.error_count(), 4);
    }

    #[test]
    fn sorting_goes_by_place_and_puts_the_placeless_last() {
        let mut all = Diagnostics::new();
        all.push(Diagnostic::new(Code::NoMainProgram, Span::NONE, "none"));
        all.push(at(Code::SyntaxError, 9));
        all.push(at(Code::DeviceIo, 3));
        all.push(at(Code::BadLabel, 3));
        let order: Vec<Code> = all.into_sorted().iter().map(|d| d.code).collect();
        assert_eq!(order, [Code::BadLabel, Code::DeviceIo, Code::SyntaxError, Code::NoMainProgram]);
    }

    #[test]
    fn errors_above_the_limit_are_counted_not_kept() {
        let mut all = Diagnostics::with_limit(2);
        all.extend((0..5).map(|i| at(Code::SyntaxError, i)));
        all.push(at(Code::DeviceIo, 8));
        assert!(all.is_full());
        assert_eq!(all.iter().count(), 3);
        assert_eq!(all.summary().as_deref(), Some("5 errors, 1 warning, 3 not shown"));
        let mut outer = Diagnostics::new();
        outer.append(all);
        assert_eq!((outer.error_count(), outer.warning_count(), outer.omitted_count()), (5, 1, 3));
        assert_eq!(Diagnostics::new().summary(), None);
    }
}

//! What a check has found: diagnostics, and whether the current statement contains something that is not supported.
//!
//! The methods that report return `Option<T>`, always `None`, so that a caller can write
//! `return self.reporter.error(…)`. An expression that is wrong has no typed form.
//!
//! Not here: the wording of messages, which stands where the rule is checked.

use crate::checked::ProcId;
use diag::{Code, Diagnostic, Diagnostics};
use source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Collects diagnostics and the refusal of the current statement.
#[derive(Default)]
pub(crate) struct Reporter {
    diagnostics: Diagnostics,
    /// What the current statement or declaration contains that is not supported. It becomes an `Unsupported` node.
    refusal: Option<Arc<str>>,
    /// What was reported once for a procedure as a whole.
    told: BTreeSet<(Code, ProcId)>,
}

impl Reporter {
    /// Reports a diagnostic.
    pub(crate) fn report(&mut self, d: Diagnostic) {
        self.diagnostics.push(d);
    }

    /// Reports several.
    pub(crate) fn report_all<T>(&mut self, all: Vec<Diagnostic>) -> Option<T> {
        all.into_iter().for_each(|d| self.report(d));
        None
    }

    /// Reports what one remedy mends in a whole procedure, once.
    pub(crate) fn report_once<T>(&mut self, proc: ProcId, d: Diagnostic) -> Option<T> {
        if self.told.insert((d.code, proc)) {
            self.report(d);
        }
        None
    }

    /// Reports an error.
    pub(crate) fn error<T>(&mut self, code: Code, span: Span, text: impl Into<String>) -> Option<T> {
        self.report(Diagnostic::new(code, span, text));
        None
    }

    /// Reports an error with advice.
    pub(crate) fn error_help<T>(
        &mut self,
        code: Code,
        span: Span,
        text: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.report(Diagnostic::new(code, span, text).help(help));
        None
    }

    /// Reports that `what` is not supported. The current statement becomes an `Unsupported` node.
    pub(crate) fn refuse<T>(&mut self, span: Span, what: impl Into<String>) -> Option<T> {
        self.refuse_with(span, what.into(), None)
    }

    /// As [`Reporter::refuse`], with advice.
    pub(crate) fn refuse_help<T>(&mut self, span: Span, what: impl Into<String>, help: &str) -> Option<T> {
        self.refuse_with(span, what.into(), Some(help))
    }

    fn refuse_with<T>(&mut self, span: Span, what: String, help: Option<&str>) -> Option<T> {
        let d = Diagnostic::new(Code::UnsupportedIfReached, span, format!("{what} is not supported"));
        let d = help.into_iter().fold(d, Diagnostic::help);
        self.report(d.note("the program stops with an error if execution reaches this"));
        self.refuse_again(&what.into())
    }

    /// Marks the current statement as unsupported because of something that was reported before. The first reason stays.
    pub(crate) fn refuse_again<T>(&mut self, what: &Arc<str>) -> Option<T> {
        self.refusal.get_or_insert_with(|| what.clone());
        None
    }

    /// What the current statement contains that is not supported.
    pub(crate) fn refusal(&self) -> Option<&Arc<str>> {
        self.refusal.as_ref()
    }

    /// Takes the refusal of the current statement, which then has none.
    pub(crate) fn take_refusal(&mut self) -> Option<Arc<str>> {
        self.refusal.take()
    }

    /// Puts back what [`Reporter::take_refusal`] gave, instead of what was refused since.
    pub(crate) fn restore_refusal(&mut self, refusal: Option<Arc<str>>) {
        self.refusal = refusal;
    }

    /// Takes over what another one has collected.
    pub(crate) fn absorb(&mut self, other: Reporter) {
        self.diagnostics.append(other.diagnostics);
        self.told.extend(other.told);
        if let Some(what) = other.refusal {
            self.refusal.get_or_insert(what);
        }
    }

    /// Whether an error was reported.
    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.has_errors()
    }

    /// Appends all diagnostics to `diags` in the order of their places; returns whether there are errors.
    pub(crate) fn finish(self, diags: &mut Diagnostics) -> bool {
        let failed = self.has_errors();
        for diagnostic in self.diagnostics.into_sorted() {
            diags.push(diagnostic);
        }
        failed
    }
}

//! The severities of diagnostics.

use std::fmt;

/// The severity of a diagnostic, from mild to severe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// A suggestion.
    Help,
    /// A fact.
    Note,
    /// Legal, but probably not intended.
    Warning,
    /// The program cannot run, or has gone wrong.
    Error,
}

impl Severity {
    /// The word that opens a report: `error`, `warning`, `note` or `help`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Help => "help",
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

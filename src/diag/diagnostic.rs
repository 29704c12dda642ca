//! One diagnostic as data.
//!
//! Spans are those of the files as the user wrote them. Texts are one sentence each, lower case, without a final dot,
//! names in backticks. A diagnostic knows nothing of how it will be shown.

use crate::Code;
use source::Span;
use std::fmt;

/// How bad it is. The order is from the mildest to the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// A suggestion.
    Help,
    /// Something worth knowing.
    Note,
    /// Legal or harmless as it stands, yet probably not meant so.
    Warning,
    /// The program cannot be run, or has gone wrong.
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

/// A place and what is to be said of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text beside it; may be empty.
    pub text: String,
}

/// One step of a call stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Which stack this is, when a diagnostic shows several, such as `(1)`; empty when there is one.
    pub of: String,
    /// Name of the procedure that was called.
    pub procedure: String,
    /// The place of the call.
    pub called_at: Span,
}

/// What is wrong, where, and what helps.
///
/// ```
/// use diag::{Code, Diagnostic};
/// use source::Span;
///
/// let d = Diagnostic::new(Code::UndeclaredName, Span::NONE, "`x` has no declaration")
///     .label("first used here")
///     .help("add `real :: x`");
/// assert_eq!(d.code.id(), "E0201");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The row of the table.
    pub code: Code,
    /// Usually the code's own severity.
    pub severity: Severity,
    /// The sentence.
    pub message: String,
    /// The place that the diagnostic is about, with its label; the span may be [`Span::NONE`].
    pub primary: Label,
    /// Other places that matter, in the order in which they should be read.
    pub secondary: Vec<Label>,
    /// What the user can do about it.
    pub helps: Vec<String>,
    /// What else is known.
    pub notes: Vec<String>,
    /// Calls that led here, the innermost first.
    pub frames: Vec<Frame>,
}

impl Diagnostic {
    /// A diagnostic with the severity of its code.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            helps: Vec::new(),
            notes: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// A diagnostic that is an error, whatever its code usually is.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, span, message).severity(Severity::Error)
    }

    /// A diagnostic that is a warning, whatever its code usually is.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, span, message).severity(Severity::Warning)
    }

    /// Sets the severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// Sets the text beside the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// Adds another place. A place that is [`Span::NONE`] cannot be shown, so its text becomes a note.
    #[must_use]
    pub fn secondary(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        if span.is_none() {
            return self.note(text);
        }
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds what the user can do about it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.helps.push(text.into());
        self
    }

    /// Adds `did you mean …` when there is a suggestion, as [`crate::nearest_name`] gives it.
    #[must_use]
    pub fn suggest(self, name: Option<&str>) -> Diagnostic {
        match name {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// Adds something worth knowing.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds a step of the call stack; the innermost call first.
    #[must_use]
    pub fn frame(mut self, of: impl Into<String>, procedure: impl Into<String>, called_at: Span) -> Diagnostic {
        self.frames.push(Frame { of: of.into(), procedure: procedure.into(), called_at });
        self
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The place to which a list of diagnostics sorts this one: the primary place, or the first other one.
    pub fn place(&self) -> Span {
        let rest = self.secondary.iter().map(|l| l.span);
        std::iter::once(self.primary.span).chain(rest).find(|s| !s.is_none()).unwrap_or(Span::NONE)
    }
}

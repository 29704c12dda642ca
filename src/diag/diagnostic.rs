//! One diagnostic as data.
//!
//! Spans refer to the files as the user wrote them. Each text is one sentence, in lower case, without a full stop, with names in
//! backticks.
//!
//! Not here: how a diagnostic is shown (`full`, `short`, `json`, `sarif`).

use crate::code::Code;
use crate::severity::Severity;
use source::Span;

/// A place with its text.
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
    /// The name of its stack, such as `(1)`, if a diagnostic shows several; empty if there is one.
    pub of: String,
    /// Name of the procedure that was called.
    pub procedure: String,
    /// The place of the call.
    pub called_at: Span,
}

/// What is wrong, where, and what to do.
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
    /// Its code.
    pub code: Code,
    /// The severity of the code, unless a finding at run time is less or more severe.
    severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The place of the fault, with its label; the span may be [`Span::NONE`].
    pub primary: Label,
    /// Related places, in reading order.
    pub secondary: Vec<Label>,
    /// What the user can do.
    pub helps: Vec<String>,
    /// More facts.
    pub notes: Vec<String>,
    /// The calls that led here, innermost first.
    pub frames: Vec<Frame>,
}

impl Diagnostic {
    /// A diagnostic without advice and related places.
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

    /// Sets the text of the primary place.
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

    /// Adds what the user can do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.helps.push(text.into());
        self
    }

    /// Adds `did you mean …` if there is a suggestion, such as that of [`crate::nearest_name`].
    #[must_use]
    pub fn suggest(self, name: Option<&str>) -> Diagnostic {
        match name {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// Adds a fact.
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

    /// Its severity.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The diagnostic of a finding at run time with another severity than its code. Codes of the compiler have one severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }

    /// The place by which diagnostics are sorted: the primary one, or else the first related one.
    pub fn place(&self) -> Span {
        let rest = self.secondary.iter().map(|l| l.span);
        std::iter::once(self.primary.span).chain(rest).find(|s| !s.is_none()).unwrap_or(Span::NONE)
    }
}

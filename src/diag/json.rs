//! The JSON format: one object per diagnostic, on one line. Field names are stable: fields may be added, but none is renamed or
//! removed.
//!
//! Lines and columns count from 1, columns in characters. `start` and `end` are byte offsets. An end is one past the last
//! character. An unknown place is `null`.

use crate::place::{Place, frame_text};
use crate::{Diagnostic, Label};
use serde::Serialize;
use source::{SourceMap, Span};

#[derive(Serialize)]
struct Report<'a> {
    severity: &'a str,
    code: &'a str,
    title: &'a str,
    message: &'a str,
    place: Option<Where<'a>>,
    label: &'a str,
    related: Vec<Related<'a>>,
    helps: &'a [String],
    notes: &'a [String],
    stack: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Where<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct Related<'a> {
    place: Option<Where<'a>>,
    label: &'a str,
}

#[derive(Serialize)]
struct Step<'a> {
    of: &'a str,
    procedure: &'a str,
    called_at: Option<Where<'a>>,
    text: String,
}

/// The diagnostic as one line of JSON with a line end.
pub fn json(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    let related = |label: &'_ Label| -> Option<Where<'_>> { place(map, label.span) };
    let report = Report {
        severity: diagnostic.severity().word(),
        code: diagnostic.code.id(),
        title: diagnostic.code.title(),
        message: &diagnostic.message,
        place: place(map, diagnostic.primary.span),
        label: &diagnostic.primary.text,
        related: diagnostic.secondary.iter().map(|l| Related { place: related(l), label: &l.text }).collect(),
        helps: &diagnostic.helps,
        notes: &diagnostic.notes,
        stack: diagnostic
            .frames
            .iter()
            .map(|f| Step {
                of: &f.of,
                procedure: &f.procedure,
                called_at: place(map, f.called_at),
                text: frame_text(f, map),
            })
            .collect(),
    };
    // Serialising plain strings and numbers cannot fail; an empty object would be the mildest answer if it did.
    let mut line = serde_json::to_string(&report).unwrap_or_else(|_| "{}".to_owned());
    line.push('\n');
    line
}

fn place(map: &SourceMap, span: Span) -> Option<Where<'_>> {
    let place = Place::of(map, span)?;
    let (first, last) = (place.first(), place.last());
    Some(Where {
        file: place.file.name(),
        line: first.line,
        column: first.column,
        end_line: last.line,
        end_column: last.column,
        start: place.start,
        end: place.end,
    })
}

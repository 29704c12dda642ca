//! The full format: a diagnostic with its source lines, drawn by `annotate-snippets`.
//!
//! Only the lines between the first and the last label of a file are passed on, so a large file costs nothing. A label over more
//! than [`MAX_LABEL_LINES`] lines is drawn on its first line only: a bracket around a whole block hides more than it shows.

use crate::place::{Place, frame_text, labels};
use crate::{Diagnostic, Label, Severity};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Renderer, Snippet};
use source::{SourceMap, Span};

/// A label over more lines than this is drawn on its first line alone.
const MAX_LABEL_LINES: usize = 6;

/// The least width in which anything can be drawn.
const MIN_WIDTH: usize = 40;

/// How the text is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether to use ANSI colour sequences.
    pub colour: bool,
    /// Width of the terminal in columns; longer source lines are clipped around their labels.
    pub width: usize,
}

impl Style {
    /// No colour, 140 columns: for files and pipes.
    pub const PLAIN: Style = Style { colour: false, width: 140 };
}

/// The diagnostic as lines of text, the last with a line end. The text of a label without a place becomes a note.
pub fn full(diagnostic: &Diagnostic, map: &SourceMap, style: Style) -> String {
    let title = level(diagnostic.severity()).primary_title(diagnostic.message.as_str()).id(diagnostic.code.id());
    let helps = diagnostic.helps.iter().map(|text| Element::from(Level::HELP.message(text.as_str())));
    let notes = diagnostic.notes.iter().map(|text| Element::from(Level::NOTE.message(text.as_str())));
    let frames = diagnostic.frames.iter().map(|f| Element::from(Level::NOTE.message(frame_text(f, map))));
    let unplaced = labels(diagnostic)
        .filter(|label| !label.text.is_empty() && Place::of(map, label.span).is_none())
        .map(|label| Element::from(Level::NOTE.message(label.text.as_str())));
    let snippets = snippets(diagnostic, map).into_iter().map(Element::from);
    let elements = snippets.chain(unplaced).chain(frames).chain(helps).chain(notes);
    let group: Group<'_> = Group::with_title(title).elements(elements);
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.term_width(style.width.max(MIN_WIDTH)).render(&[group]);
    text.push('\n');
    // Letters of Latin-1 are as wide as what stands for them.
    source::shown(&text).into_owned()
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
        Severity::Help => Level::HELP,
    }
}

/// One snippet for each file that has a label, that of the first label first.
fn snippets<'a>(diagnostic: &'a Diagnostic, map: &'a SourceMap) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut files: Vec<(Span, Vec<(Place<'a>, &'a Label)>)> = Vec::new();
    for label in labels(diagnostic) {
        let Some(place) = Place::of(map, label.span) else { continue };
        match files.iter_mut().find(|(span, _)| span.file == label.span.file) {
            Some((_, list)) => list.push((place, label)),
            None => files.push((label.span, vec![(place, label)])),
        }
    }
    files.into_iter().map(|(_, list)| snippet(&list, &diagnostic.primary)).collect()
}

fn snippet<'a>(list: &[(Place<'a>, &'a Label)], primary: &Label) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let file = list[0].0.file;
    let ranges: Vec<_> = list.iter().map(|(place, _)| visible(place)).collect();
    let first_line = ranges.iter().map(|r| file.line_of(r.start as u32)).min().unwrap_or(1);
    let last_line = ranges.iter().map(|r| file.line_of(r.end as u32)).max().unwrap_or(1);
    let from = file.line_range(first_line).map_or(0, |r| r.start as usize);
    let to = file.line_range(last_line).map_or(from, |r| r.start as usize + file.line_text(last_line).len());
    let annotations = list.iter().zip(&ranges).map(|((_, label), range)| {
        let kind = if std::ptr::eq(*label, primary) { AnnotationKind::Primary } else { AnnotationKind::Context };
        let end = range.end.min(to).max(range.start.min(to)) - from;
        let text = if label.text.is_empty() { None } else { Some(label.text.as_str()) };
        kind.span(range.start.min(to) - from..end).label(text)
    });
    Snippet::source(&file.text()[from..to]).path(file.name()).line_start(first_line).annotations(annotations)
}

/// The part of a place that is drawn.
fn visible(place: &Place<'_>) -> std::ops::Range<usize> {
    let text = &place.file.text()[place.start..place.end];
    let shown = text.trim_end().len();
    let mut end = if shown == 0 { place.start } else { place.start + shown };
    if text[..shown].matches('\n').count() >= MAX_LABEL_LINES {
        let first = text.lines().next().unwrap_or("").trim_end().len();
        end = place.start + first;
    }
    place.start..end
}

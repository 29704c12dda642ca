//! Where each byte of a derived text came from.

use crate::Span;

/// Maps offsets of a derived text to spans of original files.
///
/// The text is a row of segments in increasing order of `at`. A *copied* segment maps byte for byte to its span; a
/// *made* segment (a macro's expansion) maps as a whole to the span that it was made from.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    segments: Vec<Segment>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    at: u32,
    span: Span,
    copied: bool,
}

impl Provenance {
    /// A provenance without segments: everything maps to [`Span::NONE`].
    pub fn new() -> Provenance {
        Provenance::default()
    }

    /// Says that the text from offset `at` on was copied from `span`, byte for byte.
    pub fn copied(&mut self, at: u32, span: Span) {
        self.segments.push(Segment { at, span, copied: true });
    }

    /// Says that the text from offset `at` on was made from `span` as a whole.
    pub fn made(&mut self, at: u32, span: Span) {
        self.segments.push(Segment { at, span, copied: false });
    }

    /// The original span of the derived bytes `start..end`; of an empty range, the place where it stands.
    pub fn span(&self, start: u32, end: u32) -> Span {
        let first = self.point(start);
        if end <= start {
            return Span { end: first.start, ..first };
        }
        first.to(self.point(end - 1))
    }

    fn point(&self, offset: u32) -> Span {
        let i = self.segments.partition_point(|s| s.at <= offset);
        let Some(s) = i.checked_sub(1).and_then(|i| self.segments.get(i)) else { return Span::NONE };
        if !s.copied {
            return s.span;
        }
        let limit = s.span.end.max(s.span.start);
        let start = (s.span.start + (offset - s.at)).min(limit);
        Span { file: s.span.file, start, end: (start + 1).min(limit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[test]
    fn a_joined_line_maps_back_to_both_source_lines() {
        let f = FileId(0);
        let mut p = Provenance::new();
        p.copied(0, Span::new(f, 10, 14));
        p.copied(4, Span::new(f, 20, 24));
        p.made(8, Span::new(f, 30, 33));
        assert_eq!(p.span(0, 4), Span::new(f, 10, 14));
        assert_eq!(p.span(2, 6), Span::new(f, 12, 22));
        assert_eq!(p.span(8, 20), Span::new(f, 30, 33));
        assert_eq!(p.span(5, 5), Span::new(f, 21, 21));
        assert_eq!(Provenance::new().span(0, 3), Span::NONE);
    }
}

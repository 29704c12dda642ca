//! Compute regions of OpenACC in programs that use CUDA Fortran too. Their directives have no effect, so that what they surround
//! runs on the host; but it may compute with device data, which it reads and writes one value at a time.

use super::Checker;
use ast::{RegionDirective, RegionKind, Stmt};
use source::Span;

/// The regions of a program.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    /// From the directive that begins a region to the one that ends it.
    spans: Vec<Span>,
    /// The directives that make the next loop a region.
    loops: Vec<Span>,
    /// Those of `host_data`.
    host_data: Vec<Span>,
}

impl Regions {
    /// Those that directives, in their order, make.
    pub(crate) fn of(directives: &[RegionDirective]) -> Regions {
        let mut regions = Regions::default();
        let mut open: Vec<Span> = Vec::new();
        let mut open_host_data: Vec<Span> = Vec::new();
        let close = |open: &mut Vec<Span>, end: Span| {
            let begin = open.pop().filter(|begin| begin.file == end.file)?;
            Some(Span { end: end.end, ..begin })
        };
        for directive in directives {
            match directive.kind {
                RegionKind::Begin => open.push(directive.span),
                RegionKind::Loop => regions.loops.push(directive.span),
                RegionKind::End => regions.spans.extend(close(&mut open, directive.span)),
                RegionKind::BeginHostData => open_host_data.push(directive.span),
                RegionKind::EndHostData => regions.host_data.extend(close(&mut open_host_data, directive.span)),
            }
        }
        regions
    }

    /// Whether a statement is in a region, or is the loop of one. `before` is the statement that begins last before it.
    fn begin_at(&self, span: Span, before: Option<Span>) -> bool {
        let since = before.filter(|before| before.file == span.file).map_or(0, |before| before.start);
        let is_next =
            |directive: &Span| directive.file == span.file && since <= directive.start && directive.start < span.start;
        self.spans.iter().any(|region| is_inside(region, span)) || self.loops.iter().any(is_next)
    }
}

/// Whether a statement begins in a region.
fn is_inside(region: &Span, span: Span) -> bool {
    region.file == span.file && region.start < span.start && span.start < region.end
}

impl Checker<'_> {
    /// Checks a statement as one of a compute region where it is in one.
    pub(crate) fn in_its_region<T>(&mut self, s: &Stmt, check: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.made.last_statement.replace(s.span);
        self.cx.in_host_data = self.made.regions.host_data.iter().any(|region| is_inside(region, s.span));
        let outer = self.cx.in_region;
        self.cx.in_region |= self.made.regions.begin_at(s.span, before);
        let result = check(self);
        self.cx.in_region = outer;
        result
    }
}

//! Source files, spans and the provenance of derived text.
//!
//! A [`Span`] always names bytes of a file as the user wrote it. Text that is derived from files (a logical line joined
//! from continuations, the output of the preprocessor) carries a [`Provenance`] that maps its offsets back, so that
//! every later stage speaks of original places only.
//!
//! Not here: reading files (the command line does), drawing source lines (`diag` does).

mod bytes;
mod map;
mod provenance;

pub use bytes::{decode, encode, shown};
pub use map::{Location, SourceFile, SourceMap};
pub use provenance::Provenance;

/// Number of a file in a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileId(pub u32);

/// A range of bytes in one original file; `start..end`, both offsets from the beginning of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of things that have no place in a file, such as compiler-made code.
    pub const NONE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    /// A span of `start..end` in `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end }
    }

    /// Whether this is [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self.file == Span::NONE.file
    }

    /// The smallest span that covers both, or the one that has a place. Spans of two files give the first.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            return other;
        }
        if other.is_none() || other.file != self.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl Default for Span {
    fn default() -> Span {
        Span::NONE
    }
}

//! One finding, and when two are the same.

use crate::{Access, FindingKind, LaunchInfo};
use diag::{Code, Severity};
use source::Span;

/// Something wrong that a run came upon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// The accesses that it speaks of, in order of time; the last one is where it was found.
    pub accesses: Vec<Access>,
    /// The launch in which it was found; none in host code.
    pub launch: Option<LaunchInfo>,
    /// The seed of the schedule that shows it, where the schedule matters.
    pub seed: Option<u64>,
    /// The rank of MPI that came upon it, where there are several.
    pub rank: Option<u32>,
    /// How many like this there were, this one included.
    pub count: u64,
    /// What else is to be said, one sentence each, without a final dot.
    pub notes: Vec<String>,
}

/// What makes two findings the same: kind and places. Races have no first and second place in this.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Key {
    code: Code,
    severity: Severity,
    places: Vec<(Span, String)>,
    text: String,
}

impl Finding {
    /// A finding in host code, or one whose launch and seed are added later.
    pub fn new(kind: FindingKind, accesses: Vec<Access>) -> Finding {
        Finding { kind, accesses, launch: None, seed: None, rank: None, count: 1, notes: Vec::new() }
    }

    /// Says in which launch it was found.
    #[must_use]
    pub fn in_launch(mut self, launch: LaunchInfo) -> Finding {
        self.launch = Some(launch);
        self
    }

    /// Says which schedule shows it.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Finding {
        self.seed = Some(seed);
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Finding {
        self.notes.push(text.into());
        self
    }

    /// The row of the table of codes.
    pub fn code(&self) -> Code {
        self.kind.code(&self.accesses)
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.kind.severity(&self.accesses)
    }

    /// The place in the source where it was found; none when the source has none.
    pub fn span(&self) -> Span {
        if let FindingKind::Leak { allocation, .. } = &self.kind {
            return allocation.span;
        }
        self.accesses.last().map(|a| a.span).or_else(|| self.kind.groups().first().map(|g| g.span)).unwrap_or_default()
    }

    pub(crate) fn key(&self) -> Key {
        let of_access = |a: &Access| (a.span, a.place.as_ref().map_or_else(String::new, |p| p.array.clone()));
        let mut places: Vec<(Span, String)> = self.accesses.iter().map(of_access).collect();
        places.extend(self.kind.groups().iter().map(|g| (g.span, g.operation.clone())));
        if let FindingKind::Leak { allocation, .. } = &self.kind {
            places.push((allocation.span, allocation.name.clone().unwrap_or_default()));
        }
        if matches!(self.kind, FindingKind::Race { .. }) {
            places.sort();
        }
        // Without any place only the facts themselves can tell two findings apart.
        let placeless = places.iter().all(|(span, _)| span.is_none());
        let text = if placeless { format!("{:?}", self.kind) } else { String::new() };
        Key { code: self.code(), severity: self.severity(), places, text }
    }
}

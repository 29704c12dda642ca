//! The findings of one run: in order, equal ones merged, with a limit and a filter.
//!
//! The collector is plain state and is cloned with a checkpoint. What it shows depends only on the order of [`Findings::add`].

use crate::finding::Key;
use crate::{Finding, FindingKind};
use diag::{Code, Diagnostic, Severity};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What became of a finding that was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Added {
    /// It is the first of its sort and was kept under this index.
    New(usize),
    /// It is like the one with this index, whose count grew.
    Merged(usize),
    /// The user does not want to see it.
    Suppressed,
    /// The limit is reached; it was only counted.
    OverLimit,
}

type Suppress = Arc<dyn Fn(&Finding) -> bool + Send + Sync>;

/// Collects findings.
#[derive(Clone)]
pub struct Findings {
    list: Vec<Finding>,
    index: BTreeMap<Key, usize>,
    limit: usize,
    suppress: Option<Suppress>,
    unwanted: &'static [Code],
    suppressed_count: u64,
    over_limit_count: u64,
    worst_over_limit: Option<Severity>,
    rank: Option<u32>,
}

impl Default for Findings {
    fn default() -> Findings {
        Findings::new()
    }
}

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Findings")
            .field("list", &self.list)
            .field("limit", &self.limit)
            .field("suppressed_count", &self.suppressed_count)
            .field("over_limit_count", &self.over_limit_count)
            .finish_non_exhaustive()
    }
}

impl Findings {
    /// An empty collection without a limit.
    pub fn new() -> Findings {
        Findings {
            list: Vec::new(),
            index: BTreeMap::new(),
            limit: usize::MAX,
            suppress: None,
            unwanted: &[],
            suppressed_count: 0,
            over_limit_count: 0,
            worst_over_limit: None,
            rank: None,
        }
    }

    /// Keeps at most `limit` different findings (`--max-findings`), and as many again that are more severe than those; further ones
    /// are counted.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Findings {
        self.limit = limit;
        self
    }

    /// Drops findings for which `suppress` is true, before they are counted anywhere else.
    #[must_use]
    pub fn with_suppression(mut self, suppress: impl Fn(&Finding) -> bool + Send + Sync + 'static) -> Findings {
        self.suppress = Some(Arc::new(suppress));
        self
    }

    /// Drops findings of these codes as if their check were off.
    #[must_use]
    pub fn without(mut self, unwanted: &'static [Code]) -> Findings {
        self.unwanted = unwanted;
        self
    }

    /// All findings are those of this rank of MPI; those of its calls say so themselves.
    pub fn set_rank(&mut self, rank: u32) {
        self.rank = Some(rank);
    }

    /// Adds a finding. Of equal ones the first stays as the witness.
    pub fn add(&mut self, mut finding: Finding) -> Added {
        if !matches!(finding.kind, FindingKind::Mpi(_)) {
            finding.rank = finding.rank.or(self.rank);
        }
        if self.unwanted.contains(&finding.code()) {
            return Added::Suppressed;
        }
        if self.suppress.as_ref().is_some_and(|suppress| suppress(&finding)) {
            self.suppressed_count += finding.count;
            return Added::Suppressed;
        }
        let key = finding.key();
        if let Some(&i) = self.index.get(&key) {
            self.list[i].count += finding.count;
            return Added::Merged(i);
        }
        // What is less severe does not take its room.
        let severity = finding.severity();
        if self.list.iter().filter(|kept| kept.severity() >= severity).count() >= self.limit {
            self.over_limit_count += finding.count;
            self.worst_over_limit = self.worst_over_limit.max(Some(severity));
            return Added::OverLimit;
        }
        let i = self.list.len();
        self.index.insert(key, i);
        self.list.push(finding);
        Added::New(i)
    }

    /// Adds the findings of another collection in its order, and its counts. Its own limit and suppression have been
    /// applied; those of this one apply as well.
    pub fn append(&mut self, other: Findings) {
        self.suppressed_count += other.suppressed_count;
        self.over_limit_count += other.over_limit_count;
        self.worst_over_limit = self.worst_over_limit.max(other.worst_over_limit);
        for finding in other.list {
            self.add(finding);
        }
    }

    /// The findings kept, in the order in which they came.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.list.iter()
    }

    /// The finding with that index.
    pub fn get(&self, index: usize) -> Option<&Finding> {
        self.list.get(index)
    }

    /// How many different findings were kept.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing was found; suppressed findings do not count.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.over_limit_count == 0
    }

    /// How many findings were suppressed, equal ones counted each.
    pub fn suppressed_count(&self) -> u64 {
        self.suppressed_count
    }

    /// How many findings came after the limit, equal ones counted each.
    pub fn over_limit_count(&self) -> u64 {
        self.over_limit_count
    }

    /// The worst severity of all, those over the limit included.
    pub fn worst(&self) -> Option<Severity> {
        self.list.iter().map(Finding::severity).max().max(self.worst_over_limit)
    }

    /// Whether the run counts as failed when findings of `threshold` and worse do (`--fail-on`).
    pub fn fails(&self, threshold: Severity) -> bool {
        self.worst().is_some_and(|worst| worst >= threshold)
    }

    /// All findings in words, in order.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.list.iter().map(Finding::diagnostic).collect()
    }

    /// The closing line, such as `2 findings (97 in all), 1 suppressed`; `None` when there is nothing to say.
    pub fn summary(&self) -> Option<String> {
        let total: u64 = self.list.iter().map(|f| f.count).sum();
        let mut parts = Vec::new();
        match self.list.len() {
            0 => {}
            n => {
                let word = if n == 1 { "finding" } else { "findings" };
                let all = if total > n as u64 { format!(" ({total} in all)") } else { String::new() };
                parts.push(format!("{n} {word}{all}"));
            }
        }
        if self.over_limit_count > 0 {
            parts.push(format!("{} more not shown (--max-findings {})", self.over_limit_count, self.limit));
        }
        if self.suppressed_count > 0 {
            parts.push(format!("{} suppressed", self.suppressed_count));
        }
        if parts.is_empty() { None } else { Some(parts.join(", ")) }
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

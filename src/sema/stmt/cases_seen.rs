//! The values of the cases of one SELECT CASE, to find two that have a value in common (Fortran 2018, 11.1.9.1).
//!
//! Cases that are apart are kept in order, so that a construct with thousands of them is checked in the time of a sort.

use crate::checked::{CmpOp, Const};
use crate::fold;
use source::Span;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The cases seen so far.
#[derive(Default)]
pub(super) struct CasesSeen {
    /// Cases no two of which meet: from their lowest values to the highest ones.
    apart: BTreeMap<Low, (Option<Const>, Span)>,
    /// Cases that met another one.
    overlapping: Vec<(Option<Const>, Option<Const>, Span)>,
}

/// The lowest value of a case; none is below all.
struct Low(Option<Const>);

impl CasesSeen {
    /// Adds a case with its lowest and its highest value; gives the place of one that it meets.
    pub(super) fn add(&mut self, lo: Option<Const>, hi: Option<Const>, span: Span) -> Option<Span> {
        // An empty range meets nothing.
        if below(hi.as_ref(), lo.as_ref()) {
            return None;
        }
        // Of those apart, only the last that does not begin above this one's end can reach it.
        let lo = Low(lo);
        let nearest = match &hi {
            Some(_) => self.apart.range(..=Low(hi.clone())).next_back(),
            None => self.apart.iter().next_back(),
        };
        let met = nearest.filter(|(_, (end, _))| !below(end.as_ref(), lo.0.as_ref())).map(|(_, (_, span))| *span);
        let met = met.or_else(|| {
            self.overlapping
                .iter()
                .find(|(l, h, _)| !below(hi.as_ref(), l.as_ref()) && !below(h.as_ref(), lo.0.as_ref()))
                .map(|(.., span)| *span)
        });
        match met {
            None => {
                self.apart.insert(lo, (hi, span));
            }
            Some(_) => self.overlapping.push((lo.0, hi, span)),
        }
        met
    }
}

/// Whether all of a case whose highest value is `a` comes before one whose lowest value is `b`.
fn below(a: Option<&Const>, b: Option<&Const>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if order(a, b) == Ordering::Less)
}

/// The order of two values of a selector's type.
fn order(a: &Const, b: &Const) -> Ordering {
    match (a, b) {
        (Const::Int(a), Const::Int(b)) => a.cmp(b),
        (Const::Logical(a), Const::Logical(b)) => a.cmp(b),
        _ if fold::compare(CmpOp::Lt, a, b) == Some(true) => Ordering::Less,
        _ if fold::compare(CmpOp::Gt, a, b) == Some(true) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

impl Ord for Low {
    fn cmp(&self, other: &Low) -> Ordering {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => order(a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        }
    }
}

impl PartialOrd for Low {
    fn partial_cmp(&self, other: &Low) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Low {
    fn eq(&self, other: &Low) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Low {}

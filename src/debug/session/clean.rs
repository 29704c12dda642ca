//! Times at which no breakpoint stops: what was searched once is not searched again.
//!
//! Not here: what invalidates them, which is any new or changed breakpoint, and a changed past (`mod.rs`, `values.rs`).

/// Spans of time, each with its first one and its end, apart from each other and in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clean(Vec<(u64, u64)>);

impl Clean {
    /// Nothing is known any more.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// No breakpoint stops from `first` on and before `end`.
    pub(crate) fn add(&mut self, first: u64, end: u64) {
        if first >= end {
            return;
        }
        let from = self.0.partition_point(|span| span.1 < first);
        let to = self.0.partition_point(|span| span.0 <= end);
        let joined = self.0[from..to].iter().fold((first, end), |all, span| (all.0.min(span.0), all.1.max(span.1)));
        self.0.splice(from..to, [joined]);
    }

    /// From `time` on it may be different.
    pub(crate) fn forget_from(&mut self, time: u64) {
        self.0.retain(|span| span.0 < time);
        if let Some(last) = self.0.last_mut() {
            last.1 = last.1.min(time);
        }
    }

    /// The end of the times before `before` that are not known to be without a stop.
    pub(crate) fn last(&self, before: u64) -> u64 {
        let at = self.0.partition_point(|span| span.0 < before);
        let holds = at.checked_sub(1).map(|at| self.0[at]).filter(|span| span.1 >= before);
        holds.map_or(before, |span| span.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_join_and_are_left_out() {
        let mut clean = Clean::default();
        clean.add(10, 20);
        clean.add(30, 40);
        assert_eq!((clean.last(20), clean.last(21), clean.last(10), clean.last(35)), (10, 21, 10, 30));
        clean.add(20, 30);
        assert_eq!(clean.last(40), 10);
        clean.forget_from(25);
        assert_eq!((clean.last(25), clean.last(26)), (10, 26));
        clean.add(5, 5);
        clean.add(1, 3);
        assert_eq!((clean.last(3), clean.last(12)), (1, 10));
    }
}

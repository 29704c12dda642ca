//! Commands in streams: each pair of them that conflict and are in no order, in the other order.
//!
//! Without such a pair the order of commands makes no difference. With one the program races, and what it comes to in the other
//! order is one run: the first of the two is put off until the second has run.

use crate::order::Hold;
use std::collections::{BTreeSet, VecDeque};

/// Searches the orders of commands.
#[derive(Clone, Debug, Default)]
pub struct Holds {
    waiting: VecDeque<Vec<Hold>>,
    known: BTreeSet<(u64, Option<u64>)>,
}

impl Holds {
    /// Takes the pairs of commands that conflict in a run in which these were put off: the first one, and the second one or the host.
    pub fn record(&mut self, holds: &[Hold], conflicts: &[(u64, Option<u64>)]) {
        for &(first, second) in conflicts {
            let is_turned = second.is_some_and(|second| self.known.contains(&(second, Some(first))));
            if is_turned || !self.known.insert((first, second)) {
                continue;
            }
            let mut all = holds.to_vec();
            all.push(Hold { command: first, until: second });
            self.waiting.push_back(all);
        }
    }

    /// The next commands to put off, if some are left.
    pub fn next_holds(&mut self) -> Option<Vec<Hold>> {
        self.waiting.pop_front()
    }

    /// How many are known that wait to be run.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

//! The search: which orders were run, which are left, and which is the next.

use crate::graph::{Graph, Pair, Reversal};
use crate::order::Order;
use crate::trace::{LaunchTrace, StepKind};
use scalar::random::mix;
use std::collections::{BTreeMap, BTreeSet};

/// Orders that wait to be run.
const MOST_WAITING: usize = 1 << 14;
/// Orders that one run may suggest.
const MOST_OF_A_RUN: usize = 1 << 10;

/// Why orders may be left although none is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Limit {
    /// A launch had more events than are looked at.
    Events,
    /// Lanes met in an atomic that have more orders than are tried.
    Lanes,
    /// More orders were waiting than are kept.
    Orders,
    /// A part polls before its block comes to a barrier: when the others come to that is not varied in all ways.
    Polls,
}

/// Whether a part of a launch polls before its block comes to a barrier.
fn polls_before_barriers(trace: &LaunchTrace) -> bool {
    let polls = |kind: &StepKind| matches!(kind, StepKind::Access { repeats, polled, .. } if repeats.is_some() || polled.is_some());
    let mut polling: BTreeSet<u64> = BTreeSet::new();
    trace.steps.iter().any(|step| {
        if polls(&step.kind) {
            polling.insert(step.part.block);
        }
        matches!(step.kind, StepKind::Barrier) && polling.contains(&step.part.block)
    })
}

/// An order that waits to be run.
#[derive(Clone, Debug)]
struct Waiting {
    order: Order,
    /// The hashes of the last events of its prefix. What launches did before is in them.
    ids: Vec<u64>,
    pair: Pair,
    depth: u32,
    number: u64,
}

/// Searches the orders of a program.
#[derive(Clone, Debug, Default)]
pub struct Search {
    waiting: Vec<Waiting>,
    /// The events of each run that was made, and the runs that each event was in.
    runs: Vec<BTreeSet<u64>>,
    runs_with: BTreeMap<u64, Vec<u32>>,
    /// The prefixes that were suggested.
    suggested: BTreeSet<u64>,
    /// How often each pair was seen, or is to be seen, in that order: places alone, and with the parts.
    seen: BTreeMap<u64, u64>,
    /// The partial orders that were seen.
    results: BTreeSet<u64>,
    limits: BTreeSet<Limit>,
    /// The depth of the order that runs.
    depth: u32,
    numbered: u64,
}

impl Search {
    /// Takes what the launches did in a run by this order.
    pub fn record(&mut self, order: &Order, traces: &[LaunchTrace]) {
        let run = self.runs.len() as u32;
        let mut all = BTreeSet::new();
        let mut context = 0;
        let mut found: Vec<Waiting> = Vec::new();
        for trace in traces {
            let own_context = mix(context ^ trace.number);
            let graph = Graph::new(trace, own_context);
            if graph.is_cut {
                self.limits.insert(Limit::Events);
            }
            if polls_before_barriers(trace) {
                self.limits.insert(Limit::Polls);
            }
            for pair in graph.pairs() {
                self.see(pair);
            }
            let mut reversals: Vec<Reversal> = Vec::new();
            if !graph.reversals(own_context, |reversal| reversals.push(reversal)) {
                self.limits.insert(Limit::Lanes);
            }
            let kept = self.most_wanted(reversals);
            for reversal in kept {
                let switches = graph.switches(&reversal, order.launch(trace.number));
                let order = order.with(trace.number, switches);
                let ids = reversal.ids;
                self.numbered += 1;
                found.push(Waiting { order, ids, pair: reversal.pair, depth: self.depth + 1, number: self.numbered });
            }
            all.extend(graph.ids());
            context = mix(own_context ^ graph.hash());
        }
        self.results.insert(context);
        for &id in &all {
            self.runs_with.entry(id).or_default().push(run);
        }
        self.runs.push(all);
        self.waiting.extend(found);
        if self.waiting.len() > MOST_WAITING {
            self.limits.insert(Limit::Orders);
            let mut waiting = std::mem::take(&mut self.waiting);
            waiting.sort_by_key(|w| self.rank(w));
            waiting.truncate(MOST_WAITING);
            self.waiting = waiting;
        }
    }

    /// Of the new suggestions those that are kept.
    fn most_wanted(&mut self, reversals: Vec<Reversal>) -> Vec<Reversal> {
        let mut fresh: Vec<Reversal> = Vec::new();
        for reversal in reversals {
            let prefix = reversal.ids.iter().fold(0u64, |sum, &id| sum.wrapping_add(mix(id)));
            if self.suggested.insert(mix(prefix ^ reversal.ids[0])) {
                fresh.push(reversal);
            }
        }
        if fresh.len() > MOST_OF_A_RUN {
            self.limits.insert(Limit::Orders);
            // Of each pair of places the first ones.
            let mut count: BTreeMap<u64, u64> = BTreeMap::new();
            let mut ranked: Vec<(u64, usize, Reversal)> = Vec::new();
            for (at, reversal) in fresh.into_iter().enumerate() {
                let count = count.entry(reversal.pair.sites).or_default();
                *count += 1;
                ranked.push((*count, at, reversal));
            }
            ranked.sort_by_key(|&(count, at, _)| (count, at));
            ranked.truncate(MOST_OF_A_RUN);
            fresh = ranked.into_iter().map(|(.., reversal)| reversal).collect();
        }
        fresh
    }

    fn see(&mut self, pair: Pair) {
        *self.seen.entry(pair.sites).or_default() += 1;
        *self.seen.entry(pair.parts).or_default() += 1;
    }

    /// The lowest is run next.
    fn rank(&self, waiting: &Waiting) -> (u64, u64, u32, u64) {
        let seen = |pair: u64| self.seen.get(&pair).copied().unwrap_or(0);
        (seen(waiting.pair.sites), seen(waiting.pair.parts), waiting.depth, waiting.number)
    }

    /// Whether a run that was made begins like this.
    fn was_run(&self, waiting: &Waiting) -> bool {
        let Some(first) = waiting.ids.first() else { return true };
        let with = self.runs_with.get(first).into_iter().flatten();
        with.copied().any(|run| waiting.ids.iter().all(|id| self.runs[run as usize].contains(id)))
    }

    /// The next order to run, if one is left.
    pub fn next_order(&mut self) -> Option<Order> {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|w| !self.was_run(w));
        let best = (0..waiting.len()).min_by_key(|&at| self.rank(&waiting[at]));
        let next = best.map(|at| waiting.swap_remove(at));
        self.waiting = waiting;
        let next = next?;
        self.see(next.pair);
        self.depth = next.depth;
        Some(next.order)
    }

    /// How many different partial orders were seen.
    pub fn results(&self) -> usize {
        self.results.len()
    }

    /// How many orders are known that wait to be run.
    pub fn waiting(&mut self) -> usize {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|w| !self.was_run(w));
        self.waiting = waiting;
        self.waiting.len()
    }

    /// Why orders may be left although none waits.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        self.limits.iter().copied()
    }
}

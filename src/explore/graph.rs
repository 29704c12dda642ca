//! The partial order of the events of a launch, and what can be put the other way round.

use crate::order::Switch;
use crate::trace::{Effect, LaunchTrace, Part, Step, StepKind, Touch};
use scalar::random::mix;
use std::collections::{BTreeMap, BTreeSet};

/// Events of a launch that are looked at.
pub(crate) const MOST_EVENTS: usize = 4096;
/// Lanes that meet in an atomic, of which all orders are tried.
const MOST_CONTENDERS: usize = 4;

/// The events of a launch.
pub(crate) struct Graph<'a> {
    trace: &'a LaunchTrace,
    nodes: Vec<Node<'a>>,
    /// Whether some events were left out.
    pub(crate) is_cut: bool,
}

/// An event.
struct Node<'a> {
    step: &'a Step,
    /// Of its touches, those that others depend on.
    touches: Vec<Touch>,
    /// The events that come directly before it in its part, or that it waits for.
    before: Vec<u32>,
    /// The events of others that it depends on directly.
    sources: Vec<u32>,
    /// All events that come before it.
    past: Bits,
    /// A hash of what it is and of all that comes before.
    id: u64,
}

/// A set of events.
#[derive(Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn has(&self, at: u32) -> bool {
        self.0.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
    }

    fn set(&mut self, at: u32) {
        let word = at as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (at % 64);
    }

    fn join(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
}

/// Another order of a launch that a trace suggests.
pub(crate) struct Reversal {
    /// The hashes of the last events of its prefix: the one that it puts first, then those that come before no other.
    pub(crate) ids: Vec<u64>,
    /// The pair that it puts the other way round.
    pub(crate) pair: Pair,
    /// The event that would have come first, and the last one of the prefix.
    events: (u32, u32),
    /// The order of lanes in the last event.
    lanes: Vec<u8>,
}

/// Two events in their order, as numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Pair {
    /// Their places in the program.
    pub(crate) sites: u64,
    /// The same, and the parts that they are of.
    pub(crate) parts: u64,
}

impl Pair {
    fn of(first: &Step, second: &Step) -> Pair {
        let part = |step: &Step| add(step.part.block, u64::from(step.part.warp) << 32 | u64::from(step.part.mask));
        let sites = add(site(first), site(second));
        Pair { sites, parts: add(sites, add(part(first), part(second))) }
    }
}

/// Who has touched a cell.
struct CellUse {
    first: Part,
    is_shared: bool,
    /// What all of them do.
    effect: Effect,
}

impl<'a> Graph<'a> {
    /// The events of a launch in a run; `context` is a hash of what came before the launch.
    pub(crate) fn new(trace: &'a LaunchTrace, context: u64) -> Graph<'a> {
        let shared = shared_cells(trace);
        let mut graph = Graph { trace, nodes: Vec::new(), is_cut: trace.is_cut };
        let mut last: BTreeMap<(u64, u32), [u32; 32]> = BTreeMap::new();
        let mut bases: BTreeMap<u64, u32> = BTreeMap::new();
        let mut base = NONE;
        let mut history: BTreeMap<u64, Vec<(u32, Effect)>> = BTreeMap::new();
        for step in &trace.steps {
            let touches: Vec<Touch> = match &step.kind {
                StepKind::Access { touches, contenders, .. } => {
                    let is_contended = contenders.len() > 1;
                    let kept = |t: &&Touch| is_contended || shared.contains(&t.cell);
                    touches.iter().filter(kept).copied().collect()
                }
                _ => Vec::new(),
            };
            if touches.is_empty() && matches!(step.kind, StepKind::Access { .. }) {
                continue;
            }
            if let StepKind::Access { repeats: Some(earlier), .. } = step.kind
                && graph.changes_since(earlier, &touches, &history).next().is_none()
            {
                continue;
            }
            if graph.nodes.len() == MOST_EVENTS {
                graph.is_cut = true;
                break;
            }
            let number = graph.nodes.len() as u32;
            let Part { block, warp, mask } = step.part;
            let start = bases.get(&block).copied().unwrap_or(base);
            let before: BTreeSet<u32> = match &step.kind {
                StepKind::Access { .. } | StepKind::WarpSync => {
                    let lanes = last.entry((block, warp)).or_insert([start; 32]);
                    scalar::lanes(mask).map(|lane| lanes[lane]).collect()
                }
                StepKind::Barrier => {
                    let of_block = last.range((block, 0)..=(block, u32::MAX));
                    of_block.flat_map(|(_, lanes)| *lanes).chain([start]).collect()
                }
                StepKind::ClusterBarrier(blocks) => blocks
                    .iter()
                    .flat_map(|&block| {
                        let of_block = last.range((block, 0)..=(block, u32::MAX)).flat_map(|(_, lanes)| *lanes);
                        of_block.chain([bases.get(&block).copied().unwrap_or(base)])
                    })
                    .collect(),
                StepKind::GridBarrier => {
                    last.values().flatten().copied().chain(bases.values().copied()).chain([base]).collect()
                }
            };
            if !matches!(step.kind, StepKind::Access { .. }) && before.len() < 2 {
                // All that meet there have the same past.
                continue;
            }
            let before: Vec<u32> = before.into_iter().filter(|&n| n != NONE).collect();
            let sources = graph.sources(&history, &before, &touches, |_| true);
            graph.push(step, touches, before, sources, context);
            match &step.kind {
                StepKind::Access { .. } | StepKind::WarpSync => {
                    let lanes = last.entry((block, warp)).or_insert([start; 32]);
                    scalar::lanes(mask).for_each(|lane| lanes[lane] = number);
                }
                StepKind::Barrier => {
                    last.range_mut((block, 0)..=(block, u32::MAX)).for_each(|(_, lanes)| *lanes = [number; 32]);
                    bases.insert(block, number);
                }
                StepKind::ClusterBarrier(blocks) => {
                    for &block in blocks {
                        last.range_mut((block, 0)..=(block, u32::MAX)).for_each(|(_, lanes)| *lanes = [number; 32]);
                        bases.insert(block, number);
                    }
                }
                StepKind::GridBarrier => {
                    last.values_mut().for_each(|lanes| *lanes = [number; 32]);
                    bases.clear();
                    base = number;
                }
            }
            for touch in &graph.nodes[number as usize].touches {
                history.entry(touch.cell).or_default().push((number, touch.effect));
            }
        }
        graph
    }

    fn push(&mut self, step: &'a Step, touches: Vec<Touch>, before: Vec<u32>, sources: Vec<u32>, context: u64) {
        let mut past = Bits::default();
        for &n in before.iter().chain(&sources) {
            past.join(&self.nodes[n as usize].past);
            past.set(n);
        }
        let id = self.id((step, &touches), before.iter().chain(&sources), context, None);
        self.nodes.push(Node { step, touches, before, sources, past, id });
    }

    /// The hash of an event with the events directly before it; `lanes` is another order of its lanes.
    fn id<'n>(
        &self,
        (step, touches): (&Step, &[Touch]),
        before: impl Iterator<Item = &'n u32>,
        context: u64,
        lanes: Option<&[u8]>,
    ) -> u64 {
        let Part { block, warp, mask } = step.part;
        let mut hash = [context, block, u64::from(warp) << 32 | u64::from(mask)].into_iter().fold(0, add);
        match &step.kind {
            StepKind::Access { site, contenders, .. } => {
                hash = add(add(hash, 1), *site);
                hash = lanes.unwrap_or(contenders).iter().fold(hash, |hash, &lane| add(hash, u64::from(lane)));
            }
            StepKind::Barrier => hash = add(hash, 2),
            StepKind::GridBarrier => hash = add(hash, 3),
            StepKind::ClusterBarrier(blocks) => hash = blocks.iter().fold(add(hash, 5), |hash, &b| add(hash, b)),
            StepKind::WarpSync => hash = add(hash, 4),
        }
        for touch in touches {
            let effect = match touch.effect {
                Effect::Read => 1,
                Effect::Write => 2,
                Effect::Commuting(kind) => add(3, kind),
            };
            hash = add(add(hash, touch.cell), effect);
        }
        let mut ids: Vec<u64> = before.map(|&n| self.nodes[n as usize].id).collect();
        ids.sort_unstable();
        ids.into_iter().fold(hash, add)
    }

    /// The events among those that `is_there` that an event depends on directly, if it comes after those of `before`.
    fn sources(
        &self,
        history: &BTreeMap<u64, Vec<(u32, Effect)>>,
        before: &[u32],
        touches: &[Touch],
        is_there: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let mut past = Bits::default();
        for &n in before {
            past.join(&self.nodes[n as usize].past);
            past.set(n);
        }
        let mut found: BTreeSet<u32> = BTreeSet::new();
        for touch in touches {
            for &(n, effect) in history.get(&touch.cell).into_iter().flatten().rev() {
                if !is_there(n) || !touch.effect.depends_on(effect) {
                    continue;
                }
                found.insert(n);
                if effect == Effect::Write {
                    // What came before on this cell came before that.
                    break;
                }
            }
        }
        let mut direct = Vec::new();
        for n in found.into_iter().rev() {
            if !past.has(n) {
                past.join(&self.nodes[n as usize].past);
                past.set(n);
                direct.push(n);
            }
        }
        direct
    }

    /// The hash of all that happened in the launch.
    pub(crate) fn hash(&self) -> u64 {
        self.nodes.iter().fold(0, |sum: u64, node| sum.wrapping_add(mix(node.id)))
    }

    /// The hashes of its events.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u64> {
        self.nodes.iter().map(|node| node.id)
    }

    /// The pairs of places of the program that were seen, each in its order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Pair> {
        self.nodes.iter().flat_map(|node| {
            let sources = node.sources.iter().map(|&n| Pair::of(self.nodes[n as usize].step, node.step));
            sources.chain((!contenders(node.step).is_empty()).then(|| lane_pair(node.step, contenders(node.step))))
        })
    }

    /// What can be put the other way round. `tell` hears of each; the result says whether something was left out.
    pub(crate) fn reversals(&self, context: u64, mut tell: impl FnMut(Reversal)) -> bool {
        let mut is_whole = true;
        let mut history: BTreeMap<u64, Vec<(u32, Effect)>> = BTreeMap::new();
        for (j, node) in self.nodes.iter().enumerate() {
            let j = j as u32;
            let StepKind::Access { contenders, has_more_contenders, polled, .. } = &node.step.kind else { continue };
            for &i in &node.sources {
                let first = &self.nodes[i as usize];
                if !matches!(first.step.kind, StepKind::Access { .. }) {
                    continue;
                }
                // One that has polled before would do that once more, if nothing else has changed what it reads.
                if let Some(polled) = *polled
                    && self.changes_since(polled, &node.touches, &history).all(|n| n == i)
                {
                    continue;
                }
                let stays = |n: u32| n != i && !self.nodes[n as usize].past.has(i);
                let sources = self.sources(&history, &node.before, &node.touches, stays);
                let own = self.id((node.step, &node.touches), node.before.iter().chain(&sources), context, None);
                let ids = self.last_of(own, node.before.iter().chain(&sources), (0..j).filter(|&n| stays(n)));
                let pair = Pair::of(node.step, first.step);
                tell(Reversal { ids, pair, events: (i, j), lanes: Vec::new() });
            }
            is_whole &= !has_more_contenders;
            let (all, has_all) = other_orders(contenders);
            is_whole &= has_all;
            for lanes in all {
                let before = node.before.iter().chain(&node.sources);
                let own = self.id((node.step, &node.touches), before, context, Some(&lanes));
                let ids = self.last_of(own, node.before.iter().chain(&node.sources), 0..j);
                let pair = lane_pair(node.step, &lanes);
                tell(Reversal { ids, pair, events: (j, j), lanes });
            }
            for touch in &node.touches {
                history.entry(touch.cell).or_default().push((j, touch.effect));
            }
        }
        is_whole
    }

    /// The events that have changed what these touch, since the step of that number.
    fn changes_since<'n>(
        &'n self,
        number: u64,
        touches: &'n [Touch],
        history: &'n BTreeMap<u64, Vec<(u32, Effect)>>,
    ) -> impl Iterator<Item = u32> + 'n {
        let of_cells = touches.iter().filter_map(|touch| history.get(&touch.cell)).flatten();
        of_cells
            .filter(move |&&(n, effect)| effect != Effect::Read && self.nodes[n as usize].step.number > number)
            .map(|&(n, _)| n)
    }

    /// The hash of an event that comes directly after those of `before`, then the hashes of those of `others` that come before
    /// none of them: together they stand for all, since a hash is that of all that comes before, too.
    fn last_of<'n>(
        &self,
        own: u64,
        before: impl Iterator<Item = &'n u32>,
        others: impl DoubleEndedIterator<Item = u32>,
    ) -> Vec<u64> {
        let mut covered = Bits::default();
        for &n in before {
            covered.join(&self.nodes[n as usize].past);
            covered.set(n);
        }
        let mut ids = vec![own];
        for n in others.rev().filter(|&n| !covered.has(n)).collect::<Vec<_>>() {
            if !covered.has(n) {
                ids.push(self.nodes[n as usize].id);
                covered.join(&self.nodes[n as usize].past);
            }
        }
        ids
    }

    /// The order of the launch that a reversal stands for; `own` is the order in which the launch ran.
    pub(crate) fn switches(&self, of: &Reversal, own: &[Switch]) -> Vec<Switch> {
        let (i, j) = of.events;
        let (first, last) = (self.nodes[i as usize].step, self.nodes[j as usize].step);
        let mut out: Vec<Switch> = own.iter().filter(|switch| switch.at < first.at).cloned().collect();
        if let Some(switch) = out.last_mut() {
            switch.hold = switch.hold.min(first.at - switch.at);
        }
        if !of.lanes.is_empty() {
            let switch = Switch { lanes: of.lanes.clone(), ..Switch::to(first.at, first.part, 0) };
            out.push(switch);
            return out;
        }
        let mut parts = self.stretches(i, j, first.at, last.at + 1);
        parts.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        let mut at = first.at;
        for (part, points) in parts {
            out.push(Switch::to(at, part, points));
            at += points;
        }
        out
    }

    /// Who goes on for how many points from `from` to `to`, without event `i` and what comes after it.
    fn stretches(&self, i: u32, j: u32, from: u64, to: u64) -> Vec<(Part, u64)> {
        let is_out = |n: u32| n == i || self.nodes[n as usize].past.has(i);
        let out: Vec<&Step> = (i..j).filter(|&n| is_out(n)).map(|n| self.nodes[n as usize].step).collect();
        let mut stopped: Vec<Part> = Vec::new();
        let mut stretches = Vec::new();
        for piece in &self.trace.pieces {
            let (begin, end) = (piece.at.max(from), (piece.at + piece.points).min(to));
            if begin >= end || stopped.iter().any(|part| part.meets(&piece.part)) {
                continue;
            }
            // A barrier that does not come about stops the threads that wait there.
            let waits = |step: &&&Step| match &step.kind {
                StepKind::Access { .. } => false,
                StepKind::Barrier => step.at <= begin && step.part.block == piece.part.block,
                StepKind::ClusterBarrier(blocks) => step.at <= begin && blocks.contains(&piece.part.block),
                StepKind::GridBarrier => step.at <= begin,
                StepKind::WarpSync => step.at <= begin && step.part.meets(&piece.part),
            };
            if out.iter().any(|step| waits(&step)) {
                stopped.push(piece.part);
                continue;
            }
            let is_own = |step: &&&Step| (begin..end).contains(&step.at) && step.part.meets(&piece.part);
            let stop = out.iter().find(is_own).map(|step| step.at);
            let points = stop.unwrap_or(end) - begin;
            if points > 0 {
                stretches.push((piece.part, points));
            }
            if stop.is_some() {
                stopped.push(piece.part);
            }
        }
        stretches
    }
}

/// No event.
const NONE: u32 = u32::MAX;

fn add(hash: u64, value: u64) -> u64 {
    mix(hash.rotate_left(5) ^ mix(value ^ 0x9e37_79b9_7f4a_7c15))
}

fn site(step: &Step) -> u64 {
    if let StepKind::Access { site, .. } = step.kind { site } else { 0 }
}

fn contenders(step: &Step) -> &[u8] {
    if let StepKind::Access { contenders, .. } = &step.kind { contenders } else { &[] }
}

/// The number of an order of lanes at a place of the program: whether they go up, as far as two of them say it.
fn lane_pair(step: &Step, lanes: &[u8]) -> Pair {
    let goes_up = lanes.windows(2).all(|pair| pair[0] < pair[1]);
    let sites = add(site(step), if goes_up { 1 } else { 2 });
    Pair { sites, parts: lanes.iter().fold(add(sites, step.part.block), |hash, &lane| add(hash, u64::from(lane))) }
}

/// The cells that several parts touch, if order can make a difference there.
fn shared_cells(trace: &LaunchTrace) -> BTreeSet<u64> {
    let mut cells: BTreeMap<u64, CellUse> = BTreeMap::new();
    for step in &trace.steps {
        let StepKind::Access { touches, .. } = &step.kind else { continue };
        for touch in touches {
            let of = CellUse { first: step.part, is_shared: false, effect: touch.effect };
            let cell = cells.entry(touch.cell).or_insert(of);
            cell.is_shared |= cell.first != step.part;
            cell.effect = cell.effect.and(touch.effect);
        }
    }
    let is_event = |cell: &CellUse| cell.is_shared && cell.effect == Effect::Write;
    cells.into_iter().filter(|(_, cell)| is_event(cell)).map(|(number, _)| number).collect()
}

/// Other orders of lanes that meet, and whether these are all.
fn other_orders(lanes: &[u8]) -> (Vec<Vec<u8>>, bool) {
    if lanes.len() < 2 {
        return (Vec::new(), true);
    }
    if lanes.len() > MOST_CONTENDERS {
        let turned: Vec<u8> = lanes.iter().rev().copied().collect();
        let mut halves = lanes.to_vec();
        halves.rotate_left(lanes.len() / 2);
        return (vec![turned, halves], false);
    }
    let mut sorted = lanes.to_vec();
    sorted.sort_unstable();
    let mut all = vec![Vec::new()];
    for _ in 0..sorted.len() {
        let longer = |begun: Vec<u8>| {
            let left: Vec<u8> = sorted.iter().filter(|lane| !begun.contains(lane)).copied().collect();
            left.into_iter().map(move |lane| begun.iter().copied().chain([lane]).collect::<Vec<u8>>())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all.retain(|order| order != lanes);
    (all, true)
}

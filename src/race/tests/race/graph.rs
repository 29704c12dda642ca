//! The definition of a race, executed literally: a graph of events with the set of predecessors of each.
//!
//! It shares no code with the detector. It is quadratic and only fit for streams of some dozens of events.

use std::collections::{BTreeMap, BTreeSet};

use cufemu_race::{Kind, Rules, Scope, Space};

use crate::event::{Access, Event};

/// Most nodes of a graph.
const WORDS: usize = 16;
type Set = [u64; WORDS];

fn has(set: &Set, node: usize) -> bool {
    set[node / 64] >> (node % 64) & 1 == 1
}

fn add(set: &mut Set, node: usize) {
    set[node / 64] |= 1 << (node % 64);
}

#[derive(Clone, Default)]
struct Thread {
    last: Option<usize>,
    /// Fences whose past a strong write releases: to the block, to the launch.
    heads: [BTreeSet<usize>; 2],
    /// Strict: fences to be acquired by the next fence of either reach.
    pending: [BTreeSet<usize>; 2],
}

/// One lane's access.
#[derive(Clone)]
struct Op {
    node: usize,
    thread: (u32, u32),
    kind: Kind,
    is_wide: bool,
    is_promoted: bool,
    address: u64,
    width: u64,
    heads: [BTreeSet<usize>; 2],
    /// For each byte: the write that a read-modify-write's chain continues.
    chain: BTreeMap<u64, usize>,
    /// For each byte: the write that a strong read observes.
    observed: BTreeMap<u64, usize>,
}

impl Op {
    fn is_observable(&self) -> bool {
        self.kind.is_strong() || self.is_promoted
    }

    fn is_mutual(&self, o: &Op) -> bool {
        self.address == o.address && self.width == o.width && (self.thread.0 == o.thread.0 || self.is_wide && o.is_wide)
    }
}

/// Key of a byte: block (shared memory only) and address.
type Byte = (Option<u32>, u64);

pub struct Graph {
    rules: Rules,
    threads: u32,
    before: Vec<Set>,
    state: BTreeMap<(u32, u32), Thread>,
    /// Last events of threads that have exited; they count as arrived at a grid synchronisation.
    exited: Vec<usize>,
    /// The grids that blocks have launched: by their block, the launching block, the launch, and the end if they have ended.
    grids: BTreeMap<u32, (u32, usize, Option<usize>)>,
    ops: Vec<Op>,
    at: BTreeMap<Byte, Vec<usize>>,
    last_write: BTreeMap<Byte, usize>,
    pub strong: BTreeSet<(Space, u64)>,
}

fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |l| mask >> l & 1 == 1)
}

impl Graph {
    /// The racy bytes of a launch: global addresses, and offsets in shared memory.
    pub fn judge(rules: Rules, threads: u32, events: &[Event]) -> (Graph, BTreeSet<(Space, u64)>) {
        let mut g = Graph {
            rules,
            threads,
            before: Vec::new(),
            state: BTreeMap::new(),
            exited: Vec::new(),
            grids: BTreeMap::new(),
            ops: Vec::new(),
            at: BTreeMap::new(),
            last_write: BTreeMap::new(),
            strong: BTreeSet::new(),
        };
        for e in events {
            if let Event::Access(a) = e
                && a.kind.is_strong()
            {
                for l in lanes(a.active) {
                    let address = a.places.address(l as usize);
                    for b in address / 4..=(address + u64::from(a.width) - 1) / 4 {
                        g.strong.insert((a.space, b));
                    }
                }
            }
        }
        for e in events {
            g.step(e);
        }
        let racy = g.races();
        (g, racy)
    }

    fn node(&mut self, after: impl IntoIterator<Item = usize>) -> usize {
        let mut set = [0; WORDS];
        for p in after {
            add(&mut set, p);
            for (a, b) in set.iter_mut().zip(&self.before[p]) {
                *a |= b;
            }
        }
        self.before.push(set);
        assert!(self.before.len() <= WORDS * 64, "graph too small");
        self.before.len() - 1
    }

    fn block(&self, block: u32) -> Vec<(u32, u32)> {
        (0..self.threads).map(|t| (block, t)).collect()
    }

    /// All of `who` meet: each knows what any knew.
    fn meet(&mut self, who: &[(u32, u32)], hand_on: bool) {
        let lasts: Vec<usize> = who.iter().filter_map(|t| self.state[t].last).collect();
        let node = self.node(lasts);
        let mut heads: [BTreeSet<usize>; 2] = Default::default();
        for t in who {
            for (all, own) in heads.iter_mut().zip(&self.state[t].heads) {
                all.extend(own);
            }
        }
        for t in who {
            let s = self.state.get_mut(t).expect("begun");
            s.last = Some(node);
            if hand_on {
                s.heads.clone_from(&heads);
            }
        }
    }

    fn step_in_legacy(&mut self, block: u32, warp: u32) {
        if self.rules.is_legacy_warp_sync {
            let who: Vec<_> = self.block(block).into_iter().filter(|t| t.1 / 32 == warp).collect();
            self.meet(&who, !self.rules.is_strict);
        }
    }

    fn step(&mut self, event: &Event) {
        let hand_on = !self.rules.is_strict;
        match event {
            Event::Begin(b) => {
                for t in self.block(*b) {
                    self.state.insert(t, Thread::default());
                }
            }
            Event::End(b) => {
                let lasts: Vec<usize> = self.block(*b).iter().filter_map(|t| self.state[t].last).collect();
                let end = self.node(lasts);
                self.exited.push(end);
                if let Some(grid) = self.grids.get_mut(b) {
                    grid.2 = Some(end);
                }
                self.state.retain(|t, _| t.0 != *b);
            }
            Event::Spawn { block, warp, lane, child } => {
                self.step_in_legacy(*block, *warp);
                let thread = (*block, warp * 32 + lane);
                let node = self.node(self.state[&thread].last);
                self.state.get_mut(&thread).expect("begun").last = Some(node);
                self.grids.insert(*child, (*block, node, None));
                for t in self.block(*child) {
                    self.state.insert(t, Thread { last: Some(node), ..Thread::default() });
                }
            }
            Event::Wait { block, warp, mask } => {
                self.step_in_legacy(*block, *warp);
                for t in self.block(*block).into_iter().filter(|t| t.1 / 32 == *warp && mask >> (t.1 % 32) & 1 == 1) {
                    let Some(last) = self.state[&t].last else { continue };
                    let is_known = |launch| launch == last || has(&self.before[last], launch);
                    let known = self.grids.values().filter(|(by, launch, _)| by == block && is_known(*launch));
                    let ends: Vec<usize> = known.filter_map(|(_, _, end)| *end).collect();
                    let node = self.node(std::iter::once(last).chain(ends));
                    self.state.get_mut(&t).expect("begun").last = Some(node);
                }
            }
            Event::Barrier(b) => self.meet(&self.block(*b), hand_on),
            Event::Syncwarp { block, warp, mask } => {
                let who: Vec<_> = self
                    .block(*block)
                    .into_iter()
                    .filter(|t| t.1 / 32 == *warp && mask >> (t.1 % 32) & 1 == 1)
                    .collect();
                if !who.is_empty() {
                    self.meet(&who, hand_on);
                }
            }
            Event::GridSync => {
                let who: Vec<_> = self.state.keys().copied().collect();
                let exited = self.node(self.exited.clone());
                if let Some(first) = who.first() {
                    let s = self.state.get_mut(first).expect("begun");
                    let after: Vec<usize> = s.last.into_iter().chain([exited]).collect();
                    let node = self.node(after);
                    self.state.get_mut(first).expect("begun").last = Some(node);
                }
                self.meet(&who, false);
                for s in self.state.values_mut() {
                    s.heads = Default::default();
                    s.pending = Default::default();
                }
            }
            Event::ClusterSync(blocks) => {
                for b in blocks {
                    self.meet(&self.block(*b), hand_on);
                }
                let who: Vec<_> = blocks.iter().flat_map(|b| self.block(*b)).collect();
                self.meet(&who, false);
            }
            Event::Fence { block, warp, mask, scope } => {
                self.step_in_legacy(*block, *warp);
                let reach = usize::from(*scope != Scope::Cta);
                for t in self.block(*block) {
                    if t.1 / 32 != *warp || mask >> (t.1 % 32) & 1 == 0 {
                        continue;
                    }
                    let s = self.state.get_mut(&t).expect("begun");
                    let mut after: Vec<usize> = s.pending[reach].iter().copied().collect();
                    after.extend(s.last);
                    s.pending[reach].clear();
                    s.pending[0].clear();
                    let node = self.node(after);
                    let s = self.state.get_mut(&t).expect("begun");
                    s.last = Some(node);
                    for r in 0..=reach {
                        s.heads[r] = BTreeSet::from([node]);
                    }
                }
            }
            Event::Access(a) => self.access(a),
        }
    }

    /// The write that all bytes of a place come from, if a strong access may read it.
    fn source(&self, op: &Op, space: Option<u32>) -> Option<usize> {
        let first = *self.last_write.get(&(space, op.address))?;
        let w = &self.ops[first];
        let is_whole = (op.address..op.address + op.width).all(|b| self.last_write.get(&(space, b)) == Some(&first));
        (is_whole && w.is_observable() && w.is_mutual(op)).then_some(first)
    }

    fn access(&mut self, a: &Access) {
        self.step_in_legacy(a.block, a.warp);
        if a.kind.is_rmw() {
            // One lane after another.
            let by_number = std::array::from_fn(|lane| lane as u8);
            for &lane in a.order.as_ref().unwrap_or(&by_number) {
                self.access_at_once(a, a.active & 1 << lane);
            }
        } else {
            self.access_at_once(a, a.active);
        }
    }

    /// Lanes that access at once: none sees what another one does.
    fn access_at_once(&mut self, a: &Access, active: u32) {
        let space = (a.space == Space::Shared).then_some(a.block);
        let mut new = Vec::new();
        for lane in lanes(active) {
            let thread = (a.block, a.warp * 32 + lane);
            let kind = a.warp_access().kind_of(lane as usize);
            let address = a.places.address(lane as usize);
            let width = u64::from(a.width);
            let s = &self.state[&thread];
            let is_promoted = kind == Kind::Write
                && !s.heads[0].is_empty()
                && (address / 4..=(address + width - 1) / 4).any(|b| self.strong.contains(&(a.space, b)));
            let mut op = Op {
                node: 0,
                thread,
                kind,
                is_wide: a.scope != Scope::Cta || a.space == Space::Shared || !kind.is_strong(),
                is_promoted,
                address,
                width,
                heads: if kind.is_strong() || is_promoted { s.heads.clone() } else { Default::default() },
                chain: BTreeMap::new(),
                observed: BTreeMap::new(),
            };
            let mut acquired: [BTreeSet<usize>; 2] = Default::default();
            if a.kind.is_acquiring() {
                let mut at = self.source(&op, space);
                while let Some(w) = at {
                    let write = &self.ops[w];
                    if write.thread.0 == a.block {
                        acquired[0].extend(&write.heads[0]);
                        acquired[1].extend(&write.heads[0]);
                    }
                    if op.is_wide {
                        acquired[1].extend(&write.heads[1]);
                    }
                    // The chain goes on only if it does for the whole place.
                    at = write.chain.get(&write.address).copied().filter(|c| {
                        (write.address..write.address + write.width).all(|b| write.chain.get(&b) == Some(c))
                    });
                }
            }
            if kind.is_strong() && kind.is_read() {
                for b in address..address + width {
                    if let Some(&w) = self.last_write.get(&(space, b)) {
                        let write = &self.ops[w];
                        if write.is_observable() && write.is_mutual(&op) {
                            op.observed.insert(b, w);
                        }
                    }
                }
            }
            new.push((op, acquired));
        }
        for (mut op, acquired) in new {
            let t = op.thread;
            let mut after: Vec<usize> = self.state[&t].last.into_iter().collect();
            if self.rules.is_strict {
                let s = self.state.get_mut(&t).expect("begun");
                for (pending, new) in s.pending.iter_mut().zip(&acquired) {
                    pending.extend(new);
                }
            } else {
                after.extend(&acquired[1]);
            }
            op.node = self.node(after);
            self.state.get_mut(&t).expect("begun").last = Some(op.node);
            let id = self.ops.len();
            for b in op.address..op.address + op.width {
                if op.kind.is_rmw()
                    && let Some(&w) = self.last_write.get(&(space, b))
                    && self.ops[w].is_observable()
                    && self.ops[w].is_mutual(&op)
                {
                    op.chain.insert(b, w);
                }
            }
            for b in op.address..op.address + op.width {
                if op.kind.is_write() {
                    self.last_write.insert((space, b), id);
                }
                self.at.entry((space, b)).or_default().push(id);
            }
            self.ops.push(op);
        }
    }

    fn is_base(&self, a: &Op, b: &Op) -> bool {
        has(&self.before[b.node], a.node)
    }

    /// All that observe the write `w` of byte `b`: those that read it or a link of the chain that starts at it.
    fn observers(&self, ops: &[usize], b: u64, w: usize) -> Vec<usize> {
        let mut tips = vec![w];
        let mut out = Vec::new();
        while let Some(tip) = tips.pop() {
            for &o in ops {
                if self.ops[o].observed.get(&b) == Some(&tip) {
                    out.push(o);
                }
                if self.ops[o].chain.get(&b) == Some(&tip) {
                    tips.push(o);
                }
            }
        }
        out
    }

    fn is_ordered(&self, ops: &[usize], b: u64, x: usize, y: usize) -> bool {
        let (first, second) = (&self.ops[x], &self.ops[y]);
        if self.is_base(first, second) {
            return true;
        }
        if !first.is_observable() {
            return false;
        }
        // Strong writes of the byte that are not before `x` has had its effect on them.
        let mut reached = BTreeSet::from([x]);
        let mut work = vec![x];
        for &o in ops {
            if self.ops[o].is_observable() && self.is_base(first, &self.ops[o]) && reached.insert(o) {
                work.push(o);
            }
        }
        while let Some(w) = work.pop() {
            if !self.ops[w].kind.is_write() {
                continue;
            }
            for z in self.observers(ops, b, w) {
                if z == y && first.kind.is_strong() || self.is_base(&self.ops[z], second) {
                    return true;
                }
                for &o in ops {
                    let is_after = o == z || self.is_base(&self.ops[z], &self.ops[o]);
                    if self.ops[o].is_observable() && is_after && reached.insert(o) {
                        work.push(o);
                    }
                }
            }
        }
        false
    }

    fn races(&self) -> BTreeSet<(Space, u64)> {
        let mut out = BTreeSet::new();
        let mut known: BTreeMap<(Option<u32>, &Vec<usize>), bool> = BTreeMap::new();
        for ((space, b), ops) in &self.at {
            let place = (if space.is_some() { Space::Shared } else { Space::Global }, *b);
            // Bytes with the same accesses have the same verdict.
            let is_racy = *known.entry((*space, ops)).or_insert_with(|| self.is_racy(ops, *b));
            if is_racy {
                out.insert(place);
            }
        }
        out
    }

    fn is_racy(&self, ops: &[usize], b: u64) -> bool {
        ops.iter().enumerate().any(|(i, &y)| {
            ops[..i].iter().any(|&x| {
                let (first, second) = (&self.ops[x], &self.ops[y]);
                first.thread != second.thread
                    && (first.kind.is_write() || second.kind.is_write())
                    && !(first.kind.is_strong() && second.kind.is_strong() && first.is_mutual(second))
                    && !self.is_ordered(ops, b, x, y)
            })
        })
    }
}

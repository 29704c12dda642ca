//! A little machine: threads, each a block of its own, that read and write cells. It runs by an order as the emulator does, and
//! in all interleavings.

use explore::{Effect, LaunchTrace, Part, Piece, Step, StepKind, Switch, Touch};
use std::collections::{BTreeMap, BTreeSet};

/// An operation on a cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Op {
    Read(u64),
    Write(u64, u64),
    /// An atomic whose result is used.
    Add(u64, u64),
    /// One whose result is not used.
    Reduce(u64, u64),
    /// A compare-and-swap.
    Swap(u64, u64, u64),
    /// Reads until the value is there.
    Await(u64, u64),
    /// Reads until the value is at least this.
    AtLeast(u64, u64),
    /// Reads one cell, and another one if the value is there, until both are.
    Both((u64, u64), (u64, u64)),
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Op>>,
}

/// A program at work.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    at: Vec<usize>,
    /// Of a thread that waits for two values: whether it has seen the first one.
    is_half: Vec<bool>,
    cells: Vec<u64>,
    seen: Vec<Vec<u64>>,
}

/// What a thread did.
struct Done {
    touch: Touch,
    is_passed: bool,
}

impl State {
    fn new(program: &Program) -> State {
        let count = program.threads.len();
        State { at: vec![0; count], is_half: vec![false; count], cells: vec![0; 16], seen: vec![Vec::new(); count] }
    }

    /// Does the next operation of a thread, if it has one.
    fn step(&mut self, program: &Program, thread: usize) -> Option<Done> {
        let op = *program.threads[thread].get(self.at[thread])?;
        let is_half = self.is_half[thread];
        let cell = match op {
            Op::Both((cell, _), _) if !is_half => cell,
            Op::Both(_, (cell, _)) => cell,
            Op::Read(cell) | Op::Write(cell, _) | Op::Add(cell, _) | Op::Reduce(cell, _) => cell,
            Op::Swap(cell, ..) | Op::Await(cell, _) | Op::AtLeast(cell, _) => cell,
        };
        let found = self.cells[cell as usize];
        let (new, effect, is_passed) = match op {
            Op::Read(_) => (found, Effect::Read, true),
            Op::Write(_, new) => (new, Effect::Commuting(100 + new), true),
            Op::Add(_, more) => (found + more, Effect::Write, true),
            Op::Reduce(_, more) => (found + more, Effect::Commuting(1), true),
            Op::Swap(_, old, new) if found == old && old != new => (new, Effect::Write, true),
            Op::Swap(..) => (found, Effect::Read, true),
            Op::Await(_, wanted) => (found, Effect::Read, found == wanted),
            Op::AtLeast(_, wanted) => (found, Effect::Read, found >= wanted),
            Op::Both((_, wanted), _) if !is_half => {
                self.is_half[thread] = found == wanted;
                (found, Effect::Read, false)
            }
            Op::Both(_, (_, wanted)) => {
                self.is_half[thread] = false;
                (found, Effect::Read, found == wanted)
            }
        };
        let is_seen = matches!(op, Op::Read(_) | Op::Add(..) | Op::Swap(..) | Op::AtLeast(..));
        if is_seen && is_passed {
            self.seen[thread].push(found);
        }
        self.cells[cell as usize] = new;
        self.at[thread] += usize::from(is_passed);
        Some(Done { touch: Touch { cell, effect }, is_passed })
    }

    fn result(&self) -> Vec<u64> {
        let seen = self.seen.iter().flat_map(|seen| [u64::MAX].into_iter().chain(seen.iter().copied()));
        self.at.iter().map(|&at| at as u64).chain(self.cells.iter().copied()).chain(seen).collect()
    }
}

/// The results of all interleavings.
pub(crate) fn all_results(program: &Program) -> BTreeSet<Vec<u64>> {
    let (mut results, mut known) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![State::new(program)];
    while let Some(state) = open.pop() {
        if !known.insert(state.clone()) {
            continue;
        }
        // One that waits can go on if it passes after some reads.
        let can_pass = |thread: usize| {
            let mut next = state.clone();
            (0..3).any(|_| next.step(program, thread).is_some_and(|done| done.is_passed))
        };
        if !(0..program.threads.len()).any(can_pass) {
            results.insert(state.result());
        }
        for thread in 0..program.threads.len() {
            let mut next = state.clone();
            if next.step(program, thread).is_some() {
                open.push(next);
            }
        }
    }
    results
}

/// Reads that find nothing new before a thread gives way.
const PATIENCE: u64 = 5;

/// The last reads of a thread since it passed an operation, by cell and whether it is the second one: number, value, and
/// whether it repeats another one.
type Reads = BTreeMap<(u64, bool), (u64, u64, bool)>;

impl Program {
    /// Runs by an order: the result, and what was done.
    pub(crate) fn run(&self, order: &[Switch]) -> (Vec<u64>, LaunchTrace) {
        let mut state = State::new(self);
        let mut trace = LaunchTrace { number: 1, ..LaunchTrace::default() };
        let (mut points, mut current, mut held, mut next) = (0, 0, 0, 0);
        let mut polls: Vec<u64> = vec![0; self.threads.len()];
        let mut reads: Vec<Reads> = vec![Reads::new(); self.threads.len()];
        let (mut number, mut given_way) = (0, 0);
        loop {
            while let Some(switch) = order.get(next).filter(|switch| switch.at <= points) {
                next += 1;
                if state.at[switch.block as usize] < self.threads[switch.block as usize].len() {
                    current = switch.block as usize;
                    polls[current] = 0;
                    held = switch.at + switch.hold;
                }
            }
            let is_over = |t: usize| state.at[t] == self.threads[t].len();
            if (0..self.threads.len()).all(is_over) || given_way > 3 * self.threads.len() {
                break;
            }
            if is_over(current) || polls[current] >= PATIENCE && points >= held {
                polls[current] = 0;
                current = (current + 1) % self.threads.len();
                given_way += 1;
                continue;
            }
            let part = Part { block: current as u64, warp: 0, mask: 1 };
            let (at, half) = (state.at[current], state.is_half[current]);
            let Some(Done { touch, is_passed }) = state.step(self, current) else { break };
            number += 1;
            match trace.pieces.last_mut() {
                Some(piece) if piece.part == part => piece.points += 1,
                _ => trace.pieces.push(Piece { part, at: points, points: 1 }),
            }
            let value = state.cells[touch.cell as usize];
            let known = reads[current].get(&(touch.cell, half)).copied();
            // An operation that passes is in no state in which its thread was before.
            let repeats = known.filter(|known| !is_passed && known.1 == value).map(|known| known.0);
            let polled = known.filter(|known| known.2 && repeats.is_none()).map(|known| known.0);
            let polled = polled.filter(|_| touch.effect == Effect::Read);
            if repeats.is_none() {
                reads[current].values_mut().for_each(|known| known.2 = false);
                given_way = 0;
            }
            polls[current] += 1;
            reads[current].insert((touch.cell, half), (number, value, repeats.is_some()));
            if is_passed {
                reads[current].clear();
                polls[current] = 0;
            }
            let kind = StepKind::Access {
                site: current as u64 * 100 + at as u64 * 2 + u64::from(half),
                touches: vec![touch],
                contenders: Vec::new(),
                has_more_contenders: false,
                repeats,
                polled,
            };
            trace.steps.push(Step { part, at: points, number, kind });
            points += 1;
        }
        (state.result(), trace)
    }
}

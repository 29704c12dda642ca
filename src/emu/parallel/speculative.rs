//! Speculation with in-order commit: blocks that may share memory, on several threads.
//!
//! Where the analysis cannot show that blocks are independent, they run in iterations. In each iteration some pieces of
//! consecutive blocks start from the same memory, which does not change meanwhile. Each piece runs on one thread and
//! through a write buffer (`mem::WriteBuffer`), which keeps its writes and notes its reads. Then one thread goes through the pieces in
//! block order. A piece that has read nothing that an earlier piece of the iteration writes has done what it would have
//! done in its turn, and *commits*: its writes are applied and its output is appended. The first piece that has is
//! *discarded*, with all that follow; they run in the next iteration. The first piece of an iteration conflicts with nothing,
//! so every iteration makes progress.
//!
//! - An atomic whose result is unused is logged and done when its piece commits.
//! - Before an atomic whose result is used and before a volatile load, a block *waits*: it probably communicates with other
//!   blocks. It continues, alone, when its turn comes. Where blocks do that, each piece is a single block.
//! - Any other event that ends or stops a block (a fault, polling, a barrier that never completes, a service) is handled in
//!   the block's turn: the block is handed to the serial scheduler as it is, with the reason why it stopped. No effect of
//!   speculation is ever visible. The pieces behind it are discarded.
//!
//! No piece outlives a call: between calls a launch looks as it does on one thread (invariant I8). Discarded work is not
//! counted. If too much work is discarded, or speculation costs more than it gains, the launch continues on one thread, and
//! later launches of the kernel are not tried for a while (`heuristics`). All these decisions depend on counts of work, never
//! on a clock, and no result depends on them.
//!
//! # Launches that are checked for races
//!
//! The blocks of a piece write down what the detector wants to know (`checks::race_log`), and the detector hears of it when the
//! piece commits. Without fences the threads of a block know nothing of other blocks, whatever values they have seen, so in the
//! first pass the logs go to forks of the detector, on all threads, and the forks are merged at the end of the call. Once a
//! block has executed a fence, causality between blocks depends on the order of all strong accesses: the launch continues on one
//! thread. The second pass is told of the watched accesses in block order; it runs ahead only if the first saw no fence.

use crate::block::{Block, BlockStop};
use crate::checks::{Checks, EventLog, InPart, LogHooks, Loose, RaceHooks, RacePass, Watched};
use crate::parallel::deferred::Record;
use crate::parallel::pool::{BlockSource, Stack};
use crate::parallel::{Grain, LaunchMode, Next, Resources, SerialReason};
use crate::schedule::Grid;
use crate::service::Served;
use ir::Ty;
use ir::op::AtomOp;
use ir::rt::Rt;
use mem::{Memory, MemoryView, WriteBuffer};
use race::{CtaSlot, Detector, Exact, Part};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use vm::{Arg, Atomics, Hooks, Site};

/// Pieces of an iteration for each thread: usually, where each piece is a block, and in the first two iterations.
const WIDTH: [u64; 3] = [4, 24, 2];

/// Pages that all write buffers of an iteration may use, about 70 MB.
const BUFFER_PAGES: usize = 12 << 10;

/// Bytes from which on the log of a piece is large.
const LARGE_LOG: usize = 16 << 20;
/// From so many lanes at far places for each event on, blocks count as touching places all over memory.
const SCATTERED: usize = 8;

/// What became of speculative pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Speculation {
    /// Pieces that committed, except the first of each iteration.
    pub committed: u64,
    /// Pieces that were discarded.
    pub discarded: u64,
    /// Pieces in which a block waited for its turn.
    pub waited: u64,
}

/// A launch that runs speculatively.
#[derive(Clone, Debug)]
pub(crate) struct Speculative {
    args: Arc<[Arg]>,
    /// By what the points of a piece are divided.
    weight: u64,
    /// What pieces have done with each allocation, by place ([`WriteBuffer::collect_uses`]).
    uses: Vec<u8>,
    /// Allocations with which they have done more than one thing: these are followed byte by byte.
    by_byte: Arc<[bool]>,
    /// Whether blocks wait for their turn, so that each piece is a single block.
    is_single: bool,
    /// By how many powers of two pieces are smaller than they should be, since write buffers became too large.
    smaller: u32,
    iterations: u64,
    /// What the last iterations cost, and what one thread would have needed for the same work, in schedule points.
    cost: u64,
    worth: u64,
    /// Finished blocks that are free for reuse.
    spare: Stack<Block>,
}

/// Consecutive blocks that run through one write buffer.
#[derive(Debug)]
struct Piece {
    /// The next block to begin.
    next: u64,
    end: u64,
    block: Option<Block>,
    buffer: WriteBuffer,
    /// Atomics to be done at the commit, and how many they are.
    records: Vec<Record>,
    put_off: Cell<usize>,
    /// What the race detector is to be told, if the launch is checked.
    log: Option<EventLog>,
    /// What the guard of the launch is to be shown.
    loose: Vec<Loose>,
    output: Vec<u8>,
    points: u64,
    state: State,
}

#[derive(Debug)]
enum State {
    Working,
    Done,
    /// The block waits for its turn.
    Waits,
    /// Its share of the budget is used up.
    Spent,
    /// The block stopped for a reason that is handled in its turn.
    Stopped(BlockStop),
}

/// What all pieces use.
struct Shared<'a> {
    source: BlockSource<'a>,
    by_byte: &'a Arc<[bool]>,
    pages: usize,
    share: u64,
    watched: &'a Watched,
    is_strict: bool,
}

/// What the race detector has to be told, and those who are told.
#[derive(Default)]
struct Watch {
    /// Logs of pieces that have committed.
    told: Vec<EventLog>,
    /// Logs that are free for reuse.
    spare: Stack<EventLog>,
    /// Those that follow blocks of their own, and those that follow parts of memory.
    forks: Stack<Detector>,
    parts: Stack<(Part, Detector)>,
}

impl Watch {
    /// Tells the logs to forks of the detector. Each fork is told of blocks in their order, also from call to call: an atomic that has
    /// found what another one left comes behind that, and not before it.
    ///
    /// Where blocks touch places all over memory, each fork follows a part of memory and is told of all blocks: forks for blocks would each
    /// have stamps for nearly all of it, which would have to be merged.
    fn tell(&self, logs: &[EventLog], detector: &Detector) {
        let counts = logs.iter().map(EventLog::counts);
        let (events, scattered) = counts.fold((0, 0), |all, log| (all.0 + log.0, all.1 + log.1));
        if scattered > events * SCATTERED {
            return self.tell_parts(logs, detector);
        }
        let shares = logs.chunks(logs.len().div_ceil(rayon::current_num_threads()).max(1));
        let forked = |share| (share, self.forks.pop().unwrap_or_else(|| detector.fork()));
        let shares: Vec<(&[EventLog], Detector)> = shares.map(forked).collect();
        shares.into_par_iter().with_max_len(1).for_each(|(share, mut fork)| {
            for log in share {
                log.tell(&mut InPart(&mut fork, Part::WHOLE), &[]);
            }
            self.forks.push(fork);
        });
    }

    fn tell_parts(&self, logs: &[EventLog], detector: &Detector) {
        let mut parts = self.parts.take_all();
        if parts.is_empty() {
            let count = rayon::current_num_threads() as u32;
            parts.extend((0..count).map(|number| (Part { number, count }, detector.fork())));
        }
        parts.into_par_iter().with_max_len(1).for_each(|(part, mut fork)| {
            for log in logs {
                log.tell(&mut InPart(&mut fork, part), &[]);
            }
            self.parts.push((part, fork));
        });
    }

    fn recycle(&self, logs: Vec<EventLog>) {
        for mut log in logs {
            log.clear();
            self.spare.push(log);
        }
    }

    /// Tells the detector all that is left.
    fn finish(mut self, threads: &rayon::ThreadPool, detector: &mut Detector) {
        let told = std::mem::take(&mut self.told);
        let all = threads.install(|| {
            self.tell(&told, detector);
            let mut forks = self.forks.take_all();
            forks.extend(self.parts.take_all().into_iter().map(|(_, fork)| fork));
            forks.into_par_iter().reduce_with(|mut one, other| {
                one.absorb(other);
                one
            })
        });
        all.into_iter().for_each(|fork| detector.absorb(fork));
    }
}

/// What an iteration achieved, in schedule points.
#[derive(Default)]
struct Tally {
    /// Passed speculatively, committed or not.
    ahead: u64,
    /// Of these, by pieces that committed.
    committed: u64,
    /// Passed in their turn by blocks that had waited for it.
    alone: u64,
    /// Buffer pages used.
    pages: u64,
}

impl Speculative {
    pub(crate) fn new(args: Arc<[Arg]>, weight: u64) -> Speculative {
        Speculative {
            args,
            weight,
            uses: Vec::new(),
            by_byte: Arc::default(),
            is_single: false,
            smaller: 0,
            iterations: 0,
            cost: 0,
            worth: 0,
            spare: Stack::default(),
        }
    }

    /// How many pieces the next iteration has, and of how many blocks; each block passes about `each` points.
    fn plan(&self, each: u64, left: u64, jobs: u64, grain: Grain, budget: u64) -> (u64, u64) {
        // The first iteration finds out who writes what, the second whether speculation succeeds.
        let is_first = self.iterations < 2;
        let wanted = (grain.chunk / self.weight >> self.smaller) / each >> if is_first { 2 } else { 0 };
        let blocks = if self.is_single { 1 } else { wanted.clamp(1, (left / (8 * jobs)).max(1)) };
        let width = jobs * WIDTH[if is_first { 2 } else { usize::from(self.is_single) }];
        (width.min(left.div_ceil(blocks)).min(budget / (blocks * each)), blocks)
    }

    /// Counts what an iteration achieved; whether to go on. The costs of a buffer page and of a piece were measured.
    fn goes_on(&mut self, tally: &Tally, pieces: u64, jobs: u64) -> bool {
        let apart = tally.ahead + tally.ahead / 4 + (8 * tally.pages + 40 * pieces) / self.weight;
        let cost = apart / jobs.min(pieces) + tally.alone + tally.alone / 4 + 4 * tally.pages / self.weight;
        self.cost = self.cost / 2 + cost;
        self.worth = self.worth / 2 + tally.committed + tally.alone;
        self.iterations += 1;
        self.iterations == 1 || self.cost < self.worth
    }

    /// Works as far as the budget goes; breaks when speculation ends. No block is active.
    pub(crate) fn run(
        &mut self,
        resources: Resources<'_>,
        grid: &mut Grid,
        checks: &mut Checks,
        memory: &mut Memory,
        budget: &mut u64,
    ) -> ControlFlow<(Next, LaunchMode), Next> {
        let Some(threads) = resources.pool.threads() else { return ControlFlow::Continue(Next::Serial) };
        if let RacePass::Detect(detector) = &checks.race
            && detector.has_fences()
        {
            return ControlFlow::Break((Next::Serial, LaunchMode::Serial(SerialReason::Watched)));
        }
        let mut watch = Watch::default();
        let flow = self.iterate(resources, threads, grid, (checks, &mut watch), memory, budget);
        if let RacePass::Detect(detector) = &mut checks.race {
            watch.finish(threads, detector);
        }
        flow
    }

    fn iterate(
        &mut self,
        resources: Resources<'_>,
        threads: &rayon::ThreadPool,
        grid: &mut Grid,
        (checks, watch): (&mut Checks, &mut Watch),
        memory: &mut Memory,
        budget: &mut u64,
    ) -> ControlFlow<(Next, LaunchMode), Next> {
        let Resources { program, pool, grain, output, points, heuristics, speculation, .. } = resources;
        let jobs = pool.jobs() as u64;
        let is_watched = !matches!(checks.race, RacePass::Off);
        let is_deciding = matches!(checks.race, RacePass::Decide(_));
        let mut has_room = None;
        loop {
            let left = grid.total - grid.begun;
            let each = (grid.points / grid.begun.max(1)).max(1);
            let (count, blocks) = self.plan(each, left, jobs, grain, *budget);
            // Addresses are named by the frame of a block that has ended.
            if count < 2 || grid.witness.is_none() {
                return ControlFlow::Continue(if *budget == 0 { Next::Spent } else { Next::Serial });
            }
            // If memory has no room for a page, the store that needs it has to say so.
            if !*has_room.get_or_insert_with(|| memory.has_room_for_writes()) {
                return ControlFlow::Break((Next::Serial, LaunchMode::Serial(SerialReason::MemoryFull)));
            }
            let watched = checks.watched.clone();
            let shared = Shared {
                source: BlockSource {
                    program,
                    launch: &grid.launch,
                    args: &self.args,
                    seed: 0,
                    jitter: grain.jitter,
                    spare: &self.spare,
                },
                by_byte: &self.by_byte,
                pages: BUFFER_PAGES / count as usize,
                share: blocks.saturating_mul(8 * each).max(grain.chunk).min(*budget),
                watched: &watched,
                is_strict: checks.race.is_strict(),
            };
            let piece = |i: u64| {
                let buffer = pool.buffers().pop().unwrap_or_default();
                let log = is_watched.then(|| watch.spare.pop().unwrap_or_default());
                Piece::new(grid.begun + i * blocks, (grid.begun + (i + 1) * blocks).min(grid.total), buffer, log)
            };
            let mut pieces: Vec<Piece> = (0..count).map(piece).collect();
            let base = &*memory;
            let told = std::mem::take(&mut watch.told);
            threads.install(|| {
                let mut run = || {
                    let exact = checks.race.exact();
                    pieces.par_iter_mut().with_max_len(1).for_each(|piece| piece.run(base, &shared, exact));
                };
                match &checks.race {
                    RacePass::Detect(detector) => drop(rayon::join(run, || watch.tell(&told, detector))),
                    RacePass::Off | RacePass::Decide(_) => run(),
                }
            });
            watch.recycle(told);

            let mut tally = Tally { ahead: pieces.iter().map(|p| p.points).sum(), ..Tally::default() };
            let (mut handed, mut adopted) = (None, None);
            let (mut through, mut is_cut, mut has_fences, mut is_large) = (0, false, false, false);
            // What this iteration has done with each allocation.
            let mut uses = vec![0; memory.places()];
            while !is_cut && through < pieces.len() {
                let (earlier, rest) = pieces.split_at_mut(through);
                let piece = &mut rest[0];
                let conflicts = |piece: &Piece| earlier.iter().any(|e| piece.buffer.conflicts_with(&e.buffer));
                let is_unfit = piece.log.as_ref().is_some_and(EventLog::is_unfit);
                if is_unfit || piece.buffer.is_aborted() || piece.buffer.reads_written(&uses) && conflicts(piece) {
                    let is_full = piece.buffer.is_aborted() && piece.buffer.is_full();
                    self.smaller += u32::from(is_full && through == 0);
                    break;
                }
                let atomics = piece.commit(memory);
                tally.committed += piece.points;
                speculation.committed += u64::from(through > 0);
                if matches!(piece.state, State::Waits) {
                    speculation.waited += 1;
                    self.is_single = true;
                    let before = piece.points;
                    piece.finish(memory, &shared, checks.race.exact(), budget.saturating_sub(before));
                    tally.alone += piece.points - before;
                }
                shared.watched.settle(&mut piece.loose);
                if let Some(log) = piece.log.take() {
                    is_large |= log.bytes() > LARGE_LOG;
                    has_fences |= log.has_fences();
                    let slot = tell(log, watch, &mut checks.race, &atomics, piece.block.is_some());
                    piece.block.iter_mut().for_each(|block| block.slot = slot);
                }
                piece.buffer.collect_uses(&mut uses);
                // Output is shown once, by the pass whose effects stay, and only its points count.
                if !is_deciding {
                    output.append(&mut piece.output);
                    *points += piece.points;
                }
                grid.points += piece.points;
                *budget = budget.saturating_sub(piece.points);
                grid.begun = piece.next;
                if let Some(block) = piece.block.take() {
                    adopted = Some(block);
                    handed = Some(std::mem::replace(&mut piece.state, State::Done));
                }
                is_cut = piece.next < piece.end || handed.is_some() || has_fences || shared.watched.is_broken();
                through += 1;
            }
            self.smaller += u32::from(is_large);
            adopted.into_iter().for_each(|block| grid.adopt(block));
            speculation.discarded += (pieces.len() - through) as u64;
            self.uses.resize(memory.places(), 0);
            for piece in &pieces {
                tally.pages += piece.buffer.pages() as u64;
                piece.buffer.collect_uses(&mut self.uses);
            }
            self.by_byte = self.uses.iter().map(|u| u.count_ones() > 1).collect();
            for mut piece in pieces {
                piece.buffer.clear();
                pool.buffers().push(piece.buffer);
                watch.recycle(piece.log.into_iter().collect());
            }
            if watched.is_broken() {
                // The launch begins again.
                return ControlFlow::Break((Next::Serial, LaunchMode::Serial(SerialReason::Repeated)));
            }
            let is_over = grid.begun == grid.total;
            let goes_on = (self.goes_on(&tally, count, jobs) || grain.insists) && !has_fences;
            let next = match handed {
                Some(State::Stopped(stop)) => Some(Next::Handed(stop)),
                Some(_) if *budget == 0 => Some(Next::Spent),
                // A block that does not fit into a write buffer runs serially.
                Some(_) => Some(Next::Serial),
                None => (through == 0 || is_over || !goes_on).then_some(Next::Serial),
            };
            if is_over || !goes_on {
                heuristics.note(grid.launch.func, is_over && !has_fences);
                let reason = if has_fences { SerialReason::Watched } else { SerialReason::NoGain };
                let mode = if is_over { LaunchMode::Speculative } else { LaunchMode::Serial(reason) };
                return ControlFlow::Break((next.unwrap_or(Next::Serial), mode));
            }
            if let Some(next) = next {
                return ControlFlow::Continue(next);
            }
        }
    }
}

/// Tells the pass of the race detector what a piece did that has committed; `atomics` are the values that those have left that
/// were put off. Gives the place of its last block in the detector if the block has not ended.
fn tell(
    log: EventLog,
    watch: &mut Watch,
    pass: &mut RacePass,
    atomics: &[u64],
    is_unfinished: bool,
) -> Option<CtaSlot> {
    let slot = match pass {
        RacePass::Off => None,
        // What comes next is told to the detector itself.
        RacePass::Detect(detector) if is_unfinished || log.has_fences() => {
            log.tell(&mut InPart(detector, Part::WHOLE), &[])
        }
        RacePass::Detect(_) => {
            watch.told.push(log);
            return None;
        }
        RacePass::Decide(exact) => log.tell(&mut **exact, atomics),
    };
    watch.recycle(vec![log]);
    slot
}

impl Piece {
    fn new(next: u64, end: u64, buffer: WriteBuffer, log: Option<EventLog>) -> Piece {
        Piece {
            next,
            end,
            block: None,
            buffer,
            records: Vec::new(),
            put_off: Cell::new(0),
            log,
            loose: Vec::new(),
            output: Vec::new(),
            points: 0,
            state: State::Working,
        }
    }

    /// Runs the blocks speculatively. `exact` is the second pass of the race detector, if that is on.
    fn run(&mut self, base: &Memory, shared: &Shared<'_>, exact: Option<&Exact>) {
        self.buffer.begin(base, shared.by_byte, shared.pages);
        let mut budget = shared.share;
        // A block that has ended, for the next one.
        let mut finished = None;
        self.state = loop {
            if self.block.is_none() && self.next == self.end {
                break State::Done;
            }
            let mut block = self.block.take().unwrap_or_else(|| {
                self.next += 1;
                let block = shared.source.make(self.next - 1, exact.is_none(), finished.take());
                self.log.iter_mut().for_each(|log| log.begin_block(block.linear));
                block
            });
            let (stop, is_held) = self.step(base, shared, exact, &mut block, true, &mut budget);
            if let BlockStop::Done = stop {
                self.note_end(exact);
                finished = Some(block);
                continue;
            }
            let stop = self.serve(base, shared, exact, &mut block, stop);
            self.block = Some(block);
            match stop {
                None => {}
                Some(BlockStop::Budget) if is_held => break State::Waits,
                Some(BlockStop::Budget) => break State::Spent,
                Some(stop) => break State::Stopped(stop),
            }
        };
        self.points = shared.share - budget;
        if let Some(block) = finished {
            shared.source.recycle(block);
        }
    }

    /// Runs a block until it stops; says also whether it has to wait for its turn, which it is if it does not run ahead.
    fn step(
        &mut self,
        base: &Memory,
        shared: &Shared<'_>,
        exact: Option<&Exact>,
        block: &mut Block,
        is_ahead: bool,
        budget: &mut u64,
    ) -> (BlockStop, bool) {
        let Piece { buffer, records, put_off, log, loose, .. } = self;
        // Without a log there is a guard at most.
        let (mut off, mut logging, mut guarding) = (RacePass::Off, None, None);
        let hooks = match log {
            Some(log) => Some(logging.insert(log_hooks(log, loose, put_off, shared, exact)) as &mut dyn Hooks<32>),
            None if shared.watched.is_guarded() => {
                let hooks = RaceHooks::of_guard(&mut off, shared.watched.watching_ahead(loose));
                Some(guarding.insert(hooks) as &mut dyn Hooks<32>)
            }
            None => None,
        };
        let mut atomics = SpeculativeAtomics { buffer, base, records, put_off, is_held: false };
        let taking = is_ahead.then_some(&mut atomics as &mut dyn Atomics);
        let stop = block.run(shared.source.program, MemoryView::Buffered(buffer.over(base)), hooks, taking, budget);
        (stop, atomics.is_held)
    }

    /// A block has ended.
    fn note_end(&mut self, exact: Option<&Exact>) {
        self.log.iter_mut().for_each(|log| log.end_block(exact.is_some()));
    }

    /// Serves a request that only prints; returns why the block stopped if it has to stay stopped.
    fn serve(
        &mut self,
        base: &Memory,
        shared: &Shared<'_>,
        exact: Option<&Exact>,
        block: &mut Block,
        stop: BlockStop,
    ) -> Option<BlockStop> {
        let BlockStop::Rt(warp, request) = stop else { return Some(stop) };
        let Piece { buffer, put_off, log, loose, output, .. } = self;
        let memory = MemoryView::Buffered(buffer.over(base));
        let mut hooks = log.as_mut().map(|log| log_hooks(log, loose, put_off, shared, exact));
        let hooks = hooks.as_mut().map(|hooks| hooks as &mut dyn Hooks<32>);
        let is_served = is_print(request.rt)
            && block.serve(shared.source.program, warp, &request, &memory, output, hooks) == Served::Done;
        (!is_served).then_some(BlockStop::Rt(warp, request))
    }

    /// Applies what the piece has done to memory; it is its turn. Gives what the atomics leave that were put off.
    fn commit(&mut self, base: &mut Memory) -> Vec<u64> {
        // There is room for all pages.
        let _ = self.buffer.apply(base);
        let left = std::mem::take(&mut self.records).iter().map(|record| record.apply(base)).collect();
        self.buffer.end_speculation();
        left
    }

    /// Runs the block that waited for its turn to its end.
    fn finish(&mut self, base: &mut Memory, shared: &Shared<'_>, exact: Option<&Exact>, budget: u64) {
        let Some(mut block) = self.block.take() else { return };
        let mut rest = budget;
        let stop = loop {
            let (stop, _) = self.step(base, shared, exact, &mut block, false, &mut rest);
            if let Some(stop) = self.serve(base, shared, exact, &mut block, stop) {
                break stop;
            }
        };
        let _ = self.buffer.apply(base);
        self.points += budget - rest;
        self.state = match stop {
            BlockStop::Done => {
                self.note_end(exact);
                shared.source.recycle(block);
                State::Done
            }
            stop => {
                self.block = Some(block);
                if let BlockStop::Budget = stop { State::Spent } else { State::Stopped(stop) }
            }
        };
    }
}

/// The hooks that write down what a block does.
fn log_hooks<'a>(
    log: &'a mut EventLog,
    loose: &'a mut Vec<Loose>,
    put_off: &'a Cell<usize>,
    shared: &Shared<'a>,
    exact: Option<&'a Exact>,
) -> LogHooks<'a> {
    let watching = shared.watched.watching_ahead(loose);
    LogHooks { log, watching, exact, is_strict: shared.is_strict, put_off }
}

/// Whether a service affects nothing but the output and the calling warp.
fn is_print(rt: Rt) -> bool {
    use Rt::{
        IoBegin, IoEnd, IoPutChar, IoPutComplex4, IoPutComplex8, IoPutInt, IoPutLogical, IoPutReal4, IoPutReal8, Stop,
    };
    matches!(
        rt,
        IoBegin
            | IoEnd
            | IoPutChar
            | IoPutComplex4
            | IoPutComplex8
            | IoPutInt
            | IoPutLogical
            | IoPutReal4
            | IoPutReal8
            | Stop
    )
}

/// Keeps the atomics of a piece for later, and stops its blocks where they have to wait.
#[derive(Debug)]
struct SpeculativeAtomics<'a> {
    buffer: &'a WriteBuffer,
    base: &'a Memory,
    records: &'a mut Vec<Record>,
    put_off: &'a Cell<usize>,
    is_held: bool,
}

impl Atomics for SpeculativeAtomics<'_> {
    fn holds(&mut self) -> bool {
        self.is_held = true;
        true
    }

    fn takes(&self, _: Site) -> bool {
        true
    }

    fn take(&mut self, _: Site, op: AtomOp, ty: Ty, address: u64, a: u64, b: u64) {
        self.buffer.defer(self.base, address, ty.bytes() as usize);
        self.records.push(Record::new(op, ty, address, a, b));
        self.put_off.set(self.records.len());
    }
}

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
//! Not here: launches that are checked for races. They run on one thread unless they are proven independent.

use crate::block::{Block, BlockStop};
use crate::parallel::deferred::Record;
use crate::parallel::pool::{BlockSource, Stack};
use crate::parallel::{Grain, LaunchMode, Next, Resources, SerialReason};
use crate::schedule::Grid;
use crate::service::Served;
use ir::Ty;
use ir::op::AtomOp;
use ir::rt::Rt;
use mem::{Memory, MemoryView, WriteBuffer};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::ops::ControlFlow;
use std::sync::Arc;
use vm::{Arg, Atomics, Program, Site};

/// Pieces of an iteration for each thread: usually, where each piece is a block, and in the first two iterations.
const WIDTH: [u64; 3] = [4, 24, 2];

/// Pages that all write buffers of an iteration may use, about 70 MB.
const BUFFER_PAGES: usize = 12 << 10;

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
    /// Atomics to be done at the commit.
    log: Vec<Record>,
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
    pub(crate) fn new(args: Arc<[Arg]>) -> Speculative {
        Speculative {
            args,
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
        let wanted = (grain.chunk >> self.smaller) / each >> if is_first { 2 } else { 0 };
        let blocks = if self.is_single { 1 } else { wanted.clamp(1, (left / (8 * jobs)).max(1)) };
        let width = jobs * WIDTH[if is_first { 2 } else { usize::from(self.is_single) }];
        (width.min(left.div_ceil(blocks)).min(budget / (blocks * each)), blocks)
    }

    /// Counts what an iteration achieved; whether to go on. The costs of a buffer page and of a piece were measured.
    fn goes_on(&mut self, tally: &Tally, pieces: u64, jobs: u64) -> bool {
        let apart = tally.ahead + tally.ahead / 4 + 8 * tally.pages + 40 * pieces;
        let cost = apart / jobs.min(pieces) + tally.alone + tally.alone / 4 + 4 * tally.pages;
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
        memory: &mut Memory,
        budget: &mut u64,
    ) -> ControlFlow<(Next, LaunchMode), Next> {
        let Resources { program, pool, grain, output, points, heuristics, speculation, .. } = resources;
        let Some(threads) = pool.threads() else { return ControlFlow::Continue(Next::Serial) };
        let jobs = pool.jobs() as u64;
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
            };
            let piece = |i: u64| {
                let buffer = pool.buffers().pop().unwrap_or_default();
                Piece::new(grid.begun + i * blocks, (grid.begun + (i + 1) * blocks).min(grid.total), buffer)
            };
            let mut pieces: Vec<Piece> = (0..count).map(piece).collect();
            let base = &*memory;
            threads.install(|| pieces.par_iter_mut().with_max_len(1).for_each(|piece| piece.run(base, &shared)));

            let mut tally = Tally { ahead: pieces.iter().map(|p| p.points).sum(), ..Tally::default() };
            let (mut handed, mut adopted) = (None, None);
            let (mut through, mut is_cut) = (0, false);
            // What this iteration has done with each allocation.
            let mut uses = vec![0; memory.places()];
            while !is_cut && through < pieces.len() {
                let (earlier, rest) = pieces.split_at_mut(through);
                let piece = &mut rest[0];
                let conflicts = |piece: &Piece| earlier.iter().any(|e| piece.buffer.conflicts_with(&e.buffer));
                if piece.buffer.is_aborted() || piece.buffer.reads_written(&uses) && conflicts(piece) {
                    let is_full = piece.buffer.is_aborted() && piece.buffer.is_full();
                    self.smaller += u32::from(is_full && through == 0);
                    break;
                }
                piece.commit(memory);
                tally.committed += piece.points;
                speculation.committed += u64::from(through > 0);
                if matches!(piece.state, State::Waits) {
                    speculation.waited += 1;
                    self.is_single = true;
                    let before = piece.points;
                    piece.finish(memory, &shared, budget.saturating_sub(before));
                    tally.alone += piece.points - before;
                }
                piece.buffer.collect_uses(&mut uses);
                output.append(&mut piece.output);
                *points += piece.points;
                grid.points += piece.points;
                *budget = budget.saturating_sub(piece.points);
                grid.begun = piece.next;
                if let Some(block) = piece.block.take() {
                    adopted = Some(block);
                    handed = Some(std::mem::replace(&mut piece.state, State::Done));
                }
                is_cut = piece.next < piece.end || handed.is_some();
                through += 1;
            }
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
            }
            let is_over = grid.begun == grid.total;
            let goes_on = self.goes_on(&tally, count, jobs) || grain.insists;
            let next = match handed {
                Some(State::Stopped(stop)) => Some(Next::Handed(stop)),
                Some(_) if *budget == 0 => Some(Next::Spent),
                // A block that does not fit into a write buffer runs serially.
                Some(_) => Some(Next::Serial),
                None => (through == 0 || is_over || !goes_on).then_some(Next::Serial),
            };
            if is_over || !goes_on {
                heuristics.note(grid.launch.func, is_over);
                let mode = if is_over { LaunchMode::Speculative } else { LaunchMode::Serial(SerialReason::NoGain) };
                return ControlFlow::Break((next.unwrap_or(Next::Serial), mode));
            }
            if let Some(next) = next {
                return ControlFlow::Continue(next);
            }
        }
    }
}

impl Piece {
    fn new(next: u64, end: u64, buffer: WriteBuffer) -> Piece {
        Piece { next, end, block: None, buffer, log: Vec::new(), output: Vec::new(), points: 0, state: State::Working }
    }

    /// Runs the blocks speculatively.
    fn run(&mut self, base: &Memory, shared: &Shared<'_>) {
        let program = shared.source.program;
        self.buffer.begin(base, shared.by_byte, shared.pages);
        let mut budget = shared.share;
        self.state = loop {
            if self.block.is_none() && self.next == self.end {
                break State::Done;
            }
            let mut block = self.block.take().unwrap_or_else(|| {
                self.next += 1;
                shared.source.make(self.next - 1, true)
            });
            let mut atomics = SpeculativeAtomics { buffer: &self.buffer, base, log: &mut self.log, is_held: false };
            let view = MemoryView::Buffered(self.buffer.over(base));
            let stop = block.run(program, view, None, Some(&mut atomics), &mut budget);
            let is_held = atomics.is_held;
            if let BlockStop::Done = stop {
                shared.source.recycle(block);
                continue;
            }
            let stop = self.serve(base, program, &mut block, stop);
            self.block = Some(block);
            match stop {
                None => {}
                Some(BlockStop::Budget) if is_held => break State::Waits,
                Some(BlockStop::Budget) => break State::Spent,
                Some(stop) => break State::Stopped(stop),
            }
        };
        self.points = shared.share - budget;
    }

    /// Serves a request that only prints; returns why the block stopped if it has to stay stopped.
    fn serve(&mut self, base: &Memory, program: &Program, block: &mut Block, stop: BlockStop) -> Option<BlockStop> {
        let BlockStop::Rt(warp, request) = stop else { return Some(stop) };
        let memory = MemoryView::Buffered(self.buffer.over(base));
        let is_served = is_print(request.rt)
            && block.serve(program, warp, &request, &memory, &mut self.output, None) == Served::Done;
        (!is_served).then_some(BlockStop::Rt(warp, request))
    }

    /// Applies what the piece has done to memory; it is its turn.
    fn commit(&mut self, base: &mut Memory) {
        // There is room for all pages.
        let _ = self.buffer.apply(base);
        std::mem::take(&mut self.log).iter().for_each(|record| record.apply(base));
        self.buffer.end_speculation();
    }

    /// Runs the block that waited for its turn to its end.
    fn finish(&mut self, base: &mut Memory, shared: &Shared<'_>, budget: u64) {
        let Some(mut block) = self.block.take() else { return };
        let program = shared.source.program;
        let mut rest = budget;
        let stop = loop {
            let view = MemoryView::Buffered(self.buffer.over(base));
            let stop = block.run(program, view, None, None, &mut rest);
            if let Some(stop) = self.serve(base, program, &mut block, stop) {
                break stop;
            }
        };
        let _ = self.buffer.apply(base);
        self.points += budget - rest;
        self.state = match stop {
            BlockStop::Done => {
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

/// Logs the atomics of a piece, and stops its blocks where they have to wait.
#[derive(Debug)]
struct SpeculativeAtomics<'a> {
    buffer: &'a WriteBuffer,
    base: &'a Memory,
    log: &'a mut Vec<Record>,
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
        self.log.push(Record::new(op, ty, address, a, b));
    }
}

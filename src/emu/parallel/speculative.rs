//! Blocks of one launch on several threads, where they may share what they touch: ordered commit.
//!
//! Where the analysis cannot show that blocks are independent (`parallel`), they are worked in rounds. In a round some pieces
//! of consecutive blocks begin from the same memory, which does not change meanwhile; each runs on one thread and on a draft
//! of its own (`mem::Draft`), which keeps what it writes and notes what it reads. Then one thread goes through the pieces in
//! the order of blocks: one that has read nothing that an earlier one of the round writes has done what it would have done in
//! its turn, and is *committed*: its writes are applied, its prints appended. The first that has is *discarded* with all that
//! follow, and they are the next round's. The first piece of a round can meet nothing, so that every round comes further.
//!
//! - An atomic whose result nobody uses is written down, and done when its piece is committed.
//! - Before an atomic whose result is used and before a volatile load a block *waits*: most likely it will have to do with
//!   what others write. When its turn comes it goes on, alone. Where blocks do that, each is a piece of its own.
//! - Whatever else ends or holds up a block (a fault, a poll, a barrier that never completes, a service) is not looked at
//!   before its turn. Then the block is handed over as it is to who runs blocks one after another, with why it stopped;
//!   nothing that was only supposed ever surfaces. Pieces behind it are discarded.
//!
//! No piece outlives a call: between calls a launch is what it is on one thread (invariant I8). What the threads did in vain
//! is not counted. Where too much is in vain, or it costs more than it brings, the launch goes on on one thread, and so do
//! later launches of the kernel for a while. All these decisions are made from counts of work, never from a clock, and none
//! of them shows in a result.
//!
//! Not here: launches that are looked at for races, which are run by one thread unless they are proven independent.

use crate::block::{Block, BlockStop};
use crate::parallel::deferred::Record;
use crate::parallel::independent::{Crew, Grain, Parallel, Turn, lock};
use crate::schedule::grid::{Running, Standstill, block_at, mix};
use crate::service::print::{self, Served};
use device::KernelLaunch;
use ir::op::AtomOp;
use ir::rt::Rt;
use ir::{FuncId, Ty};
use mem::{Draft, Memory};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use vm::{Arg, Atomics, Program, Site};

/// Pieces of a round, for each thread; where each is a block; and of the first two rounds.
const WIDTH: [u64; 3] = [4, 24, 2];

/// Sheets that all drafts of a round may use, about 70 MB.
const SHEETS: usize = 12 << 10;

/// How pieces that ran ahead of their turn fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Speculation {
    /// Pieces whose work counts, but for the first of each round.
    pub committed: u64,
    /// Pieces whose work was in vain.
    pub discarded: u64,
    /// Pieces in which a block had to wait for its turn.
    pub waited: u64,
}

/// Kernels whose launches gained nothing of late: how many did, and how many more are not tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Habits(BTreeMap<FuncId, (u32, u32)>);

impl Habits {
    /// Whether a launch of the kernel is to be tried.
    pub(crate) fn tries(&mut self, kernel: FuncId) -> bool {
        let Some((_, skip)) = self.0.get_mut(&kernel) else { return true };
        let tries = *skip == 0;
        *skip = skip.saturating_sub(1);
        tries
    }

    fn gained(&mut self, kernel: FuncId, has_gained: bool) {
        if has_gained {
            self.0.remove(&kernel);
            return;
        }
        let (failures, skip) = self.0.entry(kernel).or_default();
        *failures = (*failures + 1).min(8);
        *skip = (1 << (2 * *failures)) - 1;
    }
}

/// A launch that is worked in rounds.
#[derive(Clone, Debug)]
pub(crate) struct Ordered {
    args: Arc<[Arg]>,
    /// What pieces have done with each allocation, by place ([`Draft::note_uses`]).
    uses: Vec<u8>,
    /// Those with which they have done more than one thing: of these each byte counts.
    mixed: Arc<[bool]>,
    /// Whether blocks wait for their turn, so that each is a piece of its own.
    is_single: bool,
    /// By how many powers of two pieces are smaller than they should be, since drafts became too large.
    smaller: u32,
    rounds: u64,
    /// What the last rounds cost, and what it would have cost without them, in schedule points of one thread.
    cost: u64,
    worth: u64,
    spares: Spares,
}

/// Blocks that pieces use one after another.
#[derive(Debug, Default)]
struct Spares {
    blocks: Mutex<Vec<Block>>,
}

impl Clone for Spares {
    fn clone(&self) -> Spares {
        Spares::default()
    }
}

/// Consecutive blocks on a draft.
#[derive(Debug)]
struct Piece {
    /// The next block to begin.
    next: u64,
    end: u64,
    block: Option<Block>,
    draft: Draft,
    /// Atomics to be done when it is committed.
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
    /// The block stopped for a reason that is to be looked at in its turn.
    Stopped(BlockStop),
}

/// What all pieces have in common.
struct Common<'a> {
    program: &'a Program,
    base: &'a Arc<Memory>,
    launch: &'a KernelLaunch,
    args: &'a [Arg],
    mixed: &'a Arc<[bool]>,
    sheets: usize,
    share: u64,
    jitter: u64,
    spares: &'a Spares,
}

/// What a round came to, in schedule points.
#[derive(Default)]
struct Tally {
    /// Passed by all pieces ahead of their turn, in vain or not.
    ahead: u64,
    /// Of these, by pieces that were committed.
    committed: u64,
    /// Passed in their turn by blocks that had waited for it.
    alone: u64,
    /// Sheets used.
    sheets: u64,
}

impl Ordered {
    pub(crate) fn new(args: Vec<Arg>) -> Ordered {
        Ordered {
            args: args.into(),
            uses: Vec::new(),
            mixed: Arc::default(),
            is_single: false,
            smaller: 0,
            rounds: 0,
            cost: 0,
            worth: 0,
            spares: Spares::default(),
        }
    }

    /// How many pieces the next round has, and of how many blocks, each of which passes about `each` points.
    fn plan(&self, each: u64, left: u64, jobs: u64, grain: Grain, budget: u64) -> (u64, u64) {
        // The first round finds out who writes what, the second whether anything comes of it.
        let is_first = self.rounds < 2;
        let wanted = (grain.chunk >> self.smaller) / each >> if is_first { 2 } else { 0 };
        let blocks = if self.is_single { 1 } else { wanted.clamp(1, (left / (8 * jobs)).max(1)) };
        let width = jobs * WIDTH[if is_first { 2 } else { usize::from(self.is_single) }];
        (width.min(left.div_ceil(blocks)).min(budget / (blocks * each)), blocks)
    }

    /// Counts what a round came to; whether it goes on like this. What a sheet or a piece costs beside the points was measured.
    fn goes_on(&mut self, tally: &Tally, pieces: u64, jobs: u64) -> bool {
        let apart = tally.ahead + tally.ahead / 4 + 8 * tally.sheets + 40 * pieces;
        let cost = apart / jobs.min(pieces) + tally.alone + tally.alone / 4 + 4 * tally.sheets;
        self.cost = self.cost / 2 + cost;
        self.worth = self.worth / 2 + tally.committed + tally.alone;
        self.rounds += 1;
        self.rounds == 1 || self.cost < self.worth
    }
}

impl Running {
    /// Works in rounds as far as the budget goes. No block is at work.
    pub(crate) fn run_ordered(&mut self, crew: Crew<'_>, memory: &mut Memory, budget: &mut u64) -> Turn {
        let Crew { program, pool, grain, output, points, habits, speculation, .. } = crew;
        let (Parallel::Ordered(ordered), Some(threads)) = (&mut self.parallel, pool.threads()) else {
            return Turn::Serial;
        };
        let jobs = pool.jobs() as u64;
        let mut has_room = None;
        loop {
            let left = self.total - self.begun;
            let each = (self.points / self.begun.max(1)).max(1);
            let (count, blocks) = ordered.plan(each, left, jobs, grain, *budget);
            // A frame of a block that has ended serves to name addresses.
            if count < 2 || self.witness.is_none() {
                return if *budget == 0 { Turn::Spent } else { Turn::Serial };
            }
            // That a page is wanting must come out at the store that wants it.
            if !*has_room.get_or_insert_with(|| memory.has_room_for_writes()) {
                self.parallel = Parallel::No;
                return Turn::Serial;
            }
            let base = Arc::new(std::mem::take(memory));
            let common = Common {
                program,
                base: &base,
                launch: &self.launch,
                args: &ordered.args,
                mixed: &ordered.mixed,
                sheets: SHEETS / count as usize,
                share: blocks.saturating_mul(8 * each).max(grain.chunk).min(*budget),
                jitter: grain.jitter,
                spares: &ordered.spares,
            };
            let piece = |i: u64| {
                let draft = lock(pool.drafts()).pop().unwrap_or_default();
                Piece::new(self.begun + i * blocks, (self.begun + (i + 1) * blocks).min(self.total), draft)
            };
            let mut pieces: Vec<Piece> = (0..count).map(piece).collect();
            threads.install(|| pieces.par_iter_mut().with_max_len(1).for_each(|piece| piece.run(&common)));

            let mut tally = Tally { ahead: pieces.iter().map(|p| p.points).sum(), ..Tally::default() };
            let mut handed = None;
            let (mut through, mut is_cut) = (0, false);
            // What this round has done with each allocation.
            let mut uses = vec![0; base.places()];
            while !is_cut && through < pieces.len() {
                let (earlier, rest) = pieces.split_at_mut(through);
                let piece = &mut rest[0];
                let meets = |piece: &Piece| earlier.iter().any(|e| piece.draft.meets(&e.draft));
                if piece.draft.is_spoilt() || piece.draft.reads_any(&uses) && meets(piece) {
                    let is_full = piece.draft.is_spoilt() && piece.draft.is_full();
                    ordered.smaller += u32::from(is_full && through == 0);
                    break;
                }
                piece.commit(&base);
                tally.committed += piece.points;
                speculation.committed += u64::from(through > 0);
                if matches!(piece.state, State::Waits) {
                    speculation.waited += 1;
                    ordered.is_single = true;
                    let before = piece.points;
                    piece.finish(&common, budget.saturating_sub(before));
                    tally.alone += piece.points - before;
                }
                piece.draft.note_uses(&mut uses);
                output.append(&mut piece.output);
                *points += piece.points;
                self.points += piece.points;
                *budget = budget.saturating_sub(piece.points);
                self.begun = piece.next;
                if let Some(block) = piece.block.take() {
                    (self.polled, self.standstill) = (0, Standstill::default());
                    self.active.push_back(block);
                    handed = Some(std::mem::replace(&mut piece.state, State::Done));
                }
                is_cut = piece.next < piece.end || handed.is_some();
                through += 1;
            }
            speculation.discarded += (pieces.len() - through) as u64;
            ordered.uses.resize(base.places(), 0);
            for piece in &pieces {
                tally.sheets += piece.draft.sheets() as u64;
                piece.draft.note_uses(&mut ordered.uses);
            }
            ordered.mixed = ordered.uses.iter().map(|u| u.count_ones() > 1).collect();
            for mut piece in pieces {
                piece.draft.end();
                lock(pool.drafts()).push(piece.draft);
            }
            // The drafts have let go of it.
            *memory = Arc::try_unwrap(base).unwrap_or_else(|base| (*base).clone());
            let is_over = self.begun == self.total;
            let goes_on = ordered.goes_on(&tally, count, jobs) || grain.insists;
            let next = match handed {
                Some(State::Stopped(stop)) => Some(Turn::Handed(stop)),
                Some(_) if *budget == 0 => Some(Turn::Spent),
                // What is too much for a draft has its turn block after block.
                Some(_) => Some(Turn::Serial),
                None => (through == 0 || is_over || !goes_on).then_some(Turn::Serial),
            };
            if is_over || !goes_on {
                habits.gained(self.launch.func, is_over);
                self.parallel = Parallel::No;
                return next.unwrap_or(Turn::Serial);
            }
            if let Some(next) = next {
                return next;
            }
        }
    }
}

impl Piece {
    fn new(next: u64, end: u64, draft: Draft) -> Piece {
        Piece { next, end, block: None, draft, log: Vec::new(), output: Vec::new(), points: 0, state: State::Working }
    }

    /// Runs the blocks ahead of their turn.
    fn run(&mut self, common: &Common<'_>) {
        self.draft.begin(common.base, common.mixed, common.sheets);
        let mut budget = common.share;
        self.state = loop {
            if self.block.is_none() && self.next == self.end {
                break State::Done;
            }
            let mut block = self.block.take().unwrap_or_else(|| self.begin(common));
            let mut ahead = Ahead { draft: &self.draft, log: &mut self.log, is_held: false };
            let stop = block.run(common.program, self.draft.memory(), None, Some(&mut ahead), &mut budget);
            let is_held = ahead.is_held;
            if let BlockStop::Done = stop {
                lock(&common.spares.blocks).push(block);
                continue;
            }
            let stop = self.serve(common.program, &mut block, stop);
            self.block = Some(block);
            match stop {
                None => {}
                Some(BlockStop::Budget) if is_held => break State::Waits,
                Some(BlockStop::Budget) => break State::Spent,
                Some(stop) => break State::Stopped(stop),
            }
        };
        self.points = common.share - budget;
    }

    fn begin(&mut self, common: &Common<'_>) -> Block {
        self.next += 1;
        if common.jitter != 0 {
            (0..mix(common.jitter ^ self.next) % 4096).for_each(|_| std::hint::spin_loop());
        }
        let spare = lock(&common.spares.blocks).pop();
        block_at(common.program, common.launch, common.args, 0, self.next - 1, spare)
    }

    /// Serves what a block may print; gives why it stopped if it has to stay so.
    fn serve(&mut self, program: &Program, block: &mut Block, stop: BlockStop) -> Option<BlockStop> {
        let BlockStop::Rt(warp, request) = stop else { return Some(stop) };
        if !is_print(request.rt) {
            return Some(BlockStop::Rt(warp, request));
        }
        let (state, memory) = (&mut block.prints[warp], self.draft.memory());
        let served =
            print::serve(program, &mut block.warps[warp], &request, state, memory, &block.shared, &mut self.output);
        match served {
            Served::Done => None,
            Served::Exit => {
                block.warps[warp].exit_current();
                None
            }
            Served::Error(..) | Served::Refused => Some(BlockStop::Rt(warp, request)),
        }
    }

    /// Does to memory what the piece has done, whose turn it is.
    fn commit(&mut self, base: &Memory) {
        // There is room for all pages.
        let _ = self.draft.apply();
        std::mem::take(&mut self.log).iter().for_each(|record| record.apply(base));
        self.draft.take_turn();
    }

    /// Goes on with the block that waited for its turn, which it is, to its end.
    fn finish(&mut self, common: &Common<'_>, budget: u64) {
        let Some(mut block) = self.block.take() else { return };
        let mut rest = budget;
        let stop = loop {
            let stop = block.run(common.program, self.draft.memory(), None, None, &mut rest);
            if let Some(stop) = self.serve(common.program, &mut block, stop) {
                break stop;
            }
        };
        let _ = self.draft.apply();
        self.points += budget - rest;
        self.state = match stop {
            BlockStop::Done => {
                lock(&common.spares.blocks).push(block);
                State::Done
            }
            stop => {
                self.block = Some(block);
                if let BlockStop::Budget = stop { State::Spent } else { State::Stopped(stop) }
            }
        };
    }
}

/// Whether a service has no effect but on what is printed and on the calling warp.
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

/// Takes the atomics of a piece, and stops its blocks where they are to wait.
#[derive(Debug)]
struct Ahead<'a> {
    draft: &'a Draft,
    log: &'a mut Vec<Record>,
    is_held: bool,
}

impl Atomics for Ahead<'_> {
    fn holds(&mut self) -> bool {
        self.is_held = true;
        true
    }

    fn takes(&self, _: Site) -> bool {
        true
    }

    fn take(&mut self, _: Site, op: AtomOp, ty: Ty, address: u64, a: u64, b: u64) {
        self.draft.pend(address, ty.bytes() as usize);
        self.log.push(Record::new(op, ty, address, a, b));
    }
}

//! Blocks of one launch on several threads, where it is known that they share nothing.
//!
//! A launch begins as every launch does: one thread runs block after block. When enough work has been done to tell how much
//! there is, and it is worth it, the launch is looked at (`sharing`). If no byte that a block writes is touched by another
//! block, but for atomics that can be put off (`reductions`), the remaining blocks are dealt out in chunks. Then memory in the
//! end is that of the definition, whatever the order in which threads come to them; what chunks print is put in their order.
//!
//! Where blocks may share something they are worked in order, and ahead of it where that can be taken back (`ordered`).
//!
//! What would end the launch in the middle (a fault, a barrier that never completes, blocks that poll for ever) has to leave
//! what it leaves when blocks run one after another. Where the analysis cannot rule that out, memory is kept as it was, and
//! if it happens, the parallel part counts as not done and is done again by one thread.
//!
//! While races are looked for, each chunk tells a detector of its own, provided that no race can be between blocks; what they
//! suspect comes together at the end. The second pass, which decides, is one thread's.
//!
//! How far the threads come in one call is bounded by the budget, which each thread has for itself and chunks get shares of; a
//! chunk that has used up its share stops in the middle of a block and is data like any other (invariant I8).

use crate::block::{Block, BlockStop};
use crate::checks::race::{Mode, RaceHooks};
use crate::footprint::{KnownLaunches, SiteSharing};
use crate::parallel::deferred::{Deferring, Partials, Record};
use crate::parallel::speculative::{Habits, Ordered, Speculation};
use crate::schedule::grid::{Running, Standstill, block_at, mix};
use crate::service::print::{self, Served};
use device::KernelLaunch;
use ir::analysis::footprint::Sharing;
use mem::{Draft, Memory, Region};
use race::Detector;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use vm::{Arg, Hooks, Program};

/// Whether several threads work on a launch.
#[derive(Clone, Debug)]
pub(crate) enum Parallel {
    /// It is too early to say.
    Undecided,
    /// One thread does.
    No,
    /// They do, on the blocks that have not begun.
    Yes(Box<Ahead>),
    /// They run ahead of the one that does.
    Ordered(Box<Ordered>),
}

/// What comes next when several threads have had their turn.
#[derive(Debug)]
pub(crate) enum Turn {
    /// Nothing: the budget is used up.
    Spent,
    /// One thread goes on.
    Serial,
    /// One thread goes on with the block that is at work, which has stopped for this reason.
    Handed(BlockStop),
}

/// From which sizes on several threads work. The result of a launch does not depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    /// Schedule points that a launch passes on one thread before it is looked at.
    pub prologue: u64,
    /// Schedule points of the remaining blocks, as far as one can tell, from which on several threads are worth it; a quarter
    /// of them where blocks may share something, since that is where accesses are irregular and a point takes its time.
    pub worth: u64,
    /// Schedule points that a chunk of blocks should have.
    pub chunk: u64,
    /// Not 0: threads wait before each block for a while that depends on this number, so that tests see other orders.
    pub jitter: u64,
    /// Whether blocks run ahead of their turn also where that gains nothing, so that tests see it.
    pub insists: bool,
}

impl Default for Grain {
    fn default() -> Grain {
        Grain { prologue: 20_000, worth: 150_000, chunk: 60_000, jitter: 0, insists: false }
    }
}

/// Chunks that are at work at one time, for each thread.
const DEPTH: usize = 24;

/// The threads of a device and of its clones, which begin with the first launch that is worth them.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    jobs: usize,
    threads: Arc<OnceLock<Option<rayon::ThreadPool>>>,
    /// Drafts of memory that nobody uses.
    drafts: Arc<Mutex<Vec<Draft>>>,
}

impl Pool {
    /// So many threads, none of which has begun.
    pub(crate) fn new(jobs: usize) -> Pool {
        Pool { jobs, threads: Arc::default(), drafts: Arc::default() }
    }

    /// Drafts of memory to be used again.
    pub(crate) fn drafts(&self) -> &Mutex<Vec<Draft>> {
        &self.drafts
    }

    /// How many there are.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs
    }

    /// The threads; `None` if the system gives none: then blocks run one after another, with the same result.
    pub(crate) fn threads(&self) -> Option<&rayon::ThreadPool> {
        let builder = || rayon::ThreadPoolBuilder::new().num_threads(self.jobs).thread_name(|i| format!("blocks-{i}"));
        self.threads.get_or_init(|| builder().build().ok()).as_ref()
    }
}

/// What the threads work with.
pub(crate) struct Crew<'a> {
    pub(crate) program: &'a Program,
    pub(crate) pool: &'a Pool,
    pub(crate) grain: Grain,
    pub(crate) known: &'a mut KnownLaunches,
    pub(crate) output: &'a mut Vec<u8>,
    pub(crate) points: &'a mut u64,
    pub(crate) habits: &'a mut Habits,
    pub(crate) speculation: &'a mut Speculation,
}

/// The part of a launch that several threads work on.
#[derive(Clone, Debug)]
pub(crate) struct Ahead {
    sharing: Arc<SiteSharing>,
    args: Arc<[Arg]>,
    /// Memory as it was when the part began, if it may have to be done again.
    before: Option<Memory>,
    /// Chunks that have begun, in order.
    chunks: VecDeque<Chunk>,
    /// The first block that no chunk has, as a number in the order of the launch.
    next: u64,
    /// How many blocks a chunk has.
    blocks: u64,
    /// What finished chunks have printed.
    output: Vec<u8>,
    points: u64,
    spares: Spares,
}

/// Blocks and tables that chunks use one after another.
#[derive(Debug, Default)]
struct Spares {
    blocks: Mutex<Vec<Block>>,
    partials: Mutex<Vec<Partials>>,
    detectors: Mutex<Vec<Detector>>,
}

impl Clone for Spares {
    fn clone(&self) -> Spares {
        Spares {
            blocks: Mutex::default(),
            partials: Mutex::new(lock(&self.partials).clone()),
            detectors: Mutex::new(lock(&self.detectors).clone()),
        }
    }
}

/// What a mutex guards.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Consecutive blocks that one thread runs.
#[derive(Clone, Debug)]
struct Chunk {
    /// The next block to begin.
    next: u64,
    end: u64,
    block: Option<Block>,
    output: Vec<u8>,
    log: Vec<Record>,
    standstill: Standstill,
    points: u64,
    state: State,
    /// What watches it.
    mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Working,
    Done,
    /// Something happened that ends the launch.
    Failed,
}

/// What all chunks have in common.
struct Common<'a> {
    program: &'a Program,
    memory: &'a Memory,
    launch: &'a KernelLaunch,
    seed: u64,
    args: &'a [Arg],
    sharing: &'a SiteSharing,
    spares: &'a Spares,
    jitter: u64,
    /// The detector of the launch, if races are looked for.
    detector: Option<&'a Detector>,
    /// What the search for races knows beforehand.
    proven: Option<&'a SiteSharing>,
}

impl Running {
    /// Lets the threads work, if they should. No block is at work.
    pub(crate) fn run_parallel(&mut self, crew: Crew<'_>, memory: &mut Memory, budget: &mut u64) -> Turn {
        let mut crew = crew;
        if matches!(self.parallel, Parallel::Undecided) && self.points >= crew.grain.prologue {
            self.parallel = self.decide(&mut crew, memory);
        }
        match self.parallel {
            Parallel::Yes(_) => self.run_apart(crew, memory, budget),
            Parallel::Ordered(_) => self.run_ordered(crew, memory, budget),
            Parallel::Undecided | Parallel::No => Turn::Serial,
        }
    }

    /// Lets the threads work on blocks that share nothing.
    fn run_apart(&mut self, crew: Crew<'_>, memory: &mut Memory, budget: &mut u64) -> Turn {
        let Parallel::Yes(ahead) = &mut self.parallel else { return Turn::Serial };
        let Crew { program, pool: Pool { jobs, .. }, grain, output, points, .. } = crew;
        let Some(threads) = crew.pool.threads() else {
            self.parallel = Parallel::No;
            return Turn::Serial;
        };
        loop {
            ahead.fill(self.total, DEPTH * jobs);
            if ahead.chunks.is_empty() {
                break;
            }
            if *budget == 0 {
                return Turn::Spent;
            }
            let detector = if let Mode::Detect(d) = &self.mode { Some(&**d) } else { None };
            let racing = (detector, self.sharing.as_deref());
            ahead.work(program, memory, &self.launch, (self.seed, grain.jitter), racing, threads, budget);
            if ahead.chunks.iter().any(|c| c.state == State::Failed) {
                // The blocks are run again by one thread, which comes to the same place in the order of the definition.
                if let Some(before) = ahead.before.take() {
                    *memory = before;
                }
                self.parallel = Parallel::No;
                memory.settle();
                // If pages were wanting, they will be again.
                let _ = memory.take_exhaustion();
                return Turn::Serial;
            }
            ahead.commit(memory);
        }
        for partials in std::mem::take(&mut *lock(&ahead.spares.partials)) {
            partials.apply(memory);
        }
        if let Mode::Detect(detector) = &mut self.mode {
            for fork in std::mem::take(&mut *lock(&ahead.spares.detectors)) {
                detector.absorb(fork);
            }
        }
        output.append(&mut ahead.output);
        *points += ahead.points;
        self.points += ahead.points;
        self.begun = self.total;
        let kept = ahead.before.take().is_some();
        self.parallel = Parallel::No;
        if kept {
            memory.settle();
        }
        Turn::Serial
    }

    /// Whether the blocks share nothing that one of them writes, so that none ever waits for another.
    pub(crate) fn blocks_are_apart(&mut self, program: &Program, known: &mut KnownLaunches, memory: &Memory) -> bool {
        if self.is_apart.is_none() {
            let sharing = known.of(program, memory, &self.launch);
            // What a block that runs already has read from memory may have changed since.
            self.is_apart = Some(sharing.worst() != Sharing::Unknown && !sharing.trusts_memory());
        }
        self.is_apart == Some(true)
    }

    fn decide(&self, crew: &mut Crew<'_>, memory: &Memory) -> Parallel {
        let (program, threads, grain) = (crew.program, crew.pool.jobs, crew.grain);
        let left = self.total - self.begun;
        let each = (self.points / self.begun.max(1)).max(1);
        // Blocks of a cooperative launch wait for each other.
        let is_cooperative = program.module().func(self.launch.func).cooperative;
        let work = each.saturating_mul(left);
        if matches!(self.mode, Mode::Decide(_)) || is_cooperative || left < 2 || work < grain.worth / 4 {
            return Parallel::No;
        }
        let sharing = crew.known.of(program, memory, &self.launch);
        let is_plain = matches!(self.mode, Mode::Plain);
        // Code that loads much runs at half its speed on a draft, so that two or three threads gain nothing.
        let is_slow_ahead = threads < 4;
        let mut is_tried = || grain.insists || !is_slow_ahead && crew.habits.tries(self.launch.func);
        if sharing.worst() == Sharing::Unknown && is_plain && is_tried() {
            return Parallel::Ordered(Box::new(Ordered::new(self.args())));
        }
        if work < grain.worth || sharing.worst() == Sharing::Unknown || !(is_plain || sharing.keeps_races_in_blocks()) {
            return Parallel::No;
        }
        let before = (!cannot_fail(&sharing, memory)).then(|| memory.clone());
        let blocks = (grain.chunk / each).clamp(1, (left / (8 * threads as u64)).max(1));
        Parallel::Yes(Box::new(Ahead {
            sharing,
            args: self.args().into(),
            before,
            chunks: VecDeque::new(),
            next: self.begun,
            blocks,
            output: Vec::new(),
            points: 0,
            spares: Spares::default(),
        }))
    }
}

/// Whether nothing can end the launch before its last block has ended.
fn cannot_fail(sharing: &SiteSharing, memory: &Memory) -> bool {
    let inside = |low: u64, high: u64| {
        Region::of(low).is_some_and(Region::is_device_accessible) && high >= low && memory.holds(low, high)
    };
    !sharing.may_stop()
        && sharing.extents().is_some_and(|all| all.iter().all(|e| e.is_aligned && inside(e.low, e.high)))
}

impl Ahead {
    /// Begins chunks up to `most`.
    fn fill(&mut self, total: u64, most: usize) {
        while self.next < total && self.chunks.len() < most {
            let end = (self.next + self.blocks).min(total);
            self.chunks.push_back(Chunk {
                next: self.next,
                end,
                block: None,
                output: Vec::new(),
                log: Vec::new(),
                standstill: Standstill::default(),
                points: 0,
                state: State::Working,
                mode: Mode::Plain,
            });
            self.next = end;
        }
    }

    /// Lets the threads work on the chunks until each is done or has used up its share of the budget.
    fn work(
        &mut self,
        program: &Program,
        memory: &Memory,
        launch: &KernelLaunch,
        (seed, jitter): (u64, u64),
        (detector, proven): (Option<&Detector>, Option<&SiteSharing>),
        pool: &rayon::ThreadPool,
        budget: &mut u64,
    ) {
        let (args, sharing, spares) = (&*self.args, &*self.sharing, &self.spares);
        let common = Common { program, memory, launch, seed, args, sharing, spares, jitter, detector, proven };
        let working = self.chunks.iter().filter(|c| c.state == State::Working).count() as u64;
        // A budget bounds how long a call takes, and threads work side by side.
        let threads = pool.current_num_threads() as u64;
        let share = (budget.saturating_mul(threads) / working.max(1)).max(1);
        let before: u64 = self.chunks.iter().map(|c| c.points).sum();
        let chunks = self.chunks.make_contiguous();
        pool.install(|| chunks.par_iter_mut().with_max_len(1).for_each(|chunk| chunk.run(&common, share)));
        let after: u64 = self.chunks.iter().map(|c| c.points).sum();
        *budget = budget.saturating_sub((after - before).div_ceil(threads));
    }

    /// Takes in the chunks that are done, as far as all before them are.
    fn commit(&mut self, memory: &Memory) {
        while self.chunks.front().is_some_and(|c| c.state == State::Done) {
            let Some(mut chunk) = self.chunks.pop_front() else { return };
            self.output.append(&mut chunk.output);
            self.points += chunk.points;
            chunk.log.iter().for_each(|record| record.apply(memory));
        }
    }
}

impl Chunk {
    fn run(&mut self, common: &Common<'_>, share: u64) {
        if self.state != State::Working {
            return;
        }
        let mut budget = share;
        let mut partials = lock(&common.spares.partials).pop().unwrap_or_default();
        if let (Mode::Plain, Some(detector)) = (&self.mode, common.detector) {
            let spare = lock(&common.spares.detectors).pop();
            self.mode = Mode::Detect(Box::new(spare.unwrap_or_else(|| detector.fork())));
        }
        while self.state == State::Working && budget > 0 {
            if self.block.is_none() && self.next == self.end {
                self.state = State::Done;
                break;
            }
            self.step(common, &mut partials, &mut budget);
        }
        self.points += share - budget;
        lock(&common.spares.partials).push(partials);
        if self.state == State::Done {
            if let Mode::Detect(detector) = std::mem::replace(&mut self.mode, Mode::Plain) {
                lock(&common.spares.detectors).push(*detector);
            }
            if let Some(block) = self.block.take() {
                lock(&common.spares.blocks).push(block);
            }
        }
    }

    /// Runs a block until it stops.
    fn step(&mut self, common: &Common<'_>, partials: &mut Partials, budget: &mut u64) {
        let Common { program, memory, launch, seed, args, sharing, .. } = *common;
        let mut block = match self.block.take() {
            Some(block) => block,
            None => {
                self.next += 1;
                if common.jitter != 0 {
                    (0..mix(common.jitter ^ self.next) % 4096).for_each(|_| std::hint::spin_loop());
                }
                let spare = lock(&common.spares.blocks).pop();
                let mut block = block_at(program, launch, args, seed, self.next - 1, spare);
                block.slot = self.mode.begin_block(block.linear);
                block
            }
        };
        let mut atomics = Deferring { sharing, partials, log: &mut self.log, last: None };
        let is_racing = matches!(self.mode, Mode::Detect(_));
        let mut racing = RaceHooks { slot: block.slot, mode: &mut self.mode, sharing: common.proven };
        let hooks = is_racing.then_some(&mut racing as &mut dyn Hooks<32>);
        let stop = block.run(program, memory, hooks, Some(&mut atomics), budget);
        match stop {
            BlockStop::Done => {
                self.standstill = Standstill::default();
                if let Some(slot) = block.slot.take() {
                    self.mode.end_block(slot);
                }
                lock(&common.spares.blocks).push(block);
                return;
            }
            BlockStop::Budget => {}
            BlockStop::Polling => {
                // With values that were read from memory the definition lets the block give way.
                if sharing.trusts_memory() {
                    self.state = State::Failed;
                } else if block.take_progress() {
                    self.standstill = Standstill::default();
                } else if self.standstill.round(|| block.state()) {
                    self.state = State::Failed;
                }
            }
            BlockStop::Rt(warp, request) => {
                let state = &mut block.prints[warp];
                let shared = &block.shared;
                match print::serve(program, &mut block.warps[warp], &request, state, memory, shared, &mut self.output) {
                    Served::Done => {}
                    Served::Exit => block.warps[warp].exit_current(),
                    Served::Error(..) | Served::Refused => self.state = State::Failed,
                }
            }
            BlockStop::Stopped | BlockStop::Fault(..) | BlockStop::AtGrid | BlockStop::Stuck => {
                self.state = State::Failed;
            }
        }
        self.block = Some(block);
    }
}

//! Blocks that share nothing, on several threads.
//!
//! The remaining blocks of a launch are dealt out in chunks of consecutive blocks. Since no byte that a block writes is
//! touched by another one, memory ends up the same in whatever order the threads come to the chunks. What chunks print is
//! kept and shown in block order.
//!
//! An event that ends the launch early (a fault, a barrier that never completes, blocks that poll for ever) has to leave
//! what it leaves when blocks run one after another. Where the analysis cannot rule out such an event, memory is kept as it
//! was; if the event happens, the parallel part is dropped and one thread runs it again.
//!
//! What the analysis says of gathers and scatters may be an assumption (`checks::guard`). If it fails, the parallel part is dropped too,
//! and the launch goes on without it.
//!
//! While the launch is checked for races, each chunk reports to a fork of the detector, and the forks are merged at the end.
//!
//! The budget bounds how far the threads come in one call. They take parts of it while they work; where nothing is left, a chunk stops in
//! the middle of a block and is plain data (invariant I8). So no more blocks are half done than there are threads.
#![allow(unsafe_code)] // Threads store to one memory; the footprint of the launch says that their stores do not meet.

use crate::block::{Block, BlockStop};
use crate::checks::{Checks, RaceHooks, RacePass, Watched};
use crate::footprint::SiteSharing;
use crate::parallel::deferred::{Deferring, Partials, Record};
use crate::parallel::pool::{BlockSource, Stack};
use crate::parallel::{LaunchMode, Next, Resources, SerialReason};
use crate::schedule::{BlockEvents, Grid, LivelockDetector};
use crate::service::Served;
use mem::{Memory, SharedMemory};
use race::Detector;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vm::{Arg, Hooks};

/// Chunks that are active at one time, for each thread.
const DEPTH: usize = 24;

/// The part of a launch that several threads work on.
#[derive(Clone, Debug)]
pub(crate) struct Independent {
    sharing: Arc<SiteSharing>,
    /// The guard of the part, if the launch has none of its own and needs one.
    guard: Option<Watched>,
    args: Arc<[Arg]>,
    /// Memory as it was when the part began, if the part may have to be run again.
    before: Option<Memory>,
    /// Chunks that have begun, in order.
    chunks: VecDeque<Chunk>,
    /// The schedule position of the first block that is in no chunk.
    next: u64,
    /// How many blocks a chunk has.
    blocks: u64,
    /// What finished chunks have printed.
    output: Vec<u8>,
    points: u64,
    /// Finished blocks that are free for reuse.
    spare: Stack<Block>,
    /// Partial results of atomics; each is used by one chunk after another.
    partials: Stack<Partials>,
    /// Forks of the race detector; each is used by one chunk after another.
    detectors: Stack<Detector>,
}

/// Consecutive blocks that one thread runs.
#[derive(Clone, Debug)]
struct Chunk {
    /// The next block to begin.
    next: u64,
    end: u64,
    block: Option<Block>,
    /// A block that has ended, for the next one.
    finished: Option<Block>,
    output: Vec<u8>,
    log: Vec<Record>,
    livelock: LivelockDetector,
    points: u64,
    state: State,
    race: RacePass,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Working,
    Done,
    /// Something happened that ends the launch.
    Failed,
}

/// The points that the threads may pass in one call, all together.
struct Allowance(AtomicU64);

/// The most points that a thread takes of them at a time.
const GRANT: u64 = 1 << 16;

impl Allowance {
    /// Takes a part; 0 if nothing is left.
    fn take(&self) -> u64 {
        let less = |left: u64| Some(left - left.min(GRANT));
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).map_or(0, |left| left.min(GRANT))
    }

    /// Gives back what was not used.
    fn give_back(&self, points: u64) {
        self.0.fetch_add(points, Ordering::Relaxed);
    }

    fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// What all chunks use.
struct Shared<'a> {
    source: BlockSource<'a>,
    memory: SharedMemory<'a>,
    sharing: &'a SiteSharing,
    partials: &'a Stack<Partials>,
    detectors: &'a Stack<Detector>,
    /// The race detector of the launch, if it is checked.
    detector: Option<&'a Detector>,
    watched: &'a Watched,
}

impl Independent {
    /// The blocks of the grid that have not begun, in chunks of `blocks`, under a guard if they need one of their own.
    pub(crate) fn new(
        sharing: Arc<SiteSharing>,
        guard: Option<Watched>,
        grid: &Grid,
        memory: &Memory,
        blocks: u64,
    ) -> Independent {
        let before = (guard.is_some() || !sharing.cannot_fail(memory)).then(|| memory.clone());
        Independent {
            sharing,
            guard,
            args: grid.args().clone(),
            before,
            chunks: VecDeque::new(),
            next: grid.begun,
            blocks,
            output: Vec::new(),
            points: 0,
            spare: Stack::default(),
            partials: Stack::default(),
            detectors: Stack::default(),
        }
    }

    /// Whether its own guard has failed.
    pub(crate) fn is_guard_broken(&self) -> bool {
        self.guard.as_ref().is_some_and(Watched::is_broken)
    }

    /// Works as far as the budget goes; breaks when the threads are done.
    pub(crate) fn run(
        &mut self,
        mut resources: Resources<'_>,
        grid: &mut Grid,
        checks: &mut Checks,
        memory: &mut Memory,
        budget: &mut u64,
    ) -> ControlFlow<(Next, LaunchMode), Next> {
        let serial = |reason| ControlFlow::Break((Next::Serial, LaunchMode::Serial(reason)));
        let Some(threads) = resources.pool.threads() else { return serial(SerialReason::NoThreads) };
        loop {
            self.fill(grid.total, DEPTH * resources.pool.jobs());
            if self.chunks.is_empty() {
                break;
            }
            if *budget == 0 {
                return ControlFlow::Continue(Next::Spent);
            }
            self.work(&resources, grid, checks, memory, threads, budget);
            if let (Some(guard), true) = (&self.guard, self.next == grid.total) {
                guard.conclude(memory);
            }
            if self.chunks.iter().any(|c| c.state == State::Failed) {
                checks.watched.spoil();
            }
            let is_broken = self.is_guard_broken();
            if is_broken {
                self.note_guard(&mut resources, grid, false);
            }
            if is_broken || checks.watched.is_broken() || self.chunks.iter().any(|c| c.state == State::Failed) {
                // One thread runs the blocks again and comes to the same event in the order of the definition.
                if let Some(before) = self.before.take() {
                    *memory = before;
                }
                memory.reclaim();
                // If memory had no room for a page, that will happen again.
                let _ = memory.take_exhaustion();
                return serial(SerialReason::Repeated);
            }
            self.commit(memory);
        }
        self.note_guard(&mut resources, grid, true);
        for partials in self.partials.take_all() {
            partials.apply(memory);
        }
        if let RacePass::Detect(detector) = &mut checks.race {
            for fork in self.detectors.take_all() {
                detector.absorb(fork);
            }
        }
        resources.output.append(&mut self.output);
        *resources.points += self.points;
        grid.points += self.points;
        grid.begun = grid.total;
        if let Some(guard) = &self.guard {
            guard.keep(memory);
        }
        if self.before.take().is_some() {
            memory.reclaim();
        }
        ControlFlow::Break((Next::Serial, LaunchMode::Independent))
    }

    /// Notes whether the own guard has held.
    fn note_guard(&self, resources: &mut Resources<'_>, grid: &Grid, has_held: bool) {
        if let Some(guard) = self.guard.as_ref().and_then(Watched::guard) {
            resources.guards.note(grid.launch.func, guard, has_held);
        }
    }

    /// Begins chunks up to `most`.
    fn fill(&mut self, total: u64, most: usize) {
        while self.next < total && self.chunks.len() < most {
            let end = (self.next + self.blocks).min(total);
            self.chunks.push_back(Chunk {
                next: self.next,
                end,
                block: None,
                finished: None,
                output: Vec::new(),
                log: Vec::new(),
                livelock: LivelockDetector::default(),
                points: 0,
                state: State::Working,
                race: RacePass::Off,
            });
            self.next = end;
        }
    }

    /// Lets the threads work on the chunks until all are done or the budget is used up.
    fn work(
        &mut self,
        resources: &Resources<'_>,
        grid: &Grid,
        checks: &Checks,
        memory: &mut Memory,
        pool: &rayon::ThreadPool,
        budget: &mut u64,
    ) {
        // SAFETY: `parallel::decide` found by the footprint of the launch that no byte which one block stores to is accessed by
        // another block, except by atomics whose result is unused; those are deferred (`Deferring`). Each block runs on one
        // thread at a time. Of accesses that a guard looks at, that holds until the guard has failed. Then what threads have stored to
        // one place may be either, as with stores of machine code; nobody trusts it, for memory goes back to what it was.
        let memory = unsafe { memory.share() };
        let shared = Shared {
            source: BlockSource {
                program: resources.program,
                launch: &grid.launch,
                args: &self.args,
                seed: grid.seed,
                jitter: resources.grain.jitter,
                spare: &self.spare,
            },
            memory,
            sharing: &self.sharing,
            partials: &self.partials,
            detectors: &self.detectors,
            detector: if let RacePass::Detect(d) = &checks.race { Some(&**d) } else { None },
            watched: self.guard.as_ref().unwrap_or(&checks.watched),
        };
        // A budget bounds how long a call takes, and threads work side by side. Where races may be told of, a call comes as far as on
        // one thread, since what was found up to then may be shown.
        let threads = if checks.watched.counts() { 1 } else { pool.current_num_threads() as u64 };
        let allowance = Allowance(AtomicU64::new(budget.saturating_mul(threads)));
        let before: u64 = self.chunks.iter().map(|c| c.points).sum();
        let chunks = self.chunks.make_contiguous();
        // A chunk may have found nothing left just before another one gave back what it had not used: how many points pass in a call
        // must not depend on that.
        while !allowance.is_spent() && chunks.iter().any(|c| c.state == State::Working) {
            pool.install(|| chunks.par_iter_mut().with_max_len(1).for_each(|chunk| chunk.run(&shared, &allowance)));
            if shared.watched.is_broken() || chunks.iter().any(|c| c.state == State::Failed) {
                break;
            }
        }
        let after: u64 = self.chunks.iter().map(|c| c.points).sum();
        *budget = budget.saturating_sub((after - before).div_ceil(threads));
    }

    /// Commits the chunks that are done, up to the first that is not.
    fn commit(&mut self, memory: &mut Memory) {
        while self.chunks.front().is_some_and(|c| c.state == State::Done) {
            let Some(mut chunk) = self.chunks.pop_front() else { return };
            self.output.append(&mut chunk.output);
            self.points += chunk.points;
            for record in &chunk.log {
                record.apply(memory);
            }
        }
    }
}

impl Chunk {
    fn run(&mut self, shared: &Shared<'_>, allowance: &Allowance) {
        if self.state != State::Working || allowance.is_spent() {
            return;
        }
        let mut partials = shared.partials.pop().unwrap_or_default();
        if let (RacePass::Off, Some(detector)) = (&self.race, shared.detector) {
            let fork = shared.detectors.pop().unwrap_or_else(|| detector.fork());
            self.race = RacePass::Detect(Box::new(fork));
        }
        while self.state == State::Working {
            if self.block.is_none() && self.next == self.end {
                self.state = State::Done;
                break;
            }
            let granted = if shared.watched.is_broken() { 0 } else { allowance.take() };
            if granted == 0 {
                break;
            }
            let mut left = granted;
            while left > 0 && self.state == State::Working && (self.block.is_some() || self.next < self.end) {
                self.step(shared, &mut partials, &mut left);
            }
            self.points += granted - left;
            allowance.give_back(left);
        }
        shared.partials.push(partials);
        if self.state == State::Done {
            if let RacePass::Detect(detector) = std::mem::replace(&mut self.race, RacePass::Off) {
                shared.detectors.push(*detector);
            }
            if let Some(block) = self.finished.take() {
                shared.source.recycle(block);
            }
        }
    }

    /// Runs a block until it stops.
    fn step(&mut self, shared: &Shared<'_>, partials: &mut Partials, budget: &mut u64) {
        let Shared { source, memory, sharing, .. } = *shared;
        let (program, memory) = (source.program, memory.view());
        let is_checked = matches!(self.race, RacePass::Detect(_)) || shared.watched.is_guarded();
        let mut block = match self.block.take() {
            Some(block) => block,
            None => {
                let mut block = source.make(self.next, true, self.finished.take());
                self.race.on_begin(&mut block);
                // A guard that does not count what blocks do need not know which one it is.
                let is_nameless = matches!(self.race, RacePass::Off) && !shared.watched.counts();
                if is_nameless && source.is_natural() {
                    block.lead(self.end - self.next - 1);
                }
                self.next += 1;
                block
            }
        };
        let mut atomics = Deferring { sharing, partials, log: &mut self.log, last: None };
        let mut racing = RaceHooks::new(&block, &mut self.race, shared.watched, None);
        let hooks = is_checked.then_some(&mut racing as &mut dyn Hooks<32>);
        let first = block.linear;
        let stop = block.run(program, memory, hooks, Some(&mut atomics), budget);
        drop(racing);
        // Others may have followed in its place.
        self.next += block.linear - first;
        match stop {
            BlockStop::Done => {
                self.livelock = LivelockDetector::default();
                self.race.on_end(&mut block);
                self.finished = Some(block);
                return;
            }
            BlockStop::Budget => {}
            BlockStop::Polling => {
                shared.watched.spoil();
                // If the analysis relies on values in memory, the definition lets the block give way.
                if sharing.trusts_memory() {
                    self.state = State::Failed;
                } else if block.take_progress() {
                    self.livelock = LivelockDetector::default();
                } else if self.livelock.polled(block.state()) {
                    self.state = State::Failed;
                }
            }
            BlockStop::Rt(warp, request) => {
                let mut racing = RaceHooks::new(&block, &mut self.race, shared.watched, None);
                let hooks = is_checked.then_some(&mut racing as &mut dyn Hooks<32>);
                if block.serve(program, warp, &request, &memory, &mut self.output, hooks) != Served::Done {
                    self.state = State::Failed;
                }
            }
            BlockStop::Stopped
            | BlockStop::Launch(..)
            | BlockStop::Fault(..)
            | BlockStop::Meeting
            | BlockStop::Stuck => {
                self.state = State::Failed;
            }
        }
        self.block = Some(block);
    }
}

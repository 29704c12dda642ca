//! Launches from device code: which are made, which have begun, which are waited for.
//!
//! A grid that device code launches is part of the launch from the host. In the natural order it begins and ends before the launching
//! thread goes on; under a seed it may begin later: when its block waits for it, when the launching grid has nothing else to do, or when
//! that has ended. Either way grids of one launching grid begin in the order in which they were launched, and each runs to its end before
//! the next begins. CUDA promises more to nobody: a grid may begin as late as that, and only those of one stream of one block, and
//! `cudaDeviceSynchronize` in the block, wait for it.
//!
//! A grid that only polls is set aside: the grid that has launched it goes on, and it when that waits, launches again, polls or has ended.
//! If neither makes progress any more by turns, both are stuck, as far as the grid outside of them does not help.
//!
//! Events need not be waited for, since grids begin in the order of their launches; they say what a grid comes after.
//!
//! Source: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Execution Environment" and "Programming Interface".
//!
//! Not here: how a launch is made from what lanes ask for (`emulator::nested`), what the race detector knows of it (`race::nested`).

use crate::checks::NestedClocks;
use crate::parallel::{LaunchMode, Parallel};
use crate::report::Grids;
use crate::schedule::{Grid, LivelockDetector, mix};
use device::{CudaError, KernelLaunch};
use finding::{Finding, Launcher};
use race::{EndedGrids, Knowledge, Thread};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use vm::{RtRequest, Site};

/// Launches from device code that may be in each other.
pub(crate) const MOST_DEPTH: usize = 24;

/// A launch that device code has made.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) launch: KernelLaunch,
    pub(crate) by: Arc<Launcher>,
    /// The number of the launching block.
    pub(crate) block: u64,
    /// The launching thread in it.
    pub(crate) tid: u32,
    /// What the launching thread had done and knew.
    pub(crate) known: Knowledge,
    /// What was asked of streams since the launch before it.
    pub(crate) before: Vec<EventStep>,
}

/// What a thread has asked of a stream of its block and an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventStep {
    block: u64,
    stream: u64,
    event: u64,
    /// Whether the stream waits for the event, or it is recorded in the stream.
    waits: bool,
}

/// What the present grid has launched and waits for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Here {
    waiting: VecDeque<Made>,
    /// What was asked of streams since the last launch.
    steps: Vec<EventStep>,
    /// How many of them must begin before the grid goes on.
    due: usize,
    /// What lanes of the running block asked for that is served when nothing is due: the warp and the request.
    asked: Option<(usize, RtRequest)>,
    /// The grid that was launched last and begun, if it polls.
    polling: Option<Box<Aside>>,
    /// Whether that goes on before the grid does.
    is_turned: bool,
    /// Whether the two make progress by turns.
    livelock: LivelockDetector,
    /// Where threads wait for the one that polls.
    waits_at: BTreeSet<Site>,
}

/// A grid that runs, and how.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub(crate) grid: Grid,
    pub(crate) parallel: Parallel,
    pub(crate) mode: LaunchMode,
    pub(crate) clocks: Option<NestedClocks>,
}

/// A grid that has begun and does not run: it waits for one that it has launched, or polls.
#[derive(Clone, Debug)]
pub(crate) struct Aside {
    pub(crate) running: Running,
    pub(crate) here: Here,
    /// The launch that it waits for, or its own if it polls.
    pub(crate) made: Made,
}

/// The launches from device code of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Nested {
    /// The grids, for naming.
    pub(crate) grids: Grids,
    here: Here,
    /// From the one that the host has launched inwards.
    outer: Vec<Aside>,
    /// Streams that device code has made, with the number of the block whose they are.
    streams: BTreeMap<u64, u64>,
    streams_made: u64,
    /// Events that device code has made, with the number of the block whose they are.
    events: BTreeMap<u64, u64>,
    /// What came before an event of a block was recorded.
    recorded: BTreeMap<(u64, u64), Knowledge>,
    events_made: u64,
    /// What the grids of a stream of a block have done.
    tails: BTreeMap<(u64, u64), Knowledge>,
    /// The grids that threads of a block have launched and that have ended.
    ended: BTreeMap<u64, EndedGrids>,
    /// The last error of a thread: the number of its block, and its own.
    errors: BTreeMap<(u64, u32), CudaError>,
    /// Launches that could not begin, by place.
    faults: BTreeMap<Site, Finding>,
    /// How many launches were made.
    made: u64,
}

/// The first stream that device code makes; those of the host have smaller numbers.
const FIRST_STREAM: u64 = 1 << 40;

impl Nested {
    /// Those of a launch with this grid that has not begun.
    pub(crate) fn new(grid: &Grid) -> Nested {
        Nested {
            grids: Grids::new(grid),
            here: Here::default(),
            outer: Vec::new(),
            streams: BTreeMap::new(),
            streams_made: 0,
            events: BTreeMap::new(),
            recorded: BTreeMap::new(),
            events_made: 0,
            tails: BTreeMap::new(),
            ended: BTreeMap::new(),
            errors: BTreeMap::new(),
            faults: BTreeMap::new(),
            made: 0,
        }
    }

    /// The grids that have begun and do not run: those that poll, then those that wait for one that they have launched, the innermost first.
    pub(crate) fn aside(&self) -> impl Iterator<Item = &Grid> {
        self.polling().chain(self.outer.iter().rev().map(|outer| &outer.running.grid))
    }

    /// The same, to change them.
    pub(crate) fn aside_mut(&mut self) -> impl Iterator<Item = &mut Grid> {
        let mut next = self.here.polling.as_deref_mut();
        let polling = std::iter::from_fn(move || {
            let Aside { running, here, .. } = next.take()?;
            next = here.polling.as_deref_mut();
            Some(&mut running.grid)
        });
        polling.chain(self.outer.iter_mut().rev().map(|outer| &mut outer.running.grid))
    }

    /// The grids inside the present one that poll, each launched by the one before.
    pub(crate) fn polling(&self) -> impl Iterator<Item = &Grid> {
        let first = self.here.polling.as_deref();
        std::iter::successors(first, |aside| aside.here.polling.as_deref()).map(|aside| &aside.running.grid)
    }

    /// Whether threads of the present grid, or of those inside it that poll, wait at a place for a grid that polls.
    pub(crate) fn waits_at(&self, site: Site) -> bool {
        let inner = std::iter::successors(self.here.polling.as_deref(), |aside| aside.here.polling.as_deref());
        std::iter::once(&self.here).chain(inner.map(|aside| &aside.here)).any(|here| here.waits_at.contains(&site))
    }

    /// How many launches from device code the present grid is in.
    pub(crate) fn depth(&self) -> usize {
        self.outer.len()
    }

    /// The index of the next launch, from 1.
    pub(crate) fn next_index(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    /// How many launches were made.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    /// A launch is made; it may wait.
    pub(crate) fn push(&mut self, mut made: Made) {
        made.before = std::mem::take(&mut self.here.steps);
        self.here.waiting.push_back(made);
    }

    /// All launches that wait must begin before the present grid goes on, and the one that polls gets its turn. False if there are none.
    pub(crate) fn make_all_due(&mut self) -> bool {
        self.here.due = self.here.waiting.len();
        self.here.is_turned = self.here.polling.is_some();
        self.here.due > 0 || self.here.is_turned
    }

    /// The grid that polls, if it is its turn.
    pub(crate) fn take_turned(&mut self) -> Option<Aside> {
        let polling = self.here.polling.take_if(|_| self.here.is_turned)?;
        self.here.is_turned = false;
        Some(*polling)
    }

    /// The next launch that must begin, and what came before it.
    pub(crate) fn next_due(&mut self) -> Option<(Made, NestedClocks)> {
        self.here.due = self.here.due.checked_sub(1)?;
        let made = self.here.waiting.pop_front()?;
        for &EventStep { block, stream, event, waits } in &made.before {
            if !waits {
                let before = self.tails.get(&(block, stream)).cloned().unwrap_or_default();
                self.recorded.insert((block, event), before);
            } else if let Some(before) = self.recorded.get(&(block, event)) {
                self.tails.entry((block, stream)).or_default().join(before);
            }
        }
        let mut known = made.known.clone();
        if let Some(tail) = self.tails.get(&(made.block, made.launch.stream)) {
            known.join(tail);
        }
        Some((made, NestedClocks { known, ended: Knowledge::default() }))
    }

    /// Lanes of the running block ask for something that is to be served when nothing is due.
    pub(crate) fn ask(&mut self, warp: usize, request: RtRequest) {
        self.here.asked = Some((warp, request));
    }

    /// What lanes have asked for that can be served.
    pub(crate) fn take_asked(&mut self) -> Option<(usize, RtRequest)> {
        self.here.asked.take_if(|_| self.here.due == 0)
    }

    /// The grid `outer`, which was the present one, waits for one that it has launched and that begins.
    pub(crate) fn enter(&mut self, outer: Running, made: Made) {
        let here = std::mem::take(&mut self.here);
        self.outer.push(Aside { running: outer, here, made });
    }

    /// The same for one that has polled and goes on.
    pub(crate) fn enter_again(&mut self, outer: Running, inner: Here, made: Made) {
        let here = std::mem::replace(&mut self.here, inner);
        self.outer.push(Aside { running: outer, here, made });
    }

    /// The grid that has launched the present one, which has ended; `ended` is what that did.
    pub(crate) fn leave(&mut self, ended: &Knowledge) -> Option<Running> {
        let Aside { running, here, made } = self.outer.pop()?;
        self.here = here;
        let (block, stream) = (made.block, made.launch.stream);
        let is_alive = running.grid.active.iter().any(|active| active.number == block);
        if is_alive {
            let thread = Thread { block: block as u32, tid: made.tid as u16 };
            self.ended.entry(block).or_default().add(thread, &made.known, ended);
        }
        if is_alive || self.here.waiting.iter().any(|made| made.block == block) {
            self.tails.entry((block, stream)).or_default().join(ended);
        } else {
            self.forget_tails(block);
        }
        Some(running)
    }

    /// Takes out the grid that has launched the present one, which only polls, to run instead of it; also the rest of what that is.
    pub(crate) fn take_outer(&mut self) -> Option<(Running, Here, Made)> {
        let Aside { mut running, here, made } = self.outer.pop()?;
        let inner = std::mem::replace(&mut self.here, here);
        self.here.due = 0;
        self.here.is_turned = false;
        if let Some((warp, request)) = self.here.asked.take()
            && let Some(block) = running.grid.active.front_mut()
        {
            block.warps[warp].ask_again();
            self.here.waits_at.insert(request.site);
        }
        Some((running, inner, made))
    }

    /// Keeps a grid that polls, while the present one, which has launched it, runs. Says whether the two have made progress by turns.
    pub(crate) fn set_aside(&mut self, present: &mut Grid, mut polling: Aside) -> bool {
        let mut has_progress = present.take_progress();
        has_progress |= polling.running.grid.take_progress();
        if has_progress {
            self.here.livelock = LivelockDetector::default();
        } else {
            let state = mix(present.state() ^ polling.running.grid.state());
            has_progress = !self.here.livelock.polled(state);
        }
        self.here.polling = Some(Box::new(polling));
        has_progress
    }

    /// The grid that the host has launched, if the present one is another; what waits for grids is forgotten.
    pub(crate) fn unwind(&mut self) -> Option<Grid> {
        let outer = std::mem::take(&mut self.outer);
        outer.into_iter().next().map(|outer| outer.running.grid)
    }

    /// The grids that threads of a block have launched and that have ended.
    pub(crate) fn ended(&mut self, block: u64) -> Option<&mut EndedGrids> {
        self.ended.get_mut(&block)
    }

    fn forget_tails(&mut self, block: u64) {
        let streams: Vec<_> = self.tails.range((block, 0)..=(block, u64::MAX)).map(|(at, _)| *at).collect();
        for stream in streams {
            self.tails.remove(&stream);
        }
        self.recorded.retain(|(owner, _), _| *owner != block);
    }

    /// A block has ended: nobody asks for what only its threads can ask.
    pub(crate) fn end_block(&mut self, block: u64) {
        if self.made == 0 && self.streams_made == 0 && self.events_made == 0 && self.errors.is_empty() {
            return;
        }
        self.streams.retain(|_, owner| *owner != block);
        self.events.retain(|_, owner| *owner != block);
        let threads: Vec<_> = self.errors.range((block, 0)..=(block, u32::MAX)).map(|(at, _)| *at).collect();
        for thread in threads {
            self.errors.remove(&thread);
        }
        self.ended.remove(&block);
        let mut launched = self.here.waiting.iter().chain(self.here.polling.iter().map(|aside| &aside.made));
        if launched.all(|made| made.block != block) {
            self.forget_tails(block);
        }
    }

    /// Makes a stream of a block.
    pub(crate) fn make_stream(&mut self, block: u64) -> u64 {
        let stream = FIRST_STREAM + self.streams_made;
        self.streams_made += 1;
        self.streams.insert(stream, block);
        stream
    }

    /// Gives a stream of a block back; false if the block has none of that number.
    pub(crate) fn drop_stream(&mut self, block: u64, stream: u64) -> bool {
        self.has_stream(block, stream) && self.streams.remove(&stream).is_some()
    }

    /// Makes an event of a block.
    pub(crate) fn make_event(&mut self, block: u64) -> u64 {
        let event = FIRST_STREAM + self.events_made;
        self.events_made += 1;
        self.events.insert(event, block);
        event
    }

    /// Gives an event of a block back; false if the block has none of that number.
    pub(crate) fn drop_event(&mut self, block: u64, event: u64) -> bool {
        self.has_event(block, event) && self.events.remove(&event).is_some()
    }

    fn has_event(&self, block: u64, event: u64) -> bool {
        self.events.get(&event) == Some(&block)
    }

    /// Records an event of a block in a stream of it; false if it has not both.
    pub(crate) fn record(&mut self, block: u64, event: u64, stream: u64) -> bool {
        self.step(EventStep { block, stream, event, waits: false })
    }

    /// What is launched in a stream of a block from now on comes after what an event of it comes after; false if it has not both.
    pub(crate) fn wait_for_event(&mut self, block: u64, stream: u64, event: u64) -> bool {
        self.step(EventStep { block, stream, event, waits: true })
    }

    fn step(&mut self, step: EventStep) -> bool {
        let is_own = self.has_stream(step.block, step.stream) && self.has_event(step.block, step.event);
        if is_own {
            self.here.steps.push(step);
        }
        is_own
    }

    /// Whether threads of a block may launch in a stream.
    pub(crate) fn has_stream(&self, block: u64, stream: u64) -> bool {
        stream == 0 || self.streams.get(&stream) == Some(&block)
    }

    /// A launch or a call of a thread fails. `finding` says why, if the place has not said so yet.
    pub(crate) fn fail(&mut self, thread: (u64, u32), error: CudaError, site: Site, finding: impl FnOnce() -> Finding) {
        self.note(thread, error);
        self.faults.entry(site).and_modify(|found| found.count += 1).or_insert_with(finding);
    }

    /// A call of a thread fails, which the program may have meant.
    pub(crate) fn note(&mut self, thread: (u64, u32), error: CudaError) {
        self.errors.insert(thread, error);
    }

    /// The last error of a thread, which it may forget.
    pub(crate) fn error(&mut self, thread: (u64, u32), forgets: bool) -> Option<CudaError> {
        if forgets { self.errors.remove(&thread) } else { self.errors.get(&thread).copied() }
    }

    /// The findings of launches that could not begin.
    pub(crate) fn take_faults(&mut self) -> impl Iterator<Item = Finding> + use<> {
        std::mem::take(&mut self.faults).into_values()
    }
}

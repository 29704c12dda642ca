//! Launches from device code: which are made, which have begun, which are waited for.
//!
//! A grid that device code launches is part of the launch from the host. In the natural order it begins and ends before the launching
//! thread goes on; under a seed it may begin later: when its block waits for it, when the launching grid has nothing else to do, or when
//! that has ended. Either way grids of one launching grid begin in the order in which they were launched, and each runs to its end before
//! the next begins. CUDA promises more to nobody: a grid may begin as late as that, and only those of one stream of one block, and
//! `cudaDeviceSynchronize` in the block, wait for it.
//!
//! Source: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Execution Environment" and "Programming Interface".
//!
//! Not here: how a launch is made from what lanes ask for (`emulator::nested`), what the race detector knows of it (`race::nested`).

use crate::checks::NestedClocks;
use crate::parallel::{LaunchMode, Parallel};
use crate::report::Grids;
use crate::schedule::Grid;
use device::{CudaError, KernelLaunch};
use finding::{Finding, Launcher};
use race::Knowledge;
use std::collections::{BTreeMap, VecDeque};
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
    /// What the launching thread had done and knew.
    pub(crate) known: Knowledge,
}

/// What the present grid has launched and waits for.
#[derive(Clone, Debug, Default)]
struct Here {
    waiting: VecDeque<Made>,
    /// How many of them must begin before the grid goes on.
    due: usize,
    /// What lanes of the running block asked for that is served when nothing is due: the warp and the request.
    asked: Option<(usize, RtRequest)>,
}

/// A grid that waits for one that it has launched.
#[derive(Clone, Debug)]
pub(crate) struct Outer {
    pub(crate) grid: Grid,
    pub(crate) parallel: Parallel,
    pub(crate) mode: LaunchMode,
    pub(crate) clocks: Option<NestedClocks>,
    here: Here,
    /// The launch that it waits for.
    made: Made,
}

/// The launches from device code of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Nested {
    /// The grids, for naming.
    pub(crate) grids: Grids,
    here: Here,
    /// From the one that the host has launched inwards.
    outer: Vec<Outer>,
    /// Streams that device code has made, with the number of the block whose they are.
    streams: BTreeMap<u64, u64>,
    streams_made: u64,
    /// What the grids of a stream of a block have done.
    tails: BTreeMap<(u64, u64), Knowledge>,
    /// What the grids that a block has launched have done.
    ended: BTreeMap<u64, Knowledge>,
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
            tails: BTreeMap::new(),
            ended: BTreeMap::new(),
            errors: BTreeMap::new(),
            faults: BTreeMap::new(),
            made: 0,
        }
    }

    /// The grids that wait for one that they have launched, the innermost first.
    pub(crate) fn outer(&self) -> impl Iterator<Item = &Grid> {
        self.outer.iter().rev().map(|outer| &outer.grid)
    }

    /// The same, to change them.
    pub(crate) fn outer_mut(&mut self) -> impl Iterator<Item = &mut Grid> {
        self.outer.iter_mut().rev().map(|outer| &mut outer.grid)
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
    pub(crate) fn push(&mut self, made: Made) {
        self.here.waiting.push_back(made);
    }

    /// All launches that wait must begin before the present grid goes on. False if there are none.
    pub(crate) fn make_all_due(&mut self) -> bool {
        self.here.due = self.here.waiting.len();
        self.here.due > 0
    }

    /// The next launch that must begin, and what came before it.
    pub(crate) fn next_due(&mut self) -> Option<(Made, NestedClocks)> {
        self.here.due = self.here.due.checked_sub(1)?;
        let made = self.here.waiting.pop_front()?;
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

    /// The present grid waits for one that it has launched.
    pub(crate) fn enter(
        &mut self,
        (grid, parallel, mode): (Grid, Parallel, LaunchMode),
        clocks: Option<NestedClocks>,
        made: Made,
    ) {
        let here = std::mem::take(&mut self.here);
        self.outer.push(Outer { grid, parallel, mode, clocks, here, made });
    }

    /// The grid that has launched the present one, which has ended; `ended` is what that did.
    pub(crate) fn leave(&mut self, ended: &Knowledge) -> Option<Outer> {
        let mut outer = self.outer.pop()?;
        self.here = std::mem::take(&mut outer.here);
        let Made { block, launch, .. } = &outer.made;
        self.tails.entry((*block, launch.stream)).or_default().join(ended);
        self.ended.entry(*block).or_default().join(ended);
        Some(outer)
    }

    /// The grid that the host has launched, if the present one is another; what waits for grids is forgotten.
    pub(crate) fn unwind(&mut self) -> Option<Grid> {
        let outer = std::mem::take(&mut self.outer);
        outer.into_iter().next().map(|outer| outer.grid)
    }

    /// What the grids that a block has launched have done.
    pub(crate) fn ended(&self, block: u64) -> Option<&Knowledge> {
        self.ended.get(&block)
    }

    /// A block has ended: nobody asks for what only its threads can ask.
    pub(crate) fn end_block(&mut self, block: u64) {
        if self.made == 0 && self.streams_made == 0 {
            return;
        }
        self.streams.retain(|_, owner| *owner != block);
        let threads: Vec<_> = self.errors.range((block, 0)..=(block, u32::MAX)).map(|(at, _)| *at).collect();
        for thread in threads {
            self.errors.remove(&thread);
        }
        if self.here.waiting.iter().all(|made| made.block != block) {
            self.ended.remove(&block);
            let streams: Vec<_> = self.tails.range((block, 0)..=(block, u64::MAX)).map(|(at, _)| *at).collect();
            for stream in streams {
                self.tails.remove(&stream);
            }
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

    /// Whether threads of a block may launch in a stream.
    pub(crate) fn has_stream(&self, block: u64, stream: u64) -> bool {
        stream == 0 || self.streams.get(&stream) == Some(&block)
    }

    /// A launch or a call of a thread fails. `finding` says why, if the place has not said so yet.
    pub(crate) fn fail(&mut self, thread: (u64, u32), error: CudaError, site: Site, finding: impl FnOnce() -> Finding) {
        self.errors.insert(thread, error);
        self.faults.entry(site).and_modify(|found| found.count += 1).or_insert_with(finding);
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

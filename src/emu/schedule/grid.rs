//! The grid of a launch: which blocks have begun, and which one runs next.
//!
//! In the natural order, seed 0, a block gives way only when it waits or polls. Any other seed changes the order of the
//! blocks, of the warps of a block, of the lanes of a warp in an atomic and of the splits of a diverged warp, and preempts
//! warps and blocks after time slices of random length. All of this depends on the seed and the launch alone, so a run can
//! be repeated.
//!
//! A block whose threads all wait at a barrier of the grid is skipped until every block waits there. A block that only polls
//! gives way to the others, unless the blocks are known to share nothing: then they run one after another. If every block
//! has polled, none has written anything and all are in a state that they were in before, they poll for ever.

use crate::block::{Block, Others};
use crate::schedule::LivelockDetector;
use crate::schedule::directed::Directed;
use crate::schedule::seed::{block_of_position, mix, position_of_block, shuffle_warps};
use device::KernelLaunch;
use finding::Launcher;
use race::CtaSlot;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use vm::{Arg, Frame, Geometry, Program};

/// What a check has to know of the schedule.
pub(crate) trait BlockEvents {
    /// The block is about to begin.
    fn on_begin(&mut self, block: &mut Block);
    /// All threads of the block have exited.
    fn on_end(&mut self, block: &mut Block);
    /// The blocks of a cluster that have not ended, with those places in the race detector, have met at a barrier of it.
    fn on_cluster_sync(&mut self, blocks: &[u64], slots: &[CtaSlot]);
    /// All blocks have met at a barrier of the grid.
    fn on_grid_sync(&mut self);
}

/// The blocks of a launch that has begun.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The launch.
    pub launch: KernelLaunch,
    /// Who launched it, if that was device code.
    pub(crate) by: Option<Arc<Launcher>>,
    /// The number of its first block among all blocks of the launch from the host.
    pub(crate) first: u64,
    /// Its arguments as the executor takes them.
    args: Arc<[Arg]>,
    /// How many blocks the grid has.
    pub total: u64,
    /// How many have begun.
    pub begun: u64,
    /// Blocks that have begun and not ended; the first is running.
    pub active: VecDeque<Block>,
    /// Order of blocks and warps; 0 is the natural one.
    pub(crate) seed: u64,
    /// The seed of the launch from the host, by which a user repeats the run.
    pub(crate) replay: u64,
    /// Where the order departs from that, if others say so.
    pub(crate) directed: Option<Directed>,
    /// Places in the order of the blocks that have begun before their turn; the others that have begun are the first ones.
    ahead: BTreeSet<u64>,
    /// Schedule points that the launch has passed.
    pub(crate) points: u64,
    /// The outermost frame of the first warp that ended, for naming addresses.
    pub(crate) witness: Option<Frame<32>>,
    /// Whether the blocks share nothing that one of them writes, once that is known.
    pub(crate) is_independent: Option<bool>,
    /// Blocks that have ended and can be reused.
    spare: Vec<Block>,
    /// How many blocks in a row have only polled.
    polled: u64,
    livelock: LivelockDetector,
    /// Whether there was progress since somebody has asked.
    has_progress: bool,
    /// Time slices that the seed has given.
    slices: u64,
    /// Schedule points left of the present time slice.
    left: u64,
}

impl Grid {
    pub(crate) fn new(launch: KernelLaunch, seed: u64) -> Grid {
        let total = launch.grid.iter().map(|&g| u64::from(g)).product();
        let arg = |a: &device::Arg| match a {
            device::Arg::Bits(bits) => Arg::Bits(*bits),
            device::Arg::Bytes(bytes, _) => Arg::Bytes(bytes.clone()),
        };
        let args = launch.args.iter().map(arg).collect();
        Grid {
            launch,
            by: None,
            first: 0,
            args,
            total,
            begun: 0,
            active: VecDeque::new(),
            seed,
            replay: seed,
            directed: None,
            ahead: BTreeSet::new(),
            points: 0,
            witness: None,
            is_independent: None,
            spare: Vec::new(),
            polled: 0,
            livelock: LivelockDetector::default(),
            has_progress: false,
            slices: 0,
            left: 0,
        }
    }

    /// The grid before its first block.
    pub(crate) fn restart(self) -> Grid {
        let directed = self.directed.map(Directed::restart);
        Grid { spare: self.spare, directed, ..Grid::new(self.launch, self.seed) }
    }

    /// The arguments as the executor takes them.
    pub(crate) fn args(&self) -> &Arc<[Arg]> {
        &self.args
    }

    /// Whether the block of that linear index has begun; it may have ended.
    pub fn has_begun(&self, linear: u64) -> bool {
        let position = position_of_block(self.seed, self.total, linear);
        position < self.begun - self.ahead.len() as u64 || self.ahead.contains(&position)
    }

    /// Begins the next block in schedule order; a lazy one is run at once without hooks.
    pub(crate) fn begin_block(&mut self, program: &Program, events: &mut impl BlockEvents, is_lazy: bool) {
        let next = |grid: &Grid| grid.begun - grid.ahead.len() as u64;
        // Those that have begun before their turn are no longer ahead when it would be their turn.
        while self.ahead.remove(&next(self)) {}
        let position = next(self);
        self.begin_at(position, program, events, is_lazy);
    }

    /// Lets those behind the block that has just begun begin in its place when it ends, if nobody wants to know of it.
    pub(crate) fn lead(&mut self) {
        let is_natural = self.seed == 0 && self.directed.is_none() && self.ahead.is_empty();
        if let Some(block) = self.active.back_mut().filter(|_| is_natural) {
            block.lead(self.total - self.begun);
        }
    }

    /// Begins the block of that place in the order, and the others of its cluster if they work together.
    fn begin_at(&mut self, position: u64, program: &Program, events: &mut impl BlockEvents, is_lazy: bool) {
        let unites = program.unites_cluster(self.launch.func);
        let is_lazy = is_lazy && self.directed.is_none() && !unites;
        let first = self.active.len();
        self.begin_alone(position, program, events, is_lazy);
        let Some(geometry) = self.active.get(first).map(|block| block.geometry).filter(|_| unites) else { return };
        for member in (0..geometry.cluster_blocks()).map(|rank| geometry.cluster_member(rank)) {
            if !self.has_begun(member) {
                let position = position_of_block(self.seed, self.total, member);
                self.ahead.insert(position);
                self.begin_alone(position, program, events, false);
            }
        }
    }

    fn begin_alone(&mut self, position: u64, program: &Program, events: &mut impl BlockEvents, is_lazy: bool) {
        let spare = self.spare.pop();
        let mut block = make_block(program, &self.launch, &self.args, (self.seed, position), spare, is_lazy);
        if let Some(directed) = &self.directed {
            directed.begin(&mut block);
        }
        block.number += self.first;
        self.begun += 1;
        self.has_progress = true;
        events.on_begin(&mut block);
        self.active.push_back(block);
    }

    /// Lets those go on that the order names here.
    pub(crate) fn redirect(&mut self, program: &Program, events: &mut impl BlockEvents) {
        let points = self.points;
        while let Some((switch, is_made)) = self.directed.as_mut().and_then(|directed| directed.due(points)) {
            self.release();
            if !self.has_begun(switch.block) && switch.block < self.total {
                self.ahead.insert(switch.block);
                self.begin_at(switch.block, program, events, false);
            }
            let Some(at) = self.active.iter().position(|block| block.linear == switch.block) else { continue };
            let block = &mut self.active[at];
            if !block.choose(switch.warp, switch.lane) {
                continue;
            }
            if is_made && let Some(warp) = block.warps.get_mut(switch.warp as usize) {
                warp.order_lanes(&switch.lanes);
                warp.hold(switch.hold > 0);
            }
            self.active.rotate_left(at);
            self.note_progress();
            if !is_made {
                return;
            }
            if let Some(directed) = &mut self.directed {
                directed.took(&switch);
            }
        }
        if self.directed.as_ref().is_some_and(|directed| directed.has_held(points)) {
            self.release();
        }
    }

    /// The lanes that come first in the next atomic of a warp, if the order has said so of late: block, warp, lanes.
    pub(crate) fn take_first_lanes(&mut self) -> Option<(u64, u32, Vec<u8>)> {
        self.directed.as_mut().and_then(Directed::take_first_lanes)
    }

    /// Nobody goes on any more although it polls.
    fn release(&mut self) {
        let Some((block, warp)) = self.directed.as_mut().and_then(Directed::release) else { return };
        let held = self.active.iter_mut().find(|active| active.linear == block);
        if let Some(warp) = held.and_then(|block| block.warps.get_mut(warp as usize)) {
            warp.hold(false);
        }
    }

    /// Begins the next block and puts it before the others.
    fn begin_first(&mut self, program: &Program, events: &mut impl BlockEvents) {
        self.begin_block(program, events, false);
        self.active.rotate_right(1);
    }

    /// Ends the running block.
    pub(crate) fn end_block(&mut self, program: &Program, events: &mut impl BlockEvents) {
        let Some(mut block) = self.active.pop_front() else { return };
        events.on_end(&mut block);
        if program.unites_cluster(self.launch.func) {
            // The others may have waited for it alone.
            self.meet_cluster(program, events, &block.geometry);
        }
        if self.witness.is_none() {
            self.witness = block.warps.first().and_then(|w| w.frame(0)).cloned();
        }
        self.note_progress();
        if self.spare.len() < MAX_SPARE {
            self.spare.push(block);
        }
    }

    /// Takes in a block that has begun elsewhere.
    pub(crate) fn adopt(&mut self, block: Block) {
        self.note_progress();
        self.active.push_back(block);
    }

    /// Whether a block has begun, ended or written anything since the last call.
    pub(crate) fn take_progress(&mut self) -> bool {
        let mut has_written = false;
        for block in &mut self.active {
            has_written |= block.take_progress();
        }
        if has_written {
            self.note_progress();
        }
        std::mem::take(&mut self.has_progress)
    }

    /// A hash of all that decides how the blocks go on, but for memory.
    pub(crate) fn state(&self) -> u64 {
        self.active.iter().fold(0, |h, b| mix(h ^ b.state()))
    }

    fn note_progress(&mut self) {
        self.has_progress = true;
        self.polled = 0;
        self.livelock = LivelockDetector::default();
    }

    /// Schedule points until the seed preempts the running warp. The natural order never does.
    pub(crate) fn time_slice(&mut self) -> u64 {
        if let Some(directed) = &self.directed {
            return directed.points_left(self.points);
        }
        if self.seed == 0 {
            return u64::MAX;
        }
        if self.left == 0 {
            self.slices += 1;
            let random = mix(self.seed ^ mix(self.slices));
            // Short slices separate accesses that are close, long ones reach far.
            self.left = 1 + (random >> 8) % (1 << (random % SLICE_BITS));
        }
        self.left
    }

    /// Counts schedule points of the present time slice; says whether it is over.
    pub(crate) fn spend(&mut self, points: u64) -> bool {
        if let Some(directed) = &self.directed {
            return directed.points_left(self.points) == 0;
        }
        if self.seed != 0 {
            self.left = self.left.saturating_sub(points);
        }
        self.seed != 0 && self.left == 0
    }

    /// Preempts the running warp: another warp of its block goes on, or another block.
    pub(crate) fn preempt(&mut self, program: &Program, events: &mut impl BlockEvents) {
        if self.directed.is_some() {
            return;
        }
        if let Some(block) = self.active.front_mut() {
            block.cut_short();
        }
        match mix(self.seed ^ mix(!self.slices)) % 4 {
            0 if self.begun < self.total && self.active.len() < MAX_INTERLEAVED => self.begin_first(program, events),
            1 => self.active.rotate_left(1),
            _ => {}
        }
    }

    /// The blocks of a cluster, which has this one, that have not ended go on if all of them wait for each other; says whether they do.
    fn meet_cluster(&mut self, program: &Program, events: &mut impl BlockEvents, geometry: &Geometry) -> bool {
        let cluster = geometry.cluster_member(0);
        let is_member = |block: &&mut Block| block.geometry.cluster_member(0) == cluster;
        let members: Vec<&mut Block> = self.active.iter_mut().filter(is_member).collect();
        if members.is_empty() || members.iter().any(|block| block.waits_for != Some(Others::Cluster)) {
            return false;
        }
        let blocks: Vec<u64> = members.iter().map(|block| block.linear).collect();
        let slots: Vec<CtaSlot> = members.iter().filter_map(|block| block.slot).collect();
        members.into_iter().for_each(|block| block.leave_meeting(program));
        events.on_cluster_sync(&blocks, &slots);
        self.note_progress();
        true
    }

    /// The first block waits for others: lets another block run that does not wait, or that has not begun. When all blocks have
    /// arrived they go on.
    pub(crate) fn meet(&mut self, program: &Program, events: &mut impl BlockEvents) -> Meeting {
        let Some((geometry, others)) = self.active.front().map(|block| (block.geometry, block.waits_for)) else {
            return Meeting::Waiting;
        };
        let (seed, total) = (self.seed, self.total);
        let position = |b: &Block| position_of_block(seed, total, b.linear);
        if others == Some(Others::Cluster) {
            let cluster = geometry.cluster_member(0);
            let is_member = |block: &Block| block.geometry.cluster_member(0) == cluster;
            if self.meet_cluster(program, events, &geometry) {
                let members = self.active.iter().enumerate().filter(|(_, b)| is_member(b));
                let first = members.min_by_key(|(_, b)| position(b)).map_or(0, |(i, _)| i);
                self.active.rotate_left(first);
                return Meeting::Waiting;
            }
            if let Some(next) = self.active.iter().position(|b| b.waits_for.is_none() && is_member(b)) {
                self.active.rotate_left(next);
                return Meeting::Waiting;
            }
        } else if self.begun < self.total {
            self.begin_first(program, events);
            return Meeting::Waiting;
        }
        if let Some(next) = self.active.iter().position(|b| b.waits_for.is_none()) {
            self.active.rotate_left(next);
            return Meeting::Waiting;
        }
        if self.begun < self.total {
            self.begin_first(program, events);
            return Meeting::Waiting;
        }
        let first = self.active.iter().enumerate().min_by_key(|(_, b)| position(b)).map_or(0, |(i, _)| i);
        self.active.rotate_left(first);
        if self.active.iter().any(|b| b.waits_for == Some(Others::Cluster)) {
            return Meeting::Crossed;
        }
        if (self.active.len() as u64) < self.total {
            return Meeting::Never;
        }
        self.active.iter_mut().for_each(|b| b.leave_meeting(program));
        events.on_grid_sync();
        self.note_progress();
        Meeting::Complete
    }

    /// Gives the first block the shared memory of the others of its cluster while it runs, if they have met: else they may not have
    /// begun.
    pub(crate) fn lend(&mut self) {
        let Some(mut block) = self.active.pop_front() else { return };
        block.lent.clear();
        block.lent.resize(block.geometry.cluster_blocks() as usize, None);
        let (cluster, has_met) = (block.geometry.cluster_member(0), block.has_met);
        let is_member = |other: &&mut Block| other.geometry.cluster_member(0) == cluster;
        for other in self.active.iter_mut().filter(|other| has_met && is_member(other)) {
            block.lent[other.geometry.cluster_rank() as usize] = Some(std::mem::take(&mut other.shared));
        }
        self.active.push_front(block);
    }

    /// Takes back what [`lend`](Grid::lend) has given.
    pub(crate) fn take_back(&mut self) {
        let Some(mut block) = self.active.pop_front() else { return };
        let cluster = block.geometry.cluster_member(0);
        for other in self.active.iter_mut().filter(|other| other.geometry.cluster_member(0) == cluster) {
            if let Some(shared) = block.lent[other.geometry.cluster_rank() as usize].take() {
                other.shared = shared;
            }
        }
        self.active.push_front(block);
    }

    /// Lets the next block run after one that only polls. Says whether any block can still change anything.
    pub(crate) fn rotate(&mut self, program: &Program, events: &mut impl BlockEvents) -> bool {
        if self.active.front_mut().is_some_and(Block::take_progress) {
            self.note_progress();
        } else {
            self.polled += 1;
        }
        if self.begun < self.total && (self.active.len() as u64) < MAX_ACTIVE && self.is_independent != Some(true) {
            // A block that polls may wait for one that has not begun.
            self.begin_first(program, events);
            self.polled = 0;
            return true;
        }
        self.active.rotate_left(1);
        let next = self.active.iter().position(|b| b.waits_for.is_none()).unwrap_or(0);
        self.active.rotate_left(next);
        if self.polled < self.active.iter().filter(|b| b.waits_for.is_none()).count() as u64 {
            return true;
        }
        self.polled = 0;
        let state = self.state();
        !self.livelock.polled(state)
    }
}

/// How far the blocks have come to a barrier of several blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meeting {
    /// Another block goes on.
    Waiting,
    /// All blocks of the grid have arrived.
    Complete,
    /// Some blocks have ended without coming to the barrier of the grid.
    Never,
    /// Some blocks wait for the grid, others for blocks of their cluster that do.
    Crossed,
}

/// Makes the block that a launch runs at `position`; reuses a finished block if there is one.
pub(crate) fn make_block(
    program: &Program,
    launch: &KernelLaunch,
    args: &Arc<[Arg]>,
    (seed, position): (u64, u64),
    spare: Option<Block>,
    is_lazy: bool,
) -> Block {
    let total = launch.grid.iter().map(|&g| u64::from(g)).product();
    let linear = block_of_position(seed, total, position);
    let [gx, gy, _] = launch.grid.map(u64::from);
    let cta = [linear % gx, linear / gx % gy, linear / (gx * gy)].map(|c| c as u32);
    let geometry = Geometry {
        grid: launch.grid,
        block: launch.block,
        cta,
        static_shared: program.shared_bytes(launch.func),
        cluster: program.module().func(launch.func).cluster.unwrap_or([1; 3]),
    };
    let bytes = program.dynamic_shared_offset(launch.func) + launch.dynamic_shared;
    let mut block = spare.unwrap_or_else(|| Block::new(launch.func, args, geometry, bytes as usize));
    block.begin(program, linear, geometry, is_lazy && seed == 0);
    shuffle_warps(seed, linear, &mut block.order);
    if seed != 0 {
        for warp in &mut block.warps {
            warp.set_seed(mix(seed ^ mix(linear << 5 | u64::from(warp.number()))) | 1);
        }
    }
    block
}

/// Blocks that may be active at one time; a device holds about as many.
const MAX_ACTIVE: u64 = 132 * 32;

/// Finished blocks that are kept for reuse.
const MAX_SPARE: usize = 4;

/// The time slices of a seed are shorter than two to the power of this many schedule points.
const SLICE_BITS: u64 = 13;

/// Blocks that a seed interleaves at one time.
const MAX_INTERLEAVED: usize = 4;

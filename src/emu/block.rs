//! One thread block at work: its warps, its shared memory, its barrier.

use crate::service::{self, Pipelines, PrintState, Served};
use ir::FuncId;
use ir::op::BarOp;
use ir::rt::Rt;
use mem::{MemoryView, ReadBytes};
use race::CtaSlot;
use source::Span;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use vm::{
    Arg, Atomics, Context, Fault, Geometry, Hooks, LaunchRequest, Program, RtRequest, Site, SplitView, State, Stop,
    Warp, WindowTable,
};

/// A thread block that has begun.
#[derive(Clone, Debug)]
pub struct Block {
    /// Linear index in the grid, from 0.
    pub linear: u64,
    /// Number among all blocks of the launch, those of the grids that device code launches too: a race detector knows them by it.
    pub(crate) number: u64,
    /// Where it is.
    pub geometry: Geometry,
    /// Its warps.
    pub warps: Vec<Warp<32>>,
    /// Order in which warps get their turn.
    pub order: Vec<u32>,
    /// Its shared memory.
    pub shared: Vec<u8>,
    /// Its place in the race detector.
    pub slot: Option<CtaSlot>,
    /// The next warp's place in `order`.
    pub turn: usize,
    /// The other blocks that it waits for, if it does.
    pub waits_for: Option<Others>,
    /// Whether it has met the others of its cluster or of the grid.
    pub(crate) has_met: bool,
    /// Shared memory of the other blocks of its cluster by rank, while it runs.
    pub(crate) lent: Vec<Option<Vec<u8>>>,
    /// Whether a warp had to give way in this round.
    cut: bool,
    /// Where compiled code found memory.
    windows: WindowTable,
    /// How many blocks behind it in the first dimension of the grid may begin in its place when it has ended, if it is lazy.
    pub(crate) followers: u32,
    /// The kernel and its arguments.
    kernel: (FuncId, Arc<[Arg]>),
    /// Whether its warps are made when they get their turn.
    is_lazy: bool,
    /// Copies begun, by warp.
    pub(crate) pipelines: Vec<Pipelines>,
    /// Print statements begun, by warp.
    pub(crate) prints: Vec<PrintState>,
    /// Barriers that it completed although threads had exited, one for each place.
    short: Vec<ShortBarrier>,
    /// How many of these have been told.
    told: usize,
    /// Statements that its warps have begun unobserved, of code that keeps them, and that nobody has been told of.
    pub(crate) statements: u64,
    /// Which of its lanes have gone on, in a row, if that is wanted.
    pub(crate) stretches: Option<Vec<Stretch>>,
}

/// Blocks that wait for each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Others {
    /// Those of its cluster.
    Cluster,
    /// All of the grid.
    Grid,
}

/// What lanes of a warp have done without others of their block in between.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stretch {
    /// They have gone on.
    Run {
        /// The warp.
        warp: u32,
        /// The lanes.
        mask: u32,
        /// The points of the warp before.
        from: u64,
        /// The points that they have passed.
        points: u64,
    },
    /// The threads of the block have met.
    Barrier,
}

/// A barrier that the threads of a block that were left completed without those that had exited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortBarrier {
    /// Where they waited.
    pub(crate) site: Site,
    /// The first of them.
    pub(crate) first: u32,
    /// How many waited.
    pub(crate) waiting: u32,
    /// How many had exited.
    pub(crate) exited: u32,
}

/// Why a block stopped.
#[derive(Debug)]
pub(crate) enum BlockStop {
    /// All its threads have exited.
    Done,
    /// Those that can run only poll.
    Polling,
    /// The budget is used up.
    Budget,
    /// The observer asked to stop.
    Stopped,
    /// A warp asks for a service.
    Rt(usize, RtRequest),
    /// Lanes of a warp launch kernels.
    Launch(usize, Vec<LaunchRequest>),
    /// A warp did something it must not do.
    Fault(usize, Fault),
    /// All its threads wait at a barrier of several blocks ([`Block::waits_for`]).
    Meeting,
    /// No thread can go on.
    Stuck,
}

/// What the warps of a block run with.
struct Running<'a> {
    memory: MemoryView<'a>,
    /// Takes atomics without a result.
    atomics: Option<&'a mut (dyn Atomics + 'a)>,
    /// Schedule points that are left.
    budget: &'a mut u64,
}

/// Hooks for a shorter time.
fn reborrowed<'s>(hooks: &'s mut Option<&mut dyn Hooks<32>>) -> Option<&'s mut dyn Hooks<32>> {
    hooks.as_deref_mut().map(|hooks| hooks as &mut dyn Hooks<32>)
}

/// Where a block is among those of its cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClusterPlace {
    pub(crate) geometry: Geometry,
    /// The number of the first block of its grid.
    first: u64,
}

impl ClusterPlace {
    /// The number of the block of that rank among all blocks of the launch.
    pub(crate) fn member(&self, rank: u32) -> u64 {
        self.first + self.geometry.cluster_member(rank)
    }
}

impl Block {
    /// A block of a kernel that has not begun.
    pub(crate) fn new(func: FuncId, args: &Arc<[Arg]>, geometry: Geometry, shared: usize) -> Block {
        Block {
            linear: 0,
            number: 0,
            geometry,
            warps: Vec::new(),
            order: Vec::new(),
            shared: vec![0; shared],
            slot: None,
            turn: 0,
            waits_for: None,
            has_met: false,
            lent: Vec::new(),
            cut: false,
            windows: WindowTable::default(),
            followers: 0,
            kernel: (func, args.clone()),
            is_lazy: false,
            pipelines: Vec::new(),
            prints: Vec::new(),
            short: Vec::new(),
            told: 0,
            statements: 0,
            stretches: None,
        }
    }

    /// Makes a new or finished block ready to run as the block of that index. A lazy one must be run at once, by hooks that see no
    /// warp before it runs and no values, in the natural order: then warps that wait for no other take turns in the registers of one.
    pub(crate) fn begin(&mut self, program: &Program, linear: u64, geometry: Geometry, is_lazy: bool) {
        self.linear = linear;
        self.number = linear;
        self.geometry = geometry;
        self.slot = None;
        self.followers = 0;
        self.turn = 0;
        self.waits_for = None;
        self.has_met = false;
        self.cut = false;
        self.short.clear();
        self.told = 0;
        self.stretches = None;
        if !self.shared.is_empty() {
            // Filling nothing is slow where nothing is allocated: a masked store of no bytes is trapped.
            self.shared.fill(0);
        }
        let count = self.count();
        self.warps.truncate(count as usize);
        self.is_lazy = is_lazy && program.meets_nobody(self.kernel.0);
        let first = if self.is_lazy { 1 } else { count };
        (0..first).for_each(|number| self.begin_warp(program, number));
        self.order.clear();
        self.order.extend(0..count);
        self.pipelines.clear();
        self.prints.clear();
        self.prints.resize_with(count as usize, PrintState::default);
    }

    /// Lets blocks behind it in the order of the launch, at most so many, begin in its place when it ends, if it is lazy: those of its row
    /// of the grid.
    pub(crate) fn lead(&mut self, most: u64) {
        let Geometry { cta, grid, .. } = self.geometry;
        if self.is_lazy {
            self.followers = most.min(u64::from(grid[0] - cta[0] - 1)) as u32;
        }
    }

    /// Its place in a launch whose blocks work together with those of their cluster.
    pub(crate) fn place_in_cluster(&self, program: &Program) -> Option<ClusterPlace> {
        program.unites_cluster(self.kernel.0).then(|| self.cluster_place())
    }

    /// Its place in its cluster.
    pub(crate) fn cluster_place(&self) -> ClusterPlace {
        ClusterPlace { geometry: self.geometry, first: self.number - self.linear }
    }

    /// How many warps it has.
    fn count(&self) -> u32 {
        self.geometry.threads().div_ceil(32)
    }

    /// Makes a warp as it is before its first operation, in its place or in the next that is free.
    fn begin_warp(&mut self, program: &Program, number: u32) {
        let mask = self.geometry.lanes(number);
        let (func, args) = (self.kernel.0, &self.kernel.1[..]);
        match self.warps.get_mut(number as usize) {
            Some(warp) => warp.reset(program, number, mask, func, args),
            None => self.warps.push(Warp::new(program, number, mask, func, args)),
        }
    }

    /// Runs the warps of a lazy block one after another in the registers of the first, and those of its followers, until all have
    /// ended or one stops otherwise: that one, and why. Then it is the block of that warp, and each is in its place.
    fn run_lazily(
        &mut self,
        program: &Program,
        with: &mut Running<'_>,
        hooks: &mut Option<&mut dyn Hooks<32>>,
    ) -> Option<(usize, Stop)> {
        self.is_lazy = false;
        let (count, mut number) = (self.count(), 0);
        if !self.shared.is_empty() {
            self.followers = 0;
        }
        loop {
            if number == count {
                if self.followers == 0 {
                    return None;
                }
                self.followers -= 1;
                let mut geometry = self.geometry;
                geometry.cta[0] += 1;
                self.is_now_at(geometry);
                number = 0;
                self.begin_in_first(program, number);
            }
            let watching = reborrowed(hooks);
            // The arguments are borrowed: blocks of other threads have them too, and counting who does would make threads wait.
            let reached = self.with_warps(with, |warps, args, ctx| warps[0].run_in_turn(program, args, ctx, watching));
            number = reached.unwrap_or(number);
            if number == count {
                continue;
            }
            let watching = reborrowed(hooks);
            let stop = self.with_warp(0, with, |warp, ctx| warp.run(program, ctx, watching));
            if !matches!(stop, Stop::Done) {
                self.part_warps(program, number);
                return Some((number as usize, stop));
            }
            number += 1;
            if number < count {
                self.begin_in_first(program, number);
            }
        }
    }

    /// Makes a warp as it is before its first operation, in the place of the first.
    fn begin_in_first(&mut self, program: &Program, number: u32) {
        let mask = self.geometry.lanes(number);
        self.warps[0].reset(program, number, mask, self.kernel.0, &self.kernel.1);
    }

    /// Puts each warp in its place, where the one of that number runs in the place of the first, and those before it have ended.
    fn part_warps(&mut self, program: &Program, number: u32) {
        let count = self.count();
        (self.warps.len() as u32..=number).for_each(|other| self.begin_warp(program, other));
        self.warps.swap(0, number as usize);
        (0..count).filter(|&other| other != number).for_each(|other| self.begin_warp(program, other));
        self.warps[..number as usize].iter_mut().for_each(|ended| ended.retire(u32::MAX));
        (self.turn, self.followers) = (number as usize, 0);
    }

    /// It is the block at that place now, which is in the first dimension behind that where it was.
    fn is_now_at(&mut self, geometry: Geometry) {
        let steps = u64::from(geometry.cta[0] - self.geometry.cta[0]);
        (self.linear, self.number) = (self.linear + steps, self.number + steps);
        self.geometry = geometry;
    }

    /// Lets a warp do something that counts schedule points.
    fn with_warp<R>(
        &mut self,
        number: usize,
        with: &mut Running<'_>,
        run: impl FnOnce(&mut Warp<32>, &mut Context<'_>) -> R,
    ) -> R {
        self.with_warps(with, |warps, _, ctx| run(&mut warps[number], ctx))
    }

    /// Lets its warps do something that counts schedule points, given the arguments of the kernel.
    fn with_warps<R>(
        &mut self,
        with: &mut Running<'_>,
        run: impl FnOnce(&mut [Warp<32>], &[Arg], &mut Context<'_>) -> R,
    ) -> R {
        let mut ctx = Context {
            memory: with.memory,
            shared: &mut self.shared,
            cluster: &mut self.lent,
            windows: &mut self.windows,
            geometry: self.geometry,
            blocks: self.followers,
            budget: *with.budget,
            statements: 0,
            atomics: with.atomics.as_deref_mut().map(|a| a as &mut dyn Atomics),
            services: None,
        };
        let result = run(&mut self.warps, &self.kernel.1, &mut ctx);
        *with.budget = ctx.budget;
        let (geometry, followers, statements) = (ctx.geometry, ctx.blocks, ctx.statements);
        self.statements += statements;
        self.followers = followers;
        self.is_now_at(geometry);
        result
    }

    /// Runs warps in turn until the block stops; barriers of the block complete on the way. The hooks are told of each;
    /// `atomics` takes those without a result.
    pub(crate) fn run<'a>(
        &mut self,
        program: &Program,
        memory: MemoryView<'a>,
        mut hooks: Option<&mut dyn Hooks<32>>,
        atomics: Option<&'a mut (dyn Atomics + 'a)>,
        budget: &'a mut u64,
    ) -> BlockStop {
        let mut with = Running { memory, atomics, budget };
        let mut stopped = None;
        if self.is_lazy {
            match self.run_lazily(program, &mut with, &mut hooks) {
                None => return BlockStop::Done,
                stop => stopped = stop,
            }
        }
        loop {
            if self.turn == 0 && stopped.is_none() {
                let order = std::mem::take(&mut self.order);
                let watching = reborrowed(&mut hooks);
                self.turn =
                    self.with_warps(&mut with, |warps, _, ctx| vm::run_together(program, warps, &order, ctx, watching));
                self.order = order;
            }
            while self.turn < self.order.len() {
                let (number, stop) = stopped.take().unwrap_or_else(|| {
                    let number = self.order[self.turn] as usize;
                    let watching = reborrowed(&mut hooks);
                    let stop = self.with_warp(number, &mut with, |warp, ctx| warp.run(program, ctx, watching));
                    self.note_stretches(number);
                    (number, stop)
                });
                match stop {
                    Stop::Done | Stop::Waiting | Stop::Polling => self.turn += 1,
                    Stop::Budget => return BlockStop::Budget,
                    Stop::Statement => return BlockStop::Stopped,
                    Stop::Rt(request) => return BlockStop::Rt(number, request),
                    Stop::Fault(fault) => return BlockStop::Fault(number, fault),
                    Stop::Launch(requests) => return BlockStop::Launch(number, requests),
                }
            }
            self.turn = 0;
            if self.warps.iter().all(Warp::is_done) {
                return BlockStop::Done;
            }
            if self.warps.iter().any(Warp::is_polling) {
                if std::mem::take(&mut self.cut) {
                    continue;
                }
                self.warps.iter_mut().for_each(Warp::wake_pollers);
                return BlockStop::Polling;
            }
            match self.meeting() {
                None => return BlockStop::Stuck,
                Some((op @ (BarOp::Cluster | BarOp::Grid), _)) => {
                    self.waits_for = Some(if op == BarOp::Grid { Others::Grid } else { Others::Cluster });
                    return BlockStop::Meeting;
                }
                Some((_, result)) => {
                    self.note_exited();
                    self.warps.iter_mut().for_each(|w| w.release_barrier(program, result));
                }
            }
            if let Some(stretches) = &mut self.stretches {
                stretches.push(Stretch::Barrier);
            }
            if let Some(hooks) = &mut hooks {
                hooks.on_barrier();
            }
        }
    }

    /// Notes which lanes of a warp that has run have gone on.
    fn note_stretches(&mut self, number: usize) {
        let Some(stretches) = &mut self.stretches else { return };
        let warp = &mut self.warps[number];
        let (picks, end) = (warp.take_picks(), warp.points());
        let ends = picks.iter().skip(1).map(|&(from, _)| from).chain([end]);
        let runs = picks.iter().zip(ends).map(|(&(from, mask), end)| Stretch::Run {
            warp: warp.number(),
            mask,
            from,
            points: end.saturating_sub(from),
        });
        stretches.extend(runs);
    }

    /// From now on others say which of its warps and lanes go on; a warp that passes so many points without progress polls.
    pub(crate) fn direct(&mut self, quantum: u32, is_traced: bool) {
        self.warps.iter_mut().for_each(|warp| warp.direct(quantum, is_traced));
        self.stretches = is_traced.then(Vec::new);
    }

    /// Lets a lane of a warp go on next; `false` if it cannot.
    pub(crate) fn choose(&mut self, warp: u32, lane: u32) -> bool {
        let Some(turn) = self.order.iter().position(|&number| number == warp) else { return false };
        if self.waits_for.is_some() || !self.warps.get_mut(warp as usize).is_some_and(|warp| warp.choose(lane)) {
            return false;
        }
        // The one whose turn it was has its turn again.
        self.cut |= self.turn != turn;
        self.turn = turn;
        true
    }

    /// Serves a request of one of its warps: output, STOP, copies that are waited for, or an error that compiled code raises. The hooks
    /// are told of the memory that it reads and writes.
    pub(crate) fn serve(
        &mut self,
        program: &Program,
        warp: usize,
        request: &RtRequest,
        memory: &dyn ReadBytes,
        output: &mut Vec<u8>,
        hooks: Option<&mut dyn Hooks<32>>,
    ) -> Served {
        if matches!(request.rt, Rt::PipelineCopy | Rt::PipelineCommit | Rt::PipelineWait) {
            self.pipelines.resize_with(self.warps.len(), Pipelines::default);
            let (state, shared) = (&mut self.pipelines[warp], &mut self.shared);
            return service::copy_later(program, &mut self.warps[warp], request, state, (memory, shared), hooks);
        }
        let (state, shared) = (&mut self.prints[warp], &self.shared);
        service::print(program, &mut self.warps[warp], request, state, (memory, shared), output, hooks)
    }

    /// Preempts the running warp: the next warp runs before this one waits or ends.
    pub(crate) fn cut_short(&mut self) {
        if let Some(warp) = self.order.get(self.turn).and_then(|&number| self.warps.get_mut(number as usize)) {
            warp.give_way();
        }
        self.turn += 1;
        self.cut = true;
    }

    /// Whether the block has written anything since the last call.
    pub(crate) fn take_progress(&mut self) -> bool {
        self.warps.iter_mut().map(Warp::take_writes).sum::<u64>() > 0
    }

    /// A hash of all that decides how the block goes on, but for memory.
    pub(crate) fn state(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.linear.hash(&mut hasher);
        self.shared.hash(&mut hasher);
        for warp in &self.warps {
            warp.hash_state(&mut hasher);
        }
        hasher.finish()
    }

    /// Lets the threads go on that wait for other blocks.
    pub(crate) fn leave_meeting(&mut self, program: &Program) {
        self.waits_for = None;
        self.has_met = true;
        self.warps.iter_mut().for_each(|w| w.release_barrier(program, 0));
    }

    /// Notes that the barrier at which the threads wait is complete although some have exited.
    fn note_exited(&mut self) {
        let waiting: u32 = self.warps.iter().map(|w| w.live().count_ones()).sum();
        let exited = self.geometry.threads().saturating_sub(waiting);
        let place =
            self.warps.iter().find_map(|w| w.splits().next().map(|split| (w.number(), split.mask(), split.site())));
        if let Some((warp, mask, site)) = place.filter(|_| exited > 0)
            && self.short.iter().all(|known| known.site != site)
        {
            self.short.push(ShortBarrier { site, first: warp * 32 + mask.trailing_zeros(), waiting, exited });
        }
    }

    /// The places of the source, since the last call, where it completed a barrier although threads had exited.
    pub(crate) fn take_short(&mut self, program: &Program) -> Vec<ShortBarrier> {
        let mut known: Vec<Span> = self.short[..self.told].iter().map(|b| program.span(b.site)).collect();
        let mut new = Vec::new();
        for barrier in &self.short[self.told..] {
            let span = program.span(barrier.site);
            if !known.contains(&span) {
                known.push(span);
                new.push(*barrier);
            }
        }
        self.told = self.short.len();
        new
    }

    /// The barrier at which every thread that has not exited waits, if it is one, and what it gives.
    fn meeting(&self) -> Option<(BarOp, u32)> {
        let mut place: Option<SplitView<'_, 32>> = None;
        let (mut count, mut all, mut kind) = (0, true, BarOp::Sync);
        for warp in &self.warps {
            for split in warp.splits() {
                let State::AtBarrier { op, pred } = *split.state() else { return None };
                if !place.get_or_insert(split).is_where(&split) {
                    return None;
                }
                kind = op;
                count += pred.count_ones();
                all &= pred == split.mask();
            }
        }
        let result = match kind {
            BarOp::Sync | BarOp::Cluster | BarOp::Grid => 0,
            BarOp::And => u32::from(all),
            BarOp::Or => u32::from(count > 0),
            BarOp::Count => count,
        };
        Some((kind, result))
    }
}

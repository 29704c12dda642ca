//! One thread block at work: its warps, its shared memory, its barrier.

use crate::service::{self, PrintState, Served};
use ir::op::BarOp;
use mem::{MemoryView, ReadBytes};
use race::CtaSlot;
use std::hash::{DefaultHasher, Hash, Hasher};
use vm::{Arg, Atomics, Context, Fault, Geometry, Hooks, Program, RtRequest, Site, SplitView, State, Stop, Warp};

/// A thread block that has begun.
#[derive(Clone, Debug)]
pub struct Block {
    /// Linear index in the grid, from 0.
    pub linear: u64,
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
    /// Whether it waits at a barrier of the grid.
    pub waits_for_grid: bool,
    /// Whether a warp had to give way in this round.
    cut: bool,
    /// Print statements begun, by warp.
    pub(crate) prints: Vec<PrintState>,
    /// Barriers that it completed although threads had exited, one for each place.
    pub(crate) short: Vec<ShortBarrier>,
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
    /// A warp did something it must not do.
    Fault(usize, Fault),
    /// All its threads wait at a barrier of the grid.
    AtGrid,
    /// No thread can go on.
    Stuck,
}

impl Block {
    /// A block that is about to begin.
    pub(crate) fn new(
        program: &Program,
        func: ir::FuncId,
        args: &[Arg],
        linear: u64,
        geometry: Geometry,
        shared: usize,
    ) -> Block {
        let mut block = Block {
            linear,
            geometry,
            warps: Vec::new(),
            order: Vec::new(),
            shared: vec![0; shared],
            slot: None,
            turn: 0,
            waits_for_grid: false,
            cut: false,
            prints: Vec::new(),
            short: Vec::new(),
        };
        block.begin(program, func, args, linear, geometry);
        block
    }

    /// Makes a finished block ready to run as another one.
    pub(crate) fn begin(&mut self, program: &Program, func: ir::FuncId, args: &[Arg], linear: u64, geometry: Geometry) {
        self.linear = linear;
        self.geometry = geometry;
        self.slot = None;
        self.turn = 0;
        self.waits_for_grid = false;
        self.cut = false;
        self.short.clear();
        self.shared.fill(0);
        let threads: u32 = geometry.block.iter().product();
        let count = threads.div_ceil(32);
        self.warps.truncate(count as usize);
        for number in 0..count {
            let rest = threads - number * 32;
            let mask = if rest >= 32 { u32::MAX } else { (1 << rest) - 1 };
            match self.warps.get_mut(number as usize) {
                Some(warp) => warp.reset(program, number, mask, func, args),
                None => self.warps.push(Warp::new(program, number, mask, func, args)),
            }
        }
        self.order = (0..count).collect();
        self.prints.clear();
        self.prints.resize_with(count as usize, PrintState::default);
    }

    /// Runs warps in turn until the block stops; barriers of the block complete on the way. The hooks are told of each;
    /// `atomics` takes those without a result.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        memory: MemoryView<'_>,
        mut hooks: Option<&mut dyn Hooks<32>>,
        mut atomics: Option<&mut dyn Atomics>,
        budget: &mut u64,
    ) -> BlockStop {
        loop {
            while self.turn < self.order.len() {
                let number = self.order[self.turn] as usize;
                let warp = &mut self.warps[number];
                let mut ctx = Context {
                    memory,
                    shared: &mut self.shared,
                    geometry: self.geometry,
                    budget: *budget,
                    atomics: atomics.as_deref_mut().map(|a| a as &mut dyn Atomics),
                };
                let stop = warp.run(program, &mut ctx, hooks.as_deref_mut().map(|h| h as &mut dyn Hooks<32>));
                *budget = ctx.budget;
                match stop {
                    Stop::Done | Stop::Waiting | Stop::Polling => self.turn += 1,
                    Stop::Budget => return BlockStop::Budget,
                    Stop::Statement => return BlockStop::Stopped,
                    Stop::Rt(request) => return BlockStop::Rt(number, request),
                    Stop::Fault(fault) => return BlockStop::Fault(number, fault),
                    Stop::Launch(request) => {
                        let kind = vm::FaultKind::Trap(ir::Trap::Unsupported);
                        let fault = Fault { kind, site: request.site, mask: warp.live(), addresses: Vec::new() };
                        return BlockStop::Fault(number, fault);
                    }
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
                Some((BarOp::Grid, _)) => {
                    self.waits_for_grid = true;
                    return BlockStop::AtGrid;
                }
                Some((_, result)) => {
                    self.note_exited();
                    self.warps.iter_mut().for_each(|w| w.release_barrier(program, result));
                }
            }
            if let Some(hooks) = &mut hooks {
                hooks.on_barrier();
            }
        }
    }

    /// Serves a request of one of its warps: output, STOP, or an error that compiled code raises. The hooks are told of the
    /// characters that it reads.
    pub(crate) fn serve(
        &mut self,
        program: &Program,
        warp: usize,
        request: &RtRequest,
        memory: &dyn ReadBytes,
        output: &mut Vec<u8>,
        hooks: Option<&mut dyn Hooks<32>>,
    ) -> Served {
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

    /// Lets the threads go on that wait for the grid.
    pub(crate) fn leave_grid(&mut self, program: &Program) {
        self.waits_for_grid = false;
        self.warps.iter_mut().for_each(|w| w.release_barrier(program, 0));
    }

    /// Notes that the barrier at which the threads wait is complete although some have exited.
    fn note_exited(&mut self) {
        let waiting: u32 = self.warps.iter().map(|w| w.live().count_ones()).sum();
        let exited = self.geometry.block.iter().product::<u32>().saturating_sub(waiting);
        let place =
            self.warps.iter().find_map(|w| w.splits().next().map(|split| (w.number(), split.mask(), split.site())));
        if let Some((warp, mask, site)) = place.filter(|_| exited > 0)
            && self.short.iter().all(|known| known.site != site)
        {
            self.short.push(ShortBarrier { site, first: warp * 32 + mask.trailing_zeros(), waiting, exited });
        }
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
            BarOp::Sync | BarOp::Grid => 0,
            BarOp::And => u32::from(all),
            BarOp::Or => u32::from(count > 0),
            BarOp::Count => count,
        };
        Some((kind, result))
    }
}

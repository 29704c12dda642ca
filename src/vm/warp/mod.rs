//! Warps: frames, splits and the lanes in them.
//!
//! Not here: how a warp is run (`exec`) and how others look into it (`observe`).

mod call;
mod context;
mod directed;
mod request;
mod spare;
mod split;
pub(crate) mod sync;
mod threads;

pub(crate) use context::MOST_SERVED;
pub use context::{Atomics, Context, Geometry, Services};
pub use request::{Arg, Fault, FaultKind, LaunchRequest, RtRequest, Stop};
pub use split::State;
pub(crate) use split::{LoopExit, Split};
pub use sync::WarpSync;
pub(crate) use threads::{thread_rows, write_threads};

use self::spare::SpareFrames;
use crate::code::{Code, Op, Program};
use crate::frame::Frame;
use crate::memory::local::{self, Local};
use crate::memory::slow_path::{DEVICE_REGIONS, HOST_REGIONS};
use ir::op::BarOp;
use ir::{FuncId, Ty};
use scalar::{lanes, random};

/// The host's stack of local memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostStack {
    /// First free address.
    pub top: u64,
    /// End of the stack.
    pub limit: u64,
}

/// A warp of up to 32 lanes, or the host (`W` = 1).
#[derive(Clone, Debug)]
pub struct Warp<const W: usize> {
    /// Number of the warp in its block.
    pub(crate) number: u32,
    /// The lanes that have not exited.
    pub(crate) live: u32,
    /// Its splits; empty when all lanes have exited.
    pub(crate) splits: Vec<Split>,
    /// Frames, by the numbers that splits have; `None` is free.
    pub(crate) frames: Vec<Option<Box<Frame<W>>>>,
    /// Their local memory, by the same numbers; of the host there is none.
    pub(crate) locals: Vec<Local<W>>,
    /// Which split runs.
    pub(crate) current: usize,
    /// Whether compiled code has left the current split in its course: it goes on without being picked again.
    pub(crate) goes_on: bool,
    /// Schedule points that the warp has passed.
    pub(crate) points: u64,
    /// Stores, and atomics that changed something, so far.
    pub(crate) writes: u64,
    /// Only on the host.
    pub(crate) stack: Option<HostStack>,
    /// First free address of the local window.
    pub(crate) local_top: u64,
    /// Where the last access to memory was found, so that the next is found sooner.
    pub(crate) hint: u32,
    /// Calls of the host since it was stopped after many.
    pub(crate) calls: u32,
    /// Frames of functions that have returned, to be used again.
    pub(crate) spare: SpareFrames<W>,
    /// The regions of memory that it may touch, one bit each.
    pub(crate) open: u64,
    /// Frames at most, against endless recursion.
    pub(crate) depth_limit: u32,
    /// From which the order of lanes is drawn, where it is free: in an atomic, and of the parts of a branch. 0 is their
    /// natural order.
    pub(crate) seed: u64,
    /// How others direct it, if they do.
    pub(crate) directed: Option<Box<directed::Directed>>,
    /// Whether lanes may have met that are not in the same execution of the code (see `split`).
    pub(crate) non_converged: bool,
    /// Thread indices of the lanes, x, y and z, and the block extents that they were worked out for.
    pub(crate) threads: ([u32; 3], [[u32; W]; 3]),
}

impl<const W: usize> Warp<W> {
    /// A warp whose lanes of `mask` are about to enter `func` with these arguments (the same in all lanes).
    pub fn new(program: &Program, number: u32, mask: u32, func: FuncId, args: &[Arg]) -> Warp<W> {
        let mut warp = Warp {
            number,
            live: mask,
            splits: vec![Split::new(mask)],
            frames: Vec::new(),
            locals: Vec::new(),
            current: 0,
            goes_on: false,
            points: 0,
            writes: 0,
            stack: None,
            local_top: local::FIRST,
            hint: 0,
            calls: 0,
            spare: SpareFrames::default(),
            open: if W == 1 { HOST_REGIONS } else { DEVICE_REGIONS },
            depth_limit: 4096,
            seed: 0,
            directed: None,
            non_converged: false,
            threads: ([0; 3], [[0; W]; 3]),
        };
        let code = &program.code[func.index()];
        let mut frame = Box::new(Frame::new(func, code));
        warp.place_local(code, &mut frame, 0);
        frame.restart(code, mask);
        set_params(&mut frame, &mut warp.locals[0], code, args);
        warp.frames.push(Some(frame));
        warp
    }

    /// Makes a warp that has run its code ready to run it again, as [`Warp::new`] with the same program and function would.
    pub fn reset(&mut self, program: &Program, number: u32, mask: u32, func: FuncId, args: &[Arg]) {
        let code = &program.code[func.index()];
        let reusable = matches!(self.frames.first(), Some(Some(f)) if f.func == func) && self.stack.is_none();
        if !reusable {
            *self = Warp::new(program, number, mask, func, args);
            return;
        }
        if self.number != number {
            self.threads.0 = [0; 3];
        }
        self.number = number;
        self.live = mask;
        self.splits.clear();
        self.splits.push(Split::new(mask));
        self.frames.truncate(1);
        self.current = 0;
        self.goes_on = false;
        self.points = 0;
        self.seed = 0;
        self.directed = None;
        self.non_converged = false;
        if let (Some(Some(frame)), Some(local)) = (self.frames.first_mut(), self.locals.first_mut()) {
            frame.restart(code, mask);
            local.begin(frame.local_base, &code.local_layout);
            set_params(frame, local, code, args);
            self.local_top = frame.local_base + code.local_span.next_multiple_of(256);
        }
    }

    /// Makes a warp whose lanes have ended in their kernel the warp of that number in their block, in the same registers, which are set
    /// already.
    #[inline]
    pub(crate) fn begin(&mut self, number: u32, mask: u32) {
        (self.number, self.live, self.points) = (number, mask, 0);
        (self.current, self.non_converged) = (0, false);
        // If lanes never parted their split has not left its beginning.
        match self.splits.first_mut() {
            Some(split) => split.mask = mask,
            None => self.splits.push(Split::new(mask)),
        }
        if let Some(Some(frame)) = self.frames.first_mut() {
            frame.begin(mask);
        }
    }

    /// The current split goes on at an operation, with so many points since its last progress.
    pub(crate) fn go_on_at(&mut self, pc: u32, polls: u32) {
        if let Some(split) = self.splits.get_mut(self.current) {
            (split.pc, split.polls) = (pc, polls);
        }
    }

    /// The host, about to enter `func`; its frames lie in `stack`.
    pub fn host(program: &Program, func: FuncId, stack: HostStack) -> Result<Warp<W>, FaultKind> {
        let mut warp = Warp::new(program, 0, 1, func, &[]);
        warp.stack = Some(stack);
        warp.depth_limit = 100_000;
        let code = &program.code[func.index()];
        let base = warp.take_stack(code.local_span).ok_or(FaultKind::StackOverflow)?;
        warp.locals.clear();
        if let Some(Some(frame)) = warp.frames.first_mut() {
            frame.local_base = base;
        }
        Ok(warp)
    }

    /// Gives the frame of that number its local memory.
    fn place_local(&mut self, code: &Code, frame: &mut Frame<W>, number: usize) {
        frame.local_base = self.local_top;
        if self.locals.len() <= number {
            self.locals.resize_with(number + 1, Local::default);
        }
        self.locals[number].begin(frame.local_base, &code.local_layout);
        self.local_top += frame.local_span.next_multiple_of(256);
    }

    /// Copies bytes of the local memory of a lane; `None` if they do not lie in that of one frame.
    pub fn read_local(&self, lane: usize, address: u64, out: &mut [u8]) -> Option<()> {
        let (frame, offset) = local::find(&self.locals, 0, address, out.len() as u64)?;
        self.locals[frame].read(lane, offset, out);
        Some(())
    }

    /// Sets bytes of the local memory of a lane; `None` if they do not lie in that of one frame.
    pub fn write_local(&mut self, lane: usize, address: u64, bytes: &[u8]) -> Option<()> {
        let (frame, offset) = local::find(&self.locals, 0, address, bytes.len() as u64)?;
        self.locals[frame].write(lane, offset, bytes);
        Some(())
    }

    fn take_stack(&mut self, bytes: u64) -> Option<u64> {
        let stack = self.stack.as_mut()?;
        let base = stack.top.next_multiple_of(64);
        let top = base.checked_add(bytes)?;
        if top > stack.limit {
            return None;
        }
        stack.top = top;
        Some(base)
    }

    /// The frame of that number, to change it.
    pub(crate) fn frame_mut(&mut self, number: u32) -> Option<&mut Frame<W>> {
        self.frames.get_mut(number as usize)?.as_deref_mut()
    }

    /// What the seed says at this schedule point, 0 without a seed: a number of `SplitMix64`.
    /// Nothing else goes in, so that it is the same however the code was optimised and the run was stopped.
    fn chance(&self) -> u64 {
        if self.seed == 0 {
            return 0;
        }
        random::mix(self.seed.wrapping_add(self.points.wrapping_mul(random::GOLDEN_GAMMA)))
    }

    /// The order in which lanes do what they do one after another.
    pub(crate) fn lane_order(&mut self) -> LaneOrder {
        let chance = self.chance() >> 32;
        let ahead = self.take_first_lanes();
        LaneOrder { ahead, first: chance as u32 & 31, flip: if chance & 32 == 0 { 0 } else { 31 } }
    }

    /// Whether the seed has the second part of a branch go first.
    pub(crate) fn is_turned(&self) -> bool {
        self.chance() & 1 != 0
    }

    /// Under a seed, lets the part of the warp go on that holds a lane of the seed's choice, if it can.
    pub fn give_way(&mut self) {
        let lane = self.chance() >> 32 & 31;
        let chosen = |f: &Split| f.mask >> lane & 1 != 0 && f.state == State::Runnable;
        if self.seed != 0
            && let Some(chosen) = self.splits.iter().position(chosen)
        {
            self.current = chosen;
        }
    }

    /// Answers the service that the current split asked for: `results` gives the bits of each result, by lane.
    pub fn answer(&mut self, program: &Program, results: impl Fn(usize, usize) -> u64) {
        let Some(split) = self.splits.get_mut(self.current) else { return };
        let (mask, number) = (split.mask, split.frame);
        let Some(Some(frame)) = self.frames.get_mut(number as usize) else { return };
        let code = &program.code[frame.func.index()];
        if let Some(Op::Rt(rt)) = code.ops.get(split.pc as usize) {
            for (i, &slot) in rt.results.iter().enumerate() {
                for lane in lanes(mask) {
                    frame.put(slot, lane, results(i, lane));
                }
            }
        }
        split.pc += 1;
        split.state = State::Runnable;
        split.polls = 0;
    }

    /// Leaves what the current split asked for undone: it counts as polling, and asks again at its next turn.
    pub fn ask_again(&mut self) {
        if let Some(split) = self.splits.get_mut(self.current) {
            split.state = State::Runnable;
            split.polls = u32::MAX / 2;
        }
    }

    /// Ends the lanes of the current split, as STOP in device code does.
    pub fn exit_current(&mut self) {
        if let Some(split) = self.splits.get(self.current).cloned() {
            self.retire(split.mask);
        }
    }

    /// Ends lanes, wherever they are.
    pub fn retire(&mut self, mask: u32) {
        self.live &= !mask;
        for split in &mut self.splits {
            split.mask &= !mask;
        }
        self.splits.retain(|f| f.mask != 0);
        self.current = 0;
    }

    /// Puts all that decides how the warp goes on into a hash, but for shared memory and memory: a warp that polls and comes
    /// back to the same state, while nobody writes, will do so for ever.
    pub fn hash_state(&self, hasher: &mut impl std::hash::Hasher) {
        use std::hash::Hash;
        self.live.hash(hasher);
        for f in &self.splits {
            (f.mask, f.pc, f.frame, std::mem::discriminant(&f.state), &f.reconvergences).hash(hasher);
        }
        for frame in self.frames.iter().flatten() {
            frame.hash_state(hasher);
        }
        for local in &self.locals {
            local.rows().hash(hasher);
        }
    }

    /// Lets the splits at a barrier go on; `result` is what the barrier gives (all ones or zero for `and` and `or`).
    pub fn release_barrier(&mut self, program: &Program, result: u32) {
        for split in &mut self.splits {
            if !matches!(split.state, State::AtBarrier { .. }) {
                continue;
            }
            if let Some(Some(frame)) = self.frames.get_mut(split.frame as usize)
                && !matches!(split.state, State::AtBarrier { op: BarOp::Sync, .. })
            {
                let code = &program.code[frame.func.index()];
                if let Some(Op::Barrier { op, d: Some(d), .. }) = code.ops.get(split.pc as usize) {
                    let ty = if *op == BarOp::Count { Ty::I32 } else { Ty::Pred };
                    for lane in lanes(split.mask) {
                        frame.put((ty, *d), lane, u64::from(result));
                    }
                }
            }
            split.pc += 1;
            split.state = State::Runnable;
            split.polls = 0;
        }
        self.non_converged |= self.merge() > 0;
        self.current = 0;
    }
}

fn set_params<const W: usize>(frame: &mut Frame<W>, local: &mut Local<W>, code: &Code, args: &[Arg]) {
    for (i, (&(slot, is_row), arg)) in code.params.iter().zip(args).enumerate() {
        let bits = match (arg, code.param_parts.get(i).copied().flatten()) {
            (Arg::Bits(bits), _) => *bits,
            (Arg::Bytes(bytes), Some(part)) => {
                if bytes.len() as u64 <= part.bytes {
                    (0..W).for_each(|lane| local.write(lane, 4 * part.row as usize, bytes));
                }
                frame.local_base + part.start
            }
            (Arg::Bytes(_), None) => 0,
        };
        frame.fill(slot, is_row, bits);
    }
}

/// An order of the lanes of a warp: some, then the others from some lane on, upwards or downwards.
#[derive(Clone, Default, Debug)]
pub(crate) struct LaneOrder {
    ahead: Vec<u8>,
    first: u32,
    flip: u32,
}

impl LaneOrder {
    /// Whether the lanes come by number.
    pub(crate) fn is_by_number(&self) -> bool {
        self.ahead.is_empty() && self.first == 0 && self.flip == 0
    }

    /// All lanes of a warp of `W` in this order.
    pub(crate) fn all<const W: usize>(&self) -> [u8; W] {
        let mut all = [0; W];
        let lanes = self.lanes(u32::MAX >> (32 - W));
        all.iter_mut().zip(lanes).for_each(|(at, lane)| *at = lane as u8);
        all
    }

    /// The lanes of a mask in this order.
    pub(crate) fn lanes(&self, mask: u32) -> impl Iterator<Item = usize> {
        let (first, flip) = (self.first, self.flip);
        let rest = self.ahead.iter().fold(mask, |mask, &lane| mask & !(1 << (lane & 31)));
        let turned = rest.rotate_right(first);
        let turned = if flip == 0 { turned } else { turned.reverse_bits() };
        let ahead = self.ahead.iter().map(|&lane| usize::from(lane & 31)).filter(move |lane| mask >> lane & 1 != 0);
        ahead.chain(lanes(turned).map(move |i| ((i as u32 ^ flip) + first) as usize & 31))
    }
}

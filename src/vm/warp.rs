//! Warps: frames, fragments and why they stop.

use crate::abreast::Spare;
use crate::code::{Code, Op, Program, Site};
use crate::fragment::{Fragment, State};
use crate::frame::{Caller, Frame, SlotRef};
use crate::hooks::Atomics;
use crate::local::{self, Local};
use crate::reach::{DEVICE_REGIONS, HOST_REGIONS};
use ir::op::BarOp;
use ir::rt::Rt;
use ir::{FuncId, Space, Trap, Ty};
use mem::Memory;
use mem::address::LOCAL_BASE;
use scalar::{lanes, random};
use std::sync::Arc;

/// Extents and place of a block in its launch; everything counts from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Geometry {
    /// Grid extents.
    pub grid: [u32; 3],
    /// Block extents.
    pub block: [u32; 3],
    /// Index of the block in the grid.
    pub cta: [u32; 3],
    /// Bytes of static shared memory; dynamic shared memory follows.
    pub static_shared: u64,
}

/// What a warp reaches while it runs.
#[derive(Debug)]
pub struct Context<'a> {
    /// Everything but shared and local memory.
    pub memory: &'a Memory,
    /// Shared memory of the block.
    pub shared: &'a mut [u8],
    /// Where the block is.
    pub geometry: Geometry,
    /// Schedule points that the warp may pass in this call; `run` counts it down.
    pub budget: u64,
    /// Who takes atomics without a result, if anybody does.
    pub atomics: Option<&'a mut dyn Atomics>,
}

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
    /// Its fragments; empty when all lanes have exited.
    pub(crate) fragments: Vec<Fragment>,
    /// Frames, by the numbers that fragments have; `None` is free.
    pub(crate) frames: Vec<Option<Box<Frame<W>>>>,
    /// Their local memory, by the same numbers; of the host there is none.
    pub(crate) locals: Vec<Local<W>>,
    /// Which fragment runs.
    pub(crate) current: usize,
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
    /// Frames of functions that have returned, to be used again.
    #[allow(clippy::vec_box)] // They move to `frames` and back as they are.
    pub(crate) spare: Vec<Box<Frame<W>>>,
    /// The regions of memory that it may touch, one bit each.
    pub(crate) open: u64,
    /// Of the host: what runs rounds of its loops.
    pub(crate) abreast: Spare,
    /// Frames at most, against endless recursion.
    pub(crate) depth_limit: u32,
    /// From which the order of lanes is drawn, where it is free: in an atomic, and of the parts of a branch. 0 is their
    /// natural order.
    pub(crate) seed: u64,
    /// Whether lanes may have met that are not in the same execution of the code (see `fragment`).
    pub(crate) loose: bool,
    /// Thread indices of the lanes, x, y and z, and the block extents that they were worked out for.
    pub(crate) threads: ([u32; 3], [[u32; W]; 3]),
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// The bits of a value.
    Bits(u64),
    /// An object passed by value.
    Bytes(Arc<[u8]>),
}

/// Why `run` returned.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// All lanes have exited.
    Done,
    /// The budget is used up.
    Budget,
    /// No fragment can run: all wait at barriers or rendezvous.
    Waiting,
    /// Those that can run only poll.
    Polling,
    /// A service is asked for; answer with [`Warp::answer`].
    Rt(RtRequest),
    /// A kernel is launched; go on with [`Warp::answer`] and no results.
    Launch(LaunchRequest),
    /// A hook asked to stop before a statement.
    Statement,
    /// Something went wrong; the fragment stays where it is.
    Fault(Fault),
}

/// A call of a service by the current fragment.
#[derive(Clone, PartialEq, Debug)]
pub struct RtRequest {
    /// The service.
    pub rt: Rt,
    /// Where it is called.
    pub site: Site,
    /// The calling lanes.
    pub mask: u32,
    /// Where the arguments are in the current frame; see [`RtRequest::arg_count`] and [`Warp::arg`].
    pub(crate) args: Vec<SlotRef>,
}

/// A launch by the current fragment (its first lane's values).
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchRequest {
    /// The kernel.
    pub func: FuncId,
    /// Where it is launched.
    pub site: Site,
    /// Grid extents; −1 for `*`.
    pub grid: [i32; 3],
    /// Block extents.
    pub block: [i32; 3],
    /// Dynamic shared bytes.
    pub bytes: i64,
    /// The stream.
    pub stream: i64,
    /// Bits of the arguments.
    pub args: Vec<u64>,
}

/// Something that a program must not do.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// Where.
    pub site: Site,
    /// The lanes that did it.
    pub mask: u32,
    /// Addresses that those lanes used (of memory faults), by lane.
    pub addresses: Vec<(u32, u64)>,
}

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// An access outside every live allocation, or of memory that this side may not touch.
    Access {
        /// The space that the instruction names.
        space: Space,
        /// Bytes of the word.
        bytes: u32,
        /// Whether it writes.
        write: bool,
    },
    /// An address that is no multiple of the word's size.
    Misaligned {
        /// Bytes of the word.
        bytes: u32,
        /// Whether it writes.
        write: bool,
    },
    /// Too many frames or too much local memory.
    StackOverflow,
    /// The code raised it.
    Trap(Trap),
    /// SYNCWARP whose mask leaves out the caller.
    WarpMask {
        /// The mask.
        named: u32,
    },
}

impl<const W: usize> Warp<W> {
    /// A warp whose lanes of `mask` are about to enter `func` with these arguments (the same in all lanes).
    pub fn new(program: &Program, number: u32, mask: u32, func: FuncId, args: &[Arg]) -> Warp<W> {
        let mut warp = Warp {
            number,
            live: mask,
            fragments: vec![Fragment::new(mask)],
            frames: Vec::new(),
            locals: Vec::new(),
            current: 0,
            points: 0,
            writes: 0,
            stack: None,
            local_top: LOCAL_BASE + 256,
            hint: 0,
            spare: Vec::new(),
            open: if W == 1 { HOST_REGIONS } else { DEVICE_REGIONS },
            abreast: Spare::default(),
            depth_limit: 4096,
            seed: 0,
            loose: false,
            threads: ([0; 3], [[0; W]; 3]),
        };
        let code = &program.code[func.index()];
        let mut frame = Box::new(Frame::new(func, code));
        warp.place_local(&mut frame, 0);
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
        self.fragments.clear();
        self.fragments.push(Fragment::new(mask));
        self.frames.truncate(1);
        self.current = 0;
        self.points = 0;
        self.seed = 0;
        self.loose = false;
        if let (Some(Some(frame)), Some(local)) = (self.frames.first_mut(), self.locals.first_mut()) {
            frame.restart(code, mask);
            local.begin(frame.local_base, frame.local_bytes);
            set_params(frame, local, code, args);
            self.local_top = frame.local_base + code.local_bytes.next_multiple_of(256);
        }
    }

    /// The host, about to enter `func`; its frames lie in `stack`.
    pub fn host(program: &Program, func: FuncId, stack: HostStack) -> Result<Warp<W>, FaultKind> {
        let mut warp = Warp::new(program, 0, 1, func, &[]);
        warp.stack = Some(stack);
        warp.depth_limit = 100_000;
        let code = &program.code[func.index()];
        let base = warp.take_stack(code.local_bytes).ok_or(FaultKind::StackOverflow)?;
        warp.locals.clear();
        if let Some(Some(frame)) = warp.frames.first_mut() {
            frame.local_base = base;
        }
        Ok(warp)
    }

    /// Gives the frame of that number its local memory.
    fn place_local(&mut self, frame: &mut Frame<W>, number: usize) {
        frame.local_base = self.local_top;
        if self.locals.len() <= number {
            self.locals.resize_with(number + 1, Local::default);
        }
        self.locals[number].begin(frame.local_base, frame.local_bytes);
        self.local_top += frame.local_bytes.next_multiple_of(256);
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
    pub(crate) fn lane_order(&self) -> LaneOrder {
        let chance = self.chance() >> 32;
        LaneOrder { first: chance as u32 & 31, flip: if chance & 32 == 0 { 0 } else { 31 } }
    }

    /// Whether the seed has the second part of a branch go first.
    pub(crate) fn is_turned(&self) -> bool {
        self.chance() & 1 != 0
    }

    /// Under a seed, lets the part of the warp go on that holds a lane of the seed's choice, if it can.
    pub fn give_way(&mut self) {
        let lane = self.chance() >> 32 & 31;
        let chosen = |f: &Fragment| f.mask >> lane & 1 != 0 && f.state == State::Runnable;
        if self.seed != 0
            && let Some(chosen) = self.fragments.iter().position(chosen)
        {
            self.current = chosen;
        }
    }

    /// Answers the service that the current fragment asked for: `results` gives the bits of each result, by lane.
    pub fn answer(&mut self, program: &Program, results: impl Fn(usize, usize) -> u64) {
        let Some(fragment) = self.fragments.get_mut(self.current) else { return };
        let (mask, number) = (fragment.mask, fragment.frame);
        let Some(Some(frame)) = self.frames.get_mut(number as usize) else { return };
        let code = &program.code[frame.func.index()];
        if let Some(Op::Rt(rt)) = code.ops.get(fragment.pc as usize) {
            for (i, &slot) in rt.results.iter().enumerate() {
                for lane in lanes(mask) {
                    frame.put(slot, lane, results(i, lane));
                }
            }
        }
        fragment.pc += 1;
        fragment.state = State::Runnable;
        fragment.idle = 0;
    }

    /// Ends the lanes of the current fragment, as STOP in device code does.
    pub fn exit_current(&mut self) {
        if let Some(fragment) = self.fragments.get(self.current).cloned() {
            self.retire(fragment.mask);
        }
    }

    /// Ends lanes, wherever they are.
    pub fn retire(&mut self, mask: u32) {
        self.live &= !mask;
        for fragment in &mut self.fragments {
            fragment.mask &= !mask;
        }
        self.fragments.retain(|f| f.mask != 0);
        self.current = 0;
    }

    /// Puts all that decides how the warp goes on into a hash, but for shared memory and memory: a warp that polls and comes
    /// back to the same state, while nobody writes, will do so for ever.
    pub fn hash_state(&self, hasher: &mut impl std::hash::Hasher) {
        use std::hash::Hash;
        self.live.hash(hasher);
        for f in &self.fragments {
            (f.mask, f.pc, f.frame, std::mem::discriminant(&f.state), &f.joins).hash(hasher);
        }
        for frame in self.frames.iter().flatten() {
            frame.hash_state(hasher);
        }
        for local in &self.locals {
            local.rows().hash(hasher);
        }
    }

    /// Lets the fragments at a barrier go on; `result` is what the barrier gives (all ones or zero for `and` and `or`).
    pub fn release_barrier(&mut self, program: &Program, result: u32) {
        for fragment in &mut self.fragments {
            if !matches!(fragment.state, State::AtBarrier { .. }) {
                continue;
            }
            if let Some(Some(frame)) = self.frames.get_mut(fragment.frame as usize) {
                let code = &program.code[frame.func.index()];
                if let Some(Op::Barrier { op, d: Some(d), .. }) = code.ops.get(fragment.pc as usize) {
                    let ty = if *op == BarOp::Count { Ty::I32 } else { Ty::Pred };
                    for lane in lanes(fragment.mask) {
                        frame.put((ty, *d), lane, u64::from(result));
                    }
                }
            }
            fragment.pc += 1;
            fragment.state = State::Runnable;
            fragment.idle = 0;
        }
        self.loose |= self.merge() > 0;
        self.current = 0;
    }

    /// Enters a function from the current fragment; `None` when there is no room for its frame.
    pub(crate) fn enter(&mut self, program: &Program, func: FuncId, args: &[SlotRef]) -> Option<()> {
        let code = &program.code[func.index()];
        let current = self.current;
        let (caller, pc, mask) = {
            let f = &self.fragments[current];
            (f.frame, f.pc, f.mask)
        };
        let mut frame = match self.spare.iter().position(|f| f.func == func) {
            Some(i) => {
                let mut frame = self.spare.swap_remove(i);
                frame.restart(code, 0);
                frame
            }
            None => Box::new(Frame::new(func, code)),
        };
        // With one lane the frames are a stack; to look for a place in it would make recursion quadratic.
        let free = if W == 1 { None } else { self.frames.iter().position(Option::is_none) };
        if free.is_none() && self.frames.len() >= self.depth_limit as usize {
            return None;
        }
        if self.stack.is_some() {
            frame.local_base = self.take_stack(code.local_bytes)?;
        } else {
            self.place_local(&mut frame, free.unwrap_or(self.frames.len()));
        }
        if let Some(from) = self.frame(caller) {
            for (&to, &slot) in code.params.iter().zip(args) {
                frame.copy(to, from, slot, mask);
            }
        }
        frame.caller = Some(Caller { frame: caller, pc });
        let number = match free {
            Some(free) => {
                self.frames[free] = Some(frame);
                free
            }
            None => {
                self.frames.push(Some(frame));
                self.frames.len() - 1
            }
        };
        let f = &mut self.fragments[current];
        f.frame = number as u32;
        f.pc = 0;
        Some(())
    }

    /// Returns from the current fragment's function with these values; `false` when it was the outermost.
    pub(crate) fn leave(&mut self, program: &Program, values: &[SlotRef]) -> bool {
        let current = self.current;
        let (number, mask) = {
            let f = &self.fragments[current];
            (f.frame, f.mask)
        };
        let Some(place) = self.frames.get_mut(number as usize) else { return false };
        let Some(caller) = place.as_ref().and_then(|f| f.caller.clone()) else { return false };
        let Some(mut frame) = place.take() else { return false };
        frame.users -= 1;
        if let Some(Some(to)) = self.frames.get_mut(caller.frame as usize) {
            let code = &program.code[to.func.index()];
            if let Some(Op::Call(call)) = code.ops.get(caller.pc as usize) {
                for (&slot, &value) in call.results.iter().zip(values) {
                    to.copy(slot, &frame, value, mask);
                }
            }
        }
        if frame.users == 0 {
            if let Some(local) = self.locals.get_mut(number as usize) {
                local.end();
            }
            while self.frames.last().is_some_and(Option::is_none) {
                self.frames.pop();
            }
            match &mut self.stack {
                Some(stack) => stack.top = frame.local_base,
                None if self.fragments.len() == 1 => self.local_top = frame.local_base,
                None => {}
            }
            if self.spare.len() < MOST_SPARE {
                self.spare.push(frame);
            }
        } else {
            self.frames[number as usize] = Some(frame);
        }
        let f = &mut self.fragments[current];
        f.frame = caller.frame;
        f.pc = caller.pc + 1;
        true
    }
}

/// Frames that are kept for later calls.
const MOST_SPARE: usize = 16;

fn set_params<const W: usize>(frame: &mut Frame<W>, local: &mut Local<W>, code: &Code, args: &[Arg]) {
    for (i, (&slot, arg)) in code.params.iter().zip(args).enumerate() {
        let bits = match (arg, code.param_offsets.get(i).copied().flatten()) {
            (Arg::Bits(bits), _) => *bits,
            (Arg::Bytes(bytes), Some(offset)) => {
                if offset.checked_add(bytes.len() as u64).is_some_and(|end| end <= frame.local_bytes) {
                    (0..W).for_each(|lane| local.write(lane, offset as usize, bytes));
                }
                frame.local_base + offset
            }
            (Arg::Bytes(_), None) => 0,
        };
        // A uniform parameter is in its row only if an operation looks there.
        if !frame.fill_scalar(slot, bits) || code.row_params.get(i).copied().unwrap_or(true) {
            frame.fill_row(slot, bits);
        }
    }
}

/// An order of the lanes of a warp: from some lane on, upwards or downwards.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct LaneOrder {
    first: u32,
    flip: u32,
}

impl LaneOrder {
    /// The lanes of a mask in this order.
    pub(crate) fn lanes(self, mask: u32) -> impl Iterator<Item = usize> {
        let turned = mask.rotate_right(self.first);
        let turned = if self.flip == 0 { turned } else { turned.reverse_bits() };
        lanes(turned).map(move |i| ((i as u32 ^ self.flip) + self.first) as usize & 31)
    }
}

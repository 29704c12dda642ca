//! Runs a split by compiled code, as far as it goes, and answers the calls of the code.
#![allow(unsafe_code)] // Hands the registers of a frame to compiled code.

use super::function;
use super::splits::After;
use crate::code::{NO_RECONVERGENCE, NativeFunction, Op, Program, Restored, Site, Told, Variant};
use crate::memory::slow_path::allowed;
use crate::observe::{self, AccessEvent, AccessKind, Observer, QuietZone, Values, is_within};
use crate::simd::Avx2;
use crate::warp::{Arg, Context, Warp, thread_rows, write_threads};
use ir::{FuncId, Space};
use jit::{Class, Entry, Outcome, PatternKey, State};
use mem::{LaneAddresses, MemoryView};
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// How compiled code was left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entered {
    /// Where the lanes that still run go on.
    pub(super) pc: u32,
    /// These lanes; none if all have left a loop.
    pub(super) mask: u32,
    /// The loop that others have left, if the mask is not the one that entered.
    pub(super) left_loop: u32,
    /// The lanes that left it last, if all have.
    pub(super) left_last: u32,
    /// Points since the last progress.
    pub(super) polls: u32,
    /// The same of the lanes that left the loop first.
    pub(super) left_polls: u32,
}

/// One operation that is executed for compiled code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Single {
    pub(crate) site: Site,
    /// The variant whose operation it is.
    pub(crate) variant: usize,
    /// The frame.
    pub(crate) frame: u32,
    /// The lanes.
    pub(crate) mask: u32,
    /// Points since the last progress.
    pub(crate) polls: u32,
}

/// How operations are executed that compiled code does not know.
#[derive(Clone, Copy)]
pub(crate) struct Interpreter<'a> {
    pub(crate) program: &'a Program,
    /// Executes one with its schedule point, and tells the observer; false if nothing was done.
    pub(crate) execute: Execute,
}

/// See [`Interpreter::execute`].
pub(crate) type Execute =
    fn(&Program, &mut Warp<32>, &mut Context<'_>, &mut Single, Option<&mut Observer<'_, 32>>) -> bool;

/// What the functions that compiled code calls need. The pointers are those of the run in which the code calls.
struct Environment<'a> {
    memory: MemoryView<'a>,
    open: u64,
    variant: &'a Variant,
    patterns: *mut crate::frame::lane_pattern::LanePattern<32>,
    words: *const [u32; 32],
    word_rows: usize,
    longs: *const [u64; 32],
    long_rows: usize,
    state: *mut State,
    interpreter: Interpreter<'a>,
    func: FuncId,
    /// The number of the variant.
    number: usize,
    frame: u32,
    /// The warp, the [`Context`] that it runs with, and the [`Observer`] or null.
    warp: *mut Warp<32>,
    context: *mut c_void,
    observer: *mut c_void,
    native: &'a NativeFunction,
    /// Points that the warp had passed when the code began on its state.
    points: u64,
    /// Warps and blocks that begin in the registers of the first ([`State::turns`], [`State::blocks`]), when the warp last knew which of
    /// them it is.
    turns: u32,
    blocks: u32,
}

impl Environment<'_> {
    /// Has the warp be the one that runs in its registers now.
    ///
    /// # Safety
    /// Nobody else uses the warp and the state.
    unsafe fn catch_up(&mut self) {
        // SAFETY: as above.
        let (state, warp) = unsafe { (&*self.state, &mut *self.warp) };
        if state.blocks != self.blocks {
            warp.begin(state.block_turns - state.turns, u32::MAX);
        } else if state.turns != self.turns {
            warp.begin(warp.number + (self.turns - state.turns), u32::MAX);
        }
        (self.turns, self.blocks) = (state.turns, state.blocks);
    }
}

/// Fills the entry of the table of windows for an access.
extern "C" fn refill(user: *mut c_void, address: u64, extent: u64, salt: u32, writes: bool) -> bool {
    // SAFETY: `Linked::run` gave this pointer, and waits in compiled code.
    let environment = unsafe { &mut *user.cast::<Environment<'_>>() };
    // SAFETY: this is the context of the run, which nobody else uses meanwhile.
    let windows = unsafe { &mut *(*environment.context.cast::<Context<'_>>()).windows };
    allowed(environment.open, address) && windows.fill(environment.memory, (address, extent), salt, writes)
}

/// Fills the entry of an allocation in a table of windows.
extern "C" fn find_pages(user: *mut c_void, entry: u32, address: u64) -> bool {
    // SAFETY: as in `refill`.
    let environment = unsafe { &mut *user.cast::<Environment<'_>>() };
    // SAFETY: as in `refill`.
    let windows = unsafe { &mut *(*environment.context.cast::<Context<'_>>()).windows };
    allowed(environment.open, address) && windows.fill_allocation(environment.memory, entry as usize, address)
}

/// Works a lane pattern out.
extern "C" fn update_pattern(user: *mut c_void, number: u32) {
    // SAFETY: as in `refill`; nobody else uses the rows and patterns of the frame meanwhile, which have so many elements. The
    // processor has AVX2, or nothing would have been compiled.
    unsafe {
        let environment = &*user.cast::<Environment<'_>>();
        let words = std::slice::from_raw_parts(environment.words, environment.word_rows);
        let longs = std::slice::from_raw_parts(environment.longs, environment.long_rows);
        let mask = (*environment.state).mask;
        let Some(code) = environment.variant.patterns.get(number as usize) else { return };
        let pattern = &mut *environment.patterns.add(number as usize);
        let key = environment.native.key(number);
        let is_followed = work_out(Avx2::assume(), pattern, key, code, words, longs, mask);
        // Of all lanes the code looks itself whether they follow, and comes here only if they do not.
        if mask != u32::MAX
            && let Some(is_followed) = is_followed
            && pattern.count(is_followed)
        {
            let patterns = std::slice::from_raw_parts_mut(environment.patterns, environment.variant.patterns.len());
            function::strayed(environment.interpreter.program, environment.native, patterns);
        }
    }
}

/// Does an operation, or leaves it to the interpreter.
extern "C" fn operate(user: *mut c_void, pc: u32) -> bool {
    // SAFETY: as in `refill`. While code waits, nobody else uses the warp, the context, the state or the table, which `Linked::run`
    // borrows exclusively; the code reads registers anew behind the call.
    unsafe {
        let environment = &mut *user.cast::<Environment<'_>>();
        environment.catch_up();
        let (warp, ctx) = (&mut *environment.warp, &mut *environment.context.cast::<Context<'_>>());
        let state = &mut *environment.state;
        let Interpreter { program, execute } = environment.interpreter;
        let Environment { func, number, frame, points, .. } = *environment;
        let site = Site { func, pc };
        let mut single = Single { site, variant: number, frame, mask: state.mask, polls: state.polls };
        (ctx.budget, warp.writes) = (state.budget, state.writes);
        warp.points = points.wrapping_add(state.begun).wrapping_sub(state.budget);
        let observer = environment.observer.cast::<Observer<'_, 32>>().as_mut();
        let is_done = execute(program, warp, ctx, &mut single, observer);
        if is_done {
            (state.budget, state.writes, state.polls) = (ctx.budget, warp.writes, single.polls);
            // A store may have given a page another place.
            state.windows = ctx.windows.at(ctx.memory.generation());
        }
        is_done
    }
}

/// Tells the observer of an access whose lanes lie as known before.
extern "C" fn tell(user: *mut c_void, number: u32, address: u64) {
    let of = |told: &Told| {
        told.lanes.map(|lanes| LaneAddresses::Strided(lanes.moved(address.wrapping_sub(lanes.low()) as i64)))
    };
    // SAFETY: compiled code calls it.
    unsafe {
        if let Some((told, zone, mask)) = quiet(user, number)
            && let Some(lanes) = of(told)
        {
            let is_in_zone = is_within(&lanes, mask, told.op.width.bytes() as u64, (zone.low, zone.high))
                && (!zone.takes_lanes || tell_words(user, told, &lanes));
            if is_in_zone || has_seen(user, told, &lanes, mask) {
                return;
            }
        }
        tell_of(user, number, of);
    }
}

/// Tells the observer of an access whose lanes lie anywhere.
extern "C" fn tell_lanes(user: *mut c_void, number: u32, base: u64, offsets: *const [u64; 32]) {
    // SAFETY: compiled code calls it, and has so many offsets.
    unsafe {
        let offsets = &*offsets;
        let list = || LaneAddresses::List(offsets.map(|offset| base.wrapping_add(offset)));
        if let Some((told, zone, mask)) = quiet(user, number)
            && are_within(Avx2::assume(), (base, offsets), mask, told.op.width.bytes() as u64, (zone.low, zone.high))
            && (!zone.takes_lanes || tell_words(user, told, &list()))
        {
            if !zone.takes_lanes {
                keep_quiet(user, number, zone);
            }
            return;
        }
        tell_of(user, number, |_| Some(list()));
    }
}

/// The access of a number, between which addresses nobody need be told of it, and the lanes.
///
/// # Safety
/// As in [`operate`].
#[inline(always)]
unsafe fn quiet<'a>(user: *mut c_void, number: u32) -> Option<(&'a Told, QuietZone, u32)> {
    // SAFETY: as in `operate`.
    unsafe {
        let environment = &*user.cast::<Environment<'a>>();
        let observer = environment.observer.cast::<Observer<'_, 32>>().as_ref()?;
        let told = environment.native.told.get(number as usize)?;
        let zone = observer.hooks.quiet(Site { func: environment.func, pc: told.pc });
        Some((told, zone, (*environment.state).mask))
    }
}

/// Whether the observer has been told of the like of an access before and need not be again.
///
/// # Safety
/// As in [`operate`].
unsafe fn has_seen(user: *mut c_void, told: &Told, lanes: &LaneAddresses<32>, mask: u32) -> bool {
    // SAFETY: as in `operate`.
    let environment = unsafe { &*user.cast::<Environment<'_>>() };
    // SAFETY: as in `operate`.
    let observer = unsafe { environment.observer.cast::<Observer<'_, 32>>().as_ref() };
    let (Some(observer), LaneAddresses::Strided(lanes)) = (observer, lanes) else { return false };
    observer.hooks.has_seen(Site { func: environment.func, pc: told.pc }, lanes, mask)
}

/// Has the code not tell of the access of a number any more where nobody need be told of it.
///
/// # Safety
/// As in [`operate`].
unsafe fn keep_quiet(user: *mut c_void, number: u32, zone: QuietZone) {
    // SAFETY: as in `operate`.
    let state = unsafe { &mut *(*user.cast::<Environment<'_>>()).state };
    if let Some(quiet) = state.quiet.get_mut(number as usize) {
        *quiet = [zone.low, zone.high];
    }
}

/// Tells the observer which words an access touches, if that is all that it wants to know.
///
/// # Safety
/// As in [`operate`].
unsafe fn tell_words(user: *mut c_void, told: &Told, lanes: &LaneAddresses<32>) -> bool {
    // SAFETY: as in `operate`.
    let (environment, warp, observer, mask) = unsafe {
        let environment = &mut *user.cast::<Environment<'_>>();
        environment.catch_up();
        let Some(observer) = environment.observer.cast::<Observer<'_, 32>>().as_mut() else { return false };
        (&*environment, &*environment.warp, observer, (*environment.state).mask)
    };
    let site = Site { func: environment.func, pc: told.pc };
    observer.hooks.on_lanes(warp, site, (lanes, mask), told.op.width.bytes())
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt"))]
fn are_within(_: Avx2, lanes: (u64, &[u64; 32]), mask: u32, bytes: u64, zone: (u64, u64)) -> bool {
    observe::are_within(lanes, mask, bytes, zone)
}

/// Tells the observer of the access of a number, whose lanes lie as `lanes` says.
///
/// # Safety
/// As in [`operate`].
unsafe fn tell_of(user: *mut c_void, number: u32, lanes: impl FnOnce(&Told) -> Option<LaneAddresses<32>>) {
    // SAFETY: as in `operate`.
    let (environment, warp, observer, mask) = unsafe {
        let environment = &mut *user.cast::<Environment<'_>>();
        environment.catch_up();
        let Some(observer) = environment.observer.cast::<Observer<'_, 32>>().as_mut() else { return };
        (&*environment, &*environment.warp, observer, (*environment.state).mask)
    };
    let Some(told) = environment.native.told.get(number as usize) else { return };
    let Environment { func, frame, .. } = *environment;
    if !observer.wants(func, told.pc) {
        return;
    }
    let kind = if told.is_store { AccessKind::Write(told.op.access) } else { AccessKind::Read(told.op.access) };
    let Some(lanes) = lanes(told) else { return };
    observer.hooks.on_access(
        warp,
        &AccessEvent {
            site: Site { func, pc: told.pc },
            frame,
            mask,
            kind,
            space: if matches!(told.op.space, Space::Shared | Space::Local) { told.op.space } else { Space::Global },
            bytes: told.op.width.bytes(),
            lanes: &lanes,
            values: Values::Untold,
            order: None,
        },
    );
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt"))]
fn work_out(
    isa: Avx2,
    pattern: &mut crate::frame::lane_pattern::LanePattern<32>,
    key: PatternKey,
    code: &crate::code::PatternCode,
    words: &[[u32; 32]],
    longs: &[[u64; 32]],
    mask: u32,
) -> Option<bool> {
    pattern.work_out_by(isa, key, code, words, longs, mask)
}

/// What a register is when a kernel begins.
pub(super) fn initial(register: &Restored, args: &[Arg]) -> u64 {
    match register.param.and_then(|param| args.get(param)) {
        Some(Arg::Bits(bits)) => *bits,
        _ => 0,
    }
}

/// The state that compiled code goes on with at a barrier.
#[derive(Clone, Copy)]
pub(super) struct Next(*mut State);

impl Next {
    /// None: the code returns.
    pub(super) const NONE: Next = Next(std::ptr::null_mut());
}

/// The registers of a frame as compiled code sees them, and what the functions need that it calls.
pub(super) struct Linked<'a> {
    native: &'a NativeFunction,
    state: State,
    environment: Environment<'a>,
    threads: *mut [[u32; 32]; 3],
    /// The blocks that the state had when the code was entered.
    given: u32,
}

impl<'a> Linked<'a> {
    /// Links the frame `number`, in which the lanes of `mask` are about to run. `join` is where they wait for others.
    pub(super) fn new<'b, const W: usize>(
        native: &'a NativeFunction,
        interpreter: Interpreter<'a>,
        variant: &'a Variant,
        warp: &mut Warp<W>,
        (number, mask, join): (u32, u32, u32),
        ctx: &mut Context<'b>,
        polls: u32,
    ) -> Option<Linked<'a>>
    where
        'b: 'a,
    {
        let (open, keeps_order) = (warp.open, u32::from(warp.seed != 0));
        let is_alone = u32::from(warp.splits.len() == 1);
        let threads = thread_rows(&mut warp.threads, ctx.geometry.block, warp.number);
        let threads: *mut [[u32; 32]; 3] = std::ptr::from_mut(threads).cast();
        let local = warp.locals.get_mut(number as usize)?;
        let (local_rows, own_rows) = local.raw_rows();
        if W != 32 {
            return None;
        }
        let frame = warp.frames.get_mut(number as usize)?.as_deref_mut()?;
        let (word_rows, long_rows) = (frame.words.len(), frame.longs.len());
        let (words, longs) = (frame.words.as_mut_ptr(), frame.longs.as_mut_ptr());
        let environment = Environment {
            memory: ctx.memory,
            open,
            variant,
            patterns: frame.patterns.as_mut_ptr().cast(),
            words: words.cast_const().cast(),
            word_rows,
            longs: longs.cast_const().cast(),
            long_rows,
            state: std::ptr::null_mut(),
            interpreter,
            func: native.func,
            number: interpreter.program.code.get(native.func.index())?.variant(native.block),
            frame: number,
            warp: std::ptr::null_mut(),
            context: std::ptr::null_mut(),
            observer: std::ptr::null_mut(),
            native,
            points: 0,
            turns: 0,
            blocks: 0,
        };
        let state = State {
            preds: frame.preds.as_mut_ptr(),
            words: words.cast(),
            longs: longs.cast(),
            scalars: frame.scalars.as_mut_ptr(),
            windows: std::ptr::null_mut(),
            patterns: environment.patterns.cast(),
            budget: ctx.budget,
            writes: warp.writes,
            statements: 0,
            polls,
            mask,
            join,
            keeps_order,
            is_alone,
            pc: 0,
            left_loop: 0,
            left_last: 0,
            left_polls: 0,
            entered: mask,
            next: std::ptr::null_mut(),
            first: std::ptr::null_mut(),
            resumed: State::NONE,
            one_ended: 0,
            turns: 0,
            turn_step: 0,
            blocks: 0,
            block_turns: 0,
            turn_row: std::ptr::null_mut(),
            initial: std::ptr::null(),
            begun: 0,
            number: 0,
            returned: 0,
            shared: ctx.shared.as_mut_ptr(),
            shared_len: ctx.shared.len() as u64,
            local_base: frame.local_base,
            local_rows,
            own_rows,
            threads: threads.cast_const().cast(),
            geometry: (&raw mut ctx.geometry).cast(),
            refill,
            find_pages,
            update_pattern,
            operate,
            tell,
            tell_lanes,
            quiet: Default::default(),
            user: std::ptr::null_mut(),
            mask_words: MaybeUninit::uninit(),
            mask_longs: MaybeUninit::uninit(),
        };
        Some(Linked { native, state, environment, threads, given: 0 })
    }

    /// Makes the registers as they are when the warp of that number begins, which runs as the one before it did.
    pub(super) fn begin(&mut self, number: u32, mask: u32, args: &[Arg]) {
        let state = &mut self.state;
        (state.mask, state.entered, state.polls) = (mask, mask, 0);
        (state.join, state.is_alone) = (NO_RECONVERGENCE, 1);
        let block = self.native.block;
        // SAFETY: these are the rows of thread indices, the patterns, the local memory and the registers of the frame, which nobody else
        // uses while this lives. Places that are restored are registers of the function.
        unsafe {
            write_threads(&mut *self.threads, block, number);
            for pattern in 0..self.environment.variant.patterns.len() {
                (*self.environment.patterns.add(pattern)).head.mask = 0;
            }
            // Not for no bytes: where nothing is allocated, even a masked store of none is trapped and takes 100 ns.
            if state.own_rows > 0 {
                std::ptr::write_bytes(state.local_rows, 0, state.own_rows as usize * 32);
            }
            for restored in &self.native.restored {
                let bits = initial(restored, args);
                let at = restored.slot as usize;
                match restored.class {
                    Class::Scalar => *state.scalars.add(at) = bits,
                    Class::Pred => *state.preds.add(at) = if bits & 1 != 0 { u32::MAX } else { 0 },
                    Class::Word => *state.words.cast::<[u32; 32]>().add(at) = [bits as u32; 32],
                    Class::Long => *state.longs.cast::<[u64; 32]>().add(at) = [bits; 32],
                }
            }
        }
    }

    /// Has the code go on with the warps behind the one of that number, as far as they differ from the one before in one thread index
    /// alone, and with `blocks` that follow. All lanes of that warp run, and it has not begun. `values` are those that [`initial`] gives
    /// for the registers.
    pub(super) fn take_turns_from(&mut self, number: u32, values: &'a [u64], blocks: u32) {
        let line = self.native.line;
        let is_plain = self.state.own_rows == 0 && values.len() == self.native.restored.len();
        let turns = if is_plain { line.behind(number) } else { 0 };
        // Blocks follow where all warps of one take turns.
        let threads: u32 = self.native.block.iter().product();
        let blocks = if is_plain && line.has_all(threads / 32) { blocks } else { 0 };
        // SAFETY: there are three rows.
        self.state.turn_row = unsafe { self.threads.cast::<[u32; 32]>().add(line.row) }.cast();
        (self.state.turns, self.state.turn_step, self.state.initial) = (turns, line.step, values.as_ptr());
        (self.state.blocks, self.state.block_turns) = (blocks, line.behind(0));
        (self.environment.turns, self.environment.blocks, self.given) = (turns, blocks, blocks);
    }

    /// Sets the schedule points since the last progress.
    pub(super) fn set_polls(&mut self, polls: u32) {
        self.state.polls = polls;
    }

    /// Runs from `entry` on, for the warp and with the context that it was linked with; counts the budget of the context down and
    /// the points of the warp up. The observer is told what it wants to know.
    #[inline(always)]
    pub(super) fn run<const W: usize>(
        &mut self,
        entry: Entry,
        warp: &mut Warp<W>,
        ctx: &mut Context<'_>,
        observer: Option<&mut Observer<'_, W>>,
    ) -> Entered {
        self.start(ctx);
        let observer = observer.map_or(std::ptr::null_mut(), |o| std::ptr::from_mut(o).cast());
        let points = warp.points;
        self.prepare((&raw mut *warp).cast(), points, (&raw mut *ctx).cast(), observer);
        self.chain(0, Next::NONE);
        let (outcome, _) = self.call(entry);
        if self.environment.turns > 0 || self.given > 0 {
            self.end_turns(ctx);
        }
        self.leave(outcome, warp, ctx)
    }

    /// The code has returned: the warp and the context know of the turns that it has taken, and it takes no more. Lanes that part go on
    /// from elsewhere.
    #[inline(never)]
    fn end_turns(&mut self, ctx: &mut Context<'_>) {
        // SAFETY: the code has returned, and the warp is borrowed exclusively by the caller.
        unsafe { self.environment.catch_up() };
        ctx.blocks -= self.given - self.state.blocks;
        (self.state.turns, self.environment.turns) = (0, 0);
        (self.state.blocks, self.environment.blocks, self.given) = (0, 0, 0);
    }

    /// The code begins on this state, with what the context has.
    pub(super) fn start(&mut self, ctx: &mut Context<'_>) {
        let state = &mut self.state;
        state.windows = ctx.windows.at(ctx.memory.generation());
        state.geometry = (&raw mut ctx.geometry).cast();
        (state.budget, state.begun, state.statements) = (ctx.budget, ctx.budget, ctx.statements);
    }

    /// Notes what the functions need that the code calls: the warp, the points that it has passed, the context, and the observer or null.
    pub(super) fn prepare(&mut self, warp: *mut Warp<32>, points: u64, context: *mut c_void, observer: *mut c_void) {
        let environment = &mut self.environment;
        (environment.warp, environment.context, environment.observer) = (warp, context, observer);
        (environment.state, environment.points) = (&raw mut self.state, points);
        self.state.user = (&raw mut self.environment).cast();
        self.state.quiet = Default::default();
    }

    /// Has the code go on with another state when all lanes of this one have come to a barrier. Gives this one, to be that of another;
    /// `number` is its own.
    pub(super) fn chain(&mut self, number: usize, next: Next) -> Next {
        let state = &mut self.state;
        (state.number, state.next, state.first, state.begun) =
            (number as u32, next.0, std::ptr::null_mut(), state.budget);
        Next(&raw mut self.state)
    }

    /// Has the code go on with the first state behind a barrier when all warps of the block have come to it.
    pub(super) fn close_chain(&mut self, first: Next) {
        (self.state.first, self.state.one_ended) = (first.0, 0);
    }

    /// The operation behind the last barrier that the code has completed, if it has: asked of the first state, once.
    pub(super) fn take_resumed(&mut self) -> Option<u32> {
        Some(std::mem::replace(&mut self.state.resumed, State::NONE)).filter(|&pc| pc != State::NONE)
    }

    /// Runs the code on this state and those that it is chained to, which are prepared; gives the number of that with which it returned.
    pub(super) fn call(&mut self, entry: Entry) -> (Outcome, usize) {
        // SAFETY: the code was made for this function and block shape: its slots, patterns and windows are those of the frame. The
        // warp is borrowed exclusively, so nobody else uses them; and so are those whose states follow. Stores go through windows
        // that the view allows to be written.
        let outcome = unsafe { self.native.code.run(entry, &raw mut self.state) };
        (outcome, self.state.returned as usize)
    }

    /// What the code has come to on this state, with which it returned.
    pub(super) fn leave<const W: usize>(&self, outcome: Outcome, warp: &mut Warp<W>, ctx: &mut Context<'_>) -> Entered {
        (ctx.budget, ctx.statements) = (self.state.budget, self.state.statements);
        warp.points = self.points();
        Entered {
            pc: self.state.pc,
            mask: if outcome == Outcome::Left { 0 } else { self.state.mask },
            left_loop: self.state.left_loop,
            left_last: self.state.left_last,
            polls: self.state.polls,
            left_polls: self.state.left_polls,
        }
    }

    /// Points that the warp has passed.
    pub(super) fn points(&self) -> u64 {
        self.environment.points.wrapping_add(self.state.begun).wrapping_sub(self.state.budget)
    }

    /// The barrier or the end that all lanes have come to, if the code went on with another state, and the points since the last
    /// progress.
    pub(super) fn came_to(&self) -> (u32, u32) {
        (self.state.pc, self.state.polls)
    }

    /// The lanes that run.
    pub(super) fn lanes(&self) -> u32 {
        self.state.entered
    }

    /// The number of the frame.
    pub(super) fn frame(&self) -> u32 {
        self.environment.frame
    }

    /// The operation at a place.
    pub(super) fn operation(&self, pc: u32) -> Option<&'a Op> {
        self.environment.variant.ops.get(pc as usize)
    }

    /// Where the code may be entered at an operation.
    pub(super) fn entry(&self, pc: u32, is_full: bool) -> Option<Entry> {
        self.native.entry(pc, is_full)
    }

    /// Has other lanes of the warp run in the frame: these, where they wait for others, and points since their last progress.
    pub(super) fn switch_to<const W: usize>(
        &mut self,
        warp: &mut Warp<W>,
        (mask, join, polls): (u32, u32, u32),
        is_alone: bool,
    ) {
        if let Some(frame) = warp.frame_mut(self.environment.frame)
            && frame.active_lanes != mask
        {
            frame.switch_to(mask);
        }
        let state = &mut self.state;
        (state.mask, state.entered, state.join, state.polls) = (mask, mask, join, polls);
        state.is_alone = u32::from(is_alone);
    }

    /// Gives the counters back.
    pub(super) fn finish<const W: usize>(self, warp: &mut Warp<W>) {
        warp.writes = self.state.writes;
    }
}

/// Runs the current split from `entry` on. `join` is where its lanes wait for others.
pub(crate) fn enter<const W: usize>(
    native: &NativeFunction,
    entry: Entry,
    (interpreter, variant): (Interpreter<'_>, &Variant),
    warp: &mut Warp<W>,
    (number, mask, join): (u32, u32, u32),
    (ctx, observer): (&mut Context<'_>, Option<&mut Observer<'_, W>>),
    polls: u32,
) -> Option<After> {
    let code = interpreter.program.code.get(native.func.index())?;
    let mut linked = Linked::new(native, interpreter, variant, warp, (number, mask, join), ctx, polls)?;
    let after = linked.run_splits(code, entry, warp, ctx, observer);
    linked.finish(warp);
    Some(after)
}

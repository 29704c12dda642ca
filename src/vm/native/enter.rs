//! Runs a split by compiled code, as far as it goes.
#![allow(unsafe_code)] // Hands the registers of a frame to compiled code.

use crate::code::{NativeFunction, Variant};
use crate::frame::Frame;
use crate::memory::slow_path::allowed;
use crate::simd::Avx2;
use crate::warp::{Context, Warp, thread_rows};
use jit::{Entry, Outcome, State, Window};
use mem::MemoryView;
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// How compiled code was left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    /// Where the lanes that still run go on.
    pub(crate) pc: u32,
    /// These lanes; none if all have left a loop.
    pub(crate) mask: u32,
    /// The loop that others have left, if the mask is not the one that entered.
    pub(crate) left_loop: u32,
    /// The lanes that left it last, if all have.
    pub(crate) left_last: u32,
    /// Points since the last progress.
    pub(crate) polls: u32,
}

/// What the functions that compiled code calls need.
struct Environment<'a> {
    memory: MemoryView<'a>,
    open: u64,
    variant: &'a Variant,
    windows: *mut Window,
    filled: *mut u64,
    patterns: *mut crate::frame::lane_pattern::LanePattern<32>,
    words: *const [u32; 32],
    word_rows: usize,
    longs: *const [u64; 32],
    long_rows: usize,
    state: *const State,
}

/// Fills the entry of the table of windows for an access.
extern "C" fn refill(user: *mut c_void, address: u64, extent: u64, salt: u32, writes: bool) -> bool {
    // SAFETY: `enter` gave this pointer, and waits in compiled code.
    let environment = unsafe { &mut *user.cast::<Environment<'_>>() };
    if !allowed(environment.open, address) {
        return false;
    }
    let Some(found) = environment.memory.window(address, writes) else { return false };
    if found.len < extent || address.wrapping_sub(found.low) > found.len - extent {
        return false;
    }
    // SAFETY: the table has so many entries.
    let windows = unsafe { std::slice::from_raw_parts_mut(environment.windows, 2 * Window::COUNT) };
    if writes {
        // The page may have been replaced by a copy, and others still see the old one.
        let stale = windows[..Window::COUNT].iter_mut().filter(|w| w.low == found.low);
        stale.for_each(|window| *window = Window::EMPTY);
    }
    let window = Window { low: found.low, len: found.len, place: found.place, rest: 0 };
    let entry = Window::entry(address, salt, writes);
    windows[entry] = window;
    // SAFETY: it is that of the frame, which nobody else uses meanwhile.
    unsafe { *environment.filled |= 1 << entry };
    true
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
        work_out(Avx2::assume(), &mut *environment.patterns.add(number as usize), code, words, longs, mask);
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt"))]
fn work_out(
    isa: Avx2,
    pattern: &mut crate::frame::lane_pattern::LanePattern<32>,
    code: &crate::code::PatternCode,
    words: &[[u32; 32]],
    longs: &[[u64; 32]],
    mask: u32,
) {
    pattern.work_out(isa, code, words, longs, mask);
}

/// Runs the current split from `entry` on. `join` is where its lanes wait for others.
pub(crate) fn enter<const W: usize>(
    native: &NativeFunction,
    entry: Entry,
    variant: &Variant,
    warp: &mut Warp<W>,
    (number, mask, join): (u32, u32, u32),
    ctx: &mut Context<'_>,
    polls: u32,
) -> Option<Entered> {
    let (open, keeps_order) = (warp.open, u32::from(warp.seed != 0));
    let threads: *const u32 = thread_rows(&mut warp.threads, ctx.geometry.block, warp.number).as_ptr().cast();
    let local = warp.locals.get_mut(number as usize)?;
    let (local_rows, local_len) = local.raw_rows();
    if W != 32 {
        return None;
    }
    let frame: &mut Frame<W> = warp.frames.get_mut(number as usize)?.as_mut()?;
    let generation = ctx.memory.generation();
    if frame.generation != generation || frame.windows.is_empty() {
        frame.windows.resize(2 * Window::COUNT, Window::EMPTY);
        while frame.filled != 0 {
            frame.windows[frame.filled.trailing_zeros() as usize] = Window::EMPTY;
            frame.filled &= frame.filled - 1;
        }
        frame.generation = generation;
    }
    let (word_rows, long_rows) = (frame.words.len(), frame.longs.len());
    let (words, longs) = (frame.words.as_mut_ptr(), frame.longs.as_mut_ptr());
    let mut environment = Environment {
        memory: ctx.memory,
        open,
        variant,
        windows: frame.windows.as_mut_ptr(),
        filled: &raw mut frame.filled,
        patterns: frame.patterns.as_mut_ptr().cast(),
        words: words.cast_const().cast(),
        word_rows,
        longs: longs.cast_const().cast(),
        long_rows,
        state: std::ptr::null(),
    };
    let mut state = State {
        preds: frame.preds.as_mut_ptr(),
        words: words.cast(),
        longs: longs.cast(),
        scalars: frame.scalars.as_mut_ptr(),
        windows: frame.windows.as_mut_ptr(),
        patterns: frame.patterns.as_mut_ptr().cast(),
        budget: ctx.budget,
        writes: warp.writes,
        polls,
        mask,
        join,
        keeps_order,
        pc: 0,
        left_loop: 0,
        left_last: 0,
        entered: mask,
        shared: ctx.shared.as_mut_ptr(),
        shared_len: ctx.shared.len() as u64,
        local_base: frame.local_base,
        local_rows,
        local_len,
        threads,
        geometry: (&raw const ctx.geometry).cast(),
        refill,
        update_pattern,
        user: std::ptr::null_mut(),
        mask_words: MaybeUninit::uninit(),
        mask_longs: MaybeUninit::uninit(),
    };
    let state_at = &raw mut state;
    environment.state = state_at;
    // SAFETY: the pointer is that of the state.
    unsafe { (*state_at).user = (&raw mut environment).cast() };
    // SAFETY: the code was made for this function and block shape: its slots, patterns and windows are those of the frame. The
    // warp is borrowed exclusively, so nobody else uses them. Stores go through windows that the view allows to be written.
    let outcome = unsafe { native.code.run(entry, state_at) };
    ctx.budget = state.budget;
    warp.writes = state.writes;
    Some(Entered {
        pc: state.pc,
        mask: if outcome == Outcome::Left { 0 } else { state.mask },
        left_loop: state.left_loop,
        left_last: state.left_last,
        polls: state.polls,
    })
}

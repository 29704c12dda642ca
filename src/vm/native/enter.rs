//! Runs a split by compiled code, as far as it goes.
#![allow(unsafe_code)] // Hands the registers of a frame to compiled code.

use crate::code::{NativeFunction, Variant};
use crate::frame::Frame;
use crate::memory::slow_path::allowed;
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
    native: &'a NativeFunction,
    variant: &'a Variant,
    windows: *mut Window,
    patterns: *mut crate::frame::lane_pattern::LanePattern<32>,
    words: *const [u32; 32],
    word_rows: usize,
    longs: *const [u64; 32],
    long_rows: usize,
    state: *const State,
}

/// Fills the window of an access.
extern "C" fn refill(user: *mut c_void, number: u32, address: u64) -> bool {
    // SAFETY: `enter` gave this pointer, and waits in compiled code.
    let environment = unsafe { &mut *user.cast::<Environment<'_>>() };
    let Some(Some(access)) = environment.native.windows.get(number as usize) else { return false };
    if !allowed(environment.open, address) {
        return false;
    }
    let Some(found) = environment.memory.window(address, access.writes) else { return false };
    let Some(limit) = found.len.checked_sub(access.extent) else { return false };
    if address.wrapping_sub(found.low) > limit {
        return false;
    }
    if access.writes {
        // The page may have been replaced by a copy, and others still see the old one.
        for (i, other) in environment.native.windows.iter().enumerate() {
            if other.is_some_and(|other| !other.writes) {
                // SAFETY: there is a window for each number.
                unsafe { *environment.windows.add(i) = Window::EMPTY };
            }
        }
    }
    // SAFETY: as above.
    unsafe { *environment.windows.add(number as usize) = Window { low: found.low, limit, place: found.place } };
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
        work_out(&mut *environment.patterns.add(number as usize), code, words, longs, mask);
    }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt"))]
fn work_out(
    pattern: &mut crate::frame::lane_pattern::LanePattern<32>,
    code: &crate::code::PatternCode,
    words: &[[u32; 32]],
    longs: &[[u64; 32]],
    mask: u32,
) {
    pattern.work_out::<{ crate::simd::AVX2 }>(code, words, longs, mask);
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
    if frame.generation != generation || frame.windows.len() != native.windows.len() {
        frame.windows.clear();
        frame.windows.resize(native.windows.len(), Window::EMPTY);
        frame.generation = generation;
    }
    let [block, cta, grid] = [ctx.geometry.block, ctx.geometry.cta, ctx.geometry.grid];
    let mut geometry = [0; 9];
    for (to, from) in geometry.iter_mut().zip(block.into_iter().chain(cta).chain(grid)) {
        *to = u64::from(from);
    }
    let mut environment = Environment {
        memory: ctx.memory,
        open,
        native,
        variant,
        windows: frame.windows.as_mut_ptr(),
        patterns: frame.patterns.as_mut_ptr().cast(),
        words: frame.words.as_ptr().cast(),
        word_rows: frame.words.len(),
        longs: frame.longs.as_ptr().cast(),
        long_rows: frame.longs.len(),
        state: std::ptr::null(),
    };
    let mut state = State {
        preds: frame.preds.as_mut_ptr(),
        words: frame.words.as_mut_ptr().cast(),
        longs: frame.longs.as_mut_ptr().cast(),
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
        geometry,
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

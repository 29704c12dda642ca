//! A state without rows, windows and memory, whose functions do nothing. Tests replace what their code needs.

use jit::State;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

extern "C" fn refill(_: *mut c_void, _: u64, _: u64, _: u32, _: bool) -> bool {
    false
}

extern "C" fn find_pages(_: *mut c_void, _: u32, _: u64) -> bool {
    false
}

extern "C" fn update_pattern(_: *mut c_void, _: u32) {}

extern "C" fn operate(_: *mut c_void, _: u32) -> bool {
    false
}

extern "C" fn tell(_: *mut c_void, _: u32, _: u64) {}

extern "C" fn tell_lanes(_: *mut c_void, _: u32, _: u64, _: *const [u64; 32]) {}

/// The state of a warp in which these lanes run.
pub(crate) fn state(mask: u32) -> State {
    State {
        preds: null_mut(),
        words: null_mut(),
        longs: null_mut(),
        scalars: null_mut(),
        windows: null_mut(),
        patterns: null_mut(),
        budget: 0,
        writes: 0,
        statements: 0,
        polls: 0,
        mask,
        join: u32::MAX,
        keeps_order: 0,
        is_alone: 1,
        pc: 0,
        left_loop: 0,
        left_last: 0,
        left_polls: 0,
        entered: mask,
        next: null_mut(),
        first: null_mut(),
        resumed: State::NONE,
        one_ended: 0,
        turns: 0,
        turn_step: 0,
        blocks: 0,
        block_turns: 0,
        turn_row: null_mut(),
        initial: null(),
        begun: 0,
        number: 0,
        returned: 0,
        shared: null_mut(),
        shared_len: 0,
        local_base: 0,
        local_rows: null_mut(),
        own_rows: 0,
        threads: null(),
        geometry: null_mut(),
        refill,
        find_pages,
        update_pattern,
        operate,
        tell,
        tell_lanes,
        quiet: Default::default(),
        user: null_mut(),
        mask_words: MaybeUninit::uninit(),
        mask_longs: MaybeUninit::uninit(),
    }
}

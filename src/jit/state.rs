//! What compiled code works on: a table of pointers and counters whose layout both sides know.
//!
//! Not here: how the table is filled (`vm`).
#![allow(unsafe_code)] // A window moves with its warp from thread to thread.

use crate::segment::PatternKey;
use std::ffi::c_void;
use std::mem::MaybeUninit;

/// A range of addresses whose bytes lie at consecutive places of this process.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Window {
    /// The first address.
    pub low: u64,
    /// How many bytes.
    pub len: u64,
    /// Where the byte at `low` is.
    pub place: *mut u8,
    /// Nothing: a window takes a power of two of bytes, so that its place in a table is found by a shift.
    pub rest: u64,
}

// SAFETY: a window is a note of where bytes were. Who uses the pointer asks first whether the note still holds.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    /// A window that no access lies in.
    pub const EMPTY: Window = Window { low: u64::MAX, len: 0, place: std::ptr::null_mut(), rest: 0 };

    /// The entry of a table of windows in which that of an address is kept: a table has [`Window::COUNT`] of them to read and as many
    /// to write. Accesses differ in `salt`, so that those of several arrays do not share an entry.
    pub fn entry(address: u64, salt: u32, writes: bool) -> usize {
        let bucket = ((address >> Window::SHIFT) as usize).wrapping_add(salt as usize);
        bucket % Window::COUNT + if writes { Window::COUNT } else { 0 }
    }

    /// Windows of a table to read, and to write: enough for columns of a matrix that are pages apart.
    pub const COUNT: usize = 128;

    /// Entries of a table behind the windows, for the allocations of [`crate::Indexed`] loads and as many for those of stores: `low`
    /// and `len` are the allocation's, and `place` points to the places of its pages of two to the power of [`Window::PAGE`]
    /// bytes, a word of 64 bits each, whose lowest bit is set if the page is not to be written; 0 is a page of zeros.
    pub const ALLOCATIONS: usize = 16;

    /// The entry of the allocation of the accesses of a number, counted from the first entry of an allocation.
    pub fn allocation_entry(number: u32, writes: bool) -> usize {
        number as usize % Window::ALLOCATIONS + if writes { Window::ALLOCATIONS } else { 0 }
    }

    /// Addresses that share an entry of a table differ in the bits from this one on: windows mostly have more bytes.
    pub const SHIFT: u32 = 20;

    /// See [`Window::ALLOCATIONS`].
    pub const PAGE: u32 = 16;
}

/// The part of a lane pattern that compiled code reads.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct PatternHead {
    /// The value of lane 0.
    pub first: i64,
    /// How the lanes differ; [`PatternKey::IRREGULAR`] if there is no rule.
    pub key: PatternKey,
    /// The lanes that it holds for.
    pub mask: u32,
    /// By how much compiled code last changed `first`: what is loaded next is mostly as far away. Only speed depends on it.
    pub advance: i32,
}

impl PartialEq for PatternHead {
    fn eq(&self, other: &PatternHead) -> bool {
        (self.first, self.key, self.mask) == (other.first, other.key, other.mask)
    }
}

/// Why compiled code returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Outcome {
    /// The interpreter goes on at [`State::pc`].
    Continue = 0,
    /// All lanes have left the loop [`State::left_loop`], the last of them those of [`State::left_last`].
    Left = 1,
}

impl State {
    /// No operation.
    pub const NONE: u32 = u32::MAX;
    /// Entries of [`State::quiet`].
    pub const QUIET: usize = 16;
}

/// What compiled code works on.
#[derive(Debug)]
#[repr(C)]
pub struct State {
    /// Predicates, one word each.
    pub preds: *mut u32,
    /// Rows of 32 words of 32 bits.
    pub words: *mut u32,
    /// Rows of 32 words of 64 bits.
    pub longs: *mut u64,
    /// Scalars.
    pub scalars: *mut u64,
    /// A table of windows.
    pub windows: *mut Window,
    /// The first lane pattern; each begins with a [`PatternHead`].
    pub patterns: *mut u8,
    /// Schedule points that are left.
    pub budget: u64,
    /// Stores so far.
    pub writes: u64,
    /// Statements begun so far.
    pub statements: u64,
    /// Schedule points since the last store.
    pub polls: u32,
    /// The lanes that run.
    pub mask: u32,
    /// The operation at which these lanes wait for others.
    pub join: u32,
    /// Whether lanes of a loop may not leave one after another.
    pub keeps_order: u32,
    /// Whether all lanes that live are those that ran when the code was entered: then none is overtaken if those that have left a loop
    /// go on behind it.
    pub is_alone: u32,
    /// Where the interpreter goes on.
    pub pc: u32,
    /// The loop that lanes have left.
    pub left_loop: u32,
    /// The lanes that left it last.
    pub left_last: u32,
    /// Schedule points of the lanes that left it first since the last store.
    pub left_polls: u32,
    /// The lanes that ran when the code was entered.
    pub entered: u32,
    /// The state that the code goes on with when all lanes of this one have come to a barrier ([`crate::Routine::barriers`]) or have ended
    /// ([`crate::Routine::ends`]), from the same entry on; null if it returns then. It takes over what is left of the budget, less one
    /// point for a barrier, the statements and the windows.
    pub next: *mut State,
    /// The first of the chained states, if these are all warps of the block and nobody wants to know of barriers: where the last comes to
    /// the barrier at which the others are, the code goes on with the first, at the operation behind the barrier. Then each has passed no
    /// point since the last store. Null otherwise.
    pub first: *mut State,
    /// In the first state: the operation behind the last barrier that the code has completed; [`State::NONE`] if it has not.
    pub resumed: u32,
    /// In the first state: 1 if a warp of the chain has ended, and so will not come to a barrier; the code completes none then.
    pub one_ended: u32,
    /// How many warps of the block begin when all lanes of the one before have ended ([`crate::Routine::ends`]), from the same entry on
    /// and in the same registers; counted down. Each has lanes that run all, and no point passed.
    pub turns: u32,
    /// By how much the thread index of a warp is greater than that of the one before.
    pub turn_step: u32,
    /// The row of that index.
    pub turn_row: *mut u32,
    /// How many blocks, one behind the other in the first dimension of the grid, begin when the turns are over, from the same entry on
    /// and in the same registers; counted down.
    pub blocks: u32,
    /// The turns behind the first warp of each of these blocks.
    pub block_turns: u32,
    /// What the registers of [`crate::Routine::restored`] are then, in all lanes: a word of 64 bits each.
    pub initial: *const u64,
    /// The budget with which the code began on this state or on the warp, if it came from another one, and the points that it has passed
    /// on this state before.
    pub begun: u64,
    /// A number of this state's own.
    pub number: u32,
    /// In the state that the code was entered with: the number of the state with which it returned.
    pub returned: u32,
    /// Shared memory of the block.
    pub shared: *mut u8,
    /// Its bytes.
    pub shared_len: u64,
    /// Address of the local memory of the frame.
    pub local_base: u64,
    /// Rows of local memory: a word of 32 bits of each lane, then the next.
    pub local_rows: *mut u32,
    /// Rows from the first on that are zero when a warp begins.
    pub own_rows: u64,
    /// Three rows: the thread indices of the lanes.
    pub threads: *const u32,
    /// Block extents, block index and grid extents.
    pub geometry: *mut u32,
    /// Fills the entry of a table of windows for an access, given `user`, the lowest address, how many bytes it reaches, its salt and
    /// whether it writes. False if there is no window for so many bytes.
    pub refill: extern "C" fn(*mut c_void, u64, u64, u32, bool) -> bool,
    /// Fills the entry of an allocation in a table of windows, given `user`, the entry and an address in it. False if it cannot, or
    /// if that allocation was there.
    pub find_pages: extern "C" fn(*mut c_void, u32, u64) -> bool,
    /// Works a lane pattern out, given `user` and its number.
    pub update_pattern: extern "C" fn(*mut c_void, u32),
    /// Does an operation, given `user` and its number, for the lanes of `mask`, with its schedule point. False if the interpreter
    /// has to: nothing was done, or what is the same when it is done again.
    pub operate: extern "C" fn(*mut c_void, u32) -> bool,
    /// Told of an access that is about to be done ([`crate::Segment::told`]): `user`, its number, and the lowest address of a lane.
    pub tell: extern "C" fn(*mut c_void, u32, u64),
    /// Told of an access of lanes that lie anywhere, which was done ([`crate::Indexed::told`]): `user`, its number, an address, and how
    /// far behind it the word of each lane is, which means nothing for lanes that do not run.
    pub tell_lanes: extern "C" fn(*mut c_void, u32, u64, *const [u64; 32]),
    /// By the number of an access of lanes that lie anywhere in one allocation: between which addresses `tell_lanes` need not be told of
    /// it, the second one behind them. Those of greater numbers it is always told of.
    pub quiet: [[u64; 2]; State::QUIET],
    /// What the functions are given.
    pub user: *mut c_void,
    /// A word for each lane that the code writes: all bits one if it is active, else zero.
    pub mask_words: MaybeUninit<[u32; 32]>,
    /// The same in 64 bits.
    pub mask_longs: MaybeUninit<[u64; 32]>,
}

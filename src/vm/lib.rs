//! The executor: compiles IR to compact code and runs it.
//!
//! [`compile`] turns IR functions into flat operations over slots of a frame. [`Warp::run`] executes a [`Warp`] of `W` lanes: 32
//! for kernels, 1 for the host. Each operation is dispatched once and done for all active lanes in a loop that becomes vector
//! code.
//!
//! State is explicit (invariant I8): frames, splits and program counters are data. A warp can be stopped before any operation,
//! cloned and resumed. It never blocks; it returns a [`Stop`] that says why.
//!
//! # Divergence
//!
//! A warp is a set of splits, each with a mask of lanes and a program counter. A branch on which lanes disagree divides its
//! split. Both parts meet again at the immediate post-dominator of the branch. A split waits there only while another can run
//! and has not polled for [`POLL_QUANTUM`] schedule points. Where they meet shows only in speed and in `activemask`.
//!
//! # Rooms
//!
//! `code` defines operations and programs, `compile` makes them from IR, `frame` holds registers, `memory` local and shared
//! memory, `simd` the loops over lanes, `warp` splits, frames and requests, `observe` hooks and inspection, `exec` runs it all.
//! Other crates see registers of the IR, sites and splits (`observe::inspect`), never slots or operations.
//!
//! Not here: blocks and barriers (`emu`), services of the run time (`host`, `emu`), the wording of faults (`finding`).

#[macro_use]
mod code;

mod compile;
mod exec;
mod frame;
mod memory;
mod native;
mod observe;
mod simd;
mod warp;

pub use code::{Engine, InstructionSet, Program, Site};
pub use compile::{LoadError, compile};
pub use exec::run_together;
pub use frame::Frame;
pub use jit::warm_up;
pub use memory::windows::WindowTable;
pub use observe::{
    AccessEvent, AccessKind, Activation, Before, CopyOnlyRegs, Hooks, QuietZone, SilentSites, SplitView, Values,
    is_within,
};
pub use warp::{
    Arg, Atomics, Context, Fault, FaultKind, Geometry, HostStack, LaunchRequest, RtRequest, Services, State, Stop,
    Warp, WarpSync,
};

/// Schedule points that a split may pass without making progress before others get their turn.
pub const POLL_QUANTUM: u32 = 1 << 14;

/// Schedule points that an atomic which changes nothing counts as in a poll: few but those who wait for a lock execute many.
const POLL_ATOMIC: u32 = 16;

//! Compact code and the lane executor.
//!
//! [`compile`] turns IR functions into [`Code`]: flat operations over slots of a frame, one slot a register, with the place
//! where the lanes of a branch meet again. [`Warp::run`] executes a [`Warp`] of `W` lanes: 32 for kernels, 1 for the host. An
//! operation is dispatched once and done for all active lanes in a loop that becomes vector code.
//!
//! State is explicit (invariant I8): frames, fragments and program counters are data, so that a warp can be stopped
//! before any operation, cloned and resumed. It never blocks: it returns a [`Stop`] that says why.
//!
//! # Divergence
//!
//! A warp is a set of fragments, each with a mask of lanes and a program counter. A branch whose lanes disagree splits its
//! fragment; both parts meet again at the branch's immediate post-dominator, where a fragment waits only while another can
//! run and has not polled for [`POLL_QUANTUM`] schedule points. Only speed and `activemask` depend on where they meet.
//!
//! Not here: blocks and barriers (`emu`), services of the run time (`host`, `emu`), what a fault is called (`finding`).

#[macro_use]
mod compute;

mod abreast;
mod access;
mod after;

mod code;
mod compile;
mod copies;
mod exec;
mod file;
mod fragment;
mod frame;
mod hooks;
mod inspect;
mod instructions;
mod isa;
mod layout;
mod local;
mod meet;
mod operands;
mod plan;
mod rare;
mod reach;
mod rounds;
mod rows;
mod scalars;
mod select;
mod sight;
mod spread;
mod tight;
mod warp;
mod whirl;
mod window;
mod wire;

pub use code::{Program, Site};
pub use compile::{LoadError, compile};
pub use copies::CopyOnlyRegs;
pub use fragment::State;
pub use frame::Frame;
pub use hooks::{AccessEvent, AccessKind, Atomics, Before, Hooks, SilentSites, Values};
pub use inspect::{Activation, SplitView};
pub use isa::InstructionSet;
pub use meet::Meeting;
pub use warp::{Arg, Context, Fault, FaultKind, Geometry, HostStack, LaunchRequest, RtRequest, Stop, Warp};

/// Schedule points that a fragment may pass without making progress before others get their turn.
pub const POLL_QUANTUM: u32 = 1 << 14;

/// Schedule points that an atomic which changes nothing counts as in a poll: few but those who wait for a lock execute many.
const POLL_ATOMIC: u32 = 16;

//! Why a run of a warp ends, and what it asks for then. Plain data except for the places of arguments.

use crate::code::Site;
use crate::frame::SlotRef;
use crate::warp::sync::WarpSync;
use ir::rt::Rt;
use ir::{FuncId, Space, Trap};
use std::sync::Arc;

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
    /// No split can run: all wait at barriers or warp synchronisations.
    Waiting,
    /// Those that can run only poll.
    Polling,
    /// A service is asked for; answer with [`Warp::answer`](crate::Warp::answer).
    Rt(RtRequest),
    /// Lanes launch a kernel, each its own; go on with [`Warp::answer`](crate::Warp::answer) and no results.
    Launch(Vec<LaunchRequest>),
    /// A hook asked to stop before a statement.
    Statement,
    /// Something went wrong; the split stays where it is.
    Fault(Fault),
}

/// A call of a service by the current split.
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

/// A launch by a lane of the current split.
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchRequest {
    /// The lane.
    pub lane: u32,
    /// The kernel.
    pub func: FuncId,
    /// Where it is launched.
    pub site: Site,
    /// Grid extents; all 0 for `*`.
    pub grid: [u32; 3],
    /// Block extents.
    pub block: [u32; 3],
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
    /// SYNCWARP, a vote or a match whose mask leaves out the caller.
    WarpMask {
        /// The operation.
        at: WarpSync,
        /// The mask.
        named: u32,
    },
}

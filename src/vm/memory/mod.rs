//! The memories of one access: global and host memory by address space, shared memory of the block, local memory of the lanes.
//!
//! Not here: how an instruction's addresses are computed (`frame::lane_pattern`, `exec::access`).

pub(crate) mod local;
pub(crate) mod shared_memory;
pub(crate) mod slow_path;
pub(crate) mod windows;

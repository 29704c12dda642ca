//! What a debugger may see of a running device.

use crate::command::KernelLaunch;
use ir::{FuncId, Space};
use source::Span;

/// A warp is about to begin a statement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Statement {
    /// Number of the launch, from 1.
    pub launch: u64,
    /// Linear index of the block, from 0.
    pub block: u64,
    /// Number of the warp in its block.
    pub warp: u32,
    /// The lanes that begin it.
    pub mask: u32,
    /// The frame.
    pub frame: u32,
    /// How many calls deep, from 0.
    pub depth: u32,
    /// The function.
    pub func: FuncId,
    /// The operation in its compact code.
    pub pc: u32,
    /// Its place.
    pub span: Span,
}

/// A lane touched memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeviceAccess {
    /// Number of the launch.
    pub launch: u64,
    /// Linear index of the block.
    pub block: u64,
    /// Number of the warp.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
    /// Where: global, shared or local.
    pub space: Space,
    /// The address.
    pub address: u64,
    /// Bytes.
    pub bytes: u32,
    /// Whether it writes.
    pub write: bool,
    /// The bits: of a read or an atomic what was there, of a write what is written.
    pub value: u64,
    /// Its place.
    pub span: Span,
}

/// Sees a running device and may stop it. By default it wants to see nothing.
pub trait Observer {
    /// Whether it wants to see statements; asked once for each `advance`.
    fn wants_statements(&self) -> bool {
        false
    }

    /// Whether it wants to see accesses; asked once for each `advance`.
    fn wants_accesses(&self) -> bool {
        false
    }

    /// Whether it wants to know how many statements it does not see, and lets nothing go on behind a finding; asked once for each
    /// `advance`.
    fn counts_statements(&self) -> bool {
        false
    }

    /// A launch begins.
    fn on_launch(&mut self, _launch: &KernelLaunch) {}

    /// So many statements began that it does not want to see, of a block of a launch; those of the host have launch 0.
    fn on_unseen(&mut self, _launch: u64, _block: u64, _statements: u64) {}

    /// A warp is about to begin a statement; `true` stops the device before it. When the device continues, it does not ask
    /// again for the same one.
    fn on_statement(&mut self, _statement: &Statement) -> bool {
        false
    }

    /// A lane touched memory. The device stops before its warp's next statement if this says `true`.
    fn on_access(&mut self, _access: &DeviceAccess) -> bool {
        false
    }
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

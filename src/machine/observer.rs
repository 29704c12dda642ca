//! Who watches a machine: the device's observer, and the same for host code.

use device::{DeviceAccess, Statement};
use source::Span;
use vm::{AccessEvent, AccessKind, Hooks, Program, Site, Warp};

/// The host program is about to begin a statement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HostStatement {
    /// The operation.
    pub site: Site,
    /// Its frame.
    pub frame: u32,
    /// How many calls deep, from 0.
    pub depth: u32,
    /// Its place.
    pub span: Span,
}

/// Sees host and devices at work and may stop them.
pub trait Observer: device::Observer {
    /// Whether it wants to see statements of host code; asked once for each `advance`.
    fn wants_host_statements(&self) -> bool;

    /// Whether it wants to see accesses of host code; asked once for each `advance`.
    fn wants_host_accesses(&self) -> bool;

    /// The host program is about to begin a statement; `true` stops it there. When it goes on, it does not ask again.
    fn on_host_statement(&mut self, warp: &Warp<1>, statement: &HostStatement) -> bool;

    /// The host program touched memory (a write: is about to). It stops before its next statement if this says `true`.
    fn on_host_access(&mut self, address: u64, bytes: u32, write: bool, value: u64, span: Span) -> bool;
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl device::Observer for Silent {
    fn wants_statements(&self) -> bool {
        false
    }

    fn wants_accesses(&self) -> bool {
        false
    }

    fn on_statement(&mut self, _: &Statement) -> bool {
        false
    }

    fn on_access(&mut self, _: &DeviceAccess) -> bool {
        false
    }
}

impl Observer for Silent {
    fn wants_host_statements(&self) -> bool {
        false
    }

    fn wants_host_accesses(&self) -> bool {
        false
    }

    fn on_host_statement(&mut self, _: &Warp<1>, _: &HostStatement) -> bool {
        false
    }

    fn on_host_access(&mut self, _: u64, _: u32, _: bool, _: u64, _: Span) -> bool {
        false
    }
}

/// An observer as hooks of the executor.
pub(crate) struct HostHooks<'a> {
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) program: &'a Program,
    /// Whether it wants accesses.
    pub(crate) accesses: bool,
    /// An access asked to stop.
    pub(crate) stop: bool,
}

impl Hooks<1> for HostHooks<'_> {
    fn wants_accesses(&self) -> bool {
        self.accesses
    }

    fn wants_statements(&self) -> bool {
        true
    }

    fn on_access(&mut self, _: &Warp<1>, event: &AccessEvent<'_, 1>) {
        let address = event.lanes.address(0, event.bytes);
        let write = !matches!(event.kind, AccessKind::Read(_));
        let span = self.program.span(event.site);
        let value = event.values.get(0);
        self.stop |= self.observer.on_host_access(address, event.bytes as u32, write, value, span);
    }

    fn on_stmt(&mut self, warp: &Warp<1>, frame: u32, site: Site, _: u32) -> bool {
        let depth = warp.call_stack(frame, site.pc).len() as u32 - 1;
        let statement = HostStatement { site, frame, depth, span: self.program.span(site) };
        self.observer.on_host_statement(warp, &statement) | std::mem::take(&mut self.stop)
    }

    fn on_syncwarp(&mut self, _: &Warp<1>, _: u32) {}

    fn on_fence(&mut self, _: &Warp<1>, _: u32, _: ir::Scope) {}
}

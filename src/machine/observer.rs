//! The observer of a machine: that of the devices, and the same for host code.

use device::{Call, NoObserver};
use source::Span;
use vm::{Hooks, Program, Site, Warp};

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

/// Sees host and devices run and may stop them.
pub trait Observer: device::Observer {
    /// Whether it wants to see statements of host code; asked once for each `advance`.
    fn wants_host_statements(&self) -> bool {
        false
    }

    /// The host program is about to begin a statement; `true` stops it there. When it continues, it does not ask again.
    fn on_host_statement(&mut self, _warp: &Warp<1>, _statement: &HostStatement) -> bool {
        false
    }

    /// The host program makes a call of the CUDA runtime or of a library.
    fn on_call(&mut self, _call: &Call) {}

    /// The host program makes the call of MPI that is the entry of this number of the record that it follows; `true` stops it
    /// after the call.
    fn on_recorded_call(&mut self, _number: usize) -> bool {
        false
    }
}

impl Observer for NoObserver {}

/// An observer as hooks of the executor.
pub(crate) struct HostHooks<'a> {
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) program: &'a Program,
}

impl Hooks<1> for HostHooks<'_> {
    fn wants_statements(&self) -> bool {
        true
    }

    fn on_stmt(&mut self, warp: &Warp<1>, frame: u32, site: Site, _: u32) -> bool {
        let depth = warp.call_stack(frame, site.pc).len() as u32 - 1;
        let statement = HostStatement { site, frame, depth, span: self.program.span(site) };
        self.observer.on_host_statement(warp, &statement)
    }
}

//! Tells a debugger what the blocks do.

use device::{DeviceAccess, Observer, Statement};
use scalar::lanes;
use vm::{AccessEvent, AccessKind, Hooks, Program, Site, Warp};

/// Hooks that pass statements, and where wanted accesses, on to an observer.
pub(crate) struct ObserverHooks<'a> {
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) program: &'a Program,
    pub(crate) launch: u64,
    pub(crate) block: u64,
    /// Whether the observer wants accesses.
    pub(crate) accesses: bool,
    /// Whether an access asked to stop before the next statement.
    pub(crate) stop: bool,
}

impl Hooks<32> for ObserverHooks<'_> {
    fn wants_accesses(&self) -> bool {
        self.accesses
    }

    fn wants_statements(&self) -> bool {
        true
    }

    fn on_access(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>) {
        let write = !matches!(event.kind, AccessKind::Read(_));
        let span = self.program.span(event.site);
        for lane in lanes(event.mask) {
            let access = DeviceAccess {
                launch: self.launch,
                block: self.block,
                warp: warp.number(),
                lane: lane as u32,
                space: event.space,
                address: event.lanes.address(lane),
                bytes: event.bytes as u32,
                write,
                value: event.values.get(lane),
                span,
            };
            self.stop |= self.observer.on_access(&access);
        }
    }

    fn on_stmt(&mut self, warp: &Warp<32>, frame: u32, site: Site, mask: u32) -> bool {
        let statement = Statement {
            launch: self.launch,
            block: self.block,
            warp: warp.number(),
            mask,
            frame,
            depth: warp.call_stack(frame, site.pc).len() as u32 - 1,
            func: site.func,
            pc: site.pc,
            span: self.program.span(site),
        };
        let asked = std::mem::take(&mut self.stop);
        self.observer.on_statement(&statement) || asked
    }
}

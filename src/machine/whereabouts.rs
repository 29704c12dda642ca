//! Where a program is, for the message about a run that was ended from outside.

use crate::machine::Machine;
use emu::Block;
use source::Span;
use vm::Site;

/// A launch that an emulator is running.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaunchAtWork {
    /// The kernel's name.
    pub kernel: String,
    /// How many of its blocks have begun.
    pub begun: u64,
    /// How many there are.
    pub blocks: u64,
}

/// Where a program is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whereabouts {
    /// The launch at work; none while the host runs.
    pub launch: Option<LaunchAtWork>,
    /// The statement or expression that comes next, in the block that runs if a launch is at work; then the calls that led
    /// there, the innermost first.
    pub stack: Vec<Span>,
}

impl Machine {
    /// Where the program is.
    pub fn whereabouts(&self) -> Whereabouts {
        let program = self.program();
        let spans_of = |sites: Vec<Site>| sites.into_iter().flat_map(|site| program.spans(site)).collect();
        let running = self.devices().iter().filter_map(|d| d.emulator()).find_map(emu::Emulator::grid);
        let Some(running) = running.filter(|_| self.is_device_at_work()) else {
            let sites = self.host().warp().splits().next().map(|split| split.call_stack()).unwrap_or_default();
            return Whereabouts { launch: None, stack: spans_of(sites) };
        };
        let func = program.module().func(running.launch.func);
        // Blocks that several threads run are at no one place.
        let stack = running.active.front().map_or_else(|| vec![func.span], |block| spans_of(sites(block)));
        let launch = LaunchAtWork { kernel: func.name.to_string(), begun: running.begun, blocks: running.total };
        Whereabouts { launch: Some(launch), stack }
    }
}

/// The call stack of the first lanes of the block that are not at its end.
fn sites(block: &Block) -> Vec<Site> {
    block.warps.iter().find_map(|warp| warp.splits().next().map(|split| split.call_stack())).unwrap_or_default()
}

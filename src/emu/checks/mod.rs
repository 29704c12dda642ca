//! Checks of a launch while it runs: data races, reads of uninitialised memory, real values that went wrong.
//!
//! Not here: which block runs next (`schedule`, `parallel`), and faults, which end a launch without any check (`report`).

mod init;
mod race;
mod race_report;
mod reals;

pub(crate) use init::{InitHooks, LaunchInit};
pub(crate) use race::{ExactPass, RaceHooks, RacePass};
pub(crate) use race_report::{incomplete, races};
pub(crate) use reals::RealFaults;

use crate::block::Block;
use crate::footprint::SiteSharing;
use crate::schedule::BlockEvents;
use std::sync::Arc;

/// The checks of a launch, with what they have seen so far.
#[derive(Clone, Debug)]
pub(crate) struct Checks {
    pub(crate) race: RacePass,
    /// Accesses that the race detector need not see, if they were looked for.
    pub(crate) sharing: Option<Arc<SiteSharing>>,
    /// Reads of memory that nothing has written, if they are looked for.
    pub(crate) init: Option<Box<LaunchInit>>,
    /// NaNs, infinities and the like, if compiled code tests for them.
    pub(crate) reals: RealFaults,
}

impl Checks {
    /// The same checks before the first block, with another pass of the race detector.
    pub(crate) fn restart(self, race: RacePass) -> Checks {
        Checks { race, sharing: self.sharing, init: self.init.map(|_| Box::default()), reals: RealFaults::default() }
    }
}

impl BlockEvents for Checks {
    fn on_begin(&mut self, block: &mut Block) {
        self.race.on_begin(block);
    }

    fn on_end(&mut self, block: &mut Block) {
        self.race.on_end(block);
        if let Some(init) = &mut self.init {
            init.end_block(block.linear);
        }
    }

    fn on_grid_sync(&mut self) {
        self.race.on_grid_sync();
    }
}

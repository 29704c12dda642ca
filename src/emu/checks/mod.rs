//! Checks of a launch while it runs: data races, reads of uninitialised memory, real values that went wrong.
//!
//! Not here: which block runs next (`schedule`, `parallel`), and faults, which end a launch without any check (`report`).

mod alike;
mod guard;
mod halves;
mod init;
mod lane_bits;
mod once;
mod race;
mod race_log;
mod race_report;
mod reals;
mod trace;
mod watched;

pub(crate) use alike::KnownRaces;
pub(crate) use guard::Guard;
use init::InitHooks;
pub(crate) use init::LaunchInit;
pub(crate) use once::Loose;
pub(crate) use race::{ExactPass, RaceHooks, RacePass, forget_clusters};
pub(crate) use race_log::{EventLog, InPart, LogHooks};
pub(crate) use race_report::{incomplete, races};
pub(crate) use reals::RealFaults;
pub(crate) use trace::Tracer;
pub(crate) use watched::Watched;

use crate::block::Block;
use crate::schedule::BlockEvents;
use ::race::{CtaSlot, Knowledge};
use finding::Finding;
use mem::SharedInitBits;
use source::Span;
use std::collections::BTreeMap;
use vm::{Before, Hooks, Program};

/// What the race detector has to know of a grid that device code has launched.
#[derive(Clone, Debug, Default)]
pub(crate) struct NestedClocks {
    /// What came before it.
    pub(crate) known: Knowledge,
    /// What its blocks that have ended did, and the grids that these have launched.
    pub(crate) ended: Knowledge,
}

/// The checks of a launch, with what they have seen so far.
#[derive(Clone, Debug)]
pub(crate) struct Checks {
    pub(crate) race: RacePass,
    /// Which accesses are watched.
    pub(crate) watched: Watched,
    /// Reads of memory that nothing has written, if they are looked for.
    pub(crate) init: Option<Box<LaunchInit>>,
    /// Barriers that were complete although threads had exited, by place, if they are looked for.
    pub(crate) short_barriers: Option<BTreeMap<Span, Finding>>,
    /// NaNs, infinities and the like, if compiled code tests for them.
    pub(crate) reals: RealFaults,
    /// The clocks of the present grid, if device code has launched it.
    pub(crate) nested: Option<NestedClocks>,
    /// The blocks of each cluster that has met, until somebody has asked.
    pub(crate) met: Vec<Vec<u64>>,
}

impl Checks {
    /// The same checks before the first block, with another pass of the race detector.
    pub(crate) fn restart(self, race: RacePass) -> Checks {
        Checks {
            race,
            watched: self.watched.unguarded(),
            init: self.init.map(|init| Box::new(init.restart())),
            short_barriers: self.short_barriers.map(|_| BTreeMap::new()),
            reals: RealFaults::default(),
            nested: None,
            met: Vec::new(),
        }
    }

    /// Whether they want to see the warps and the values that these load and store.
    pub(crate) fn want_values(&self) -> bool {
        matches!(self.race, RacePass::Decide(_)) || self.init.as_ref().is_some_and(|init| init.is_exact())
    }

    /// Whether there are none.
    pub(crate) fn is_off(&self) -> bool {
        !self.watched.is_guarded() && self.are_nameless()
    }

    /// Whether none of them need know which block it is that does something.
    pub(crate) fn are_nameless(&self) -> bool {
        let Checks { race, watched, init, short_barriers, nested, .. } = self;
        matches!(race, RacePass::Off)
            && !watched.counts()
            && init.is_none()
            && short_barriers.is_none()
            && nested.is_none()
    }

    /// Whether the launch has to begin again: because what they assumed of it does not hold, or because an observer `is_seen` to want
    /// to see it once only, in every detail.
    pub(crate) fn must_begin_again(&self, is_seen: bool) -> bool {
        let is_quick = self.init.as_ref().is_some_and(|init| !init.is_exact());
        self.watched.is_broken() || self.is_suspect() || is_seen && (self.watched.is_guarded() || is_quick)
    }

    /// Whether a missing byte was used, and it has to be found out where.
    pub(crate) fn is_suspect(&self) -> bool {
        self.init.as_ref().is_some_and(|init| init.is_suspect())
    }

    /// Lets `run` work on a block under the hooks of the checks; `other` observes where races are not looked for. `global`
    /// says which bytes of memory were written, if that is known.
    pub(crate) fn observed<R>(
        &mut self,
        program: &Program,
        block: &mut Block,
        global: Option<SharedInitBits>,
        other: Option<&mut dyn Hooks<32>>,
        run: impl FnOnce(&mut Block, Option<&mut dyn Hooks<32>>) -> R,
    ) -> R {
        let Checks { race, watched, init, .. } = self;
        let mut racing;
        let hooks: Option<&mut dyn Hooks<32>> = if matches!(race, RacePass::Off) && !watched.is_guarded() {
            other.map(|other| other as &mut dyn Hooks<32>)
        } else {
            racing = RaceHooks::new(block, race, watched, block.place_in_cluster(program));
            Some(&mut racing)
        };
        match (init, global) {
            (Some(launch), Some(global)) => {
                let first = InitHooks { program, global, launch, block: block.number, cluster: block.cluster_place() };
                run(block, Some(&mut Before::new(first, hooks)))
            }
            _ => run(block, hooks),
        }
    }
}

impl BlockEvents for Checks {
    fn on_begin(&mut self, block: &mut Block) {
        match &self.nested {
            Some(clocks) => self.race.on_begin_nested(block, &clocks.known),
            None => self.race.on_begin(block),
        }
    }

    fn on_end(&mut self, block: &mut Block) {
        if let Some(clocks) = &mut self.nested {
            clocks.ended.join(&self.race.known_to_all(block));
        }
        self.race.on_end(block);
        if let Some(init) = &mut self.init {
            init.end_block(block.number);
        }
    }

    fn on_cluster_sync(&mut self, blocks: &[u64], slots: &[CtaSlot]) {
        self.race.on_cluster_sync(blocks, slots);
        self.met.push(blocks.to_vec());
    }

    fn on_grid_sync(&mut self) {
        self.race.on_grid_sync();
    }
}

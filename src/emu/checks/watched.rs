//! Which accesses of a launch are watched, by whom.
//!
//! Accesses that provably race with nothing are silent: nobody is told of them. If the launch has a guard, the guard sees what it
//! assumes something of, and the race detector the others that are not silent.
//!
//! Not here: what is proven (`footprint`), what a guard assumes (`guard`).

use crate::checks::alike::KnownRaces;
use crate::checks::guard::{Guard, Guarding};
use crate::checks::once::Loose;
use crate::footprint::{Assumed, SiteSharing};
use ir::Space;
use mem::{LaneAddresses, Memory};
use std::sync::Arc;
use vm::{AccessEvent, AccessKind, QuietZone, SilentSites, Site};

/// Which accesses of a launch are watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// Loads and stores that the race detector need not see.
    private: Option<SilentSites>,
    guard: Option<Guarded>,
}

/// A guard, what need not be seen by it and the race detector, and what is known if it holds.
#[derive(Debug)]
struct Guarded {
    guard: Arc<Guard>,
    silent: SilentSites,
    sharing: Arc<SiteSharing>,
}

impl Clone for Guarded {
    /// Where the guard counts what a launch does, it can follow it only once; the copy of the launch begins again.
    fn clone(&self) -> Guarded {
        let guard = if self.guard.counts() { Arc::new(self.guard.spoilt()) } else { self.guard.clone() };
        Guarded { guard, silent: self.silent.clone(), sharing: self.sharing.clone() }
    }
}

impl Watched {
    /// What is watched of a launch of which so much is known. With `is_use_wanted`, somebody wants to know which global memory the
    /// launch uses. So many threads run its blocks, from that number on. `is_watched` says whether races are looked for.
    pub(crate) fn new(
        sharing: &Arc<SiteSharing>,
        is_use_wanted: bool,
        memory: &Memory,
        (first_block, jobs): (u64, usize),
        is_watched: bool,
    ) -> Watched {
        let private = if is_use_wanted { sharing.private_shared() } else { sharing.private() };
        let guard = Guard::new(sharing, memory, first_block, jobs, is_watched).map(|guard| Guarded {
            guard: Arc::new(guard),
            silent: sharing.unguarded(is_use_wanted).clone(),
            sharing: sharing.clone(),
        });
        Watched { private: Some(private.clone()), guard }
    }

    /// The same for a launch that is known to keep what its guard says. If races of alike stores are all that is left, only these
    /// are watched.
    pub(crate) fn unguarded(self) -> Watched {
        let alike = self.guard.as_ref().filter(|of| of.guard.assumed() == Assumed::Alike);
        let private = alike.map(|of| of.sharing.unlike()).or(self.private);
        Watched { private, guard: None }
    }

    /// Finds out whether what the guard says has held, when no thread runs any blocks.
    pub(crate) fn conclude(&self, memory: &Memory) {
        if let Some(guard) = self.guard() {
            guard.conclude(memory);
        }
    }

    /// Keeps for launches to come what the guard has found out, since all blocks have ended.
    pub(crate) fn keep(&self, memory: &Memory) {
        if let Some(guarded) = &self.guard {
            guarded.guard.keep(&guarded.sharing, memory);
        }
    }

    /// Whether the guard counts what alike stores meet.
    pub(crate) fn counts(&self) -> bool {
        self.guard().is_some_and(Guard::counts)
    }

    /// The races of alike stores, if the launch has ended.
    pub(crate) fn races(&self) -> Option<KnownRaces> {
        self.guard()?.races()
    }

    /// Blocks do not run one after another, or will run again.
    pub(crate) fn spoil(&self) {
        if let Some(guard) = self.guard() {
            guard.spoil();
        }
    }

    /// Whether there is a guard.
    pub(crate) fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }

    /// What is known of the launch if its guard holds; `None` if there is none.
    pub(crate) fn guarded(&self) -> Option<&Arc<SiteSharing>> {
        self.guard.as_ref().map(|guarded| &guarded.sharing)
    }

    /// Whether there is a guard, and what it says does not hold.
    pub(crate) fn is_broken(&self) -> bool {
        self.guard().is_some_and(Guard::is_broken)
    }

    /// The guard, if there is one.
    pub(crate) fn guard(&self) -> Option<&Guard> {
        self.guard.as_ref().map(|guarded| &*guarded.guard)
    }

    /// For the hooks of the block of that number.
    pub(crate) fn watching(&self, block: u64) -> Watching<'_> {
        Watching { of: self, guarding: self.guard().map(|guard| Guarding::new(guard, block, None)) }
    }

    /// For the hooks of a block that runs ahead of its turn: what the guard has to know is kept.
    pub(crate) fn watching_ahead<'a>(&'a self, kept: &'a mut Vec<Loose>) -> Watching<'a> {
        Watching { of: self, guarding: self.guard().map(|guard| Guarding::new(guard, 0, Some(kept))) }
    }

    /// Shows the guard what was kept, since the piece has committed.
    pub(crate) fn settle(&self, kept: &mut Vec<Loose>) {
        if let Some(guard) = self.guard() {
            guard.settle(kept);
        }
    }
}

/// What the hooks of a block want to see.
pub(crate) struct Watching<'a> {
    of: &'a Watched,
    guarding: Option<Guarding<'a>>,
}

impl Watching<'_> {
    /// Loads and stores that nobody wants to see.
    pub(crate) fn silent(&self) -> Option<SilentSites> {
        match &self.of.guard {
            None => self.of.private.clone(),
            Some(guarded) => Some(guarded.silent.clone()),
        }
    }

    /// Between which addresses nobody need see a load or store at a site ([`vm::Hooks::quiet`]); `is_followed` says whether there is a
    /// race detector.
    pub(crate) fn quiet(&self, site: Site, is_followed: bool) -> QuietZone {
        let zone = self.guarding.as_ref().and_then(|guarding| guarding.quiet(site));
        zone.filter(|_| !is_followed || self.is_private(site)).unwrap_or_default()
    }

    /// Whether the guard need not see a load or store at a site that it has seen with the same addresses.
    pub(crate) fn sees_once(&self, site: Site) -> bool {
        self.guarding.as_ref().is_none_or(|guarding| guarding.sees_once(site))
    }

    /// Shows the guard which words a load or store touches in a zone that takes lanes; whether that is enough.
    pub(crate) fn on_lanes(&mut self, warp: u32, site: Site, lanes: (&LaneAddresses<32>, u32), bytes: usize) -> bool {
        self.guarding.as_mut().is_some_and(|guarding| guarding.on_lanes(warp, site, lanes, bytes))
    }

    /// Whether the race detector need not see loads and stores at a site.
    fn is_private(&self, site: Site) -> bool {
        let of_func = self.of.private.as_ref().and_then(|private| private.get(site.func.index()));
        of_func.and_then(|of_func| of_func.get(site.pc as usize)).copied().unwrap_or(false)
    }

    /// Shows the guard an access. Whether the race detector has to see it.
    pub(crate) fn admits(&mut self, warp: u32, event: &AccessEvent<'_, 32>) -> bool {
        if event.space == Space::Local {
            // An address of any space may be one of the thread's own memory.
            return false;
        }
        let Some(guarding) = &mut self.guarding else { return true };
        guarding.check(warp, event);
        matches!(event.kind, AccessKind::Atomic { .. }) || !self.is_private(event.site)
    }
}

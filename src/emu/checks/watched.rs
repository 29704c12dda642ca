//! Which accesses of a launch are watched, by whom.
//!
//! Accesses that provably race with nothing are silent: nobody is told of them. If the launch has a guard, the guard sees what it
//! assumes something of, and the race detector the others that are not silent.
//!
//! Not here: what is proven (`footprint`), what a guard assumes (`guard`).

use crate::checks::guard::{Guard, Guarding};
use crate::checks::once::Loose;
use crate::footprint::SiteSharing;
use mem::Memory;
use std::sync::Arc;
use vm::{AccessEvent, AccessKind, SilentSites};

/// Which accesses of a launch are watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// Loads and stores that the race detector need not see.
    private: Option<SilentSites>,
    guard: Option<Guarded>,
}

/// A guard, what need not be seen by it and the race detector, and what is known if it holds.
#[derive(Clone, Debug)]
struct Guarded {
    guard: Arc<Guard>,
    silent: SilentSites,
    sharing: Arc<SiteSharing>,
}

impl Watched {
    /// What is watched of a launch of which so much is known. With `is_use_wanted`, somebody wants to know which global memory the
    /// launch uses. So many threads run its blocks.
    pub(crate) fn new(sharing: &Arc<SiteSharing>, is_use_wanted: bool, memory: &Memory, jobs: usize) -> Watched {
        let private = if is_use_wanted { sharing.private_shared() } else { sharing.private() };
        let guard = sharing.guards().map(|guards| Guarded {
            guard: Arc::new(Guard::new(guards, sharing.loose().clone(), memory, jobs)),
            silent: sharing.unguarded(is_use_wanted).clone(),
            sharing: sharing.clone(),
        });
        Watched { private: Some(private.clone()), guard }
    }

    /// The same for a launch that is known to keep what its guard says.
    pub(crate) fn unguarded(self) -> Watched {
        Watched { guard: None, ..self }
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

    /// For the hooks of a block.
    pub(crate) fn watching(&self) -> Watching<'_> {
        Watching { of: self, guarding: self.guard().map(|guard| Guarding::new(guard, None)) }
    }

    /// For the hooks of a block that runs ahead of its turn: what the guard has to know is kept.
    pub(crate) fn watching_ahead<'a>(&'a self, kept: &'a mut Vec<Loose>) -> Watching<'a> {
        Watching { of: self, guarding: self.guard().map(|guard| Guarding::new(guard, Some(kept))) }
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

    /// Shows the guard an access. Whether the race detector has to see it.
    pub(crate) fn admits(&mut self, event: &AccessEvent<'_, 32>) -> bool {
        let Some(guarding) = &mut self.guarding else { return true };
        guarding.check(event);
        let is_private = |private: &SilentSites| {
            let of_func = private.get(event.site.func.index());
            of_func.and_then(|of_func| of_func.get(event.site.pc as usize)).copied().unwrap_or(false)
        };
        matches!(event.kind, AccessKind::Atomic { .. }) || !self.of.private.as_ref().is_some_and(is_private)
    }
}

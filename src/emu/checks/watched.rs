//! Which accesses of a launch are watched, by whom.
//!
//! Accesses that provably race with nothing are silent: nobody is told of them. If the launch has a guard, the guard sees what it
//! assumes something of, and the race detector the others that are not silent.
//!
//! Not here: what is proven (`footprint`), what a guard assumes (`guard`).

use crate::checks::guard::{Guard, Guarding};
use crate::footprint::SiteSharing;
use mem::Memory;
use std::sync::Arc;
use vm::{AccessEvent, AccessKind, SilentSites};

/// Which accesses of a launch are watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// Loads and stores that the race detector need not see.
    private: Option<SilentSites>,
    guard: Option<(Arc<Guard>, SilentSites)>,
}

impl Watched {
    /// What is watched of a launch of which so much is known. With `is_use_wanted`, somebody wants to know which global memory the
    /// launch uses.
    pub(crate) fn new(sharing: &SiteSharing, is_use_wanted: bool, memory: &Memory) -> Watched {
        let private = if is_use_wanted { sharing.private_shared() } else { sharing.private() };
        let guard = sharing.guards().map(|guards| {
            let guard = Guard::new(guards, sharing.loose().clone(), memory);
            (Arc::new(guard), sharing.unguarded(is_use_wanted).clone())
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

    /// Whether there is a guard, and what it says does not hold.
    pub(crate) fn is_broken(&self) -> bool {
        self.guard.as_ref().is_some_and(|(guard, _)| guard.is_broken())
    }

    /// For the hooks of a block.
    pub(crate) fn watching(&self) -> Watching<'_> {
        Watching { of: self, guarding: self.guard.as_ref().map(|(guard, _)| Guarding::new(guard)) }
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
        self.of.guard.as_ref().map_or_else(|| self.of.private.clone(), |(_, silent)| Some(silent.clone()))
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

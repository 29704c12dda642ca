//! Which kernels are worth running speculatively, and which are worth a guard.
//!
//! Decisions depend on counts of work, never on a clock, and no result depends on them.

use crate::checks::Guard;
use crate::footprint::{Assumed, SiteSharing};
use ir::FuncId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Kernels whose recent launches gained nothing from speculation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heuristics(BTreeMap<FuncId, Backoff>);

/// Kernels whose guards failed of late, by what these assume.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardHistory([Heuristics; 3]);

impl GuardHistory {
    /// The guard under which a launch of the kernel is to run, of those under which `sharing` says more; only one for which `is_wanted`
    /// holds, and that assumes so much at most.
    pub(crate) fn choose(
        &mut self,
        kernel: FuncId,
        sharing: &SiteSharing,
        most: Assumed,
        is_wanted: impl Fn(&SiteSharing) -> bool,
    ) -> Option<Arc<SiteSharing>> {
        let all =
            [(Assumed::Once, sharing.once()), (Assumed::Alike, sharing.alike()), (Assumed::Apart, sharing.guarded())];
        let mut fit = all.into_iter().filter_map(|(kind, guarded)| Some((kind, guarded?)));
        let is_chosen = |(kind, guarded): &(Assumed, &Arc<SiteSharing>)| {
            *kind <= most && is_wanted(guarded) && self.0[*kind as usize].should_try(kernel)
        };
        fit.find(is_chosen).map(|(_, guarded)| guarded.clone())
    }

    /// Notes that a guard held or failed.
    pub(crate) fn note(&mut self, kernel: FuncId, guard: &Guard, has_held: bool) {
        let kind = if has_held || guard.is_apart() { guard.assumed() } else { Assumed::Apart };
        self.0[kind as usize].note(kernel, has_held);
        if !has_held && kind != guard.assumed() {
            // It assumes that too.
            self.0[guard.assumed() as usize].note(kernel, false);
        }
    }
}

/// A kernel that is not tried for a while; the time quadruples with each failure.
#[derive(Clone, Copy, Debug, Default)]
struct Backoff {
    failures: u32,
    /// How many more launches are not tried.
    skip: u32,
}

impl Heuristics {
    /// Whether to try a launch of the kernel.
    pub(crate) fn should_try(&mut self, kernel: FuncId) -> bool {
        let Some(backoff) = self.0.get_mut(&kernel) else { return true };
        let tries = backoff.skip == 0;
        backoff.skip = backoff.skip.saturating_sub(1);
        tries
    }

    /// Notes how a launch of the kernel went.
    pub(crate) fn note(&mut self, kernel: FuncId, has_gained: bool) {
        if has_gained {
            self.0.remove(&kernel);
            return;
        }
        let backoff = self.0.entry(kernel).or_default();
        backoff.failures = (backoff.failures + 1).min(8);
        backoff.skip = (1 << (2 * backoff.failures)) - 1;
    }
}

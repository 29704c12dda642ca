//! Which kernels are worth running speculatively, and which are worth a guard.
//!
//! Decisions depend on counts of work, never on a clock, and no result depends on them.

use crate::footprint::SiteSharing;
use ir::FuncId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Kernels whose recent launches gained nothing from speculation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heuristics(BTreeMap<FuncId, Backoff>);

/// Kernels whose guards failed of late: by kind of guard, of which one says that loose stores touch each byte once.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardHistory([Heuristics; 2]);

impl GuardHistory {
    /// The guard under which a launch of the kernel is to run, of those under which `sharing` says more; only one for which `is_wanted`
    /// holds. `may_be_once` says whether it may say that loose stores touch each byte once.
    pub(crate) fn choose(
        &mut self,
        kernel: FuncId,
        sharing: &SiteSharing,
        may_be_once: bool,
        is_wanted: impl Fn(&SiteSharing) -> bool,
    ) -> Option<Arc<SiteSharing>> {
        let [apart, once] = &mut self.0;
        let of_once = sharing.once().filter(|once| may_be_once && is_wanted(once));
        if of_once.is_some() && once.should_try(kernel) {
            return of_once.cloned();
        }
        sharing.guarded().filter(|guarded| is_wanted(guarded) && apart.should_try(kernel)).cloned()
    }

    /// Notes that a guard of that kind held or failed.
    pub(crate) fn note(&mut self, kernel: FuncId, is_once: bool, has_held: bool) {
        self.0[usize::from(is_once)].note(kernel, has_held);
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

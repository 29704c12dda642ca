//! Which kernels are worth running speculatively.
//!
//! Decisions depend on counts of work, never on a clock, and no result depends on them.

use ir::FuncId;
use std::collections::BTreeMap;

/// Kernels whose recent launches gained nothing from speculation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heuristics(BTreeMap<FuncId, Backoff>);

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

//! Detects a livelock: blocks that poll for ever.
//!
//! Blocks that only poll are stuck if they return to a state that they were in before, or if they poll longer than any
//! program waits. The search for a repeated state is that of R. P. Brent, "An Improved Monte Carlo Factorization Algorithm"
//! (1980): it keeps one earlier state and replaces it after 1, 2, 4, 8 ... iterations.

/// Watches a run of polling without progress. A fresh detector starts after every progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct LivelockDetector {
    iterations: u64,
    kept: Option<u64>,
}

impl LivelockDetector {
    /// Every block has polled once and none has written anything: whether this will never end. `state` is a hash of everything
    /// that decides how the blocks go on.
    pub(crate) fn polled(&mut self, state: u64) -> bool {
        self.iterations += 1;
        if self.kept == Some(state) {
            return true;
        }
        if self.iterations.is_power_of_two() {
            self.kept = Some(state);
        }
        self.iterations > MAX_ITERATIONS
    }
}

/// Iterations without progress after which a launch counts as stuck although its state changes: some counter goes up.
const MAX_ITERATIONS: u64 = 1 << 18;

//! Integers of Poisson's distribution, by its cumulative probabilities.
//!
//! NVIDIA's library takes tables of its own for most generators, so its numbers are others of the same distribution.

/// Standard deviations around the mean that are looked at.
const REACH: f64 = 12.0;
/// What is looked at beside them, for small means.
const MORE: f64 = 40.0;
/// Means are at most this, as in NVIDIA's library.
pub(crate) const MOST_MEAN: f64 = 400_000.0;

/// The distribution of a mean.
pub(crate) struct Poisson {
    first: u32,
    /// The probability of at most `first`, at most one more …
    up_to: Vec<f64>,
}

impl Poisson {
    pub(crate) fn new(mean: f64) -> Poisson {
        let reach = REACH * mean.sqrt() + MORE;
        let first = (mean - reach).max(0.0) as u32;
        let last = (mean + reach) as u32;
        let mode = mean as u32;
        // Relative to the most likely number, from it in both directions, so that nothing vanishes.
        let mut weights = vec![1.0; (last - first) as usize + 1];
        for k in mode + 1..=last {
            weights[(k - first) as usize] = weights[(k - first) as usize - 1] * mean / f64::from(k);
        }
        for k in (first..mode).rev() {
            weights[(k - first) as usize] = weights[(k - first) as usize + 1] * f64::from(k + 1) / mean;
        }
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        let up_to = weights.iter().map(|weight| {
            sum += weight / total;
            sum
        });
        Poisson { first, up_to: up_to.collect() }
    }

    /// The number for a real in (0, 1].
    pub(crate) fn of(&self, probability: f64) -> u32 {
        let at = self.up_to.partition_point(|&up_to| up_to < probability);
        self.first + at.min(self.up_to.len() - 1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        // scipy, `stats.poisson.ppf`.
        for (mean, probability, value) in [
            (7.5, 0.5, 7),
            (7.5, 0.25, 6),
            (7.5, 0.999, 17),
            (0.1, 0.9, 0),
            (0.1, 0.95, 1),
            (1500.0, 0.01, 1411),
            (5000.0, 0.975, 5139),
        ] {
            assert_eq!(Poisson::new(mean).of(probability), value, "{mean} {probability}");
        }
        assert!(Poisson::new(MOST_MEAN).of(1.0) > 400_000);
    }
}

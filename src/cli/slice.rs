//! Runs a machine slice by slice, and gives the exit code of a run.
//!
//! Not here: what ends a run early (`stopping`).

use crate::cli::options::{FailOn, Options};
use crate::cli::stopping::{Reason, Stopper};
use diag::Severity;
use machine::{Machine, MachineStop, NoObserver, Ranks, RanksStop, Whereabouts, World};
use std::time::{Duration, Instant};

/// The schedule points of the longest slice, and of the first one.
const LONGEST: u64 = 8_000_000;
const FIRST: u64 = 1_000_000;
/// The shortest slice. Below it, starting a slice would cost as much as running it.
const SHORTEST: u64 = 10_000;
/// A slice that takes longer is followed by one of half its size: a check or a busy machine can make points slow, and Ctrl-C
/// must be answered soon.
const LONG: Duration = Duration::from_millis(200);

/// The sizes of the slices of a run. No result depends on them.
pub(crate) struct Slices(u64);

impl Slices {
    /// Before the first slice.
    pub(crate) fn new() -> Slices {
        Slices(FIRST)
    }

    /// The size of the next one.
    pub(crate) fn points(&self) -> u64 {
        self.0
    }

    /// Chooses the next size after a slice that took so long.
    pub(crate) fn adapt(&mut self, took: Duration) {
        if took > LONG {
            self.0 = (self.0 / 2).max(SHORTEST);
        } else if took < LONG / 4 {
            self.0 = (self.0 * 2).min(LONGEST);
        }
    }
}

/// The state of a run after a step.
pub(crate) enum Step {
    /// It continues.
    Running,
    /// The program has ended.
    Over,
    /// A signal or the time limit ended it, at this place.
    Ended(Reason, Whereabouts),
}

/// Runs one slice, then checks for signals and the time limit. A program that they end still closes its files and writes its
/// output.
pub(crate) fn step(machine: &mut Machine, world: &mut dyn World, stopper: &Stopper, slices: &mut Slices) -> Step {
    let begun = Instant::now();
    if let MachineStop::Done(_) = machine.advance(slices.0, world, &mut NoObserver) {
        return Step::Over;
    }
    slices.adapt(begun.elapsed());
    let Some(reason) = stopper.reason() else { return Step::Running };
    let at = machine.whereabouts();
    machine.end(i32::from(reason.code()));
    while !matches!(machine.advance(slices.0, world, &mut NoObserver), MachineStop::Done(_)) {}
    Step::Ended(reason, at)
}

/// The same for several ranks.
pub(crate) fn step_ranks(ranks: &mut Ranks, world: &mut dyn World, stopper: &Stopper, slices: &mut Slices) -> Step {
    let begun = Instant::now();
    if ranks.advance(slices.0, world) == RanksStop::Done {
        return Step::Over;
    }
    slices.adapt(begun.elapsed());
    let Some(reason) = stopper.reason() else { return Step::Running };
    let (_, at) = ranks.whereabouts();
    ranks.end(i32::from(reason.code()));
    while ranks.advance(slices.0, world) != RanksStop::Done {}
    Step::Ended(reason, at)
}

/// The severity from which on a finding makes the run fail.
pub(crate) fn threshold(options: &Options) -> Option<Severity> {
    match options.fail_on {
        FailOn::Error => Some(Severity::Error),
        FailOn::Warning => Some(Severity::Warning),
        FailOn::Never => None,
    }
}

/// The exit code of a run that is over.
pub(crate) fn exit_code(machine: &Machine, options: &Options) -> u8 {
    let code = machine.exit_code(threshold(options), i32::from(options.error_exitcode)).unwrap_or(0);
    (code & 0xff) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_become_short_where_points_are_slow_and_long_again() {
        let mut slices = Slices::new();
        (0..20).for_each(|_| slices.adapt(Duration::from_secs(2)));
        assert_eq!(slices.0, SHORTEST);
        slices.adapt(LONG);
        assert_eq!(slices.0, SHORTEST);
        (0..20).for_each(|_| slices.adapt(Duration::from_millis(1)));
        assert_eq!(slices.0, LONGEST);
    }
}

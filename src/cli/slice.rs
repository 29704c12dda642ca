//! Runs a machine slice by slice, and gives the exit code of a run.
//!
//! Not here: what ends a run early (`stopping`).

use crate::cli::options::{FailOn, Options};
use crate::cli::stopping::{Reason, Stopper};
use diag::Severity;
use machine::{Machine, MachineStop, NoObserver, Whereabouts, World};

/// Schedule points between two checks for Ctrl-C.
const SLICE: u64 = 8_000_000;

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
pub(crate) fn step(machine: &mut Machine, world: &mut dyn World, stopper: &Stopper) -> Step {
    if let MachineStop::Done(_) = machine.advance(SLICE, world, &mut NoObserver) {
        return Step::Over;
    }
    let Some(reason) = stopper.reason() else { return Step::Running };
    let at = machine.whereabouts();
    machine.end(i32::from(reason.code()));
    while !matches!(machine.advance(SLICE, world, &mut NoObserver), MachineStop::Done(_)) {}
    Step::Ended(reason, at)
}

/// The exit code of a run that is over.
pub(crate) fn exit_code(machine: &Machine, options: &Options) -> u8 {
    let threshold = match options.fail_on {
        FailOn::Error => Some(Severity::Error),
        FailOn::Warning => Some(Severity::Warning),
        FailOn::Never => None,
    };
    let code = machine.exit_code(threshold, i32::from(options.error_exitcode)).unwrap_or(0);
    (code & 0xff) as u8
}

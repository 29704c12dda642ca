//! One test for each program of the repository, named by what is done with it and by its path.
//!
//! | family | programs | what the test compares |
//! |---|---|---|
//! | `ui/pass`, `ui/fail` | `tests/ui` | output, exit code, markers and rendered messages of the command |
//! | `checked` | `tests/ui/pass` | that no check of bounds and of unset values finds anything, and the output |
//! | `example` | `examples` | output under the race check and all other checks |
//! | `suite` | `tests/suite` | the findings of both twins under many schedules |
//! | `ranks` | `tests/ranks` | the findings of right and wrong programs of several ranks |
//! | `alone` | `tests/ranks`, programs of several ranks in `tests/ui` | one rank alone, by its record, with the run of all |
//! | `explore` | `tests/explore`, `tests/suite` | what the search of orders finds, how soon, and that it sees all orders |
//! | `jobs` | all of these, `benches/programs`, kernels of this folder | one thread and several: output, findings, memory |
//! | `levels` | `tests/ui`, `tests/suite`, `examples` | with and without the optimiser |
//! | `restart` | `tests/ui`, `examples` | that services of the run time can start again |
//! | `ir` | `tests/ir` | the evaluator, each pass and the emulator |
//! | `counts` | `benches/programs` | number of operations in IR and PTX |
//! | `random` | made from seeds | output with that of gfortran, where that is installed |
//!
//! `tests/README.md` says how to run one test and how to renew the kept files. Tests are found by listing folders: listing
//! reads no program, since every test may run in a process of its own.

#![allow(clippy::unwrap_used)]

mod ahead;
mod alone;
mod annotated;
mod checked;
mod counts;
mod examples;
mod explore;
mod ir;
mod jobs;
mod kept;
mod levels;
mod random;
mod ranks;
mod restart;
mod run;
mod suite;
mod ui;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let mut trials = Vec::new();
    for collect in [
        ui::trials,
        checked::trials,
        examples::trials,
        suite::trials,
        ranks::trials,
        alone::trials,
        explore::trials,
        jobs::trials,
        ahead::trials,
        levels::trials,
        restart::trials,
        ir::trials,
        counts::trials,
        random::trials,
    ] {
        trials.extend(collect());
    }
    let mut names: Vec<&str> = trials.iter().map(Trial::name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "two programs differ by their extension only");
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A test that fails with the sentences that `check` returns, or with its panic.
fn trial(name: String, check: impl FnOnce() -> Vec<String> + Send + 'static) -> Trial {
    Trial::test(name, move || {
        let wrong = check();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
    })
}

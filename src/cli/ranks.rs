//! `--ranks`: runs a program as several ranks of MPI; and what a launcher such as `mpirun` has started.
//!
//! Not here: one of them under the debugger (`solo`), how ranks take turns (`machine`), what is between them (`mpi`), the library of a launcher (`mpilib`).

use crate::cli::libraries::Loaded;
use crate::cli::live::Live;
use crate::cli::options::{DeviceKind, MessageFormat, Options};
use crate::cli::recording::Recording;
use crate::cli::report::{Reporter, output_lost, say, show_findings, show_launch_modes};
use crate::cli::slice::{Slices, threshold};
use crate::cli::stopping::{Stopper, place};
use crate::cli::usage;
use finding::Findings;
use ir::rt::Rt;
use ir::{InstKind, Module};
use machine::{Machine, Ranks, RanksStop, RealWorld};
use mpilib::Launch;
use source::SourceMap;
use std::time::Instant;

/// Why these options cannot be given with several ranks, if they cannot.
pub(crate) fn conflict(options: &Options) -> Option<&'static str> {
    if options.replay.is_some() && !options.is_debugging() {
        return Some("`--replay` debugs a recorded rank; add `--debug`");
    }
    if options.record.is_some() && options.device == DeviceKind::Gpu {
        return Some("what is recorded is replayed on the emulator; remove `--device gpu`");
    }
    if options.rank.is_some() && !options.is_debugging() {
        return Some("`--rank` says which rank is debugged; add `--debug`");
    }
    if options.rank.is_some_and(|rank| rank >= options.ranks.unwrap_or(1)) {
        return Some("there is no such rank; ranks are counted from 0");
    }
    if options.ranks.is_none_or(|ranks| ranks == 1) {
        return None;
    }
    if options.verify || options.device == DeviceKind::Gpu {
        return Some("the devices of several ranks are emulated; remove `--device gpu` or `--verify`");
    }
    if options.order().is_some_and(|order| order.has_launches()) {
        return Some("an order of launches directs one rank only; remove `--ranks`, or give an order of messages");
    }
    options
        .many_seeds
        .map(|_| "`--many-seeds` runs one rank only; give `--ranks` with `--schedule seed:N`, seed by seed")
}

/// Who has started this process as one of several ranks, if a launcher such as `mpirun` has and `--ranks` is not given.
pub(crate) fn launch(options: &Options) -> Option<Launch> {
    let launch = Launch::read(|name| std::env::var(name).ok()).filter(|_| options.ranks.is_none())?;
    #[cfg(target_os = "linux")]
    let launcher = std::fs::read_link(format!("/proc/{}/exe", std::os::unix::process::parent_id())).ok();
    #[cfg(not(target_os = "linux"))]
    let launcher = None;
    Some(launch.started_by(launcher))
}

/// The launch, if the program uses MPI; an error if the options cannot be given then.
pub(crate) fn launched(options: &Options, module: &Module) -> Result<Option<Launch>, &'static str> {
    let calls_mpi = |kind: &InstKind| matches!(kind, InstKind::Rt { rt: Rt::MpiCall, .. });
    let mut insts = module.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
    let Some(launch) = launch(options).filter(|_| insts.any(|inst| calls_mpi(&inst.kind))) else { return Ok(None) };
    if launch.ranks > 1 && options.is_debugging() {
        return Err(
            "the debugger cannot go back in a rank that `mpirun` has started; run `cufemu --ranks 1 --debug` alone",
        );
    }
    if launch.ranks > 1 && options.explore.is_some() {
        return Err("`--explore` cannot repeat what `mpirun` has started once; run `cufemu --ranks 1 --explore` alone");
    }
    if launch.ranks > 1 && options.many_seeds.is_some() {
        return Err(
            "`--many-seeds` cannot repeat what `mpirun` has started once; give `--schedule seed:N`, seed by seed",
        );
    }
    Ok(Some(launch))
}

/// Runs the ranks; `machine` is the program at its start. Returns the exit code.
pub(crate) fn run(
    options: &Options,
    map: &SourceMap,
    reporter: &mut Reporter,
    libraries: &Loaded,
    machine: &Machine,
    findings: Findings,
    program: u64,
) -> u8 {
    let count = options.ranks.unwrap_or(1);
    let Some(mut ranks) = Ranks::new(machine, count, options.seed(), findings) else {
        return usage("the devices of several ranks are emulated");
    };
    if let Some(order) = options.order() {
        ranks.direct(order.messages());
    }
    let mut recordings = match Recording::of_ranks(options, count, program) {
        Ok(recordings) => recordings,
        Err(sentence) => return usage(&sentence),
    };
    if !recordings.is_empty() {
        ranks.keep_records();
    }
    let stopper = Stopper::new(options.timeout);
    let is_full = options.message_format == MessageFormat::Full;
    let mut world = Live::only_progress(libraries.world(RealWorld::ended_by(stopper.end_wanted())), is_full);
    let mut shown = 0;
    let mut slices = Slices::new();
    loop {
        let begun = Instant::now();
        let stop = ranks.advance(slices.points(), &mut world);
        slices.adapt(begun.elapsed());
        for (rank, recording) in (0..).zip(&mut recordings) {
            recording.add(&ranks.take_record(rank));
        }
        let reason = stopper.reason();
        if stop == RanksStop::Done || reason.is_some() || ranks.findings().get(shown).is_some() {
            world.hide_progress();
        }
        show_findings(ranks.findings(), &mut shown, map, reporter);
        if let Some(error) = world.output_error() {
            return output_lost(error);
        }
        if stop == RanksStop::Done {
            break;
        }
        if let Some(reason) = reason {
            let (rank, at) = ranks.whereabouts();
            ranks.end(i32::from(reason.code()));
            while ranks.advance(slices.points(), &mut world) != RanksStop::Done {}
            end(&mut ranks, recordings);
            say(&format!("cufemu: it was the turn of rank {rank}\n"));
            return reason.report(options.timeout, &at, map);
        }
        world.show_progress(|| {
            let (rank, at) = ranks.whereabouts();
            format!(" rank {rank}{}", place(&at, map))
        });
    }
    if !end(&mut ranks, recordings) {
        return usage("a record could not be written");
    }
    if options.verbose {
        ranks.machines().iter().for_each(show_launch_modes);
    }
    if let Some(text) = ranks.findings().summary()
        && is_full
    {
        say(&format!("cufemu: {text}\n"));
    }
    (ranks.exit_code(threshold(options), i32::from(options.error_exitcode)) & 0xff) as u8
}

/// Ends the records of all ranks; whether they are whole.
fn end(ranks: &mut Ranks, recordings: Vec<Recording>) -> bool {
    let whole = (0..).zip(recordings).map(|(rank, recording)| recording.end(&ranks.end_record(rank)));
    whole.fold(true, |all, one| all & one)
}

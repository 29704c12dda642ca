//! The words of every finding, and only here.
//!
//! A message says what is wrong, with the program's own names. The primary label says who did it, other labels what happened
//! before. A help says what to write instead. A note says in which launch it happened, how often, and how to see it again.
//! Threads have their numbers in the program; lanes and warps count from 0. Nothing is said that the finding does not hold.

mod api;
mod arithmetic;
mod fortran;
mod memory;
mod mpi;
mod phrase;
mod race;
mod sync;

use crate::{Finding, FindingKind, launch_name};
use diag::Diagnostic;
use phrase::{name, thread, who};

/// How many innermost calls of a stack are shown; an endless recursion has very many.
const INNERMOST: usize = 8;
/// How many outermost calls are shown.
const OUTERMOST: usize = 4;

impl Finding {
    /// The finding in words.
    pub fn diagnostic(&self) -> Diagnostic {
        word(self)
    }
}

fn word(finding: &Finding) -> Diagnostic {
    let mut diagnostic = body(finding).with_severity(finding.severity());
    let several = finding.accesses.iter().filter(|a| !a.stack.is_empty()).count() > 1;
    for (i, access) in finding.accesses.iter().enumerate() {
        let of = if several { format!("({})", i + 1) } else { String::new() };
        for (level, call) in access.stack.iter().enumerate() {
            if (INNERMOST..access.stack.len().saturating_sub(OUTERMOST)).contains(&level) {
                continue;
            }
            diagnostic = diagnostic.frame(of.clone(), call.procedure.clone(), call.called_at);
        }
        let left_out = access.stack.len().saturating_sub(INNERMOST + OUTERMOST);
        if left_out > 0 {
            diagnostic = diagnostic.note(format!("{left_out} calls in the middle of the stack are not shown"));
        }
    }
    let own = finding.launch.as_ref();
    let others = finding.accesses.iter().filter_map(|access| access.launch.as_ref());
    let mut told = Vec::new();
    for launch in own.into_iter().chain(others) {
        if let Some(by) = launch.by.as_ref().filter(|by| !told.contains(&(&launch.kernel, by.span))) {
            told.push((&launch.kernel, by.span));
            let label = format!("`{}` is launched here by {} of `{}`", launch.kernel, thread(&by.thread), by.kernel);
            diagnostic = diagnostic.secondary(by.span, label);
        }
    }
    for note in &finding.notes {
        diagnostic = diagnostic.note(note.clone());
    }
    match circumstances(finding) {
        Some(text) => diagnostic.note(text),
        None => diagnostic,
    }
}

/// Message, labels, helps and what the kind alone has to add.
fn body(finding: &Finding) -> Diagnostic {
    match &finding.kind {
        FindingKind::Race { .. } | FindingKind::RaceCheckIncomplete { .. } => race::word(finding),
        FindingKind::OutOfBounds { .. }
        | FindingKind::Subscript { .. }
        | FindingKind::SharedBeyondLaunch { .. }
        | FindingKind::ClusterAccess { .. }
        | FindingKind::PrivateArgument
        | FindingKind::UseAfterFree { .. }
        | FindingKind::NeverAllocated
        | FindingKind::HostMemoryOnDevice
        | FindingKind::DeviceMemoryOnHost
        | FindingKind::Misaligned { .. }
        | FindingKind::Null
        | FindingKind::DoubleFree { .. }
        | FindingKind::InvalidFree { .. }
        | FindingKind::CopyOutOfBounds { .. }
        | FindingKind::Uninitialised { .. }
        | FindingKind::Leak { .. } => memory::word(finding),
        FindingKind::Barrier { .. }
        | FindingKind::Rendezvous { .. }
        | FindingKind::WarpMask { .. }
        | FindingKind::GridSync { .. }
        | FindingKind::Deadlock { .. }
        | FindingKind::Livelock { .. } => sync::word(finding),
        FindingKind::Nan { .. }
        | FindingKind::Infinity { .. }
        | FindingKind::DeviceDivisionByZero
        | FindingKind::ConversionOutOfRange { .. }
        | FindingKind::VerifyMismatch { .. }
        | FindingKind::VerifyRoutine { .. } => arithmetic::word(finding),
        FindingKind::Launch { .. }
        | FindingKind::Api { .. }
        | FindingKind::DeviceHeapExhausted { .. }
        | FindingKind::DeviceStackOverflow { .. } => api::word(finding),
        FindingKind::Host(fault) => fortran::word(finding, fault),
        FindingKind::Mpi(fault) => mpi::word(finding, fault),
        FindingKind::Unsupported { feature } => start(finding, format!("unsupported: {feature}"))
            .help("write it in another way; `docs/support.md` lists what is supported")
            .note("the run stops here, because its results would be wrong"),
    }
}

/// A diagnostic at the place of the finding, its label naming who was there when it was a device thread.
fn start(finding: &Finding, message: impl Into<String>) -> Diagnostic {
    let diagnostic = Diagnostic::new(finding.code(), finding.span(), message);
    match finding.accesses.last() {
        Some(access) if access.actor != crate::Actor::Host => diagnostic.label(format!("in {}", who(&access.actor))),
        _ => diagnostic,
    }
}

/// Which rank and launch, how many more, and how to see it again.
fn circumstances(finding: &Finding) -> Option<String> {
    let rank = finding.rank.map(|rank| format!("rank {rank}"));
    let launch =
        finding.launch.as_ref().map(|launch| format!("launch {} of `{}`", launch_name(launch.number), launch.kernel));
    let more = (finding.count > 1).then(|| format!("{} more like this", finding.count - 1));
    let replay = finding.seed.map(|seed| format!("replay with --schedule seed:{seed}"));
    let what: Vec<String> = rank.into_iter().chain(launch).chain(more).collect();
    let parts: Vec<String> = (!what.is_empty()).then(|| what.join(", ")).into_iter().chain(replay).collect();
    if parts.is_empty() { None } else { Some(parts.join("; ")) }
}

/// The name of what the last access touched, or `what` when it has none.
fn subject(finding: &Finding, what: &str) -> String {
    finding.accesses.last().filter(|a| a.place.is_some()).map_or_else(|| what.to_owned(), name)
}

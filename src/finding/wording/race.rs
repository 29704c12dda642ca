//! Races: both ends are shown, the earlier as (1), the later as (2).

use super::phrase::{noun, object, past, present, triple, who, who_in_block, who_in_grid, who_in_launch, who_in_warp};
use super::start;
use crate::{Access, Actor, Finding, FindingKind, LaunchInfo, RaceFlavour, RaceKind, Scope, Space, What};
use diag::Diagnostic;

pub(super) fn word(finding: &Finding) -> Diagnostic {
    match (&finding.kind, finding.accesses.as_slice()) {
        (FindingKind::Race { between, flavour, is_in_loop }, [.., first, second]) => {
            race(finding, (*between, *flavour, *is_in_loop), first, second)
        }
        (FindingKind::RaceCheckIncomplete { reason, is_undecided: false }, _) => {
            start(finding, format!("race check incomplete: {reason}")).note("races may have been missed")
        }
        (FindingKind::RaceCheckIncomplete { reason, is_undecided: true }, _) => {
            start(finding, format!("race check undecided: {reason}"))
                .note("accesses that are not among the reported ones may race too")
                .help("check a smaller problem")
        }
        // A race with fewer than two accesses has lost an end; what is left is still worth saying.
        _ => start(finding, format!("data race on {}", finding.accesses.last().map_or("memory".to_owned(), object))),
    }
}

fn race(
    finding: &Finding,
    (between, flavour, is_in_loop): (RaceKind, RaceFlavour, bool),
    first: &Access,
    second: &Access,
) -> Diagnostic {
    let launch = finding.launch.as_ref();
    // Two launches of one kernel are told apart by their numbers.
    let kernel = |access: &Access| access.launch.as_ref().or(launch).map(|launch| launch.kernel.clone());
    let is_alike = kernel(first) == kernel(second);
    let actor = |access: &Access| actor(access, between, (launch, is_alike));
    let message = match flavour {
        RaceFlavour::Plain => format!("data race on {} {}", object(second), parties(between, first, second)),
        RaceFlavour::MixedAtomic { .. } => {
            let (strong, plain) = if is_strong(first.what) { (first, second) } else { (second, first) };
            let strong = match strong.what {
                What::Atomic | What::Compare => noun(strong.what).to_owned(),
                what => format!("volatile {}", noun(what)),
            };
            let plain = noun(plain.what);
            format!("{strong} and plain {plain} of {} {}", object(second), parties(between, first, second))
        }
        RaceFlavour::SameValue => {
            format!("{} is written with the same value {}", object(second), writers(between, second))
        }
    };
    let mut diagnostic = Diagnostic::new(finding.code(), second.span, message);
    let missing = if is_in_loop { ", in another iteration of the loop" } else { missing(between, first, second) };
    if first.span == second.span {
        let text = if first.what == second.what {
            format!("(1) {} and (2) {} both {} it here{missing}", actor(first), actor(second), infinitive(first.what))
        } else {
            format!(
                "(1) {} {} it and (2) {} {} it here{missing}",
                actor(first),
                past(first.what),
                actor(second),
                present(second.what)
            )
        };
        diagnostic = diagnostic.label(text);
    } else {
        diagnostic = diagnostic
            .label(format!("(2) {} {} it here{}{missing}", actor(second), present(second.what), value(second)))
            .secondary(first.span, format!("(1) {} {} it here{}", actor(first), past(first.what), value(first)));
    }
    let help = if is_in_loop { help_in_loop(second) } else { help(between, flavour, first, second) };
    diagnostic = diagnostic.help(help);
    match flavour {
        RaceFlavour::SameValue => diagnostic.note("GPUs store the intended value, but no standard guarantees it"),
        RaceFlavour::MixedAtomic { .. } if is_atomic_in([first, second]) => {
            diagnostic.note("an atomic protects only against other atomics")
        }
        RaceFlavour::MixedAtomic { .. } => diagnostic.note("`volatile` does not order a plain access"),
        RaceFlavour::Plain => diagnostic,
    }
}

/// Who, with as much as the message has left open.
fn actor(access: &Access, between: RaceKind, (launch, is_alike): (Option<&LaunchInfo>, bool)) -> String {
    match between {
        RaceKind::WithinWarp => who_in_warp(&access.actor),
        RaceKind::Block => who_in_block(&access.actor),
        RaceKind::CrossBlock | RaceKind::Scope { .. } => who(&access.actor),
        RaceKind::Nested => who_in_grid(access, launch, is_alike),
        RaceKind::Streams | RaceKind::HostDevice | RaceKind::Message => who_in_launch(access, launch),
    }
}

fn parties(between: RaceKind, first: &Access, second: &Access) -> String {
    let block = match (&first.actor, &second.actor) {
        (_, Actor::Thread(id)) | (Actor::Thread(id), _) => format!(" of block {}", triple(id.block)),
        _ => String::new(),
    };
    match between {
        RaceKind::WithinWarp => format!("between two lanes of one warp{block}"),
        RaceKind::Block => format!("between two threads{block}"),
        RaceKind::CrossBlock => "between threads of two blocks".to_owned(),
        RaceKind::Nested => "with a kernel that device code launches".to_owned(),
        RaceKind::Streams => "between two streams".to_owned(),
        RaceKind::HostDevice => "between host and device".to_owned(),
        RaceKind::Message => "with a message of MPI".to_owned(),
        RaceKind::Scope { used, needed } => {
            let parties = match needed {
                Scope::Block => "two threads of a block",
                Scope::Device => "threads of two blocks",
                Scope::System => "host and device",
            };
            format!("between {parties}, since the fence or atomic has only {} scope", scope(used))
        }
    }
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => "block",
        Scope::Device => "device",
        Scope::System => "system",
    }
}

fn writers(between: RaceKind, second: &Access) -> String {
    match (between, &second.actor) {
        (RaceKind::WithinWarp, Actor::Thread(id)) => {
            format!("by several lanes of one warp of block {}", triple(id.block))
        }
        (RaceKind::Block, Actor::Thread(id)) => format!("by several threads of block {}", triple(id.block)),
        (RaceKind::CrossBlock, _) => "by threads of several blocks".to_owned(),
        (RaceKind::Nested, _) => {
            "by kernels, one of which launches the other or both of which one kernel launches".to_owned()
        }
        (RaceKind::Streams, _) => "from two streams".to_owned(),
        (RaceKind::HostDevice, _) => "by host and device".to_owned(),
        (RaceKind::Message, _) => "while a message uses it".to_owned(),
        _ => "by several threads".to_owned(),
    }
}

/// What would have ordered the two.
fn missing(between: RaceKind, first: &Access, second: &Access) -> &'static str {
    match between {
        RaceKind::WithinWarp => ", no `syncwarp` of both lanes in between",
        RaceKind::Block => ", no barrier in between",
        RaceKind::CrossBlock | RaceKind::Nested => ", nothing orders the two",
        RaceKind::Streams => ", no event or synchronisation in between",
        RaceKind::HostDevice if second.actor == Actor::Host => ", without waiting for the device",
        RaceKind::HostDevice => ", in work that the host has not waited for",
        RaceKind::Message if matches!(second.actor, Actor::Message { .. }) => ", without waiting for the device",
        RaceKind::Message if matches!(&first.actor, Actor::Message { call } if is_one_sided(call)) => {
            ", before the epoch has ended"
        }
        RaceKind::Message => ", before the request is completed",
        RaceKind::Scope { .. } => "",
    }
}

/// Whether a routine of MPI accesses the memory of another rank.
fn is_one_sided(call: &str) -> bool {
    const NAMES: [&str; 6] = ["put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap"];
    let name = call.trim_start_matches("MPI_").to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || name.strip_prefix('r').is_some_and(|name| NAMES.contains(&name))
}

/// Whether the access is atomic or volatile.
fn is_strong(what: What) -> bool {
    matches!(what, What::Atomic | What::Compare | What::VolatileRead | What::VolatileWrite)
}

fn is_atomic_in(accesses: [&Access; 2]) -> bool {
    accesses.iter().any(|a| matches!(a.what, What::Atomic | What::Compare))
}

/// Whether one of two accesses is an atomic comparison, as that of a lock, and the other a plain store.
fn is_store_beside_comparison(accesses: [&Access; 2]) -> bool {
    [What::Compare, What::Write].into_iter().all(|what| accesses.iter().any(|a| a.what == what))
}

fn infinitive(what: What) -> &'static str {
    match what {
        What::Read | What::VolatileRead => "read",
        What::Write | What::VolatileWrite => "write",
        What::Atomic => "atomically update",
        What::Compare => "compare",
        What::Allocate => "allocate",
        What::Free => "free",
        What::Execute => "use",
    }
}

fn value(access: &Access) -> String {
    access.value.as_ref().map_or_else(String::new, |v| format!(" (value {v})"))
}

fn help_in_loop(second: &Access) -> String {
    match &second.place {
        Some(place) if place.subscripts.is_empty() && place.component.is_empty() => {
            let name = &place.array;
            format!(
                "give each iteration a variable of its own; for a sum, make `{name}` a scalar of the host, which the loop reduces"
            )
        }
        _ => "the iterations depend on each other: let each write only what no other one reads or writes, or run the \
              loop on the host"
            .to_owned(),
    }
}

fn help(between: RaceKind, flavour: RaceFlavour, first: &Access, second: &Access) -> String {
    // Blocks of a cluster have a barrier of their own.
    let (between, barrier) = match between {
        RaceKind::CrossBlock if first.space == Space::Shared => (RaceKind::Block, "syncthreads(cluster)"),
        RaceKind::WithinWarp => (between, "syncwarp()"),
        _ => (between, "syncthreads()"),
    };
    let strong = if is_atomic_in([first, second]) { "atomic" } else { "volatile" };
    let same_statement = first.span == second.span;
    match (between, flavour) {
        (RaceKind::Scope { needed, .. }, _) => {
            let fence = match needed {
                Scope::Block => "threadfence_block",
                Scope::Device => "threadfence",
                Scope::System => "threadfence_system",
            };
            format!("use `{fence}()` and atomics of {} scope", scope(needed))
        }
        (_, RaceFlavour::SameValue) => "let one thread write it".to_owned(),
        (RaceKind::WithinWarp | RaceKind::Block, RaceFlavour::MixedAtomic { .. }) => {
            format!("make both {strong}, or put `call {barrier}` between the two")
        }
        (_, RaceFlavour::MixedAtomic { .. }) if is_store_beside_comparison([first, second]) => {
            "store the value with `atomicexch`, or let them run in different launches".to_owned()
        }
        (_, RaceFlavour::MixedAtomic { .. }) => format!("make both {strong}, or let them run in different launches"),
        (RaceKind::WithinWarp | RaceKind::Block, RaceFlavour::Plain) if !same_statement => {
            format!("put `call {barrier}` between the two")
        }
        (RaceKind::WithinWarp | RaceKind::Block, RaceFlavour::Plain) if first.what == second.what => {
            "give each thread its own element, let one thread write it, or use an atomic such as `atomicadd`".to_owned()
        }
        (RaceKind::WithinWarp | RaceKind::Block, RaceFlavour::Plain) => format!(
            "read into a local variable, `call {barrier}`, then write; or use an atomic if the threads update it together"
        ),
        (RaceKind::CrossBlock, RaceFlavour::Plain) => {
            "use an atomic such as `atomicadd`, give each block its own elements, or split the kernel into two launches; \
             `syncthreads` does not reach other blocks"
                .to_owned()
        }
        (RaceKind::Nested, RaceFlavour::Plain) => {
            "call `cudaDeviceSynchronize()` in the launching thread between the two, with a barrier on its other side for \
             other threads; or launch both kernels in one stream of one block"
                .to_owned()
        }
        (RaceKind::Streams, RaceFlavour::Plain) => {
            "let the second wait for the first with `cudaEventRecord` and `cudaStreamWaitEvent`, or use one stream".to_owned()
        }
        (RaceKind::HostDevice, RaceFlavour::Plain) => {
            "call `cudaDeviceSynchronize()` before the host touches it".to_owned()
        }
        (RaceKind::Message, RaceFlavour::Plain) => match (&first.actor, &second.actor) {
            (Actor::Kernel(_) | Actor::Copy { .. }, Actor::Message { .. }) => {
                "call `cudaDeviceSynchronize()` before the call of MPI".to_owned()
            }
            (Actor::Message { call }, _) if is_one_sided(call) => {
                "end the epoch of the window first: `MPI_Win_fence`, `MPI_Win_unlock` or `MPI_Win_wait`".to_owned()
            }
            _ => "call `MPI_Wait` first".to_owned(),
        },
    }
}

//! Ranks of MPI: who waits for whom, and calls that do not fit together.

use super::phrase::count;
use super::start;
use crate::{Finding, MpiFault, RankCall};
use diag::Diagnostic;

pub(super) fn word(finding: &Finding, fault: &MpiFault) -> Diagnostic {
    let say = |message: String| start(finding, message);
    match fault {
        MpiFault::Deadlock { waiting, ended } => {
            let message = match waiting.len() {
                1 => format!("deadlock: rank {} waits for ever", waiting[0].rank),
                n => format!("deadlock: {n} ranks wait for each other, and none can go on"),
            };
            let d = places(say(message), waiting, "waits");
            match ended.len() {
                0 => d,
                1 => d.note(format!("{} has ended", ranks(ended))),
                _ => d.note(format!("{} have ended", ranks(ended))),
            }
        }
        MpiFault::NeedsBuffering { waiting, is_collective: true } => {
            let message = match waiting.len() {
                1 => format!(
                    "rank {} goes on only because `{}` does not wait for others",
                    waiting[0].rank, waiting[0].call
                ),
                n => format!("{n} ranks go on only because `{}` does not wait for others", waiting[0].call),
            };
            places(say(message), waiting, "would wait").help(
                "MPI may wait there until all ranks of the communicator have come: call it in an order in which they can come",
            )
        }
        MpiFault::NeedsBuffering { waiting, is_collective: false } => {
            let message = match waiting.len() {
                1 => format!("rank {} goes on only because its message is buffered", waiting[0].rank),
                n => format!("{n} ranks go on only because their messages are buffered"),
            };
            places(say(message), waiting, "would wait").help(
                "MPI may wait in these calls until the other side is there, as it does with longer messages: receive first \
                 on one side, or use `MPI_Sendrecv` or `MPI_Irecv`",
            )
        }
        MpiFault::Collectives { reason, first, second } => say(format!(
            "rank {} and rank {} do not call the same collective operation: {reason}",
            first.rank, second.rank
        ))
        .label(format!("rank {} calls `{}`{} here", second.rank, second.call, with(second)))
        .secondary(first.span, format!("rank {} calls `{}`{} here", first.rank, first.call, with(first)))
        .help("every rank of a communicator must call the same collective operations in the same order"),
        MpiFault::Truncated { sent, room, sender, receiver } => say(format!(
            "a message of {} from rank {} does not fit the {} that rank {} receives",
            count(*sent, "byte"),
            sender.rank,
            count(*room, "byte"),
            receiver.rank
        ))
        .label(format!("rank {} receives here", receiver.rank))
        .secondary(sender.span, format!("rank {} sends here", sender.rank)),
        MpiFault::Types { sent, received, sender, receiver } => {
            say(format!("rank {} sends {sent}, and rank {} receives {received}", sender.rank, receiver.rank))
                .label(format!("rank {} receives here", receiver.rank))
                .secondary(sender.span, format!("rank {} sends here", sender.rank))
                .help("give the same datatype on both sides")
        }
        MpiFault::BufferType { call, datatype, given } => {
            say(format!("`{}` with `{datatype}` for a variable of type {given}", call.call))
                .help("give the datatype of the variable, or `MPI_BYTE` and the number of bytes")
        }
        MpiFault::NotReceived { sender, to, tag, bytes } => say(format!(
            "rank {to} never receives the message of {} with tag {tag} that rank {} sends with `{}`",
            count(*bytes, "byte"),
            sender.rank,
            sender.call
        )),
        MpiFault::NotCompleted { start: call } => {
            say(format!("the request of `{}` on rank {} was never completed", call.call, call.rank))
                .help("call `MPI_Wait` or `MPI_Test` for it before `MPI_Finalize`")
        }
        MpiFault::NotFreed { made, kind, count: number } => {
            let what = if *number == 1 { format!("a {kind}") } else { count(*number, kind) };
            let them = if *number == 1 { "it" } else { "them" };
            let (frees, free) = if kind == "file" { ("closes", "close") } else { ("frees", "free") };
            say(format!("rank {} makes {what} by `{}` and never {frees} {them}", made.rank, made.call))
                .help(format!("{free} each {kind} before `MPI_Finalize`, when the program is done with it"))
        }
        MpiFault::Epoch { call, reason, begun } => {
            let d = say(format!("`{}`: {reason}", call.call));
            match begun {
                Some(begun) if begun.span != call.span => {
                    d.secondary(begun.span, format!("rank {} calls `{}` here", begun.rank, begun.call))
                }
                _ => d,
            }
        }
        MpiFault::AccessConflict { first, second, target, name } => {
            let what =
                if name.is_empty() { "the same memory".to_owned() } else { format!("the same bytes of `{name}`") };
            let who = if first.rank == second.rank {
                format!("rank {} accesses {what} on rank {target} twice", first.rank)
            } else {
                format!("rank {} and rank {} access {what} on rank {target}", first.rank, second.rank)
            };
            say(format!("{who}, and nothing orders `{}` and `{}`", first.call, second.call))
                .label(format!("rank {} calls `{}` here", second.rank, second.call))
                .secondary(first.span, format!("rank {} calls `{}` here", first.rank, first.call))
                .help("end the epoch between them, lock the window exclusively, or use `MPI_Accumulate` and its like")
        }
        MpiFault::Argument { call, reason } => say(format!("`{}`: {reason}", call.call)),
        MpiFault::NotFinalized { rank } => say(format!("rank {rank} ends without a call of `MPI_Finalize`")),
        MpiFault::Aborted { call, code } => say(format!("rank {} calls `MPI_Abort` with code {code}", call.rank)),
        MpiFault::OutOfPhase { call, is_over } => {
            say(format!("`{}` {}", call.call, if *is_over { "after `MPI_Finalize`" } else { "before `MPI_Init`" }))
        }
    }
}

/// The first call is the place of the diagnostic, the others are labels; calls at one place share one.
fn places(diagnostic: Diagnostic, calls: &[RankCall], verb: &str) -> Diagnostic {
    let mut groups: Vec<(&RankCall, Vec<u32>)> = Vec::new();
    for call in calls {
        match groups
            .iter_mut()
            .find(|(known, _)| (known.span, &known.call, &known.what) == (call.span, &call.call, &call.what))
        {
            Some((_, members)) => members.push(call.rank),
            None => groups.push((call, vec![call.rank])),
        }
    }
    let mut diagnostic = diagnostic;
    let shown = groups.len().min(MOST_PLACES);
    for (i, (call, members)) in groups.iter().take(shown).enumerate() {
        let verb = if members.len() == 1 { verb.to_owned() } else { verb.trim_end_matches('s').to_owned() };
        let text = format!("{} {verb} in `{}`{}", ranks(members), call.call, for_what(call));
        diagnostic = if i == 0 { diagnostic.label(text) } else { diagnostic.secondary(call.span, text) };
    }
    match groups.len() - shown {
        0 => diagnostic,
        n => diagnostic.note(format!("{} more like these not shown", count(n as u64, "call"))),
    }
}

/// Calls that are shown each at its place.
const MOST_PLACES: usize = 8;

fn for_what(call: &RankCall) -> String {
    if call.what.is_empty() { String::new() } else { format!(" for {}", call.what) }
}

fn with(call: &RankCall) -> String {
    if call.what.is_empty() { String::new() } else { format!(" with {}", call.what) }
}

/// `rank 3`, `ranks 0, 2 and 5`, `ranks 0 to 63`.
fn ranks(list: &[u32]) -> String {
    match list {
        [] => "no rank".to_owned(),
        [one] => format!("rank {one}"),
        [first, .., last] if list.len() > 2 && (last - first) as usize + 1 == list.len() => {
            format!("ranks {first} to {last}")
        }
        [start @ .., last] => {
            let start: Vec<String> = start.iter().map(u32::to_string).collect();
            format!("ranks {} and {last}", start.join(", "))
        }
    }
}

//! Barriers, warp operations, deadlock and livelock: who waits where.

use super::phrase::{count, lanes, triple, who, who_in_block, who_in_warp};
use super::start;
use crate::{Actor, BarrierFault, Finding, FindingKind, GridSyncFault, Waiting};
use diag::Diagnostic;

pub(super) fn word(finding: &Finding) -> Diagnostic {
    match &finding.kind {
        FindingKind::Barrier { block, fault, groups } => barrier(finding, *block, fault, groups),
        FindingKind::Rendezvous { operation, missing, groups } if missing.is_empty() => {
            let message =
                format!("lanes of the warp reach one `{operation}` apart, through different calls or rounds of a loop");
            waiting(Diagnostic::new(finding.code(), finding.span(), message), groups, who_in_block)
                .help("make all lanes of the warp reach it together, or give it a mask of those that do")
        }
        FindingKind::Rendezvous { operation, missing, groups } => {
            let verb = if missing.len() == 1 { "never reaches" } else { "never reach" };
            let message = format!("{} of the warp {verb} this `{operation}`", lanes(missing));
            waiting(Diagnostic::new(finding.code(), finding.span(), message), groups, who_in_block).help(
                "move it out of the `if` or loop that only some lanes enter, so that all lanes of the warp execute it",
            )
        }
        FindingKind::WarpMask { operation, mask } => {
            let caller = finding.accesses.last().map_or("a lane".to_owned(), |a| who_in_warp(&a.actor));
            start(finding, format!("`{operation}` called by a lane that is not in its mask"))
                .label(format!("{caller} calls it with the mask z'{mask:08x}'"))
                .help("bit k of the mask stands for lane k, from 0; without a mask all lanes take part")
        }
        FindingKind::GridSync { fault } => match fault {
            GridSyncFault::NotCooperative => {
                start(finding, "grid synchronisation in a kernel that is not launched cooperatively")
                    .help("declare the kernel `attributes(grid_global)`")
            }
            GridSyncFault::TooManyBlocks { blocks, resident } => start(
                finding,
                format!(
                    "grid synchronisation of {} when the device can hold {resident} at once",
                    count(*blocks, "block")
                ),
            )
            .help("launch with `<<<*, threads>>>`, which takes as many blocks as fit"),
            GridSyncFault::NotReached { ended } => {
                let verb = if *ended == 1 { "reaches" } else { "reach" };
                start(finding, format!("grid synchronisation that {} never {verb}", count(*ended, "block")))
                    .help("make every block of the grid call it, and all blocks equally often")
            }
            GridSyncFault::AtCluster { waiting } => {
                let verb = if *waiting == 1 { "waits" } else { "wait" };
                let who = count(*waiting, "block");
                start(finding, format!("grid synchronisation while {who} {verb} at a barrier of the cluster"))
                    .help("make all blocks of a cluster call the two in the same order")
            }
        },
        FindingKind::Deadlock { groups } => {
            let message = "deadlock: every remaining thread waits for another one".to_owned();
            waiting(Diagnostic::new(finding.code(), finding.span(), message), groups, who)
        }
        FindingKind::Livelock { groups } => {
            let message =
                "livelock: these threads repeat a loop until memory changes that no thread will ever change".to_owned();
            polling(Diagnostic::new(finding.code(), finding.span(), message), groups)
                .help("check the condition of the loop, that every lock is released, and that no block waits for one that starts only after it has ended")
        }
        // The other kinds have their own files.
        _ => start(finding, finding.code().title()),
    }
}

fn barrier(finding: &Finding, block: [u32; 3], fault: &BarrierFault, groups: &[Waiting]) -> Diagnostic {
    let name = groups.first().map_or("syncthreads", |g| g.operation.as_str());
    let block = triple(block);
    let message = match fault {
        BarrierFault::Divergent if same_place(groups) => {
            format!("threads of block {block} reach one `{name}` through different calls")
        }
        BarrierFault::Divergent => format!("threads of block {block} wait at different `{name}` statements"),
        BarrierFault::NotReached => format!("`{name}` that some threads of block {block} can never reach"),
        BarrierFault::Exited { count: n } => {
            format!(
                "`{name}` in block {block}, of which {} {} already returned",
                count(*n, "thread"),
                if *n == 1 { "has" } else { "have" }
            )
        }
    };
    let d = waiting(Diagnostic::new(finding.code(), finding.span(), message), groups, who_in_block);
    match fault {
        BarrierFault::Divergent if same_place(groups) => {
            d.help("make all threads of the block reach it through the same calls")
        }
        BarrierFault::Exited { .. } => d
            .note("GPUs count threads that have returned as arrived")
            .help("skip the work of surplus threads with `if` instead of `return`, so that they reach the barrier"),
        _ => d.help(format!("move `call {name}()` out of the `if`, so that all threads of the block meet at one")),
    }
}

fn same_place(groups: &[Waiting]) -> bool {
    groups.len() > 1 && groups.windows(2).all(|pair| pair[0].span == pair[1].span)
}

/// The first group is the primary place, the others follow. What they wait for is named unless all wait for the same.
fn waiting(diagnostic: Diagnostic, groups: &[Waiting], name: fn(&Actor) -> String) -> Diagnostic {
    let named = groups.iter().any(|g| !g.operation.is_empty() && g.operation != groups[0].operation);
    labelled(diagnostic, groups, |group| {
        let one = group.count == 1;
        match group.operation.as_str() {
            "" => members(group, name, if one { "is here" } else { "are here" }),
            operation => {
                let at = if named { format!(" at `{operation}`") } else { String::new() };
                members(group, name, &format!("{} here{at}", if one { "waits" } else { "wait" }))
            }
        }
    })
}

fn polling(diagnostic: Diagnostic, groups: &[Waiting]) -> Diagnostic {
    labelled(diagnostic, groups, |group| match (group.operation.as_str(), group.count) {
        ("", 1) => members(group, who, "polls here"),
        ("", _) => members(group, who, "poll here"),
        (operation, n) => {
            let verb = if n == 1 { "waits" } else { "wait" };
            members(group, who, &format!("{verb} here at `{operation}`"))
        }
    })
}

/// `32 threads wait here, the first is thread (1,1,1)`.
fn members(group: &Waiting, name: fn(&Actor) -> String, does: &str) -> String {
    match group.count {
        1 => format!("{} {does}", name(&group.first)),
        n => format!("{} {does}, the first is {}", count(n, "thread"), name(&group.first)),
    }
}

fn labelled(mut diagnostic: Diagnostic, groups: &[Waiting], text: impl Fn(&Waiting) -> String) -> Diagnostic {
    const SHOWN: usize = 8;
    let primary = diagnostic.primary.span;
    let mut rest = groups;
    if let Some((first, others)) = groups.split_first()
        && first.span == primary
    {
        diagnostic = diagnostic.label(text(first));
        rest = others;
    }
    for group in rest.iter().take(SHOWN) {
        diagnostic = diagnostic.secondary(group.span, text(group));
    }
    match rest.len().saturating_sub(SHOWN) {
        0 => diagnostic,
        more => diagnostic.note(format!("and {} elsewhere", count(more as u64, "group"))),
    }
}

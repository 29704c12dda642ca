//! The small phrases that sentences consist of: threads, things, verbs, counts.

use crate::access::launch_name;
use crate::{Access, Actor, Allocation, LaunchInfo, Space, ThreadId, What};

/// `(1,2,3)`.
pub(super) fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

/// A thread, with its block.
pub(super) fn thread(id: &ThreadId) -> String {
    format!("thread {} of block {}", triple(id.thread), triple(id.block))
}

/// Who, with the block: for findings that may be anywhere in the grid.
pub(super) fn who(actor: &Actor) -> String {
    match actor {
        Actor::Thread(id) => thread(id),
        _ => who_in_block(actor),
    }
}

/// Who, without the block, which the message has named.
pub(super) fn who_in_block(actor: &Actor) -> String {
    match actor {
        Actor::Host => "the host".to_owned(),
        Actor::Thread(id) => format!("thread {}", triple(id.thread)),
        Actor::Kernel(launch) => named(launch),
        Actor::Message { call } => format!("`{call}`"),
        Actor::Copy { call, stream } if call == "assignment" => format!("the assignment on {}", stream_name(*stream)),
        Actor::Copy { call, stream } => format!("`{call}` on {}", stream_name(*stream)),
    }
}

/// Who, with the lane.
pub(super) fn who_in_warp(actor: &Actor) -> String {
    match actor {
        Actor::Thread(id) => format!("lane {}, thread {},", id.lane, triple(id.thread)),
        _ => who_in_block(actor),
    }
}

/// Who, with the thread and its kernel, and with the number of the launch if that `is_numbered`.
pub(super) fn who_in_grid(access: &Access, launch: Option<&LaunchInfo>, is_numbered: bool) -> String {
    match (&access.actor, access.launch.as_ref().or(launch)) {
        (Actor::Thread(id), Some(launch)) if is_numbered => {
            format!("{} of `{}`, launch {},", thread(id), launch.kernel, launch_name(launch.number))
        }
        (Actor::Thread(id), Some(launch)) => format!("{} of `{}`", thread(id), launch.kernel),
        (actor, _) => who(actor),
    }
}

/// Who, with the launch that the thread belongs to.
pub(super) fn who_in_launch(access: &Access, launch: Option<&LaunchInfo>) -> String {
    match (&access.actor, access.launch.as_ref().or(launch)) {
        (Actor::Thread(_), Some(launch)) => named(launch),
        (actor, _) => who(actor),
    }
}

/// A launch with its number and stream.
fn named(launch: &LaunchInfo) -> String {
    format!("`{}`, launch {} on {},", launch.kernel, launch_name(launch.number), stream_name(launch.stream))
}

/// `the default stream` or `stream 3`.
pub(super) fn stream_name(stream: u64) -> String {
    if stream == 0 { "the default stream".to_owned() } else { format!("stream {stream}") }
}

/// `wrote`, for the earlier access.
pub(super) fn past(what: What) -> &'static str {
    match what {
        What::Read | What::VolatileRead => "read",
        What::Write | What::VolatileWrite => "wrote",
        What::Atomic => "atomically updated",
        What::Compare => "compared",
        What::Allocate => "allocated",
        What::Free => "freed",
        What::Execute => "used",
    }
}

/// `writes`, for the access at which it was found.
pub(super) fn present(what: What) -> &'static str {
    match what {
        What::Read | What::VolatileRead => "reads",
        What::Write | What::VolatileWrite => "writes",
        What::Atomic => "atomically updates",
        What::Compare => "compares",
        What::Allocate => "allocates",
        What::Free => "frees",
        What::Execute => "uses",
    }
}

/// `write`, for messages.
pub(super) fn noun(what: What) -> &'static str {
    match what {
        What::Read | What::VolatileRead => "read",
        What::Write | What::VolatileWrite => "write",
        What::Atomic => "atomic update",
        What::Compare => "atomic comparison",
        What::Allocate => "allocation",
        What::Free => "free",
        What::Execute => "use",
    }
}

/// The element by name, else by address.
pub(super) fn name(access: &Access) -> String {
    match &access.place {
        Some(place) => format!("`{place}`"),
        None => format!("address {}", address(access.address)),
    }
}

/// The array by name without the element, else `the array`.
pub(super) fn array(access: &Access) -> String {
    access.place.as_ref().map_or_else(|| "the array".to_owned(), |p| format!("`{}`", p.array))
}

/// The element with its kind of memory: shared `s(17)`.
pub(super) fn object(access: &Access) -> String {
    match (&access.place, access.space) {
        (Some(place), Space::Host | Space::Unknown) => format!("`{place}`"),
        (Some(place), space) => format!("{space} `{place}`"),
        (None, Space::Unknown) => format!("memory at {}", address(access.address)),
        (None, space) => format!("{space} memory at {}", address(access.address)),
    }
}

/// An address as users know it from debuggers.
pub(super) fn address(address: u64) -> String {
    format!("0x{address:x}")
}

/// `1 byte`, `4 bytes`.
pub(super) fn count(n: u64, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// The allocation by name.
pub(super) fn allocation(allocation: &Allocation) -> String {
    match &allocation.name {
        Some(name) => format!("`{name}`"),
        None => format!("the allocation at {}", address(allocation.base)),
    }
}

/// `lane 3`, `lanes 0 to 7, 12`.
pub(super) fn lanes(lanes: &[u32]) -> String {
    let mut sorted = lanes.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let runs: Vec<String> = sorted
        .chunk_by(|a, b| a + 1 == *b)
        .map(|run| match run {
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
            [] => String::new(),
        })
        .collect();
    format!("{} {}", if sorted.len() == 1 { "lane" } else { "lanes" }, runs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_named_in_runs() {
        assert_eq!(lanes(&[3]), "lane 3");
        assert_eq!(lanes(&[7, 0, 1, 2, 12, 13]), "lanes 0 to 2, 7, 12 to 13");
    }

    #[test]
    fn counts_have_their_plural() {
        assert_eq!(count(1, "byte"), "1 byte");
        assert_eq!(count(0, "byte"), "0 bytes");
    }
}

//! What the computer has for a program: the default memory limit, and its cores.
//!
//! The limit is the memory of the computer, or the limit of the control group of the process if that is smaller. It does not depend on
//! what other processes use, so a program that runs out of memory does so every time on one computer. On systems other than
//! Linux there is no limit.
//!
//! Source: proc_meminfo(5); Linux kernel documentation, "Control Group v2", memory interface files.

use std::fs;
use std::thread::available_parallelism;

/// Limit in bytes for the pages of a program: seven eighths of the memory, since cufemu needs some too.
pub(crate) fn memory() -> Option<u64> {
    let all = total(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = fs::read_to_string("/proc/self/cgroup").ok().and_then(|text| group_limit(&text));
    Some(all.min(group.unwrap_or(all)) / 8 * 7)
}

/// The cores of the computer, those too that this process may not use.
pub(crate) fn cores() -> usize {
    let present = fs::read_to_string("/sys/devices/system/cpu/present").ok().and_then(|text| last(&text));
    present.map_or_else(|| available_parallelism().map_or(1, usize::from), |last| last + 1)
}

/// The last number of a list such as `0-3,8-11`.
fn last(list: &str) -> Option<usize> {
    list.trim().rsplit([',', '-']).next()?.parse().ok()
}

/// The total in the text of `/proc/meminfo`.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The smallest limit of the group and its ancestors, from the text of `/proc/self/cgroup`.
fn group_limit(text: &str) -> Option<u64> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    let limits = groups(path).into_iter().filter_map(|group| {
        let limit = fs::read_to_string(format!("/sys/fs/cgroup{group}/memory.max")).ok()?;
        limit.trim().parse().ok()
    });
    limits.min()
}

/// A group and its ancestors, as paths without a trailing slash.
fn groups(path: &str) -> Vec<&str> {
    let path = path.trim_end_matches('/');
    let around = path.match_indices('/').map(|(at, _)| &path[..at]);
    around.chain([path]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_in_kilobytes() {
        assert_eq!(total("MemTotal:       24576000 kB\nMemFree: 1 kB\n"), Some(24_576_000 * 1024));
        assert_eq!(total("MemFree: 1 kB\n"), None);
        assert_eq!(total("MemTotal: many\n"), None);
    }

    #[test]
    fn cores_are_counted_from_zero() {
        assert_eq!(last("0-3,8-11\n"), Some(11));
        assert_eq!(last("0\n"), Some(0));
        assert_eq!(last("\n"), None);
        assert!(cores() >= 1);
    }

    #[test]
    fn a_group_has_all_its_ancestors() {
        assert_eq!(groups("/a/b"), ["", "/a", "/a/b"]);
        assert_eq!(groups("/"), [""]);
    }
}

//! How much memory the computer has for a program.
//!
//! It is that of the machine or, where that is less, of the control group that the process runs in; what others use of it at
//! the moment does not count, so that a program that fails for want of memory does so each time on one computer. Where the
//! system does not say (it is Linux that does) there is no limit.
//!
//! Source: proc_meminfo(5); Linux kernel documentation, "Control Group v2", memory interface files.

use std::fs;

/// Bytes that the pages of a program's memory may take: seven eighths of all, since something is needed beside them.
pub(crate) fn memory() -> Option<u64> {
    let all = total(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = fs::read_to_string("/proc/self/cgroup").ok().and_then(|text| group_limit(&text));
    Some(all.min(group.unwrap_or(all)) / 8 * 7)
}

/// The total in the text of `/proc/meminfo`.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The least limit of the group and the groups around it, from the text of `/proc/self/cgroup`.
fn group_limit(text: &str) -> Option<u64> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    let limits = groups(path).into_iter().filter_map(|group| {
        let limit = fs::read_to_string(format!("/sys/fs/cgroup{group}/memory.max")).ok()?;
        limit.trim().parse().ok()
    });
    limits.min()
}

/// A group and all around it, each as a path without a slash at its end.
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
    fn a_group_lies_in_the_groups_around_it() {
        assert_eq!(groups("/a/b"), ["", "/a", "/a/b"]);
        assert_eq!(groups("/"), [""]);
    }
}

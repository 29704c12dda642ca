//! The known name nearest to a misspelt one, for `did you mean …`.
//!
//! The distance counts insertions, deletions, replacements and swaps of neighbouring letters (optimal string alignment),
//! since swapped letters are the most common slip. It ignores case, as Fortran does.
//!
//! Not here: which names are candidates; the caller gives them.

/// The candidate nearest to `name`, if one is near enough to suggest: at most one slip in three letters, and never the
/// name itself. Of equally near candidates the first wins.
///
/// ```
/// assert_eq!(diag::nearest_name("treadidx", ["blockidx", "threadidx"]), Some("threadidx"));
/// assert_eq!(diag::nearest_name("i", ["j", "k"]), None);
/// ```
pub fn nearest_name<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_within(name, candidates, name.chars().count() / 3)
}

/// Like [`nearest_name`], with at most `bound` slips.
pub fn nearest_within<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, bound: usize) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let length = wanted.chars().count();
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let limit = best.map_or(bound, |(distance, _)| distance - 1);
        let other = candidate.to_lowercase();
        // The difference in length is a lower bound that costs little.
        if other.chars().count().abs_diff(length) > limit {
            continue;
        }
        let distance = strsim::osa_distance(&wanted, &other);
        if (1..=limit).contains(&distance) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["syncthreads", "syncwarp", "threadfence", "n", "blockdim"];
        let nearest = |name| nearest_name(name, names);
        assert_eq!(nearest("syncthread"), Some("syncthreads"));
        assert_eq!(nearest("snycthreads"), Some("syncthreads"));
        assert_eq!(nearest("BlockDmi"), Some("blockdim"));
        assert_eq!(nearest("m"), None);
        assert_eq!(nearest("temperature"), None);
        assert_eq!(nearest(""), None);
        assert_eq!(nearest_name("abcd", ["ABCD"]), None);
    }

    #[test]
    fn the_bound_counts_a_swap_as_one_slip() {
        assert_eq!(nearest_within("abcd", ["abdc"], 1), Some("abdc"));
        assert_eq!(nearest_within("kitten", ["sitting"], 3), Some("sitting"));
        assert_eq!(nearest_within("kitten", ["sitting"], 2), None);
        assert_eq!(nearest_within("abc", ["abcde", "abcd", "abcf"], 3), Some("abcd"));
    }
}

//! The name that was probably meant.
//!
//! The distance is Damerau's in its restricted form (insert, delete, replace, swap of neighbours), since swapped letters
//! are the most common slip. Letter case does not count, as in Fortran.

/// The candidate nearest to `name`, when one is near enough to be suggested: at most one slip in three letters, and never
/// the name itself. Of equally near candidates the first wins.
///
/// ```
/// assert_eq!(diag::nearest_name("treadidx", ["blockidx", "threadidx"]), Some("threadidx"));
/// assert_eq!(diag::nearest_name("i", ["j", "k"]), None);
/// ```
pub fn nearest_name<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_within(name, candidates, name.chars().count() / 3)
}

/// The same with a bound of one's own: how many letters may be added, dropped, replaced or exchanged with the next.
pub fn nearest_within<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, bound: usize) -> Option<&'a str> {
    let wanted = letters(name);
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let limit = best.map_or(bound, |(distance, _)| distance.saturating_sub(1));
        let Some(distance) = distance_within(&wanted, &letters(candidate), limit) else { continue };
        if distance > 0 && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The edit distance, or `None` when it is above `limit`.
fn distance_within(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        if row.iter().all(|&d| d > limit) {
            return None;
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last.last().copied().filter(|&d| d <= limit)
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
    fn distance_counts_a_swap_as_one() {
        let d = |a: &str, b: &str| distance_within(&letters(a), &letters(b), 9);
        assert_eq!(d("abcd", "abdc"), Some(1));
        assert_eq!(d("abc", ""), Some(3));
        assert_eq!(d("", ""), Some(0));
        assert_eq!(d("kitten", "sitting"), Some(3));
        assert_eq!(distance_within(&letters("kitten"), &letters("sitting"), 2), None);
    }
}

//! Character services: assignment, comparison and searches, on bytes.
//!
//! Source: Fortran 2018, 10.2.1.3 (assignment pads with blanks), 10.1.5.5.1 (comparison), 16.9 (the intrinsics).

use ir::rt::Rt;
use std::cmp::Ordering;

/// Compares as if the shorter had blanks behind it.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let n = a.len().max(b.len());
    let at = |s: &[u8], i: usize| s.get(i).copied().unwrap_or(b' ');
    (0..n).map(|i| at(a, i).cmp(&at(b, i))).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// INDEX: where `part` begins in `text`, from 1; 0 if nowhere.
pub(crate) fn index(text: &[u8], part: &[u8], back: bool) -> u64 {
    if part.len() > text.len() {
        return 0;
    }
    let last = text.len() - part.len();
    let hit = |&i: &usize| &text[i..i + part.len()] == part;
    let found = if back { (0..=last).rev().find(hit) } else { (0..=last).find(hit) };
    found.map_or(0, |i| i as u64 + 1)
}

/// SCAN (`wanted`) and VERIFY (not `wanted`): the first or last character that is, or is not, in `set`; 0 if none.
pub(crate) fn scan(text: &[u8], set: &[u8], back: bool, wanted: bool) -> u64 {
    let hit = |c: &u8| set.contains(c) == wanted;
    let found = if back { text.iter().rposition(hit) } else { text.iter().position(hit) };
    found.map_or(0, |i| i as u64 + 1)
}

/// What the service of INDEX, SCAN or VERIFY gives.
pub(crate) fn find(rt: Rt, text: &[u8], other: &[u8], back: bool) -> u64 {
    match rt {
        Rt::CharIndex => index(text, other, back),
        _ => scan(text, other, back, rt == Rt::CharScan),
    }
}

/// `LEN_TRIM`.
pub(crate) fn len_trim(text: &[u8]) -> usize {
    text.iter().rposition(|&c| c != b' ').map_or(0, |i| i + 1)
}

/// ADJUSTL, or ADJUSTR if `right`.
pub(crate) fn adjust(text: &[u8], right: bool) -> Vec<u8> {
    let trimmed = &text[..len_trim(text)];
    let start = text.iter().position(|&c| c != b' ').unwrap_or(text.len());
    let mut out = text.to_vec();
    if right {
        out.rotate_right(text.len() - trimmed.len());
    } else {
        out.rotate_left(start % text.len().max(1));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparison_pads_with_blanks() {
        assert_eq!(compare(b"ab", b"ab  "), Ordering::Equal);
        assert_eq!(compare(b"ab", b"ab\t"), Ordering::Greater);
        assert_eq!(compare(b"a", b"b"), Ordering::Less);
    }

    #[test]
    fn searches_count_from_one() {
        assert_eq!(index(b"banana", b"an", false), 2);
        assert_eq!(index(b"banana", b"an", true), 4);
        assert_eq!(index(b"ab", b"", true), 3);
        assert_eq!(index(b"ab", b"abc", false), 0);
        assert_eq!(scan(b"fortran", b"tr", false, true), 3);
        assert_eq!(scan(b"fortran", b"tr", true, true), 5);
        assert_eq!(scan(b"  x", b" ", false, false), 3);
        assert_eq!(scan(b"   ", b" ", false, false), 0);
    }

    #[test]
    fn adjusting_moves_blanks() {
        assert_eq!(adjust(b"  ab ", false), b"ab   ");
        assert_eq!(adjust(b"  ab ", true), b"   ab");
        assert_eq!(adjust(b"", false), b"");
        assert_eq!(adjust(b"   ", true), b"   ");
    }
}

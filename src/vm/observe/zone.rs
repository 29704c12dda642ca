//! Whether the words of an access of a warp lie between two addresses.

use mem::LaneAddresses;

/// Whether the words of the lanes of a mask, each of so many bytes and so far behind `base`, lie between two addresses.
#[inline(always)]
pub(crate) fn are_within<const W: usize>(
    (base, offsets): (u64, &[u64; W]),
    mask: u32,
    bytes: u64,
    (low, high): (u64, u64),
) -> bool {
    let Some(last) = high.checked_sub(bytes).filter(|&last| last < 1 << 63) else { return false };
    // An address beyond either end leaves the sign. The processor looks at several at a time.
    let sign = |offset: u64| {
        let address = base.wrapping_add(offset);
        address.wrapping_sub(low) | last.wrapping_sub(address) | address
    };
    let beyond = if mask == u32::MAX {
        offsets.iter().fold(0, |any, &offset| any | sign(offset))
    } else {
        let of_lane = |lane: usize| sign(offsets[lane]) & u64::from(mask >> lane & 1).wrapping_neg();
        (0..W).fold(0, |any, lane| any | of_lane(lane))
    };
    beyond >> 63 == 0
}

/// Whether the words of the lanes of a mask, each of so many bytes, surely lie between two addresses.
#[inline]
pub fn is_within<const W: usize>(at: &LaneAddresses<W>, mask: u32, bytes: u64, (low, high): (u64, u64)) -> bool {
    match at {
        LaneAddresses::Strided(rule) => {
            let last = high.checked_sub(bytes);
            rule.low() >= low && last.is_some_and(|last| rule.low().saturating_add(rule.span()) <= last)
        }
        LaneAddresses::List(list) => are_within((0, list), mask, bytes, (low, high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem::Strided;

    #[test]
    fn lanes_lie_between_two_addresses() {
        let mut list: [u64; 32] = std::array::from_fn(|lane| 1000 + 8 * lane as u64);
        let within = |list: &[u64; 32], mask, zone| is_within(&LaneAddresses::List(*list), mask, 8, zone);
        assert!(within(&list, u32::MAX, (1000, 1256)) && !within(&list, u32::MAX, (1000, 1255)));
        assert!(!within(&list, u32::MAX, (1001, 9999)) && within(&list, u32::MAX - 1, (1001, 9999)));
        assert!(!within(&list, 1, (0, 0)) && !within(&list, 1, (1000, 1004)));
        (list[7], list[8]) = (u64::MAX - 3, 3);
        assert!(!within(&list, u32::MAX, (0, u64::MAX)) && !within(&list, 1 << 7, (0, 1 << 62)));
        assert!(within(&list, !(1 << 7), (0, 1 << 62)) && !within(&list, !(1 << 7), (4, 1 << 62)));
        assert!(are_within((5000, &[0; 32]), 3, 4, (5000, 5004)) && !are_within((5001, &[0; 32]), 3, 4, (5000, 5004)));
        let rule = LaneAddresses::Strided(Strided::<32>::contiguous(1000, 8));
        assert!(is_within(&rule, 1, 8, (1000, 1256)) && !is_within(&rule, 1, 8, (1000, 1255)));
        assert!(!is_within(&rule, 1, 8, (0, 7)));
    }
}

//! Whether the words of an access of a warp lie between two addresses.

use mem::LaneAddresses;

/// Addresses between which an observer need not be told of an access ([`crate::Hooks::quiet`]).
#[derive(Clone, Copy, Default, Debug)]
pub struct QuietZone {
    /// The first.
    pub low: u64,
    /// What is behind the last.
    pub high: u64,
    /// Whether it wants to know which words the lanes touch all the same ([`crate::Hooks::on_lanes`]).
    pub takes_lanes: bool,
}

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

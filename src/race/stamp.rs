//! The 64-bit stamp: who accessed a cell of memory, and when.
//!
//! A stamp is `{tag:26 | who:11 | time:27}`. For global memory the tag is the block's number plus one, so that an
//! all-zero stamp means "nobody"; for shared memory it is a generation that grows with each block that takes over the
//! shadow, so that stamps of an earlier block are void without being cleared. `who` below 1024 is a thread; the values
//! above are summaries: all of one warp, or all of the block, no later than `time`. A tag of all ones says "in several
//! blocks". A summary never forgets an access, it only says less exactly who made it.
//!
//! A field that would overflow is never wrapped: the caller stops following the block and calls its verdict incomplete.

use std::fmt;

/// Bits of the time field.
const TIME_BITS: u32 = 27;
/// Where the tag starts.
const TAG_SHIFT: u32 = TIME_BITS + 11;
/// The bits of the `who` field, in place.
pub(crate) const WHO_MASK: u64 = 0x7ff << TIME_BITS;
/// First `who` of the summaries of one warp.
const WARP_BASE: u64 = 1024;
/// The `who` of the summary of a whole block.
const CTA: u64 = WARP_BASE + 32;

/// The latest time that a stamp can hold.
pub const MAX_TIME: u32 = (1 << TIME_BITS) - 1;
/// The largest tag that a stamp can hold; the one above is "several blocks".
pub const MAX_TAG: u64 = (1 << 26) - 2;

/// Who and when; see the module's head.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp(u64);

/// The accesses that a stamp stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// One thread of the block.
    Thread(u16),
    /// Several threads of this warp of the block.
    Warp(u8),
    /// Several threads of the block.
    Cta,
    /// Threads of several blocks.
    ManyCtas,
}

impl Stamp {
    /// Nobody.
    pub const NONE: Self = Self(0);
    /// Threads of several blocks.
    pub const MANY_CTAS: Self = Self(u64::MAX);

    /// One access of one thread. `tag` must not be above [`MAX_TAG`], `tid` below 1024, `time` not above [`MAX_TIME`].
    pub fn thread(tag: u64, tid: u32, time: u32) -> Self {
        debug_assert!(tag <= MAX_TAG && tid < 1024 && time <= MAX_TIME);
        Self(tag << TAG_SHIFT | u64::from(tid) << TIME_BITS | u64::from(time))
    }

    /// Accesses of several lanes of a warp, the latest at `time`.
    pub fn warp(tag: u64, warp: u32, time: u32) -> Self {
        Self(tag << TAG_SHIFT | (WARP_BASE + u64::from(warp)) << TIME_BITS | u64::from(time))
    }

    /// Accesses of several threads of a block, the latest at `time`.
    pub(crate) fn cta(tag: u64, time: u32) -> Self {
        Self(tag << TAG_SHIFT | CTA << TIME_BITS | u64::from(time))
    }

    /// The tag and the thread in the low 37 bits, as [`Stamp::is_of`] wants them.
    pub(crate) fn owner(tag: u64, tid: u32) -> u64 {
        tag << 11 | u64::from(tid)
    }

    /// The stamp of the owner made by [`Stamp::owner`] at `time`.
    pub(crate) fn of_owner(owner: u64, time: u32) -> Self {
        Self(owner << TIME_BITS | u64::from(time))
    }

    /// What the bits of the stamps of two neighbouring lanes differ by.
    pub(crate) const NEXT_LANE: u64 = 1 << TIME_BITS;

    /// The stamp of the next thread at the same time.
    pub(crate) fn next_lane(self) -> Self {
        Self(self.0.wrapping_add(Self::NEXT_LANE))
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Whether the stamp is of this one thread.
    pub(crate) fn is_of(self, owner: u64) -> bool {
        self.0 >> TIME_BITS == owner
    }

    /// Whether the stamp is of a thread in the warp whose lane 0 is `owner`.
    pub(crate) fn is_of_warp(self, owner: u64) -> bool {
        self.0 >> TIME_BITS >> 5 == owner >> 5
    }

    /// Whether the stamp has this tag and is not later than `time`, whichever thread made it.
    pub(crate) fn is_within(self, tag: u64, time: u32) -> bool {
        (self.0 ^ tag << TAG_SHIFT) & !WHO_MASK <= u64::from(time)
    }

    /// The block's number plus one, or the generation; all ones for several blocks.
    pub fn tag(self) -> u64 {
        self.0 >> TAG_SHIFT
    }

    /// The time of the access, or of the latest access of a summary.
    pub fn time(self) -> u32 {
        self.0 as u32 & MAX_TIME
    }

    /// Whose accesses the stamp stands for. Of no meaning for [`Stamp::NONE`].
    pub fn who(self) -> Who {
        let who = self.0 >> TIME_BITS & 0x7ff;
        if self.tag() > MAX_TAG {
            Who::ManyCtas
        } else if who < WARP_BASE {
            Who::Thread(who as u16)
        } else if who < CTA {
            Who::Warp((who - WARP_BASE) as u8)
        } else {
            Who::Cta
        }
    }

    /// The warp that all of the stamp's accesses belong to.
    fn only_warp(self) -> Option<u8> {
        match self.who() {
            Who::Thread(tid) => Some((tid / 32) as u8),
            Who::Warp(warp) => Some(warp),
            Who::Cta | Who::ManyCtas => None,
        }
    }

    /// Whether the stamp is of exactly one thread.
    pub fn is_single(self) -> bool {
        matches!(self.who(), Who::Thread(_))
    }

    /// The least summary that stands for the accesses of both stamps; neither may be [`Stamp::NONE`].
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        let time = self.time().max(other.time());
        if self.tag() != other.tag() {
            return Self::MANY_CTAS;
        }
        match (self.who(), other.who()) {
            (Who::ManyCtas, _) => Self::MANY_CTAS,
            (Who::Thread(a), Who::Thread(b)) if a == b => Self::thread(self.tag(), u32::from(a), time),
            _ => match (self.only_warp(), other.only_warp()) {
                (Some(a), Some(b)) if a == b => Self::warp(self.tag(), u32::from(a), time),
                _ => Self::cta(self.tag(), time),
            },
        }
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return f.write_str("nobody");
        }
        write!(f, "{:?} of {} at {}", self.who(), self.tag(), self.time())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_at_their_limits_stay_apart() {
        let s = Stamp::thread(MAX_TAG, 1023, MAX_TIME);
        assert_eq!((s.tag(), s.who(), s.time()), (MAX_TAG, Who::Thread(1023), MAX_TIME));
        assert!(s.is_of(Stamp::owner(MAX_TAG, 1023)) && !s.is_of(Stamp::owner(MAX_TAG, 1022)));
        assert!(s.is_within(MAX_TAG, MAX_TIME) && !s.is_within(MAX_TAG, MAX_TIME - 1));
        assert!(!s.is_within(MAX_TAG - 1, MAX_TIME) && !Stamp::NONE.is_within(1, MAX_TIME));
        assert_eq!(Stamp::MANY_CTAS.who(), Who::ManyCtas);
        assert!(!Stamp::MANY_CTAS.is_within(1, MAX_TIME));
    }

    #[test]
    fn merge_widens_from_thread_to_warp_to_block_to_blocks() {
        let a = Stamp::thread(5, 33, 10);
        assert_eq!(a.merge(Stamp::thread(5, 33, 12)), Stamp::thread(5, 33, 12));
        let warp = a.merge(Stamp::thread(5, 40, 9));
        assert_eq!((warp.who(), warp.time()), (Who::Warp(1), 10));
        assert_eq!(warp.merge(Stamp::thread(5, 63, 20)), Stamp::warp(5, 1, 20));
        let cta = warp.merge(Stamp::thread(5, 64, 11));
        assert_eq!((cta.who(), cta.time()), (Who::Cta, 11));
        assert_eq!(cta.merge(a).who(), Who::Cta);
        let many = cta.merge(Stamp::thread(6, 0, 1));
        assert_eq!(many, Stamp::MANY_CTAS);
        assert_eq!(many.merge(a), many);
        assert_eq!(many.merge(many), many);
    }
}

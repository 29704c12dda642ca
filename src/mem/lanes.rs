//! The addresses of one memory instruction of a warp.
//!
//! Most addresses of a warp are regular: all lanes the same, consecutive lanes a constant apart, or rows of such lanes, as a
//! two-dimensional block makes them. [`Strided`] is that rule; [`LaneAddresses`] is either a rule or a list. The executor, the
//! memory, the write buffer and the race detector all take these types.
//!
//! Not here: where a rule comes from. The executor keeps the lane pattern of each address expression up to date as registers
//! change and makes a rule of it for each access (`vm`).

use scalar::lanes;

/// The addresses of the lanes of a warp of `W`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LaneAddresses<const W: usize> {
    /// They follow a rule.
    Strided(Strided<W>),
    /// Each lane has its own; those of inactive lanes mean nothing.
    List([u64; W]),
}

/// The addresses of `W` lanes that stand in rows: lane `l` is `l % row_lanes` steps and `l / row_lanes` rows from lane 0.
///
/// Invariant, on which unchecked accesses rest: `low` is the lowest address of a lane and `low + span` the highest, where sums
/// wrap; neither a step nor a row is longer than `span`, and `span` is below 2^62. A rule of one row has a row step of 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strided<const W: usize> {
    first: u64,
    row_lanes: u32,
    step: i64,
    row: i64,
    low: u64,
    span: u64,
}

/// How the lanes of a rule lie for words of some size, as far as it makes a difference for how they are copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowShape {
    /// One word for all lanes.
    Uniform,
    /// Consecutive words.
    Contiguous,
    /// Two rows of 16 consecutive words.
    TwoContiguous,
    /// Two words, each for 16 lanes.
    TwoUniform,
    /// Another one.
    Other,
}

/// How the active lanes of an access lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActivePattern {
    /// Consecutive lanes at consecutive words: the first lane, and how many lanes there are.
    Run(usize, usize),
    /// At least two lanes, all at one address.
    Uniform(u64),
    /// Another one.
    Other,
}

/// Limit of a span, so that no sum or product within a rule overflows.
const MAX_SPAN: u64 = 1 << 62;

impl<const W: usize> Strided<W> {
    /// All lanes at one address.
    #[inline(always)]
    pub const fn uniform(address: u64) -> Strided<W> {
        Strided { first: address, row_lanes: W as u32, step: 0, row: 0, low: address, span: 0 }
    }

    /// Consecutive words of `bytes`, at most 2^16.
    #[inline(always)]
    pub const fn contiguous(first: u64, bytes: u16) -> Strided<W> {
        let span = (W as u64 - 1) * bytes as u64;
        let step = if W == 1 { 0 } else { bytes as i64 };
        Strided { first, row_lanes: W as u32, step, row: 0, low: first, span }
    }

    /// Lanes `step` bytes apart. `None` if that is too far for a rule.
    #[inline(always)]
    pub fn line(first: u64, step: i64) -> Option<Strided<W>> {
        Strided::new(first, W as u32, step, 0)
    }

    /// Rows of `row_lanes` lanes, a power of two; 1 and `W` and more mean one row. The lanes of a row are `step` bytes apart,
    /// rows are `row` bytes apart. `None` if that is too far for a rule, or `row_lanes` is no power of two.
    #[inline(always)]
    pub fn new(first: u64, row_lanes: u32, step: i64, row: i64) -> Option<Strided<W>> {
        let (row_lanes, step, row) = match row_lanes {
            // Rows of one lane are one row whose lanes are that far apart.
            1 => (W as u32, row, 0),
            n if n >= W as u32 => (W as u32, step, 0),
            n if n.is_power_of_two() => (n, step, row),
            _ => return None,
        };
        let step = if W == 1 { 0 } else { step };
        let far = |stride: i64| stride.unsigned_abs() >= MAX_SPAN / 64;
        if far(step) || far(row) {
            return None;
        }
        let across = step * (i64::from(row_lanes) - 1);
        let down = row * (W as i64 / i64::from(row_lanes) - 1);
        let (low, high) = (across.min(0) + down.min(0), across.max(0) + down.max(0));
        Some(Strided { first, row_lanes, step, row, low: first.wrapping_add_signed(low), span: (high - low) as u64 })
    }

    /// The rule of a list for the lanes of `mask`, if consecutive lanes are a constant apart.
    #[inline(always)]
    pub fn fit(list: &[u64; W], mask: u32) -> Option<Strided<W>> {
        let first = mask.trailing_zeros() as usize;
        let next = (mask & mask.wrapping_sub(1)).trailing_zeros() as usize;
        let &start = list.get(first)?;
        let step = match list.get(next) {
            None => 0,
            Some(other) => {
                let (distance, lanes) = (other.wrapping_sub(start) as i64, (next - first) as i64);
                if lanes == 1 { distance } else { (distance % lanes == 0).then(|| distance / lanes)? }
            }
        };
        let anchor = start.wrapping_add_signed(step.wrapping_mul(-(first as i64)));
        let mut fits = true;
        for (lane, &address) in list.iter().enumerate() {
            let expected = anchor.wrapping_add_signed(step.wrapping_mul(lane as i64));
            fits &= address == expected || mask >> lane & 1 == 0;
        }
        if fits { Strided::line(anchor, step) } else { None }
    }

    /// Address of lane 0, active or not.
    #[inline(always)]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Lanes of a row, a power of two; `W` if there is one row.
    #[inline(always)]
    pub fn row_lanes(&self) -> u32 {
        self.row_lanes
    }

    /// Bytes from a lane to the next in its row.
    #[inline(always)]
    pub fn step(&self) -> i64 {
        self.step
    }

    /// Bytes from a row to the next.
    #[inline(always)]
    pub fn row(&self) -> i64 {
        self.row
    }

    /// The lowest address of a lane, active or not.
    #[inline(always)]
    pub fn low(&self) -> u64 {
        self.low
    }

    /// How far above it the highest is.
    #[inline(always)]
    pub fn span(&self) -> u64 {
        self.span
    }

    /// How far a lane is from lane 0.
    #[inline(always)]
    fn offset(&self, lane: usize) -> i64 {
        let (row, column) =
            (lane as i64 >> self.row_lanes.trailing_zeros(), lane as i64 & (i64::from(self.row_lanes) - 1));
        column.wrapping_mul(self.step).wrapping_add(row.wrapping_mul(self.row))
    }

    /// The address of a lane.
    #[inline(always)]
    pub fn address(&self, lane: usize) -> u64 {
        self.first.wrapping_add_signed(self.offset(lane))
    }

    /// The same, so many bytes further on.
    #[inline(always)]
    #[must_use]
    pub fn moved(self, bytes: i64) -> Strided<W> {
        Strided { first: self.first.wrapping_add_signed(bytes), low: self.low.wrapping_add_signed(bytes), ..self }
    }

    /// Every address times a factor that is not negative. `None` if that is too far for a rule.
    #[inline(always)]
    pub fn scaled(self, factor: i64) -> Option<Strided<W>> {
        let span = self.span.checked_mul(u64::try_from(factor).ok()?).filter(|&span| span < MAX_SPAN)?;
        let first = self.first.wrapping_mul(factor as u64);
        let low = self.low.wrapping_sub(self.first) as i64;
        Some(Strided {
            first,
            row_lanes: self.row_lanes,
            step: self.step * factor,
            row: self.row * factor,
            low: first.wrapping_add_signed(low * factor),
            span,
        })
    }

    /// Whether every lane's address is a multiple of `bytes`, a power of two.
    #[inline(always)]
    pub fn is_aligned(&self, bytes: usize) -> bool {
        (self.first | self.step as u64 | self.row as u64) & (bytes as u64 - 1) == 0
    }

    /// Whether all lanes are at one address.
    #[inline(always)]
    pub fn is_uniform(&self) -> bool {
        self.span == 0
    }

    /// Whether the lanes are at consecutive words of `bytes`.
    #[inline(always)]
    pub fn is_contiguous(&self, bytes: usize) -> bool {
        self.row_lanes as usize == W && (self.step == bytes as i64 || W == 1)
    }

    /// How the lanes lie for words of `bytes`.
    #[inline(always)]
    pub fn shape(&self, bytes: usize) -> RowShape {
        match (self.row_lanes as usize, self.step) {
            (lanes, 0) if lanes == W => RowShape::Uniform,
            (lanes, step) if lanes == W && step == bytes as i64 => RowShape::Contiguous,
            (16, step) if W == 32 && step == bytes as i64 => RowShape::TwoContiguous,
            (16, 0) if W == 32 => RowShape::TwoUniform,
            _ => RowShape::Other,
        }
    }

    /// The lowest and the highest address of the lanes of `mask`, or beyond where rows are not whole; sums wrap.
    pub fn ends(&self, mask: u32) -> (u64, u64) {
        let last = W as u32 - 1;
        let (low, high) = (mask.trailing_zeros().min(last), 31 - mask.leading_zeros().min(31));
        let (shift, columns) = (self.row_lanes.trailing_zeros(), self.row_lanes - 1);
        let last_row = high >> shift;
        let across = if last_row == low >> shift {
            let in_row = |lane: u32| self.step * i64::from(lane & columns);
            (in_row(low).min(in_row(high)), in_row(low).max(in_row(high)))
        } else {
            let width = self.step * i64::from(columns);
            (width.min(0), width.max(0))
        };
        let rows = (self.row * i64::from(low >> shift), self.row * i64::from(last_row));
        let at = |offset: i64| self.first.wrapping_add_signed(offset);
        (at(across.0 + rows.0.min(rows.1)), at(across.1 + rows.0.max(rows.1)))
    }
}

impl<const W: usize> LaneAddresses<W> {
    /// All lanes at one address.
    pub const fn uniform(address: u64) -> LaneAddresses<W> {
        LaneAddresses::Strided(Strided::uniform(address))
    }

    /// The addresses of a list for the lanes of `mask`, as a rule if there is one.
    #[inline(always)]
    pub fn of(list: &[u64; W], mask: u32) -> LaneAddresses<W> {
        Strided::fit(list, mask).map_or(LaneAddresses::List(*list), LaneAddresses::Strided)
    }

    /// The address of a lane.
    #[inline(always)]
    pub fn address(&self, lane: usize) -> u64 {
        match self {
            LaneAddresses::Strided(rule) => rule.address(lane),
            LaneAddresses::List(list) => list[lane],
        }
    }

    /// The same, so many bytes further on.
    #[must_use]
    pub fn moved(&self, bytes: i64) -> LaneAddresses<W> {
        match self {
            LaneAddresses::Strided(rule) => LaneAddresses::Strided(rule.moved(bytes)),
            LaneAddresses::List(list) => LaneAddresses::List(list.map(|address| address.wrapping_add_signed(bytes))),
        }
    }

    /// The address of consecutive words of `bytes`, if the lanes are there.
    #[inline(always)]
    pub(crate) fn as_contiguous(&self, bytes: usize) -> Option<u64> {
        match self {
            LaneAddresses::Strided(rule) if rule.is_contiguous(bytes) => Some(rule.first),
            _ => None,
        }
    }

    /// The address of all lanes, if they have one.
    #[inline(always)]
    pub fn as_uniform(&self) -> Option<u64> {
        match self {
            LaneAddresses::Strided(rule) if rule.is_uniform() => Some(rule.first),
            _ => None,
        }
    }

    /// How the lanes of `mask` lie for words of `bytes`.
    pub fn active_pattern(&self, mask: u32, bytes: u32) -> ActivePattern {
        let first = mask.trailing_zeros();
        let Some(run) = mask.checked_shr(first) else { return ActivePattern::Other };
        let (first, count) = (first as usize, run.count_ones() as usize);
        let start = self.address(first);
        let is_uniform = match self {
            LaneAddresses::Strided(rule) if rule.is_uniform() => true,
            _ => lanes(mask).all(|lane| self.address(lane) == start),
        };
        if is_uniform && count > 1 {
            return ActivePattern::Uniform(start);
        }
        let is_run = match self {
            _ if run & run.wrapping_add(1) != 0 => false,
            LaneAddresses::Strided(rule) if rule.is_contiguous(bytes as usize) => true,
            _ => (1..count).all(|i| self.address(first + i) == start.wrapping_add(i as u64 * u64::from(bytes))),
        };
        if is_run { ActivePattern::Run(first, count) } else { ActivePattern::Other }
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(rule: &Strided<32>) -> [u64; 32] {
        std::array::from_fn(|lane| rule.address(lane))
    }

    fn rules() -> impl Strategy<Value = (u64, u32, i64, i64)> {
        let stride = || prop_oneof![Just(0i64), Just(4), Just(8), -70_000..70_000i64, any::<i64>()];
        (any::<u64>(), 0..6u32, stride(), stride()).prop_map(|(first, shift, step, row)| (first, 1 << shift, step, row))
    }

    #[test]
    fn rows_of_one_lane_are_one_row() {
        let rule = Strided::<32>::new(100, 1, 7, -16);
        assert_eq!(rule, Strided::line(100, -16));
        assert_eq!(Strided::<32>::new(100, 3, 4, 4), None);
        assert_eq!(Strided::<1>::new(100, 1, 4, 4), Some(Strided::uniform(100)));
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 5 } else { 1000 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn a_rule_says_of_its_lanes_what_a_list_says((first, row_lanes, step, row) in rules(), mask in 1..=u32::MAX, by in any::<i64>()) {
            let Some(rule) = Strided::<32>::new(first, row_lanes, step, row) else { return Ok(()) };
            let all = list(&rule);
            let (columns, shift) = (row_lanes as i64 - 1, row_lanes.trailing_zeros());
            let (step, row) = if row_lanes == 1 { (0, row) } else { (step, row) };
            for (lane, &address) in all.iter().enumerate() {
                let lane = lane as i64;
                prop_assert_eq!(address, first.wrapping_add_signed((lane & columns) * step + (lane >> shift) * row));
            }
            // Bounds, relative to the lowest address, since numbers wrap.
            let far = all.map(|a| a.wrapping_sub(rule.low()));
            prop_assert_eq!((far.iter().min(), far.iter().max()), (Some(&0), Some(&rule.span())));
            let (low, high) = rule.ends(mask);
            for lane in lanes(mask) {
                prop_assert!(all[lane].wrapping_sub(low) <= high.wrapping_sub(low));
            }
            // The other questions.
            let bytes = 8;
            prop_assert_eq!(rule.is_aligned(bytes), all.iter().all(|a| a.is_multiple_of(8)));
            prop_assert_eq!(rule.is_uniform(), all.iter().all(|&a| a == first));
            let run = |lane: usize| first.wrapping_add(8 * lane as u64);
            prop_assert_eq!(rule.is_contiguous(bytes), (0..32).all(|lane| all[lane] == run(lane)) && rule.row_lanes() == 32);
            prop_assert_eq!(list(&rule.moved(by)), all.map(|a| a.wrapping_add_signed(by)));
            let (by_rule, by_list) = (LaneAddresses::Strided(rule), LaneAddresses::List(all));
            prop_assert_eq!(by_rule.active_pattern(mask, 8), by_list.active_pattern(mask, 8));
            prop_assert_eq!((0..32).map(|l| by_rule.moved(by).address(l)).collect::<Vec<_>>(),
                            (0..32).map(|l| by_list.moved(by).address(l)).collect::<Vec<_>>());
        }

        #[test]
        fn a_scaled_rule_has_scaled_lanes((first, row_lanes, step, row) in rules(), factor in prop_oneof![0..5000i64, any::<i64>()]) {
            let Some(rule) = Strided::<32>::new(first, row_lanes, step, row) else { return Ok(()) };
            let Some(scaled) = rule.scaled(factor) else { return Ok(()) };
            let all = list(&scaled);
            prop_assert_eq!(all, list(&rule).map(|a| a.wrapping_mul(factor as u64)));
            let far = all.map(|a| a.wrapping_sub(scaled.low()));
            prop_assert_eq!((far.iter().min(), far.iter().max()), (Some(&0), Some(&scaled.span())));
        }

        #[test]
        fn a_list_is_fitted_where_its_active_lanes_follow_a_rule(first in any::<u64>(), step in -5000..5000i64, mask in 1..=u32::MAX, off in 0..32usize, by in 0..2u64) {
            let mut all: [u64; 32] = std::array::from_fn(|l| first.wrapping_add_signed(step * l as i64));
            // Inactive lanes hold anything.
            (0..32).filter(|l| mask >> l & 1 == 0).for_each(|l| all[l] = 7);
            all[off] = all[off].wrapping_add(by);
            let active = |at: &LaneAddresses<32>| lanes(mask).map(|l| at.address(l)).collect::<Vec<_>>();
            let found = LaneAddresses::of(&all, mask);
            prop_assert_eq!(active(&found), active(&LaneAddresses::List(all)));
            let is_rule = by == 0 || mask >> off & 1 == 0;
            prop_assert!(!is_rule || matches!(found, LaneAddresses::Strided(_)));
        }
    }
}

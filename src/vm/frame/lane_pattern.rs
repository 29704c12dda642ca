//! Lane patterns: how the lanes of an address differ.
//!
//! Most addresses of a warp are regular: all lanes the same, consecutive lanes a constant apart, or rows of lanes, as a
//! two-dimensional block makes them. A [`LanePattern`] is the part of an address that differs by lane, computed once where its
//! registers are assigned. An access adds the uniform part and has its [`Strided`] without a look at the lanes.
//!
//! A pattern has a mask of the lanes for which it was computed. It is right for a lane until that lane assigns one of the
//! registers again. An [`crate::code::Op::UpdatePattern`] follows each such assignment, so the lane has passed that operation or
//! reaches it before it uses the pattern. Other lanes that pass it take the pattern over; lanes that are no longer in the mask
//! compute it again.

use crate::code::{AddressExpr, FAR, PatternCode, Term};
use crate::frame::scalars::signed;
use crate::simd::{Isa, bits, map};
use jit::{PatternHead, PatternKey};
use mem::Strided;
use std::cell::Cell;

/// A sum of registers in all lanes.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct LanePattern<const W: usize> {
    /// The lanes for which it was worked out, and the rule in short, which compiled code reads.
    pub(crate) head: PatternHead,
    /// The rule of that key for a first lane of 0.
    shape: (PatternKey, Option<Strided<W>>),
    usual: Usual,
    followed: Followed,
    /// Whether an access used it since it was worked out. Where several registers are assigned one after another it is worked out
    /// for some that nobody uses.
    is_used: Cell<bool>,
}

/// How the lanes of accesses differed as a rule.
#[derive(Clone, Copy, Debug)]
struct Usual {
    /// The most lanes that used it: few lanes follow a rule by chance, one always does.
    lanes: u32,
    /// The key of so many lanes, which more of them had than any other.
    key: PatternKey,
    /// How often it was that key, and how often another.
    same: u32,
    others: u32,
}

/// How often some lanes of a warp followed the rule that compiled code goes by, and how often they did not.
#[derive(Clone, Copy, Debug, Default)]
struct Followed {
    yes: u32,
    no: u32,
}

/// So often lanes may stray from a rule before other code is made, if no more than so many times as many follow it meanwhile.
const OFTEN: u32 = 32;
const RARE: u32 = 64;

impl Usual {
    /// So many lanes had a key.
    #[inline(always)]
    fn note(&mut self, lanes: u32, key: PatternKey) {
        if lanes < self.lanes {
            return;
        }
        if lanes > self.lanes {
            *self = Usual { lanes, key, same: 1, others: 0 };
        } else if key == self.key {
            self.same = self.same.saturating_add(1);
        } else {
            self.others = self.others.saturating_add(1);
            if self.others > self.same {
                (self.key, self.same, self.others) = (key, 1, self.same + self.others - 1);
            }
        }
    }
}

impl<const W: usize> LanePattern<W> {
    /// A pattern of no lanes.
    pub(crate) fn none() -> LanePattern<W> {
        LanePattern {
            head: PatternHead::default(),
            shape: (PatternKey::IRREGULAR, None),
            usual: Usual { lanes: 0, key: PatternKey::IRREGULAR, same: 0, others: 0 },
            followed: Followed::default(),
            is_used: Cell::new(false),
        }
    }

    /// How its lanes differ as a rule, and how many of them; irregular if that was often another one.
    pub(crate) fn usual(&self) -> (u32, PatternKey) {
        let mut usual = self.usual;
        if self.is_used.get() || usual.lanes == 0 {
            usual.note(self.head.mask.count_ones(), self.head.key);
        }
        let Usual { lanes, key, same, others } = usual;
        (lanes, if others > same / 4 { PatternKey::IRREGULAR } else { key })
    }

    /// How the lanes of a whole warp differ; `None` if it was not worked out for all.
    pub(crate) fn key_of_all(&self) -> Option<PatternKey> {
        (self.head.mask == u32::MAX).then_some(self.head.key)
    }

    /// The rule of the values, whose numbers are signed here; `None` if the lanes are not regular. Its span is less than [`FAR`].
    #[inline(always)]
    pub(crate) fn rule(&self) -> Option<Strided<W>> {
        let PatternHead { first, key, .. } = self.head;
        self.is_used.set(true);
        if self.shape.0 == key {
            return Some(self.shape.1?.moved(first));
        }
        // Compiled code has set the head.
        let (lanes, step, row) = key.rule()?;
        Some(Strided::new(0, lanes, step, row)?.moved(first))
    }

    /// Finds the rule of the active lanes' values.
    #[inline(always)]
    fn classify<S: Isa>(&mut self, isa: S, values: &[i64; W], mask: u32) {
        let rule = find_rule(isa, values, mask);
        let key = rule.map_or(PatternKey::IRREGULAR, |rule| PatternKey::new(rule.row_lanes(), rule.step(), rule.row()));
        let first = rule.map_or(0, |rule| rule.first() as i64);
        if self.is_used.take() {
            self.usual.note(self.head.mask.count_ones(), self.head.key);
        }
        self.head = PatternHead { first, key, mask, ..self.head };
        self.shape = (key, rule.map(|rule| rule.moved(first.wrapping_neg())));
    }

    /// Works the sum out for the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn work_out<S: Isa>(
        &mut self,
        isa: S,
        code: &PatternCode,
        words: &[[u32; W]],
        longs: &[[u64; W]],
        mask: u32,
    ) {
        self.classify(isa, &values(code, words, longs), mask);
    }

    /// The same for compiled code that goes by the rule of `key`: if the lanes follow that one, it is taken, whatever other rule they
    /// follow too. Whether they do; nothing of one lane, of which any rule holds.
    #[inline(always)]
    pub(crate) fn work_out_by<S: Isa>(
        &mut self,
        isa: S,
        key: PatternKey,
        code: &PatternCode,
        words: &[[u32; W]],
        longs: &[[u64; W]],
        mask: u32,
    ) -> Option<bool> {
        let values = values(code, words, longs);
        self.classify(isa, &values, mask);
        let (lanes, step, row) = key.rule()?;
        let says = !mask.is_power_of_two();
        if self.head.key == key {
            return says.then_some(true);
        }
        let offsets = key.offsets()?;
        let lane = mask.trailing_zeros() as usize % W;
        let first = values[lane].wrapping_sub(offsets[lane]);
        let expected: [i64; W] = std::array::from_fn(|i| first.wrapping_add(offsets[i]));
        let is_followed = (bits(isa, &values, &expected, |x, y| x == y) & mask) == mask;
        if let (true, Some(rule)) = (is_followed, Strided::<W>::new(0, lanes, step, row)) {
            self.head = PatternHead { first, key, ..self.head };
            self.shape = (key, Some(rule));
        }
        says.then_some(is_followed)
    }

    /// Counts whether some of the lanes followed the rule that compiled code goes by; whether they have often not done so.
    #[inline(always)]
    pub(crate) fn count(&mut self, is_followed: bool) -> bool {
        let Followed { yes, no } = &mut self.followed;
        if is_followed {
            *yes += 1;
            if *yes == OFTEN * RARE {
                self.followed = Followed::default();
            }
            return false;
        }
        *no += 1;
        *no == OFTEN
    }

    /// Whether its lanes have not followed the rule that compiled code goes by since that was last asked.
    pub(crate) fn take_strays(&mut self) -> bool {
        std::mem::take(&mut self.followed).no > 0
    }
}

/// The sum in all lanes.
#[inline(always)]
fn values<const W: usize>(code: &PatternCode, words: &[[u32; W]], longs: &[[u64; W]]) -> [i64; W] {
    match code.terms[..] {
        [Term { narrow: true, factor: 1, slot, .. }] => map(&words[slot as usize], |x| i64::from(x as i32)),
        _ => sum(&code.terms, words, longs),
    }
}

/// The rule of the active lanes' values; `None` if they are not regular.
#[inline(always)]
fn find_rule<const W: usize, S: Isa>(isa: S, values: &[i64; W], mask: u32) -> Option<Strided<W>> {
    let all = if W == 32 { u32::MAX } else { (1 << W) - 1 };
    let first = mask.trailing_zeros() as usize;
    let rest = mask & mask.wrapping_sub(1);
    let next = rest.trailing_zeros() as usize;
    if first >= W || next >= W {
        // One lane is a row by itself.
        let value = values.get(first).copied().unwrap_or(0);
        return regular(W as u32, value, 0, 0);
    }
    let gap = (next - first) as i64;
    let step = values[next].wrapping_sub(values[first]);
    let step = if gap == 1 { step } else { step / gap };
    let anchor = values[first].wrapping_sub(step.wrapping_mul(first as i64));
    let expected: [i64; W] = line(anchor, step);
    let same = bits(isa, values, &expected, |x, y| x == y) | all & !mask;
    if same == all {
        return regular(W as u32, anchor, step, 0);
    }
    let lanes = same.trailing_ones() as usize;
    if lanes.is_power_of_two() && lanes > 1 {
        let row = values[lanes].wrapping_sub(anchor);
        let shift = lanes.trailing_zeros();
        let mut expected = [0i64; W];
        for (i, value) in expected.iter_mut().enumerate() {
            let column = step.wrapping_mul((i & (lanes - 1)) as i64);
            *value = anchor.wrapping_add(column).wrapping_add(row.wrapping_mul((i >> shift) as i64));
        }
        if bits(isa, values, &expected, |x, y| x == y) | all & !mask == all {
            return regular(lanes as u32, anchor, step, row);
        }
    }
    None
}

/// The rule of lanes that form rows, if they are not too far apart.
#[inline(always)]
fn regular<const W: usize>(lanes: u32, first: i64, step: i64, row: i64) -> Option<Strided<W>> {
    Strided::new(first as u64, lanes, step, row).filter(|rule| rule.span() < FAR as u64)
}

/// Values a constant apart.
#[inline(always)]
fn line<const W: usize>(first: i64, step: i64) -> [i64; W] {
    let mut out = [0; W];
    for (i, value) in out.iter_mut().enumerate() {
        *value = first.wrapping_add(step.wrapping_mul(i as i64));
    }
    out
}

/// The sum of terms in each lane.
#[inline(always)]
pub(crate) fn sum<const W: usize>(terms: &[Term], words: &[[u32; W]], longs: &[[u64; W]]) -> [i64; W] {
    let mut out = [0i64; W];
    for term in terms {
        if term.narrow {
            let row = &words[term.slot as usize];
            for i in 0..W {
                out[i] = out[i].wrapping_add(i64::from(row[i] as i32).wrapping_mul(term.factor));
            }
        } else {
            let row = &longs[term.slot as usize];
            for i in 0..W {
                out[i] = out[i].wrapping_add((row[i] as i64).wrapping_mul(term.factor));
            }
        }
    }
    out
}

/// The scalar of a term times its factor.
#[inline(always)]
fn product(term: &Term, scalars: &[u64]) -> i64 {
    signed(scalars[term.scalar as usize], term.narrow).wrapping_mul(term.factor)
}

/// The sum of terms by their scalars.
#[inline(always)]
pub(crate) fn scalar_sum(terms: &[Term], scalars: &[u64]) -> i64 {
    match terms {
        [] => 0,
        [a] => product(a, scalars),
        [a, b] => product(a, scalars).wrapping_add(product(b, scalars)),
        _ => terms.iter().fold(0, |sum, t| sum.wrapping_add(product(t, scalars))),
    }
}

/// Whether the pattern of an address is to be worked out before [`grid`] is asked.
#[inline(always)]
pub(crate) fn stale<const W: usize>(expr: &AddressExpr, patterns: &[LanePattern<W>], mask: u32) -> Option<u32> {
    let index = expr.index.as_ref()?;
    (!index.kept || mask & !patterns[index.pattern as usize].head.mask != 0).then_some(index.pattern)
}

/// The grid of an address whose uniform registers are in scalars; `None` if it has to be worked out lane by lane.
#[inline(always)]
pub(crate) fn grid<const W: usize>(
    expr: &AddressExpr,
    local_base: u64,
    scalars: &[u64],
    patterns: &[LanePattern<W>],
) -> Option<Strided<W>> {
    let outline = outline(expr, local_base, patterns)?;
    let sum = scalar_sum(&expr.terms, scalars);
    let Some(index) = expr.index.as_ref().filter(|index| index.wraps) else { return Some(outline.moved(sum)) };
    // The 32-bit sum has to be exact in every lane.
    let pattern = &patterns[index.pattern as usize];
    let narrow = index.base.wrapping_add(scalar_sum(&index.terms, scalars));
    let rule = pattern.rule()?;
    let low = (rule.low() as i64).wrapping_add(narrow);
    if low < i64::from(i32::MIN) || low > i64::from(i32::MAX) - rule.span() as i64 {
        return None;
    }
    Some(outline.moved(sum.wrapping_add(narrow.wrapping_mul(index.factor))))
}

/// The same without what uniform registers add.
#[inline(always)]
pub(crate) fn outline<const W: usize>(
    expr: &AddressExpr,
    local_base: u64,
    patterns: &[LanePattern<W>],
) -> Option<Strided<W>> {
    let mut base = expr.base;
    if expr.local {
        base = base.wrapping_add(local_base as i64);
    }
    let Some(index) = &expr.index else { return Some(Strided::uniform(base as u64)) };
    let (pattern, factor) = (&patterns[index.pattern as usize], index.factor);
    Some(pattern.rule()?.scaled(factor)?.moved(base))
}

/// The addresses of all lanes, whatever their registers hold. `scalars` has the uniform registers if they are in scalars;
/// else the rows have them.
#[inline(always)]
pub(crate) fn addresses<const W: usize>(
    expr: &AddressExpr,
    code: &[PatternCode],
    local_base: u64,
    scalars: Option<&[u64]>,
    words: &[[u32; W]],
    longs: &[[u64; W]],
) -> [u64; W] {
    let total = |terms: &[Term]| match scalars {
        Some(scalars) => [scalar_sum(terms, scalars); W],
        None => sum(terms, words, longs),
    };
    let local = if expr.local { local_base as i64 } else { 0 };
    let mut out = map(&total(&expr.terms), |a| a.wrapping_add(expr.base).wrapping_add(local));
    if let Some(index) = &expr.index {
        let mut part = sum(&code[index.pattern as usize].terms, words, longs);
        if index.wraps {
            let more = total(&index.terms);
            for i in 0..W {
                let exact = part[i].wrapping_add(more[i]).wrapping_add(index.base);
                part[i] = i64::from(exact as i32);
            }
        }
        for i in 0..W {
            out[i] = out[i].wrapping_add(part[i].wrapping_mul(index.factor));
        }
    }
    map(&out, |a| a as u64)
}

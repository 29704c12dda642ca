//! Address checks of the loads of a loop trace, hoisted out of the loop.
//!
//! The pattern of the lanes is known before the loop, and so is the whole address but one register times a constant. Everything
//! that does not change is computed once when the loop begins: the lanes without the changing part, the bounds within which that
//! part keeps all lanes inside, and the shape of a row. An iteration multiplies, compares and copies.

use super::access;
use crate::code::trace::Load;
use crate::code::{AddressExpr, Term};
use crate::frame::lane_pattern::{self, LanePattern};
use crate::frame::scalars::signed;
use crate::memory::shared_memory;
use crate::warp::Context;
use mem::address::SHARED_BASE;
use mem::{Hint, RowShape, Strided, Word};

/// What loads go by.
pub(crate) struct LoadContext<'a, 'c, const W: usize> {
    pub(crate) ctx: &'a Context<'c>,
    pub(crate) address_exprs: &'a [AddressExpr],
    pub(crate) patterns: &'a [LanePattern<W>],
    pub(crate) hints: &'a mut [Hint],
    /// Which regions of memory are open.
    pub(crate) open: u64,
    pub(crate) local_base: u64,
}

/// A load whose lanes are known but for what changes from iteration to iteration.
#[derive(Clone, Copy)]
pub(crate) struct HoistedLoad<const W: usize> {
    /// The lanes without the part that changes; in shared memory from the beginning of the window on.
    grid: Strided<W>,
    shape: RowShape,
    /// The part that changes, before it is multiplied by `scale`.
    moving: Term,
    scale: i64,
    /// Between which bounds it may be.
    least: i64,
    most: i64,
}

impl<const W: usize> HoistedLoad<W> {
    /// Of no load.
    pub(crate) fn none() -> HoistedLoad<W> {
        let moving = Term { slot: 0, scalar: 0, narrow: false, factor: 0 };
        HoistedLoad { grid: Strided::uniform(0), shape: RowShape::Uniform, moving, scale: 1, least: 0, most: 0 }
    }

    /// The load when the lanes of `mask` begin the loop; `None` if it is to be looked at one iteration after the other.
    pub(crate) fn new(
        load: &Load,
        load_context: &LoadContext<'_, '_, W>,
        scalars: &[u64],
        mask: u32,
    ) -> Option<HoistedLoad<W>> {
        let expr = &load_context.address_exprs[load.m.expr as usize];
        if lane_pattern::stale(expr, load_context.patterns, mask).is_some() {
            return None;
        }
        let mut grid = lane_pattern::outline(expr, load_context.local_base, load_context.patterns)?;
        grid = grid.moved(fixed(&expr.terms, load, scalars));
        let (mut scale, mut least, mut most) = (1, i64::MIN, i64::MAX);
        if let Some(index) = expr.index.as_ref().filter(|index| index.wraps) {
            // The 32-bit sum has to be exact in every lane.
            let pattern = &load_context.patterns[index.pattern as usize];
            let sum = index.base.wrapping_add(fixed(&index.terms, load, scalars));
            let rule = pattern.rule()?;
            let low = (rule.low() as i64).wrapping_add(sum);
            let least_part = i64::from(i32::MIN).checked_sub(low)?;
            let most_part = i64::from(i32::MAX).checked_sub(low.checked_add(rule.span() as i64)?)?;
            if index.terms.contains(&load.moving) {
                (scale, least, most) = (index.factor, least_part, most_part);
            } else if least_part > 0 || most_part < 0 {
                return None;
            }
            grid = grid.moved(sum.wrapping_mul(index.factor));
        }
        let bytes = load.m.width.bytes();
        if load.m.space == ir::Space::Shared {
            let room =
                (load_context.ctx.shared.len() as i64).checked_sub(bytes as i64)?.checked_sub(grid.span() as i64)?;
            grid = grid.moved((SHARED_BASE as i64).wrapping_neg());
            let low = grid.low() as i64;
            let step = load.moving.factor.wrapping_mul(scale);
            if low.unsigned_abs() > 1 << 40 || !grid.is_aligned(bytes) || step & (bytes as i64 - 1) != 0 {
                return None;
            }
            least = least.max(-low.div_euclid(scale));
            most = most.min((room - low).div_euclid(scale));
        }
        Some(HoistedLoad { grid, shape: grid.shape(bytes), moving: load.moving, scale, least, most })
    }

    /// How far the lanes are this iteration from where they are without the part that changes.
    #[inline(always)]
    fn distance(&self, scalars: &[u64]) -> Option<i64> {
        let word = scalars.get(self.moving.scalar as usize).copied().unwrap_or(0);
        let part = signed(word, self.moving.narrow).wrapping_mul(self.moving.factor);
        (part >= self.least && part <= self.most).then(|| part.wrapping_mul(self.scale))
    }

    /// Reads a row of shared memory; false if nothing was read.
    #[inline(always)]
    pub(crate) fn load_shared<T: Word>(
        &self,
        load_context: &LoadContext<'_, '_, W>,
        scalars: &[u64],
        out: &mut [T; W],
    ) -> bool {
        let Some(far) = self.distance(scalars) else { return false };
        shared_memory::load_at(
            load_context.ctx.shared,
            self.shape,
            &self.grid,
            self.grid.first().wrapping_add_signed(far),
            out,
        );
        true
    }

    /// Reads a row of other memory; false if nothing was read.
    #[inline(always)]
    pub(crate) fn load_global<T: Word>(
        &self,
        load: &Load,
        load_context: &mut LoadContext<'_, '_, W>,
        scalars: &[u64],
        out: &mut [T; W],
    ) -> bool {
        let Some(far) = self.distance(scalars) else { return false };
        let grid = self.grid.moved(far);
        access::is_open::<W>(load_context.open, &grid, T::BYTES)
            && load_context.ctx.memory.load_strided(&grid, u32::MAX, out, &mut load_context.hints[load.m.expr as usize])
    }

    /// Reads the word that all lanes read; `None` if it cannot be read here.
    #[inline(always)]
    pub(crate) fn load_one(
        &self,
        load: &Load,
        load_context: &mut LoadContext<'_, '_, W>,
        scalars: &[u64],
    ) -> Option<u64> {
        let mut at = self.grid.first().wrapping_add_signed(self.distance(scalars)?);
        if load.m.space == ir::Space::Shared {
            at = at.wrapping_add(SHARED_BASE);
        }
        let hint = &mut load_context.hints[load.m.expr as usize].place;
        access::load_one(load_context.ctx, load_context.open, &load.m, at, hint)
    }
}

/// The sum of all terms but the one that changes.
fn fixed(terms: &[Term], load: &Load, scalars: &[u64]) -> i64 {
    let product = |term: &Term| signed(scalars[term.scalar as usize], term.narrow).wrapping_mul(term.factor);
    terms.iter().filter(|&&term| term != load.moving).fold(0, |sum, term| sum.wrapping_add(product(term)))
}

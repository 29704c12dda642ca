//! What the loads of a loop go by that `whirl` runs.
//!
//! The lanes of such a load are known by a rule from before the loop on, and so is all of its address but one register times a
//! constant. What can be said once is said when the loop begins: where the lanes are without that part, between which bounds
//! the part may be so that all lanes are where they may be, and which shape a row has. A round multiplies, compares and
//! copies.

use crate::access;
use crate::code::{Form, Term};
use crate::scalars::signed;
use crate::spread::{self, Spread};
use crate::tight::Load;
use crate::warp::Context;
use crate::window::{self, Shape};
use mem::address::SHARED_BASE;
use mem::{Grid, Hint, Word};

/// What loads go by.
pub(crate) struct Sight<'a, 'c, const W: usize> {
    pub(crate) ctx: &'a Context<'c>,
    pub(crate) forms: &'a [Form],
    pub(crate) spreads: &'a [Spread<W>],
    pub(crate) hints: &'a mut [Hint],
    /// Which regions of memory are open.
    pub(crate) open: u64,
    pub(crate) local_base: u64,
}

/// A load whose lanes are known but for what changes from round to round.
#[derive(Clone, Copy)]
pub(crate) struct Ready {
    /// The lanes without the part that changes; in shared memory from the beginning of the window on.
    grid: Grid,
    shape: Shape,
    /// The part that changes, before it is multiplied by `scale`.
    moving: Term,
    scale: i64,
    /// Between which bounds it may be.
    least: i64,
    most: i64,
}

impl Ready {
    /// Of no load.
    pub(crate) fn none<const W: usize>() -> Ready {
        let moving = Term { slot: 0, scalar: 0, narrow: false, factor: 0 };
        Ready { grid: Grid::uniform(0, W), shape: Shape::Same, moving, scale: 1, least: 0, most: 0 }
    }

    /// The load when the lanes of `mask` begin the loop; `None` if it is to be looked at round by round.
    pub(crate) fn new<const W: usize>(
        load: &Load,
        sight: &Sight<'_, '_, W>,
        scalars: &[u64],
        mask: u32,
    ) -> Option<Ready> {
        let form = &sight.forms[load.m.form as usize];
        if spread::stale(form, sight.spreads, mask).is_some() {
            return None;
        }
        let mut grid = spread::outline(form, sight.local_base, sight.spreads)?;
        grid = grid.moved(fixed(&form.terms, load, scalars));
        let (mut scale, mut least, mut most) = (1, i64::MIN, i64::MAX);
        if let Some(index) = form.index.as_ref().filter(|index| index.wraps) {
            // The 32-bit sum has to be exact in every lane.
            let spread = &sight.spreads[index.spread as usize];
            let sum = index.base.wrapping_add(fixed(&index.terms, load, scalars));
            let low = spread.first.wrapping_add(sum).wrapping_add(spread.low);
            let least_part = i64::from(i32::MIN).checked_sub(low)?;
            let most_part = i64::from(i32::MAX).checked_sub(low.checked_add(spread.span)?)?;
            if index.terms.contains(&load.moving) {
                (scale, least, most) = (index.factor, least_part, most_part);
            } else if least_part > 0 || most_part < 0 {
                return None;
            }
            grid = grid.moved(sum.wrapping_mul(index.factor));
        }
        let bytes = load.m.width.bytes();
        if load.m.space == ir::Space::Shared {
            let room = (sight.ctx.shared.len() as i64).checked_sub(bytes as i64)?.checked_sub(grid.span as i64)?;
            grid = grid.moved((SHARED_BASE as i64).wrapping_neg());
            let low = grid.low as i64;
            let step = load.moving.factor.wrapping_mul(scale);
            if low.unsigned_abs() > 1 << 40 || !grid.is_aligned(bytes) || step & (bytes as i64 - 1) != 0 {
                return None;
            }
            least = least.max(-low.div_euclid(scale));
            most = most.min((room - low).div_euclid(scale));
        }
        Some(Ready { grid, shape: Shape::of::<W>(&grid, bytes), moving: load.moving, scale, least, most })
    }

    /// How far the lanes are this round from where they are without the part that changes.
    #[inline(always)]
    fn distance(&self, scalars: &[u64]) -> Option<i64> {
        let word = scalars.get(self.moving.scalar as usize).copied().unwrap_or(0);
        let part = signed(word, self.moving.narrow).wrapping_mul(self.moving.factor);
        (part >= self.least && part <= self.most).then(|| part.wrapping_mul(self.scale))
    }

    /// Reads a row of shared memory; false if nothing was read.
    #[inline(always)]
    pub(crate) fn load_shared<T: Word, const W: usize>(
        &self,
        sight: &Sight<'_, '_, W>,
        scalars: &[u64],
        out: &mut [T; W],
    ) -> bool {
        let Some(far) = self.distance(scalars) else { return false };
        window::load_at(sight.ctx.shared, self.shape, &self.grid, self.grid.first.wrapping_add_signed(far), out);
        true
    }

    /// Reads a row of other memory; false if nothing was read.
    #[inline(always)]
    pub(crate) fn load_global<T: Word, const W: usize>(
        &self,
        load: &Load,
        sight: &mut Sight<'_, '_, W>,
        scalars: &[u64],
        out: &mut [T; W],
    ) -> bool {
        let Some(far) = self.distance(scalars) else { return false };
        let grid = self.grid.moved(far);
        access::is_open::<W>(sight.open, &grid, T::BYTES)
            && sight.ctx.memory.load_grid(&grid, out, &mut sight.hints[load.m.form as usize])
    }

    /// Reads the word that all lanes read; `None` if it cannot be read here.
    #[inline(always)]
    pub(crate) fn load_one<const W: usize>(
        &self,
        load: &Load,
        sight: &mut Sight<'_, '_, W>,
        scalars: &[u64],
    ) -> Option<u64> {
        let mut at = self.grid.first.wrapping_add_signed(self.distance(scalars)?);
        if load.m.space == ir::Space::Shared {
            at = at.wrapping_add(SHARED_BASE);
        }
        let hint = &mut sight.hints[load.m.form as usize].place;
        access::load_one(sight.ctx, sight.open, &load.m, at, hint)
    }
}

/// The sum of all terms but the one that changes.
fn fixed(terms: &[Term], load: &Load, scalars: &[u64]) -> i64 {
    let product = |term: &Term| signed(scalars[term.scalar as usize], term.narrow).wrapping_mul(term.factor);
    terms.iter().filter(|&&term| term != load.moving).fold(0, |sum, term| sum.wrapping_add(product(term)))
}

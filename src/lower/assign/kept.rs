//! Views that are kept while other things are done: descriptors in memory, with the vector subscripts of their dimensions.
//!
//! Not here: for what (`forall`).

use crate::builder::Builder;
use crate::types::Side;
use crate::value::array_view::{ArrayView, Contiguity};
use crate::value::descriptor::DescriptorAt;
use crate::value::lvalue::{Allocation, MemRef};
use ir::rt::Rt;
use ir::{Space, Ty, Val};
use sema::checked::Type;
use std::cell::Cell;

impl Builder<'_, '_> {
    /// Room for so many views of a rank.
    pub(super) fn saved(&mut self, count: Val, rank: u8) -> Saved {
        let each = Val::i64(gathered(rank, 0) + 16 * i64::from(rank));
        let total = self.imul(each, count);
        Saved { mem: self.temporary(total, 8), each, gathers: Cell::new(0) }
    }
}

/// A descriptor for each combination. Behind it stand two words for each dimension: where the vector subscript of the dimension is
/// kept, if it has one, and the lower bound that this counts from.
pub(super) struct Saved {
    mem: MemRef,
    each: Val,
    /// Bits of the dimensions that have a vector subscript.
    gathers: Cell<u64>,
}

/// Where the words for the vector subscript of a dimension stand.
fn gathered(rank: u8, dim: usize) -> i64 {
    ir::descriptor::bytes(u32::from(rank)) as i64 + 8 + 16 * dim as i64
}

/// Keeps a view for a combination.
pub(super) fn keep_view(b: &mut Builder<'_, '_>, saved: &Saved, row: Val, view: &ArrayView) {
    let slot = saved_slot(b, saved, row);
    b.write_descriptor(slot, view);
    let rank = view.dims.len() as u8;
    for (dim, d) in view.dims.iter().enumerate() {
        let Some(gather) = &d.gather else { continue };
        let (subs, lower) = gather.as_ref();
        saved.gathers.set(saved.gathers.get() | 1 << dim);
        let bytes = b.imul(d.extent, Val::i64(8));
        let addr = new_block(b, bytes);
        let own = subscripts_at(b, addr, d.extent);
        b.copy_array(&own, subs, &Type::Integer(8));
        let at = slot.plus(gathered(rank, dim));
        b.store_scalar(at, Ty::I64, addr);
        b.store_scalar(at.plus(8), Ty::I64, *lower);
    }
}

/// The view that was kept for a combination, of an object of that type, polymorphic or not.
pub(super) fn kept_view<'p>(
    b: &mut Builder<'_, 'p>,
    saved: &Saved,
    row: Val,
    (ty, class): (&'p Type, bool),
    (rank, space): (u8, Space),
) -> ArrayView {
    let slot = saved_slot(b, saved, row);
    let d = b.desc_of((ty, class), rank, DescriptorAt::Mem(slot), space, false, None);
    let mut view = b.desc_view(&d);
    for (dim, d) in view.dims.iter_mut().enumerate().filter(|(dim, _)| saved.gathers.get() >> dim & 1 != 0) {
        let at = slot.plus(gathered(rank, dim));
        let addr = b.load_word(at);
        let lower = b.load_word(at.plus(8));
        d.gather = Some(Box::new((subscripts_at(b, addr, d.extent), lower)));
    }
    if saved.gathers.get() != 0 {
        view.contiguity = Contiguity::Unknown;
        view.origin = None;
    }
    view
}

/// Frees the vector subscripts that were kept for a combination.
pub(super) fn free_kept(b: &mut Builder<'_, '_>, saved: &Saved, row: Val, rank: u8) {
    for dim in (0..usize::from(rank)).filter(|dim| saved.gathers.get() >> dim & 1 != 0) {
        let slot = saved_slot(b, saved, row);
        let addr = b.load_word(slot.plus(gathered(rank, dim)));
        let location = i32::from(b.side() == Side::Device);
        b.free(&Allocation { location, addr, may_be_null: false });
    }
}

fn subscripts_at(b: &mut Builder<'_, '_>, addr: Val, extent: Val) -> ArrayView {
    let space = if b.side() == Side::Device { Space::Global } else { Space::Host };
    b.dense(MemRef::at(addr, space), Val::i64(8), None, &[extent])
}

/// Memory of its own.
pub(crate) fn new_block(b: &mut Builder<'_, '_>, bytes: Val) -> Val {
    let location = i32::from(b.side() == Side::Device);
    let args = vec![Val::i32(location), bytes, Val::i64(0), Val::i64(0), Val::i32(0)];
    b.rt(Rt::Alloc, args).first().map_or(Val::i64(0), |&r| r.into())
}

/// Where a descriptor is kept.
pub(super) fn saved_slot(b: &mut Builder<'_, '_>, saved: &Saved, row: Val) -> MemRef {
    let skip = b.imul(row, saved.each);
    b.advance(saved.mem, skip)
}

//! Addresses of array elements, and array views over the builder.
//!
//! Every array-valued expression becomes a view: a designator a view of its memory, any other expression one of a temporary.
//! Transposed, spread and reshaped arrays are views of the same memory. A dimension with a vector subscript gathers through
//! a second view.
//!
//! An address is `base + Σ (subscript − lower) * stride`. Constant lower bounds and strides go to the constant offset of the
//! access. If they are values of the frame, `origin`, the address of the element with all subscripts zero, is computed once
//! on entry. A subscript `i + c` or `i − c` adds its constant to the offset too. The result differs from the written form
//! only if `i + c` overflows, which no valid program does.
//!
//! Not here: subscript expressions (`expr::subscript`).

use crate::builder::Builder;
use crate::builder::arith::{self, constant};
use crate::builder::flow::Flow;
use crate::types::HOST_MEMORY;
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::lvalue::MemRef;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::Type;

impl Builder<'_, '_> {
    /// A contiguous array with lower bounds 1.
    pub(crate) fn dense(&mut self, mem: MemRef, element: Val, len: Option<Val>, extents: &[Val]) -> ArrayView {
        let mut stride = element;
        let mut dims = Vec::with_capacity(extents.len());
        for &extent in extents {
            dims.push(ArrayDim { lower: Val::i64(1), extent, stride, gather: None });
            if dims.len() < extents.len() {
                stride = self.imul(stride, extent);
            }
        }
        ArrayView { mem, origin: None, dims, element, len, tag: None, contiguity: Contiguity::Yes, assumed_size: false }
    }

    /// A temporary array until the end of the current scope, of objects without contents, which own what is stored to them.
    pub(crate) fn temporary_array(&mut self, ty: &Type, len: Option<Val>, extents: &[Val]) -> ArrayView {
        let view = self.temporary_bytes(ty, len, extents);
        self.begin_copies(view, ty)
    }

    /// The same in memory that is allocated, so that nothing can use it later.
    pub(crate) fn allocated_array(&mut self, ty: &Type, extents: &[Val]) -> ArrayView {
        let element = self.element_bytes(ty, None);
        let bytes = self.array_bytes(extents, element);
        let bytes = self.object_room(ty, bytes);
        let mem = self.allocated_temporary(HOST_MEMORY, bytes);
        let view = self.dense(mem, element, None, extents);
        self.forget_lengths(&view, ty);
        self.begin_copies(view, ty)
    }

    /// Elements that own nothing yet. What they own at the end of the current scope is freed then.
    fn begin_copies(&mut self, view: ArrayView, ty: &Type) -> ArrayView {
        if crate::types::has_allocatable(self.program(), ty) {
            self.initialise_view(&view, ty);
            self.release_later(view.clone(), ty.clone());
        }
        view
    }

    /// The memory of a temporary array that does not own what its elements own: they come from the device or go there.
    pub(crate) fn temporary_bytes(&mut self, ty: &Type, len: Option<Val>, extents: &[Val]) -> ArrayView {
        let element = self.element_bytes(ty, len);
        let bytes = self.array_bytes(extents, element);
        let bytes = self.object_room(ty, bytes);
        let mem = self.temporary(bytes, crate::types::align(self.program(), ty).max(8));
        let view = self.dense(mem, element, len, extents);
        self.forget_lengths(&view, ty);
        view
    }

    /// Bytes of an element of that type; a length is that of characters, or the bytes of a flat object.
    pub(crate) fn element_bytes(&mut self, ty: &Type, len: Option<Val>) -> Val {
        match crate::types::const_bytes(self.program(), ty) {
            Some(n) => Val::i64(n as i64),
            None if len.is_none() && crate::types::is_flat(self.program(), ty) => {
                self.refuse_flat();
                Val::i64(0)
            }
            None => len.unwrap_or(Val::i64(0)),
        }
    }

    /// Bytes of a part whose type says them; 0 where only the run time knows.
    pub(crate) fn fixed_bytes(&self, ty: &Type) -> Val {
        Val::i64(crate::types::const_bytes(self.program(), ty).unwrap_or(0) as i64)
    }

    /// Refuses what needs the bytes of an object whose lengths belong to a variable (`expr::flat_part`).
    pub(crate) fn refuse_flat(&mut self) {
        self.unsupported("this use of an object in device data with run-time lengths");
    }

    /// Number of elements.
    pub(crate) fn size(&mut self, view: &ArrayView) -> Val {
        let extents = view.extents();
        self.product(&extents)
    }

    /// Computes the origin where that saves work at each access.
    pub(crate) fn with_origin(&mut self, mut view: ArrayView) -> ArrayView {
        let dynamic = view.dims.iter().any(|d| constant(d.lower).is_none() || constant(d.stride).is_none());
        let zero_based = view.dims.iter().all(|d| arith::is(d.lower, 0));
        if dynamic && !zero_based {
            let mut origin = view.mem;
            for d in &view.dims {
                let skip = self.imul(d.lower, d.stride);
                match constant(skip) {
                    Some(n) => origin = origin.plus(n.wrapping_neg()),
                    None => origin.addr = self.isub(origin.addr, skip),
                }
            }
            view.origin = Some(origin);
        }
        view
    }

    /// The element with subscripts `value + constant`.
    pub(crate) fn element_at(&mut self, view: &ArrayView, subs: &[(Val, i64)]) -> MemRef {
        let (mut mem, from_origin) = match view.origin {
            Some(origin) => (origin, true),
            None => (view.mem, false),
        };
        for (d, &(var, add)) in view.dims.iter().zip(subs) {
            let mut var = var;
            let mut add = add;
            if !from_origin {
                match constant(d.lower) {
                    Some(lower) => add = add.wrapping_sub(lower),
                    None => var = self.isub(var, d.lower),
                }
            }
            mem = self.step(mem, var, add, d.stride);
        }
        mem
    }

    /// `mem + (var + add) * stride`
    fn step(&mut self, mem: MemRef, var: Val, add: i64, stride: Val) -> MemRef {
        let (mut mem, mut var) = (mem, var);
        match constant(stride) {
            Some(s) => mem = mem.plus(add.wrapping_mul(s)),
            None if add != 0 => var = self.iadd(var, Val::i64(add)),
            None => {}
        }
        match (constant(var), constant(stride)) {
            (Some(v), Some(s)) => mem.plus(v.wrapping_mul(s)),
            _ => MemRef { addr: self.imad(var, stride, mem.addr), ..mem },
        }
    }

    /// The element at zero-based positions.
    pub(crate) fn element_by_position(&mut self, view: &ArrayView, index: &[Val]) -> MemRef {
        let mut mem = view.mem;
        for (d, &i) in view.dims.iter().zip(index) {
            match &d.gather {
                None => mem = self.step(mem, i, 0, d.stride),
                Some(gather) => {
                    let (subs, lower) = gather.as_ref();
                    let at = self.element_by_position(subs, &[i]);
                    let sub = self.load_word(at);
                    let position = self.isub(sub, *lower);
                    mem = self.step(mem, position, 0, d.stride);
                }
            }
        }
        mem
    }

    /// The element at a position in array element order of a contiguous array.
    pub(crate) fn element_linear(&mut self, view: &ArrayView, index: Val) -> MemRef {
        self.step(view.mem, index, 0, view.element)
    }

    /// Reports a subscript out of bounds.
    pub(crate) fn check_subscript(&mut self, sub: Val, d: &ArrayDim, dim: usize, name: &str) {
        let position = self.isub(sub, d.lower);
        let outside = self.icmp(CmpOp::GeU, position, d.extent);
        let (d, name) = (d.clone(), name.to_owned());
        self.when(outside, |this| {
            let upper = this.iadd(d.lower, d.extent);
            let upper = this.iadd(upper, Val::i64(-1));
            let (text, len) = this.name_text(&name);
            this.rt(Rt::ErrorBounds, vec![sub, d.lower, upper, Val::i32(dim as i32 + 1), text, len]);
        });
    }

    /// Reports a substring with characters outside of its text; an empty one may begin and end anywhere (Fortran 2018, 9.4.1).
    pub(crate) fn check_substring(&mut self, (from, to): (Val, Val), length: Val, name: &str) {
        let is_there = self.icmp(CmpOp::Le, from, to);
        let name = name.to_owned();
        self.when(is_there, |this| {
            for (place, op, limit) in [(from, CmpOp::Lt, Val::i64(1)), (to, CmpOp::Gt, length)] {
                let outside = this.icmp(op, place, limit);
                this.when(outside, |this| {
                    let (text, len) = this.name_text(&name);
                    this.rt(Rt::ErrorBounds, vec![place, Val::i64(1), length, Val::i32(0), text, len]);
                });
            }
        });
    }

    /// Whether the strides of a view say that its elements follow each other, a predicate.
    pub(crate) fn contiguity_test(&mut self, view: &ArrayView) -> Val {
        if view.gathers() {
            return Val::pred(false);
        }
        if view.is_contiguous() {
            return Val::pred(true);
        }
        let (mut expected, mut all) = (view.element, Val::pred(true));
        for d in &view.dims {
            // The stride of a dimension with one element does not matter.
            let fits = self.icmp(CmpOp::Eq, d.stride, expected);
            let single = self.icmp(CmpOp::Le, d.extent, Val::i64(1));
            let good = self.combine(BinOp::Or, fits, single);
            all = self.combine(BinOp::And, all, good);
            expected = self.imul(expected, d.extent);
        }
        all
    }

    /// Writes the descriptor of a view into a slot and gives its address.
    pub(crate) fn descriptor_of(&mut self, view: &ArrayView) -> Val {
        let bytes = ir::descriptor::bytes(view.dims.len() as u32);
        let type_bytes = if view.tag.is_some() { 8 } else { 0 };
        let (_, slot) = self.slot(bytes + type_bytes, 8, "descriptor", source::Span::NONE);
        self.write_descriptor(slot, view);
        self.address(slot)
    }

    /// Writes the descriptor of a view.
    pub(crate) fn write_descriptor(&mut self, slot: MemRef, view: &ArrayView) {
        let base = self.address(view.mem);
        self.store_scalar(slot.plus(ir::descriptor::BASE), Ty::I64, base);
        self.store_scalar(slot.plus(ir::descriptor::ELEMENT_BYTES), Ty::I64, view.element);
        self.store_scalar(slot.plus(ir::descriptor::RANK), Ty::I64, Val::i64(view.dims.len() as i64));
        for (i, d) in view.dims.iter().enumerate() {
            let i = i as u32;
            self.store_scalar(slot.plus(ir::descriptor::lower(i)), Ty::I64, d.lower);
            self.store_scalar(slot.plus(ir::descriptor::extent(i)), Ty::I64, d.extent);
            self.store_scalar(slot.plus(ir::descriptor::stride(i)), Ty::I64, d.stride);
        }
        if let Some(tag) = view.tag {
            let bytes = ir::descriptor::bytes(view.dims.len() as u32);
            self.store_scalar(slot.plus(bytes as i64), Ty::I64, tag);
        }
    }
}

//! Array sections with gaps as arguments of device procedures that take elements one after another.
//!
//! A copy of constant size is in local memory: as many elements as the dummy or the section has. Another one is allocated, and
//! global; it is refused for sections of local and shared memory, since a procedure is made for one space. So are sections of shared
//! memory of which only the run knows whether they have gaps. Copies for kernels that device code launches.

use crate::builder::Builder;
use crate::builder::arith::{constant, is};
use crate::builder::flow::Flow;
use crate::types::{DEVICE_MEMORY, align};
use crate::value::arguments::{CopyBack, Passed};
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Allocation, MemRef};
use ast::Intent;
use ir::op::BinOp;
use ir::rt::Rt;
use ir::{FuncId, FuncKind, FunctionBuilder, Space, Ty, Val};
use sema::checked::{Const, Expr, ExprKind, Shape, Type, Variable};
use source::Span;

/// Bytes that a copy in local memory may have.
const LARGEST: i64 = 4096;

impl Builder<'_, '_> {
    /// A copy of an object for a kernel that device code launches, which may begin when the launching thread has ended. A kernel behind it
    /// gives the copy back.
    pub(super) fn copy_for_launch(&mut self, object: &ArrayView, ty: &Type, out: &mut Passed) -> ArrayView {
        let args = vec![Val::i32(DEVICE_MEMORY), object.element, Val::i64(0), Val::i64(0), Val::i32(0)];
        let Some(&addr) = self.rt(Rt::Alloc, args).first() else { return object.clone() };
        let copy = MemRef::at(addr.into(), Space::Global);
        self.copy_flat_object(copy, object.mem, object.element, ty);
        out.freed_behind.push((Val::pred(true), addr.into()));
        self.dense(copy, object.element, None, &[])
    }

    /// The kernel that gives back memory which device code has allocated: its parameter is the address.
    pub(crate) fn freeing_kernel(&mut self) -> FuncId {
        if let Some(func) = self.module().freeing_kernel() {
            return func;
        }
        let func = self.module().new_function("copy.free", FuncKind::Kernel, Span::NONE);
        self.module().set_freeing_kernel(func);
        let mut b = FunctionBuilder::new(self.module().function_name(func), FuncKind::Kernel, Span::NONE);
        let addr = b.param(Ty::I64, "copy").into();
        let (side, proc) = (self.side(), self.procedure());
        let mut inner = Builder::new(self.module(), b, side, proc);
        inner.free(&Allocation { location: DEVICE_MEMORY, addr, may_be_null: false });
        let made = inner.finish_subroutine();
        self.module().set_function(func, made);
        func
    }

    /// Memory with the elements of a view one after another: its own if that is so, or a copy.
    pub(super) fn contiguous_on_device(
        &mut self,
        dummy: &Variable,
        view: &ArrayView,
        ty: &Type,
        out: &mut Passed,
    ) -> MemRef {
        let test = self.contiguity_test(view);
        if is(test, 1) {
            return view.mem;
        }
        let intent = dummy.attrs.intent;
        if out.to_kernel && view.mem.space == Space::Global {
            let scattered = self.negate(test);
            return self.contiguous_for_launch((intent, scattered), view, ty, out);
        }
        // What other threads see and may have no gaps stays where it is: they may change it meanwhile.
        let has_gaps = is(test, 0)
            || view.dims.first().is_some_and(|d| constant(d.stride).is_some_and(|s| Some(s) != constant(view.element)));
        if (has_gaps || view.mem.space == Space::Local)
            && let Some((part, bytes)) = self.part_of_constant_size(dummy, view)
        {
            let mem = self.temporary(Val::i64(bytes), align(self.program(), ty).max(8));
            let dense = self.dense(mem, view.element, view.len, &part.extents());
            if intent != Some(Intent::Out) {
                self.move_array(&dense, &part, ty);
            }
            if intent != Some(Intent::In) {
                let (when, from) = (Val::pred(true), dense.clone());
                out.back.push(CopyBack::Array { when, from, to: Some(part), ty: ty.clone(), free: None });
            }
            return dense.mem;
        }
        let scattered = self.negate(test);
        if view.mem.space != Space::Global {
            self.when(scattered, |this| {
                this.unsupported("an array section with gaps as an argument of this procedure");
            });
            return view.mem;
        }
        let dense = self.dense_if_scattered(view, ty, scattered, intent != Some(Intent::Out));
        let mem = dense.mem;
        out.back.push(CopyBack::Array {
            when: scattered,
            from: dense,
            to: (intent != Some(Intent::In)).then(|| view.clone()),
            ty: ty.clone(),
            free: Some(Allocation { location: DEVICE_MEMORY, addr: mem.addr, may_be_null: false }),
        });
        mem
    }

    /// The elements of an array one after another: the array itself, or new memory if it has gaps, with its values if they matter.
    fn dense_if_scattered(&mut self, view: &ArrayView, ty: &Type, scattered: Val, is_read: bool) -> ArrayView {
        let base = self.address(view.mem);
        let addr = self.mutable(Ty::I64);
        self.set(addr, base);
        let extents = view.extents();
        let count = self.product(&extents);
        let bytes = self.imul(count, view.element);
        let dense = self.dense(MemRef::at(addr.into(), Space::Global), view.element, view.len, &extents);
        self.when(scattered, |this| {
            let args = vec![Val::i32(DEVICE_MEMORY), bytes, Val::i64(0), Val::i64(0), Val::i32(0)];
            if let Some(&fresh) = this.rt(Rt::Alloc, args).first() {
                this.set(addr, fresh);
            }
            if is_read {
                this.move_array(&dense, view, ty);
            }
        });
        dense
    }

    /// The same for a kernel that device code launches, which may run when the launching thread has gone on: nothing comes back, and a
    /// kernel behind it gives the copy back.
    fn contiguous_for_launch(
        &mut self,
        (intent, scattered): (Option<Intent>, Val),
        view: &ArrayView,
        ty: &Type,
        out: &mut Passed,
    ) -> MemRef {
        if intent != Some(Intent::In) {
            self.when(scattered, |this| {
                this.unsupported(
                    "an array section with gaps for an argument without `intent(in)` of a kernel that device code launches",
                );
            });
            return view.mem;
        }
        let mem = self.dense_if_scattered(view, ty, scattered, true).mem;
        out.freed_behind.push((scattered, mem.addr));
        mem
    }

    /// The elements of a view that a dummy has, if a constant number of bytes is enough for them, and that number.
    fn part_of_constant_size(&mut self, dummy: &Variable, view: &ArrayView) -> Option<(ArrayView, i64)> {
        let element = constant(view.element).filter(|n| *n > 0)?;
        let bytes = |count: i64| count.checked_mul(element).filter(|&bytes| bytes <= LARGEST);
        let own = view.dims.iter().try_fold(1_i64, |all, d| constant(d.extent).and_then(|n| all.checked_mul(n.max(0))));
        if let Some(bytes) = own.and_then(bytes) {
            return Some((view.clone(), bytes));
        }
        let wanted = elements_of(dummy)?;
        let bytes = bytes(wanted)?;
        let [_] = view.dims[..] else { return None };
        let mut part = view.clone();
        let d = &mut part.dims[0];
        // An argument that is too short is an error that accesses behind it show.
        d.extent = self.bin(BinOp::Min, Ty::I64, d.extent, Val::i64(wanted)).into();
        Some((part, bytes))
    }
}

/// The number of elements of a dummy with constant bounds.
fn elements_of(dummy: &Variable) -> Option<i64> {
    let Shape::Explicit(dims) = &dummy.shape else { return None };
    let bound = |e: &Expr| match e.kind {
        ExprKind::Const(Const::Int(n)) => Some(n),
        _ => None,
    };
    dims.iter().try_fold(1_i64, |all, d| {
        let extent = bound(&d.upper)?.checked_sub(bound(&d.lower)?)?.checked_add(1)?;
        all.checked_mul(extent.max(0))
    })
}

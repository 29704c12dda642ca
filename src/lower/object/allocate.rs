//! Data of allocatables and pointers: allocation, default values, freeing.
//!
//! Not here: the statements (`stmt::allocate`).

use crate::analysis::designators::field_of;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::types::{HOST_MEMORY, MANAGED_MEMORY, align, alloc_where, has_default, has_end, is_made};
use crate::value::Value;
use crate::value::descriptor::Descriptor;
use ast::CudaAttr;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Expr, ExprKind, Type};

/// What an ALLOCATE statement says besides its objects.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AllocateHow {
    /// Whether it has `stat=`.
    pub(crate) has_stat: bool,
    /// `align=`, in bytes, a power of two.
    pub(crate) align: Option<Val>,
    /// Whether the objects may hold lengths: there is room for one at least, see [`Builder::object_room`].
    pub(crate) may_hold_lengths: bool,
}

impl Builder<'_, '_> {
    /// The memory that an allocatable or pointer designator is allocated from.
    pub(crate) fn location_of(&self, e: &Expr) -> i32 {
        let cuda = match &e.kind {
            ExprKind::Var(v) => self.program().var(*v).attrs.cuda,
            ExprKind::Field { base, field } => field_of(self.program(), base, *field).and_then(|f| f.cuda),
            _ => None,
        };
        self.data_location(cuda)
    }

    /// The memory that data of a variable or component with this attribute is allocated from.
    pub(crate) fn data_location(&self, cuda: Option<CudaAttr>) -> i32 {
        match alloc_where(self.side(), cuda) {
            HOST_MEMORY if self.options().managed => MANAGED_MEMORY,
            location => location,
        }
    }

    pub(crate) fn cuda_of(&self, e: &Expr) -> Option<CudaAttr> {
        match &e.kind {
            ExprKind::Var(v) => self.program().var(*v).attrs.cuda,
            ExprKind::Field { base, field } => field_of(self.program(), base, *field).and_then(|f| f.cuda),
            _ => None,
        }
    }

    /// Allocates data of these lower bounds and extents and makes the descriptor that of it; gives the code.
    pub(crate) fn allocate_data(
        &mut self,
        d: &Descriptor,
        shape: &[(Val, Val)],
        element: Val,
        location: i32,
        name: &str,
        how: AllocateHow,
    ) -> Val {
        let extents: Vec<Val> = shape.iter().map(|s| s.1).collect();
        let mut bytes = self.array_bytes(&extents, element);
        if how.may_hold_lengths {
            bytes = self.bin(BinOp::Max, Ty::I64, bytes, element).into();
        }
        let (text, len) = self.name_text(name);
        let flag = Val::i32(i32::from(how.has_stat));
        let mut args = vec![Val::i32(location), bytes, text, len, flag];
        args.extend(how.align);
        let results = self.rt(if how.align.is_some() { Rt::AllocAligned } else { Rt::Alloc }, args);
        let (Some(&addr), Some(&stat)) = (results.first(), results.get(1)) else { return Val::i32(0) };
        let mem = crate::value::lvalue::MemRef::at(addr.into(), d.data);
        let mut view = self.dense(mem, element, d.is_char.then_some(element), &extents);
        for (dim, s) in view.dims.iter_mut().zip(shape) {
            dim.lower = s.0;
        }
        if how.has_stat {
            let good: Val = self.cmp(CmpOp::Eq, Ty::I32, stat, Val::i32(0)).into();
            self.when(good, |this| this.desc_set(d, &view));
        } else {
            self.desc_set(d, &view);
        }
        stat.into()
    }

    /// Gives fresh data its default values.
    pub(crate) fn initialise_data(&mut self, d: &Descriptor, ty: &Type) {
        if has_default(self.program(), ty) {
            let view = self.desc_view(d);
            self.initialise_view(&view, ty);
        }
    }

    /// Frees the data of a descriptor, if there is some; the descriptor is not cleared.
    pub(crate) fn free_if_set(&mut self, d: &Descriptor, location: i32) {
        let base = self.desc_base(d);
        let set = self.icmp(CmpOp::Ne, base, Val::i64(0));
        self.when(set, |this| {
            this.rt(Rt::Free, vec![Val::i32(location), base, Val::i64(0), Val::i64(0), Val::i32(0)]);
        });
    }

    /// Frees the data of a descriptor and what its elements hold.
    pub(crate) fn free_data(&mut self, d: &Descriptor, ty: &Type, location: i32) {
        self.free_components_of(d, ty);
        self.free_if_set(d, location);
    }

    pub(crate) fn free_components_of(&mut self, d: &Descriptor, ty: &Type) {
        if d.class {
            return self.free_class_components(d, ty);
        }
        if !has_end(self.program(), ty) {
            return;
        }
        let set = self.desc_is_set(d);
        self.when(set, |this| {
            let view = this.desc_view(d);
            this.free_components_of_view(&view, ty);
        });
    }

    /// Gives each element of an array its default value.
    pub(crate) fn initialise_view(&mut self, view: &crate::value::array_view::ArrayView, ty: &Type) {
        if is_made(self.program(), ty) && !self.holds_lengths(ty) {
            return self.make_view(view, ty, &[]);
        }
        let Some((from, size)) = self.default_memory(ty) else { return };
        if self.is_remote(view.mem) {
            return self.fill_remote(view, &Value::Object(from), ty);
        }
        let extents = view.extents();
        let unit = align(self.program(), ty);
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            this.copy_words(mem, from, size, unit);
        });
    }
}

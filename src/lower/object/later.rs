//! Results of functions that are finalised where their statement ends (Fortran 2018, 7.5.6.3), though the reference stands in a loop
//! of the statement, or under a condition: it is evaluated many times, or never. Each such reference has a chain of descriptors of
//! its results.
//!
//! Not here: results that are evaluated once (`call::result`).

use crate::analysis::type_tags::members;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::types::{HOST_MEMORY, has_final};
use crate::value::array_view::ArrayView;
use crate::value::descriptor::DescriptorAt;
use crate::value::lvalue::{Allocation, MemRef};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{Space, Ty, Val, descriptor};
use sema::checked::Type;

/// Where the descriptor stands in a link of a chain, behind the address of the next one.
const DESCRIPTOR: i64 = 8;

impl Builder<'_, '_> {
    /// Whether a result is finalised where the statement ends, and the current scope ends before.
    pub(crate) fn outlives_scope(&self, ty: &Type, class: bool) -> bool {
        let program = self.program();
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        let is_final = |this: &Self| {
            has_final(program, ty)
                || class && members(program, this.tags(), root).iter().any(|&id| has_final(program, &Type::Derived(id)))
        };
        self.is_host() && self.is_within_statement() && is_final(self)
    }

    /// Memory for a result that outlives the current scope.
    pub(crate) fn memory_of_result(&mut self, bytes: Val) -> MemRef {
        let args = vec![Val::i32(HOST_MEMORY), bytes, Val::i64(0), Val::i64(0), Val::i32(0)];
        let addr = self.rt(Rt::Alloc, args).first().map_or(Val::i64(0), |&r| r.into());
        MemRef::at(addr, Space::Host)
    }

    /// The same for an array of results.
    pub(crate) fn array_of_results(&mut self, ty: &Type, extents: &[Val]) -> ArrayView {
        let element = self.element_bytes(ty, None);
        let bytes = self.array_bytes(extents, element);
        let bytes = self.object_room(ty, bytes);
        let mem = self.memory_of_result(bytes);
        let view = self.dense(mem, element, None, extents);
        self.forget_lengths(&view, ty);
        view
    }

    /// Where the statement ends, finalises objects of allocated memory, frees what they own, and the memory.
    pub(crate) fn end_after_statement(&mut self, objects: &ArrayView, ty: &Type, class: bool, location: i32) {
        let head = self.empty_chain();
        let rank = objects.dims.len() as u8;
        let bytes = DESCRIPTOR + descriptor::bytes(u32::from(rank)) as i64 + 8;
        let link = self.memory_of_result(Val::i64(bytes));
        let next = self.load_scalar(head, Ty::I64);
        self.store_scalar(link, Ty::I64, next.into());
        let at = DescriptorAt::Mem(link.plus(DESCRIPTOR));
        let d = self.desc_of((ty, class), rank, at, objects.mem.space, true, None);
        self.desc_set(&d, objects);
        let addr = self.address(link);
        self.store_scalar(head, Ty::I64, addr);
        let ty = ty.clone();
        self.defer_to_statement(move |b| {
            b.each_link(head, &mut |b, link| {
                let at = DescriptorAt::Mem(link.plus(DESCRIPTOR));
                let d = b.desc_of((&ty, class), rank, at, Space::Host, true, None);
                b.free_data(&d, &ty, location);
            });
        });
    }

    /// Takes the links out of a chain, the one that came last first, and frees each behind `body`.
    fn each_link(&mut self, head: MemRef, body: &mut dyn FnMut(&mut Self, MemRef)) {
        let (test, more, done) = (self.new_block(), self.new_block(), self.new_block());
        self.jump(test);
        self.switch_to(test);
        let addr: Val = self.load_scalar(head, Ty::I64).into();
        let is_one = self.icmp(CmpOp::Ne, addr, Val::i64(0));
        self.branch(is_one, more, done);
        self.switch_to(more);
        self.scope(|this| {
            let link = MemRef::at(addr, Space::Host);
            let next = this.load_scalar(link, Ty::I64);
            this.store_scalar(head, Ty::I64, next.into());
            body(this, link);
            this.free(&Allocation { location: HOST_MEMORY, addr, may_be_null: false });
        });
        self.back_edge();
        self.jump(test);
        self.switch_to(done);
    }
}

//! Finalisation (Fortran 2018, 7.5.6): calls of the FINAL subroutines of objects.
//!
//! An object is finalised by DEALLOCATE, at the end of its procedure or BLOCK, and as an INTENT(OUT) argument. The target of
//! an intrinsic assignment is finalised before the store, the result of a function at the end of the statement. Values of
//! structure and array constructors and internal copies are not finalised.
//!
//! Not here: freeing what an object owns (`derived`).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::module::ArgKey;
use crate::types::{align, const_bytes, has_final};
use crate::value::arguments::{Captures, Passed};
use crate::value::array_view::{ArrayView, Contiguity};
use crate::value::flat_copy::FlatCopy;
use crate::value::lvalue::MemRef;
use ir::Val;
use sema::checked::{ProcId, Shape, Type, TypeId};

impl Builder<'_, '_> {
    /// Finalises an object: its own subroutine, its components, its parent's part. What it has allocated is not touched.
    pub(crate) fn finalise(&mut self, mem: MemRef, ty: &Type) {
        let view = self.object_view(mem, ty);
        self.finalise_view(&view, ty);
    }

    /// Finalises the elements of an array, or an object.
    pub(crate) fn finalise_view(&mut self, view: &ArrayView, ty: &Type) {
        let program = self.program();
        let Type::Derived(id) = ty else { return };
        if self.frees_copies() || !has_final(program, ty) || !self.is_host() || self.is_remote(view.mem) {
            return;
        }
        if let Some(of_host) = &program.ty(*id).of_host {
            let params = program.ty(*id).params.iter().filter(|p| !p.is_kind);
            let lengths: Vec<Val> = params.filter_map(|p| p.value).map(Val::i64).collect();
            return self.finalise_twins(view, of_host, &lengths);
        }
        if view.gathers() {
            return self.finalise_gathered(view, ty);
        }
        self.call_final(view, *id);
        let def = program.ty(*id);
        let inherited = def.parent.map_or(0, |parent| program.ty(parent).fields.len());
        for field in def.fields.iter().skip(inherited) {
            if field.pointer || field.is_allocatable() || !has_final(program, &field.ty) {
                continue;
            }
            let extents = view.extents();
            self.each_position(&extents, &[view], &mut |this, index, linear| {
                let mem = this.element_pos(view, index, linear).plus(field.offset as i64);
                if field.sized.is_none() {
                    let part = this.field_view(field, mem);
                    return this.finalise_view(&part, &field.ty);
                }
                let d = this.field_desc(field, mem);
                let is_made = this.desc_is_set(&d);
                this.when(is_made, |this| {
                    let part = this.desc_view(&d);
                    this.finalise_view(&part, &field.ty);
                });
            });
        }
        if let Some(parent) = def.parent {
            let ty = Type::Derived(parent);
            let element = Val::i64(const_bytes(program, &ty).unwrap_or(0) as i64);
            let part = ArrayView { element, contiguity: Contiguity::Unknown, origin: None, ..view.clone() };
            self.finalise_view(&part, &ty);
        }
    }

    /// Finalises objects that have not their lengths in them: as objects of the host, which they are meanwhile.
    pub(crate) fn finalise_twins(&mut self, view: &ArrayView, of_host: &Type, lengths: &[Val]) {
        self.scope(|this| {
            let made = this.temporary_array(of_host, None, &view.extents());
            this.make_view(&made, of_host, lengths);
            this.copy_twins(view, &made, of_host, FlatCopy::Take);
            this.finalise_view(&made, of_host);
            this.copy_twins(view, &made, of_host, FlatCopy::Give);
        });
    }

    /// Finalises elements that subscripts choose. They are moved side by side and back.
    fn finalise_gathered(&mut self, view: &ArrayView, ty: &Type) {
        let extents = view.extents();
        let (bytes, unit) = (const_bytes(self.program(), ty).unwrap_or(0), align(self.program(), ty));
        let count = self.product(&extents);
        let all = self.imul(count, Val::i64(bytes as i64));
        let room = self.temporary(all, 8);
        let dense = self.dense(room, Val::i64(bytes as i64), None, &extents);
        let moved = |this: &mut Self, is_back: bool| {
            this.each_position(&extents, &[view, &dense], &mut |this, index, linear| {
                let (own, copy) = (this.element_pos(view, index, linear), this.element_pos(&dense, index, linear));
                let (to, from) = if is_back { (own, copy) } else { (copy, own) };
                this.copy_words(to, from, bytes, unit);
            });
        };
        moved(self, false);
        self.finalise_view(&dense, ty);
        moved(self, true);
    }

    /// Calls the FINAL subroutine for the rank of the object, or that for any rank, or the elemental one for each element.
    fn call_final(&mut self, view: &ArrayView, id: TypeId) {
        let program = self.program();
        let finals = &program.ty(id).finals;
        let rank = view.dims.len();
        let shape_of = |p: ProcId| program.proc(p).params.first().map(|&v| &program.var(v).shape);
        let is_ranked = |p: ProcId| shape_of(p).is_some_and(|s| matches!(s, Shape::AssumedRank));
        let is_exact = |p: ProcId| shape_of(p).is_some_and(|s| usize::from(s.rank()) == rank) && !is_ranked(p);
        let exact = finals.iter().copied().find(|&p| is_exact(p));
        let elemental = finals.iter().copied().find(|&p| program.proc(p).elemental);
        // One of the two is there (Fortran 2018, 7.5.6.2).
        let ranked = finals.iter().copied().find(|&p| is_ranked(p) && elemental.is_none());
        if let Some(proc) = exact.or(ranked) {
            let mut passed = Passed::default();
            if let Some(&dummy) = program.proc(proc).params.first() {
                self.pass_view(program.var(dummy), view, &Type::Derived(id), &mut passed);
            }
            self.call_plain(proc, &[], &passed, &Captures::default(), &[]);
            self.after_call(passed);
            return;
        }
        if let Some(proc) = elemental {
            let extents = view.extents();
            self.each_position(&extents, &[view], &mut |this, index, linear| {
                let mem = this.element_pos(view, index, linear);
                let addr = this.address(mem);
                let passed = Passed { words: vec![addr], keys: vec![ArgKey::Any], ..Passed::default() };
                this.call_plain(proc, &[], &passed, &Captures::default(), &[]);
            });
        }
    }
}

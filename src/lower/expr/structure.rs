//! Structure constructors: a temporary object, filled component by component.
//!
//! Not here: copying objects (`object::derived`).

use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::module::generated::ClassHelper;
use crate::module::globals::descriptor_bytes;
use crate::object::allocate::AllocateHow;
use crate::types::{has_allocatable, ir_ty, is_flat, is_made};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::{Allocation, Lvalue, MemRef, element_lvalue};
use ir::op::CmpOp;
use ir::{Ty, Val};
use sema::checked::{Expr, ExprKind, Field, Type, TypeId, VarId};

impl<'p> FunctionLowering<'_, 'p> {
    /// A structure constructor: a temporary object.
    pub(crate) fn construct(&mut self, ty: TypeId, values: &'p [Option<Expr>], e: &'p Expr) -> Value {
        let program = self.b.program();
        let def = program.ty(ty);
        if def.is_flat {
            return self.construct_flat(ty, values, e);
        }
        let mem = self.b.temporary(Val::i64(def.bytes as i64), def.align.max(8));
        if def.is_made {
            return self.construct_made(ty, mem, values, e);
        }
        if values.iter().any(Option::is_none)
            && let Some((from, bytes)) = self.b.default_memory(&e.ty)
        {
            self.b.copy_words(mem, from, bytes, def.align);
        }
        for (field, value) in def.fields.iter().zip(values) {
            let at = mem.plus(field.offset as i64);
            match value {
                Some(value) => self.at(value.span, |this| {
                    let wanted = this.lengths_of_field(field, mem, ty);
                    this.construct_field(field, at, value, &wanted);
                }),
                None if field.allocatable || field.pointer => {
                    let d = self.b.field_desc(field, at);
                    self.b.desc_begin_of(&d, &field.ty);
                }
                None => {}
            }
        }
        Value::Object(mem)
    }

    /// Gives the variables of a constructor their values, as ASSOCIATE does.
    pub(super) fn parents_of_constructor(&mut self, parents: &'p [(VarId, Expr)]) {
        for (v, value) in parents {
            self.associate(*v, value);
        }
    }

    /// The same for an object of device code whose lengths are known at run time only.
    fn construct_flat(&mut self, id: TypeId, values: &'p [Option<Expr>], e: &'p Expr) -> Value {
        let def = self.b.program().ty(id);
        let lengths: Vec<Val> = self.lengths_of(e).into_iter().map(|n| self.b.freeze(n)).collect();
        let element = self.bytes_with_lengths(&e.ty, &lengths);
        let mem = self.b.temporary(element, 8);
        let object = self.b.dense(mem, element, None, &[]);
        self.initialise_flat(&object, &e.ty, &lengths);
        for (number, (field, value)) in def.fields.iter().zip(values).enumerate().filter(|(_, f)| !f.0.is_parameter) {
            let Some(value) = value else { continue };
            let Some((part, own)) = self.flat_part_at(mem, id, &lengths, number) else { continue };
            self.at(value.span, |this| {
                if field.is_described() {
                    let own: Vec<Option<Val>> = own.into_iter().map(Some).collect();
                    return this.construct_field(field, part.mem, value, &own);
                }
                if is_flat(this.b.program(), &field.ty) {
                    return this.copy_flat_value(&part, value, &field.ty);
                }
                this.fill_part(&part, field, value);
            });
        }
        Value::Char(mem, element)
    }

    /// The same for an object that is made at run time. What it owns is freed with the statement.
    fn construct_made(&mut self, id: TypeId, mem: MemRef, values: &'p [Option<Expr>], e: &'p Expr) -> Value {
        let def = self.b.program().ty(id);
        let mut lengths = Vec::new();
        for (field, value) in def.fields.iter().zip(values).filter(|(field, _)| field.is_parameter) {
            let n = value.as_ref().map_or(Val::i64(0), |value| self.scalar(value));
            lengths.push(self.b.widen(n, ir_ty(&field.ty)));
        }
        let view = self.b.dense(mem, Val::i64(def.bytes as i64), None, &[]);
        self.b.make_view(&view, &e.ty, &lengths);
        for (field, value) in def.fields.iter().zip(values).filter(|(field, _)| !field.is_parameter) {
            let at = mem.plus(field.offset as i64);
            let is_part = !field.allocatable && !field.pointer && is_made(self.b.program(), &field.ty);
            if field.sized.is_some() {
                let d = self.b.field_desc(field, at);
                self.b.defer(move |b| b.free_sized(field, &d));
            } else if is_part {
                let part = self.b.field_view(field, at);
                self.b.release_later(part, field.ty.clone());
            }
            let Some(value) = value else { continue };
            self.at(value.span, |this| match &field.sized {
                Some(_) => this.construct_sized(field, at, value),
                None if is_part => this.construct_part(field, at, value),
                None => {
                    let wanted = this.lengths_of_field(field, mem, id);
                    this.construct_field(field, at, value, &wanted);
                }
            });
        }
        Value::Object(mem)
    }

    /// Gives a part that is made already a value.
    fn construct_part(&mut self, field: &'p Field, at: MemRef, value: &'p Expr) {
        let view = self.b.field_view(field, at);
        if self.store_part(&view, &field.ty, value) {
            return;
        }
        self.fill_part(&view, field, value);
    }

    /// Gives a component what an object begins with: a part its value, a pointer its target.
    pub(crate) fn start_field(&mut self, field: &'p Field, at: MemRef, start: &'p Expr) {
        if field.pointer {
            self.construct_field(field, at, start, &[]);
        } else if field.sized.is_some() {
            self.construct_sized(field, at, start);
        } else {
            self.construct_part(field, at, start);
        }
    }

    /// Stores a value to a part whose memory is there.
    fn fill_part(&mut self, view: &ArrayView, field: &'p Field, value: &'p Expr) {
        if value.rank == 0 {
            let v = self.value(value);
            return self.b.fill(view, &v, &field.ty);
        }
        let (operands, _) = self.prepared(value);
        let extents = view.extents();
        self.fill_from(view, operands, &extents, value);
    }

    /// Gives a component a value; `wanted` are the lengths that it is declared with.
    fn construct_field(&mut self, field: &'p Field, at: MemRef, value: &'p Expr, wanted: &[Option<Val>]) {
        let is_null = matches!(value.kind, ExprKind::Null);
        if (field.pointer || field.allocatable) && is_flat(self.b.program(), &field.ty) && !is_null {
            let behind = descriptor_bytes(field.shape.rank(), field.class);
            let lengths = self.all_lengths_of(value);
            self.check_given_lengths(&field.ty, wanted, &lengths);
            for (i, n) in lengths.into_iter().enumerate() {
                self.b.store_scalar(at.plus((behind + 8 * i as u64) as i64), Ty::I64, n);
            }
        }
        if field.pointer {
            let d = self.b.field_desc(field, at);
            return match self.pointer_target(value) {
                Some(view) => {
                    if self.b.holds_lengths(&field.ty) {
                        self.check_set(&view, &field.ty, wanted);
                    }
                    let view = self.b.with_type(&d, view, &value.ty);
                    self.b.desc_set(&d, &view);
                }
                None => self.b.desc_clear(&d),
            };
        }
        if field.allocatable {
            let d = self.b.field_desc(field, at);
            let d = self.with_own_length(field, d);
            self.b.desc_begin_of(&d, &field.ty);
            if matches!(value.kind, ExprKind::Null) {
                return;
            }
            self.construct_allocatable(field, &d, value);
            if self.b.holds_lengths(&field.ty) {
                let view = self.b.desc_view(&d);
                self.check_set(&view, &field.ty, wanted);
            }
            return;
        }
        if field.shape.rank() == 0 {
            let v = self.value(value);
            let place = match &field.ty {
                Type::Character(_) => Lvalue::Char(at, Val::i64(self.b.type_bytes(&field.ty))),
                _ => Lvalue::Mem(at),
            };
            if has_allocatable(self.b.program(), &field.ty) {
                let part = self.b.field_view(field, at);
                self.b.release_later(part, field.ty.clone());
            }
            return self.b.store_component(place, &field.ty, &v);
        }
        let view = self.b.field_view(field, at);
        if has_allocatable(self.b.program(), &field.ty) {
            self.b.initialise_view(&view, &field.ty);
            self.b.release_later(view.clone(), field.ty.clone());
        }
        self.fill_part(&view, field, value);
    }

    /// An allocatable component of a constructor: a copy that is freed with the statement, since assignment copies again.
    fn construct_allocatable(&mut self, field: &'p Field, d: &Descriptor, value: &'p Expr) {
        let location = self.b.data_location(field.cuda);
        if is_flat(self.b.program(), &field.ty) && self.descriptor(value).is_none() {
            return self.b.refuse_flat();
        }
        if field.class {
            let source = self.class_view(value);
            self.b.set_class(d, (&field.ty, location), &source, None, &field.name, ClassHelper::Copy);
        } else if let Some(from) = self.descriptor(value) {
            if field.own_length.is_none() {
                self.b.copy_allocatable(field, d, &from);
            } else {
                let base = self.b.desc_base(&from);
                let is_allocated = self.b.icmp(CmpOp::Ne, base, Val::i64(0));
                self.when(is_allocated, |this| this.construct_value(field, d, value));
            }
        } else if let ExprKind::Convert(inner) = &value.kind
            && let Some(from) = self.descriptor(inner)
        {
            // What is not allocated gives a component that is not, of whatever kind it is.
            let base = self.b.desc_base(&from);
            let is_allocated = self.b.icmp(CmpOp::Ne, base, Val::i64(0));
            self.when(is_allocated, |this| this.construct_value(field, d, value));
        } else {
            self.construct_value(field, d, value);
        }
        let addr = self.b.desc_base(d);
        self.b.defer_free(Allocation { location, addr, may_be_null: true });
    }

    /// Allocates an allocatable component of a constructor for a value, and stores it.
    fn construct_value(&mut self, field: &'p Field, d: &Descriptor, value: &'p Expr) {
        let location = self.b.data_location(field.cuda);
        if value.rank == 0 {
            let v = self.value(value);
            let element = match (&v, d.element) {
                (Value::Char(_, len), None) => *len,
                (_, Some(n)) => n,
                _ => Val::i64(0),
            };
            self.b.allocate_data(d, &[], element, location, &field.name, AllocateHow::default());
            self.b.initialise_data(d, &field.ty);
            let view = self.b.desc_view(d);
            self.b.store_value(element_lvalue(view.mem, view.len), &field.ty, &v);
        } else {
            let (operands, extents) = self.prepared(value);
            let element = match d.element {
                Some(n) => n,
                None => self.length_of(value, Some(&operands)).unwrap_or(Val::i64(0)),
            };
            let whole = match &value.kind {
                ExprKind::Convert(inner) => inner,
                _ => value,
            };
            // The bounds of a whole array become those of the component, as in an assignment.
            let lowers: Vec<Val> = match operands.operand(whole) {
                Some(crate::elements::Operand::View(view)) if crate::analysis::expressions::is_whole(whole) => {
                    view.dims.iter().map(|dim| dim.lower).collect()
                }
                _ => vec![Val::i64(1); extents.len()],
            };
            let shape: Vec<(Val, Val)> = lowers.into_iter().zip(extents.iter().copied()).collect();
            self.b.allocate_data(d, &shape, element, location, &field.name, AllocateHow::default());
            self.b.initialise_data(d, &field.ty);
            let view = self.b.desc_view(d);
            self.fill_from(&view, operands, &extents, value);
        }
    }
}

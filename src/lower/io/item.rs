//! The items of data transfer statements.
//!
//! An object of derived type is transferred as its components in order, or by a procedure of the program (defined input/output,
//! Fortran 2018, 12.6.4.8): the service `io.child` says at run time which it is to be, since a format decides. An item in a
//! register is read through a slot.
//!
//! Not here: the statements (`io`), which types have such procedures (`sema`).

use crate::analysis::designators::is_class;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::Operands;
use crate::function::FunctionLowering;
use crate::types::{Side, const_bytes, ir_ty, is_flat};
use crate::value::Value;
use crate::value::arguments::Passed;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, MemRef, element_lvalue};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{DefinedIo, Expr, Field, ProcId, Type, Variable};

/// Characters of `iomsg` that a procedure gets, as gfortran has them.
const MESSAGE: u64 = 256;

/// How items are transferred.
#[derive(Clone, Copy)]
pub(super) struct Transfer<'p> {
    pub(super) reading: bool,
    /// Whether the statement deals with conditions.
    pub(super) catches: bool,
    /// Whether it is a namelist statement.
    pub(super) is_group: bool,
    /// The procedures for objects of derived types.
    pub(super) defined: &'p [DefinedIo],
}

impl Transfer<'_> {
    /// The procedure for objects of a type.
    fn procedure(&self, ty: &Type) -> Option<ProcId> {
        let Type::Derived(id) = ty else { return None };
        self.defined.iter().find(|d| d.ty == *id).map(|d| d.proc)
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn output_item(&mut self, e: &'p Expr, how: Transfer<'p>) {
        if e.rank == 0 {
            return self.put_item(e, how);
        }
        let (operands, extents) = self.prepared(e);
        self.for_each_element(operands, &extents, &[], &mut |this, _, _| this.put_item(e, how));
    }

    /// Writes a scalar, or the current element of an array.
    fn put_item(&mut self, e: &'p Expr, how: Transfer<'p>) {
        if let (Some(proc), true) = (how.procedure(&e.ty), is_class(self.b.program(), e)) {
            let view = self.class_view(e);
            return self.transfer_by(proc, &view, &e.ty, how, true);
        }
        if is_flat(self.b.program(), &e.ty) {
            return self.flat_item(e, how);
        }
        let value = self.value(e);
        self.put(&value, &e.ty, how);
    }

    /// Writes or reads the components of a managed object whose lengths belong to the variable.
    fn flat_item(&mut self, e: &'p Expr, how: Transfer<'p>) {
        let lengths = self.lengths_of(e);
        let mem = self.object(e);
        self.flat_components(mem, &e.ty, &lengths, how);
    }

    fn flat_components(&mut self, mem: MemRef, ty: &Type, lengths: &[Val], how: Transfer<'p>) {
        let Type::Derived(id) = ty else { return };
        self.each_flat_part(mem, *id, lengths, &mut |this, field, view, own| {
            let extents = view.extents();
            this.each_position(&extents, &[&view], &mut |this, index, linear| {
                let mem = this.b.element_pos(&view, index, linear);
                if is_flat(this.b.program(), &field.ty) {
                    return this.flat_components(mem, &field.ty, &own, how);
                }
                this.transfer_part(element_lvalue(mem, view.len), &field.ty, how);
            });
        });
    }

    /// Writes or reads a component, or an element of one.
    fn transfer_part(&mut self, place: Lvalue, ty: &'p Type, how: Transfer<'p>) {
        if how.reading {
            return self.get(place, ty, how);
        }
        let value = self.b.load_value(place, ty);
        self.put(&value, ty, how);
    }

    pub(super) fn input_item(&mut self, e: &'p Expr, how: Transfer<'p>) {
        let class = how.procedure(&e.ty).filter(|_| is_class(self.b.program(), e));
        if e.rank == 0 {
            if let Some(proc) = class {
                let view = self.class_view(e);
                return self.transfer_by(proc, &view, &e.ty, how, true);
            }
            if is_flat(self.b.program(), &e.ty) {
                return self.flat_item(e, how);
            }
            let place = self.lvalue(e);
            return self.get(place, &e.ty, how);
        }
        if is_flat(self.b.program(), &e.ty) {
            let (operands, extents) = self.prepared(e);
            return self.for_each_element(operands, &extents, &[], &mut |this, _, _| this.flat_item(e, how));
        }
        if self.is_scattered(e) {
            let mut operands = Operands::default();
            self.prepare_parts(e, &mut operands);
            let extents = operands.extents(e).unwrap_or_default();
            return self.for_each_element(operands, &extents, &[], &mut |this, _, _| {
                let place = this.lvalue(e);
                this.get(place, &e.ty, how);
            });
        }
        let Some(view) = self.designator_view(e) else { return self.b.unsupported("input into this object") };
        let extents = view.extents();
        self.each_position(&extents, &[&view], &mut |this, index, linear| {
            let mem = this.b.element_pos(&view, index, linear);
            match class {
                Some(proc) => {
                    let element = ArrayView { tag: view.tag, ..this.b.dense(mem, view.element, None, &[]) };
                    this.transfer_by(proc, &element, &e.ty, how, true);
                }
                None => this.get(element_lvalue(mem, view.len), &e.ty, how),
            }
        });
    }

    /// Writes one value.
    fn put(&mut self, value: &Value, ty: &Type, how: Transfer<'p>) {
        match (ty, how.procedure(ty)) {
            (Type::Derived(_), Some(proc)) => {
                let mem = self.b.as_object(value);
                let view = self.object_of(mem, ty);
                self.transfer_by(proc, &view, ty, how, false);
            }
            (Type::Derived(_), None) => {
                let mem = self.b.as_object(value);
                self.components(mem, ty, how);
            }
            _ => put(&mut self.b, value, ty),
        }
    }

    /// Reads one value into a place.
    fn get(&mut self, place: Lvalue, ty: &Type, how: Transfer<'p>) {
        match (ty, place, how.procedure(ty)) {
            (Type::Derived(_), Lvalue::Mem(mem), Some(_)) if how.is_group => {
                // It is read when the group is.
                let at = how.defined.iter().position(|d| matches!(ty, Type::Derived(id) if *id == d.ty));
                let addr = self.b.address(mem);
                let number = Val::i32(at.unwrap_or(0) as i32);
                self.b.rt(Rt::IoGet, vec![Val::i32(5), number, addr, Val::i64(0)]);
            }
            (Type::Derived(_), Lvalue::Mem(mem), Some(proc)) => {
                let view = self.object_of(mem, ty);
                self.transfer_by(proc, &view, ty, how, false);
            }
            (Type::Derived(_), Lvalue::Mem(mem), None) => self.components(mem, ty, how),
            (Type::Derived(_), ..) => {}
            _ => get(&mut self.b, place, ty),
        }
    }

    fn object_of(&mut self, mem: MemRef, ty: &Type) -> ArrayView {
        let bytes = const_bytes(self.b.program(), ty).unwrap_or(0);
        self.b.dense(mem, Val::i64(bytes as i64), None, &[])
    }

    /// Writes or reads the components of an object.
    fn components(&mut self, mem: MemRef, ty: &Type, how: Transfer<'p>) {
        let Type::Derived(id) = ty else { return };
        if is_flat(self.b.program(), ty) {
            return self.b.refuse_flat();
        }
        for field in self.b.program().ty(*id).fields.iter().filter(|f| !f.is_parameter) {
            self.component(field, mem.plus(field.offset as i64), how);
        }
    }

    fn component(&mut self, field: &'p Field, at: MemRef, how: Transfer<'p>) {
        let view = if field.sized.is_some() {
            let d = self.b.field_desc(field, at);
            self.b.desc_view(&d)
        } else if field.allocatable || field.pointer {
            return self.b.unsupported("input or output of an allocatable or pointer component");
        } else {
            self.b.field_view(field, at)
        };
        let extents = view.extents();
        self.each_position(&extents, &[&view], &mut |this, index, linear| {
            let mem = this.b.element_pos(&view, index, linear);
            this.transfer_part(element_lvalue(mem, view.len), &field.ty, how);
        });
    }

    /// Has an object transferred by a procedure, or by its components if a format says so, which a polymorphic one cannot be.
    fn transfer_by(&mut self, proc: ProcId, object: &ArrayView, ty: &Type, how: Transfer<'p>, is_class: bool) {
        let told = self.b.rt(Rt::IoChild, vec![Val::i32(i32::from(is_class))]);
        let (length, values) = match told[..] {
            [length, values] => (Val::from(length), Val::from(values)),
            _ => return,
        };
        let by_procedure = self.b.icmp(CmpOp::Gt, length, Val::i64(0));
        self.when(by_procedure, |this| {
            let length = this.b.isub(length, Val::i64(1));
            this.call_transfer(proc, object, ty, length, values);
        });
        if !is_class {
            let by_components = self.b.icmp(CmpOp::Eq, length, Val::i64(0));
            self.when(by_components, |this| this.components(object.mem, ty, how));
        }
    }

    /// Reads a namelist group that has objects which procedures read.
    pub(super) fn read_group(&mut self, how: Transfer<'p>) {
        let (next, done) = (self.b.new_block(), self.b.new_block());
        self.b.jump(next);
        self.b.switch_to(next);
        let told = self.b.rt(Rt::IoNamelistNext, Vec::new());
        let (number, addr) = match told[..] {
            [number, addr] => (Val::from(number), Val::from(addr)),
            _ => return,
        };
        let body = self.b.new_block();
        let more = self.b.icmp(CmpOp::Ne, number, Val::i64(0));
        self.b.branch(more, body, done);
        self.b.switch_to(body);
        for (at, defined) in how.defined.iter().enumerate() {
            let is_this = self.b.icmp(CmpOp::Eq, number, Val::i64(at as i64 + 1));
            self.when(is_this, |this| {
                let ty = Type::Derived(defined.ty);
                let space = this.b.local_space();
                let object = this.object_of(MemRef::at(addr, space), &ty);
                this.call_transfer(defined.proc, &object, &ty, Val::i64("NAMELIST".len() as i64), Val::i64(0));
            });
        }
        self.b.jump(next);
        self.b.switch_to(done);
    }

    /// Calls the procedure, and tells the statement what came of it.
    fn call_transfer(&mut self, proc: ProcId, object: &ArrayView, ty: &Type, length: Val, values: Val) {
        let program = self.b.program();
        let params: Vec<&'p Variable> = program.proc(proc).params.iter().map(|&v| program.var(v)).collect();
        let (Some(dtv), Some(last)) = (params.first(), params.last()) else { return };
        let is_formatted = params.len() == 6;
        let kind = params.get(1).map_or(Ty::I32, |v| ir_ty(&v.ty));
        let span = source::Span::NONE;
        let (_, unit) = self.b.slot(4, 4, "unit", span);
        let (_, iostat) = self.b.slot(8, 8, "iostat", span);
        let (_, iomsg) = self.b.slot(MESSAGE, 8, "iomsg", span);
        let iotype = self.b.temporary(length, 1);
        let bytes = self.b.imul(values, Val::i64(4));
        let list = self.b.temporary(bytes, 4);
        self.b.store_scalar(iostat, kind, Val::i64(0));
        for word in 0..MESSAGE / 8 {
            self.b.store_scalar(iomsg.plus(8 * word as i64), Ty::I64, Val::i64(0x2020_2020_2020_2020));
        }
        let addresses = [unit, iotype, list].map(|mem| self.b.address(mem));
        self.b.rt(Rt::IoChildText, addresses.to_vec());
        let mut passed = Passed::default();
        self.b.pass_view(dtv, object, ty, &mut passed);
        let unit = self.of_kind(unit, Val::i64(1), kind);
        self.pass_memory(unit, &[], &mut passed);
        if is_formatted {
            self.pass_memory(iotype, &[length], &mut passed);
            let list = self.of_kind(list, values, kind);
            self.pass_memory(list, &[values, Val::i64(i64::from(kind.bytes()))], &mut passed);
        }
        self.pass_memory(iostat, &[], &mut passed);
        debug_assert!(matches!(last.ty, Type::Character(_)), "the checker knows the interface");
        self.pass_memory(iomsg, &[Val::i64(MESSAGE as i64)], &mut passed);
        self.invoke(proc, &[], &passed, &[]);
        self.b.after_call(passed);
        let status = self.b.load_scalar(iostat, kind);
        let status = self.b.cast(status.into(), kind, Ty::I32);
        let message = self.b.address(iomsg);
        self.b.rt(Rt::IoChildEnd, vec![status, message, Val::i64(MESSAGE as i64)]);
    }

    /// Passes what is in memory, with what follows its address.
    fn pass_memory(&mut self, mem: MemRef, more: &[Val], out: &mut Passed) {
        let addr = self.b.address(mem);
        out.words.push(addr);
        out.words.extend(more);
        out.keys.push(self.b.space_key(mem.space));
    }

    /// Integers of four bytes as integers of the default kind.
    fn of_kind(&mut self, mem: MemRef, count: Val, kind: Ty) -> MemRef {
        if kind == Ty::I32 {
            return mem;
        }
        let bytes = self.b.imul(count, Val::i64(8));
        let wide = self.b.temporary(bytes, 8);
        self.b.repeat(count, &mut |b, i| {
            let (from, to) = (b.imul(i, Val::i64(4)), b.imul(i, Val::i64(8)));
            let (from, to) = (b.advance(mem, from), b.advance(wide, to));
            let v = b.load_scalar(from, Ty::I32);
            let v = b.cast(v.into(), Ty::I32, kind);
            b.store_scalar(to, kind, v);
        });
        wide
    }
}

/// Reads one value of intrinsic type into a place.
fn get(b: &mut Builder<'_, '_>, place: Lvalue, ty: &Type) {
    let (code, kind) = match ty {
        Type::Integer(k) => (0, *k),
        Type::Real(k) => (1, *k),
        Type::Complex(k) => (2, *k),
        Type::Logical(k) => (3, *k),
        Type::Character(_) => (4, 1),
        Type::Derived(_) | Type::Any => return b.unsupported("input or output of a `type(*)` object"),
    };
    let direct = match place {
        Lvalue::Mem(mem) if !b.is_remote(mem) => Some((mem, Val::i64(0))),
        Lvalue::Char(mem, len) if !b.is_remote(mem) => Some((mem, len)),
        _ => None,
    };
    let (mem, len) = match (direct, place) {
        (Some(direct), _) => direct,
        (None, Lvalue::Char(_, len)) => (b.temporary(len, 1), len),
        _ => {
            let bytes = const_bytes(b.program(), ty).unwrap_or(8);
            (b.slot(bytes, bytes.max(1), "input", source::Span::NONE).1, Val::i64(0))
        }
    };
    if direct.is_none() {
        // An item that is not read keeps its value.
        let old = b.load_value(place, ty);
        b.store_value(element_lvalue(mem, matches!(ty, Type::Character(_)).then_some(len)), ty, &old);
    }
    let addr = b.address(mem);
    b.rt(Rt::IoGet, vec![Val::i32(code), Val::i32(i32::from(kind)), addr, len]);
    if direct.is_none() {
        let new = b.load_value(element_lvalue(mem, matches!(ty, Type::Character(_)).then_some(len)), ty);
        b.store_value(place, ty, &new);
    }
}

/// Writes one value of intrinsic type.
fn put(b: &mut Builder<'_, '_>, value: &Value, ty: &Type) {
    match ty {
        Type::Integer(k) | Type::Logical(k) => {
            let v = b.as_scalar(value, ty);
            let v = b.widen(v, ir_ty(ty));
            let rt = if matches!(ty, Type::Integer(_)) { Rt::IoPutInt } else { Rt::IoPutLogical };
            b.rt(rt, vec![v, Val::i32(i32::from(*k))]);
        }
        Type::Real(2) if b.side() == Side::Device => {
            let wide = b.convert(value, ty, &Type::Real(4));
            put(b, &wide, &Type::Real(4));
        }
        Type::Real(k) => {
            let v = b.as_scalar(value, ty);
            let rt = match k {
                2 => Rt::IoPutReal2,
                8 => Rt::IoPutReal8,
                _ => Rt::IoPutReal4,
            };
            b.rt(rt, vec![v]);
        }
        Type::Complex(k) => {
            let (re, im) = b.as_complex(value, ty);
            b.rt(if *k == 8 { Rt::IoPutComplex8 } else { Rt::IoPutComplex4 }, vec![re, im]);
        }
        Type::Character(_) => {
            let (mem, len) = b.as_char(value);
            let addr = b.address(mem);
            b.rt(Rt::IoPutChar, vec![addr, len]);
        }
        Type::Derived(_) | Type::Any => b.unsupported("input or output of a `type(*)` object"),
    }
}

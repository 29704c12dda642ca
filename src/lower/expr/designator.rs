//! Designators: the lvalues and views of variables, components, elements, sections, substrings and complex parts.
//!
//! Not here: subscripts (`subscript`), storage of variables (`procedure::storage`).

use crate::analysis::designators::{designator_name, field_of, is_class, keeps_bounds};
use crate::analysis::variables::const_bounds;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::Operand;
use crate::expr::scattered::scattered;
use crate::function::FunctionLowering;
use crate::storage::VarStorage;
use crate::types::{const_bytes, data_space, ir_ty, is_flat};
use crate::value::Value;
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::{Lvalue, MemRef};
use ir::op::CmpOp;
use ir::{Ty, Val};
use sema::checked::{CharLen, Expr, ExprKind, Field, Shape, Sub, Type, VarId, is_designator, root_in_memory};

impl<'p> Builder<'_, 'p> {
    /// The descriptor of a component, which lies at `mem`.
    pub(crate) fn field_desc(&mut self, f: &'p Field, mem: MemRef) -> Descriptor {
        // A copy of an object in a kernel has copies of what its components hold beside it.
        let is_perhaps_here = f.shape.rank() == 0 && matches!(mem.space, ir::Space::Local | ir::Space::Generic);
        let data = data_space(self.side(), f.cuda, f.pointer || is_perhaps_here);
        let len = crate::types::constant_length(&f.ty);
        self.desc_of((&f.ty, f.class), f.shape.rank(), DescriptorAt::Mem(mem), data, f.allocatable, len)
    }

    /// The view of an array component with constant bounds, which lies at `mem`.
    pub(crate) fn field_view(&mut self, f: &Field, mem: MemRef) -> ArrayView {
        let bounds = const_bounds(&f.shape).unwrap_or_default();
        let bytes = const_bytes(self.program(), &f.ty).unwrap_or(0) as i64;
        let len = matches!(f.ty, Type::Character(_)).then_some(Val::i64(bytes));
        let extents: Vec<Val> = bounds.iter().map(|b| Val::i64(b.1)).collect();
        let mut view = self.dense(mem, Val::i64(bytes), len, &extents);
        for (d, b) in view.dims.iter_mut().zip(&bounds) {
            d.lower = Val::i64(b.0);
        }
        view
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// The place of a scalar designator, or of the current element of an array; of any other value, a copy of it.
    pub(crate) fn lvalue(&mut self, e: &'p Expr) -> Lvalue {
        if let Some((operand, index, linear)) = self.lookup(e) {
            return match operand {
                Operand::View(view) => {
                    let mem = self.b.element_pos(&view, &index, linear);
                    view.len.map_or(Lvalue::Mem(mem), |len| Lvalue::Char(mem, len))
                }
                Operand::Value(v) => value_lvalue(&mut self.b, &v, &e.ty),
            };
        }
        if !self.b.is_host()
            && let Some(v) = root_in_memory(self.b.program(), e)
        {
            self.b.module().designate(e.span, v);
        }
        self.at(e.span, |this| this.lvalue_inner(e))
    }

    fn lvalue_inner(&mut self, e: &'p Expr) -> Lvalue {
        if let ExprKind::Field { base, field } = &e.kind
            && let Some(n) = self.declared_parameter(base, *field)
        {
            return value_lvalue(&mut self.b, &Value::Scalar(n), &e.ty);
        }
        match &e.kind {
            ExprKind::Var(v) => match self.variable_lvalue(*v) {
                Some(place) => place,
                None => {
                    let value = self.variable_without_lvalue(*v, &e.ty);
                    value_lvalue(&mut self.b, &value, &e.ty)
                }
            },
            ExprKind::Field { base, field } if is_flat(self.b.program(), &base.ty) => {
                if let Some(place) = self.flat_field_lvalue(base, *field) {
                    return place;
                }
                // A length parameter that is not known here.
                self.b.refuse_flat();
                Lvalue::Mem(MemRef::at(Val::i64(0), self.b.local_space()))
            }
            ExprKind::Field { base, field } if base.rank > 0 && e.rank == 0 => {
                // A length parameter, which all elements have in common.
                let offset = field_of(self.b.program(), base, *field).map_or(0, |f| f.offset);
                let view = self.view(base);
                self.b.need_lengths(&view, &base.ty);
                Lvalue::Mem(view.mem.plus(offset as i64))
            }
            ExprKind::Field { base, field } => match self.described_field(base, *field) {
                Some(desc) => {
                    let view = self.b.desc_view(&desc);
                    view.len.map_or(Lvalue::Mem(view.mem), |len| Lvalue::Char(view.mem, len))
                }
                None => self.plain_field(base, *field),
            },
            ExprKind::Element { base, subs } => {
                let view = self.view(base);
                let name =
                    if self.b.options().check_bounds { designator_name(self.b.program(), base) } else { String::new() };
                let mem = self.element(&view, subs, &name);
                view.len.map_or(Lvalue::Mem(mem), |len| Lvalue::Char(mem, len))
            }
            ExprKind::Substring { base, lo, hi } => {
                let place = self.lvalue(base);
                let (mem, len) = match place {
                    Lvalue::Char(mem, len) => (mem, len),
                    other => {
                        let value = self.b.load_value(other, &base.ty);
                        self.b.as_char(&value)
                    }
                };
                let (mem, len) = self.substring(base, (mem, len), lo.as_deref(), hi.as_deref());
                Lvalue::Char(mem, len)
            }
            ExprKind::Seen { base, .. } => match &e.ty {
                Type::Character(len) => {
                    let view = self.class_view(base);
                    let len = if let CharLen::Const(n) = len { Val::i64((*n).max(0)) } else { view.element };
                    Lvalue::Char(view.mem, len)
                }
                _ => self.lvalue(base),
            },
            ExprKind::ComplexPart { base, imaginary } => match self.lvalue(base) {
                Lvalue::Complex(re, im) => Lvalue::Reg(if *imaginary { im } else { re }),
                Lvalue::Mem(mem) => Lvalue::Mem(mem.plus(part_offset(&base.ty, *imaginary))),
                other => other,
            },
            _ => {
                let value = self.value(e);
                value_lvalue(&mut self.b, &value, &e.ty)
            }
        }
    }

    /// The value of a name that is no variable in memory or register.
    fn variable_without_lvalue(&mut self, v: VarId, ty: &Type) -> Value {
        match self.storage_of(v) {
            Some(VarStorage::Value(value)) => value,
            Some(VarStorage::Procedure(p)) => Value::Scalar(self.b.procedure_number(p)),
            _ => self.b.refused(ty, &format!("`{}`", self.b.program().var(v).name)),
        }
    }

    /// `base(lo:hi)` of characters.
    pub(crate) fn substring(
        &mut self,
        base: &'p Expr,
        (mem, len): (MemRef, Val),
        lo: Option<&'p Expr>,
        hi: Option<&'p Expr>,
    ) -> (MemRef, Val) {
        let (from, to) = (lo.map_or(Val::i64(1), |e| self.int64(e)), hi.map_or(len, |e| self.int64(e)));
        if self.b.options().check_bounds {
            let name = designator_name(self.b.program(), base);
            self.b.check_substring((from, to), len, &name);
        }
        let skip = self.b.iadd(from, Val::i64(-1));
        let n = self.b.count(from, to, Val::i64(1));
        (self.b.advance(mem, skip), n)
    }

    /// Where an object of derived type is: a designator's own memory, or that of a value.
    pub(crate) fn object(&mut self, e: &'p Expr) -> MemRef {
        match self.lvalue(e) {
            Lvalue::Mem(mem) | Lvalue::Char(mem, _) => mem,
            other => {
                let value = self.b.load_value(other, &e.ty);
                self.b.spill(&value, &e.ty)
            }
        }
    }

    /// The descriptor of an allocatable or pointer component of a scalar object.
    pub(crate) fn described_field(&mut self, base: &'p Expr, field: u32) -> Option<Descriptor> {
        let f = field_of(self.b.program(), base, field)?;
        let mem = self.descriptor_memory(base, field)?;
        let d = self.b.field_desc(f, mem);
        let (Some(_), Type::Derived(id)) = (&f.own_length, &base.ty) else { return Some(d) };
        if !is_flat(self.b.program(), &base.ty) {
            let object = mem.plus(-(f.offset as i64));
            self.bind_held_parameters(object, *id);
        }
        Some(self.with_own_length(f, d))
    }

    /// The descriptor of a component with the length that the parameters of its object decide, which are bound.
    pub(crate) fn with_own_length(&mut self, f: &'p Field, mut d: Descriptor) -> Descriptor {
        if let Some(length) = &f.own_length {
            let n = self.bound(length);
            let n = self.b.at_least_zero(n);
            d.element = Some(self.b.freeze(n));
        }
        d
    }

    fn plain_field(&mut self, base: &'p Expr, field: u32) -> Lvalue {
        let mem = self.object(base);
        match field_of(self.b.program(), base, field) {
            Some(f) => {
                let mem = mem.plus(f.offset as i64);
                match &f.ty {
                    Type::Character(_) => {
                        Lvalue::Char(mem, Val::i64(const_bytes(self.b.program(), &f.ty).unwrap_or(0) as i64))
                    }
                    _ => Lvalue::Mem(mem),
                }
            }
            None => Lvalue::Mem(mem),
        }
    }

    /// The descriptor behind an allocatable or pointer designator.
    pub(crate) fn descriptor(&mut self, e: &'p Expr) -> Option<Descriptor> {
        match &e.kind {
            ExprKind::Var(v) => match self.storage_of(*v)? {
                VarStorage::Described(d) => Some(d),
                _ => None,
            },
            ExprKind::Field { base, field } => self.described_field(base, *field),
            _ => None,
        }
    }

    /// The view of an array designator; `None` if the expression names no array in memory. What only
    /// reads asks [`FunctionLowering::readable_view`].
    pub(crate) fn designator_view(&mut self, e: &'p Expr) -> Option<ArrayView> {
        if !is_designator(e) {
            return None;
        }
        if let (Some(_), Some((Operand::View(copy), ..))) = (scattered(self.b.program(), e), self.lookup(e)) {
            return Some(copy);
        }
        self.at(e.span, |this| if this.is_scattered(e) { this.parts_view(e) } else { this.designator_view_inner(e) })
    }

    fn designator_view_inner(&mut self, e: &'p Expr) -> Option<ArrayView> {
        match &e.kind {
            ExprKind::Var(v) => match self.storage_of(*v)? {
                VarStorage::Array(view) => Some(view),
                VarStorage::Described(d) => {
                    let assumed_size = matches!(self.b.program().var(*v).shape, Shape::AssumedSize(..));
                    Some(ArrayView { assumed_size, ..self.b.desc_view(&d) })
                }
                VarStorage::Scalar(mem, len) => {
                    let element = if len.is_some() { self.b.element_bytes(&e.ty, len) } else { self.bytes_of(e) };
                    Some(self.b.dense(mem, element, len, &[]))
                }
                _ => None,
            },
            ExprKind::Field { base, field } if is_flat(self.b.program(), &base.ty) => self.flat_field(base, *field),
            ExprKind::Field { base, field } => {
                let f = field_of(self.b.program(), base, *field)?;
                if base.rank == 0 || self.is_current(base) {
                    if let Some(desc) = self.described_field(base, *field) {
                        return Some(self.b.desc_view(&desc));
                    }
                    let mem = self.object(base).plus(f.offset as i64);
                    return Some(self.b.field_view(f, mem));
                }
                let mut view = self.designator_view(base)?;
                view.mem = view.mem.plus(f.offset as i64);
                let bytes = self.b.fixed_bytes(&f.ty);
                Some(part_view(view, &f.ty, bytes))
            }
            ExprKind::Seen { base, class } => {
                let view = self.designator_view(base)?;
                if *class {
                    return Some(view);
                }
                let whole = keeps_bounds(self.b.program(), e);
                let (dims, element) = (view.dims.clone(), view.element);
                let bytes = if is_flat(self.b.program(), &e.ty) { self.bytes_of(e) } else { self.b.fixed_bytes(&e.ty) };
                let mut view = part_view(view, &e.ty, bytes);
                view.tag = None;
                if matches!(e.ty, Type::Character(_)) {
                    (view.element, view.len) = (element, Some(element));
                }
                if whole {
                    view.dims = dims;
                }
                Some(view)
            }
            ExprKind::ComplexPart { base, imaginary } => {
                let mut view = self.designator_view(base)?;
                view.mem = view.mem.plus(part_offset(&base.ty, *imaginary));
                let bytes = self.b.fixed_bytes(&e.ty);
                Some(part_view(view, &e.ty, bytes))
            }
            ExprKind::Substring { base, lo, hi } => {
                let mut view = self.designator_view(base)?;
                let len = view.len.unwrap_or(Val::i64(0));
                let (mem, len) = self.substring(base, (view.mem, len), lo.as_deref(), hi.as_deref());
                view.mem = mem;
                view.len = Some(len);
                view.element = len;
                view.origin = None;
                view.contiguity = Contiguity::Unknown;
                Some(view)
            }
            ExprKind::Section { base, subs } => {
                self.check_whole(base);
                let view = self.designator_view(base)?;
                Some(self.section(&view, subs, base))
            }
            ExprKind::Element { base: component, subs } if e.rank > 0 => {
                // The same element of an array component of each object.
                let ExprKind::Field { base: objects, field } = &component.kind else { return None };
                let f = field_of(self.b.program(), objects, *field)?;
                let mut view = self.designator_view(objects)?;
                if let Some(first) = self.flat_field(objects, *field) {
                    let mem = self.element(&first, subs, &designator_name(self.b.program(), component));
                    view.dims.iter_mut().for_each(|d| d.lower = Val::i64(1));
                    let contiguity = Contiguity::Unknown;
                    return Some(ArrayView { dims: view.dims, mem, origin: None, contiguity, ..first });
                }
                let first = self.b.field_view(f, view.mem.plus(f.offset as i64));
                let name = if self.b.options().check_bounds {
                    designator_name(self.b.program(), component)
                } else {
                    String::new()
                };
                view.mem = self.element(&first, subs, &name);
                let bytes = self.b.fixed_bytes(&f.ty);
                Some(part_view(view, &f.ty, bytes))
            }
            ExprKind::Element { base: whole, .. } => match self.lvalue(e) {
                Lvalue::Mem(mem) => {
                    let whole = if is_class(self.b.program(), e) { self.designator_view(whole) } else { None };
                    let element = match &whole {
                        Some(whole) => whole.element,
                        None => self.bytes_of(e),
                    };
                    let view = self.b.dense(mem, element, None, &[]);
                    Some(ArrayView { tag: whole.and_then(|w| w.tag), ..view })
                }
                Lvalue::Char(mem, len) => Some(self.b.dense(mem, len, Some(len), &[])),
                _ => None,
            },
            _ => None,
        }
    }

    fn section(&mut self, view: &ArrayView, subs: &'p [Sub], base: &'p Expr) -> ArrayView {
        let mut mem = view.mem;
        let mut dims = Vec::new();
        // Whether all dimensions so far are whole: the next may be cut and the result stays contiguous.
        let (mut whole_so_far, mut contiguous) = (true, view.is_contiguous());
        for (i, (sub, d)) in subs.iter().zip(&view.dims).enumerate() {
            let last_unknown = view.assumed_size && i + 1 == view.dims.len();
            match sub {
                Sub::Index(e) => {
                    let at = self.int64(e);
                    if self.b.options().check_bounds && !last_unknown {
                        let name = designator_name(self.b.program(), base);
                        self.b.check_subscript(at, d, i, &name);
                    }
                    let position = self.b.isub(at, d.lower);
                    let skip = self.b.imul(position, d.stride);
                    mem = self.b.advance(mem, skip);
                    whole_so_far = false;
                }
                Sub::Range { lo, hi, step } => {
                    let whole = lo.is_none() && hi.is_none() && step.is_none();
                    let step = step.as_ref().map_or(Val::i64(1), |e| self.int64(e));
                    // What is not written is the lower and the upper bound, whatever the stride (Fortran 2018, 9.5.3.3.1).
                    let low = lo.as_ref().map_or(d.lower, |e| self.int64(e));
                    let high = match hi {
                        Some(e) => self.int64(e),
                        None => {
                            let past = self.b.iadd(d.lower, d.extent);
                            self.b.iadd(past, Val::i64(-1))
                        }
                    };
                    let extent = if whole { d.extent } else { self.b.count(low, high, step) };
                    if self.b.options().check_bounds && !last_unknown && !whole {
                        check_range(&mut self.b, low, extent, step, d, i, base);
                    }
                    let position = self.b.isub(low, d.lower);
                    let skip = self.b.imul(position, d.stride);
                    mem = self.b.advance(mem, skip);
                    contiguous &= whole_so_far && crate::builder::arith::is(step, 1);
                    whole_so_far &= whole;
                    let stride = self.b.imul(d.stride, step);
                    dims.push(ArrayDim { lower: Val::i64(1), extent, stride, gather: d.gather.clone() });
                }
                Sub::Vector(e) => {
                    let subs = self.view(e);
                    let subs = self.b.local_view(subs, &e.ty);
                    let extent = subs.dims.first().map_or(Val::i64(0), |v| v.extent);
                    if self.b.options().check_bounds && !last_unknown {
                        let name = designator_name(self.b.program(), base);
                        self.b.repeat(extent, &mut |this, k| {
                            let at = this.element_by_position(&subs, &[k]);
                            let at = this.load_word(at);
                            this.check_subscript(at, d, i, &name);
                        });
                    }
                    let gather = Some(Box::new((subs, d.lower)));
                    dims.push(ArrayDim { lower: Val::i64(1), extent, stride: d.stride, gather });
                    contiguous = false;
                    whole_so_far = false;
                }
            }
        }
        if self.b.holds_lengths(&base.ty) {
            // A section without objects has the lengths of its array, which is where they are.
            let extents: Vec<Val> = dims.iter().map(|d| d.extent).collect();
            let count = self.b.product(&extents);
            let none = self.b.icmp(CmpOp::Eq, count, Val::i64(0));
            let (whole, part) = (self.b.address(view.mem), self.b.address(mem));
            mem = MemRef { addr: self.b.select(Ty::I64, none, whole, part).into(), offset: 0, ..mem };
        }
        let contiguity = if contiguous { Contiguity::Yes } else { Contiguity::Unknown };
        ArrayView {
            mem,
            origin: None,
            dims,
            element: view.element,
            len: view.len,
            tag: view.tag,
            contiguity,
            assumed_size: false,
        }
    }
}

/// Byte offset of a part of a complex number.
fn part_offset(ty: &Type, imaginary: bool) -> i64 {
    if imaginary { i64::from(ir_ty(ty).bytes()) } else { 0 }
}

/// A value in memory.
fn value_lvalue(b: &mut Builder<'_, '_>, value: &Value, ty: &Type) -> Lvalue {
    match value {
        Value::Char(mem, len) => Lvalue::Char(*mem, *len),
        Value::Object(mem) => Lvalue::Mem(*mem),
        _ => Lvalue::Mem(b.spill(value, ty)),
    }
}

/// A view whose elements are parts of the elements of another.
fn part_view(mut view: ArrayView, ty: &Type, bytes: Val) -> ArrayView {
    view.len = matches!(ty, Type::Character(_)).then_some(bytes);
    if view.element != bytes {
        view.contiguity = Contiguity::Unknown;
    }
    view.element = bytes;
    view.origin = None;
    view.tag = None;
    // A component of an array has its own bounds, as a section has.
    view.dims.iter_mut().for_each(|d| d.lower = Val::i64(1));
    view
}

/// Reports a section that leaves its array; an empty one never does.
fn check_range(b: &mut Builder<'_, '_>, low: Val, extent: Val, step: Val, d: &ArrayDim, dim: usize, base: &Expr) {
    let some = b.icmp(ir::op::CmpOp::Gt, extent, Val::i64(0));
    let name = designator_name(b.program(), base);
    let d = d.clone();
    b.when(some, |b| {
        b.check_subscript(low, &d, dim, &name);
        let steps = b.iadd(extent, Val::i64(-1));
        let last = b.imad(steps, step, low);
        b.check_subscript(last, &d, dim, &name);
    });
}

//! Functions that rearrange elements: TRANSPOSE, RESHAPE, SPREAD, PACK, UNPACK, TRANSFER.
//!
//! TRANSPOSE, SPREAD and the plain RESHAPE are views of the argument's memory and copy nothing.

use super::{Args, arg};
use crate::analysis::designators::is_class;
use crate::analysis::expressions::{constant_int, has_effects};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::types::{align, const_bytes, ir_ty, is_flat, is_made};
use crate::value::Value;
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::flat_copy::FlatCopy;
use crate::value::lvalue::{Lvalue, MemRef, element_lvalue};
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Expr, Type};

impl Builder<'_, '_> {
    /// With bounds checks on, reports that VECTOR has fewer elements than the mask has true ones (Fortran 2018, 16.9.146 and 16.9.203).
    fn check_vector(&mut self, at: Val, extent: Val) {
        if !self.options().check_bounds {
            return;
        }
        let is_beyond = self.icmp(CmpOp::Ge, at, extent);
        self.when(is_beyond, |this| {
            let wanted = this.iadd(at, Val::i64(1));
            this.rt(Rt::ErrorShape, vec![extent, wanted, Val::i32(1)]);
        });
    }

    /// Copies one element.
    pub(super) fn copy_element(&mut self, to: MemRef, from: MemRef, len: Option<Val>, ty: &Type) {
        let v = self.load_value(element_lvalue(from, len), ty);
        self.store_value(element_lvalue(to, len), ty, &v);
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn transpose(&mut self, args: Args<'p>) -> Option<ArrayView> {
        let mut view = self.view(arg(args, 0)?);
        view.dims.reverse();
        view.dims.iter_mut().for_each(|d| d.lower = Val::i64(1));
        view.origin = None;
        view.contiguity = Contiguity::Unknown;
        Some(view)
    }

    pub(super) fn spread(&mut self, args: Args<'p>) -> Option<ArrayView> {
        let source = arg(args, 0)?;
        let dim = match constant_int(arg(args, 1)?) {
            Some(dim) => Ok(usize::try_from(dim.checked_sub(1)?).ok()?),
            None => Err(self.int64(arg(args, 1)?)),
        };
        let copies = self.int64(arg(args, 2)?);
        let copies = self.b.at_least_zero(copies);
        let extent = self.b.freeze(copies);
        let mut view = if source.rank == 0 {
            let value = self.own_value(source);
            let (mem, len) = match &value {
                Value::Char(mem, len) => (*mem, Some(*len)),
                Value::Object(mem) => (*mem, None),
                _ => (self.b.spill(&value, &source.ty), None),
            };
            let element = self.b.element_bytes(&source.ty, len);
            self.b.dense(mem, element, len, &[])
        } else {
            self.view(source)
        };
        let new = ArrayDim { lower: Val::i64(1), extent, stride: Val::i64(0), gather: None };
        match dim {
            Ok(dim) if dim > view.dims.len() => return None,
            Ok(dim) => view.dims.insert(dim, new),
            Err(_) if view.gathers() => return None,
            Err(dim) => view.dims = self.spread_dims(&view.dims, &new, dim),
        }
        view.dims.iter_mut().for_each(|d| d.lower = Val::i64(1));
        view.origin = None;
        view.contiguity = Contiguity::Unknown;
        Some(view)
    }

    /// The dimensions with another one among them, at a place that is known when the program runs.
    fn spread_dims(&mut self, old: &[ArrayDim], new: &ArrayDim, dim: Val) -> Vec<ArrayDim> {
        self.b.demand_argument("dim", dim, Val::i64(1), Val::i64(old.len() as i64 + 1));
        let place = self.b.iadd(dim, Val::i64(-1));
        (0..=old.len())
            .map(|i| {
                let before = self.b.icmp(CmpOp::Lt, Val::i64(i as i64), place);
                let behind = self.b.icmp(CmpOp::Gt, Val::i64(i as i64), place);
                let mut choose = |of: fn(&ArrayDim) -> Val| -> Val {
                    let (left, right) = (old.get(i).unwrap_or(new), old.get(i.wrapping_sub(1)).unwrap_or(new));
                    let rest = self.b.select(Ty::I64, behind, of(right), of(new));
                    self.b.select(Ty::I64, before, of(left), rest).into()
                };
                let (extent, stride) = (choose(|d| d.extent), choose(|d| d.stride));
                ArrayDim { lower: Val::i64(1), extent, stride, gather: None }
            })
            .collect()
    }

    /// The values of an integer array of constant size.
    fn integers_of(&mut self, e: &'p Expr, count: usize) -> Vec<Val> {
        let view = self.view(e);
        let view = self.b.local_view(view, &e.ty);
        (0..count)
            .map(|i| {
                let mem = self.b.element_by_position(&view, &[Val::i64(i as i64)]);
                let v = self.b.load_value(Lvalue::Mem(mem), &e.ty);
                let v = self.b.as_scalar(&v, &e.ty);
                self.b.widen(v, crate::types::ir_ty(&e.ty))
            })
            .collect()
    }

    pub(super) fn reshape(&mut self, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let source = arg(args, 0)?;
        let shape = arg(args, 1)?;
        let extents: Vec<Val> = match &shape.kind {
            sema::checked::ExprKind::Const(sema::checked::Const::Array { items, .. }) => items
                .iter()
                .filter_map(|c| match c {
                    sema::checked::Const::Int(n) => Some(Val::i64((*n).max(0))),
                    _ => None,
                })
                .collect(),
            _ => {
                let given = self.integers_of(shape, usize::from(e.rank));
                for &extent in &given {
                    self.b.demand_argument("shape", extent, Val::i64(0), Val::i64(i64::MAX));
                }
                given
            }
        };
        let view = self.view(source);
        let view = self.b.local_view(view, &source.ty);
        let view = self.b.contiguous_view(view, &source.ty);
        if arg(args, 2).is_none() {
            let (wanted, given) = (self.b.product(&extents), self.b.size(&view));
            self.b.demand_argument("size(source)", given, wanted, Val::i64(i64::MAX));
        }
        if arg(args, 2).is_none() && arg(args, 3).is_none() {
            return Some(self.b.dense(view.mem, view.element, view.len, &extents));
        }
        // The dimensions of the result in the order in which they are filled, the fastest first.
        let order: Vec<Val> = match arg(args, 3) {
            Some(order) => {
                let order = self.integers_of(order, extents.len());
                self.b.demand_permutation("order", &order);
                order
            }
            None => (1..=extents.len()).map(|i| Val::i64(i as i64)).collect(),
        };
        let result = self.b.temporary_array(&e.ty, view.len, &extents);
        self.b.keep_lengths(&result, &view, &e.ty);
        let pad = match arg(args, 2) {
            Some(pad) => {
                let p = self.view(pad);
                let p = self.b.local_view(p, &pad.ty);
                Some(self.b.contiguous_view(p, &pad.ty))
            }
            None => None,
        };
        let strides: Vec<Val> = result.dims.iter().map(|d| d.stride).collect();
        let (mut ordered_extents, mut ordered_strides) = (Vec::new(), Vec::new());
        for &dim in &order {
            ordered_extents.push(pick(&mut self.b, &extents, dim));
            ordered_strides.push(pick(&mut self.b, &strides, dim));
        }
        let available = self.b.size(&view);
        let next = self.b.mutable(Ty::I64);
        self.b.set(next, Val::i64(0));
        self.nest(&ordered_extents, &mut |this, index| {
            let mut to = result.mem;
            for (&i, &stride) in index.iter().zip(&ordered_strides) {
                let skip = this.b.imul(i, stride);
                to = this.b.advance(to, skip);
            }
            let inside = this.b.icmp(CmpOp::Lt, next.into(), available);
            this.either(
                inside,
                |this| {
                    let from = this.b.element_linear(&view, next.into());
                    this.b.copy_element(to, from, view.len, &e.ty);
                },
                |this| {
                    if let Some(pad) = &pad {
                        let over = this.b.isub(next.into(), available);
                        let count = this.b.size(pad);
                        let i: Val = this.b.bin(BinOp::Rem, Ty::I64, over, count).into();
                        let from = this.b.element_linear(pad, i);
                        this.b.copy_element(to, from, pad.len, &e.ty);
                    }
                },
            );
            let more = this.b.bin(BinOp::Add, Ty::I64, next, Val::i64(1));
            this.b.set(next, more);
        });
        Some(result)
    }

    pub(super) fn pack(&mut self, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let (array, mask) = (arg(args, 0)?, arg(args, 1)?);
        let mut operands = Operands::default();
        self.prepare(array, &mut operands);
        if has_effects(self.b.program(), mask) {
            // It is asked twice.
            let known = self.materialise(mask);
            operands.insert(mask, Operand::View(known));
        } else {
            self.prepare(mask, &mut operands);
        }
        self.b.check_mask(array, Some(mask), &operands);
        let extents = operands.extents(array)?;
        let len = self.length_of(array, Some(&operands));
        let filler = match arg(args, 2) {
            Some(v) => {
                let view = self.view(v);
                Some(self.b.local_view(view, &v.ty))
            }
            None => None,
        };
        // Without VECTOR the size is the number of true elements; room is made for all.
        let chosen = self.b.mutable(Ty::I64);
        self.b.set(chosen, Val::i64(0));
        let size = match &filler {
            Some(view) => self.b.size(view),
            None => {
                self.for_each_element(operands.clone(), &extents, &[], &mut |this, _, _| {
                    let p = this.pred(mask);
                    let one = this.b.select(Ty::I64, p, Val::i64(1), Val::i64(0));
                    let n = this.b.bin(BinOp::Add, Ty::I64, chosen, one);
                    this.b.set(chosen, n);
                });
                self.b.freeze(chosen.into())
            }
        };
        let result = self.b.temporary_array(&e.ty, len, &[size]);
        self.hold_lengths_of(&result, array, &operands);
        if let Some(filler) = &filler {
            self.b.copy_array(&result, filler, &e.ty);
        }
        let next = self.b.mutable(Ty::I64);
        self.b.set(next, Val::i64(0));
        self.for_each_element(operands, &extents, &[], &mut |this, _, _| {
            let p = this.pred(mask);
            this.when(p, |this| {
                if filler.is_some() {
                    this.b.check_vector(next.into(), size);
                }
                let v = this.value(array);
                let to = this.b.element_linear(&result, next.into());
                this.b.store_value(element_lvalue(to, result.len), &e.ty, &v);
                let n = this.b.bin(BinOp::Add, Ty::I64, next, Val::i64(1));
                this.b.set(next, n);
            });
        });
        Some(result)
    }

    pub(super) fn unpack(&mut self, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let (vector, mask, field) = (arg(args, 0)?, arg(args, 1)?, arg(args, 2)?);
        let source = self.view(vector);
        let source = self.b.local_view(source, &vector.ty);
        let mut operands = Operands::default();
        self.prepare(mask, &mut operands);
        self.prepare(field, &mut operands);
        self.b.check_conforming(mask.span, [mask, field], &operands);
        let extents = operands.extents(mask)?;
        let result = self.b.temporary_array(&e.ty, source.len, &extents);
        self.b.keep_lengths(&result, &source, &e.ty);
        let next = self.b.mutable(Ty::I64);
        self.b.set(next, Val::i64(0));
        let target = result.clone();
        self.for_each_element(operands, &extents, &[&result], &mut |this, index, linear| {
            let to = this.b.element_pos(&target, index, linear);
            let p = this.pred(mask);
            this.either(
                p,
                |this| {
                    this.b.check_vector(next.into(), source.dims[0].extent);
                    let from = this.b.element_by_position(&source, &[next.into()]);
                    this.b.copy_element(to, from, source.len, &e.ty);
                    let n = this.b.bin(BinOp::Add, Ty::I64, next, Val::i64(1));
                    this.b.set(next, n);
                },
                |this| {
                    let v = this.value(field);
                    this.b.store_value(element_lvalue(to, target.len), &e.ty, &v);
                },
            );
        });
        Some(result)
    }

    /// The bytes of TRANSFER's source, how many, and what their address is a multiple of.
    fn transfer_source(&mut self, source: &'p Expr) -> (MemRef, Val, u64) {
        if is_class(self.b.program(), source) && self.b.may_be_made(&source.ty) {
            let view = self.whole_class_view(source);
            let view = self.b.tagged(view, &source.ty);
            let element = self.b.flat_class_bytes(&view, &source.ty);
            let count = self.b.size(&view);
            let bytes = self.b.imul(count, element);
            let block = self.b.temporary(bytes, 8);
            self.b.copy_class_flat(block, element, &view, &source.ty);
            return (block, bytes, 1);
        }
        if is_made(self.b.program(), &source.ty) {
            let view = self.objects(source);
            let element = self.b.flat_bytes(&view, &source.ty);
            let count = self.b.size(&view);
            let bytes = self.b.imul(count, element);
            let block = self.b.temporary(bytes, 8);
            self.b.copy_flat(block, element, &view, &source.ty, FlatCopy::To);
            return (block, bytes, 1);
        }
        let unit = align(self.b.program(), &source.ty);
        if source.rank > 0 {
            let view = self.view(source);
            let view = self.b.local_view(view, &source.ty);
            let view = self.b.contiguous_view(view, &source.ty);
            let count = self.b.size(&view);
            return (view.mem, self.b.imul(count, view.element), unit);
        }
        if is_class(self.b.program(), source) {
            // As many bytes as the object has.
            let view = self.class_view(source);
            return (view.mem, view.element, 1);
        }
        if is_flat(self.b.program(), &source.ty) {
            return match self.flat_value(source, &source.ty) {
                Some((object, _)) => (object.mem, object.element, 1),
                None => (self.b.temporary(Val::i64(0), 8), Val::i64(0), 1),
            };
        }
        let value = self.value(source);
        match value {
            Value::Char(mem, len) => (mem, len, 1),
            other => (self.b.spill(&other, &source.ty), Val::i64(self.b.type_bytes(&source.ty)), unit),
        }
    }

    pub(super) fn transfer_scalar(&mut self, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        let source = arg(args, 0)?;
        if let (0, Type::Integer(_) | Type::Real(_), Type::Integer(_) | Type::Real(_)) =
            (source.rank, &source.ty, &e.ty)
            && ir_ty(&source.ty).bytes() == ir_ty(&e.ty).bytes()
        {
            // Numbers of one width need no memory.
            let v = self.scalar(source);
            return Some(Value::Scalar(self.b.same_bits(v, ir_ty(&source.ty), ir_ty(&e.ty))));
        }
        let (from, bytes, unit) = self.transfer_source(source);
        if is_made(self.b.program(), &e.ty) {
            let object = self.object_like(arg(args, 1)?);
            let room = self.b.flat_bytes(&object, &e.ty);
            let block = self.b.temporary(room, 8);
            transfer_bytes(&mut self.b, (block, room), (from, bytes), 1);
            self.b.copy_flat(block, room, &object, &e.ty, FlatCopy::From);
            return Some(Value::Object(object.mem));
        }
        let room = match self.length_of(e, None) {
            Some(len) => len,
            None if is_flat(self.b.program(), &e.ty) => self.bytes_of(arg(args, 1)?),
            None => Val::i64(const_bytes(self.b.program(), &e.ty)? as i64),
        };
        let to = self.b.temporary(room, 8);
        transfer_bytes(&mut self.b, (to, room), (from, bytes), unit);
        let len = matches!(e.ty, Type::Character(_)).then_some(room);
        Some(self.b.load_value(element_lvalue(to, len), &e.ty))
    }

    pub(super) fn transfer_array(&mut self, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let (from, bytes, unit) = self.transfer_source(arg(args, 0)?);
        let mold = arg(args, 1)?;
        let len = self.length_of(mold, None);
        let made = is_made(self.b.program(), &e.ty).then(|| self.object_like(mold));
        let element = match &made {
            Some(object) => self.b.flat_bytes(object, &e.ty),
            None => self.b.element_bytes(&e.ty, len),
        };
        let count = match arg(args, 2) {
            Some(size) => {
                let n = self.int64(size);
                self.b.at_least_zero(n)
            }
            None => {
                let up = self.b.iadd(bytes, element);
                let up = self.b.iadd(up, Val::i64(-1));
                self.b.bin(BinOp::Div, Ty::I64, up, element).into()
            }
        };
        let count = self.b.freeze(count);
        let view = self.b.temporary_array(&e.ty, len, &[count]);
        let room = self.b.imul(count, element);
        if let (Some(object), Type::Derived(id)) = (&made, &e.ty) {
            let lengths = self.b.held_lengths(object.mem, *id);
            self.b.make_view(&view, &e.ty, &lengths);
            let block = self.b.temporary(room, 8);
            transfer_bytes(&mut self.b, (block, room), (from, bytes), 1);
            self.b.copy_flat(block, element, &view, &e.ty, FlatCopy::From);
            return Some(view);
        }
        let unit = unit.min(align(self.b.program(), &e.ty));
        transfer_bytes(&mut self.b, (view.mem, room), (from, bytes), unit);
        Some(view)
    }
}

/// The value of a list whose one-based number is known at run time only.
fn pick(b: &mut Builder<'_, '_>, values: &[Val], number: Val) -> Val {
    if let Some(n) = crate::builder::arith::constant(number) {
        return usize::try_from(n - 1).ok().and_then(|i| values.get(i).copied()).unwrap_or(Val::i64(0));
    }
    let mut result = Val::i64(0);
    for (i, &v) in values.iter().enumerate() {
        let here = b.icmp(CmpOp::Eq, number, Val::i64(i as i64 + 1));
        result = b.select(Ty::I64, here, v, result).into();
    }
    result
}

/// Copies the lesser of two numbers of bytes, in words as wide as `unit` if that is a constant.
fn transfer_bytes(b: &mut Builder<'_, '_>, (to, room): (MemRef, Val), (from, bytes): (MemRef, Val), unit: u64) {
    let n = match (crate::builder::arith::constant(room), crate::builder::arith::constant(bytes)) {
        (Some(a), Some(b)) => Val::i64(a.min(b)),
        _ => b.bin(BinOp::Min, Ty::I64, room, bytes).into(),
    };
    if let Some(n) = crate::builder::arith::constant(n) {
        return b.copy_words(to, from, n.max(0) as u64, unit);
    }
    b.repeat(n, &mut |b, i| {
        let (source, target) = (b.advance(from, i), b.advance(to, i));
        let byte = b.load_scalar(source, Ty::I8);
        b.store_scalar(target, Ty::I8, byte.into());
    });
}

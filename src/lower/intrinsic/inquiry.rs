//! Inquiries about arrays, pointers, arguments and addresses.
//!
//! They read only bounds and descriptors, so host code may apply them to device data.

use super::{Args, arg};
use crate::analysis::designators::is_class;
use crate::analysis::expressions::constant_int;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::Operand;
use crate::function::FunctionLowering;
use crate::storage::VarStorage;
use crate::types::{Side, const_bytes, imm, ir_ty, is_made};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, MemRef, element_lvalue};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Expr, ExprKind, Intrinsic, Type};

/// LBOUND of a dimension: 1 if it is empty.
fn lower_bound(b: &mut Builder<'_, '_>, d: (Val, Val)) -> Val {
    if crate::builder::arith::is(d.0, 1) {
        return d.0;
    }
    match b.icmp(CmpOp::Eq, d.1, Val::i64(0)) {
        Val::Imm(bits) if bits & 1 == 1 => Val::i64(1),
        Val::Imm(_) => d.0,
        empty @ Val::Reg(_) => b.select(Ty::I64, empty, Val::i64(1), d.0).into(),
    }
}

/// UBOUND of a dimension: 0 if it is empty.
fn upper_bound(b: &mut Builder<'_, '_>, d: (Val, Val)) -> Val {
    let lower = lower_bound(b, d);
    let past = b.iadd(lower, d.1);
    b.iadd(past, Val::i64(-1))
}

impl<'p> FunctionLowering<'_, 'p> {
    /// The address that a kernel loop got of an allocatable or a pointer of the host's code: 0 for nothing.
    pub(crate) fn captured_address(&mut self, e: &Expr) -> Option<Val> {
        let ExprKind::Var(v) = e.kind else { return None };
        match self.storage_of(v)? {
            VarStorage::Array(view) => Some(self.b.address(view.mem)),
            VarStorage::Scalar(mem, _) => Some(self.b.address(mem)),
            _ => None,
        }
    }

    pub(super) fn inquiry(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        use Intrinsic as I;
        if id == I::OnDevice {
            return Some(Value::Pred(Val::pred(self.b.side() == Side::Device)));
        }
        if id == I::CommandArgumentCount {
            let n = self.b.rt(Rt::ArgCount, Vec::new()).first().map_or(Val::i32(0), |&r| r.into());
            return Some(Value::Scalar(self.b.cast(n, Ty::I32, ir_ty(&e.ty))));
        }
        let ty = ir_ty(&e.ty);
        if id == I::IntPtrKind {
            return Some(Value::Scalar(imm(ty, 8)));
        }
        let first = arg(args, 0)?;
        Some(match id {
            I::Allocated => {
                let is_set = match self.descriptor(first) {
                    Some(d) => self.b.desc_is_set(&d),
                    None => {
                        let address = self.captured_address(first)?;
                        self.b.icmp(CmpOp::Ne, address, Val::i64(0))
                    }
                };
                Value::Pred(is_set)
            }
            I::Associated => Value::Pred(self.associated(first, arg(args, 1))),
            I::Present => Value::Pred(self.is_present(first)),
            I::BitSize => Value::Scalar(imm(ty, 8 * i64::from(ir_ty(&first.ty).bytes()))),
            I::Kind => Value::Scalar(imm(ty, i64::from(ir_ty(&first.ty).bytes()))),
            I::IsContiguous if self.is_scattered(first) => {
                let extents: Vec<Val> = self.shape_of(first).into_iter().map(|d| d.1).collect();
                let count = self.b.product(&extents);
                Value::Pred(self.b.icmp(CmpOp::Le, count, Val::i64(1)))
            }
            I::IsContiguous => match self.designator_view(first) {
                Some(view) => Value::Pred(self.b.contiguity_test(&view)),
                None => Value::Pred(Val::pred(true)),
            },
            I::SameTypeAs | I::ExtendsTypeOf => {
                Value::Pred(self.compare_types(first, arg(args, 1)?, id == I::ExtendsTypeOf))
            }
            I::Rank => Value::Scalar(imm(ty, i64::from(self.rank_of(first)))),
            I::Len => {
                let n = self.length_of(first, None)?;
                Value::Scalar(self.b.narrow(n, ty))
            }
            I::Size => {
                let n = match arg(args, 1) {
                    Some(dim) => self.bound_of(first, dim, |_, d| d.1)?,
                    None => {
                        let extents: Vec<Val> = self.shape_of(first).into_iter().map(|d| d.1).collect();
                        self.b.product(&extents)
                    }
                };
                Value::Scalar(self.b.narrow(n, ty))
            }
            I::Lbound => {
                let n = self.bound_of(first, arg(args, 1)?, lower_bound)?;
                Value::Scalar(self.b.narrow(n, ty))
            }
            I::Ubound => {
                let n = self.bound_of(first, arg(args, 1)?, upper_bound)?;
                Value::Scalar(self.b.narrow(n, ty))
            }
            I::StorageSize | I::Sizeof | I::CSizeof => {
                let element = match self.length_of(first, None) {
                    Some(len) => len,
                    None if is_class(self.b.program(), first) => {
                        let view = self.class_view(first);
                        if self.b.may_be_made(&first.ty) {
                            let view = self.b.tagged(view, &first.ty);
                            self.b.flat_class_bytes(&view, &first.ty)
                        } else {
                            view.element
                        }
                    }
                    None if matches!(first.ty, Type::Any) => self.designator_view(first)?.element,
                    None if is_made(self.b.program(), &first.ty) => {
                        let object = self.object_like(first);
                        self.b.flat_bytes(&object, &first.ty)
                    }
                    None => self.bytes_of(first),
                };
                let n = if id == I::StorageSize {
                    self.b.imul(element, Val::i64(8))
                } else {
                    let extents: Vec<Val> = self.shape_of(first).into_iter().map(|d| d.1).collect();
                    let count = self.b.product(&extents);
                    self.b.imul(count, element)
                };
                Value::Scalar(self.b.narrow(n, ty))
            }
            I::Loc | I::CLoc | I::CDevloc => {
                let is_part = self.is_scattered(first);
                let addr = match if is_part { None } else { self.designator_view(first) } {
                    Some(view) => self.b.address(view.mem),
                    None if is_part => self.address_of_parts(first),
                    None => {
                        let mem = self.memory_of(first);
                        self.b.address(mem)
                    }
                };
                address_value(&mut self.b, addr, &e.ty)
            }
            I::CAssociated => {
                let a = self.pointer_word(first);
                let set = self.b.icmp(CmpOp::Ne, a, Val::i64(0));
                match arg(args, 1) {
                    None => Value::Pred(set),
                    Some(other) => {
                        let b = self.pointer_word(other);
                        let same = self.b.icmp(CmpOp::Eq, a, b);
                        Value::Pred(self.b.combine(ir::op::BinOp::And, set, same))
                    }
                }
            }
            _ => return None,
        })
    }

    /// The address in a `type(c_ptr)` or integer.
    pub(crate) fn pointer_word(&mut self, e: &'p Expr) -> Val {
        let value = self.value(e);
        match value {
            Value::Object(mem) => self.b.load_word(mem),
            other => {
                let v = self.b.as_scalar(&other, &e.ty);
                self.b.widen(v, ir_ty(&e.ty))
            }
        }
    }

    /// Whether an argument is there; only a dummy may not be.
    pub(crate) fn is_present(&mut self, e: &'p Expr) -> Val {
        let ExprKind::Var(v) = &e.kind else { return Val::pred(true) };
        self.presence(*v)
    }

    /// Whether a dummy is present, a predicate.
    pub(crate) fn presence(&mut self, v: sema::checked::VarId) -> Val {
        let var = self.b.program().var(v);
        if matches!(var.storage, sema::checked::Storage::Procedure) {
            return match self.storage.get(v) {
                Some(VarStorage::Value(Value::Scalar(word))) => {
                    let word = *word;
                    self.b.icmp(CmpOp::Ne, word, Val::i64(0))
                }
                other => Val::pred(other.is_some()),
            };
        }
        if !var.attrs.optional {
            return Val::pred(true);
        }
        if let Some(present) = self.storage.presence(v) {
            return present;
        }
        let addr = match self.storage_of(v) {
            Some(VarStorage::Scalar(mem, _)) => mem.addr,
            Some(VarStorage::Array(view)) => view.mem.addr,
            Some(VarStorage::Described(d)) => match d.at {
                crate::value::descriptor::DescriptorAt::Mem(mem) => mem.addr,
                crate::value::descriptor::DescriptorAt::Regs(_) => return Val::pred(true),
            },
            _ => return Val::pred(true),
        };
        self.b.icmp(CmpOp::Ne, addr, Val::i64(0))
    }

    /// Whether an optional dummy gives an intrinsic or a dummy without ALLOCATABLE and POINTER something: one that is not
    /// allocated or not associated is absent (Fortran 2018, 15.5.2.12).
    pub(crate) fn presence_of_data(&mut self, v: sema::checked::VarId) -> Val {
        let present = self.presence(v);
        match self.storage_of(v) {
            Some(VarStorage::Described(d)) => {
                let base = self.b.mutable(Ty::I64);
                self.b.set(base, Val::i64(0));
                self.when(present, |this| {
                    let data = this.b.desc_base(&d);
                    this.b.set(base, data);
                });
                self.b.icmp(CmpOp::Ne, base.into(), Val::i64(0))
            }
            Some(VarStorage::Scalar(mem, _) | VarStorage::Array(ArrayView { mem, .. }))
                if self.storage.presence(v).is_some() =>
            {
                self.b.icmp(CmpOp::Ne, mem.addr, Val::i64(0))
            }
            _ => present,
        }
    }

    /// Lower bound and extent of each dimension; lower bounds are 1 but for whole arrays.
    pub(crate) fn shape_of(&mut self, e: &'p Expr) -> Vec<(Val, Val)> {
        if let Some(view) = self.assumed_rank_view(e) {
            let mut shape: Vec<(Val, Val)> = view.dims.iter().map(|d| (d.lower, d.extent)).collect();
            if let (true, Some(last)) = (view.assumed_size, shape.last_mut()) {
                // Fortran 2018, 16.9.179.
                last.1 = Val::i64(-1);
            }
            return shape;
        }
        if e.rank == 0 {
            return Vec::new();
        }
        let whole = crate::analysis::expressions::is_whole(e);
        let view = match self.lookup(e) {
            Some((Operand::View(view), ..)) => Some(view),
            _ => self.readable_view(e),
        };
        if let Some(view) = view {
            let mut shape: Vec<(Val, Val)> =
                view.dims.iter().map(|d| (if whole { d.lower } else { Val::i64(1) }, d.extent)).collect();
            if let (true, Some(last)) = (view.assumed_size, shape.last_mut()) {
                // Its extent is not known, and is not taken for that of an empty dimension.
                last.1 = Val::i64(1);
            }
            return shape;
        }
        let (_, extents) = self.prepared(e);
        extents.into_iter().map(|n| (Val::i64(1), n)).collect()
    }

    /// A number about the dimension that an expression chooses.
    fn bound_of(
        &mut self,
        e: &'p Expr,
        dim: &'p Expr,
        what: impl Fn(&mut Builder<'_, 'p>, (Val, Val)) -> Val,
    ) -> Option<Val> {
        let shape = self.shape_of(e);
        if let Some(n) = constant_int(dim) {
            let d = *shape.get(usize::try_from(n.checked_sub(1)?).ok()?)?;
            return Some(what(&mut self.b, d));
        }
        let wanted = self.int64(dim);
        let mut result = Val::i64(0);
        for (i, &d) in shape.iter().enumerate() {
            let n = what(&mut self.b, d);
            let here = self.b.icmp(CmpOp::Eq, wanted, Val::i64(i as i64 + 1));
            result = self.b.select(Ty::I64, here, n, result).into();
        }
        Some(result)
    }

    /// SHAPE, and LBOUND and UBOUND without DIM.
    pub(super) fn bounds_array(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let shape = self.shape_of(arg(args, 0)?);
        let view = self.b.temporary_array(&e.ty, None, &[Val::i64(shape.len() as i64)]);
        for (i, d) in shape.into_iter().enumerate() {
            let n = match id {
                Intrinsic::Shape => d.1,
                Intrinsic::Lbound => lower_bound(&mut self.b, d),
                _ => upper_bound(&mut self.b, d),
            };
            let v = self.b.narrow(n, ir_ty(&e.ty));
            let mem: MemRef = self.b.element_linear(&view, Val::i64(i as i64));
            let place: Lvalue = element_lvalue(mem, None);
            self.b.store_value(place, &e.ty, &Value::Scalar(v));
        }
        Some(view)
    }
}

/// An address as an integer or as an object like `type(c_ptr)`.
fn address_value(b: &mut Builder<'_, '_>, addr: Val, ty: &Type) -> Value {
    match ty {
        Type::Derived(_) => {
            let bytes = const_bytes(b.program(), ty).unwrap_or(8).max(8);
            let (_, mem) = b.slot(bytes, 8, "temporary", source::Span::NONE);
            b.store_scalar(mem, Ty::I64, addr);
            Value::Object(mem)
        }
        _ => Value::Scalar(b.narrow(addr, ir_ty(ty))),
    }
}

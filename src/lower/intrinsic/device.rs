//! Procedures of device code: barriers, votes, shuffles, atomics, fences, clocks (CUDA Fortran guide, 3.6).
//!
//! SRCLANE of `__shfl` counts from 1, the IR from 0. An atomic on a variable in the thread's local memory is plain
//! arithmetic, because no other thread can see it.

use super::{Args, arg};
use crate::builder::Builder;
use crate::builder::fast::Fast;
use crate::function::FunctionLowering;
use crate::types::{imm, ir_ty};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, MemRef};
use ir::op::{AtomOp, BarOp, BinOp, CmpOp, CvtOp, ShflOp, Special, VoteOp};
use ir::rt::Rt;
use ir::{InstKind, Scope, Space, Ty, Val};
use sema::checked::{Const, Expr, ExprKind, Intrinsic, Type};

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn device_function(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        use Intrinsic as I;
        if self.b.is_host() {
            return None;
        }
        let ty = ir_ty(&e.ty);
        Some(match id {
            I::SyncthreadsAnd | I::SyncthreadsOr => {
                let p = self.truth(arg(args, 0)?);
                let op = if id == I::SyncthreadsAnd { BarOp::And } else { BarOp::Or };
                let all = self.b.barrier(op, p);
                truth_value(&mut self.b, all.into(), &e.ty)
            }
            I::SyncthreadsCount => {
                let p = self.truth(arg(args, 0)?);
                let n = self.b.barrier(BarOp::Count, p);
                Value::Scalar(self.b.cast(n.into(), Ty::I32, ty))
            }
            I::Allthreads | I::Anythread => {
                let p = self.truth(arg(args, 0)?);
                let op = if id == I::Allthreads { VoteOp::All } else { VoteOp::Any };
                let v = self.b.vote(op, Ty::Pred, None, p);
                truth_value(&mut self.b, v.into(), &e.ty)
            }
            I::Ballot => {
                let p = self.truth(arg(args, 0)?);
                let v = self.b.vote(VoteOp::Ballot, Ty::Pred, None, p);
                Value::Scalar(self.b.cast(v.into(), Ty::I32, ty))
            }
            I::ClusterExtent => {
                let reg = match arg(args, 0)?.kind {
                    ExprKind::Const(Const::Int(2)) => Special::ClusterNctaidY,
                    ExprKind::Const(Const::Int(3)) => Special::ClusterNctaidZ,
                    _ => Special::ClusterNctaidX,
                };
                Value::Scalar(self.b.special(reg).into())
            }
            I::ClusterMapSharedRank => {
                let array = arg(args, 0)?;
                let mem = match self.designator_view(array) {
                    Some(view) => view.mem,
                    None => self.memory_of(array),
                };
                let address = self.b.address(mem);
                let rank = self.int32(arg(args, 1)?);
                let rank = self.b.bin(BinOp::Sub, Ty::I32, rank, Val::i32(1));
                let mapped = self.b.rt(Rt::ClusterMap, vec![address, rank.into()]);
                Value::Scalar(mapped.first().map_or(Val::i64(0), |&reg| reg.into()))
            }
            I::Activemask => {
                let v = self.b.special(Special::ActiveMask);
                Value::Scalar(self.b.cast(v.into(), Ty::I32, ty))
            }
            I::AllSync | I::AnySync | I::BallotSync => {
                let mask = self.int32(arg(args, 0)?);
                let p = self.truth(arg(args, 1)?);
                let op = match id {
                    I::AllSync => VoteOp::All,
                    I::AnySync => VoteOp::Any,
                    _ => VoteOp::Ballot,
                };
                let v = self.b.vote(op, Ty::Pred, Some(mask), p);
                if id == I::BallotSync {
                    Value::Scalar(self.b.cast(v.into(), Ty::I32, ty))
                } else {
                    truth_value(&mut self.b, v.into(), &e.ty)
                }
            }
            I::MatchAnySync | I::MatchAllSync => {
                let mask = self.int32(arg(args, 0)?);
                let value = arg(args, 1)?;
                let v = self.scalar(value);
                let op = if id == I::MatchAnySync { VoteOp::MatchAny } else { VoteOp::MatchAll };
                let found = self.b.vote(op, ir_ty(&value.ty), Some(mask), v);
                if let Some(pred) = arg(args, 2) {
                    let all = self.b.cmp(CmpOp::Ne, Ty::I32, found, Val::i32(0));
                    let value = truth_value(&mut self.b, all.into(), &pred.ty);
                    let place = self.lvalue(pred);
                    self.b.store_value(place, &pred.ty, &value);
                }
                Value::Scalar(self.b.cast(found.into(), Ty::I32, ty))
            }
            I::Clock | I::Clock64 | I::Globaltimer => {
                let reg = if id == I::Globaltimer { Special::GlobalTimer } else { Special::Clock64 };
                let v = self.b.special(reg);
                Value::Scalar(self.b.cast(v.into(), Ty::I64, ty))
            }
            I::Shfl | I::ShflUp | I::ShflDown | I::ShflXor => return self.shuffle(id, args, e),
            _ if let Some(fast) = Fast::of_device(id) => {
                let a = self.scalar(arg(args, 0)?);
                let b = arg(args, 1).map_or(a, |b| self.scalar(b));
                Value::Scalar(self.b.fast(fast, a, b))
            }
            I::Atomicadd if arg(args, 0).is_some_and(|e| matches!(e.ty, Type::Real(2))) => {
                return self.half_atomic(arg(args, 0)?, arg(args, 1)?);
            }
            _ => {
                let old = self.atomic(id, args)?;
                self.b.convert(&old, &arg(args, 0)?.ty, &e.ty)
            }
        })
    }

    /// An integer or logical as a predicate: true if it is not zero.
    fn truth(&mut self, e: &'p Expr) -> Val {
        if matches!(e.ty, Type::Logical(_)) {
            return self.pred(e);
        }
        let v = self.scalar(e);
        self.b.cmp(CmpOp::Ne, ir_ty(&e.ty), v, Val::Imm(0)).into()
    }

    fn shuffle(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        let var = arg(args, 0)?;
        let value = self.value(var);
        let mut lane = self.int32(arg(args, 1)?);
        let op = match id {
            Intrinsic::Shfl => ShflOp::Idx,
            Intrinsic::ShflUp => ShflOp::Up,
            Intrinsic::ShflDown => ShflOp::Down,
            _ => ShflOp::Xor,
        };
        if op == ShflOp::Idx {
            lane = match lane {
                Val::Imm(bits) => Val::i32((bits as i32).wrapping_sub(1)),
                Val::Reg(_) => self.b.bin(BinOp::Sub, Ty::I32, lane, Val::i32(1)).into(),
            };
        }
        let width = match arg(args, 2) {
            Some(w) => self.int32(w),
            None => Val::i32(32),
        };
        let ty = ir_ty(&e.ty);
        Some(match value {
            Value::Complex(re, im) => {
                let re = self.b.shuffle(op, ty, re, lane, width);
                Value::Complex(re.into(), self.b.shuffle(op, ty, im, lane, width).into())
            }
            other => {
                let v = self.b.as_scalar(&other, &var.ty);
                // Registers of 4 bytes are the least that a warp exchanges.
                let wide = if ty == Ty::I16 { Ty::I32 } else { ty };
                let v = self.b.cast(v, ty, wide);
                let v = self.b.shuffle(op, wide, v, lane, width);
                Value::Scalar(self.b.cast(v.into(), wide, ty))
            }
        })
    }

    /// `atomicadd` to a number of real(2), or to two that lie side by side; gives the old bits.
    fn half_atomic(&mut self, target: &'p Expr, val: &'p Expr) -> Option<Value> {
        let (ty, a) = if val.rank == 0 {
            (Ty::I16, self.scalar(val))
        } else {
            let view = self.view(val);
            self.b.check_shape(&view, &[Val::i64(2)]);
            let [low, high] = [0, 1].map(|at| {
                let mem = self.b.element_linear(&view, Val::i64(at));
                let bits = self.b.load_scalar(mem, Ty::I16);
                Val::from(self.b.cvt(CvtOp::CastU, Ty::I16, Ty::I32, bits))
            });
            let high = self.b.bin(BinOp::Shl, Ty::I32, high, Val::i32(16));
            (Ty::I32, self.b.bin(BinOp::Or, Ty::I32, low, high).into())
        };
        let mem = if target.rank == 0 {
            let Lvalue::Mem(mem) = self.lvalue(target) else { return None };
            mem
        } else {
            let view = self.designator_view(target)?;
            self.b.check_shape(&view, &[Val::i64(2)]);
            if !view.is_contiguous() || view.gathers() {
                return self.atomic_of_apart(&view, a);
            }
            self.b.element_linear(&view, Val::i64(0))
        };
        self.add_halves(mem, ty, a)
    }

    /// Adds one number of real(2), or two side by side, to those at a place; gives the old bits.
    fn add_halves(&mut self, mem: MemRef, ty: Ty, a: Val) -> Option<Value> {
        if mem.space == Space::Local {
            let old = Val::from(self.b.load_scalar(mem, ty));
            let new = sum_of_halves(&mut self.b, ty, old, a);
            self.b.store_scalar(mem, ty, new);
            return Some(Value::Scalar(old));
        }
        self.push_atomic(AtomOp::AddHalf, ty, mem, a, None)
    }

    /// Adds two numbers of real(2) to two that may lie apart, one after the other; gives the old bits.
    fn atomic_of_apart(&mut self, view: &ArrayView, pair: Val) -> Option<Value> {
        let mut old = Val::i32(0);
        for (at, shift) in [(0, 0), (1, 16)] {
            let part = Val::from(self.b.bin(BinOp::ShrU, Ty::I32, pair, Val::i32(shift)));
            let part = Val::from(self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I16, part));
            let place = self.b.element_by_position(view, &[Val::i64(at)]);
            let Value::Scalar(was) = self.add_halves(place, Ty::I16, part)? else { return None };
            let was = Val::from(self.b.cvt(CvtOp::CastU, Ty::I16, Ty::I32, was));
            let was = self.b.bin(BinOp::Shl, Ty::I32, was, Val::i32(shift));
            old = self.b.bin(BinOp::Or, Ty::I32, old, was).into();
        }
        Some(Value::Scalar(old))
    }

    /// A scalar variable, or the first element of an array.
    fn first_element(&mut self, target: &'p Expr) -> Option<Lvalue> {
        if target.rank == 0 {
            return Some(self.lvalue(target));
        }
        let view = self.designator_view(target)?;
        Some(Lvalue::Mem(self.b.element_linear(&view, Val::i64(0))))
    }

    /// An atomic operation on memory of the device.
    fn push_atomic(&mut self, op: AtomOp, ty: Ty, mem: MemRef, a: Val, b: Option<Val>) -> Option<Value> {
        if !matches!(mem.space, Space::Global | Space::Shared | Space::Generic) {
            return None;
        }
        let dst = self.b.temp(ty);
        let (space, addr, offset) = (mem.space, mem.addr, mem.offset);
        let (dst_of, scope) = (Some(dst), Scope::Device);
        self.b.push(InstKind::Atomic { op, ty, space, scope, dst: dst_of, used: true, addr, offset, a, b });
        Some(Value::Scalar(dst.into()))
    }

    /// An atomic operation; gives the old value.
    fn atomic(&mut self, id: Intrinsic, args: Args<'p>) -> Option<Value> {
        use Intrinsic as I;
        let target = arg(args, 0)?;
        let op = match id {
            I::Atomicadd => AtomOp::Add,
            I::Atomicsub => AtomOp::Sub,
            I::Atomicmax => AtomOp::Max,
            I::Atomicmin => AtomOp::Min,
            I::Atomicand => AtomOp::And,
            I::Atomicor => AtomOp::Or,
            I::Atomicxor => AtomOp::Xor,
            I::Atomicexch => AtomOp::Exch,
            I::Atomicinc => AtomOp::Inc,
            I::Atomicdec => AtomOp::Dec,
            I::Atomiccas => AtomOp::Cas,
            _ => return None,
        };
        let ty = ir_ty(&target.ty);
        if !op.class().has(ty) || ty.bytes() < 4 || !matches!(target.ty, Type::Integer(_) | Type::Real(_)) {
            return None;
        }
        let operand = |this: &mut Self, i: usize| -> Option<Val> {
            let e = arg(args, i)?;
            let v = this.scalar(e);
            Some(this.b.cast(v, ir_ty(&e.ty), ty))
        };
        let a = operand(self, 1)?;
        let b = if op == AtomOp::Cas { Some(operand(self, 2)?) } else { None };
        match self.first_element(target)? {
            place @ Lvalue::Mem(MemRef { space: Space::Local, .. }) => {
                private_atomic(&mut self.b, op, place, target, a, b)
            }
            Lvalue::Mem(mem) => self.push_atomic(op, ty, mem, a, b),
            _ => None,
        }
    }

    /// A call of a device procedure that is a subroutine, or a function whose result is dropped; whether it was one.
    pub(super) fn device_subroutine(&mut self, id: Intrinsic, args: Args<'p>) -> bool {
        use Intrinsic as I;
        if self.b.is_host() {
            return false;
        }
        match id {
            I::Syncthreads => match arg(args, 0).map(|group| type_name(&self.b, &group.ty)) {
                Some("grid_group") => self.b.sync_grid(),
                Some("cluster_group") => self.b.sync_cluster(),
                Some("coalesced_group") => self.b.sync_warp(Val::i32(-1)),
                _ => self.b.sync_threads(),
            },
            I::Syncwarp => {
                let mask = match arg(args, 0) {
                    Some(e) => self.int32(e),
                    None => Val::i32(-1),
                };
                self.b.sync_warp(mask);
            }
            I::PipelineMemcpyAsync => {
                let (Some(to), Some(from)) = (arg(args, 0), arg(args, 1)) else { return false };
                let bytes = self.bytes_of(to);
                let bytes = self.b.cast(bytes, Ty::I64, Ty::I32);
                let [to, from] = [to, from].map(|e| match self.lvalue(e) {
                    Lvalue::Mem(mem) => self.b.address(mem),
                    _ => Val::i64(0),
                });
                self.b.rt(Rt::PipelineCopy, vec![to, from, bytes]);
            }
            I::PipelineCommit => {
                self.b.rt(Rt::PipelineCommit, Vec::new());
            }
            I::PipelineWaitPrior => {
                let Some(n) = arg(args, 0) else { return false };
                let n = self.int32(n);
                self.b.rt(Rt::PipelineWait, vec![n]);
            }
            I::Threadfence => self.b.fence(Scope::Device),
            I::ThreadfenceBlock => self.b.fence(Scope::Block),
            I::ThreadfenceSystem => self.b.fence(Scope::System),
            I::GpuTime => {
                let Some(e) = arg(args, 0) else { return false };
                let v = self.b.special(Special::Clock64);
                let v = self.b.cast(v.into(), Ty::I64, ir_ty(&e.ty));
                let place = self.lvalue(e);
                self.b.store_value(place, &e.ty, &Value::Scalar(v));
            }
            _ => return self.atomic(id, args).is_some(),
        }
        true
    }
}

/// A predicate as a logical, or as 1 or 0.
fn truth_value(b: &mut Builder<'_, '_>, p: Val, ty: &Type) -> Value {
    if matches!(ty, Type::Logical(_)) {
        return Value::Pred(p);
    }
    let part = ir_ty(ty);
    Value::Scalar(b.select(part, p, imm(part, 1), imm(part, 0)).into())
}

/// The sum of two real(2), or of two pairs of them, by their bits.
fn sum_of_halves(b: &mut Builder<'_, '_>, ty: Ty, x: Val, y: Val) -> Val {
    let sum = |b: &mut Builder<'_, '_>, x: Val, y: Val| -> Val {
        let [x, y] = [x, y].map(|bits| Val::from(b.cvt(CvtOp::FromHalf, Ty::I16, Ty::F32, bits)));
        let wide = b.bin(BinOp::Add, Ty::F32, x, y);
        b.cvt(CvtOp::ToHalf, Ty::F32, Ty::I16, wide).into()
    };
    if ty == Ty::I16 {
        return sum(b, x, y);
    }
    let mut part = |at: i32| -> Val {
        let [x, y] = [x, y].map(|word| {
            let bits = b.bin(BinOp::ShrU, Ty::I32, word, Val::i32(at));
            Val::from(b.cvt(CvtOp::Cast, Ty::I32, Ty::I16, bits))
        });
        let bits = sum(b, x, y);
        let bits = b.cvt(CvtOp::CastU, Ty::I16, Ty::I32, bits);
        b.bin(BinOp::Shl, Ty::I32, bits, Val::i32(at)).into()
    };
    let (low, high) = (part(0), part(16));
    b.bin(BinOp::Or, Ty::I32, low, high).into()
}

/// An atomic operation on memory that no other thread can reach.
fn private_atomic(
    builder: &mut Builder<'_, '_>,
    op: AtomOp,
    place: Lvalue,
    target: &Expr,
    a: Val,
    b: Option<Val>,
) -> Option<Value> {
    let ty = ir_ty(&target.ty);
    let old = builder.load_value(place, &target.ty);
    let x = builder.as_scalar(&old, &target.ty);
    let plain = match op {
        AtomOp::Add => Some(BinOp::Add),
        AtomOp::Sub => Some(BinOp::Sub),
        AtomOp::Min => Some(BinOp::Min),
        AtomOp::Max => Some(BinOp::Max),
        AtomOp::And => Some(BinOp::And),
        AtomOp::Or => Some(BinOp::Or),
        AtomOp::Xor => Some(BinOp::Xor),
        AtomOp::AddHalf | AtomOp::Exch | AtomOp::Cas | AtomOp::Inc | AtomOp::Dec => None,
    };
    let new: Val = match (op, plain) {
        (_, Some(plain)) => builder.bin(plain, ty, x, a).into(),
        (AtomOp::Exch, _) => a,
        (AtomOp::Cas, _) => {
            let equal = builder.cmp(CmpOp::Eq, ty, x, a);
            builder.select(ty, equal, b?, x).into()
        }
        (AtomOp::Inc, _) => {
            let below = builder.cmp(CmpOp::LtU, ty, x, a);
            let more = builder.bin(BinOp::Add, ty, x, imm(ty, 1));
            builder.select(ty, below, more, Val::Imm(0)).into()
        }
        _ => {
            // Less than 0 wraps to the greatest number.
            let less = builder.bin(BinOp::Sub, ty, x, imm(ty, 1));
            let below = builder.cmp(CmpOp::LtU, ty, less, a);
            builder.select(ty, below, less, a).into()
        }
    };
    builder.store_value(place, &target.ty, &Value::Scalar(new));
    Some(old)
}

/// The name of a derived type.
fn type_name<'p>(b: &Builder<'_, 'p>, ty: &Type) -> &'p str {
    match ty {
        Type::Derived(id) => &b.program().types[id.0 as usize].name,
        _ => "",
    }
}

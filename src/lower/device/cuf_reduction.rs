//! Reductions of CUF kernels: the fixed tree that the head of `cuf_kernel` describes.

use crate::builder::flow::Flow;
use crate::builder::{Builder, arith};
use crate::device::cuf_kernel::axis_registers;
use crate::function::FunctionLowering;
use crate::types::{align, const_bytes, ir_ty};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, MemRef, element_lvalue};
use ir::op::{BinOp, CmpOp, TriOp};
use ir::{AddrBase, SharedSize, SharedVar, Space, Ty, Val};
use sema::checked::{BinaryOp, CufKernel, ReduceOp, Type, VarId};

/// Most threads of a block, for whom the tree has room.
const MOST_THREADS: i64 = 1024;

impl Builder<'_, '_> {
    /// The value that a reduction begins with.
    pub(crate) fn identity(&mut self, op: ReduceOp, ty: &Type) -> Value {
        use crate::types::{imm, real_imm};
        let part = ir_ty(ty);
        if matches!(ty, Type::Real(2)) {
            let wide = self.identity(op, &Type::Real(4));
            return self.convert(&wide, &Type::Real(4), ty);
        }
        match op {
            ReduceOp::Add | ReduceOp::Ior | ReduceOp::Ieor => self.zero(ty),
            ReduceOp::Mul => self.one(ty),
            ReduceOp::Iand => Value::Scalar(imm(part, -1)),
            ReduceOp::And | ReduceOp::Eqv => Value::Pred(Val::pred(true)),
            ReduceOp::Or | ReduceOp::Neqv => Value::Pred(Val::pred(false)),
            ReduceOp::Max if part.is_real() => Value::Scalar(real_imm(part, f64::NEG_INFINITY)),
            ReduceOp::Min if part.is_real() => Value::Scalar(real_imm(part, f64::INFINITY)),
            ReduceOp::Max => Value::Scalar(imm(part, i64::MIN >> (64 - 8 * part.bytes()))),
            ReduceOp::Min => Value::Scalar(imm(part, i64::MAX >> (64 - 8 * part.bytes()))),
        }
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Combines the values of all threads of the block into one, which the first thread stores.
    pub(crate) fn reduce_block(&mut self, v: VarId, op: ReduceOp, results: &ArrayView, threads: Option<i64>) {
        let program = self.b.program();
        let var = program.var(v);
        let ty = &var.ty;
        let Some(place) = self.variable_lvalue(v) else { return self.b.unsupported("a reduction into this variable") };
        let bytes = const_bytes(program, ty).unwrap_or(8);
        let room = threads.unwrap_or(MOST_THREADS).clamp(1, MOST_THREADS);
        let shared = self.b.add_shared(SharedVar {
            name: format!("reduction.{}", var.name).into(),
            size: SharedSize::Static(bytes * room as u64),
            align: align(program, ty),
            element_bytes: bytes,
            bounds: vec![(0, room)],
            span: var.span,
        });
        let base = MemRef::at(self.b.addr_of(AddrBase::Shared(shared)), Space::Shared);
        let slots = self.b.dense(base, Val::i64(bytes as i64), None, &[Val::i64(room)]);
        let (me, count) = thread_in_block(&mut self.b);
        let (thread, total) = (self.b.widen(me, Ty::I32), self.b.widen(count, Ty::I32));
        let mine = self.b.element_linear(&slots, thread);
        let value = self.b.load_value(place, ty);
        self.b.store_value(Lvalue::Mem(mine), ty, &value);
        self.b.sync_threads();
        let mut distance = (room as u64).next_power_of_two() as i64 / 2;
        while distance > 0 {
            let near = self.b.icmp(CmpOp::Lt, thread, Val::i64(distance));
            let other = self.b.iadd(thread, Val::i64(distance));
            let there = self.b.icmp(CmpOp::Lt, other, total);
            let both = self.b.combine(BinOp::And, near, there);
            self.when(both, |this| {
                let theirs = this.b.element_linear(&slots, other);
                let (a, b) = (this.b.load_value(Lvalue::Mem(mine), ty), this.b.load_value(Lvalue::Mem(theirs), ty));
                let joined = reduce_two(&mut this.b, op, &a, &b, ty);
                this.b.store_value(Lvalue::Mem(mine), ty, &joined);
            });
            self.b.sync_threads();
            distance /= 2;
        }
        let first = self.b.icmp(CmpOp::Eq, thread, Val::i64(0));
        self.when(first, |this| {
            let block = block_in_grid(&mut this.b);
            let to = this.b.element_linear(results, block);
            let value = this.b.load_value(Lvalue::Mem(mine), ty);
            this.b.store_value(element_lvalue(to, None), ty, &value);
        });
    }

    /// After the launch: takes the blocks' results into the variables, in order.
    pub(crate) fn combine_blocks(&mut self, cuf: &'p CufKernel, partials: &[ArrayView]) {
        for ((v, op), view) in cuf.reductions.iter().zip(partials) {
            let is_there =
                if self.b.program().var(*v).attrs.optional { self.presence_of_data(*v) } else { Val::pred(true) };
            self.when(is_there, |this| this.combine_results(*v, *op, view));
        }
    }

    fn combine_results(&mut self, v: VarId, op: ReduceOp, view: &ArrayView) {
        let ty = &self.b.program().var(v).ty;
        let extents = view.extents();
        let local = self.b.temporary_array(ty, None, &extents);
        self.b.transfer(&local, view);
        let Some(place) = self.variable_lvalue(v) else {
            return self.b.unsupported("a reduction into this variable");
        };
        self.repeat(extents.first().copied().unwrap_or(Val::i64(0)), &mut |this, i| {
            let from = this.b.element_linear(&local, i);
            let b = this.b.load_value(Lvalue::Mem(from), ty);
            let a = this.b.load_value(place, ty);
            let joined = reduce_two(&mut this.b, op, &a, &b, ty);
            this.b.store_value(place, ty, &joined);
        });
    }
}

/// Device memory for one partial result a block, of each reduction; freed with the statement.
pub(super) fn partial_results<'p>(b: &mut Builder<'_, 'p>, cuf: &'p CufKernel, grid: &[Val; 3]) -> Vec<ArrayView> {
    if cuf.reductions.is_empty() {
        return Vec::new();
    }
    // A launch with fewer than none fails.
    let at_least_none = |b: &mut Builder<'_, 'p>, n: Val| match arith::constant(n) {
        Some(n) => Val::i64(n.max(0)),
        None => b.bin(BinOp::Max, Ty::I64, n, Val::i64(0)).into(),
    };
    let mut extents = Vec::new();
    for &n in grid {
        let n = b.widen(n, Ty::I32);
        extents.push(at_least_none(b, n));
    }
    let blocks = b.product(&extents);
    let mut views = Vec::new();
    for (v, _) in &cuf.reductions {
        let ty = &b.program().var(*v).ty;
        let element = b.element_bytes(ty, None);
        let bytes = b.imul(blocks, element);
        let mem = b.allocated_temporary(1, bytes);
        views.push(b.dense(mem, element, None, &[blocks]));
    }
    views
}

/// The thread's number in its block, and how many there are; `i32`.
fn thread_in_block(b: &mut Builder<'_, '_>) -> (Val, Val) {
    let [tx, nx, _, _] = axis_registers(0).map(|r| b.special(r));
    let [ty, ny, _, _] = axis_registers(1).map(|r| b.special(r));
    let [tz, nz, _, _] = axis_registers(2).map(|r| b.special(r));
    let row = b.tri(TriOp::Mad, Ty::I32, tz, ny, ty);
    let me = b.tri(TriOp::Mad, Ty::I32, row, nx, tx);
    let plane = b.bin(BinOp::Mul, Ty::I32, nx, ny);
    let count = b.bin(BinOp::Mul, Ty::I32, plane, nz);
    (me.into(), count.into())
}

/// The block's number in the grid, `i64`.
fn block_in_grid(b: &mut Builder<'_, '_>) -> Val {
    let [_, _, cx, gx] = axis_registers(0).map(|r| b.special(r));
    let [_, _, cy, gy] = axis_registers(1).map(|r| b.special(r));
    let [_, _, cz, _] = axis_registers(2).map(|r| b.special(r));
    let row = b.tri(TriOp::Mad, Ty::I32, cz, gy, cy);
    let block = b.tri(TriOp::Mad, Ty::I32, row, gx, cx);
    b.widen(block.into(), Ty::I32)
}

/// Two values combined.
fn reduce_two(builder: &mut Builder<'_, '_>, op: ReduceOp, a: &Value, b: &Value, ty: &Type) -> Value {
    if matches!(ty, Type::Real(2)) {
        let wide = Type::Real(4);
        let [a, b] = [a, b].map(|half| builder.convert(half, ty, &wide));
        let joined = reduce_two(builder, op, &a, &b, &wide);
        return builder.convert(&joined, &wide, ty);
    }
    let part = ir_ty(ty);
    let integer = match op {
        ReduceOp::Add => return builder.arithmetic(BinaryOp::Add, a, b, ty),
        ReduceOp::Mul => return builder.arithmetic(BinaryOp::Mul, a, b, ty),
        ReduceOp::Max => BinOp::Max,
        ReduceOp::Min => BinOp::Min,
        ReduceOp::Iand => BinOp::And,
        ReduceOp::Ior => BinOp::Or,
        ReduceOp::Ieor => BinOp::Xor,
        ReduceOp::And | ReduceOp::Or | ReduceOp::Eqv | ReduceOp::Neqv => {
            let (p, q) = (builder.as_pred(a, ty), builder.as_pred(b, ty));
            let joined: Val = match op {
                ReduceOp::And => builder.bin(BinOp::And, Ty::Pred, p, q).into(),
                ReduceOp::Or => builder.bin(BinOp::Or, Ty::Pred, p, q).into(),
                _ => builder.bin(BinOp::Xor, Ty::Pred, p, q).into(),
            };
            return Value::Pred(if op == ReduceOp::Eqv { builder.negate(joined) } else { joined });
        }
    };
    let (a, b) = (builder.as_scalar(a, ty), builder.as_scalar(b, ty));
    Value::Scalar(builder.bin(integer, part, a, b).into())
}

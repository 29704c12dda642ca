//! CUF kernels: `!$cuf kernel do` (CUDA Fortran guide, 2.11), outlined into a kernel and its launch.
//!
//! The innermost loop is distributed over x, the next over y, then z; further loops run within the thread. The default block
//! has 128 threads for one loop, 32 by 4 for more. A grid extent `*` covers the loop. Along x of a kernel without reductions
//! it covers it exactly, with one iteration for each thread; in all other cases a thread runs a grid-stride loop. Trip counts
//! are computed before the launch; if one is 0 nothing is launched.
//!
//! Host scalars that the body uses are passed by value. Arrays on the device are passed by address with their bounds;
//! constant bounds stay constants in the kernel.
//!
//! A reduction uses a fixed tree, so its result depends only on trip counts and configuration. Each thread accumulates its
//! iterations from the identity. A block combines its threads pairwise in shared memory, halving the distance each time. The
//! host combines the results of the blocks in order, starting with the value of the variable. The grid of a kernel with
//! reductions and `*` has at most 1024 blocks.

use super::cuf_object::{PassedObject, captured_object, is_described, is_text_of_any_length};
use super::cuf_reduction::partial_results;
use crate::analysis::designators::is_pointer_result;
use crate::analysis::expressions::has_vector;
use crate::analysis::overlap::storage_root;
use crate::analysis::variables::has_register;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::intrinsic::random::begin_state;
use crate::stmt::loops::CountedLoop;
use crate::storage::VarStorage;
use crate::types::{Side, const_bytes, ir_ty, is_flat, is_made};
use crate::value::Value;
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::{Lvalue, MemRef};
use ir::op::{BinOp, CmpOp, Special};
use ir::rt::Rt;
use ir::{FuncKind, FunctionBuilder, LaunchConfig, Space, Ty, Val};
use sema::checked::{CufDim, CufKernel, Expr, Program, Shape, Stmt, StmtKind, Storage, Type, VarId, Variable, visit};
use source::Span;
use std::collections::BTreeSet;

/// A scalar of the host that a kernel gets by value.
struct PassedValue {
    var: VarId,
    value: Value,
    /// For what may be absent, not allocated or not associated: 0 if it is.
    present: Option<Val>,
}

/// A loop of the kernel.
struct Axis {
    var: VarId,
    /// The type that the iteration number has.
    ty: Ty,
    first: Val,
    step: Val,
    /// Number of iterations, of type `ty`.
    count: Val,
    /// Whether each thread has at most one iteration.
    exact: bool,
    /// Whether the number of threads along it may be too large for 32 bits.
    wide: bool,
}

/// The kernel's parameters: each operand of the host that is no constant becomes one.
pub(super) struct Params {
    pub(super) args: Vec<Val>,
}

impl Params {
    /// The kernel's operand for a host operand of type `ty`.
    pub(super) fn pass(&mut self, b: &mut FunctionBuilder, v: Val, ty: Ty, name: &str) -> Val {
        match v {
            Val::Imm(_) => v,
            Val::Reg(_) => {
                self.args.push(v);
                b.param(ty, name).into()
            }
        }
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// A CUF kernel: the code before the launch, the launch, the kernel itself, what follows.
    pub(crate) fn cuf_kernel(&mut self, cuf: &'p CufKernel, span: Span) {
        if !self.b.is_host() || !is_rectangular(cuf) {
            return self.b.unsupported("a `!$cuf kernel do` whose loops depend on each other");
        }
        let Some((counts, mut axes)) = self.axes(cuf) else {
            return self.b.unsupported("a `!$cuf kernel do` over these loops");
        };
        let (grid, block) = self.configuration(cuf, &counts);
        for (i, axis) in axes.iter_mut().enumerate().take(3) {
            // Where the statement says how many blocks there are; else they are no more than the iterations need.
            if let Some(CufDim::Expr(_)) = cuf.grid.get(i) {
                let threads = crate::builder::arith::constant(grid[i]).zip(crate::builder::arith::constant(block[i]));
                axis.wide |= threads.is_none_or(|(g, b)| g.saturating_mul(b) > i64::from(i32::MAX));
            }
        }
        let stream = cuf.stream.as_ref().map_or(Val::i64(LaunchConfig::STREAM_OF_ARRAYS), |e| self.int64(e));
        let mut some = Val::pred(true);
        for &n in &counts {
            let more = self.b.icmp(CmpOp::Gt, n, Val::i64(0));
            some = self.b.combine(BinOp::And, some, more);
        }
        self.when(some, |this| {
            let partials = partial_results(&mut this.b, cuf, &grid);
            let (func, args) = this.outline(cuf, &axes, &block, &partials, span);
            let Some(func) = func else { return this.b.unsupported("a `!$cuf kernel do` over these loops") };
            let config = LaunchConfig { grid, block, bytes: Val::i64(0), stream };
            this.b.launch(func, config, args);
            if partials.is_empty() {
                return;
            }
            // A launch that has failed leaves no partial results.
            let error = this.b.rt(Rt::CudaLaunchError, Vec::new()).first().map_or(Val::i32(0), |&code| code.into());
            let has_begun = this.b.cmp(CmpOp::Eq, Ty::I32, error, Val::i32(0)).into();
            this.when(has_begun, |this| {
                // The copies of the partial results are in the default stream, which need not wait for that of the launch.
                match cuf.stream {
                    Some(_) => this.b.wait_for_stream(Some(stream)),
                    None if gives_arrays_streams(this.b.program()) => {
                        this.b.rt(Rt::CudaDeviceSynchronize, Vec::new());
                    }
                    None => {}
                }
                this.combine_blocks(cuf, &partials);
            });
        });
    }

    /// The loops, innermost first, with their trip counts.
    fn axes(&mut self, cuf: &'p CufKernel) -> Option<(Vec<Val>, Vec<Axis>)> {
        let (mut counts, mut axes) = (Vec::new(), Vec::new());
        for (i, l) in cuf.loops.iter().rev().enumerate() {
            let var_ty = ir_ty(&self.b.program().var(l.var).ty);
            if !var_ty.is_int() {
                return None;
            }
            let ty = if var_ty == Ty::I32 { Ty::I32 } else { Ty::I64 };
            let first = self.loop_value(&l.first, var_ty);
            let last = self.loop_value(&l.last, var_ty);
            let step = l.step.as_ref().map_or(crate::types::imm(var_ty, 1), |e| self.loop_value(e, var_ty));
            let (lo, hi, by) = (self.b.widen(first, var_ty), self.b.widen(last, var_ty), self.b.widen(step, var_ty));
            let zero = self.b.icmp(CmpOp::Eq, by, Val::i64(0));
            self.when(zero, |this| this.b.trap_here(ir::Trap::ZeroStep));
            let count = self.b.count(lo, hi, by);
            let small = matches!(crate::builder::arith::constant(count), Some(n) if n <= i64::from(i32::MAX))
                || crate::builder::arith::constant(lo)
                    .zip(crate::builder::arith::constant(by))
                    .is_some_and(|(lo, by)| lo > 0 && by > 0);
            if ty == Ty::I32 && !small {
                // From a negative number to a positive one there may be more iterations than the type can count.
                let many = self.b.icmp(CmpOp::Gt, count, Val::i64(i64::from(i32::MAX)));
                self.when(many, |this| {
                    this.b.unsupported("a `!$cuf kernel do` loop over `integer(4)` of more than 2147483647 iterations");
                });
            }
            let star = cuf.grid.len() <= 1 && !matches!(cuf.grid.first(), Some(CufDim::Expr(_)))
                || matches!(cuf.grid.get(i), Some(CufDim::Star));
            let axis = Axis {
                var: l.var,
                ty,
                first: self.b.cast(first, var_ty, ty),
                step: self.b.cast(step, var_ty, ty),
                count: self.b.narrow(count, ty),
                exact: i == 0 && star && cuf.reductions.is_empty(),
                wide: ty == Ty::I64,
            };
            counts.push(count);
            axes.push(axis);
        }
        (!axes.is_empty()).then_some((counts, axes))
    }

    /// Grid and block extents.
    fn configuration(&mut self, cuf: &'p CufKernel, counts: &[Val]) -> ([Val; 3], [Val; 3]) {
        let n = counts.len().min(3);
        let defaults = if n == 1 { [128, 1, 1] } else { [32, 4, 1] };
        let block: [Val; 3] = std::array::from_fn(|i| match cuf.block.get(i) {
            _ if i >= n => Val::i32(1),
            Some(CufDim::Expr(e)) => {
                let v = self.int32(e);
                self.b.freeze(v)
            }
            None if matches!(cuf.block.first(), Some(CufDim::Expr(_))) => Val::i32(1),
            Some(CufDim::Star) | None => Val::i32(defaults[i]),
        });
        let limits: [i64; 3] =
            if cuf.reductions.is_empty() { [i64::from(i32::MAX), 65_535, 65_535] } else { [256, 4, 1] };
        let grid = std::array::from_fn(|i| match cuf.grid.get(i) {
            _ if i >= n => Val::i32(1),
            Some(CufDim::Expr(e)) => {
                let v = self.int32(e);
                self.b.freeze(v)
            }
            None if matches!(cuf.grid.first(), Some(CufDim::Expr(_))) => Val::i32(1),
            Some(CufDim::Star) | None => {
                let threads = self.b.widen(block[i], Ty::I32);
                let up = self.b.iadd(counts[i], threads);
                let up = self.b.iadd(up, Val::i64(-1));
                let blocks = match (crate::builder::arith::constant(up), crate::builder::arith::constant(threads)) {
                    (Some(a), Some(b)) if b > 0 => Val::i64((a / b).min(limits[i])),
                    _ => {
                        let blocks = self.b.bin(BinOp::Div, Ty::I64, up, threads);
                        self.b.bin(BinOp::Min, Ty::I64, blocks, Val::i64(limits[i])).into()
                    }
                };
                self.b.narrow(blocks, Ty::I32)
            }
        });
        (grid, block)
    }

    /// Makes the kernel; gives it and the arguments of its launch.
    fn outline(
        &mut self,
        cuf: &'p CufKernel,
        axes: &[Axis],
        block: &[Val; 3],
        partials: &[ArrayView],
        span: Span,
    ) -> (Option<ir::FuncId>, Vec<Val>) {
        let line = self.b.module().line_of(span);
        let name = format!("{}_{line}_gpu", self.b.program().proc(self.b.procedure()).qualified);
        let id = self.b.module().new_function(&name, FuncKind::Kernel, span);
        let mut b = FunctionBuilder::new(self.b.module().function_name(id), FuncKind::Kernel, span);
        let mut params = Params { args: Vec::new() };
        let mut bound = Vec::new();
        let (mut copies, mut objects, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        // An object has components on the device, may_be_null; a copy of it is always right.
        let program = self.b.program();
        let kept = cuf.private.iter().filter(|v| matches!(program.var(**v).ty, Type::Derived(_)));
        let passed: BTreeSet<VarId> = cuf.captured.iter().chain(kept).copied().collect();
        let private: Vec<VarId> =
            cuf.private.iter().copied().filter(|v| !matches!(program.var(*v).ty, Type::Derived(_))).collect();
        let named = variables_of(program, &cuf.body);
        let mut unreached = BTreeSet::new();
        // What is present may have no data all the same.
        let mut presences = Vec::new();
        for &v in &passed {
            if cuf.loops.iter().any(|l| l.var == v) || cuf.reductions.iter().any(|r| r.0 == v) {
                continue;
            }
            let var = program.var(v);
            if var.attrs.optional && (var.attrs.allocatable || var.attrs.pointer) {
                let present = self.presence(v);
                presences.push((v, self.pass_presence(v, present, (&mut b, &mut params))));
            }
            // What is absent has a descriptor of nothing.
            let given = self.give_descriptor(v);
            let storage = self.captured_storage(v, cuf, (&mut b, &mut params), (&mut copies, &mut objects));
            if let Some(own) = given {
                self.storage.set(v, own);
            }
            match storage {
                Some(storage) => {
                    bound.extend(storage.map(|h| (v, h)));
                    lengths.push((v, self.captured_lengths(v, &mut b, &mut params)));
                }
                // What only the selectors of names around the loop mention was evaluated there.
                None if !named.contains(&v) => _ = unreached.insert(v),
                None => return (None, Vec::new()),
            }
        }
        let pointed = self.pass_pointed_objects(&cuf.body, &passed, (&mut b, &mut params));
        // What was evaluated where an ASSOCIATE construct began stays that (Fortran 2018, 11.1.3.3).
        let names = names_from_outside(program, &cuf.body);
        for &v in &names {
            let storage = self.captured_name(v, (&mut b, &mut params));
            let is_reached = storage.is_some();
            bound.extend(storage.map(|storage| (v, storage)));
            let is_value = is_name_of_scalar(program, v)
                && (!is_designator_name(program, v)
                    || root_of_name(program, v).is_some_and(|v| unreached.contains(&v)));
            if is_value && !is_reached {
                copies.extend(self.passed_value(v, (&mut b, &mut params)));
            }
        }
        let axes: Vec<Axis> = axes
            .iter()
            .map(|a| Axis {
                var: a.var,
                ty: a.ty,
                first: params.pass(&mut b, a.first, a.ty, "first"),
                step: params.pass(&mut b, a.step, a.ty, "step"),
                count: params.pass(&mut b, a.count, a.ty, "trips"),
                exact: a.exact,
                wide: a.wide,
            })
            .collect();
        let results: Vec<ArrayView> = partials
            .iter()
            .map(|view| {
                let base = params.pass(&mut b, view.mem.addr, Ty::I64, "partial");
                let mut view = view.clone();
                view.mem = MemRef { addr: base, space: Space::Global, ..view.mem };
                view
            })
            .collect();
        // A reduction into an absent dummy is none.
        let mut present = Vec::with_capacity(cuf.reductions.len());
        for &(v, _) in &cuf.reductions {
            present.push(may_be_unset(program.var(v)).then(|| {
                let is_there = self.presence_of_data(v);
                self.pass_presence(v, is_there, (&mut b, &mut params))
            }));
        }
        let most = block.iter().try_fold(1i64, |n, &v| Some(n.saturating_mul(crate::builder::arith::constant(v)?)));
        let proc = self.b.procedure();
        let mut kernel = FunctionLowering::new(&mut *self.b.module(), b, Side::Device, proc);
        kernel.b.set_span(span);
        if kernel.b.usage().is_drawing(program, &cuf.body) {
            begin_state(&mut kernel.b);
        }
        for (v, storage) in bound {
            kernel.storage.set(v, storage);
        }
        for (v, lengths) in lengths.into_iter().filter(|(_, lengths)| !lengths.is_empty()) {
            kernel.storage.set_lengths(v, lengths);
        }
        for (v, word) in presences {
            let present = kernel.b.icmp(CmpOp::Ne, word, Val::i64(0));
            kernel.storage.set_presence(v, present);
        }
        for copy in &copies {
            kernel.private_copy(copy);
        }
        for object in objects {
            kernel.describe_object(&object);
        }
        let fresh = private.into_iter().filter(|v| !passed.contains(v));
        for v in fresh.chain(cuf.loops.iter().map(|l| l.var)) {
            kernel.scalar_local(v);
        }
        for ((v, op), &present) in cuf.reductions.iter().zip(&present) {
            let value = kernel.b.identity(*op, &kernel.b.program().var(*v).ty);
            kernel.private_copy(&PassedValue { var: *v, value, present });
        }
        kernel.place_pointed_objects(&pointed);
        // The others stand for captured variables.
        for &v in &names {
            kernel.associate_name(v);
        }
        for v in kernel.storage.variables() {
            kernel.describe(v);
        }
        kernel.walk_axes(&axes, cuf);
        for (((v, op), view), present) in cuf.reductions.iter().zip(&results).zip(present) {
            let is_there = present.map_or(Val::pred(true), |word| kernel.b.icmp(CmpOp::Ne, word, Val::i64(0)));
            kernel.when(is_there, |kernel| kernel.reduce_block(*v, *op, view, most));
        }
        let end = kernel.b.return_block();
        kernel.b.jump(end);
        kernel.b.switch_to(end);
        kernel.leave_block(0);
        kernel.b.ret(Vec::new());
        let made = kernel.b.finish_function();
        self.b.module().set_function(id, made);
        (Some(id), params.args)
    }

    /// The length parameters of a captured variable that is flat, as the kernel gets them.
    fn captured_lengths(&mut self, v: VarId, b: &mut FunctionBuilder, params: &mut Params) -> Vec<Option<Val>> {
        let var = self.b.program().var(v);
        if !is_flat(self.b.program(), &var.ty) {
            return Vec::new();
        }
        let own = if var.attrs.is_flat {
            self.flat_variable_lengths(v)
        } else {
            self.storage.lengths(v).unwrap_or_default().to_vec()
        };
        let name = |i: usize| format!("{}.length{}", var.name, i + 1);
        let own = own.into_iter().flatten().enumerate();
        own.map(|(i, n)| Some(params.pass(b, n, Ty::I64, &name(i)))).collect()
    }

    /// The storage that a captured variable has in the kernel; `Some(None)` if it is found without being passed, or passed as a
    /// value (then it is in `copies`).
    fn captured_storage(
        &mut self,
        v: VarId,
        cuf: &CufKernel,
        (b, params): (&mut FunctionBuilder, &mut Params),
        (copies, objects): (&mut Vec<PassedValue>, &mut Vec<PassedObject>),
    ) -> Option<Option<VarStorage>> {
        let program = self.b.program();
        let var = program.var(v);
        if matches!(var.storage, Storage::Parameter) {
            return Some(None);
        }
        let on_device = var.attrs.cuda.is_some();
        if on_device && is_made(program, &var.ty) {
            return None;
        }
        match self.storage_of(v)? {
            VarStorage::Procedure(_) => Some(None),
            VarStorage::Described(d) if d.rank > 0 || on_device => {
                let view = self.b.desc_view(&d);
                captured_view(&mut self.b, v, &view, b, params).map(|view| Some(kernel_storage(&d, view)))
            }
            VarStorage::Array(view) => {
                let view = captured_view(&mut self.b, v, &view, b, params)?;
                Some(Some(VarStorage::Array(view)))
            }
            VarStorage::Scalar(mem, len) if self.b.is_remote(mem) || (on_device && mem.space != Space::Local) => {
                Some(Some(self.passed_scalar(v, (mem, len), (b, params))))
            }
            VarStorage::Scalar(..) if var.attrs.class => None,
            VarStorage::Scalar(mem, len)
                if is_text_of_any_length(&var.ty) || matches!(var.ty, Type::Character(_)) && var.attrs.optional =>
            {
                let text = self.passed_text(v, mem, len);
                objects.push(self.pass_object(v, text, &cuf.body, (b, params))?);
                Some(None)
            }
            // A copy of memory says what the host has not set.
            VarStorage::Scalar(mem, len)
                if !has_register(&var.ty) || cuf.private.contains(&v) && !var.attrs.optional =>
            {
                let own = captured_object(&mut self.b, v, mem, cuf, (b, params))?;
                Some(Some(VarStorage::Scalar(own, len)))
            }
            // An object that is polymorphic, or perhaps not there.
            VarStorage::Described(d) if is_described(program, v) => {
                let object = self.described_object(&d);
                objects.push(self.pass_object(v, object, &cuf.body, (b, params))?);
                Some(None)
            }
            _ => {
                copies.push(self.passed_value(v, (b, params))?);
                Some(None)
            }
        }
    }

    /// The value of a host scalar, which is passed; each thread has a private variable that starts with it.
    fn passed_value(&mut self, v: VarId, (b, params): (&mut FunctionBuilder, &mut Params)) -> Option<PassedValue> {
        let var = self.b.program().var(v);
        let present = may_be_unset(var).then(|| self.presence_of_data(v));
        let value = match (present, self.storage_of(v)) {
            (_, Some(VarStorage::Value(value))) => value,
            (Some(present), Some(_)) => self.value_if(present, v, &var.ty),
            _ => {
                let place = self.variable_lvalue(v)?;
                self.b.load_value(place, &var.ty)
            }
        };
        let ty = ir_ty(&var.ty);
        let value = match value {
            Value::Complex(re, im) => Value::Complex(
                params.pass(b, re, ty, &format!("{}%re", var.name)),
                params.pass(b, im, ty, &format!("{}%im", var.name)),
            ),
            other => {
                let v = self.b.as_scalar(&other, &var.ty);
                Value::Scalar(params.pass(b, v, ty, &var.name))
            }
        };
        let present = present.map(|present| self.pass_presence(v, present, (b, params)));
        Some(PassedValue { var: v, value, present })
    }

    /// Passes whether there is a variable, as a number for the kernel.
    fn pass_presence(&mut self, v: VarId, present: Val, (b, params): (&mut FunctionBuilder, &mut Params)) -> Val {
        let word = self.b.select(Ty::I64, present, Val::i64(1), Val::i64(0)).into();
        params.pass(b, word, Ty::I64, &format!("{}.present", self.b.program().var(v).name))
    }

    /// What a variable holds; nothing that matters if it is absent.
    fn value_if(&mut self, present: Val, v: VarId, ty: &Type) -> Value {
        let part = ir_ty(ty);
        let (first, second) = (self.b.mutable(part), self.b.mutable(part));
        let out = if matches!(ty, Type::Complex(_)) { Lvalue::Complex(first, second) } else { Lvalue::Reg(first) };
        self.b.set(first, Val::Imm(0));
        self.b.set(second, Val::Imm(0));
        self.when(present, |this| {
            if let Some(place) = this.variable_lvalue(v) {
                let value = this.b.load_value(place, ty);
                this.b.store_value(out, ty, &value);
            }
        });
        self.b.load_value(out, ty)
    }

    /// The storage in the kernel of an ASSOCIATE name from outside that is device or managed data.
    fn captured_name(&mut self, v: VarId, (b, params): (&mut FunctionBuilder, &mut Params)) -> Option<VarStorage> {
        let var = self.b.program().var(v);
        let storage = self.storage.get(v)?.clone();
        let (VarStorage::Array(ArrayView { mem, .. }) | VarStorage::Scalar(mem, _)) = storage else { return None };
        let is_reached = self.b.is_remote(mem) || aliases_device_data(&self.b, v);
        if !is_reached || is_flat(self.b.program(), &var.ty) {
            return None;
        }
        match storage {
            VarStorage::Array(view)
                if view.gathers() || !self.b.is_remote(view.mem) && is_name_of_vector(self.b.program(), v) =>
            {
                // A copy of the elements that vector subscripts give: they cannot be assigned by that name.
                let (element, len, extents) = (view.element, view.len, view.extents());
                let count = self.b.product(&extents);
                let bytes = self.b.imul(count, element);
                let mem = self.b.allocated_temporary(1, bytes);
                let own = self.b.dense(mem, element, len, &extents);
                let elements = self.b.local_view(view, &var.ty);
                self.b.copy_array(&own, &elements, &var.ty);
                captured_view(&mut self.b, v, &own, b, params).map(VarStorage::Array)
            }
            VarStorage::Array(view) => captured_view(&mut self.b, v, &view, b, params).map(VarStorage::Array),
            VarStorage::Scalar(mem, len) => Some(self.passed_scalar(v, (mem, len), (b, params))),
            _ => None,
        }
    }

    /// A scalar in memory that the kernel reaches, whose address is passed.
    fn passed_scalar(
        &mut self,
        v: VarId,
        (mem, len): (MemRef, Option<Val>),
        (b, params): (&mut FunctionBuilder, &mut Params),
    ) -> VarStorage {
        let name = &self.b.program().var(v).name;
        let addr = self.b.address(mem);
        let addr = params.pass(b, addr, Ty::I64, name);
        let space = if mem.space == Space::Const { Space::Const } else { Space::Global };
        let len = len.map(|n| params.pass(b, n, Ty::I64, &format!("{name}.len")));
        VarStorage::Scalar(MemRef { volatile: mem.volatile, ..MemRef::at(addr, space) }, len)
    }

    /// Gives storage to an ASSOCIATE name that came to life outside of the loop, and has none yet.
    pub(super) fn associate_name(&mut self, v: VarId) {
        let program = self.b.program();
        if self.storage.has(v) {
            return;
        }
        if let Storage::Alias(of) = &program.var(v).storage {
            let mut inner = Vec::new();
            visit::all(of, &mut |e| inner.extend(alias(program, e)));
            inner.into_iter().for_each(|v| self.associate_name(v));
            let reachable = sema::checked::root(of).is_some_and(|root| self.storage_of(root).is_some());
            let root = sema::checked::root(of).and_then(|root| self.storage_of(root));
            let is_described = matches!(root, Some(VarStorage::Described(_)));
            if reachable && program.var(v).attrs.class && of.rank == 0 && !is_described {
                // As of other objects there is a copy of it here, whose type is as declared.
                if let Lvalue::Mem(mem) = self.lvalue(of) {
                    self.storage.set(v, VarStorage::Scalar(mem, None));
                }
            } else if reachable {
                self.come_to_life(v);
            }
        }
    }

    /// A thread's own variable, which begins with a value. What is absent has no address.
    fn private_copy(&mut self, copy: &PassedValue) {
        let (v, ty) = (copy.var, &self.b.program().var(copy.var).ty);
        let Some(present) = copy.present else {
            self.scalar_local(v);
            if let Some(place) = self.variable_lvalue(v) {
                self.b.store_value(place, ty, &copy.value);
            }
            return;
        };
        let bytes = const_bytes(self.b.program(), ty).unwrap_or(8);
        let mem = self.b.temporary(Val::i64(bytes as i64), 8);
        self.b.store_value(Lvalue::Mem(mem), ty, &copy.value);
        let (own, is_there) = (self.b.address(mem), self.b.icmp(CmpOp::Ne, present, Val::i64(0)));
        let addr = self.b.select(Ty::I64, is_there, own, Val::i64(0)).into();
        self.storage.set(v, VarStorage::Scalar(MemRef { addr, offset: 0, ..mem }, None));
    }

    /// The iterations of this thread.
    fn walk_axes(&mut self, axes: &[Axis], cuf: &'p CufKernel) {
        let Some((axis, inner)) = axes.split_last() else {
            return self.statements(&cuf.body);
        };
        let index = axes.len() - 1;
        if index >= 3 {
            // Beyond z: a loop of the thread.
            if let Some(place) = self.variable_lvalue(axis.var) {
                let var_ty = ir_ty(&self.b.program().var(axis.var).ty);
                let steps = self.b.bin(BinOp::Sub, axis.ty, axis.count, crate::types::imm(axis.ty, 1));
                let reach = self.b.bin(BinOp::Mul, axis.ty, steps, axis.step);
                let last = self.b.bin(BinOp::Add, axis.ty, axis.first, reach);
                let (first, last, step) = (
                    self.b.cast(axis.first, axis.ty, var_ty),
                    self.b.cast(last.into(), axis.ty, var_ty),
                    self.b.cast(axis.step, axis.ty, var_ty),
                );
                let c = CountedLoop { place, ty: var_ty, first, last, step, span: None };
                self.simple_loop(&c, &mut |this| this.walk_axes(inner, cuf));
            }
            return;
        }
        let [tid, ntid, ctaid, nctaid] = axis_registers(index).map(|r| Val::from(self.b.special(r)));
        // Positions are reckoned in a type that holds all threads of the axis. A narrow one may pass the largest count by
        // less than a block, which an unsigned comparison gets right.
        let wide = if axis.wide { Ty::I64 } else { Ty::I32 };
        let [tid, ntid, ctaid, nctaid] = [tid, ntid, ctaid, nctaid].map(|v| self.b.cast(v, Ty::I32, wide));
        let position: Val = self.b.tri(ir::op::TriOp::Mad, wide, ctaid, ntid, tid).into();
        let count = self.b.cast(axis.count, axis.ty, wide);
        let inside = self.b.cmp(if axis.wide { CmpOp::Lt } else { CmpOp::LtU }, wide, position, count);
        let start = self.b.cast(position, wide, axis.ty);
        if axis.exact {
            self.when(inside.into(), |this| {
                this.set_index(axis, start);
                this.walk_axes(inner, cuf);
            });
            return;
        }
        let mut stride: Val = self.b.bin(BinOp::Mul, wide, ntid, nctaid).into();
        if wide != axis.ty {
            // A step that large leads out of every loop.
            stride = self.b.bin(BinOp::Min, wide, stride, Val::i64(i64::from(i32::MAX))).into();
            stride = self.b.cast(stride, wide, axis.ty);
        }
        let at = self.b.mutable(axis.ty);
        self.b.set(at, start);
        let (head, done) = (self.b.new_block(), self.b.new_block());
        self.b.branch(inside, head, done);
        self.b.switch_to(head);
        self.set_index(axis, at.into());
        self.walk_axes(inner, cuf);
        // The next position may lie beyond the largest number, what is left of the loop does not.
        let left = self.b.bin(BinOp::Sub, axis.ty, axis.count, at);
        let more = self.b.cmp(CmpOp::Lt, axis.ty, stride, left);
        let next = self.b.bin(BinOp::Add, axis.ty, at, stride);
        self.b.set(at, next);
        self.b.back_edge();
        self.b.branch(more, head, done);
        self.b.switch_to(done);
    }

    /// The loop variable of an iteration.
    fn set_index(&mut self, axis: &Axis, iteration: Val) {
        let var = self.b.program().var(axis.var);
        let step = match axis.step {
            Val::Imm(bits) => Some(scalar::bits::signed(axis.ty, bits)),
            Val::Reg(_) => None,
        };
        let scaled =
            if step == Some(1) { iteration } else { self.b.bin(BinOp::Mul, axis.ty, iteration, axis.step).into() };
        let value = self.b.bin(BinOp::Add, axis.ty, scaled, axis.first);
        let value = self.b.cast(value.into(), axis.ty, ir_ty(&var.ty));
        if let Some(place) = self.variable_lvalue(axis.var) {
            self.b.store_value(place, &var.ty, &Value::Scalar(value));
        }
    }
}

/// The variable that an expression is, if that is an ASSOCIATE name.
pub(super) fn alias(program: &Program, e: &Expr) -> Option<VarId> {
    match e.kind {
        sema::checked::ExprKind::Var(v) if matches!(program.var(v).storage, Storage::Alias(_)) => Some(v),
        _ => None,
    }
}

/// Whether an ASSOCIATE name is a scalar that fits registers.
fn is_name_of_scalar(program: &Program, v: VarId) -> bool {
    let var = program.var(v);
    matches!(var.shape, Shape::Scalar) && !var.attrs.class && has_register(&var.ty)
}

/// Whether an ASSOCIATE name stands for a variable, and not for the value of an expression as in `n => 2*j`.
fn is_designator_name(program: &Program, v: VarId) -> bool {
    let is_place = |e: &Expr| sema::checked::is_designator(e) || is_pointer_result(program, e);
    matches!(&program.var(v).storage, Storage::Alias(of) if is_place(of))
}

/// Whether an ASSOCIATE name stands for elements that vector subscripts give.
fn is_name_of_vector(program: &Program, v: VarId) -> bool {
    matches!(&program.var(v).storage, Storage::Alias(of) if has_vector(of))
}

/// The ASSOCIATE names in a body whose constructs are around it. Those of constructs in the body come to life there.
fn names_from_outside(program: &Program, body: &[Stmt]) -> BTreeSet<VarId> {
    let (mut names, mut own) = (BTreeSet::new(), BTreeSet::new());
    visit::statements(body, &mut |s| {
        if let StmtKind::Block { vars, .. } = &s.kind {
            own.extend(vars.iter().copied());
        }
        visit::statement_exprs(s, &mut |e, _| {
            visit::all(e, &mut |e| names.extend(alias(program, e)));
        });
    });
    names.retain(|v| !own.contains(v));
    names
}

/// The storage in a kernel of what the host has a descriptor of.
fn kernel_storage(d: &Descriptor, view: ArrayView) -> VarStorage {
    if d.rank > 0 { VarStorage::Array(view) } else { VarStorage::Scalar(view.mem, view.len) }
}

/// The special registers of x, y or z: thread, threads, block, blocks.
pub(crate) fn axis_registers(index: usize) -> [Special; 4] {
    match index {
        0 => [Special::TidX, Special::NtidX, Special::CtaidX, Special::NctaidX],
        1 => [Special::TidY, Special::NtidY, Special::CtaidY, Special::NctaidY],
        _ => [Special::TidZ, Special::NtidZ, Special::CtaidZ, Special::NctaidZ],
    }
}

/// Whether no bound of a loop depends on the variable of another.
fn is_rectangular(cuf: &CufKernel) -> bool {
    let mut good = true;
    let mut look = |e: &Expr| {
        if let sema::checked::ExprKind::Var(v) = &e.kind {
            good &= cuf.loops.iter().all(|l| l.var != *v);
        }
    };
    for l in &cuf.loops {
        for e in [Some(&l.first), Some(&l.last), l.step.as_ref()].into_iter().flatten() {
            visit::all(e, &mut look);
        }
    }
    good
}

/// An array of the host's storage as the kernel sees it; `None` if it is not in reach of the device.
fn captured_view(
    builder: &mut Builder<'_, '_>,
    v: VarId,
    view: &ArrayView,
    b: &mut FunctionBuilder,
    params: &mut Params,
) -> Option<ArrayView> {
    let var = builder.program().var(v);
    let is_managed = builder.options().managed && var.is_managed_by_option();
    let reachable =
        view.mem.space != Space::Host || var.attrs.cuda.is_some() || is_managed || aliases_device_data(builder, v);
    if !reachable || view.gathers() {
        return None;
    }
    let name = &var.name;
    let addr = builder.address(view.mem);
    let addr = params.pass(b, addr, Ty::I64, name);
    let space = if view.mem.space == Space::Const { Space::Const } else { Space::Global };
    let mut dims = Vec::with_capacity(view.dims.len());
    for (i, d) in view.dims.iter().enumerate() {
        let mut part = |v: Val, what: &str| params.pass(b, v, Ty::I64, &format!("{name}.{what}{}", i + 1));
        dims.push(ArrayDim {
            lower: part(d.lower, "lower"),
            extent: part(d.extent, "extent"),
            stride: part(d.stride, "stride"),
            gather: None,
        });
    }
    let element = params.pass(b, view.element, Ty::I64, &format!("{name}.element"));
    let len = view.len.map(|_| element);
    let mem = MemRef { volatile: view.mem.volatile, ..MemRef::at(addr, space) };
    let tag = view.tag.map(|tag| params.pass(b, tag, Ty::I64, &format!("{name}.type")));
    let contiguity = if view.is_contiguous() { Contiguity::Yes } else { Contiguity::Unknown };
    Some(ArrayView { mem, origin: None, dims, element, len, tag, contiguity, assumed_size: view.assumed_size })
}

/// Whether an ASSOCIATE name stands for managed data, which both sides reach.
fn aliases_device_data(b: &Builder<'_, '_>, v: VarId) -> bool {
    let var = b.program().var(v);
    let Storage::Alias(of) = &var.storage else { return false };
    var.attrs.cuda.is_some()
        || storage_root(b.program(), of).is_some_and(|root| b.program().var(root).attrs.cuda.is_some())
}

/// Whether a program may give arrays streams of their own: of the module for CUDA's runtime there are the parts that it names.
fn gives_arrays_streams(program: &Program) -> bool {
    program.procs.iter().any(|proc| &*proc.name == "cufemu_set_array_stream")
}

/// Whether a variable may be absent, not allocated or not associated.
pub(super) fn may_be_unset(var: &Variable) -> bool {
    var.attrs.optional || var.attrs.allocatable || var.attrs.pointer
}

/// The variables that the statements of a body name.
fn variables_of(program: &Program, body: &[Stmt]) -> BTreeSet<VarId> {
    let mut named = BTreeSet::new();
    visit::evaluated(program, body, &mut |e| {
        visit::all(e, &mut |e| {
            if let sema::checked::ExprKind::Var(v) = e.kind {
                named.insert(v);
            }
        });
    });
    named
}

/// The variable behind an ASSOCIATE name.
fn root_of_name(program: &Program, v: VarId) -> Option<VarId> {
    match &program.var(v).storage {
        Storage::Alias(of) => storage_root(program, of),
        _ => None,
    }
}

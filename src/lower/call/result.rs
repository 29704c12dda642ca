//! Function references and their results.
//!
//! The caller provides the memory of a result that is not a number. It evaluates the bounds and the length of the result's
//! declaration with the actual arguments: meanwhile the function's dummies have storage in the caller. An allocatable or
//! pointer result comes back in a descriptor. At the end of the statement a result that is not a pointer is finalised, and
//! what it owns is freed, as is the data of an allocatable result.
//!
//! Not here: arguments (`actual`).

use crate::analysis::overlap::mentions;
use crate::analysis::variables::{has_register, is_descriptor};
use crate::builder::Builder;
use crate::elements::Operands;
use crate::function::FunctionLowering;
use crate::module::ArgKey;
use crate::object::convention::{
    ResultForm, assumed_lengths, passed_words, result_form, value_of_registers, word_types,
};
use crate::object::flat::owns_parts;
use crate::procedure::reach::declared_by;
use crate::storage::{Taken, VarStorage};
use crate::types::{HOST_MEMORY, Side, const_bytes, data_space, has_end, ir_ty};
use crate::value::Value;
use crate::value::arguments::Passed;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::{Allocation, Lvalue, MemRef, element_lvalue};
use ir::{Space, Val};
use sema::checked::{
    Actual, CharLen, Const, Expr, ExprKind, ProcBody, ProcId, Program, Shape, Storage, Type, VarId, is_designator,
    visit,
};
use std::collections::BTreeSet;

impl<'p> FunctionLowering<'_, 'p> {
    /// A function reference with a scalar result.
    pub(crate) fn call_function(&mut self, proc: ProcId, args: &'p [Option<Actual>], e: &'p Expr) -> Value {
        let program = self.b.program();
        let proc = self.callee(proc);
        let callee = program.proc(proc);
        if let ProcBody::Service(name) = &callee.body {
            let result = self.call_service(proc, name, args);
            let from = Self::service_type(name);
            return match (result, from) {
                // An address for C is an object of one word.
                (Some(v), Some(ir::Ty::I64)) if matches!(e.ty, Type::Derived(_)) => {
                    let (_, object) = self.b.slot(8, 8, "address", source::Span::NONE);
                    self.b.store_scalar(object, ir::Ty::I64, v);
                    Value::Object(object)
                }
                (Some(v), Some(from)) => Value::Scalar(self.b.cast(v, from, ir_ty(&e.ty))),
                _ => self.b.refused(&e.ty, &format!("the result of `{}`", callee.name)),
            };
        }
        match result_form(program, callee) {
            ResultForm::None => self.b.refused(&e.ty, &format!("the result of `{}`", callee.name)),
            ResultForm::Registers(tys) => {
                let mut passed = Passed::default();
                self.pass_all(proc, args, &mut passed);
                let results = self.invoke(proc, &[], &passed, &tys);
                self.b.after_call(passed);
                value_of_registers(&results)
            }
            ResultForm::Hidden(_) => {
                let view = self.call_with_memory(proc, args, Some(&e.ty));
                let view = self.sized_view(view, &e.ty);
                self.b.load_value(element_lvalue(view.mem, view.len), &e.ty)
            }
        }
    }

    /// A function reference with an array result.
    pub(crate) fn call_array(&mut self, proc: ProcId, args: &'p [Option<Actual>], e: &'p Expr) -> ArrayView {
        let proc = self.callee(proc);
        if !matches!(result_form(self.b.program(), self.b.program().proc(proc)), ResultForm::Hidden(_)) {
            return self.b.refused_view(e);
        }
        self.call_with_memory(proc, args, Some(&e.ty))
    }

    /// Calls an elemental function that writes its result, an object, to memory which the caller gives and finalises.
    pub(crate) fn call_into(&mut self, proc: ProcId, args: &'p [Option<Actual>], memory: MemRef) {
        let proc = self.callee(proc);
        let mut passed = Passed::default();
        self.pass_all(proc, args, &mut passed);
        let addr = self.b.address(memory);
        self.invoke(proc, &[addr], &passed, &[]);
        self.b.after_call(passed);
    }

    /// Calls a function that writes its result to memory; `ty` is the type of the reference.
    fn call_with_memory(&mut self, proc: ProcId, args: &'p [Option<Actual>], ty: Option<&'p Type>) -> ArrayView {
        let program = self.b.program();
        let callee = program.proc(proc);
        let mut passed = Passed::default();
        self.pass_all(proc, args, &mut passed);
        let Some(result) = callee.result else {
            let space = self.b.local_space();
            return self.b.dense(MemRef::at(Val::i64(0), space), Val::i64(0), None, &[]);
        };
        let var = program.var(result);
        if var.attrs.allocatable || var.attrs.pointer {
            if var.attrs.allocatable && var.attrs.is_flat && owns_parts(program, &var.ty) {
                self.b.unsupported("an allocatable result with allocatable components and run-time lengths");
            }
            let d = result_descriptor(&mut self.b, result);
            let DescriptorAt::Mem(mem) = d.at else {
                return self.b.desc_view(&d);
            };
            let addr = self.b.address(mem);
            self.invoke(proc, &[addr], &passed, &[]);
            self.b.after_call(passed);
            let view = self.b.desc_view(&d);
            if var.attrs.allocatable {
                let location = self.b.data_location(var.attrs.cuda);
                if self.b.outlives_scope(&var.ty, var.attrs.class) {
                    self.b.end_after_statement(&view, &var.ty, var.attrs.class, location);
                } else if var.attrs.class || has_end(program, &var.ty) {
                    self.b.end_data_later(d, var.ty.clone(), location);
                } else {
                    self.b.defer_free(Allocation { location, addr: view.mem.addr, may_be_null: true });
                }
            }
            return view;
        }
        let mut saved = self.bind_actuals(proc, args, &passed);
        self.bind_shapes(proc, result, &mut saved);
        let mut len = self.declared_length(&var.ty);
        if len.is_none() && matches!(var.ty, Type::Character(_)) {
            // A result of assumed length has the length that the reference's scope declares.
            len = ty.and_then(|ty| self.declared_length(ty)).or(Some(Val::i64(0)));
        }
        saved.insert(0, (result, self.storage.take(result)));
        let bytes = self.bytes_of_variable(result, len);
        let lengths = if var.attrs.is_flat { self.flat_variable_lengths(result) } else { Vec::new() };
        let lengths: Vec<Val> = lengths.into_iter().flatten().collect();
        let bounds: Vec<(Val, Val)> = match &var.shape {
            Shape::Explicit(dims) => dims
                .iter()
                .map(|d| {
                    let (lower, upper) = (self.bound(&d.lower), self.bound(&d.upper));
                    (lower, self.b.count(lower, upper, Val::i64(1)))
                })
                .collect(),
            _ => Vec::new(),
        };
        self.unbind(saved);
        let extents: Vec<Val> = bounds.iter().map(|b| b.1).collect();
        let total = self.b.array_bytes(&extents, bytes);
        let total = self.b.object_room(&var.ty, total);
        let outlives = self.b.outlives_scope(&var.ty, false);
        let mem = if self.b.is_host() && var.attrs.cuda.is_some() {
            let location = self.b.data_location(var.attrs.cuda);
            let addr = self.b.allocated_temporary(location, total).addr;
            MemRef::at(addr, data_space(Side::Host, var.attrs.cuda, false))
        } else if outlives {
            self.b.memory_of_result(total)
        } else {
            self.b.temporary(total, crate::types::align(program, &var.ty).max(8))
        };
        let mut view = self.b.dense(mem, bytes, len, &extents);
        for (d, b) in view.dims.iter_mut().zip(&bounds) {
            d.lower = b.0;
        }
        let addr = self.b.address(mem);
        let hidden: Vec<Val> = [addr].into_iter().chain(len).collect();
        self.invoke(proc, &hidden, &passed, &[]);
        self.b.after_call(passed);
        if outlives {
            self.b.end_after_statement(&view, &var.ty, false, HOST_MEMORY);
        } else if has_end(program, &var.ty) {
            self.b.end_later(view.clone(), var.ty.clone());
        }
        self.b.end_flat_later(&view, &var.ty, &lengths);
        view
    }

    /// Binds the dummies of a function to the actual arguments, to evaluate its declarations in the caller.
    fn bind_actuals(&mut self, proc: ProcId, args: &'p [Option<Actual>], passed: &Passed) -> Vec<(VarId, Taken)> {
        self.bind_some_actuals(proc, args, passed, &|_| true)
    }

    /// The same of the dummies that `is_needed` says.
    pub(super) fn bind_some_actuals(
        &mut self,
        proc: ProcId,
        args: &'p [Option<Actual>],
        passed: &Passed,
        is_needed: &dyn Fn(VarId) -> bool,
    ) -> Vec<(VarId, Taken)> {
        let program = self.b.program();
        let params = &program.proc(proc).params;
        let mut saved: Vec<(VarId, Taken)> =
            params.iter().filter(|&&v| is_needed(v)).map(|&v| (v, self.storage.take(v))).collect();
        let mut words = passed.words.iter().copied();
        let mut unbound: Vec<Unbound> = Vec::new();
        for (i, &v) in params.iter().enumerate() {
            let var = program.var(v);
            if matches!(var.storage, Storage::Procedure) {
                let word = match passed.keys.get(i) {
                    Some(ArgKey::Pointer) => words.next(),
                    _ => None,
                };
                if is_needed(v) {
                    match (passed.keys.get(i), word) {
                        (_, Some(word)) => self.storage.set(v, VarStorage::Value(Value::Scalar(word))),
                        (Some(ArgKey::Proc(p)), None) => self.storage.set(v, VarStorage::Procedure(*p)),
                        _ => {}
                    }
                }
                continue;
            }
            let key = passed.keys.get(i).copied().filter(|key| matches!(key, ArgKey::Rank { .. }));
            let count = key.map_or_else(|| word_types(var).len(), |key| passed_words(var, key));
            let mut mine: Vec<Val> = words.by_ref().take(count).collect();
            if !is_needed(v) {
                continue;
            }
            let lengths = mine.split_off(mine.len().saturating_sub(assumed_lengths(var)));
            if !mine.is_empty() {
                unbound.extend(self.bind_actual(v, args.get(i), (mine, lengths), key));
            }
        }
        // Bounds and lengths may need the scalars, and each other.
        while !unbound.is_empty() {
            let waiting: BTreeSet<VarId> = unbound.iter().map(|of| of.v).collect();
            let is_ready = |of: &Unbound| {
                let others = waiting.iter().copied().filter(|&w| w != of.v).collect();
                !declared_by(program.var(of.v), &others)
            };
            let at = unbound.iter().position(is_ready).unwrap_or(0);
            let of = unbound.remove(at);
            self.bind_declared(of);
        }
        saved.reverse();
        saved
    }

    /// Binds one dummy; gives what its declaration has to say.
    fn bind_actual(
        &mut self,
        v: VarId,
        actual: Option<&'p Option<Actual>>,
        (mine, lengths): (Vec<Val>, Vec<Val>),
        key: Option<ArgKey>,
    ) -> Option<Unbound> {
        let program = self.b.program();
        let var = program.var(v);
        let space = self.actual_space(v, actual);
        let first = *mine.first()?;
        let (mem, second) = (MemRef::at(first, space), mine.get(1).copied());
        let is_flat = var.attrs.is_flat;
        let storage = match &var.shape {
            _ if is_descriptor(program, v) => {
                self.take_lengths(v, second);
                let at = DescriptorAt::Mem(MemRef::at(first, self.b.local_space()));
                let d = match key {
                    Some(ArgKey::Rank { rank, assumed_size }) => {
                        Descriptor { assumed_size, ..self.desc_ranked(v, rank, at) }
                    }
                    _ => self.desc(v, at),
                };
                let has_bounds = d.rank > 0 && !var.attrs.allocatable && !var.attrs.pointer;
                self.storage.set(v, VarStorage::Described(d));
                return has_bounds.then_some(Unbound { v, mem, words: mine, lengths });
            }
            Shape::AssumedRank if let Some(ArgKey::Rank { rank, assumed_size }) = key => {
                self.assumed_rank_storage(v, mem, &mine[1..], (rank, assumed_size))
            }
            Shape::Scalar if var.attrs.value && has_register(&var.ty) => VarStorage::Value(value_of_registers(&mine)),
            // What depends on constants alone has a size that is known, and needs no heap.
            Shape::Scalar if let Some(constant) = integer_constant(actual) => VarStorage::Value(self.value(constant)),
            Shape::Scalar if is_flat || matches!(var.ty, Type::Character(_)) => {
                self.storage.set(v, VarStorage::Scalar(mem, second));
                return Some(Unbound { v, mem, words: mine, lengths });
            }
            Shape::Scalar => VarStorage::Scalar(mem, second),
            _ => return Some(Unbound { v, mem, words: mine, lengths }),
        };
        self.storage.set(v, storage);
        None
    }

    /// Gives a dummy the bounds and lengths that its declaration says. A length is that of the declaration, which may be less than that of
    /// the actual argument.
    fn bind_declared(&mut self, of: Unbound) {
        let Unbound { v, mem, words, lengths } = of;
        if let Some(VarStorage::Described(d)) = self.storage.get(v).cloned() {
            let d = self.with_declared_bounds(v, d);
            return self.storage.set(v, VarStorage::Described(d));
        }
        self.take_flat_lengths(v, &lengths);
        let storage = if matches!(self.b.program().var(v).shape, Shape::AssumedShape(_)) {
            let pairs: Vec<(Val, Val)> = words[1..].chunks_exact(2).map(|c| (c[0], c[1])).collect();
            let len = self.dummy_length(v, words.get(1 + 2 * pairs.len()).copied());
            self.assumed_shape_storage(v, mem, len, &pairs)
        } else {
            let len = self.dummy_length(v, words.get(1).copied());
            self.storage_with_length(v, mem, len)
        };
        self.storage.set(v, storage);
    }

    /// Gives the local variables that the declaration of a variable names storage without memory, while declarations of their
    /// function are evaluated in the caller: it asks for their bounds and lengths only (Fortran 2018, 10.1.11).
    pub(crate) fn bind_shapes(&mut self, proc: ProcId, v: VarId, saved: &mut Vec<(VarId, Taken)>) {
        let program = self.b.program();
        let mut named = Vec::new();
        for e in visit::declared_exprs(program.var(v)) {
            visit::all(e, &mut |e| {
                if let ExprKind::Var(w) = e.kind {
                    named.push(w);
                }
            });
        }
        for w in named {
            let var = program.var(w);
            let is_local = var.owner == Some(proc) && matches!(var.storage, Storage::Local);
            if !is_local || saved.iter().any(|(known, _)| *known == w) || is_descriptor(program, w) {
                continue;
            }
            saved.insert(0, (w, self.storage.take(w)));
            if matches!(var.shape, Shape::Scalar) && has_register(&var.ty) {
                // The variable of an implied DO.
                self.scalar_local(w);
                continue;
            }
            self.bind_shapes(proc, w, saved);
            let storage = self.storage_in_memory(w, MemRef::at(Val::i64(0), self.b.local_space()));
            self.storage.set(w, storage);
        }
    }

    /// The length of what a reference to an array-valued function gives, without a call: meanwhile storage of the actual
    /// arguments is that of the dummies. `None` if the declaration asks for more of a dummy than its value or its bounds.
    pub(crate) fn reference_length(
        &mut self,
        proc: ProcId,
        args: &'p [Option<Actual>],
        operands: Option<&Operands>,
    ) -> Option<Val> {
        let program = self.b.program();
        let callee = program.proc(self.callee(proc));
        let ty = &program.var(callee.result?).ty;
        let computed = |ty: &'p Type| if let Type::Character(CharLen::Expr(e)) = ty { Some(&**e) } else { None };
        let lengths: Vec<&Expr> =
            callee.params.iter().map(|&v| &program.var(v).ty).chain([ty]).filter_map(computed).collect();
        let needed = self.needed_dummies(&callee.params, lengths);
        let mut bound = Vec::new();
        for (&v, actual) in callee.params.iter().zip(args) {
            let is_asked = || needed.contains(&v);
            let is_plain = is_plain_dummy(program, v);
            match actual {
                Some(Actual::Expr(actual)) if is_plain && (is_asked() || is_designator(actual)) => {
                    bound.extend(self.stand_in(v, actual, operands).map(|storage| (v, storage)));
                }
                _ if !is_plain && is_asked() => return None,
                _ => {}
            }
        }
        // A recursive function's own dummies may be among the actual arguments, which are evaluated by now.
        let mut saved: Vec<(VarId, Taken)> = Vec::new();
        for (v, storage) in bound {
            saved.push((v, self.storage.take(v)));
            self.storage.set(v, storage);
        }
        for &(v, _) in &saved {
            let var = program.var(v);
            let declared = computed(&var.ty).and_then(|_| self.declared_length(&var.ty));
            let storage = match (self.storage.get(v).cloned(), declared) {
                (Some(VarStorage::Array(view)), _) => {
                    let len = declared.or(view.len);
                    self.declared_storage(v, ArrayView { len, ..view })
                }
                (Some(VarStorage::Scalar(mem, _)), Some(len)) => VarStorage::Scalar(mem, Some(len)),
                (Some(VarStorage::Value(Value::Char(mem, _))), Some(len)) => VarStorage::Value(Value::Char(mem, len)),
                _ => continue,
            };
            self.storage.set(v, storage);
        }
        let len = self.declared_length(ty);
        saved.reverse();
        self.unbind(saved);
        len
    }

    /// The length parameters of what a reference to a function gives, without a call; to an elemental one that of no objects. `None` if
    /// the declaration asks for the value of an array.
    pub(crate) fn lengths_of_reference(
        &mut self,
        proc: ProcId,
        args: &'p [Option<Actual>],
        operands: &Operands,
    ) -> Option<Vec<Val>> {
        let program = self.b.program();
        let callee = program.proc(self.callee(proc));
        let lengths = &program.var(callee.result?).attrs.lengths;
        let asked = lengths.iter().filter_map(visit::length_expr).collect();
        let needed = self.needed_dummies(&callee.params, asked);
        let mut bound = Vec::new();
        for (&v, actual) in callee.params.iter().zip(args) {
            if !needed.contains(&v) {
                continue;
            }
            let Some(Actual::Expr(actual)) = actual else { return None };
            let own = if program.var(v).attrs.is_flat { self.all_lengths_of(actual) } else { Vec::new() };
            bound.push((v, self.stand_in(v, actual, Some(operands))?, own));
        }
        let mut saved: Vec<(VarId, Taken)> = Vec::new();
        for (v, storage, own) in bound {
            saved.push((v, self.storage.take(v)));
            self.storage.set(v, storage);
            if !own.is_empty() {
                self.storage.set_lengths(v, own.into_iter().map(Some).collect());
            }
        }
        for &(v, _) in &saved {
            let Some(VarStorage::Array(view)) = self.storage.get(v).cloned() else { continue };
            let is_as_given = matches!(program.var(v).shape, Shape::AssumedShape(_)) && !view.gathers();
            let view = if is_as_given { view } else { self.b.contiguous_view(view, &program.var(v).ty) };
            let storage = self.declared_storage(v, view);
            self.storage.set(v, storage);
        }
        let values = self.lengths(lengths);
        saved.reverse();
        self.unbind(saved);
        Some(values)
    }

    /// The storage of an array dummy with the bounds that its declaration gives (Fortran 2018, 8.5.8.3, 15.5.2.11); the elements of one
    /// that is no array of assumed shape follow each other.
    fn declared_storage(&mut self, v: VarId, view: ArrayView) -> VarStorage {
        match &self.b.program().var(v).shape {
            Shape::AssumedShape(_) if !view.gathers() => {
                let pairs: Vec<(Val, Val)> = view.dims.iter().map(|d| (d.extent, d.stride)).collect();
                self.assumed_shape_storage(v, view.mem, view.len, &pairs)
            }
            Shape::Explicit(_) | Shape::AssumedSize(..) => self.storage_with_length(v, view.mem, view.len),
            _ => VarStorage::Array(view),
        }
    }

    /// The dummies that expressions mention, and those that the bounds of these need.
    fn needed_dummies(&self, dummies: &[VarId], mut asked: Vec<&'p Expr>) -> BTreeSet<VarId> {
        let program = self.b.program();
        let mut needed = BTreeSet::new();
        while let Some(e) = asked.pop() {
            for &v in dummies {
                if mentions(program, e, v) && needed.insert(v) && !matches!(program.var(v).shape, Shape::Scalar) {
                    asked.extend(visit::declared_exprs(program.var(v)));
                }
            }
        }
        needed
    }

    /// What stands for a dummy while a declaration is evaluated.
    fn stand_in(&mut self, v: VarId, actual: &'p Expr, operands: Option<&Operands>) -> Option<VarStorage> {
        let is_scalar = matches!(self.b.program().var(v).shape, Shape::Scalar);
        match (&actual.ty, is_scalar, actual.rank) {
            // An elemental function: of the elements only the length counts.
            (Type::Character(_), true, 1..) => {
                let len = self.length_of(actual, operands);
                Some(VarStorage::Scalar(MemRef::at(Val::i64(0), self.b.local_space()), len))
            }
            // Of objects only the length parameters, which one of no objects says too.
            (Type::Derived(_), true, 1..) if self.b.holds_lengths(&actual.ty) => {
                Some(VarStorage::Scalar(self.view(actual).mem, None))
            }
            (Type::Derived(_), true, 1..) if self.b.program().var(v).attrs.is_flat => {
                Some(VarStorage::Scalar(MemRef::at(Val::i64(0), self.b.local_space()), None))
            }
            (_, true, 1..) => None,
            (Type::Derived(_), true, 0) => Some(VarStorage::Scalar(self.memory_of(actual), None)),
            (_, true, 0) => Some(VarStorage::Value(self.value(actual))),
            (_, false, 0) => {
                let mem = self.memory_of(actual);
                let len = self.length_of(actual, operands);
                Some(self.storage_with_length(v, mem, len))
            }
            (_, false, _) => {
                let view = self.view(actual);
                Some(VarStorage::Array(self.b.local_view(view, &actual.ty)))
            }
        }
    }

    fn dummy_length(&mut self, v: VarId, passed: Option<Val>) -> Option<Val> {
        let declared = self.declared_length(&self.b.program().var(v).ty);
        declared.or(passed)
    }

    fn actual_space(&mut self, dummy: VarId, actual: Option<&'p Option<Actual>>) -> Space {
        let root = match actual {
            Some(Some(Actual::Expr(e))) => sema::checked::root(e),
            _ => None,
        };
        match root.and_then(|v| self.storage_of(v)) {
            Some(VarStorage::Scalar(mem, _)) => mem.space,
            Some(VarStorage::Array(view)) => view.mem.space,
            Some(VarStorage::Described(d)) => d.data,
            _ if self.b.is_remote_variable(dummy) => Space::Global,
            _ if self.b.is_host() => Space::Host,
            // A temporary lies in the frame, or in the heap of the device.
            _ => Space::Generic,
        }
    }

    pub(crate) fn unbind(&mut self, saved: Vec<(VarId, Taken)>) {
        for (v, storage) in saved {
            self.storage.restore(v, storage);
        }
    }

    /// Gives the result of a function that was called for a pointer assignment: the descriptor with it.
    pub(crate) fn call_pointer_function(&mut self, proc: ProcId, args: &'p [Option<Actual>]) -> Option<ArrayView> {
        let proc = self.callee(proc);
        let result = self.b.program().proc(proc).result?;
        self.b.program().var(result).attrs.pointer.then(|| self.call_with_memory(proc, args, None))
    }

    /// The memory of a value, where an address is needed.
    pub(crate) fn memory_of(&mut self, e: &'p Expr) -> MemRef {
        match self.lvalue(e) {
            Lvalue::Mem(mem) | Lvalue::Char(mem, _) => mem,
            other => {
                let value = self.b.load_value(other, &e.ty);
                self.b.spill(&value, &e.ty)
            }
        }
    }
}

/// A dummy that is bound when what its declaration names is, and what was passed for it.
struct Unbound {
    v: VarId,
    mem: MemRef,
    words: Vec<Val>,
    lengths: Vec<Val>,
}

/// The integer constant that an actual argument is.
fn integer_constant(actual: Option<&Option<Actual>>) -> Option<&Expr> {
    match actual?.as_ref()? {
        Actual::Expr(e) if matches!(e.kind, ExprKind::Const(Const::Int(_))) => Some(e),
        _ => None,
    }
}

/// A descriptor for an allocatable or pointer result, of nothing yet.
fn result_descriptor(b: &mut Builder<'_, '_>, result: VarId) -> Descriptor {
    let var = b.program().var(result);
    let mem = b.empty_descriptor(var.shape.rank());
    let data = data_space(b.side(), var.attrs.cuda, var.attrs.pointer);
    let len = const_bytes(b.program(), &var.ty).map(|n| Val::i64(n as i64));
    b.desc_of((&var.ty, var.attrs.class), var.shape.rank(), DescriptorAt::Mem(mem), data, var.attrs.allocatable, len)
}

/// Whether a dummy is an object whose value and bounds are those of its actual argument.
fn is_plain_dummy(program: &Program, v: VarId) -> bool {
    let var = program.var(v);
    let is_object = !matches!(var.storage, Storage::Procedure) && !matches!(var.shape, Shape::AssumedRank);
    is_object && !var.attrs.class && !var.attrs.optional && !is_descriptor(program, v)
}

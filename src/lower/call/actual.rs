//! Actual arguments: what is passed for each dummy. The head of the crate `ir` describes the conventions.
//!
//! An explicit-shape or assumed-size dummy takes an array with contiguous elements. If contiguity is not known, host code
//! tests the strides and passes a copy if it must. The copy is copied back unless the dummy is INTENT(IN). Device code does so in
//! `call::device_copy`.
//!
//! Not here: calls (`call`), results (`call::result`).

use crate::analysis::designators::{is_pointer_result, may_be_unset};
use crate::analysis::expressions::has_vector;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::call::c_descriptor::has_c_descriptor;
use crate::call::flat_actual::{is_part_of_made, makes_flat};
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::module::ArgKey;
use crate::object::convention::{assumed_lengths, has_element_word, has_lengths_word};
use crate::storage::VarStorage;
use crate::types::{
    DEVICE_MEMORY, HOST_MEMORY, MANAGED_MEMORY, Side, align, const_bytes, has_allocatable, has_final, is_device_data,
    is_flat, is_made,
};
use crate::value::Value;
use crate::value::arguments::{CopyBack, Passed};
use crate::value::array_view::ArrayView;
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::{Allocation, Lvalue, MemRef, element_lvalue};
use ast::Intent;
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{Space, Ty, Val};
use sema::checked::{Expr, ExprKind, Intrinsic, ProcKind, Shape, Storage, Type, VarId, Variable, is_designator};

impl Builder<'_, '_> {
    /// What is passed for a dummy when nothing is.
    pub(crate) fn pass_absent(&mut self, dummy: &Variable, out: &mut Passed) {
        if matches!(dummy.storage, Storage::Procedure) {
            out.keys.push(ArgKey::Any);
            return;
        }
        let is_ranked = self.module().is_ranked(dummy);
        let words = match &dummy.shape {
            _ if dummy.attrs.class || is_ranked => 1,
            Shape::AssumedShape(lower) if !(dummy.attrs.allocatable || dummy.attrs.pointer) => 1 + 2 * lower.len(),
            Shape::AssumedRank => 2,
            _ => 1,
        };
        let is_described = dummy.attrs.allocatable || dummy.attrs.pointer || dummy.attrs.class;
        let has_element = has_element_word(dummy) || (is_ranked && matches!(dummy.ty, Type::Any));
        let length =
            ((matches!(dummy.ty, Type::Character(_)) || has_element) && !is_described) || has_lengths_word(dummy);
        let by_value = dummy.attrs.value && matches!(dummy.shape, Shape::Scalar);
        let is_complex = by_value && matches!(dummy.ty, Type::Complex(_));
        let words = words + usize::from(length) + usize::from(is_complex) + assumed_lengths(dummy);
        out.words.extend(vec![Val::i64(0); words]);
        out.keys.push(if is_ranked { ArgKey::Rank { rank: 0, assumed_size: false } } else { ArgKey::Any });
    }

    /// Passes a value for a dummy with VALUE.
    pub(crate) fn pass_computed(&mut self, value: &Value, ty: &Type, out: &mut Passed) {
        match value {
            Value::Complex(re, im) => out.words.extend([*re, *im]),
            Value::Char(mem, len) => {
                let addr = self.address(*mem);
                out.words.extend([addr, *len]);
            }
            Value::Object(mem) if out.service => {
                let word = self.load_word(*mem);
                out.words.push(word);
            }
            Value::Object(mem) => {
                let addr = self.address(*mem);
                out.words.push(addr);
            }
            _ => {
                let v = self.as_scalar(value, ty);
                out.words.push(v);
            }
        }
        out.keys.push(match value {
            Value::Char(mem, _) => self.space_key(mem.space),
            _ => ArgKey::Any,
        });
    }

    /// In device code procedures are cloned by the spaces of their arguments.
    pub(crate) fn space_key(&self, space: Space) -> ArgKey {
        if self.side() == Side::Device { ArgKey::Space(space) } else { ArgKey::Any }
    }

    /// The address of a view's elements, one after another.
    pub(crate) fn contiguous_address(
        &mut self,
        view: &ArrayView,
        ty: &Type,
        dummy: &Variable,
        out: &mut Passed,
    ) -> Val {
        let intent = dummy.attrs.intent;
        let base = self.address(view.mem);
        let test = self.contiguity_test(view);
        if crate::builder::arith::is(test, 1) {
            return base;
        }
        let scattered = self.negate(test);
        if self.side() == Side::Device {
            self.when(scattered, |this| {
                this.unsupported("an array section with gaps as an argument of this procedure");
            });
            return base;
        }
        let addr = self.mutable(Ty::I64);
        self.set(addr, base);
        let location = match self.is_remote(view.mem) {
            true => DEVICE_MEMORY,
            false if goes_to_device(dummy, out) => MANAGED_MEMORY,
            false => HOST_MEMORY,
        };
        let extents = view.extents();
        let count = self.product(&extents);
        let bytes = self.imul(count, view.element);
        let bytes = self.object_room(ty, bytes);
        // What objects own goes with them, and comes back, or is given back, with them.
        let copied = intent != Some(Intent::Out) || has_allocatable(self.program(), ty);
        self.when(scattered, |this| {
            let args = vec![Val::i32(location), bytes, Val::i64(0), Val::i64(0), Val::i32(0)];
            let fresh = this.rt(Rt::Alloc, args);
            if let Some(&fresh) = fresh.first() {
                this.set(addr, fresh);
            }
            let dense = this.dense(MemRef::at(addr.into(), view.mem.space), view.element, view.len, &extents);
            this.keep_lengths(&dense, view, ty);
            if copied {
                match location {
                    // The host reads it: kernels that were launched have to end first.
                    MANAGED_MEMORY if out.to_kernel => _ = this.rt(Rt::CudaDeviceSynchronize, Vec::new()),
                    DEVICE_MEMORY => this.wait_for_stream(out.stream),
                    _ => {}
                }
                this.move_array(&dense, view, ty);
                if location == DEVICE_MEMORY && out.stream.is_some() {
                    this.wait_for_stream(Some(Val::i64(0)));
                }
            }
        });
        let dense = self.dense(MemRef::at(addr.into(), view.mem.space), view.element, view.len, &extents);
        out.back.push(CopyBack::Array {
            when: scattered,
            from: dense,
            to: (intent != Some(Intent::In)).then(|| view.clone()),
            ty: ty.clone(),
            free: Some(Allocation { location, addr: addr.into(), may_be_null: false }),
        });
        addr.into()
    }

    /// Waits for the stream that a launch names. The copies of its arguments are in the default stream, which need not wait for that.
    pub(crate) fn wait_for_stream(&mut self, stream: Option<Val>) {
        if let Some(stream) = stream {
            self.rt(Rt::CudaStreamSynchronize, vec![stream]);
        }
    }

    /// A copy of a value in managed memory, which is given back after the call.
    pub(super) fn managed_copy(&mut self, view: &ArrayView, ty: &Type, out: &mut Passed) -> ArrayView {
        let extents = view.extents();
        let count = self.product(&extents);
        let bytes = self.imul(count, view.element);
        let bytes = self.object_room(ty, bytes);
        let args = vec![Val::i32(MANAGED_MEMORY), bytes, Val::i64(0), Val::i64(0), Val::i32(0)];
        let Some(&addr) = self.rt(Rt::Alloc, args).first() else { return view.clone() };
        let dense = self.dense(MemRef::at(addr.into(), view.mem.space), view.element, view.len, &extents);
        self.keep_lengths(&dense, view, ty);
        self.move_array(&dense, view, ty);
        out.back.push(CopyBack::Array {
            when: Val::pred(true),
            from: dense.clone(),
            to: None,
            ty: ty.clone(),
            free: Some(Allocation { location: MANAGED_MEMORY, addr: addr.into(), may_be_null: false }),
        });
        dense
    }

    /// A descriptor of nothing.
    pub(crate) fn empty_descriptor(&mut self, rank: u8) -> MemRef {
        // A polymorphic object has its type behind its descriptor.
        let bytes = ir::descriptor::bytes(u32::from(rank)) + 8;
        let (_, mem) = self.slot(bytes, 8, "descriptor", source::Span::NONE);
        self.desc_begin(mem, rank);
        mem
    }

    /// Adapts words to the types of a service's parameters.
    pub(crate) fn fit_words(&mut self, words: Vec<(Val, Ty)>, params: &[Ty]) -> Vec<Val> {
        words
            .into_iter()
            .enumerate()
            .map(|(i, (v, ty))| match params.get(i) {
                Some(&want) if want != ty => self.cast(v, ty, want),
                _ => v,
            })
            .collect()
    }
}

/// Whether an expression is the number of an address, which is another one for C.
fn gives_address(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Convert(part) => matches!(e.ty, Type::Integer(8)) && gives_address(part),
        ExprKind::Intrinsic { id: Intrinsic::Loc, .. } => matches!(e.ty, Type::Integer(8)),
        _ => false,
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Passes an expression or variable for a dummy.
    pub(crate) fn pass(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        if out.to_c && has_c_descriptor(dummy) {
            return self.pass_to_c(dummy, e, out);
        }
        if matches!(dummy.ty, Type::Any) && !dummy.attrs.class && is_made(self.b.program(), &e.ty) {
            return self.pass_bytes_of_made(dummy, e, out);
        }
        let at = out.keys.len();
        let is_ranked = self.b.module().is_ranked(dummy);
        self.pass_data(dummy, e, out);
        if let (true, Some(key)) = (is_ranked, out.keys.get_mut(at)) {
            *key = self.rank_key(e);
        }
        if let (true, true, Some(key)) = (out.to_c, gives_address(e), out.keys.get_mut(at)) {
            *key = ArgKey::Address;
        }
    }

    fn pass_data(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        if out.to_kernel && is_part_of_made(self.b.program(), e) && !dummy.attrs.value {
            self.b.unsupported(
                "a component of a polymorphic managed object with run-time lengths as an argument of a kernel",
            );
            return self.b.pass_absent(dummy, out);
        }
        if matches!(e.kind, ExprKind::Null) && !dummy.attrs.allocatable && !dummy.attrs.pointer {
            // What is disassociated is absent.
            return self.b.pass_absent(dummy, out);
        }
        let is_pointer = dummy.attrs.allocatable || dummy.attrs.pointer;
        if !is_pointer && !dummy.attrs.optional && !out.service && !out.to_c {
            self.check_argument(dummy, e);
        }
        let is_changed = dummy.attrs.intent != Some(Intent::In) && !dummy.attrs.value;
        if !is_pointer && (is_changed || dummy.attrs.target) && self.is_scattered(e) {
            return self.pass_parts(dummy, e, out);
        }
        if dummy.attrs.class && !is_pointer {
            let is_prepared = self.lookup(e).is_some() && !(out.elemental && self.b.is_host());
            if is_flat(self.b.program(), &e.ty) && !is_prepared {
                return self.pass_twin(dummy, e, out);
            }
            return self.pass_class(dummy, e, out);
        }
        if is_pointer {
            self.pass_descriptor(dummy, e, out);
            if has_lengths_word(dummy) {
                let word = self.lengths_word(e);
                out.words.push(word);
            }
            return;
        }
        if dummy.attrs.value && is_flat(self.b.program(), &dummy.ty) && matches!(dummy.shape, Shape::Scalar) {
            return self.pass_flat_by_value(dummy, e, out);
        }
        match (is_made(self.b.program(), &dummy.ty), is_made(self.b.program(), &e.ty)) {
            (true, false) => self.pass_twin(dummy, e, out),
            (false, true) if !dummy.attrs.value => self.pass_flat_twin(dummy, e, out),
            _ if makes_flat(self.b.program(), e) && self.lookup(e).is_none() => self.pass_flat_value(dummy, e, out),
            _ => self.pass_plain(dummy, e, out),
        }
    }

    fn pass_plain(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        self.pass_objects(dummy, e, out);
        self.pass_flat_lengths(dummy, e, out);
    }

    pub(super) fn pass_objects(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        let given = match &e.kind {
            ExprKind::Var(v) if dummy.attrs.optional => self.give_descriptor(*v).map(|old| (*v, old)),
            _ => None,
        };
        match &dummy.shape {
            Shape::Scalar if dummy.attrs.value => self.pass_value(dummy, e, out),
            // Without an interface, an array stands for its first element.
            Shape::Scalar if !out.elemental && self.rank_of(e) > 0 && self.lookup(e).is_none() => {
                self.pass_sequence(dummy, e, out);
            }
            Shape::Scalar => self.pass_reference(dummy, e, out),
            Shape::AssumedShape(_) => self.pass_assumed_shape(dummy, e, out),
            Shape::AssumedRank if self.b.module().is_ranked(dummy) => self.pass_ranked(dummy, e, out),
            Shape::AssumedRank => self.pass_anything(e, out),
            Shape::Explicit(_) | Shape::AssumedSize(..) | Shape::Deferred(_) => self.pass_sequence(dummy, e, out),
        }
        if let Some((v, old)) = given {
            self.storage.set(v, old);
        }
    }

    /// Passes parts of objects as a copy that goes back, or for a dummy with TARGET the parts themselves.
    fn pass_parts(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        let own = if dummy.attrs.target { self.parts_view(e) } else { None };
        let mut back = None;
        let copy = match own {
            Some(own) => own,
            None => {
                let (copy, parts) = self.copy_of_parts(e);
                back = Some(parts);
                copy
            }
        };
        let mut operands = Operands::default();
        operands.insert(e, Operand::View(copy));
        self.with_operands(operands, |this| this.pass_data(dummy, e, out));
        // What is given back to the copy comes first.
        out.back.extend(back);
    }

    /// Gives an optional dummy that is allocatable, a pointer or polymorphic a descriptor of nothing if it is absent; returns
    /// the storage that it had. Its data can be passed on then, whether it is there or not.
    pub(crate) fn give_descriptor(&mut self, v: VarId) -> Option<VarStorage> {
        if !self.b.program().var(v).attrs.optional {
            return None;
        }
        let old = self.storage_of(v)?;
        let VarStorage::Described(d) = &old else { return None };
        let DescriptorAt::Mem(mem) = d.at else { return None };
        let present = self.presence(v);
        let slot = self.b.empty_descriptor(d.rank);
        let empty = Descriptor { at: DescriptorAt::Mem(slot), ..d.clone() };
        let nothing = MemRef::at(Val::i64(0), d.data);
        let view = self.b.dense(nothing, Val::i64(0), None, &vec![Val::i64(0); usize::from(d.rank)]);
        self.b.desc_set(&empty, &ArrayView { tag: d.class.then_some(Val::i64(0)), ..view });
        let (given, own) = (self.b.address(mem), self.b.address(slot));
        let addr = self.b.select(Ty::I64, present, given, own).into();
        let at = DescriptorAt::Mem(MemRef { addr, offset: 0, ..mem });
        self.storage.set(v, VarStorage::Described(Descriptor { at, ..d.clone() }));
        Some(old)
    }

    fn pass_value(&mut self, dummy: &Variable, e: &'p Expr, out: &mut Passed) {
        let value = self.value(e);
        // A kernel gets the bytes; what an allocatable component of them points to stays the caller's.
        let launched = dummy.owner.is_some_and(|p| self.b.program().proc(p).kind == ProcKind::Kernel);
        let owns = has_allocatable(self.b.program(), &e.ty) && !launched && self.b.is_host();
        let value = match value {
            // The dummy is the procedure's own, which frees what it owns: it gets a copy.
            Value::Object(from) if owns && !out.service => Value::Object(self.b.deep_copy(from, &e.ty)),
            Value::Object(from)
                if !out.service
                    && !matches!(e.kind, ExprKind::Construct { .. })
                    && (has_final(self.b.program(), &e.ty)
                        || !matches!(e.kind, ExprKind::Call { .. })
                        || is_pointer_result(self.b.program(), e)) =>
            {
                let bytes = const_bytes(self.b.program(), &e.ty).unwrap_or(0);
                let mem = self.b.temporary(Val::i64(bytes as i64), 8);
                self.b.copy_words(mem, from, bytes, align(self.b.program(), &e.ty));
                Value::Object(mem)
            }
            other => other,
        };
        self.b.pass_computed(&value, &e.ty, out);
    }

    /// The value of a scalar expression that is no designator, where variables do not change it.
    pub(crate) fn own_value(&mut self, e: &'p Expr) -> Value {
        let value = self.value(e);
        // The value of these is the variable's own memory.
        let shares =
            matches!(&e.kind, ExprKind::Paren(_) | ExprKind::Intrinsic { id: Intrinsic::Trim | Intrinsic::Merge, .. });
        match value {
            Value::Char(from, bytes) if shares && is_flat(self.b.program(), &e.ty) => {
                let copy = self.b.temporary(bytes, 8);
                self.b.copy_flat_object(copy, from, bytes, &e.ty);
                Value::Char(copy, bytes)
            }
            Value::Char(_, len) if shares => self.b.character_copy(&value, len),
            Value::Object(from) if shares => Value::Object(self.b.owned_copy(from, &e.ty)),
            other => other,
        }
    }

    fn pass_reference(&mut self, dummy: &Variable, e: &'p Expr, out: &mut Passed) {
        let read_only = dummy.attrs.intent == Some(Intent::In);
        let place = if is_designator(e) || self.lookup(e).is_some() {
            self.lvalue(e)
        } else if let ExprKind::Call { proc, args } = &e.kind
            && is_pointer_result(self.b.program(), e)
        {
            // What a pointer that a function gives points to is a variable.
            let view = self.call_array(*proc, args, e);
            element_lvalue(view.mem, view.len)
        } else {
            // A value: what the procedure does to it must not reach a variable.
            match self.own_value(e) {
                Value::Char(mem, len) => Lvalue::Char(mem, len),
                other => Lvalue::Mem(self.b.spill(&other, &e.ty)),
            }
        };
        let (mem, len) = match place {
            Lvalue::Mem(mem) => (mem, None),
            Lvalue::Char(mem, len) => (mem, Some(len)),
            Lvalue::Reg(_) | Lvalue::Complex(..) => {
                let value = self.b.load_value(place, &e.ty);
                let mem = self.b.spill(&value, &e.ty);
                if !read_only {
                    out.back.push(CopyBack::Scalar { from: mem, to: place, ty: e.ty.clone() });
                }
                (mem, None)
            }
        };
        let mem = if self.is_value_for_managed(dummy, e) {
            let element = len.unwrap_or_else(|| self.b.element_bytes(&e.ty, None));
            let view = self.b.dense(mem, element, len, &[]);
            self.b.managed_copy(&view, &e.ty, out).mem
        } else {
            mem
        };
        let addr = self.b.address(mem);
        let addr = self.element_of_absent(dummy, e, addr);
        out.words.push(addr);
        if matches!(dummy.ty, Type::Character(_)) {
            let len = len.or_else(|| const_bytes(self.b.program(), &e.ty).map(|n| Val::i64(n as i64)));
            out.words.push(len.unwrap_or(Val::i64(0)));
        }
        out.keys.push(self.b.space_key(mem.space));
    }

    /// The address of the current element of an optional dummy, or of an array that need not be allocated or associated; 0,
    /// like that of the whole, if it is not there.
    fn element_of_absent(&mut self, dummy: &Variable, e: &'p Expr, addr: Val) -> Val {
        if e.rank == 0 {
            return addr;
        }
        let present = match (&e.kind, self.lookup(e)) {
            (_, Some((Operand::View(view), ..))) if dummy.attrs.optional && may_be_unset(self.b.program(), e) => {
                let base = self.b.address(view.mem);
                self.b.icmp(CmpOp::Ne, base, Val::i64(0))
            }
            (ExprKind::Var(v), _) if self.b.program().var(*v).attrs.optional => self.presence(*v),
            _ => return addr,
        };
        self.b.select(Ty::I64, present, addr, Val::i64(0)).into()
    }

    /// `type(*), dimension(..)`: the address and the bytes of an element. A C pointer stands for the bytes it points to.
    fn pass_anything(&mut self, e: &'p Expr, out: &mut Passed) {
        if out.is_described {
            return self.pass_described(e, out);
        }
        let names_memory = matches!(&e.ty, Type::Derived(id)
            if e.rank == 0 && matches!(&*self.b.program().ty(*id).name, "c_ptr" | "c_devptr"));
        if out.service && names_memory {
            let addr = self.pointer_word(e);
            out.words.extend([addr, Val::i64(1)]);
            out.keys.push(ArgKey::Any);
            return;
        }
        let view = self.view_of_anything(e, out);
        let addr = self.b.address(view.mem);
        out.words.extend([addr, view.element]);
        out.keys.push(self.b.space_key(view.mem.space));
    }

    /// What is passed for `type(*), dimension(..)`, scalar or array, as a view.
    pub(super) fn view_of_anything(&mut self, e: &'p Expr, out: &mut Passed) -> ArrayView {
        if let Some((Operand::View(view), ..)) = self.lookup(e).filter(|_| is_made(self.b.program(), &e.ty)) {
            // Its bytes stand for it.
            return view;
        }
        match self.readable_view(e) {
            Some(view) => view,
            None if e.rank > 0 => self.own_view(e),
            None => {
                let place = self.lvalue(e);
                let mem = match place {
                    Lvalue::Char(mem, len) => return self.b.dense(mem, len, Some(len), &[]),
                    Lvalue::Mem(mem) => mem,
                    other => {
                        let value = self.b.load_value(other, &e.ty);
                        let mem = self.b.spill(&value, &e.ty);
                        out.back.push(CopyBack::Scalar { from: mem, to: other, ty: e.ty.clone() });
                        mem
                    }
                };
                let element = self.b.element_bytes(&e.ty, None);
                self.b.dense(mem, element, None, &[])
            }
        }
    }

    /// An assumed-rank dummy gets what an assumed-shape one of the argument's rank gets.
    fn pass_ranked(&mut self, dummy: &Variable, e: &'p Expr, out: &mut Passed) {
        let view = match self.assumed_rank_view(e) {
            Some(view) => view,
            None if e.rank == 0 => self.view_of_anything(e, out),
            None => self.own_view(e),
        };
        self.pass_view(dummy, view, e, out);
    }

    /// Whether a value is passed for managed data: sema takes it, and it has no memory that device code reaches.
    fn is_value_for_managed(&self, dummy: &Variable, e: &'p Expr) -> bool {
        matches!(dummy.attrs.cuda, Some(ast::CudaAttr::Managed | ast::CudaAttr::Unified))
            && self.b.is_host()
            && !dummy.attrs.value
            && !is_designator(e)
            && !is_pointer_result(self.b.program(), e)
    }

    /// The view of an array that is passed, in memory that its dummy accepts.
    pub(super) fn passed_view(&mut self, dummy: &Variable, e: &'p Expr, out: &mut Passed) -> ArrayView {
        let view = self.own_view(e);
        // A kernel reaches the elements that a vector subscript has collected where it reaches the array.
        let is_collected =
            goes_to_device(dummy, out) && self.b.is_host() && has_vector(e) && !self.b.is_remote(view.mem);
        if !is_collected && !self.is_value_for_managed(dummy, e) {
            return view;
        }
        let view = self.b.plain_view(view, &e.ty);
        self.b.managed_copy(&view, &e.ty, out)
    }

    fn pass_assumed_shape(&mut self, dummy: &Variable, e: &'p Expr, out: &mut Passed) {
        let view = self.passed_view(dummy, e, out);
        self.pass_view(dummy, view, e, out);
    }

    /// Passes address, extents and strides, and the length of characters.
    fn pass_view(&mut self, dummy: &Variable, view: ArrayView, e: &'p Expr, out: &mut Passed) {
        let has_element = matches!(dummy.ty, Type::Any);
        let mut view = if has_element { view } else { self.b.plain_view(view, &e.ty) };
        let mut addr = self.b.address(view.mem);
        if dummy.attrs.contiguous && !view.is_contiguous() && self.b.is_host() {
            // The dummy says that its elements follow each other: a section with gaps is passed as a copy.
            addr = self.b.contiguous_address(&view, &e.ty, dummy, out);
            let mut stride = view.element;
            for d in &mut view.dims {
                d.stride = stride;
                stride = self.b.imul(stride, d.extent);
            }
        }
        out.words.push(addr);
        for d in &view.dims {
            out.words.extend([d.extent, d.stride]);
        }
        out.words.extend(view.len.filter(|_| matches!(dummy.ty, Type::Character(_))));
        if has_element {
            let word = self.element_word(view.element, e);
            out.words.push(word);
        }
        out.keys.push(self.b.space_key(view.mem.space));
    }

    fn pass_sequence(&mut self, dummy: &Variable, e: &'p Expr, out: &mut Passed) {
        if e.rank == 0 {
            // Sequence association: an element stands for the rest of its array.
            return self.pass_reference(dummy, e, out);
        }
        let view = self.passed_view(dummy, e, out);
        let view = self.b.plain_view(view, &e.ty);
        let mem = match self.b.side() {
            Side::Host => {
                let addr = self.b.contiguous_address(&view, &e.ty, dummy, out);
                MemRef::at(addr, view.mem.space)
            }
            Side::Device => self.b.contiguous_on_device(dummy, &view, &e.ty, out),
        };
        let addr = self.b.address(mem);
        out.words.push(addr);
        out.words.extend(view.len.filter(|_| matches!(dummy.ty, Type::Character(_))));
        out.keys.push(self.b.space_key(mem.space));
    }

    fn pass_descriptor(&mut self, dummy: &'p Variable, e: &'p Expr, out: &mut Passed) {
        let rank = if self.b.module().is_ranked(dummy) { e.rank } else { dummy.shape.rank() };
        let own = self.descriptor(e);
        if let (true, Some(d)) = (dummy.attrs.class, own.clone().filter(|d| !d.class)) {
            // A pointer of a declared type for a polymorphic one: a copy that knows the type.
            let view = self.b.desc_view(&d);
            let view = self.b.tagged(view, &e.ty);
            let addr = self.b.descriptor_of(&view);
            if dummy.attrs.intent != Some(Intent::In) {
                out.back.push(CopyBack::Descriptor { from: addr, to: d });
            }
            out.words.push(addr);
            out.keys.push(ArgKey::Any);
            return;
        }
        let mem = match own {
            Some(d) => match &d.at {
                DescriptorAt::Mem(mem) => *mem,
                DescriptorAt::Regs(_) => {
                    // Sema requires a descriptor in memory where it can change; this is a read-only copy.
                    let view = self.b.desc_view(&d);
                    let addr = self.b.descriptor_of(&view);
                    out.back.push(CopyBack::Descriptor { from: addr, to: d.clone() });
                    MemRef::at(addr, self.b.local_space())
                }
            },
            None if matches!(e.kind, ExprKind::Null | ExprKind::Intrinsic { .. }) && e.rank == 0 => {
                self.b.empty_descriptor(rank)
            }
            None => {
                let view = match self.designator_view(e) {
                    Some(view) => view,
                    None if matches!(e.kind, ExprKind::Null) => {
                        let mem = self.b.empty_descriptor(rank);
                        let addr = self.b.address(mem);
                        out.words.push(addr);
                        out.keys.push(self.b.space_key(mem.space));
                        return;
                    }
                    None => self.own_view(e),
                };
                let view = if dummy.attrs.class { self.b.tagged(view, &e.ty) } else { view };
                let addr = self.b.descriptor_of(&view);
                MemRef::at(addr, self.b.local_space())
            }
        };
        if out.service && matches!(dummy.ty, Type::Any) && !matches!(e.ty, Type::Any) {
            // The service allocates the array: it learns the bytes of an element from the descriptor.
            let element = self.b.element_bytes(&e.ty, None);
            self.b.store_scalar(mem.plus(ir::descriptor::ELEMENT_BYTES), Ty::I64, element);
        }
        let addr = self.b.address(mem);
        out.words.push(addr);
        out.keys.push(self.b.space_key(mem.space));
    }
}

/// Whether device code may reach what is passed: a kernel gets it, or a dummy that says so.
fn goes_to_device(dummy: &Variable, out: &Passed) -> bool {
    let is_managed = matches!(dummy.attrs.cuda, Some(ast::CudaAttr::Managed | ast::CudaAttr::Unified));
    out.to_kernel || is_managed || is_device_data(dummy.attrs.cuda)
}

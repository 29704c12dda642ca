//! Procedures: parameters on entry, storage of dummies, the return.
//!
//! On entry each dummy gets its registers. Bounds and lengths are then evaluated into registers in order of need, since a
//! declaration may use another dummy or its shape. Local variables follow. All RETURNs jump to one block, which frees local
//! allocatables and automatic arrays and returns.
//!
//! Not here: local variables (`local`), static variables (`storage`).

use crate::analysis::variables::{const_bounds, has_open_length, is_descriptor};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::intrinsic::random::begin_state;
use crate::module::{ArgKey, Instance, ModuleLowering};
use crate::object::convention::{ResultForm, assumed_lengths, has_element_word, has_lengths_word, result_form};
use crate::procedure::reach::{declared_by, out_of_reach};
use crate::storage::VarStorage;
use crate::types::{Side, align, const_bytes, data_space, has_default, has_end, ir_ty, is_made};
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::descriptor::{Descriptor, DescriptorAt, DescriptorRegs};
use crate::value::lvalue::{Lvalue, MemRef};
use ast::{CudaAttr, Intent};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{AddrBase, FuncId, FuncKind, Function, FunctionBuilder, Reg, Space, Ty, Val};
use sema::checked::{
    CharLen, ProcBody, ProcId, ProcKind, Procedure, Program, Shape, Stmt, StmtKind, Storage, Type, VarId, Variable,
    visit,
};
use std::collections::BTreeSet;

/// Makes the function of an instance.
pub(crate) fn procedure(m: &mut ModuleLowering<'_>, instance: &Instance, id: FuncId) -> Function {
    let program = m.program();
    let proc = program.proc(instance.proc);
    let kind = m.function_kind(id);
    let mut b = FunctionBuilder::new(m.function_name(id), kind, proc.span);
    b.func_mut().max_threads = proc.max_threads;
    b.func_mut().cluster = proc.cluster;
    b.func_mut().cooperative = proc.cooperative;
    // The statements and variables of an entry are those of the procedure that it belongs to.
    let home = proc.entry_of.unwrap_or(instance.proc);
    let mut this = FunctionLowering::new(m, b, instance.side, home);
    if program.main == Some(instance.proc) {
        this.blocks.keep_procedure();
    }
    this.b.set_span(proc.span);
    if let ProcBody::Foreign { symbol, .. } = &proc.body {
        for (i, &v) in proc.params.iter().enumerate() {
            dummy_params(&mut this.b, v, instance.args.get(i).copied().unwrap_or(ArgKey::Any));
        }
        let result = proc.result.map(|v| &program.var(v).ty);
        if let Some(ty @ (Type::Integer(_) | Type::Real(_) | Type::Logical(_))) = result {
            this.b.result(ir_ty(ty));
        }
        this.b.module().import(id, symbol.clone());
        return this.b.finish_function();
    }
    let results = this.enter(instance);
    let flags = this.quiet_flags();
    this.statements(statements(proc));
    if proc.entry_of.is_some() {
        this.statements(statements(program.proc(home)));
    }
    this.leave(&results, flags);
    this.b.finish_function()
}

fn statements(proc: &Procedure) -> &[Stmt] {
    match &proc.body {
        ProcBody::Statements(body) => body,
        ProcBody::Service(_)
        | ProcBody::Foreign { .. }
        | ProcBody::Missing
        | ProcBody::Dispatch { .. }
        | ProcBody::Pointer => &[],
    }
}

/// How the function returns its result.
enum Results {
    None,
    /// The register or registers, or the memory of a scalar with an address.
    Scalar(Lvalue, Type),
}

impl FunctionLowering<'_, '_> {
    fn enter(&mut self, instance: &Instance) -> Results {
        let program = self.b.program();
        let proc = program.proc(instance.proc);
        let hidden = hidden_params(&mut self.b, instance);
        let mut raw: Vec<(VarId, Vec<Reg>, ArgKey)> = Vec::new();
        for (i, &v) in proc.params.iter().enumerate() {
            let key = instance.args.get(i).copied().unwrap_or(ArgKey::Any);
            if let ArgKey::Proc(p) = key {
                self.storage.set(v, VarStorage::Procedure(p));
                continue;
            }
            if key == ArgKey::Pointer {
                let reg = self.b.param(Ty::I64, program.var(v).name.clone());
                self.storage.set(v, VarStorage::Value(crate::value::Value::Scalar(reg.into())));
                continue;
            }
            if matches!(program.var(v).storage, Storage::Procedure) {
                // An optional procedure that was not passed.
                continue;
            }
            let regs = dummy_params(&mut self.b, v, key);
            raw.push((v, regs, key));
        }
        let captured = capture_params(&mut self.b, instance);
        for target in self.b.usage().records[instance.proc.0 as usize].clone() {
            let name = format!("host.{}.record", program.proc(target).name);
            let at = self.b.param(Ty::I64, name);
            self.records.insert(target, MemRef::at(at.into(), self.b.local_space()));
        }
        begin_draws(&mut self.b, instance);
        let home = program.proc(self.b.procedure());
        let out_of_reach = out_of_reach(program, home, proc);
        for &v in &out_of_reach {
            self.bind_to_nothing(v);
        }
        raw.retain(|(v, ..)| !out_of_reach.contains(v));
        for (v, regs, rank) in captured {
            self.bind_capture(v, &regs, rank);
        }
        // Scalars first: bounds are made of them. What needs another dummy for its bounds or length comes after that one.
        let is_scalar = |v: VarId| matches!(program.var(v).shape, Shape::Scalar) && !is_descriptor(program, v);
        let is_assumed = |v: VarId| {
            is_descriptor(program, v) || matches!(program.var(v).shape, Shape::AssumedShape(_) | Shape::AssumedRank)
        };
        raw.sort_by_key(|&(v, ..)| (!is_scalar(v), !is_assumed(v)));
        let mut unbound: BTreeSet<VarId> = raw.iter().map(|(v, ..)| *v).collect();
        while !raw.is_empty() {
            let is_ready = |v: VarId| {
                let var = program.var(v);
                unbound.is_empty() || !declared_by(var, &unbound.iter().copied().filter(|&w| w != v).collect())
            };
            let at = raw.iter().position(|(v, ..)| is_ready(*v)).unwrap_or(0);
            let (v, mut regs, key) = raw.remove(at);
            unbound.remove(&v);
            let given = regs.split_off(regs.len().saturating_sub(assumed_lengths(program.var(v))));
            let given: Vec<Val> = given.into_iter().map(Val::from).collect();
            self.take_flat_lengths(v, &given);
            if is_scalar(v) {
                self.bind_scalar(v, &regs, dummy_space(&self.b, v, key));
            } else {
                self.bind_array(v, &regs, key);
            }
        }
        for &v in proc.params.iter().filter(|v| !out_of_reach.contains(v)) {
            self.check_argument_lengths(v);
        }
        for &v in proc.params.iter().filter(|v| !out_of_reach.contains(v)) {
            self.begin_intent_out(v);
        }
        if program.main == Some(instance.proc) {
            self.make_static_objects();
            self.give_named_procedures();
            self.find_shared_variables();
        }
        let results = self.bind_result(instance, &hidden);
        let nested = block_variables(home);
        for &v in &home.vars {
            if !nested.contains(&v) {
                self.come_to_life(v);
            }
        }
        for &v in &home.vars {
            self.describe(v);
        }
        for v in self.b.usage().captures[instance.proc.0 as usize].clone() {
            self.describe(v);
        }
        results
    }

    fn bind_scalar(&mut self, v: VarId, regs: &[Reg], space: Space) {
        let var = self.b.program().var(v);
        let (Some(&first), second) = (regs.first(), regs.get(1).copied()) else { return };
        let volatile = var.attrs.volatile;
        let storage = if var.attrs.value && var.attrs.is_flat {
            VarStorage::Scalar(self.own_flat_object(v, MemRef { addr: first.into(), offset: 0, space, volatile }), None)
        } else if var.attrs.value {
            match &var.ty {
                Type::Character(_) => {
                    // The caller's bytes may be a variable: the dummy is a copy.
                    let len = self.declared_length(&var.ty).unwrap_or(second.map_or(Val::i64(0), Val::from));
                    let value = crate::value::Value::Char(
                        MemRef::at(first.into(), space),
                        second.map_or(Val::i64(0), Val::from),
                    );
                    let copy = self.b.character_copy(&value, len);
                    let (mem, len) = self.b.as_char(&copy);
                    VarStorage::Scalar(mem, Some(len))
                }
                Type::Derived(_) => {
                    let own = if self.b.side() == Side::Device { Space::Local } else { Space::Host };
                    let mem = MemRef { addr: first.into(), offset: 0, space: own, volatile };
                    // Kernels get what it owns with it; for procedures of the host the caller has copied it.
                    if self.b.func().kind == FuncKind::Device {
                        let object = self.b.object_view(mem, &var.ty);
                        self.b.own_objects(&object, &var.ty);
                    }
                    VarStorage::Scalar(mem, None)
                }
                ty if self.b.usage().in_memory.contains(&v) => {
                    let (bytes, align) = (const_bytes(self.b.program(), ty).unwrap_or(8), align(self.b.program(), ty));
                    let (_, mut mem) = self.b.slot(bytes, align, &var.name, var.span);
                    let value = match second {
                        Some(im) => crate::value::Value::Complex(first.into(), im.into()),
                        None => crate::value::Value::Scalar(first.into()),
                    };
                    self.b.store_value(Lvalue::Mem(mem), ty, &value);
                    mem.volatile = volatile;
                    VarStorage::Scalar(mem, None)
                }
                _ => second.map_or(VarStorage::Reg(first), |im| VarStorage::Complex(first, im)),
            }
        } else {
            let mut mem = MemRef { addr: first.into(), offset: 0, space, volatile };
            let len = self.declared_length(&var.ty).or(second.map(Val::from));
            if var.attrs.copied {
                mem = self.copied(v, mem);
            }
            VarStorage::Scalar(mem, len.filter(|_| matches!(var.ty, Type::Character(_))))
        };
        self.storage.set(v, storage);
    }

    /// The procedure's own copy of a dummy that is there; no address if it is absent.
    fn copied(&mut self, v: VarId, given: MemRef) -> MemRef {
        let program = self.b.program();
        let var = program.var(v);
        let (bytes, align) = (const_bytes(program, &var.ty).unwrap_or(8), align(program, &var.ty));
        let (_, slot) = self.b.slot(bytes, align, &var.name, var.span);
        let present = self.b.icmp(CmpOp::Ne, given.addr, Val::i64(0));
        self.when(present, |this| this.b.copy_words(slot, given, bytes, align));
        let own = self.b.address(slot);
        let addr = self.b.select(Ty::I64, present, own, Val::i64(0)).into();
        MemRef { addr, offset: 0, ..slot }
    }

    fn bind_array(&mut self, v: VarId, regs: &[Reg], key: ArgKey) {
        let var = self.b.program().var(v);
        let space = dummy_space(&self.b, v, key);
        let Some(&first) = regs.first() else { return };
        let mem = MemRef { addr: first.into(), offset: 0, space, volatile: var.attrs.volatile };
        let storage = if is_descriptor(self.b.program(), v) {
            self.take_lengths(v, regs.get(1).map(|&r| r.into()));
            let rank = if let ArgKey::Rank { rank, .. } = key { rank } else { var.shape.rank() };
            let d = self.desc_ranked(v, rank, DescriptorAt::Mem(mem));
            let is_plain = var.attrs.class && !var.attrs.allocatable && !var.attrs.pointer;
            let assumed_size = matches!(key, ArgKey::Rank { assumed_size: true, .. });
            let d = Descriptor { assumed_size, ..d };
            VarStorage::Described(if is_plain && rank > 0 { self.with_declared_bounds(v, d) } else { d })
        } else if let ArgKey::Rank { rank, assumed_size } = key {
            let words: Vec<Val> = regs[1..].iter().map(|&r| r.into()).collect();
            self.assumed_rank_storage(v, mem, &words, (rank, assumed_size))
        } else if let Shape::AssumedShape(_) = &var.shape {
            let rank = usize::from(var.shape.rank());
            let pairs: Vec<(Val, Val)> =
                regs[1..].chunks_exact(2).take(rank).map(|c| (c[0].into(), c[1].into())).collect();
            let mut len = self.declared_length(&var.ty).or(regs.get(1 + 2 * rank).map(|&r| r.into()));
            if matches!(var.ty, Type::Any) {
                len = len.map(|word| self.take_element_word(v, word));
            }
            self.assumed_shape_storage(v, mem, len, &pairs)
        } else {
            let len = self.declared_length(&var.ty).or(regs.get(1).map(|&r| r.into()));
            let len = len.filter(|_| matches!(var.ty, Type::Character(_)));
            self.storage_with_length(v, mem, len)
        };
        let storage = match storage {
            VarStorage::Array(view) if var.attrs.value => VarStorage::Array(self.own_array(view, &var.ty)),
            storage => storage,
        };
        self.storage.set(v, storage);
    }

    /// A copy of an array that has VALUE, with its bounds; it is there until the procedure returns.
    fn own_array(&mut self, view: ArrayView, ty: &Type) -> ArrayView {
        let view = self.sized_view(view, ty);
        let mut own = self.b.temporary_array(ty, view.len, &view.extents());
        self.b.copy_array(&own, &view, ty);
        own.dims.iter_mut().zip(&view.dims).for_each(|(dim, of)| dim.lower = of.lower);
        self.b.with_origin(own)
    }

    /// The storage of an assumed-rank dummy that is an array of this rank, by the words behind its address: extent and stride of each
    /// dimension, then a length.
    pub(crate) fn assumed_rank_storage(
        &mut self,
        v: VarId,
        mem: MemRef,
        words: &[Val],
        (rank, assumed_size): (u8, bool),
    ) -> VarStorage {
        let var = self.b.program().var(v);
        let mut len = self.declared_length(&var.ty).or(words.get(2 * usize::from(rank)).copied());
        let is_any = matches!(var.ty, Type::Any);
        if is_any {
            len = len.map(|word| self.take_element_word(v, word));
        }
        let element = if is_any { len.unwrap_or(Val::i64(0)) } else { self.b.element_bytes(&var.ty, len) };
        let len = len.filter(|_| matches!(var.ty, Type::Character(_)));
        if rank == 0 && !is_any {
            return VarStorage::Scalar(mem, len);
        }
        let pairs = words.chunks_exact(2).take(usize::from(rank));
        let dims = pairs.map(|c| ArrayDim { lower: Val::i64(1), extent: c[0], stride: c[1], gather: None }).collect();
        let contiguity = if assumed_size { Contiguity::Yes } else { Contiguity::Unknown };
        let view = ArrayView { mem, origin: None, dims, element, len, tag: None, contiguity, assumed_size };
        VarStorage::Array(self.b.with_origin(view))
    }

    /// The storage of an assumed-shape dummy; `pairs` are extent and stride per dimension.
    pub(crate) fn assumed_shape_storage(
        &mut self,
        v: VarId,
        mem: MemRef,
        len: Option<Val>,
        pairs: &[(Val, Val)],
    ) -> VarStorage {
        let var = self.b.program().var(v);
        let Shape::AssumedShape(lowers) = &var.shape else { return VarStorage::Scalar(mem, len) };
        let element = match var.ty {
            Type::Any => len.unwrap_or(Val::i64(0)),
            _ => self.bytes_of_variable(v, len),
        };
        let len = len.filter(|_| matches!(var.ty, Type::Character(_)));
        let mut dims = Vec::with_capacity(lowers.len());
        for (i, (lower, &(extent, stride))) in lowers.iter().zip(pairs).enumerate() {
            let lower = self.bound(lower);
            let stride = if var.attrs.contiguous && i == 0 { element } else { stride };
            dims.push(ArrayDim { lower, extent, stride, gather: None });
        }
        let contiguity = if var.attrs.contiguous { Contiguity::Yes } else { Contiguity::Unknown };
        let view = ArrayView { mem, origin: None, dims, element, len, tag: None, contiguity, assumed_size: false };
        VarStorage::Array(self.b.with_origin(view))
    }

    fn bind_capture(&mut self, v: VarId, regs: &[Reg], key: ArgKey) {
        let program = self.b.program();
        let var = program.var(v);
        let Some(&first) = regs.first() else { return };
        let rank = captured_rank(var, key);
        let assumed_size =
            matches!(var.shape, Shape::AssumedSize(..)) || matches!(key, ArgKey::Rank { assumed_size: true, .. });
        if matches!(var.storage, Storage::Procedure) {
            self.storage.set(v, VarStorage::Value(crate::value::Value::Scalar(first.into())));
            return;
        }
        let space = data_space(self.b.side(), var.attrs.cuda, false);
        let mem = MemRef { addr: first.into(), offset: 0, space, volatile: var.attrs.volatile };
        if var.attrs.is_flat && !is_descriptor(program, v) {
            let own = regs.iter().rev().take(var.attrs.lengths.len()).rev();
            self.storage.set_lengths(v, own.map(|&reg| Some(reg.into())).collect());
        }
        let storage = if is_descriptor(program, v) {
            self.take_lengths(v, regs.get(1).map(|&r| r.into()));
            let mem = MemRef { space: self.b.local_space(), ..mem };
            // What a declared length was computed from may be out of reach here; the descriptor knows it.
            let known = matches!(var.ty, Type::Character(CharLen::Expr(_))).then(|| {
                let bytes = self.b.load_word(mem.plus(ir::descriptor::ELEMENT_BYTES));
                self.b.freeze(bytes)
            });
            let d = self.desc_of_length(v, rank, DescriptorAt::Mem(mem), known);
            VarStorage::Described(Descriptor { assumed_size, ..d })
        } else {
            let len = match &var.ty {
                Type::Character(CharLen::Const(n)) => Some(Val::i64((*n).max(0))),
                Type::Character(_) | Type::Any => regs.last().map(|&r| r.into()),
                _ => None,
            };
            if rank == 0 && !matches!((&var.ty, &var.shape), (Type::Any, Shape::AssumedRank)) {
                VarStorage::Scalar(mem, len)
            } else if const_bounds(&var.shape).is_some() && !has_open_length(&var.ty) {
                self.storage_with_length(v, mem, len)
            } else {
                let dims = regs[1..]
                    .chunks_exact(3)
                    .take(usize::from(rank))
                    .map(|c| ArrayDim { lower: c[0].into(), extent: c[1].into(), stride: c[2].into(), gather: None })
                    .collect();
                let element = self.bytes_of_variable(v, len);
                let len = len.filter(|_| matches!(var.ty, Type::Character(_)));
                let assumed = matches!(var.shape, Shape::AssumedShape(_) | Shape::AssumedRank) && !assumed_size;
                let contiguity = if assumed { Contiguity::Unknown } else { Contiguity::Yes };
                let view = ArrayView { mem, origin: None, dims, element, len, tag: None, contiguity, assumed_size };
                VarStorage::Array(self.b.with_origin(view))
            }
        };
        self.storage.set(v, storage);
    }

    /// Resets an INTENT(OUT) dummy: the data of an allocatable is freed, objects take their default values.
    fn begin_intent_out(&mut self, v: VarId) {
        let program = self.b.program();
        let var = program.var(v);
        let starts = var.attrs.allocatable
            || var.attrs.class
            || has_default(program, &var.ty)
            || has_end(program, &var.ty)
            || is_made(program, &var.ty);
        if var.attrs.intent != Some(Intent::Out) || var.attrs.pointer || !starts {
            return;
        }
        if matches!(var.shape, Shape::AssumedSize(..)) {
            return;
        }
        let present = self.presence(v);
        self.when(present, |this| {
            if var.attrs.class && !var.attrs.allocatable {
                return this.begin_class(v);
            }
            if var.attrs.allocatable || !is_made(program, &var.ty) {
                this.free_variable(v);
            }
            if !var.attrs.allocatable {
                this.initialise_variable(v);
            }
        });
    }

    fn bind_result(&mut self, instance: &Instance, hidden: &[Reg]) -> Results {
        let program = self.b.program();
        let proc = program.proc(instance.proc);
        let Some(v) = proc.result.filter(|_| proc.is_function) else { return Results::None };
        let var = program.var(v);
        let Some(&addr) = hidden.first() else {
            self.scalar_local(v);
            return match self.variable_lvalue(v) {
                Some(place) => Results::Scalar(place, var.ty.clone()),
                None => Results::None,
            };
        };
        let space = match self.b.side() {
            Side::Host if is_descriptor(program, v) => Space::Host,
            Side::Host => data_space(Side::Host, var.attrs.cuda, false),
            Side::Device => Space::Generic,
        };
        let mem = MemRef::at(addr.into(), space);
        let storage = if is_descriptor(program, v) {
            VarStorage::Described(self.desc(v, DescriptorAt::Mem(mem)))
        } else {
            // Bounds may ask for the shapes of local arrays, which are not there yet.
            let mut shapes = Vec::new();
            self.bind_shapes(instance.proc, v, &mut shapes);
            let len = self.declared_length(&var.ty).or(hidden.get(1).map(|&r| r.into()));
            let storage = self.storage_with_length(v, mem, len.filter(|_| matches!(var.ty, Type::Character(_))));
            self.unbind(shapes);
            storage
        };
        self.storage.set(v, storage);
        self.note_lengths(v);
        self.initialise_variable(v);
        Results::None
    }

    /// Frees what dummies with VALUE own: they are copies, which are not finalised.
    fn release_values(&mut self) {
        let program = self.b.program();
        for &v in &program.proc(self.b.procedure()).params {
            let var = program.var(v);
            if var.attrs.value && var.attrs.is_flat {
                self.free_flat_value(v);
            }
            if self.b.func().kind == FuncKind::Kernel {
                continue;
            }
            if let (true, Some(VarStorage::Scalar(mem, _))) = (var.attrs.value, self.storage.get(v)) {
                let mem = *mem;
                self.b.release(mem, &var.ty);
            }
        }
    }

    /// A procedure that asks for IEEE flags or sets modes begins with quiet flags; those that were raised and the modes come back when it
    /// returns (Fortran 2018, 17.3 to 17.6). Gives what they were.
    fn quiet_flags(&mut self) -> Option<Val> {
        let (program, me) = (self.b.program(), self.b.procedure());
        let minds = self.b.is_host() && program.main != Some(me) && self.b.usage().minds_exceptions.contains(&me);
        if !minds || self.b.is_embedded() {
            return None;
        }
        self.exchange_flags(4, Val::i32(0))
    }

    fn exchange_flags(&mut self, what: i32, value: Val) -> Option<Val> {
        let word = self.b.usage().asks_exceptions?;
        let word = self.b.module().global(word, Side::Host);
        let address = self.b.addr_of(AddrBase::Global(word));
        self.b.rt(Rt::RealState, vec![Val::i32(what), value, address]).first().map(|&r| r.into())
    }

    fn leave(&mut self, results: &Results, flags: Option<Val>) {
        let proc = self.b.program().proc(self.b.procedure());
        let end = self.b.return_block();
        self.b.jump(end);
        self.b.switch_to(end);
        if proc.end.is_none() {
            self.b.set_span(proc.span);
        } else {
            self.b.mark(proc.end);
        }
        self.leave_block(0);
        self.release_values();
        let values = match results {
            Results::None => Vec::new(),
            Results::Scalar(place, ty) => match self.b.load_value(*place, ty) {
                crate::value::Value::Complex(re, im) => vec![re, im],
                other => vec![self.b.as_scalar(&other, ty)],
            },
        };
        // Copies of arguments with VALUE, and what the declarations made.
        self.b.leave_scopes(0..1);
        if let Some(flags) = flags {
            self.exchange_flags(5, flags);
        }
        self.b.ret(values);
    }
}

/// The variables of BLOCKs, and names that come to life within a statement.
fn block_variables(proc: &sema::checked::Procedure) -> BTreeSet<VarId> {
    let mut out = BTreeSet::new();
    if let ProcBody::Statements(body) = &proc.body {
        visit::statements(body, &mut |s| match &s.kind {
            StmtKind::Block { vars, .. } => out.extend(vars.iter().copied()),
            StmtKind::Io(io) => visit::io_targets(&io.items, &mut |v| {
                out.insert(v);
            }),
            _ => {}
        });
    }
    out
}

/// Descriptor registers for a variable of that rank.
pub(crate) fn descriptor_registers(b: &mut FunctionBuilder, rank: u8, has_length: bool) -> DescriptorRegs {
    let mut reg = || b.mutable(Ty::I64);
    let base = reg();
    let len = has_length.then(&mut reg);
    let dims = (0..rank).map(|_| [reg(), reg(), reg()]).collect();
    DescriptorRegs { base, len, dims }
}

fn hidden_params(b: &mut Builder<'_, '_>, instance: &Instance) -> Vec<Reg> {
    let program = b.program();
    match result_form(program, program.proc(instance.proc)) {
        ResultForm::None => Vec::new(),
        ResultForm::Registers(tys) => {
            tys.into_iter().for_each(|ty| b.result(ty));
            Vec::new()
        }
        ResultForm::Hidden(length) => {
            let mut regs = vec![b.param(Ty::I64, "result")];
            if length {
                regs.push(b.param(Ty::I64, "result.len"));
            }
            regs
        }
    }
}

/// The parameters of a dummy.
fn dummy_params(b: &mut Builder<'_, '_>, v: VarId, key: ArgKey) -> Vec<Reg> {
    let program = b.program();
    let var = program.var(v);
    let name = &var.name;
    if is_descriptor(program, v) {
        let mut regs = vec![b.param(Ty::I64, name.clone())];
        if has_lengths_word(var) {
            regs.push(b.param(Ty::I64, format!("{name}.lengths")));
        }
        return regs;
    }
    let mut regs = Vec::new();
    match &var.shape {
        Shape::Scalar if var.attrs.value && !var.attrs.is_flat => match &var.ty {
            Type::Complex(_) => {
                let ty = ir_ty(&var.ty);
                regs.push(b.mutable_param(ty, format!("{name}%re")));
                regs.push(b.mutable_param(ty, format!("{name}%im")));
            }
            Type::Derived(_) => {
                let bytes = const_bytes(program, &var.ty).unwrap_or(0);
                regs.push(b.bytes_param(bytes, align(program, &var.ty), name.clone()));
            }
            Type::Character(_) => regs.push(b.param(Ty::I64, name.clone())),
            ty => regs.push(b.mutable_param(ir_ty(ty), name.clone())),
        },
        Shape::AssumedShape(_) | Shape::AssumedRank => {
            regs.push(base_param(b, v));
            let rank = if let ArgKey::Rank { rank, .. } = key { rank } else { var.shape.rank() };
            for dim in 1..=rank {
                regs.push(b.param(Ty::I64, format!("{name}.extent{dim}")));
                regs.push(b.param(Ty::I64, format!("{name}.stride{dim}")));
            }
        }
        _ => regs.push(base_param(b, v)),
    }
    if matches!(var.ty, Type::Character(_)) {
        regs.push(b.param(Ty::I64, format!("{name}.len")));
    }
    let is_plain = !matches!(key, ArgKey::Rank { .. });
    if has_element_word(var) || (matches!(var.shape, Shape::AssumedRank) && (is_plain || matches!(var.ty, Type::Any))) {
        regs.push(b.param(Ty::I64, format!("{name}.element")));
    }
    regs.extend((0..assumed_lengths(var)).map(|i| b.param(Ty::I64, format!("{name}.length{}", i + 1))));
    regs
}

/// The parameter with the address of a dummy.
fn base_param(b: &mut Builder<'_, '_>, v: VarId) -> Reg {
    let var = b.program().var(v);
    let attrs = &var.attrs;
    let unaliased = !(attrs.target || attrs.pointer || attrs.volatile || attrs.value);
    let reg = b.param(Ty::I64, var.name.clone());
    if unaliased {
        b.last_param_is_unaliased();
    }
    reg
}

/// The space in which a by-reference dummy is passed.
fn dummy_space(b: &Builder<'_, '_>, v: VarId, key: ArgKey) -> Space {
    let cuda = b.program().var(v).attrs.cuda;
    match (b.side(), key) {
        (Side::Host, _) => data_space(Side::Host, cuda, false),
        (Side::Device, ArgKey::Space(space)) => space,
        (Side::Device, _) if b.func().kind == FuncKind::Kernel => Space::Global,
        (Side::Device, _) => match cuda {
            Some(CudaAttr::Shared) => Space::Shared,
            _ => Space::Generic,
        },
    }
}

/// The parameters for variables of the host procedure.
fn capture_params(b: &mut Builder<'_, '_>, instance: &Instance) -> Vec<(VarId, Vec<Reg>, ArgKey)> {
    let program = b.program();
    let captures: Vec<VarId> = b.usage().captures[instance.proc.0 as usize].iter().copied().collect();
    let mut ranks = instance.args.iter().skip(program.proc(instance.proc).params.len()).copied();
    let mut out = Vec::new();
    for v in captures {
        let var = program.var(v);
        let has_rank = matches!(var.shape, Shape::AssumedRank);
        let key = has_rank.then(|| ranks.next()).flatten().unwrap_or(ArgKey::Any);
        let parts = capture_parts(program, v, captured_rank(var, key));
        out.push((
            v,
            parts.into_iter().map(|part| b.param(Ty::I64, format!("host.{}{part}", var.name))).collect(),
            key,
        ));
    }
    out
}

/// The rank of a variable of the host: that of an assumed-rank dummy is the one that this function is made for.
fn captured_rank(var: &Variable, key: ArgKey) -> u8 {
    match key {
        ArgKey::Rank { rank, .. } => rank,
        _ => var.shape.rank(),
    }
}

/// How many words say where the variables of its host are that a procedure needs.
pub(crate) fn capture_words(b: &Builder<'_, '_>, proc: ProcId) -> usize {
    let variables = b.usage().captures[proc.0 as usize].iter().map(|&v| {
        let rank = b.program().var(v).shape.rank();
        capture_parts(b.program(), v, rank).len()
    });
    variables.sum::<usize>() + b.usage().records[proc.0 as usize].len()
}

/// What is passed for a variable of the host: its address, and what the declaration leaves open.
fn capture_parts(program: &Program, v: VarId, rank: u8) -> Vec<String> {
    let var = program.var(v);
    let mut parts = vec![String::new()];
    if is_descriptor(program, v) || matches!(var.storage, Storage::Procedure) {
        if captures_lengths(var) {
            parts.push(".lengths".to_owned());
        }
        return parts;
    }
    let open = has_open_length(&var.ty);
    if rank > 0 && (const_bounds(&var.shape).is_none() || open) {
        for dim in 1..=rank {
            parts.extend(["lower", "extent", "stride"].map(|what| format!(".{what}{dim}")));
        }
    }
    if open {
        parts.push(".len".to_owned());
    }
    if matches!(var.ty, Type::Any) {
        parts.push(".element".to_owned());
    }
    if var.attrs.is_flat {
        parts.extend((1..=var.attrs.lengths.len()).map(|i| format!(".length{i}")));
    }
    parts
}

/// Whether the address of the length parameters that a declaration gives follows that of the descriptor.
pub(crate) fn captures_lengths(var: &Variable) -> bool {
    let attrs = &var.attrs;
    let is_passed = |n: &CharLen| match n {
        CharLen::Assumed | CharLen::Expr(_) => true,
        CharLen::Deferred => attrs.is_flat,
        CharLen::Const(_) => false,
    };
    (attrs.allocatable || attrs.pointer) && attrs.lengths.iter().any(is_passed)
}

/// A thread has the state of its generator of random numbers in a slot of its kernel, whose address device procedures get.
fn begin_draws(b: &mut Builder<'_, '_>, instance: &Instance) {
    if b.side() == Side::Host || !b.usage().draws.contains(&instance.proc) {
        return;
    }
    if b.program().proc(instance.proc).kind == ProcKind::Kernel {
        begin_state(b);
    } else {
        let state = MemRef::at(b.param(Ty::I64, "draws").into(), Space::Local);
        b.set_random_state(state);
    }
}

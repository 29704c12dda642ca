//! Local variables: their creation on entry to a procedure or BLOCK and their end.
//!
//! Scalars of intrinsic type and descriptors of allocatables and pointers live in registers unless their address is needed.
//! Arrays of known size, and everything with an address, are slots of the frame (of the thread on the device). Other arrays
//! are allocated on entry. Shared variables belong to the block: the compiler places those of known size, `(*)` arrays start
//! where dynamic shared memory starts, and automatic ones follow each other from there in the order of their declarations.
//!
//! Variables of the main program are static, but it is entered once: those without an address live in registers too.
//!
//! Not here: which variables need an address (`analysis::usage`).

use crate::analysis::designators::{is_pointer_result, keeps_bounds};
use crate::analysis::variables::{
    const_bounds, has_open_length, has_register, is_descriptor, is_sequence, lives_in_main,
};
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::procedure::entry::descriptor_registers;
use crate::storage::VarStorage;
use crate::targets::Open;
use crate::types::{
    HOST_MEMORY, MANAGED_MEMORY, Side, align, alloc_where, const_bytes, ir_ty, is_device_data, is_flat,
};
use crate::value::Value;
use crate::value::array_view::{ArrayDim, ArrayView};
use crate::value::descriptor::DescriptorAt;
use crate::value::lvalue::{Allocation, Lvalue, MemRef};
use ast::CudaAttr;
use ir::rt::Rt;
use ir::{AddrBase, SharedSize, SharedVar, Space, Val};
use sema::checked::{ExprKind, ProcKind, Shape, Storage, Type, VarId};

/// Arrays of host code up to this size are slots of the frame, larger ones are allocated: the stack is not made for them.
const LARGEST_LOCAL: u64 = 256 * 1024;

impl<'p> FunctionLowering<'_, 'p> {
    /// Gives a variable its storage, if it has none yet and does not get it at its first use.
    pub(crate) fn come_to_life(&mut self, v: VarId) {
        if self.storage.has(v) {
            return;
        }
        let program = self.b.program();
        let var = program.var(v);
        self.at(var.span, |this| match &var.storage {
            Storage::Static if lives_in_main(program, v) && !this.b.usage().in_memory.contains(&v) => {
                this.main_variable(v);
            }
            Storage::Static if this.is_of_call(v) => this.local_variable(v),
            // The result of an entry other than this one is a local variable.
            Storage::Local | Storage::Result => this.local_variable(v),
            Storage::Alias(e) => this.associate(v, e),
            _ => {}
        });
    }

    /// Whether this is device code of a procedure for both sides, and a variable is saved in the host's code only.
    pub(crate) fn is_of_call(&self, v: VarId) -> bool {
        let program = self.b.program();
        let var = program.var(v);
        let is_of_both = |owner| program.proc(owner).kind == ProcKind::HostDevice;
        self.b.side() == Side::Device
            && matches!(var.storage, Storage::Static)
            && var.attrs.cuda.is_none()
            && var.owner.is_some_and(is_of_both)
    }

    fn main_variable(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        let plain = var.attrs.cuda.is_none() && has_register(&var.ty) && matches!(var.shape, Shape::Scalar);
        let on_device = self.b.usage().on_device.contains(&v);
        if is_descriptor(self.b.program(), v) {
            if !on_device {
                self.described_local(v);
            }
        } else if plain && !on_device {
            self.scalar_local(v);
            if let (Some(init), Some(place)) = (&var.init, self.variable_lvalue(v)) {
                let value = self.b.constant_value(init, &var.ty);
                self.b.store_value(place, &var.ty, &value);
            }
        }
    }

    fn local_variable(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        if var.attrs.cuda == Some(CudaAttr::Shared) && self.b.side() == Side::Device {
            return self.shared_variable(v);
        }
        if is_descriptor(self.b.program(), v) {
            return self.described_local(v);
        }
        if matches!(var.shape, Shape::Scalar) {
            return self.scalar_local(v);
        }
        self.array_local(v);
    }

    /// A scalar in registers or a slot; device data of host code is allocated.
    pub(crate) fn scalar_local(&mut self, v: VarId) {
        let program = self.b.program();
        let var = program.var(v);
        if self.b.side() == Side::Host && alloc_where(Side::Host, var.attrs.cuda) != 0 {
            return self.array_local(v);
        }
        if let Some(mem) = self.memory_of_results(v) {
            return self.storage.set(v, VarStorage::Scalar(mem, None));
        }
        let part = ir_ty(&var.ty);
        let storage = match &var.ty {
            ty if self.b.usage().in_memory.contains(&v) || !has_register(ty) => return self.array_local(v),
            Type::Complex(_) => VarStorage::Complex(self.b.mutable(part), self.b.mutable(part)),
            _ => VarStorage::Reg(self.b.mutable(part)),
        };
        self.storage.set(v, storage);
    }

    /// Where a result that is a number is, if ENTRY statements of the function give it others of other types: these are associated
    /// (Fortran 2018, 15.6.2.6).
    fn memory_of_results(&mut self, v: VarId) -> Option<MemRef> {
        let program = self.b.program();
        let is_number = |w: VarId| {
            let var = program.var(w);
            matches!(var.storage, Storage::Result) && has_register(&var.ty) && matches!(var.shape, Shape::Scalar)
        };
        let owner = program.var(v).owner.filter(|_| is_number(v))?;
        let home = program.proc(owner).entry_of.unwrap_or(owner);
        if !program.proc(home).vars.iter().any(|&w| w != v && is_number(w)) {
            return None;
        }
        if self.results.is_none() {
            self.results = Some(self.b.slot(16, 8, "results", program.var(v).span).1);
        }
        self.results
    }

    fn described_local(&mut self, v: VarId) {
        let program = self.b.program();
        let var = program.var(v);
        let rank = var.shape.rank();
        let is_saved = matches!(var.storage, Storage::Static) && !self.is_of_call(v);
        if var.attrs.is_flat && !is_saved {
            let bytes = 8 * var.attrs.lengths.len() as u64;
            let (_, place) = self.b.slot(bytes, 8, "lengths", var.span);
            for i in 0..var.attrs.lengths.len() {
                self.b.store_scalar(place.plus(8 * i as i64), ir::Ty::I64, Val::i64(0));
            }
            self.storage.set_lengths_place(v, place);
        }
        let at = if var.attrs.is_flat || self.b.usage().in_memory.contains(&v) {
            let bytes = crate::module::globals::descriptor_bytes(rank, var.attrs.class);
            let mem = self.b.slot(bytes, 8, &var.name, var.span).1;
            self.b.desc_begin(mem, rank);
            DescriptorAt::Mem(mem)
        } else {
            let regs = descriptor_registers(&mut self.b, rank, has_open_length(&var.ty));
            for &reg in regs.dims.iter().flatten().chain(&regs.len).chain([&regs.base]) {
                self.b.set(reg, Val::i64(0));
            }
            DescriptorAt::Regs(regs)
        };
        let desc = self.desc(v, at);
        if desc.class {
            let declared = self.b.tag_of(&var.ty);
            self.b.set_tag(&desc, declared);
        }
        if let (DescriptorAt::Mem(mem), Some(element)) = (&desc.at, desc.element) {
            // A dummy of assumed length finds the length here.
            self.b.store_scalar(mem.plus(ir::descriptor::ELEMENT_BYTES), ir::Ty::I64, element);
        }
        self.storage.set(v, VarStorage::Described(desc));
        self.storage.note_made_here(v);
        self.note_lengths(v);
        if var.attrs.allocatable && self.frees_variables() && !is_saved {
            self.blocks.add_variable(v);
        }
    }

    /// A variable in memory: a slot if its size is known, else allocated.
    fn array_local(&mut self, v: VarId) {
        let program = self.b.program();
        let var = program.var(v);
        let location = match alloc_where(self.b.side(), var.attrs.cuda) {
            HOST_MEMORY if self.b.options().managed && var.is_automatic_array() => MANAGED_MEMORY,
            location => location,
        };
        let elements: Option<i64> = const_bounds(&var.shape).map(|b| b.iter().map(|d| d.1).product());
        let least = u64::from(self.b.holds_lengths(&var.ty));
        let size = elements.and_then(|n| Some((n as u64).max(least).saturating_mul(const_bytes(program, &var.ty)?)));
        let volatile = var.attrs.volatile;
        if let Some(bytes) = size
            && (self.b.side() == Side::Device || (location == 0 && bytes <= LARGEST_LOCAL))
        {
            let (_, mem) = self.b.slot(bytes, align(program, &var.ty), &var.name, var.span);
            let storage = self.storage_in_memory(v, MemRef { volatile, ..mem });
            self.storage.set(v, storage);
        } else {
            let space = match self.b.side() {
                Side::Host if is_device_data(var.attrs.cuda) => Space::Global,
                Side::Host => Space::Host,
                Side::Device => Space::Global,
            };
            // Bounds are evaluated before there is an address to put them with.
            let shaped = self.storage_in_memory(v, MemRef::at(Val::i64(0), space));
            let bytes = match &shaped {
                VarStorage::Array(view) => self.b.array_bytes(&view.extents(), view.element),
                VarStorage::Scalar(_, len) => self.bytes_of_variable(v, *len),
                _ => Val::i64(0),
            };
            let bytes = self.b.object_room(&var.ty, bytes);
            let (text, len) = self.b.name_text(&var.name);
            let results = self.b.rt(Rt::Alloc, vec![Val::i32(location), bytes, text, len, Val::i32(0)]);
            let addr = results.first().map_or(Val::i64(0), |&r| r.into());
            let mem = MemRef { addr, offset: 0, space, volatile };
            let storage = match shaped {
                VarStorage::Array(mut view) => {
                    view.mem = mem;
                    view.origin = None;
                    VarStorage::Array(self.b.with_origin(view))
                }
                VarStorage::Scalar(_, len) => VarStorage::Scalar(mem, len),
                other => other,
            };
            self.storage.set(v, storage);
            self.blocks.add_allocation(Allocation { location, addr, may_be_null: false });
        }
        match size.filter(|_| is_sequence(var)) {
            Some(bytes) => self.initialise_sequence(v, bytes),
            None => self.initialise_variable(v),
        }
    }

    fn shared_variable(&mut self, v: VarId) {
        let program = self.b.program();
        let var = program.var(v);
        let bytes = const_bytes(program, &var.ty).unwrap_or(0);
        let bounds = const_bounds(&var.shape);
        let count: Option<i64> = bounds.as_ref().map(|b| b.iter().map(|d| d.1).product());
        let size = match count {
            _ if var.attrs.is_flat => SharedSize::Dynamic,
            Some(n) => SharedSize::Static(bytes.saturating_mul(n as u64)),
            None => SharedSize::Dynamic,
        };
        // As a GPU has them: bulk copies reach them.
        let is_wide = matches!(size, SharedSize::Static(bytes) if bytes >= 16);
        let shared = self.b.add_shared(SharedVar {
            name: var.name.clone(),
            size,
            align: if is_wide { align(program, &var.ty).max(16) } else { align(program, &var.ty) },
            element_bytes: bytes,
            bounds: bounds.unwrap_or_default(),
            span: var.span,
        });
        let addr = self.b.addr_of(AddrBase::Shared(shared));
        let mut mem = MemRef { addr, offset: 0, space: Space::Shared, volatile: var.attrs.volatile };
        let is_automatic =
            size == SharedSize::Dynamic && (var.attrs.is_flat || matches!(var.shape, Shape::Explicit(_)));
        if is_automatic {
            let used = self.storage.dynamic_shared();
            let step = align(program, &var.ty) as i64;
            let raised = self.b.iadd(used, Val::i64(step - 1));
            let start = match crate::builder::arith::constant(raised) {
                Some(n) => Val::i64(n & -step),
                None => self.b.bin(ir::op::BinOp::And, ir::Ty::I64, raised, Val::i64(-step)).into(),
            };
            mem.addr = self.b.iadd(addr, start);
            let storage = self.storage_in_memory(v, mem);
            let bytes = match &storage {
                VarStorage::Array(view) => self.b.array_bytes(&view.extents(), view.element),
                _ => self.bytes_of_variable(v, None),
            };
            let end = self.b.iadd(start, bytes);
            self.storage.set_dynamic_shared(end);
            self.storage.set(v, storage);
            return;
        }
        let storage = self.storage_in_memory(v, mem);
        self.storage.set(v, storage);
    }

    /// An ASSOCIATE name: the object that it stands for, as it is now, or the value.
    pub(crate) fn associate(&mut self, v: VarId, e: &'p sema::checked::Expr) {
        if let ExprKind::Var(object) = &e.kind
            && matches!(self.b.program().var(*object).shape, Shape::AssumedRank)
            && let Some(storage) = self.storage_of(*object)
        {
            // In SELECT RANK the name is the dummy itself, whose rank is known here.
            let storage = match (storage, &self.b.program().var(v).shape) {
                // In RANK (*) it is a vector of elements without an end (Fortran 2018, 11.1.10.3).
                (VarStorage::Array(view), Shape::AssumedSize(..)) => {
                    let dim = ArrayDim { lower: Val::i64(1), extent: Val::i64(0), stride: view.element, gather: None };
                    VarStorage::Array(self.b.with_origin(ArrayView { dims: vec![dim], origin: None, ..view }))
                }
                (storage, _) => storage,
            };
            self.storage.set(v, storage);
            return;
        }
        if self.b.program().var(v).attrs.class {
            return self.associate_class(v, e);
        }
        if is_flat(self.b.program(), &e.ty) {
            return self.associate_flat(v, e);
        }
        self.associate_plain(v, e);
    }

    /// The same for an object whose lengths do not belong to it.
    fn associate_flat(&mut self, v: VarId, e: &'p sema::checked::Expr) {
        let is_pointer = is_pointer_result(self.b.program(), e);
        if sema::checked::is_designator(e) || is_pointer {
            let lengths = self.lengths_of(e);
            let lengths = lengths.into_iter().map(|n| Some(self.b.freeze(n))).collect();
            self.storage.set_lengths(v, lengths);
            return self.associate_plain(v, e);
        }
        let Some((objects, lengths)) = self.own_flat_value(e) else { return self.b.refuse_flat() };
        self.storage.set_lengths(v, lengths.into_iter().map(Some).collect());
        self.with_objects(e, objects, |this| this.associate_plain(v, e));
    }

    fn associate_plain(&mut self, v: VarId, e: &'p sema::checked::Expr) {
        let storage = if e.rank > 0 {
            // Nothing can be stored through vector subscripts: a copy is enough.
            let parts = if self.is_scattered(e) { self.parts_view(e) } else { None };
            let mut view = parts.unwrap_or_else(|| self.own_view(e));
            // Bounds and address of an allocatable do not follow what happens to it later.
            view.mem.addr = self.b.freeze(view.mem.addr);
            for d in &mut view.dims {
                d.lower = self.b.freeze(d.lower);
                d.extent = self.b.freeze(d.extent);
                d.stride = self.b.freeze(d.stride);
            }
            view.element = self.b.freeze(view.element);
            view.len = view.len.map(|len| self.b.freeze(len));
            if !keeps_bounds(self.b.program(), e) {
                view.dims.iter_mut().for_each(|d| d.lower = Val::i64(1));
                view.origin = None;
            }
            VarStorage::Array(self.b.with_origin(view))
        } else if sema::checked::is_designator(e) {
            match self.lvalue(e) {
                Lvalue::Reg(r) => VarStorage::Reg(r),
                Lvalue::Complex(re, im) => VarStorage::Complex(re, im),
                Lvalue::Mem(mem) => VarStorage::Scalar(MemRef { addr: self.b.freeze(mem.addr), ..mem }, None),
                Lvalue::Char(mem, len) => {
                    let len = self.b.freeze(len);
                    VarStorage::Scalar(MemRef { addr: self.b.freeze(mem.addr), ..mem }, Some(len))
                }
            }
        } else if let (ExprKind::Call { proc, args }, true) = (&e.kind, is_pointer_result(self.b.program(), e)) {
            let view = self.call_array(*proc, args, e);
            let len = view.len.map(|len| self.b.freeze(len));
            VarStorage::Scalar(MemRef { addr: self.b.freeze(view.mem.addr), ..view.mem }, len)
        } else {
            let value = self.own_value(e);
            match value {
                Value::Char(mem, len) => VarStorage::Scalar(mem, Some(len)),
                Value::Object(mem) => VarStorage::Scalar(mem, None),
                other => VarStorage::Value(self.b.freeze_value(other)),
            }
        };
        self.storage.set(v, storage);
    }

    /// Frees what the variables of the `depth`-th open block hold; they stay in the books, because another way out may
    /// follow.
    pub(crate) fn leave_block(&mut self, depth: usize) {
        let (vars, allocations) = self.blocks.contents(depth);
        for v in vars.into_iter().rev() {
            self.free_variable(v);
        }
        for cleanup in allocations.iter().rev() {
            self.b.free(cleanup);
        }
    }

    /// What is open here.
    pub(crate) fn what_is_open(&self) -> Open {
        Open { blocks: self.blocks.depth(), scopes: self.b.open_scopes() }
    }

    /// Whether a jump to a place where that is open frees nothing.
    pub(crate) fn leaves_nothing(&self, outside: Open) -> bool {
        self.blocks.depth() == outside.blocks && !self.b.has_cleanups(outside.scopes)
    }

    /// Frees what all blocks and scopes hold that a jump leaves, innermost first.
    pub(crate) fn leave_to(&mut self, outside: Open) {
        let mut scopes = self.b.open_scopes();
        for depth in (outside.blocks..self.blocks.depth()).rev() {
            let around = self.blocks.scopes(depth);
            self.b.leave_scopes(around..scopes);
            self.leave_block(depth);
            scopes = around;
        }
        self.b.leave_scopes(outside.scopes.min(scopes)..scopes);
    }
}

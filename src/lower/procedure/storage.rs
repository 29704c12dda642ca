//! Storage of variables: static ones when they are first used; bounds and lengths of declarations.
//!
//! Not here: the table (`storage`), local variables (`local`), dummies (`entry`).

use crate::analysis::pointers::element_with_pointers;
use crate::analysis::variables::const_bounds;
use crate::function::FunctionLowering;
use crate::storage::VarStorage;
use crate::types::{Side, data_space, ir_ty, is_volatile};
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::{Lvalue, MemRef};
use ast::CudaAttr;
use ir::rt::Rt;
use ir::{AddrBase, Space, Val};
use sema::checked::{CharLen, ProcKind, Shape, Storage, Type, VarId, Variable};

impl<'p> FunctionLowering<'_, 'p> {
    /// The storage of a variable; a static one gets it at its first use.
    pub(crate) fn storage_of(&mut self, v: VarId) -> Option<VarStorage> {
        if let Some(storage) = self.storage.get(v) {
            return Some(storage.clone());
        }
        let program = self.b.program();
        let var = program.var(v);
        let shared = program.shared.iter().find(|shared| shared.var == v).filter(|_| self.b.is_host());
        let storage = match &var.storage {
            Storage::Static if let Some(shared) = shared => {
                let addr = self.variable_value(shared.address);
                // What is where C has it may change whenever C runs.
                let mem = MemRef { addr, offset: 0, space: Space::Host, volatile: true };
                return Some(self.storage_in_memory(v, mem));
            }
            Storage::Static if self.is_out_of_reach(v) => {
                // Each use says so, where it is executed.
                self.b.unsupported(&format!("host variable `{}` in device code", var.name));
                return Some(self.storage_in_memory(v, MemRef::at(Val::i64(0), Space::Global)));
            }
            Storage::Static | Storage::Parameter => self.static_storage(v),
            Storage::Associated { base, offset } => {
                let Some(VarStorage::Array(sequence)) = self.storage_of(*base) else { return None };
                let mem = MemRef {
                    volatile: is_volatile(&self.b.program().var(v).attrs),
                    ..sequence.mem.plus(*offset as i64)
                };
                if var.attrs.pointer {
                    VarStorage::Described(self.desc(v, DescriptorAt::Mem(mem)))
                } else {
                    self.storage_in_memory(v, mem)
                }
            }
            Storage::Pointee(pointer) => {
                let base = self.variable_value(*pointer);
                let space = match self.b.side() {
                    Side::Device => Space::Generic,
                    Side::Host => data_space(Side::Host, var.attrs.cuda, false),
                };
                let addr = self.b.widen(base, ir_ty(&program.var(*pointer).ty));
                let mem = MemRef::at(addr, space);
                // The pointer may change: this storage is not kept.
                return Some(self.storage_in_memory(v, mem));
            }
            _ => return None,
        };
        self.storage.set(v, storage.clone());
        Some(storage)
    }

    /// The value of an integer scalar variable.
    fn variable_value(&mut self, v: VarId) -> Val {
        let ty = &self.b.program().var(v).ty;
        match self.variable_lvalue(v) {
            Some(place) => {
                let value = self.b.load_value(place, ty);
                self.b.as_scalar(&value, ty)
            }
            None => Val::Imm(0),
        }
    }

    /// Finds the variables that C code has or uses, and gives C their first values.
    pub(crate) fn find_shared_variables(&mut self) {
        let program = self.b.program();
        for shared in &program.shared {
            let var = program.var(shared.var);
            let view = match self.static_storage(shared.var) {
                VarStorage::Array(view) => view,
                VarStorage::Scalar(mem, len) => {
                    let element = self.b.element_bytes(&var.ty, len);
                    self.b.dense(mem, element, None, &[])
                }
                _ => continue,
            };
            let extents = view.extents();
            let count = self.b.product(&extents);
            let bytes = self.b.imul(count, view.element);
            let (text, length) = self.b.name_text(&shared.label);
            let Some(&found) = self.b.rt(Rt::ForeignVariable, vec![text, length, bytes]).first() else { continue };
            self.tell_pointers(shared.var, found.into(), bytes);
            // First values of a COMMON block are those of its members.
            let is_member = |v: &Variable| matches!(v.storage, Storage::Associated { base, .. } if base == shared.var);
            if !shared.is_of_c && (var.init.is_some() || program.vars.iter().any(|v| v.init.is_some() && is_member(v)))
            {
                self.b.copy_bytes(MemRef::at(found.into(), Space::Host), view.mem, bytes);
            }
            if let Some(place) = self.variable_lvalue(shared.address) {
                self.b.store_value(place, &Type::Integer(8), &crate::value::Value::Scalar(found.into()));
            }
        }
    }

    /// Tells where addresses are in a variable of C code that is `found` there, and in those of a COMMON block.
    fn tell_pointers(&mut self, shared: VarId, found: Val, bytes: Val) {
        let program = self.b.program();
        for (number, var) in program.vars.iter().enumerate() {
            let (at, bytes) = match var.storage {
                _ if VarId(number as u32) == shared => (0, bytes),
                Storage::Associated { base, offset } if base == shared => {
                    let count = const_bounds(&var.shape).map(|dims| dims.iter().map(|d| d.1).product::<i64>());
                    let element = crate::types::const_bytes(program, &var.ty);
                    match count.zip(element) {
                        Some((count, element)) => (offset, Val::i64(count * element as i64)),
                        None => continue,
                    }
                }
                _ => continue,
            };
            let Some((element, pointers)) = element_with_pointers(program, &var.ty) else { continue };
            for offset in pointers {
                let address = self.b.iadd(found, Val::i64(at as i64));
                self.b.rt(Rt::ForeignPointers, vec![address, bytes, Val::i64(element as i64), Val::i64(offset as i64)]);
            }
        }
    }

    /// Whether device code is made of a procedure for both sides, and a variable of a module is host data.
    fn is_out_of_reach(&self, v: VarId) -> bool {
        let is_of_both = self.b.program().proc(self.b.procedure()).kind == ProcKind::HostDevice;
        !self.b.is_host() && is_of_both && self.b.usage().of_both_sides.contains(&v)
    }

    fn static_storage(&mut self, v: VarId) -> VarStorage {
        let program = self.b.program();
        let side = self.b.side();
        let g = self.b.module().global(v, side);
        let (space, managed) = {
            let global = self.b.module().global_data(g);
            (global.space, global.managed)
        };
        let space = if self.b.side() == Side::Host && managed { Space::Host } else { space };
        let addr = self.b.addr_of(AddrBase::Global(g));
        let mem = MemRef { addr, offset: 0, space, volatile: is_volatile(&self.b.program().var(v).attrs) };
        if crate::analysis::variables::is_descriptor(program, v) {
            return VarStorage::Described(self.desc(v, DescriptorAt::Mem(mem)));
        }
        self.storage_in_memory(v, mem)
    }

    /// The storage of a variable at `mem` that is not an allocatable or pointer; evaluates its bounds.
    pub(crate) fn storage_in_memory(&mut self, v: VarId, mem: MemRef) -> VarStorage {
        let program = self.b.program();
        let var = program.var(v);
        let len = self.declared_length(&var.ty);
        self.storage_with_length(v, mem, len)
    }

    /// The same for a character whose length is known already.
    pub(crate) fn storage_with_length(&mut self, v: VarId, mem: MemRef, len: Option<Val>) -> VarStorage {
        let program = self.b.program();
        let var = program.var(v);
        let element = self.bytes_of_variable(v, len);
        let (dims, assumed_size) = match &var.shape {
            Shape::Explicit(dims) => (self.explicit_dims(dims, element), false),
            Shape::AssumedSize(dims, lower) => {
                let mut all = self.explicit_dims(dims, element);
                let stride = match all.last() {
                    Some(last) => {
                        let (stride, extent) = (last.stride, last.extent);
                        self.b.imul(stride, extent)
                    }
                    None => element,
                };
                let lower = self.bound(lower);
                all.push(ArrayDim { lower, extent: Val::i64(0), stride, gather: None });
                (all, true)
            }
            _ => return VarStorage::Scalar(mem, len),
        };
        let view =
            ArrayView { mem, origin: None, dims, element, len, tag: None, contiguity: Contiguity::Yes, assumed_size };
        VarStorage::Array(self.b.with_origin(view))
    }

    /// Bytes of a scalar variable, or an element of it.
    pub(crate) fn bytes_of_variable(&mut self, v: VarId, len: Option<Val>) -> Val {
        let var = self.b.program().var(v);
        if !var.attrs.is_flat {
            return self.b.element_bytes(&var.ty, len);
        }
        let lengths: Vec<Val> = self.flat_variable_lengths(v).into_iter().flatten().collect();
        self.bytes_with_lengths(&var.ty, &lengths)
    }

    pub(crate) fn explicit_dims(&mut self, dims: &'p [sema::checked::Dim], element: Val) -> Vec<ArrayDim> {
        let mut stride = element;
        let mut out = Vec::with_capacity(dims.len());
        for (i, d) in dims.iter().enumerate() {
            let (lower, upper) = (self.bound(&d.lower), self.bound(&d.upper));
            let extent = self.b.count(lower, upper, Val::i64(1));
            out.push(ArrayDim { lower, extent, stride, gather: None });
            if i + 1 < dims.len() {
                stride = self.b.imul(stride, extent);
            }
        }
        out
    }

    /// A bound, `integer(8)`, that does not change afterwards.
    pub(crate) fn bound(&mut self, e: &'p sema::checked::Expr) -> Val {
        let v = self.scalar(e);
        let v = self.b.widen(v, ir_ty(&e.ty));
        self.b.freeze(v)
    }

    /// The length that a character declaration gives, where it gives one.
    pub(crate) fn declared_length(&mut self, ty: &'p Type) -> Option<Val> {
        match ty {
            Type::Character(CharLen::Const(n)) => Some(Val::i64((*n).max(0))),
            Type::Character(CharLen::Expr(e)) => {
                let n = self.bound(e);
                Some(self.b.at_least_zero(n))
            }
            _ => None,
        }
    }

    /// The descriptor of a variable, in memory or registers.
    pub(crate) fn desc(&mut self, v: VarId, at: DescriptorAt) -> Descriptor {
        let rank = self.b.program().var(v).shape.rank();
        self.desc_ranked(v, rank, at)
    }

    /// The same, of that rank.
    pub(crate) fn desc_ranked(&mut self, v: VarId, rank: u8, at: DescriptorAt) -> Descriptor {
        self.desc_of_length(v, rank, at, None)
    }

    /// The same of a character whose length is known already.
    pub(crate) fn desc_of_length(&mut self, v: VarId, rank: u8, at: DescriptorAt, len: Option<Val>) -> Descriptor {
        let program = self.b.program();
        let var = program.var(v);
        let len = len.or_else(|| self.declared_length(&var.ty));
        let data = match (self.b.side(), var.attrs.cuda) {
            (Side::Device, Some(CudaAttr::Shared)) => Space::Shared,
            (side, cuda) => data_space(side, cuda, var.attrs.pointer),
        };
        let contiguous = var.attrs.allocatable || (var.attrs.contiguous && !var.attrs.class);
        self.b.desc_of((&var.ty, var.attrs.class), rank, at, data, contiguous, len)
    }

    /// The place of a scalar variable.
    pub(crate) fn variable_lvalue(&mut self, v: VarId) -> Option<Lvalue> {
        Some(match self.storage_of(v)? {
            VarStorage::Reg(r) => Lvalue::Reg(r),
            VarStorage::Complex(re, im) => Lvalue::Complex(re, im),
            VarStorage::Scalar(mem, Some(len)) => Lvalue::Char(mem, len),
            VarStorage::Scalar(mem, None) => Lvalue::Mem(mem),
            VarStorage::Described(d) => {
                let view = self.b.desc_view(&d);
                match view.len {
                    Some(len) => Lvalue::Char(view.mem, len),
                    None => Lvalue::Mem(view.mem),
                }
            }
            VarStorage::Array(_) | VarStorage::Value(_) | VarStorage::Procedure(_) => return None,
        })
    }
}

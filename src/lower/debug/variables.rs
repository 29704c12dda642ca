//! Tells the debugger where each variable of a function is.
//!
//! Not here: types and global variables (`module::debug_types`).

use crate::builder::Builder;
use crate::function::FunctionLowering;
use crate::storage::VarStorage;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::MemRef;
use ir::{DebugVar, InlineId, Reg, Ty, Val, VarLengths, VarLoc, VarShape};
use sema::checked::{Storage, Type, VarId};

impl Builder<'_, '_> {
    fn location(&mut self, mem: MemRef) -> VarLoc {
        if let (0, Some(base)) = (mem.offset, self.base_of(mem.addr)) {
            return VarLoc::Memory(base);
        }
        let addr = self.address(mem);
        VarLoc::At(register(self, addr))
    }
}

impl FunctionLowering<'_, '_> {
    /// Adds the debugger's view of a variable that has storage. Users do not see variables of embedded modules.
    pub(crate) fn describe(&mut self, v: VarId) {
        if self.b.is_embedded() {
            return;
        }
        let program = self.b.program();
        let var = program.var(v);
        if crate::analysis::variables::is_sequence(var) {
            return;
        }
        let on_host = self.b.is_host();
        let storage = match (&var.storage, self.storage.get(v)) {
            (_, Some(storage)) => storage.clone(),
            // A static variable is known by its global, if this side has it.
            (Storage::Static, None) if on_host || self.b.module().has_global(v) => match self.storage_of(v) {
                Some(storage) => storage,
                None => return,
            },
            (Storage::Associated { base, .. }, None)
                if on_host && matches!(program.var(*base).storage, Storage::Static | Storage::Local) =>
            {
                match self.storage_of(v) {
                    Some(storage) => storage,
                    None => return,
                }
            }
            (Storage::Parameter, None) => return describe_constant(&mut self.b, v),
            _ => return,
        };
        let (loc, shape, len) = match &storage {
            VarStorage::Reg(r) => (VarLoc::Reg(*r), VarShape::Scalar, None),
            VarStorage::Complex(re, im) => (VarLoc::Complex(*re, *im), VarShape::Scalar, None),
            VarStorage::Scalar(mem, len) => (self.b.location(*mem), VarShape::Scalar, *len),
            VarStorage::Array(view) => (self.b.location(view.mem), view_shape(view), view.len),
            VarStorage::Described(d) => described_location(&mut self.b, d),
            VarStorage::Value(_) | VarStorage::Procedure(_) => return,
        };
        let len = len.filter(|_| matches!(var.ty, Type::Character(_)));
        let ty = self.b.module().debug_type(&var.ty, len);
        let lengths = self.described_lengths(v);
        let is_dummy = matches!(var.storage, Storage::Dummy(_));
        let added = DebugVar {
            name: var.name.clone(),
            ty,
            shape,
            loc,
            lengths,
            source_id: v.0,
            is_dummy: is_dummy && var.owner == Some(self.b.procedure()),
            inlined: InlineId::NONE,
            span: var.span,
        };
        self.b.add_var(added);
    }
}

impl FunctionLowering<'_, '_> {
    /// Where the length parameters of a flat variable are.
    fn described_lengths(&mut self, v: VarId) -> VarLengths {
        if !self.b.program().var(v).attrs.is_flat {
            return VarLengths::default();
        }
        if let Some(place) = self.lengths_place(v) {
            return match (place.offset, self.b.base_of(place.addr)) {
                (0, Some(base)) => VarLengths::Memory(base),
                _ => {
                    let addr = self.b.address(place);
                    VarLengths::At(register(&mut self.b, addr))
                }
            };
        }
        VarLengths::Values(self.storage.lengths(v).unwrap_or_default().iter().flatten().copied().collect())
    }
}

fn view_shape(view: &ArrayView) -> VarShape {
    let last = view.dims.len().saturating_sub(1);
    let dims = view.dims.iter().enumerate().map(|(i, d)| {
        let extent = if view.assumed_size && i == last { None } else { Some(d.extent) };
        (d.lower, extent, d.stride)
    });
    VarShape::Array(dims.collect())
}

fn describe_constant(b: &mut Builder<'_, '_>, v: VarId) {
    let var = b.program().var(v);
    let ty = b.module().debug_type(&var.ty, None);
    let bounds = crate::analysis::variables::const_bounds(&var.shape).unwrap_or_default();
    let bytes = crate::types::const_bytes(b.program(), &var.ty).unwrap_or(0);
    b.add_var(DebugVar {
        name: var.name.clone(),
        ty,
        shape: crate::module::debug_types::const_shape(&bounds, bytes),
        loc: VarLoc::Constant,
        lengths: VarLengths::default(),
        source_id: v.0,
        is_dummy: false,
        inlined: InlineId::NONE,
        span: var.span,
    });
}

fn register(b: &mut Builder<'_, '_>, v: Val) -> Reg {
    match v {
        Val::Reg(r) => r,
        Val::Imm(_) => b.mov(Ty::I64, v),
    }
}

fn described_location(b: &mut Builder<'_, '_>, d: &Descriptor) -> (VarLoc, VarShape, Option<Val>) {
    match &d.at {
        DescriptorAt::Mem(mem) => {
            let shape = VarShape::Described(u32::from(d.rank));
            let loc = match (mem.offset, b.base_of(mem.addr)) {
                (0, Some(base)) => VarLoc::Descriptor(base),
                _ => {
                    let addr = b.address(*mem);
                    VarLoc::DescriptorAt(register(b, addr))
                }
            };
            (loc, shape, d.element.filter(|_| d.is_char))
        }
        DescriptorAt::Regs(regs) => {
            let dims: Vec<(Val, Option<Val>, Val)> = regs
                .dims
                .iter()
                .map(|[lower, extent, stride]| ((*lower).into(), Some((*extent).into()), (*stride).into()))
                .collect();
            let shape = if dims.is_empty() { VarShape::Scalar } else { VarShape::Array(dims) };
            (VarLoc::At(regs.base), shape, regs.len.map(Val::from).or(d.element))
        }
    }
}

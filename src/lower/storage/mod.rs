//! Where each variable of the function lives, and descriptors.

use crate::builder::Builder;
use crate::function::FunctionLowering;
use crate::types::{Side, data_space, ir_ty, is_device_data, is_volatile};
use crate::value::Value;
use crate::value::descriptor::{Desc, DescAt};
use crate::value::place::{Mem, Place};
use crate::value::view::{Contiguity, View, ViewDim};
use ast::CudaAttr;
use ir::{AddrBase, Reg, Space, Val};
use sema::checked::{CharLen, ProcId, Shape, Storage, Type, VarId};

/// Where a variable lives.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// A scalar in a register.
    Reg(Reg),
    /// A complex scalar in two.
    Complex(Reg, Reg),
    /// A scalar in memory; characters have a length.
    Scalar(Mem, Option<Val>),
    /// An array whose bounds do not change.
    Array(View),
    /// An allocatable or pointer.
    Described(Desc),
    /// An ASSOCIATE name of a value.
    Value(Value),
    /// A procedure dummy, as it is in this clone.
    Procedure(ProcId),
}

impl Builder<'_, '_> {
    /// Whether the data of the variable is on the device and this is host code.
    pub(crate) fn is_remote_variable(&self, v: VarId) -> bool {
        self.side() == Side::Host && is_device_data(self.program().var(v).attrs.cuda)
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// The home of a variable; static ones get theirs when first used.
    pub(crate) fn home(&mut self, v: VarId) -> Option<Home> {
        if let Some(home) = self.homes.get(&v) {
            return Some(home.clone());
        }
        let program = self.b.program();
        let var = program.var(v);
        let home = match &var.storage {
            Storage::Static | Storage::Parameter => self.static_home(v),
            Storage::Associated { base, offset } => {
                let Some(Home::Array(sequence)) = self.home(*base) else { return None };
                let mem =
                    Mem { volatile: is_volatile(&self.b.program().var(v).attrs), ..sequence.mem.plus(*offset as i64) };
                if var.attrs.pointer {
                    Home::Described(self.desc(v, DescAt::Mem(mem)))
                } else {
                    self.home_in_memory(v, mem)
                }
            }
            Storage::Pointee(pointer) => {
                let base = self.variable_value(*pointer);
                let space = if self.b.side() == Side::Device { Space::Generic } else { Space::Host };
                let addr = self.b.widen(base, ir_ty(&program.var(*pointer).ty));
                let mem = Mem::at(addr, space);
                // The pointer may change, so that this is no lasting home.
                return Some(self.home_in_memory(v, mem));
            }
            _ => return None,
        };
        self.homes.insert(v, home.clone());
        Some(home)
    }

    /// The value of an integer scalar variable.
    fn variable_value(&mut self, v: VarId) -> Val {
        let ty = &self.b.program().var(v).ty;
        match self.variable_place(v) {
            Some(place) => {
                let value = self.b.load_value(place, ty);
                self.b.as_scalar(&value, ty)
            }
            None => Val::Imm(0),
        }
    }

    fn static_home(&mut self, v: VarId) -> Home {
        let program = self.b.program();
        let side = self.b.side();
        let g = self.b.module().global(v, side);
        let (space, managed) = {
            let global = self.b.module().module.global(g);
            (global.space, global.managed)
        };
        let space = if self.b.side() == Side::Host && managed { Space::Host } else { space };
        let addr = self.b.addr_of(AddrBase::Global(g));
        let mem = Mem { addr, offset: 0, space, volatile: is_volatile(&self.b.program().var(v).attrs) };
        if crate::procedure::entry::is_descriptor(program, v) {
            return Home::Described(self.desc(v, DescAt::Mem(mem)));
        }
        self.home_in_memory(v, mem)
    }

    /// The home of a variable that is no allocatable or pointer and lies at `mem`; evaluates its bounds.
    pub(crate) fn home_in_memory(&mut self, v: VarId, mem: Mem) -> Home {
        let program = self.b.program();
        let var = program.var(v);
        let len = self.declared_length(&var.ty);
        self.home_with_length(v, mem, len)
    }

    /// The same for a character whose length is known already.
    pub(crate) fn home_with_length(&mut self, v: VarId, mem: Mem, len: Option<Val>) -> Home {
        let program = self.b.program();
        let var = program.var(v);
        let element = self.b.element_bytes(&var.ty, len);
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
                all.push(ViewDim { lower, extent: Val::i64(0), stride, gather: None });
                (all, true)
            }
            _ => return Home::Scalar(mem, len),
        };
        let view = View { mem, origin: None, dims, element, len, tag: None, contiguity: Contiguity::Yes, assumed_size };
        Home::Array(self.b.with_origin(view))
    }

    pub(crate) fn explicit_dims(&mut self, dims: &'p [sema::checked::Dim], element: Val) -> Vec<ViewDim> {
        let mut stride = element;
        let mut out = Vec::with_capacity(dims.len());
        for (i, d) in dims.iter().enumerate() {
            let (lower, upper) = (self.bound(&d.lower), self.bound(&d.upper));
            let extent = self.b.count(lower, upper, Val::i64(1));
            out.push(ViewDim { lower, extent, stride, gather: None });
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
    pub(crate) fn desc(&mut self, v: VarId, at: DescAt) -> Desc {
        let program = self.b.program();
        let var = program.var(v);
        let len = self.declared_length(&var.ty);
        let data = match (self.b.side(), var.attrs.cuda) {
            (Side::Device, Some(CudaAttr::Shared)) => Space::Shared,
            (side, cuda) => data_space(side, cuda, var.attrs.pointer),
        };
        let contiguous = var.attrs.allocatable || (var.attrs.contiguous && !var.attrs.class);
        self.b.desc_of((&var.ty, var.attrs.class), var.shape.rank(), at, data, contiguous, len)
    }

    /// The place of a scalar variable.
    pub(crate) fn variable_place(&mut self, v: VarId) -> Option<Place> {
        Some(match self.home(v)? {
            Home::Reg(r) => Place::Reg(r),
            Home::Complex(re, im) => Place::Complex(re, im),
            Home::Scalar(mem, Some(len)) => Place::Char(mem, len),
            Home::Scalar(mem, None) => Place::Mem(mem),
            Home::Described(d) => {
                let view = self.b.desc_view(&d);
                match view.len {
                    Some(len) => Place::Char(view.mem, len),
                    None => Place::Mem(view.mem),
                }
            }
            Home::Array(_) | Home::Value(_) | Home::Procedure(_) => return None,
        })
    }
}

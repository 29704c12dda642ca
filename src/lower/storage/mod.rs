//! Where each variable of the function lives, and descriptors.

use crate::function::Fx;
use crate::types::{Side, data_space, ir_ty, is_device_data};
use crate::value::Value;
use crate::value::place::{Mem, Place};
use crate::value::view::{Contiguity, View, ViewDim};
use ast::CudaAttr;
use ir::{AddrBase, Reg, Space, Ty, Val, descriptor};
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

/// The descriptor of an allocatable or pointer.
#[derive(Clone, Debug)]
pub(crate) struct Desc {
    pub(crate) at: DescAt,
    pub(crate) rank: u8,
    /// The space of the data.
    pub(crate) data: Space,
    pub(crate) volatile: bool,
    /// Bytes of an element; `None` for a character of deferred length, whose descriptor says it.
    pub(crate) element: Option<Val>,
    /// Whether the data is a character.
    pub(crate) is_char: bool,
    /// Allocatable: always contiguous.
    pub(crate) contiguous: bool,
    /// Polymorphic: the dynamic type stands behind the descriptor, and the element's bytes are those of that type.
    pub(crate) class: bool,
}

/// Where a descriptor is.
#[derive(Clone, Debug)]
pub(crate) enum DescAt {
    /// In memory.
    Mem(Mem),
    /// In registers.
    Regs(DescRegs),
}

/// A descriptor in registers.
#[derive(Clone, Debug)]
pub(crate) struct DescRegs {
    pub(crate) base: Reg,
    pub(crate) len: Option<Reg>,
    /// Lower bound, extent, stride.
    pub(crate) dims: Vec<[Reg; 3]>,
}

impl<'p> Fx<'_, 'p> {
    /// The home of a variable; static ones get theirs when first used.
    pub(crate) fn home(&mut self, v: VarId) -> Option<Home> {
        if let Some(home) = self.homes.get(&v) {
            return Some(home.clone());
        }
        let program = self.program;
        let var = program.var(v);
        let home = match &var.storage {
            Storage::Static | Storage::Parameter => self.static_home(v),
            Storage::Associated { base, offset } => {
                let Some(Home::Array(sequence)) = self.home(*base) else { return None };
                let mem = Mem { volatile: self.var_is_volatile(v), ..sequence.mem.plus(*offset as i64) };
                if var.attrs.pointer {
                    Home::Described(self.desc(v, DescAt::Mem(mem)))
                } else {
                    self.home_in_memory(v, mem)
                }
            }
            Storage::Pointee(pointer) => {
                let base = self.variable_value(*pointer);
                let space = if self.side == Side::Device { Space::Generic } else { Space::Host };
                let addr = self.widen(base, ir_ty(&program.var(*pointer).ty));
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
        let ty = &self.program.var(v).ty;
        match self.variable_place(v) {
            Some(place) => {
                let value = self.load(place, ty);
                self.as_scalar(&value, ty)
            }
            None => Val::Imm(0),
        }
    }

    fn static_home(&mut self, v: VarId) -> Home {
        let program = self.program;
        let g = self.m.global(v, self.side);
        let (space, managed) = {
            let global = self.m.module.global(g);
            (global.space, global.managed)
        };
        let space = if self.side == Side::Host && managed { Space::Host } else { space };
        let addr = self.addr_of(AddrBase::Global(g));
        let mem = Mem { addr, offset: 0, space, volatile: self.var_is_volatile(v) };
        if crate::procedure::entry::is_descriptor(program, v) {
            return Home::Described(self.desc(v, DescAt::Mem(mem)));
        }
        self.home_in_memory(v, mem)
    }

    /// The home of a variable that is no allocatable or pointer and lies at `mem`; evaluates its bounds.
    pub(crate) fn home_in_memory(&mut self, v: VarId, mem: Mem) -> Home {
        let program = self.program;
        let var = program.var(v);
        let len = self.declared_length(&var.ty);
        self.home_with_length(v, mem, len)
    }

    /// The same for a character whose length is known already.
    pub(crate) fn home_with_length(&mut self, v: VarId, mem: Mem, len: Option<Val>) -> Home {
        let program = self.program;
        let var = program.var(v);
        let element = self.element_bytes(&var.ty, len);
        let (dims, assumed_size) = match &var.shape {
            Shape::Explicit(dims) => (self.explicit_dims(dims, element), false),
            Shape::AssumedSize(dims, lower) => {
                let mut all = self.explicit_dims(dims, element);
                let stride = match all.last() {
                    Some(last) => {
                        let (stride, extent) = (last.stride, last.extent);
                        self.imul(stride, extent)
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
        Home::Array(self.with_origin(view))
    }

    pub(crate) fn explicit_dims(&mut self, dims: &'p [sema::checked::Dim], element: Val) -> Vec<ViewDim> {
        let mut stride = element;
        let mut out = Vec::with_capacity(dims.len());
        for (i, d) in dims.iter().enumerate() {
            let (lower, upper) = (self.bound(&d.lower), self.bound(&d.upper));
            let extent = self.count(lower, upper, Val::i64(1));
            out.push(ViewDim { lower, extent, stride, gather: None });
            if i + 1 < dims.len() {
                stride = self.imul(stride, extent);
            }
        }
        out
    }

    /// A bound, `integer(8)`, that does not change afterwards.
    pub(crate) fn bound(&mut self, e: &'p sema::checked::Expr) -> Val {
        let v = self.scalar(e);
        let v = self.widen(v, ir_ty(&e.ty));
        self.freeze(v)
    }

    /// The length that a character declaration gives, where it gives one.
    pub(crate) fn declared_length(&mut self, ty: &'p Type) -> Option<Val> {
        match ty {
            Type::Character(CharLen::Const(n)) => Some(Val::i64((*n).max(0))),
            Type::Character(CharLen::Expr(e)) => {
                let n = self.bound(e);
                Some(self.at_least_zero(n))
            }
            _ => None,
        }
    }

    /// The descriptor of a variable, in memory or registers.
    pub(crate) fn desc(&mut self, v: VarId, at: DescAt) -> Desc {
        let program = self.program;
        let var = program.var(v);
        let len = self.declared_length(&var.ty);
        let data = match (self.side, var.attrs.cuda) {
            (Side::Device, Some(CudaAttr::Shared)) => Space::Shared,
            (side, cuda) => data_space(side, cuda, var.attrs.pointer),
        };
        let contiguous = var.attrs.allocatable || (var.attrs.contiguous && !var.attrs.class);
        self.desc_of((&var.ty, var.attrs.class), var.shape.rank(), at, data, contiguous, len)
    }

    /// A descriptor of data of that type.
    pub(crate) fn desc_of(
        &mut self,
        (ty, class): (&Type, bool),
        rank: u8,
        at: DescAt,
        data: Space,
        contiguous: bool,
        len: Option<Val>,
    ) -> Desc {
        let is_char = matches!(ty, Type::Character(_));
        let element = match crate::types::const_bytes(self.program, ty) {
            _ if class => None,
            Some(n) => Some(Val::i64(n as i64)),
            None => len,
        };
        let volatile = matches!(&at, DescAt::Mem(mem) if mem.volatile);
        Desc { at, rank, data, volatile, element, is_char, contiguous, class }
    }

    /// The base address; 0 when there is no data.
    pub(crate) fn desc_base(&mut self, d: &Desc) -> Val {
        match &d.at {
            DescAt::Mem(mem) => self.load_word(Mem { volatile: false, ..mem.plus(descriptor::BASE) }),
            DescAt::Regs(regs) => regs.base.into(),
        }
    }

    /// Bytes of an element.
    pub(crate) fn desc_element(&mut self, d: &Desc) -> Val {
        match (&d.at, d.element) {
            (_, Some(bytes)) => bytes,
            (DescAt::Mem(mem), None) => self.load_word(Mem { volatile: false, ..mem.plus(descriptor::ELEMENT_BYTES) }),
            (DescAt::Regs(regs), None) => regs.len.map_or(Val::i64(0), Val::from),
        }
    }

    /// The dynamic type of a polymorphic object.
    pub(crate) fn desc_tag(&mut self, d: &Desc) -> Option<Val> {
        match &d.at {
            DescAt::Mem(mem) if d.class => {
                let offset = descriptor::bytes(u32::from(d.rank)) as i64;
                Some(self.load_word(Mem { volatile: false, ..mem.plus(offset) }))
            }
            _ => None,
        }
    }

    /// One of lower bound (0), extent (1), stride (2) of a dimension.
    fn desc_dim(&mut self, d: &Desc, dim: usize, what: usize) -> Val {
        match &d.at {
            DescAt::Mem(mem) => {
                let offset = descriptor::lower(dim as u32) + 8 * what as i64;
                self.load_word(Mem { volatile: false, ..mem.plus(offset) })
            }
            DescAt::Regs(regs) => regs.dims.get(dim).map_or(Val::i64(0), |r| r[what].into()),
        }
    }

    /// The data as an array (or as a scalar: no dimensions).
    pub(crate) fn desc_view(&mut self, d: &Desc) -> View {
        let base = self.desc_base(d);
        let element = self.desc_element(d);
        let mut dims = Vec::with_capacity(usize::from(d.rank));
        for i in 0..usize::from(d.rank) {
            let lower = self.desc_dim(d, i, 0);
            let extent = self.desc_dim(d, i, 1);
            let stride = if d.contiguous && i == 0 { element } else { self.desc_dim(d, i, 2) };
            dims.push(ViewDim { lower, extent, stride, gather: None });
        }
        let tag = self.desc_tag(d);
        View {
            mem: Mem { addr: base, offset: 0, space: d.data, volatile: d.volatile },
            origin: None,
            dims,
            element,
            len: d.is_char.then_some(element),
            tag,
            contiguity: if d.contiguous { Contiguity::Yes } else { Contiguity::Unknown },
            assumed_size: false,
        }
    }

    /// Makes the descriptor say that there is no data.
    pub(crate) fn desc_clear(&mut self, d: &Desc) {
        match &d.at {
            DescAt::Mem(mem) => self.store_scalar(mem.plus(descriptor::BASE), Ty::I64, Val::i64(0)),
            DescAt::Regs(regs) => self.b.set(regs.base, Val::i64(0)),
        }
    }

    /// Makes the descriptor one of that array.
    pub(crate) fn desc_set(&mut self, d: &Desc, view: &View) {
        let base = self.address(view.mem);
        // All values are read before any is written: the view may come from this very descriptor.
        let dims: Vec<[Val; 3]> = view.dims.iter().map(|v| [v.lower, v.extent, v.stride]).collect();
        match &d.at {
            DescAt::Mem(mem) => {
                self.store_scalar(mem.plus(descriptor::BASE), Ty::I64, base);
                self.store_scalar(mem.plus(descriptor::ELEMENT_BYTES), Ty::I64, view.element);
                self.store_scalar(mem.plus(descriptor::RANK), Ty::I64, Val::i64(dims.len() as i64));
                for (i, dim) in dims.iter().enumerate() {
                    for (what, &value) in dim.iter().enumerate() {
                        let offset = descriptor::lower(i as u32) + 8 * what as i64;
                        self.store_scalar(mem.plus(offset), Ty::I64, value);
                    }
                }
                if let (true, Some(tag)) = (d.class, view.tag) {
                    self.store_scalar(mem.plus(descriptor::bytes(u32::from(d.rank)) as i64), Ty::I64, tag);
                }
            }
            DescAt::Regs(regs) => {
                let base = self.freeze(base);
                let element = self.freeze(view.element);
                let frozen: Vec<[Val; 3]> = dims.iter().map(|dim| dim.map(|v| self.freeze(v))).collect();
                self.b.set(regs.base, base);
                if let Some(len) = regs.len {
                    self.b.set(len, element);
                }
                for (to, from) in regs.dims.iter().zip(frozen) {
                    for (&reg, value) in to.iter().zip(from) {
                        self.b.set(reg, value);
                    }
                }
            }
        }
    }

    /// Whether there is data, a predicate.
    pub(crate) fn desc_is_set(&mut self, d: &Desc) -> Val {
        let base = self.desc_base(d);
        self.icmp(ir::op::CmpOp::Ne, base, Val::i64(0))
    }

    /// The place of a scalar variable.
    pub(crate) fn variable_place(&mut self, v: VarId) -> Option<Place> {
        Some(match self.home(v)? {
            Home::Reg(r) => Place::Reg(r),
            Home::Complex(re, im) => Place::Complex(re, im),
            Home::Scalar(mem, Some(len)) => Place::Char(mem, len),
            Home::Scalar(mem, None) => Place::Mem(mem),
            Home::Described(d) => {
                let view = self.desc_view(&d);
                match view.len {
                    Some(len) => Place::Char(view.mem, len),
                    None => Place::Mem(view.mem),
                }
            }
            Home::Array(_) | Home::Value(_) | Home::Procedure(_) => return None,
        })
    }

    /// Whether the data of the variable is on the device and this is host code.
    pub(crate) fn is_remote_variable(&self, v: VarId) -> bool {
        self.side == Side::Host && is_device_data(self.program.var(v).attrs.cuda)
    }
}

//! Reading and writing descriptors, in memory or in registers.
//!
//! Not here: allocating the data (`object::allocate`).

use crate::builder::Builder;
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::MemRef;
use ir::{Space, Ty, Val, descriptor};
use sema::checked::Type;

impl Builder<'_, '_> {
    /// A descriptor of data of that type.
    pub(crate) fn desc_of(
        &mut self,
        (ty, class): (&Type, bool),
        rank: u8,
        at: DescriptorAt,
        data: Space,
        contiguous: bool,
        len: Option<Val>,
    ) -> Descriptor {
        let is_char = matches!(ty, Type::Character(_));
        let element = match crate::types::const_bytes(self.program(), ty) {
            _ if class => None,
            Some(n) => Some(Val::i64(n as i64)),
            None => len,
        };
        let volatile = matches!(&at, DescriptorAt::Mem(mem) if mem.volatile);
        Descriptor { at, rank, data, volatile, element, is_char, contiguous, class, assumed_size: false }
    }

    /// The base address; 0 when there is no data.
    pub(crate) fn desc_base(&mut self, d: &Descriptor) -> Val {
        match &d.at {
            DescriptorAt::Mem(mem) => self.load_word(MemRef { volatile: false, ..mem.plus(descriptor::BASE) }),
            DescriptorAt::Regs(regs) => regs.base.into(),
        }
    }

    /// Bytes of an element.
    pub(crate) fn desc_element(&mut self, d: &Descriptor) -> Val {
        match (&d.at, d.element) {
            (_, Some(bytes)) => bytes,
            (DescriptorAt::Mem(mem), None) => {
                self.load_word(MemRef { volatile: false, ..mem.plus(descriptor::ELEMENT_BYTES) })
            }
            (DescriptorAt::Regs(regs), None) => regs.len.map_or(Val::i64(0), Val::from),
        }
    }

    /// The dynamic type of a polymorphic object.
    pub(crate) fn desc_tag(&mut self, d: &Descriptor) -> Option<Val> {
        match &d.at {
            DescriptorAt::Mem(mem) if d.class => {
                let offset = descriptor::bytes(u32::from(d.rank)) as i64;
                Some(self.load_word(MemRef { volatile: false, ..mem.plus(offset) }))
            }
            _ => None,
        }
    }

    /// One of lower bound (0), extent (1), stride (2) of a dimension.
    fn desc_dim(&mut self, d: &Descriptor, dim: usize, what: usize) -> Val {
        match &d.at {
            DescriptorAt::Mem(mem) => {
                let offset = descriptor::lower(dim as u32) + 8 * what as i64;
                self.load_word(MemRef { volatile: false, ..mem.plus(offset) })
            }
            DescriptorAt::Regs(regs) => regs.dims.get(dim).map_or(Val::i64(0), |r| r[what].into()),
        }
    }

    /// The data as an array (or as a scalar: no dimensions).
    pub(crate) fn desc_view(&mut self, d: &Descriptor) -> ArrayView {
        let base = self.desc_base(d);
        let element = self.desc_element(d);
        let mut dims = Vec::with_capacity(usize::from(d.rank));
        for i in 0..usize::from(d.rank) {
            let lower = self.desc_dim(d, i, 0);
            let extent = self.desc_dim(d, i, 1);
            let stride = if d.contiguous && i == 0 { element } else { self.desc_dim(d, i, 2) };
            dims.push(ArrayDim { lower, extent, stride, gather: None });
        }
        let tag = self.desc_tag(d);
        ArrayView {
            mem: MemRef { addr: base, offset: 0, space: d.data, volatile: d.volatile },
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
    pub(crate) fn desc_clear(&mut self, d: &Descriptor) {
        match &d.at {
            DescriptorAt::Mem(mem) => self.store_scalar(mem.plus(descriptor::BASE), Ty::I64, Val::i64(0)),
            DescriptorAt::Regs(regs) => self.set(regs.base, Val::i64(0)),
        }
    }

    /// Makes new memory of a descriptor one of nothing. All of it gets a value: what there is to compare with the shape of a new
    /// value is read before it is known whether there is anything.
    pub(crate) fn desc_begin(&mut self, mem: MemRef, rank: u8) {
        for offset in (0..descriptor::bytes(u32::from(rank)) as i64).step_by(8) {
            self.store_scalar(mem.plus(offset), Ty::I64, Val::i64(0));
        }
    }

    /// The same where a polymorphic object has its type behind the descriptor: of nothing it is the declared one.
    pub(crate) fn desc_begin_of(&mut self, d: &Descriptor, ty: &Type) {
        let DescriptorAt::Mem(mem) = d.at else { return self.desc_clear(d) };
        self.desc_begin(mem, d.rank);
        if d.class {
            let declared = self.tag_of(ty);
            self.set_tag(d, declared);
        }
    }

    /// Makes the descriptor one of that array.
    pub(crate) fn desc_set(&mut self, d: &Descriptor, view: &ArrayView) {
        let base = self.address(view.mem);
        // All values are read before any is written: the view may come from this very descriptor.
        let dims: Vec<[Val; 3]> = view.dims.iter().map(|v| [v.lower, v.extent, v.stride]).collect();
        match &d.at {
            DescriptorAt::Mem(mem) => {
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
            DescriptorAt::Regs(regs) => {
                let base = self.freeze(base);
                let element = self.freeze(view.element);
                let frozen: Vec<[Val; 3]> = dims.iter().map(|dim| dim.map(|v| self.freeze(v))).collect();
                self.set(regs.base, base);
                if let Some(len) = regs.len {
                    self.set(len, element);
                }
                for (to, from) in regs.dims.iter().zip(frozen) {
                    for (&reg, value) in to.iter().zip(from) {
                        self.set(reg, value);
                    }
                }
            }
        }
    }

    /// Whether there is data, a predicate.
    pub(crate) fn desc_is_set(&mut self, d: &Descriptor) -> Val {
        let base = self.desc_base(d);
        self.icmp(ir::op::CmpOp::Ne, base, Val::i64(0))
    }
}

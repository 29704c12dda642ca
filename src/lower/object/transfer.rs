//! Data transfers between host and device, in host code (CUDA Fortran guide, 3.4.1).
//!
//! A contiguous array is one `mem.copy`; any other is transferred element by element with its descriptors. A scalar assigned
//! to a device array is a fill. All are synchronous and in order with the default stream. Copies between two host arrays are
//! plain loops, because they must not wait for the device.

use crate::builder::Builder;
use crate::types::{const_bytes, ir_ty};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use ir::op::CvtOp;
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::Type;

impl Builder<'_, '_> {
    /// Copies an array where a side is on the device.
    pub(crate) fn transfer(&mut self, to: &ArrayView, from: &ArrayView) {
        if to.is_contiguous() && from.is_contiguous() && to.element == from.element {
            let count = self.size(to);
            let bytes = self.imul(count, to.element);
            return self.copy_bytes(to.mem, from.mem, bytes);
        }
        let (to, from) = (self.descriptor_of(to), self.descriptor_of(from));
        self.rt(Rt::CopyStrided, vec![to, from]);
    }

    /// Sets every element of a device array.
    pub(crate) fn fill_remote(&mut self, view: &ArrayView, v: &Value, ty: &Type) {
        let descriptor = self.descriptor_of(view);
        match ty {
            Type::Integer(_) | Type::Real(_) | Type::Logical(_) => {
                let v = self.as_scalar(v, ty);
                let bits = self.bits(v, ir_ty(ty));
                self.rt(Rt::Fill, vec![descriptor, bits]);
            }
            Type::Character(_) => {
                let copy = self.character_copy(v, view.element);
                let (mem, _) = self.as_char(&copy);
                let addr = self.address(mem);
                self.rt(Rt::FillFrom, vec![descriptor, addr]);
            }
            _ => {
                let mem = self.spill(v, ty);
                let addr = self.address(mem);
                self.rt(Rt::FillFrom, vec![descriptor, addr]);
            }
        }
    }

    /// The bits of a register value, zero-extended.
    pub(crate) fn bits(&mut self, v: Val, ty: Ty) -> Val {
        if let Val::Imm(_) = v {
            return v;
        }
        match ty {
            Ty::F32 => {
                let word = self.cvt(CvtOp::Bits, Ty::F32, Ty::I32, v);
                self.cvt(CvtOp::CastU, Ty::I32, Ty::I64, word).into()
            }
            Ty::F64 => self.cvt(CvtOp::Bits, Ty::F64, Ty::I64, v).into(),
            Ty::I64 => v,
            _ => self.cvt(CvtOp::CastU, ty, Ty::I64, v).into(),
        }
    }

    /// Bytes of a type, 0 where they are not known.
    pub(crate) fn type_bytes(&self, ty: &Type) -> i64 {
        const_bytes(self.program(), ty).unwrap_or(0) as i64
    }
}

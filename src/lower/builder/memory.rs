//! Loads and stores.
//!
//! In host code an access to device memory is a transfer: the load or store uses a slot of the host frame and `mem.copy`.
//! Callers therefore treat device scalars and elements like any others.
//!
//! Not here: whole arrays (`object::array`, `object::transfer`).

use crate::builder::{Builder, arith};
use crate::types::{Side, const_bytes, ir_ty, is_device_data, is_flat};
use crate::value::Value;
use crate::value::lvalue::{Lvalue, MemRef};
use ir::rt::Rt;
use ir::{Reg, Space, Ty, Val};
use sema::checked::{Type, VarId};

impl Builder<'_, '_> {
    /// Whether host code cannot touch that memory itself.
    pub(crate) fn is_remote(&self, mem: MemRef) -> bool {
        self.side() == Side::Host && mem.space != Space::Host
    }

    /// Whether the data of the variable is on the device and this is host code.
    pub(crate) fn is_remote_variable(&self, v: VarId) -> bool {
        self.side() == Side::Host && is_device_data(self.program().var(v).attrs.cuda)
    }

    /// The address of a place.
    pub(crate) fn address(&mut self, mem: MemRef) -> Val {
        self.iadd(mem.addr, Val::i64(mem.offset))
    }

    /// The place `bytes` further.
    pub(crate) fn advance(&mut self, mem: MemRef, bytes: Val) -> MemRef {
        match arith::constant(bytes) {
            Some(n) => mem.plus(n),
            None => MemRef { addr: self.iadd(mem.addr, bytes), ..mem },
        }
    }

    /// Copies bytes between any two memories and waits.
    pub(crate) fn copy_bytes(&mut self, to: MemRef, from: MemRef, bytes: Val) {
        let (to, from) = (self.address(to), self.address(from));
        self.rt(Rt::Copy, vec![to, from, bytes]);
    }

    /// Loads one register.
    pub(crate) fn load_scalar(&mut self, mem: MemRef, ty: Ty) -> Reg {
        if self.is_remote(mem) {
            let bytes = u64::from(ty.bytes());
            let slot = self.transfer_slot(bytes);
            self.copy_bytes(slot, mem, Val::i64(bytes as i64));
            return self.load_scalar(slot, ty);
        }
        self.load(ty, mem.space, mem.access(), mem.addr, mem.offset)
    }

    /// Stores one register.
    pub(crate) fn store_scalar(&mut self, mem: MemRef, ty: Ty, value: Val) {
        if self.is_remote(mem) {
            let bytes = u64::from(ty.bytes());
            let slot = self.transfer_slot(bytes);
            self.store_scalar(slot, ty, value);
            self.copy_bytes(mem, slot, Val::i64(bytes as i64));
            return;
        }
        if mem.space == Space::Const {
            // Sema refuses such a statement; should one come through, it is refused when reached.
            self.unsupported("an assignment to constant memory");
            return;
        }
        self.store(ty, mem.space, mem.access(), mem.addr, mem.offset, value);
    }

    /// Loads a word of a descriptor.
    pub(crate) fn load_word(&mut self, mem: MemRef) -> Val {
        self.load_scalar(mem, Ty::I64).into()
    }

    /// The value at a place. Characters and objects stay where they are, but for those that the host cannot reach: they are
    /// fetched.
    pub(crate) fn load_value(&mut self, place: Lvalue, ty: &Type) -> Value {
        match place {
            Lvalue::Reg(r) => Value::Scalar(r.into()),
            Lvalue::Complex(re, im) => Value::Complex(re.into(), im.into()),
            Lvalue::Char(mem, len) => {
                let mem = self.fetched(mem, len, if matches!(ty, Type::Derived(_)) { 8 } else { 1 });
                Value::Char(mem, len)
            }
            Lvalue::Mem(mem) => match ty {
                Type::Complex(k) => {
                    let part = ir_ty(ty);
                    let mem = if self.is_remote(mem) {
                        let (slot, bytes) = (self.transfer_slot(16), Val::i64(2 * i64::from(*k)));
                        self.copy_bytes(slot, mem, bytes);
                        slot
                    } else {
                        mem
                    };
                    let re = self.load_scalar(mem, part);
                    let im = self.load_scalar(mem.plus(i64::from(*k)), part);
                    Value::Complex(re.into(), im.into())
                }
                Type::Derived(_) => {
                    if is_flat(self.program(), ty) && self.is_remote(mem) {
                        self.refuse_flat();
                    }
                    let bytes = const_bytes(self.program(), ty).unwrap_or(0);
                    Value::Object(self.fetched(mem, Val::i64(bytes as i64), 8))
                }
                Type::Character(_) => {
                    let len = const_bytes(self.program(), ty).map_or(Val::i64(0), |n| Val::i64(n as i64));
                    let mem = self.fetched(mem, len, 1);
                    Value::Char(mem, len)
                }
                _ => Value::Scalar(self.load_scalar(mem, ir_ty(ty)).into()),
            },
        }
    }

    /// The same bytes where this side can reach them.
    fn fetched(&mut self, mem: MemRef, bytes: Val, align: u64) -> MemRef {
        if !self.is_remote(mem) {
            return mem;
        }
        let local = self.temporary(bytes, align);
        self.copy_bytes(local, mem, bytes);
        local
    }

    /// Stores a value; its type is the place's.
    pub(crate) fn store_value(&mut self, place: Lvalue, ty: &Type, value: &Value) {
        match place {
            Lvalue::Reg(r) => {
                let v = self.as_scalar(value, ty);
                self.set(r, v);
            }
            Lvalue::Complex(re, im) => {
                let (a, b) = self.as_complex(value, ty);
                // The second part must not be read after the first has changed it.
                let b = if b == Val::Reg(re) { self.freeze(b) } else { b };
                self.set(re, a);
                self.set(im, b);
            }
            Lvalue::Char(mem, bytes) if matches!(ty, Type::Derived(_)) => {
                let from = self.as_object(value);
                self.copy_flat_object(mem, from, bytes, ty);
            }
            Lvalue::Char(mem, len) => self.store_char(mem, len, value),
            Lvalue::Mem(mem) => match ty {
                Type::Complex(k) => {
                    let (re, im) = self.as_complex(value, ty);
                    let (part, k) = (ir_ty(ty), i64::from(*k));
                    if self.is_remote(mem) {
                        let slot = self.transfer_slot(16);
                        self.store_scalar(slot, part, re);
                        self.store_scalar(slot.plus(k), part, im);
                        self.copy_bytes(mem, slot, Val::i64(2 * k));
                        return;
                    }
                    self.store_scalar(mem, part, re);
                    self.store_scalar(mem.plus(k), part, im);
                }
                Type::Character(_) => {
                    let len = const_bytes(self.program(), ty).map_or(Val::i64(0), |n| Val::i64(n as i64));
                    self.store_char(mem, len, value);
                }
                Type::Derived(_) => match value {
                    Value::Char(from, bytes) => self.copy_flat_object(mem, *from, *bytes, ty),
                    _ => {
                        let from = self.as_object(value);
                        self.copy_object(mem, from, ty);
                    }
                },
                _ => {
                    let v = self.as_scalar(value, ty);
                    self.store_scalar(mem, ir_ty(ty), v);
                }
            },
        }
    }

    /// Character assignment: cuts or fills with blanks.
    pub(crate) fn store_char(&mut self, mem: MemRef, len: Val, value: &Value) {
        let (from, from_len) = self.as_char(value);
        if self.is_remote(mem) {
            let local = self.temporary(len, 1);
            self.store_char(local, len, value);
            self.copy_bytes(mem, local, len);
            return;
        }
        if arith::is(len, 1) && arith::is(from_len, 1) && !self.is_remote(from) {
            let byte = self.load_scalar(from, Ty::I8);
            self.store_scalar(mem, Ty::I8, byte.into());
            return;
        }
        if self.side() == Side::Device {
            return self.store_bytes_of_char((mem, len), (from, from_len));
        }
        let (to, from) = (self.address(mem), self.address(from));
        self.rt(Rt::CharAssign, vec![to, len, from, from_len]);
    }

    /// A value in a temporary, to be passed by address.
    pub(crate) fn spill(&mut self, value: &Value, ty: &Type) -> MemRef {
        match value {
            Value::Char(mem, _) | Value::Object(mem) => *mem,
            _ => {
                let bytes = const_bytes(self.program(), ty).unwrap_or(8);
                let align = crate::types::align(self.program(), ty);
                let (_, mem) = self.slot(bytes, align, "temporary", source::Span::NONE);
                self.store_value(Lvalue::Mem(mem), ty, value);
                mem
            }
        }
    }
}

//! Calls of functions (PTX ISA 9.7.12.5 and 7.1).
//!
//! Arguments are variables of the block around the call, which were stored before. What is larger than a scalar is passed by
//! the address of its bytes; a result of that kind goes to an address behind the parameters.

use super::registers::Binding;
use super::{Op, Reader, Result, unsupported, wrong};
use crate::syntax::{Operand, Type};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{FuncId, Ty, Val};
use std::sync::Arc;

/// `mem.alloc` of device memory.
const DEVICE: i32 = 1;

impl<'a> Reader<'a> {
    /// `call (result), name, (arguments);`
    pub(super) fn call(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["uni"])?;
        let (mut results, mut arguments, mut name): (&[Operand], &[Operand], Option<&Arc<str>>) = (&[], &[], None);
        for operand in op.operands {
            match operand {
                Operand::List(all) if name.is_none() => results = all,
                Operand::List(all) => arguments = all,
                Operand::Name(callee, 0) if name.is_none() => name = Some(callee),
                _ => return unsupported("a call through a pointer in PTX"),
            }
        }
        let Some(name) = name else { return wrong("the name of a function is expected") };
        match &**name {
            "vprintf" => self.printf(results, arguments),
            "malloc" => self.allocate(results, arguments),
            "free" => {
                let address = self.argument(arguments, 0, Ty::I64)?;
                let zero = Val::i64(0);
                self.b.rt(Rt::Free, vec![Val::i32(DEVICE), address, zero, zero, Val::i32(1)]);
                Ok(())
            }
            "__assertfail" => unsupported("an assertion of a kernel that does not hold (`assert`)"),
            _ => match self.unit.functions.get(name) {
                Some(&func) => self.call_function(name, func, results, arguments),
                None if self.register(name).is_ok() => unsupported("a call through a pointer in PTX"),
                None => unsupported(format!("a call of `{name}`, which the PTX file only declares")),
            },
        }
    }

    /// The value of an argument.
    pub(super) fn argument(&mut self, arguments: &[Operand], number: usize, ty: Ty) -> Result<Val> {
        let Some(operand) = arguments.get(number) else { return wrong("an argument is missing") };
        let bits = Type { kind: crate::syntax::Kind::Bits, bits: ty.bytes() * 8 };
        match operand.name().and_then(|name| self.binding(name)) {
            Some(Binding::Value(reg)) if self.b.ty(reg).bytes() == ty.bytes() => {
                let is = self.b.ty(reg);
                Ok(self.as_bits(reg.into(), is, ty))
            }
            Some(Binding::Value(_)) => wrong("an argument has another size than the parameter"),
            _ => {
                let value = self.read(operand, bits)?;
                Ok(self.as_bits(value, super::integer(ty.bytes()), ty))
            }
        }
    }

    /// Sets the result of a call.
    pub(super) fn give(&mut self, results: &[Operand], value: Val, ty: Ty) -> Result<()> {
        let Some(operand) = results.first() else { return Ok(()) };
        match operand.name().and_then(|name| self.binding(name)) {
            Some(Binding::Value(reg)) if self.b.ty(reg).bytes() == ty.bytes() => {
                let wanted = self.b.ty(reg);
                let value = self.as_bits(value, ty, wanted);
                self.b.set(reg, value);
                Ok(())
            }
            Some(Binding::Register(..)) => {
                let bits = Type { kind: crate::syntax::Kind::Bits, bits: ty.bytes() * 8 };
                let value = self.as_bits(value, ty, super::integer(ty.bytes()));
                self.write(operand, bits, value)
            }
            _ => wrong("a result has another size than the function gives"),
        }
    }

    fn call_function(
        &mut self,
        name: &Arc<str>,
        func: FuncId,
        results: &[Operand],
        arguments: &[Operand],
    ) -> Result<()> {
        let unit = self.unit;
        let Some(routine) = unit.routine(name) else { return wrong(format!("nothing declares `{name}`")) };
        if arguments.len() != routine.params.len() || results.len() != routine.results.len() {
            return wrong(format!("`{name}` is called with another number of arguments or results than it has"));
        }
        let mut given = Vec::new();
        for (number, param) in routine.params.iter().enumerate() {
            given.push(match super::value_type(param) {
                Some(ty) => self.argument(arguments, number, ty)?,
                None => self.bytes_of(arguments.get(number))?,
            });
        }
        let mut types = Vec::new();
        for (result, operand) in routine.results.iter().zip(results) {
            match super::value_type(result) {
                Some(ty) => types.push(ty),
                None => given.push(self.bytes_of(Some(operand))?),
            }
        }
        let values = self.b.call(func, given, &types);
        match (values.first(), types.first()) {
            (Some(&value), Some(&ty)) => self.give(results, value.into(), ty),
            _ => Ok(()),
        }
    }

    /// The address of what is passed as bytes.
    fn bytes_of(&mut self, operand: Option<&Operand>) -> Result<Val> {
        let name = operand.and_then(Operand::name);
        match name.and_then(|name| self.binding(name)) {
            Some(Binding::Slot(id)) => Ok(self.b.addr_local(id).into()),
            Some(Binding::Bytes(reg)) => Ok(reg.into()),
            _ => wrong("an argument that is bytes is given as something else"),
        }
    }

    /// `malloc`, which gives 0 where there is no memory.
    fn allocate(&mut self, results: &[Operand], arguments: &[Operand]) -> Result<()> {
        let bytes = self.argument(arguments, 0, Ty::I64)?;
        let zero = Val::i64(0);
        let made = self.b.rt(Rt::Alloc, vec![Val::i32(DEVICE), bytes, zero, zero, Val::i32(1)]);
        let failed = self.b.cmp(CmpOp::Ne, Ty::I32, made[1], Val::i32(0));
        let address = self.b.select(Ty::I64, failed, zero, made[0]);
        self.give(results, address.into(), Ty::I64)
    }
}

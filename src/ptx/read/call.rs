//! Calls of functions (PTX ISA 9.7.12.5 and 7.1).
//!
//! Arguments are variables of the block around the call, which were stored before. What is larger than a scalar is passed by
//! the address of its bytes; a result of that kind goes to an address behind the parameters.

use super::registers::Binding;
use super::{Op, Reader, Result, unsupported, wrong};
use crate::syntax::{Operand, Parameter, Type};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{FuncId, Term, Trap, Ty, Val};
use std::sync::Arc;

/// `mem.alloc` of device memory.
const DEVICE: i32 = 1;

impl<'a> Reader<'a> {
    /// `call (result), name, (arguments);`
    pub(super) fn call(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["uni"])?;
        let (mut results, mut arguments, mut name): (&[Operand], &[Operand], Option<&'a Arc<str>>) = (&[], &[], None);
        for operand in op.operands {
            match operand {
                Operand::List(all) if name.is_none() => results = all,
                Operand::List(all) => arguments = all,
                Operand::Name(callee, 0) if name.is_none() => name = Some(callee),
                // The prototype of a function that a pointer names.
                Operand::Name(_, 0) => {}
                _ => return wrong("a call has other operands than a function and lists"),
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
                None if self.register(name).is_ok() => self.call_through(name, results, arguments),
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

    /// A call of the function whose number a register holds.
    fn call_through(&mut self, pointer: &Arc<str>, results: &[Operand], arguments: &[Operand]) -> Result<()> {
        let unit = self.unit;
        let (reg, _) = self.register(pointer)?;
        let (mut arms, mut made) = (Vec::new(), Ok(()));
        let after = self.b.new_block();
        let here = self.b.current();
        for (name, &number) in &unit.numbers {
            let Some((&func, routine)) = unit.functions.get(name).zip(unit.routine(name)) else { continue };
            let suits = self.suit(&routine.params, arguments) && self.suit(&routine.results, results);
            if !suits {
                continue;
            }
            let block = self.b.new_block();
            arms.push((number as i64, block));
            self.b.switch_to(block);
            let call = self.call_function(name, func, results, arguments);
            made = made.and(call);
            self.b.jump(after);
        }
        let nowhere = self.b.new_block();
        self.b.switch_to(here);
        self.b.switch(Ty::I64, reg, arms, nowhere);
        self.b.switch_to(nowhere);
        self.b.terminate(Term::Trap(Trap::Unreachable));
        self.b.switch_to(after);
        made
    }

    /// Whether what a call gives has the sizes of parameters or results.
    fn suit(&mut self, params: &[Parameter], given: &[Operand]) -> bool {
        params.len() == given.len()
            && params.iter().zip(given).all(|(param, operand)| {
                match (super::value_type(param), operand.name().and_then(|name| self.binding(name))) {
                    (Some(ty), Some(Binding::Value(reg))) => self.b.ty(reg).bytes() == ty.bytes(),
                    (Some(ty), Some(Binding::Register(_, is))) => is.bytes() == u64::from(ty.bytes()),
                    (None, Some(Binding::Slot(_) | Binding::Bytes(_))) => true,
                    (Some(_), None) => true,
                    _ => false,
                }
            })
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

//! Registers of 32 bits that hold addresses in shared memory.
//!
//! In PTX such an address is an offset in the window of shared memory (PTX ISA 6.4.1), and compilers compute with 32 bits of it.
//! Here it is generic, of 64 bits. A register is an *address* if each of its assignments gives one: the address of a variable,
//! a copy, or a sum of an address and an offset. This is the greatest such set. It is kept as an address of 64 bits, so that
//! later stages see which variable is accessed; a read as a number gives its lowest 32 bits. Offsets are signed.
//!
//! All other registers of 32 bits that addresses come to are numbers, and the window is added at the access.

use super::{Reader, Result, Unit, each_assigned};
use crate::syntax::{Instruction, Operand, StateSpace, Statement, Type, What};
use ir::Ty;
use ir::op::{BinOp, CvtOp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The instruction that assigns each register, or `None` if there are several.
pub(super) fn definitions(body: &[Statement]) -> BTreeMap<Arc<str>, Option<&Instruction>> {
    let mut out = BTreeMap::new();
    for statement in body {
        if let What::Instruction(instruction) = &statement.what {
            each_assigned(instruction, |name| {
                out.entry(name.clone()).and_modify(|known| *known = None).or_insert(Some(instruction));
            });
        }
    }
    out
}

/// How an address comes from the operands of an instruction of 32 bits.
enum Form<'a> {
    /// The address of a variable.
    Variable,
    /// A copy of a register.
    Copy(&'a Arc<str>),
    /// A sum of two operands.
    Sum(&'a Operand, &'a Operand),
    /// An address and a number that is added.
    Moved(&'a Operand),
    /// A difference: an address if the second operand is none.
    Difference(&'a Operand, &'a Operand),
}

impl Form<'_> {
    /// Calls `visit` with each register that decides whether this is an address.
    fn each_source(&self, mut visit: impl FnMut(&Arc<str>)) {
        match self {
            Form::Variable => {}
            Form::Copy(name) => visit(name),
            Form::Sum(a, b) => [a, b].into_iter().filter_map(|operand| operand.name()).for_each(visit),
            Form::Moved(a) => a.name().into_iter().for_each(visit),
            Form::Difference(a, b) => [a, b].into_iter().filter_map(|operand| operand.name()).for_each(visit),
        }
    }
}

fn form<'a>(is_shared: &impl Fn(&str) -> bool, instruction: &'a Instruction) -> Option<Form<'a>> {
    let operands = &instruction.operands;
    Some(match (&*instruction.opcode, &operands[..]) {
        ("mov.u32" | "mov.b32" | "mov.s32", [_, Operand::Name(name, _)]) if is_shared(name) => Form::Variable,
        ("mov.u32" | "mov.b32" | "mov.s32", [_, Operand::Name(name, 0)]) => Form::Copy(name),
        ("add.s32" | "add.u32", [_, a, b]) => Form::Sum(a, b),
        ("mad.lo.s32" | "mad.lo.u32", [_, _, _, c]) => Form::Moved(c),
        ("sub.s32" | "sub.u32", [_, a, b]) => Form::Difference(a, b),
        _ => return None,
    })
}

/// The registers that are addresses.
pub(super) fn addresses(unit: &Unit<'_>, body: &[Statement]) -> BTreeSet<Arc<str>> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for statement in body {
        if let What::Variable(v) = &statement.what
            && v.space == StateSpace::Shared
        {
            names.insert(&v.name);
        }
    }
    let is_shared =
        |name: &str| names.contains(name) || unit.variable(name).is_some_and(|v| v.space == StateSpace::Shared);
    let mut forms: BTreeMap<Arc<str>, Vec<Option<Form<'_>>>> = BTreeMap::new();
    for statement in body {
        if let What::Instruction(instruction) = &statement.what {
            each_assigned(instruction, |name| {
                forms.entry(name.clone()).or_default().push(form(&is_shared, instruction));
            });
        }
    }
    // Where no address of a variable of 32 bits is taken, there are none.
    if !forms.values().flatten().any(|form| matches!(form, Some(Form::Variable))) {
        return BTreeSet::new();
    }
    let mut out: BTreeSet<Arc<str>> =
        forms.iter().filter(|(_, all)| all.iter().all(Option::is_some)).map(|(name, _)| name.clone()).collect();
    // Which registers are computed from each: only these can be lost with it.
    let mut made_of: BTreeMap<Arc<str>, Vec<&Arc<str>>> = BTreeMap::new();
    for (name, form) in forms.iter().flat_map(|(name, all)| all.iter().flatten().map(move |form| (name, form))) {
        form.each_source(|source| made_of.entry(source.clone()).or_default().push(name));
    }
    let mut suspects = out.clone();
    loop {
        let is_address = |operand: &Operand| operand.name().is_some_and(|name| out.contains(name));
        let gives_address = |form: &Option<Form<'_>>| match form {
            Some(Form::Variable) => true,
            Some(Form::Copy(name)) => out.contains(*name),
            Some(Form::Sum(a, b)) => is_address(a) != is_address(b),
            Some(Form::Moved(a)) => is_address(a),
            Some(Form::Difference(a, b)) => is_address(a) && !is_address(b),
            None => false,
        };
        suspects.retain(|name| out.contains(name) && !forms[name].iter().all(gives_address));
        if suspects.is_empty() {
            return out;
        }
        for name in &suspects {
            out.remove(name);
        }
        suspects = suspects.iter().filter_map(|name| made_of.get(name)).flatten().map(|&name| name.clone()).collect();
    }
}

impl<'a> Reader<'a> {
    /// Reads an instruction that assigns an address of 32 bits; whether it is one.
    pub(super) fn address_instruction(&mut self, instruction: &'a Instruction) -> Result<bool> {
        let Some(target) = instruction.operands.first().and_then(Operand::name) else { return Ok(false) };
        if !self.addresses.contains(target) {
            return Ok(false);
        }
        let (reg, _) = self.register(target)?;
        let operands = &instruction.operands[1..];
        let value = match (instruction.stem(), operands) {
            ("mov", [Operand::Name(name, offset)]) => {
                let address = if self.addresses.contains(name) { self.kept(name)? } else { self.address_of(name)? };
                self.plus(address, *offset)
            }
            ("add", [a, b]) => {
                let (address, offset) = match a.name() {
                    Some(name) if self.addresses.contains(name) => (name, b),
                    _ => (b.name().unwrap_or(target), a),
                };
                let (address, offset) = (self.kept(address)?, self.offset(offset)?);
                self.b.bin(BinOp::Add, Ty::I64, address, offset).into()
            }
            ("sub", [a, b]) => {
                let (address, offset) = (self.kept(a.name().unwrap_or(target))?, self.offset(b)?);
                self.b.bin(BinOp::Sub, Ty::I64, address, offset).into()
            }
            ("mad", [a, b, c]) => {
                let (a, b) = (self.read(a, Type::U32)?, self.read(b, Type::U32)?);
                let product = self.b.bin(BinOp::Mul, Ty::I32, a, b).into();
                let offset = self.extended(product, Ty::I32, Ty::I64, true);
                let address = self.kept(c.name().unwrap_or(target))?;
                self.b.bin(BinOp::Add, Ty::I64, address, offset).into()
            }
            _ => return Ok(false),
        };
        self.b.set(reg, value);
        Ok(true)
    }

    /// The address that a register holds, if an operand is one of 32 bits.
    pub(super) fn address_in(&mut self, operand: &Operand) -> Result<Option<ir::Val>> {
        match operand.name() {
            Some(name) if self.addresses.contains(name) => self.kept(name).map(Some),
            _ => Ok(None),
        }
    }

    /// The address that a register holds.
    fn kept(&mut self, name: &Arc<str>) -> Result<ir::Val> {
        self.register(name).map(|(reg, _)| reg.into())
    }

    /// A signed offset of 32 bits.
    fn offset(&mut self, operand: &Operand) -> Result<ir::Val> {
        let value = self.read(operand, Type::U32)?;
        Ok(match value {
            ir::Val::Imm(_) => self.extended(value, Ty::I32, Ty::I64, true),
            ir::Val::Reg(_) => self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I64, value).into(),
        })
    }
}

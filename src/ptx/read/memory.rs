//! Loads, stores, atomics, copies, addresses (PTX ISA 9.7.9 and 9.7.13.6).
//!
//! A strong access is a volatile one, with a fence behind it if it acquires and before it if it releases.

use super::registers::Binding;
use super::{Op, Reader, Result, halves, integer, ir_type, wrong};
use crate::syntax::{Kind, Operand, StateSpace, Type};
use ir::op::{AtomOp, BinOp, CmpOp};
use ir::{Access, Bb, Scope, Space, Ty, Val};
use std::sync::Arc;

/// Parts of the opcode that say how an access is cached, which nobody can see.
const HINTS: &[&str] = &[
    "weak",
    "nc",
    "ca",
    "cg",
    "cs",
    "cv",
    "lu",
    "wb",
    "wt",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::cache_hint",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "L2::evict_first",
    "L2::evict_last",
    "L2::evict_normal",
];
const STRENGTHS: &[&str] = &["volatile", "relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys"];
const SHAPES: &[&str] = &[
    "global",
    "const",
    "shared",
    "shared::cta",
    "shared::cluster",
    "local",
    "param",
    "param::entry",
    "param::func",
    "v2",
    "v4",
];

/// The state space as the IR names it; a parameter in memory is local to the thread.
fn ir_space(space: Option<StateSpace>) -> Space {
    match space {
        None | Some(StateSpace::Cluster) => Space::Generic,
        Some(StateSpace::Global) => Space::Global,
        Some(StateSpace::Const) => Space::Const,
        Some(StateSpace::Shared) => Space::Shared,
        Some(StateSpace::Local | StateSpace::Param) => Space::Local,
    }
}

impl Op<'_> {
    /// Refuses parts that no access has.
    fn accesses(&self) -> Result<()> {
        let known: Vec<&str> = [HINTS, STRENGTHS, SHAPES].concat();
        self.only(&known)
    }

    fn strength(&self) -> Access {
        let is_strong = ["volatile", "relaxed", "acquire", "release"].iter().any(|part| self.has(part));
        if is_strong { Access::Volatile } else { Access::Plain }
    }

    /// The scope (PTX ISA 8.5).
    pub(super) fn scope(&self) -> Scope {
        if self.has("cta") {
            Scope::Block
        } else if self.has("sys") {
            Scope::System
        } else {
            Scope::Device
        }
    }
}

/// The operands of a vector, or the one that it is.
fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(all) => all,
        one => std::slice::from_ref(one),
    }
}

impl<'a> Reader<'a> {
    /// The parameter in a register that an address names.
    fn value_parameter(&mut self, operand: &Operand) -> Option<(ir::Reg, i64, Arc<str>)> {
        let Operand::Memory(base, offset) = operand else { return None };
        let name = base.name()?.clone();
        match self.binding(&name) {
            Some(Binding::Value(reg)) => Some((reg, *offset, name)),
            _ => None,
        }
    }

    /// `ld`
    pub(super) fn load(&mut self, op: &Op<'a>) -> Result<()> {
        op.accesses()?;
        op.count(2, 3)?;
        let (ty, space) = (op.ty()?, op.space());
        op.no_predicate(ty)?;
        let (targets, at) = (elements(op.operand(0)?), op.operand(1)?);
        if let Some((reg, offset, _)) = self.value_parameter(at) {
            for (i, target) in targets.iter().enumerate() {
                let value = self.part(reg, offset.saturating_add((i as u64 * ty.bytes()) as i64), ty)?;
                self.write(target, ty, value)?;
            }
            return Ok(());
        }
        let (address, offset) = self.place_of(at, space)?;
        let kind = ir_type(ty)?;
        let access = op.strength();
        let mut values = Vec::new();
        for i in 0..targets.len() {
            let offset = offset.wrapping_add((i as u64 * ty.bytes()) as i64);
            values.push(self.b.load(kind, ir_space(space), access, address, offset));
        }
        if op.has("acquire") {
            self.b.fence(op.scope());
        }
        for (target, value) in targets.iter().zip(values) {
            self.write(target, ty, value.into())?;
        }
        Ok(())
    }

    /// Some bytes of a parameter that is in a register.
    fn part(&mut self, reg: ir::Reg, offset: i64, ty: Type) -> Result<Val> {
        let (whole, wanted) = (self.b.ty(reg), ir_type(ty)?);
        let (has, wants) = (i64::from(whole.bytes()), i64::from(wanted.bytes()));
        if offset < 0 || offset > has - wants {
            return wrong(format!("{wants} bytes at {offset} are beyond a parameter of {has} bytes"));
        }
        let bits = integer(whole.bytes());
        let mut value = self.as_bits(reg.into(), whole, bits);
        if offset > 0 {
            value = self.b.bin(BinOp::ShrU, bits, value, Val::Imm(8 * offset as u64)).into();
        }
        let value = self.extended(value, bits, integer(wanted.bytes()), false);
        Ok(self.as_bits(value, integer(wanted.bytes()), wanted))
    }

    /// `st`
    pub(super) fn store(&mut self, op: &Op<'a>) -> Result<()> {
        op.accesses()?;
        op.count(2, 3)?;
        let (ty, space) = (op.ty()?, op.space());
        op.no_predicate(ty)?;
        let (at, given) = (op.operand(0)?, op.operand(1)?);
        if let Some((reg, offset, name)) = self.value_parameter(at) {
            let whole = self.b.ty(reg);
            if offset != 0 || u64::from(whole.bytes()) != ty.bytes() {
                return wrong("a store into a part of a parameter");
            }
            let value = self.read(given, ty)?;
            let value = self.as_bits(value, ir_type(ty)?, whole);
            self.b.set(reg, value);
            if let Some(scope) = self.scopes.last_mut() {
                scope.given.insert(name, given);
            }
            return Ok(());
        }
        let (address, offset) = self.place_of(at, space)?;
        let kind = ir_type(ty)?;
        let mut values = Vec::new();
        for operand in elements(given) {
            values.push(self.read(operand, ty)?);
        }
        if op.has("release") {
            self.b.fence(op.scope());
        }
        // The result of a function is where the caller says.
        let space = match (space, at) {
            (Some(StateSpace::Param), Operand::Memory(base, _))
                if base.name().and_then(|n| self.binding(n)).is_some_and(|b| matches!(b, Binding::Bytes(_))) =>
            {
                Space::Generic
            }
            _ => ir_space(space),
        };
        for (i, value) in values.into_iter().enumerate() {
            let offset = offset.wrapping_add((i as u64 * ty.bytes()) as i64);
            self.b.store(kind, space, op.strength(), address, offset, value);
        }
        Ok(())
    }

    /// `atom` and `red`
    pub(super) fn atomic(&mut self, op: &Op<'a>) -> Result<()> {
        let operations = [
            "add",
            "min",
            "max",
            "and",
            "or",
            "xor",
            "exch",
            "cas",
            "inc",
            "dec",
            "noftz",
            "global",
            "shared",
            "shared::cta",
            "shared::cluster",
        ];
        let known: Vec<&str> = [&operations[..], STRENGTHS, &["L2::cache_hint"]].concat();
        op.only(&known)?;
        let has_result = op.parts[0] == "atom";
        let first = usize::from(has_result);
        op.count(first + 2, first + 3)?;
        let (ty, space) = (op.ty()?, ir_space(op.space()));
        let kind = ir_type(ty)?;
        match () {
            () if op.has("inc") || op.has("dec") => op.integer_of(ty, &[32])?,
            () if op.has("add") && (kind.is_real() || halves::is_half(ty)) && !halves::is_brain(ty) => {}
            () => op.integer_of(ty, &[32, 64])?,
        }
        let (address, offset) = self.place_of(op.operand(first)?, op.space())?;
        let address = self.plus(address, offset);
        let a = self.read(op.operand(first + 1)?, ty)?;
        let scope = op.scope();
        if op.has("release") || op.has("acq_rel") {
            self.b.fence(scope);
        }
        let is_unsigned = ty.kind == Kind::Unsigned;
        let old: Val = if op.has("cas") {
            let new = self.read(op.operand(first + 2)?, ty)?;
            self.b.cas(kind, space, scope, address, a, new).into()
        } else if (op.has("min") || op.has("max")) && is_unsigned {
            self.extreme(op.has("min"), kind, (space, scope), address, a)
        } else {
            let Some(mut operation) = op.parts.iter().skip(1).find_map(|part| AtomOp::from_mnemonic(part)) else {
                return op.refused();
            };
            if halves::is_half(ty) {
                operation = AtomOp::AddHalf;
            }
            self.b.atomic(operation, kind, space, scope, address, a).into()
        };
        if op.has("acquire") || op.has("acq_rel") {
            self.b.fence(scope);
        }
        if has_result { self.write(op.operand(0)?, ty, old) } else { Ok(()) }
    }

    /// The lesser or greater of unsigned numbers, which the IR has no operation for: a loop that exchanges until nothing came
    /// between.
    fn extreme(&mut self, least: bool, ty: Ty, (space, scope): (Space, Scope), address: Val, a: Val) -> Val {
        let old = self.b.mutable(ty);
        let found = self.b.atomic(AtomOp::Or, ty, space, scope, address, Val::Imm(0));
        self.b.set(old, found);
        let (head, again, end): (Bb, Bb, Bb) = (self.b.new_block(), self.b.new_block(), self.b.new_block());
        self.b.jump(head);
        self.b.switch_to(head);
        let expected = self.b.mov(ty, old);
        let new = self.lesser(least, ty, expected.into(), a);
        let found = self.b.cas(ty, space, scope, address, expected, new);
        let is_done = self.b.cmp(CmpOp::Eq, ty, found, expected);
        self.b.set(old, found);
        self.b.branch(is_done, end, again);
        self.b.switch_to(again);
        self.b.back_edge();
        self.b.jump(head);
        self.b.switch_to(end);
        old.into()
    }

    /// The lesser or the greater of two unsigned numbers.
    pub(super) fn lesser(&mut self, least: bool, ty: Ty, a: Val, b: Val) -> Val {
        let is_less = self.b.cmp(CmpOp::LtU, ty, a, b);
        let (yes, no) = if least { (a, b) } else { (b, a) };
        self.b.select(ty, is_less, yes, no).into()
    }

    /// `mov`, with packing and unpacking of vectors (PTX ISA 9.7.9.3 and 9.7.9.4)
    pub(super) fn mov(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&[])?;
        op.count(2, 2)?;
        let ty = op.ty()?;
        let (target, given) = (op.operand(0)?, op.operand(1)?);
        let part = |all: &[Operand]| Type { kind: Kind::Bits, bits: ty.bits / (all.len() as u32).max(1) };
        match (target, given) {
            (Operand::Vector(all), _) => {
                let (part, bits) = (part(all), Type { kind: Kind::Bits, ..ty });
                let value = self.read(given, bits)?;
                let (whole, narrow) = (ir_type(bits)?, ir_type(part)?);
                for (i, one) in all.iter().enumerate() {
                    let shift = Val::Imm(i as u64 * u64::from(part.bits));
                    let shifted = if i == 0 { value } else { self.b.bin(BinOp::ShrU, whole, value, shift).into() };
                    let value = self.extended(shifted, whole, narrow, false);
                    self.write(one, part, value)?;
                }
                Ok(())
            }
            (_, Operand::Vector(all)) => {
                let (part, bits) = (part(all), Type { kind: Kind::Bits, ..ty });
                let (whole, narrow) = (ir_type(bits)?, ir_type(part)?);
                let mut value = Val::Imm(0);
                for (i, one) in all.iter().enumerate() {
                    let one = self.read(one, part)?;
                    let mut wide = self.extended(one, narrow, whole, false);
                    if i > 0 {
                        let shift = Val::Imm(i as u64 * u64::from(part.bits));
                        let shifted = self.b.bin(BinOp::Shl, whole, wide, shift);
                        wide = self.b.bin(BinOp::Or, whole, value, shifted).into();
                    }
                    value = wide;
                }
                self.write(target, bits, value)
            }
            _ => {
                let value = self.read(given, ty)?;
                self.write(target, ty, value)
            }
        }
    }

    /// `cvta`: all addresses are generic.
    pub(super) fn convert_address(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&[
            "to",
            "global",
            "shared",
            "shared::cta",
            "shared::cluster",
            "local",
            "const",
            "param",
            "param::entry",
        ])?;
        op.count(2, 2)?;
        let ty = op.ty()?;
        if ty.bits != 64 {
            return op.refused();
        }
        let mut value = self.read(op.operand(1)?, ty)?;
        let is_of_shared = ["shared", "shared::cta"].iter().any(|space| op.has(space)) && !op.has("to");
        if is_of_shared && !self.shared.is_empty() {
            // An address of 32 bits that was widened has lost its window.
            let low = self.extended(value, Ty::I64, Ty::I32, false);
            let generic = self.in_window(low)?;
            let is_low = self.b.cmp(CmpOp::Lt, Ty::I64, value, Val::Imm(1 << 32));
            let is_positive = self.b.cmp(CmpOp::Ge, Ty::I64, value, Val::Imm(0));
            let is_widened = self.b.bin(BinOp::And, Ty::Pred, is_low, is_positive);
            value = self.b.select(Ty::I64, is_widened, generic, value).into();
        }
        self.write(op.operand(0)?, ty, value)
    }
}

//! Names in a function: registers, parameters, variables; reading and assigning operands (PTX ISA 5.1.1, 6 and 10).

use super::{Fault, Op, Reader, Result, constant, integer, ir_type, unsupported, wrong};
use crate::syntax::{Kind, Number, Operand, StateSpace, Type};
use ir::op::{BinOp, CvtOp, Special};
use ir::{LocalId, Reg, Ty, Val};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a name means.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    /// A register.
    Register(Reg, Type),
    /// A parameter, result or argument that is a value, in a register.
    Value(Reg),
    /// A parameter that is bytes: their address.
    Bytes(Reg),
    /// Local memory.
    Slot(LocalId),
}

/// The names of a block.
#[derive(Default)]
pub(super) struct Scope<'a> {
    /// Which of the blocks of a function it is; 0 is the function.
    pub(super) number: usize,
    names: BTreeMap<Arc<str>, Binding>,
    /// Registers that were declared and not used yet: the beginning of their names, their type and their number.
    declared: Vec<(&'a str, Type, Option<u64>)>,
    /// What was stored last into an argument of a call.
    pub(super) given: BTreeMap<Arc<str>, &'a Operand>,
}

impl Scope<'_> {
    /// Without names yet.
    pub(super) fn new(number: usize) -> Self {
        Scope { number, ..Scope::default() }
    }
}

/// What a special register is made of (PTX ISA 10).
fn special(name: &str) -> Option<Special> {
    Some(match name {
        "%tid.x" => Special::TidX,
        "%tid.y" => Special::TidY,
        "%tid.z" => Special::TidZ,
        "%ntid.x" => Special::NtidX,
        "%ntid.y" => Special::NtidY,
        "%ntid.z" => Special::NtidZ,
        "%ctaid.x" => Special::CtaidX,
        "%ctaid.y" => Special::CtaidY,
        "%ctaid.z" => Special::CtaidZ,
        "%nctaid.x" => Special::NctaidX,
        "%nctaid.y" => Special::NctaidY,
        "%nctaid.z" => Special::NctaidZ,
        "%cluster_nctaid.x" => Special::ClusterNctaidX,
        "%cluster_nctaid.y" => Special::ClusterNctaidY,
        "%cluster_nctaid.z" => Special::ClusterNctaidZ,
        "%laneid" => Special::LaneId,
        "%clock" | "%clock64" => Special::Clock64,
        "%globaltimer" | "%globaltimer_lo" => Special::GlobalTimer,
        _ => return None,
    })
}

impl<'a> Reader<'a> {
    pub(super) fn bind(&mut self, name: Arc<str>, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, binding);
        }
    }

    pub(super) fn declare(&mut self, name: &'a Arc<str>, ty: Type, count: Option<u64>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.declared.push((name, ty, count));
        }
    }

    /// What a name of the function means, if it is one.
    pub(super) fn binding(&mut self, name: &Arc<str>) -> Option<Binding> {
        for at in (0..self.scopes.len()).rev() {
            if let Some(&known) = self.scopes[at].names.get(name) {
                return Some(known);
            }
            let fits = |&&(stem, _, count): &&(&str, Type, Option<u64>)| match count {
                None => stem == &**name,
                Some(count) => name
                    .strip_prefix(stem)
                    .filter(|digits| digits.len() < 2 || !digits.starts_with('0'))
                    .and_then(|digits| digits.parse::<u64>().ok())
                    .is_some_and(|number| number < count),
            };
            if let Some(&(_, ty, _)) = self.scopes[at].declared.iter().find(fits) {
                let kept = if self.addresses.contains(name) { Ty::I64 } else { ir_type(ty).ok()? };
                let binding = Binding::Register(self.b.mutable(kept), ty);
                self.scopes[at].names.insert(name.clone(), binding);
                return Some(binding);
            }
        }
        None
    }

    /// The register of that name.
    pub(super) fn register(&mut self, name: &Arc<str>) -> Result<(Reg, Type)> {
        match self.binding(name) {
            Some(Binding::Register(reg, ty)) => Ok((reg, ty)),
            Some(_) => wrong(format!("`{name}` is no register")),
            None if name.starts_with('%') && !name.contains('.') => {
                for scope in self.scopes.iter().rev() {
                    if let Some((_, ty, _)) = scope.declared.iter().find(|(stem, ..)| name.starts_with(stem)) {
                        ir_type(*ty)?;
                    }
                }
                wrong(format!("nothing declares register `{name}`"))
            }
            None => wrong(format!("nothing declares register `{name}`")),
        }
    }

    /// The value of an operand, of a type.
    pub(super) fn read(&mut self, operand: &Operand, ty: Type) -> Result<Val> {
        match operand {
            Operand::Number(number) => Ok(constant(*number, ir_type(ty)?)),
            Operand::Name(name, offset) => self.read_name(name, *offset, ty),
            Operand::Not(name) => {
                let value = self.read_name(name, 0, ty)?;
                Ok(self.not(ir_type(ty)?, value))
            }
            _ => wrong("an operand is neither a register nor a constant"),
        }
    }

    fn read_name(&mut self, name: &Arc<str>, offset: i64, ty: Type) -> Result<Val> {
        if &**name == "WARP_SZ" {
            return Ok(constant(Number::Int(32), ir_type(ty)?));
        }
        if let Some(value) = self.special_register(name)? {
            let of = if matches!(value.1, Ty::I64) { Type::B64 } else { Type::U32 };
            return self.fitted(value.0, of, ty);
        }
        match self.binding(name) {
            Some(Binding::Register(reg, _)) if self.addresses.contains(name) => {
                let low = self.b.cvt(CvtOp::Cast, Ty::I64, Ty::I32, reg);
                self.fitted(low.into(), Type::U32, ty)
            }
            Some(Binding::Register(reg, declared)) => self.fitted(reg.into(), declared, ty),
            _ if name.starts_with('%') && self.binding(name).is_none() && self.unit.variable(name).is_none() => {
                self.register(name).and_then(|(reg, declared)| self.fitted(reg.into(), declared, ty))
            }
            _ => {
                let address = self.address_of(name)?;
                let address = self.plus(address, offset);
                self.fitted(address, Type::B64, ty)
            }
        }
    }

    /// An address and an offset.
    pub(super) fn plus(&mut self, address: Val, offset: i64) -> Val {
        if offset == 0 { address } else { self.b.bin(BinOp::Add, Ty::I64, address, Val::i64(offset)).into() }
    }

    /// A special register, if the name is one.
    fn special_register(&mut self, name: &str) -> Result<Option<(Val, Ty)>> {
        if let Some(special) = special(name) {
            let value = self.b.special(special).into();
            return Ok(Some(match name {
                "%clock" | "%globaltimer_lo" => (self.b.cvt(CvtOp::Cast, Ty::I64, Ty::I32, value).into(), Ty::I32),
                _ => (value, special.ty()),
            }));
        }
        if let Some(value) = self.cluster_register(name) {
            return Ok(Some((value, Ty::I32)));
        }
        let one = Val::i32(1);
        let value: Val = match name {
            "%warpid" => {
                let [x, y, z] = [Special::TidX, Special::TidY, Special::TidZ].map(|s| self.b.special(s));
                let [nx, ny] = [Special::NtidX, Special::NtidY].map(|s| self.b.special(s));
                let row = self.b.tri(ir::op::TriOp::Mad, Ty::I32, z, ny, y);
                let thread = self.b.tri(ir::op::TriOp::Mad, Ty::I32, row, nx, x);
                self.b.bin(BinOp::ShrU, Ty::I32, thread, Val::i32(5)).into()
            }
            "%nwarpid" => {
                let [nx, ny, nz] = [Special::NtidX, Special::NtidY, Special::NtidZ].map(|s| self.b.special(s));
                let plane = self.b.bin(BinOp::Mul, Ty::I32, nx, ny);
                let threads = self.b.bin(BinOp::Mul, Ty::I32, plane, nz);
                let up = self.b.bin(BinOp::Add, Ty::I32, threads, Val::i32(31));
                self.b.bin(BinOp::ShrU, Ty::I32, up, Val::i32(5)).into()
            }
            "%lanemask_eq" | "%lanemask_lt" | "%lanemask_le" | "%lanemask_gt" | "%lanemask_ge" => {
                let lane = self.b.special(Special::LaneId);
                let own = self.b.bin(BinOp::Shl, Ty::I32, one, lane);
                let below = self.b.bin(BinOp::Sub, Ty::I32, own, one);
                let up_to = self.b.bin(BinOp::Or, Ty::I32, own, below);
                match name {
                    "%lanemask_eq" => own.into(),
                    "%lanemask_lt" => below.into(),
                    "%lanemask_le" => up_to.into(),
                    "%lanemask_gt" => self.b.un(ir::op::UnOp::Not, Ty::I32, up_to).into(),
                    _ => self.b.un(ir::op::UnOp::Not, Ty::I32, below).into(),
                }
            }
            "%smid" | "%nsmid" | "%gridid" | "%dynamic_smem_size" | "%total_smem_size" | "%clock_hi"
            | "%globaltimer_hi" => return unsupported(format!("PTX register `{name}`")),
            _ if ["%envreg", "%pm", "%cluster", "%is_explicit", "%reserved_smem"]
                .iter()
                .any(|s| name.starts_with(s)) =>
            {
                return unsupported(format!("PTX register `{name}`"));
            }
            _ => return Ok(None),
        };
        Ok(Some((value, Ty::I32)))
    }

    /// A value of a register of type `from` as one of type `to`: its bits, or the lowest of them.
    pub(super) fn fitted(&mut self, value: Val, from: Type, to: Type) -> Result<Val> {
        let (is, wanted) = (ir_type(from)?, ir_type(to)?);
        if is == wanted {
            return Ok(value);
        }
        if is == Ty::Pred || wanted == Ty::Pred || is.bytes() < wanted.bytes() {
            return wrong(format!("a register of {} bits stands where one of {} is expected", from.bits, to.bits));
        }
        let whole = self.as_bits(value, is, integer(is.bytes()));
        let low = self.extended(whole, integer(is.bytes()), integer(wanted.bytes()), false);
        Ok(self.as_bits(low, integer(wanted.bytes()), wanted))
    }

    /// Assigns a value of a type to the register that an operand names. A wider register gets it extended.
    pub(super) fn write(&mut self, operand: &Operand, ty: Type, value: Val) -> Result<()> {
        let Some(name) = operand.name() else { return wrong("a register is expected as the first operand") };
        if &**name == "_" {
            return Ok(());
        }
        let (reg, declared) = self.register(name)?;
        let (is, wanted) = (ir_type(ty)?, self.b.ty(reg));
        if self.addresses.contains(name) {
            let wide = self.extended(value, is, Ty::I64, false);
            self.b.set(reg, wide);
            return Ok(());
        }
        if (is == Ty::Pred) != (wanted == Ty::Pred) || is.bytes() > wanted.bytes() {
            return wrong(format!("`{name}` has {} bits, the result has {}", declared.bits, ty.bits));
        }
        let whole = self.as_bits(value, is, if is == Ty::Pred { is } else { integer(is.bytes()) });
        let value = if is == Ty::Pred {
            value
        } else if is.bytes() == wanted.bytes() {
            self.as_bits(value, is, wanted)
        } else {
            let wide = self.extended(whole, integer(is.bytes()), integer(wanted.bytes()), ty.kind == Kind::Signed);
            self.as_bits(wide, integer(wanted.bytes()), wanted)
        };
        self.b.set(reg, value);
        Ok(())
    }

    /// The address of a memory operand in a state space, and the offset from it.
    pub(super) fn place_of(&mut self, operand: &Operand, space: Option<StateSpace>) -> Result<(Val, i64)> {
        let Operand::Memory(base, offset) = operand else { return wrong("an address in brackets is expected") };
        match &**base {
            Operand::Number(number) => Ok((constant(*number, Ty::I64), *offset)),
            Operand::Name(name, _) => match self.binding(name) {
                Some(Binding::Register(reg, _)) if self.addresses.contains(name) => Ok((reg.into(), *offset)),
                Some(Binding::Register(reg, ty)) if ty.bits == 32 && space == Some(StateSpace::Shared) => {
                    let low = self.fitted(reg.into(), ty, Type::U32)?;
                    Ok((self.in_window(low)?, *offset))
                }
                // It may be an address in another block, of which 32 bits say too little.
                Some(Binding::Register(_, ty)) if ty.bits == 32 && space == Some(StateSpace::Cluster) => {
                    unsupported("an address of 32 bits in shared memory of a cluster in PTX")
                }
                Some(Binding::Register(reg, ty)) => Ok((self.fitted(reg.into(), ty, Type::B64)?, *offset)),
                None if name.starts_with('%') && self.unit.variable(name).is_none() => {
                    self.register(name).map(|(reg, _)| (reg.into(), *offset))
                }
                _ => Ok((self.address_of(name)?, *offset)),
            },
            _ => wrong("an address is a register or a variable, with an offset"),
        }
    }

    /// The address in shared memory whose lowest 32 bits these are. The window of shared memory does not cross a boundary of
    /// 4 GiB, so that its other bits are those of any of its variables.
    pub(super) fn in_window(&mut self, low: Val) -> Result<Val> {
        let Some(&any) = self.shared.values().next() else {
            return unsupported("an address in shared memory of 32 bits that comes from another function of PTX");
        };
        let address = self.b.addr_shared(any);
        let high = self.b.bin(BinOp::And, Ty::I64, address, Val::Imm(!0 << 32));
        let low = self.b.cvt(CvtOp::CastU, Ty::I32, Ty::I64, low);
        Ok(self.b.bin(BinOp::Or, Ty::I64, high, low).into())
    }
}

impl Op<'_> {
    /// The name of a variable or function that an operand is.
    pub(super) fn name(&self, number: usize) -> Result<&Arc<str>> {
        self.operand(number)?.name().ok_or_else(|| Fault::Wrong("a name is expected".to_owned()))
    }
}

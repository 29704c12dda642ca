//! Operands in registers of the processor, and results where they belong.

use super::registers::{Gpr, Home};
use super::{Operand, Register};
use crate::host::emit::{Emitter, Result};
use crate::segment::Class;
use iced_x86::code_asm::{AsmRegisterXmm, rax};

impl Emitter<'_> {
    /// The general register that an operand is in: its home, or `scratch`. Words are zero-extended. `rcx` is lost if it is a predicate
    /// of the frame.
    pub(super) fn read(&mut self, operand: Operand, scratch: Gpr) -> Result<Gpr> {
        let register = match operand {
            Operand::Constant(bits) => {
                if let Ok(small) = u32::try_from(bits) {
                    self.a.mov(scratch.d, small)?;
                } else {
                    self.a.mov(scratch.q, bits)?;
                }
                return Ok(scratch);
            }
            Operand::Register(register) => register,
        };
        match (self.homes.of(register), register.class) {
            (Home::General(gpr), _) => return Ok(gpr),
            (Home::Vector(xmm), Class::Long) => self.a.vmovq(scratch.q, xmm)?,
            (Home::Vector(xmm), _) => self.a.vmovd(scratch.d, xmm)?,
            (Home::Frame, Class::Long) => {
                let place = self.frame_place(register)?;
                self.a.mov(scratch.q, place)?;
            }
            (Home::Frame, class) => {
                let place = self.frame_place(register)?;
                self.a.mov(scratch.d, place)?;
                if class == Class::Pred {
                    self.a.and(scratch.d, 1)?;
                }
            }
        }
        Ok(scratch)
    }

    /// Copies an operand into a general register.
    pub(super) fn read_into(&mut self, operand: Operand, to: Gpr) -> Result {
        let from = self.read(operand, to)?;
        if from != to {
            self.a.mov(to.q, from.q)?;
        }
        Ok(())
    }

    /// The vector register that an operand is in: its home, or `scratch`; `rax` may be lost.
    pub(super) fn read_real(&mut self, operand: Operand, scratch: AsmRegisterXmm) -> Result<AsmRegisterXmm> {
        let register = match operand {
            Operand::Constant(0) => {
                self.a.vxorps(scratch, scratch, scratch)?;
                return Ok(scratch);
            }
            Operand::Constant(bits) => {
                if let Some(&(_, kept)) = self.homes.constants().iter().find(|c| c.0 == bits) {
                    return Ok(kept);
                }
                self.a.mov(rax, bits)?;
                self.a.vmovq(scratch, rax)?;
                return Ok(scratch);
            }
            Operand::Register(register) => register,
        };
        match (self.homes.of(register), register.class) {
            (Home::Vector(xmm), _) => return Ok(xmm),
            (Home::General(gpr), Class::Long) => self.a.vmovq(scratch, gpr.q)?,
            (Home::General(gpr), _) => self.a.vmovd(scratch, gpr.d)?,
            (Home::Frame, Class::Long) => {
                let place = self.frame_place(register)?;
                self.a.vmovsd(scratch, place)?;
            }
            (Home::Frame, _) => {
                let place = self.frame_place(register)?;
                self.a.vmovss(scratch, place)?;
            }
        }
        Ok(scratch)
    }

    /// Gives a register the word of a general register; `rcx` is lost if it is a predicate of the frame.
    pub(super) fn write(&mut self, register: Register, from: Gpr) -> Result {
        match (self.homes.of(register), register.class) {
            (Home::General(to), Class::Long) if to != from => self.a.mov(to.q, from.q)?,
            (Home::General(to), _) if to != from => self.a.mov(to.d, from.d)?,
            (Home::General(_), _) => {}
            (Home::Vector(to), Class::Long) => self.a.vmovq(to, from.q)?,
            (Home::Vector(to), _) => self.a.vmovd(to, from.d)?,
            (Home::Frame, Class::Long) => {
                let place = self.frame_place(register)?;
                self.a.mov(place, from.q)?;
            }
            (Home::Frame, _) => {
                let place = self.frame_place(register)?;
                self.a.mov(place, from.d)?;
            }
        }
        Ok(())
    }

    /// Gives a register the word in a vector register.
    pub(super) fn write_real(&mut self, register: Register, from: AsmRegisterXmm) -> Result {
        match (self.homes.of(register), register.class) {
            (Home::Vector(to), _) if to != from => self.a.vmovaps(to, from)?,
            (Home::Vector(_), _) => {}
            (Home::General(to), Class::Long) => self.a.vmovq(to.q, from)?,
            (Home::General(to), _) => self.a.vmovd(to.d, from)?,
            (Home::Frame, Class::Long) => {
                let place = self.frame_place(register)?;
                self.a.vmovsd(place, from)?;
            }
            (Home::Frame, _) => {
                let place = self.frame_place(register)?;
                self.a.vmovss(place, from)?;
            }
        }
        Ok(())
    }
}

//! Loads and stores: where the word of an address lies.

use super::emit::{Emitter, Result, STATE, Stub, field};
use super::registers::{Gpr, Home, RAX, RCX, RDX};
use super::state::{HostState, Site, SiteInfo};
use super::{Address, HostTerm, Operand, Register};
use crate::segment::Class;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegister64, CodeLabel, byte_ptr, dword_ptr, eax, qword_ptr, rax, rcx, rdx, rsp, word_ptr,
};
use std::mem::offset_of;

impl Emitter<'_> {
    /// Computes where the word at an address lies into `rax`; goes to `fail` if there is none.
    pub(super) fn pointer(&mut self, address: &Address, (bytes, writes): (u32, bool), fail: CodeLabel) -> Result {
        self.offset(address)?;
        let site = self.sites.len();
        self.sites.push(SiteInfo { base: address.base, bytes, writes });
        let (mut retry, refill) = (self.a.create_label(), self.a.create_label());
        self.a.set_label(&mut retry)?;
        self.a.sub(rax, self.site(site, offset_of!(Site, low)))?;
        self.a.cmp(rax, self.site(site, offset_of!(Site, room)))?;
        self.a.jae(refill)?;
        self.a.add(rax, self.site(site, offset_of!(Site, place)))?;
        self.stubs.push(Stub::Refill { label: refill, retry, fail, site });
        Ok(())
    }

    /// Computes an address but for its constant part into `rax`.
    pub(super) fn offset(&mut self, address: &Address) -> Result {
        let mut is_first = true;
        if address.is_local {
            self.a.mov(rax, qword_ptr(rsp + STATE))?;
            self.a.mov(rax, qword_ptr(rax + field!(local_base)))?;
            is_first = false;
        }
        for term in &address.terms {
            self.add_term(term, is_first)?;
            is_first = false;
        }
        if is_first {
            self.a.xor(eax, eax)?;
        }
        Ok(())
    }

    /// Adds a term to `rax`, or begins with it.
    fn add_term(&mut self, term: &HostTerm, is_first: bool) -> Result {
        let of = self.signed(term.register)?;
        match (term.factor, is_first) {
            (1, true) => self.a.mov(rax, of.q)?,
            (1, false) => self.a.add(rax, of.q)?,
            (2, false) => self.a.lea(rax, qword_ptr(rax + of.q * 2))?,
            (4, false) => self.a.lea(rax, qword_ptr(rax + of.q * 4))?,
            (8, false) => self.a.lea(rax, qword_ptr(rax + of.q * 8))?,
            (factor, _) => {
                let to = if is_first { RAX } else { RCX };
                if factor > 0 && (factor as u64).is_power_of_two() {
                    if of != to {
                        self.a.mov(to.q, of.q)?;
                    }
                    self.a.shl(to.q, factor.trailing_zeros())?;
                } else if let Ok(small) = i32::try_from(factor) {
                    self.a.imul_3(to.q, of.q, small)?;
                } else {
                    self.a.mov(rdx, factor)?;
                    self.a.imul_2(rdx, of.q)?;
                    self.a.mov(to.q, rdx)?;
                }
                if !is_first {
                    self.a.add(rax, rcx)?;
                }
            }
        }
        Ok(())
    }

    /// The general register that a register of an address is in as a signed number: its home, or `rcx`.
    pub(super) fn signed(&mut self, register: Register) -> Result<Gpr> {
        let of = self.read(Operand::Register(register), RCX)?;
        if register.class == Class::Long {
            return Ok(of);
        }
        self.a.movsxd(rcx, of.d)?;
        Ok(RCX)
    }

    /// Loads a word from a place.
    pub(super) fn load_at(&mut self, bytes: u32, result: Register, place: Place) -> Result {
        let (home, from) = (self.homes.of(result), memory(place, bytes));
        match (home, bytes) {
            (Home::Vector(to), 8) => return Ok(self.a.vmovsd(to, from)?),
            (Home::Vector(to), 4) => return Ok(self.a.vmovss(to, from)?),
            _ => {}
        }
        let to = if let Home::General(to) = home { to } else { RAX };
        match bytes {
            1 | 2 => self.a.movzx(to.d, from)?,
            4 => self.a.mov(to.d, from)?,
            _ => self.a.mov(to.q, from)?,
        }
        if to == RAX { self.write(result, RAX) } else { Ok(()) }
    }

    /// Stores a word to a place, which `rdx` is no part of.
    pub(super) fn store_at(&mut self, bytes: u32, value: Operand, place: Place) -> Result {
        let to = memory(place, bytes);
        if let Operand::Register(register) = value
            && let Home::Vector(from) = self.homes.of(register)
        {
            match bytes {
                8 => return Ok(self.a.vmovsd(to, from)?),
                4 => return Ok(self.a.vmovss(to, from)?),
                _ => {}
            }
        }
        let from = self.read(value, RDX)?;
        match bytes {
            1 => self.a.mov(to, from.b)?,
            2 => self.a.mov(to, from.w)?,
            4 => self.a.mov(to, from.d)?,
            _ => self.a.mov(to, from.q)?,
        }
        Ok(())
    }
}

/// A place in memory: where a register points to, and one that is added.
pub(super) type Place = (AsmRegister64, Option<AsmRegister64>);

/// The word of so many bytes at a place.
fn memory(of: Place, bytes: u32) -> AsmMemoryOperand {
    macro_rules! sized {
        ($of:expr) => {
            match bytes {
                1 => byte_ptr($of),
                2 => word_ptr($of),
                4 => dword_ptr($of),
                _ => qword_ptr($of),
            }
        };
    }
    match of {
        (base, Some(index)) => sized!(base + index),
        (base, None) => sized!(base),
    }
}

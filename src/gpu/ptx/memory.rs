//! Addresses, loads and stores (PTX ISA 6.4, 9.7.9).
//!
//! A constant variable that did not fit into the constant bank is in global memory, and a pointer may come from either. So an
//! access to constant memory through a generic address is a generic access.

use super::EmitError;
use super::body::{Body, Width, ins};
use super::globals::Bank;
use super::names::{DYNAMIC_SHARED, global_symbol, shared_symbol};
use super::space::Home;
use ir::{Access, AddrBase, InstKind, Reg, SharedSize, Space, Ty, Val};

impl Body<'_, '_> {
    /// `dst = address of base`
    pub(super) fn addr(&mut self, dst: Reg, base: AddrBase) -> Result<(), EmitError> {
        match base {
            AddrBase::Local(id) => match self.slot_offset(id) {
                Some(offset) => self.depot_address(dst, offset),
                None => return self.refuse("local memory that does not exist"),
            },
            AddrBase::Shared(id) => match self.func.shared.get(id.index()).map(|s| s.size) {
                Some(SharedSize::Static(_)) => {
                    self.window_address(dst, Home::Shared, &shared_symbol(self.owner, id));
                }
                Some(SharedSize::Dynamic) => self.window_address(dst, Home::Shared, DYNAMIC_SHARED),
                None => return self.refuse("shared memory that does not exist"),
            },
            AddrBase::Global(id) => {
                let symbol = global_symbol(self.unit.module, id);
                match self.unit.placement.bank(id) {
                    Bank::Const => self.window_address(dst, Home::Const, &symbol),
                    Bank::Global => {
                        let d = self.reg(dst);
                        ins!(self, "mov.b64 {d}, {symbol}");
                    }
                    Bank::Fixed(address) => {
                        let d = self.reg(dst);
                        ins!(self, "mov.b64 {d}, {}", address as i64);
                    }
                    Bank::Nowhere => {
                        let name = self.unit.module.globals.get(id.index()).map_or("", |g| &g.name).to_owned();
                        return self.refuse(format!("the host variable `{name}`"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The state space to name in an access through `addr`, and the register with the address within it.
    pub(super) fn place(&mut self, space: Space, addr: Val) -> Result<(&'static str, String), EmitError> {
        let home = self.home(addr);
        let base = self.in_register(Ty::I64, addr);
        if home != Home::Generic {
            return Ok((home.suffix(), base));
        }
        let window = match space {
            Space::Global => return Ok((".global", base)),
            Space::Generic | Space::Const => return Ok(("", base)),
            Space::Shared => ".shared",
            Space::Local => ".local",
            Space::Host => return self.refuse("an access to host memory"),
        };
        let temp = self.temp(Width::W64);
        ins!(self, "cvta.to{window}.u64 {temp}, {base}");
        Ok((window, temp))
    }

    /// `[base + offset]` as PTX writes it; an offset of more than 32 bits is added before.
    pub(super) fn bracket(&mut self, base: &str, offset: i64) -> String {
        if offset == 0 {
            format!("[{base}]")
        } else if i32::try_from(offset).is_ok() {
            format!("[{base}+{offset}]")
        } else {
            let temp = self.temp(Width::W64);
            ins!(self, "add.s64 {temp}, {base}, {offset}");
            format!("[{temp}]")
        }
    }

    /// `.volatile` where it has a meaning: no other thread sees local memory, and nothing writes constant memory.
    fn strength(access: Access, state_space: &str) -> &'static str {
        match (access, state_space) {
            (Access::Volatile, "" | ".global" | ".shared") => ".volatile",
            _ => "",
        }
    }

    /// `.nc` where the memory does not change while the kernel runs.
    fn cache(&self, access: Access, window: &str, addr: Val) -> &'static str {
        if window == ".global" && access == Access::Plain && self.read_only.has(addr) { ".nc" } else { "" }
    }

    /// `dst = [addr + offset]`
    pub(super) fn load(
        &mut self,
        ty: Ty,
        space: Space,
        access: Access,
        dst: Reg,
        addr: Val,
        offset: i64,
    ) -> Result<(), EmitError> {
        let (window, base) = self.place(space, addr)?;
        let at = self.bracket(&base, offset);
        let (d, strength) = (self.reg(dst), Self::strength(access, window));
        let kind = match ty {
            Ty::Pred => return self.refuse("a predicate in memory"),
            Ty::I8 => "s8",
            Ty::I16 => "s16",
            Ty::I32 | Ty::F32 => "b32",
            Ty::I64 | Ty::F64 => "b64",
        };
        let cache = self.cache(access, window, addr);
        ins!(self, "ld{strength}{window}{cache}.{kind} {d}, {at}");
        Ok(())
    }

    /// The load or store that `kind` is, of neighbouring words from that offset on.
    pub(super) fn access_vector(&mut self, kind: &InstKind, operands: &[Val], offset: i64) -> Result<(), EmitError> {
        let (InstKind::Load { ty, space, addr, .. } | InstKind::Store { ty, space, addr, .. }) = *kind else {
            return self.refuse("a vector that is no access");
        };
        let (window, base) = self.place(space, addr)?;
        let at = self.bracket(&base, offset);
        let names: Vec<String> = operands.iter().map(|&v| self.raw(ty, v)).collect();
        let (count, bits, names) = (operands.len(), Width::of(ty).bits(), names.join(", "));
        if let InstKind::Load { .. } = kind {
            let cache = self.cache(Access::Plain, window, addr);
            ins!(self, "ld{window}{cache}.v{count}.{bits} {{{names}}}, {at}");
        } else {
            ins!(self, "st{window}.v{count}.{bits} {at}, {{{names}}}");
        }
        Ok(())
    }

    /// `[addr + offset] = value`
    pub(super) fn store(
        &mut self,
        ty: Ty,
        space: Space,
        access: Access,
        addr: Val,
        offset: i64,
        value: Val,
    ) -> Result<(), EmitError> {
        let (window, base) = self.place(space, addr)?;
        if window == ".const" || space == Space::Const {
            return self.refuse("a store to constant memory");
        }
        let at = self.bracket(&base, offset);
        let kind = match ty {
            Ty::Pred => return self.refuse("a predicate in memory"),
            Ty::I8 => "b8",
            Ty::I16 => "b16",
            Ty::I32 | Ty::F32 => "b32",
            Ty::I64 | Ty::F64 => "b64",
        };
        let value = self.raw(ty, value);
        ins!(self, "st{}{window}.{kind} {at}, {value}", Self::strength(access, window));
        Ok(())
    }
}

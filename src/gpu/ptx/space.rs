//! Which registers hold an address within the window of one space, and which a generic address.
//!
//! Shared, local and constant memory are windows of the generic address space (PTX ISA 6.4.1.1). A pointer that may be stored,
//! passed or compared must be generic. But nearly all addresses only feed sums and accesses; for those, an address within the
//! window saves a conversion on each access. A register is *at home* in a space if each of its definitions gives an address of
//! that space (the address of a variable, or a sum of an address at home there and an offset) and each of its uses takes one
//! (the address of an access, or such a sum whose result is at home there too).
//!
//! This is the greatest set with that property. Definitions give a first guess; uses that do not fit make registers generic,
//! until nothing changes. A register becomes generic only once, so this ends.

use super::globals::{Bank, Placement};
use ir::op::{BinOp, TriOp, UnOp};
use ir::{AddrBase, Function, InstKind, ParamKind, Reg, Space, Ty, Val};

/// What an address in a register is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// A generic address; also every register that is no address.
    Generic,
    /// An offset in the shared window.
    Shared,
    /// An offset in the local window.
    Local,
    /// An offset in the constant bank.
    Const,
}

impl Home {
    /// The space as PTX spells it.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Home::Generic => "",
            Home::Shared => ".shared",
            Home::Local => ".local",
            Home::Const => ".const",
        }
    }

    /// The home of the address of a variable.
    pub(super) fn of(base: AddrBase, placement: &Placement) -> Home {
        match base {
            AddrBase::Local(_) => Home::Local,
            AddrBase::Shared(_) => Home::Shared,
            AddrBase::Global(id) => match placement.bank(id) {
                Bank::Const => Home::Const,
                Bank::Global | Bank::Fixed(_) | Bank::Nowhere => Home::Generic,
            },
        }
    }

    /// Whether an access that names `space` may go to this home.
    fn serves(self, space: Space) -> bool {
        match self {
            Home::Generic => false,
            Home::Shared => matches!(space, Space::Shared | Space::Generic),
            Home::Local => matches!(space, Space::Local | Space::Generic),
            Home::Const => matches!(space, Space::Const | Space::Generic),
        }
    }
}

struct Analysis<'a> {
    func: &'a Function,
    placement: &'a Placement,
    /// What is believed of each register; `None` before its first definition is seen.
    homes: Vec<Option<Home>>,
    /// Registers that some use has turned generic.
    generic: Vec<bool>,
}

/// The home of each register of a function. Registers for which `pinned` holds stay generic, because a debugger reads them.
pub(super) fn homes(func: &Function, placement: &Placement, pinned: impl Fn(Reg) -> bool) -> Vec<Home> {
    let count = func.regs.len();
    let generic = (0..count).map(|i| func.regs[i].ty != Ty::I64 || pinned(Reg(i as u32))).collect();
    let mut analysis = Analysis { func, placement, homes: vec![None; count], generic };
    loop {
        analysis.define();
        if !analysis.check_uses() {
            break;
        }
    }
    analysis.homes.into_iter().map(|h| h.unwrap_or(Home::Generic)).collect()
}

impl Analysis<'_> {
    fn home(&self, value: Val) -> Option<Home> {
        match value {
            Val::Reg(reg) => self.homes.get(reg.index()).copied().unwrap_or(Some(Home::Generic)),
            Val::Imm(_) => Some(Home::Generic),
        }
    }

    /// Derives the homes from the definitions, given what is known to be generic.
    fn define(&mut self) {
        self.homes = self.generic.iter().map(|&g| g.then_some(Home::Generic)).collect();
        let mut changed = true;
        for param in &self.func.params {
            let home = match param.kind {
                ParamKind::Value => Home::Generic,
                ParamKind::Bytes { .. } => Home::Local,
            };
            self.meet(param.reg, home);
        }
        while changed {
            changed = false;
            for inst in self.func.blocks.iter().flat_map(|b| &b.insts) {
                if let Some((dst, home)) = self.defined(&inst.kind) {
                    changed |= home.is_some_and(|h| self.meet(dst, h));
                } else {
                    inst.kind.each_def(|dst| changed |= self.meet(dst, Home::Generic));
                }
            }
        }
    }

    /// The register that a sum or the like defines and the home that it gives; `None` for all other instructions.
    fn defined(&self, kind: &InstKind) -> Option<(Reg, Option<Home>)> {
        let sum = |a: Option<Home>, b: Option<Home>| match (a?, b?) {
            (Home::Generic, other) | (other, Home::Generic) => Some(other),
            _ => Some(Home::Generic),
        };
        match kind {
            InstKind::Addr { dst, base } => Some((*dst, Some(Home::of(*base, self.placement)))),
            InstKind::Un { op: UnOp::Mov, ty: Ty::I64, dst, a } => Some((*dst, self.home(*a))),
            InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a, b } => Some((*dst, sum(self.home(*a), self.home(*b)))),
            InstKind::Bin { op: BinOp::Sub, ty: Ty::I64, dst, a, b } => {
                let home = match (self.home(*a), self.home(*b)) {
                    (None, _) | (_, None) => None,
                    (a, Some(Home::Generic)) => a,
                    _ => Some(Home::Generic),
                };
                Some((*dst, home))
            }
            InstKind::Tri { op: TriOp::Mad, ty: Ty::I64, dst, c, .. } => Some((*dst, self.home(*c))),
            _ => None,
        }
    }

    /// Lowers what is believed of a register; whether that changed it.
    fn meet(&mut self, reg: Reg, home: Home) -> bool {
        let Some(slot) = self.homes.get_mut(reg.index()) else { return false };
        let met = match *slot {
            None => home,
            Some(old) if old == home => home,
            Some(_) => Home::Generic,
        };
        slot.replace(met) != Some(met)
    }

    /// Turns registers generic whose uses do not fit; whether there were any.
    fn check_uses(&mut self) -> bool {
        let mut turned = false;
        let func = self.func;
        for block in &func.blocks {
            for inst in &block.insts {
                let fits = self.fitting(&inst.kind);
                inst.kind.each_use(|value| turned |= !fits.contains(&value) && self.turn(value));
            }
            block.term.each_use(|value| turned |= self.turn(value));
        }
        turned
    }

    /// The operands of an instruction that may stay at home. An operand that stands at two places of the instruction (an
    /// address that is stored at itself) is not among them.
    fn fitting(&self, kind: &InstKind) -> Vec<Val> {
        let candidates = match kind {
            InstKind::Load { space, addr, .. } => self.accessed(*space, *addr),
            InstKind::Store { space, addr, .. } | InstKind::Atomic { space, addr, .. } => self.accessed(*space, *addr),
            InstKind::Un { op: UnOp::Mov, ty: Ty::I64, dst, a } => self.summed(*dst, &[*a]),
            InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a, b } => self.summed(*dst, &[*a, *b]),
            InstKind::Bin { op: BinOp::Sub, ty: Ty::I64, dst, a, .. } => self.summed(*dst, &[*a]),
            InstKind::Tri { op: TriOp::Mad, ty: Ty::I64, dst, c, .. } => self.summed(*dst, &[*c]),
            _ => Vec::new(),
        };
        let mut times = Vec::new();
        kind.each_use(|v| times.push(v));
        candidates.into_iter().filter(|c| times.iter().filter(|v| *v == c).count() == 1).collect()
    }

    fn accessed(&self, space: Space, addr: Val) -> Vec<Val> {
        if self.home(addr).is_some_and(|h| h.serves(space)) { vec![addr] } else { Vec::new() }
    }

    fn summed(&self, dst: Reg, operands: &[Val]) -> Vec<Val> {
        let home = self.home(Val::Reg(dst));
        operands.iter().copied().filter(|&v| home != Some(Home::Generic) && self.home(v) == home).collect()
    }

    fn turn(&mut self, value: Val) -> bool {
        let Val::Reg(reg) = value else { return false };
        if self.home(value).is_none_or(|h| h == Home::Generic) {
            return false;
        }
        self.generic.get_mut(reg.index()).is_some_and(|g| !std::mem::replace(g, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Access, FuncKind, FunctionBuilder, LocalId, Module, SharedId};
    use source::Span;

    fn homes_of(build: impl FnOnce(&mut FunctionBuilder) -> Vec<Reg>) -> Vec<Home> {
        let mut b = FunctionBuilder::new("k", FuncKind::Kernel, Span::NONE);
        let regs = build(&mut b);
        b.ret(Vec::new());
        let all = homes(&b.finish(), &Placement::new(&Module::default(), None), |_| false);
        regs.into_iter().map(|r| all[r.index()]).collect()
    }

    #[test]
    fn address_that_feeds_shared_accesses_is_at_home() {
        let found = homes_of(|b| {
            let i = b.param(Ty::I64, "i");
            let base = b.addr_shared(SharedId(0));
            let at = b.bin(BinOp::Add, Ty::I64, base, i);
            b.store(Ty::I32, Space::Shared, Access::Plain, at, 4, Val::i32(1));
            vec![i, base, at]
        });
        assert_eq!(found, [Home::Generic, Home::Shared, Home::Shared]);
    }

    #[test]
    fn address_that_is_stored_is_generic_with_what_it_came_from() {
        let found = homes_of(|b| {
            let p = b.param(Ty::I64, "p");
            let base = b.addr_local(LocalId(0));
            let at = b.bin(BinOp::Add, Ty::I64, base, Val::i64(8));
            b.store(Ty::I64, Space::Global, Access::Plain, p, 0, at);
            let other = b.bin(BinOp::Add, Ty::I64, base, Val::i64(16));
            b.store(Ty::I64, Space::Local, Access::Plain, other, 0, Val::i64(0));
            vec![base, at, other]
        });
        assert_eq!(found, [Home::Generic, Home::Generic, Home::Generic]);
    }

    #[test]
    fn address_stored_at_itself_is_generic() {
        let found = homes_of(|b| {
            let base = b.addr_shared(SharedId(0));
            b.store(Ty::I64, Space::Shared, Access::Plain, base, 0, base);
            vec![base]
        });
        assert_eq!(found, [Home::Generic]);
    }

    #[test]
    fn register_of_two_spaces_is_generic() {
        let found = homes_of(|b| {
            let m = b.mutable(Ty::I64);
            let (l, s) = (b.addr_local(LocalId(0)), b.addr_shared(SharedId(0)));
            b.set(m, l);
            b.set(m, s);
            b.load(Ty::I32, Space::Generic, Access::Plain, m, 0);
            vec![m, l, s]
        });
        assert_eq!(found, [Home::Generic, Home::Generic, Home::Generic]);
    }
}

//! The variables that addresses begin with, as far as one instruction after another says so.

use crate::op::{BinOp, TriOp, UnOp};
use crate::{AddrBase, Function, InstKind, Reg, Val};

/// Sums of an address at most.
const DEEPEST: usize = 16;

/// What is known of the registers of a function.
#[derive(Debug)]
pub struct Bases {
    /// The only instruction that sets each register, if there is one.
    sources: Vec<Option<InstKind>>,
}

impl Bases {
    /// Looks at a function.
    pub fn new(f: &Function) -> Bases {
        let mut sources = vec![None; f.regs.len()];
        let mut sets = vec![0; f.regs.len()];
        f.params.iter().for_each(|p| sets[p.reg.index()] += 1);
        for inst in f.blocks.iter().flat_map(|b| &b.insts) {
            inst.kind.each_def(|r: Reg| {
                sets[r.index()] += 1;
                sources[r.index()] = Some(inst.kind.clone());
            });
        }
        sources.iter_mut().zip(sets).filter(|(_, sets)| *sets != 1).for_each(|(source, _)| *source = None);
        Bases { sources }
    }

    /// The variable that an address begins with.
    pub fn of(&self, addr: Val) -> Option<AddrBase> {
        self.base(addr, DEEPEST)
    }

    fn base(&self, addr: Val, depth: usize) -> Option<AddrBase> {
        let Val::Reg(reg) = addr else { return None };
        let of = |val| self.base(val, depth.checked_sub(1)?);
        match *self.sources.get(reg.index())?.as_ref()? {
            InstKind::Addr { base, .. } => Some(base),
            InstKind::Un { op: UnOp::Mov, a, .. } => of(a),
            InstKind::Bin { op: BinOp::Add, a, b, .. } => match (of(a), of(b)) {
                (Some(base), None) | (None, Some(base)) => Some(base),
                _ => None,
            },
            InstKind::Bin { op: BinOp::Sub, a, .. } => of(a),
            InstKind::Tri { op: TriOp::Mad, c, .. } => of(c),
            _ => None,
        }
    }
}

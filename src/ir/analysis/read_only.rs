//! What does not change while a kernel runs. Loads of it may go before any store, and `ld.global.nc` may take them from a cache that
//! sees no stores (PTX ISA 9.7.9.10).
//!
//! Such is what a dummy argument of the kernel names, if nothing else may name it ([`crate::Param::unaliased`]) and the kernel does not
//! write through it. An address belongs to the dummy that it was computed from. A word that was loaded is an index or an address
//! that the program made; neither may reach such a dummy by another way (Fortran 2018, 15.5.2.13).
//!
//! Not here: procedures that kernels call, whose dummies may be anything.

use crate::op::{BinOp, TriOp, UnOp};
use crate::{FuncKind, Function, InstKind, Param, Reg, Ty, Val};
use std::collections::BTreeSet;

/// What a register was computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Root {
    /// Nothing yet: no assignment of it was looked at.
    Unset,
    /// No dummy.
    Nothing,
    Dummy(Reg),
    /// Perhaps several dummies, or in a way that is not followed.
    Unknown,
}

impl Root {
    /// That of a register which is either.
    fn or(self, other: Root) -> Root {
        match (self, other) {
            (Root::Unset, root) | (root, Root::Unset) => root,
            _ if self == other => self,
            _ => Root::Unknown,
        }
    }

    /// That of a sum.
    fn plus(self, other: Root) -> Root {
        match (self, other) {
            (Root::Unset, _) | (_, Root::Unset) => Root::Unset,
            (Root::Nothing, root) | (root, Root::Nothing) => root,
            _ => Root::Unknown,
        }
    }
}

/// What a kernel only reads.
#[derive(Debug)]
pub struct ReadOnly {
    roots: Vec<Root>,
    dummies: BTreeSet<Reg>,
}

impl ReadOnly {
    /// Nothing.
    pub fn nothing() -> ReadOnly {
        ReadOnly { roots: Vec::new(), dummies: BTreeSet::new() }
    }

    /// That of a function.
    pub fn new(f: &Function) -> ReadOnly {
        let is_dummy = |p: &&Param| p.unaliased && f.ty(p.reg) == Ty::I64;
        let mut dummies: BTreeSet<Reg> = f.params.iter().filter(is_dummy).map(|p| p.reg).collect();
        if f.kind != FuncKind::Kernel || dummies.is_empty() {
            return ReadOnly::nothing();
        }
        let roots = roots(f, &dummies);
        let root = |v: &Val| root_of(&roots, *v);
        for inst in f.blocks.iter().flat_map(|block| &block.insts) {
            let mut writes = |v: &Val| match root(v) {
                Root::Unset | Root::Nothing => true,
                Root::Dummy(reg) => {
                    dummies.remove(&reg);
                    true
                }
                Root::Unknown => false,
            };
            let is_known = match &inst.kind {
                InstKind::Store { addr, value, .. } => writes(addr) && writes(value),
                InstKind::Load { .. } => true,
                kind if kind.is_pure() => true,
                kind => {
                    let mut is_known = true;
                    kind.each_use(|v| is_known &= writes(&v));
                    is_known
                }
            };
            if !is_known {
                return ReadOnly::nothing();
            }
        }
        ReadOnly { roots, dummies }
    }

    /// Whether an address is in what does not change.
    pub fn has(&self, address: Val) -> bool {
        match root_of(&self.roots, address) {
            Root::Dummy(reg) => self.dummies.contains(&reg),
            Root::Unset | Root::Nothing | Root::Unknown => false,
        }
    }
}

fn root_of(roots: &[Root], v: Val) -> Root {
    match v {
        Val::Reg(reg) => roots.get(reg.index()).copied().unwrap_or(Root::Nothing),
        Val::Imm(_) => Root::Nothing,
    }
}

/// The root of each register: of all its assignments together.
fn roots(f: &Function, dummies: &BTreeSet<Reg>) -> Vec<Root> {
    let mut roots = vec![Root::Unset; f.regs.len()];
    f.params.iter().for_each(|p| roots[p.reg.index()] = Root::Nothing);
    dummies.iter().for_each(|&reg| roots[reg.index()] = Root::Dummy(reg));
    loop {
        let mut has_changed = false;
        for inst in f.blocks.iter().flat_map(|block| &block.insts) {
            let new = result(&roots, &inst.kind);
            inst.kind.each_def(|reg| {
                let joined = roots[reg.index()].or(new);
                has_changed |= joined != roots[reg.index()];
                roots[reg.index()] = joined;
            });
        }
        if !has_changed {
            return roots;
        }
    }
}

/// The root of what an instruction gives.
fn result(roots: &[Root], kind: &InstKind) -> Root {
    let root = |v: &Val| root_of(roots, *v);
    match kind {
        InstKind::Un { op: UnOp::Mov, a, .. } => root(a),
        InstKind::Bin { op: BinOp::Add, a, b, .. } => root(a).plus(root(b)),
        InstKind::Bin { op: BinOp::Sub, a, b, .. } => match root(b) {
            Root::Unset => Root::Unset,
            Root::Nothing => root(a),
            _ => Root::Unknown,
        },
        InstKind::Tri { op: TriOp::Mad, a, b, c, .. } => match (root(a), root(b)) {
            (Root::Nothing, Root::Nothing) => root(c),
            (Root::Unset, _) | (_, Root::Unset) => Root::Unset,
            _ => Root::Unknown,
        },
        InstKind::Select { a, b, .. } => root(a).or(root(b)),
        InstKind::Load { .. } | InstKind::Cmp { .. } => Root::Nothing,
        kind => {
            let mut all = Root::Nothing;
            kind.each_use(|v| {
                all = match (all, root(&v)) {
                    (Root::Unknown, _) | (_, Root::Dummy(_) | Root::Unknown) => Root::Unknown,
                    (Root::Unset, _) | (_, Root::Unset) => Root::Unset,
                    _ => Root::Nothing,
                };
            });
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, FunctionBuilder, Space};
    use source::Span;

    /// A kernel with two dummies, and the addresses of an element of each.
    fn kernel() -> (FunctionBuilder, [Reg; 2], [Reg; 2]) {
        let mut b = FunctionBuilder::new("k", FuncKind::Kernel, Span::NONE);
        let dummies = ["a", "b"].map(|name| b.param(Ty::I64, name));
        b.func_mut().params.iter_mut().for_each(|p| p.unaliased = true);
        let elements = dummies.map(|dummy| b.bin(BinOp::Add, Ty::I64, dummy, Val::Imm(8)));
        (b, dummies, elements)
    }

    #[test]
    fn a_dummy_that_is_not_written_is_only_read() {
        let (mut b, _, [a, c]) = kernel();
        let value = b.load(Ty::F64, Space::Global, Access::Plain, a, 0);
        b.store(Ty::F64, Space::Global, Access::Plain, c, 0, value);
        b.ret(Vec::new());
        let only_read = ReadOnly::new(&b.finish());
        assert!(only_read.has(a.into()) && !only_read.has(c.into()));
    }

    #[test]
    fn an_address_of_two_dummies_may_write_either() {
        let (mut b, [a, _], [_, c]) = kernel();
        let mixed = b.bin(BinOp::Add, Ty::I64, a, c);
        b.store(Ty::F64, Space::Global, Access::Plain, mixed, 0, Val::Imm(0));
        b.ret(Vec::new());
        let only_read = ReadOnly::new(&b.finish());
        assert!(!only_read.has(a.into()) && !only_read.has(c.into()));
    }

    #[test]
    fn an_address_of_a_dummy_or_of_something_else_is_not_only_read() {
        let (mut b, [a, _], _) = kernel();
        let other = b.load(Ty::I64, Space::Global, Access::Plain, a, 0);
        let either = b.select(Ty::I64, Val::Imm(1), a, other);
        b.ret(Vec::new());
        let only_read = ReadOnly::new(&b.finish());
        assert!(only_read.has(a.into()) && !only_read.has(either.into()));
    }

    #[test]
    fn an_address_that_is_kept_in_memory_may_be_written_through() {
        let (mut b, [a, _], [_, c]) = kernel();
        b.store(Ty::I64, Space::Global, Access::Plain, c, 0, a);
        b.ret(Vec::new());
        assert!(!ReadOnly::new(&b.finish()).has(a.into()));
    }
}

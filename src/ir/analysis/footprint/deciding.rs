//! What decides which threads execute some accesses of a function, and where these are.
//!
//! A thread comes to an access, or does not, by the branches before it; where the access is, its address says. Both are followed back
//! to what they are computed from. If that is loads and arguments, launches of a kernel with the same arguments execute the same
//! accesses as long as the same is there to load.
//!
//! Not here: what the addresses of those loads are (`walk`), and whether something writes there meanwhile.

use super::insts::is_access;
use crate::{Access, Function, InstKind, ParamKind, Reg, Space, Val};
use std::collections::BTreeSet;

/// The loads, by their numbers among the accesses of the function, whose values decide which threads execute the accesses of which
/// `is_wanted` holds, and where. `None` if something else decides too: what other threads do at the same time, volatile, shared or local
/// memory, procedures, arguments that are not integers.
pub(super) fn deciding_loads(f: &Function, is_wanted: impl Fn(u32) -> bool) -> Option<BTreeSet<u32>> {
    let mut needs = Needs { seen: vec![false; f.regs.len()], todo: Vec::new() };
    let mut definitions: Vec<Vec<(u32, &InstKind)>> = vec![Vec::new(); f.regs.len()];
    let mut number = 0;
    for block in &f.blocks {
        for inst in &block.insts {
            match &inst.kind {
                InstKind::Call { .. } | InstKind::Launch { .. } => return None,
                InstKind::Store { addr, .. } | InstKind::Atomic { addr, .. } if is_wanted(number) => needs.value(*addr),
                _ => {}
            }
            inst.kind.each_def(|reg| {
                if let Some(all) = definitions.get_mut(reg.index()) {
                    all.push((number, &inst.kind));
                }
            });
            number += u32::from(is_access(&inst.kind));
        }
        block.term.each_use(|value| needs.value(value));
    }
    let mut loads = BTreeSet::new();
    while let Some(reg) = needs.todo.pop() {
        if let Some(param) = f.params.iter().find(|param| param.reg == reg)
            && !(param.kind == ParamKind::Value && f.ty(reg).is_int())
        {
            return None;
        }
        for (number, kind) in &definitions[reg.index()] {
            match kind {
                InstKind::Load {
                    space: Space::Global | Space::Generic | Space::Const,
                    access: Access::Plain,
                    addr,
                    ..
                } => {
                    loads.insert(*number);
                    needs.value(*addr);
                }
                kind if kind.is_pure() => kind.each_use(|value| needs.value(value)),
                _ => return None,
            }
        }
    }
    Some(loads)
}

/// Registers whose values are needed.
struct Needs {
    seen: Vec<bool>,
    todo: Vec<Reg>,
}

impl Needs {
    fn value(&mut self, value: Val) {
        if let Val::Reg(reg) = value
            && let Some(seen) = self.seen.get_mut(reg.index())
            && !std::mem::replace(seen, true)
        {
            self.todo.push(reg);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{AtomOp, BinOp, CmpOp, Special};
    use crate::{FuncKind, FunctionBuilder, Scope, Ty};
    use source::Span;

    /// `if (i < n) y(to(i)) = x(i)`: the numbers of the loads of `to` and `x` are 0 and 1, that of the store is 2.
    fn scatter(of: impl FnOnce(&mut FunctionBuilder, Reg) -> Val) -> Function {
        let mut b = FunctionBuilder::new("k", FuncKind::Kernel, Span::NONE);
        let n = b.param(Ty::I32, "n");
        let [to, x, y] = ["to", "x", "y"].map(|name| b.param(Ty::I64, name));
        let i = b.special(Special::TidX);
        let (inside, out) = (b.new_block(), b.new_block());
        let bound = of(&mut b, n);
        let holds = b.cmp(CmpOp::Lt, Ty::I32, i, bound);
        b.branch(holds, inside, out);
        b.switch_to(inside);
        let at = b.load(Ty::I64, Space::Global, Access::Plain, to, 0);
        let value = b.load(Ty::F32, Space::Global, Access::Plain, x, 0);
        let address = b.bin(BinOp::Add, Ty::I64, y, at);
        b.store(Ty::F32, Space::Global, Access::Plain, address, 0, value);
        b.jump(out);
        b.switch_to(out);
        b.ret(Vec::new());
        b.finish()
    }

    #[test]
    fn indices_decide_and_values_do_not() {
        let f = scatter(|_, n| n.into());
        assert_eq!(deciding_loads(&f, |number| number == 2), Some(BTreeSet::from([0])));
        assert_eq!(deciding_loads(&f, |_| false), Some(BTreeSet::new()));
    }

    #[test]
    fn conditions_decide() {
        let f = scatter(|b, n| {
            let least = b.load(Ty::I32, Space::Global, Access::Plain, Val::Imm(4096), 0);
            b.bin(BinOp::Max, Ty::I32, least, n).into()
        });
        assert_eq!(deciding_loads(&f, |number| number == 3), Some(BTreeSet::from([0, 1])));
    }

    #[test]
    fn what_other_threads_do_is_not_known() {
        let count = |b: &mut FunctionBuilder, _| {
            b.atomic(AtomOp::Add, Ty::I32, Space::Global, Scope::Device, Val::Imm(4096), Val::Imm(1)).into()
        };
        assert_eq!(deciding_loads(&scatter(count), |number| number == 3), None);
        let volatile =
            |b: &mut FunctionBuilder, _| b.load(Ty::I32, Space::Global, Access::Volatile, Val::Imm(4096), 0).into();
        assert_eq!(deciding_loads(&scatter(volatile), |number| number == 3), None);
        let shared = |b: &mut FunctionBuilder, _| b.load(Ty::I32, Space::Shared, Access::Plain, Val::Imm(0), 0).into();
        assert_eq!(deciding_loads(&scatter(shared), |number| number == 3), None);
    }
}

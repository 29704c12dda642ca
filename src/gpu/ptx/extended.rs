//! 64-bit registers that hold a sign-extended 32-bit integer: a product of two of them, or of one and a small constant, is one
//! instruction (`mul.wide`, `mad.wide`), where a product of 64-bit numbers takes four.

use ir::op::CvtOp;
use ir::{Function, InstKind, Reg, Ty, Val};
use std::collections::BTreeMap;

/// What 64-bit registers were extended from, where the printer is.
#[derive(Default)]
pub(super) struct Extended {
    /// Of temporaries, from temporaries: everywhere behind the definition.
    temporaries: BTreeMap<Reg, Reg>,
    /// The others: within the block, until one of the two is assigned again.
    here: BTreeMap<Reg, Reg>,
}

impl Extended {
    /// What holds in all of a function.
    pub(super) fn new(func: &Function) -> Extended {
        let insts = func.blocks.iter().flat_map(|b| &b.insts);
        let pairs = insts.filter_map(|i| extension(&i.kind));
        let temporaries = pairs.filter(|&(to, from)| !func.is_mutable(to) && !func.is_mutable(from)).collect();
        Extended { temporaries, here: BTreeMap::new() }
    }

    /// The printer begins a block.
    pub(super) fn enter(&mut self) {
        self.here.clear();
    }

    /// The printer goes past an instruction.
    pub(super) fn pass(&mut self, kind: &InstKind) {
        kind.each_def(|r| {
            self.here.remove(&r);
            self.here.retain(|_, from| *from != r);
        });
        if let Some((to, from)) = extension(kind) {
            self.here.insert(to, from);
        }
    }

    /// The 32-bit operand that `val` is the extension of.
    pub(super) fn narrow(&self, val: Val) -> Option<Val> {
        match val {
            Val::Reg(r) => self.here.get(&r).or_else(|| self.temporaries.get(&r)).map(|&from| Val::Reg(from)),
            Val::Imm(word) => i32::try_from(word as i64).ok().map(Val::i32),
        }
    }
}

/// The result and the operand of an extension from 32 to 64 bits.
fn extension(kind: &InstKind) -> Option<(Reg, Reg)> {
    let &InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, dst, a: Val::Reg(a) } = kind else { return None };
    Some((dst, a))
}

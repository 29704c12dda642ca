//! Range facts: what is simpler because it is known between which numbers the operands lie ([`ir::analysis::Ranges`]).
//!
//! A comparison that can only come out one way becomes a constant, so that the checks it stands for go; `max` and `min` that
//! give one operand always become that; a quotient of numbers that 32 bits hold is computed in 32 bits; quotients and remainders
//! of what is never negative, by powers of two, become shifts and masks.
//!
//! For code that runs on a GPU only: the limit on the number of threads of a grid is one that launches are held against
//! ([`crate::Target`]).

use crate::Target;
use crate::loops::temporary;
use ir::analysis::{Cfg, Dominators, Range, Ranges};
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};
use ir::{Bb, Function, Inst, InstKind, Reg, Ty, Val};
use scalar::bits;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function, target: Target) {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(&cfg);
    let before = f.clone();
    let ranges = Ranges::new(&before, &cfg, &dom, target.threads);
    for &bb in cfg.rpo() {
        for inst in std::mem::take(&mut f.blocks[bb.index()].insts) {
            let (span, inlined) = (inst.span, inst.inlined);
            let kinds = simpler(f, &ranges, bb, &inst.kind).unwrap_or_else(|| vec![inst.kind]);
            f.blocks[bb.index()].insts.extend(kinds.into_iter().map(|kind| Inst { kind, span, inlined }));
        }
    }
}

/// What an instruction becomes, if it becomes anything else.
fn simpler(f: &mut Function, ranges: &Ranges<'_>, bb: Bb, kind: &InstKind) -> Option<Vec<InstKind>> {
    let at = |ty, val| ranges.at(bb, ty, val);
    match *kind {
        InstKind::Cmp { op, ty, dst, a, b } if ty.is_int() => {
            let holds = outcome(op, at(ty, a), at(ty, b))?;
            Some(vec![mov(Ty::Pred, dst, Val::pred(holds))])
        }
        InstKind::Bin { op: op @ (BinOp::Max | BinOp::Min), ty, dst, a, b } if ty.is_int() => {
            let is_b_greater = outcome(CmpOp::Le, at(ty, a), at(ty, b))?;
            Some(vec![mov(ty, dst, if is_b_greater == (op == BinOp::Max) { b } else { a })])
        }
        InstKind::Bin { op: op @ (BinOp::Div | BinOp::Rem), ty, dst, a, b } if ty.is_int() => {
            let (of_a, of_b) = (at(ty, a), at(ty, b));
            let power = match b {
                Val::Imm(word) => Some(bits::signed(ty, word)).filter(|n| *n > 0 && n.count_ones() == 1),
                Val::Reg(_) => None,
            };
            if let Some(power) = power.filter(|_| of_a.low >= 0) {
                let (op, by) = match op {
                    BinOp::Div => (BinOp::ShrU, u64::from(power.trailing_zeros())),
                    _ => (BinOp::And, power as u64 - 1),
                };
                return Some(vec![InstKind::Bin { op, ty, dst, a, b: Val::Imm(by) }]);
            }
            // The quotient of the least number and -1 wraps in 32 bits, and that by zero is not known to be the same.
            let small = Range { low: i64::from(i32::MIN) + 1, high: i32::MAX.into() };
            let fits = ty == Ty::I64 && of_a.is_within(small) && of_b.is_within(small) && !of_b.has(0);
            fits.then(|| in_32_bits(f, op, dst, a, b))
        }
        _ => None,
    }
}

/// A quotient or remainder of 64-bit numbers that fit in 32 bits.
fn in_32_bits(f: &mut Function, op: BinOp, dst: Reg, a: Val, b: Val) -> Vec<InstKind> {
    let mut kinds = Vec::new();
    let mut narrow = |f: &mut Function, a: Val| match a {
        Val::Imm(word) => Val::Imm(bits::canonical(Ty::I32, word)),
        Val::Reg(_) => {
            let dst = temporary(f, Ty::I32);
            kinds.push(InstKind::Cvt { op: CvtOp::Cast, from: Ty::I64, to: Ty::I32, dst, a });
            dst.into()
        }
    };
    let (a, b) = (narrow(f, a), narrow(f, b));
    let result = temporary(f, Ty::I32);
    kinds.push(InstKind::Bin { op, ty: Ty::I32, dst: result, a, b });
    kinds.push(InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, dst, a: result.into() });
    kinds
}

/// How a comparison comes out for all numbers of two ranges, if that is the same for all.
fn outcome(op: CmpOp, a: Range, b: Range) -> Option<bool> {
    let (below, not_above) = (a.high < b.low, a.high <= b.low);
    let (above, not_below) = (a.low > b.high, a.low >= b.high);
    let decided = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
    match op {
        CmpOp::Eq => decided(not_above && not_below, below || above),
        CmpOp::Ne => decided(below || above, not_above && not_below),
        CmpOp::Lt => decided(below, not_below),
        CmpOp::Ge => decided(not_below, below),
        CmpOp::Le => decided(not_above, above),
        CmpOp::Gt => decided(above, not_above),
        CmpOp::LtU | CmpOp::GeU if a.low < 0 || b.low < 0 => None,
        CmpOp::LtU => decided(below, not_below),
        CmpOp::GeU => decided(not_below, below),
    }
}

fn mov(ty: Ty, dst: Reg, a: Val) -> InstKind {
    InstKind::Un { op: UnOp::Mov, ty, dst, a }
}

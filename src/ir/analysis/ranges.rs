//! Between which numbers integer registers lie.
//!
//! A register with one definition has a range for the whole function, which follows from what computes it: the limits of block
//! and grid indices, masks, sums and products that cannot wrap. Branches add *facts*, which hold in the blocks that one way of
//! the branch leads to: behind `if (i >= n) return`, `n` is greater than the least `i`.
//!
//! A product of an index in the grid and the extent of a block counts threads, and is limited by how many threads a grid has in
//! a direction. The caller says what that limit is.
//!
//! Not here: registers that are assigned more than once, of which nothing is known.

use super::{Cfg, Dominators};
use crate::op::{BinOp, CmpOp, CvtOp, Special, TriOp, UnOp};
use crate::{Bb, Function, InstKind, Reg, Term, Ty, Val};
use scalar::bits;
use std::collections::BTreeMap;

/// Threads of the largest block in a direction (CUDA C++ Programming Guide, "Technical Specifications").
const BLOCK: i128 = 1024;
/// Threads of a warp.
const WARP: i128 = 32;
/// How many conditions a condition is made of, at most, for its parts to be looked at.
const MAX_PARTS: usize = 16;

/// The integers from `low` to `high`, both included; never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

impl Range {
    /// All integers of a type.
    pub fn of(ty: Ty) -> Range {
        match ty {
            Ty::Pred => Range { low: 0, high: 1 },
            Ty::I8 => Range { low: i8::MIN.into(), high: i8::MAX.into() },
            Ty::I16 => Range { low: i16::MIN.into(), high: i16::MAX.into() },
            Ty::I32 => Range { low: i32::MIN.into(), high: i32::MAX.into() },
            Ty::I64 | Ty::F32 | Ty::F64 => Range { low: i64::MIN, high: i64::MAX },
        }
    }

    /// Whether it has that number.
    pub fn has(self, number: i64) -> bool {
        self.low <= number && number <= self.high
    }

    /// Whether all its numbers are in `other`.
    pub fn is_within(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// What both have; `self` where that is nothing, which is in code that nothing reaches.
    fn meet(self, other: Range) -> Range {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low <= high { Range { low, high } } else { self }
    }

    fn join(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The numbers from `low` to `high` if the type has them all, so that nothing wraps.
    fn exact(ty: Ty, low: i128, high: i128) -> Option<Range> {
        let found = Range { low: i64::try_from(low).ok()?, high: i64::try_from(high).ok()? };
        found.is_within(Range::of(ty)).then_some(found)
    }

    /// The sums, or whatever else grows with each operand or falls with it, from the results at the ends.
    fn corners(self, other: Range, op: impl Fn(i128, i128) -> i128) -> (i128, i128) {
        let at = |a: i64, b: i64| op(a.into(), b.into());
        let all =
            [at(self.low, other.low), at(self.low, other.high), at(self.high, other.low), at(self.high, other.high)];
        (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
    }
}

/// The ranges of a function's registers.
pub struct Ranges<'a> {
    f: &'a Function,
    definitions: BTreeMap<Reg, &'a InstKind>,
    registers: BTreeMap<Reg, Range>,
    /// What is known at the beginning of each block besides what is known where the block before it in the dominator tree ends.
    facts: Vec<BTreeMap<Reg, Range>>,
    above: Vec<Option<Bb>>,
    threads: i128,
}

impl<'a> Ranges<'a> {
    /// Those of a function of which a grid has at most `threads` threads in each direction.
    pub fn new(f: &'a Function, cfg: &Cfg, dom: &Dominators, threads: u64) -> Ranges<'a> {
        let insts = f.blocks.iter().flat_map(|b| &b.insts);
        let definitions = insts.filter_map(|i| Some((i.kind.def()?, &i.kind)));
        let mut ranges = Ranges {
            f,
            definitions: definitions.filter(|(reg, _)| !f.is_mutable(*reg)).collect(),
            registers: BTreeMap::new(),
            facts: vec![BTreeMap::new(); f.blocks.len()],
            above: (0..f.blocks.len()).map(|b| dom.idom(Bb(b as u32))).collect(),
            threads: threads.into(),
        };
        for &bb in cfg.rpo() {
            if let &[before] = cfg.preds(bb)
                && let Term::Branch { cond, then_bb, else_bb } = f.block(before).term
                && then_bb != else_bb
            {
                ranges.assume(bb, cond, then_bb == bb, &mut { MAX_PARTS });
            }
            for inst in &f.block(bb).insts {
                if let Some(reg) = inst.kind.def().filter(|&r| !f.is_mutable(r) && f.ty(r).is_int())
                    && let Some(range) = ranges.computed(bb, &inst.kind)
                {
                    ranges.registers.insert(reg, range);
                }
            }
        }
        ranges
    }

    /// The numbers that an operand of type `ty` may be in a block.
    pub fn at(&self, bb: Bb, ty: Ty, val: Val) -> Range {
        let reg = match val {
            Val::Imm(word) => {
                let number = bits::signed(ty, word);
                return Range { low: number, high: number };
            }
            Val::Reg(reg) => reg,
        };
        let mut range = self.registers.get(&reg).copied().unwrap_or(Range::of(ty));
        let mut at = Some(bb).filter(|_| !self.f.is_mutable(reg));
        while let Some(bb) = at {
            if let Some(&fact) = self.facts.get(bb.index()).and_then(|facts| facts.get(&reg)) {
                range = range.meet(fact);
            }
            at = self.above.get(bb.index()).copied().flatten();
        }
        range
    }

    /// Notes for a block that a condition is true or false.
    fn assume(&mut self, bb: Bb, cond: Val, truth: bool, left: &mut usize) {
        let Val::Reg(reg) = cond else { return };
        let Some(&kind) = self.definitions.get(&reg).filter(|_| *left > 0) else { return };
        *left -= 1;
        match *kind {
            InstKind::Bin { op: BinOp::And, ty: Ty::Pred, a, b, .. } if truth => {
                self.assume(bb, a, true, left);
                self.assume(bb, b, true, left);
            }
            InstKind::Bin { op: BinOp::Or, ty: Ty::Pred, a, b, .. } if !truth => {
                self.assume(bb, a, false, left);
                self.assume(bb, b, false, left);
            }
            InstKind::Un { op: UnOp::Not, ty: Ty::Pred, a, .. } => self.assume(bb, a, !truth, left),
            InstKind::Cmp { op, ty, a, b, .. } if ty.is_int() => {
                let Some(relation) = Relation::of(op, truth) else { return };
                let (of_a, of_b) = (self.at(bb, ty, a), self.at(bb, ty, b));
                self.note(bb, a, relation.bound(of_b));
                self.note(bb, b, relation.mirrored().bound(of_a));
            }
            _ => {}
        }
    }

    fn note(&mut self, bb: Bb, val: Val, bound: Range) {
        if let Val::Reg(reg) = val
            && !self.f.is_mutable(reg)
        {
            let known = self.facts[bb.index()].get(&reg).map_or(bound, |old| old.meet(bound));
            self.facts[bb.index()].insert(reg, known);
        }
    }

    /// What an instruction of a block computes, if that is less than everything.
    fn computed(&self, bb: Bb, kind: &InstKind) -> Option<Range> {
        let at = |ty, val| self.at(bb, ty, val);
        match *kind {
            InstKind::Special { reg, .. } => self.special(reg),
            InstKind::Un { op, ty, a, .. } if ty.is_int() => unary(op, ty, at(ty, a)),
            InstKind::Bin { op: BinOp::Mul, ty, a, b, .. } if ty.is_int() => {
                let (low, high) = at(ty, a).corners(at(ty, b), |a, b| a * b);
                let threads = self.threads_of(a, b).or_else(|| self.threads_of(b, a));
                threads.or_else(|| Range::exact(ty, low, high))
            }
            InstKind::Bin { op, ty, a, b, .. } if ty.is_int() => binary(op, ty, at(ty, a), at(ty, b)),
            InstKind::Tri { op: TriOp::Mad, ty, a, b, c, .. } => {
                let (low, high) = at(ty, a).corners(at(ty, b), |a, b| a * b);
                let c = at(ty, c);
                Range::exact(ty, low + i128::from(c.low), high + i128::from(c.high))
            }
            InstKind::Select { ty, a, b, .. } if ty.is_int() => Some(at(ty, a).join(at(ty, b))),
            InstKind::Cvt { op: CvtOp::Cast, from, to, a, .. } if from.is_int() && to.is_int() => {
                let range = at(from, a);
                range.is_within(Range::of(to)).then_some(range)
            }
            InstKind::Cvt { op: CvtOp::CastU, from, to, a, .. } if from.is_int() && to.is_int() => {
                let range = at(from, a);
                (range.low >= 0 && range.is_within(Range::of(to))).then_some(range)
            }
            InstKind::Cvt { op: CvtOp::PredToInt, .. } => Some(Range { low: -1, high: 0 }),
            _ => None,
        }
    }

    fn special(&self, reg: Special) -> Option<Range> {
        use Special::{
            CtaidX, CtaidY, CtaidZ, LaneId, NctaidX, NctaidY, NctaidZ, NtidX, NtidY, NtidZ, TidX, TidY, TidZ,
        };
        let blocks = self.threads.min(i32::MAX.into());
        match reg {
            TidX | TidY | TidZ => Range::exact(Ty::I32, 0, BLOCK - 1),
            NtidX | NtidY | NtidZ => Range::exact(Ty::I32, 1, BLOCK),
            CtaidX | CtaidY | CtaidZ => Range::exact(Ty::I32, 0, blocks - 1),
            NctaidX | NctaidY | NctaidZ => Range::exact(Ty::I32, 1, blocks),
            LaneId => Range::exact(Ty::I32, 0, WARP - 1),
            _ => None,
        }
    }

    /// How many threads the blocks before this one or those of the grid have in a direction, if `blocks` is the number of those
    /// blocks and `extent` that of the threads of a block.
    fn threads_of(&self, blocks: Val, extent: Val) -> Option<Range> {
        use Special::{CtaidX, CtaidY, CtaidZ, NctaidX, NctaidY, NctaidZ, NtidX, NtidY, NtidZ};
        let special = |val: Val| match val {
            Val::Reg(reg) => match self.definitions.get(&reg) {
                Some(&&InstKind::Special { reg, .. }) => Some(reg),
                _ => None,
            },
            Val::Imm(_) => None,
        };
        match (special(blocks)?, special(extent)?) {
            (CtaidX, NtidX) | (CtaidY, NtidY) | (CtaidZ, NtidZ) => Range::exact(Ty::I32, 0, self.threads - 1),
            (NctaidX, NtidX) | (NctaidY, NtidY) | (NctaidZ, NtidZ) => Range::exact(Ty::I32, 1, self.threads),
            _ => None,
        }
    }
}

fn unary(op: UnOp, ty: Ty, a: Range) -> Option<Range> {
    let (low, high) = (i128::from(a.low), i128::from(a.high));
    match op {
        UnOp::Mov => Some(a),
        UnOp::Neg => Range::exact(ty, -high, -low),
        UnOp::Abs if low >= 0 => Some(a),
        UnOp::Abs => Range::exact(ty, 0, high.max(-low)),
        UnOp::Popc | UnOp::Clz | UnOp::Ctz => Range::exact(ty, 0, i128::from(ty.bytes()) * 8),
        _ => None,
    }
}

fn binary(op: BinOp, ty: Ty, a: Range, b: Range) -> Option<Range> {
    let count = (b.low == b.high && (0..63).contains(&b.low)).then_some(b.low as u32);
    match op {
        BinOp::Add => {
            let (low, high) = a.corners(b, |a, b| a + b);
            Range::exact(ty, low, high)
        }
        BinOp::Sub => {
            let (low, high) = a.corners(b, |a, b| a - b);
            Range::exact(ty, low, high)
        }
        BinOp::Min => Some(Range { low: a.low.min(b.low), high: a.high.min(b.high) }),
        BinOp::Max => Some(Range { low: a.low.max(b.low), high: a.high.max(b.high) }),
        // What has no sign bit has no more than either operand without one.
        BinOp::And if b.low >= 0 => Some(Range { low: 0, high: if a.low >= 0 { a.high.min(b.high) } else { b.high } }),
        BinOp::And if a.low >= 0 => Some(Range { low: 0, high: a.high }),
        BinOp::Div if b.low > 0 => {
            let (low, high) = a.corners(b, |a, b| a / b);
            Range::exact(ty, low, high)
        }
        BinOp::Rem if b.low > 0 => {
            let most = b.high - 1;
            let low = if a.low >= 0 { 0 } else { a.low.max(-most) };
            Some(Range { low, high: if a.high <= 0 { 0 } else { a.high.min(most) } })
        }
        BinOp::Shl => {
            let factor = 1i128 << count?;
            let (low, high) = (i128::from(a.low) * factor, i128::from(a.high) * factor);
            Range::exact(ty, low, high).filter(|_| i64::from(count.unwrap_or(0)) < i64::from(ty.bytes()) * 8)
        }
        BinOp::ShrS | BinOp::ShrU if op == BinOp::ShrS || a.low >= 0 => {
            let count = count?;
            Some(Range { low: a.low >> count, high: a.high >> count })
        }
        _ => None,
    }
}

/// A signed comparison as what it says of the left operand.
#[derive(Clone, Copy)]
enum Relation {
    Less,
    NotAbove,
    Above,
    NotLess,
    Equal,
}

impl Relation {
    fn of(op: CmpOp, truth: bool) -> Option<Relation> {
        use Relation::{Above, Equal, Less, NotAbove, NotLess};
        match (op, truth) {
            (CmpOp::Lt, true) | (CmpOp::Ge, false) => Some(Less),
            (CmpOp::Le, true) | (CmpOp::Gt, false) => Some(NotAbove),
            (CmpOp::Gt, true) | (CmpOp::Le, false) => Some(Above),
            (CmpOp::Ge, true) | (CmpOp::Lt, false) => Some(NotLess),
            (CmpOp::Eq, true) | (CmpOp::Ne, false) => Some(Equal),
            _ => None,
        }
    }

    /// The relation with its operands the other way round.
    fn mirrored(self) -> Relation {
        match self {
            Relation::Less => Relation::Above,
            Relation::NotAbove => Relation::NotLess,
            Relation::Above => Relation::Less,
            Relation::NotLess => Relation::NotAbove,
            Relation::Equal => Relation::Equal,
        }
    }

    /// Where the left operand is, if the right one is in `right`.
    fn bound(self, right: Range) -> Range {
        let all = Range::of(Ty::I64);
        match self {
            Relation::Less => Range { high: right.high.saturating_sub(1), ..all },
            Relation::NotAbove => Range { high: right.high, ..all },
            Relation::Above => Range { low: right.low.saturating_add(1), ..all },
            Relation::NotLess => Range { low: right.low, ..all },
            Relation::Equal => right,
        }
    }
}

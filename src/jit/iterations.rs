//! Loops of one segment: what changes from iteration to iteration, so that many of them can be done as one transaction.
//!
//! A segment that goes back to its own beginning is a loop. If it stores nothing, no iteration depends on another lane's. So the
//! code may do many iterations for one strip of lanes, then for the next, with all that is carried from iteration to iteration in
//! registers. For that the accesses of all iterations have to be checked before the first one: each address has to grow by a
//! constant, as a scalar does that a constant is added to.
//!
//! Not here: the code that is made of it (`emit`).

use crate::segment::{
    AddressTerm, Class, Condition, End, Leave, PatternRow, PatternUpdate, Place, Segment, Value, ValueId,
};
use ir::Ty;
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};

/// How a scalar changes from iteration to iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// Not at all.
    Invariant,
    /// A constant is added, modulo 2^32 if it is narrow, else modulo 2^64.
    Linear {
        /// The constant.
        step: i64,
        /// Whether it is an integer of 32 bits.
        is_narrow: bool,
    },
    /// It is loaded by that access.
    Loaded(u32),
    /// In a way that is not known.
    Unknown,
}

/// A row that is carried from iteration to iteration, or that the last iteration leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Carried {
    /// Words or longs.
    pub(crate) class: Class,
    /// The register of the frame.
    pub(crate) slot: u32,
    /// The value that an iteration begins with, if one reads it.
    pub(crate) before: Option<ValueId>,
    /// The value that it ends with.
    pub(crate) after: ValueId,
}

/// When a loop ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// After as many iterations as it takes the counter to reach the bound, and one more.
    Counted {
        /// A scalar that grows or shrinks by one.
        counter: ValueId,
        /// An invariant scalar.
        bound: ValueId,
        /// Whether the counter grows.
        ascends: bool,
        /// Whether it has 32 bits.
        is_narrow: bool,
    },
    /// For each lane by itself.
    Lanes {
        /// The predicate of the branch.
        condition: ValueId,
        /// How lanes leave.
        leave: Leave,
    },
}

/// What has to be known of a loop to do many iterations in one go.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Iterations {
    /// How each value changes; of rows it says nothing.
    pub(crate) changes: Vec<Change>,
    /// The values that an iteration computes.
    pub(crate) needed: Vec<bool>,
    /// By how many bytes the address of each access grows.
    pub(crate) strides: Vec<i64>,
    /// Narrow scalars that must not wrap, and by how much they grow.
    pub(crate) exact: Vec<(ValueId, i64)>,
    /// The rows that iterations hand on.
    pub(crate) carried: Vec<Carried>,
    /// When it ends.
    pub(crate) ending: Ending,
    /// Where it goes on behind the loop.
    pub(crate) exit: u32,
}

/// Registers for rows that are carried at most: others are needed to compute with.
const MOST_CARRIED: usize = 9;

/// Bytes from an address to that of the next iteration at most.
const FARTHEST: u64 = 1 << 26;

impl Segment {
    /// Whether the code does many iterations of it as one transaction.
    pub fn is_done_many_at_a_time(&self) -> bool {
        Iterations::of(self).is_some()
    }
}

impl Iterations {
    /// What there is to know of a loop; `None` if the segment is none, or one whose iterations have to be done one by one.
    pub(crate) fn of(segment: &Segment) -> Option<Iterations> {
        let End::Branch { condition, then_pc, else_pc, leave, .. } = segment.end else { return None };
        let continues_if = match (then_pc == segment.pc, else_pc == segment.pc) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        let is_told = !segment.told.is_empty();
        if !segment.stores.is_empty()
            || !segment.clears.is_empty()
            || !segment.patterns.is_empty()
            || !segment.has_back_edge
            || is_told
        {
            return None;
        }
        // A pattern that is worked out at the beginning of each iteration has to be the same in all of them.
        let is_written = |row: &PatternRow| segment.outs.iter().any(|o| (o.class, o.slot) == (row.class, row.slot));
        let is_fixed = |p: &PatternUpdate| p.rows[0].is_some() && !p.rows.iter().flatten().any(is_written);
        if !segment.patterns_before.iter().all(is_fixed) {
            return None;
        }
        let changes = changes(segment)?;
        let ending = match condition {
            Condition::Scalar(value) => counted(segment, &changes, value, continues_if)?,
            Condition::Pred(condition) => {
                let leave = leave.filter(|leave| leave.takes != continues_if)?;
                Ending::Lanes { condition, leave }
            }
        };
        let mut exact = Vec::new();
        let mut strides = Vec::new();
        for access in &segment.accesses {
            let mut stride = steps(&access.terms, &changes, &mut exact)?;
            if let Some(index) = &access.index {
                stride = stride.checked_add(steps(&index.terms, &changes, &mut exact)?.checked_mul(index.factor)?)?;
            }
            let terms = access.index.iter().flat_map(|i| &i.terms);
            let wrapped = terms.fold(0i64, |sum, t| sum.saturating_add(step_of(&changes, t)));
            let is_far = |step: i64| step.unsigned_abs() >= FARTHEST;
            // Narrow words of local memory stay where they are in the words that rows are made of.
            let unit = if matches!(access.place, Place::Local(_)) { access.bytes.max(4) } else { access.bytes };
            if is_far(stride) || is_far(wrapped) || stride % i64::from(unit) != 0 {
                return None;
            }
            strides.push(stride);
        }
        for (i, value) in segment.values.iter().enumerate() {
            // Its value is right in all iterations only if what it extends does not wrap.
            if let (Value::ScalarCvt(CvtOp::Cast, Ty::I32, Ty::I64, a), Change::Linear { .. }) = (value, changes[i])
                && let Change::Linear { step, .. } = changes[*a as usize]
            {
                exact.push((*a, step));
            }
        }
        exact.sort_unstable();
        exact.dedup();
        let carried = carried(segment, &ending)?;
        let needed = needed(segment, &carried, &ending);
        is_supported(segment, &changes, &needed, &ending).then_some(())?;
        let exit = if continues_if { else_pc } else { then_pc };
        Some(Iterations { changes, needed, strides, exact, carried, ending, exit })
    }
}

/// How each scalar changes; `None` if one that is handed on changes in a way that is not known.
fn changes(segment: &Segment) -> Option<Vec<Change>> {
    let written = |class: Class, slot: u32| segment.outs.iter().rev().find(|o| o.class == class && o.slot == slot);
    let mut out: Vec<Change> = Vec::with_capacity(segment.values.len());
    for (i, value) in segment.values.iter().enumerate() {
        let of = |v: ValueId| out[v as usize];
        let change = match *value {
            Value::Scalar(slot) => match written(Class::Scalar, slot) {
                None => Change::Invariant,
                Some(to) if to.value as usize == i => Change::Invariant,
                Some(to) => induction(segment, i as ValueId, to.value)?,
            },
            Value::Constant(_) | Value::Geometry(_) | Value::FirstThread(_) => Change::Invariant,
            Value::FirstPred(slot) if written(Class::Pred, slot).is_none() => Change::Invariant,
            Value::FirstRow(class, slot) if written(class, slot).is_none() => Change::Invariant,
            Value::ScalarLoad(access) => Change::Loaded(access),
            Value::ScalarUn(UnOp::Mov, _, a) => of(a),
            Value::ScalarCvt(op, from, to, a) => match (op, from, to, of(a)) {
                (.., Change::Invariant) => Change::Invariant,
                (CvtOp::Cast, Ty::I32, Ty::I64, Change::Linear { step, .. }) => {
                    Change::Linear { step, is_narrow: false }
                }
                (CvtOp::Cast, Ty::I64, Ty::I32, Change::Linear { step, .. }) => {
                    Change::Linear { step: i64::from(step as i32), is_narrow: true }
                }
                _ => Change::Unknown,
            },
            Value::ScalarBin(op, ty, a, b) if !ty.is_real() => linear(segment, op, ty, (a, of(a)), (b, of(b))),
            Value::ScalarUn(..)
            | Value::ScalarBin(..)
            | Value::ScalarTri(..)
            | Value::ScalarCmp(..)
            | Value::ScalarSelect(..) => {
                let mut is_invariant = true;
                value.each_operand(|v| is_invariant &= of(v) == Change::Invariant);
                if is_invariant { Change::Invariant } else { Change::Unknown }
            }
            _ => Change::Unknown,
        };
        out.push(change);
    }
    // A scalar that is written has to be known behind the last iteration.
    let is_known = |c: Change| matches!(c, Change::Invariant | Change::Linear { .. });
    let mut outs = segment.outs.iter().filter(|o| o.class == Class::Scalar);
    outs.all(|o| is_known(out[o.value as usize])).then_some(out)
}

/// The change of a scalar that becomes `after` in each iteration.
fn induction(segment: &Segment, before: ValueId, after: ValueId) -> Option<Change> {
    let Value::ScalarBin(op, ty, a, b) = segment.values[after as usize] else { return None };
    if !is_counted(ty) {
        return None;
    }
    let constant = |v: ValueId| match segment.values[v as usize] {
        Value::Constant(word) => Some(if ty == Ty::I32 { i64::from(word as i32) } else { word as i64 }),
        _ => None,
    };
    let step = match op {
        BinOp::Add if a == before => constant(b)?,
        BinOp::Add if b == before => constant(a)?,
        BinOp::Sub if a == before => constant(b)?.checked_neg()?,
        _ => return None,
    };
    is_small(step).then_some(())?;
    Some(Change::Linear { step, is_narrow: ty == Ty::I32 })
}

fn linear(segment: &Segment, op: BinOp, ty: Ty, (_, a): (ValueId, Change), (by, b): (ValueId, Change)) -> Change {
    let step_of = |change: Change| match change {
        Change::Invariant => Some(0),
        Change::Linear { step, .. } => Some(step),
        _ => None,
    };
    let (Some(x), Some(y)) = (step_of(a), step_of(b)) else { return Change::Unknown };
    if x == 0 && y == 0 {
        return Change::Invariant;
    }
    if !is_counted(ty) {
        return Change::Unknown;
    }
    let constant = match segment.values[by as usize] {
        Value::Constant(word) => Some(if ty == Ty::I32 { i64::from(word as i32) } else { word as i64 }),
        _ => None,
    };
    let step = match (op, constant) {
        (BinOp::Add, _) => x.checked_add(y),
        (BinOp::Sub, _) => x.checked_sub(y),
        (BinOp::Mul, Some(c)) => x.checked_mul(c),
        (BinOp::Shl, Some(c)) if (0..31).contains(&c) => x.checked_mul(1 << c),
        _ => None,
    };
    match step {
        Some(step) if is_small(step) => Change::Linear { step, is_narrow: ty == Ty::I32 },
        _ => Change::Unknown,
    }
}

/// Whether integers of a type are followed from iteration to iteration.
fn is_counted(ty: Ty) -> bool {
    matches!(ty, Ty::I32 | Ty::I64)
}

/// Whether a scalar changes so little that its sums over all iterations are exact.
fn is_small(step: i64) -> bool {
    step.unsigned_abs() < 1 << 30
}

/// By how much the sum of terms grows; notes the narrow ones, which must not wrap.
fn steps(terms: &[AddressTerm], changes: &[Change], exact: &mut Vec<(ValueId, i64)>) -> Option<i64> {
    let mut sum = 0i64;
    for term in terms {
        match changes[term.value as usize] {
            Change::Invariant => {}
            Change::Linear { step, is_narrow } => {
                if is_narrow != term.is_narrow {
                    return None;
                }
                if is_narrow {
                    exact.push((term.value, step));
                }
                sum = sum.checked_add(step.checked_mul(term.factor)?)?;
            }
            Change::Loaded(_) | Change::Unknown => return None,
        }
    }
    Some(sum)
}

/// By how much a term with a known change grows.
pub(crate) fn step_of(changes: &[Change], term: &AddressTerm) -> i64 {
    match changes[term.value as usize] {
        Change::Linear { step, .. } => step.saturating_mul(term.factor),
        _ => 0,
    }
}

/// The end of a loop whose counter goes to a bound by steps of one, as a DO loop's does.
fn counted(segment: &Segment, changes: &[Change], value: ValueId, continues_if: bool) -> Option<Ending> {
    let Value::ScalarCmp(op, ty, a, b) = segment.values[value as usize] else { return None };
    if !matches!((op, continues_if), (CmpOp::Ne, true) | (CmpOp::Eq, false)) {
        return None;
    }
    let (counter, bound, change) = match (changes[a as usize], changes[b as usize]) {
        (change @ Change::Linear { .. }, Change::Invariant) => (a, b, change),
        (Change::Invariant, change @ Change::Linear { .. }) => (b, a, change),
        _ => return None,
    };
    let Change::Linear { step, is_narrow } = change else { return None };
    if step.abs() != 1 || is_narrow != (ty == Ty::I32) {
        return None;
    }
    Some(Ending::Counted { counter, bound, ascends: step > 0, is_narrow })
}

/// The rows that iterations hand on; `None` if there are too many, or predicates that only an iteration knows.
fn carried(segment: &Segment, ending: &Ending) -> Option<Vec<Carried>> {
    let mut out = Vec::new();
    let mut registers = 0;
    for o in &segment.outs {
        let own = match o.class {
            Class::Scalar => continue,
            Class::Pred => {
                let is_condition = match (*ending, &segment.end) {
                    (Ending::Lanes { condition, .. }, _) => condition == o.value,
                    (Ending::Counted { .. }, &End::Branch { condition: Condition::Scalar(c), .. }) => {
                        segment.values[o.value as usize] == Value::Splat(Class::Pred, c)
                    }
                    _ => false,
                };
                let reads = |v: &Value| matches!(v, Value::Pred(slot) | Value::FirstPred(slot) if *slot == o.slot);
                if !is_condition || segment.values.iter().any(reads) {
                    return None;
                }
                continue;
            }
            Class::Word => Value::Word(o.slot),
            Class::Long => Value::Long(o.slot),
        };
        let before = segment.values.iter().position(|v| *v == own).map(|v| v as ValueId);
        registers += if o.class == Class::Long { 2 } else { 1 };
        if before == Some(o.value) || out.iter().any(|c: &Carried| (c.class, c.slot) == (o.class, o.slot)) {
            return None;
        }
        out.push(Carried { class: o.class, slot: o.slot, before, after: o.value });
    }
    (registers <= MOST_CARRIED).then_some(out)
}

/// The rows that an iteration computes, and what they need.
fn needed(segment: &Segment, carried: &[Carried], ending: &Ending) -> Vec<bool> {
    let mut out = vec![false; segment.values.len()];
    carried.iter().for_each(|c| out[c.after as usize] = true);
    carried.iter().filter_map(|c| c.before).for_each(|v| out[v as usize] = true);
    if let Ending::Lanes { condition, .. } = ending {
        out[*condition as usize] = true;
    }
    for i in (0..out.len()).rev() {
        if out[i] {
            segment.values[i].each_operand(|v| out[v as usize] = true);
        }
    }
    out
}

/// Whether all values that an iteration needs can be had in it.
fn is_supported(segment: &Segment, changes: &[Change], needed: &[bool], ending: &Ending) -> bool {
    let is_computed =
        |v: ValueId| matches!(segment.values[v as usize], Value::Cmp(..) | Value::Bin(..) | Value::Un(..));
    if let Ending::Lanes { condition, .. } = *ending
        && !is_computed(condition)
    {
        return false;
    }
    segment.values.iter().zip(needed).all(|(value, &is_needed)| match *value {
        _ if !is_needed => true,
        Value::Splat(class, scalar) => match changes[scalar as usize] {
            Change::Invariant => true,
            Change::Linear { .. } => class != Class::Pred,
            Change::Loaded(access) => {
                let bytes = segment.accesses[access as usize].bytes;
                matches!((class, bytes), (Class::Word, 1 | 2 | 4) | (Class::Long, 8))
            }
            Change::Unknown => false,
        },
        _ => true,
    })
}

//! From operations of a variant to segments of `jit`.
//!
//! A segment begins at a place where operations may be entered: the beginning, the target of a branch, and behind an operation that
//! is left to the interpreter. Within it the slots of the frame become values, and what is read behind the segment is written back.
//!
//! Left to the interpreter: whatever can stop a warp, calls, atomics, irregular addresses, words of one and two bytes, and the
//! operations that `jit` does not know.

use super::liveness::{FileSlot, Liveness, each_successor, file};
use crate::code::{AddressExpr, Code, MemOp, Op, RegFile, Term, Variant, Width};
use ir::op::{BinOp, CmpOp, CvtOp, Special, TriOp, UnOp};
use ir::{Access, Space, Ty};
use jit::{
    AddressTerm, Class, Condition, End, Index, Leave, Out, PatternKey, PatternRow, PatternUpdate, Place, Routine,
    Segment, Store, Value, ValueId,
};
use mem::address::SHARED_BASE;
use std::collections::{BTreeMap, BTreeSet};

/// A routine, and what goes with it.
pub(crate) struct Translation {
    pub(crate) routine: Routine,
    /// The operations that are loads and stores.
    pub(crate) accesses: Vec<u32>,
}

/// Operations of a loop's test at most that is done in the segment of the loop's body.
const LONGEST_TEST: usize = 24;

/// Values of a segment at most, so that they find room on the stack.
const MOST: usize = 400;

/// Translates what can be translated. `keys` says how the lanes of each pattern differ.
pub(crate) fn translate(code: &Code, variant: &Variant, keys: &[PatternKey]) -> Translation {
    let mut leaders: BTreeSet<u32> = BTreeSet::from([0]);
    for (pc, op) in variant.ops.iter().enumerate() {
        let pc = pc as u32;
        if matches!(op, Op::Jump { .. } | Op::Branch { .. } | Op::Switch(_)) {
            each_successor(op, pc, |to| {
                leaders.insert(to);
            });
        }
        if let Op::Reconverge = op {
            leaders.insert(pc);
        }
    }
    let mut of = Translator {
        code,
        variant,
        keys,
        live: Liveness::new(code, variant),
        leaves: leaves(code),
        constants: constants(code),
        open: None,
        segments: Vec::new(),
        accesses: Vec::new(),
    };
    for (pc, op) in variant.ops.iter().enumerate() {
        let pc = pc as u32;
        if leaders.contains(&pc) || of.open.as_ref().is_some_and(|s| s.segment.values.len() > MOST) {
            of.end(End::Go(pc));
        }
        if of.operation(pc, op).is_none() {
            // Left to the interpreter.
            of.end(End::Go(pc));
        }
    }
    of.end(End::Go(variant.ops.len() as u32));
    let stride = size_of::<crate::frame::lane_pattern::LanePattern<32>>() as u32;
    let routine = Routine { segments: of.segments, pattern_stride: stride, poll_quantum: crate::POLL_QUANTUM };
    Translation { routine, accesses: of.accesses }
}

/// The rows that are constants; no operation writes them.
fn constants(code: &Code) -> BTreeMap<FileSlot, u64> {
    let words = code.consts32.iter().map(|&(slot, word)| ((RegFile::W, slot), u64::from(word)));
    words.chain(code.consts64.iter().map(|&(slot, word)| ((RegFile::L, slot), word))).collect()
}

/// The loops that lanes leave one after another, by branch.
fn leaves(code: &Code) -> BTreeMap<u32, Leave> {
    let mut out = BTreeMap::new();
    for (number, of) in code.side_exit_loops.iter().enumerate() {
        for &branch in &of.branches {
            out.insert(branch, Leave { number: number as u32, takes: of.takes });
        }
    }
    out
}

/// A segment that is being made.
#[derive(Clone)]
struct Open {
    segment: Segment,
    /// The value of each slot that was read or written.
    current: BTreeMap<FileSlot, ValueId>,
    written: BTreeSet<FileSlot>,
    /// Slots that are written back in any case.
    forced: BTreeSet<FileSlot>,
    /// Slots of the patterns that are worked out when it ends.
    pattern_slots: BTreeSet<FileSlot>,
}

struct Translator<'a> {
    code: &'a Code,
    variant: &'a Variant,
    keys: &'a [PatternKey],
    live: Liveness,
    leaves: BTreeMap<u32, Leave>,
    /// Rows that are constants.
    constants: BTreeMap<FileSlot, u64>,
    open: Option<Open>,
    segments: Vec<Segment>,
    accesses: Vec<u32>,
}

impl Translator<'_> {
    /// The segment that is being made; one that begins at `pc` if there is none.
    fn open(&mut self, pc: u32) -> &mut Open {
        self.open.get_or_insert_with(|| Open {
            segment: Segment {
                pc,
                reconverges: false,
                points: 0,
                loads: 0,
                has_back_edge: false,
                patterns_before: Vec::new(),
                values: Vec::new(),
                accesses: Vec::new(),
                stores: Vec::new(),
                outs: Vec::new(),
                patterns: Vec::new(),
                end: End::Go(0),
            },
            current: BTreeMap::new(),
            written: BTreeSet::new(),
            forced: BTreeSet::new(),
            pattern_slots: BTreeSet::new(),
        })
    }

    /// Ends the segment, if there is one that does anything.
    fn end(&mut self, end: End) {
        let Some(open) = self.open.take() else { return };
        let Open { mut segment, current, written, forced, .. } = open;
        // Nothing is done before the operation at which it ends, or it would run for ever.
        if matches!(end, End::Go(pc) if pc == segment.pc) && segment.points == 0 {
            return;
        }
        let targets = match end {
            End::Go(pc) => [pc, pc],
            End::Branch { then_pc, else_pc, .. } => [then_pc, else_pc],
        };
        for slot in written {
            if forced.contains(&slot) || targets.iter().any(|&pc| self.live.is_live(pc, slot)) {
                let class = class_of(slot.0);
                segment.outs.push(Out { class, slot: slot.1, value: current[&slot] });
            }
        }
        segment.end = end;
        self.segments.push(segment);
    }

    fn push(&mut self, pc: u32, value: Value) -> ValueId {
        let segment = &mut self.open(pc).segment;
        segment.values.push(value);
        segment.values.len() as u32 - 1
    }

    /// The value of a slot.
    fn read(&mut self, pc: u32, slot: FileSlot) -> ValueId {
        if let Some(&value) = self.open(pc).current.get(&slot) {
            return value;
        }
        let value = match slot.0 {
            RegFile::P => Value::Pred(slot.1),
            RegFile::W | RegFile::L => match self.constants.get(&slot) {
                Some(&word) => Value::Splat(class_of(slot.0), self.push(pc, Value::Constant(word))),
                None if slot.0 == RegFile::W => Value::Word(slot.1),
                None => Value::Long(slot.1),
            },
            RegFile::S => match self.constant_scalar(slot.1) {
                Some(word) => Value::Constant(word),
                None => Value::Scalar(slot.1),
            },
        };
        let id = self.push(pc, value);
        self.open(pc).current.insert(slot, id);
        id
    }

    /// The word of a scalar that is a constant.
    fn constant_scalar(&self, slot: u32) -> Option<u64> {
        let first = self.code.variants.last().map_or(0, |v| v.uniforms[0] + v.uniforms[1]);
        self.code.scalars.get(slot.checked_sub(first)? as usize).copied()
    }

    /// A slot has a new value.
    fn write(&mut self, pc: u32, slot: FileSlot, value: ValueId) {
        let open = self.open(pc);
        open.current.insert(slot, value);
        open.written.insert(slot);
    }

    /// A value of slots goes into a slot; nothing if `jit` does not know the operation.
    fn define(&mut self, pc: u32, slot: FileSlot, value: Value) -> Option<()> {
        if !jit::is_known(&value) {
            return None;
        }
        let id = self.push(pc, value);
        self.write(pc, slot, id);
        Some(())
    }

    /// Adds an operation to the segment; `None` if it is left to the interpreter.
    fn operation(&mut self, pc: u32, op: &Op) -> Option<()> {
        // Patterns are worked out when the segment ends: until then their registers stay as they are.
        let mut clobbers = false;
        if let Some(open) = &self.open {
            super::liveness::each_write(op, &mut |slot| clobbers |= open.pattern_slots.contains(&slot));
        }
        if clobbers {
            self.end(End::Go(pc));
        }
        match *op {
            Op::Nop | Op::Stmt | Op::Trace { .. } | Op::VectorLoop { .. } => {
                self.open(pc);
            }
            Op::Reconverge => {
                // It is a leader, so the segment begins here.
                self.open(pc).segment.reconverges = true;
            }
            Op::BackEdge => self.back_edge(pc),
            Op::BackJump { to } => {
                self.back_edge(pc);
                if !self.rotate(to) {
                    self.end(End::Go(to));
                }
            }
            Op::Jump { to } => {
                self.open(pc);
                self.end(End::Go(to));
            }
            Op::Branch { p, then_pc, else_pc, .. } => {
                let slot = (RegFile::P, p);
                let value = self.read(pc, slot);
                let open = self.open(pc);
                let condition = match open.segment.values[value as usize] {
                    Value::Splat(_, scalar) => Condition::Scalar(scalar),
                    _ => {
                        open.forced.insert(slot);
                        Condition::Pred(value)
                    }
                };
                let leave = self.leaves.get(&pc).copied();
                self.end(End::Branch { condition, then_pc, else_pc, pc, leave });
            }
            Op::UpdatePattern { pattern } => {
                let terms: Vec<FileSlot> =
                    self.variant.patterns.get(pattern as usize)?.terms.iter().map(row_of).collect();
                let open = self.open(pc);
                for slot in terms {
                    open.pattern_slots.insert(slot);
                    if open.written.contains(&slot) {
                        open.forced.insert(slot);
                    }
                }
                if open.segment.patterns.iter().all(|p| p.pattern != pattern) {
                    let update = self.pattern_update(pattern)?;
                    self.open(pc).segment.patterns.push(update);
                }
            }
            Op::UCmp { op, wide, r } | Op::UCmpBranch { op, wide, r } | Op::UCmpLoop { op, wide, r } => {
                let ty = if wide { Ty::I64 } else { Ty::I32 };
                self.scalar_compare(pc, op, ty, r.d, (r.a, r.b))?;
            }
            Op::UEvalCmp { op, ty, r } => self.scalar_compare(pc, op, ty, r.d, (r.a, r.b))?,
            Op::USel(r) => {
                let condition = self.read(pc, (RegFile::P, r.c));
                let condition = match self.open(pc).segment.values[condition as usize] {
                    Value::Splat(_, scalar) => scalar,
                    Value::Pred(slot) => self.push(pc, Value::FirstPred(slot)),
                    _ => return None,
                };
                let (a, b) = (self.read(pc, (RegFile::S, r.a)), self.read(pc, (RegFile::S, r.b)));
                self.define(pc, (RegFile::S, r.d), Value::ScalarSelect(condition, a, b))?;
            }
            Op::Take { ty, d, a } => {
                let slot = (file(ty), a);
                if self.open.as_ref().is_some_and(|open| open.written.contains(&slot)) {
                    self.end(End::Go(pc));
                }
                self.define(pc, (RegFile::S, d), Value::FirstRow(class_of(slot.0), a))?;
            }
            Op::USpecial { reg, d } => {
                let value = match reg {
                    Special::TidX => Value::FirstThread(0),
                    Special::TidY => Value::FirstThread(1),
                    Special::TidZ => Value::FirstThread(2),
                    _ => Value::Geometry(geometry(reg)?),
                };
                self.define(pc, (RegFile::S, d), value)?;
            }
            Op::Special { reg, d } => {
                let value = match reg {
                    Special::TidX => Value::Thread(0),
                    Special::TidY => Value::Thread(1),
                    Special::TidZ => Value::Thread(2),
                    _ => {
                        let word = Value::Geometry(geometry(reg)?);
                        Value::Splat(Class::Word, self.push(pc, word))
                    }
                };
                self.define(pc, (RegFile::W, d), value)?;
            }
            Op::ULoad(m) => self.load(pc, &m, true)?,
            _ => {
                if let Some(m) = op.load() {
                    self.load(pc, m, false)?;
                } else if let Some(m) = op.store() {
                    self.store(pc, m)?;
                } else {
                    self.compute(pc, op)?;
                }
            }
        }
        Some(())
    }

    /// Continues the segment with the test at the head of the loop that it goes back to, if it is the loop's body and the test is
    /// short: then one segment is the whole loop. Whether it does.
    fn rotate(&mut self, head: u32) -> bool {
        let Some(body) = self.open.as_ref().map(|open| open.segment.pc) else { return false };
        let ops = self.variant.ops.iter().enumerate().skip(head as usize).take(LONGEST_TEST);
        let mut test = ops.take_while(|(_, op)| !matches!(op, Op::Reconverge | Op::Jump { .. } | Op::BackJump { .. }));
        let branch = test.find_map(|(pc, op)| match op {
            Op::Branch { then_pc, else_pc, .. } => Some((pc as u32, [*then_pc, *else_pc].contains(&body))),
            _ => None,
        });
        let Some((branch, true)) = branch else { return false };
        let before = (self.open.clone(), self.segments.len(), self.accesses.len());
        let variant = self.variant;
        let is_whole = (head..=branch).all(|pc| {
            let is_known = self.operation(pc, &variant.ops[pc as usize]).is_some();
            is_known && self.segments.len() == before.1 + usize::from(pc == branch)
        });
        if !is_whole {
            self.open = before.0;
            self.segments.truncate(before.1);
            self.accesses.truncate(before.2);
        }
        is_whole
    }

    fn back_edge(&mut self, pc: u32) {
        let segment = &mut self.open(pc).segment;
        segment.points += 1;
        segment.has_back_edge = true;
    }

    fn scalar_compare(&mut self, pc: u32, op: CmpOp, ty: Ty, d: u32, (a, b): (u32, u32)) -> Option<()> {
        let value = Value::ScalarCmp(op, ty, self.read(pc, (RegFile::S, a)), self.read(pc, (RegFile::S, b)));
        if !jit::is_known(&value) {
            return None;
        }
        let scalar = self.push(pc, value);
        self.define(pc, (RegFile::P, d), Value::Splat(Class::Pred, scalar))
    }

    /// The address of an access; `None` if it is irregular or not known.
    fn address(&mut self, pc: u32, m: &MemOp, is_scalar: bool) -> Option<jit::AccessId> {
        let expr: &AddressExpr = self.variant.address_exprs.get(m.expr as usize)?;
        let place = match m.space {
            Space::Shared => Place::Shared(SHARED_BASE),
            Space::Local => Place::Local,
            Space::Global | Space::Host | Space::Const => Place::Memory,
            Space::Generic => return None,
        };
        if m.access == Access::Volatile || is_scalar && expr.index.is_some() {
            return None;
        }
        if !is_scalar && !matches!(m.width, Width::W32 | Width::W64) {
            return None;
        }
        let index = match &expr.index {
            None => None,
            Some(index) => {
                let key = self.keys.get(index.pattern as usize).copied().unwrap_or(PatternKey::IRREGULAR);
                key.offsets()?;
                if index.factor <= 0 || place == Place::Local {
                    return None;
                }
                // A pattern that this segment works out is known when it has ended.
                if self
                    .open
                    .as_ref()
                    .is_some_and(|open| open.segment.patterns.iter().any(|p| p.pattern == index.pattern))
                {
                    self.end(End::Go(pc));
                }
                if !index.kept {
                    self.update_before(pc, index.pattern)?;
                }
                let terms = self.terms(pc, &index.terms);
                let (factor, pattern, wraps, base) = (index.factor, index.pattern, index.wraps, index.base);
                Some(Index { pattern, key, factor, wraps, base, terms })
            }
        };
        let terms = self.terms(pc, &expr.terms);
        let bytes = m.width.bytes() as u32;
        let access = jit::Access { place, bytes, base: expr.base, is_local: expr.local, terms, index };
        let extent = access.extent()?;
        if extent > 1 << 30 || access.offsets()?.iter().any(|x| x % i64::from(bytes) != 0) {
            return None;
        }
        self.accesses.push(pc);
        let accesses = &mut self.open(pc).segment.accesses;
        accesses.push(access);
        Some(accesses.len() as u32 - 1)
    }

    /// Has a pattern worked out before the segment begins that uses it.
    fn update_before(&mut self, pc: u32, pattern: u32) -> Option<()> {
        let terms: Vec<FileSlot> = self.variant.patterns.get(pattern as usize)?.terms.iter().map(row_of).collect();
        if self.open.as_ref().is_some_and(|open| terms.iter().any(|slot| open.written.contains(slot))) {
            self.end(End::Go(pc));
        }
        let update = self.pattern_update(pattern)?;
        let before = &mut self.open(pc).segment.patterns_before;
        if !before.contains(&update) {
            before.push(update);
        }
        Some(())
    }

    /// How a pattern is worked out.
    fn pattern_update(&self, pattern: u32) -> Option<PatternUpdate> {
        let key = self.keys.get(pattern as usize).copied().unwrap_or(PatternKey::IRREGULAR);
        let row = |term: &Term| {
            let class = if term.narrow { Class::Word } else { Class::Long };
            Some(PatternRow { class, slot: term.slot, factor: term.factor })
        };
        let rows = match &self.variant.patterns.get(pattern as usize)?.terms[..] {
            [a] => [row(a), None],
            [a, b] => [row(a), row(b)],
            _ => [None; 2],
        };
        Some(PatternUpdate { pattern, key, rows })
    }

    fn terms(&mut self, pc: u32, of: &[Term]) -> Vec<AddressTerm> {
        of.iter()
            .map(|t| AddressTerm {
                value: self.read(pc, (RegFile::S, t.scalar)),
                is_narrow: t.narrow,
                factor: t.factor,
            })
            .collect()
    }

    fn load(&mut self, pc: u32, m: &MemOp, is_scalar: bool) -> Option<()> {
        // Loads see memory as it is when a segment begins.
        if self.open.as_ref().is_some_and(|open| !open.segment.stores.is_empty()) {
            self.end(End::Go(pc));
        }
        let access = self.address(pc, m, is_scalar)?;
        let class = if m.width == Width::W64 { Class::Long } else { Class::Word };
        let (slot, value) = if is_scalar {
            ((RegFile::S, m.value), Value::ScalarLoad(access))
        } else {
            ((if class == Class::Long { RegFile::L } else { RegFile::W }, m.value), Value::Load(class, access))
        };
        let id = self.push(pc, value);
        self.write(pc, slot, id);
        let segment = &mut self.open(pc).segment;
        segment.points += 1;
        segment.loads += 1;
        Some(())
    }

    fn store(&mut self, pc: u32, m: &MemOp) -> Option<()> {
        let access = self.address(pc, m, false)?;
        let file = if m.width == Width::W64 { RegFile::L } else { RegFile::W };
        let value = self.read(pc, (file, m.value));
        let segment = &mut self.open(pc).segment;
        segment.stores.push(Store { access, value });
        segment.points += 1;
        Some(())
    }

    /// An operation that only computes.
    fn compute(&mut self, pc: u32, op: &Op) -> Option<()> {
        use Form::{Bin, Cmp, Cvt, Move, Select, Splat, Tri, Un};
        let (form, d, operands) = form(op)?;
        let values: Vec<ValueId> = operands.into_iter().flatten().map(|slot| self.read(pc, slot)).collect();
        let scalar = d.0 == RegFile::S;
        let value = match (form, &values[..]) {
            (Move, &[a]) => {
                self.write(pc, d, a);
                return Some(());
            }
            (Splat, &[a]) => Value::Splat(class_of(d.0), a),
            (Un(op, ty), &[a]) if scalar => Value::ScalarUn(op, ty, a),
            (Un(op, ty), &[a]) => Value::Un(op, ty, a),
            (Bin(op, ty), &[a, b]) if scalar => Value::ScalarBin(op, ty, a, b),
            (Bin(op, ty), &[a, b]) => Value::Bin(op, ty, a, b),
            (Tri(op, ty), &[a, b, c]) if scalar => Value::ScalarTri(op, ty, a, b, c),
            (Tri(op, ty), &[a, b, c]) => Value::Tri(op, ty, a, b, c),
            (Cmp(op, ty), &[a, b]) => Value::Cmp(op, ty, a, b),
            (Cvt(op, from, to), &[a]) if scalar => Value::ScalarCvt(op, from, to, a),
            (Cvt(op, from, to), &[a]) => Value::Cvt(op, from, to, a),
            (Select, &[a, b, c]) => Value::Select(class_of(d.0), c, a, b),
            _ => return None,
        };
        self.define(pc, d, value)
    }
}

/// The word of [`jit::State::geometry`] that has a special register.
fn geometry(reg: Special) -> Option<u32> {
    Some(match reg {
        Special::NtidX => 0,
        Special::NtidY => 1,
        Special::NtidZ => 2,
        Special::CtaidX => 3,
        Special::CtaidY => 4,
        Special::CtaidZ => 5,
        Special::NctaidX => 6,
        Special::NctaidY => 7,
        Special::NctaidZ => 8,
        _ => return None,
    })
}

fn class_of(file: RegFile) -> Class {
    match file {
        RegFile::P => Class::Pred,
        RegFile::W => Class::Word,
        RegFile::L => Class::Long,
        RegFile::S => Class::Scalar,
    }
}

/// The row of a term.
fn row_of(term: &Term) -> FileSlot {
    (if term.narrow { RegFile::W } else { RegFile::L }, term.slot)
}

/// What an operation that only computes is in the IR's terms.
#[derive(Clone, Copy)]
enum Form {
    Move,
    Splat,
    /// The third operand is the predicate.
    Select,
    Un(UnOp, Ty),
    Bin(BinOp, Ty),
    Tri(TriOp, Ty),
    Cmp(CmpOp, Ty),
    /// Operation, from, to.
    Cvt(CvtOp, Ty, Ty),
}

/// The form of an operation that only computes, where its result goes and its operands.
fn form(op: &Op) -> Option<(Form, FileSlot, [Option<FileSlot>; 3])> {
    use Form::{Bin, Cmp, Cvt, Move, Select, Splat, Tri, Un};
    use Ty::{F32, F64, I32, I64, Pred};
    if let Some(operands) = op.operands() {
        let form = match op {
            Op::MovP(_) | Op::Mov32(_) | Op::Mov64(_) | Op::UMov(_) => Move,
            Op::NotP(_) => Un(UnOp::Not, Pred),
            Op::AndP(_) => Bin(BinOp::And, Pred),
            Op::OrP(_) => Bin(BinOp::Or, Pred),
            Op::XorP(_) => Bin(BinOp::Xor, Pred),
            Op::SelP(_) | Op::Sel32(_) | Op::Sel64(_) => Select,
            Op::AddI32(_) | Op::UAddI32(_) => Bin(BinOp::Add, I32),
            Op::SubI32(_) | Op::USubI32(_) => Bin(BinOp::Sub, I32),
            Op::MulI32(_) | Op::UMulI32(_) => Bin(BinOp::Mul, I32),
            Op::And32(_) => Bin(BinOp::And, I32),
            Op::Or32(_) => Bin(BinOp::Or, I32),
            Op::Xor32(_) => Bin(BinOp::Xor, I32),
            Op::MinI32(_) => Bin(BinOp::Min, I32),
            Op::MaxI32(_) => Bin(BinOp::Max, I32),
            Op::AddF32(_) => Bin(BinOp::Add, F32),
            Op::SubF32(_) => Bin(BinOp::Sub, F32),
            Op::MulF32(_) => Bin(BinOp::Mul, F32),
            Op::DivF32(_) => Bin(BinOp::Div, F32),
            Op::MinF32(_) => Bin(BinOp::Min, F32),
            Op::MaxF32(_) => Bin(BinOp::Max, F32),
            Op::NegF32(_) => Un(UnOp::Neg, F32),
            Op::AbsF32(_) => Un(UnOp::Abs, F32),
            Op::SqrtF32(_) => Un(UnOp::Sqrt, F32),
            Op::FmaF32(_) => Tri(TriOp::Fma, F32),
            Op::MadI32(_) => Tri(TriOp::Mad, I32),
            Op::EqI32(_) => Cmp(CmpOp::Eq, I32),
            Op::NeI32(_) => Cmp(CmpOp::Ne, I32),
            Op::LtI32(_) => Cmp(CmpOp::Lt, I32),
            Op::LeI32(_) => Cmp(CmpOp::Le, I32),
            Op::GtI32(_) => Cmp(CmpOp::Gt, I32),
            Op::GeI32(_) => Cmp(CmpOp::Ge, I32),
            Op::LtU32(_) => Cmp(CmpOp::LtU, I32),
            Op::GeU32(_) => Cmp(CmpOp::GeU, I32),
            Op::EqF32(_) => Cmp(CmpOp::Eq, F32),
            Op::NeF32(_) => Cmp(CmpOp::Ne, F32),
            Op::LtF32(_) => Cmp(CmpOp::Lt, F32),
            Op::LeF32(_) => Cmp(CmpOp::Le, F32),
            Op::GtF32(_) => Cmp(CmpOp::Gt, F32),
            Op::GeF32(_) => Cmp(CmpOp::Ge, F32),
            Op::AddI64(_) | Op::UAddI64(_) => Bin(BinOp::Add, I64),
            Op::SubI64(_) | Op::USubI64(_) => Bin(BinOp::Sub, I64),
            Op::MulI64(_) | Op::UMulI64(_) => Bin(BinOp::Mul, I64),
            Op::And64(_) => Bin(BinOp::And, I64),
            Op::Or64(_) => Bin(BinOp::Or, I64),
            Op::Xor64(_) => Bin(BinOp::Xor, I64),
            Op::MinI64(_) => Bin(BinOp::Min, I64),
            Op::MaxI64(_) => Bin(BinOp::Max, I64),
            Op::AddF64(_) => Bin(BinOp::Add, F64),
            Op::SubF64(_) => Bin(BinOp::Sub, F64),
            Op::MulF64(_) => Bin(BinOp::Mul, F64),
            Op::DivF64(_) => Bin(BinOp::Div, F64),
            Op::MinF64(_) => Bin(BinOp::Min, F64),
            Op::MaxF64(_) => Bin(BinOp::Max, F64),
            Op::NegF64(_) => Un(UnOp::Neg, F64),
            Op::AbsF64(_) => Un(UnOp::Abs, F64),
            Op::SqrtF64(_) => Un(UnOp::Sqrt, F64),
            Op::FmaF64(_) => Tri(TriOp::Fma, F64),
            Op::MadI64(_) => Tri(TriOp::Mad, I64),
            Op::EqI64(_) => Cmp(CmpOp::Eq, I64),
            Op::NeI64(_) => Cmp(CmpOp::Ne, I64),
            Op::LtI64(_) => Cmp(CmpOp::Lt, I64),
            Op::LeI64(_) => Cmp(CmpOp::Le, I64),
            Op::GtI64(_) => Cmp(CmpOp::Gt, I64),
            Op::GeI64(_) => Cmp(CmpOp::Ge, I64),
            Op::LtU64(_) => Cmp(CmpOp::LtU, I64),
            Op::GeU64(_) => Cmp(CmpOp::GeU, I64),
            Op::EqF64(_) => Cmp(CmpOp::Eq, F64),
            Op::NeF64(_) => Cmp(CmpOp::Ne, F64),
            Op::LtF64(_) => Cmp(CmpOp::Lt, F64),
            Op::LeF64(_) => Cmp(CmpOp::Le, F64),
            Op::GtF64(_) => Cmp(CmpOp::Gt, F64),
            Op::GeF64(_) => Cmp(CmpOp::Ge, F64),
            Op::I32ToI64(_) | Op::UI32ToI64(_) => Cvt(CvtOp::Cast, I32, I64),
            Op::I64ToI32(_) => Cvt(CvtOp::Cast, I64, I32),
            Op::I32ToF32(_) => Cvt(CvtOp::Cast, I32, F32),
            Op::I32ToF64(_) => Cvt(CvtOp::Cast, I32, F64),
            Op::I64ToF64(_) => Cvt(CvtOp::Cast, I64, F64),
            Op::F32ToF64(_) => Cvt(CvtOp::Cast, F32, F64),
            Op::F64ToF32(_) => Cvt(CvtOp::Cast, F64, F32),
            Op::F32ToI32(_) => Cvt(CvtOp::Cast, F32, I32),
            Op::F64ToI32(_) => Cvt(CvtOp::Cast, F64, I32),
            Op::Splat32(_) | Op::Splat64(_) => Splat,
            _ => return None,
        };
        return Some((form, operands.writes, operands.reads));
    }
    let two = |form, file: RegFile, d, a, b| Some((form, (file, d), [Some((file, a)), Some((file, b)), None]));
    use RegFile::{L, S, W};
    match *op {
        Op::Shl32(r) => two(Bin(BinOp::Shl, I32), W, r.d, r.a, r.b),
        Op::ShrU32(r) => two(Bin(BinOp::ShrU, I32), W, r.d, r.a, r.b),
        Op::ShrS32(r) => two(Bin(BinOp::ShrS, I32), W, r.d, r.a, r.b),
        Op::DivI32(r) => two(Bin(BinOp::Div, I32), W, r.d, r.a, r.b),
        Op::RemI32(r) => two(Bin(BinOp::Rem, I32), W, r.d, r.a, r.b),
        Op::Shl64(r) => two(Bin(BinOp::Shl, I64), L, r.d, r.a, r.b),
        Op::ShrU64(r) => two(Bin(BinOp::ShrU, I64), L, r.d, r.a, r.b),
        Op::ShrS64(r) => two(Bin(BinOp::ShrS, I64), L, r.d, r.a, r.b),
        Op::DivI64(r) => two(Bin(BinOp::Div, I64), L, r.d, r.a, r.b),
        Op::RemI64(r) => two(Bin(BinOp::Rem, I64), L, r.d, r.a, r.b),
        Op::UMinI64(r) => two(Bin(BinOp::Min, I64), S, r.d, r.a, r.b),
        Op::UMaxI64(r) => two(Bin(BinOp::Max, I64), S, r.d, r.a, r.b),
        Op::UShlI32(r) => two(Bin(BinOp::Shl, I32), S, r.d, r.a, r.b),
        Op::UShlI64(r) => two(Bin(BinOp::Shl, I64), S, r.d, r.a, r.b),
        Op::UEvalBin { op, ty, r } => two(Bin(op, ty), S, r.d, r.a, r.b),
        Op::UEvalTri { op, ty, r } => Some((Tri(op, ty), (S, r.d), [Some((S, r.a)), Some((S, r.b)), Some((S, r.c))])),
        Op::UEvalUn { op, ty, r } => Some((Un(op, ty), (S, r.d), [Some((S, r.a)), None, None])),
        Op::UEvalCvt { op, from, to, r } => Some((Cvt(op, from, to), (S, r.d), [Some((S, r.a)), None, None])),
        Op::EvalUn { op, ty, r } => Some((Un(op, ty), (file(ty), r.d), [Some((file(ty), r.a)), None, None])),
        Op::EvalBin { op, ty, r } => two(Bin(op, ty), file(ty), r.d, r.a, r.b),
        Op::EvalTri { op, ty, r } => {
            let file = file(ty);
            Some((Tri(op, ty), (file, r.d), [Some((file, r.a)), Some((file, r.b)), Some((file, r.c))]))
        }
        Op::EvalCvt { op, from, to, r } => {
            Some((Cvt(op, from, to), (file(to), r.d), [Some((file(from), r.a)), None, None]))
        }
        Op::EvalCmp { op, ty, r } => {
            Some((Cmp(op, ty), (RegFile::P, r.d), [Some((file(ty), r.a)), Some((file(ty), r.b)), None]))
        }
        _ => None,
    }
}

//! From operations of a variant to segments of `jit`.
//!
//! A segment begins at a place where operations may be entered: the beginning, the target of a branch, and behind an operation that
//! is left to the interpreter. Within it the slots of the frame become values, and what is read behind the segment is written back.
//!
//! Executed by a call ([`can_be_called`]): atomics, irregular addresses, and what `jit` does not know.
//! Left to the interpreter: whatever can stop a warp or part its lanes, and calls of functions.

use super::liveness::{Liveness, each_successor};
use super::straight::Line;
use crate::code::{Code, FileSlot, Op, RegFile, Term, Told, Variant, form};
use ir::Ty;
use ir::op::{BarOp, CmpOp, Special};
use jit::host::Formula;
use jit::{Class, Condition, End, Leave, Out, PatternKey, Routine, Segment, StraightLine, Value, ValueId};
use std::collections::{BTreeMap, BTreeSet};

/// A routine, and what goes with it.
pub(crate) struct Translation {
    pub(crate) routine: Routine,
    /// The operations that are loads and stores and are not told to an observer.
    pub(crate) untold: Vec<u32>,
    /// Whether it has atomics, which are not told either.
    pub(crate) has_atomics: bool,
    /// Those that are told.
    pub(crate) told: Vec<Told>,
}

/// Operations of a loop's test at most that is done in the segment of the loop's body.
const LONGEST_TEST: usize = 24;

/// Values of a segment at most, so that they find room on the stack.
const MOST: usize = 400;

/// Translates what can be translated. `keys` says how the lanes of each pattern differ, or nothing if no warp has come to it yet: such
/// accesses are left to the interpreter. `tells` says which loads, stores and atomics an observer has to be told of; with `calls` they
/// are left to the interpreter, too.
pub(crate) fn translate(
    code: &Code,
    variant: &Variant,
    (block, keys): ([u32; 3], &[Option<PatternKey>]),
    (tells, calls): (&dyn Fn(u32) -> bool, bool),
) -> Translation {
    let mut leaders: BTreeSet<u32> = BTreeSet::from([0]);
    for (pc, op) in variant.ops.iter().enumerate() {
        let pc = pc as u32;
        if matches!(op, Op::Jump { .. } | Op::Branch { .. } | Op::Switch(_)) {
            each_successor(op, pc, |to| {
                leaders.insert(to);
            });
        }
        if let Op::Reconverge = op {
            // Lanes that have met go on behind it.
            leaders.extend([pc, pc + 1]);
        }
    }
    let mut of = Translator { calls, ..Translator::new(code, variant, keys, tells) };
    for (pc, op) in variant.ops.iter().enumerate() {
        let pc = pc as u32;
        if leaders.contains(&pc) || of.open.as_ref().is_some_and(|s| s.segment.values.len() > MOST) {
            of.end(End::Go(pc));
        }
        if of.operation(pc, op).is_none() {
            // Executed by a call, or left to the interpreter.
            of.end(End::Go(pc));
            if can_be_called(op) && !of.is_unseen(op) {
                let call = of.indexed(pc, op).unwrap_or_else(|| Segment::call(pc));
                of.segments.push(call);
            }
        }
    }
    of.end(End::Go(variant.ops.len() as u32));
    let stride = size_of::<crate::frame::lane_pattern::LanePattern<32>>() as u32;
    let is_barrier = |op: &Op| matches!(op, Op::Barrier { op: BarOp::Sync, .. });
    let barriers = (0u32..).zip(&variant.ops).filter(|(_, op)| is_barrier(op)).map(|(pc, _)| pc).collect();
    let is_end = |op: &Op| matches!(op, Op::Exit | Op::Return(_));
    let ends = (0u32..).zip(&variant.ops).filter(|(_, op)| is_end(op)).map(|(pc, _)| pc).collect();
    let (poll_quantum, patterns) = (crate::POLL_QUANTUM, variant.patterns.len() as u32);
    let routine = Routine {
        segments: of.segments,
        pattern_stride: stride,
        poll_quantum,
        barriers,
        ends,
        patterns,
        restored: Vec::new(),
        straight: straight_line(code, variant, (block, keys), tells),
    };
    Translation { routine, untold: of.untold, has_atomics: of.has_atomics, told: of.told }
}

/// The kernel as straight-line code, if it can be made so for blocks of that shape.
fn straight_line(
    code: &Code,
    variant: &Variant,
    (block, keys): ([u32; 3], &[Option<PatternKey>]),
    tells: &dyn Fn(u32) -> bool,
) -> Option<StraightLine> {
    if !code.meets_nobody || keys.contains(&None) {
        return None;
    }
    let line = Some(Line::of(block)?);
    Translator { line, ..Translator::new(code, variant, keys, tells) }.straight()
}

/// Whether an operation that is not compiled is executed by a call: it stops no warp, and lanes stay together.
fn can_be_called(op: &Op) -> bool {
    match op {
        Op::LocalAddr { .. }
        | Op::ClearLocal { .. }
        | Op::DynamicShared { .. }
        | Op::UDynamicShared { .. }
        | Op::Vote { mask: None, .. }
        | Op::Shuffle { .. }
        | Op::Atomic(_)
        | Op::ULoad(_) => true,
        Op::Special { reg, .. } => matches!(reg, Special::LaneId),
        _ => op.load().is_some() || op.store().is_some() || form(op).is_some(),
    }
}

/// The rows that are constants; no operation writes them.
pub(super) fn constants(code: &Code) -> BTreeMap<FileSlot, u64> {
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
pub(super) struct Open {
    pub(super) segment: Segment,
    /// The value of each slot that was read or written.
    current: BTreeMap<FileSlot, ValueId>,
    pub(super) written: BTreeSet<FileSlot>,
    /// Slots that are written back in any case.
    forced: BTreeSet<FileSlot>,
    /// Slots of the patterns that are worked out when it ends.
    pattern_slots: BTreeSet<FileSlot>,
}

pub(super) struct Translator<'a> {
    code: &'a Code,
    pub(super) variant: &'a Variant,
    pub(super) keys: &'a [Option<PatternKey>],
    live: Liveness<'a>,
    leaves: BTreeMap<u32, Leave>,
    /// Rows that are constants.
    constants: BTreeMap<FileSlot, u64>,
    pub(super) open: Option<Open>,
    segments: Vec<Segment>,
    /// Irregular accesses so far.
    pub(super) indexed: u32,
    pub(super) tells: &'a dyn Fn(u32) -> bool,
    /// Whether what is to be told is left to the interpreter.
    pub(super) calls: bool,
    pub(super) untold: Vec<u32>,
    pub(super) has_atomics: bool,
    pub(super) told: Vec<Told>,
    /// What is known of a kernel that is made straight-line code of.
    pub(super) line: Option<Line>,
}

impl<'a> Translator<'a> {
    fn new(
        code: &'a Code,
        variant: &'a Variant,
        keys: &'a [Option<PatternKey>],
        tells: &'a dyn Fn(u32) -> bool,
    ) -> Translator<'a> {
        Translator {
            code,
            variant,
            keys,
            live: Liveness::new(code, variant, &variant.ops),
            leaves: leaves(code),
            constants: constants(code),
            open: None,
            segments: Vec::new(),
            indexed: 0,
            tells,
            calls: false,
            untold: Vec::new(),
            has_atomics: false,
            told: Vec::new(),
            line: None,
        }
    }

    /// The segment that is being made; one that begins at `pc` if there is none.
    pub(super) fn open(&mut self, pc: u32) -> &mut Open {
        self.open.get_or_insert_with(|| Open {
            segment: Segment::empty(pc, End::Go(0)),
            current: BTreeMap::new(),
            written: BTreeSet::new(),
            forced: BTreeSet::new(),
            pattern_slots: BTreeSet::new(),
        })
    }

    /// Ends the segment, if there is one that does anything.
    pub(super) fn end(&mut self, end: End) {
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

    pub(super) fn push(&mut self, pc: u32, value: Value) -> ValueId {
        let segment = &mut self.open(pc).segment;
        segment.values.push(value);
        segment.values.len() as u32 - 1
    }

    /// The value of a slot.
    pub(super) fn read(&mut self, pc: u32, slot: FileSlot) -> ValueId {
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
    pub(super) fn write(&mut self, pc: u32, slot: FileSlot, value: ValueId) {
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
    pub(super) fn operation(&mut self, pc: u32, op: &Op) -> Option<()> {
        // Patterns are worked out when the segment ends: until then their registers stay as they are.
        let mut clobbers = false;
        if let Some(open) = &self.open {
            super::liveness::each_write(op, &mut |slot| clobbers |= open.pattern_slots.contains(&slot));
        }
        if clobbers {
            self.end(End::Go(pc));
        }
        match *op {
            Op::Nop => {
                self.open(pc);
            }
            Op::Stmt => self.open(pc).segment.statements += 1,
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
            Op::UCmp { op, wide, r } => {
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
                let slot = (RegFile::of(ty), a);
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
                    Special::OnGpu => Value::Constant(0),
                    _ => Value::Geometry(geometry(reg)?),
                };
                self.define(pc, (RegFile::S, d), value)?;
            }
            Op::Special { reg, d } => {
                let value = match reg {
                    Special::TidX => Value::Thread(0),
                    Special::TidY => Value::Thread(1),
                    Special::TidZ => Value::Thread(2),
                    Special::OnGpu => Value::Splat(Class::Word, self.push(pc, Value::Constant(0))),
                    _ => {
                        let word = Value::Geometry(geometry(reg)?);
                        Value::Splat(Class::Word, self.push(pc, word))
                    }
                };
                self.define(pc, (RegFile::W, d), value)?;
            }
            Op::ULoad(m) => self.load(pc, &m, true)?,
            Op::ClearLocal { offset, bytes } => self.clear(pc, offset, bytes)?,
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
        let before = (self.open.clone(), self.segments.len(), self.untold.len(), self.told.len());
        let variant = self.variant;
        let is_whole = (head..=branch).all(|pc| {
            let is_known = self.operation(pc, &variant.ops[pc as usize]).is_some();
            is_known && self.segments.len() == before.1 + usize::from(pc == branch)
        });
        if !is_whole {
            self.open = before.0;
            self.segments.truncate(before.1);
            self.untold.truncate(before.2);
            self.told.truncate(before.3);
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

    /// An operation that only computes.
    fn compute(&mut self, pc: u32, op: &Op) -> Option<()> {
        use Formula::{Bin, Cmp, Cvt, Move, Select, Tri, Un};
        let (form, d, operands) = form(op)?;
        let is_splat = d.0 != RegFile::S && matches!(operands[0], Some((RegFile::S, _)));
        let values: Vec<ValueId> = operands.into_iter().flatten().map(|slot| self.read(pc, slot)).collect();
        let scalar = d.0 == RegFile::S;
        let value = match (form, &values[..]) {
            (Move, &[a]) if is_splat => Value::Splat(class_of(d.0), a),
            (Move, &[a]) => {
                self.write(pc, d, a);
                return Some(());
            }
            (Un(op, ty), &[a]) if scalar => Value::ScalarUn(op, ty, a),
            (Un(op, ty), &[a]) => Value::Un(op, ty, a),
            (Bin(op, ty), &[a, b]) if scalar => Value::ScalarBin(op, ty, a, b),
            (Bin(op, ty), &[a, b]) => Value::Bin(op, ty, a, b),
            (Tri(op, ty), &[a, b, c]) if scalar => Value::ScalarTri(op, ty, a, b, c),
            (Tri(op, ty), &[a, b, c]) => Value::Tri(op, ty, a, b, c),
            (Cmp(op, ty), &[a, b]) => Value::Cmp(op, ty, a, b),
            (Cvt(op, from, to), &[a]) if scalar => Value::ScalarCvt(op, from, to, a),
            (Cvt(op, from, to), &[a]) => Value::Cvt(op, from, to, a),
            (Select, &[condition, a, b]) => Value::Select(class_of(d.0), condition, a, b),
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

/// The class of the values of a file.
pub(crate) fn class_of(file: RegFile) -> Class {
    match file {
        RegFile::P => Class::Pred,
        RegFile::W => Class::Word,
        RegFile::L => Class::Long,
        RegFile::S => Class::Scalar,
    }
}

/// The row of a term.
pub(super) fn row_of(term: &Term) -> FileSlot {
    (if term.narrow { RegFile::W } else { RegFile::L }, term.slot)
}

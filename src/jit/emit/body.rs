//! An iteration of a loop, for one strip of lanes: what is in registers when it begins, its values, and what it hands to the next.
//!
//! Not here: how many iterations there are, and which strips are computed at a time (`iterations`).

use super::InstructionSet;
use super::strip::{Home, LONGS, Part, Strip, WORD, memory, parts_of};
use super::vector::{MASKS, MaskOp, Reg, Src};
use super::{CompileError, Form, Result};
use crate::iterations::{Carried, Change, Ending, Iterations};
use crate::segment::{Class, Segment, Value, ValueId};
use iced_x86::code_asm::AsmRegister64;
use ir::Ty;
use ir::op::{BinOp, TriOp, UnOp};
use std::collections::BTreeMap;

/// Registers that are carried if two strips are computed at a time, at most.
const MOST_CARRIED_OF_TWO: usize = 6;

/// An iteration: the segment with values for what it hands on.
pub(super) struct Body {
    pub(super) segment: Segment,
    /// How many values the segment has of its own.
    own: usize,
    /// Where each value is used.
    pub(super) uses: Vec<Vec<usize>>,
    /// The mask of the lanes that run, before and behind an iteration.
    masks: Option<[ValueId; 2]>,
    /// For each row that is carried: the values before and behind an iteration.
    rows: Vec<(Carried, ValueId, ValueId)>,
    /// Rows and splats that do not change, those first that are used most.
    invariants: Vec<ValueId>,
    /// Rows that may hold a NaN that is not canonical from one iteration to the next.
    stays_raw: Vec<bool>,
}

/// What is in the same registers at the beginning of each iteration.
pub(super) struct Held {
    /// Register, value and part before an iteration, and value behind one.
    registers: Vec<(Reg, ValueId, usize, ValueId)>,
    /// The register with the mask of the lanes that run.
    pub(super) mask: Option<Reg>,
}

impl Held {
    /// The registers, one bit each.
    pub(super) fn bits(&self) -> u64 {
        self.registers.iter().fold(0, |bits, held| bits | 1 << held.0)
    }
}

impl Body {
    pub(super) fn new(segment: &Segment, of: &Iterations) -> Body {
        let mut body = segment.clone();
        (body.outs, body.stores) = (Vec::new(), Vec::new());
        let own = body.values.len();
        let push = |body: &mut Segment, value: Value| {
            body.values.push(value);
            body.values.len() as ValueId - 1
        };
        let is_by_lane = matches!(of.ending, Ending::Lanes { .. });
        // These values are put into registers before anybody asks what they are.
        let mask = Value::Un(UnOp::Mov, Ty::Pred, 0);
        let masks = is_by_lane.then(|| [push(&mut body, mask), push(&mut body, mask)]);
        let mut rows = Vec::new();
        for &carried in &of.carried {
            let row = if carried.class == Class::Long { Value::Long(carried.slot) } else { Value::Word(carried.slot) };
            let before = carried.before.unwrap_or_else(|| push(&mut body, row));
            let after = if is_by_lane { push(&mut body, row) } else { carried.after };
            rows.push((carried, before, after));
        }
        let mut uses = vec![Vec::new(); body.values.len()];
        for (i, value) in segment.values.iter().enumerate().rev() {
            if of.needed[i] && value.class() != Class::Scalar {
                value.each_operand(|v| uses[v as usize].push(i));
            }
        }
        let is_invariant = |v: &ValueId| match segment.values[*v as usize] {
            _ if !of.needed[*v as usize] => false,
            Value::Splat(class, scalar) => class != Class::Pred && of.changes[scalar as usize] == Change::Invariant,
            Value::Word(_) | Value::Long(_) => !rows.iter().any(|r| r.1 == *v),
            Value::Thread(_) => true,
            _ => false,
        };
        let mut invariants: Vec<ValueId> = (0..own as ValueId).filter(is_invariant).collect();
        invariants.sort_by_key(|&v| std::cmp::Reverse(uses[v as usize].len()));
        let stays_raw = rows
            .iter()
            .map(|&(carried, before, _)| {
                let users = segment.values.iter().enumerate().filter(|(i, v)| {
                    let mut is_user = false;
                    v.each_operand(|o| is_user |= o == before);
                    is_user && of.needed[*i]
                });
                let is_moved = rows.iter().any(|r| r.0.after == before);
                let made = segment.values[carried.after as usize];
                makes_canonical(&made) && !is_moved && users.map(|u| u.1).all(sees_no_payload)
            })
            .collect();
        // All that is held lives to the end of the iteration, but for what the next one has another value of in all lanes.
        for v in rows.iter().flat_map(|r| [r.0.after, r.2]).chain(masks.into_iter().flatten()) {
            uses[v as usize].push(own);
        }
        if is_by_lane {
            rows.iter().for_each(|r| uses[r.1 as usize].push(own));
        }
        if let Ending::Lanes { condition, .. } = of.ending {
            uses[condition as usize].push(own);
        }
        Body { segment: body, own, uses, masks, rows, invariants, stays_raw }
    }

    /// How many strips are computed at a time: each result waits for that of the iteration before, and another strip can use the
    /// time if there are registers for it.
    pub(super) fn strips_at_a_time(&self, set: InstructionSet) -> usize {
        let carried: usize = self.rows.iter().map(|row| parts_of(row.0.class).len()).sum();
        match set {
            InstructionSet::Avx512 if carried <= MOST_CARRIED_OF_TWO => 2,
            _ => 1,
        }
    }

    /// The accesses that an iteration loads from.
    pub(super) fn accesses(&self, of: &Iterations) -> Vec<u32> {
        let mut out = Vec::new();
        for (i, value) in self.segment.values[..self.own].iter().enumerate() {
            let access = match *value {
                Value::Load(_, access) if of.needed[i] => access,
                Value::ScalarLoad(access) if of.needed[i] => access,
                _ => continue,
            };
            if !out.contains(&access) {
                out.push(access);
            }
        }
        out
    }
}

/// Whether a NaN that an operation makes is the canonical one of real(4).
fn makes_canonical(value: &Value) -> bool {
    matches!(
        *value,
        Value::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, Ty::F32, ..)
            | Value::Tri(TriOp::Fma, Ty::F32, ..)
            | Value::Un(UnOp::Sqrt, Ty::F32, _)
    )
}

/// Whether the result of an operation is the same whichever NaN an operand is.
fn sees_no_payload(value: &Value) -> bool {
    makes_canonical(value) || matches!(*value, Value::Cmp(_, Ty::F32, ..))
}

impl Iterations {
    /// Whether a counted loop ends where the predicate of its branch is true.
    pub(super) fn exits_if(&self, segment: &Segment) -> bool {
        matches!(segment.end, crate::segment::End::Branch { then_pc, .. } if then_pc == self.exit)
    }
}

impl Strip<'_, '_, '_, '_> {
    /// Puts the bits of the lanes that go on into `eax`, of one strip or of two; what is held stays where it is.
    pub(super) fn collect_lanes(&mut self, held: &Held, masks: &[Reg]) -> Result {
        match *masks {
            [low, high] => {
                self.of.pinned = held.bits();
                self.lane_bits_of_two(low, high)
            }
            _ => held.mask.map_or(Ok(()), |mask| self.lane_bits(mask)),
        }
    }

    /// Loads what iterations begin with into registers, into `most` of them if what does not change can be left out.
    pub(super) fn begin_iterations(&mut self, body: &Body, most: usize) -> Result<Held> {
        self.of.now = 0;
        let mut held = Held { registers: Vec::new(), mask: None };
        if let Some([before, after]) = body.masks {
            self.of.pinned = 0;
            let d = self.alloc_mask()?;
            match self.at.form {
                Form::Full => self.mask_all(d)?,
                Form::Partial => self.running(d, WORD)?,
            }
            self.set(before, WORD, d);
            held.registers.push((d, before, WORD, after));
            held.mask = Some(d);
        }
        for (i, &(carried, before, after)) in body.rows.iter().enumerate() {
            for &part in parts_of(carried.class) {
                self.of.pinned = 0;
                let d = self.alloc()?;
                let home = self.row(carried.slot, part);
                // A row that only the last iteration leaves needs no beginning.
                if carried.before.is_some() || body.masks.is_some() {
                    self.load_row(d, home)?;
                }
                self.set(before, part, d);
                held.registers.push((d, before, part, after));
            }
            self.mark_raw(before, body.stays_raw[i]);
        }
        for &id in &body.invariants {
            let value = self.at.segment.values[id as usize];
            let parts = parts_of(value.class());
            if held.registers.len() + parts.len() > most {
                continue;
            }
            self.of.pinned = 0;
            self.value(id, &value, &[])?;
            self.of.uses[id as usize].push(body.own);
            for &part in parts {
                self.of.pinned = 0;
                let d = self.reg(id, part)?;
                held.registers.push((d, id, part, id));
            }
        }
        Ok(held)
    }

    /// Computes the values of an iteration.
    pub(super) fn iteration(
        &mut self,
        body: &Body,
        of: &Iterations,
        held: &Held,
        registers: &BTreeMap<u32, AsmRegister64>,
    ) -> Result {
        let mut pointers = vec![None; body.segment.accesses.len()];
        for (&access, &register) in registers {
            pointers[access as usize] = Some(register);
        }
        for i in 0..body.own {
            let (id, value) = (i as ValueId, body.segment.values[i]);
            if !of.needed[i] || value.class() == Class::Scalar || held.registers.iter().any(|h| h.1 == id) {
                continue;
            }
            self.of.now = i;
            self.of.pinned = 0;
            let loaded = match value {
                Value::Splat(_, scalar) => match of.changes[scalar as usize] {
                    Change::Loaded(access) => Some(access),
                    _ => None,
                },
                _ => None,
            };
            match loaded {
                Some(access) => self.splat_load(id, value.class(), access, pointers[access as usize])?,
                None => self.value(id, &value, &pointers)?,
            }
            value.each_operand(|v| self.release(v));
            self.release(id);
        }
        self.of.now = body.own.saturating_sub(1);
        Ok(())
    }

    /// A word of memory in all lanes.
    fn splat_load(&mut self, id: ValueId, class: Class, access: u32, held: Option<AsmRegister64>) -> Result {
        let base = self.base(access, held)?;
        let from = memory(base, 0);
        let home = match self.at.segment.accesses[access as usize].bytes {
            8 => Home::Long(from),
            4 => Home::Word(from),
            bytes => Home::Narrow { from, bytes, is_run: false },
        };
        for &part in parts_of(class) {
            self.of.parts[id as usize][part].home = Some(home);
            if held.is_none() {
                self.of.pinned = 0;
                self.reg(id, part)?;
                self.of.parts[id as usize][part].home = None;
            }
        }
        Ok(())
    }

    /// Puts what the next iteration begins with where it looks for it.
    pub(super) fn end_iteration(&mut self, body: &Body, of: &Iterations, held: &Held) -> Result {
        for (i, &(carried, before, after)) in body.rows.iter().enumerate() {
            if !body.stays_raw[i] {
                self.of.pinned = 0;
                self.canonical(carried.after)?;
            }
            let Some([mask, _]) = body.masks else { continue };
            for &part in parts_of(carried.class) {
                self.of.pinned = 0;
                let mask = if part == WORD { self.reg(mask, WORD)? } else { self.pred_longs(mask)?[part - LONGS[0]] };
                let old = self.reg(before, part)?;
                let new = self.reg(carried.after, part)?;
                let is_moved = body.rows.iter().any(|r| r.0.after == before);
                let d = if is_moved { self.alloc()? } else { old };
                self.blend(part, d, old, Src::Reg(new), mask)?;
                if !is_moved {
                    self.of.parts[before as usize][part] = Part::default();
                }
                self.set(after, part, d);
            }
        }
        if let (Some([before, after]), Ending::Lanes { condition, leave }) = (body.masks, of.ending) {
            self.of.pinned = 0;
            let stays = self.pred_words(condition)?;
            self.of.pinned = 1 << stays;
            let mask = self.reg(before, WORD)?;
            let d = self.alloc_mask()?;
            self.mask_op(if leave.takes { MaskOp::AndNot } else { MaskOp::And }, d, stays, mask)?;
            self.set(after, WORD, d);
        }
        self.move_to(held)
    }

    /// Moves values into the registers where an iteration expects them.
    fn move_to(&mut self, held: &Held) -> Result {
        let mut moves = Vec::new();
        let mut loads = Vec::new();
        for &(to, _, part, id) in &held.registers {
            match self.of.parts[id as usize][part].reg {
                Some(from) if from == to => {}
                Some(from) => moves.push((to, from)),
                None => loads.push((to, id, part)),
            }
        }
        while !moves.is_empty() {
            let is_free = |&(to, _): &(Reg, Reg)| !moves.iter().any(|m| m.1 == to);
            if let Some(i) = moves.iter().position(is_free) {
                let (to, from) = moves.remove(i);
                self.copy(to, from)?;
                continue;
            }
            // A circle: one of its registers is put aside.
            let from = moves[0].1;
            let reserved = self.of.reserved;
            let is_spare = |r: &Reg| {
                let is_moved = moves.iter().any(|m| m.0 == *r || m.1 == *r);
                reserved >> *r & 1 == 0 && !is_moved && !held.registers.iter().any(|h| h.0 == *r)
            };
            let mut others = if from >= MASKS { self.e.set.masks() } else { self.e.set.vectors() };
            let spare = others.find(is_spare).ok_or(CompileError::TooLarge)?;
            self.copy(spare, from)?;
            moves.iter_mut().filter(|m| m.1 == from).for_each(|m| m.1 = spare);
        }
        for (to, id, part) in loads {
            self.load_part(to, id, part)?;
        }
        Ok(())
    }

    /// Writes the rows that the last iteration leaves to the frame.
    pub(super) fn leave_iterations(&mut self, body: &Body, held: &Held) -> Result {
        self.hold(held.registers.iter().map(|&(reg, id, part, _)| (reg, id, part)));
        self.of.now = body.own.saturating_sub(1);
        for (i, &(carried, before, _)) in body.rows.iter().enumerate() {
            self.mark_raw(before, body.stays_raw[i]);
            self.of.pinned = 0;
            self.write(before, carried.slot, carried.class)?;
        }
        Ok(())
    }
}

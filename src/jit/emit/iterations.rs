//! Many iterations of a loop of one segment as one transaction.
//!
//! The code works out how many iterations can be done: until the loop ends, the budget is used up, or an access leaves its window.
//! If that is more than one, it runs a strip of lanes through all of them, then the next strip. What an iteration hands to the next
//! stays in registers. Behind the last strip the counters and scalars are set to what they are after as many iterations.
//!
//! What a loop has to be like for that is said in `crate::iterations`; the code of an iteration is made by `body`.

use super::InstructionSet;
use super::body::{Body, Held};
use super::strip::{Allocation, POINTERS, Strip};
use super::vector::Reg;
use super::{CompileError, Current, Emitter, Form, Result, field};
use crate::iterations::{Change, Ending, Iterations, step_of};
use crate::segment::{Class, Leave, Place, Value, ValueId};
use crate::state::State;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegister64, CodeLabel, byte_ptr, dword_ptr, eax, ecx, edx, qword_ptr, r8, r11, r14, rax, rbx,
    rcx, rdx, rsp, word_ptr,
};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// Iterations of one transaction at most, so that sums of addresses stay small.
const MOST: u32 = 1 << 20;

/// Vector registers that the values of an iteration have for themselves, at least.
const LEAST_FREE: usize = 5;

/// Where the numbers of a transaction lie on the stack.
struct Places {
    /// One less than the iterations that may be done.
    last: i32,
    /// One less than the iterations after which a counted loop ends.
    end: i32,
    /// The most iterations that a strip did.
    done: i32,
    /// The lanes that go on, one bit each.
    active: i32,
    /// The lanes that left in the last iteration, and those of the current strip.
    left_last: i32,
    /// The number of the iteration in which lanes left first.
    first: i32,
    /// The lanes with which the current strip began, and how many iterations it had left when all of them ran still.
    lanes: i32,
    whole: i32,
    /// Where the address of each access is, of those that are not in registers.
    pointers: Vec<i32>,
}

/// The lanes of one strip, or of all.
#[derive(Clone, Copy)]
struct Lanes {
    strip: usize,
    is_all: bool,
}

impl Emitter<'_> {
    /// Does many iterations in one go if it can, and goes on behind them; else falls through to the code for one. Every scalar and
    /// access of the first iteration has been worked out.
    pub(super) fn iterations(&mut self, at: &Current<'_>, of: &Iterations) -> Result {
        let stack = self.stack;
        let mut one = self.a.create_label();
        let places = self.count(at, of, one)?;
        self.loops(at, of, &places)?;
        self.finish(at, of, &places)?;
        self.a.set_label(&mut one)?;
        self.a.nop()?;
        self.stack = stack;
        Ok(())
    }

    /// Works out in `r8` how many iterations can be done behind the first, and keeps it.
    fn count(&mut self, at: &Current<'_>, of: &Iterations, one: CodeLabel) -> Result<Places> {
        let segment = at.segment;
        let mut place = || self.take(8, 8);
        let (last, end, done, active, left_last) = (place()?, place()?, place()?, place()?, place()?);
        let (first, lanes, whole) = (place()?, place()?, place()?);
        let pointers = (0..segment.accesses.len()).map(|_| place()).collect::<Result<Vec<i32>>>()?;
        match of.ending {
            Ending::Lanes { .. } => {
                // Under a seed each branch is a choice.
                self.a.cmp(dword_ptr(rbx + field!(keeps_order)), 0)?;
                self.a.jne(one)?;
                self.a.mov(iced_x86::code_asm::r8d, MOST)?;
            }
            Ending::Counted { counter, bound, ascends, is_narrow } => {
                let (from, to) = if ascends { (counter, bound) } else { (bound, counter) };
                self.load_scalar(at, to, rax)?;
                self.load_scalar(at, from, rcx)?;
                if is_narrow {
                    self.a.sub(eax, ecx)?;
                } else {
                    self.a.sub(rax, rcx)?;
                }
                self.a.mov(qword_ptr(rsp + end), rax)?;
                self.a.mov(iced_x86::code_asm::r8d, MOST)?;
                self.a.cmp(rax, r8)?;
                self.a.cmovb(r8, rax)?;
            }
        }
        // The budget holds one iteration at least.
        self.a.mov(rcx, qword_ptr(rbx + field!(budget)))?;
        self.a.sub(rcx, segment.points as i32)?;
        self.bound(segment.points)?;
        if segment.loads > 0 {
            self.a.mov(ecx, self.routine.poll_quantum.saturating_sub(segment.loads + 1))?;
            self.a.sub(ecx, dword_ptr(rbx + field!(polls)))?;
            self.bound(segment.loads)?;
        }
        for (access, &stride) in of.strides.iter().enumerate() {
            if stride != 0 {
                self.bound_access(at, access, stride)?;
            }
        }
        for &(value, step) in &of.exact {
            self.load_scalar(at, value, rax)?;
            self.a.movsxd(rax, eax)?;
            self.bound_narrow([0, 0], step)?;
        }
        for access in &segment.accesses {
            let Some(index) = access.index.as_ref().filter(|index| index.wraps) else { continue };
            let step: i64 = index.terms.iter().map(|t| step_of(&of.changes, t)).sum();
            let offsets = index.key.offsets().ok_or(CompileError::Unsupported("an irregular address"))?;
            let ends = [offsets.iter().min(), offsets.iter().max()].map(|end| end.copied().unwrap_or(0));
            self.load_first(index)?;
            self.add_terms(at, rax, &index.terms)?;
            self.add_constant(index.base)?;
            self.bound_narrow(ends, step)?;
        }
        self.a.test(r8, r8)?;
        self.a.je(one)?;
        self.a.mov(qword_ptr(rsp + last), r8)?;
        Ok(Places { last, end, done, active, left_last, first, lanes, whole, pointers })
    }

    /// Lowers `r8` so that an integer of 32 bits in `rax`, which grows in each iteration, wraps in none of them, nor do the two at
    /// the least and the greatest distance from it.
    fn bound_narrow(&mut self, [least, most]: [i64; 2], step: i64) -> Result {
        if step == 0 {
            return Ok(());
        }
        let room = if step > 0 { i64::from(i32::MAX) - most } else { least - i64::from(i32::MIN) };
        self.a.mov(rcx, room)?;
        if step > 0 {
            self.a.sub(rcx, rax)?;
        } else {
            self.a.add(rcx, rax)?;
        }
        self.bound(step.unsigned_abs() as u32)
    }

    /// Lowers `r8` to the largest number of which `by` times is at most `rcx`.
    fn bound(&mut self, by: u32) -> Result {
        let mut fits = self.a.create_label();
        self.a.imul_3(rax, r8, by as i32)?;
        self.a.cmp(rax, rcx)?;
        self.a.jbe(fits)?;
        self.a.mov(rax, rcx)?;
        self.a.xor(edx, edx)?;
        self.a.mov(ecx, by)?;
        self.a.div(rcx)?;
        self.a.mov(r8, rax)?;
        self.a.set_label(&mut fits)?;
        self.a.nop()?;
        Ok(())
    }

    /// Lowers `r8` until all addresses of an access are in its window.
    fn bound_access(&mut self, at: &Current<'_>, number: usize, stride: i64) -> Result {
        let access = &at.segment.accesses[number];
        let (_, extent) = access.reach()?;
        let pointer = Self::pointer(at, number as u32);
        match access.place {
            Place::Memory => {
                let [offset, limit] = at.rooms.as_ref().map_or([0; 2], |rooms| rooms[number]);
                self.a.mov(rax, qword_ptr(rsp + offset))?;
                self.a.mov(rcx, qword_ptr(rsp + limit))?;
            }
            Place::Shared(_) => {
                self.a.mov(rax, pointer)?;
                self.a.sub(rax, qword_ptr(rbx + field!(shared)))?;
                self.a.mov(rcx, qword_ptr(rbx + field!(shared_len)))?;
                self.a.sub(rcx, extent as i32)?;
            }
            Place::Local(part) => {
                self.a.mov(rax, pointer)?;
                self.a.sub(rax, qword_ptr(rbx + field!(local_rows)))?;
                self.a.sub(rax, Self::first_row(part)?)?;
                self.a.shr(rax, 5)?;
                // The pointer to a narrow word is that of the four bytes around it.
                let around = if access.bytes < 4 { 3 } else { 0 };
                self.a.mov(rcx, part.bytes.saturating_sub(extent).saturating_sub(around))?;
            }
        }
        if stride > 0 {
            self.a.sub(rcx, rax)?;
        } else {
            self.a.mov(rcx, rax)?;
        }
        self.bound(stride.unsigned_abs() as u32)
    }

    /// The iterations, strip by strip.
    fn loops(&mut self, at: &Current<'_>, of: &Iterations, places: &Places) -> Result {
        let segment = at.segment;
        let is_by_lane = matches!(of.ending, Ending::Lanes { .. });
        let is_polled = is_by_lane && segment.loads > 0;
        if is_by_lane {
            self.a.mov(rax, -1i64)?;
            self.a.mov(qword_ptr(rsp + places.first), rax)?;
            self.a.xor(eax, eax)?;
            for place in [places.done, places.active, places.left_last] {
                self.a.mov(qword_ptr(rsp + place), rax)?;
            }
        }
        let body = Body::new(segment, of);
        // Scalars that grow are kept on the stack for their splats.
        let mut scalars = at.places.clone();
        let mut growing = Vec::new();
        for (i, value) in segment.values.iter().enumerate() {
            if let (Value::Splat(_, scalar), true) = (value, of.needed[i])
                && let Change::Linear { step, is_narrow } = of.changes[*scalar as usize]
                && !growing.iter().any(|g: &(ValueId, i32, i64, bool)| g.0 == *scalar)
            {
                let place = self.take(8, 8)?;
                scalars[*scalar as usize] = Some(place);
                growing.push((*scalar, place, step, is_narrow));
            }
        }
        let used: Vec<u32> = body.accesses(of);
        let registers: BTreeMap<u32, AsmRegister64> =
            used.iter().copied().zip(POINTERS[..POINTERS.len() - 1].iter().copied()).collect();
        let stack = self.stack;
        let group = if self.in_pairs { body.strips_at_a_time(self.set) } else { 1 };
        for first in (0..self.set.strips()).step_by(group) {
            self.stack = stack;
            let lanes = Lanes { strip: first, is_all: group == self.set.strips() };
            let mut skip = self.a.create_label();
            if at.form == Form::Partial {
                self.load_lanes(rbx + field!(mask), lanes)?;
                self.a.test(eax, eax)?;
                self.a.je(skip)?;
            }
            for &access in &used {
                match registers.get(&access) {
                    Some(&register) => self.a.mov(register, Self::pointer(at, access))?,
                    None => {
                        self.a.mov(rax, Self::pointer(at, access))?;
                        self.a.mov(qword_ptr(rsp + places.pointers[access as usize]), rax)?;
                    }
                }
            }
            for &(scalar, place, ..) in &growing {
                self.load_scalar(at, scalar, rax)?;
                self.a.mov(qword_ptr(rsp + place), rax)?;
            }
            self.a.mov(r11, qword_ptr(rsp + places.last))?;
            self.a.inc(r11)?;
            if is_by_lane {
                self.load_lanes(rbx + field!(mask), lanes)?;
                self.a.mov(dword_ptr(rsp + (places.left_last + 4)), eax)?;
            }
            if is_polled {
                self.a.mov(dword_ptr(rsp + places.lanes), eax)?;
                self.a.mov(qword_ptr(rsp + places.whole), r11)?;
            }
            let mut current = Current {
                places: scalars.clone(),
                pointers: places.pointers.clone(),
                shifts: at.shifts.clone(),
                needed: of.needed.clone(),
                ..Current::new(&body.segment, at.form, at.fail)
            };
            let mut strips: Vec<(Allocation, Held)> = Vec::with_capacity(group);
            for number in first..first + group {
                let mut allocation = Allocation::new(number, body.uses.clone());
                allocation.reserved = strips.iter().fold(0, |all, other| all | other.1.bits());
                let most = (self.set.vectors().len() - LEAST_FREE) / group;
                let mut strip = Strip { e: self, at: &mut current, of: &mut allocation };
                let held = strip.begin_iterations(&body, most)?;
                strips.push((allocation, held));
            }
            // What is held is a strip's own; with the others they compute in turn.
            let all = strips.iter().fold(0, |all, strip| all | strip.1.bits());
            strips.iter_mut().for_each(|(allocation, held)| allocation.reserved = all & !held.bits());
            let mut top = self.a.create_label();
            self.a.set_label(&mut top)?;
            for (allocation, held) in &mut strips {
                let mut strip = Strip { e: self, at: &mut current, of: allocation };
                strip.iteration(&body, of, held, &registers)?;
                strip.end_iteration(&body, of, held)?;
            }
            for (access, &stride) in of.strides.iter().enumerate() {
                let access = access as u32;
                // A word of local memory is a row.
                let is_local = matches!(segment.accesses[access as usize].place, Place::Local(_));
                let stride = if is_local { stride as i32 * 32 } else { stride as i32 };
                if stride == 0 || !used.contains(&access) {
                    continue;
                }
                match registers.get(&access) {
                    Some(&register) => self.a.add(register, stride)?,
                    None => self.a.add(qword_ptr(rsp + places.pointers[access as usize]), stride)?,
                }
            }
            for &(_, place, step, is_narrow) in &growing {
                if is_narrow {
                    self.a.add(dword_ptr(rsp + place), step as i32)?;
                } else {
                    self.a.add(qword_ptr(rsp + place), step as i32)?;
                }
            }
            if is_by_lane {
                let mut out = self.a.create_label();
                let masks: Vec<Reg> = strips.iter().filter_map(|strip| strip.1.mask).collect();
                if let Some((allocation, held)) = strips.last_mut() {
                    Strip { e: self, at: &mut current, of: allocation }.collect_lanes(held, &masks)?;
                }
                self.a.dec(r11)?;
                if is_polled {
                    let mut fewer = self.a.create_label();
                    self.a.cmp(eax, dword_ptr(rsp + places.lanes))?;
                    self.a.jne(fewer)?;
                    self.a.mov(qword_ptr(rsp + places.whole), r11)?;
                    self.a.set_label(&mut fewer)?;
                }
                self.a.test(eax, eax)?;
                self.a.je(out)?;
                self.a.mov(dword_ptr(rsp + (places.left_last + 4)), eax)?;
                self.a.test(r11, r11)?;
                self.a.jne(top)?;
                self.a.set_label(&mut out)?;
                self.add_bits(places.active, self.set.lanes() * lanes.strip)?;
            } else {
                self.a.dec(r11)?;
                self.a.jne(top)?;
            }
            for (allocation, held) in &mut strips {
                Strip { e: self, at: &mut current, of: allocation }.leave_iterations(&body, held)?;
            }
            if is_by_lane {
                self.note_left(places, lanes)?;
            }
            if is_polled {
                self.note_first(places)?;
            }
            self.a.set_label(&mut skip)?;
            self.a.nop()?;
        }
        Ok(())
    }

    /// Loads the bits of lanes in a word into `eax`.
    fn load_lanes(&mut self, word: AsmMemoryOperand, lanes: Lanes) -> Result {
        let at = word + (self.set.lanes() / 8 * lanes.strip) as i32;
        match self.set {
            _ if lanes.is_all => self.a.mov(eax, dword_ptr(word))?,
            InstructionSet::Avx2 => self.a.movzx(eax, byte_ptr(at))?,
            InstructionSet::Avx512 => self.a.movzx(eax, word_ptr(at))?,
        }
        Ok(())
    }

    /// Notes how many iterations the strips did, and which lanes left in the last one, if no others did more. The iterations that it
    /// had left are in `r11`.
    fn note_left(&mut self, places: &Places, lanes: Lanes) -> Result {
        let (mut less, mut same) = (self.a.create_label(), self.a.create_label());
        self.a.mov(rax, qword_ptr(rsp + places.last))?;
        self.a.inc(rax)?;
        self.a.sub(rax, r11)?;
        self.a.cmp(rax, qword_ptr(rsp + places.done))?;
        self.a.jb(less)?;
        self.a.je(same)?;
        self.a.mov(qword_ptr(rsp + places.done), rax)?;
        self.a.mov(dword_ptr(rsp + places.left_last), 0u32)?;
        self.a.set_label(&mut same)?;
        self.a.mov(eax, dword_ptr(rsp + (places.left_last + 4)))?;
        self.add_bits(places.left_last, self.set.lanes() * lanes.strip)?;
        self.a.set_label(&mut less)?;
        self.a.nop()?;
        Ok(())
    }

    /// Notes after how many iterations lanes of the strips left first, if no others did sooner. If none of them left, it is one more
    /// than they did.
    fn note_first(&mut self, places: &Places) -> Result {
        let mut later = self.a.create_label();
        self.a.mov(rax, qword_ptr(rsp + places.last))?;
        self.a.add(rax, 2)?;
        self.a.sub(rax, qword_ptr(rsp + places.whole))?;
        self.a.cmp(rax, qword_ptr(rsp + places.first))?;
        self.a.jae(later)?;
        self.a.mov(qword_ptr(rsp + places.first), rax)?;
        self.a.set_label(&mut later)?;
        Ok(self.a.nop()?)
    }

    /// Notes the polls of the lanes that left first, if that was in these iterations.
    fn note_first_polls(&mut self, at: &Current<'_>, places: &Places) -> Result {
        let mut noted = self.a.create_label();
        self.a.mov(ecx, dword_ptr(rbx + field!(mask)))?;
        self.a.cmp(ecx, dword_ptr(rbx + field!(entered)))?;
        self.a.jne(noted)?;
        self.a.mov(ecx, dword_ptr(rbx + field!(polls)))?;
        if at.segment.loads > 0 {
            self.a.mov(rdx, qword_ptr(rsp + places.done))?;
            self.a.sub(rdx, qword_ptr(rsp + places.first))?;
            self.a.imul_3(rdx, rdx, at.segment.loads as i32)?;
            self.a.sub(ecx, edx)?;
        }
        self.a.mov(dword_ptr(rbx + field!(left_polls)), ecx)?;
        self.a.set_label(&mut noted)?;
        Ok(self.a.nop()?)
    }

    /// Sets counters and scalars, and goes on.
    fn finish(&mut self, at: &Current<'_>, of: &Iterations, places: &Places) -> Result {
        let segment = at.segment;
        match of.ending {
            Ending::Counted { .. } => {
                self.a.mov(r11, qword_ptr(rsp + places.last))?;
                self.a.inc(r11)?;
            }
            Ending::Lanes { .. } => self.a.mov(r11, qword_ptr(rsp + places.done))?,
        }
        self.a.imul_3(rax, r11, segment.points as i32)?;
        self.a.sub(qword_ptr(rbx + field!(budget)), rax)?;
        if segment.statements > 0 {
            self.a.imul_3(rax, r11, segment.statements as i32)?;
            self.a.add(qword_ptr(rbx + field!(statements)), rax)?;
        }
        if segment.loads > 0 {
            self.a.imul_3(rax, r11, segment.loads as i32)?;
            self.a.add(dword_ptr(rbx + field!(polls)), eax)?;
        }
        self.a.dec(r11)?;
        // All are computed from what they were in the first iteration.
        for out in segment.outs.iter().filter(|o| o.class == Class::Scalar) {
            self.load_scalar(at, out.value, rax)?;
            if let Change::Linear { step, is_narrow } = of.changes[out.value as usize] {
                self.a.imul_3(rcx, r11, step as i32)?;
                if is_narrow {
                    self.a.add(eax, ecx)?;
                } else {
                    self.a.add(rax, rcx)?;
                }
            }
            self.a.mov(qword_ptr(r14 + 8 * out.slot as i32), rax)?;
        }
        let preds = segment.outs.iter().filter(|o| o.class == Class::Pred);
        let head = self.target(segment.pc, at.form);
        let outside = self.target(of.exit, at.form);
        match of.ending {
            Ending::Counted { .. } => {
                let mut goes_on = self.a.create_label();
                self.a.mov(rax, qword_ptr(rsp + places.last))?;
                self.a.cmp(rax, qword_ptr(rsp + places.end))?;
                self.a.jne(goes_on)?;
                for (then, is_end) in [(outside, true), (head, false)] {
                    if !is_end {
                        self.a.set_label(&mut goes_on)?;
                    }
                    for out in preds.clone() {
                        // The branch goes to the loop's head if its predicate is that.
                        let holds = is_end == of.exits_if(segment);
                        self.a.mov(eax, if holds { -1 } else { 0 })?;
                        self.store_pred(out.slot, at.form)?;
                    }
                    self.a.jmp(then)?;
                }
            }
            Ending::Lanes { leave, .. } => {
                for out in preds {
                    self.a.mov(eax, dword_ptr(rsp + places.active))?;
                    if leave.takes {
                        self.a.not(eax)?;
                    }
                    self.store_pred(out.slot, at.form)?;
                }
                self.leave(at, leave, places, (head, outside), of.exit)?;
            }
        }
        Ok(())
    }

    /// Goes on with the lanes that have not left the loop.
    fn leave(
        &mut self,
        at: &Current<'_>,
        leave: Leave,
        places: &Places,
        (head, outside): (CodeLabel, CodeLabel),
        exit: u32,
    ) -> Result {
        let (mut none, mut together) = (self.a.create_label(), self.a.create_label());
        self.a.mov(eax, dword_ptr(rsp + places.active))?;
        self.a.test(eax, eax)?;
        self.a.je(none)?;
        self.a.cmp(eax, dword_ptr(rbx + field!(mask)))?;
        self.a.je(head)?;
        self.note_first_polls(at, places)?;
        self.a.mov(dword_ptr(rbx + field!(mask)), eax)?;
        self.a.mov(dword_ptr(rbx + field!(left_loop)), leave.number)?;
        self.expand_mask()?;
        let inside = self.target(at.segment.pc, Form::Partial);
        self.a.jmp(inside)?;
        self.a.set_label(&mut none)?;
        self.a.mov(eax, dword_ptr(rsp + places.left_last))?;
        self.a.cmp(eax, dword_ptr(rbx + field!(entered)))?;
        self.a.je(together)?;
        self.note_first_polls(at, places)?;
        self.a.mov(ecx, eax)?;
        self.rejoin(exit, at.form)?;
        self.a.mov(dword_ptr(rbx + field!(left_last)), ecx)?;
        self.a.mov(dword_ptr(rbx + field!(left_loop)), leave.number)?;
        self.a.jmp(self.left)?;
        self.a.set_label(&mut together)?;
        self.a.jmp(outside)?;
        Ok(())
    }
}

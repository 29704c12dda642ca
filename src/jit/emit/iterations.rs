//! Many iterations of a loop of one segment as one transaction.
//!
//! The code works out how many iterations can be done: until the loop ends, the budget is used up, or an access leaves its window.
//! If that is more than one, it runs a strip of lanes through all of them, then the next strip. What an iteration hands to the next
//! stays in registers. Behind the last strip the counters and scalars are set to what they are after as many iterations.
//!
//! What a loop has to be like for that is said in `crate::iterations`.

use super::strip::{Home, LONGS, POINTERS, Part, Reg, STRIPS, Src, Strip, WORD, memory, parts_of};
use super::{CompileError, Current, Emitter, Form, Result, field};
use crate::iterations::{Carried, Change, Ending, Iterations, step_of};
use crate::segment::{Class, Leave, Place, Segment, Value, ValueId};
use crate::state::{PatternHead, State};
use iced_x86::Code;
use iced_x86::code_asm::{
    AsmRegister64, CodeLabel, byte_ptr, dword_ptr, eax, ecx, edx, qword_ptr, r8, r11, r14, rax, rbx, rcx, rsp,
};
use ir::Ty;
use ir::op::{BinOp, TriOp, UnOp};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// Iterations of one transaction at most, so that sums of addresses stay small.
const MOST: u32 = 1 << 20;

/// Registers that are the same at the beginning of each iteration, at most.
const MOST_HELD: usize = 11;

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
    /// Where the address of each access is, of those that are not in registers.
    pointers: Vec<i32>,
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
            let head = (index.pattern * self.routine.pattern_stride) as i32;
            self.a.mov(rcx, qword_ptr(rbx + field!(patterns)))?;
            self.a.mov(rax, qword_ptr(rcx + (head + offset_of!(PatternHead, first) as i32)))?;
            self.add_terms(at, rax, &index.terms)?;
            self.add_constant(index.base)?;
            self.bound_narrow(ends, step)?;
        }
        self.a.test(r8, r8)?;
        self.a.je(one)?;
        self.a.mov(qword_ptr(rsp + last), r8)?;
        Ok(Places { last, end, done, active, left_last, pointers })
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
            Place::Local => {
                self.a.mov(rax, pointer)?;
                self.a.sub(rax, qword_ptr(rbx + field!(local_rows)))?;
                self.a.shr(rax, 5)?;
                self.a.mov(rcx, qword_ptr(rbx + field!(local_len)))?;
                self.a.sub(rcx, extent as i32)?;
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
        if is_by_lane {
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
        for strip in 0..STRIPS {
            self.stack = stack;
            let mut skip = self.a.create_label();
            if at.form == Form::Partial {
                self.a.cmp(byte_ptr(rbx + (field!(mask) + strip as i32)), 0)?;
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
                self.a.movzx(eax, byte_ptr(rbx + (field!(mask) + strip as i32)))?;
                self.a.mov(byte_ptr(rsp + (places.left_last + 4)), iced_x86::code_asm::al)?;
            }
            let mut current = Current {
                segment: &body.segment,
                form: at.form,
                fail: at.fail,
                places: scalars.clone(),
                pointers: places.pointers.clone(),
                addresses: Vec::new(),
                waiting: BTreeMap::new(),
                needed: of.needed.clone(),
                rooms: None,
            };
            let mut strip = Strip::new(self, &mut current, strip, body.uses.clone());
            let held = strip.begin_iterations(&body)?;
            let mut top = strip.e.a.create_label();
            strip.e.a.set_label(&mut top)?;
            strip.iteration(&body, of, &held, &registers)?;
            strip.end_iteration(&body, of, &held)?;
            for (access, &stride) in of.strides.iter().enumerate() {
                let access = access as u32;
                // A word of local memory is a row.
                let is_local = segment.accesses[access as usize].place == Place::Local;
                let stride = if is_local { stride as i32 * 32 } else { stride as i32 };
                if stride == 0 || !used.contains(&access) {
                    continue;
                }
                match registers.get(&access) {
                    Some(&register) => strip.e.a.add(register, stride)?,
                    None => strip.e.a.add(qword_ptr(rsp + places.pointers[access as usize]), stride)?,
                }
            }
            for &(_, place, step, is_narrow) in &growing {
                if is_narrow {
                    strip.e.a.add(dword_ptr(rsp + place), step as i32)?;
                } else {
                    strip.e.a.add(qword_ptr(rsp + place), step as i32)?;
                }
            }
            match held.mask {
                None => {
                    strip.e.a.dec(r11)?;
                    strip.e.a.jne(top)?;
                    strip.leave_iterations(&body, &held)?;
                }
                Some(mask) => {
                    let mut out = strip.e.a.create_label();
                    strip.lane_bits(mask)?;
                    strip.e.a.dec(r11)?;
                    strip.e.a.test(eax, eax)?;
                    strip.e.a.je(out)?;
                    strip.e.a.mov(byte_ptr(rsp + (places.left_last + 4)), iced_x86::code_asm::al)?;
                    strip.e.a.test(r11, r11)?;
                    strip.e.a.jne(top)?;
                    strip.e.a.set_label(&mut out)?;
                    let number = strip.number as i32;
                    strip.e.a.mov(byte_ptr(rsp + (places.active + number)), iced_x86::code_asm::al)?;
                    strip.leave_iterations(&body, &held)?;
                    self.note_left(places, number)?;
                }
            }
            self.a.set_label(&mut skip)?;
            self.a.nop()?;
        }
        Ok(())
    }

    /// Notes how many iterations the strip did, and which lanes left in the last one, if no strip did more. The iterations that it
    /// had left are in `r11`.
    fn note_left(&mut self, places: &Places, strip: i32) -> Result {
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
        self.a.mov(iced_x86::code_asm::al, byte_ptr(rsp + (places.left_last + 4)))?;
        self.a.mov(byte_ptr(rsp + (places.left_last + strip)), iced_x86::code_asm::al)?;
        self.a.set_label(&mut less)?;
        self.a.nop()?;
        Ok(())
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
                self.leave(at, leave, places, head, outside)?;
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
        head: CodeLabel,
        outside: CodeLabel,
    ) -> Result {
        let (mut none, mut together) = (self.a.create_label(), self.a.create_label());
        self.a.mov(eax, dword_ptr(rsp + places.active))?;
        self.a.test(eax, eax)?;
        self.a.je(none)?;
        self.a.cmp(eax, dword_ptr(rbx + field!(mask)))?;
        self.a.je(head)?;
        self.a.mov(dword_ptr(rbx + field!(mask)), eax)?;
        self.a.mov(dword_ptr(rbx + field!(left_loop)), leave.number)?;
        self.a.call(self.expand_mask)?;
        let inside = self.target(at.segment.pc, Form::Partial);
        self.a.jmp(inside)?;
        self.a.set_label(&mut none)?;
        self.a.mov(eax, dword_ptr(rsp + places.left_last))?;
        self.a.cmp(eax, dword_ptr(rbx + field!(entered)))?;
        self.a.je(together)?;
        self.a.mov(dword_ptr(rbx + field!(left_last)), eax)?;
        self.a.mov(dword_ptr(rbx + field!(left_loop)), leave.number)?;
        self.a.jmp(self.left)?;
        self.a.set_label(&mut together)?;
        self.a.jmp(outside)?;
        Ok(())
    }
}

/// An iteration: the segment with values for what it hands on.
struct Body {
    segment: Segment,
    /// How many values the segment has of its own.
    own: usize,
    /// Where each value is used.
    uses: Vec<Vec<usize>>,
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
struct Held {
    /// Register, value and part before an iteration, and value behind one.
    registers: Vec<(Reg, ValueId, usize, ValueId)>,
    /// The register with the mask of the lanes that run.
    mask: Option<Reg>,
}

impl Body {
    fn new(segment: &Segment, of: &Iterations) -> Body {
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
        // All that is held lives to the end of the iteration.
        for v in rows.iter().flat_map(|r| [r.0.after, r.1, r.2]).chain(masks.into_iter().flatten()) {
            uses[v as usize].push(own);
        }
        if let Ending::Lanes { condition, .. } = of.ending {
            uses[condition as usize].push(own);
        }
        Body { segment: body, own, uses, masks, rows, invariants, stays_raw }
    }

    /// The accesses that an iteration loads from.
    fn accesses(&self, of: &Iterations) -> Vec<u32> {
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
    fn exits_if(&self, segment: &Segment) -> bool {
        matches!(segment.end, crate::segment::End::Branch { then_pc, .. } if then_pc == self.exit)
    }
}

impl Strip<'_, '_, '_, '_> {
    /// Loads what iterations begin with into registers.
    fn begin_iterations(&mut self, body: &Body) -> Result<Held> {
        self.now = 0;
        let mut held = Held { registers: Vec::new(), mask: None };
        if let Some([before, after]) = body.masks {
            self.pinned = 0;
            let d = self.alloc()?;
            match self.at.form {
                Form::Full => self.emit3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, d, d, Src::Reg(d))?,
                Form::Partial => {
                    let row = self.mask_row(WORD);
                    self.load_row(d, row)?;
                }
            }
            self.set(before, WORD, d);
            held.registers.push((d, before, WORD, after));
            held.mask = Some(d);
        }
        for (i, &(carried, before, after)) in body.rows.iter().enumerate() {
            for &part in parts_of(carried.class) {
                self.pinned = 0;
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
            if held.registers.len() + parts.len() > MOST_HELD {
                continue;
            }
            self.pinned = 0;
            self.value(id, &value, &[])?;
            self.uses[id as usize].push(body.own);
            for &part in parts {
                self.pinned = 0;
                let d = self.reg(id, part)?;
                held.registers.push((d, id, part, id));
            }
        }
        Ok(held)
    }

    /// Computes the values of an iteration.
    fn iteration(
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
            self.now = i;
            self.pinned = 0;
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
        self.now = body.own.saturating_sub(1);
        Ok(())
    }

    /// A word of memory in all lanes.
    fn splat_load(&mut self, id: ValueId, class: Class, access: u32, held: Option<AsmRegister64>) -> Result {
        let base = match held {
            Some(register) => register,
            None => {
                let pointer = Emitter::pointer(self.at, access);
                self.e.a.mov(rax, pointer)?;
                rax
            }
        };
        let from = memory(base, 0);
        for &part in parts_of(class) {
            let home = if class == Class::Long { Home::Long(from) } else { Home::Word(from) };
            self.parts[id as usize][part].home = Some(home);
            if held.is_none() {
                self.pinned = 0;
                self.reg(id, part)?;
                self.parts[id as usize][part].home = None;
            }
        }
        Ok(())
    }

    /// Puts what the next iteration begins with where it looks for it.
    fn end_iteration(&mut self, body: &Body, of: &Iterations, held: &Held) -> Result {
        for (i, &(carried, before, after)) in body.rows.iter().enumerate() {
            if !body.stays_raw[i] {
                self.pinned = 0;
                self.canonical(carried.after)?;
            }
            let Some([mask, _]) = body.masks else { continue };
            for &part in parts_of(carried.class) {
                self.pinned = 0;
                let mask = if part == WORD { self.reg(mask, WORD)? } else { self.pred_longs(mask)?[part - LONGS[0]] };
                let old = self.reg(before, part)?;
                let new = self.reg(carried.after, part)?;
                let is_moved = body.rows.iter().any(|r| r.0.after == before);
                let d = if is_moved { self.alloc()? } else { old };
                let code = if part == WORD {
                    Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm
                } else {
                    Code::VEX_Vblendvpd_ymm_ymm_ymmm256_ymm
                };
                self.emit4(code, d, old, Src::Reg(new), mask)?;
                if !is_moved {
                    self.parts[before as usize][part] = Part::default();
                }
                self.set(after, part, d);
            }
        }
        if let (Some([before, after]), Ending::Lanes { condition, leave }) = (body.masks, of.ending) {
            self.pinned = 0;
            let stays = self.pred_words(condition)?;
            let mask = self.reg(before, WORD)?;
            let d = self.alloc()?;
            if leave.takes {
                self.emit3(Code::VEX_Vpandn_ymm_ymm_ymmm256, d, stays, Src::Reg(mask))?;
            } else {
                self.emit3(Code::VEX_Vpand_ymm_ymm_ymmm256, d, stays, Src::Reg(mask))?;
            }
            self.set(after, WORD, d);
        }
        self.move_to(held)
    }

    /// Moves values into the registers where an iteration expects them.
    fn move_to(&mut self, held: &Held) -> Result {
        let mut moves = Vec::new();
        let mut loads = Vec::new();
        for &(to, _, part, id) in &held.registers {
            match self.parts[id as usize][part].reg {
                Some(from) if from == to => {}
                Some(from) => moves.push((to, from)),
                None => loads.push((to, id, part)),
            }
        }
        while !moves.is_empty() {
            let is_free = |&(to, _): &(Reg, Reg)| !moves.iter().any(|m| m.1 == to);
            if let Some(i) = moves.iter().position(is_free) {
                let (to, from) = moves.remove(i);
                self.emit2(Code::VEX_Vmovaps_ymm_ymmm256, to, Src::Reg(from))?;
                continue;
            }
            // A circle: one of its registers is put aside.
            let from = moves[0].1;
            let is_spare =
                |r: &Reg| !moves.iter().any(|m| m.0 == *r || m.1 == *r) && !held.registers.iter().any(|h| h.0 == *r);
            let spare = (0..16).find(is_spare).ok_or(CompileError::TooLarge)?;
            self.emit2(Code::VEX_Vmovaps_ymm_ymmm256, spare, Src::Reg(from))?;
            moves.iter_mut().filter(|m| m.1 == from).for_each(|m| m.1 = spare);
        }
        for (to, id, part) in loads {
            self.load_part(to, id, part)?;
        }
        Ok(())
    }

    /// Writes the rows that the last iteration leaves to the frame.
    fn leave_iterations(&mut self, body: &Body, held: &Held) -> Result {
        self.hold(held.registers.iter().map(|&(reg, id, part, _)| (reg, id, part)));
        self.now = body.own.saturating_sub(1);
        for (i, &(carried, before, _)) in body.rows.iter().enumerate() {
            self.mark_raw(before, body.stays_raw[i]);
            self.pinned = 0;
            self.write(before, carried.slot, carried.class)?;
        }
        Ok(())
    }

    /// The bits of the lanes of a mask in `eax`.
    fn lane_bits(&mut self, mask: Reg) -> Result {
        let instruction = iced_x86::Instruction::with2(
            Code::VEX_Vmovmskps_r32_ymm,
            iced_x86::Register::EAX,
            super::strip::ymm(mask),
        )?;
        Ok(self.e.a.add_instruction(instruction)?)
    }
}

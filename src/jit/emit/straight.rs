//! Straight-line kernels: one warp after another of a line of warps, behind one check of all of them.
//!
//! Not here: what such a kernel is (`straight`).

use super::{CompileError, Current, Emitter, Form, Result, field};
use crate::segment::{Class, End, Value, ValueId};
use crate::state::State;
use crate::straight::{Difference, Guard, Step, StraightLine};
use iced_x86::code_asm::{CodeLabel, dword_ptr, eax, ecx, edx, esi, qword_ptr, rax, rbx, rcx, rdi, rdx, rsi, rsp};
use std::mem::offset_of;

/// What checks of accesses know of the warps of a line.
#[derive(Clone, Copy)]
pub(super) struct Line<'s> {
    straight: &'s StraightLine,
    /// Where it is kept how many warps follow the first.
    count: i32,
}

impl Emitter<'_> {
    /// Has warps of which all lanes run begin with straight-line code.
    pub(super) fn begin_straight(&mut self, straight: &StraightLine) -> Result {
        let mut begin = self.a.create_label();
        self.a.set_label(&mut begin)?;
        self.begin = Some(begin);
        let fail = self.target(0, Form::Full);
        self.straight(straight, fail)
    }

    /// Does a warp and those behind it in its line; goes to `fail` if nothing was done.
    fn straight(&mut self, straight: &StraightLine, fail: CodeLabel) -> Result {
        let segment = &straight.segment;
        self.stack = 8;
        let mut at = Current::new(segment, Form::Full, fail);
        let mut needed = Vec::new();
        straight.each_needed(&at.needed, |value| needed.push(value));
        needed.into_iter().for_each(|value| at.need(value));
        let count = self.take(8, 8)?;
        let line = Line { straight, count };
        at.line = Some(line);
        self.a.mov(eax, dword_ptr(rbx + field!(turns)))?;
        self.a.mov(qword_ptr(rsp + count), rax)?;
        self.a.add(rax, 1)?;
        self.a.imul_3(rax, rax, segment.points as i32)?;
        self.a.cmp(qword_ptr(rbx + field!(budget)), rax)?;
        self.a.jb(fail)?;
        self.scalars(&mut at)?;
        for guard in &straight.guards {
            self.guard(&at, line, guard)?;
        }
        let uses_row = segment.values.iter().zip(&at.needed).any(|(value, is_needed)| {
            *is_needed && matches!(*value, Value::Thread(dimension) if dimension as usize == straight.row)
        });
        let (mut next, mut done) = (self.a.create_label(), self.a.create_label());
        self.a.set_label(&mut next)?;
        at.in_rax = None;
        self.strips(&mut at)?;
        self.stores(&at)?;
        self.a.sub(qword_ptr(rsp + count), 1)?;
        self.a.jb(done)?;
        for (id, step) in straight.access_steps.iter().enumerate() {
            if let Some(step) = step.address {
                self.load_scalar(&at, step, rax)?;
                self.a.add(qword_ptr(rsp + at.pointers[id]), rax)?;
            }
        }
        for (place, value, step) in moving(&at, straight) {
            self.load_scalar(&at, step, rax)?;
            if is_narrow(&segment.values, value) {
                self.a.add(dword_ptr(rsp + place), eax)?;
            } else {
                self.a.add(qword_ptr(rsp + place), rax)?;
            }
        }
        if uses_row {
            self.a.mov(edx, dword_ptr(rbx + field!(turn_step)))?;
            self.move_row()?;
        }
        self.a.jmp(next)?;
        self.a.set_label(&mut done)?;
        self.end_line(straight, uses_row)?;
        let End::Go(pc) = segment.end else {
            return Err(CompileError::Encoding("straight-line code that branches".to_owned()));
        };
        let target = self.target(pc, Form::Full);
        Ok(self.a.jmp(target)?)
    }

    /// Checks a condition.
    fn guard(&mut self, at: &Current<'_>, line: Line<'_>, guard: &Guard) -> Result {
        match *guard {
            Guard::Is(value, wanted) => {
                self.load_scalar(at, value, rax)?;
                self.a.test(eax, eax)?;
                if wanted { self.a.je(at.fail)? } else { self.a.jne(at.fail)? }
            }
            Guard::IsStep(value, bytes) => {
                self.load_scalar(at, value, rax)?;
                self.a.movsxd(rcx, eax)?;
                self.a.cmp(rax, rcx)?;
                self.a.jne(at.fail)?;
                self.a.test(eax, bytes as i32 - 1)?;
                self.a.jne(at.fail)?;
            }
            Guard::Fits { value, step, least, most } => {
                self.load_scalar(at, value, rax)?;
                self.a.movsxd(rax, eax)?;
                self.fits(at, line, step, (least, most))?;
            }
            Guard::AtLeast(of, floor) => {
                self.difference(at, line, of)?;
                self.a.add(rcx, of.least)?;
                self.a.cmp(rcx, floor)?;
                self.a.jl(at.fail)?;
            }
            Guard::Differ(of) => {
                let mut differ = self.a.create_label();
                self.difference(at, line, of)?;
                self.a.add(rcx, of.least)?;
                self.a.cmp(rcx, 0)?;
                self.a.jg(differ)?;
                self.a.add(rsi, of.most)?;
                self.a.cmp(rsi, 0)?;
                self.a.jge(at.fail)?;
                self.a.set_label(&mut differ)?;
                self.a.nop()?;
            }
        }
        Ok(())
    }

    /// Puts the least difference of lane 0 in all warps into `rcx` and the greatest into `rsi`.
    fn difference(&mut self, at: &Current<'_>, line: Line<'_>, of: Difference) -> Result {
        self.load_scalar(at, of.left, rax)?;
        self.load_scalar(at, of.right, rcx)?;
        self.a.movsxd(rax, eax)?;
        self.a.movsxd(rcx, ecx)?;
        self.a.sub(rax, rcx)?;
        self.extremes(at, line, of.step)
    }

    /// Puts the least of what is in `rax` for the first warp and of what it is for the last into `rcx`, and the greater into `rsi`.
    fn extremes(&mut self, at: &Current<'_>, line: Line<'_>, step: Step) -> Result {
        self.a.mov(rcx, rax)?;
        self.a.mov(rsi, rax)?;
        let Some(step) = step else { return Ok(()) };
        self.rise_to_last(at, line, step)?;
        self.a.add(rdi, rax)?;
        self.a.cmp(rdi, rax)?;
        self.a.cmovl(rcx, rdi)?;
        Ok(self.a.cmovg(rsi, rdi)?)
    }

    /// Checks that what is in `rax` for the first warp has 32 bits in all warps with all that is added to it.
    fn fits(&mut self, at: &Current<'_>, line: Line<'_>, step: Step, (least, most): (i32, i32)) -> Result {
        self.extremes(at, line, step)?;
        self.a.add(rcx, least)?;
        self.a.add(rsi, most)?;
        self.a.movsxd(rdx, ecx)?;
        self.a.cmp(rcx, rdx)?;
        self.a.jne(at.fail)?;
        self.a.movsxd(rdx, esi)?;
        self.a.cmp(rsi, rdx)?;
        Ok(self.a.jne(at.fail)?)
    }

    /// The sum in `rax`, which is the index of an access, has 32 bits in all lanes and warps; `rcx`, `rdx`, `rsi` and `rdi` are lost.
    pub(super) fn check_narrow_in_line(&mut self, at: &Current<'_>, id: u32, range: (i32, i32)) -> Result {
        let Some(line) = at.line else { return Ok(()) };
        self.fits(at, line, line.straight.access_steps[id as usize].index, range)
    }

    /// Checks that the accesses of all warps lie in the window of the first, which is `rcx` bytes behind its beginning and may be `rsi`;
    /// `rdi` is lost.
    pub(super) fn check_room_in_line(&mut self, at: &Current<'_>, id: u32) -> Result {
        let Some(line) = at.line else { return Ok(()) };
        let Some(step) = line.straight.access_steps[id as usize].address else { return Ok(()) };
        self.rise_to_last(at, line, step)?;
        self.a.add(rdi, rcx)?;
        // Before the beginning it would be a large number.
        self.a.cmp(rdi, rsi)?;
        Ok(self.a.ja(at.fail)?)
    }

    /// Puts into `rdi` by how much what has that step is more for the last warp than for the first.
    fn rise_to_last(&mut self, at: &Current<'_>, line: Line<'_>, step: ValueId) -> Result {
        match at.segment.values[step as usize] {
            Value::Constant(word) if i32::try_from(word as i64).is_ok() => {
                self.a.imul_3(rdi, qword_ptr(rsp + line.count), word as i32)?;
            }
            _ => {
                self.load_scalar(at, step, rdi)?;
                self.a.imul_2(rdi, qword_ptr(rsp + line.count))?;
            }
        }
        Ok(())
    }

    /// All warps of the line have ended: the state is that of the last.
    fn end_line(&mut self, straight: &StraightLine, has_moved: bool) -> Result {
        let segment = &straight.segment;
        let mut alone = self.a.create_label();
        self.a.mov(eax, dword_ptr(rbx + field!(turns)))?;
        // Points of the warps before the last.
        self.a.imul_3(rcx, rax, segment.points as i32)?;
        self.a.mov(rdx, qword_ptr(rbx + field!(budget)))?;
        self.a.sub(rdx, rcx)?;
        self.a.mov(dword_ptr(rbx + field!(turns)), 0u32)?;
        self.a.lea(rsi, qword_ptr(rax + 1))?;
        self.a.lea(rcx, qword_ptr(rdx - segment.points as i32))?;
        self.a.mov(qword_ptr(rbx + field!(budget)), rcx)?;
        if segment.statements > 0 {
            self.a.imul_3(rcx, rsi, segment.statements as i32)?;
            self.a.add(qword_ptr(rbx + field!(statements)), rcx)?;
        }
        self.a.imul_3(rcx, rsi, segment.stores.len() as i32)?;
        self.a.add(qword_ptr(rbx + field!(writes)), rcx)?;
        self.a.mov(dword_ptr(rbx + field!(polls)), 0u32)?;
        self.a.test(eax, eax)?;
        self.a.je(alone)?;
        self.a.mov(qword_ptr(rbx + field!(begun)), rdx)?;
        if !has_moved {
            self.a.mov(edx, dword_ptr(rbx + field!(turn_step)))?;
            self.a.imul_2(edx, eax)?;
            self.move_row()?;
        }
        self.a.set_label(&mut alone)?;
        Ok(self.a.nop()?)
    }
}

/// The scalars that rows have and that change from warp to warp: place, value and step.
fn moving(at: &Current<'_>, straight: &StraightLine) -> Vec<(i32, ValueId, ValueId)> {
    let mut out: Vec<(i32, ValueId, ValueId)> = Vec::new();
    for (value, is_needed) in at.segment.values.iter().zip(&at.needed) {
        let &Value::Splat(_, scalar) = value else { continue };
        if let (true, Some(step), Some(place)) =
            (*is_needed, straight.value_steps[scalar as usize], at.places[scalar as usize])
            && !out.iter().any(|o| o.1 == scalar)
        {
            out.push((place, scalar, step));
        }
    }
    out
}

/// Whether a scalar has 32 bits: then those above them are zero.
fn is_narrow(values: &[Value], value: ValueId) -> bool {
    match values[value as usize] {
        Value::FirstThread(_) => true,
        Value::FirstRow(class, _) => class == Class::Word,
        Value::ScalarUn(_, ty, _) | Value::ScalarBin(_, ty, ..) | Value::ScalarTri(_, ty, ..) => ty.bytes() < 8,
        Value::ScalarCvt(_, _, to, _) => to.bytes() < 8,
        _ => false,
    }
}

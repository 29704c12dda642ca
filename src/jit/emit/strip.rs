//! A strip of lanes in vector registers, eight of them with AVX2, 16 with AVX-512: which value is in which register, and what is
//! written back.
//!
//! A value of 32 bits takes one register, one of 64 bits two, of half the lanes each. A predicate is a mask of words of 32 bits, of
//! 64 bits, or both, as its users want it. All strips are emitted the same way. When registers run out, the value whose next use is
//! farthest away goes to the stack, or is forgotten if it can be loaded again (Belady's rule).
//!
//! A real(4) result that is a NaN is made canonical where its bits can be seen and not before: comparisons and arithmetic do not
//! see them (`scalar::real`).

use super::vector::{REGISTERS, Reg, Src};
use super::{CompileError, Current, Emitter, Form, Result, field, long_bits, word_bits};
use crate::segment::{Class, Condition, End, Value, ValueId};
use crate::state::State;
use iced_x86::code_asm::AsmRegister64;
use iced_x86::code_asm::{
    dword_ptr, eax, qword_ptr, r8, r9, r10, r11, r12, r13, r15, rax, rbx, rcx, rdi, rdx, rsi, rsp,
};
use iced_x86::{Code, MemoryOperand};
use std::collections::btree_map::Entry;
use std::mem::offset_of;
use std::ops::Range;

/// Where a part of a value can be loaded from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// The bytes of a register.
    Row(MemoryOperand),
    /// A word of 32 bits for all lanes.
    Word(MemoryOperand),
    /// A word of 64 bits for all lanes.
    Long(MemoryOperand),
    /// Words of one or two bytes: those of the lanes side by side, or one for all lanes.
    Narrow { from: MemoryOperand, bytes: u32, is_run: bool },
}

/// A part of a value.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Part {
    pub(super) reg: Option<Reg>,
    pub(super) home: Option<Home>,
    spill: Option<i32>,
}

/// The part of a value that has words of 32 bits.
pub(super) const WORD: usize = 0;
/// The parts of a value that have words of 64 bits.
pub(super) const LONGS: [usize; 2] = [1, 2];

/// General registers that hold the host addresses of accesses.
pub(super) const POINTERS: [AsmRegister64; 8] = [rcx, rdx, rsi, rdi, r8, r9, r10, r11];

/// The memory that many bytes behind where a register points to.
pub(super) fn memory(base: AsmRegister64, displacement: i32) -> MemoryOperand {
    MemoryOperand::with_base_displ(base.into(), i64::from(displacement))
}

/// Which values of a strip are where.
pub(super) struct Allocation {
    /// The strip's number.
    pub(super) number: usize,
    /// The positions at which each value is used, the last first.
    pub(super) uses: Vec<Vec<usize>>,
    pub(super) parts: Vec<[Part; 3]>,
    /// Which part is in each register.
    held: [Option<(ValueId, usize)>; REGISTERS],
    /// Registers that the current operation uses, one bit each.
    pub(super) pinned: u64,
    /// Values that may be a NaN that is not canonical.
    raw: Vec<bool>,
    /// The position of the current operation.
    pub(super) now: usize,
    /// Free places of spilled parts.
    spare: Vec<i32>,
    /// Registers that belong to another strip, one bit each.
    pub(super) reserved: u64,
}

impl Allocation {
    /// Of a strip with nothing in registers, which are all its own.
    pub(super) fn new(number: usize, uses: Vec<Vec<usize>>) -> Allocation {
        let count = uses.len();
        Allocation {
            number,
            uses,
            parts: vec![[Part::default(); 3]; count],
            held: [None; REGISTERS],
            pinned: 0,
            raw: vec![false; count],
            now: 0,
            spare: Vec::new(),
            reserved: 0,
        }
    }
}

/// A strip while instructions are emitted for it.
pub(super) struct Strip<'e, 'a, 'c, 's> {
    pub(super) e: &'e mut Emitter<'a>,
    pub(super) at: &'c mut Current<'s>,
    pub(super) of: &'c mut Allocation,
}

impl Emitter<'_> {
    /// Computes the rows of the segment, writes registers back, and leaves what is to be stored on the stack.
    pub(super) fn strips(&mut self, at: &mut Current<'_>) -> Result {
        let segment = at.segment;
        // Places of predicates whose bits are needed, and of rows to be stored.
        let wants_bits = |v: ValueId| {
            let is_branch = matches!(segment.end, End::Branch { condition: Condition::Pred(c), .. } if c == v);
            is_branch || segment.outs.iter().any(|o| o.class == Class::Pred && o.value == v)
        };
        for (i, value) in segment.values.iter().enumerate() {
            if value.class() == Class::Pred && wants_bits(i as ValueId) {
                let place = self.take(4, 4)?;
                at.places[i] = Some(place);
                match *value {
                    Value::Pred(slot) => self.a.mov(eax, dword_ptr(r15 + 4 * slot as i32))?,
                    Value::Splat(_, scalar) => {
                        self.load_scalar(at, scalar, rax)?;
                        self.a.neg(eax)?;
                    }
                    _ => continue,
                }
                self.a.mov(dword_ptr(rsp + place), eax)?;
            }
        }
        for store in &segment.stores {
            if let Entry::Vacant(place) = at.waiting.entry(store.value) {
                let bytes = if segment.values[store.value as usize].class() == Class::Long { 256 } else { 128 };
                place.insert(self.take(bytes, 64)?);
            }
        }
        let mut uses = vec![Vec::new(); segment.values.len()];
        let last = segment.values.len();
        for out in &segment.outs {
            uses[out.value as usize].push(last);
        }
        let mut has_rows = !segment.stores.is_empty();
        for (i, value) in segment.values.iter().enumerate().rev() {
            if at.needed[i] && value.class() != Class::Scalar {
                has_rows |= !matches!(value, Value::Pred(_) | Value::Splat(Class::Pred, _));
                value.each_operand(|v| uses[v as usize].push(i));
            }
        }
        if has_rows {
            self.rows(at, &uses)?;
        }
        // Predicates go to their slots as a whole.
        for out in segment.outs.iter().filter(|o| o.class == Class::Pred) {
            self.load_pred(at, out.value)?;
            self.store_pred(out.slot, at.form)?;
        }
        Ok(())
    }

    /// Computes strip after strip.
    fn rows(&mut self, at: &mut Current<'_>, uses: &[Vec<usize>]) -> Result {
        let segment = at.segment;
        let loads: Vec<u32> = segment
            .values
            .iter()
            .enumerate()
            .filter(|(i, _)| at.needed[*i])
            .filter_map(|(_, v)| if let Value::Load(_, access) = v { Some(*access) } else { None })
            .collect();
        let mut pointers = vec![None; segment.accesses.len()];
        for (access, register) in loads.iter().zip(POINTERS) {
            self.a.mov(register, Self::pointer(at, *access))?;
            pointers[*access as usize] = Some(register);
        }
        let stack = self.stack;
        for strip in 0..self.set.strips() {
            self.stack = stack;
            let mut of = Allocation::new(strip, uses.to_vec());
            Strip { e: self, at, of: &mut of }.run(&pointers)?;
        }
        Ok(())
    }
}

impl Emitter<'_> {
    /// Adds bits in `eax` to a word on the stack, `shift` places further up; the lowest come first and clear the others. All of it is
    /// written: a processor that finds the parts of a word in several stores waits until they are done.
    pub(super) fn add_bits(&mut self, place: i32, shift: usize) -> Result {
        if shift > 0 {
            self.a.shl(eax, shift as u32)?;
            self.a.or(eax, dword_ptr(rsp + place))?;
        }
        Ok(self.a.mov(dword_ptr(rsp + place), eax)?)
    }
}

impl Strip<'_, '_, '_, '_> {
    /// Forgets what is in registers, but for these parts of values.
    pub(super) fn hold(&mut self, parts: impl Iterator<Item = (Reg, ValueId, usize)>) {
        self.of.held = [None; REGISTERS];
        self.of.parts.fill([Part::default(); 3]);
        for (reg, id, part) in parts {
            self.set(id, part, reg);
        }
    }

    fn run(&mut self, pointers: &[Option<AsmRegister64>]) -> Result {
        let segment = self.at.segment;
        for (i, value) in segment.values.iter().enumerate() {
            if !self.at.needed[i] || value.class() == Class::Scalar {
                continue;
            }
            self.of.now = i;
            self.of.pinned = 0;
            self.value(i as ValueId, value, pointers)?;
            self.defined(i as ValueId)?;
            value.each_operand(|v| self.release(v));
            self.release(i as ValueId);
        }
        // What could not be written before, because the old value was still to be read.
        self.of.now = segment.values.len();
        let is_late = |of: &Self, out: &crate::Out| {
            matches!(out.class, Class::Word | Class::Long) && !of.is_early(out.value, out.slot, out.class)
        };
        // A row that moves to another slot is read before its own is written.
        for out in &segment.outs {
            let own = match segment.values[out.value as usize] {
                Value::Word(slot) => (Class::Word, slot),
                Value::Long(slot) => (Class::Long, slot),
                _ => continue,
            };
            if segment.outs.iter().any(|o| (o.class, o.slot) == own && o.value != out.value) {
                for &part in parts_of(own.0) {
                    self.of.pinned = 0;
                    self.reg(out.value, part)?;
                    self.of.parts[out.value as usize][part].home = None;
                }
            }
        }
        for out in &segment.outs {
            if is_late(self, out) {
                self.of.pinned = 0;
                self.write(out.value, out.slot, out.class)?;
            }
        }
        Ok(())
    }

    /// Whether a result is written where it is computed: the old value of the register is not read behind it.
    fn is_early(&self, value: ValueId, slot: u32, class: Class) -> bool {
        let old = match class {
            Class::Word => Value::Word(slot),
            _ => Value::Long(slot),
        };
        let segment = self.at.segment;
        if matches!(segment.values[value as usize], Value::Word(_) | Value::Long(_)) {
            return false;
        }
        let reads = segment.values.iter().enumerate().filter(|(i, v)| self.at.needed[*i] && **v == old);
        let mut is_free = true;
        for (i, _) in reads {
            let is_used_behind = segment.values.iter().enumerate().any(|(j, v)| {
                let mut uses = false;
                v.each_operand(|o| uses |= o as usize == i);
                uses && j > value as usize && self.at.needed[j]
            });
            is_free &= !is_used_behind
                && !segment.outs.iter().any(|o| o.value as usize == i)
                && !segment.stores.iter().any(|s| s.value as usize == i);
        }
        is_free
    }

    /// A value is there: writes it to where it is wanted.
    fn defined(&mut self, id: ValueId) -> Result {
        let segment = self.at.segment;
        let class = segment.values[id as usize].class();
        if class == Class::Pred {
            if let (Some(place), false) =
                (self.at.places[id as usize], matches!(segment.values[id as usize], Value::Pred(_) | Value::Splat(..)))
            {
                self.of.pinned = 0;
                self.bits(id, place)?;
            }
            return Ok(());
        }
        if let Some(&place) = self.at.waiting.get(&id) {
            self.canonical(id)?;
            for (k, part) in parts_of(class).iter().enumerate() {
                self.of.pinned = 0;
                let reg = self.reg(id, *part)?;
                let at = place + ((self.of.number * parts_of(class).len() + k) * self.e.set.bytes()) as i32;
                self.store_row(memory(rsp, at), reg)?;
            }
        }
        for out in &segment.outs {
            if out.value == id && out.class == class && self.is_early(id, out.slot, class) {
                self.of.pinned = 0;
                self.write(id, out.slot, class)?;
            }
        }
        Ok(())
    }

    /// Writes a value to a register of the frame.
    pub(super) fn write(&mut self, id: ValueId, slot: u32, class: Class) -> Result {
        self.canonical(id)?;
        for part in parts_of(class) {
            self.of.pinned = 0;
            let reg = self.reg(id, *part)?;
            let home = self.row(slot, *part);
            match self.at.form {
                Form::Full => self.store_row(home, reg)?,
                Form::Partial => self.store_running(home, reg, *part)?,
            }
            self.of.parts[id as usize][*part].home = Some(Home::Row(home));
        }
        Ok(())
    }

    /// The word of a scalar that is a constant.
    pub(super) fn constant(&self, scalar: ValueId) -> Option<u64> {
        match self.at.segment.values[scalar as usize] {
            Value::Constant(word) => Some(word),
            _ => None,
        }
    }

    /// Where the strip's part of a register of the frame is.
    pub(super) fn row(&self, slot: u32, part: usize) -> MemoryOperand {
        let (number, bytes) = (self.of.number as i32, self.e.set.bytes() as i32);
        match part {
            WORD => memory(r12, 128 * slot as i32 + bytes * number),
            _ => memory(r13, 256 * slot as i32 + bytes * (2 * number + (part - LONGS[0]) as i32)),
        }
    }

    /// Adds the bits of a predicate to a word on the stack.
    fn bits(&mut self, id: ValueId, place: i32) -> Result {
        let shift = self.e.set.lanes() * self.of.number;
        if self.has_mask_registers() || self.of.parts[id as usize][WORD].is_there() {
            let mask = self.pred_words(id)?;
            self.lane_bits(mask)?;
            return self.e.add_bits(place, shift);
        }
        for (k, part) in LONGS.into_iter().enumerate() {
            let mask = self.reg(id, part)?;
            self.long_bits(mask)?;
            self.e.add_bits(place, shift + 4 * k)?;
        }
        Ok(())
    }

    /// Makes a value, or notes where it is.
    pub(super) fn value(&mut self, id: ValueId, value: &Value, pointers: &[Option<AsmRegister64>]) -> Result {
        let i = id as usize;
        match *value {
            Value::Word(slot) => self.of.parts[i][WORD].home = Some(Home::Row(self.row(slot, WORD))),
            Value::Long(slot) => {
                for part in LONGS {
                    self.of.parts[i][part].home = Some(Home::Row(self.row(slot, part)));
                }
            }
            Value::Thread(dimension) => {
                self.e.a.mov(rax, qword_ptr(rbx + field!(threads)))?;
                let d = self.alloc()?;
                let strip = (self.e.set.bytes() * self.of.number) as i32;
                self.load_row(d, memory(rax, 128 * dimension as i32 + strip))?;
                self.set(id, WORD, d);
            }
            // Made where they are used.
            Value::Pred(_) | Value::Splat(Class::Pred, _) => {}
            Value::Splat(class @ (Class::Word | Class::Long), scalar) if self.constant(scalar).is_some() => {
                let word = self.constant(scalar).unwrap_or(0).to_le_bytes();
                let bytes = if class == Class::Word { 4 } else { 8 };
                let row = self.constant_row(&word[..bytes]);
                for &part in parts_of(class) {
                    self.of.parts[i][part].home = Some(Home::Row(row));
                }
            }
            Value::Splat(class, scalar) => {
                let (base, displacement) = self.e.scalar_place(self.at, scalar)?;
                let place = memory(base, displacement);
                match class {
                    Class::Word => self.of.parts[i][WORD].home = Some(Home::Word(place)),
                    Class::Long => {
                        for part in LONGS {
                            self.of.parts[i][part].home = Some(Home::Long(place));
                        }
                    }
                    Class::Pred | Class::Scalar => {}
                }
            }
            Value::Load(class, access) => self.load(id, class, access, pointers)?,
            _ => self.operation(id, value)?,
        }
        Ok(())
    }

    /// The mask of a predicate in words of 32 bits.
    pub(super) fn pred_words(&mut self, id: ValueId) -> Result<Reg> {
        if self.of.parts[id as usize][WORD].is_there() {
            return self.reg(id, WORD);
        }
        let d = if let Value::Pred(slot) = self.at.segment.values[id as usize] {
            let d = self.alloc_mask()?;
            let lanes = self.e.set.lanes() * self.of.number;
            // The bits of the strip are these of AVX-512's two strips, or are picked from all.
            let offset = if self.has_mask_registers() { lanes / 8 } else { 0 };
            let place = memory(r15, 4 * slot as i32 + offset as i32);
            self.mask_of_slot(d, place, word_bits(lanes), false)?;
            d
        } else if let Value::Splat(_, scalar) = self.at.segment.values[id as usize] {
            let (base, displacement) = self.e.scalar_place(self.at, scalar)?;
            let d = self.alloc_mask()?;
            self.mask_of_scalar(d, memory(base, displacement))?;
            d
        } else {
            let (low, high) = (self.reg(id, LONGS[0])?, self.reg(id, LONGS[1])?);
            let d = self.alloc_mask()?;
            self.narrow_mask(d, low, high)?;
            d
        };
        self.set(id, WORD, d);
        Ok(d)
    }

    /// The masks of a predicate in words of 64 bits.
    pub(super) fn pred_longs(&mut self, id: ValueId) -> Result<[Reg; 2]> {
        let [word, low, high] = self.of.parts[id as usize].map(|part| part.is_there());
        if low && high {
            return Ok([self.reg(id, LONGS[0])?, self.reg(id, LONGS[1])?]);
        }
        if self.has_mask_registers() {
            // Instructions on words of 64 bits take the lower eight bits of a mask.
            let mask = if word { self.reg(id, WORD)? } else { self.pred_words(id)? };
            let upper = if high {
                self.reg(id, LONGS[1])?
            } else {
                let upper = self.alloc_mask()?;
                self.upper_mask(upper, mask)?;
                self.set(id, LONGS[1], upper);
                upper
            };
            return Ok([mask, upper]);
        }
        let mut out = [0; 2];
        match self.at.segment.values[id as usize] {
            Value::Pred(slot) => {
                for (k, out) in out.iter_mut().enumerate() {
                    let d = self.alloc()?;
                    let first = self.e.set.lanes() * self.of.number + 4 * k;
                    self.mask_of_slot(d, memory(r15, 4 * slot as i32), long_bits(first), true)?;
                    *out = d;
                }
            }
            _ => {
                let mask = self.pred_words(id)?;
                let (low, high) = (self.alloc()?, self.alloc()?);
                self.halves(Code::VEX_Vpmovsxdq_ymm_xmmm128, low, high, mask)?;
                out = [low, high];
            }
        }
        for (part, &reg) in LONGS.into_iter().zip(&out) {
            self.set(id, part, reg);
        }
        Ok(out)
    }

    /// Whether a predicate is there in words of 64 bits and not in others.
    pub(super) fn has_longs_only(&self, id: ValueId) -> bool {
        let parts = &self.of.parts[id as usize];
        parts[LONGS[0]].is_there() && !parts[WORD].is_there()
    }

    /// A register with a part of a value; it stays for this operation.
    pub(super) fn reg(&mut self, id: ValueId, part: usize) -> Result<Reg> {
        let of = self.of.parts[id as usize][part];
        if let Some(reg) = of.reg {
            self.of.pinned |= 1 << reg;
            return Ok(reg);
        }
        let is_mask = self.at.segment.values[id as usize].class() == Class::Pred;
        let d = if is_mask { self.alloc_mask()? } else { self.alloc()? };
        self.load_part(d, id, part)?;
        self.of.held[d as usize] = Some((id, part));
        self.of.parts[id as usize][part].reg = Some(d);
        Ok(d)
    }

    /// Loads a part of a value that is in memory into a register.
    pub(super) fn load_part(&mut self, d: Reg, id: ValueId, part: usize) -> Result {
        let of = self.of.parts[id as usize][part];
        match (of.spill, of.home) {
            (Some(place), _) => self.load_row(d, memory(rsp, place)),
            (None, Some(Home::Row(from))) => self.load_row(d, from),
            (None, Some(Home::Word(from))) => self.emit2m(Code::VEX_Vbroadcastss_ymm_m32, d, from),
            (None, Some(Home::Long(from))) => self.emit2m(Code::VEX_Vbroadcastsd_ymm_m64, d, from),
            (None, Some(Home::Narrow { from, bytes, is_run: false })) => self.broadcast_narrow(d, from, bytes),
            (None, Some(Home::Narrow { from, bytes: 1, .. })) => self.emit2m(Code::VEX_Vpmovzxbd_ymm_xmmm64, d, from),
            (None, Some(Home::Narrow { from, .. })) => self.emit2m(Code::VEX_Vpmovzxwd_ymm_xmmm128, d, from),
            (None, None) => Err(CompileError::Encoding(format!("value {id} is not there"))),
        }
    }

    /// A part of a value as an operand: in memory if it is there and not used again.
    pub(super) fn src(&mut self, id: ValueId, part: usize) -> Result<Src> {
        let of = self.of.parts[id as usize][part];
        if of.reg.is_none() && self.next_use(id).is_none() {
            if let Some(place) = of.spill {
                return Ok(Src::Mem(memory(rsp, place)));
            }
            if let Some(Home::Row(from)) = of.home {
                return Ok(Src::Mem(from));
            }
        }
        self.reg(id, part).map(Src::Reg)
    }

    /// The next use of a value behind this operation.
    fn next_use(&self, id: ValueId) -> Option<usize> {
        self.of.uses[id as usize].iter().copied().filter(|&at| at > self.of.now).min()
    }

    /// Gives the registers of a value back if it is not used again.
    pub(super) fn release(&mut self, id: ValueId) {
        if self.next_use(id).is_some() || self.at.segment.values[id as usize].class() == Class::Scalar {
            return;
        }
        for part in 0..3 {
            let of = &mut self.of.parts[id as usize][part];
            if let Some(reg) = of.reg.take() {
                self.of.held[reg as usize] = None;
            }
            self.of.spare.extend(of.spill.take());
        }
    }

    /// A register for a part of the result of one instruction that reads that part of these values: that of one which is not used
    /// again, or a free one. It stays for this operation.
    pub(super) fn alloc_result(&mut self, operands: &[ValueId], part: usize) -> Result<Reg> {
        for &id in operands {
            if self.next_use(id).is_none()
                && let Some(reg) = self.of.parts[id as usize][part].reg.take()
            {
                self.of.held[reg as usize] = None;
                return Ok(reg);
            }
        }
        self.alloc()
    }

    /// A free vector register; it stays for this operation.
    pub(super) fn alloc(&mut self) -> Result<Reg> {
        self.alloc_of(self.e.set.vectors())
    }

    /// A free register for a mask.
    pub(super) fn alloc_mask(&mut self) -> Result<Reg> {
        self.alloc_of(self.e.set.masks())
    }

    fn alloc_of(&mut self, registers: Range<Reg>) -> Result<Reg> {
        let taken = self.of.pinned | self.of.reserved;
        let free = registers.clone().find(|&r| self.of.held[r as usize].is_none() && taken >> r & 1 == 0);
        let reg = match free {
            Some(reg) => reg,
            None => self.evict(registers)?,
        };
        self.of.pinned |= 1 << reg;
        Ok(reg)
    }

    /// Frees the register whose value is used last.
    fn evict(&mut self, mut registers: Range<Reg>) -> Result<Reg> {
        let taken = self.of.pinned | self.of.reserved;
        let candidates = registers.by_ref().filter(|&r| taken >> r & 1 == 0);
        let last = candidates.max_by_key(|&r| {
            self.of.held[r as usize].map_or(usize::MAX, |(id, _)| self.next_use(id).unwrap_or(usize::MAX))
        });
        let reg = last.ok_or(CompileError::TooLarge)?;
        let Some((id, part)) = self.of.held[reg as usize].take() else { return Ok(reg) };
        let of = self.of.parts[id as usize][part];
        // The masks of a predicate can be had of those of the other width.
        let is_made_again = self.has_mask_registers() && part != WORD && self.of.parts[id as usize][WORD].is_there();
        if of.home.is_none() && of.spill.is_none() && !is_made_again {
            let place = match self.of.spare.pop() {
                Some(place) => place,
                None => self.e.take(64, 64)?,
            };
            self.store_row(memory(rsp, place), reg)?;
            self.of.parts[id as usize][part].spill = Some(place);
        }
        self.of.parts[id as usize][part].reg = None;
        Ok(reg)
    }

    /// A register is free again.
    pub(super) fn drop_reg(&mut self, reg: Reg) {
        self.of.pinned &= !(1 << reg);
    }

    /// Puts a part of a value into a register that was taken for it.
    pub(super) fn set(&mut self, id: ValueId, part: usize, reg: Reg) {
        self.of.held[reg as usize] = Some((id, part));
        self.of.parts[id as usize][part] = Part { reg: Some(reg), home: None, spill: None };
    }

    /// Says that a value may be a NaN that is not canonical.
    pub(super) fn mark_raw(&mut self, id: ValueId, is_raw: bool) {
        self.of.raw[id as usize] = is_raw;
    }

    /// Whether it may be.
    pub(super) fn is_raw(&self, id: ValueId) -> bool {
        self.of.raw[id as usize]
    }

    /// Makes a real(4) value canonical if it may be a NaN that is not.
    pub(super) fn canonical(&mut self, id: ValueId) -> Result {
        if !self.of.raw[id as usize] {
            return Ok(());
        }
        let x = self.reg(id, WORD)?;
        let mask = self.alloc_mask()?;
        self.compare(false, mask, x, Src::Reg(x), 3)?;
        let nan = self.words(0x7fff_ffff);
        self.blend(WORD, x, x, nan, mask)?;
        self.drop_reg(mask);
        // What was put aside is not this value any more.
        let of = &mut self.of.parts[id as usize][WORD];
        self.of.spare.extend(of.spill.take());
        of.home = None;
        self.of.raw[id as usize] = false;
        Ok(())
    }
}

impl Part {
    /// Whether it is somewhere.
    fn is_there(&self) -> bool {
        self.reg.is_some() || self.home.is_some() || self.spill.is_some()
    }
}

/// The parts of a row of a class.
pub(super) fn parts_of(class: Class) -> &'static [usize] {
    if class == Class::Long { &LONGS } else { &[WORD] }
}

//! A strip of eight lanes in vector registers: which value is in which register, and what is written back.
//!
//! A value of 32 bits takes one register, one of 64 bits two, of four lanes each. A predicate is a mask of words of 32 bits, of 64
//! bits, or both, as its users want it. All strips are emitted the same way. When registers run out, the value whose next use is
//! farthest away goes to the stack, or is forgotten if it can be loaded again (Belady's rule).
//!
//! A real(4) result that is a NaN is made canonical where its bits can be seen and not before: comparisons and arithmetic do not
//! see them (`scalar::real`).

use super::{CompileError, Current, Emitter, Form, Result, field, long_bits, word_bits};
use crate::segment::{Class, Condition, End, Place, Value, ValueId};
use crate::state::State;
use iced_x86::code_asm::AsmRegister64;
use iced_x86::code_asm::{
    dword_ptr, eax, qword_ptr, r8, r9, r10, r11, r12, r13, r15, rax, rbx, rcx, rdi, rdx, rsi, rsp,
};
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use std::collections::btree_map::Entry;
use std::mem::offset_of;

/// Lanes of a strip.
pub(super) const LANES: usize = 8;
/// Strips of a warp.
pub(super) const STRIPS: usize = 32 / LANES;

/// A vector register by number.
pub(super) type Reg = u8;

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Src {
    Reg(Reg),
    Mem(MemoryOperand),
}

/// Where a part of a value can be loaded from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// 32 bytes.
    Row(MemoryOperand),
    /// A word of 32 bits for all lanes.
    Word(MemoryOperand),
    /// A word of 64 bits for all lanes.
    Long(MemoryOperand),
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

/// The vector register of that number.
pub(super) fn ymm(number: Reg) -> Register {
    Register::YMM0 + u32::from(number)
}

/// Its lower half.
pub(super) fn xmm(number: Reg) -> Register {
    Register::XMM0 + u32::from(number)
}

/// The memory that many bytes behind where a register points to.
pub(super) fn memory(base: AsmRegister64, displacement: i32) -> MemoryOperand {
    MemoryOperand::with_base_displ(base.into(), i64::from(displacement))
}

pub(super) struct Strip<'e, 'a, 'c, 's> {
    pub(super) e: &'e mut Emitter<'a>,
    pub(super) at: &'c mut Current<'s>,
    /// Its number.
    pub(super) number: usize,
    /// The positions at which each value is used, the last first.
    pub(super) uses: Vec<Vec<usize>>,
    pub(super) parts: Vec<[Part; 3]>,
    /// Which part is in each register.
    held: [Option<(ValueId, usize)>; 16],
    /// Registers that the current operation uses, one bit each.
    pub(super) pinned: u16,
    /// Values that may be a NaN that is not canonical.
    raw: Vec<bool>,
    /// The position of the current operation.
    pub(super) now: usize,
    /// Free places of spilled parts.
    spare: Vec<i32>,
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
                place.insert(self.take(bytes, 32)?);
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
        for strip in 0..STRIPS {
            self.stack = stack;
            let mut of = Strip::new(self, at, strip, uses.to_vec());
            of.run(&pointers)?;
        }
        Ok(())
    }
}

impl<'e, 'a, 'c, 's> Strip<'e, 'a, 'c, 's> {
    /// A strip with nothing in registers.
    pub(super) fn new(
        e: &'e mut Emitter<'a>,
        at: &'c mut Current<'s>,
        number: usize,
        uses: Vec<Vec<usize>>,
    ) -> Strip<'e, 'a, 'c, 's> {
        let count = at.segment.values.len();
        Strip {
            e,
            at,
            number,
            uses,
            parts: vec![[Part::default(); 3]; count],
            held: [None; 16],
            pinned: 0,
            raw: vec![false; count],
            now: 0,
            spare: Vec::new(),
        }
    }

    /// Forgets what is in registers, but for these parts of values.
    pub(super) fn hold(&mut self, parts: impl Iterator<Item = (Reg, ValueId, usize)>) {
        self.held = [None; 16];
        self.parts.fill([Part::default(); 3]);
        for (reg, id, part) in parts {
            self.set(id, part, reg);
        }
    }
}

impl Strip<'_, '_, '_, '_> {
    fn run(&mut self, pointers: &[Option<AsmRegister64>]) -> Result {
        let segment = self.at.segment;
        for (i, value) in segment.values.iter().enumerate() {
            if !self.at.needed[i] || value.class() == Class::Scalar {
                continue;
            }
            self.now = i;
            self.pinned = 0;
            self.value(i as ValueId, value, pointers)?;
            self.defined(i as ValueId)?;
            value.each_operand(|v| self.release(v));
            self.release(i as ValueId);
        }
        // What could not be written before, because the old value was still to be read.
        self.now = segment.values.len();
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
                    self.pinned = 0;
                    self.reg(out.value, part)?;
                    self.parts[out.value as usize][part].home = None;
                }
            }
        }
        for out in &segment.outs {
            if is_late(self, out) {
                self.pinned = 0;
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
                self.pinned = 0;
                self.bits(id, place)?;
            }
            return Ok(());
        }
        if let Some(&place) = self.at.waiting.get(&id) {
            self.canonical(id)?;
            for (k, part) in parts_of(class).iter().enumerate() {
                self.pinned = 0;
                let reg = self.reg(id, *part)?;
                let at = place + (self.number * parts_of(class).len() * 32 + 32 * k) as i32;
                self.store_row(memory(rsp, at), reg)?;
            }
        }
        for out in &segment.outs {
            if out.value == id && out.class == class && self.is_early(id, out.slot, class) {
                self.pinned = 0;
                self.write(id, out.slot, class)?;
            }
        }
        Ok(())
    }

    /// Writes a value to a register of the frame.
    pub(super) fn write(&mut self, id: ValueId, slot: u32, class: Class) -> Result {
        self.canonical(id)?;
        for part in parts_of(class) {
            self.pinned = 0;
            let reg = self.reg(id, *part)?;
            let home = self.row(slot, *part);
            let mut from = reg;
            if self.at.form == Form::Partial {
                let d = self.alloc()?;
                let mask = self.alloc()?;
                self.load_row(d, home)?;
                self.load_row(mask, self.mask_row(*part))?;
                let code = if *part == WORD {
                    Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm
                } else {
                    Code::VEX_Vblendvpd_ymm_ymm_ymmm256_ymm
                };
                self.emit4(code, d, d, Src::Reg(reg), mask)?;
                self.drop_reg(d);
                self.drop_reg(mask);
                from = d;
            }
            self.store_row(home, from)?;
            self.parts[id as usize][*part].home = Some(Home::Row(home));
        }
        Ok(())
    }

    /// The mask of the lanes that run.
    pub(super) fn mask_row(&self, part: usize) -> MemoryOperand {
        match part {
            WORD => memory(rbx, field!(mask_words) + 32 * self.number as i32),
            _ => memory(rbx, field!(mask_longs) + 64 * self.number as i32 + 32 * (part as i32 - 1)),
        }
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
        match part {
            WORD => memory(r12, 128 * slot as i32 + 32 * self.number as i32),
            _ => memory(r13, 256 * slot as i32 + 64 * self.number as i32 + 32 * (part as i32 - 1)),
        }
    }

    /// Puts the bits of a predicate in this strip's byte of a word on the stack.
    fn bits(&mut self, id: ValueId, place: i32) -> Result {
        let at = rsp + (place + self.number as i32);
        if self.parts[id as usize][WORD].is_there() {
            let mask = self.reg(id, WORD)?;
            self.e.a.add_instruction(Instruction::with2(Code::VEX_Vmovmskps_r32_ymm, Register::EAX, ymm(mask))?)?;
        } else {
            let (low, high) = (self.reg(id, LONGS[0])?, self.reg(id, LONGS[1])?);
            // `rax` is the only free register: the upper half is put above the lower one in memory.
            self.e.a.add_instruction(Instruction::with2(Code::VEX_Vmovmskpd_r32_ymm, Register::EAX, ymm(high))?)?;
            self.e.a.shl(eax, 4)?;
            self.e.a.mov(iced_x86::code_asm::byte_ptr(at), iced_x86::code_asm::al)?;
            self.e.a.add_instruction(Instruction::with2(Code::VEX_Vmovmskpd_r32_ymm, Register::EAX, ymm(low))?)?;
            self.e.a.or(iced_x86::code_asm::byte_ptr(at), iced_x86::code_asm::al)?;
            return Ok(());
        }
        self.e.a.mov(iced_x86::code_asm::byte_ptr(at), iced_x86::code_asm::al)?;
        Ok(())
    }

    /// Makes a value, or notes where it is.
    pub(super) fn value(&mut self, id: ValueId, value: &Value, pointers: &[Option<AsmRegister64>]) -> Result {
        let i = id as usize;
        match *value {
            Value::Word(slot) => self.parts[i][WORD].home = Some(Home::Row(self.row(slot, WORD))),
            Value::Long(slot) => {
                for part in LONGS {
                    self.parts[i][part].home = Some(Home::Row(self.row(slot, part)));
                }
            }
            Value::Thread(dimension) => {
                self.e.a.mov(rax, qword_ptr(rbx + field!(threads)))?;
                let d = self.alloc()?;
                self.load_row(d, memory(rax, 128 * dimension as i32 + 32 * self.number as i32))?;
                self.set(id, WORD, d);
            }
            // Made where they are used.
            Value::Pred(_) | Value::Splat(Class::Pred, _) => {}
            Value::Splat(class @ (Class::Word | Class::Long), scalar) if self.constant(scalar).is_some() => {
                let word = self.constant(scalar).unwrap_or(0).to_le_bytes();
                let bytes = if class == Class::Word { 4 } else { 8 };
                let place = self.e.constant(std::array::from_fn(|k| word[k % bytes]));
                for &part in parts_of(class) {
                    self.parts[i][part].home = Some(Home::Row(memory(iced_x86::code_asm::rbp, place)));
                }
            }
            Value::Splat(class, scalar) => {
                let (base, displacement) = self.e.scalar_place(self.at, scalar)?;
                let place = memory(base, displacement);
                match class {
                    Class::Word => self.parts[i][WORD].home = Some(Home::Word(place)),
                    Class::Long => {
                        for part in LONGS {
                            self.parts[i][part].home = Some(Home::Long(place));
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

    /// A load: where it is one piece of memory it is not loaded before it is used.
    fn load(&mut self, id: ValueId, class: Class, number: u32, pointers: &[Option<AsmRegister64>]) -> Result {
        let access = &self.at.segment.accesses[number as usize];
        let places = Emitter::displacements(access)?;
        let held = pointers[number as usize];
        let base = match held {
            Some(register) => register,
            None => {
                let pointer = Emitter::pointer(self.at, number);
                self.e.a.mov(rax, pointer)?;
                rax
            }
        };
        let i = id as usize;
        if access.place == Place::Local && class == Class::Long {
            for (k, part) in LONGS.into_iter().enumerate() {
                let (d, high) = (self.alloc()?, self.alloc()?);
                let from = (32 * self.number + 16 * k) as i32;
                self.emit2m(Code::VEX_Vpmovzxdq_ymm_xmmm128, d, memory(base, from))?;
                self.emit2m(Code::VEX_Vpmovzxdq_ymm_xmmm128, high, memory(base, from + 128))?;
                self.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, high, high, 32)?;
                self.emit3(Code::VEX_Vpor_ymm_ymm_ymmm256, d, d, Src::Reg(high))?;
                self.drop_reg(high);
                self.set(id, part, d);
            }
            return Ok(());
        }
        let (parts, lanes): (&[usize], usize) = if class == Class::Word { (&[WORD], 8) } else { (&LONGS, 4) };
        for (k, &part) in parts.iter().enumerate() {
            let first = self.number * LANES + k * lanes;
            let places = &places[first..first + lanes];
            let size = 32 / lanes as i32;
            let from = memory(base, places[0]);
            let home = if places.windows(2).all(|w| w[1] - w[0] == size) {
                Some(Home::Row(from))
            } else if places.windows(2).all(|w| w[1] == w[0]) {
                Some(if class == Class::Word { Home::Word(from) } else { Home::Long(from) })
            } else {
                None
            };
            match home {
                Some(home) => {
                    self.parts[i][part].home = Some(home);
                    if held.is_none() {
                        self.reg(id, part)?;
                        self.parts[i][part].home = None;
                    }
                }
                None => {
                    let (d, index, mask) = (self.alloc()?, self.alloc()?, self.alloc()?);
                    let mut bytes = [0; 32];
                    for (at, &place) in bytes.chunks_exact_mut(size as usize).zip(places) {
                        at.copy_from_slice(&i64::from(place).to_le_bytes()[..size as usize]);
                    }
                    let constant = self.e.constant(bytes);
                    self.load_row(index, memory(iced_x86::code_asm::rbp, constant))?;
                    self.emit3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, mask, mask, Src::Reg(mask))?;
                    let code = if class == Class::Word {
                        Code::VEX_Vpgatherdd_ymm_vm32y_ymm
                    } else {
                        Code::VEX_Vpgatherqq_ymm_vm64y_ymm
                    };
                    let operand = MemoryOperand::with_base_index_scale(base.into(), ymm(index), 1);
                    self.e.a.add_instruction(Instruction::with3(code, ymm(d), operand, ymm(mask))?)?;
                    self.drop_reg(index);
                    self.drop_reg(mask);
                    self.set(id, part, d);
                }
            }
        }
        Ok(())
    }

    /// The mask of a predicate in words of 32 bits.
    pub(super) fn pred_words(&mut self, id: ValueId) -> Result<Reg> {
        if self.parts[id as usize][WORD].is_there() {
            return self.reg(id, WORD);
        }
        let d = if let Value::Pred(slot) = self.at.segment.values[id as usize] {
            let d = self.alloc()?;
            let bits = self.e.constant(word_bits(LANES * self.number));
            let bits = memory(iced_x86::code_asm::rbp, bits);
            self.emit2m(Code::VEX_Vpbroadcastd_ymm_xmmm32, d, memory(r15, 4 * slot as i32))?;
            self.emit3(Code::VEX_Vpand_ymm_ymm_ymmm256, d, d, Src::Mem(bits))?;
            self.emit3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, d, d, Src::Mem(bits))?;
            d
        } else if let Value::Splat(_, scalar) = self.at.segment.values[id as usize] {
            let (base, displacement) = self.e.scalar_place(self.at, scalar)?;
            let (d, zero) = (self.alloc()?, self.alloc()?);
            self.emit2m(Code::VEX_Vpbroadcastd_ymm_xmmm32, d, memory(base, displacement))?;
            self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, zero, zero, Src::Reg(zero))?;
            self.emit3(Code::VEX_Vpsubd_ymm_ymm_ymmm256, d, zero, Src::Reg(d))?;
            self.drop_reg(zero);
            d
        } else {
            let (low, high) = (self.reg(id, LONGS[0])?, self.reg(id, LONGS[1])?);
            let d = self.alloc()?;
            self.narrow(d, low, high)?;
            d
        };
        self.set(id, WORD, d);
        Ok(d)
    }

    /// The masks of a predicate in words of 64 bits.
    pub(super) fn pred_longs(&mut self, id: ValueId) -> Result<[Reg; 2]> {
        if self.parts[id as usize][LONGS[0]].is_there() {
            return Ok([self.reg(id, LONGS[0])?, self.reg(id, LONGS[1])?]);
        }
        let mut out = [0; 2];
        if let Value::Pred(slot) = self.at.segment.values[id as usize] {
            for (k, out) in out.iter_mut().enumerate() {
                let d = self.alloc()?;
                let bits = self.e.constant(long_bits(LANES * self.number + 4 * k));
                let bits = memory(iced_x86::code_asm::rbp, bits);
                self.emit2m(Code::VEX_Vpbroadcastd_ymm_xmmm32, d, memory(r15, 4 * slot as i32))?;
                self.emit3(Code::VEX_Vpand_ymm_ymm_ymmm256, d, d, Src::Mem(bits))?;
                self.emit3(Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256, d, d, Src::Mem(bits))?;
                *out = d;
            }
        } else {
            let mask = self.pred_words(id)?;
            let (low, high) = (self.alloc()?, self.alloc()?);
            self.halves(Code::VEX_Vpmovsxdq_ymm_xmmm128, low, high, mask)?;
            out = [low, high];
        }
        for (part, &reg) in LONGS.into_iter().zip(&out) {
            self.set(id, part, reg);
        }
        Ok(out)
    }

    /// Whether a predicate is there in words of 64 bits and not in others.
    pub(super) fn has_longs_only(&self, id: ValueId) -> bool {
        let parts = &self.parts[id as usize];
        parts[LONGS[0]].is_there() && !parts[WORD].is_there()
    }

    /// A register with a part of a value; it stays for this operation.
    pub(super) fn reg(&mut self, id: ValueId, part: usize) -> Result<Reg> {
        let of = self.parts[id as usize][part];
        if let Some(reg) = of.reg {
            self.pinned |= 1 << reg;
            return Ok(reg);
        }
        let d = self.alloc()?;
        self.load_part(d, id, part)?;
        self.held[d as usize] = Some((id, part));
        self.parts[id as usize][part].reg = Some(d);
        Ok(d)
    }

    /// Loads a part of a value that is in memory into a register.
    pub(super) fn load_part(&mut self, d: Reg, id: ValueId, part: usize) -> Result {
        let of = self.parts[id as usize][part];
        match (of.spill, of.home) {
            (Some(place), _) => self.load_row(d, memory(rsp, place)),
            (None, Some(Home::Row(from))) => self.load_row(d, from),
            (None, Some(Home::Word(from))) => self.emit2m(Code::VEX_Vbroadcastss_ymm_m32, d, from),
            (None, Some(Home::Long(from))) => self.emit2m(Code::VEX_Vbroadcastsd_ymm_m64, d, from),
            (None, None) => Err(CompileError::Encoding(format!("value {id} is not there"))),
        }
    }

    /// A part of a value as an operand: in memory if it is there and not used again.
    pub(super) fn src(&mut self, id: ValueId, part: usize) -> Result<Src> {
        let of = self.parts[id as usize][part];
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
        self.uses[id as usize].iter().copied().filter(|&at| at > self.now).min()
    }

    /// Gives the registers of a value back if it is not used again.
    pub(super) fn release(&mut self, id: ValueId) {
        if self.next_use(id).is_some() || self.at.segment.values[id as usize].class() == Class::Scalar {
            return;
        }
        for part in 0..3 {
            let of = &mut self.parts[id as usize][part];
            if let Some(reg) = of.reg.take() {
                self.held[reg as usize] = None;
            }
            self.spare.extend(of.spill.take());
        }
    }

    /// A free register; it stays for this operation.
    pub(super) fn alloc(&mut self) -> Result<Reg> {
        let free = (0..16u8).find(|&r| self.held[r as usize].is_none() && self.pinned >> r & 1 == 0);
        let reg = match free {
            Some(reg) => reg,
            None => self.evict()?,
        };
        self.pinned |= 1 << reg;
        Ok(reg)
    }

    /// Frees the register whose value is used last.
    fn evict(&mut self) -> Result<Reg> {
        let candidates = (0..16u8).filter(|&r| self.pinned >> r & 1 == 0);
        let last = candidates.max_by_key(|&r| {
            self.held[r as usize].map_or(usize::MAX, |(id, _)| self.next_use(id).unwrap_or(usize::MAX))
        });
        let reg = last.ok_or(CompileError::TooLarge)?;
        let Some((id, part)) = self.held[reg as usize].take() else { return Ok(reg) };
        let of = self.parts[id as usize][part];
        if of.home.is_none() && of.spill.is_none() {
            let place = match self.spare.pop() {
                Some(place) => place,
                None => self.e.take(32, 32)?,
            };
            self.store_row(memory(rsp, place), reg)?;
            self.parts[id as usize][part].spill = Some(place);
        }
        self.parts[id as usize][part].reg = None;
        Ok(reg)
    }

    /// A register is free again.
    pub(super) fn drop_reg(&mut self, reg: Reg) {
        self.pinned &= !(1 << reg);
    }

    /// Puts a part of a value into a register that was taken for it.
    pub(super) fn set(&mut self, id: ValueId, part: usize, reg: Reg) {
        self.held[reg as usize] = Some((id, part));
        self.parts[id as usize][part] = Part { reg: Some(reg), home: None, spill: None };
    }

    /// Says that a value may be a NaN that is not canonical.
    pub(super) fn mark_raw(&mut self, id: ValueId, is_raw: bool) {
        self.raw[id as usize] = is_raw;
    }

    /// Whether it may be.
    pub(super) fn is_raw(&self, id: ValueId) -> bool {
        self.raw[id as usize]
    }

    /// Makes a real(4) value canonical if it may be a NaN that is not.
    pub(super) fn canonical(&mut self, id: ValueId) -> Result {
        if !self.raw[id as usize] {
            return Ok(());
        }
        let x = self.reg(id, WORD)?;
        let mask = self.alloc()?;
        self.compare(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, mask, x, Src::Reg(x), 3)?;
        let nan = self.e.constant(std::array::from_fn(|i| 0x7fff_ffffu32.to_le_bytes()[i % 4]));
        self.emit4(
            Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm,
            x,
            x,
            Src::Mem(memory(iced_x86::code_asm::rbp, nan)),
            mask,
        )?;
        self.drop_reg(mask);
        // What was put aside is not this value any more.
        let of = &mut self.parts[id as usize][WORD];
        self.spare.extend(of.spill.take());
        of.home = None;
        self.raw[id as usize] = false;
        Ok(())
    }

    /// A constant word of 32 bits in all lanes.
    pub(super) fn words(&mut self, word: u32) -> Src {
        let at = self.e.constant(std::array::from_fn(|i| word.to_le_bytes()[i % 4]));
        Src::Mem(memory(iced_x86::code_asm::rbp, at))
    }

    /// A constant word of 64 bits in all lanes.
    pub(super) fn longs(&mut self, word: u64) -> Src {
        let at = self.e.constant(std::array::from_fn(|i| word.to_le_bytes()[i % 8]));
        Src::Mem(memory(iced_x86::code_asm::rbp, at))
    }

    pub(super) fn load_row(&mut self, d: Reg, from: MemoryOperand) -> Result {
        self.emit2m(Code::VEX_Vmovups_ymm_ymmm256, d, from)
    }

    fn store_row(&mut self, to: MemoryOperand, from: Reg) -> Result {
        Ok(self.e.a.add_instruction(Instruction::with2(Code::VEX_Vmovups_ymmm256_ymm, to, ymm(from))?)?)
    }

    pub(super) fn emit2m(&mut self, code: Code, d: Reg, from: MemoryOperand) -> Result {
        Ok(self.e.a.add_instruction(Instruction::with2(code, ymm(d), from)?)?)
    }

    pub(super) fn emit2(&mut self, code: Code, d: Reg, a: Src) -> Result {
        let instruction = match a {
            Src::Reg(a) => Instruction::with2(code, ymm(d), ymm(a))?,
            Src::Mem(a) => Instruction::with2(code, ymm(d), a)?,
        };
        Ok(self.e.a.add_instruction(instruction)?)
    }

    pub(super) fn emit3(&mut self, code: Code, d: Reg, a: Reg, b: Src) -> Result {
        let instruction = match b {
            Src::Reg(b) => Instruction::with3(code, ymm(d), ymm(a), ymm(b))?,
            Src::Mem(b) => Instruction::with3(code, ymm(d), ymm(a), b)?,
        };
        Ok(self.e.a.add_instruction(instruction)?)
    }

    /// With a register as the last operand, or a comparison's number.
    pub(super) fn emit4(&mut self, code: Code, d: Reg, a: Reg, b: Src, c: Reg) -> Result {
        let instruction = match b {
            Src::Reg(b) => Instruction::with4(code, ymm(d), ymm(a), ymm(b), ymm(c))?,
            Src::Mem(b) => Instruction::with4(code, ymm(d), ymm(a), b, ymm(c))?,
        };
        Ok(self.e.a.add_instruction(instruction)?)
    }

    pub(super) fn compare(&mut self, code: Code, d: Reg, a: Reg, b: Src, which: u32) -> Result {
        let instruction = match b {
            Src::Reg(b) => Instruction::with4(code, ymm(d), ymm(a), ymm(b), which)?,
            Src::Mem(b) => Instruction::with4(code, ymm(d), ymm(a), b, which)?,
        };
        Ok(self.e.a.add_instruction(instruction)?)
    }

    /// An instruction with a number as its last operand.
    pub(super) fn shift(&mut self, code: Code, d: Reg, a: Reg, count: u32) -> Result {
        Ok(self.e.a.add_instruction(Instruction::with3(code, ymm(d), ymm(a), count)?)?)
    }

    /// Applies an instruction that makes four words of 64 bits of four of 32 to the halves of a register.
    pub(super) fn halves(&mut self, code: Code, low: Reg, high: Reg, from: Reg) -> Result {
        self.e.a.add_instruction(Instruction::with3(
            Code::VEX_Vextracti128_xmmm128_ymm_imm8,
            xmm(high),
            ymm(from),
            1,
        )?)?;
        self.e.a.add_instruction(Instruction::with2(code, ymm(high), xmm(high))?)?;
        self.e.a.add_instruction(Instruction::with2(code, ymm(low), xmm(from))?)?;
        Ok(())
    }

    /// The low words of eight words of 64 bits.
    pub(super) fn narrow(&mut self, d: Reg, low: Reg, high: Reg) -> Result {
        let pick = Instruction::with4(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, ymm(d), ymm(low), ymm(high), 0x88)?;
        self.e.a.add_instruction(pick)?;
        self.shift(Code::VEX_Vpermq_ymm_ymmm256_imm8, d, d, 0xd8)
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

//! The loads of a strip.

use super::strip::{Home, LONGS, Strip, WORD, memory, parts_of};
use super::vector::Src;
use super::{Emitter, Result};
use crate::segment::{Access, Class, Place, ValueId};
use iced_x86::code_asm::{AsmRegister64, rax, rsp};
use iced_x86::{Code, MemoryOperand};

/// The words of some lanes in memory: whether they lie side by side or are one for all, and the first.
type Shape = Option<(bool, MemoryOperand)>;

impl Strip<'_, '_, '_, '_> {
    /// The register with the address that an access counts from: the one that holds it, or one that it is loaded into.
    pub(super) fn base(&mut self, access: u32, held: Option<AsmRegister64>) -> Result<AsmRegister64> {
        if let Some(register) = held {
            return Ok(register);
        }
        let pointer = Emitter::pointer(self.at, access);
        self.e.a.mov(rax, pointer)?;
        Ok(rax)
    }

    /// A load: where it is one piece of memory it is not loaded before it is used.
    pub(super) fn load(
        &mut self,
        id: ValueId,
        class: Class,
        number: u32,
        pointers: &[Option<AsmRegister64>],
    ) -> Result {
        let segment = self.at.segment;
        let access = &segment.accesses[number as usize];
        let held = pointers[number as usize];
        let base = self.base(number, held)?;
        match (access.place, class) {
            (Place::Local(_), Class::Long) => return self.load_local_longs(id, base),
            (Place::Local(_), _) if access.bytes < 4 => return self.load_local_narrow(id, number, base),
            _ => {}
        }
        let places = Emitter::displacements(access)?;
        let size = if class == Class::Long { 8 } else { 4 };
        let lanes = self.e.set.bytes() / size;
        for (k, &part) in parts_of(class).iter().enumerate() {
            let first = (parts_of(class).len() * self.of.number + k) * lanes;
            let places = &places[first..first + lanes];
            let home = shape(access, base, places).map(|(is_run, from)| match class {
                _ if access.bytes < 4 => Home::Narrow { from, bytes: access.bytes, is_run },
                _ if is_run => Home::Row(from),
                Class::Word => Home::Word(from),
                _ => Home::Long(from),
            });
            match home {
                Some(home) => {
                    self.of.parts[id as usize][part].home = Some(home);
                    if held.is_none() {
                        self.reg(id, part)?;
                        self.of.parts[id as usize][part].home = None;
                    }
                }
                None => self.load_pieces(id, part, access, (base, places))?,
            }
        }
        Ok(())
    }

    /// Words of lanes that are no run: two halves that are, or one by one.
    fn load_pieces(
        &mut self,
        id: ValueId,
        part: usize,
        access: &Access,
        (base, places): (AsmRegister64, &[i32]),
    ) -> Result {
        let (low, high) = places.split_at(places.len() / 2);
        let halves = [shape(access, base, low), shape(access, base, high)];
        let d = self.alloc()?;
        if let ([Some(low), Some(high)], true) = (halves, self.has_mask_registers()) {
            self.pair(access.bytes, d, [low, high])?;
        } else if access.bytes < 4 {
            // A gather would read beyond the memory of the access.
            self.collect(access.bytes, d, base.into(), places)?;
        } else {
            let index = self.alloc()?;
            let size = access.bytes as usize;
            let distances: Vec<u8> =
                places.iter().flat_map(|&p| i64::from(p).to_le_bytes().into_iter().take(size)).collect();
            let row = self.constant_row(&distances);
            self.load_row(index, row)?;
            self.gather(part, d, base.into(), index)?;
            self.drop_reg(index);
        }
        self.set(id, part, d);
        Ok(())
    }

    /// Words of 64 bits of local memory, which are two rows.
    fn load_local_longs(&mut self, id: ValueId, base: AsmRegister64) -> Result {
        for (k, part) in LONGS.into_iter().enumerate() {
            let (d, high) = (self.alloc()?, self.alloc()?);
            let from = ((2 * self.of.number + k) * self.e.set.bytes() / 2) as i32;
            self.emit2m(Code::VEX_Vpmovzxdq_ymm_xmmm128, d, memory(base, from))?;
            self.emit2m(Code::VEX_Vpmovzxdq_ymm_xmmm128, high, memory(base, from + 128))?;
            self.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, high, high, 32)?;
            self.emit3(Code::VEX_Vpor_ymm_ymm_ymmm256, d, d, Src::Reg(high))?;
            self.drop_reg(high);
            self.set(id, part, d);
        }
        Ok(())
    }

    /// Words of one or two bytes of local memory, which are parts of the words of a row.
    fn load_local_narrow(&mut self, id: ValueId, number: u32, base: AsmRegister64) -> Result {
        let bits = 8 * self.at.segment.accesses[number as usize].bytes;
        let d = self.alloc()?;
        self.load_row(d, memory(base, (self.of.number * self.e.set.bytes()) as i32))?;
        let count = memory(rsp, self.at.shifts[number as usize]);
        self.shift_right_by(d, count)?;
        self.cut_words(d, bits)?;
        self.set(id, WORD, d);
        Ok(())
    }
}

/// How the words of an access lie at these places behind a register.
fn shape(access: &Access, base: AsmRegister64, places: &[i32]) -> Shape {
    let is_run = places.windows(2).all(|w| w[1] - w[0] == access.bytes as i32);
    (is_run || places.windows(2).all(|w| w[1] == w[0])).then_some((is_run, memory(base, places[0])))
}

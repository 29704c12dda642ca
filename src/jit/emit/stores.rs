//! The stores of a segment, which come when everything is computed.

use super::strip::STRIPS;
use super::{Current, Emitter, Form, Result, field};
use crate::segment::Place;
use crate::state::State;
use iced_x86::code_asm::{dword_ptr, eax, qword_ptr, rax, rbx, rcx, rsp};
use std::mem::offset_of;

impl Emitter<'_> {
    /// Copies the rows that wait for it to memory.
    pub(super) fn stores(&mut self, at: &Current<'_>) -> Result {
        use iced_x86::code_asm::{ymm0, ymm1, ymmword_ptr};
        for store in &at.segment.stores {
            let access = &at.segment.accesses[store.access as usize];
            let places = Self::displacements(access)?;
            let from = at.waiting[&store.value];
            self.a.mov(rcx, Self::pointer(at, store.access))?;
            let wide = access.bytes == 8;
            if access.place == Place::Local {
                for strip in 0..STRIPS as i32 {
                    if wide {
                        for (row, half) in [(0, 0x88u32), (1, 0xdd)] {
                            self.a.vmovups(ymm0, ymmword_ptr(rsp + (from + 64 * strip)))?;
                            self.a.vshufps(ymm0, ymm0, ymmword_ptr(rsp + (from + 64 * strip + 32)), half)?;
                            self.a.vpermq(ymm0, ymm0, 0xd8u32)?;
                            self.put_local(at.form, row, strip)?;
                        }
                    } else {
                        self.a.vmovups(ymm0, ymmword_ptr(rsp + (from + 32 * strip)))?;
                        self.put_local(at.form, 0, strip)?;
                    }
                }
                continue;
            }
            let bytes = access.bytes as usize;
            let lanes = 32 / bytes;
            for group in 0..32 / lanes {
                let first = group * lanes;
                let lane_places = &places[first..first + lanes];
                let is_run = lane_places.windows(2).all(|w| w[1] - w[0] == bytes as i32);
                let source = from + (first * bytes) as i32;
                if is_run {
                    self.a.vmovups(ymm0, ymmword_ptr(rsp + source))?;
                    let to = ymmword_ptr(rcx + lane_places[0]);
                    match (at.form, wide) {
                        (Form::Full, _) => self.a.vmovups(to, ymm0)?,
                        (Form::Partial, false) => {
                            self.a.vmovups(ymm1, ymmword_ptr(rbx + (field!(mask_words) + (first * 4) as i32)))?;
                            self.a.vmaskmovps(to, ymm1, ymm0)?;
                        }
                        (Form::Partial, true) => {
                            self.a.vmovups(ymm1, ymmword_ptr(rbx + (field!(mask_longs) + (first * 8) as i32)))?;
                            self.a.vmaskmovpd(to, ymm1, ymm0)?;
                        }
                    }
                    continue;
                }
                for (i, &place) in lane_places.iter().enumerate() {
                    let mut next = self.a.create_label();
                    if at.form == Form::Partial {
                        self.a.bt(dword_ptr(rbx + field!(mask)), (first + i) as u32)?;
                        self.a.jae(next)?;
                    }
                    let source = source + (i * bytes) as i32;
                    if wide {
                        self.a.mov(rax, qword_ptr(rsp + source))?;
                        self.a.mov(qword_ptr(rcx + place), rax)?;
                    } else {
                        self.a.mov(eax, dword_ptr(rsp + source))?;
                        self.a.mov(dword_ptr(rcx + place), eax)?;
                    }
                    if at.form == Form::Partial {
                        self.a.set_label(&mut next)?;
                        self.a.nop()?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes eight lanes in `ymm0` to a row of local memory whose first one `rcx` points to.
    fn put_local(&mut self, form: Form, row: i32, strip: i32) -> Result {
        use iced_x86::code_asm::{ymm0, ymm1, ymm2, ymmword_ptr};
        let to = ymmword_ptr(rcx + (128 * row + 32 * strip));
        if form == Form::Partial {
            self.a.vmovups(ymm1, to)?;
            self.a.vmovups(ymm2, ymmword_ptr(rbx + (field!(mask_words) + 32 * strip)))?;
            self.a.vblendvps(ymm0, ymm1, ymm0, ymm2)?;
        }
        self.a.vmovups(to, ymm0)?;
        Ok(())
    }
}

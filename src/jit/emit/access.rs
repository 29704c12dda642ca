//! Addresses: bounds and shape of each access are checked before anything is done; then its host address is on the stack.

use super::frame::Stub;
use super::{CompileError, Current, Emitter, Result, field};
use crate::segment::{Access, AccessId, Index, LocalPart, Place};
use crate::state::{PatternHead, State, Window};
use iced_x86::code_asm::{
    AsmMemoryOperand, CodeLabel, byte_ptr, dword_ptr, eax, edx, esi, qword_ptr, rax, rbx, rcx, rdi, rdx, rsi, rsp,
};
use std::mem::{offset_of, size_of};

/// A window of a table has two to the power of that many bytes.
const ENTRY_BITS: u32 = size_of::<Window>().trailing_zeros();

/// Bytes of a cache line.
const LINE: i32 = 64;

/// Cache lines of an access that are asked for ahead.
const LINES_AHEAD: usize = 4;
/// How many rounds ahead lines are fetched, as a power of two: memory takes longer than one round.
const AHEAD: u32 = 4;

/// From the salt of an access to that of the next.
const SALT_STEP: u32 = 11;

const _: () = assert!(size_of::<Window>().is_power_of_two());

impl Access {
    /// How far the lowest address of a lane is from that of lane 0, and how many bytes behind it the last byte of a lane ends.
    pub(super) fn reach(&self) -> Result<(i64, u64)> {
        let offsets = self.offsets().ok_or(CompileError::Unsupported("an irregular address"))?;
        let extent = self.extent().ok_or(CompileError::Unsupported("an irregular address"))?;
        Ok((offsets.into_iter().min().unwrap_or(0), extent))
    }
}

impl Emitter<'_> {
    /// Computes the lowest address of an access, and puts the host address of it on the stack. `patterns` are those that have been
    /// checked.
    pub(super) fn check(&mut self, at: &mut Current<'_>, id: AccessId, patterns: &mut Vec<u32>) -> Result {
        let segment = at.segment;
        let access = &segment.accesses[id as usize];
        let (low, extent) = access.reach()?;
        let is_row = access.index.is_some();
        let base = access.base.wrapping_add(low);
        let is_told = segment.told.iter().any(|told| told.0 == id);
        if let Some(rows) = Self::known_row(access, extent)?.filter(|_| !is_told) {
            self.a.mov(rcx, qword_ptr(rbx + field!(local_rows)))?;
            self.a.add(rcx, rows)?;
            return self.note_pointer(at, id);
        }
        if let Some(index) = &access.index {
            if let Some(pattern) = index.pattern.filter(|pattern| !patterns.contains(pattern)) {
                patterns.push(pattern);
                self.check_pattern(pattern, index.key, at.fail)?;
            }
            self.load_first(index)?;
            if index.wraps {
                self.add_terms(at, rax, &index.terms)?;
                self.add_constant(index.base)?;
                let range = self.check_narrow(index, at.fail)?;
                self.check_narrow_in_line(at, id, range)?;
            }
            if index.factor != 1 {
                self.a.mov(rcx, rax)?;
                self.multiply(index.factor)?;
                self.a.mov(rax, rcx)?;
            }
            self.add_terms(at, rax, &access.terms)?;
            self.add_constant(base)?;
        } else {
            self.a.mov(rax, base)?;
            self.add_terms(at, rax, &access.terms)?;
        }
        if access.is_local {
            self.a.add(rax, qword_ptr(rbx + field!(local_base)))?;
        }
        if access.bytes > 1 {
            self.a.test(eax, (access.bytes - 1) as i32)?;
            self.a.jne(at.fail)?;
            if is_row && access.offsets().is_some_and(|o| o.iter().any(|x| x % i64::from(access.bytes) != 0)) {
                return Err(CompileError::Unsupported("an address that is not aligned"));
            }
        }
        if is_told {
            let place = self.take(8, 8)?;
            self.a.mov(qword_ptr(rsp + place), rax)?;
            at.addresses[id as usize] = place;
        }
        match access.place {
            Place::Memory => {
                let writes = segment.stores.iter().any(|s| s.access == id);
                let (mut retry, refill) = (self.a.create_label(), self.a.create_label());
                self.a.set_label(&mut retry)?;
                self.a.mov(rdx, rax)?;
                self.a.shr(rdx, Window::SHIFT - ENTRY_BITS)?;
                self.salt = (self.salt + SALT_STEP) % Window::COUNT as u32;
                self.a.add(edx, (self.salt << ENTRY_BITS) as i32)?;
                self.a.and(edx, ((Window::COUNT - 1) << ENTRY_BITS) as i32)?;
                self.a.add(rdx, qword_ptr(rbx + field!(windows)))?;
                let head = if writes { (Window::COUNT << ENTRY_BITS) as i32 } else { 0 };
                let window = |at: usize| qword_ptr(rdx + (head + at as i32));
                self.a.mov(rcx, rax)?;
                self.a.sub(rcx, window(offset_of!(Window, low)))?;
                self.a.mov(rsi, window(offset_of!(Window, len)))?;
                let bytes = i32::try_from(extent).map_err(|_| CompileError::Unsupported("an access of much memory"))?;
                self.a.sub(rsi, bytes)?;
                self.a.jb(refill)?;
                self.a.cmp(rcx, rsi)?;
                self.a.ja(refill)?;
                self.check_room_in_line(at, id)?;
                if let Some([offset, limit]) = at.rooms.as_ref().map(|rooms| rooms[id as usize]) {
                    self.a.mov(qword_ptr(rsp + offset), rcx)?;
                    self.a.mov(qword_ptr(rsp + limit), rsi)?;
                }
                self.a.add(rcx, window(offset_of!(Window, place)))?;
                if !writes {
                    self.fetch_ahead(at, access)?;
                }
                self.stubs.push(Stub::Refill { label: refill, retry, fail: at.fail, extent, salt: self.salt, writes });
            }
            Place::Shared(first) => {
                self.a.mov(rcx, first)?;
                self.a.sub(rax, rcx)?;
                self.check_room(at, extent, field!(shared_len))?;
                self.a.mov(rcx, qword_ptr(rbx + field!(shared)))?;
                self.a.add(rcx, rax)?;
            }
            Place::Local(part) => self.check_local(at, id, (part, extent))?,
        }
        self.note_pointer(at, id)
    }

    /// Keeps the host address of an access, which is in `rcx`.
    fn note_pointer(&mut self, at: &mut Current<'_>, id: AccessId) -> Result {
        let place = self.take(8, 8)?;
        self.a.mov(qword_ptr(rsp + place), rcx)?;
        at.pointers[id as usize] = place;
        Ok(())
    }

    /// How far the row of a word of local memory is behind the first one, if its address is a constant and nothing is wrong with it.
    fn known_row(access: &Access, extent: u64) -> Result<Option<i32>> {
        let (Place::Local(part), None, true, true) =
            (access.place, &access.index, access.is_local, access.terms.is_empty())
        else {
            return Ok(None);
        };
        let offset = (access.base as u64).wrapping_sub(part.start);
        let is_inside = offset <= part.bytes && extent <= part.bytes - offset;
        if !is_inside || access.bytes < 4 || !access.base.cast_unsigned().is_multiple_of(u64::from(access.bytes)) {
            return Ok(None);
        }
        let first = Self::first_row(part)?;
        Ok(i32::try_from(32 * offset).ok().and_then(|offset| first.checked_add(offset)))
    }

    /// Checks that the word at the address in `rax` is of a variable in local memory, and has `rcx` point to its row.
    fn check_local(&mut self, at: &mut Current<'_>, id: AccessId, (part, extent): (LocalPart, u64)) -> Result {
        let access = &at.segment.accesses[id as usize];
        if access.index.is_some() {
            return Err(CompileError::Unsupported("an irregular address of local memory"));
        }
        let room = part.bytes.checked_sub(extent).ok_or(CompileError::Unsupported("an access beyond a variable"))?;
        self.a.sub(rax, qword_ptr(rbx + field!(local_base)))?;
        self.add_constant((part.start as i64).wrapping_neg())?;
        if let Ok(room) = i32::try_from(room) {
            self.a.cmp(rax, room)?;
        } else {
            self.a.mov(rcx, room)?;
            self.a.cmp(rax, rcx)?;
        }
        self.a.ja(at.fail)?;
        if access.bytes < 4 {
            // Read as an operand of 16 bytes, of which eight count.
            let shift = self.take(16, 16)?;
            self.a.mov(rcx, rax)?;
            self.a.and(rcx, 3)?;
            self.a.shl(rcx, 3)?;
            self.a.mov(qword_ptr(rsp + shift), rcx)?;
            self.a.and(rax, -4)?;
            at.shifts[id as usize] = shift;
        }
        // A word of four bytes is a row of 128.
        self.a.mov(rcx, rax)?;
        self.a.shl(rcx, 5)?;
        self.a.add(rcx, qword_ptr(rbx + field!(local_rows)))?;
        let first = Self::first_row(part)?;
        Ok(self.a.add(rcx, first)?)
    }

    /// How far the first row of a variable is behind the first one of the frame.
    pub(super) fn first_row(part: LocalPart) -> Result<i32> {
        i32::try_from(128 * u64::from(part.row)).map_err(|_| CompileError::Unsupported("much local memory"))
    }

    /// Loads what the pattern of an index gives for lane 0; `rcx` is lost.
    pub(super) fn load_first(&mut self, index: &Index) -> Result {
        let Some(pattern) = index.pattern else { return Ok(self.a.xor(eax, eax)?) };
        let head = (pattern * self.routine.pattern_stride) as i32;
        self.a.mov(rcx, qword_ptr(rbx + field!(patterns)))?;
        self.a.mov(rax, qword_ptr(rcx + (head + offset_of!(PatternHead, first) as i32)))?;
        Ok(())
    }

    /// Asks the processor for what the access in `rcx` loads next, if its pattern goes on as it did. Processors do this where addresses
    /// are near each other; columns of a matrix are not. The lines go to the second level of the cache: lines that are a power of two
    /// apart push each other out of the first.
    fn fetch_ahead(&mut self, at: &Current<'_>, access: &Access) -> Result {
        let Some(index) = &access.index else { return Ok(()) };
        let segment = at.segment;
        let mut updates = segment.patterns_before.iter().chain(&segment.patterns);
        let Ok(factor) = i32::try_from(index.factor) else { return Ok(()) };
        let Some(pattern) = index.pattern.filter(|&pattern| updates.any(|update| update.pattern == pattern)) else {
            return Ok(());
        };
        let mut lines: Vec<i32> = Self::displacements(access)?.iter().map(|d| d / LINE * LINE).collect();
        lines.sort_unstable();
        lines.dedup();
        let head = (pattern * self.routine.pattern_stride) as i32;
        self.a.mov(rdx, qword_ptr(rbx + field!(patterns)))?;
        self.a.movsxd(rdx, dword_ptr(rdx + (head + offset_of!(PatternHead, advance) as i32)))?;
        if factor != 1 {
            self.a.imul_3(rdx, rdx, factor)?;
        }
        self.a.shl(rdx, AHEAD)?;
        for line in lines.into_iter().take(LINES_AHEAD) {
            self.a.prefetcht1(byte_ptr(rcx + rdx + line))?;
        }
        Ok(())
    }

    /// Tells of the accesses of which somebody wants to know; nothing can fail any more, and nothing was done yet.
    pub(super) fn tell(&mut self, at: &Current<'_>) -> Result {
        for &(access, number) in &at.segment.told {
            self.a.mov(rdi, qword_ptr(rbx + field!(user)))?;
            self.a.mov(esi, number)?;
            self.a.mov(rdx, qword_ptr(rsp + at.addresses[access as usize]))?;
            self.a.vzeroupper()?;
            self.a.call(qword_ptr(rbx + field!(tell)))?;
        }
        Ok(())
    }

    /// Checks that the sum in `rax` of lane 0 is exact in every lane: lowest and highest fit into 32 bits. Gives how far they are from it.
    pub(super) fn check_narrow(&mut self, index: &Index, fail: CodeLabel) -> Result<(i32, i32)> {
        let offsets = index.key.offsets().ok_or(CompileError::Unsupported("an irregular address"))?;
        let end = |offset: Option<i64>| {
            i32::try_from(offset.unwrap_or(0)).map_err(|_| CompileError::Unsupported("an irregular address"))
        };
        let (least, most) = (end(offsets.iter().min().copied())?, end(offsets.iter().max().copied())?);
        for offset in if least == most { vec![least] } else { vec![least, most] } {
            self.a.lea(rcx, qword_ptr(rax + offset))?;
            self.a.movsxd(rdx, iced_x86::code_asm::ecx)?;
            self.a.cmp(rcx, rdx)?;
            self.a.jne(fail)?;
        }
        Ok((least, most))
    }

    /// Checks that `extent` bytes from the offset in `rax` on lie before the length in the state.
    fn check_room(&mut self, at: &Current<'_>, extent: u64, len: i32) -> Result {
        let extent = i32::try_from(extent).map_err(|_| CompileError::Unsupported("an access of much memory"))?;
        self.a.mov(rdx, qword_ptr(rbx + len))?;
        self.a.cmp(rax, rdx)?;
        self.a.ja(at.fail)?;
        self.a.lea(rcx, qword_ptr(rax + extent))?;
        self.a.cmp(rcx, rdx)?;
        self.a.ja(at.fail)?;
        Ok(())
    }

    /// Adds a constant to `rax`.
    pub(super) fn add_constant(&mut self, constant: i64) -> Result {
        if constant == 0 {
            return Ok(());
        }
        if let Ok(small) = i32::try_from(constant) {
            self.a.add(rax, small)?;
        } else {
            self.a.mov(rcx, constant)?;
            self.a.add(rax, rcx)?;
        }
        Ok(())
    }

    /// How far the word of each lane is behind the host address of an access.
    pub(super) fn displacements(access: &Access) -> Result<[i32; 32]> {
        let offsets = access.offsets().ok_or(CompileError::Unsupported("an irregular address"))?;
        let low = offsets.iter().min().copied().unwrap_or(0);
        if matches!(access.place, Place::Local(_)) {
            return Ok(std::array::from_fn(|i| 4 * i as i32));
        }
        let mut out = [0; 32];
        for (out, offset) in out.iter_mut().zip(offsets) {
            *out = i32::try_from(offset - low).map_err(|_| CompileError::Unsupported("an access of much memory"))?;
        }
        Ok(out)
    }

    /// Where the host address of an access lies on the stack.
    pub(super) fn pointer(at: &Current<'_>, access: AccessId) -> AsmMemoryOperand {
        qword_ptr(rsp + at.pointers[access as usize])
    }
}

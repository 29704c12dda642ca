//! Frames: the registers of one activation of a function.
//!
//! A register is a row of lanes. In device code a uniform register also has a scalar, which holds for the group of lanes that
//! ran last (the active lanes). After a split, other groups in the same frame have files of scalars of their own, which are
//! saved while they do not run. The value of a uniform register in a lane is in exactly one place: the active scalars, a saved
//! file, or the row.

pub(crate) mod lane_pattern;
mod register_file;
pub(crate) mod scalars;

use self::lane_pattern::LanePattern;
use self::register_file::RegisterFile;
use crate::code::{Code, NativeFunction, Slot, Variant};
use ir::{FuncId, Ty};
use mem::Hint;
use std::sync::Arc;

/// Rows at the end of the files of words and of longs that belong to the loop of `exec`: results of a part of the lanes, and
/// masks to blend them by.
pub(crate) const SPARE: usize = 2;

/// A register's place and type, as [`Frame::get`] takes it.
pub(crate) type SlotRef = (Ty, Slot);

/// The slots of one activation, `W` lanes each.
#[derive(Clone, Debug)]
pub struct Frame<const W: usize> {
    /// The function.
    pub(crate) func: FuncId,
    /// Predicates, one bit a lane.
    pub(crate) preds: Vec<u32>,
    /// 32-bit values; narrower integers zero-extended.
    pub(crate) words: RegisterFile<[u32; W]>,
    /// 64-bit values.
    pub(crate) longs: RegisterFile<[u64; W]>,
    /// Uniform registers of 32 bits, then of 64 bits, then constants.
    pub(crate) scalars: Vec<u64>,
    /// How many of the scalars are registers of 32 and of 64 bits, in the variant that it runs.
    uniforms: [u32; 2],
    /// The number of the first scalar of 64 bits.
    narrow: u32,
    /// Whether no operation was done in it.
    pub(crate) is_fresh: bool,
    /// The lanes whose uniform registers are in `scalars`.
    pub(crate) active_lanes: u32,
    /// Lanes of groups that do not run, with their uniform registers.
    saved: Vec<(u32, Box<[u64]>)>,
    /// Files of such registers that nobody uses.
    unused: Vec<Box<[u64]>>,
    /// Whether somebody set a register from outside, so that uniform registers may differ.
    pub(crate) edited: bool,
    /// How the lanes of addresses differ.
    pub(crate) patterns: Vec<LanePattern<W>>,
    /// Where each address was found last, by number of its expression: an inline cache.
    pub(crate) hints: Vec<Hint>,
    /// Its compiled code, once there is some.
    pub(crate) native: Option<Arc<NativeFunction>>,
    /// Back edges of loops that the interpreter has passed while they counted.
    pub(crate) back_edges: u32,
    /// Address of the first byte of the frame's local memory, which is the warp's to keep; that of the host lies in memory.
    pub(crate) local_base: u64,
    /// Bytes of addresses that its local memory takes.
    pub(crate) local_span: u64,
    /// Where to go on when it returns: the frame, its operation after the call, and where the results go.
    pub(crate) caller: Option<Caller>,
    /// How many splits are in it or in what it called.
    pub(crate) users: u32,
}

/// Copies the lanes of `mask` from one row to another.
fn blend<T: Copy, const W: usize>(to: &mut [T; W], from: &[T; W], mask: u32) {
    for (lane, (to, &from)) in to.iter_mut().zip(from).enumerate() {
        *to = if mask >> lane & 1 != 0 { from } else { *to };
    }
}

/// The activation that a frame returns to.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Its frame.
    pub(crate) frame: u32,
    /// The operation of the call.
    pub(crate) pc: u32,
}

impl<const W: usize> Frame<W> {
    /// A frame for `code` with its constants in place and everything else zero.
    pub(crate) fn new(func: FuncId, code: &Code) -> Frame<W> {
        let most = |n: usize| code.variants.last().map_or(0, |w| w.uniforms[n]);
        let mut scalars = vec![0; (most(0) + most(1)) as usize];
        scalars.extend_from_slice(&code.scalars);
        let mut frame = Frame {
            func,
            preds: vec![0; code.files[0] as usize],
            words: RegisterFile::new(code.files[1] as usize + SPARE),
            longs: RegisterFile::new(code.files[2] as usize + SPARE),
            scalars,
            uniforms: code.variants.first().map_or([0; 2], |w| w.uniforms),
            narrow: most(0),
            is_fresh: true,
            active_lanes: 0,
            saved: Vec::new(),
            unused: Vec::new(),
            edited: false,
            patterns: vec![
                LanePattern::none();
                if W == 1 { 0 } else { code.variants.iter().map(|w| w.patterns.len()).max().unwrap_or(0) }
            ],
            hints: vec![Hint::default(); code.variants.first().map_or(0, |w| w.address_exprs.len())],
            native: None,
            back_edges: 0,
            local_base: 0,
            local_span: code.local_span,
            caller: None,
            users: 1,
        };
        for &(slot, value) in &code.constsp {
            frame.preds[slot as usize] = if value { u32::MAX } else { 0 };
        }
        for &(slot, value) in &code.consts32 {
            frame.words[slot as usize] = [value; W];
        }
        for &(slot, value) in &code.consts64 {
            frame.longs[slot as usize] = [value; W];
        }
        frame
    }

    /// Makes the frame as new for lanes that are about to enter it with registers that were not used yet; only what a run
    /// may read before it is assigned is cleared. With a mask, the uniform registers of these lanes are in `scalars`.
    pub(crate) fn restart(&mut self, code: &Code, mask: u32) {
        self.active_lanes = if code.variants.first().is_none_or(|w| w.ops.is_empty()) { 0 } else { mask };
        self.is_fresh = true;
        self.caller = None;
        self.saved.clear();
        self.edited = false;
        self.users = 1;
        for pattern in &mut self.patterns {
            pattern.head.mask = 0;
        }
        for &(slot, is_row) in &code.unset {
            self.fill(slot, is_row, 0);
        }
    }

    /// The lanes of `mask` run in it, and no others; their uniform registers are in `scalars`.
    pub(crate) fn begin(&mut self, mask: u32) {
        self.active_lanes = mask;
        self.saved.clear();
        self.users = 1;
    }

    /// Takes the variant that the block of its lanes allows, before its first operation. Registers that are uniform in only one of
    /// this variant and the one that the frame had go to where this variant looks for them.
    pub(crate) fn choose(&mut self, variant: &Variant) {
        self.is_fresh = false;
        let before = std::mem::replace(&mut self.uniforms, variant.uniforms);
        if before == variant.uniforms || self.active_lanes == 0 {
            return;
        }
        let first = self.active_lanes.trailing_zeros() as usize;
        for slot in before[0]..variant.uniforms[0] {
            self.scalars[slot as usize] = u64::from(self.words[slot as usize][first]);
        }
        for slot in before[1]..variant.uniforms[1] {
            self.scalars[(self.narrow + slot) as usize] = self.longs[slot as usize][first];
        }
        for slot in variant.uniforms[0]..before[0] {
            self.words[slot as usize] = [self.scalars[slot as usize] as u32; W];
        }
        for slot in variant.uniforms[1]..before[1] {
            self.longs[slot as usize] = [self.scalars[(self.narrow + slot) as usize]; W];
        }
    }

    /// The scalar of a slot, if it has one.
    fn scalar(&self, (ty, slot): SlotRef) -> Option<usize> {
        match ty {
            Ty::Pred => None,
            Ty::I64 | Ty::F64 => (slot < self.uniforms[1]).then_some((self.narrow + slot) as usize),
            _ => (slot < self.uniforms[0]).then_some(slot as usize),
        }
    }

    /// The bits of one lane of a slot.
    pub(crate) fn get(&self, place: SlotRef, lane: usize) -> u64 {
        if let Some(scalar) = self.scalar(place) {
            if self.active_lanes >> lane & 1 != 0 {
                return self.scalars[scalar];
            }
            if let Some((_, file)) = self.saved.iter().find(|p| p.0 >> lane & 1 != 0) {
                return file[scalar];
            }
        }
        self.row(place, lane)
    }

    /// The bits of one lane of a slot's row.
    pub(crate) fn row(&self, (ty, slot): SlotRef, lane: usize) -> u64 {
        match ty {
            Ty::Pred => u64::from(self.preds[slot as usize] >> lane & 1),
            Ty::I64 | Ty::F64 => self.longs[slot as usize][lane],
            _ => u64::from(self.words[slot as usize][lane]),
        }
    }

    /// Sets one lane of a slot, from outside of the code: what was known of registers is known no more.
    pub(crate) fn set(&mut self, place: SlotRef, lane: usize, bits: u64) {
        self.spill();
        self.edited = true;
        self.put(place, lane, bits);
    }

    /// Sets one lane of a slot; of a uniform register, that of all lanes of the group.
    pub(crate) fn put(&mut self, place: SlotRef, lane: usize, bits: u64) {
        if let Some(scalar) = self.scalar(place) {
            if self.active_lanes >> lane & 1 != 0 {
                self.scalars[scalar] = bits;
            } else if let Some((_, file)) = self.saved.iter_mut().find(|p| p.0 >> lane & 1 != 0) {
                file[scalar] = bits;
            }
        }
        let (ty, slot) = place;
        match ty {
            Ty::Pred => {
                let word = &mut self.preds[slot as usize];
                *word = *word & !(1 << lane) | ((bits as u32 & 1) << lane);
            }
            Ty::I64 | Ty::F64 => self.longs[slot as usize][lane] = bits,
            _ => self.words[slot as usize][lane] = bits as u32,
        }
    }

    /// Copies a slot of another frame in the lanes of `mask`.
    pub(crate) fn copy(&mut self, to: SlotRef, other: &Frame<W>, from: SlotRef, mask: u32) {
        if W == 1 {
            // Code of the host has no scalars.
            let (at, from) = (to.1 as usize, from.1 as usize);
            match to.0 {
                Ty::Pred => self.preds[at] = other.preds[from],
                Ty::I64 | Ty::F64 => self.longs[at] = other.longs[from],
                _ => self.words[at] = other.words[from],
            }
            return;
        }
        if self.scalar(to).is_some_and(|_| !self.is_in_rows())
            || other.scalar(from).is_some_and(|_| !other.is_in_rows())
        {
            for lane in scalar::lanes(mask) {
                self.put(to, lane, other.get(from, lane));
            }
            return;
        }
        let (to, from) = ((to.0, to.1 as usize), from.1 as usize);
        match to {
            (Ty::Pred, to) => self.preds[to] = self.preds[to] & !mask | other.preds[from] & mask,
            (Ty::I64 | Ty::F64, to) => blend(&mut self.longs[to], &other.longs[from], mask),
            (_, to) => blend(&mut self.words[to], &other.words[from], mask),
        }
    }

    /// Sets the scalar of a slot; every lane of its row if it has none, or if the row is needed too.
    pub(crate) fn fill(&mut self, (ty, slot): SlotRef, is_row: bool, bits: u64) {
        if let Some(scalar) = self.scalar((ty, slot)) {
            self.scalars[scalar] = bits;
            if !is_row {
                return;
            }
        }
        match ty {
            Ty::Pred => self.preds[slot as usize] = if bits & 1 != 0 { u32::MAX } else { 0 },
            Ty::I64 | Ty::F64 => self.longs[slot as usize] = [bits; W],
            _ => self.words[slot as usize] = [bits as u32; W],
        }
    }

    /// Makes `scalars` the file of the lanes of `mask`, which are about to run together.
    pub(crate) fn switch_to(&mut self, mask: u32) {
        let registers = (self.narrow + self.uniforms[1]) as usize;
        let rest = self.active_lanes & !mask;
        if rest != 0 && registers != 0 {
            let own = &self.scalars[..registers];
            let file = match self.unused.pop().filter(|file| file.len() == registers) {
                Some(mut file) => {
                    file.copy_from_slice(own);
                    file
                }
                None => own.into(),
            };
            self.saved.push((rest, file));
        }
        let first = mask.trailing_zeros() as usize;
        if self.active_lanes >> first & 1 == 0 {
            if let Some((_, file)) = self.saved.iter().find(|p| p.0 >> first & 1 != 0) {
                self.scalars[..registers].copy_from_slice(file);
            } else {
                let (narrow, wide) = self.scalars[..registers].split_at_mut(self.narrow as usize);
                let words = self.words.iter().take(self.uniforms[0] as usize);
                narrow.iter_mut().zip(words).for_each(|(s, row)| *s = u64::from(row[first]));
                wide.iter_mut().zip(self.longs.iter()).for_each(|(s, row)| *s = row[first]);
            }
        }
        let mut i = 0;
        while let Some(group) = self.saved.get_mut(i) {
            group.0 &= !mask;
            if group.0 == 0 {
                self.unused.push(self.saved.swap_remove(i).1);
            } else {
                i += 1;
            }
        }
        self.active_lanes = mask;
    }

    /// Puts all uniform registers into their rows.
    pub(crate) fn spill(&mut self) {
        for pattern in &mut self.patterns {
            pattern.head.mask = 0;
        }
        let registers = (self.narrow + self.uniforms[1]) as usize;
        let own = (self.active_lanes, self.scalars[..registers].into());
        for (mask, file) in std::iter::once(own).chain(std::mem::take(&mut self.saved)) {
            for lane in scalar::lanes(mask) {
                for i in 0..self.uniforms[0] as usize {
                    self.words[i][lane] = file[i] as u32;
                }
                for i in 0..self.uniforms[1] as usize {
                    self.longs[i][lane] = file[self.narrow as usize + i];
                }
            }
        }
        self.active_lanes = 0;
    }

    /// Takes all registers of the lanes of `mask` from a frame of the same function.
    pub(crate) fn take_lanes(&mut self, other: &mut Frame<W>, mask: u32) {
        self.spill();
        other.spill();
        self.edited = true;
        for (to, from) in self.preds.iter_mut().zip(&other.preds) {
            *to = *to & !mask | from & mask;
        }
        self.words.iter_mut().zip(other.words.iter()).for_each(|(to, from)| blend(to, from, mask));
        self.longs.iter_mut().zip(other.longs.iter()).for_each(|(to, from)| blend(to, from, mask));
    }

    /// Puts the registers into a hash.
    pub(crate) fn hash_state(&self, hasher: &mut impl std::hash::Hasher) {
        use std::hash::Hash;
        let own = |rows: usize| rows.saturating_sub(SPARE);
        (self.func, &self.preds, self.active_lanes, &self.saved).hash(hasher);
        self.words[..own(self.words.len())].hash(hasher);
        self.longs[..own(self.longs.len())].hash(hasher);
        self.scalars.hash(hasher);
    }

    /// Whether every register is in its row.
    pub(crate) fn is_in_rows(&self) -> bool {
        self.active_lanes == 0 && self.saved.is_empty()
    }
}

//! Frames: the slots of one activation of a function.

use crate::code::{Code, Slot};
use ir::{FuncId, Ty};

/// A register's place and type, as [`Frame::get`] takes it.
pub type SlotRef = (Ty, Slot);

/// The slots of one activation, `W` lanes each, and its local memory.
#[derive(Clone, Debug)]
pub struct Frame<const W: usize> {
    /// The function.
    pub func: FuncId,
    /// Predicates, one bit a lane.
    pub preds: Vec<u32>,
    /// 32-bit values; narrower integers zero-extended.
    pub words: Vec<[u32; W]>,
    /// 64-bit values.
    pub longs: Vec<[u64; W]>,
    /// Local memory, the bytes of lane 0 first. Of the host it is empty: its frames lie in memory.
    pub local: Vec<u8>,
    /// Address of the first byte of the frame's local memory.
    pub local_base: u64,
    /// Bytes of local memory a lane.
    pub local_bytes: u64,
    /// Where to go on when it returns: the frame, its operation after the call, and where the results go.
    pub caller: Option<Caller>,
    /// How many fragments are in it or in what it called.
    pub users: u32,
}

/// The activation that a frame returns to.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Its frame.
    pub frame: u32,
    /// The operation of the call.
    pub pc: u32,
}

impl<const W: usize> Frame<W> {
    /// A frame for `code` with its constants in place and everything else zero.
    pub(crate) fn new(func: FuncId, code: &Code) -> Frame<W> {
        let mut frame = Frame {
            func,
            preds: vec![0; code.files[0] as usize],
            words: vec![[0; W]; code.files[1] as usize],
            longs: vec![[0; W]; code.files[2] as usize],
            local: Vec::new(),
            local_base: 0,
            local_bytes: code.local_bytes,
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

    /// The bits of one lane of a slot.
    pub fn get(&self, (ty, slot): SlotRef, lane: usize) -> u64 {
        match ty {
            Ty::Pred => u64::from(self.preds[slot as usize] >> lane & 1),
            Ty::I64 | Ty::F64 => self.longs[slot as usize][lane],
            _ => u64::from(self.words[slot as usize][lane]),
        }
    }

    /// Sets one lane of a slot.
    pub fn set(&mut self, (ty, slot): SlotRef, lane: usize, bits: u64) {
        match ty {
            Ty::Pred => {
                let word = &mut self.preds[slot as usize];
                *word = *word & !(1 << lane) | ((bits as u32 & 1) << lane);
            }
            Ty::I64 | Ty::F64 => self.longs[slot as usize][lane] = bits,
            _ => self.words[slot as usize][lane] = bits as u32,
        }
    }

    /// Sets every lane of a slot.
    pub fn fill(&mut self, (ty, slot): SlotRef, bits: u64) {
        match ty {
            Ty::Pred => self.preds[slot as usize] = if bits & 1 != 0 { u32::MAX } else { 0 },
            Ty::I64 | Ty::F64 => self.longs[slot as usize] = [bits; W],
            _ => self.words[slot as usize] = [bits as u32; W],
        }
    }
}

//! An access of two numbers of 16 bits, as the accesses of each that it is for the order of memory.
//!
//! Source: PTX ISA, "Memory Consistency Model", "Packed Data Types".

use ir::Ty;
use ir::op::AtomOp;
use mem::LaneAddresses;
use vm::{AccessEvent, AccessKind, Values};

/// Bytes of a number.
const BYTES: usize = 2;

/// What the two accesses have for their own.
pub(crate) struct Halves {
    second: LaneAddresses<32>,
    values: [[u32; 32]; 2],
}

impl Halves {
    /// The halves of an access; `None` if it is whole.
    pub(crate) fn of(event: &AccessEvent<'_, 32>) -> Option<Halves> {
        let AccessKind::Atomic { op: AtomOp::AddHalf, ty: Ty::I32, .. } = event.kind else { return None };
        let values = [0, 16].map(|shift| std::array::from_fn(|lane| (event.values.get(lane) >> shift) as u32 & 0xffff));
        Some(Halves { second: event.lanes.moved(BYTES as i64), values })
    }

    /// The two accesses.
    pub(crate) fn events<'a>(&'a self, event: &AccessEvent<'a, 32>) -> [AccessEvent<'a, 32>; 2] {
        let [first, second] = self.values.each_ref().map(Values::Words);
        [
            AccessEvent { bytes: BYTES, values: first, ..*event },
            AccessEvent { bytes: BYTES, values: second, lanes: &self.second, ..*event },
        ]
    }
}

//! Loop traces: loops of device code that only compute and load, as straight lists of steps.
//!
//! Not here: which loops become traces (`compile::trace`) and how they run (`exec::trace`).

use super::{MemOp, Op, Operands, R2, R3, R4, R5, RegFile, Slot, Term};
use ir::op::CmpOp;

/// A loop in a variant's operations.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Trace {
    /// An iteration.
    pub(crate) steps: Vec<Step>,
    /// What an iteration loads, in order; [`LOADS`] at most.
    pub(crate) loads: Vec<Load>,
    /// Where lanes that leave wait.
    pub(crate) exit: u32,
    /// Whether the lanes that leave are those that take the branch.
    pub(crate) takes: bool,
}

/// A load of an iteration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Load {
    /// The operation.
    pub(crate) pc: u32,
    pub(crate) m: MemOp,
    /// The only part of its address that changes from iteration to iteration; its factor is 0 if none does.
    pub(crate) moving: Term,
}

/// How many loads an iteration has at most.
pub(crate) const LOADS: usize = 8;

/// A part of an iteration.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Step {
    pub(crate) op: TraceOp,
    /// Lanes in which its row is not to be touched: [`ELSEWHERE`], [`LEFT`], none or both.
    pub(crate) masked: u8,
}

/// Lanes that are not in the loop when it begins.
pub(crate) const ELSEWHERE: u8 = 1;
/// Lanes that have left it.
pub(crate) const LEFT: u8 = 2;

computing_ops! { op_enum
    /// An operation of a trace: those that only compute, and what else a trace is made of.
    TraceOp {
        UCmp { op: CmpOp, wide: bool, r: R3 },
        BackEdge,
        /// `d = a & b == 0`
        NoBits32(R3),
        NoBits64(R3),
        /// `d = a` where `x & y == 0`, else `b`.
        ChooseNoBits32(R5),
        ChooseNoBits64(R5),
        /// A shift of all lanes by as many bits, fewer than the width.
        ShlBy32(R2, u32),
        ShrUBy32(R2, u32),
        ShrSBy32(R2, u32),
        ShlBy64(R2, u32),
        ShrUBy64(R2, u32),
        ShrSBy64(R2, u32),
        /// The load of that number in the loop: of words or of longs, of shared memory or of another.
        LoadRow {
            number: u32,
            wide: bool,
            shared: bool,
        },
        /// The load of that number, one word for all lanes.
        LoadWord {
            number: u32,
        },
        /// Compares scalars for the next [`TraceOp::SideExitTested`].
        Test {
            op: CmpOp,
            wide: bool,
            r: R3,
        },
        /// All lanes leave if the last test came out as it says.
        SideExitTested {
            holds: bool,
        },
        /// Lanes leave for which the predicate is as it says.
        SideExit {
            p: Slot,
            holds: bool,
        },
        /// Lanes leave for which the comparison, of 64 bits if `wide`, else of 32, comes out as it says.
        SideExitInts {
            op: CmpOp,
            wide: bool,
            a: Slot,
            b: Slot,
            holds: bool,
        },
    }
}

computing_ops! { op_cast computing Op TraceOp }

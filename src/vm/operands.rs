//! What operations of compact code work on: slots of the frame, words of memory, and the parts of an address.

use crate::code::Slot;
use ir::op::AtomOp;
use ir::rt::Rt;
use ir::{Access, FuncId, Scope, Space, Ty};

/// A register times a constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Term {
    /// Its slot: 32 bits, sign-extended, if `narrow`, else 64 bits.
    pub slot: Slot,
    /// The number of its scalar, if it is uniform.
    pub scalar: Slot,
    /// Whether it is a 32-bit integer.
    pub narrow: bool,
    /// What it is multiplied by.
    pub factor: i64,
}

/// An address: the sum of its parts modulo 2⁶⁴.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Form {
    /// The constant part.
    pub base: i64,
    /// Whether the address of the frame's local memory is added.
    pub local: bool,
    /// Uniform registers.
    pub terms: Vec<Term>,
    /// The part that differs by lane.
    pub index: Option<Index>,
}

/// The part of an address that differs by lane.
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// What it is multiplied by.
    pub factor: i64,
    /// Number of the spread.
    pub spread: u32,
    /// Whether the spread is worked out where its registers are assigned.
    pub kept: bool,
    /// Whether spread, `base` and `terms` are added as 32-bit integers that wrap before they are multiplied.
    pub wraps: bool,
    /// With `wraps`: a constant.
    pub base: i64,
    /// With `wraps`: uniform registers of 32 bits.
    pub terms: Vec<Term>,
}

/// A sum of registers that differ by lane; those of 32 bits never so many or so large that 64 bits overflow.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SpreadCode {
    /// The registers.
    pub terms: Vec<Term>,
}

/// Width of a memory word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// One byte, in a 32-bit slot.
    W8,
    /// Two bytes, in a 32-bit slot.
    W16,
    /// Four bytes.
    W32,
    /// Eight bytes.
    W64,
}

impl Width {
    /// Size in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Width::W8 => 1,
            Width::W16 => 2,
            Width::W32 => 4,
            Width::W64 => 8,
        }
    }

    pub(crate) fn of(ty: Ty) -> Width {
        match ty.bytes() {
            1 => Width::W8,
            2 => Width::W16,
            4 => Width::W32,
            _ => Width::W64,
        }
    }
}

/// A result and an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // The letters are those of the operation's text: `d = op a, b, c`.
pub struct R2 {
    pub d: Slot,
    pub a: Slot,
}

/// A result and two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct R3 {
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
}

/// A result and three operands; of a selection, `c` is the predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct R4 {
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
}

/// A result, two operands, and two that say which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct R5 {
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
    pub x: Slot,
    pub y: Slot,
}

/// A load or a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemOp {
    /// The word.
    pub width: Width,
    /// The space that the instruction names.
    pub space: Space,
    /// How it touches memory.
    pub access: Access,
    /// The slot of the value; of a uniform load its scalar.
    pub value: Slot,
    /// Number of the address.
    pub form: u32,
}

/// Operands of an atomic operation.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct AtomicOp {
    pub op: AtomOp,
    pub ty: Ty,
    pub space: Space,
    pub scope: Scope,
    pub d: Option<Slot>,
    pub used: bool,
    pub form: u32,
    pub a: Slot,
    pub b: Option<Slot>,
}

/// Operands of a call.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct CallOp {
    pub func: FuncId,
    pub args: Box<[(Ty, Slot)]>,
    pub results: Box<[(Ty, Slot)]>,
}

/// Operands of a call of a service.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct RtOp {
    pub rt: Rt,
    pub args: Box<[(Ty, Slot)]>,
    pub results: Box<[(Ty, Slot)]>,
}

/// Operands of a branch to one of several places.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct SwitchOp {
    pub ty: Ty,
    pub a: Slot,
    pub arms: Box<[(i64, u32)]>,
    pub default: u32,
    pub join: u32,
}

/// Operands of a launch.
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchOp {
    /// The kernel.
    pub func: FuncId,
    /// Grid and block extents: 32-bit slots.
    pub extents: [Slot; 6],
    /// Dynamic shared bytes: a 64-bit slot.
    pub bytes: Slot,
    /// The stream: a 64-bit slot.
    pub stream: Slot,
    /// The arguments.
    pub args: Box<[(Ty, Slot)]>,
}

//! What operations of compact code work on: slots of the frame, words of memory, and the parts of an address.

use super::Slot;
use crate::memory::local::Part;
use ir::op::AtomOp;
use ir::rt::Rt;
use ir::{Access, FuncId, Scope, Space, Ty};

/// A register times a constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Term {
    /// Its slot: 32 bits, sign-extended, if `narrow`, else 64 bits.
    pub(crate) slot: Slot,
    /// The number of its scalar, if it is uniform.
    pub(crate) scalar: Slot,
    /// Whether it is a 32-bit integer.
    pub(crate) narrow: bool,
    /// What it is multiplied by.
    pub(crate) factor: i64,
}

/// An address: the sum of its parts modulo 2⁶⁴.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct AddressExpr {
    /// The constant part.
    pub(crate) base: i64,
    /// Whether the address of the frame's local memory is added.
    pub(crate) local: bool,
    /// The local variable of device code that it begins with, if that is known.
    pub(crate) part: Option<Part>,
    /// Uniform registers.
    pub(crate) terms: Vec<Term>,
    /// The part that differs by lane.
    pub(crate) index: Option<Index>,
}

/// The part of an address that differs by lane.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Index {
    /// What it is multiplied by.
    pub(crate) factor: i64,
    /// Number of the pattern.
    pub(crate) pattern: u32,
    /// Whether the pattern is worked out where its registers are assigned.
    pub(crate) kept: bool,
    /// Whether pattern, `base` and `terms` are added as 32-bit integers that wrap before they are multiplied.
    pub(crate) wraps: bool,
    /// With `wraps`: a constant.
    pub(crate) base: i64,
    /// With `wraps`: uniform registers of 32 bits.
    pub(crate) terms: Vec<Term>,
}

/// A sum of registers that differ by lane; those of 32 bits never so many or so large that 64 bits overflow.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PatternCode {
    /// The registers.
    pub(crate) terms: Vec<Term>,
}

/// Width of a memory word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
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
    pub(crate) fn bytes(self) -> usize {
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
pub(crate) struct R2 {
    pub(crate) d: Slot,
    pub(crate) a: Slot,
}

/// A result and two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct R3 {
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
}

/// A result and three operands; of a selection, `c` is the predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct R4 {
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
}

/// A load or a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemOp {
    /// The word.
    pub(crate) width: Width,
    /// The space that the instruction names.
    pub(crate) space: Space,
    /// How it touches memory.
    pub(crate) access: Access,
    /// The slot of the value; of a uniform load its scalar.
    pub(crate) value: Slot,
    /// Number of the address.
    pub(crate) expr: u32,
}

impl MemOp {
    /// Whether it is an access of so many bits by a generic address, which nothing but its place makes different from others.
    #[inline(always)]
    pub(crate) fn is_plain_generic(&self, width: Width) -> bool {
        self.space == Space::Generic && self.access != Access::Volatile && self.width == width
    }
}

/// Operands of an atomic operation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AtomicOp {
    pub(crate) op: AtomOp,
    pub(crate) ty: Ty,
    pub(crate) space: Space,
    pub(crate) scope: Scope,
    pub(crate) d: Option<Slot>,
    pub(crate) used: bool,
    pub(crate) expr: u32,
    pub(crate) a: Slot,
    pub(crate) b: Option<Slot>,
}

/// Operands of a call.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CallOp {
    pub(crate) func: FuncId,
    pub(crate) args: Box<[(Ty, Slot)]>,
    pub(crate) results: Box<[(Ty, Slot)]>,
}

/// Operands of a call of a service.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RtOp {
    pub(crate) rt: Rt,
    pub(crate) args: Box<[(Ty, Slot)]>,
    pub(crate) results: Box<[(Ty, Slot)]>,
}

/// Operands of a branch to one of several places.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SwitchOp {
    pub(crate) ty: Ty,
    pub(crate) a: Slot,
    pub(crate) arms: Box<[(i64, u32)]>,
    pub(crate) default: u32,
    pub(crate) join: u32,
}

/// Operands of a launch.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LaunchOp {
    /// The kernel.
    pub(crate) func: FuncId,
    /// Grid and block extents: 32-bit slots.
    pub(crate) extents: [Slot; 6],
    /// Dynamic shared bytes: a 64-bit slot.
    pub(crate) bytes: Slot,
    /// The stream: a 64-bit slot.
    pub(crate) stream: Slot,
    /// The arguments.
    pub(crate) args: Box<[(Ty, Slot)]>,
}

/// Lanes that are farther apart are taken one by one, so that products with factors below it do not overflow.
pub(crate) const FAR: i64 = 1 << 31;

//! Descriptors of allocatables, pointers and polymorphic objects, in memory or in registers.
//!
//! Not here: reading and writing them (`builder::descriptor`).

use crate::value::lvalue::MemRef;
use ir::{Reg, Space, Val};

/// The descriptor of an allocatable or pointer.
#[derive(Clone, Debug)]
pub(crate) struct Descriptor {
    pub(crate) at: DescriptorAt,
    pub(crate) rank: u8,
    /// The space of the data.
    pub(crate) data: Space,
    pub(crate) volatile: bool,
    /// Bytes of an element; `None` for a character of deferred length, whose descriptor says it.
    pub(crate) element: Option<Val>,
    /// Whether the data is a character.
    pub(crate) is_char: bool,
    /// Allocatable: always contiguous.
    pub(crate) contiguous: bool,
    /// Polymorphic: the dynamic type follows the descriptor, and the element's bytes are those of that type.
    pub(crate) class: bool,
    /// An assumed-size array, for an assumed-rank dummy.
    pub(crate) assumed_size: bool,
}

/// Where a descriptor is.
#[derive(Clone, Debug)]
pub(crate) enum DescriptorAt {
    /// In memory.
    Mem(MemRef),
    /// In registers.
    Regs(DescriptorRegs),
}

/// A descriptor in registers.
#[derive(Clone, Debug)]
pub(crate) struct DescriptorRegs {
    pub(crate) base: Reg,
    pub(crate) len: Option<Reg>,
    /// Lower bound, extent, stride.
    pub(crate) dims: Vec<[Reg; 3]>,
}

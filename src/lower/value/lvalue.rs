//! Memory references, lvalues of scalars, and allocated memory.
//!
//! Not here: loads and stores (`builder::memory`).

use ir::{Access, Reg, Space, Val};

/// A place in memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct MemRef {
    /// An address.
    pub(crate) addr: Val,
    /// Bytes from there.
    pub(crate) offset: i64,
    /// The space. In host code everything but [`Space::Host`] is out of reach.
    pub(crate) space: Space,
    /// Whether accesses are volatile.
    pub(crate) volatile: bool,
}

impl MemRef {
    /// The place at an address.
    pub(crate) fn at(addr: Val, space: Space) -> MemRef {
        MemRef { addr, offset: 0, space, volatile: false }
    }

    /// The place some constant bytes further.
    pub(crate) fn plus(self, bytes: i64) -> MemRef {
        MemRef { offset: self.offset.wrapping_add(bytes), ..self }
    }

    /// How the memory is accessed.
    pub(crate) fn access(self) -> Access {
        if self.volatile { Access::Volatile } else { Access::Plain }
    }
}

/// Where a scalar designator's value is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lvalue {
    /// In a register.
    Reg(Reg),
    /// In two registers.
    Complex(Reg, Reg),
    /// In memory.
    Mem(MemRef),
    /// Characters in memory, and their number; a flat object that is the value of an expression, and its bytes.
    Char(MemRef, Val),
}

/// Memory that a service allocated.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    /// The memory it was allocated from.
    pub(crate) location: i32,
    /// Its address.
    pub(crate) addr: Val,
    /// Whether the address may be 0, with nothing to free.
    pub(crate) may_be_null: bool,
}

/// The place of an array element.
pub(crate) fn element_lvalue(mem: MemRef, len: Option<Val>) -> Lvalue {
    len.map_or(Lvalue::Mem(mem), |len| Lvalue::Char(mem, len))
}

//! What the detector is told about one memory instruction of one warp.
//!
//! The types are plain data: an emulator fills them in from its registers. The words are those of PTX (ISA 8.7, "Memory Consistency Model"): an access is *weak* or *strong*, a strong
//! one has a scope, and the scope of a warp does not exist.

use mem::LaneAddresses;

/// Lanes of a warp.
pub const LANES: usize = 32;

/// The memory that an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Global memory (also managed and pinned memory): addresses are numbers common to all blocks.
    Global,
    /// Shared memory: addresses are byte offsets in the block's own shared memory.
    Shared,
}

/// The set of threads with which a strong operation or a fence can synchronise (PTX: `.cta`, `.gpu`, `.sys`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The threads of the same block (`threadfence_block`).
    Cta,
    /// The threads of the same device (`threadfence`).
    Gpu,
    /// All threads, the host's too (`threadfence_system`).
    Sys,
}

impl Scope {
    /// Whether the scope reaches beyond one block. Within one launch `.gpu` and `.sys` are the same.
    pub fn is_wide(self) -> bool {
        self != Self::Cta
    }
}

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A plain load.
    Read,
    /// A plain store.
    Write,
    /// An atomic read-modify-write whose result is used (`atom`).
    Atomic,
    /// An atomic update without a result (`red`): it never acquires.
    Reduce,
    /// A load of a `volatile` variable, or a relaxed load.
    VolatileRead,
    /// A store to a `volatile` variable, or a relaxed store.
    VolatileWrite,
    /// The memory is freed: a plain store of another value than any.
    Free,
}

impl Kind {
    /// Whether the access reads memory.
    pub fn is_read(self) -> bool {
        !matches!(self, Self::Write | Self::VolatileWrite | Self::Free)
    }

    /// Whether the access writes memory.
    pub fn is_write(self) -> bool {
        !matches!(self, Self::Read | Self::VolatileRead)
    }

    /// Whether the access reads and writes in one indivisible step.
    pub fn is_rmw(self) -> bool {
        matches!(self, Self::Atomic | Self::Reduce)
    }

    /// Whether the access is strong in the sense of PTX.
    pub fn is_strong(self) -> bool {
        !matches!(self, Self::Read | Self::Write | Self::Free)
    }

    /// Whether the access can be the read of an acquire pattern.
    pub fn is_acquiring(self) -> bool {
        matches!(self, Self::Atomic | Self::VolatileRead)
    }
}

/// One memory instruction of one warp.
#[derive(Clone, Copy, Debug)]
pub struct WarpAccess<'a> {
    /// The warp's number in its block, from 0.
    pub warp: u32,
    /// The lanes that execute the instruction.
    pub active: u32,
    /// The active lanes whose compare-and-swap did not swap: for them the instruction is only a strong read.
    pub failed: u32,
    /// What the instruction does.
    pub kind: Kind,
    /// The scope of a strong access; of no meaning for a weak one.
    pub scope: Scope,
    /// Bytes that each lane accesses (1 and more).
    pub width: u32,
    /// Where each lane accesses; of shared memory offsets in the block's own.
    pub addresses: &'a LaneAddresses<LANES>,
    /// All lanes in the order in which an atomic takes them; `None` if by number.
    pub order: Option<&'a [u8; LANES]>,
}

impl WarpAccess<'_> {
    /// What `lane` does: a failed compare-and-swap is a strong read.
    pub fn kind_of(&self, lane: usize) -> Kind {
        if self.kind.is_rmw() && self.failed >> lane & 1 == 1 { Kind::VolatileRead } else { self.kind }
    }

    /// The active lanes in the order in which an atomic takes them.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = usize> {
        let (active, order) = (self.active, self.order);
        let lane = move |at: usize| order.map_or(at, |order| usize::from(order[at]) % LANES);
        (0..LANES).map(lane).filter(move |lane| active >> lane & 1 == 1)
    }
}

/// A thread of a launch: the linear number of its block and its linear number in the block, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thread {
    /// The linear number of the block.
    pub block: u32,
    /// The linear number of the thread in its block.
    pub tid: u16,
}

impl Thread {
    /// The thread's warp in its block.
    pub fn warp(self) -> u32 {
        u32::from(self.tid) / LANES as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_compare_and_swap_is_a_read() {
        let access = WarpAccess {
            warp: 0,
            active: 3,
            failed: 2,
            kind: Kind::Atomic,
            scope: Scope::Gpu,
            width: 4,
            addresses: &LaneAddresses::uniform(64),
            order: None,
        };
        assert_eq!(access.kind_of(0), Kind::Atomic);
        assert_eq!(access.kind_of(1), Kind::VolatileRead);
        let turned: [u8; LANES] = std::array::from_fn(|at| (LANES - 1 - at) as u8);
        assert_eq!(access.in_order().collect::<Vec<_>>(), [0, 1]);
        assert_eq!(WarpAccess { order: Some(&turned), ..access }.in_order().collect::<Vec<_>>(), [1, 0]);
    }
}

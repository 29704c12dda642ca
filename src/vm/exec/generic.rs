//! Loads and stores of generic addresses that follow a rule: all lanes at once, if they lie in one memory. Dummy arguments of device
//! procedures are read and written in this way, where the actual arguments are often local to the caller.
//!
//! Where they do not lie in one memory, or a lane may not do it, nothing is done and the caller looks lane by lane (`access`).

use super::access::is_open;
use crate::memory::local::{self, InRows, Local};
use crate::memory::shared_memory;
use crate::memory::slow_path::{Target, target};
use ir::Space;
use mem::{Hint, MemoryView, Strided, Word};

/// The memories of a warp.
pub(crate) struct Memories<'a, 'm, const W: usize> {
    pub(crate) memory: &'a MemoryView<'m>,
    pub(crate) shared: &'a mut [u8],
    pub(crate) locals: &'a mut [Local<W>],
    /// The regions that may be touched.
    pub(crate) open: u64,
    /// The frame that executes, in whose local memory the addresses may be.
    pub(crate) frame: u32,
}

/// The one memory in which the words of all lanes lie, active or not.
#[inline(always)]
fn one_target<const W: usize>(space: Space, g: &Strided<W>) -> Option<Target> {
    let to = target(space, g.low());
    (g.is_uniform() || to == target(space, g.low().saturating_add(g.span()))).then_some(to)
}

impl<const W: usize> Memories<'_, '_, W> {
    /// Reads one word for each lane of `mask`, and perhaps for others; false if nothing was read.
    #[inline(always)]
    pub(crate) fn load<T: Word + InRows>(
        &self,
        space: Space,
        (g, mask): (&Strided<W>, u32),
        out: &mut [T; W],
        hint: &mut Hint,
    ) -> bool {
        match one_target(space, g) {
            Some(Target::Memory) => {
                is_open::<W>(self.open, g, T::BYTES) && self.memory.load_strided(g, mask, out, hint)
            }
            Some(Target::Shared) => shared_memory::load(self.shared, g, out),
            Some(Target::Local) => local::load(self.locals, self.frame, g, out),
            Some(Target::Cluster) | None => false,
        }
    }

    /// Writes one word for each lane of `mask`; false if nothing was written.
    #[inline(always)]
    pub(crate) fn store<T: Word + InRows>(
        &mut self,
        space: Space,
        (g, mask): (&Strided<W>, u32),
        row: &[T; W],
        hint: &mut u32,
    ) -> bool {
        match one_target(space, g) {
            Some(Target::Memory) => {
                is_open::<W>(self.open, g, T::BYTES) && self.memory.store_strided(g, mask, row, hint)
            }
            Some(Target::Shared) => shared_memory::store(self.shared, g, mask, row),
            Some(Target::Local) => local::store(self.locals, self.frame, g, mask, row),
            Some(Target::Cluster) | None => false,
        }
    }
}

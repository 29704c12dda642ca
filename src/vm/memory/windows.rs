//! Where compiled code found pages of memory, so that it finds them again without a call.

use jit::Window;
use mem::MemoryView;

/// A table of windows; it holds for one state of the memory.
#[derive(Clone, Debug, Default)]
pub struct WindowTable {
    /// [`Window::COUNT`] to read and as many to write, once there is one.
    windows: Vec<Window>,
    /// The entries that are filled, one bit each.
    filled: u64,
    /// See [`mem::Memory::generation`].
    generation: u64,
}

impl WindowTable {
    /// The table for a state of the memory: what was found in another is forgotten.
    pub(crate) fn at(&mut self, generation: u64) -> *mut Window {
        if self.generation != generation {
            while self.filled != 0 {
                self.windows[self.filled.trailing_zeros() as usize] = Window::EMPTY;
                self.filled &= self.filled - 1;
            }
            self.generation = generation;
        }
        if self.windows.is_empty() {
            self.windows.resize(2 * Window::COUNT, Window::EMPTY);
        }
        self.windows.as_mut_ptr()
    }

    /// Notes the window that an access of so many bytes at an address lies in; whether there is one. Accesses differ in `salt`.
    pub(crate) fn fill(
        &mut self,
        memory: MemoryView<'_>,
        (address, extent): (u64, u64),
        salt: u32,
        writes: bool,
    ) -> bool {
        let Some(found) = memory.window(address, writes) else { return false };
        if found.len < extent || address.wrapping_sub(found.low) > found.len - extent {
            return false;
        }
        if writes && memory.generation() != self.generation {
            // The page may have been replaced by a copy, and others still see the old one.
            let stale = self.windows[..Window::COUNT].iter_mut().filter(|w| w.low == found.low);
            stale.for_each(|window| *window = Window::EMPTY);
        }
        let entry = Window::entry(address, salt, writes);
        self.windows[entry] = Window { low: found.low, len: found.len, place: found.place, rest: 0 };
        self.filled |= 1 << entry;
        true
    }
}

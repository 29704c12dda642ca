//! Where compiled code found pages of memory, so that it finds them again without a call.

use jit::Window;
use jit::host::{Site, SiteInfo};
use mem::{MemoryView, MemoryWindow, PageTable};

const _: () = assert!(PageTable::PAGE == 1 << Window::PAGE);

/// A table of windows; it holds for one state of the memory.
#[derive(Clone, Debug, Default)]
pub struct WindowTable {
    /// [`Window::COUNT`] to read and as many to write, then [`Window::ALLOCATIONS`] of whole allocations to read and as many to
    /// write, once there is one.
    windows: Vec<Window>,
    /// The entries that are filled, one bit each, of those that are no allocations.
    filled: [u64; 2 * Window::COUNT / 64],
    /// Whether one of an allocation is filled.
    has_allocations: bool,
    /// Where the loads and stores of host code were found last.
    sites: Vec<Site>,
    /// The sites that are filled.
    filled_sites: Vec<u32>,
    /// See [`mem::Memory::generation`].
    generation: u64,
}

impl WindowTable {
    /// The table for a state of the memory: what was found in another is forgotten.
    pub(crate) fn at(&mut self, generation: u64) -> *mut Window {
        self.forget(generation);
        if self.windows.is_empty() {
            self.windows.resize(2 * Window::COUNT + 2 * Window::ALLOCATIONS, Window::EMPTY);
        }
        self.windows.as_mut_ptr()
    }

    fn forget(&mut self, generation: u64) {
        if self.generation != generation {
            for (group, filled) in self.filled.iter_mut().enumerate() {
                while *filled != 0 {
                    self.windows[64 * group + filled.trailing_zeros() as usize] = Window::EMPTY;
                    *filled &= *filled - 1;
                }
            }
            if std::mem::take(&mut self.has_allocations) {
                self.windows[2 * Window::COUNT..].fill(Window::EMPTY);
            }
            for number in self.filled_sites.drain(..) {
                self.sites[number as usize] = Site::EMPTY;
            }
            self.generation = generation;
        }
    }

    /// The table of at least so many sites for a state of the memory.
    pub(crate) fn sites_at(&mut self, generation: u64, count: usize) -> *mut Site {
        self.forget(generation);
        if self.sites.len() < count {
            self.sites.resize(count, Site::EMPTY);
        }
        self.sites.as_mut_ptr()
    }

    /// Notes where an access of host code at an address was found; whether it was.
    pub(crate) fn fill_site(
        &mut self,
        memory: MemoryView<'_>,
        address: u64,
        (number, site): (usize, SiteInfo),
    ) -> bool {
        let Some(found) = memory.window(address, u64::from(site.bytes), site.writes) else { return false };
        let Some(room) = found.len.checked_sub(u64::from(site.bytes)) else { return false };
        if address.wrapping_sub(found.low) > room {
            return false;
        }
        if site.writes && memory.generation() != self.generation {
            // Pages may have been replaced by copies, and other sites still have the old ones.
            let sites = &mut self.sites;
            self.filled_sites.retain(|&other| {
                let Site { first, room, place, .. } = sites[other as usize];
                // A site has up to seven bytes behind the last place where a word of it may begin.
                let is_stale = is_elsewhere((first, room + 7, place), &found);
                if is_stale {
                    sites[other as usize] = Site::EMPTY;
                }
                !is_stale
            });
        }
        if self.sites[number].room == 0 {
            self.filled_sites.push(number as u32);
        }
        self.sites[number] = Site {
            low: found.low.wrapping_sub(site.base as u64),
            room: room + 1,
            place: found.place,
            first: found.low,
        };
        true
    }

    /// Notes the allocation at an address in the entry of an allocation ([`Window::allocation_entry`]); false if there is none, or
    /// if it was noted.
    pub(crate) fn fill_allocation(&mut self, memory: MemoryView<'_>, entry: usize, address: u64) -> bool {
        let to_write = entry >= Window::ALLOCATIONS;
        let Some(PageTable { low, len, slots }) = memory.page_table(address, to_write) else { return false };
        let Some(entry) = self.windows.get_mut(2 * Window::COUNT + entry) else { return false };
        if entry.place == slots.cast_mut() && (entry.low, entry.len) == (low, len) {
            return false;
        }
        *entry = Window { low, len, place: slots.cast_mut(), rest: 0 };
        self.has_allocations = true;
        true
    }

    /// Notes the window that an access of so many bytes at an address lies in; whether there is one. Accesses differ in `salt`.
    pub(crate) fn fill(
        &mut self,
        memory: MemoryView<'_>,
        (address, extent): (u64, u64),
        salt: u32,
        writes: bool,
    ) -> bool {
        let Some(found) = memory.window(address, extent, writes) else { return false };
        if found.len < extent || address.wrapping_sub(found.low) > found.len - extent {
            return false;
        }
        if writes && memory.generation() != self.generation {
            // Pages may have been replaced by copies, and others still see the old ones.
            for (group, filled) in self.filled[..Window::COUNT / 64].iter_mut().enumerate() {
                let mut rest = *filled;
                while rest != 0 {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let window = &mut self.windows[64 * group + bit];
                    if is_elsewhere((window.low, window.len, window.place), &found) {
                        *window = Window::EMPTY;
                        *filled &= !(1 << bit);
                    }
                }
            }
        }
        let entry = Window::entry(address, salt, writes);
        self.windows[entry] = Window { low: found.low, len: found.len, place: found.place, rest: 0 };
        self.filled[entry / 64] |= 1 << (entry % 64);
        true
    }
}

/// Whether a range of addresses with its place, as it was found before, has bytes of another that lie elsewhere now.
fn is_elsewhere((low, len, place): (u64, u64, *mut u8), found: &MemoryWindow) -> bool {
    let meets = len > 0 && low < found.low + found.len && found.low < low + len;
    let distance = |place: *mut u8, low: u64| (place.addr() as u64).wrapping_sub(low);
    meets && distance(place, low) != distance(found.place, found.low)
}

//! The slow path of memory accesses, lane by lane and by address space.
//!
//! The space of the instruction, or the address of a generic access, says which memory is meant. Every access is checked: against
//! live allocations, against the sizes of shared and local memory, for memory that this side (host or device) may not touch, and
//! on the device for alignment.

use crate::memory::local::{self, Local};
use ir::Space;
use mem::address::SHARED_BASE;
use mem::{LaneAddresses, MemoryView, Word};
use scalar::lanes;

/// The memories that one access may reach.
pub(crate) struct SlowPath<'a, const W: usize> {
    pub(crate) memory: MemoryView<'a>,
    pub(crate) shared: &'a mut [u8],
    /// Shared memory of other blocks of the cluster by rank.
    pub(crate) cluster: &'a mut [Option<Vec<u8>>],
    pub(crate) locals: &'a mut [Local<W>],
    /// The regions that may be touched.
    pub(crate) open: u64,
}

/// Which memory an access goes to.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Target {
    Memory,
    Shared,
    /// Shared memory of another block of the cluster.
    Cluster,
    Local,
}

pub(crate) fn target(space: Space, address: u64) -> Target {
    match space {
        Space::Host | Space::Global | Space::Const => Target::Memory,
        Space::Shared => Target::Shared,
        Space::Local => Target::Local,
        Space::Generic if mem::address::cluster_place(address).is_some() => Target::Cluster,
        Space::Generic if mem::address::is_shared(address) => Target::Shared,
        Space::Generic if mem::address::is_local(address) => Target::Local,
        Space::Generic => Target::Memory,
    }
}

/// Memory of C, by the numbers of regions (`mem::address`).
const OF_C: u64 = 1 << 21 | 1 << 31;
/// The regions that the host may touch, by number: 1 to 4, and memory of C.
pub(crate) const HOST_REGIONS: u64 = OF_C | 0b1_1110;
/// The regions that devices may touch: pinned 3, managed 4, devices from 8 on.
pub(crate) const DEVICE_REGIONS: u64 = 0xffff_ff00 & !OF_C | 0b1_1000;

/// Whether the region of an address is one of `open`.
#[inline(always)]
pub(crate) fn allowed(open: u64, address: u64) -> bool {
    open >> (address >> mem::address::REGION_BITS).min(63) & 1 != 0
}

/// The lanes of `mask` whose address this side may not touch, or is misaligned.
fn forbidden<const W: usize>(
    (open, memory): (u64, &MemoryView<'_>),
    at: &LaneAddresses<W>,
    mask: u32,
    bytes: usize,
) -> u32 {
    let bad = |a: u64| !allowed(open, a) || W > 1 && !a.is_multiple_of(bytes as u64);
    let by_region = match at {
        LaneAddresses::Strided(rule) if rule.is_contiguous(bytes) || rule.is_uniform() => {
            let first = mask.trailing_zeros() as usize;
            if bad(rule.address(first)) { mask } else { 0 }
        }
        _ => {
            let mut out = 0;
            for i in 0..W {
                out |= u32::from(bad(at.address(i))) << i;
            }
            out & mask
        }
    };
    // Host memory that is locked is reached here only.
    let is_good = |a: u64| a.is_multiple_of(bytes as u64) && memory.is_locked(a, bytes as u64);
    lanes(by_region).filter(|&lane| !is_good(at.address(lane))).fold(0, |out, lane| out | 1 << lane)
}

impl<const W: usize> SlowPath<'_, W> {
    /// Reads one word per lane; gives the lanes that could not.
    pub(crate) fn load<T: Word>(
        &self,
        to: Target,
        at: &LaneAddresses<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> u32 {
        match to {
            Target::Memory => {
                let bad = forbidden((self.open, &self.memory), at, mask, T::BYTES);
                if bad != 0 {
                    return bad;
                }
                self.memory.load_lanes(at, mask, out, hint)
            }
            Target::Shared => load_window(self.shared, at, mask, out),
            Target::Cluster => each(mask, |lane| {
                let (block, offset) = self.cluster_place(at.address(lane), T::BYTES)?;
                out[lane] = T::read(&self.cluster.get(block)?.as_ref()?[offset..]);
                Some(())
            }),
            Target::Local => {
                let mut guess = 0;
                each(mask, |lane| {
                    let (frame, offset) = self.local(at.address(lane), T::BYTES, &mut guess)?;
                    let mut bytes = [0; 8];
                    self.locals[frame].read(lane, offset, &mut bytes[..T::BYTES]);
                    out[lane] = T::read(&bytes);
                    Some(())
                })
            }
        }
    }

    /// Reads the word at an address; `None` if it cannot be read.
    #[inline(always)]
    pub(crate) fn load_word<T: Word>(&self, to: Target, lane: usize, address: u64, hint: &mut u32) -> Option<T> {
        match to {
            Target::Memory => {
                let is_good = self.allows(address, T::BYTES);
                self.memory.load(address, hint).filter(|_| is_good)
            }
            Target::Shared => {
                window(address, SHARED_BASE, self.shared.len(), T::BYTES).map(|at| T::read(&self.shared[at..]))
            }
            Target::Cluster => {
                let (block, offset) = self.cluster_place(address, T::BYTES)?;
                Some(T::read(&self.cluster.get(block)?.as_ref()?[offset..]))
            }
            Target::Local => {
                let (frame, offset) = self.local(address, T::BYTES, &mut 0)?;
                let mut bytes = [0; 8];
                self.locals[frame].read(lane, offset, &mut bytes[..T::BYTES]);
                Some(T::read(&bytes))
            }
        }
    }

    /// Writes the word at an address; `None` if it cannot be written.
    #[inline(always)]
    pub(crate) fn store_word<T: Word>(
        &mut self,
        to: Target,
        lane: usize,
        address: u64,
        value: T,
        hint: &mut u32,
    ) -> Option<()> {
        match to {
            Target::Memory => {
                if !self.allows(address, T::BYTES) {
                    return None;
                }
                self.memory.store(address, value, hint)
            }
            Target::Shared => {
                let at = window(address, SHARED_BASE, self.shared.len(), T::BYTES)?;
                value.write(&mut self.shared[at..]);
                Some(())
            }
            Target::Cluster => {
                let (block, offset) = self.cluster_place(address, T::BYTES)?;
                value.write(&mut self.cluster.get_mut(block)?.as_mut()?[offset..]);
                Some(())
            }
            Target::Local => {
                let (frame, offset) = self.local(address, T::BYTES, &mut 0)?;
                let mut bytes = [0; 8];
                value.write(&mut bytes);
                self.locals[frame].write(lane, offset, &bytes[..T::BYTES]);
                Some(())
            }
        }
    }

    /// Whether this side may touch the word of so many bytes at an address of memory, if there is one.
    #[inline(always)]
    fn allows(&self, address: u64, bytes: usize) -> bool {
        let is_open = allowed(self.open, address) || self.memory.is_locked(address, bytes as u64);
        is_open && (W == 1 || address.is_multiple_of(bytes as u64))
    }

    /// Whether a lane may touch the word of so many bytes at an address of memory, which is not touched.
    pub(crate) fn has(&self, address: u64, bytes: usize) -> bool {
        let at = LaneAddresses::<W>::uniform(address);
        forbidden((self.open, &self.memory), &at, 1, bytes) == 0
            && self.memory.contains(address, address.saturating_add(bytes as u64))
    }

    /// Whether lanes may touch words of so many bytes of shared memory.
    pub(crate) fn shared_has(&self, at: &LaneAddresses<W>, mask: u32, bytes: usize) -> bool {
        window_indices(at, mask, self.shared.len(), bytes).1 == 0
    }

    /// Writes one word per lane; gives the lanes that could not.
    pub(crate) fn store<T: Word>(
        &mut self,
        to: Target,
        at: &LaneAddresses<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> u32 {
        match to {
            Target::Memory => {
                let bad = forbidden((self.open, &self.memory), at, mask, T::BYTES);
                if bad != 0 {
                    return bad;
                }
                self.memory.store_lanes(at, mask, values, hint)
            }
            Target::Shared => store_window(self.shared, at, mask, values),
            Target::Cluster => each(mask, |lane| {
                let (block, offset) = self.cluster_place(at.address(lane), T::BYTES)?;
                values[lane].write(&mut self.cluster.get_mut(block)?.as_mut()?[offset..]);
                Some(())
            }),
            Target::Local => {
                let mut guess = 0;
                each(mask, |lane| {
                    let (frame, offset) = self.local(at.address(lane), T::BYTES, &mut guess)?;
                    let mut bytes = [0; 8];
                    values[lane].write(&mut bytes);
                    self.locals[frame].write(lane, offset, &bytes[..T::BYTES]);
                    Some(())
                })
            }
        }
    }

    /// The rank of the other block whose shared memory holds an aligned word, and where it is there.
    fn cluster_place(&self, address: u64, bytes: usize) -> Option<(usize, usize)> {
        let (rank, offset) = mem::address::cluster_place(address)?;
        let (rank, offset) = (rank as usize, usize::try_from(offset).ok()?);
        let last = self.cluster.get(rank)?.as_ref()?.len().checked_sub(bytes)?;
        (offset <= last && offset.is_multiple_of(bytes)).then_some((rank, offset))
    }

    /// Whether a lane may touch the word of so many bytes at an address of shared memory of another block.
    pub(crate) fn cluster_has(&self, address: u64, bytes: usize) -> bool {
        self.cluster_place(address, bytes).is_some()
    }

    /// The frame whose local memory holds an aligned word, and how far behind its first byte; `guess` is where the last was.
    fn local(&self, address: u64, bytes: usize, guess: &mut usize) -> Option<(usize, usize)> {
        let found =
            local::find(self.locals, *guess, address, bytes as u64).filter(|_| address.is_multiple_of(bytes as u64))?;
        *guess = found.0;
        Some(found)
    }

    /// Splits the lanes of a generic access by the memory that their addresses name.
    pub(crate) fn parts(space: Space, at: &LaneAddresses<W>, mask: u32) -> [(Target, u32); 4] {
        let mut parts = [(Target::Memory, 0), (Target::Shared, 0), (Target::Cluster, 0), (Target::Local, 0)];
        if space == Space::Generic {
            for lane in lanes(mask) {
                let to = target(space, at.address(lane));
                for part in &mut parts {
                    if part.0 == to {
                        part.1 |= 1 << lane;
                    }
                }
            }
        } else {
            let to = target(space, 0);
            for part in &mut parts {
                if part.0 == to {
                    part.1 = mask;
                }
            }
        }
        parts
    }
}

/// Calls `f` for each lane and gives the lanes for which it found nothing.
fn each(mask: u32, mut f: impl FnMut(usize) -> Option<()>) -> u32 {
    let mut bad = 0;
    for lane in lanes(mask) {
        if f(lane).is_none() {
            bad |= 1 << lane;
        }
    }
    bad
}

/// The index in a window of `len` bytes of an aligned word.
fn window(address: u64, base: u64, len: usize, bytes: usize) -> Option<usize> {
    let i = address.wrapping_sub(base) as usize;
    (i < len && bytes <= len - i && i.is_multiple_of(bytes)).then_some(i)
}

/// Indices in a window of `len` bytes of the lanes' words, and the lanes of `mask` that are outside or misaligned. Indices of
/// all other lanes are inside, so that they can be used without a look at the mask.
fn window_indices<const W: usize>(at: &LaneAddresses<W>, mask: u32, len: usize, bytes: usize) -> ([u32; W], u32) {
    let Some(last) = len.checked_sub(bytes) else { return ([0; W], mask) };
    let mut indices = [0; W];
    let mut bad = 0;
    for i in 0..W {
        let offset = at.address(i).wrapping_sub(SHARED_BASE);
        bad |= u32::from(offset > last as u64 || !(offset as usize).is_multiple_of(bytes)) << i;
        indices[i] = offset.min(last as u64) as u32;
    }
    (indices, bad & mask)
}

fn load_window<T: Word, const W: usize>(data: &[u8], at: &LaneAddresses<W>, mask: u32, out: &mut [T; W]) -> u32 {
    if let Some(address) = at.as_uniform() {
        let Some(i) = window(address, SHARED_BASE, data.len(), T::BYTES) else { return mask };
        let v = T::read(&data[i..]);
        for (lane, word) in out.iter_mut().enumerate() {
            *word = if mask >> lane & 1 != 0 { v } else { *word };
        }
        return 0;
    }
    let (indices, bad) = window_indices(at, mask, data.len(), T::BYTES);
    if bad != 0 {
        return bad;
    }
    for lane in 0..W {
        let v = T::read(&data[indices[lane] as usize..]);
        out[lane] = if mask >> lane & 1 != 0 { v } else { out[lane] };
    }
    0
}

fn store_window<T: Word, const W: usize>(data: &mut [u8], at: &LaneAddresses<W>, mask: u32, values: &[T; W]) -> u32 {
    let (indices, bad) = window_indices(at, mask, data.len(), T::BYTES);
    if bad != 0 {
        return bad;
    }
    for lane in lanes(mask) {
        values[lane].write(&mut data[indices[lane] as usize..]);
    }
    0
}

//! Allocations and checked access to their contents.

use crate::address::{ALIGN, GUARD, Region};
use crate::init::{Initialised, SharedInitBits};
use crate::lanes::{Grid, Lanes, Word};
use crate::page::{Backing, PAGE};
use crate::touch::{Touch, Touches};
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of an allocation, in order of birth; never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AllocId(pub u32);

/// What is known of an allocation, dead ones included.
#[derive(Clone, Debug)]
pub struct Alloc {
    /// First address.
    pub base: u64,
    /// Bytes asked for.
    pub bytes: u64,
    /// Where it lies.
    pub region: Region,
    /// Name of the variable it was made for; empty if none.
    pub name: Arc<str>,
    /// The statement that made it.
    pub span: Span,
    /// The statement that freed it.
    pub freed: Option<Span>,
}

#[derive(Clone, Debug)]
struct Live {
    base: u64,
    bytes: u64,
    id: AllocId,
    backing: Backing,
}

/// All memory that addresses reach, but for shared and local memory of running blocks. A clone shares pages until one of
/// the two writes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Live allocations, by base.
    live: Vec<Live>,
    history: Vec<Alloc>,
    next: BTreeMap<Region, u64>,
    used: BTreeMap<Region, u64>,
    limits: BTreeMap<Region, u64>,
    /// How many bytes all regions but the stack may hold together, if that is limited.
    total_limit: Option<u64>,
    touches: Touches,
    initialised: Initialised,
}

/// What an access remembers of the one before.
#[derive(Clone, Copy, Default, Debug)]
pub struct Hint {
    /// Where it was found.
    pub place: u32,
    /// Its first address.
    pub last: u64,
}

/// Bytes from which on a step to the next access is a far one.
const FAR: u64 = 2048;

/// An allocation that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// Bytes asked for.
    pub bytes: u64,
    /// Bytes that are free in the region.
    pub free: u64,
}

/// An address that cannot be freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FreeError {
    /// It was freed before.
    Freed(AllocId),
    /// It lies inside an allocation, not at its beginning.
    Inside(AllocId),
    /// Nothing was ever allocated there.
    Unknown,
}

impl Memory {
    /// An empty memory without limits.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Sets how many bytes a region may hold at one time.
    pub fn set_limit(&mut self, region: Region, bytes: u64) {
        self.limits.insert(region, bytes);
    }

    /// Sets how many bytes all regions may hold together at one time. The stack has a size of its own.
    pub fn set_total_limit(&mut self, bytes: u64) {
        self.total_limit = Some(bytes);
    }

    /// Says whether [`Memory::read`], [`Memory::write`] and [`Memory::copy`] are noted for [`Memory::take_touches`].
    pub fn note_touches(&mut self, is_wanted: bool) {
        self.touches.want(is_wanted);
    }

    /// What was read and written in stretches since the last call, in order.
    pub fn take_touches(&mut self) -> Vec<Touch> {
        self.touches.take()
    }

    /// Keeps from now on which bytes have been written.
    pub fn track_initialised(&mut self) {
        self.initialised.want();
    }

    /// Which bytes have been written, if that is kept, for whoever runs code on this memory and notes its stores.
    pub fn initialised(&self) -> Option<SharedInitBits> {
        self.initialised.share()
    }

    /// The runs of bytes that nothing has written, as offset from `address` and length; none if that is not kept.
    pub fn holes(&self, address: u64, len: u64) -> Vec<(u64, u64)> {
        self.initialised.with(|bits| bits.holes(address, len)).unwrap_or_default()
    }

    /// Says that bytes count as written though nothing wrote them, such as zeros that a variable begins with.
    pub fn mark_initialised(&self, address: u64, len: u64) {
        self.initialised.with(|bits| bits.set(address, len));
    }

    /// Says that bytes hold what nothing has written, as after a copy of such bytes.
    pub fn mark_uninitialised(&self, address: u64, len: u64) {
        self.initialised.with(|bits| bits.unset(address, len));
    }

    /// Bytes allocated in a region.
    pub fn used(&self, region: Region) -> u64 {
        self.used.get(&region).copied().unwrap_or(0)
    }

    /// Bytes that a region may hold at one time.
    pub fn limit(&self, region: Region) -> u64 {
        let own = self.limits.get(&region).copied().unwrap_or(1 << 40);
        own.min(self.total_limit.filter(|_| region != Region::HostStack).unwrap_or(u64::MAX))
    }

    /// Bytes that can still be allocated in a region.
    pub fn free_bytes(&self, region: Region) -> u64 {
        let own = self.limit(region).saturating_sub(self.used(region));
        match self.total_limit {
            Some(total) if region != Region::HostStack => {
                let counted = self.used.iter().filter(|(r, _)| **r != Region::HostStack).map(|(_, used)| used);
                own.min(total.saturating_sub(counted.sum()))
            }
            _ => own,
        }
    }

    /// Bytes of pages really held.
    pub fn resident(&self) -> u64 {
        self.live.iter().map(|l| l.backing.resident()).sum()
    }

    /// Allocates `bytes` (perhaps 0) and gives the first address, a multiple of 256. The contents read as zeros.
    pub fn alloc(&mut self, region: Region, bytes: u64, name: &str, span: Span) -> Result<u64, OutOfMemory> {
        let (used, free) = (self.used(region), self.free_bytes(region));
        if bytes > free || bytes > 1 << 40 {
            return Err(OutOfMemory { bytes, free });
        }
        let next = self.next.entry(region).or_insert(region.base() + ALIGN);
        let base = *next;
        *next = (base + bytes.max(1) + GUARD).next_multiple_of(ALIGN);
        let id = AllocId(self.history.len() as u32);
        self.history.push(Alloc { base, bytes, region, name: name.into(), span, freed: None });
        self.used.insert(region, used + bytes);
        let live = Live { base, bytes, id, backing: Backing::new(bytes) };
        let at = self.live.partition_point(|l| l.base < base);
        self.live.insert(at, live);
        Ok(base)
    }

    /// Frees the allocation that begins at `address`.
    pub fn free(&mut self, address: u64, span: Span) -> Result<AllocId, FreeError> {
        let Some(at) = self.position(address) else {
            return Err(match self.dead_at(address) {
                Some(id) => FreeError::Freed(id),
                None => FreeError::Unknown,
            });
        };
        let (base, bytes, id) = (self.live[at].base, self.live[at].bytes, self.live[at].id);
        if base != address {
            return Err(FreeError::Inside(id));
        }
        self.live.remove(at);
        let alloc = &mut self.history[id.0 as usize];
        alloc.freed = Some(span);
        if let Some(used) = self.used.get_mut(&alloc.region) {
            *used -= bytes;
        }
        Ok(id)
    }

    /// What is known of an allocation.
    pub fn info(&self, id: AllocId) -> &Alloc {
        &self.history[id.0 as usize]
    }

    /// The live allocation that holds `address`; its end counts as outside.
    pub fn find(&self, address: u64) -> Option<AllocId> {
        self.position(address).map(|i| self.live[i].id)
    }

    /// Makes the live allocation of `other` that holds `address` visible here too, in `region`; the two share pages until one
    /// of them writes. Gives where it begins there and here, and its bytes; `None` if nothing lives there or it does not fit.
    pub fn mirror(&mut self, other: &Memory, address: u64, region: Region) -> Option<(u64, u64, u64)> {
        let live = &other.live[other.position(address)?];
        let alloc = other.info(live.id);
        let here = self.alloc(region, live.bytes, &alloc.name, alloc.span).ok()?;
        let at = self.position(here)?;
        self.live[at].backing = live.backing.clone();
        Some((live.base, here, live.bytes))
    }

    /// The dead allocation that once held `address`.
    pub fn dead_at(&self, address: u64) -> Option<AllocId> {
        // Bases rise within a region in order of birth and are never reused, so at most one matches.
        let hit = |a: &Alloc| a.freed.is_some() && address >= a.base && address < a.base + a.bytes.max(1);
        self.history.iter().position(hit).map(|i| AllocId(i as u32))
    }

    /// The live allocation that ends nearest below `address` or begins nearest above it within `reach` bytes, for saying
    /// how far outside an access was.
    pub fn nearest(&self, address: u64, reach: u64) -> Option<AllocId> {
        let at = self.live.partition_point(|l| l.base <= address);
        let below = at.checked_sub(1).map(|i| &self.live[i]);
        let above = self.live.get(at);
        let far_below = below.map_or(u64::MAX, |l| address.saturating_sub(l.base + l.bytes));
        let far_above = above.map_or(u64::MAX, |l| l.base - address);
        let (near, far) = if far_below <= far_above { (below, far_below) } else { (above, far_above) };
        near.filter(|_| far <= reach).map(|l| l.id)
    }

    /// All live allocations in order of address.
    pub fn live(&self) -> impl Iterator<Item = (AllocId, &Alloc)> {
        self.live.iter().map(|l| (l.id, &self.history[l.id.0 as usize]))
    }

    #[inline]
    fn position(&self, address: u64) -> Option<usize> {
        let at = self.live.partition_point(|l| l.base <= address).checked_sub(1)?;
        let l = &self.live[at];
        (address - l.base < l.bytes.max(1)).then_some(at)
    }

    #[inline(always)]
    fn locate(&self, address: u64, len: u64, hint: &mut u32) -> Option<&Live> {
        if let Some(l) = self.live.get(*hint as usize) {
            let offset = address.wrapping_sub(l.base);
            if offset < l.bytes && len <= l.bytes - offset {
                return Some(l);
            }
        }
        let at = self.position(address)?;
        let l = &self.live[at];
        let offset = address - l.base;
        if offset >= l.bytes || len > l.bytes - offset {
            return None;
        }
        *hint = at as u32;
        Some(l)
    }

    /// Copies bytes out; `None` if any of them lies outside the live allocation at `address`.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Option<()> {
        if out.is_empty() {
            return Some(());
        }
        let l = self.locate(address, out.len() as u64, &mut 0)?;
        l.backing.read((address - l.base) as usize, out);
        self.touches.note(address, out.len() as u64, false);
        Some(())
    }

    /// Copies bytes in; `None`, and nothing written, if any of them lies outside the live allocation at `address`.
    pub fn write(&mut self, address: u64, data: &[u8]) -> Option<()> {
        if data.is_empty() {
            return Some(());
        }
        let l = self.locate(address, data.len() as u64, &mut 0)?;
        l.backing.write((address - l.base) as usize, data);
        self.touches.note(address, data.len() as u64, true);
        self.initialised.with(|bits| bits.set(address, data.len() as u64));
        Some(())
    }

    /// Sets bytes to zero, giving whole pages back; `None` if any lies outside the live allocation at `address`.
    pub fn clear(&mut self, address: u64, len: u64) -> Option<()> {
        if len == 0 {
            return Some(());
        }
        let at = self.position(address)?;
        let l = &mut self.live[at];
        let offset = address - l.base;
        if len > l.bytes - offset {
            return None;
        }
        l.backing.clear(offset as usize, len as usize);
        self.touches.note(address, len, true);
        self.initialised.with(|bits| bits.set(address, len));
        Some(())
    }

    /// Copies `len` bytes from `source` to `destination`, as if through a temporary.
    pub fn copy(&mut self, destination: u64, source: u64, len: u64) -> Option<()> {
        if len == 0 {
            return Some(());
        }
        let mut hint = u32::MAX;
        self.locate(destination, len, &mut hint)?;
        self.locate(source, len, &mut hint)?;
        let holes = self.holes(source, len);
        let mut buffer = vec![0; len.min(PAGE as u64) as usize];
        // Chunks go upwards or downwards so that an overlapping source is read before it is overwritten.
        let chunks = len.div_ceil(buffer.len() as u64);
        for i in 0..chunks {
            let chunk = if destination > source { chunks - 1 - i } else { i };
            let at = chunk * buffer.len() as u64;
            let n = (len - at).min(buffer.len() as u64) as usize;
            let from = self.locate(source + at, n as u64, &mut hint)?;
            from.backing.read((source + at - from.base) as usize, &mut buffer[..n]);
            self.write(destination + at, &buffer[..n])?;
        }
        for (offset, hole) in holes {
            self.mark_uninitialised(destination + offset, hole);
        }
        Some(())
    }

    /// Lets go of pages that clones have left behind, and takes back those that no clone shares any more, so that they are
    /// written in place.
    pub fn settle(&mut self) {
        for l in &mut self.live {
            l.backing.settle();
        }
    }

    /// Whether a live allocation holds all bytes from `low` up to `high`, not included.
    pub fn holds(&self, low: u64, high: u64) -> bool {
        low <= high && self.locate(low, high - low, &mut 0).is_some()
    }

    /// Reads one word; `None` if it lies outside. `hint` remembers where the last access was; start it at 0.
    #[inline(always)]
    pub fn load<T: Word>(&self, address: u64, hint: &mut u32) -> Option<T> {
        let l = self.locate(address, T::BYTES as u64, hint)?;
        Some(lanes_load(&l.backing, (address - l.base) as usize))
    }

    /// Writes one word; `None` if it lies outside.
    ///
    /// Takes a shared reference because workers write one memory at once; they touch disjoint bytes (see `page`).
    #[inline(always)]
    pub fn store<T: Word>(&self, address: u64, value: T, hint: &mut u32) -> Option<()> {
        let l = self.locate(address, T::BYTES as u64, hint)?;
        crate::lanes::store_at(&l.backing, (address - l.base) as usize, value);
        Some(())
    }

    /// Reads one word for each lane of `mask`; gives the mask of the lanes whose address lies outside.
    #[inline(always)]
    pub fn load_lanes<T: Word, const W: usize>(
        &self,
        lanes: &Lanes<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> u32 {
        if let Lanes::Contiguous(base) = *lanes {
            let bytes = (W * T::BYTES) as u64;
            if let Some(l) = self.locate(base, bytes, hint) {
                let offset = (base - l.base) as usize;
                if offset % PAGE + W * T::BYTES <= PAGE {
                    let mut row = [T::default(); W];
                    crate::lanes::load_row(&l.backing, offset, &mut row);
                    for (i, word) in out.iter_mut().enumerate() {
                        *word = if mask & 1 << i != 0 { row[i] } else { *word };
                    }
                    return 0;
                }
            }
        }
        let mut bad = 0;
        let mut rest = mask;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            match self.load(lanes.address(i, T::BYTES), hint) {
                Some(v) => out[i] = v,
                None => bad |= 1 << i,
            }
        }
        bad
    }

    /// Writes one word for each lane of `mask`, in the order of lanes; gives the mask of the lanes whose address lies
    /// outside, whose words are not written.
    #[inline(always)]
    pub fn store_lanes<T: Word, const W: usize>(
        &self,
        lanes: &Lanes<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> u32 {
        if let Lanes::Contiguous(base) = *lanes {
            let bytes = (W * T::BYTES) as u64;
            if let Some(l) = self.locate(base, bytes, hint) {
                let offset = (base - l.base) as usize;
                if offset % PAGE + W * T::BYTES <= PAGE && crate::lanes::store_row(&l.backing, offset, mask, values) {
                    return 0;
                }
            }
        }
        let mut bad = 0;
        let mut rest = mask;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.store(lanes.address(i, T::BYTES), values[i], hint).is_none() {
                bad |= 1 << i;
            }
        }
        bad
    }
}

impl Memory {
    /// Reads one word for each lane, active or not, if all of them lie in one live allocation; else reads nothing and gives
    /// false.
    #[inline(always)]
    pub fn load_grid<T: Word, const W: usize>(&self, g: &Grid, out: &mut [T; W], hint: &mut Hint) -> bool {
        let Some(l) = self.locate(g.low, g.span + T::BYTES as u64, &mut hint.place) else { return false };
        let first = g.first.wrapping_sub(l.base) as usize;
        // A loop goes on in the same steps; steps over more than a page are too far for the processor to see that itself.
        let step = g.first.wrapping_sub(hint.last);
        hint.last = g.first;
        if step.wrapping_add(FAR) > 2 * FAR {
            let next = g.first.wrapping_add(step).wrapping_sub(l.base);
            if next < l.bytes {
                crate::lanes::prefetch(&l.backing, next as usize);
            }
        }
        let lanes = g.lanes as usize;
        if g.step == T::BYTES as i64 && lanes == W && first % PAGE + W * T::BYTES <= PAGE {
            crate::lanes::load_row(&l.backing, first, out);
        } else if g.step == 0 && lanes == W {
            *out = [lanes_load(&l.backing, first); W];
        } else if g.step == T::BYTES as i64 && lanes == 16 && W == 32 {
            let second = first.wrapping_add_signed(g.row as isize);
            for (at, out) in [first, second].into_iter().zip(out.chunks_exact_mut(16)) {
                let Ok(out) = <&mut [T; 16]>::try_from(out) else { continue };
                if at % PAGE + 16 * T::BYTES <= PAGE {
                    crate::lanes::load_row(&l.backing, at, out);
                } else {
                    for (i, word) in out.iter_mut().enumerate() {
                        *word = lanes_load(&l.backing, at + i * T::BYTES);
                    }
                }
            }
        } else {
            for (i, word) in out.iter_mut().enumerate() {
                *word = lanes_load(&l.backing, g.address(i).wrapping_sub(l.base) as usize);
            }
        }
        true
    }

    /// Writes one word for each lane of `mask`, in the order of lanes, if all lanes of the grid, active or not, lie in one
    /// live allocation; else writes nothing and gives false.
    #[inline(always)]
    pub fn store_grid<T: Word, const W: usize>(&self, g: &Grid, mask: u32, values: &[T; W], hint: &mut u32) -> bool {
        let Some(l) = self.locate(g.low, g.span + T::BYTES as u64, hint) else { return false };
        let first = g.first.wrapping_sub(l.base) as usize;
        let lanes = g.lanes as usize;
        let full = mask.count_ones() as usize == W;
        let fits = |at: usize, n: usize| at % PAGE + n * T::BYTES <= PAGE;
        if full && g.step == T::BYTES as i64 && lanes == W && fits(first, W) {
            crate::lanes::store_row(&l.backing, first, mask, values);
        } else if full && g.step == T::BYTES as i64 && lanes > 1 {
            for (row, values) in values.chunks(lanes).enumerate() {
                let at = first.wrapping_add_signed((row as i64 * g.row) as isize);
                if fits(at, lanes) {
                    crate::lanes::store_run(&l.backing, at, values);
                } else {
                    for (i, &word) in values.iter().enumerate() {
                        crate::lanes::store_at(&l.backing, at + i * T::BYTES, word);
                    }
                }
            }
        } else {
            for (i, &word) in values.iter().enumerate() {
                if mask & 1 << i != 0 {
                    crate::lanes::store_at(&l.backing, g.address(i).wrapping_sub(l.base) as usize, word);
                }
            }
        }
        true
    }
}

#[inline(always)]
fn lanes_load<T: Word>(backing: &Backing, offset: usize) -> T {
    crate::lanes::load_at(backing, offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled() -> (Memory, u64) {
        let mut m = Memory::new();
        let a = m.alloc(Region::Device(0), 1000, "a", Span::NONE).expect("room");
        (m, a)
    }

    #[test]
    fn accesses_outside_the_allocation_are_refused() {
        let (mut m, a) = filled();
        assert!(m.write(a, &[1; 1000]).is_some());
        assert!(m.write(a + 1, &[1; 1000]).is_none());
        assert!(m.read(a + 1000, &mut [0]).is_none());
        assert!(m.read(a - 1, &mut [0]).is_none());
        assert_eq!(m.load::<u32>(a + 998, &mut 0), None);
        assert_eq!(m.load::<u32>(a + 996, &mut 0), Some(0x0101_0101));
    }

    #[test]
    fn freed_memory_is_known_as_such() {
        let (mut m, a) = filled();
        assert_eq!(m.free(a + 8, Span::NONE), Err(FreeError::Inside(AllocId(0))));
        assert_eq!(m.free(a, Span::NONE), Ok(AllocId(0)));
        assert_eq!(m.free(a, Span::NONE), Err(FreeError::Freed(AllocId(0))));
        assert_eq!(m.dead_at(a + 999), Some(AllocId(0)));
        let b = m.alloc(Region::Device(0), 8, "b", Span::NONE).expect("room");
        assert!(b > a + 1000, "addresses are not reused");
        assert_eq!(Region::of(b), Some(Region::Device(0)));
    }

    #[test]
    fn lanes_read_and_write_like_single_words() {
        let (m, a) = filled();
        let values: [u32; 32] = std::array::from_fn(|i| i as u32 + 1);
        let row = Lanes::of(&std::array::from_fn(|i| a + 4 * i as u64), u32::MAX, 4);
        assert!(matches!(row, Lanes::Contiguous(_)));
        assert_eq!(m.store_lanes(&row, 0xffff_0000, &values, &mut 0), 0);
        let mut out = [9; 32];
        assert_eq!(m.load_lanes(&row, u32::MAX, &mut out, &mut 0), 0);
        assert_eq!(out, std::array::from_fn(|i| if i < 16 { 0 } else { i as u32 + 1 }));
        let far = Lanes::of(&std::array::from_fn(|i| a + 36 * i as u64), u32::MAX, 4);
        assert_eq!(m.store_lanes(&far, u32::MAX, &values, &mut 0), 0xf000_0000);
    }

    #[test]
    fn copy_handles_overlap() {
        let mut m = Memory::new();
        let a = m.alloc(Region::Host, 300_000, "a", Span::NONE).expect("room");
        let data: Vec<u8> = (0..250_000u32).map(|i| (i % 251) as u8).collect();
        m.write(a, &data).expect("inside");
        m.copy(a + 1000, a, 250_000).expect("inside");
        let mut out = vec![0; 250_000];
        m.read(a + 1000, &mut out).expect("inside");
        assert_eq!(out, data);
    }
}

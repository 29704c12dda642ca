//! Loads, stores and atomics of a warp.
//!
//! Addresses of the active lanes are classified once ([`Lanes`]); the space of the instruction, or for generic accesses the
//! address, says which memory is meant. Every access is checked: against live allocations, against the sizes of shared and
//! local memory, for memory that this side (host or device) may not touch, and on the device for alignment.

use crate::code::{Site, Slot, Width};
use crate::frame::Frame;
use crate::hooks::{AccessEvent, AccessKind, Hooks, Values};
use crate::warp::{Context, Fault, FaultKind, Warp, lanes};
use ir::op::AtomOp;
use ir::{Access, FuncId, Scope, Space, Ty, eval};
use mem::address::{LOCAL_BASE, SHARED_BASE, WINDOW};
use mem::{Lanes, Memory, Word};

/// The instruction that accesses memory.
pub(crate) struct Place {
    pub(crate) func: FuncId,
    pub(crate) pc: u32,
    pub(crate) frame: u32,
    pub(crate) mask: u32,
    pub(crate) space: Space,
    pub(crate) offset: i64,
}

impl Place {
    fn site(&self) -> Site {
        Site { func: self.func, pc: self.pc }
    }

    #[cold]
    fn fault<const W: usize>(&self, bad: u32, at: &Lanes<W>, bytes: usize, write: bool, space: Space) -> Fault {
        let addresses: Vec<(u32, u64)> = lanes(bad).map(|l| (l as u32, at.address(l, bytes))).collect();
        let misaligned = W > 1 && addresses.iter().any(|&(_, a)| !a.is_multiple_of(bytes as u64));
        let kind = if misaligned {
            FaultKind::Misaligned { bytes: bytes as u32, write }
        } else {
            FaultKind::Access { space, bytes: bytes as u32, write }
        };
        Fault { kind, site: self.site(), mask: bad, addresses }
    }
}

/// The memories that one access may reach.
struct Reach<'a, const W: usize> {
    memory: &'a Memory,
    shared: &'a mut [u8],
    frames: &'a mut [Option<Frame<W>>],
}

/// Which memory an access goes to.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Memory,
    Shared,
    Local,
}

fn target(space: Space, address: u64) -> Target {
    match space {
        Space::Host | Space::Global | Space::Const => Target::Memory,
        Space::Shared => Target::Shared,
        Space::Local => Target::Local,
        Space::Generic if mem::address::is_shared(address) => Target::Shared,
        Space::Generic if mem::address::is_local(address) => Target::Local,
        Space::Generic => Target::Memory,
    }
}

/// The lanes of `mask` whose address this side may not touch, or is misaligned.
#[inline(always)]
fn forbidden<const W: usize>(at: &Lanes<W>, mask: u32, bytes: usize) -> u32 {
    // Regions by number (`mem::address`): the host's 1 to 4; the device's pinned 3, managed 4 and devices 8 and up.
    let allowed: u64 = if W == 1 { 0b1_1110 } else { !0 << 8 | 0b1_1000 };
    let bad = |a: u64| {
        allowed >> (a >> mem::address::REGION_BITS).min(63) & 1 == 0 || W > 1 && !a.is_multiple_of(bytes as u64)
    };
    match at {
        Lanes::Contiguous(base) => {
            let first = mask.trailing_zeros() as usize;
            if bad(base.wrapping_add((first * bytes) as u64)) { mask } else { 0 }
        }
        Lanes::Uniform(a) => {
            if bad(*a) {
                mask
            } else {
                0
            }
        }
        Lanes::Each(addresses) => {
            let mut out = 0;
            for (i, &a) in addresses.iter().enumerate() {
                out |= u32::from(bad(a)) << i;
            }
            out & mask
        }
    }
}

impl<const W: usize> Reach<'_, W> {
    /// Reads one word per lane; gives the lanes that could not.
    #[inline(always)]
    fn load<T: Word>(&self, to: Target, at: &Lanes<W>, mask: u32, out: &mut [T; W], hint: &mut u32) -> u32 {
        match to {
            Target::Memory => {
                let bad = forbidden(at, mask, T::BYTES);
                if bad != 0 {
                    return bad;
                }
                if let Lanes::Uniform(address) = *at {
                    let Some(v) = self.memory.load::<T>(address, hint) else { return mask };
                    for (lane, word) in out.iter_mut().enumerate() {
                        *word = if mask >> lane & 1 != 0 { v } else { *word };
                    }
                    return 0;
                }
                self.memory.load_lanes(at, mask, out, hint)
            }
            Target::Shared => load_window(self.shared, at, mask, out),
            Target::Local => each(mask, |lane| {
                let (bytes, i) = self.local(at.address(lane, T::BYTES), lane, T::BYTES)?;
                out[lane] = read_word(&bytes[i..]);
                Some(())
            }),
        }
    }

    #[inline(always)]
    fn store<T: Word>(&mut self, to: Target, at: &Lanes<W>, mask: u32, values: &[T; W], hint: &mut u32) -> u32 {
        match to {
            Target::Memory => {
                let bad = forbidden(at, mask, T::BYTES);
                if bad != 0 {
                    return bad;
                }
                self.memory.store_lanes(at, mask, values, hint)
            }
            Target::Shared => store_window(self.shared, at, mask, values),
            Target::Local => each(mask, |lane| {
                let (bytes, i) = self.local_mut(at.address(lane, T::BYTES), lane, T::BYTES)?;
                write_word(&mut bytes[i..], values[lane]);
                Some(())
            }),
        }
    }

    /// The frame whose local memory holds `address`, and the index of the lane's byte there.
    fn local_index(&self, address: u64, lane: usize, bytes: usize) -> Option<(usize, usize)> {
        if !(LOCAL_BASE..LOCAL_BASE + WINDOW).contains(&address) || !address.is_multiple_of(bytes as u64) {
            return None;
        }
        self.frames.iter().enumerate().rev().find_map(|(n, f)| {
            let f = f.as_ref()?;
            let offset = address.checked_sub(f.local_base)?;
            let inside = offset < f.local_bytes && bytes as u64 <= f.local_bytes - offset;
            inside.then(|| (n, lane * f.local_bytes as usize + offset as usize))
        })
    }

    fn local(&self, address: u64, lane: usize, bytes: usize) -> Option<(&[u8], usize)> {
        let (n, i) = self.local_index(address, lane, bytes)?;
        Some((&self.frames[n].as_ref()?.local, i))
    }

    fn local_mut(&mut self, address: u64, lane: usize, bytes: usize) -> Option<(&mut [u8], usize)> {
        let (n, i) = self.local_index(address, lane, bytes)?;
        Some((&mut self.frames[n].as_mut()?.local, i))
    }

    /// Splits the lanes of a generic access by the memory that their addresses name.
    fn parts(space: Space, at: &Lanes<W>, mask: u32, bytes: usize) -> [(Target, u32); 3] {
        let mut parts = [(Target::Memory, 0), (Target::Shared, 0), (Target::Local, 0)];
        if space == Space::Generic {
            for lane in lanes(mask) {
                let to = target(space, at.address(lane, bytes));
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
#[inline(always)]
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
#[inline(always)]
fn window(address: u64, base: u64, len: usize, bytes: usize) -> Option<usize> {
    let i = address.wrapping_sub(base) as usize;
    (i < len && bytes <= len - i && i.is_multiple_of(bytes)).then_some(i)
}

/// Indices in a window of `len` bytes of the lanes' words, and the lanes of `mask` that are outside or misaligned. Indices of
/// all other lanes are inside, so that they can be used without a look at the mask.
#[inline(always)]
fn window_indices<const W: usize>(at: &Lanes<W>, mask: u32, len: usize, bytes: usize) -> ([u32; W], u32) {
    let Some(last) = len.checked_sub(bytes) else { return ([0; W], mask) };
    let mut indices = [0; W];
    let mut bad = 0;
    for i in 0..W {
        let offset = at.address(i, bytes).wrapping_sub(SHARED_BASE);
        bad |= u32::from(offset > last as u64 || !(offset as usize).is_multiple_of(bytes)) << i;
        indices[i] = offset.min(last as u64) as u32;
    }
    (indices, bad & mask)
}

#[inline(always)]
fn load_window<T: Word, const W: usize>(data: &[u8], at: &Lanes<W>, mask: u32, out: &mut [T; W]) -> u32 {
    if let Lanes::Uniform(address) = *at {
        let Some(i) = window(address, SHARED_BASE, data.len(), T::BYTES) else { return mask };
        let v = read_word(&data[i..]);
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
        let v = read_word(&data[indices[lane] as usize..]);
        out[lane] = if mask >> lane & 1 != 0 { v } else { out[lane] };
    }
    0
}

#[inline(always)]
fn store_window<T: Word, const W: usize>(data: &mut [u8], at: &Lanes<W>, mask: u32, values: &[T; W]) -> u32 {
    let (indices, bad) = window_indices(at, mask, data.len(), T::BYTES);
    if bad != 0 {
        return bad;
    }
    for lane in lanes(mask) {
        write_word(&mut data[indices[lane] as usize..], values[lane]);
    }
    0
}

#[inline(always)]
fn read_word<T: Word>(data: &[u8]) -> T {
    let mut bytes = [0; 8];
    bytes[..T::BYTES].copy_from_slice(&data[..T::BYTES]);
    T::from_bytes(bytes)
}

#[inline(always)]
fn write_word<T: Word>(data: &mut [u8], value: T) {
    data[..T::BYTES].copy_from_slice(&value.to_bytes()[..T::BYTES]);
}

#[inline(always)]
fn addresses<const W: usize>(frame: &Frame<W>, addr: Slot, at: &Place, bytes: usize) -> Lanes<W> {
    let mut all = frame.longs[addr as usize];
    if at.offset != 0 {
        for a in &mut all {
            *a = a.wrapping_add(at.offset as u64);
        }
    }
    Lanes::of(&all, at.mask, bytes)
}

/// The space that an observer is told: where the first lane's address really lies.
fn told<const W: usize>(space: Space, at: &Lanes<W>, mask: u32, bytes: usize) -> Space {
    match target(space, at.address(mask.trailing_zeros() as usize, bytes)) {
        Target::Memory => Space::Global,
        Target::Shared => Space::Shared,
        Target::Local => Space::Local,
    }
}

macro_rules! by_width {
    ($width:expr, $word:ident => $body:expr) => {
        match $width {
            Width::W8 => {
                type $word = u8;
                $body
            }
            Width::W16 => {
                type $word = u16;
                $body
            }
            Width::W32 => {
                type $word = u32;
                $body
            }
            Width::W64 => {
                type $word = u64;
                $body
            }
        }
    };
}

/// Executes a load.
#[inline(always)]
pub(crate) fn load<const W: usize, H: Hooks<W> + ?Sized>(
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    hooks: &mut H,
    at: &Place,
    width: Width,
    access: Access,
    d: Slot,
    addr: Slot,
) -> Result<(), Fault> {
    let Some(frame) = warp.frame(at.frame) else { return Ok(()) };
    let where_ = addresses(frame, addr, at, width.bytes());
    let bad = match width {
        Width::W32 => {
            let mut out = frame.words[d as usize];
            let bad = load_lanes(warp, ctx, at, &where_, &mut out);
            put(warp, at.frame, |frame| frame.words[d as usize] = out);
            bad
        }
        Width::W64 => {
            let mut out = frame.longs[d as usize];
            let bad = load_lanes(warp, ctx, at, &where_, &mut out);
            put(warp, at.frame, |frame| frame.longs[d as usize] = out);
            bad
        }
        Width::W8 => {
            let mut out = [0u8; W];
            let bad = load_lanes(warp, ctx, at, &where_, &mut out);
            put(warp, at.frame, |f| lanes(at.mask).for_each(|l| f.words[d as usize][l] = u32::from(out[l])));
            bad
        }
        Width::W16 => {
            let mut out = [0u16; W];
            let bad = load_lanes(warp, ctx, at, &where_, &mut out);
            put(warp, at.frame, |f| lanes(at.mask).for_each(|l| f.words[d as usize][l] = u32::from(out[l])));
            bad
        }
    };
    if bad != 0 {
        return Err(at.fault(bad, &where_, width.bytes(), false, at.space));
    }
    if hooks.wants_accesses()
        && let Some(frame) = warp.frame(at.frame)
    {
        let (words, longs);
        let values = if width == Width::W64 {
            longs = frame.longs[d as usize];
            Values::Longs(&longs)
        } else {
            words = frame.words[d as usize];
            Values::Words(&words)
        };
        tell(warp, hooks, at, AccessKind::Read(access), width.bytes(), &where_, values);
    }
    Ok(())
}

#[inline(always)]
fn put<const W: usize>(warp: &mut Warp<W>, frame: u32, f: impl FnOnce(&mut Frame<W>)) {
    if let Some(Some(frame)) = warp.frames.get_mut(frame as usize) {
        f(frame);
    }
}

/// Reads one word for each lane of the access; gives the lanes that could not.
#[inline(always)]
fn load_lanes<T: Word, const W: usize>(
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    at: &Place,
    where_: &Lanes<W>,
    out: &mut [T; W],
) -> u32 {
    let mut hint = warp.hint;
    let reach = Reach { memory: ctx.memory, shared: ctx.shared, frames: &mut warp.frames };
    let bad = if at.space == Space::Generic {
        let mut bad = 0;
        for (to, mask) in Reach::parts(at.space, where_, at.mask, T::BYTES) {
            if mask != 0 {
                bad |= reach.load(to, where_, mask, out, &mut hint);
            }
        }
        bad
    } else {
        reach.load(target(at.space, 0), where_, at.mask, out, &mut hint)
    };
    warp.hint = hint;
    bad
}

fn tell<const W: usize, H: Hooks<W> + ?Sized>(
    warp: &Warp<W>,
    hooks: &mut H,
    at: &Place,
    kind: AccessKind,
    bytes: usize,
    where_: &Lanes<W>,
    values: Values<'_, W>,
) {
    let space = told(at.space, where_, at.mask, bytes);
    let (site, frame, mask) = (at.site(), at.frame, at.mask);
    hooks.on_access(warp, &AccessEvent { site, frame, mask, kind, space, bytes, lanes: where_, values });
}

/// Executes a store.
#[inline(always)]
pub(crate) fn store<const W: usize, H: Hooks<W> + ?Sized>(
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    hooks: &mut H,
    at: &Place,
    width: Width,
    access: Access,
    addr: Slot,
    value: Slot,
) -> Result<(), Fault> {
    let bytes = width.bytes();
    let Some(frame) = warp.frame(at.frame) else { return Ok(()) };
    let where_ = addresses(frame, addr, at, bytes);
    let mut longs = [0u64; W];
    let mut words = [0u32; W];
    if width == Width::W64 {
        longs = frame.longs[value as usize];
    } else {
        words = frame.words[value as usize];
    }
    if hooks.wants_accesses() {
        let values = if width == Width::W64 { Values::Longs(&longs) } else { Values::Words(&words) };
        tell(warp, hooks, at, AccessKind::Write(access), bytes, &where_, values);
    }
    let bad = match width {
        Width::W32 => store_lanes(warp, ctx, at, &where_, &words),
        Width::W64 => store_lanes(warp, ctx, at, &where_, &longs),
        Width::W8 => store_lanes(warp, ctx, at, &where_, &words.map(|w| w as u8)),
        Width::W16 => store_lanes(warp, ctx, at, &where_, &words.map(|w| w as u16)),
    };
    if bad != 0 {
        return Err(at.fault(bad, &where_, bytes, true, at.space));
    }
    Ok(())
}

/// Writes one word for each lane of the access; gives the lanes that could not.
#[inline(always)]
fn store_lanes<T: Word, const W: usize>(
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    at: &Place,
    where_: &Lanes<W>,
    values: &[T; W],
) -> u32 {
    let mut hint = warp.hint;
    let mut reach = Reach { memory: ctx.memory, shared: ctx.shared, frames: &mut warp.frames };
    let bad = if at.space == Space::Generic {
        let mut bad = 0;
        for (to, mask) in Reach::parts(at.space, where_, at.mask, T::BYTES) {
            if mask != 0 {
                bad |= reach.store(to, where_, mask, values, &mut hint);
            }
        }
        bad
    } else {
        reach.store(target(at.space, 0), where_, at.mask, values, &mut hint)
    };
    warp.hint = hint;
    bad
}

/// Executes an atomic, lane after lane; says whether it changed anything.
pub(crate) fn atomic<const W: usize, H: Hooks<W> + ?Sized>(
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    hooks: &mut H,
    at: &Place,
    (op, ty, scope): (AtomOp, Ty, Scope),
    (d, addr, a, b): (Option<Slot>, Slot, Slot, Option<Slot>),
) -> Result<bool, Fault> {
    let width = Width::of(ty);
    let bytes = width.bytes();
    let Some(frame) = warp.frame(at.frame) else { return Ok(false) };
    let where_ = addresses(frame, addr, at, bytes);
    let operand = |slot: Slot| -> Vec<u64> { (0..W).map(|l| frame.get((ty, slot), l)).collect() };
    let (first, second) = (operand(a), b.map(operand));
    let mut old = [0u64; W];
    let mut left = [0u64; W];
    let mut changed = false;
    let mut failed_swaps = 0;
    let mut bad = 0;
    let mut hint = warp.hint;
    let mut reach = Reach { memory: ctx.memory, shared: ctx.shared, frames: &mut warp.frames };
    for (to, mask) in Reach::parts(at.space, &where_, at.mask, bytes) {
        for lane in lanes(mask) {
            let one = 1 << lane;
            let failed = by_width!(width, T => {
                let mut word = [<T as Default>::default(); W];
                let mut failed = reach.load::<T>(to, &where_, one, &mut word, &mut hint);
                if failed == 0 {
                    old[lane] = u64::from_le_bytes(word[lane].to_bytes());
                    let b = second.as_ref().map_or(0, |b| b[lane]);
                    let new = update(op, ty, to, old[lane], first[lane], b);
                    changed |= new != old[lane];
                    failed_swaps |= u32::from(op == AtomOp::Cas && old[lane] != first[lane]) << lane;
                    left[lane] = new;
                    word[lane] = new as T;
                    failed = reach.store::<T>(to, &where_, one, &word, &mut hint);
                }
                failed
            });
            bad |= failed;
        }
    }
    if bad != 0 {
        return Err(at.fault(bad, &where_, bytes, true, at.space));
    }
    warp.hint = hint;
    if let (Some(d), Some(Some(frame))) = (d, warp.frames.get_mut(at.frame as usize)) {
        for lane in lanes(at.mask) {
            frame.set((ty, d), lane, old[lane]);
        }
    }
    if hooks.wants_accesses() {
        let kind = AccessKind::Atomic { op, scope, failed: failed_swaps, used: d.is_some() };
        tell(warp, hooks, at, kind, bytes, &where_, Values::Longs(&left));
    }
    Ok(changed)
}

/// The new value of an atomic. `atom.add.f32` flushes subnormals in global memory and keeps them in shared, as measured on
/// an H200.
fn update(op: AtomOp, ty: Ty, to: Target, old: u64, a: u64, b: u64) -> u64 {
    if op == AtomOp::Add && ty == Ty::F32 && to == Target::Memory {
        let flush = |bits: u64| if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
        return flush(eval::eval_atomic(op, ty, flush(old), flush(a), b));
    }
    eval::eval_atomic(op, ty, old, a, b)
}

//! Loads, stores and atomics lane by lane: the slow path for addresses that are not regular, and the atomics.
//!
//! Not here: which memory an address lies in (`memory::slow_path`).

use super::generic::Memories;
use super::report::RunState;
use crate::code::{AddressExpr, AtomicOp, Code, MemOp, Op, Width};
use crate::frame::Frame;
use crate::frame::lane_pattern;
use crate::memory::local::Local;
use crate::memory::shared_memory;
use crate::memory::slow_path::{SlowPath, Target, allowed, target};
use crate::native::Single;
use crate::simd::Base;
use crate::warp::Atomics;
use crate::warp::{Context, Fault, FaultKind, Warp};
use ir::op::AtomOp;
use ir::{Access, Combined, Space, Trap, eval};
use mem::address::SHARED_BASE;
use mem::{LaneAddresses, Strided, Word};
use scalar::lanes;

/// Whether this side may touch memory at the grid, which lies in one region, and whether it is aligned as it must.
#[inline(always)]
pub(crate) fn is_open<const W: usize>(open: u64, g: &Strided<W>, bytes: usize) -> bool {
    allowed(open, g.first()) && (W == 1 || g.is_aligned(bytes))
}

/// The spaces that an observer sees, each with the lanes whose addresses lie there.
pub(crate) fn spaces<const W: usize>(space: Space, at: &LaneAddresses<W>, mask: u32) -> [(Space, u32); 3] {
    let mut spaces = [(Space::Global, 0), (Space::Shared, 0), (Space::Local, 0)];
    for (target, lanes) in SlowPath::<W>::parts(space, at, mask) {
        spaces[match target {
            Target::Memory => 0,
            Target::Shared | Target::Cluster => 1,
            Target::Local => 2,
        }]
        .1 |= lanes;
    }
    spaces
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

/// The memories that an access reaches.
macro_rules! reach {
    ($ctx:expr, $warp:expr) => {
        SlowPath {
            memory: $ctx.memory,
            shared: $ctx.shared,
            cluster: $ctx.cluster,
            locals: &mut $warp.locals,
            open: $warp.open,
        }
    };
}

/// Reads the word that all lanes read, in device code; `None` if it cannot be read.
#[inline(always)]
pub(crate) fn load_one(ctx: &Context<'_>, open: u64, m: &MemOp, address: u64, hint: &mut u32) -> Option<u64> {
    if !address.is_multiple_of(m.width.bytes() as u64) {
        return None;
    }
    if m.space == Space::Shared {
        let at = usize::try_from(address.wrapping_sub(SHARED_BASE)).ok()?;
        return by_width!(m.width, T => {
            ctx.shared.get(at..at.checked_add(<T as Word>::BYTES)?).map(|b| <T as Word>::read(b).word())
        });
    }
    if !allowed(open, address) || m.access == Access::Volatile && ctx.atomics.is_some() {
        return None;
    }
    by_width!(m.width, T => ctx.memory.load::<T>(address, hint).map(Word::word))
}

fn fault<const W: usize>(run: &RunState<W>, bad: u32, bytes: usize, write: bool, space: Space) -> Fault {
    let addresses: Vec<(u32, u64)> = lanes(bad).map(|l| (l as u32, run.lanes.address(l))).collect();
    let misaligned = W > 1 && addresses.iter().any(|&(_, a)| !a.is_multiple_of(bytes as u64));
    let kind = if misaligned {
        FaultKind::Misaligned { bytes: bytes as u32, write }
    } else {
        FaultKind::Access { space, bytes: bytes as u32, write }
    };
    Fault { kind, site: run.site, mask: bad, addresses }
}

/// The addresses of an access by the current split.
fn addresses<const W: usize>(code: &Code, expr: &AddressExpr, frame: &Frame<W>, run: &RunState<W>) -> LaneAddresses<W> {
    let scalars = run.fast.then_some(frame.scalars.as_slice());
    let all = if W == 1 {
        // All registers of host code are among the uniform terms, and in rows.
        lane_pattern::addresses(expr, &[], frame.local_base, None, &frame.words, &frame.longs)
    } else {
        lane_pattern::addresses(
            expr,
            &code.variants[run.variant].patterns,
            frame.local_base,
            scalars,
            &frame.words,
            &frame.longs,
        )
    };
    LaneAddresses::of(&all, run.mask)
}

/// What an access did.
pub(crate) enum Done {
    /// It loaded.
    Load,
    /// It stored.
    Store,
    /// Nothing yet: it has to be reported first.
    Tell,
    /// Nothing yet: the warp has to wait.
    Held,
}

/// The one memory in which the addresses of the lanes of `mask` lie.
#[inline(always)]
fn one_target(space: Space, addresses: &[u64; 32], mask: u32) -> Option<Target> {
    let first = addresses[mask.trailing_zeros() as usize & 31];
    let to = target(space, first);
    if space != Space::Generic || is_uniform(addresses, mask) {
        return Some(to);
    }
    for lane in lanes(mask) {
        if target(space, addresses[lane]) != to {
            return None;
        }
    }
    Some(to)
}

/// Whether the lanes of `mask` have one address.
#[inline(always)]
fn is_uniform(addresses: &[u64; 32], mask: u32) -> bool {
    let first = addresses[mask.trailing_zeros() as usize & 31];
    let mut others = 0;
    for (lane, &address) in addresses.iter().enumerate() {
        others |= u32::from(address != first) << lane;
    }
    others & mask == 0
}

/// A load or store by a generic address whose lanes follow a rule; gives the rule if it was done.
#[inline(always)]
fn by_rule(
    code: &Code,
    (m, is_store): (&MemOp, bool),
    (frame, locals): (&mut Frame<32>, &mut [Local<32>]),
    ctx: &mut Context<'_>,
    (at, open): (&Single, u64),
) -> Option<Strided<32>> {
    let variant = &code.variants[at.variant];
    let expr = variant.address_exprs.get(m.expr as usize)?;
    let Frame { words, longs, scalars, patterns, hints, local_base, .. } = frame;
    if let Some(i) = lane_pattern::stale(expr, patterns, at.mask) {
        patterns[i as usize].work_out(Base, &variant.patterns[i as usize], words, longs, at.mask);
    }
    let g = lane_pattern::grid(expr, *local_base, scalars, patterns)?;
    let hint = &mut hints[m.expr as usize];
    let mut memories = Memories { memory: &ctx.memory, shared: &mut *ctx.shared, locals, open, frame: at.frame };
    macro_rules! access {
        ($row:expr, $zero:expr) => {{
            let row = $row;
            if is_store {
                memories.store(m.space, (&g, at.mask), row, &mut hint.place)
            } else {
                let mut values = [$zero; 32];
                let is_done = memories.load(m.space, (&g, at.mask), &mut values, hint);
                for (lane, word) in row.iter_mut().enumerate() {
                    *word = if is_done && at.mask >> lane & 1 != 0 { values[lane] } else { *word };
                }
                is_done
            }
        }};
    }
    let is_done = match m.width {
        Width::W32 => access!(&mut words[m.value as usize], 0u32),
        Width::W64 => access!(&mut longs[m.value as usize], 0u64),
        Width::W8 | Width::W16 => false,
    };
    is_done.then_some(g)
}

/// Executes a load or store of a variant of which all lanes lie in one piece of global or shared memory, or by a rule in local
/// memory, and gives the addresses. `None` if it is another one, or a lane may not do it: then nothing has happened.
#[inline(always)]
pub(crate) fn together(
    code: &Code,
    op: &Op,
    (frame, locals): (&mut Frame<32>, &mut [Local<32>]),
    ctx: &mut Context<'_>,
    (at, open): (&Single, u64),
    hint: &mut u32,
) -> Option<LaneAddresses<32>> {
    let (m, is_store) = match (op.load(), op.store()) {
        (Some(m), _) => (m, false),
        (None, Some(m)) => (m, true),
        (None, None) => return None,
    };
    if m.access == Access::Volatile {
        return None;
    }
    if let Space::Generic | Space::Local = m.space
        && let Some(g) = by_rule(code, (m, is_store), (frame, locals), ctx, (at, open))
    {
        return Some(LaneAddresses::Strided(g));
    }
    let variant = &code.variants[at.variant];
    let expr = variant.address_exprs.get(m.expr as usize)?;
    let scalars = Some(&frame.scalars[..]);
    let addresses =
        lane_pattern::addresses(expr, &variant.patterns, frame.local_base, scalars, &frame.words, &frame.longs);
    let is_shared = match one_target(m.space, &addresses, at.mask)? {
        Target::Shared => true,
        Target::Memory => false,
        Target::Cluster | Target::Local => return None,
    };
    if !is_shared && !allowed(open, addresses[at.mask.trailing_zeros() as usize]) {
        return None;
    }
    macro_rules! access {
        ($row:expr, $T:ident as $bits:ident) => {{
            let row = $row;
            let mut values = row.map(|bits| bits as $T);
            let is_done = match (is_shared, is_store) {
                (false, false) => ctx.memory.gather(&addresses, at.mask, &mut values, hint),
                (false, true) => ctx.memory.scatter(&addresses, at.mask, &values, hint),
                (true, false) => shared_memory::gather(ctx.shared, &addresses, at.mask, &mut values),
                (true, true) => shared_memory::scatter(ctx.shared, &addresses, at.mask, &values),
            };
            if is_done && !is_store {
                for (lane, bits) in row.iter_mut().enumerate() {
                    *bits = if at.mask >> lane & 1 != 0 { $bits::from(values[lane]) } else { *bits };
                }
            }
            is_done
        }};
    }
    let value = m.value as usize;
    let is_done = match m.width {
        Width::W8 => access!(&mut frame.words[value], u8 as u32),
        Width::W16 => access!(&mut frame.words[value], u16 as u32),
        Width::W32 => access!(&mut frame.words[value], u32 as u32),
        Width::W64 => access!(&mut frame.longs[value], u64 as u64),
    };
    is_done.then_some(LaneAddresses::List(addresses))
}

/// Executes a load or a store, whatever its addresses are.
pub(crate) fn lane_by_lane<const W: usize>(
    code: &Code,
    op: &Op,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    run: &mut RunState<W>,
    reported: bool,
) -> Result<Done, Fault> {
    let (m, write, one) = if let Op::ULoad(m) = op {
        (m, false, true)
    } else if let Some(m) = op.load() {
        (m, false, false)
    } else if let Some(m) = op.store() {
        (m, true, false)
    } else {
        let kind = FaultKind::Trap(Trap::Unreachable);
        return Err(Fault { kind, site: run.site, mask: run.mask, addresses: Vec::new() });
    };
    let is_polled = !write && m.access == Access::Volatile && m.space != Space::Shared && m.space != Space::Local;
    if is_polled && ctx.atomics.as_deref_mut().is_some_and(Atomics::holds) {
        return Ok(Done::Held);
    }
    let Some(frame) = warp.frame(run.frame) else { return Ok(Done::Load) };
    let bytes = m.width.bytes();
    let expr = &code.variants[run.variant].address_exprs[m.expr as usize];
    run.lanes = addresses(code, expr, frame, run);
    if write && !reported && run.has_to_report(run.site.func, run.site.pc, run.mask, bytes) {
        return Ok(Done::Tell);
    }
    let bad = match (write, m.width) {
        (false, Width::W32) if !one => {
            let mut out = frame.words[m.value as usize];
            let bad = load_lanes(warp, ctx, m.space, run, &mut out);
            put(warp, run.frame, |f| f.words[m.value as usize] = out);
            bad
        }
        (false, Width::W64) if !one => {
            let mut out = frame.longs[m.value as usize];
            let bad = load_lanes(warp, ctx, m.space, run, &mut out);
            put(warp, run.frame, |f| f.longs[m.value as usize] = out);
            bad
        }
        (false, _) => by_width!(m.width, T => {
            let mut out = [<T as Default>::default(); W];
            let bad = load_lanes(warp, ctx, m.space, run, &mut out);
            let mask = run.mask;
            put(warp, run.frame, |f| {
                if one {
                    f.scalars[m.value as usize] = out[mask.trailing_zeros() as usize].word();
                } else {
                    lanes(mask).for_each(|l| f.words[m.value as usize][l] = out[l].word() as u32);
                }
            });
            bad
        }),
        (true, Width::W64) => {
            let values = frame.longs[m.value as usize];
            store_lanes(warp, ctx, m.space, run, &values)
        }
        (true, width) => {
            let words = frame.words[m.value as usize];
            match width {
                Width::W8 => store_lanes(warp, ctx, m.space, run, &words.map(|w| w as u8)),
                Width::W16 => store_lanes(warp, ctx, m.space, run, &words.map(|w| w as u16)),
                _ => store_lanes(warp, ctx, m.space, run, &words),
            }
        }
    };
    match bad {
        0 if write => Ok(Done::Store),
        0 => Ok(Done::Load),
        _ => Err(fault(run, bad, bytes, write, m.space)),
    }
}

fn put<const W: usize>(warp: &mut Warp<W>, frame: u32, f: impl FnOnce(&mut Frame<W>)) {
    if let Some(Some(frame)) = warp.frames.get_mut(frame as usize) {
        f(frame);
    }
}

/// Reads one word for each lane of the access; gives the lanes that could not.
fn load_lanes<T: Word, const W: usize>(
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    space: Space,
    run: &RunState<W>,
    out: &mut [T; W],
) -> u32 {
    let mut hint = warp.hint;
    let reach = reach!(ctx, warp);
    let mut bad = 0;
    for (to, mask) in SlowPath::parts(space, &run.lanes, run.mask) {
        if mask != 0 {
            bad |= reach.load(to, &run.lanes, mask, out, &mut hint);
        }
    }
    warp.hint = hint;
    bad
}

/// Writes one word for each lane of the access; gives the lanes that could not.
fn store_lanes<T: Word, const W: usize>(
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    space: Space,
    run: &RunState<W>,
    values: &[T; W],
) -> u32 {
    let mut hint = warp.hint;
    let mut reach = reach!(ctx, warp);
    let mut bad = 0;
    for (to, mask) in SlowPath::parts(space, &run.lanes, run.mask) {
        if mask != 0 {
            bad |= reach.store(to, &run.lanes, mask, values, &mut hint);
        }
    }
    warp.hint = hint;
    bad
}

/// Whether the lanes of an atomic may touch what they address, so that it does not fail half-way but for want of a page. Local memory is
/// left to the interpreter.
pub(crate) fn atomic_is_inside<const W: usize>(
    code: &Code,
    a: &AtomicOp,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    run: &mut RunState<W>,
) -> bool {
    let Some(frame) = warp.frame(run.frame) else { return false };
    run.lanes = addresses(code, &code.variants[run.variant].address_exprs[a.expr as usize], frame, run);
    let bytes = Width::of(a.ty).bytes();
    let reach = reach!(ctx, warp);
    SlowPath::parts(a.space, &run.lanes, run.mask).into_iter().all(|(to, mask)| match to {
        Target::Memory if run.lanes.as_uniform().is_some() => {
            mask == 0 || reach.has(run.lanes.address(mask.trailing_zeros() as usize), bytes)
        }
        Target::Memory => lanes(mask).all(|lane| reach.has(run.lanes.address(lane), bytes)),
        Target::Shared => reach.shared_has(&run.lanes, mask, bytes),
        Target::Cluster => lanes(mask).all(|lane| reach.cluster_has(run.lanes.address(lane), bytes)),
        Target::Local => mask == 0,
    })
}

/// Executes the atomics of all lanes on one word as one; says whether they changed it. `None` if nothing was done.
fn atomic_as_one<const W: usize>(
    a: &AtomicOp,
    combined: &Combined,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    run: &mut RunState<W>,
) -> Option<bool> {
    let AtomicOp { op, ty, space, .. } = *a;
    let (width, address, at) = (Width::of(ty), run.lanes.as_uniform()?, run.mask.trailing_zeros() as usize);
    let to = target(space, address);
    let mut hint = warp.hint;
    (run.failed, run.unchanged) = (0, 0);
    let mut reach = reach!(ctx, warp);
    if to == Target::Local {
        return None;
    }
    if to == Target::Memory && ctx.atomics.as_deref().is_some_and(|sink| sink.takes(run.site)) {
        if !reach.has(address, width.bytes()) {
            return None;
        }
        ctx.atomics.as_deref_mut()?.take(run.site, op, ty, address, combined.operand, 0);
        return Some(true);
    }
    let (old, new) = by_width!(width, T => {
        let old = reach.load_word::<T>(to, at, address, &mut hint)?;
        let new = eval::eval_atomic(op, ty, old.word(), combined.operand, 0);
        reach.store_word::<T>(to, at, address, new as T, &mut hint)?;
        (old.word(), new)
    });
    warp.hint = hint;
    Some(combined.changes(old, new))
}

/// Executes an atomic, lane after lane; says whether it changed anything.
pub(crate) fn atomic<const W: usize>(
    code: &Code,
    a: &AtomicOp,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    run: &mut RunState<W>,
) -> Result<bool, Fault> {
    let AtomicOp { op, ty, space, .. } = *a;
    let width = Width::of(ty);
    let bytes = width.bytes();
    let Some(frame) = warp.frame(run.frame) else { return Ok(false) };
    run.lanes = addresses(code, &code.variants[run.variant].address_exprs[a.expr as usize], frame, run);
    let is_seen = a.d.is_some() || run.report || run.observer.is_some();
    let is_one = !is_seen && run.mask != 0 && run.lanes.as_uniform().is_some();
    let operands = lanes(run.mask).map(|lane| frame.get((ty, a.a), lane));
    if is_one
        && let Some(combined) = Combined::of(op, ty, operands)
        && let Some(changed) = atomic_as_one(a, &combined, warp, ctx, run)
    {
        return Ok(changed);
    }
    let Some(frame) = warp.frame(run.frame) else { return Ok(false) };
    let operand = |slot| -> [u64; W] { std::array::from_fn(|l| frame.get((ty, slot), l)) };
    let (first, second) = (operand(a.a), a.b.map(operand));
    let mut old = [0u64; W];
    let mut left = [0u64; W];
    let mut changed = false;
    let mut unchanged = 0;
    let mut bad = 0;
    run.failed = 0;
    let order = warp.lane_order();
    let mut hint = warp.hint;
    let deferred = ctx.atomics.as_deref().is_some_and(|sink| sink.takes(run.site));
    let mut reach = reach!(ctx, warp);
    // What a lane finds and what it leaves.
    let mut update = |to: Target, lane: usize, found: u64, failed: &mut u32| -> u64 {
        let b = second.as_ref().map_or(0, |b| b[lane]);
        let new = match to {
            Target::Memory => eval::eval_atomic_global(op, ty, found, first[lane], b),
            Target::Shared | Target::Cluster | Target::Local => eval::eval_atomic(op, ty, found, first[lane], b),
        };
        (old[lane], left[lane]) = (found, new);
        changed |= new != found;
        unchanged |= u32::from(new == found) << lane;
        *failed |= u32::from(op == AtomOp::Cas && found != first[lane]) << lane;
        new
    };
    let mut any_deferred = false;
    for (to, mask) in SlowPath::parts(space, &run.lanes, run.mask) {
        let is_deferred = deferred && to == Target::Memory;
        if mask != 0 && !is_deferred && to != Target::Local && run.lanes.as_uniform().is_some() {
            // All lanes do it to the same word: it is loaded and stored once.
            let (at, address) = (mask.trailing_zeros() as usize, run.lanes.address(0));
            let is_done = by_width!(width, T => {
                reach.load_word::<T>(to, at, address, &mut hint).and_then(|mut word| {
                    for lane in order.lanes(mask) {
                        word = update(to, lane, word.word(), &mut run.failed) as T;
                    }
                    reach.store_word::<T>(to, at, address, word, &mut hint)
                })
            });
            bad |= if is_done.is_some() { 0 } else { mask };
            continue;
        }
        let of_all = run.lanes.as_uniform();
        // Of one address it is asked once.
        let is_there = is_deferred && mask != 0 && of_all.is_some_and(|address| reach.has(address, bytes));
        for lane in order.lanes(mask) {
            let address = run.lanes.address(lane);
            if is_deferred {
                let b = second.as_ref().map_or(0, |b| b[lane]);
                if is_there || of_all.is_none() && reach.has(address, bytes) {
                    if let Some(sink) = ctx.atomics.as_deref_mut() {
                        sink.take(run.site, op, ty, address, first[lane], b);
                    }
                    any_deferred = true;
                } else {
                    bad |= 1 << lane;
                }
                continue;
            }
            let is_done = by_width!(width, T => {
                reach.load_word::<T>(to, lane, address, &mut hint).and_then(|word| {
                    let new = update(to, lane, word.word(), &mut run.failed) as T;
                    reach.store_word::<T>(to, lane, address, new, &mut hint)
                })
            });
            bad |= u32::from(is_done.is_none()) << lane;
        }
    }
    if bad != 0 {
        return Err(fault(run, bad, bytes, true, space));
    }
    run.unchanged = unchanged;
    if run.report {
        run.left = Some(Box::new(left));
        run.order = (!order.is_by_number()).then(|| Box::new(order.all()));
    }
    warp.hint = hint;
    if let (Some(d), Some(Some(frame))) = (a.d, warp.frames.get_mut(run.frame as usize)) {
        for lane in lanes(run.mask) {
            frame.put((ty, d), lane, old[lane]);
        }
    }
    Ok(changed || any_deferred)
}

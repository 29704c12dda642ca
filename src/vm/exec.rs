//! The loop that runs a warp.
//!
//! `run_loop` picks a fragment and executes its operations until it ends, splits, waits or the caller's budget is used up. The
//! same loop is compiled for several instruction sets, chosen at run time; which one it is never shows in a result, since
//! the compiler contracts nothing.

use crate::access;
use crate::code::{Fast, FastCmp, FastCvt, NO_JOIN, Op, Program, Site, Slot};
use crate::frame::Frame;
use crate::hooks::Hooks;
use crate::warp::{Context, Fault, FaultKind, LaunchRequest, RtRequest, State, Stop, Warp, lanes};
use ir::Ty;
use ir::eval;
use ir::op::{BarOp, ShflOp, Special, VoteOp};
use scalar::{convert, int, real};

/// What the loop does after an operation.
enum Flow {
    /// Goes on with another fragment, or the same one reloaded.
    Reload,
    /// Stops.
    Stop(Stop),
}

#[inline(always)]
pub(crate) fn run_loop<const W: usize, H: Hooks<W> + ?Sized>(
    program: &Program,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    hooks: &mut H,
) -> Stop {
    loop {
        if warp.fragments.is_empty() {
            return Stop::Done;
        }
        if warp.pick().is_none() {
            return if warp.is_polling() { Stop::Polling } else { Stop::Waiting };
        }
        if let Flow::Stop(stop) = run_fragment(program, warp, ctx, hooks) {
            return stop;
        }
    }
}

#[inline(always)]
fn run_fragment<const W: usize, H: Hooks<W> + ?Sized>(
    program: &Program,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    hooks: &mut H,
) -> Flow {
    let current = warp.current;
    let (mask, number, mut pc, mut idle) = {
        let f = &warp.fragments[current];
        (f.mask, f.frame, f.pc, f.idle)
    };
    let full = mask == warp.live;
    let Some(func) = warp.frame(number).map(|f| f.func) else { return Flow::Stop(Stop::Done) };
    let ops: &[Op] = &program.code[func.index()].ops;

    // Writes the local copies back before anything else looks at the fragment.
    macro_rules! save {
        () => {{
            let f = &mut warp.fragments[current];
            f.pc = pc;
            f.idle = idle;
        }};
    }
    macro_rules! stop {
        ($stop:expr) => {{
            save!();
            return Flow::Stop($stop);
        }};
    }
    macro_rules! fault {
        ($kind:expr) => {{
            let site = Site { func, pc };
            stop!(Stop::Fault(Fault { kind: $kind, site, mask, addresses: Vec::new() }))
        }};
    }
    macro_rules! point {
        () => {{
            warp.points += 1;
            if ctx.budget == 0 {
                stop!(Stop::Budget);
            }
            ctx.budget -= 1;
        }};
    }

    loop {
        let Some(op) = ops.get(pc as usize) else { fault!(FaultKind::Trap(ir::Trap::Unreachable)) };
        let Some(Some(frame)) = warp.frames.get_mut(number as usize) else { stop!(Stop::Done) };
        match *op {
            Op::MovP { d, a } => {
                let v = frame.preds[a as usize];
                set_pred(frame, d, v, mask);
            }
            Op::NotP { d, a } => {
                let v = !frame.preds[a as usize];
                set_pred(frame, d, v, mask);
            }
            Op::AndP { d, a, b } => {
                let v = frame.preds[a as usize] & frame.preds[b as usize];
                set_pred(frame, d, v, mask);
            }
            Op::OrP { d, a, b } => {
                let v = frame.preds[a as usize] | frame.preds[b as usize];
                set_pred(frame, d, v, mask);
            }
            Op::XorP { d, a, b } => {
                let v = frame.preds[a as usize] ^ frame.preds[b as usize];
                set_pred(frame, d, v, mask);
            }
            Op::Mov32 { d, a } => map32(frame, full, mask, d, a, a, |x, _| x),
            Op::Mov64 { d, a } => map64(frame, full, mask, d, a, a, |x, _| x),
            Op::Bin32 { op, d, a, b } => bin32(frame, full, mask, op, d, a, b),
            Op::Bin64 { op, d, a, b } => bin64(frame, full, mask, op, d, a, b),
            Op::FmaF32 { d, a, b, c } => {
                let z = frame.words[c as usize];
                let f = |x, y, z| real::fma(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z)).to_bits();
                map32_with(frame, full, mask, d, a, b, &z, f);
            }
            Op::FmaF64 { d, a, b, c } => {
                let z = frame.longs[c as usize];
                let f = |x, y, z| real::fma(f64::from_bits(x), f64::from_bits(y), f64::from_bits(z)).to_bits();
                map64_with(frame, full, mask, d, a, b, &z, f);
            }
            Op::MadI32 { d, a, b, c } => {
                let z = frame.words[c as usize];
                map32_with(frame, full, mask, d, a, b, &z, |x, y, z| x.wrapping_mul(y).wrapping_add(z));
            }
            Op::MadI64 { d, a, b, c } => {
                let z = frame.longs[c as usize];
                map64_with(frame, full, mask, d, a, b, &z, |x, y, z| x.wrapping_mul(y).wrapping_add(z));
            }
            Op::NegF32 { d, a } => {
                map32(frame, full, mask, d, a, a, |x, _| real::neg(f32::from_bits(x)).to_bits());
            }
            Op::NegF64 { d, a } => {
                map64(frame, full, mask, d, a, a, |x, _| real::neg(f64::from_bits(x)).to_bits());
            }
            Op::SqrtF32 { d, a } => {
                map32(frame, full, mask, d, a, a, |x, _| real::sqrt(f32::from_bits(x)).to_bits());
            }
            Op::SqrtF64 { d, a } => {
                map64(frame, full, mask, d, a, a, |x, _| real::sqrt(f64::from_bits(x)).to_bits());
            }
            Op::EvalUn { op, ty, d, a } => {
                for l in lanes(mask) {
                    let v = eval::eval_un(op, ty, frame.get((ty, a), l));
                    frame.set((ty, d), l, v);
                }
            }
            Op::EvalBin { op, ty, d, a, b } => {
                for l in lanes(mask) {
                    let v = eval::eval_bin(op, ty, frame.get((ty, a), l), frame.get((ty, b), l));
                    frame.set((ty, d), l, v);
                }
            }
            Op::EvalTri { op, ty, d, a, b, c } => {
                for l in lanes(mask) {
                    let (x, y, z) = (frame.get((ty, a), l), frame.get((ty, b), l), frame.get((ty, c), l));
                    frame.set((ty, d), l, eval::eval_tri(op, ty, x, y, z));
                }
            }
            Op::EvalCvt { op, from, to, d, a } => {
                for l in lanes(mask) {
                    let v = eval::eval_cvt(op, from, to, frame.get((from, a), l));
                    frame.set((to, d), l, v);
                }
            }
            Op::EvalCmp { op, ty, d, a, b } => {
                for l in lanes(mask) {
                    let v = eval::eval_cmp(op, ty, frame.get((ty, a), l), frame.get((ty, b), l));
                    frame.set((Ty::Pred, d), l, u64::from(v));
                }
            }
            Op::Cvt { op, d, a } => fast_convert(frame, full, mask, op, d, a),
            Op::Cmp32 { op, d, a, b } => {
                let v = compare32(frame, op, a, b);
                set_pred(frame, d, v, mask);
            }
            Op::Cmp64 { op, d, a, b } => {
                let v = compare64(frame, op, a, b);
                set_pred(frame, d, v, mask);
            }
            Op::SelP { d, p, a, b } => {
                let p = frame.preds[p as usize];
                let v = p & frame.preds[a as usize] | !p & frame.preds[b as usize];
                set_pred(frame, d, v, mask);
            }
            Op::Sel32 { d, p, a, b } => {
                let p = spread::<W>(frame.preds[p as usize]);
                map32_with(frame, full, mask, d, a, b, &p, |x, y, p| if p != 0 { x } else { y });
            }
            Op::Sel64 { d, p, a, b } => {
                let p = spread::<W>(frame.preds[p as usize]).map(u64::from);
                map64_with(frame, full, mask, d, a, b, &p, |x, y, p| if p != 0 { x } else { y });
            }
            Op::LocalAddr { d, offset } => {
                let address = frame.local_base + offset;
                map64(frame, full, mask, d, d, d, |_, _| address);
            }
            Op::DynamicShared { d } => {
                let address = mem::address::SHARED_BASE + ctx.geometry.static_shared.next_multiple_of(16);
                map64(frame, full, mask, d, d, d, |_, _| address);
            }
            Op::Special { reg, d } => {
                let first = warp.number * 32;
                let points = warp.points;
                special(frame, ctx, reg, d, mask, first, points);
            }
            Op::Load { width, space, access, d, addr, offset } => {
                point!();
                let at = access::Place { func, pc, frame: number, mask, space, offset };
                if let Err(fault) = access::load(warp, ctx, hooks, &at, width, access, d, addr) {
                    stop!(Stop::Fault(fault));
                }
                idle += 1;
            }
            Op::Store { width, space, access, addr, offset, value } => {
                point!();
                let at = access::Place { func, pc, frame: number, mask, space, offset };
                if let Err(fault) = access::store(warp, ctx, hooks, &at, width, access, addr, value) {
                    stop!(Stop::Fault(fault));
                }
                idle = 0;
                warp.writes += 1;
            }
            Op::Atomic { op, ty, space, scope, d, addr, offset, a, b } => {
                point!();
                let at = access::Place { func, pc, frame: number, mask, space, offset };
                match access::atomic(warp, ctx, hooks, &at, (op, ty, scope), (d, addr, a, b)) {
                    Ok(true) => {
                        idle = 0;
                        warp.writes += 1;
                    }
                    Ok(false) => idle += 1,
                    Err(fault) => stop!(Stop::Fault(fault)),
                }
            }
            Op::Fence { scope } => {
                point!();
                hooks.on_fence(warp, mask, scope);
            }
            Op::Barrier { op, a, .. } => {
                point!();
                let pred = match (op, a) {
                    (BarOp::Sync, _) | (_, None) => 0,
                    (_, Some(a)) => warp.frame(number).map_or(0, |f| f.preds[a as usize]) & mask,
                };
                save!();
                warp.fragments[current].state = State::AtBarrier { op, pred };
                return Flow::Reload;
            }
            Op::SyncWarp { mask: slot } => {
                let need = first_value(frame, mask, slot) & warp.live;
                if need & mask == 0 {
                    fault!(FaultKind::WarpMask);
                }
                if need & !mask != 0 {
                    save!();
                    warp.fragments[current].state = State::AtRendezvous { need };
                    return Flow::Reload;
                }
                point!();
                hooks.on_syncwarp(warp, need & mask);
            }
            Op::Vote { op, ty, d, mask: slot, a } => {
                let need = slot.map_or(u32::MAX, |s| first_value(frame, mask, s)) & warp.live;
                if need & !mask != 0 {
                    save!();
                    warp.fragments[current].state = State::AtRendezvous { need };
                    return Flow::Reload;
                }
                vote(frame, op, ty, d, a, mask, if slot.is_some() { need } else { mask });
                point!();
            }
            Op::Shuffle { op, ty, d, a, lane, width } => {
                if warp.live & !mask != 0 {
                    let need = warp.live;
                    save!();
                    warp.fragments[current].state = State::AtRendezvous { need };
                    return Flow::Reload;
                }
                shuffle(frame, op, (ty, d), (ty, a), (lane, width), mask);
                point!();
            }
            Op::Call { func, ref args, .. } => {
                save!();
                if warp.enter(program, func, args).is_none() {
                    fault!(FaultKind::StackOverflow);
                }
                return Flow::Reload;
            }
            Op::Rt { rt, ref args, .. } => {
                let site = Site { func, pc };
                save!();
                warp.fragments[current].state = State::AtRt;
                return Flow::Stop(Stop::Rt(RtRequest { rt, site, mask, args: args.to_vec() }));
            }
            Op::Launch(ref launch) => {
                let lane = mask.trailing_zeros() as usize;
                let extent = |i: usize| frame.words[launch.extents[i] as usize][lane] as i32;
                let request = LaunchRequest {
                    func: launch.func,
                    site: Site { func, pc },
                    grid: [extent(0), extent(1), extent(2)],
                    block: [extent(3), extent(4), extent(5)],
                    bytes: frame.longs[launch.bytes as usize][lane] as i64,
                    stream: frame.longs[launch.stream as usize][lane] as i64,
                    args: launch.args.iter().map(|&a| frame.get(a, lane)).collect(),
                };
                save!();
                warp.fragments[current].state = State::AtRt;
                return Flow::Stop(Stop::Launch(request));
            }
            Op::Stmt => {
                if hooks.wants_statements() {
                    save!();
                    let resume = std::mem::take(&mut warp.fragments[current].resume);
                    if !resume && hooks.on_stmt(warp, number, Site { func, pc }, mask) {
                        warp.fragments[current].resume = true;
                        return Flow::Stop(Stop::Statement);
                    }
                }
            }
            Op::BackEdge => {
                point!();
                if idle >= crate::POLL_QUANTUM {
                    pc += 1;
                    save!();
                    return Flow::Reload;
                }
            }
            Op::Join => {
                if warp.fragments[current].joins.last() == Some(&(pc, number)) {
                    pc += 1;
                    save!();
                    warp.fragments[current].state = State::AtJoin;
                    return Flow::Reload;
                }
            }
            Op::Jump { to } => {
                pc = to;
                continue;
            }
            Op::Branch { p, then_pc, else_pc, join } => {
                let taken = frame.preds[p as usize] & mask;
                if taken == mask {
                    pc = then_pc;
                } else if taken == 0 {
                    pc = else_pc;
                } else {
                    pc = then_pc;
                    save!();
                    let join = if join == NO_JOIN { None } else { Some(join) };
                    warp.split(mask & !taken, else_pc, join);
                    return Flow::Reload;
                }
                continue;
            }
            Op::Switch { ty, a, ref arms, default, join, .. } => {
                pc = switch(warp, (current, number, mask), (ty, a), arms, default, join);
                if warp.fragments[current].mask != mask {
                    save!();
                    return Flow::Reload;
                }
                continue;
            }
            Op::Return { ref values } => {
                save!();
                if warp.leave(program, values) {
                    meet_after_call(warp, current);
                } else {
                    warp.retire(mask);
                }
                return Flow::Reload;
            }
            Op::Exit => {
                save!();
                warp.retire(mask);
                return Flow::Reload;
            }
            Op::Trap(trap) => fault!(FaultKind::Trap(trap)),
        }
        pc += 1;
    }
}

/// A fragment that returned to where a join was set up for the call waits there.
fn meet_after_call<const W: usize>(warp: &mut Warp<W>, current: usize) {
    let f = &mut warp.fragments[current];
    if f.joins.last() == Some(&(f.pc, f.frame)) {
        f.state = State::AtJoin;
    }
}

fn switch<const W: usize>(
    warp: &mut Warp<W>,
    (current, number, mask): (usize, u32, u32),
    (ty, a): (Ty, Slot),
    arms: &[(i64, u32)],
    default: u32,
    join: u32,
) -> u32 {
    let target = |frame: &Frame<W>, lane: usize| {
        let value = scalar::bits::signed(ty, frame.get((ty, a), lane));
        arms.iter().find(|&&(v, _)| v == value).map_or(default, |&(_, pc)| pc)
    };
    let Some(frame) = warp.frame(number) else { return default };
    let first = target(frame, mask.trailing_zeros() as usize);
    let mut groups: Vec<(u32, u32)> = Vec::new();
    for lane in lanes(mask) {
        let pc = target(frame, lane);
        match groups.iter_mut().find(|g| g.0 == pc) {
            Some(g) => g.1 |= 1 << lane,
            None => groups.push((pc, 1 << lane)),
        }
    }
    warp.current = current;
    let join = if join == NO_JOIN { None } else { Some(join) };
    for &(pc, part) in groups.iter().skip(1).rev() {
        warp.split(part, pc, join);
    }
    first
}

#[inline(always)]
fn set_pred<const W: usize>(frame: &mut Frame<W>, d: Slot, value: u32, mask: u32) {
    let word = &mut frame.preds[d as usize];
    *word = *word & !mask | value & mask;
}

/// One word a lane: all ones where the bit is set.
#[inline(always)]
fn spread<const W: usize>(bits: u32) -> [u32; W] {
    let mut out = [0; W];
    for (i, word) in out.iter_mut().enumerate() {
        *word = bits >> i & 1;
    }
    out
}

#[inline(always)]
fn first_value<const W: usize>(frame: &Frame<W>, mask: u32, slot: Slot) -> u32 {
    frame.words[slot as usize][mask.trailing_zeros() as usize]
}

#[inline(always)]
fn store32<const W: usize>(frame: &mut Frame<W>, full: bool, mask: u32, d: Slot, v: &[u32; W]) {
    let out = &mut frame.words[d as usize];
    if full {
        *out = *v;
    } else {
        for i in 0..W {
            out[i] = if mask >> i & 1 != 0 { v[i] } else { out[i] };
        }
    }
}

#[inline(always)]
fn store64<const W: usize>(frame: &mut Frame<W>, full: bool, mask: u32, d: Slot, v: &[u64; W]) {
    let out = &mut frame.longs[d as usize];
    if full {
        *out = *v;
    } else {
        for i in 0..W {
            out[i] = if mask >> i & 1 != 0 { v[i] } else { out[i] };
        }
    }
}

#[inline(always)]
fn map32<const W: usize>(
    frame: &mut Frame<W>,
    full: bool,
    mask: u32,
    d: Slot,
    a: Slot,
    b: Slot,
    f: impl Fn(u32, u32) -> u32,
) {
    let (x, y) = (&frame.words[a as usize], &frame.words[b as usize]);
    let mut v = [0; W];
    for i in 0..W {
        v[i] = f(x[i], y[i]);
    }
    store32(frame, full, mask, d, &v);
}

#[inline(always)]
fn map32_with<const W: usize>(
    frame: &mut Frame<W>,
    full: bool,
    mask: u32,
    d: Slot,
    a: Slot,
    b: Slot,
    z: &[u32; W],
    f: impl Fn(u32, u32, u32) -> u32,
) {
    let (x, y) = (&frame.words[a as usize], &frame.words[b as usize]);
    let mut v = [0; W];
    for i in 0..W {
        v[i] = f(x[i], y[i], z[i]);
    }
    store32(frame, full, mask, d, &v);
}

#[inline(always)]
fn map64<const W: usize>(
    frame: &mut Frame<W>,
    full: bool,
    mask: u32,
    d: Slot,
    a: Slot,
    b: Slot,
    f: impl Fn(u64, u64) -> u64,
) {
    let (x, y) = (&frame.longs[a as usize], &frame.longs[b as usize]);
    let mut v = [0; W];
    for i in 0..W {
        v[i] = f(x[i], y[i]);
    }
    store64(frame, full, mask, d, &v);
}

#[inline(always)]
fn map64_with<const W: usize>(
    frame: &mut Frame<W>,
    full: bool,
    mask: u32,
    d: Slot,
    a: Slot,
    b: Slot,
    z: &[u64; W],
    f: impl Fn(u64, u64, u64) -> u64,
) {
    let (x, y) = (&frame.longs[a as usize], &frame.longs[b as usize]);
    let mut v = [0; W];
    for i in 0..W {
        v[i] = f(x[i], y[i], z[i]);
    }
    store64(frame, full, mask, d, &v);
}

macro_rules! binary {
    ($name:ident $map:ident $int:ident $uint:ident $real:ident) => {
        #[inline(always)]
        fn $name<const W: usize>(frame: &mut Frame<W>, full: bool, mask: u32, op: Fast, d: Slot, a: Slot, b: Slot) {
            macro_rules! ints {
                ($f:expr) => {
                    $map(frame, full, mask, d, a, b, |x, y| $f(x as $int, y as $int) as $uint)
                };
            }
            macro_rules! reals {
                ($f:path) => {
                    $map(frame, full, mask, d, a, b, |x, y| $f($real::from_bits(x), $real::from_bits(y)).to_bits())
                };
            }
            // A count of the width or more, or a negative one, shifts everything out.
            let count = |y: $int| if y as $uint >= $uint::from($uint::BITS as u8) { $uint::BITS } else { y as u32 };
            match op {
                Fast::AddI => ints!(int::add),
                Fast::SubI => ints!(int::sub),
                Fast::MulI => ints!(int::mul),
                Fast::And => ints!(int::and),
                Fast::Or => ints!(int::or),
                Fast::Xor => ints!(int::xor),
                Fast::MinI => ints!(int::min),
                Fast::MaxI => ints!(int::max),
                Fast::Shl => ints!(|x, y| int::shl::<$int>(x, count(y))),
                Fast::ShrU => ints!(|x, y| int::shr::<$int>(x, count(y))),
                Fast::ShrS => ints!(|x, y| int::sar::<$int>(x, count(y))),
                Fast::DivI => ints!(int::div),
                Fast::RemI => ints!(int::rem),
                Fast::AddF => reals!(real::add),
                Fast::SubF => reals!(real::sub),
                Fast::MulF => reals!(real::mul),
                Fast::DivF => reals!(real::div),
                Fast::MinF => reals!(real::min),
                Fast::MaxF => reals!(real::max),
            }
        }
    };
}

binary!(bin32 map32 i32 u32 f32);
binary!(bin64 map64 i64 u64 f64);

macro_rules! compares {
    ($name:ident $file:ident $int:ident $uint:ident $real:ident) => {
        #[inline(always)]
        fn $name<const W: usize>(frame: &Frame<W>, op: FastCmp, a: Slot, b: Slot) -> u32 {
            let (x, y) = (&frame.$file[a as usize], &frame.$file[b as usize]);
            macro_rules! bits {
                ($f:expr) => {{
                    let mut out = 0u32;
                    for i in 0..W {
                        out |= u32::from($f(x[i], y[i])) << i;
                    }
                    out
                }};
            }
            macro_rules! ints {
                ($o:tt) => { bits!(|x: $uint, y: $uint| (x as $int) $o (y as $int)) };
            }
            macro_rules! reals {
                ($o:tt) => { bits!(|x, y| $real::from_bits(x) $o $real::from_bits(y)) };
            }
            match op {
                FastCmp::EqI => ints!(==),
                FastCmp::NeI => ints!(!=),
                FastCmp::LtI => ints!(<),
                FastCmp::LeI => ints!(<=),
                FastCmp::GtI => ints!(>),
                FastCmp::GeI => ints!(>=),
                FastCmp::LtU => bits!(|x, y| x < y),
                FastCmp::GeU => bits!(|x, y| x >= y),
                FastCmp::EqF => reals!(==),
                FastCmp::NeF => reals!(!=),
                FastCmp::LtF => reals!(<),
                FastCmp::LeF => reals!(<=),
                FastCmp::GtF => reals!(>),
                FastCmp::GeF => reals!(>=),
            }
        }
    };
}

compares!(compare32 words i32 u32 f32);
compares!(compare64 longs i64 u64 f64);

#[inline(always)]
fn fast_convert<const W: usize>(frame: &mut Frame<W>, full: bool, mask: u32, op: FastCvt, d: Slot, a: Slot) {
    macro_rules! widen {
        ($f:expr) => {{
            let x = &frame.words[a as usize];
            let mut v = [0u64; W];
            for i in 0..W {
                v[i] = $f(x[i]);
            }
            store64(frame, full, mask, d, &v);
        }};
    }
    macro_rules! narrow {
        ($f:expr) => {{
            let x = &frame.longs[a as usize];
            let mut v = [0u32; W];
            for i in 0..W {
                v[i] = $f(x[i]);
            }
            store32(frame, full, mask, d, &v);
        }};
    }
    match op {
        FastCvt::I32ToI64 => widen!(|x: u32| i64::from(x as i32) as u64),
        FastCvt::I64ToI32 => narrow!(|x: u64| x as u32),
        FastCvt::I32ToF32 => map32(frame, full, mask, d, a, a, |x, _| (x as i32 as f32).to_bits()),
        FastCvt::I32ToF64 => widen!(|x: u32| f64::from(x as i32).to_bits()),
        FastCvt::F32ToF64 => widen!(|x: u32| convert::widen(f32::from_bits(x)).to_bits()),
        FastCvt::F64ToF32 => narrow!(|x: u64| convert::narrow(f64::from_bits(x)).to_bits()),
        FastCvt::F32ToI32 => {
            map32(frame, full, mask, d, a, a, |x, _| convert::trunc_to_int::<f32, i32>(f32::from_bits(x)) as u32);
        }
        FastCvt::F64ToI32 => narrow!(|x: u64| convert::trunc_to_int::<f64, i32>(f64::from_bits(x)) as u32),
        FastCvt::I64ToF64 => map64(frame, full, mask, d, a, a, |x, _| (x as i64 as f64).to_bits()),
    }
}

fn special<const W: usize>(
    frame: &mut Frame<W>,
    ctx: &Context<'_>,
    reg: Special,
    d: Slot,
    mask: u32,
    first: u32,
    points: u64,
) {
    let g = &ctx.geometry;
    let [bx, by, _] = g.block.map(|b| b.max(1));
    for lane in lanes(mask) {
        let t = first + lane as u32;
        let value = match reg {
            Special::TidX => t % bx,
            Special::TidY => t / bx % by,
            Special::TidZ => t / (bx * by),
            Special::NtidX => g.block[0],
            Special::NtidY => g.block[1],
            Special::NtidZ => g.block[2],
            Special::CtaidX => g.cta[0],
            Special::CtaidY => g.cta[1],
            Special::CtaidZ => g.cta[2],
            Special::NctaidX => g.grid[0],
            Special::NctaidY => g.grid[1],
            Special::NctaidZ => g.grid[2],
            Special::LaneId => lane as u32,
            Special::ActiveMask => mask,
            Special::Clock64 | Special::GlobalTimer => 0,
        };
        let bits = if reg.ty() == Ty::I64 { points } else { u64::from(value) };
        frame.set((reg.ty(), d), lane, bits);
    }
}

fn vote<const W: usize>(frame: &mut Frame<W>, op: VoteOp, ty: Ty, d: Slot, a: Slot, mask: u32, voters: u32) {
    let holds = if ty == Ty::Pred { frame.preds[a as usize] & voters } else { 0 };
    let values: Vec<u64> = (0..W).map(|l| frame.get((ty, a), l)).collect();
    let same = |l: usize| lanes(voters).filter(|&o| values[o] == values[l]).fold(0u32, |m, o| m | 1 << o);
    for lane in lanes(mask) {
        let (result_ty, bits) = match op {
            VoteOp::All => (Ty::Pred, u64::from(holds == voters)),
            VoteOp::Any => (Ty::Pred, u64::from(holds != 0)),
            VoteOp::Ballot => (Ty::I32, u64::from(holds)),
            VoteOp::MatchAny => (Ty::I32, u64::from(same(lane))),
            VoteOp::MatchAll => (Ty::I32, u64::from(if same(lane) == voters { voters } else { 0 })),
        };
        frame.set((result_ty, d), lane, bits);
    }
}

/// `shfl.sync` (PTX ISA 9.7.9.6): lanes outside the segment, and lanes that take no part, give the caller's own value.
fn shuffle<const W: usize>(
    frame: &mut Frame<W>,
    op: ShflOp,
    d: (Ty, Slot),
    a: (Ty, Slot),
    (lane_slot, width_slot): (Slot, Slot),
    mask: u32,
) {
    let values: Vec<u64> = (0..W).map(|l| frame.get(a, l)).collect();
    for lane in lanes(mask) {
        let operand = frame.words[lane_slot as usize][lane] as i32;
        let width = (frame.words[width_slot as usize][lane]).clamp(1, 32).next_power_of_two() as i32;
        let own = lane as i32;
        let start = own & !(width - 1);
        let end = start + width - 1;
        let source = match op {
            ShflOp::Idx => start + (operand & (width - 1)),
            ShflOp::Up => own.wrapping_sub(operand & 31),
            ShflOp::Down => own.wrapping_add(operand & 31),
            ShflOp::Xor => own ^ (operand & 31),
        };
        let inside = match op {
            ShflOp::Up => source >= start,
            _ => source <= end,
        };
        let taken = if inside && (0..W as i32).contains(&source) && mask >> source & 1 != 0 { source } else { own };
        frame.set(d, lane, values[taken as usize]);
    }
}

//! The loop that runs a warp.
//!
//! `run_core` picks a split and executes its operations until it ends, diverges, waits or the budget is used up. The loop is
//! compiled once for each instruction set and calls no observer: where one has to know something, the loop is left (`exit`,
//! `report`) and entered again. Rare operations and irregular accesses are in `out_of_line` and `access`, which work lane by lane
//! and are compiled once.
//!
//! Results do not depend on the instruction set, since the compiler contracts nothing.

use super::access;
use super::dispatch;
use super::exit::{self, ExitReason, Next, Position};
use super::generic::Memories;
use super::out_of_line;
use super::report::{Exit, RunState};
use crate::code::{BACK_EDGES, HostFunction, NativeFunction, Op, Program, Width};
use crate::frame::lane_pattern;
use crate::frame::scalars::{add_words, holds, lane_sum, signed};
use crate::frame::{Frame, SPARE};
use crate::memory::local;
use crate::memory::shared_memory;
use crate::native::{self, After, Interpreter};
use crate::simd::{Isa, bits, masks, wide_masks, zip3};
use crate::warp::{Context, Stop, Warp, thread_rows};
use ir::eval;
use ir::op::Special;
use mem::{LaneAddresses, Strided};
use scalar::{convert, int, real};
use std::sync::Arc;

#[inline(always)]
pub(crate) fn run_core<const W: usize, S: Isa>(
    isa: S,
    program: &Program,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    run: &mut RunState<W>,
) -> Exit {
    loop {
        if !std::mem::take(&mut run.resume) {
            if warp.splits.is_empty() {
                return Exit::Done;
            }
            if warp.pick().is_none() {
                return if warp.is_polling() { run.stop(Stop::Polling) } else { Exit::Waiting };
            }
        }
        if let Some(exit) = run_split(isa, program, warp, ctx, run) {
            return exit;
        }
    }
}

/// Runs the current split; `None` when another one, or the same one anew, is to be picked.
#[inline(always)]
fn run_split<const W: usize, S: Isa>(
    isa: S,
    program: &Program,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    run: &mut RunState<W>,
) -> Option<Exit> {
    let number = warp.splits.get(warp.current)?.frame;
    let is_possible = W > 1 && program.is_native && warp.directed.is_none();
    let mut native = if is_possible { native::take(program, warp, number, ctx, run.observer.as_ref()) } else { None };
    let is_reported = run.report.then_some(|func, pc| run.is_reporting(func, pc));
    let is_possible = W == 1 && program.is_native && !run.statements;
    let host = match warp.frame(number) {
        Some(frame) if is_possible => native::host::take(program, (frame.func, frame.back_edges), is_reported),
        _ => None,
    };
    let exit = interpret(isa, program, warp, ctx, run, (&mut native, host));
    if let Some(native) = native {
        native::put_back(warp, number, native);
    }
    exit
}

/// Runs the current split by the interpreter, and by compiled code where that may be entered.
#[inline(always)]
fn interpret<const W: usize, S: Isa>(
    isa: S,
    program: &Program,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    run: &mut RunState<W>,
    (taken, host): (&mut Option<Arc<NativeFunction>>, Option<&HostFunction>),
) -> Option<Exit> {
    let (current, quantum) = (warp.current, warp.quantum());
    let split = warp.splits.get_mut(current)?;
    let (mask, number) = (split.mask, split.frame);
    let (mut pc, mut polls) = (split.pc, split.polls);
    if !run.statements && split.resume {
        // The statement before which it was stopped has been told.
        split.resume = false;
        pc += 1;
    }
    let join = split.join();
    let full = W == 1 || mask == warp.live;
    let is_materialised = warp.non_converged || run.materialise_all;
    let Some(Some(frame)) = warp.frames.get_mut(number as usize) else { return Some(Exit::Done) };
    let func = frame.func;
    let code = &program.code[func.index()];
    let variant_number = code.variant(ctx.geometry.block);
    let Some(variant) = code.variants.get(variant_number) else { return Some(Exit::Done) };
    let fast = W > 1 && !is_materialised && !frame.edited && !variant.ops.is_empty();
    if W > 1 && frame.is_fresh {
        frame.choose(variant);
    }
    if W > 1 {
        if !fast {
            if !frame.is_in_rows() {
                frame.spill();
            }
        } else if frame.active_lanes != mask {
            frame.switch_to(mask);
        }
    }
    let ops: &[Op] = if fast { &variant.ops } else { &code.ops };
    let mut reported = std::mem::take(&mut run.reported);
    (run.frame, run.mask, run.variant, run.fast) = (number, mask, variant_number, fast);
    // Points passed and the budget together stay the same.
    let total = warp.points.wrapping_add(ctx.budget);
    // Whether compiled code may be entered: at least one operation lies between where it was left and where it is entered again.
    let mut is_armed = true;
    let interpreter = Interpreter { program, execute: dispatch::execute_single };

    loop {
        let native = taken.as_deref().filter(|_| fast);
        // Whether what the interpreter finds out serves to compile.
        let is_learning = W > 1
            && fast
            && program.is_native
            && warp.directed.is_none()
            && native.is_none_or(NativeFunction::is_early);
        if let Some(native) = native
            && is_armed
            && !reported
            && let Some(entry) = native.entry(pc, mask == u32::MAX)
            && let observer = run.observer.as_mut()
            && let Some(after) =
                native::enter(native, entry, (interpreter, variant), warp, (number, mask, join), (ctx, observer), polls)
        {
            match after {
                After::Together(at, passed) => {
                    if at == pc {
                        native::miss(code, native, warp, number);
                    }
                    (pc, polls, is_armed) = (at, passed, false);
                }
                After::Apart => return None,
            }
        }
        if W == 1
            && let Some(host) = host
            && is_armed
            && !reported
            && let Some(entry) = host.entry(pc)
            && let Some(left) = native::host::run(
                program,
                (host, entry),
                warp,
                number,
                (ctx, run.report.then_some(|func, pc| run.is_reporting(func, pc))),
                polls,
            )
        {
            (pc, polls) = (left.pc, left.polls);
            is_armed = false;
            warp.points = total.wrapping_sub(ctx.budget);
            if left.is_elsewhere {
                return None;
            }
        }
        let mut budget = ctx.budget;
        let Some(Some(frame)) = warp.frames.get_mut(number as usize) else { return Some(Exit::Done) };
        let is_outermost = frame.caller.is_none();
        let Frame { preds, words, longs, scalars, patterns, hints, back_edges, local_base, .. } = &mut **frame;
        let (preds, words, longs) = (preds.as_mut_slice(), &mut words[..], &mut longs[..]);
        let (scalars, patterns) = (scalars.as_mut_slice(), patterns.as_mut_slice());
        let (local_base, hints, threads, open) = (*local_base, hints.as_mut_slice(), &mut warp.threads, warp.open);
        let (spare32, spare64) = (words.len() - SPARE, longs.len() - SPARE);
        if !full {
            words[spare32 + 1] = masks(isa, mask);
            longs[spare64 + 1] = wide_masks(isa, mask);
        }

        // Whether loops of a kernel have run for a while: what was found out is noted at the next branch or jump.
        let mut is_due = false;
        let after = loop {
            macro_rules! point {
                () => {
                    if budget == 0 {
                        break ExitReason::Budget;
                    }
                    budget -= 1;
                };
            }
            macro_rules! isa {
                () => {
                    isa
                };
            }
            // Whether the loops of the host have run long enough to be compiled, from now on.
            macro_rules! has_become_hot {
                () => {
                    W == 1 && {
                        *back_edges = back_edges.saturating_add(1);
                        *back_edges == native::host::HOT
                    }
                };
            }
            macro_rules! count_back_edge {
                () => {
                    if is_learning {
                        *back_edges = back_edges.wrapping_add(1);
                        is_due |= back_edges.is_multiple_of(BACK_EDGES);
                    }
                };
            }
            macro_rules! pred {
                ($d:expr, $v:expr) => {{
                    let v = $v;
                    let word = &mut preds[$d as usize];
                    *word = *word & !mask | v & mask;
                }};
            }
            // Puts a row into a slot; of a part of the lanes through the spare row.
            macro_rules! blend {
                (words $d:expr) => {
                    let (value, part) = (words[spare32], words[spare32 + 1]);
                    words[$d as usize] = zip3(&words[$d as usize], &value, &part, |old, new, m| old & !m | new & m);
                };
                (longs $d:expr) => {
                    let (value, part) = (longs[spare64], longs[spare64 + 1]);
                    longs[$d as usize] = zip3(&longs[$d as usize], &value, &part, |old, new, m| old & !m | new & m);
                };
            }
            macro_rules! place {
                (words $d:expr) => {
                    if full { $d as usize } else { spare32 }
                };
                (longs $d:expr) => {
                    if full { $d as usize } else { spare64 }
                };
            }
            macro_rules! set {
                ($file:ident, $d:expr, $row:expr) => {{
                    let place = place!($file $d);
                    $file[place] = $row;
                    if !full {
                        blend!($file $d);
                    }
                }};
            }
            // A row from others; it goes into its slot, or of a part of the lanes through the spare row.
            macro_rules! row {
                ($file:ident[$d:expr], |$($x:ident = $from:ident[$slot:expr]),+| $value:expr) => {{
                    let mut out = [0; W];
                    {
                        $(let $x = &$from[$slot as usize];)+
                        for i in 0..W {
                            $(let $x = $x[i];)+
                            out[i] = $value;
                        }
                    }
                    set!($file, $d, out);
                }};
            }
            // A count of the width or more, or a negative one, shifts everything out.
            macro_rules! shift {
                ($file:ident $int:ident $uint:ident $r:expr, $f:ident) => {
                    row!($file[$r.d], |x = $file[$r.a], y = $file[$r.b]| {
                        let count = if y >= $int::BITS as $uint { $int::BITS } else { y as u32 };
                        int::$f::<$int>(x as $int, count) as $uint
                    })
                };
            }
            macro_rules! address {
                ($m:expr) => {{
                    let expr = &variant.address_exprs[$m.expr as usize];
                    if W == 1 {
                        let local = if expr.local { local_base as i64 } else { 0 };
                        let sum = lane_sum(&expr.terms, words, longs);
                        Some(Strided::<W>::uniform(sum.wrapping_add(expr.base).wrapping_add(local) as u64))
                    } else if fast {
                        if let Some(i) = lane_pattern::stale(expr, patterns, mask) {
                            patterns[i as usize].work_out(isa, &variant.patterns[i as usize], words, longs, mask);
                        }
                        lane_pattern::grid(expr, local_base, scalars, patterns)
                    } else {
                        None
                    }
                }};
            }
            // Loads and stores through `$do`, which says whether it was done.
            macro_rules! load {
                ($m:expr, $file:ident $word:ident, |$grid:ident, $out:ident| $do:expr) => {{
                    point!();
                    let Some(ref $grid) = address!($m) else { break ExitReason::SlowAccess };
                    let place = place!($file $m.value);
                    let $out = &mut $file[place];
                    if !$do {
                        break ExitReason::SlowAccess;
                    }
                    if !full {
                        blend!($file $m.value);
                    }
                    polls += 1;
                    if run.is_reporting(func, pc) {
                        run.lanes = LaneAddresses::Strided(*$grid);
                        if run.has_to_report(func, pc, mask, $m.width.bytes()) {
                            break ExitReason::ReportLoad;
                        }
                    }
                }};
            }
            macro_rules! store {
                ($m:expr, $file:ident $word:ident, |$grid:ident, $row:ident| $do:expr) => {{
                    if !reported {
                        point!();
                    }
                    let Some(ref $grid) = address!($m) else { break ExitReason::SlowAccess };
                    if !reported && run.is_reporting(func, pc) {
                        run.lanes = LaneAddresses::Strided(*$grid);
                        if run.has_to_report(func, pc, mask, $m.width.bytes()) {
                            break ExitReason::ReportStore;
                        }
                    }
                    let $row = &$file[$m.value as usize];
                    if !$do {
                        break ExitReason::SlowAccess;
                    }
                    reported = false;
                    polls = 0;
                    warp.writes += 1;
                }};
            }
            macro_rules! load_global {
                ($m:expr, $file:ident $word:ident) => {
                    load!($m, $file $word, |g, out| {
                        access::is_open::<W>(open, g, size_of::<$word>()) && ctx.memory.load_strided(g, mask, out, &mut hints[$m.expr as usize])
                    })
                };
            }
            macro_rules! store_global {
                ($m:expr, $file:ident $word:ident) => {
                    store!($m, $file $word, |g, row| {
                        access::is_open::<W>(open, g, size_of::<$word>()) && ctx.memory.store_strided(g, mask, row, &mut hints[$m.expr as usize].place)
                    })
                };
            }

            macro_rules! memories {
                () => {
                    Memories {
                        memory: &ctx.memory,
                        shared: &mut *ctx.shared,
                        locals: &mut warp.locals,
                        open,
                        frame: number,
                    }
                };
            }

            if let Some(native) = native {
                if is_armed && native.entry(pc, mask == u32::MAX).is_some() && !reported {
                    break ExitReason::Native;
                }
                is_armed = true;
            }
            if W == 1
                && let Some(host) = host
            {
                if is_armed && host.entry(pc).is_some() && !reported {
                    break ExitReason::Native;
                }
                is_armed = true;
            }
            let Some(op) = ops.get(pc as usize) else { break ExitReason::OutOfLine };
            compute! { Op: *op; preds, words, longs, scalars;
                Op::Nop => {}
                Op::Shl32(r) => shift!(words i32 u32 r, shl),
                Op::ShrU32(r) => shift!(words i32 u32 r, shr),
                Op::ShrS32(r) => shift!(words i32 u32 r, sar),
                Op::DivI32(r) => ints!(words i32 u32 r, int::div),
                Op::RemI32(r) => ints!(words i32 u32 r, int::rem),
                Op::Shl64(r) => shift!(longs i64 u64 r, shl),
                Op::ShrU64(r) => shift!(longs i64 u64 r, shr),
                Op::ShrS64(r) => shift!(longs i64 u64 r, sar),
                Op::DivI64(r) => ints!(longs i64 u64 r, int::div),
                Op::RemI64(r) => ints!(longs i64 u64 r, int::rem),
                Op::UMinI64(r) => scalar2!(scalars r, |x: u64, y: u64| (x as i64).min(y as i64) as u64),
                Op::UMaxI64(r) => scalar2!(scalars r, |x: u64, y: u64| (x as i64).max(y as i64) as u64),
                Op::UShlI32(r) => scalar2!(scalars r, |x: u64, y: u64| if y < 32 { u64::from((x as u32) << y) } else { 0 }),
                Op::UShlI64(r) => scalar2!(scalars r, |x: u64, y: u64| if y < 64 { x << y } else { 0 }),
                Op::UEvalUn { op, ty, r } => scalars[r.d as usize] = eval::eval_un(op, ty, scalars[r.a as usize]),
                Op::UEvalBin { op, ty, r } => scalar2!(scalars r, |x, y| eval::eval_bin(op, ty, x, y)),
                Op::UEvalTri { op, ty, r } => {
                    let z = scalars[r.c as usize];
                    scalar2!(scalars r, |x, y| eval::eval_tri(op, ty, x, y, z));
                }
                Op::UEvalCvt { op, from, to, r } => {
                    scalars[r.d as usize] = eval::eval_cvt(op, from, to, scalars[r.a as usize]);
                }
                Op::UEvalCmp { op, ty, r } => {
                    let v = eval::eval_cmp(op, ty, scalars[r.a as usize], scalars[r.b as usize]);
                    pred!(r.d, if v { u32::MAX } else { 0 });
                }
                Op::USel(r) => {
                    let yes = preds[r.c as usize] >> mask.trailing_zeros() & 1 != 0;
                    scalars[r.d as usize] = scalars[if yes { r.a } else { r.b } as usize];
                }
                Op::USpecial { reg: reg @ (Special::TidY | Special::TidZ), d } => {
                    let [_, y, z] = thread_rows(threads, ctx.geometry.block, warp.number);
                    scalars[d as usize] = u64::from(if reg == Special::TidY { y[0] } else { z[0] });
                }
                Op::USpecial { reg, d } => match out_of_line::block_value(ctx, reg) {
                    Some(value) => scalars[d as usize] = u64::from(value),
                    None => break ExitReason::OutOfLine,
                },
                Op::Special { reg: reg @ (Special::TidX | Special::TidY | Special::TidZ), d } => {
                    let [x, y, z] = thread_rows(threads, ctx.geometry.block, warp.number);
                    let row = match reg {
                        Special::TidX => x,
                        Special::TidY => y,
                        _ => z,
                    };
                    set!(words, d, *row);
                }
                Op::Take { ty, d, a } => {
                    let lane = mask.trailing_zeros() as usize;
                    scalars[d as usize] = match ty.bytes() {
                        8 => longs[a as usize][lane],
                        _ => u64::from(words[a as usize][lane]),
                    };
                }
                Op::UpdatePattern { pattern } => {
                    let code = &variant.patterns[pattern as usize];
                    patterns[pattern as usize].work_out(isa, code, words, longs, mask);
                }
                Op::LoadG32(m) => load_global!(m, words u32),
                Op::LoadG64(m) => load_global!(m, longs u64),
                Op::LoadS32(m) => load!(m, words u32, |g, out| shared_memory::load(ctx.shared, g, out)),
                Op::LoadS64(m) => load!(m, longs u64, |g, out| shared_memory::load(ctx.shared, g, out)),
                Op::LoadL32(m) => load!(m, words u32, |g, out| local::load(&warp.locals, number, g, out)),
                Op::LoadL64(m) => load!(m, longs u64, |g, out| local::load(&warp.locals, number, g, out)),
                Op::Load(m) if m.is_plain_generic(Width::W32) => {
                    load!(m, words u32, |g, out| memories!().load(m.space, (g, mask), out, &mut hints[m.expr as usize]));
                }
                Op::Load(m) if m.is_plain_generic(Width::W64) => {
                    load!(m, longs u64, |g, out| memories!().load(m.space, (g, mask), out, &mut hints[m.expr as usize]));
                }
                Op::Load(_) => {
                    point!();
                    break ExitReason::SlowAccess;
                }
                Op::Store(m) if m.is_plain_generic(Width::W32) => {
                    store!(m, words u32, |g, row| memories!().store(m.space, (g, mask), row, &mut hints[m.expr as usize].place));
                }
                Op::Store(m) if m.is_plain_generic(Width::W64) => {
                    store!(m, longs u64, |g, row| memories!().store(m.space, (g, mask), row, &mut hints[m.expr as usize].place));
                }
                Op::Store(_) => {
                    if !reported {
                        point!();
                    }
                    break ExitReason::SlowAccess;
                }
                Op::StoreG32(m) => store_global!(m, words u32),
                Op::StoreG64(m) => store_global!(m, longs u64),
                Op::StoreS32(m) => store!(m, words u32, |g, row| shared_memory::store(ctx.shared, g, mask, row)),
                Op::StoreS64(m) => store!(m, longs u64, |g, row| shared_memory::store(ctx.shared, g, mask, row)),
                Op::StoreL32(m) => store!(m, words u32, |g, row| local::store(&mut warp.locals, number, g, mask, row)),
                Op::StoreL64(m) => store!(m, longs u64, |g, row| local::store(&mut warp.locals, number, g, mask, row)),
                Op::ClearLocal { offset, bytes } => local::clear(&mut warp.locals, number, (offset, bytes), mask),
                Op::ULoad(m) => {
                    point!();
                    let expr = &variant.address_exprs[m.expr as usize];
                    let Some(grid) = lane_pattern::grid(expr, local_base, scalars, patterns) else { break ExitReason::SlowAccess };
                    let hint = &mut hints[m.expr as usize].place;
                    let Some(word) = access::load_one(ctx, open, &m, grid.first(), hint) else { break ExitReason::SlowAccess };
                    scalars[m.value as usize] = word;
                    polls += 1;
                    if run.is_reporting(func, pc) {
                        run.lanes = LaneAddresses::uniform(grid.first());
                        break ExitReason::ReportLoad;
                    }
                }
                Op::BackEdge => {
                    point!();
                    count_back_edge!();
                    if polls >= quantum || has_become_hot!() {
                        pc += 1;
                        break ExitReason::Yield;
                    }
                }
                Op::BackJump { to } => {
                    point!();
                    count_back_edge!();
                    if polls >= quantum || has_become_hot!() {
                        pc += 1;
                        break ExitReason::Yield;
                    }
                    pc = to;
                    if is_due {
                        break ExitReason::Native;
                    }
                    continue;
                }
                Op::Reconverge => {
                    if pc == join {
                        break ExitReason::Reconverge;
                    }
                }
                Op::Fence { .. } if run.observer.is_none() => {
                    point!();
                }
                Op::Jump { to } => {
                    pc = to;
                    if is_due {
                        break ExitReason::Native;
                    }
                    continue;
                }
                Op::Branch { p, then_pc, else_pc, .. } => {
                    let taken = preds[p as usize] & mask;
                    pc = if taken == mask {
                        then_pc
                    } else if taken == 0 {
                        else_pc
                    } else {
                        break ExitReason::Diverge(taken);
                    };
                    if is_due {
                        break ExitReason::Native;
                    }
                    continue;
                }
                Op::Stmt if !run.statements => ctx.statements += 1,
                Op::Exit => break ExitReason::Exit,
                Op::Return(_) if is_outermost => break ExitReason::Exit,
                Op::EvalUn { .. }
                | Op::EvalBin { .. }
                | Op::EvalTri { .. }
                | Op::EvalCvt { .. }
                | Op::EvalCmp { .. }
                | Op::UDynamicShared { .. }
                | Op::LocalAddr { .. }
                | Op::DynamicShared { .. }
                | Op::Special { .. }
                | Op::Atomic(_)
                | Op::Fence { .. }
                | Op::Barrier { .. }
                | Op::SyncWarp { .. }
                | Op::Vote { .. }
                | Op::Shuffle { .. }
                | Op::Call(_)
                | Op::Rt(_)
                | Op::Launch(_)
                | Op::Stmt
                | Op::Switch(_)
                | Op::Return(_)
                | Op::Trap(_) => break ExitReason::OutOfLine,
            }
            pc += 1;
        };

        let passed = ctx.budget - budget;
        ctx.budget = budget;
        warp.points = total.wrapping_sub(budget);
        if is_learning {
            let has_ended = matches!(after, ExitReason::Exit) || matches!(ops.get(pc as usize), Some(Op::Return(_)));
            if native::note(code, (has_ended, passed), warp, number, ctx) && !has_ended {
                taken.take().into_iter().for_each(|native| native::put_back(warp, number, native));
                *taken = native::take(program, warp, number, ctx, run.observer.as_ref());
                is_armed = true;
            }
        }
        let at = Position { code, number, mask, total };
        match exit::handle_exit(after, program, (warp, ctx, run), ops, &at, (pc, polls, reported)) {
            Next::Go(next) => (pc, polls, reported) = next,
            Next::Pick => return None,
            Next::Exit(exit) => return Some(exit),
        }
    }
}

//! The loop that runs a warp.
//!
//! `run_core` picks a fragment and executes its operations until it ends, splits, waits or the caller's budget is used up. The
//! loop itself knows no observer (see `wire`), so that it is compiled once for each instruction set. Operations that are
//! seldom executed, and accesses whose addresses are not regular, are in `rare` and `access`; they work lane by lane and are
//! compiled once. What happens when the loop over operations is left is in `after`; loops that write nothing are run by
//! `whirl`.
//!
//! Which instruction set it is never shows in a result, since the compiler contracts nothing.

use crate::access;
use crate::after::{self, After, At, Next};
use crate::code::{NO_JOIN, Op, Program};
use crate::frame::{Frame, SPARE};
use crate::isa;
use crate::local;
use crate::rare;
use crate::rows::{bits, masks, wide_masks, zip3};
use crate::scalars::{add_words, holds, lane_sum, signed};
use crate::sight::Sight;
use crate::spread;
use crate::warp::{Context, Stop, Warp};
use crate::whirl::{Files, Spin};
use crate::window;
use crate::wire::{Exit, Wire};
use ir::eval;
use ir::op::Special;
use mem::{Grid, Lanes};
use scalar::{convert, int, real};

#[inline(always)]
pub(crate) fn run_core<const W: usize, const F: u8>(
    program: &Program,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    wire: &mut Wire<W>,
) -> Exit {
    loop {
        if !std::mem::take(&mut wire.resume) {
            if warp.fragments.is_empty() {
                return Exit::Done;
            }
            if warp.pick().is_none() {
                return if warp.is_polling() { wire.stop(Stop::Polling) } else { Exit::Waiting };
            }
        }
        if let Some(exit) = run_fragment::<W, F>(program, warp, ctx, wire) {
            return exit;
        }
    }
}

/// Runs the current fragment; `None` when another one, or the same one anew, is to be picked.
#[inline(always)]
fn run_fragment<const W: usize, const F: u8>(
    program: &Program,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    wire: &mut Wire<W>,
) -> Option<Exit> {
    let current = warp.current;
    let fragment = warp.fragments.get(current)?;
    let (mask, number) = (fragment.mask, fragment.frame);
    let (mut pc, mut idle) = (fragment.pc, fragment.idle);
    let join = fragment.joins.last().filter(|j| j.1 == number).map_or(NO_JOIN, |j| j.0);
    let full = W == 1 || mask == warp.live;
    let is_loose = warp.loose || wire.exact;
    // Under a seed every split is a chance for another part of the warp, in loops too.
    let is_seeded = warp.seed != 0;
    let Some(Some(frame)) = warp.frames.get_mut(number as usize) else { return Some(Exit::Done) };
    let func = frame.func;
    let code = &program.code[func.index()];
    let number_of_way = code.way(ctx.geometry.block);
    let Some(way) = code.ways.get(number_of_way) else { return Some(Exit::Done) };
    let fast = W > 1 && !is_loose && !frame.loose && !way.ops.is_empty();
    if W > 1 && frame.is_fresh {
        frame.choose(way);
    }
    if W > 1 {
        if !fast {
            if !frame.is_in_rows() {
                frame.give_back();
            }
        } else if frame.owner != mask {
            frame.take(mask);
        }
    }
    let ops: &[Op] = if fast { &way.ops } else { &code.ops };
    let mut told = std::mem::take(&mut wire.told);
    (wire.frame, wire.mask, wire.way, wire.fast) = (number, mask, number_of_way, fast);
    // Points passed and the budget together stay the same.
    let total = warp.points.wrapping_add(ctx.budget);

    loop {
        let mut budget = ctx.budget;
        let Some(Some(frame)) = warp.frames.get_mut(number as usize) else { return Some(Exit::Done) };
        let is_outermost = frame.caller.is_none();
        let Frame { preds, words, longs, scalars, spreads, hints, barren, local_base, .. } = &mut **frame;
        let (preds, words, longs) = (preds.as_mut_slice(), &mut words[..], &mut longs[..]);
        let (scalars, spreads) = (scalars.as_mut_slice(), spreads.as_mut_slice());
        let (local_base, hints, threads, open) = (*local_base, hints.as_mut_slice(), &mut warp.threads, warp.open);
        let (spare32, spare64) = (words.len() - SPARE, longs.len() - SPARE);
        if !full {
            words[spare32 + 1] = masks::<W, F>(mask);
            longs[spare64 + 1] = wide_masks::<W, F>(mask);
        }

        let after = loop {
            macro_rules! point {
                () => {
                    if budget == 0 {
                        break After::Budget;
                    }
                    budget -= 1;
                };
            }
            macro_rules! pred {
                ($d:expr, $v:expr) => {{
                    let v = $v;
                    let word = &mut preds[$d as usize];
                    *word = *word & !mask | v & mask;
                }};
            }
            // Puts a row into a slot; of a part of the lanes by way of the spare row.
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
            // A row from others; it goes into its slot, or of a part of the lanes by way of the spare row.
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
                    let form = &way.forms[$m.form as usize];
                    if W == 1 {
                        let local = if form.local { local_base as i64 } else { 0 };
                        let sum = lane_sum(&form.terms, words, longs);
                        Some(Grid::uniform(sum.wrapping_add(form.base).wrapping_add(local) as u64, W))
                    } else if fast {
                        if let Some(i) = spread::stale(form, spreads, mask) {
                            spreads[i as usize].work_out::<F>(&way.spreads[i as usize], words, longs, mask);
                        }
                        spread::grid(form, local_base, scalars, spreads)
                    } else {
                        None
                    }
                }};
            }
            // Loads and stores through `$do`, which says whether it was done.
            macro_rules! load {
                ($m:expr, $file:ident $word:ident, |$grid:ident, $out:ident| $do:expr) => {{
                    point!();
                    let Some(ref $grid) = address!($m) else { break After::Lanes };
                    let place = place!($file $m.value);
                    let $out = &mut $file[place];
                    if !$do {
                        break After::Lanes;
                    }
                    if !full {
                        blend!($file $m.value);
                    }
                    idle += 1;
                    if wire.is_telling(func, pc) {
                        wire.lanes = $grid.lanes(size_of::<$word>());
                        break After::Told;
                    }
                }};
            }
            macro_rules! store {
                ($m:expr, $file:ident $word:ident, |$grid:ident, $row:ident| $do:expr) => {{
                    if !told {
                        point!();
                    }
                    let Some(ref $grid) = address!($m) else { break After::Lanes };
                    if !told && wire.is_telling(func, pc) {
                        wire.lanes = $grid.lanes(size_of::<$word>());
                        break After::Tell;
                    }
                    let $row = &$file[$m.value as usize];
                    if !$do {
                        break After::Lanes;
                    }
                    told = false;
                    idle = 0;
                    warp.writes += 1;
                }};
            }
            macro_rules! load_global {
                ($m:expr, $file:ident $word:ident) => {
                    load!($m, $file $word, |g, out| {
                        access::is_open::<W>(open, g, size_of::<$word>()) && ctx.memory.load_grid(g, out, &mut hints[$m.form as usize])
                    })
                };
            }
            macro_rules! store_global {
                ($m:expr, $file:ident $word:ident) => {
                    store!($m, $file $word, |g, row| {
                        access::is_open::<W>(open, g, size_of::<$word>()) && ctx.memory.store_grid(g, mask, row, &mut hints[$m.form as usize].place)
                    })
                };
            }

            let Some(op) = ops.get(pc as usize) else { break After::Rare };
            compute! { *op; preds, words, longs, scalars;
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
                Op::UCmpBranch { op, wide, r } => {
                    let v = holds(op, wide, r, scalars);
                    pred!(r.d, if v { u32::MAX } else { 0 });
                    pc += 1;
                    if let Some(&Op::Branch { then_pc, else_pc, .. }) = ops.get(pc as usize) {
                        pc = if v { then_pc } else { else_pc };
                    }
                    continue;
                }
                Op::UCmpLoop { op, wide, r } => {
                    let v = holds(op, wide, r, scalars);
                    pred!(r.d, if v { u32::MAX } else { 0 });
                    match ops.get(pc as usize + 1) {
                        Some(&Op::UAddI32(r)) => scalar2!(scalars r, add_words),
                        Some(&Op::UAddI64(r)) => scalar2!(scalars r, u64::wrapping_add),
                        _ => {}
                    }
                    // The back edge may be where the run stops.
                    pc += 2;
                    point!();
                    pc += 1;
                    if idle >= crate::POLL_QUANTUM {
                        break After::Pause;
                    }
                    if let Some(&Op::Branch { then_pc, else_pc, .. }) = ops.get(pc as usize) {
                        pc = if v { then_pc } else { else_pc };
                    }
                    continue;
                }
                Op::USel(r) => {
                    let yes = preds[r.c as usize] >> mask.trailing_zeros() & 1 != 0;
                    scalars[r.d as usize] = scalars[if yes { r.a } else { r.b } as usize];
                }
                Op::USpecial { reg: reg @ (Special::TidY | Special::TidZ), d } => {
                    let [_, y, z] = rare::thread_rows(threads, ctx.geometry.block, warp.number);
                    scalars[d as usize] = u64::from(if reg == Special::TidY { y[0] } else { z[0] });
                }
                Op::USpecial { reg, d } => match rare::block_value(ctx, reg) {
                    Some(value) => scalars[d as usize] = u64::from(value),
                    None => break After::Rare,
                },
                Op::Special { reg: reg @ (Special::TidX | Special::TidY | Special::TidZ), d } => {
                    let [x, y, z] = rare::thread_rows(threads, ctx.geometry.block, warp.number);
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
                Op::Spread { spread } => {
                    let code = &way.spreads[spread as usize];
                    spreads[spread as usize].work_out::<F>(code, words, longs, mask);
                }
                Op::LoadG32(m) => load_global!(m, words u32),
                Op::LoadG64(m) => load_global!(m, longs u64),
                Op::LoadS32(m) => load!(m, words u32, |g, out| window::load(ctx.shared, g, out)),
                Op::LoadS64(m) => load!(m, longs u64, |g, out| window::load(ctx.shared, g, out)),
                Op::LoadL32(m) => load!(m, words u32, |g, out| local::load(&warp.locals, number, g, out)),
                Op::LoadL64(m) => load!(m, longs u64, |g, out| local::load(&warp.locals, number, g, out)),
                Op::Load(_) => {
                    point!();
                    break After::Lanes;
                }
                Op::Store(_) => {
                    if !told {
                        point!();
                    }
                    break After::Lanes;
                }
                Op::StoreG32(m) => store_global!(m, words u32),
                Op::StoreG64(m) => store_global!(m, longs u64),
                Op::StoreS32(m) => store!(m, words u32, |g, row| window::store(ctx.shared, g, mask, row)),
                Op::StoreS64(m) => store!(m, longs u64, |g, row| window::store(ctx.shared, g, mask, row)),
                Op::StoreL32(m) => store!(m, words u32, |g, row| local::store(&mut warp.locals, number, g, mask, row)),
                Op::StoreL64(m) => store!(m, longs u64, |g, row| local::store(&mut warp.locals, number, g, mask, row)),
                Op::ULoad(m) => {
                    point!();
                    let form = &way.forms[m.form as usize];
                    let Some(grid) = spread::grid(form, local_base, scalars, spreads) else { break After::Lanes };
                    let hint = &mut hints[m.form as usize].place;
                    let Some(word) = access::load_one(ctx, open, &m, grid.first, hint) else { break After::Lanes };
                    scalars[m.value as usize] = word;
                    idle += 1;
                    if wire.is_telling(func, pc) {
                        wire.lanes = Lanes::Uniform(grid.first);
                        break After::Told;
                    }
                }
                Op::BackEdge => {
                    point!();
                    if idle >= crate::POLL_QUANTUM {
                        pc += 1;
                        break After::Pause;
                    }
                }
                Op::BackJump { to } => {
                    point!();
                    if idle >= crate::POLL_QUANTUM {
                        pc += 1;
                        break After::Pause;
                    }
                    pc = to;
                    continue;
                }
                Op::Join => {
                    if pc == join {
                        break After::Join;
                    }
                }
                Op::Fence { .. } if !wire.watched => {
                    point!();
                }
                Op::Jump { to } => {
                    pc = to;
                    continue;
                }
                Op::Branch { p, then_pc, else_pc, .. } => {
                    let taken = preds[p as usize] & mask;
                    pc = if taken == mask {
                        then_pc
                    } else if taken == 0 {
                        else_pc
                    } else {
                        break After::Split(taken);
                    };
                    continue;
                }
                Op::Stmt if !wire.statements => {}
                Op::Rounds { number } if W == 1 => {
                    if *barren != 0 {
                        *barren -= 1;
                    } else if !wire.tell && !wire.exact {
                        break After::Rounds(number);
                    }
                }
                Op::Tight { number } if W > 1 && !is_seeded => {
                    let Some(Some(tight)) = way.tight.get(number as usize) else { break After::Rare };
                    if !wire.tell || !tight.loads.iter().any(|load| wire.is_telling(func, load.pc)) {
                        let files = Files { preds, words, longs, scalars };
                        let sight = Sight { ctx, forms: &way.forms, spreads, hints, open, local_base };
                        let alone = mask == warp.live;
                        let spin = Spin { tight, files, sight, mask, alone, pc, budget: &mut budget, idle: &mut idle };
                        let out = isa::whirl::<W, F>(spin);
                        if out.active == 0 && out.last == mask {
                            pc = tight.exit;
                            continue;
                        }
                        if out.active != mask {
                            break After::Left(number, out);
                        }
                        pc = out.pc;
                        continue;
                    }
                }
                Op::Exit => break After::Exit,
                Op::Return(_) if is_outermost => break After::Exit,
                _ => break After::Rare,
            }
            pc += 1;
        };

        ctx.budget = budget;
        warp.points = total.wrapping_sub(budget);
        let at = At { code, way, number, mask, total };
        match after::settle(after, program, (warp, ctx, wire), ops, &at, (pc, idle, told)) {
            Next::Go(next) => (pc, idle, told) = next,
            Next::Pick => return None,
            Next::Leave(exit) => return Some(exit),
        }
    }
}

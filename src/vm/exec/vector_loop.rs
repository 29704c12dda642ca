//! Runs iterations of a host loop 32 at a time (see `compile::vector_loop` for which loops).
//!
//! Before it starts, it proves that all iterations are independent and that no access can fail: how many iterations follow for
//! certain, that no affine value wraps, that all bytes of each access lie in one live allocation that the host may touch, and
//! that no iteration writes what another one touches. Where that does not hold, the loop runs as it is. The iterations use up
//! their schedule points; a budget that is too small for all cuts them short.

use crate::code::Code;
use crate::code::vector_loop::{Fold, Input, Linear, VectorLoop};
use crate::frame::Frame;
use crate::memory::slow_path::{self, HOST_REGIONS};
use crate::warp::{Arg, Context, Geometry, Stop, Warp};
use ir::analysis::affine::Recurrence;
use ir::op::{BinOp, CmpOp};
use ir::{FuncId, Ty, Val, eval};
use mem::MemoryView;
use scalar::{bits, real};

/// Fewer iterations are not worth the preparation.
const LEAST: u64 = 8;

/// Warps that are kept.
const MOST_SPARE: usize = 32;

/// Runs iterations of loop `number` of the function that the current split is in; gives how many iterations may pass before it is
/// asked again.
pub(crate) fn run<const W: usize>(
    code: &Code,
    number: u32,
    warp: &mut Warp<W>,
    frame: u32,
    ctx: &mut Context<'_>,
) -> u64 {
    let Some(vector) = code.vector_loops.get(number as usize) else { return u64::MAX };
    let Some(at) = warp.frame(frame) else { return u64::MAX };
    let value = |v: Val| match v {
        Val::Imm(bits) => bits,
        Val::Reg(r) => at.row(code.slots[r.index()], 0),
    };
    let Some(lines) = lines(vector, &value) else { return u64::MAX };
    let Some(sure) = sure_iterations(vector, &lines) else { return u64::MAX };
    let count = sure.min(ctx.budget / vector.points);
    if count < LEAST {
        // A budget that cuts them short says nothing of those behind it.
        return count;
    }
    if !is_free_of_wraps(vector, &lines, count) || !is_independent(vector, &lines, count, ctx.memory) {
        return sure;
    }
    let fixed: Vec<u64> = vector.inputs.iter().map(|i| if let Input::Fixed(v) = i { value(*v) } else { 0 }).collect();
    let mut sums: Vec<u64> = vector.sums.iter().map(|s| value(Val::Reg(s.reg))).collect();

    let key = (at.func, number);
    let place = warp.vector_warps.0.iter().position(|(k, _)| *k == key);
    let mut lanes = place.map(|i| warp.vector_warps.0.swap_remove(i).1);
    let mut done = 0;
    while done < count {
        // Sums are folded after each 32; the iterations of the last part are fewer.
        let part = match count - done {
            rest @ 0..32 => rest,
            _ if !sums.is_empty() => 32,
            rest => rest & !31,
        };
        let args = arguments(vector, &lines, &fixed, done, part);
        let mask = if part < 32 { (1 << part) - 1 } else { u32::MAX };
        let lanes = match &mut lanes {
            Some(lanes) => {
                lanes.reset(&vector.kernel, 0, mask, FuncId(0), &args);
                lanes
            }
            None => lanes.insert(Box::new(Warp::new(&vector.kernel, 0, mask, FuncId(0), &args))),
        };
        lanes.open = HOST_REGIONS;
        let geometry = Geometry { grid: [1; 3], block: [32, 1, 1], ..Geometry::default() };
        let mut inner = Context {
            memory: ctx.memory,
            shared: &mut [],
            windows: ctx.windows,
            geometry,
            budget: u64::MAX,
            atomics: None,
        };
        let stop = lanes.run(&vector.kernel, &mut inner, None);
        // Addresses were checked before; only pages can be wanting, of which the memory knows (`Memory::take_exhaustion`), and
        // the caller ends the host.
        debug_assert!(stop == Stop::Done || ctx.memory.is_exhausted(), "what was checked before cannot fail");
        if let Some(frame) = lanes.frame(0) {
            fold(vector, frame, part.min(32) as usize, &mut sums);
        }
        done += part;
    }
    if let Some(lanes) = lanes
        && warp.vector_warps.0.len() < MOST_SPARE
    {
        warp.vector_warps.0.push((key, lanes));
    }

    ctx.budget -= count * vector.points;
    let writes = vector.touches.iter().filter(|t| t.writes).count() as u64;
    warp.writes += writes * count;
    if let Some(frame) = warp.frame_mut(frame) {
        for &(reg, after) in &vector.counters {
            // A counter after an iteration is what it was before, a step on.
            let Recurrence { first, step } = lines[after];
            let last = first.wrapping_add(step.wrapping_mul(count as i64 - 1));
            let (ty, slot) = code.slots[reg.index()];
            frame.put((ty, slot), 0, bits::canonical(ty, last as u64));
        }
        for (sum, bits) in vector.sums.iter().zip(sums) {
            frame.put(code.slots[sum.reg.index()], 0, bits);
        }
    }
    0
}

/// All linear values; `None` if one is not linear after all, or does not fit.
fn lines(vector: &VectorLoop, value: &dyn Fn(Val) -> u64) -> Option<Vec<Recurrence>> {
    let mut out: Vec<Recurrence> = Vec::with_capacity(vector.linear.len());
    for &(ty, ref line) in &vector.linear {
        out.push(match *line {
            Linear::Invariant(v) => Recurrence { first: bits::signed(ty, value(v)), step: 0 },
            Linear::Induction { reg, by, down } => {
                let by = out[by].first;
                let step = if down { by.checked_neg()? } else { by };
                Recurrence { first: bits::signed(ty, value(Val::Reg(reg))), step }
            }
            Linear::Computed(operation, operands) => operation.apply(ty, operands.map(|i| out.get(i?)))?,
        });
    }
    Some(out)
}

/// How many iterations are followed by another one for sure; `None` if no end is in sight.
fn sure_iterations(vector: &VectorLoop, lines: &[Recurrence]) -> Option<u64> {
    let (op, a, b, holds) = vector.test;
    let (op, Recurrence { first: value, step }, bound) = match (lines[a], lines[b]) {
        (a, Recurrence { first: bound, step: 0 }) => (op, a, bound),
        (Recurrence { first: bound, step: 0 }, b) => (swapped(op)?, b, bound),
        _ => return None,
    };
    let op = if holds { op } else { inverse(op)? };
    let (value, step, bound) = (i128::from(value), i128::from(step), i128::from(bound));
    // The first iteration after which the test fails.
    let iterations = match op {
        CmpOp::Lt | CmpOp::Le if step > 0 => {
            let bound = bound + i128::from(op == CmpOp::Le);
            (bound - value + step - 1).div_euclid(step)
        }
        CmpOp::Gt | CmpOp::Ge if step < 0 => {
            let bound = bound - i128::from(op == CmpOp::Ge);
            (value - bound - step - 1).div_euclid(-step)
        }
        CmpOp::Ne if step != 0 && (bound - value) % step == 0 => (bound - value) / step,
        _ => return None,
    };
    if iterations < 0 && op == CmpOp::Ne { None } else { u64::try_from(iterations.max(0)).ok() }
}

fn swapped(op: CmpOp) -> Option<CmpOp> {
    Some(match op {
        CmpOp::Eq | CmpOp::Ne => op,
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
        CmpOp::LtU | CmpOp::GeU => return None,
    })
}

fn inverse(op: CmpOp) -> Option<CmpOp> {
    Some(match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
        CmpOp::LtU | CmpOp::GeU => return None,
    })
}

/// Whether every linear value keeps within its type in all iterations.
fn is_free_of_wraps(vector: &VectorLoop, lines: &[Recurrence], count: u64) -> bool {
    vector.linear.iter().zip(lines).all(|((ty, _), &Recurrence { first, step })| {
        let last = i128::from(first) + i128::from(step) * i128::from(count - 1);
        let (least, most) = match ty {
            Ty::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        let range = i128::from(least)..=i128::from(most);
        range.contains(&i128::from(first)) && range.contains(&last)
    })
}

/// Whether all accesses are allowed and no iteration writes what another one touches.
fn is_independent(vector: &VectorLoop, lines: &[Recurrence], count: u64, memory: MemoryView<'_>) -> bool {
    let line = |i: usize| -> Option<Recurrence> {
        let touch = &vector.touches[i];
        let Recurrence { first, step } = lines[touch.address];
        Some(Recurrence { first: first.checked_add(touch.offset)?, step })
    };
    // The bytes from the first to the last access.
    let extent = |i: usize| -> Option<(u64, u64)> {
        let Recurrence { first, step } = line(i)?;
        let last = first.checked_add(step.checked_mul(count as i64 - 1)?)?;
        let (low, high) = (first.min(last) as u64, first.max(last) as u64);
        Some((low, high.checked_add(vector.touches[i].bytes)?))
    };
    for (i, touch) in vector.touches.iter().enumerate() {
        let (Some(Recurrence { first, step }), Some((low, high))) = (line(i), extent(i)) else { return false };
        let aligned = (first | step) & (touch.bytes as i64 - 1) == 0;
        let apart = !touch.writes || step.unsigned_abs() >= touch.bytes;
        let open = slow_path::allowed(HOST_REGIONS, low) && slow_path::allowed(HOST_REGIONS, high - 1);
        if !(aligned && apart && open && memory.contains(low, high)) {
            return false;
        }
    }
    for i in 0..vector.touches.len() {
        for j in 0..i {
            let (a, b) = (&vector.touches[i], &vector.touches[j]);
            if !a.writes && !b.writes {
                continue;
            }
            let (Some(Recurrence { first, step }), Some(other)) = (line(i), line(j)) else { return false };
            let Recurrence { first: other, step: other_step } = other;
            let (Some((low, high)), Some((other_low, other_high))) = (extent(i), extent(j)) else { return false };
            let disjoint = high <= other_low || other_high <= low;
            let same = (first, step, a.bytes) == (other, other_step, b.bytes);
            // Parts of the elements of one array, such as real and imaginary parts.
            let woven = step == other_step && step != 0 && {
                let gap = (first - other).rem_euclid(step.abs()) as u64;
                gap >= b.bytes && step.unsigned_abs() - gap >= a.bytes
            };
            if !(disjoint || same || woven) {
                return false;
            }
        }
    }
    true
}

/// The arguments of the kernel for `part` iterations after `done`.
fn arguments(vector: &VectorLoop, lines: &[Recurrence], fixed: &[u64], done: u64, part: u64) -> Vec<Arg> {
    let after = |Recurrence { first, step }: Recurrence| first.wrapping_add(step.wrapping_mul(done as i64));
    let typed = |n: usize, value: i64| bits::canonical(vector.linear[n].0, value as u64);
    let input = |(input, &fixed): (&Input, &u64)| {
        Arg::Bits(match *input {
            Input::Fixed(_) => fixed,
            Input::Address(i) => {
                let touch = &vector.touches[i];
                after(lines[touch.address]).wrapping_add(touch.offset) as u64
            }
            Input::Stride(i) => lines[vector.touches[i].address].step as u64,
            Input::First(n) => typed(n, after(lines[n])),
            Input::Step(n) => typed(n, lines[n].step),
            Input::Count => part,
        })
    };
    vector.inputs.iter().zip(fixed).map(input).collect()
}

/// Folds the values of the first `n` lanes into the sums, in order.
fn fold(vector: &VectorLoop, frame: &Frame<32>, n: usize, sums: &mut [u64]) {
    let slots = &vector.kernel.code[0].slots;
    for (sum, total) in vector.sums.iter().zip(sums) {
        let get = |r: ir::Reg, lane: usize| frame.get(slots[r.index()], lane);
        // What folds reals most often is chosen once and not for each lane.
        macro_rules! reals {
            ($float:ident $uint:ident $value:expr, $first:expr, $f:expr) => {
                (0..n).fold(*total, |t, lane| {
                    let (t, v) = ($float::from_bits(t as $uint), $float::from_bits(get($value, lane) as $uint));
                    u64::from((if $first { $f(t, v) } else { $f(v, t) }).to_bits())
                })
            };
        }
        *total = match (sum.by, sum.ty) {
            (Fold::Bin { op: BinOp::Add, value, first }, Ty::F64) => reals!(f64 u64 value, first, real::add),
            (Fold::Bin { op: BinOp::Max, value, first }, Ty::F64) => reals!(f64 u64 value, first, real::max),
            (Fold::Bin { op: BinOp::Add, value, first }, Ty::F32) => reals!(f32 u32 value, first, real::add),
            (Fold::Bin { op: BinOp::Max, value, first }, Ty::F32) => reals!(f32 u32 value, first, real::max),
            (Fold::Bin { op, value, first }, ty) => (0..n).fold(*total, |t, lane| {
                let v = get(value, lane);
                if first { eval::eval_bin(op, ty, t, v) } else { eval::eval_bin(op, ty, v, t) }
            }),
            (Fold::Fma(a, b), ty) => {
                (0..n).fold(*total, |t, lane| eval::eval_tri(ir::op::TriOp::Fma, ty, get(a, lane), get(b, lane), t))
            }
        };
    }
}

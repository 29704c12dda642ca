//! Runs rounds of a host loop 32 abreast (see `rounds` for which loops).
//!
//! Before anything is done it is known that all rounds are independent and that none of their accesses can fail: how many
//! rounds follow for sure, that no linear value wraps, that all bytes of each access lie in one live allocation that the host
//! may touch, and that no round writes what another one touches. Where that is not so, nothing is done and the loop goes
//! round by itself. The rounds use up their schedule points; a budget that is too small for all cuts them short.

use crate::code::Code;
use crate::frame::Frame;
use crate::reach::{self, HOST_REGIONS};
use crate::rounds::{Fold, Input, Linear, Rounds};
use crate::warp::{Arg, Context, Geometry, Stop, Warp};
use ir::analysis::affine::Recurrence;
use ir::op::{BinOp, CmpOp};
use ir::{FuncId, Ty, Val, eval};
use mem::Memory;
use scalar::{bits, real};

/// Fewer rounds are not worth the preparation.
const LEAST: u64 = 8;

/// Warps that have run rounds, to be used again, by function and number of the loop. A clone has none.
#[derive(Debug, Default)]
pub(crate) struct Spare(Vec<((FuncId, u32), Box<Warp<32>>)>);

impl Clone for Spare {
    fn clone(&self) -> Spare {
        Spare::default()
    }
}

/// Warps that are kept.
const MOST_SPARE: usize = 32;

/// Runs rounds of loop `number` of the function that the current fragment is in; gives how many rounds may pass before it is
/// asked again.
pub(crate) fn run<const W: usize>(
    code: &Code,
    number: u32,
    warp: &mut Warp<W>,
    frame: u32,
    ctx: &mut Context<'_>,
) -> u64 {
    let Some(rounds) = code.rounds.get(number as usize) else { return u64::MAX };
    let Some(at) = warp.frame(frame) else { return u64::MAX };
    let value = |v: Val| match v {
        Val::Imm(bits) => bits,
        Val::Reg(r) => at.row(code.slots[r.index()], 0),
    };
    let Some(lines) = lines(rounds, &value) else { return u64::MAX };
    let Some(sure) = sure_rounds(rounds, &lines) else { return u64::MAX };
    let count = sure.min(ctx.budget / rounds.points);
    if count < LEAST {
        // A budget that cuts them short says nothing of those behind it.
        return count;
    }
    if !is_free_of_wraps(rounds, &lines, count) || !is_independent(rounds, &lines, count, ctx.memory) {
        return sure;
    }
    let fixed: Vec<u64> = rounds.inputs.iter().map(|i| if let Input::Fixed(v) = i { value(*v) } else { 0 }).collect();
    let mut sums: Vec<u64> = rounds.sums.iter().map(|s| value(Val::Reg(s.reg))).collect();

    let key = (at.func, number);
    let place = warp.abreast.0.iter().position(|(k, _)| *k == key);
    let mut lanes = place.map(|i| warp.abreast.0.swap_remove(i).1);
    let mut done = 0;
    while done < count {
        // Sums are folded after each 32; the rounds of the last part are fewer.
        let part = match count - done {
            rest @ 0..32 => rest,
            _ if !sums.is_empty() => 32,
            rest => rest & !31,
        };
        let args = arguments(rounds, &lines, &fixed, done, part);
        let mask = if part < 32 { (1 << part) - 1 } else { u32::MAX };
        let lanes = match &mut lanes {
            Some(lanes) => {
                lanes.reset(&rounds.kernel, 0, mask, FuncId(0), &args);
                lanes
            }
            None => lanes.insert(Box::new(Warp::new(&rounds.kernel, 0, mask, FuncId(0), &args))),
        };
        lanes.open = HOST_REGIONS;
        let geometry = Geometry { grid: [1; 3], block: [32, 1, 1], ..Geometry::default() };
        let mut inner = Context { memory: ctx.memory, shared: &mut [], geometry, budget: u64::MAX, atomics: None };
        let stop = lanes.run(&rounds.kernel, &mut inner, None);
        // Addresses were checked before; only pages can be wanting, of which the memory knows (`Memory::take_exhaustion`), so that
        // whoever runs the host ends it.
        debug_assert!(stop == Stop::Done || ctx.memory.is_exhausted(), "what was checked before cannot fail");
        if let Some(frame) = lanes.frame(0) {
            fold(rounds, frame, part.min(32) as usize, &mut sums);
        }
        done += part;
    }
    if let Some(lanes) = lanes
        && warp.abreast.0.len() < MOST_SPARE
    {
        warp.abreast.0.push((key, lanes));
    }

    ctx.budget -= count * rounds.points;
    let writes = rounds.touches.iter().filter(|t| t.writes).count() as u64;
    warp.writes += writes * count;
    if let Some(frame) = warp.frame_mut(frame) {
        for &(reg, after) in &rounds.counters {
            // A counter after a round is what it was before, a step on.
            let Recurrence { first, step } = lines[after];
            let last = first.wrapping_add(step.wrapping_mul(count as i64 - 1));
            let (ty, slot) = code.slots[reg.index()];
            frame.put((ty, slot), 0, bits::canonical(ty, last as u64));
        }
        for (sum, bits) in rounds.sums.iter().zip(sums) {
            frame.put(code.slots[sum.reg.index()], 0, bits);
        }
    }
    0
}

/// All linear values; `None` if one is not linear after all, or does not fit.
fn lines(rounds: &Rounds, value: &dyn Fn(Val) -> u64) -> Option<Vec<Recurrence>> {
    let mut out: Vec<Recurrence> = Vec::with_capacity(rounds.linear.len());
    for &(ty, ref line) in &rounds.linear {
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

/// How many rounds are followed by another one for sure; `None` if no end is in sight.
fn sure_rounds(rounds: &Rounds, lines: &[Recurrence]) -> Option<u64> {
    let (op, a, b, holds) = rounds.test;
    let (op, Recurrence { first: value, step }, bound) = match (lines[a], lines[b]) {
        (a, Recurrence { first: bound, step: 0 }) => (op, a, bound),
        (Recurrence { first: bound, step: 0 }, b) => (swapped(op)?, b, bound),
        _ => return None,
    };
    let op = if holds { op } else { inverse(op)? };
    let (value, step, bound) = (i128::from(value), i128::from(step), i128::from(bound));
    // The first round after which the test fails.
    let rounds = match op {
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
    if rounds < 0 && op == CmpOp::Ne { None } else { u64::try_from(rounds.max(0)).ok() }
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

/// Whether every linear value keeps within its type in all rounds.
fn is_free_of_wraps(rounds: &Rounds, lines: &[Recurrence], count: u64) -> bool {
    rounds.linear.iter().zip(lines).all(|((ty, _), &Recurrence { first, step })| {
        let last = i128::from(first) + i128::from(step) * i128::from(count - 1);
        let (least, most) = match ty {
            Ty::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            _ => (i64::MIN, i64::MAX),
        };
        let range = i128::from(least)..=i128::from(most);
        range.contains(&i128::from(first)) && range.contains(&last)
    })
}

/// Whether all accesses are allowed and no round writes what another one touches.
fn is_independent(rounds: &Rounds, lines: &[Recurrence], count: u64, memory: &Memory) -> bool {
    let line = |i: usize| -> Option<Recurrence> {
        let touch = &rounds.touches[i];
        let Recurrence { first, step } = lines[touch.address];
        Some(Recurrence { first: first.checked_add(touch.offset)?, step })
    };
    // The bytes from the first to the last access.
    let extent = |i: usize| -> Option<(u64, u64)> {
        let Recurrence { first, step } = line(i)?;
        let last = first.checked_add(step.checked_mul(count as i64 - 1)?)?;
        let (low, high) = (first.min(last) as u64, first.max(last) as u64);
        Some((low, high.checked_add(rounds.touches[i].bytes)?))
    };
    for (i, touch) in rounds.touches.iter().enumerate() {
        let (Some(Recurrence { first, step }), Some((low, high))) = (line(i), extent(i)) else { return false };
        let aligned = (first | step) & (touch.bytes as i64 - 1) == 0;
        let apart = !touch.writes || step.unsigned_abs() >= touch.bytes;
        let open = reach::allowed(HOST_REGIONS, low) && reach::allowed(HOST_REGIONS, high - 1);
        let inside = memory.find(low).is_some_and(|id| {
            let alloc = memory.info(id);
            high - alloc.base <= alloc.bytes
        });
        if !(aligned && apart && open && inside) {
            return false;
        }
    }
    for i in 0..rounds.touches.len() {
        for j in 0..i {
            let (a, b) = (&rounds.touches[i], &rounds.touches[j]);
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

/// The arguments of the kernel for `part` rounds after `done`.
fn arguments(rounds: &Rounds, lines: &[Recurrence], fixed: &[u64], done: u64, part: u64) -> Vec<Arg> {
    let after = |Recurrence { first, step }: Recurrence| first.wrapping_add(step.wrapping_mul(done as i64));
    let typed = |n: usize, value: i64| bits::canonical(rounds.linear[n].0, value as u64);
    let input = |(input, &fixed): (&Input, &u64)| {
        Arg::Bits(match *input {
            Input::Fixed(_) => fixed,
            Input::Address(i) => {
                let touch = &rounds.touches[i];
                after(lines[touch.address]).wrapping_add(touch.offset) as u64
            }
            Input::Stride(i) => lines[rounds.touches[i].address].step as u64,
            Input::First(n) => typed(n, after(lines[n])),
            Input::Step(n) => typed(n, lines[n].step),
            Input::Count => part,
        })
    };
    rounds.inputs.iter().zip(fixed).map(input).collect()
}

/// Folds the values of the first `n` lanes into the sums, in order.
fn fold(rounds: &Rounds, frame: &Frame<32>, n: usize, sums: &mut [u64]) {
    let slots = &rounds.kernel.code[0].slots;
    for (sum, total) in rounds.sums.iter().zip(sums) {
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

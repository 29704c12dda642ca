//! Single operations for compiled code: what it does not know, stops no warp, and leaves lanes together.
//!
//! An operation is executed as a whole or not at all, for the interpreter executes it from its beginning if this does not.
//!
//! Not here: what the operations do (`out_of_line`, `access`).

use super::access;
use super::out_of_line::{self, Cursor, Step};
use super::report::{RunState, report};
use crate::code::{Code, FileSlot, Op, Program, RegFile, form};
use crate::frame::Frame;
use crate::native::Single;
use crate::observe::Observer;
use crate::warp::{Atomics, Context, Warp};
use ir::op::{BinOp, CvtOp};
use ir::{Space, Ty};
use jit::host::Formula;
use scalar::{int, lanes};

/// Executes an operation of a variant with its schedule point; false if nothing was done.
#[inline(always)]
pub(crate) fn execute(
    program: &Program,
    warp: &mut Warp<32>,
    ctx: &mut Context<'_>,
    at: &mut Single,
    mut observer: Option<&mut Observer<'_, 32>>,
) -> bool {
    let code = &program.code[at.site.func.index()];
    let Some(op) = code.variants.get(at.variant).and_then(|v| v.ops.get(at.site.pc as usize)) else { return false };
    if op.load().is_some() || op.store().is_some() || matches!(op, Op::ULoad(_)) {
        observer = observer.filter(|o| o.wants(at.site.func, at.site.pc));
        if observer.as_ref().is_some_and(|o| !o.follows_code) || ctx.budget == 0 {
            return false;
        }
        return touch((program, code), op, warp, ctx, at, observer);
    }
    if let Some(of) = form(op) {
        if let Some(frame) = warp.frame_mut(at.frame) {
            compute(frame, of, at.mask);
        }
        return true;
    }
    let mut run = RunState::of_single(at);
    if let Op::Atomic(atomic) = op {
        let is_held = atomic.used && atomic.space != Space::Shared;
        observer = observer.filter(|o| o.wants_atomics());
        // What an atomic leaves is told by the interpreter.
        let is_refused = observer.as_ref().is_some_and(|o| !o.follows_code || o.takes_values);
        if is_refused || ctx.budget == 0 || is_held && ctx.atomics.as_deref_mut().is_some_and(Atomics::holds) {
            return false;
        }
        if !access::atomic_is_inside(code, atomic, warp, ctx, &mut run) {
            return false;
        }
    }
    // Lanes of a warp that are elsewhere would have to be waited for.
    let needs_all = matches!(op, Op::Vote { .. } | Op::Shuffle { .. });
    if needs_all && (warp.live & !at.mask != 0 || ctx.budget == 0) {
        return false;
    }
    let mut cursor = Cursor { site: at.site, number: at.frame, mask: at.mask, polls: at.polls };
    let is_done = matches!(out_of_line::step(program, op, warp, ctx, &mut run, &mut cursor), Step::Next);
    at.polls = cursor.polls;
    if let (true, Op::Atomic(_), Some(observer)) = (is_done, op, observer) {
        report(program, warp, &mut *observer.hooks, &run);
    }
    is_done
}

/// Executes a load or store with its schedule point, of which there is one left, and tells the observer.
#[inline(always)]
fn touch(
    (program, code): (&Program, &Code),
    op: &Op,
    warp: &mut Warp<32>,
    ctx: &mut Context<'_>,
    at: &mut Single,
    observer: Option<&mut Observer<'_, 32>>,
) -> bool {
    let (open, mut hint) = (warp.open, warp.hint);
    let Warp { frames, locals, .. } = warp;
    // No closure, which would not be compiled for the instruction set of this function.
    let together = match frames.get_mut(at.frame as usize) {
        Some(Some(frame)) => access::together(code, op, (frame, locals), ctx, (at, open), &mut hint),
        _ => None,
    };
    warp.hint = hint;
    if together.is_none() || observer.is_some() {
        let mut run = RunState::of_single(at);
        match together {
            Some(addresses) => run.lanes = addresses,
            None => {
                let done = access::lane_by_lane(code, op, warp, ctx, &mut run, false);
                if !matches!(done, Ok(access::Done::Load | access::Done::Store)) {
                    return false;
                }
            }
        }
        let bytes = if let Op::ULoad(m) = op { Some(m) } else { op.load().or_else(|| op.store()) };
        let bytes = bytes.map_or(0, |m| m.width.bytes());
        if let Some(observer) = observer
            && !observer.is_quiet(at.site, at.mask, bytes, &run.lanes)
        {
            report(program, warp, &mut *observer.hooks, &run);
        }
    }
    ctx.budget -= 1;
    if op.store().is_some() {
        at.polls = 0;
        warp.writes += 1;
    } else {
        at.polls += 1;
    }
    true
}

/// Computes an operation lane by lane, or once if it computes a scalar. Of a variant no operation on rows has a result that is
/// uniform, so there is no scalar to be set.
fn compute(frame: &mut Frame<32>, (form, (file, d), operands): (Formula, FileSlot, [Option<FileSlot>; 3]), mask: u32) {
    let read = |frame: &Frame<32>, operand: Option<FileSlot>, lane: usize| match operand {
        None => 0,
        Some((RegFile::P, slot)) => u64::from(frame.preds[slot as usize] >> lane & 1),
        Some((RegFile::W, slot)) => u64::from(frame.words[slot as usize][lane]),
        Some((RegFile::L, slot)) => frame.longs[slot as usize][lane],
        Some((RegFile::S, slot)) => frame.scalars[slot as usize],
    };
    let at = |frame: &Frame<32>, lane: usize| {
        let [a, b, c] = operands.map(|operand| read(frame, operand, lane));
        form.evaluate([a, b, c])
    };
    if file == RegFile::S {
        frame.scalars[d as usize] = at(frame, 0);
        return;
    }
    if let (
        Formula::Bin(op @ (BinOp::Div | BinOp::Rem), Ty::I64),
        [Some((RegFile::L, a)), Some((RegFile::L, b)), None],
    ) = (form, operands)
    {
        let (x, y) = (frame.longs[a as usize], frame.longs[b as usize]);
        let row = &mut frame.longs[d as usize];
        return if op == BinOp::Div {
            each_long(row, mask, |lane| int::div(x[lane] as i64, y[lane] as i64));
        } else {
            each_long(row, mask, |lane| int::rem(x[lane] as i64, y[lane] as i64));
        };
    }
    if let (Formula::Cvt(CvtOp::Cast, Ty::I64, Ty::F32), [Some((RegFile::L, a)), None, None]) = (form, operands) {
        let x = frame.longs[a as usize];
        let row = &mut frame.words[d as usize];
        return lanes(mask).for_each(|lane| row[lane] = (x[lane] as i64 as f32).to_bits());
    }
    for lane in lanes(mask) {
        let bits = at(frame, lane);
        match file {
            RegFile::P => {
                let word = &mut frame.preds[d as usize];
                *word = *word & !(1 << lane) | (bits as u32 & 1) << lane;
            }
            RegFile::W => frame.words[d as usize][lane] = bits as u32,
            _ => frame.longs[d as usize][lane] = bits,
        }
    }
}

/// Sets words of 64 bits lane by lane.
#[inline(always)]
fn each_long(row: &mut [u64; 32], mask: u32, of: impl Fn(usize) -> i64) {
    for lane in lanes(mask) {
        row[lane] = of(lane) as u64;
    }
}

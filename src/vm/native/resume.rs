//! The usual way of a warp from barrier to barrier: all its lanes run compiled code until they wait or end.
//!
//! The loop of `exec` does the same and more. This way is kept short because most warps take it at every barrier.
//!
//! Not here: splits, observers, whatever the code leaves to the interpreter (`exec`).

use super::enter::enter;
use crate::code::{NO_RECONVERGENCE, NativeFunction, Op, Program, Variant};
use crate::warp::{Context, LoopExit, State, Stop, Warp};
use ir::op::BarOp;

/// Runs a warp of one split in its kernel that nobody observes. `None` if it did not come to a stop: the loop of `exec` goes on with
/// it.
pub(crate) fn resume(program: &Program, warp: &mut Warp<32>, ctx: &mut Context<'_>) -> Option<Stop> {
    if !program.is_native || program.materialise_all || warp.non_converged || !ctx.memory.is_direct() {
        return None;
    }
    let [split] = &warp.splits[..] else { return None };
    let (number, mask) = (split.frame, split.mask);
    let is_runnable = split.state == State::Runnable && split.polls < crate::POLL_QUANTUM && !split.resume;
    if !is_runnable || !split.reconvergences.is_empty() {
        return None;
    }
    let frame = warp.frames.get_mut(number as usize)?.as_deref_mut()?;
    if frame.edited || frame.caller.is_some() || frame.active_lanes != mask {
        return None;
    }
    let code = program.code.get(frame.func.index())?;
    let variant = code.variants.get(code.variant(ctx.geometry.block)).filter(|v| !v.ops.is_empty())?;
    let native = frame.native.take_if(|native| native.func == frame.func && native.block == ctx.geometry.block)?;
    if frame.is_fresh {
        frame.choose(variant);
    }
    warp.current = 0;
    let stop = run(&native, (program, variant), warp, (number, mask), ctx);
    super::function::put_back(warp, number, native);
    stop
}

fn run(
    native: &NativeFunction,
    (program, variant): (&Program, &Variant),
    warp: &mut Warp<32>,
    (number, mask): (u32, u32),
    ctx: &mut Context<'_>,
) -> Option<Stop> {
    let split = warp.splits.first()?;
    let (pc, polls) = (split.pc, split.polls);
    let entry = native.entry(pc, mask == u32::MAX)?;
    let total = warp.points.wrapping_add(ctx.budget);
    let left = enter(native, entry, variant, warp, (number, mask, NO_RECONVERGENCE), ctx, polls)?;
    warp.points = total.wrapping_sub(ctx.budget);
    let split = warp.splits.first_mut()?;
    (split.pc, split.polls) = (left.pc, left.polls);
    if left.mask != mask {
        let code = program.code.get(native.func.index())?;
        let lanes = LoopExit { active: left.mask, pc: left.pc, last: left.left_last };
        if let Some(of) = code.side_exit_loops.get(left.left_loop as usize) {
            warp.leave_loop(of, mask, lanes);
        }
        return None;
    }
    match variant.ops.get(left.pc as usize)? {
        Op::Barrier { op: BarOp::Sync, .. } if ctx.budget > 0 => {
            ctx.budget -= 1;
            warp.splits.first_mut()?.state = State::AtBarrier { op: BarOp::Sync, pred: 0 };
            Some(Stop::Waiting)
        }
        Op::Exit | Op::Return(_) => {
            warp.retire(mask);
            warp.splits.is_empty().then_some(Stop::Done)
        }
        _ => None,
    }
}

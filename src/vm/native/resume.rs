//! The usual way of a warp from barrier to barrier: all its lanes run compiled code until they wait or end.
//!
//! The loop of `exec` does the same and more. This way is kept short because most warps take it at every barrier.
//!
//! Warps that wait for no other take turns in the registers of one. Those of a block that meet at barriers keep their links
//! with the code from one to the next.
//!
//! Not here: splits, whatever the code leaves to the interpreter (`exec`).

use super::enter::{Entered, Execute, Interpreter, Linked, Next, enter, initial};
use super::function::is_fit;
use super::splits::After;
use crate::code::{NO_RECONVERGENCE, NativeFunction, Op, Program, Variant};
use crate::observe::Observer;
use crate::warp::{Arg, Context, State, Stop, Warp};
use ir::op::BarOp;
use jit::Entry;
use std::sync::Arc;

/// Registers that compiled code restores for the next warp; where there are more, warps begin one by one.
const MOST_RESTORED: usize = 16;

/// Runs a warp of one split in its kernel. `None` if it did not come to a stop: the loop of `exec` goes on with
/// it.
pub(crate) fn resume(
    program: &Program,
    execute: Execute,
    warp: &mut Warp<32>,
    (ctx, observer): (&mut Context<'_>, Option<&mut Observer<'_, 32>>),
) -> Option<Stop> {
    let Taken { native, variant, number, mask } = take(program, warp, ctx, observer.as_deref())?;
    let stop = run(&native, (Interpreter { program, execute }, variant), warp, (number, mask), (ctx, observer));
    super::function::put_back(warp, number, native);
    stop
}

/// Runs a warp that has just begun, and those after it in its block, which must not wait for each other. `None` if that cannot be done: nothing has happened. Otherwise the warps before the number given have ended, and the warp is the one of that
/// number, if there is one: the loop of `exec` goes on with it.
pub(crate) fn run_in_turn(
    program: &Program,
    execute: Execute,
    warp: &mut Warp<32>,
    args: &[Arg],
    (ctx, observer): (&mut Context<'_>, Option<&mut Observer<'_, 32>>),
) -> Option<u32> {
    if warp.seed != 0 || args.iter().any(|arg| matches!(arg, Arg::Bytes(_))) {
        return None;
    }
    let Taken { native, variant, number: frame, mask } = take(program, warp, ctx, observer.as_deref())?;
    let interpreter = Interpreter { program, execute };
    let next = run_each(&native, (interpreter, variant), warp, (frame, mask), args, (ctx, observer));
    super::function::put_back(warp, frame, native);
    next
}

fn run_each(
    native: &NativeFunction,
    (interpreter, variant): (Interpreter<'_>, &Variant),
    warp: &mut Warp<32>,
    (frame, mut mask): (u32, u32),
    args: &[Arg],
    (ctx, mut observer): (&mut Context<'_>, Option<&mut Observer<'_, 32>>),
) -> Option<u32> {
    let code = interpreter.program.code.get(native.func.index())?;
    let entries = [native.entry(0, false)?, native.entry(0, true)?];
    let mut values = [0; MOST_RESTORED];
    values.iter_mut().zip(&native.restored).for_each(|(value, register)| *value = initial(register, args));
    let values = &values[..native.restored.len().min(MOST_RESTORED)];
    let mut linked = Linked::new(native, interpreter, variant, warp, (frame, mask, NO_RECONVERGENCE), ctx, 0)?;
    let mut number = warp.number;
    let left = loop {
        let entry = entries[usize::from(mask == u32::MAX)];
        if mask == u32::MAX {
            linked.take_turns_from(number, values, ctx.blocks);
        }
        let after = linked.run_splits(code, entry, warp, ctx, observer.as_deref_mut());
        let has_ended = match after {
            After::Together(pc, _) => has_ended(variant, pc),
            After::Apart => warp.splits.is_empty(),
        };
        // Others may have ended before it.
        number = warp.number;
        if !has_ended {
            break Some(after);
        }
        number += 1;
        mask = ctx.geometry.lanes(number);
        if mask == 0 {
            break None;
        }
        linked.begin(number, mask, args);
        warp.begin(number, mask);
    };
    linked.finish(warp);
    match left {
        Some(After::Together(pc, polls)) => {
            warp.go_on_at(pc, polls);
            warp.goes_on = true;
        }
        Some(After::Apart) => {}
        None => {
            // The rows of thread indices are those of the warp before.
            warp.threads.0 = [0; 3];
            warp.number = number;
            warp.retire(u32::MAX);
        }
    }
    Some(number)
}

/// Whether lanes end at an operation of a kernel.
fn has_ended(variant: &Variant, pc: u32) -> bool {
    matches!(variant.ops.get(pc as usize), Some(Op::Exit | Op::Return(_)))
}

/// Whether an operation has a warp wait for those of its block.
fn is_barrier(variant: &Variant, pc: u32) -> bool {
    matches!(variant.ops.get(pc as usize), Some(Op::Barrier { op: BarOp::Sync, .. }))
}

/// A warp of a block whose warps run together.
struct Member<'a> {
    /// Its place among the warps.
    warp: usize,
    linked: Linked<'a>,
    mask: u32,
    pc: u32,
    polls: u32,
    is_waiting: bool,
    has_ended: bool,
    /// Whether its lanes have parted and not met again.
    is_apart: bool,
    /// Whether the code runs for all threads that it has.
    is_whole: bool,
}

/// Runs the warps of a block in that order, from barrier to barrier, as long as compiled code takes all of them from each to the
/// next or to their end. Gives the place in the order at which the loop of `exec` goes on: the warps before it have had their turn.
pub(crate) fn run_together(
    program: &Program,
    execute: Execute,
    warps: &mut [Warp<32>],
    order: &[u32],
    (ctx, observer): (&mut Context<'_>, Option<&mut Observer<'_, 32>>),
) -> usize {
    let first = order.first().map_or(0, |&number| number as usize);
    let taken = warps.get_mut(first).and_then(|warp| take(program, warp, ctx, observer.as_deref()));
    let Some(of) = taken else { return 0 };
    let mut others = Vec::with_capacity(order.len());
    let interpreter = Interpreter { program, execute };
    let at = run_members(interpreter, &of, &mut others, (&mut *warps, order), (ctx, observer));
    super::function::put_back(&mut warps[first], of.number, of.native);
    for (warp, of) in others {
        super::function::put_back(&mut warps[warp], of.number, of.native);
    }
    at.unwrap_or(0)
}

/// Links a warp with the code that was taken of it.
fn member<'a, 'b: 'a, 'p: 'a>(
    native: &'a NativeFunction,
    interpreter: Interpreter<'p>,
    of: &Taken<'p>,
    (number, warp): (usize, &mut Warp<32>),
    ctx: &mut Context<'b>,
) -> Option<Member<'a>> {
    let split = warp.splits.first()?;
    let (pc, polls) = (split.pc, split.polls);
    let linked =
        Linked::new(native, interpreter, of.variant, warp, (of.number, of.mask, NO_RECONVERGENCE), ctx, polls)?;
    let mask = of.mask;
    let is_whole = mask == ctx.geometry.lanes(number as u32);
    let (is_waiting, has_ended, is_apart) = (false, false, false);
    Some(Member { warp: number, linked, mask, pc, polls, is_waiting, has_ended, is_apart, is_whole })
}

/// Runs warps from an entry on by one call of the code, which goes on with the next where all lanes of one have come to a barrier, and
/// behind it with the first where they are all warps of the block. Gives the place of that at which it returned, for those before it
/// are at the barrier or have ended and those behind it have not gone on, and how it left that one.
fn run_chain(
    members: &mut [Member<'_>],
    (entry, variant): (Entry, &Variant),
    is_block: bool,
    warps: &mut [Warp<32>],
    (ctx, observer): (&mut Context<'_>, Option<&mut Observer<'_, 32>>),
) -> Option<(usize, Entered)> {
    members.first_mut()?.linked.start(ctx);
    let observer = observer.map_or(std::ptr::null_mut(), |o| std::ptr::from_mut(o).cast());
    let context = (&raw mut *ctx).cast();
    let mut next = Next::NONE;
    for (number, member) in members.iter_mut().enumerate().rev() {
        let warp = &mut warps[member.warp];
        member.linked.prepare(&raw mut *warp, warp.points, context, observer);
        next = member.linked.chain(number, next);
    }
    if is_block {
        members.iter_mut().for_each(|member| member.linked.close_chain(next));
    }
    let (outcome, last) = members.first_mut()?.linked.call(entry);
    if let Some(resumed) = members.first_mut()?.linked.take_resumed() {
        for member in members.iter_mut() {
            (member.pc, member.polls, member.is_waiting) = (resumed, 0, false);
            warps[member.warp].points = member.linked.points();
        }
        members.get_mut(last + 1..)?.iter_mut().for_each(|member| member.linked.set_polls(0));
    }
    for member in members.get_mut(..last)? {
        (member.pc, member.polls) = member.linked.came_to();
        member.has_ended = has_ended(variant, member.pc);
        member.is_waiting = !member.has_ended;
        warps[member.warp].points = member.linked.points();
    }
    let member = members.get(last)?;
    Some((last, member.linked.leave(outcome, &mut warps[member.warp], ctx)))
}

/// Runs the warps with the code of the first. They are linked when others have had their turn, for those may part.
fn run_members<'a, 'b: 'a, 'p: 'a>(
    interpreter: Interpreter<'p>,
    first: &'a Taken<'p>,
    others: &mut Vec<(usize, Taken<'p>)>,
    (warps, order): (&mut [Warp<32>], &[u32]),
    (ctx, mut observer): (&mut Context<'b>, Option<&mut Observer<'_, 32>>),
) -> Option<usize> {
    let (native, variant, program) = (&*first.native, first.variant, interpreter.program);
    let code = program.code.get(native.func.index())?;
    let mut members: Vec<Member<'_>> = Vec::with_capacity(order.len());
    // Whether the warp at which this ends was left in its course.
    let mut goes_on = false;
    let at = 'barriers: loop {
        let mut at = 0;
        while at < order.len() {
            // The more have come to the barrier, the more will.
            let linked = (2 * at).clamp(1, order.len());
            for &number in order.get(members.len()..linked).unwrap_or_default() {
                let number = number as usize;
                let warp = &mut warps[number];
                let linked = if at == 0 {
                    member(native, interpreter, first, (number, warp), ctx)
                } else {
                    let Some(of) = take(program, warp, ctx, observer.as_deref()) else { break };
                    let is_same = of.native.func == native.func;
                    let linked = if is_same { member(native, interpreter, &of, (number, warp), ctx) } else { None };
                    others.push((number, of));
                    linked
                };
                let Some(linked) = linked else { break };
                members.push(linked);
            }
            if at == members.len() {
                break 'barriers at;
            }
            // Warps of all lanes that come from one barrier go on by one call.
            let rest = &mut members[at..];
            let (pc, mask) = (rest[0].pc, rest[0].mask);
            let Some(entry) = native.entry(pc, mask == u32::MAX) else { break 'barriers at };
            let together = rest.iter().take_while(|m| m.mask == u32::MAX && m.pc == pc && !m.is_apart).count();
            let is_block =
                together == warps.len() && together == order.len() && rest.iter().all(|m| m.polls == 0 && m.is_whole);
            let is_seen = observer.is_some();
            let parts = (&mut *ctx, observer.as_deref_mut());
            let chained = &mut rest[..together.max(1)];
            let Some((last, left)) = run_chain(chained, (entry, variant), is_block && !is_seen, warps, parts) else {
                break 'barriers at;
            };
            at += last;
            let member = &mut members[at];
            let warp = &mut warps[member.warp];
            let after = member.linked.after(code, left, warp, ctx, observer.as_deref_mut());
            at += 1;
            let After::Together(pc, polls) = after else {
                member.is_apart = true;
                if warp.splits.is_empty() {
                    continue;
                }
                break 'barriers at - 1;
            };
            (member.pc, member.polls) = (pc, polls);
            if has_ended(variant, pc) {
                member.has_ended = true;
            } else if ctx.budget > 0 && is_barrier(variant, pc) {
                ctx.budget -= 1;
                member.is_waiting = true;
            } else {
                goes_on = true;
                break 'barriers at - 1;
            }
        }
        let pc = members[0].pc;
        let all_wait = members.iter().all(|m| m.is_waiting && m.pc == pc && m.is_whole);
        if !all_wait {
            break order.len();
        }
        if let Some(observer) = observer.as_deref_mut() {
            observer.hooks.on_barrier();
        }
        for member in &mut members {
            (member.pc, member.polls, member.is_waiting) = (pc + 1, 0, false);
            member.linked.set_polls(0);
        }
    };
    for (i, member) in members.into_iter().enumerate() {
        let Member { warp, linked, mask, pc, polls, is_waiting, has_ended, is_apart, .. } = member;
        let warp = &mut warps[warp];
        linked.finish(warp);
        if !is_apart {
            warp.go_on_at(pc, polls);
        }
        if is_waiting && let Some(split) = warp.splits.first_mut() {
            split.state = State::AtBarrier { op: BarOp::Sync, pred: 0 };
        }
        if has_ended {
            warp.retire(mask);
        }
        warp.goes_on = goes_on && i == at;
    }
    Some(at)
}

/// What compiled code of a warp's only frame needs.
struct Taken<'a> {
    native: Arc<NativeFunction>,
    variant: &'a Variant,
    number: u32,
    mask: u32,
}

/// Takes the compiled code of a warp of one split, if there is some that tells the observer of what it wants to know.
fn take<'a>(
    program: &'a Program,
    warp: &mut Warp<32>,
    ctx: &Context<'_>,
    observer: Option<&Observer<'_, 32>>,
) -> Option<Taken<'a>> {
    if !program.is_native || program.materialise_all || warp.non_converged || warp.directed.is_some() {
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
    let is_here = |native: &NativeFunction| native.is_of(frame.func, ctx.geometry.block);
    // Of a warp that runs early code the loop of `exec` wants to know what is found out on its way.
    let native = frame.native.take_if(|native| !native.is_early() && is_here(native) && is_fit(native, observer))?;
    if frame.is_fresh {
        frame.choose(variant);
    }
    warp.current = 0;
    Some(Taken { native, variant, number, mask })
}

fn run(
    native: &NativeFunction,
    (interpreter, variant): (Interpreter<'_>, &Variant),
    warp: &mut Warp<32>,
    (number, mask): (u32, u32),
    (ctx, observer): (&mut Context<'_>, Option<&mut Observer<'_, 32>>),
) -> Option<Stop> {
    let split = warp.splits.first()?;
    let (pc, polls) = (split.pc, split.polls);
    let entry = native.entry(pc, mask == u32::MAX)?;
    let place = (number, mask, NO_RECONVERGENCE);
    let After::Together(pc, polls) = enter(native, entry, (interpreter, variant), warp, place, (ctx, observer), polls)?
    else {
        return warp.splits.is_empty().then_some(Stop::Done);
    };
    warp.go_on_at(pc, polls);
    if has_ended(variant, pc) {
        warp.retire(mask);
        return Some(Stop::Done);
    }
    if ctx.budget > 0 && is_barrier(variant, pc) {
        ctx.budget -= 1;
        warp.splits.first_mut()?.state = State::AtBarrier { op: BarOp::Sync, pred: 0 };
        return Some(Stop::Waiting);
    }
    warp.goes_on = true;
    None
}

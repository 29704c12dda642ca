//! What happens when the loop over operations is left: fragments split, wait and end, and operations that are not the loop's
//! are done elsewhere. Compiled once.

use crate::abreast;
use crate::access;
use crate::code::{Code, NO_JOIN, Op, Program, Site, Way};
use crate::fragment::State;
use crate::rare::{self, Cursor, Step};
use crate::tight::Tight;
use crate::warp::{Context, Fault, FaultKind, Stop, Warp};
use crate::whirl::Left;
use crate::wire::{Exit, Wire};

/// Why the loop over operations was left.
pub(crate) enum After {
    /// The budget is used up.
    Budget,
    /// The operation is not one of the loop's.
    Rare,
    /// The access at the operation is to be worked out lane by lane.
    Lanes,
    /// The access was done and is to be told of.
    Told,
    /// The store is to be told of before it is done.
    Tell,
    /// The lanes of a branch disagree: these take it.
    Split(u32),
    /// Some lanes have left the loop of that number, which writes nothing.
    Left(u32, Left),
    /// The fragment waits where lanes meet.
    Join,
    /// It has polled for long.
    Pause,
    /// Its lanes exit.
    Exit,
    /// Rounds of the loop of that number may be run many at a time.
    Rounds(u32),
}

/// How it goes on.
pub(crate) enum Next {
    /// At this operation, with so many points since the last progress, and whether the access there was told of.
    Go((u32, u32, bool)),
    /// With a fragment that is to be picked.
    Pick,
    /// Not before the caller has seen to something.
    Leave(Exit),
}

/// Where the loop was, but for the operation.
pub(crate) struct At<'a> {
    pub(crate) code: &'a Code,
    pub(crate) way: &'a Way,
    /// The frame.
    pub(crate) number: u32,
    pub(crate) mask: u32,
    /// Points passed and the budget together.
    pub(crate) total: u64,
}

/// Does what is to be done at operation `pc` of `ops`.
#[inline(never)]
pub(crate) fn settle<const W: usize>(
    after: After,
    program: &Program,
    (warp, ctx, wire): (&mut Warp<W>, &mut Context<'_>, &mut Wire<W>),
    ops: &[Op],
    at: &At<'_>,
    (pc, idle, told): (u32, u32, bool),
) -> Next {
    let (code, number, mask, current) = (at.code, at.number, at.mask, warp.current);
    let Some(fragment) = warp.fragments.get_mut(current) else { return Next::Pick };
    (fragment.pc, fragment.idle) = (pc, idle);
    let Some(Some(frame)) = warp.frames.get(number as usize) else { return Next::Pick };
    let site = Site { func: frame.func, pc };
    match after {
        After::Budget => Next::Leave(Exit::Budget),
        After::Told => {
            fragment.pc += 1;
            wire.site = site;
            Next::Leave(Exit::Access)
        }
        After::Tell => {
            wire.site = site;
            wire.told = true;
            Next::Leave(Exit::Access)
        }
        After::Pause => Next::Pick,
        After::Rounds(rounds) => {
            let writes = warp.writes;
            let barren = abreast::run(code, rounds, warp, number, ctx);
            let idle = if warp.writes == writes { idle } else { 0 };
            if let Some(frame) = warp.frame_mut(number) {
                frame.barren = barren;
            }
            warp.points = at.total.wrapping_sub(ctx.budget);
            if ctx.memory.is_exhausted() {
                // The rounds could not store all: whoever runs the host ends it.
                warp.fragments[current].pc = pc + 1;
                return Next::Leave(Exit::Budget);
            }
            Next::Go((pc + 1, idle, told))
        }
        After::Exit => {
            warp.retire(mask);
            Next::Pick
        }
        After::Join => {
            fragment.pc += 1;
            fragment.state = State::AtJoin;
            Next::Pick
        }
        After::Split(taken) => {
            let Some(&Op::Branch { then_pc, else_pc, join, .. }) = ops.get(pc as usize) else { return Next::Pick };
            let (first, second, part) =
                if warp.is_turned() { (else_pc, then_pc, taken) } else { (then_pc, else_pc, mask & !taken) };
            warp.fragments[current].pc = first;
            warp.split(part, second, if join == NO_JOIN { None } else { Some(join) });
            Next::Pick
        }
        After::Left(number, left) => {
            if let Some(Some(tight)) = at.way.tight.get(number as usize) {
                part(warp, tight, mask, left);
            }
            Next::Pick
        }
        After::Lanes => {
            let Some(op) = ops.get(pc as usize) else { return Next::Pick };
            wire.site = site;
            let idle = match access::lane_by_lane(code, op, warp, ctx, wire, told) {
                Ok(access::Done::Load) => idle + 1,
                Ok(access::Done::Store) => {
                    warp.writes += 1;
                    return Next::Go((pc + 1, 0, false));
                }
                Ok(access::Done::Held) => {
                    // The point was counted, but the access is still to come.
                    ctx.budget += 1;
                    warp.points = warp.points.wrapping_sub(1);
                    return Next::Leave(Exit::Budget);
                }
                Ok(access::Done::Tell) => {
                    wire.told = true;
                    return Next::Leave(Exit::Access);
                }
                Err(fault) => return Next::Leave(wire.stop(Stop::Fault(fault))),
            };
            if wire.is_telling(site.func, site.pc) {
                if let Some(fragment) = warp.fragments.get_mut(current) {
                    (fragment.pc, fragment.idle) = (pc + 1, idle);
                }
                return Next::Leave(Exit::Access);
            }
            Next::Go((pc + 1, idle, told))
        }
        After::Rare => {
            let Some(op) = ops.get(pc as usize) else {
                let kind = FaultKind::Trap(ir::Trap::Unreachable);
                return Next::Leave(wire.stop(Stop::Fault(Fault { kind, site, mask, addresses: Vec::new() })));
            };
            wire.site = site;
            let mut cursor = Cursor { site, number, mask, idle };
            match rare::step(program, op, warp, ctx, wire, &mut cursor) {
                Step::Next => {
                    // A point of the operation is counted in both.
                    warp.points = at.total.wrapping_sub(ctx.budget);
                    Next::Go((pc + 1, cursor.idle, told))
                }
                Step::Again => Next::Pick,
                Step::Leave(exit) => {
                    warp.points = at.total.wrapping_sub(ctx.budget);
                    Next::Leave(exit)
                }
            }
        }
    }
}

/// Parts the current fragment, which stands at a loop that writes nothing, as the branches of the loop would have done: those
/// that left before the last ones wait, on the side of the others on which each branch would have put them. That they are one
/// fragment and not several makes no difference, since they wait for the same and lie side by side.
fn part<const W: usize>(warp: &mut Warp<W>, tight: &Tight, mask: u32, left: Left) {
    let current = warp.current;
    let (on, pc) = if left.active != 0 { (left.active, left.pc) } else { (left.last, tight.exit) };
    if tight.takes {
        warp.split(on, pc, Some(tight.exit));
        let waiting = &mut warp.fragments[current];
        (waiting.pc, waiting.state) = (tight.exit + 1, State::AtJoin);
        warp.current += 1;
    } else {
        warp.fragments[current].pc = pc;
        warp.split(mask & !on, tight.exit, Some(tight.exit));
    }
}

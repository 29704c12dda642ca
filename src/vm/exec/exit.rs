//! What happens when the loop over operations is left: splits diverge, wait and end, and rare operations are done. Compiled
//! once.
//!
//! Not here: the operations themselves (`out_of_line`, `access`).

use super::access;
use super::out_of_line::{self, Cursor, Step};
use super::report::{Exit, RunState};
use crate::code::{Code, Op, Program, Site};
use crate::warp::{Context, Fault, FaultKind, Stop, Warp};

/// Why the loop over operations was left.
pub(crate) enum ExitReason {
    /// The budget is used up.
    Budget,
    /// The operation is not one of the loop's.
    OutOfLine,
    /// The access at the operation is to be worked out lane by lane.
    SlowAccess,
    /// The access was done and has to be reported.
    ReportLoad,
    /// The store has to be reported before it is done.
    ReportStore,
    /// The lanes of a branch disagree: these take it.
    Diverge(u32),
    /// The split waits where lanes meet.
    Reconverge,
    /// The operation is one where compiled code may be entered.
    Native,
    /// It has polled for long.
    Yield,
    /// Its lanes exit.
    Exit,
}

/// How it goes on.
pub(crate) enum Next {
    /// At this operation, with so many points since the last progress, and whether the access there was reported.
    Go((u32, u32, bool)),
    /// With another split, which has to be picked.
    Pick,
    /// Not before the caller has seen to something.
    Exit(Exit),
}

/// Where the loop was, but for the operation.
pub(crate) struct Position<'a> {
    pub(crate) code: &'a Code,
    /// The frame.
    pub(crate) number: u32,
    pub(crate) mask: u32,
    /// Points passed and the budget together.
    pub(crate) total: u64,
}

/// Does what is to be done at operation `pc` of `ops`.
#[inline(never)]
pub(crate) fn handle_exit<const W: usize>(
    after: ExitReason,
    program: &Program,
    (warp, ctx, run): (&mut Warp<W>, &mut Context<'_>, &mut RunState<W>),
    ops: &[Op],
    at: &Position<'_>,
    (pc, polls, reported): (u32, u32, bool),
) -> Next {
    let (code, number, mask, current) = (at.code, at.number, at.mask, warp.current);
    let Some(split) = warp.splits.get_mut(current) else { return Next::Pick };
    (split.pc, split.polls) = (pc, polls);
    let Some(Some(frame)) = warp.frames.get(number as usize) else { return Next::Pick };
    let site = Site { func: frame.func, pc };
    match after {
        ExitReason::Budget => Next::Exit(Exit::Budget),
        ExitReason::ReportLoad => {
            split.pc += 1;
            run.site = site;
            Next::Exit(Exit::Access)
        }
        ExitReason::ReportStore => {
            run.site = site;
            run.reported = true;
            Next::Exit(Exit::Access)
        }
        ExitReason::Native => Next::Go((pc, polls, reported)),
        ExitReason::Yield => Next::Pick,
        ExitReason::Exit => {
            warp.retire(mask);
            Next::Pick
        }
        ExitReason::Reconverge => {
            split.wait_to_meet();
            Next::Pick
        }
        ExitReason::Diverge(taken) => {
            let Some(&Op::Branch { then_pc, else_pc, join, .. }) = ops.get(pc as usize) else { return Next::Pick };
            warp.part(mask, taken, (then_pc, else_pc, join));
            Next::Pick
        }
        ExitReason::SlowAccess => {
            let Some(op) = ops.get(pc as usize) else { return Next::Pick };
            run.site = site;
            let polls = match access::lane_by_lane(code, op, warp, ctx, run, reported) {
                Ok(access::Done::Load) => polls + 1,
                Ok(access::Done::Store) => {
                    warp.writes += 1;
                    return Next::Go((pc + 1, 0, false));
                }
                Ok(access::Done::Held) => {
                    // The point was counted, but the access is still to come.
                    ctx.budget += 1;
                    warp.points = warp.points.wrapping_sub(1);
                    return Next::Exit(Exit::Budget);
                }
                Ok(access::Done::Tell) => {
                    run.reported = true;
                    return Next::Exit(Exit::Access);
                }
                Err(fault) => return Next::Exit(run.stop(Stop::Fault(fault))),
            };
            let bytes = if let Op::ULoad(m) = op { Some(m) } else { op.load() }.map_or(0, |m| m.width.bytes());
            if run.has_to_report(site.func, site.pc, run.mask, bytes) {
                if let Some(split) = warp.splits.get_mut(current) {
                    (split.pc, split.polls) = (pc + 1, polls);
                }
                return Next::Exit(Exit::Access);
            }
            Next::Go((pc + 1, polls, reported))
        }
        ExitReason::OutOfLine => {
            let Some(op) = ops.get(pc as usize) else {
                let kind = FaultKind::Trap(ir::Trap::Unreachable);
                return Next::Exit(run.stop(Stop::Fault(Fault { kind, site, mask, addresses: Vec::new() })));
            };
            run.site = site;
            let mut cursor = Cursor { site, number, mask, polls };
            match out_of_line::step(program, op, warp, ctx, run, &mut cursor) {
                Step::Next => {
                    // A point of the operation is counted in both.
                    warp.points = at.total.wrapping_sub(ctx.budget);
                    Next::Go((pc + 1, cursor.polls, reported))
                }
                Step::Again => {
                    // The model's clock does not count the point of a wait, which compiled code does not make. Orders count it.
                    if warp.is_directed() {
                        warp.points = at.total.wrapping_sub(ctx.budget);
                    }
                    Next::Pick
                }
                Step::Exit(exit) => {
                    warp.points = at.total.wrapping_sub(ctx.budget);
                    Next::Exit(exit)
                }
            }
        }
    }
}

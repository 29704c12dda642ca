//! Operations that are seldom executed, or that need the whole warp: synchronisation, calls, services, conversions without a
//! vector form, special registers.

use super::access;
use super::report::{Exit, RunState};
use crate::code::{NO_RECONVERGENCE, Op, Program, RtOp, Site, SwitchOp};
use crate::frame::{Frame, SlotRef};
use crate::memory::local;
use crate::warp::Atomics;
use crate::warp::State;
use crate::warp::sync::{self, Group, WarpSync};
use crate::warp::{Context, Fault, FaultKind, HostStack, LaunchRequest, RtRequest, Stop, Warp};
use ir::op::{BarOp, ShflOp, Special, VoteOp};
use ir::{Space, Trap, Ty, eval};
use scalar::lanes;

/// Where the loop is.
pub(crate) struct Cursor {
    pub(crate) site: Site,
    /// The frame.
    pub(crate) number: u32,
    pub(crate) mask: u32,
    pub(crate) polls: u32,
}

/// How the loop goes on.
pub(crate) enum Step {
    /// With the next operation.
    Next,
    /// With another split, which has to be picked.
    Again,
    /// Not before its caller has seen to something.
    Exit(Exit),
}

/// Arguments of a service that is served at once, at most.
const MOST_SERVED: usize = 6;

/// Has a service of the host served at once, if somebody does that.
fn serve<const W: usize>(frame: &Frame<W>, stack: Option<HostStack>, ctx: &mut Context<'_>, rt: &RtOp) -> Option<u64> {
    let services = ctx.services.as_deref_mut()?;
    let mut args = [0; MOST_SERVED];
    let args = args.get_mut(..rt.args.len()).filter(|_| rt.results.len() <= 1)?;
    for (arg, &slot) in args.iter_mut().zip(&rt.args) {
        *arg = frame.get(slot, 0);
    }
    services.serve(&ctx.memory, rt.rt, args, stack?.top)
}

/// Executes one operation; the split's own counter stands at it.
#[inline(never)]
#[allow(clippy::unnested_or_patterns)] // The pattern of the table is one pattern in another.
pub(crate) fn step<const W: usize>(
    program: &Program,
    op: &Op,
    warp: &mut Warp<W>,
    ctx: &mut Context<'_>,
    run: &mut RunState<W>,
    at: &mut Cursor,
) -> Step {
    let (mask, site, current) = (at.mask, at.site, warp.current);
    macro_rules! point {
        () => {
            if ctx.budget == 0 {
                return Step::Exit(Exit::Budget);
            }
            ctx.budget -= 1;
        };
    }
    macro_rules! fault {
        ($kind:expr) => {{
            let fault = Fault { kind: $kind, site, mask, addresses: Vec::new() };
            return Step::Exit(run.stop(Stop::Fault(fault)));
        }};
    }
    macro_rules! wait {
        ($state:expr) => {{
            warp.splits[current].state = $state;
            return Step::Again;
        }};
    }
    let points = warp.points;
    let Some(Some(frame)) = warp.frames.get_mut(at.number as usize) else { return Step::Again };
    match *op {
        Op::EvalUn { op, ty, r } => each(frame, mask, (ty, r.d), |f, l| eval::eval_un(op, ty, f.row((ty, r.a), l))),
        Op::EvalBin { op, ty, r } => {
            each(frame, mask, (ty, r.d), |f, l| eval::eval_bin(op, ty, f.row((ty, r.a), l), f.row((ty, r.b), l)));
        }
        Op::EvalTri { op, ty, r } => each(frame, mask, (ty, r.d), |f, l| {
            eval::eval_tri(op, ty, f.row((ty, r.a), l), f.row((ty, r.b), l), f.row((ty, r.c), l))
        }),
        Op::EvalCvt { op, from, to, r } => {
            each(frame, mask, (to, r.d), |f, l| eval::eval_cvt(op, from, to, f.row((from, r.a), l)));
        }
        Op::EvalCmp { op, ty, r } => each(frame, mask, (Ty::Pred, r.d), |f, l| {
            u64::from(eval::eval_cmp(op, ty, f.row((ty, r.a), l), f.row((ty, r.b), l)))
        }),
        Op::LocalAddr { d, offset } => {
            let address = frame.local_base + offset;
            each(frame, mask, (Ty::I64, d), |_, _| address);
        }
        Op::ClearLocal { offset, bytes } => local::clear(&mut warp.locals, at.number, (offset, bytes), mask),
        Op::DynamicShared { d } => {
            let address = dynamic_shared(ctx);
            each(frame, mask, (Ty::I64, d), |_, _| address);
        }
        Op::UDynamicShared { d } => frame.scalars[d as usize] = dynamic_shared(ctx),
        Op::Special { reg, d } => special(warp, ctx, reg, d, at),
        Op::USpecial { reg, d } => {
            frame.scalars[d as usize] = match reg {
                Special::Clock64 | Special::GlobalTimer => points,
                _ => u64::from(block_value(ctx, reg).unwrap_or(0)),
            };
        }
        Op::Atomic(ref atomic) => {
            let is_memory = atomic.used && atomic.space != Space::Shared;
            if is_memory && ctx.atomics.as_deref_mut().is_some_and(Atomics::holds) {
                return Step::Exit(Exit::Budget);
            }
            point!();
            let code = &program.code[site.func.index()];
            match access::atomic(code, atomic, warp, ctx, run) {
                Ok(true) => {
                    at.polls = 0;
                    warp.writes += 1;
                }
                Ok(false) => at.polls += crate::POLL_ATOMIC,
                Err(fault) => return Step::Exit(run.stop(Stop::Fault(fault))),
            }
            if run.report {
                go_on(warp, at);
                return Step::Exit(Exit::Access);
            }
        }
        Op::Fence { scope } => {
            point!();
            go_on(warp, at);
            return Step::Exit(Exit::Fence(scope));
        }
        Op::Barrier { op, a, .. } => {
            point!();
            let pred = match (op, a) {
                (BarOp::Sync, _) | (_, None) => 0,
                (_, Some(a)) => frame.preds[a as usize] & mask,
            };
            wait!(State::AtBarrier { op, pred });
        }
        Op::SyncWarp { mask: slot } => {
            let (groups, count) = sync::groups(mask, |l| frame.get((Ty::I32, slot), l) as u32);
            let groups = &groups[..count];
            if let Some(fault) = outside(groups, WarpSync::SyncWarp, site) {
                return Step::Exit(run.stop(Stop::Fault(fault)));
            }
            if ctx.budget == 0 {
                return Step::Exit(run.stop(Stop::Budget));
            }
            run.met.clear();
            for &Group { named, lanes } in groups {
                let need = named & warp.live;
                if need & !(lanes | warp.waiting_for(need)) == 0 {
                    warp.release_syncwarp(need);
                    run.met.push(need);
                } else {
                    warp.leave_waiting(lanes, WarpSync::SyncWarp, need);
                }
            }
            if run.met.is_empty() {
                return Step::Again;
            }
            ctx.budget -= 1;
            go_on(warp, at);
            warp.merge_current();
            return Step::Exit(Exit::SyncWarp);
        }
        Op::Vote { op, ty, d, mask: slot, a } => {
            let live = warp.live;
            let Some(slot) = slot else {
                if live & !mask != 0 {
                    wait!(State::AtWarpSync { need: live, at: WarpSync::Vote });
                }
                point!();
                vote(frame, op, ty, d, a, mask, mask);
                return Step::Next;
            };
            if ctx.budget == 0 {
                return Step::Exit(run.stop(Stop::Budget));
            }
            let named = |l| frame.get((Ty::I32, slot), l) as u32;
            let (groups, count) = sync::groups(mask, named);
            if let Some(fault) = outside(&groups[..count], WarpSync::Vote, site) {
                return Step::Exit(run.stop(Stop::Fault(fault)));
            }
            let (groups, count) = sync::groups(mask, |l| named(l) & live);
            let (there, late): (Vec<Group>, Vec<Group>) = groups[..count].iter().partition(|g| g.named & !g.lanes == 0);
            for g in &there {
                vote(frame, op, ty, d, a, g.lanes, g.named);
            }
            for g in &late {
                warp.leave_waiting(g.lanes, WarpSync::Vote, g.named);
            }
            if there.is_empty() {
                return Step::Again;
            }
            ctx.budget -= 1;
            if !late.is_empty() {
                go_on(warp, at);
                return Step::Again;
            }
        }
        Op::Shuffle { op, ty, d, a, lane, width } => {
            if warp.live & !mask != 0 {
                let need = warp.live;
                wait!(State::AtWarpSync { need, at: WarpSync::Shuffle });
            }
            point!();
            shuffle(frame, op, (ty, d), (ty, a), (lane, width), mask);
        }
        Op::Call(ref call) => {
            if W == 1 && warp.has_called_enough() {
                return Step::Exit(Exit::Budget);
            }
            if warp.enter(program, call.func, &call.args).is_none() {
                fault!(FaultKind::StackOverflow);
            }
            return Step::Again;
        }
        Op::Rt(ref rt) => {
            if let Some(result) = serve(frame, warp.stack, ctx, rt) {
                if let Some(&slot) = rt.results.first() {
                    frame.put(slot, 0, result);
                }
                at.polls = 0;
                return Step::Next;
            }
            warp.splits[current].state = State::AtRt;
            let request = RtRequest { rt: rt.rt, site, mask, args: rt.args.to_vec() };
            return Step::Exit(run.stop(Stop::Rt(request)));
        }
        Op::Launch(ref launch) => {
            let request = |lane: usize| {
                let extent = |i: usize| frame.get((Ty::I32, launch.extents[i]), lane) as u32;
                LaunchRequest {
                    lane: lane as u32,
                    func: launch.func,
                    site,
                    grid: match [extent(0), extent(1), extent(2)] {
                        [u32::MAX, u32::MAX, u32::MAX] => [0; 3],
                        // All zeros would say `*`; any zero is as wrong as three.
                        [0, 0, 0] => [0, 1, 1],
                        grid => grid,
                    },
                    block: [extent(3), extent(4), extent(5)],
                    bytes: frame.get((Ty::I64, launch.bytes), lane) as i64,
                    stream: frame.get((Ty::I64, launch.stream), lane) as i64,
                    args: launch.args.iter().map(|&a| frame.get(a, lane)).collect(),
                }
            };
            let requests = lanes(mask).map(request).collect();
            warp.splits[current].state = State::AtRt;
            return Step::Exit(run.stop(Stop::Launch(requests)));
        }
        Op::Stmt => {
            let resumed = std::mem::take(&mut warp.splits[current].resume);
            if run.statements && !resumed {
                return Step::Exit(Exit::Statement);
            }
        }
        Op::Switch(ref switch) => {
            branch_many(warp, switch, at);
            return Step::Again;
        }
        Op::Return(ref values) => {
            if warp.leave(program, values) {
                let f = &mut warp.splits[current];
                if f.reconvergences.last() == Some(&(f.pc, f.frame)) {
                    f.state = State::AtReconvergence;
                }
            } else {
                warp.retire(mask);
            }
            return Step::Again;
        }
        Op::Trap(trap) => fault!(FaultKind::Trap(trap)),
        // Marks of loops, which change nothing where they are not used.
        // The loop of `run` does these itself.
        computing_ops!(op_pattern Op)
        | Op::Nop
        | Op::Shl32(_)
        | Op::ShrU32(_)
        | Op::ShrS32(_)
        | Op::DivI32(_)
        | Op::RemI32(_)
        | Op::Shl64(_)
        | Op::ShrU64(_)
        | Op::ShrS64(_)
        | Op::DivI64(_)
        | Op::RemI64(_)
        | Op::UMinI64(_)
        | Op::UMaxI64(_)
        | Op::UShlI32(_)
        | Op::UShlI64(_)
        | Op::UEvalUn { .. }
        | Op::UEvalBin { .. }
        | Op::UEvalTri { .. }
        | Op::UEvalCvt { .. }
        | Op::UEvalCmp { .. }
        | Op::UCmp { .. }
        | Op::USel(_)
        | Op::Take { .. }
        | Op::UpdatePattern { .. }
        | Op::LoadG32(_)
        | Op::LoadG64(_)
        | Op::LoadS32(_)
        | Op::LoadS64(_)
        | Op::LoadL32(_)
        | Op::LoadL64(_)
        | Op::Load(_)
        | Op::ULoad(_)
        | Op::StoreG32(_)
        | Op::StoreG64(_)
        | Op::StoreS32(_)
        | Op::StoreS64(_)
        | Op::StoreL32(_)
        | Op::StoreL64(_)
        | Op::Store(_)
        | Op::BackEdge
        | Op::BackJump { .. }
        | Op::Reconverge
        | Op::Jump { .. }
        | Op::Branch { .. }
        | Op::Exit => fault!(FaultKind::Trap(Trap::Unreachable)),
    }
    Step::Next
}

/// The loop goes on behind the operation after the report.
fn go_on<const W: usize>(warp: &mut Warp<W>, at: &Cursor) {
    let split = &mut warp.splits[warp.current];
    split.pc += 1;
    split.polls = at.polls;
}

/// Sets a slot in each lane.
fn each<const W: usize>(frame: &mut Frame<W>, mask: u32, d: SlotRef, f: impl Fn(&Frame<W>, usize) -> u64) {
    for lane in lanes(mask) {
        let bits = f(frame, lane);
        frame.put(d, lane, bits);
    }
}

fn dynamic_shared(ctx: &Context<'_>) -> u64 {
    mem::address::SHARED_BASE + ctx.geometry.static_shared.next_multiple_of(16)
}

/// A branch to one of several places: the lanes of each are a split.
fn branch_many<const W: usize>(warp: &mut Warp<W>, switch: &SwitchOp, at: &Cursor) {
    let current = warp.current;
    let Some(frame) = warp.frame(at.number) else { return };
    let mut groups: Vec<(u32, u32)> = Vec::new();
    for lane in lanes(at.mask) {
        let value = scalar::bits::signed(switch.ty, frame.get((switch.ty, switch.a), lane));
        let pc = switch.arms.iter().find(|&&(v, _)| v == value).map_or(switch.default, |&(_, pc)| pc);
        match groups.iter_mut().find(|g| g.0 == pc) {
            Some(g) => g.1 |= 1 << lane,
            None => groups.push((pc, 1 << lane)),
        }
    }
    if warp.is_turned() {
        groups.reverse();
    }
    let join = if switch.join == NO_RECONVERGENCE { None } else { Some(switch.join) };
    for &(pc, part) in groups.iter().skip(1).rev() {
        warp.diverge(part, pc, join);
    }
    if let Some(&(pc, _)) = groups.first() {
        warp.splits[current].pc = pc;
    }
}

/// The value of a special register that the threads of a block share; `None` if it is none of those.
#[inline(always)]
pub(crate) fn block_value(ctx: &Context<'_>, reg: Special) -> Option<u32> {
    let g = &ctx.geometry;
    Some(match reg {
        Special::NtidX => g.block[0],
        Special::NtidY => g.block[1],
        Special::NtidZ => g.block[2],
        Special::CtaidX => g.cta[0],
        Special::CtaidY => g.cta[1],
        Special::CtaidZ => g.cta[2],
        Special::NctaidX => g.grid[0],
        Special::NctaidY => g.grid[1],
        Special::NctaidZ => g.grid[2],
        Special::ClusterNctaidX => g.cluster[0],
        Special::ClusterNctaidY => g.cluster[1],
        Special::ClusterNctaidZ => g.cluster[2],
        Special::OnGpu => 0,
        Special::TidX
        | Special::TidY
        | Special::TidZ
        | Special::LaneId
        | Special::ActiveMask
        | Special::Clock64
        | Special::GlobalTimer => return None,
    })
}

/// A special register in each lane, but for thread indices, which the loop knows.
fn special<const W: usize>(warp: &mut Warp<W>, ctx: &Context<'_>, reg: Special, d: u32, at: &Cursor) {
    let (mask, points) = (at.mask, warp.points);
    let Some(Some(frame)) = warp.frames.get_mut(at.number as usize) else { return };
    each(frame, mask, (reg.ty(), d), |_, lane| match reg {
        Special::LaneId => lane as u64,
        Special::ActiveMask => u64::from(mask),
        Special::Clock64 | Special::GlobalTimer => points,
        _ => u64::from(block_value(ctx, reg).unwrap_or(0)),
    });
}

/// The fault of lanes that are not in the mask that they name.
fn outside(groups: &[Group], at: WarpSync, site: Site) -> Option<Fault> {
    let group = groups.iter().find(|g| g.lanes & !g.named != 0)?;
    let kind = FaultKind::WarpMask { at, named: group.named };
    Some(Fault { kind, site, mask: group.lanes & !group.named, addresses: Vec::new() })
}

fn vote<const W: usize>(frame: &mut Frame<W>, op: VoteOp, ty: Ty, d: u32, a: u32, mask: u32, voters: u32) {
    let holds = if ty == Ty::Pred { frame.preds[a as usize] & voters } else { 0 };
    let values: [u64; W] = std::array::from_fn(|l| frame.get((ty, a), l));
    let same = |l: usize| lanes(voters).filter(|&o| values[o] == values[l]).fold(0u32, |m, o| m | 1 << o);
    for lane in lanes(mask) {
        let (result_ty, bits) = match op {
            VoteOp::All => (Ty::Pred, u64::from(holds == voters)),
            VoteOp::Any => (Ty::Pred, u64::from(holds != 0)),
            VoteOp::Ballot => (Ty::I32, u64::from(holds)),
            VoteOp::MatchAny => (Ty::I32, u64::from(same(lane))),
            VoteOp::MatchAll => (Ty::I32, u64::from(if same(lane) == voters { voters } else { 0 })),
        };
        frame.put((result_ty, d), lane, bits);
    }
}

/// `shfl.sync` (PTX ISA 9.7.9.6): lanes outside the segment, and lanes that take no part, give the caller's own value.
fn shuffle<const W: usize>(
    frame: &mut Frame<W>,
    op: ShflOp,
    d: SlotRef,
    a: SlotRef,
    (lane_slot, width_slot): (u32, u32),
    mask: u32,
) {
    let values: [u64; W] = std::array::from_fn(|l| frame.get(a, l));
    for lane in lanes(mask) {
        let operand = frame.get((Ty::I32, lane_slot), lane) as u32 as i32;
        let width = (frame.get((Ty::I32, width_slot), lane) as u32).clamp(1, 32).next_power_of_two() as i32;
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
            ShflOp::Idx | ShflOp::Down | ShflOp::Xor => source <= end,
        };
        let taken = if inside && (0..W as i32).contains(&source) && mask >> source & 1 != 0 { source } else { own };
        frame.put(d, lane, values[taken as usize]);
    }
}

//! The interface between the loop and observers.
//!
//! The loop of `run` calls no observer. It leaves with an [`Exit`] where something is to be reported, describes it in the
//! [`RunState`], and is entered again.

use super::access;
use crate::code::{Code, MemOp, Op, Program, Site};
use crate::native::Single;
use crate::observe::{AccessEvent, AccessKind, Hooks, Observer, Values};
use crate::warp::{Context, Stop, Warp};
use ir::{FuncId, Scope};
use mem::LaneAddresses;

/// Runs a warp by `core` until it stops, and tells the observer what it wants to know.
#[inline(always)]
pub(crate) fn drive<const W: usize>(
    warp: &mut Warp<W>,
    program: &Program,
    ctx: &mut Context<'_>,
    observer: Option<Observer<'_, W>>,
    core: impl Fn(&mut Warp<W>, &mut Context<'_>, &mut RunState<W>) -> Exit,
) -> Stop {
    let mut run = RunState::new();
    run.resume = std::mem::take(&mut warp.goes_on);
    if let Some(observer) = &observer {
        (run.report, run.statements) = (observer.hooks.wants_accesses(), observer.hooks.wants_statements());
    }
    run.observer = observer;
    run.materialise_all = run.statements || program.materialise_all;
    loop {
        let exit = core(warp, ctx, &mut run);
        // The usual stops go by value: what was just written word by word is slow to read back as a whole.
        match exit {
            Exit::Done => return Stop::Done,
            Exit::Budget => return Stop::Budget,
            Exit::Waiting => return Stop::Waiting,
            Exit::Stop => return std::mem::replace(&mut run.stop, Stop::Done),
            Exit::Access | Exit::Statement | Exit::SyncWarp | Exit::Fence(_) => {}
        }
        run.resume = true;
        let Some(observer) = run.observer.take() else { continue };
        let hooks = &mut *observer.hooks;
        match exit {
            Exit::Done | Exit::Budget | Exit::Waiting | Exit::Stop => {}
            Exit::Access => report(program, warp, hooks, &run),
            Exit::Statement => {
                let stops = hooks.on_stmt(warp, run.frame, run.site, run.mask);
                if let Some(split) = warp.splits.get_mut(warp.current) {
                    split.resume = stops;
                    split.pc += u32::from(!stops);
                }
                if stops {
                    return Stop::Statement;
                }
            }
            Exit::SyncWarp => run.met.iter().for_each(|&mask| hooks.on_syncwarp(warp, mask)),
            Exit::Fence(scope) => hooks.on_fence(warp, run.mask, scope),
        }
        run.observer = Some(observer);
    }
}

/// Reports the access at the run's site, one for each space that its lanes touch.
pub(crate) fn report<const W: usize>(program: &Program, warp: &Warp<W>, hooks: &mut dyn Hooks<W>, run: &RunState<W>) {
    let code = &program.code[run.site.func.index()];
    let (Some(op), Some(frame)) = (code.op(run.fast.then_some(run.variant), run.site.pc), warp.frame(run.frame)) else {
        return;
    };
    let row = |m: &MemOp| match m.width.bytes() {
        8 => Values::Longs(&frame.longs[m.value as usize]),
        _ => Values::Words(&frame.words[m.value as usize]),
    };
    let (kind, space, bytes, values) = if let Op::ULoad(m) = op {
        let value = Values::Same(frame.scalars[m.value as usize]);
        (AccessKind::Read(m.access), m.space, m.width.bytes(), value)
    } else if let Op::Atomic(a) = op {
        let (failed, unchanged) = (run.failed, run.unchanged);
        let kind = AccessKind::Atomic { op: a.op, ty: a.ty, scope: a.scope, failed, unchanged, used: a.used };
        (kind, a.space, a.ty.bytes() as usize, run.left.as_ref().map_or(Values::Untold, |left| Values::Longs(left)))
    } else if let Some(m) = op.load() {
        (AccessKind::Read(m.access), m.space, m.width.bytes(), row(m))
    } else if let Some(m) = op.store() {
        (AccessKind::Write(m.access), m.space, m.width.bytes(), row(m))
    } else {
        return;
    };
    let (site, frame, lanes) = (run.site, run.frame, &run.lanes);
    let order = run.order.as_deref().filter(|_| matches!(kind, AccessKind::Atomic { .. }));
    for (space, mask) in access::spaces(space, lanes, run.mask).into_iter().filter(|(_, mask)| *mask != 0) {
        hooks.on_access(warp, &AccessEvent { site, frame, mask, kind, space, bytes, lanes, values, order });
    }
}

/// Why the loop was left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Exit {
    /// All lanes have exited.
    Done,
    /// The budget is used up.
    Budget,
    /// All splits wait.
    Waiting,
    /// `RunState::stop` says why.
    Stop,
    /// The access at `RunState::site` has to be reported.
    Access,
    /// The statement at `RunState::site` is about to begin.
    Statement,
    /// Lanes passed a `syncwarp`: `RunState::met`.
    SyncWarp,
    /// A fence was passed.
    Fence(Scope),
}

/// What the loop and its caller exchange.
pub(crate) struct RunState<'h, const W: usize> {
    /// The observer, if there is one.
    pub(crate) observer: Option<Observer<'h, W>>,
    /// Whether accesses are reported.
    pub(crate) report: bool,
    /// Whether statements are reported.
    pub(crate) statements: bool,
    /// Whether every register has to be in its row whenever somebody may look.
    pub(crate) materialise_all: bool,
    /// Whether the current split goes on.
    pub(crate) resume: bool,
    /// Whether the access at the current operation was reported.
    pub(crate) reported: bool,
    pub(crate) stop: Stop,
    pub(crate) site: Site,
    pub(crate) frame: u32,
    pub(crate) mask: u32,
    /// The variant that the warp runs, and whether `site` is one of its operations.
    pub(crate) variant: usize,
    pub(crate) fast: bool,
    /// Of `syncwarp`: the lanes of each group that has met.
    pub(crate) met: Vec<u32>,
    /// The addresses of the access.
    pub(crate) lanes: LaneAddresses<W>,
    /// Of an atomic: the lanes whose compare-and-swap did not swap.
    pub(crate) failed: u32,
    /// Of an atomic: the lanes that left what they found.
    pub(crate) unchanged: u32,
    /// Of an atomic: what it leaves. Made when the first one is reported.
    pub(crate) left: Option<Box<[u64; W]>>,
    /// Of an atomic: all lanes in the order in which they came, unless by number.
    pub(crate) order: Option<Box<[u8; W]>>,
}

impl<const W: usize> RunState<'_, W> {
    fn new() -> Self {
        RunState {
            observer: None,
            report: false,
            statements: false,
            materialise_all: false,
            resume: false,
            reported: false,
            stop: Stop::Done,
            site: Site::default(),
            frame: 0,
            mask: 0,
            variant: 0,
            fast: false,
            met: Vec::new(),
            lanes: LaneAddresses::uniform(0),
            failed: 0,
            unchanged: 0,
            left: None,
            order: None,
        }
    }

    /// The state in which one operation of a variant is executed by itself.
    pub(crate) fn of_single(at: &Single) -> Self {
        let Single { site, variant, frame, mask, .. } = *at;
        RunState { site, variant, frame, mask, fast: true, ..RunState::new() }
    }

    /// Whether a load or store at an operation has to be reported.
    #[inline(always)]
    pub(crate) fn is_reporting(&self, func: FuncId, pc: u32) -> bool {
        self.report && self.observer.as_ref().is_some_and(|observer| observer.wants(func, pc))
    }

    /// Whether a load or store of words of so many bytes, at `site` and `lanes`, has to be reported.
    #[inline(always)]
    pub(crate) fn has_to_report(&self, func: FuncId, pc: u32, mask: u32, bytes: usize) -> bool {
        self.is_reporting(func, pc) && self.is_told(Site { func, pc }, mask, bytes)
    }

    #[inline(never)]
    fn is_told(&self, site: Site, mask: u32, bytes: usize) -> bool {
        self.observer.as_ref().is_some_and(|observer| !observer.is_quiet(site, mask, bytes, &self.lanes))
    }

    /// Leaves with a stop.
    pub(crate) fn stop(&mut self, stop: Stop) -> Exit {
        self.stop = stop;
        Exit::Stop
    }
}

impl Code {
    /// The operation at `pc` of a variant, or on rows.
    fn op(&self, variant: Option<usize>, pc: u32) -> Option<&Op> {
        match variant {
            Some(variant) => self.variants.get(variant)?.ops.get(pc as usize),
            None => self.ops.get(pc as usize),
        }
    }
}

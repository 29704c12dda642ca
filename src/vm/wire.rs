//! Between the loop and those who look on.
//!
//! The loop of `exec` knows no observer. It leaves with an [`Exit`] where one has to be told something, says through the
//! [`Wire`] what, and is entered again.

use crate::access;
use crate::code::{Code, MemOp, Op, Program, Site};
use crate::hooks::{AccessEvent, AccessKind, Hooks, SilentSites, Values, is_silent};
use crate::warp::{Context, Stop, Warp};
use ir::{FuncId, Scope};
use mem::Lanes;

/// Runs a warp by `core` until it stops, and tells the observer what it wants to know.
#[inline(always)]
pub(crate) fn drive<const W: usize>(
    warp: &mut Warp<W>,
    program: &Program,
    ctx: &mut Context<'_>,
    mut hooks: Option<&mut dyn Hooks<W>>,
    core: impl Fn(&mut Warp<W>, &mut Context<'_>, &mut Wire<W>) -> Exit,
) -> Stop {
    let mut wire = Wire::new();
    if let Some(hooks) = &hooks {
        (wire.watched, wire.tell, wire.statements) = (true, hooks.wants_accesses(), hooks.wants_statements());
        wire.silent = hooks.silent_sites();
    }
    wire.exact = wire.statements || program.exact;
    loop {
        let exit = core(warp, ctx, &mut wire);
        // The usual stops go by value: what was just written word by word is slow to read back as a whole.
        match exit {
            Exit::Done => return Stop::Done,
            Exit::Budget => return Stop::Budget,
            Exit::Waiting => return Stop::Waiting,
            Exit::Stop => return std::mem::replace(&mut wire.stop, Stop::Done),
            Exit::Access | Exit::Statement | Exit::SyncWarp | Exit::Fence(_) => {}
        }
        wire.resume = true;
        let Some(hooks) = &mut hooks else { continue };
        match exit {
            Exit::Done | Exit::Budget | Exit::Waiting | Exit::Stop => {}
            Exit::Access => tell(program, warp, &mut **hooks, &wire),
            Exit::Statement => {
                let stops = hooks.on_stmt(warp, wire.frame, wire.site, wire.mask);
                if let Some(fragment) = warp.fragments.get_mut(warp.current) {
                    fragment.resume = stops;
                    fragment.pc += u32::from(!stops);
                }
                if stops {
                    return Stop::Statement;
                }
            }
            Exit::SyncWarp => wire.met.iter().for_each(|&mask| hooks.on_syncwarp(warp, mask)),
            Exit::Fence(scope) => hooks.on_fence(warp, wire.mask, scope),
        }
    }
}

/// Tells of the access at the wire's site.
fn tell<const W: usize>(program: &Program, warp: &Warp<W>, hooks: &mut dyn Hooks<W>, wire: &Wire<W>) {
    let code = &program.code[wire.site.func.index()];
    let (Some(op), Some(frame)) = (code.op(wire.fast.then_some(wire.way), wire.site.pc), warp.frame(wire.frame)) else {
        return;
    };
    let row = |m: &MemOp| match m.width.bytes() {
        8 => Values::Longs(&frame.longs[m.value as usize]),
        _ => Values::Words(&frame.words[m.value as usize]),
    };
    let (kind, space, bytes, values) = match op {
        Op::ULoad(m) => {
            let value = Values::Same(frame.scalars[m.value as usize]);
            (AccessKind::Read(m.access), m.space, m.width.bytes(), value)
        }
        Op::Atomic(a) => {
            let kind = AccessKind::Atomic { op: a.op, scope: a.scope, failed: wire.failed, used: a.used };
            let Some(left) = &wire.left else { return };
            (kind, a.space, a.ty.bytes() as usize, Values::Longs(left))
        }
        _ => match (op.load(), op.store()) {
            (Some(m), _) => (AccessKind::Read(m.access), m.space, m.width.bytes(), row(m)),
            (_, Some(m)) => (AccessKind::Write(m.access), m.space, m.width.bytes(), row(m)),
            _ => return,
        },
    };
    let space = access::told(space, &wire.lanes, wire.mask, bytes);
    let (site, frame, mask) = (wire.site, wire.frame, wire.mask);
    hooks.on_access(warp, &AccessEvent { site, frame, mask, kind, space, bytes, lanes: &wire.lanes, values });
}

/// Why the loop was left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Exit {
    /// All lanes have exited.
    Done,
    /// The budget is used up.
    Budget,
    /// All fragments wait.
    Waiting,
    /// `Wire::stop` says why.
    Stop,
    /// The access at `Wire::site` is to be told of.
    Access,
    /// The statement at `Wire::site` is about to begin.
    Statement,
    /// Lanes passed a `syncwarp`: `Wire::met`.
    SyncWarp,
    /// A fence was passed.
    Fence(Scope),
}

/// What the loop and its caller tell each other.
#[derive(Debug)]
pub(crate) struct Wire<const W: usize> {
    /// Whether there is an observer.
    pub(crate) watched: bool,
    /// Whether accesses are to be told of.
    pub(crate) tell: bool,
    /// Loads and stores that are not told of all the same, by function and operation.
    silent: Option<SilentSites>,
    /// Whether statements are to be told of.
    pub(crate) statements: bool,
    /// Whether every register has to be in its row whenever somebody may look.
    pub(crate) exact: bool,
    /// Whether the current fragment goes on.
    pub(crate) resume: bool,
    /// Whether the access at the current operation was told of.
    pub(crate) told: bool,
    pub(crate) stop: Stop,
    pub(crate) site: Site,
    pub(crate) frame: u32,
    pub(crate) mask: u32,
    /// The way that the warp goes, and whether `site` is one of its operations.
    pub(crate) way: usize,
    pub(crate) fast: bool,
    /// Of `syncwarp`: the lanes of each group that has met.
    pub(crate) met: Vec<u32>,
    /// The addresses of the access.
    pub(crate) lanes: Lanes<W>,
    /// Of an atomic: the lanes whose compare-and-swap did not swap.
    pub(crate) failed: u32,
    /// Of an atomic: what it leaves. Made when the first one is told of.
    pub(crate) left: Option<Box<[u64; W]>>,
}

impl<const W: usize> Wire<W> {
    fn new() -> Wire<W> {
        Wire {
            watched: false,
            tell: false,
            silent: None,
            statements: false,
            exact: false,
            resume: false,
            told: false,
            stop: Stop::Done,
            site: Site::default(),
            frame: 0,
            mask: 0,
            way: 0,
            fast: false,
            met: Vec::new(),
            lanes: Lanes::Uniform(0),
            failed: 0,
            left: None,
        }
    }

    /// Whether a load or store at an operation is to be told of.
    #[inline(always)]
    pub(crate) fn is_telling(&self, func: FuncId, pc: u32) -> bool {
        self.tell && !is_silent(self.silent.as_ref(), func, pc)
    }

    /// Leaves with a stop.
    pub(crate) fn stop(&mut self, stop: Stop) -> Exit {
        self.stop = stop;
        Exit::Stop
    }
}

impl Code {
    /// The operation at `pc` of a way, or on rows.
    fn op(&self, way: Option<usize>, pc: u32) -> Option<&Op> {
        match way {
            Some(way) => self.ways.get(way)?.ops.get(pc as usize),
            None => self.ops.get(pc as usize),
        }
    }
}

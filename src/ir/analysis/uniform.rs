//! Which registers hold one value for all threads that hold them together.
//!
//! A register is *uniform* when, wherever a group of threads reads it together, all of them read the same value. The group
//! is the threads of a warp or of a block ([`UniformLevel`]). The rest is *divergent*, for one of three reasons:
//!
//! - *data*: it is computed from something that differs by thread: thread indices, the old value of an atomic, a load from
//!   a divergent address or from memory of the thread, whatever a call gives;
//! - *control*: it is assigned on one way of a divergent branch and live where the ways meet, so that the threads that meet
//!   there bring different assignments;
//! - *time*: it is assigned in a loop that threads leave in different iterations, and live where they reconverge behind the
//!   loop. This is control divergence too: the reconvergence point is reached from the exit edge directly, and from the other
//!   edge in a later iteration.
//!
//! The places where the ways of a branch meet are its immediate post-dominator and every block before it that more than one
//! successor reaches (Karrenberg and Hack, "Improving Performance of `OpenCL` on CPUs"; LLVM's sync dependence analysis finds
//! fewer). Within a loop with a divergent exit, and within the body of a divergent IF, a counter therefore stays uniform as
//! long as nothing reads it behind.
//!
//! # What a user must know
//!
//! - At block level a load is uniform only from constant memory: two warps load at different times.
//! - The claim is about threads in the same execution of the code (the same iterations of all enclosing loops). An executor that
//!   lets some threads of a warp pass the place where they should wait for the others, and brings them together later, has
//!   to compare what they bring.
//! - Addresses of local memory count as divergent: what lies there differs by thread.
//! - Parameters are divergent unless the caller of the analysis says otherwise; those of a kernel are uniform.
//! - The result is about whole registers, not versions: one divergent assignment makes a mutable register divergent.

use super::{BitSet, Cfg, Liveness, PostDominators};
use crate::{AddrBase, Bb, FuncKind, Function, InstKind, Reg, Space, Term, Val, op::Special, op::VoteOp};

/// The threads among which a value is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UniformLevel {
    /// Those of a warp that execute together.
    Warp,
    /// The same in blocks whose rows are whole warps, so that a warp has one `tid.y` and one `tid.z`.
    WarpInRow,
    /// Those of a thread block.
    Block,
}

/// What the analysis assumes.
#[derive(Clone, Copy, Debug)]
pub struct UniformOptions<'a> {
    /// Among which threads.
    pub level: UniformLevel,
    /// For each parameter, whether the caller passes a uniform value; those beyond the slice are not, but for a kernel's,
    /// which always are.
    pub params: &'a [bool],
    /// Whether source variables count as read everywhere, so that a debugger may show them where the program has no more
    /// use for them.
    pub keep_variables: bool,
}

/// The uniform registers of `f`.
pub fn uniform(f: &Function, cfg: &Cfg, options: UniformOptions<'_>) -> BitSet {
    let mut state = Uniformity {
        f,
        cfg,
        pdom: PostDominators::new(cfg),
        live: Liveness::new(f, cfg),
        kept: if options.keep_variables { f.var_regs() } else { Vec::new() },
        level: options.level,
        divergent: BitSet::new(f.regs.len()),
    };
    for (i, param) in f.params.iter().enumerate() {
        if f.kind != FuncKind::Kernel && !options.params.get(i).copied().unwrap_or(false) {
            state.divergent.insert(param.reg.index());
        }
    }
    let mut branched = vec![false; f.blocks.len()];
    while state.data() || state.control(&mut branched) {}
    let mut uniform = BitSet::full(f.regs.len());
    uniform.subtract(&state.divergent);
    uniform
}

struct Uniformity<'a> {
    f: &'a Function,
    cfg: &'a Cfg,
    pdom: PostDominators,
    live: Liveness,
    kept: Vec<Reg>,
    level: UniformLevel,
    divergent: BitSet,
}

impl Uniformity<'_> {
    fn is_divergent(&self, val: Val) -> bool {
        matches!(val, Val::Reg(r) if self.divergent.contains(r.index()))
    }

    /// Goes over all instructions once; whether a register became divergent.
    fn data(&mut self) -> bool {
        let mut changed = false;
        for &bb in self.cfg.rpo() {
            for inst in &self.f.block(bb).insts {
                if self.makes_divergent(&inst.kind) {
                    inst.kind.each_def(|r| changed |= self.divergent.insert(r.index()));
                }
            }
        }
        changed
    }

    fn makes_divergent(&self, kind: &InstKind) -> bool {
        let mut operands = false;
        kind.each_use(|v| operands |= self.is_divergent(v));
        match kind {
            InstKind::Un { .. }
            | InstKind::Bin { .. }
            | InstKind::Tri { .. }
            | InstKind::Cmp { .. }
            | InstKind::Select { .. }
            | InstKind::Cvt { .. } => operands,
            InstKind::Addr { base, .. } => matches!(base, AddrBase::Local(_)),
            InstKind::Load { space, .. } => match space {
                Space::Const => operands,
                Space::Global | Space::Shared | Space::Host => operands || self.level == UniformLevel::Block,
                Space::Local | Space::Generic => true,
            },
            InstKind::Barrier { .. } => false,
            InstKind::Vote { op, mask, .. } => match op {
                VoteOp::MatchAny => true,
                VoteOp::All | VoteOp::Any | VoteOp::Ballot | VoteOp::MatchAll => {
                    self.level == UniformLevel::Block || mask.is_some_and(|m| self.is_divergent(m))
                }
            },
            InstKind::Special { reg, .. } => {
                let is_row = matches!(reg, Special::TidY | Special::TidZ);
                !(reg.is_block_uniform() || is_row && self.level == UniformLevel::WarpInRow)
            }
            InstKind::Atomic { .. } | InstKind::Shuffle { .. } | InstKind::Call { .. } | InstKind::Rt { .. } => true,
            InstKind::Store { .. }
            | InstKind::Fence { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Launch { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => false,
        }
    }

    /// Spreads from divergent branches that were not seen before; whether a register became divergent.
    fn control(&mut self, branched: &mut [bool]) -> bool {
        let mut changed = false;
        for &bb in self.cfg.rpo() {
            let cond = match &self.f.block(bb).term {
                Term::Branch { cond, .. } => *cond,
                Term::Switch { value, .. } => *value,
                Term::Jump(_) | Term::Return(_) | Term::Exit | Term::Trap(_) => continue,
            };
            if !branched[bb.index()] && self.cfg.succs(bb).len() > 1 && self.is_divergent(cond) {
                branched[bb.index()] = true;
                changed |= self.spread(bb);
            }
        }
        changed
    }

    /// Makes divergent what is assigned on the ways of the branch that ends `bb` and live where they meet.
    fn spread(&mut self, bb: Bb) -> bool {
        let stop = self.pdom.ipdom(bb);
        let n = self.f.blocks.len();
        let mut region = vec![false; n];
        let mut joins: Vec<Bb> = stop.into_iter().collect();
        for &succ in self.cfg.succs(bb) {
            let mut reached = vec![false; n];
            let mut stack = vec![succ];
            while let Some(at) = stack.pop() {
                if Some(at) != stop && !std::mem::replace(&mut reached[at.index()], true) {
                    stack.extend(self.cfg.succs(at));
                }
            }
            for i in 0..n {
                if reached[i] && region[i] {
                    joins.push(Bb(i as u32));
                }
                region[i] |= reached[i];
            }
        }
        let mut assigned = BitSet::new(self.f.regs.len());
        for (block, _) in self.f.blocks.iter().zip(&region).filter(|(_, inside)| **inside) {
            for inst in &block.insts {
                inst.kind.each_def(|r| {
                    assigned.insert(r.index());
                });
            }
        }
        let mut changed = false;
        for join in joins {
            for reg in self.live.live_in(join) {
                if assigned.contains(reg.index()) {
                    changed |= self.divergent.insert(reg.index());
                }
            }
        }
        for reg in &self.kept {
            if assigned.contains(reg.index()) {
                changed |= self.divergent.insert(reg.index());
            }
        }
        changed
    }
}

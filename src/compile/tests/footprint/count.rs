//! What the threads of a launch touch, found by running each of them by itself with the reference evaluator.

use crate::{Launch, memory, shared};
use ir::analysis::footprint::Sharing;
use ir::op::Special;
use ir::{AddrBase, Function, InstKind, Term, Ty, Val, eval};
use std::collections::{BTreeMap, BTreeSet};

/// Accesses of the kernel's own that touch global memory: number, whether they write.
pub(crate) fn accesses(f: &Function) -> Vec<(u32, bool)> {
    let all = f.blocks.iter().flat_map(|b| &b.insts).filter_map(|inst| match inst.kind {
        InstKind::Load { space, .. } => Some((space, false)),
        InstKind::Store { space, .. } | InstKind::Atomic { space, .. } => Some((space, true)),
        _ => None,
    });
    let numbered = all.enumerate().filter(|(_, (space, _))| *space == ir::Space::Global);
    numbered.map(|(i, (_, write))| (i as u32, write)).collect()
}

/// Who touched a byte, and when.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Toucher {
    pub(crate) cta: u32,
    pub(crate) tid: u64,
    /// Barriers that the thread had passed.
    pub(crate) barriers: u32,
}

/// Who touched a byte through an access.
pub(crate) type Notes = BTreeMap<u64, BTreeSet<Toucher>>;

/// What the threads of a launch did.
pub(crate) struct Run<'a> {
    f: &'a Function,
    launch: &'a Launch,
    /// For each access, the bytes and who touched them.
    pub(crate) notes: BTreeMap<u32, Notes>,
    /// The barriers of each thread of a block, in its order: block and instruction.
    pub(crate) barriers: BTreeMap<(u32, u64), Vec<(usize, usize)>>,
    steps: u32,
}

impl<'a> Run<'a> {
    /// Runs all threads; `None` if that takes too long.
    pub(crate) fn all(f: &'a Function, launch: &'a Launch) -> Option<Run<'a>> {
        let mut run = Run { f, launch, notes: BTreeMap::new(), barriers: BTreeMap::new(), steps: 400_000 };
        let (blocks, threads) = (launch.grid.iter().product::<u32>(), launch.block.iter().product::<u32>());
        (0..blocks).all(|c| (0..threads).all(|t| run.thread(u64::from(c), u64::from(t)).is_some())).then_some(run)
    }

    fn thread(&mut self, cta: u64, tid: u64) -> Option<()> {
        let f = self.f;
        let digits = |n: u64, [x, y, _]: [u32; 3]| {
            [n % u64::from(x), n / u64::from(x) % u64::from(y), n / (u64::from(x) * u64::from(y))]
        };
        let (t, c) = (digits(tid, self.launch.block), digits(cta, self.launch.grid));
        let mut regs = vec![0u64; f.regs.len()];
        for (param, &arg) in f.params.iter().zip(&self.launch.args) {
            regs[param.reg.index()] = arg;
        }
        let firsts: Vec<u32> = f
            .blocks
            .iter()
            .scan(0, |next, block| {
                let first = *next;
                *next += block.insts.iter().filter(|i| is_access(&i.kind)).count() as u32;
                Some(first)
            })
            .collect();
        let mut bb = 0;
        let mut passed = Vec::new();
        loop {
            let mut number = firsts[bb];
            for (at, inst) in f.blocks[bb].insts.iter().enumerate() {
                self.steps = self.steps.checked_sub(1)?;
                let val = |v: Val| match v {
                    Val::Imm(bits) => bits,
                    Val::Reg(r) => regs[r.index()],
                };
                let mut touch = |space: ir::Space, addr: Val, offset: i64, ty: Ty| {
                    let at = val(addr).wrapping_add(offset as u64);
                    if space != ir::Space::Local {
                        let notes = self.notes.entry(number).or_default();
                        let toucher = Toucher { cta: cta as u32, tid, barriers: passed.len() as u32 };
                        for byte in 0..u64::from(ty.bytes()) {
                            notes.entry(at.wrapping_add(byte)).or_default().insert(toucher);
                        }
                    }
                    number += 1;
                    memory(at, ty)
                };
                let result = match inst.kind {
                    InstKind::Un { op, ty, a, .. } => eval::eval_un(op, ty, val(a)),
                    InstKind::Bin { op, ty, a, b, .. } => eval::eval_bin(op, ty, val(a), val(b)),
                    InstKind::Tri { op, ty, a, b, c, .. } => eval::eval_tri(op, ty, val(a), val(b), val(c)),
                    InstKind::Cmp { op, ty, a, b, .. } => u64::from(eval::eval_cmp(op, ty, val(a), val(b))),
                    InstKind::Select { cond, a, b, .. } => val(if val(cond) & 1 != 0 { a } else { b }),
                    InstKind::Cvt { op, from, to, a, .. } => eval::eval_cvt(op, from, to, val(a)),
                    InstKind::Special { reg, .. } => match reg {
                        Special::TidX => t[0],
                        Special::TidY => t[1],
                        Special::TidZ => t[2],
                        Special::CtaidX => c[0],
                        Special::CtaidY => c[1],
                        Special::CtaidZ => c[2],
                        Special::NtidX => u64::from(self.launch.block[0]),
                        Special::NtidY => u64::from(self.launch.block[1]),
                        Special::NtidZ => u64::from(self.launch.block[2]),
                        Special::NctaidX => u64::from(self.launch.grid[0]),
                        Special::NctaidY => u64::from(self.launch.grid[1]),
                        Special::NctaidZ => u64::from(self.launch.grid[2]),
                        _ => tid % 32,
                    },
                    InstKind::Load { ty, space, addr, offset, .. }
                    | InstKind::Atomic { ty, space, addr, offset, .. } => touch(space, addr, offset, ty),
                    InstKind::Store { ty, space, addr, offset, .. } => {
                        touch(space, addr, offset, ty);
                        continue;
                    }
                    InstKind::Addr { base: AddrBase::Shared(id), .. } => shared(id) as u64,
                    InstKind::Barrier { .. } => {
                        passed.push((bb, at));
                        continue;
                    }
                    InstKind::Stmt | InstKind::BackEdge => continue,
                    ref other => panic!("{other:?}"),
                };
                if let Some(dst) = inst.kind.def() {
                    regs[dst.index()] = result;
                }
            }
            let val = |v: Val| match v {
                Val::Imm(bits) => bits,
                Val::Reg(r) => regs[r.index()],
            };
            bb = match &f.blocks[bb].term {
                Term::Jump(to) => to.index(),
                Term::Branch { cond, then_bb, else_bb } => {
                    if val(*cond) & 1 != 0 {
                        then_bb.index()
                    } else {
                        else_bb.index()
                    }
                }
                Term::Return(_) | Term::Exit | Term::Trap(_) => {
                    self.barriers.insert((cta as u32, tid), passed);
                    return Some(());
                }
                Term::Switch { .. } => panic!("a switch"),
            };
        }
    }
}

pub(crate) fn is_access(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Load { .. } | InstKind::Store { .. } | InstKind::Atomic { .. })
}

/// What the notes say of an access.
pub(crate) fn counted(notes: &BTreeMap<u32, Notes>, kinds: &BTreeMap<u32, bool>, number: u32) -> Sharing {
    let empty = Notes::new();
    let own = notes.get(&number).unwrap_or(&empty);
    if own.is_empty() {
        return Sharing::ReadOnly;
    }
    let mut worst = if kinds[&number] { Sharing::ThreadDisjoint } else { Sharing::ReadOnly };
    for (other, theirs) in notes {
        if !kinds[&number] && !kinds[other] {
            continue;
        }
        for (byte, threads) in own {
            let Some(others) = theirs.get(byte) else { continue };
            worst = worst.max(Sharing::ThreadDisjoint);
            for one in threads {
                for other in others {
                    if one.cta != other.cta {
                        return Sharing::Unknown;
                    }
                    if one.tid != other.tid {
                        worst = Sharing::BlockDisjoint;
                    }
                }
            }
        }
    }
    worst
}

/// Whether an access races with one of another thread, by the notes. All threads of a block have passed the same barriers.
pub(crate) fn races(f: &Function, notes: &BTreeMap<u32, Notes>, number: u32) -> bool {
    let kinds: Vec<&InstKind> =
        f.blocks.iter().flat_map(|b| &b.insts).map(|inst| &inst.kind).filter(|kind| is_access(kind)).collect();
    let is_shared = |kind: &InstKind| match *kind {
        InstKind::Load { space, .. } | InstKind::Store { space, .. } | InstKind::Atomic { space, .. } => {
            space == ir::Space::Shared
        }
        _ => false,
    };
    let scope = |kind: &InstKind| if let InstKind::Atomic { scope, .. } = *kind { Some(scope) } else { None };
    let reads = |kind: &InstKind| matches!(kind, InstKind::Load { .. });
    let own = kinds[number as usize];
    let Some(touched) = notes.get(&number) else { return false };
    notes.iter().any(|(&other, theirs)| {
        let kind = kinds[other as usize];
        if reads(own) && reads(kind) || is_shared(own) != is_shared(kind) {
            return false;
        }
        touched.iter().any(|(byte, ones)| {
            let others = theirs.get(byte).into_iter().flatten();
            others.into_iter().any(|b| {
                ones.iter().any(|a| {
                    let (same, scopes) = (a.cta == b.cta, (scope(own), scope(kind)));
                    let reach = |s: ir::Scope| same || s > ir::Scope::Block;
                    let is_atomic = matches!(scopes, (Some(x), Some(y)) if reach(x) && reach(y));
                    // Each block has shared memory of its own.
                    let meets = if same { a.tid != b.tid && a.barriers == b.barriers } else { !is_shared(own) };
                    meets && !is_atomic
                })
            })
        })
    })
}

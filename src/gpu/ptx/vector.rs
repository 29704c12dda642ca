//! Loads and stores of neighbouring words as one instruction (`ld.v2`, `st.v4`; PTX ISA 9.7.9.8).
//!
//! A vector needs an address that is a multiple of its size. That is known of variables in shared memory, which the printer
//! places, plus multiples of sizes. Of what a dummy argument of a kernel names it is known if launches are held against it
//! ([`opt::Target::aligned`]); [`relied_on`] says which arguments that are. Joined are accesses of one block, from one register at
//! neighbouring offsets, with nothing in between that may meet them: loads into temporaries where the first of them is, stores where
//! the last one is. Stores to shared memory are left to ptxas, which knows where its variables are.

use ir::op::{BinOp, TriOp, UnOp};
use ir::{Access, AddrBase, FuncKind, Function, InstKind, Reg, SharedSize, Space, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of the largest vector; variables of at least that size begin at a multiple of it.
pub(super) const LARGEST: u64 = 16;

/// The alignment at which a shared variable is placed.
pub(super) fn shared_align(align: u64, bytes: u64) -> u64 {
    let align = crate::params::bytes_align(align).max(1);
    if bytes >= LARGEST { align.max(LARGEST) } else { align }
}

/// What the accesses of a block become.
#[derive(Default)]
pub(super) struct Vectors {
    /// By the index of the access that does it: the operands in the order of their addresses, and the lowest offset.
    vectors: BTreeMap<usize, (Vec<Val>, i64)>,
    /// The accesses that another one does too.
    joined: Vec<usize>,
}

impl Vectors {
    /// What the access at that index does for itself and others.
    pub(super) fn at(&self, index: usize) -> Option<(&[Val], i64)> {
        self.vectors.get(&index).map(|(operands, offset)| (operands.as_slice(), *offset))
    }

    /// Whether another access does that one.
    pub(super) fn is_done(&self, index: usize) -> bool {
        self.joined.binary_search(&index).is_ok()
    }
}

/// The parameters of a kernel whose addresses must be multiples of [`LARGEST`], by number.
pub(super) fn relied_on(func: &Function) -> Vec<usize> {
    let mut finder = Finder::new(func, true);
    for block in &func.blocks {
        finder.block(block.insts.iter().map(|i| &i.kind));
    }
    let relied = finder.relied;
    (0..func.params.len()).filter(|&i| relied.contains(&func.params[i].reg)).collect()
}

/// Finds the vectors of a function's blocks. `aligned` says that dummy arguments of kernels begin at multiples of [`LARGEST`].
pub(super) fn find(func: &Function, aligned: bool) -> Vec<Vectors> {
    let mut finder = Finder::new(func, aligned);
    func.blocks.iter().map(|block| finder.block(block.insts.iter().map(|i| &i.kind))).collect()
}

/// An access that may be joined to others: to one space, of one type, from one register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    is_store: bool,
    space: Space,
    base: Reg,
    ty: Ty,
}

struct Candidate {
    index: usize,
    offset: i64,
    operand: Val,
}

struct Finder<'a> {
    func: &'a Function,
    definitions: BTreeMap<Reg, &'a InstKind>,
    /// The parameters that are addresses of which the alignment is known.
    params: BTreeSet<Reg>,
    /// Those of them that vectors rely on.
    relied: BTreeSet<Reg>,
    open: BTreeMap<Run, Vec<Candidate>>,
    found: Vectors,
}

impl<'a> Finder<'a> {
    fn new(func: &'a Function, aligned: bool) -> Finder<'a> {
        let insts = func.blocks.iter().flat_map(|b| &b.insts);
        let definitions = insts.filter_map(|i| i.kind.def().filter(|&r| !func.is_mutable(r)).map(|r| (r, &i.kind)));
        let is_known = aligned && func.kind == FuncKind::Kernel;
        let params = func.params.iter().filter(|p| is_known && p.unaliased && !func.is_mutable(p.reg));
        Finder {
            func,
            definitions: definitions.collect(),
            params: params.map(|p| p.reg).collect(),
            relied: BTreeSet::new(),
            open: BTreeMap::new(),
            found: Vectors::default(),
        }
    }

    fn block<'k>(&mut self, kinds: impl Iterator<Item = &'k InstKind>) -> Vectors {
        for (index, kind) in kinds.enumerate() {
            self.pass(index, kind);
        }
        self.close(|_| true);
        let mut found = std::mem::take(&mut self.found);
        found.joined.sort_unstable();
        found
    }

    fn pass(&mut self, index: usize, kind: &InstKind) {
        let may_meet = |a: Space, b: Space| a == b || a == Space::Generic || b == Space::Generic;
        match *kind {
            InstKind::Load { ty, space, access: Access::Plain, dst, addr, offset } => {
                self.close(|run| run.is_store && may_meet(run.space, space));
                if let (Val::Reg(base), Space::Shared | Space::Global) = (addr, space)
                    && !self.func.is_mutable(dst)
                {
                    self.add(Run { is_store: false, space, base, ty }, index, offset, dst.into());
                }
            }
            InstKind::Store { ty, space, access: Access::Plain, addr, offset, value } => {
                let here = match addr {
                    Val::Reg(base) => Some(Run { is_store: true, space, base, ty }),
                    Val::Imm(_) => None,
                };
                self.close(|run| may_meet(run.space, space) && Some(*run) != here);
                // The parts of a vector are registers.
                let is_fixed = matches!(value, Val::Reg(r) if !self.func.is_mutable(r));
                match here.filter(|run| is_fixed && run.space == Space::Global) {
                    Some(run) => self.add(run, index, offset, value),
                    None => self.close(|run| may_meet(run.space, space)),
                }
            }
            // What is loaded before a call would be kept in registers across it.
            ref kind if opt::is_long(kind) => self.close(|run| !run.is_store && run.space == Space::Shared),
            ref kind if kind.is_pure() => {}
            _ => self.close(|_| true),
        }
    }

    fn add(&mut self, run: Run, index: usize, offset: i64, operand: Val) {
        if run.ty.bytes() < 4 || run.ty == Ty::Pred || self.func.is_mutable(run.base) {
            return;
        }
        // A second access of one place would come before or behind the first one.
        let is_there = |found: &Vec<Candidate>| found.iter().any(|c| c.offset == offset);
        if run.is_store && self.open.get(&run).is_some_and(is_there) {
            self.close(|open| *open == run);
        }
        self.open.entry(run).or_default().push(Candidate { index, offset, operand });
    }

    /// Joins what there is of the runs that `ends` chooses.
    fn close(&mut self, ends: impl Fn(&Run) -> bool) {
        let (closed, open) = std::mem::take(&mut self.open).into_iter().partition(|(run, _)| ends(run));
        self.open = open;
        let closed: BTreeMap<Run, Vec<Candidate>> = closed;
        for (run, accesses) in closed {
            self.join(run, accesses);
        }
    }

    fn join(&mut self, run: Run, mut accesses: Vec<Candidate>) {
        let mut below = BTreeSet::new();
        let align = self.alignment(Val::Reg(run.base), 8, &mut below);
        let bytes = i64::from(run.ty.bytes());
        accesses.sort_by_key(|c| (c.offset, c.index));
        accesses.dedup_by_key(|c| c.offset);
        let mut rest = accesses.as_slice();
        while let Some(first) = rest.first() {
            let fits = |n: &i64| {
                let size = n * bytes;
                size <= LARGEST as i64
                    && align >= size as u64
                    && first.offset % size == 0
                    && rest.len() >= *n as usize
                    && (0..*n).all(|i| rest[i as usize].offset == first.offset + i * bytes)
            };
            let count = [4, 2].into_iter().find(fits).unwrap_or(1) as usize;
            if count > 1 {
                let group = &rest[..count];
                let indices = group.iter().map(|c| c.index);
                let at = if run.is_store { indices.max() } else { indices.min() }.unwrap_or(first.index);
                self.found.joined.extend(group.iter().map(|c| c.index).filter(|&i| i != at));
                self.found.vectors.insert(at, (group.iter().map(|c| c.operand).collect(), first.offset));
                self.relied.extend(&below);
            }
            rest = &rest[count..];
        }
    }

    /// A power of two that divides what a value is for certain; `depth` bounds the search. Parameters that this rests on are added to
    /// `below`.
    fn alignment(&self, val: Val, depth: usize, below: &mut BTreeSet<Reg>) -> u64 {
        let power = |word: u64| if word == 0 { 1 << 32 } else { 1 << word.trailing_zeros().min(32) };
        let reg = match val {
            Val::Imm(word) => return power(word),
            Val::Reg(reg) => reg,
        };
        if self.params.contains(&reg) {
            below.insert(reg);
            return LARGEST;
        }
        let Some(kind) = self.definitions.get(&reg).filter(|_| depth > 0) else { return 1 };
        let mut known = |val| self.alignment(val, depth - 1, below);
        match **kind {
            InstKind::Addr { base: AddrBase::Shared(id), .. } => match self.func.shared.get(id.index()) {
                Some(var) => match var.size {
                    SharedSize::Static(bytes) => shared_align(var.align, bytes),
                    SharedSize::Dynamic => LARGEST,
                },
                None => 1,
            },
            InstKind::Un { op: UnOp::Mov, a, .. } => known(a),
            InstKind::Bin { op: BinOp::Add | BinOp::Sub, a, b, .. } => known(a).min(known(b)),
            InstKind::Bin { op: BinOp::Mul, a, b, .. } => known(a).saturating_mul(known(b)).min(1 << 31),
            InstKind::Bin { op: BinOp::Shl, a, b: Val::Imm(count), .. } if count < 31 => {
                (known(a) << count).min(1 << 31)
            }
            InstKind::Tri { op: TriOp::Mad, a, b, c, .. } => {
                known(a).saturating_mul(known(b)).min(known(c)).min(1 << 31)
            }
            _ => 1,
        }
    }
}

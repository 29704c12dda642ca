//! What is worth knowing of a function before its operations are chosen.
//!
//! - Which registers are uniform (device code): the same for all lanes that hold them together.
//! - What each address is a sum of. Sums, differences, products with constants and sign extensions are followed from the
//!   access back to registers that cannot be followed further, or that cost less as they are; all of it is arithmetic
//!   modulo 2⁶⁴, so that the parts may be added in any order. A 32-bit sum that is extended afterwards wraps; where it is
//!   the only part that differs by lane it is followed too, and the access looks whether it wrapped.
//! - Which results are needed once addresses are known as sums. Source variables always are: the debugger shows them.
//! - Which uniform registers operations want as rows.
//!
//! A register may stand in an address only if it has the same value at the access as where the sum was computed. For one
//! that is assigned once, before it is read, that is so: whoever passes the assignment again passes the sum again before it
//! comes to the access. For others it has to be the same block without an assignment in between.

use crate::spread::FAR;
use ir::analysis::{BitSet, Cfg, Dominators, Liveness, Loops, UniformLevel, UniformOptions, uniform};
use ir::op::{BinOp, CvtOp, Special, TriOp, UnOp};
use ir::{AddrBase, Bb, FuncKind, Function, Inst, InstKind, Reg, Space, Ty, Val};
use std::collections::BTreeMap;

/// A register times a constant; `narrow` is a 32-bit integer, sign-extended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct RegTerm {
    pub(crate) narrow: bool,
    pub(crate) reg: Reg,
    pub(crate) factor: i64,
}

/// An address as a sum; see [`crate::code::Form`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Address {
    pub(crate) base: i64,
    pub(crate) local: bool,
    pub(crate) terms: Vec<RegTerm>,
    pub(crate) index: Option<Varying>,
}

/// The part of an address that differs by lane; see [`crate::code::Index`].
#[derive(Clone, Debug)]
pub(crate) struct Varying {
    pub(crate) factor: i64,
    pub(crate) spread: u32,
    pub(crate) wraps: bool,
    pub(crate) base: i64,
    pub(crate) terms: Vec<RegTerm>,
}

/// What is known of a function; see the head of the file.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) uniform: BitSet,
    pub(crate) needed: BitSet,
    pub(crate) rows: BitSet,
    pub(crate) unset: Vec<Reg>,
    pub(crate) addresses: BTreeMap<(Bb, usize), Address>,
    /// Sums that differ by lane, and whether they are kept up to date where their registers are assigned.
    pub(crate) spreads: Vec<(Vec<RegTerm>, bool)>,
}

/// Factors of 32-bit registers stay below this, so that no sum of a few of them overflows 64 bits.
const FACTOR_LIMIT: u64 = 1 << 20;
/// Parts of an address at most.
const TERM_LIMIT: usize = 8;

/// Where an instruction is.
type Place = (Bb, usize);

/// A sum that is being collected.
#[derive(Clone, Default)]
struct Sum {
    base: i64,
    local: bool,
    terms: BTreeMap<(bool, Reg), i64>,
    /// A 32-bit sum: its register, what it is multiplied by, and its parts.
    inner: Option<(Reg, i64, i64, BTreeMap<Reg, i64>)>,
}

impl Sum {
    fn add(&mut self, narrow: bool, reg: Reg, factor: i64) {
        let sum = self.terms.entry((narrow, reg)).or_insert(0);
        *sum = sum.wrapping_add(factor);
    }
}

struct Planner<'a> {
    f: &'a Function,
    dom: Dominators,
    loops: Loops,
    /// Where each register is assigned; a parameter also before the first instruction of the entry.
    defs: Vec<Vec<Place>>,
    /// Temporaries that only serve addresses.
    serves: BitSet,
    base_of: &'a dyn Fn(AddrBase) -> Option<(i64, bool)>,
    plan: Plan,
    numbers: BTreeMap<Vec<RegTerm>, u32>,
    /// Weights of the accesses of each spread.
    uses: Vec<u64>,
}

impl Plan {
    /// The plan of `f`, for device code at `level`. `base_of` gives the address that a base has as a constant, if it has one, and whether the address of
    /// the frame's local memory is to be added. `wanted` are registers that somebody reads besides.
    pub(crate) fn new(
        f: &Function,
        cfg: &Cfg,
        level: UniformLevel,
        wanted: &[Reg],
        base_of: &dyn Fn(AddrBase) -> Option<(i64, bool)>,
    ) -> Plan {
        let n = f.regs.len();
        let mut defs = vec![Vec::new(); n];
        for param in &f.params {
            defs[param.reg.index()].push((Bb(0), 0));
        }
        for (place, inst) in instructions(f) {
            inst.kind.each_def(|r| defs[r.index()].push(place));
        }
        let dom = Dominators::new(cfg);
        let plan = Plan {
            uniform: match f.kind {
                // A single lane is always of one mind.
                FuncKind::Host => BitSet::full(n),
                FuncKind::Kernel | FuncKind::Device => {
                    let options = UniformOptions { level, params: &[], keep_variables: false };
                    uniform(f, cfg, options)
                }
            },
            needed: BitSet::new(n),
            rows: BitSet::new(n),
            ..Plan::default()
        };
        let mut planner = Planner {
            f,
            loops: Loops::new(cfg, &dom),
            dom,
            defs,
            serves: BitSet::new(n),
            base_of,
            plan,
            numbers: BTreeMap::new(),
            uses: Vec::new(),
        };
        planner.find_servants();
        planner.find_addresses();
        planner.keep_spreads();
        planner.find_needed(wanted);
        if f.kind != FuncKind::Host {
            planner.find_rows();
        }
        let is_param = |r: &Reg| f.params.iter().any(|p| p.reg == *r);
        // A variable that was not assigned yet is shown as zero.
        let mut unset: Vec<Reg> = Liveness::new(f, cfg).live_in(Bb(0)).chain(f.var_regs()).collect();
        unset.retain(|r| !is_param(r));
        unset.sort_unstable();
        unset.dedup();
        planner.plan.unset = unset;
        planner.plan
    }

    /// Whether the instruction at `place` computes a scalar, or compares scalars.
    pub(crate) fn is_scalar(&self, kind: &InstKind, place: Place) -> bool {
        let uniform = |r: Reg| self.uniform.contains(r.index());
        let mut operands = true;
        kind.each_use(|v| operands &= !matches!(v, Val::Reg(r) if !uniform(r)));
        match *kind {
            InstKind::Un { ty, dst, .. } | InstKind::Bin { ty, dst, .. } | InstKind::Tri { ty, dst, .. } => {
                ty != Ty::Pred && operands && uniform(dst)
            }
            InstKind::Select { ty, dst, .. } => ty != Ty::Pred && operands && uniform(dst),
            InstKind::Cvt { from, to, dst, .. } => from != Ty::Pred && to != Ty::Pred && operands && uniform(dst),
            InstKind::Cmp { ty, .. } => ty != Ty::Pred && operands,
            InstKind::Special { reg, dst } => {
                (reg.is_block_uniform() || matches!(reg, Special::TidY | Special::TidZ)) && uniform(dst)
            }
            InstKind::Addr { base, dst } => !matches!(base, AddrBase::Local(_)) && uniform(dst),
            InstKind::Load { space, dst, .. } => {
                let varies = self.addresses.get(&place).is_none_or(|a| a.index.is_some());
                !matches!(space, Space::Local | Space::Generic) && uniform(dst) && !varies
            }
            _ => false,
        }
    }
}

fn instructions(f: &Function) -> impl Iterator<Item = (Place, &Inst)> {
    let blocks = f.blocks.iter().enumerate();
    blocks.flat_map(|(b, block)| block.insts.iter().enumerate().map(move |(i, inst)| ((Bb(b as u32), i), inst)))
}

/// The address of a memory instruction and its offset.
fn address_of(kind: &InstKind) -> Option<(Val, i64)> {
    match *kind {
        InstKind::Load { addr, offset, .. }
        | InstKind::Store { addr, offset, .. }
        | InstKind::Atomic { addr, offset, .. } => Some((addr, offset)),
        _ => None,
    }
}

/// Whether an instruction is one that sums are made of.
fn is_linear(kind: &InstKind) -> bool {
    match *kind {
        InstKind::Bin { op, ty: Ty::I64 | Ty::I32, b, .. } => match op {
            BinOp::Add | BinOp::Sub => true,
            BinOp::Mul | BinOp::Shl => matches!(b, Val::Imm(_)),
            _ => false,
        },
        InstKind::Tri { op: TriOp::Mad, ty: Ty::I64 | Ty::I32, b, .. } => matches!(b, Val::Imm(_)),
        InstKind::Un { op: UnOp::Mov, ty: Ty::I64 | Ty::I32, .. } => true,
        InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, .. } => true,
        InstKind::Addr { .. } => true,
        _ => false,
    }
}

/// The parts of a sum of the type's width: operands with their factors, and a constant.
fn parts(kind: &InstKind) -> Option<([Option<(Val, i64)>; 2], i64)> {
    let imm = |v: Val, ty: Ty| match v {
        Val::Imm(bits) => Some(scalar::bits::signed(ty, bits)),
        Val::Reg(_) => None,
    };
    Some(match *kind {
        InstKind::Bin { op: BinOp::Add, a, b, .. } => ([Some((a, 1)), Some((b, 1))], 0),
        InstKind::Bin { op: BinOp::Sub, a, b, .. } => ([Some((a, 1)), Some((b, -1))], 0),
        InstKind::Bin { op: BinOp::Mul, ty, a, b, .. } => ([Some((a, imm(b, ty)?)), None], 0),
        InstKind::Bin { op: BinOp::Shl, ty, a, b, .. } => {
            let count = imm(b, ty)?;
            let limit = if ty == Ty::I64 { 63 } else { 31 };
            ([Some((a, 1i64.checked_shl(u32::try_from(count).ok().filter(|&c| c < limit)?)?)), None], 0)
        }
        InstKind::Tri { op: TriOp::Mad, ty, a, b, c, .. } => ([Some((a, imm(b, ty)?)), Some((c, 1))], 0),
        InstKind::Un { op: UnOp::Mov, a, .. } => ([Some((a, 1)), None], 0),
        _ => return None,
    })
}

impl Planner<'_> {
    fn is_uniform(&self, r: Reg) -> bool {
        self.plan.uniform.contains(r.index())
    }

    fn weight(&self, place: Place) -> u64 {
        1 << (3 * self.loops.depth(place.0)).min(30)
    }

    /// The instruction that a temporary comes from.
    fn source(&self, r: Reg) -> Option<(Place, &InstKind)> {
        let &[(bb, i)] = self.defs.get(r.index())?.as_slice() else { return None };
        if self.f.is_mutable(r) {
            return None;
        }
        Some(((bb, i), &self.f.block(bb).insts.get(i)?.kind)).filter(|(_, kind)| kind.def() == Some(r))
    }

    /// Finds the temporaries that only serve addresses.
    fn find_servants(&mut self) {
        for r in 0..self.f.regs.len() {
            if self.source(Reg(r as u32)).is_some_and(|(_, kind)| is_linear(kind)) {
                self.serves.insert(r);
            }
        }
        for r in self.f.var_regs() {
            self.serves.remove(r.index());
        }
        let mut changed = true;
        while changed {
            let mut gone = Vec::new();
            for (_, inst) in instructions(self.f) {
                let serves = |r: Reg| self.serves.contains(r.index());
                if is_linear(&inst.kind) && inst.kind.def().is_some_and(serves) {
                    continue;
                }
                let mut addr = address_of(&inst.kind).map(|(addr, _)| addr);
                inst.kind.each_use(|v| match v {
                    // The address comes first; the same register as a value is another use.
                    _ if addr == Some(v) => addr = None,
                    Val::Reg(r) if serves(r) => gone.push(r),
                    _ => {}
                });
            }
            for block in &self.f.blocks {
                block.term.each_use(|v| gone.extend(if let Val::Reg(r) = v { Some(r) } else { None }));
            }
            changed = false;
            for r in gone {
                changed |= self.serves.contains(r.index());
                self.serves.remove(r.index());
            }
        }
    }

    /// Whether the operands of the instruction at `from` that are no temporaries have the same values at `to`.
    fn is_stable(&self, from: Place, kind: &InstKind, to: Place) -> bool {
        let mut stable = true;
        kind.each_use(|v| {
            let Val::Reg(r) = v else { return };
            if !self.f.is_mutable(r) {
                return;
            }
            let defs = &self.defs[r.index()];
            let before = |d: &Place| if d.0 == from.0 { d.1 <= from.1 } else { self.dom.dominates(d.0, from.0) };
            let between = |d: &Place| d.0 == from.0 && d.1 > from.1 && d.1 < to.1;
            stable &= defs.len() == 1 && before(&defs[0]) || from.0 == to.0 && !defs.iter().any(between);
        });
        stable
    }

    /// The instruction behind a register of an address at `at`, if the register is to be followed.
    fn behind(&self, r: Reg, at: Place) -> Option<(Place, &InstKind)> {
        let (place, kind) = self.source(r)?;
        let follow = self.serves.contains(r.index()) && is_linear(kind) && self.is_stable(place, kind, at);
        // What is the same in all rounds of a loop is computed before it.
        let outside = self.loops.of(place.0) != self.loops.of(at.0);
        let costly = outside && self.is_uniform(r) && !matches!(kind, InstKind::Addr { .. });
        (follow && !costly).then_some((place, kind))
    }

    /// Adds `val` times `factor` to a sum.
    fn expand(&self, val: Val, factor: i64, at: Place, sum: &mut Sum) {
        let r = match val {
            Val::Imm(bits) => {
                sum.base = sum.base.wrapping_add((bits as i64).wrapping_mul(factor));
                return;
            }
            Val::Reg(r) => r,
        };
        let Some((place, kind)) = self.behind(r, at) else { return sum.add(false, r, factor) };
        match *kind {
            InstKind::Addr { base, .. } => match (self.base_of)(base) {
                Some((constant, local)) if !local || factor == 1 && !sum.local => {
                    sum.base = sum.base.wrapping_add(constant.wrapping_mul(factor));
                    sum.local |= local;
                }
                _ => sum.add(false, r, factor),
            },
            InstKind::Cvt { a, .. } => match a {
                Val::Imm(bits) => sum.base = sum.base.wrapping_add(i64::from(bits as i32).wrapping_mul(factor)),
                Val::Reg(a) => self.extend(a, factor, at, sum),
            },
            _ => {
                let mut whole = sum.clone();
                let Some((operands, constant)) = parts(kind) else { return sum.add(false, r, factor) };
                whole.base = whole.base.wrapping_add(constant.wrapping_mul(factor));
                for (val, times) in operands.into_iter().flatten() {
                    self.expand(val, times.wrapping_mul(factor), at, &mut whole);
                }
                let scalars = |s: &Sum| s.terms.keys().filter(|k| self.is_uniform(k.1)).count();
                let far = self.loops.of(place.0) != self.loops.of(at.0);
                // A sum of many that is known before the loop is better taken as it is.
                if far && scalars(&whole) > scalars(sum) + 1 || whole.terms.len() > TERM_LIMIT {
                    return sum.add(false, r, factor);
                }
                *sum = whole;
            }
        }
    }

    /// Adds the sign extension of the 32-bit register `r` times `factor` to a sum.
    fn extend(&self, r: Reg, factor: i64, at: Place, sum: &mut Sum) {
        let mut terms = BTreeMap::new();
        let mut base = 0;
        let simple = self.is_uniform(r)
            || sum.inner.is_some()
            || self.expand_narrow(Val::Reg(r), 1, at, &mut base, &mut terms).is_none()
            || terms.contains_key(&r)
            || !terms.keys().any(|&r| !self.is_uniform(r));
        if simple {
            sum.add(true, r, factor);
        } else {
            sum.inner = Some((r, factor, base, terms));
        }
    }

    fn expand_narrow(
        &self,
        val: Val,
        factor: i64,
        at: Place,
        base: &mut i64,
        terms: &mut BTreeMap<Reg, i64>,
    ) -> Option<()> {
        if factor.unsigned_abs() >= FACTOR_LIMIT || terms.len() >= TERM_LIMIT {
            return None;
        }
        let r = match val {
            Val::Imm(bits) => {
                *base += i64::from(bits as i32) * factor;
                return Some(());
            }
            Val::Reg(r) => r,
        };
        if let Some((_, kind)) = self.behind(r, at).filter(|_| !self.is_uniform(r)) {
            let (operands, constant) = parts(kind)?;
            *base += constant * factor;
            for (val, times) in operands.into_iter().flatten() {
                self.expand_narrow(val, times.checked_mul(factor)?, at, base, terms)?;
            }
            return Some(());
        }
        let total = terms.entry(r).or_insert(0);
        *total += factor;
        Some(())
    }

    fn find_addresses(&mut self) {
        for (place, inst) in instructions(self.f) {
            let Some((addr, offset)) = address_of(&inst.kind) else { continue };
            let mut sum = Sum { base: offset, ..Sum::default() };
            self.expand(addr, 1, place, &mut sum);
            let varies = sum.terms.iter().any(|(k, &f)| f != 0 && !self.is_uniform(k.1));
            if let Some((r, factor, _, _)) = sum.inner.take_if(|_| varies) {
                sum.add(true, r, factor);
            }
            let address = self.address(sum, place).unwrap_or_else(|| {
                let mut plain = Sum { base: offset, ..Sum::default() };
                match addr {
                    Val::Imm(bits) => plain.base = plain.base.wrapping_add(bits as i64),
                    Val::Reg(r) => plain.add(false, r, 1),
                }
                self.address(plain, place).unwrap_or_default()
            });
            self.plan.addresses.insert(place, address);
        }
    }

    /// The address that is a sum; `None` if it has factors that are too large.
    fn address(&mut self, sum: Sum, place: Place) -> Option<Address> {
        let all = sum.terms.into_iter().filter(|t| t.1 != 0);
        let all: Vec<RegTerm> = all.map(|((narrow, reg), factor)| RegTerm { narrow, reg, factor }).collect();
        let (terms, mut varying): (Vec<RegTerm>, Vec<RegTerm>) = all.into_iter().partition(|t| self.is_uniform(t.reg));
        let mut address = Address { base: sum.base, local: sum.local, terms, index: None };
        let (wraps, base, inner) = match sum.inner {
            Some((_, factor, base, parts)) => {
                let parts = parts.into_iter().filter(|p| p.1 != 0);
                let parts = parts.map(|(reg, factor)| RegTerm { narrow: true, reg, factor });
                let (inner, rest): (Vec<_>, Vec<_>) = parts.partition(|t| self.is_uniform(t.reg));
                varying = rest;
                (Some(factor), base, inner)
            }
            None => (None, 0, Vec::new()),
        };
        if varying.is_empty() {
            // What differed by lane has cancelled out; a 32-bit sum may have wrapped on the way.
            return if wraps.is_none() { Some(address) } else { None };
        }
        let factor = match wraps {
            Some(factor) => factor,
            None => {
                let divisor = varying.iter().fold(0, |d, t| gcd(d, t.factor.unsigned_abs())) as i64;
                varying.iter_mut().for_each(|t| t.factor /= divisor);
                divisor
            }
        };
        if varying.iter().any(|t| t.narrow && t.factor.unsigned_abs() >= FACTOR_LIMIT) || !(1..FAR).contains(&factor) {
            return None;
        }
        let next = self.plan.spreads.len() as u32;
        let spread = *self.numbers.entry(varying.clone()).or_insert(next);
        if spread == next {
            self.plan.spreads.push((varying, false));
            self.uses.push(0);
        }
        self.uses[spread as usize] += self.weight(place);
        address.index = Some(Varying { factor, spread, wraps: wraps.is_some(), base, terms: inner });
        Some(address)
    }

    /// Decides which spreads are worked out where their registers are assigned, and not at each access.
    fn keep_spreads(&mut self) {
        for i in 0..self.plan.spreads.len() {
            let defs = self.plan.spreads[i].0.iter().flat_map(|t| &self.defs[t.reg.index()]);
            let cost: u64 = defs.map(|&place| self.weight(place)).sum();
            self.plan.spreads[i].1 = cost <= self.uses[i];
        }
    }

    /// Finds the results that somebody needs.
    fn find_needed(&mut self, wanted: &[Reg]) {
        let mut work: Vec<Reg> = self.f.var_regs();
        work.extend(wanted);
        let push = |work: &mut Vec<Reg>, v: Val| work.extend(if let Val::Reg(r) = v { Some(r) } else { None });
        for (place, inst) in instructions(self.f) {
            let dropped = inst.kind.is_pure() && inst.kind.def().is_some_and(|r| !self.f.is_mutable(r));
            if dropped {
                continue;
            }
            let mut addr = address_of(&inst.kind).map(|(addr, _)| addr);
            inst.kind.each_use(|v| if addr == Some(v) { addr = None } else { push(&mut work, v) });
            inst.kind.each_def(|r| work.push(r));
            if let Some(address) = self.plan.addresses.get(&place) {
                let index = address.index.as_ref();
                work.extend(address.terms.iter().chain(index.iter().flat_map(|i| &i.terms)).map(|t| t.reg));
                work.extend(index.iter().flat_map(|i| &self.plan.spreads[i.spread as usize].0).map(|t| t.reg));
            }
        }
        self.f.blocks.iter().for_each(|b| b.term.each_use(|v| push(&mut work, v)));
        work.extend(self.f.params.iter().map(|p| p.reg));
        while let Some(r) = work.pop() {
            if self.plan.needed.insert(r.index())
                && let Some((_, kind)) = self.source(r)
                && kind.is_pure()
            {
                kind.each_use(|v| push(&mut work, v));
            }
        }
    }

    /// Finds the uniform registers that operations take as rows.
    fn find_rows(&mut self) {
        for (place, inst) in instructions(self.f) {
            let needed = inst.kind.def().is_none_or(|r| self.plan.needed.contains(r.index()));
            let asks = matches!(
                inst.kind,
                InstKind::Call { .. }
                    | InstKind::Rt { .. }
                    | InstKind::Launch { .. }
                    | InstKind::SyncWarp { .. }
                    | InstKind::Vote { .. }
                    | InstKind::Shuffle { .. }
                    | InstKind::Atomic { .. }
            );
            if !needed || asks || self.plan.is_scalar(&inst.kind, place) {
                continue;
            }
            let mut addr = address_of(&inst.kind).map(|(addr, _)| addr);
            inst.kind.each_use(|v| match v {
                _ if addr == Some(v) => addr = None,
                Val::Reg(r) if self.plan.uniform.contains(r.index()) => {
                    self.plan.rows.insert(r.index());
                }
                _ => {}
            });
        }
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

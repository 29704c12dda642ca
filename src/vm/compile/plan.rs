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
//! that is assigned once, before it is read, that is so: a lane that passes the assignment again also passes the sum again
//! before the access. For others it has to be the same block without an assignment in between.

use crate::code::FAR;
use ir::analysis::affine::{self, Affine, Operation, gcd};
use ir::analysis::{BitSet, Cfg, Dominators, Liveness, Loops, UniformLevel, UniformOptions, uniform};
use ir::op::{CvtOp, Special};
use ir::{AddrBase, Bb, FuncKind, Function, Inst, InstKind, Reg, Space, Ty, Val};
use std::collections::BTreeMap;
use std::num::Wrapping;

/// A register times a constant; `narrow` is a 32-bit integer, sign-extended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct RegTerm {
    pub(crate) narrow: bool,
    pub(crate) reg: Reg,
    pub(crate) factor: i64,
}

/// An address as a sum; see [`crate::code::AddressExpr`].
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
    pub(crate) pattern: u32,
    pub(crate) wraps: bool,
    pub(crate) base: i64,
    pub(crate) terms: Vec<RegTerm>,
}

/// What is known of a function; see the head of the file.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Whether it is a kernel, whose local memory has the same address in all warps.
    is_kernel: bool,
    pub(crate) uniform: BitSet,
    pub(crate) needed: BitSet,
    pub(crate) rows: BitSet,
    pub(crate) unset: Vec<Reg>,
    pub(crate) addresses: BTreeMap<(Bb, usize), Address>,
    /// Sums that differ by lane, and whether they are kept up to date where their registers are assigned.
    pub(crate) patterns: Vec<(Vec<RegTerm>, bool)>,
}

/// Factors of 32-bit registers stay below this, so that no sum of a few of them overflows 64 bits.
const FACTOR_LIMIT: u64 = 1 << 20;
/// Parts of an address at most.
const TERM_LIMIT: usize = 8;

/// Where an instruction is.
type Place = (Bb, usize);

/// What an address is a sum of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Symbol {
    /// The address of the frame's local memory.
    Local,
    /// A register of 64 bits.
    Wide(Reg),
    /// A register of 32 bits, sign-extended.
    Narrow(Reg),
}

/// An address, modulo 2⁶⁴.
type Sum = Affine<Symbol, Wrapping<i64>>;

/// A 32-bit sum as it would be if nothing wrapped.
type NarrowSum = Affine<Reg, i128>;

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
    /// Weights of the accesses of each pattern.
    uses: Vec<u64>,
}

impl Plan {
    /// The plan of `f`, for device code at `level`. `base_of` gives the address that a base has as a constant, if it has one, and whether the address of
    /// the frame's local memory is to be added.
    pub(crate) fn new(
        f: &Function,
        cfg: &Cfg,
        level: UniformLevel,
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
            is_kernel: f.kind == FuncKind::Kernel,
            uniform: match f.kind {
                // A single lane never disagrees.
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
        planner.keep_patterns();
        planner.find_needed();
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

    /// Calls `see` with each register that the address of the access at `place` is computed from.
    pub(crate) fn each_address_reg(&self, place: Place, see: &mut dyn FnMut(Reg)) {
        let Some(address) = self.addresses.get(&place) else { return };
        let index = address.index.as_ref();
        let varying = index.map_or(&[][..], |i| self.patterns[i.pattern as usize].0.as_slice());
        let inner = index.map_or(&[][..], |i| i.terms.as_slice());
        address.terms.iter().chain(inner).chain(varying).for_each(|term| see(term.reg));
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
            InstKind::Addr { base, dst } => (self.is_kernel || !matches!(base, AddrBase::Local(_))) && uniform(dst),
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
    matches!(kind, InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, .. } | InstKind::Addr { .. })
        || Operation::of(kind)
            .is_some_and(|(operation, ty, operands)| matches!(ty, Ty::I32 | Ty::I64) && operation.is_affine(operands))
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
        let mut gone = Vec::new();
        for (_, inst) in instructions(self.f) {
            if is_linear(&inst.kind) && inst.kind.def().is_some_and(|r| self.serves.contains(r.index())) {
                continue;
            }
            let mut addr = address_of(&inst.kind).map(|(addr, _)| addr);
            inst.kind.each_use(|v| match v {
                // The address comes first; the same register as a value is another use.
                _ if addr == Some(v) => addr = None,
                Val::Reg(r) => gone.push(r),
                Val::Imm(_) => {}
            });
        }
        for block in &self.f.blocks {
            block.term.each_use(|v| gone.extend(if let Val::Reg(r) = v { Some(r) } else { None }));
        }
        // What one that serves something else is computed from does so too.
        while let Some(r) = gone.pop() {
            if self.serves.contains(r.index())
                && let Some((_, kind)) = self.source(r)
            {
                kind.each_use(|v| gone.extend(if let Val::Reg(r) = v { Some(r) } else { None }));
            }
            self.serves.remove(r.index());
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
        // The address of a variable is a constant, or one behind the address of the frame's memory.
        let is_base = matches!(kind, InstKind::Addr { .. });
        let serves = self.serves.contains(r.index()) && is_linear(kind);
        let follow = (is_base || serves) && self.is_stable(place, kind, at);
        // What is the same in all iterations of a loop is computed before it.
        let outside = self.loops.of(place.0) != self.loops.of(at.0);
        let costly = outside && self.is_uniform(r) && !is_base;
        (follow && !costly).then_some((place, kind))
    }

    /// What a 64-bit value is a sum of where the access at `at` uses it.
    fn sum(&self, val: Val, at: Place) -> Sum {
        let r = match val {
            Val::Imm(bits) => return Sum::constant(Wrapping(bits as i64)),
            Val::Reg(r) => r,
        };
        let itself = Sum::symbol(Symbol::Wide(r));
        let Some((place, kind)) = self.behind(r, at) else { return itself };
        match *kind {
            InstKind::Addr { base, .. } => match (self.base_of)(base) {
                Some((constant, false)) => Sum::constant(Wrapping(constant)),
                Some((constant, true)) => Sum::symbol(Symbol::Local).offset(Wrapping(constant)).unwrap_or(itself),
                None => itself,
            },
            // A 32-bit sum may have wrapped before it was extended.
            InstKind::Cvt { a: Val::Reg(a), .. } => Sum::symbol(Symbol::Narrow(a)),
            InstKind::Cvt { a: Val::Imm(bits), .. } => Sum::constant(Wrapping(i64::from(bits as i32))),
            _ => {
                let far = self.loops.of(place.0) != self.loops.of(at.0);
                let is_scalar = |symbol: Symbol| match symbol {
                    Symbol::Local => false,
                    Symbol::Wide(r) | Symbol::Narrow(r) => self.is_uniform(r),
                };
                // A sum of several scalars that is known before the loop is better taken as it is.
                let is_good = |sum: &Sum| {
                    let scalars = sum.terms.iter().filter(|t| is_scalar(t.0)).count();
                    sum.terms.len() <= TERM_LIMIT && !(far && scalars > 1)
                };
                affine::of_instruction(kind, |val| Some(self.sum(val, at))).filter(is_good).unwrap_or(itself)
            }
        }
    }

    /// What the 32-bit register `r`, which differs by lane, is a sum of, if that is of use: of other registers, of which some
    /// differ by lane.
    fn narrow_sum(&self, r: Reg, at: Place) -> Option<NarrowSum> {
        let sum = self.expand_narrow(r, at)?;
        let is_small = |factor: i128| factor.unsigned_abs() < u128::from(FACTOR_LIMIT);
        let is_good = sum.terms.len() <= TERM_LIMIT
            && sum.terms.iter().all(|t| t.0 != r && is_small(t.1))
            && sum.terms.iter().any(|t| !self.is_uniform(t.0));
        is_good.then_some(sum)
    }

    fn expand_narrow(&self, r: Reg, at: Place) -> Option<NarrowSum> {
        let Some((_, kind)) = self.behind(r, at).filter(|_| !self.is_uniform(r)) else {
            return Some(NarrowSum::symbol(r));
        };
        affine::of_instruction(kind, |val| match val {
            Val::Reg(r) => self.expand_narrow(r, at),
            Val::Imm(_) => None,
        })
    }

    fn find_addresses(&mut self) {
        for (place, inst) in instructions(self.f) {
            let Some((addr, offset)) = address_of(&inst.kind) else { continue };
            let offset = Wrapping(offset);
            let sum = self.sum(addr, place).offset(offset);
            let address = sum.and_then(|sum| self.address(&sum, place)).unwrap_or_else(|| {
                let plain = match addr {
                    Val::Imm(bits) => Sum::constant(Wrapping(bits as i64)),
                    Val::Reg(r) => Sum::symbol(Symbol::Wide(r)),
                };
                plain.offset(offset).and_then(|plain| self.address(&plain, place)).unwrap_or_default()
            });
            self.plan.addresses.insert(place, address);
        }
    }

    /// The address that is a sum; `None` if it has factors that are too large.
    fn address(&mut self, sum: &Sum, place: Place) -> Option<Address> {
        let mut address = Address { base: sum.constant.0, ..Address::default() };
        let mut varying: Vec<RegTerm> = Vec::new();
        for &(symbol, Wrapping(factor)) in &sum.terms {
            let (narrow, reg) = match symbol {
                Symbol::Local if factor == 1 => {
                    address.local = true;
                    continue;
                }
                Symbol::Local => return None,
                Symbol::Wide(reg) => (false, reg),
                Symbol::Narrow(reg) => (true, reg),
            };
            let list = if self.is_uniform(reg) { &mut address.terms } else { &mut varying };
            list.push(RegTerm { narrow, reg, factor });
        }
        // Where a 32-bit sum is the only part that differs by lane, it is followed.
        let (mut base, mut inner) = (0, Vec::new());
        let wraps = match varying[..] {
            [] => return Some(address),
            [RegTerm { narrow: true, reg, factor }] => self.narrow_sum(reg, place).map(|sum| (factor, sum)),
            _ => None,
        };
        let factor = match &wraps {
            Some((factor, sum)) => {
                base = i64::try_from(sum.constant).ok()?;
                let terms = sum.terms.iter().map(|&(reg, factor)| RegTerm { narrow: true, reg, factor: factor as i64 });
                (inner, varying) = terms.partition(|t| self.is_uniform(t.reg));
                *factor
            }
            None => {
                let divisor = varying.iter().fold(0, |d, t| gcd(d, i128::from(t.factor)));
                let divisor = i64::try_from(divisor).ok()?;
                varying.iter_mut().for_each(|t| t.factor /= divisor);
                divisor
            }
        };
        if varying.iter().any(|t| t.narrow && t.factor.unsigned_abs() >= FACTOR_LIMIT) || !(1..FAR).contains(&factor) {
            return None;
        }
        let next = self.plan.patterns.len() as u32;
        let pattern = *self.numbers.entry(varying.clone()).or_insert(next);
        if pattern == next {
            self.plan.patterns.push((varying, false));
            self.uses.push(0);
        }
        self.uses[pattern as usize] += self.weight(place);
        address.index = Some(Varying { factor, pattern, wraps: wraps.is_some(), base, terms: inner });
        Some(address)
    }

    /// Decides which patterns are worked out where their registers are assigned, and not at each access.
    fn keep_patterns(&mut self) {
        for i in 0..self.plan.patterns.len() {
            let defs = self.plan.patterns[i].0.iter().flat_map(|t| &self.defs[t.reg.index()]);
            let cost: u64 = defs.map(|&place| self.weight(place)).sum();
            self.plan.patterns[i].1 = cost <= self.uses[i];
        }
    }

    /// Finds the results that somebody needs.
    fn find_needed(&mut self) {
        let mut work: Vec<Reg> = self.f.var_regs();
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
                work.extend(index.iter().flat_map(|i| &self.plan.patterns[i.pattern as usize].0).map(|t| t.reg));
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
                    | InstKind::Atomic { dst: Some(_), .. }
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

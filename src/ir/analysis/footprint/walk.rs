//! One walk over a kernel, for all threads of a launch at once.
//!
//! Blocks are visited in reverse postorder, each once. A temporary has one value, a mutable register one at each place: where
//! ways meet that bring different values, a value of which only bounds are known takes over, and at the head of a loop so do
//! the registers that the loop assigns. An exception are counters (`rounds`): they become their first value plus a multiple
//! of the round's number. Calls are walked with the values that they pass.
//!
//! A value stands for what the register holds in the round that the thread is in, or was in last. Nothing carries a value of
//! an earlier round but a register that is assigned in the loop, and that has a value of its own at the loop's head.

use super::form::{Form, Vars};
use super::rounds::{self, Counter};
use super::stops;
use super::value::{Arithmetic, Cond, Value};
use super::{AccessId, Kind, LaunchFacts};
use crate::analysis::{Cfg, Dominators, Loops};
use crate::op::Special;
use crate::rt::Rt;
use crate::{Access, AddrBase, Bb, FuncId, Function, InstKind, Module, ParamKind, Reg, Space, Term, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An access site as one way through the calls reaches it.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The access, if it is an instruction of its own; a service that reads memory has none.
    pub(super) id: Option<AccessId>,
    pub(super) kind: Kind,
    pub(super) bytes: i128,
    /// The address of the first byte; `None` if it may be anything.
    pub(super) form: Option<Form>,
    pub(super) guards: Rc<[Form]>,
}

/// An access site that may be of shared memory.
#[derive(Clone, Debug)]
pub(super) struct SharedSite {
    pub(super) site: Site,
    /// Where it, or the call that leads to it, stands in the kernel: the number of the instruction in its block.
    pub(super) place: (Bb, usize),
}

/// The variables of the launch's digits.
pub(super) struct Digits {
    pub(super) tid: [Form; 3],
    pub(super) ctaid: [Form; 3],
}

/// Most calls within calls.
const DEPTH: usize = 8;
/// Most instructions that are looked at.
const STEPS: usize = 40_000;

/// Why a walk was given up.
pub(super) enum Failure {
    /// An assumption did not hold; it is in the list of those that are not made, and the walk may begin again.
    Again,
    /// The code is beyond what is looked at.
    Beyond,
}

/// Assumptions that turned out wrong.
#[derive(Default)]
pub(super) struct Refused {
    /// Registers that are no counter of the loop with that head.
    pub(super) counters: BTreeSet<(FuncId, Bb, Reg)>,
    /// Whether memory may change during the launch where the kernel reads uniform values from.
    pub(super) memory: bool,
}

pub(super) struct Walk<'a> {
    pub(super) module: &'a Module,
    pub(super) launch: &'a LaunchFacts<'a>,
    pub(super) refused: &'a mut Refused,
    pub(super) vars: Vars,
    pub(super) digits: Digits,
    pub(super) sites: Vec<Site>,
    pub(super) shared: Vec<SharedSite>,
    /// Whether a function that the kernel calls has a barrier.
    pub(super) has_inner_barrier: bool,
    /// Where the walk is in the kernel itself.
    place: (Bb, usize),
    /// What was read from memory as it is before the launch: address, type, bits.
    pub(super) trusted: Vec<(u64, Ty, u64)>,
    /// Whether something but an access may end the launch.
    pub(super) may_stop: bool,
    steps: usize,
}

/// What is known where a block ends.
struct End {
    regs: Vec<Value>,
    guards: Vec<Form>,
    /// What the terminator's condition is, if it is a branch.
    cond: Value,
}

/// A function on its way.
struct Activation<'a> {
    f: &'a Function,
    id: FuncId,
    temps: Vec<Value>,
    /// Dense numbers of mutable registers.
    mutable: BTreeMap<Reg, usize>,
    regs: Vec<Value>,
    guards: Vec<Form>,
    /// Counters of the loops around by the place of their assignment: the loop's head, and what has to be assigned.
    counters: BTreeMap<(Bb, usize), (Bb, Form)>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(module: &'a Module, launch: &'a LaunchFacts<'a>, refused: &'a mut Refused) -> Walk<'a> {
        let mut vars = Vars::default();
        let mut digit = |extent: u32| match extent {
            0 | 1 => Form::constant(0),
            n => Form::var(vars.fresh(0, i128::from(n) - 1)),
        };
        let digits = Digits { tid: launch.block.map(&mut digit), ctaid: launch.grid.map(&mut digit) };
        Walk {
            module,
            launch,
            refused,
            vars,
            digits,
            sites: Vec::new(),
            shared: Vec::new(),
            has_inner_barrier: false,
            place: (Bb(0), 0),
            trusted: Vec::new(),
            may_stop: false,
            steps: 0,
        }
    }

    /// Walks the kernel with the launch's arguments.
    pub(super) fn kernel(&mut self, id: FuncId) -> Result<(), Failure> {
        let f = self.module.func(id);
        let mut args = Vec::new();
        for (i, param) in f.params.iter().enumerate() {
            let ty = f.ty(param.reg);
            let bits = self.launch.args.get(i).copied().flatten();
            args.push(match (param.kind, bits) {
                (ParamKind::Value, Some(bits)) if ty.is_int() => {
                    Value::Int(Form::constant(i128::from(scalar::bits::signed(ty, bits))))
                }
                (ParamKind::Value, _) => self.arithmetic(&[]).opaque(ty),
                (ParamKind::Bytes { .. }, _) => self.placed((self.launch.local.0, self.launch.local.1)),
            });
        }
        self.call(id, &args, &[], 0).map(|_| ())
    }

    fn arithmetic<'s>(&'s mut self, guards: &'s [Form]) -> Arithmetic<'s> {
        Arithmetic { vars: &mut self.vars, guards }
    }

    fn placed(&mut self, (low, high): (i64, i64)) -> Value {
        self.arithmetic(&[]).between(i128::from(low), i128::from(high))
    }

    /// Walks a function; gives what it returns.
    fn call(&mut self, id: FuncId, args: &[Value], guards: &[Form], depth: usize) -> Result<Vec<Value>, Failure> {
        let Some(f) = self.module.funcs.get(id.index()).filter(|f| !f.blocks.is_empty() && depth < DEPTH) else {
            return Err(Failure::Beyond);
        };
        let cfg = Cfg::new(f);
        let dom = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &dom);
        let mutable: BTreeMap<Reg, usize> =
            (0..f.regs.len() as u32).map(Reg).filter(|&r| f.is_mutable(r)).enumerate().map(|(i, r)| (r, i)).collect();
        let mut a = Activation {
            f,
            id,
            temps: vec![Value::Other; f.regs.len()],
            regs: vec![Value::Other; mutable.len()],
            mutable,
            guards: guards.to_vec(),
            counters: BTreeMap::new(),
        };
        for (&reg, &at) in &a.mutable {
            a.regs[at] = self.arithmetic(&[]).opaque(f.ty(reg));
        }
        for (param, value) in f.params.iter().zip(args) {
            a.set(param.reg, value.clone());
        }
        let numbers = access_numbers(f);
        let divergent = stops::divergent_blocks(f, &cfg);
        // Loops that read memory: the variable of their round, and where they go round.
        let mut reading: Vec<(Form, Vec<Bb>)> = Vec::new();
        let mut ends: Vec<Option<End>> = (0..f.blocks.len()).map(|_| None).collect();
        let mut returned: Vec<(Vec<Value>, Vec<Form>)> = Vec::new();
        for &bb in cfg.rpo() {
            if bb.index() != 0 && !self.enter(&mut a, bb, &cfg, &dom, &ends)? {
                continue;
            }
            if bb.index() == 0 && !cfg.preds(bb).is_empty() {
                return Err(Failure::Beyond);
            }
            if let Some(number) = loops.of(bb).filter(|&l| loops.get(l).header == bb) {
                let round = self.enter_loop(&mut a, &rounds::counters(f, &dom, &loops, number), loops.get(number));
                if stops::reads_memory(f, loops.get(number)) {
                    reading.push((round, loops.get(number).latches.clone()));
                }
            }
            self.block(&mut a, bb, numbers[bb.index()], depth)?;
            self.may_stop |= stops::may_stop(f.block(bb), divergent[bb.index()]);
            let term = &f.block(bb).term;
            let cond = match term {
                Term::Branch { cond, .. } => a.value(*cond, Ty::Pred),
                _ => Value::Other,
            };
            if let Term::Return(values) = term {
                let types = f.results.iter().copied().chain(std::iter::repeat(Ty::I64));
                returned.push((values.iter().zip(types).map(|(&v, ty)| a.value(v, ty)).collect(), a.guards.clone()));
            }
            ends[bb.index()] = Some(End { regs: a.regs.clone(), guards: a.guards.clone(), cond });
        }
        for (round, latches) in reading {
            let ends = latches.iter().filter_map(|l| ends[l.index()].as_ref());
            let bounded = |end: &End| self.vars.most(&round, &end.guards, Some(rounds::MANY)) <= rounds::MANY;
            self.may_stop |= !ends.into_iter().all(bounded);
        }
        Ok(f.results
            .iter()
            .enumerate()
            .map(|(i, &ty)| {
                let ways: Vec<(&Value, &[Form])> =
                    returned.iter().filter_map(|(v, g)| Some((v.get(i)?, g.as_slice()))).collect();
                Arithmetic { vars: &mut self.vars, guards: &[] }.merge(ty, &ways)
            })
            .collect())
    }

    /// Prepares what is known at the beginning of a block; whether control may come there.
    fn enter(
        &mut self,
        a: &mut Activation<'a>,
        bb: Bb,
        cfg: &Cfg,
        dom: &Dominators,
        ends: &[Option<End>],
    ) -> Result<bool, Failure> {
        let mut ways: Vec<(&End, Vec<Form>)> = Vec::new();
        for &pred in cfg.preds(bb) {
            if !cfg.is_reachable(pred) || dom.dominates(bb, pred) {
                continue;
            }
            if cfg.rank(pred) >= cfg.rank(bb) {
                // A loop that is entered at two places.
                return Err(Failure::Beyond);
            }
            let Some(end) = &ends[pred.index()] else { continue };
            let mut guards = end.guards.clone();
            if let (Term::Branch { then_bb, else_bb, .. }, Value::Cond(cond)) = (&a.f.block(pred).term, &end.cond)
                && then_bb != else_bb
            {
                let holds = *then_bb == bb;
                if cond.known() == Some(!holds) {
                    continue;
                }
                cond.assume(holds, &self.vars, &mut guards);
            }
            ways.push((end, guards));
        }
        let Some((first, rest)) = ways.split_first() else { return Ok(false) };
        a.guards = first.1.iter().filter(|g| rest.iter().all(|(_, other)| other.contains(g))).cloned().collect();
        for (&reg, &at) in &a.mutable {
            let values: Vec<(&Value, &[Form])> = ways.iter().map(|(end, g)| (&end.regs[at], g.as_slice())).collect();
            a.regs[at] = Arithmetic { vars: &mut self.vars, guards: &[] }.merge(a.f.ty(reg), &values);
        }
        Ok(true)
    }

    /// At the head of a loop: counters become forms of the round's number, other registers that the loop assigns
    /// unknown. Gives the number of the round.
    fn enter_loop(&mut self, a: &mut Activation<'a>, counters: &[Counter], of: &crate::analysis::Loop) -> Form {
        let round = Form::var(self.vars.fresh(0, rounds::ENDLESS));
        let mut assigned = BTreeSet::new();
        for bb in &of.blocks {
            for inst in &a.f.block(*bb).insts {
                inst.kind.each_def(|r| {
                    assigned.insert(r);
                });
            }
        }
        let before = a.regs.clone();
        let mut guards = Vec::new();
        for &reg in &assigned {
            let Some(&at) = a.mutable.get(&reg) else { continue };
            let first = before[at].clone();
            a.regs[at] = self.arithmetic(&[]).opaque(a.f.ty(reg));
            let counter = counters.iter().find(|c| c.reg == reg);
            let (Some(counter), Value::Int(first)) = (counter, first) else { continue };
            if self.refused.counters.contains(&(a.id, of.header, reg)) {
                continue;
            }
            let Some(step) = self.step(a, counter, &assigned) else { continue };
            let (Some(now), Some(next)) = (first.plus(&round, step), first.offset(step)) else { continue };
            let Some(next) = next.plus(&round, step) else { continue };
            a.regs[at] = Value::Int(now);
            a.counters.insert(counter.place, (of.header, next));
            // A loop that goes on while its counter, going down by one, is not zero has at most that many rounds more.
            if let Some(late) = counter.until_zero.filter(|_| step == -1)
                && let Some(last) = first.offset(if late { -1 } else { 0 })
                && self.vars.least(&last, &a.guards, Some(0)) >= 0
            {
                guards.extend(last.plus(&round, -1));
            }
        }
        for guard in guards {
            self.vars.assume(&mut a.guards, guard);
        }
        round
    }

    /// The constant that a counter's step is in every round, as far as that can be told at the head of the loop.
    fn step(&mut self, a: &Activation<'a>, counter: &Counter, assigned: &BTreeSet<Reg>) -> Option<i128> {
        let value = self.early(a, counter.step, a.f.ty(counter.reg), assigned, 0);
        let Value::Int(form) = value else { return None };
        form.as_constant().map(|c| if counter.is_falling { -c } else { c })
    }

    /// A value at the head of a loop, also of temporaries that the loop computes from what it does not assign.
    fn early(&mut self, a: &Activation<'a>, val: Val, ty: Ty, assigned: &BTreeSet<Reg>, depth: usize) -> Value {
        let reg = match val {
            Val::Reg(reg) if assigned.contains(&reg) => reg,
            _ => return a.value(val, ty),
        };
        if a.f.is_mutable(reg) || depth > 6 {
            return Value::Other;
        }
        let insts = a.f.blocks.iter().flat_map(|b| &b.insts);
        let Some(inst) = insts.into_iter().find(|inst| inst.kind.def() == Some(reg)) else { return Value::Other };
        match inst.kind {
            InstKind::Un { op, ty, a: x, .. } => {
                let x = self.early(a, x, ty, assigned, depth + 1);
                self.arithmetic(&[]).un(op, ty, &x)
            }
            InstKind::Bin { op, ty, a: x, b: y, .. } => {
                let x = self.early(a, x, ty, assigned, depth + 1);
                let y = self.early(a, y, ty, assigned, depth + 1);
                self.arithmetic(&[]).bin(op, ty, &x, &y)
            }
            InstKind::Cvt { op, from, to, a: x, .. } => {
                let x = self.early(a, x, from, assigned, depth + 1);
                self.arithmetic(&[]).cvt(op, from, to, &x)
            }
            InstKind::Special { reg, .. } => self.special(reg, &[]),
            _ => Value::Other,
        }
    }

    /// Walks the instructions of a block.
    fn block(&mut self, a: &mut Activation<'a>, bb: Bb, first: u32, depth: usize) -> Result<(), Failure> {
        let mut number = first;
        let guards: Rc<[Form]> = a.guards.clone().into();
        for (at, inst) in a.f.block(bb).insts.iter().enumerate() {
            self.steps += 1;
            if self.steps > STEPS {
                return Err(Failure::Beyond);
            }
            if depth == 0 {
                self.place = (bb, at);
            }
            let id = AccessId { func: a.id, number };
            number += u32::from(is_access(&inst.kind));
            let value = match &inst.kind {
                InstKind::Un { op, ty, a: x, .. } => {
                    let x = a.value(*x, *ty);
                    self.arithmetic(&guards).un(*op, *ty, &x)
                }
                InstKind::Bin { op, ty, a: x, b: y, .. } => {
                    let (x, y) = (a.value(*x, *ty), a.value(*y, *ty));
                    self.arithmetic(&guards).bin(*op, *ty, &x, &y)
                }
                InstKind::Tri { ty, a: x, b: y, c: z, .. } => {
                    let (x, y, z) = (a.value(*x, *ty), a.value(*y, *ty), a.value(*z, *ty));
                    self.arithmetic(&guards).mad(*ty, &x, &y, &z)
                }
                InstKind::Cmp { op, ty, a: x, b: y, .. } => {
                    let (x, y) = (a.value(*x, *ty), a.value(*y, *ty));
                    self.arithmetic(&guards).cmp(*op, *ty, &x, &y)
                }
                InstKind::Select { ty, cond, a: x, b: y, .. } => {
                    let (c, x, y) = (a.value(*cond, Ty::Pred), a.value(*x, *ty), a.value(*y, *ty));
                    self.arithmetic(&guards).select(*ty, &c, &x, &y)
                }
                InstKind::Cvt { op, from, to, a: x, .. } => {
                    let x = a.value(*x, *from);
                    self.arithmetic(&guards).cvt(*op, *from, *to, &x)
                }
                InstKind::Addr { base, .. } => match base {
                    AddrBase::Local(_) => self.placed(self.launch.local),
                    AddrBase::Shared(id) => match (self.launch.shared_at)(a.id, *id) {
                        Some(base) => Value::Int(Form::constant(i128::from(base))),
                        None => self.placed(self.launch.shared),
                    },
                    AddrBase::Global(g) => match self.launch.globals.get(g.index()) {
                        Some(&base) => Value::Int(Form::constant(i128::from(base))),
                        None => Value::Other,
                    },
                },
                InstKind::Special { reg, .. } => self.special(*reg, &guards),
                InstKind::Load { ty, space, access, addr, offset, .. } => {
                    let at = self.touch(a, Some(id), Kind::Read, *ty, *space, *addr, *offset, &guards);
                    self.loaded(*ty, *access, at).unwrap_or_else(|| self.arithmetic(&[]).opaque(*ty))
                }
                InstKind::Store { ty, space, addr, offset, .. } => {
                    self.touch(a, Some(id), Kind::Write, *ty, *space, *addr, *offset, &guards);
                    continue;
                }
                InstKind::Atomic { op, ty, space, dst, addr, offset, .. } => {
                    let used = dst.is_some_and(|d| is_read(a.f, d));
                    let kind = Kind::Atomic { op: *op, ty: *ty, used };
                    self.touch(a, Some(id), kind, *ty, *space, *addr, *offset, &guards);
                    self.arithmetic(&[]).opaque(*ty)
                }
                InstKind::Call { func, args, results } => {
                    let callee = self.module.funcs.get(func.index()).ok_or(Failure::Beyond)?;
                    let types = callee.params.iter().map(|p| callee.ty(p.reg)).chain(std::iter::repeat(Ty::I64));
                    let args: Vec<Value> = args.iter().zip(types).map(|(&v, ty)| a.value(v, ty)).collect();
                    let values = self.call(*func, &args, &guards, depth + 1)?;
                    for (i, &reg) in results.iter().enumerate() {
                        let value = values.get(i).cloned();
                        let value = value.unwrap_or_else(|| self.arithmetic(&[]).opaque(a.f.ty(reg)));
                        self.assign(a, (bb, at), reg, value)?;
                    }
                    continue;
                }
                InstKind::Rt { rt, args, results } => {
                    self.service(a, *rt, args, &guards)?;
                    for &reg in results {
                        let value = self.arithmetic(&[]).opaque(a.f.ty(reg));
                        self.assign(a, (bb, at), reg, value)?;
                    }
                    continue;
                }
                InstKind::Launch { .. } => return Err(Failure::Beyond),
                InstKind::Barrier { .. } | InstKind::Vote { .. } | InstKind::Shuffle { .. } => {
                    self.has_inner_barrier |= depth > 0 && matches!(inst.kind, InstKind::Barrier { .. });
                    inst.kind.def().map_or(Value::Other, |d| self.arithmetic(&[]).opaque(a.f.ty(d)))
                }
                InstKind::Fence { .. } | InstKind::SyncWarp { .. } | InstKind::Stmt | InstKind::BackEdge => continue,
            };
            if let Some(reg) = inst.kind.def() {
                self.assign(a, (bb, at), reg, value)?;
            }
        }
        Ok(())
    }

    /// Assigns a register; a counter must go on as it was taken to.
    fn assign(&mut self, a: &mut Activation<'a>, place: (Bb, usize), reg: Reg, value: Value) -> Result<(), Failure> {
        if let Some((header, next)) = a.counters.remove(&place)
            && value != Value::Int(next)
        {
            self.refused.counters.insert((a.id, header, reg));
            return Err(Failure::Again);
        }
        a.set(reg, value);
        Ok(())
    }

    fn special(&mut self, reg: Special, guards: &[Form]) -> Value {
        let axis = |list: &[Form; 3], i: usize| Value::Int(list[i].clone());
        let extent = |n: u32| Value::Int(Form::constant(i128::from(n)));
        match reg {
            Special::TidX => axis(&self.digits.tid, 0),
            Special::TidY => axis(&self.digits.tid, 1),
            Special::TidZ => axis(&self.digits.tid, 2),
            Special::CtaidX => axis(&self.digits.ctaid, 0),
            Special::CtaidY => axis(&self.digits.ctaid, 1),
            Special::CtaidZ => axis(&self.digits.ctaid, 2),
            Special::NtidX => extent(self.launch.block[0]),
            Special::NtidY => extent(self.launch.block[1]),
            Special::NtidZ => extent(self.launch.block[2]),
            Special::NctaidX => extent(self.launch.grid[0]),
            Special::NctaidY => extent(self.launch.grid[1]),
            Special::NctaidZ => extent(self.launch.grid[2]),
            Special::LaneId => {
                let [x, y, _] = self.launch.block.map(i128::from);
                let [tx, ty, tz] = &self.digits.tid;
                let linear = tx.plus(ty, x).and_then(|f| f.plus(tz, x * y));
                match linear {
                    Some(f) => self.arithmetic(guards).bin(
                        crate::op::BinOp::Rem,
                        Ty::I32,
                        &Value::Int(f),
                        &Value::Int(Form::constant(32)),
                    ),
                    None => self.arithmetic(guards).between(0, 31),
                }
            }
            Special::ActiveMask => self.arithmetic(guards).opaque(Ty::I32),
            Special::Clock64 | Special::GlobalTimer => self.arithmetic(guards).opaque(Ty::I64),
        }
    }

    /// Notes an access, unless it surely stays in memory of the thread; gives its address, if that is not shared memory.
    #[allow(clippy::too_many_arguments)] // The parts of one instruction.
    fn touch(
        &mut self,
        a: &Activation<'a>,
        id: Option<AccessId>,
        kind: Kind,
        ty: Ty,
        space: Space,
        addr: Val,
        offset: i64,
        guards: &Rc<[Form]>,
    ) -> Option<Form> {
        if space == Space::Local {
            return None;
        }
        let form = match a.value(addr, Ty::I64) {
            Value::Int(form) => form.offset(i128::from(offset)),
            _ => None,
        };
        let form = form.filter(|f| {
            let (low, high) = super::value::range(Ty::I64);
            self.vars.is_within(f, guards, low, high)
        });
        let site = Site { id, kind, bytes: i128::from(ty.bytes()), form: form.clone(), guards: guards.clone() };
        if matches!(space, Space::Shared | Space::Generic) {
            self.shared.push(SharedSite { site: site.clone(), place: self.place });
        }
        if space == Space::Shared {
            return None;
        }
        if space == Space::Generic
            && let Some(form) = &form
        {
            let (low, high) = (i128::from(self.launch.windows.0), i128::from(self.launch.windows.1));
            if self.vars.is_within(form, guards, low, high - 8) {
                return None;
            }
        }
        self.sites.push(site);
        form
    }

    /// What lies at a constant address before the launch, if memory may be trusted to stay.
    fn loaded(&mut self, ty: Ty, access: Access, at: Option<Form>) -> Option<Value> {
        let at = u64::try_from(at?.as_constant()?).ok()?;
        if self.refused.memory || access == Access::Volatile || !ty.is_int() {
            return None;
        }
        let bits = (self.launch.read)(at, ty)?;
        self.trusted.push((at, ty, bits));
        Some(Value::Int(Form::constant(i128::from(scalar::bits::signed(ty, bits)))))
    }

    /// What a service of the run time touches.
    fn service(&mut self, a: &Activation<'a>, rt: Rt, args: &[Val], guards: &Rc<[Form]>) -> Result<(), Failure> {
        match rt {
            Rt::IoBegin
            | Rt::IoEnd
            | Rt::IoPutInt
            | Rt::IoPutReal4
            | Rt::IoPutReal8
            | Rt::IoPutComplex4
            | Rt::IoPutComplex8
            | Rt::IoPutLogical
            | Rt::Stop => Ok(()),
            Rt::ErrorBounds | Rt::ErrorAllocated | Rt::ErrorAlreadyAllocated => {
                self.may_stop = true;
                Ok(())
            }
            Rt::IoPutChar => {
                let arg = |i: usize| args.get(i).map_or(Value::Other, |&v| a.value(v, Ty::I64));
                let (Value::Int(form), Value::Int(length)) = (arg(0), arg(1)) else { return Err(Failure::Beyond) };
                let bytes = self.vars.most(&length, guards, None).max(1);
                let site = Site { id: None, kind: Kind::Read, bytes, form: Some(form), guards: guards.clone() };
                self.shared.push(SharedSite { site: site.clone(), place: self.place });
                self.sites.push(site);
                Ok(())
            }
            _ => Err(Failure::Beyond),
        }
    }
}

impl Activation<'_> {
    fn set(&mut self, reg: Reg, value: Value) {
        match self.mutable.get(&reg) {
            Some(&at) => self.regs[at] = value,
            None => self.temps[reg.index()] = value,
        }
    }

    fn value(&self, val: Val, ty: Ty) -> Value {
        match val {
            Val::Reg(reg) => self.mutable.get(&reg).map_or(&self.temps[reg.index()], |&at| &self.regs[at]).clone(),
            Val::Imm(bits) => match ty {
                Ty::Pred => Value::Cond(Rc::new(Cond::Const(bits & 1 != 0))),
                Ty::F32 | Ty::F64 => Value::Other,
                _ => Value::Int(Form::constant(i128::from(scalar::bits::signed(ty, bits)))),
            },
        }
    }
}

/// Whether an instruction is an access that has a number.
pub(super) fn is_access(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Load { .. } | InstKind::Store { .. } | InstKind::Atomic { .. })
}

/// The number of the first access of each block.
fn access_numbers(f: &Function) -> Vec<u32> {
    let mut next = 0;
    f.blocks
        .iter()
        .map(|block| {
            let first = next;
            next += block.insts.iter().filter(|inst| is_access(&inst.kind)).count() as u32;
            first
        })
        .collect()
}

/// Whether anything in the function depends on the value of a register; to keep it in a variable that nobody reads is no use.
fn is_read(f: &Function, reg: Reg) -> bool {
    let mut pending = vec![reg];
    let mut seen = BTreeSet::from([reg]);
    while let Some(reg) = pending.pop() {
        for block in &f.blocks {
            for inst in &block.insts {
                let mut here = false;
                inst.kind.each_use(|v| here |= v == Val::Reg(reg));
                if !here {
                    continue;
                }
                let InstKind::Un { op: crate::op::UnOp::Mov, dst, .. } = inst.kind else { return true };
                if seen.insert(dst) {
                    pending.push(dst);
                }
            }
            let mut here = false;
            block.term.each_use(|v| here |= v == Val::Reg(reg));
            if here {
                return true;
            }
        }
    }
    false
}

//! One walk over a kernel, for all threads of a launch at once.
//!
//! Blocks are visited in reverse postorder, each once. A temporary has one value, a mutable register one at each place: where
//! ways meet that bring different values, a value of which only bounds are known takes over, and at the head of a loop so do
//! the registers that the loop assigns. An exception are counters (`rounds`): they become their first value plus a multiple
//! of the iteration's number. Calls are walked with the values that they pass (`insts`).
//!
//! A value stands for what the register holds in the iteration that the thread is in, or was in last. Nothing carries a value of
//! an earlier iteration but a register that is assigned in the loop, and that has a value of its own at the loop's head.
//!
//! Loops of the kernel that have barriers can be *unrolled*: their blocks are visited once for each iteration, so that what
//! differs from iteration to iteration in another way than by a constant, such as the halved width of a tree, has its number in
//! each. That is done only where all threads go the same number of rounds, and the walk finds out how many: in each iteration
//! either nobody leaves the loop or nobody goes on. Each visit of a block of the kernel is a [`Visit`]; the visits are a
//! graph like that of the blocks, but for rounds that are apart.

use super::form::Form;
use super::induction::{self, InductionVariable};
use super::insts;
use super::state::{Activation, Failure, Visit, Walk};
use super::stops;
use super::value::{Arithmetic, Value};
use crate::analysis::{Cfg, Dominators, Loop, LoopId, Loops};
use crate::{Bb, FuncId, InstKind, ParamKind, Reg, Term, Ty};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most calls within calls.
const DEPTH: usize = 8;
/// The most iterations of a loop that are visited one by one.
const MAX_UNROLLED: usize = 48;

/// What is known where control goes from one block to another.
struct Way {
    regs: Rc<[Value]>,
    guards: Vec<Form>,
    /// In the kernel: the visit of the block that it comes from.
    from: usize,
}

/// How control goes through a function.
struct Flow {
    cfg: Cfg,
    dom: Dominators,
    loops: Loops,
    /// The number of the first access of each block.
    numbers: Vec<u32>,
    divergent: Vec<bool>,
    /// What leads to blocks that are to be visited.
    ways: Vec<Vec<Way>>,
    /// The latest visit of each block.
    visits: Vec<usize>,
    /// Loops that are being unrolled, by their heads.
    unrolled: BTreeSet<Bb>,
    /// By the heads of loops that read memory: the variable of their iteration number.
    reading: BTreeMap<Bb, Form>,
    /// What RETURN gives, and the guards there.
    returned: Vec<(Vec<Value>, Vec<Form>)>,
}

impl<'a> Walk<'a> {
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

    /// Walks a function; gives what it returns.
    pub(super) fn call(
        &mut self,
        id: FuncId,
        args: &[Value],
        guards: &[Form],
        depth: usize,
    ) -> Result<Vec<Value>, Failure> {
        let Some(f) = self.module.funcs.get(id.index()).filter(|f| !f.blocks.is_empty() && depth < DEPTH) else {
            return Err(Failure::Beyond);
        };
        let cfg = Cfg::new(f);
        let dom = Dominators::new(&cfg);
        let mutable: BTreeMap<Reg, usize> =
            (0..f.regs.len() as u32).map(Reg).filter(|&r| f.is_mutable(r)).enumerate().map(|(i, r)| (r, i)).collect();
        let mut a = Activation {
            f,
            id,
            depth,
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
        if !cfg.preds(Bb(0)).is_empty() {
            return Err(Failure::Beyond);
        }
        let mut flow = Flow {
            loops: Loops::new(&cfg, &dom),
            dom,
            numbers: insts::access_numbers(f),
            divergent: stops::divergent_blocks(f, &cfg),
            ways: f.blocks.iter().map(|_| Vec::new()).collect(),
            visits: vec![0; f.blocks.len()],
            unrolled: BTreeSet::new(),
            reading: BTreeMap::new(),
            returned: Vec::new(),
            cfg,
        };
        let order = flow.cfg.rpo().to_vec();
        self.blocks(&mut a, &mut flow, &order)?;
        Ok(f.results
            .iter()
            .enumerate()
            .map(|(i, &ty)| {
                let ways: Vec<(&Value, &[Form])> =
                    flow.returned.iter().filter_map(|(v, g)| Some((v.get(i)?, g.as_slice()))).collect();
                Arithmetic { vars: &mut self.vars, guards: &[] }.merge(ty, &ways)
            })
            .collect())
    }

    /// Walks the blocks of `order`, a part of the reverse postorder.
    fn blocks(&mut self, a: &mut Activation<'a>, flow: &mut Flow, order: &[Bb]) -> Result<(), Failure> {
        let mut done: BTreeSet<Bb> = BTreeSet::new();
        for &bb in order {
            if done.contains(&bb) {
                continue;
            }
            let head_of = flow.loops.of(bb).filter(|&l| flow.loops.get(l).header == bb);
            if let Some(number) = head_of.filter(|&l| self.is_unrolled(a, flow, l)) {
                self.unroll(a, flow, number)?;
                done.extend(&flow.loops.get(number).blocks);
            } else {
                self.visit(a, flow, bb)?;
            }
        }
        Ok(())
    }

    /// Whether a loop is to be unrolled that is not being unrolled.
    fn is_unrolled(&self, a: &Activation<'a>, flow: &Flow, number: LoopId) -> bool {
        let Loop { header, blocks, .. } = flow.loops.get(number);
        let has_barrier = |bb: &Bb| a.f.block(*bb).insts.iter().any(|i| matches!(i.kind, InstKind::Barrier { .. }));
        self.is_unrolling
            && a.depth == 0
            && !flow.divergent[header.index()]
            && !flow.unrolled.contains(header)
            && !self.refused.unrolled.contains(header)
            && blocks.iter().any(has_barrier)
    }

    /// Visits the iterations of a loop one by one.
    fn unroll(&mut self, a: &mut Activation<'a>, flow: &mut Flow, number: LoopId) -> Result<(), Failure> {
        let Loop { header, blocks, .. } = flow.loops.get(number).clone();
        let order: Vec<Bb> = flow.cfg.rpo().iter().copied().filter(|bb| blocks.contains(bb)).collect();
        let outside = |flow: &Flow| {
            let ways = flow.ways.iter().enumerate();
            ways.filter(|(bb, _)| !blocks.contains(&Bb(*bb as u32))).map(|(_, ways)| ways.len()).sum::<usize>()
        };
        flow.unrolled.insert(header);
        for iteration in 0.. {
            if flow.ways[header.index()].is_empty() {
                break;
            }
            let before = outside(flow);
            self.blocks(a, flow, &order)?;
            let goes_on = !flow.ways[header.index()].is_empty();
            if goes_on && (outside(flow) != before || iteration == MAX_UNROLLED) {
                self.refused.unrolled.insert(header);
                return Err(Failure::Again);
            }
        }
        flow.unrolled.remove(&header);
        Ok(())
    }

    /// Visits a block, if control may come there.
    fn visit(&mut self, a: &mut Activation<'a>, flow: &mut Flow, bb: Bb) -> Result<(), Failure> {
        let ways = std::mem::take(&mut flow.ways[bb.index()]);
        let here = self.visits.len();
        if bb.index() != 0 {
            let from_two_places =
                |&pred: &Bb| !flow.dom.dominates(bb, pred) && flow.cfg.rank(pred) >= flow.cfg.rank(bb);
            if flow.cfg.preds(bb).iter().filter(|&&p| flow.cfg.is_reachable(p)).any(from_two_places) {
                return Err(Failure::Beyond);
            }
            if ways.is_empty() {
                return Ok(());
            }
            self.enter(a, &ways);
        }
        if a.depth == 0 {
            ways.iter().for_each(|way| self.visits[way.from].next.push(here));
            self.visits.push(Visit { bb, next: Vec::new() });
            flow.visits[bb.index()] = here;
        }
        if let Some(number) = flow.loops.of(bb).filter(|&l| flow.loops.get(l).header == bb)
            && !flow.unrolled.contains(&bb)
        {
            let of = flow.loops.get(number);
            let counters = induction::induction_variables(a.f, &flow.dom, &flow.loops, number);
            let iteration = self.enter_loop(a, &counters, of);
            if stops::reads_memory(a.f, of) {
                flow.reading.insert(bb, iteration);
            }
        }
        self.block(a, bb, here, flow.numbers[bb.index()])?;
        self.may_stop |= stops::may_stop(a.f.block(bb), flow.divergent[bb.index()]);
        self.leave(a, flow, bb, here);
        Ok(())
    }

    /// Prepares what is known at the beginning of a block to which these ways lead.
    fn enter(&mut self, a: &mut Activation<'a>, ways: &[Way]) {
        let Some((first, rest)) = ways.split_first() else { return };
        a.guards = first.guards.iter().filter(|g| rest.iter().all(|way| way.guards.contains(g))).cloned().collect();
        for (&reg, &at) in &a.mutable {
            let values: Vec<(&Value, &[Form])> =
                ways.iter().map(|way| (&way.regs[at], way.guards.as_slice())).collect();
            a.regs[at] = Arithmetic { vars: &mut self.vars, guards: &[] }.merge(a.f.ty(reg), &values);
        }
    }

    /// Notes where control may go from the end of a block.
    fn leave(&mut self, a: &Activation<'a>, flow: &mut Flow, bb: Bb, here: usize) {
        let term = &a.f.block(bb).term;
        if let Term::Return(values) = term {
            let types = a.f.results.iter().copied().chain(std::iter::repeat(Ty::I64));
            let values = values.iter().zip(types).map(|(&v, ty)| a.value(v, ty)).collect();
            flow.returned.push((values, a.guards.clone()));
        }
        let branch = match *term {
            Term::Branch { cond, then_bb, else_bb } if then_bb != else_bb => match a.value(cond, Ty::Pred) {
                Value::Cond(cond) => Some((cond, then_bb)),
                _ => None,
            },
            _ => None,
        };
        let regs: Rc<[Value]> = a.regs.as_slice().into();
        for &next in flow.cfg.succs(bb) {
            let is_back = flow.dom.dominates(next, bb);
            if is_back && !flow.unrolled.contains(&next) {
                // The next iteration is the one that was walked.
                if a.depth == 0 {
                    self.visits[here].next.push(flow.visits[next.index()]);
                }
                if let Some(iteration) = flow.reading.get(&next) {
                    self.may_stop |= self.vars.most(iteration, &a.guards, Some(induction::BOUNDED_ITERATIONS))
                        > induction::BOUNDED_ITERATIONS;
                }
                continue;
            }
            let mut guards = a.guards.clone();
            if let Some((cond, then_bb)) = &branch {
                let holds = next == *then_bb;
                if cond.known() == Some(!holds) {
                    continue;
                }
                cond.assume(holds, &self.vars, &mut guards);
            }
            flow.ways[next.index()].push(Way { regs: regs.clone(), guards, from: here });
        }
    }

    /// At the head of a loop: induction variables become forms of the iteration number, other registers that the loop
    /// assigns become unknown. Gives the iteration number.
    fn enter_loop(&mut self, a: &mut Activation<'a>, counters: &[InductionVariable], of: &Loop) -> Form {
        let iteration = Form::symbol(self.vars.fresh(0, induction::MAX_ITERATIONS));
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
            let (Some(now), Some(next)) = (first.plus(&iteration, step), first.offset(step)) else { continue };
            let Some(next) = next.plus(&iteration, step) else { continue };
            a.regs[at] = Value::Int(now);
            a.counters.insert(counter.place, (of.header, next));
            // A loop that goes on while a variable that falls by one is not zero has at most that many more iterations.
            if let Some(late) = counter.until_zero.filter(|_| step == -1)
                && let Some(last) = first.offset(if late { -1 } else { 0 })
                && self.vars.least(&last, &a.guards, Some(0)) >= 0
            {
                guards.extend(last.plus(&iteration, -1));
            }
        }
        for guard in guards {
            self.vars.assume(&mut a.guards, guard);
        }
        iteration
    }
}

//! One walk over a kernel, for all threads of a launch at once.
//!
//! It visits the blocks in reverse postorder, each once. A temporary has one value; a mutable register has one value in each
//! block. Where edges meet that bring different values, the register gets a value of which only bounds are known. At the head of
//! a loop so does each register that the loop assigns, except induction variables (`induction`): they become their first value
//! plus a multiple of the iteration's number. Calls are walked with the values that they pass (`insts`).
//!
//! A value stands for what the register holds in the current iteration of the thread, or in its last one. Only a register that
//! the loop assigns carries a value from one iteration to the next, and such a register has its own value at the loop's head.
//!
//! A loop of the kernel that has barriers can be *unrolled*: the walk visits its blocks once for each iteration. What changes
//! from iteration to iteration by more than a constant, such as the width of a tree that halves, then has a number in each.
//! That is done only if all threads run the same number of iterations. The walk finds out: in each iteration either no thread
//! leaves the loop or every thread does. Each visit of a block of the kernel is a [`Visit`]; the visits form a graph like that
//! of the blocks, in which unrolled iterations are apart.

use super::exact::{self, Region};
use super::form::{Form, Var};
use super::induction::{self, InductionVariable};
use super::insts;
use super::state::{Activation, Failure, Visit, Walk};
use super::stops;
use super::value::{Arithmetic, Value};
use crate::analysis::{Cfg, Dominators, Loop, LoopId, Loops, PostDominators, reached};
use crate::{Bb, FuncId, InstKind, ParamKind, Reg, Term, Ty};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most calls within calls.
const DEPTH: usize = 8;
/// The most iterations of a loop that are visited one by one.
const MAX_UNROLLED: usize = 48;

/// What is known on an edge that leads into a block.
struct Incoming {
    regs: Rc<[Value]>,
    guards: Vec<Form>,
    /// In the kernel: the visit of the block that it comes from.
    from: usize,
}

/// How control goes through a function.
struct Flow {
    cfg: Cfg,
    dom: Dominators,
    pdom: PostDominators,
    /// Which threads exactly come to each block, by the latest visit.
    regions: Vec<Region>,
    loops: Loops,
    /// The number of the first access of each block.
    numbers: Vec<u32>,
    divergent: Vec<bool>,
    /// The numbers of iterations that every thread does which comes to a loop of the function, each with the last.
    counted: BTreeMap<LoopId, (Var, i128)>,
    /// Those of the loops around its call.
    around: Rc<[(Var, i128)]>,
    /// The edges that lead into each block, from the visits so far.
    incoming: Vec<Vec<Incoming>>,
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
        let reached = reached(self.module, id);
        self.has_shared =
            reached.iter().any(|id| self.module.funcs.get(id.index()).is_some_and(|f| !f.shared.is_empty()));
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
        self.call(id, &args, (&[], Some(Rc::default()), Rc::default()), 0).map(|_| ())
    }

    /// Walks a function, which is called under those guards and by the threads of that region; gives what it returns.
    pub(super) fn call(
        &mut self,
        id: FuncId,
        args: &[Value],
        (guards, region, counted): (&[Form], Region, Rc<[(Var, i128)]>),
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
            region,
            counted: counted.clone(),
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
            pdom: PostDominators::new(&cfg),
            regions: vec![None; f.blocks.len()],
            counted: BTreeMap::new(),
            around: counted,
            numbers: insts::access_numbers(f),
            divergent: stops::divergent_blocks(f, &cfg),
            incoming: f.blocks.iter().map(|_| Vec::new()).collect(),
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
                let values: Vec<(&Value, &[Form])> =
                    flow.returned.iter().filter_map(|(v, g)| Some((v.get(i)?, g.as_slice()))).collect();
                Arithmetic { vars: &mut self.vars, guards: &[] }.merge(ty, &values)
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
            let incoming = flow.incoming.iter().enumerate();
            incoming.filter(|(bb, _)| !blocks.contains(&Bb(*bb as u32))).map(|(_, edges)| edges.len()).sum::<usize>()
        };
        flow.unrolled.insert(header);
        for iteration in 0.. {
            if flow.incoming[header.index()].is_empty() {
                break;
            }
            let before = outside(flow);
            self.blocks(a, flow, &order)?;
            let goes_on = !flow.incoming[header.index()].is_empty();
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
        let incoming = std::mem::take(&mut flow.incoming[bb.index()]);
        let here = self.visits.len();
        if bb.index() != 0 {
            let from_two_places =
                |&pred: &Bb| !flow.dom.dominates(bb, pred) && flow.cfg.rank(pred) >= flow.cfg.rank(bb);
            if flow.cfg.preds(bb).iter().filter(|&&p| flow.cfg.is_reachable(p)).any(from_two_places) {
                return Err(Failure::Beyond);
            }
            if incoming.is_empty() {
                return Ok(());
            }
            self.enter(a, &incoming);
            a.region = self.region(a, flow, bb);
        }
        flow.regions[bb.index()].clone_from(&a.region);
        self.has_inner_exit |= a.depth > 0 && matches!(a.f.block(bb).term, Term::Exit);
        if a.depth == 0 {
            incoming.iter().for_each(|edge| self.visits[edge.from].next.push(here));
            self.visits.push(Visit { bb, next: Vec::new() });
            flow.visits[bb.index()] = here;
        }
        if let Some(number) = flow.loops.of(bb).filter(|&l| flow.loops.get(l).header == bb)
            && !flow.unrolled.contains(&bb)
        {
            let of = flow.loops.get(number);
            let counters = induction::induction_variables(a.f, &flow.dom, &flow.loops, number);
            let leaving = |bb: &Bb| flow.cfg.succs(*bb).iter().filter(|next| !of.blocks.contains(next)).count();
            let has_one_exit = of.blocks.iter().map(leaving).sum::<usize>() == 1;
            let (iteration, count) = self.enter_loop(a, &counters, of, has_one_exit);
            if let Some(count) = count {
                flow.counted.insert(number, count);
            }
            if stops::reads_memory(a.f, of) {
                flow.reading.insert(bb, iteration);
            }
        }
        let outer = std::iter::successors(flow.loops.of(bb), |&l| flow.loops.get(l).parent);
        let own = outer.filter_map(|l| flow.counted.get(&l).copied());
        a.counted = flow.around.iter().copied().chain(own).collect();
        self.block(a, bb, here, flow.numbers[bb.index()])?;
        self.may_stop |= stops::may_stop(a.f.block(bb), flow.divergent[bb.index()]);
        self.leave(a, flow, bb, here);
        Ok(())
    }

    /// Which threads exactly come to a block that is not the first.
    fn region(&self, a: &Activation<'a>, flow: &Flow, bb: Bb) -> Region {
        let idom = flow.dom.idom(bb)?;
        let from = &flow.regions[idom.index()];
        if exact::always_follows(&flow.pdom, idom, bb) {
            return from.clone();
        }
        let Term::Branch { cond, then_bb, else_bb } = a.f.block(idom).term else { return None };
        let mut ways = flow.cfg.preds(bb).iter().filter(|&&pred| !flow.dom.dominates(bb, pred));
        let is_only_way = then_bb != else_bb && ways.all(|&pred| pred == idom);
        match a.value(cond, Ty::Pred) {
            Value::Cond(cond) if is_only_way => exact::narrowed(from, &cond, bb == then_bb, &self.vars),
            _ => None,
        }
    }

    /// Joins what is known on the edges into a block.
    fn enter(&mut self, a: &mut Activation<'a>, incoming: &[Incoming]) {
        let Some((first, rest)) = incoming.split_first() else { return };
        a.guards = first.guards.iter().filter(|g| rest.iter().all(|edge| edge.guards.contains(g))).cloned().collect();
        for (&reg, &at) in &a.mutable {
            let values: Vec<(&Value, &[Form])> =
                incoming.iter().map(|edge| (&edge.regs[at], edge.guards.as_slice())).collect();
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
            flow.incoming[next.index()].push(Incoming { regs: regs.clone(), guards, from: here });
        }
    }

    /// At the head of a loop: induction variables become forms of the iteration number, other registers that the loop
    /// assigns become unknown. Gives the iteration number, and if all threads do the same iterations and leave the loop at its one exit,
    /// its variable and the last one.
    fn enter_loop(
        &mut self,
        a: &mut Activation<'a>,
        counters: &[InductionVariable],
        of: &Loop,
        has_one_exit: bool,
    ) -> (Form, Option<(Var, i128)>) {
        let number = self.vars.fresh(0, induction::MAX_ITERATIONS);
        let iteration = Form::symbol(number);
        let mut assigned = BTreeSet::new();
        for bb in &of.blocks {
            for inst in &a.f.block(*bb).insts {
                inst.kind.each_def(|r| {
                    assigned.insert(r);
                });
            }
        }
        let before = a.regs.clone();
        let (mut guards, mut count) = (Vec::new(), None);
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
            // The first iteration is bounded by what is known before the loop, the others by the test that has led to them.
            if let Some(room) = self.room(a, counter, (&first, step), &assigned)
                && self.vars.least(&room, &a.guards, Some(0)) >= 0
            {
                guards.extend(room.plus(&iteration, -step.abs()));
                if has_one_exit && let Some(room) = room.as_constant() {
                    count = Some((number, room / step.abs()));
                }
            }
        }
        for guard in guards {
            self.vars.assume(&mut a.guards, guard);
        }
        (iteration, count)
    }
}

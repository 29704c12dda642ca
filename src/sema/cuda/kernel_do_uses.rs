//! What the body of `!$cuf kernel do` does with the variables around it.

use super::kernel_do::op_fits;
use super::uses::is_own;
use crate::checked::visit::Role;
use crate::checked::{
    Actual, BinaryOp, Block, Expr, ExprKind, Intrinsic, LogicOp, LoopControl, LoopId, ReduceOp, Stmt, StmtKind,
    Storage, VarId, is_designator, root, visit,
};
use crate::checker::{Checker, Definitions};
use crate::typing::{Typing, is_same_object};
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// What became of the variables of a body.
pub(super) struct Uses {
    pub(super) reductions: Vec<(VarId, ReduceOp)>,
    pub(super) private: Vec<VarId>,
    pub(super) captured: Vec<VarId>,
}

/// What is known of one variable.
struct VarUse {
    is_host_scalar: bool,
    /// Whether an iteration may read it before it has assigned it.
    read_first: bool,
    assigned: bool,
    /// Whether a round of an inner loop may have assigned it, such as the first.
    assigned_in_round: bool,
    plain_reads: bool,
    plain_writes: bool,
    /// Whether an assignment, perhaps under a condition, stands before its first accumulation.
    set_before: bool,
    /// Where it is assigned under a condition that looks at it, as in `if (x > m) m = x`.
    compared: Option<Span>,
    /// Where it gets a value made of its own that is no reduction, as in `s = 2*s + x`.
    recurs: Option<Span>,
    /// The operation of all its accumulations; an error when they differ.
    reduction: Option<Result<ReduceOp, ()>>,
    span: Span,
}

struct Scan<'c> {
    defs: &'c Definitions<'c>,
    own_from: u32,
    state: BTreeMap<VarId, VarUse>,
    order: Vec<VarId>,
    /// The components of host objects that were assigned.
    components: Vec<Expr>,
    /// The variables that procedures got, which may assign them and their components.
    passed: BTreeSet<VarId>,
    /// The ASSOCIATE names that are read.
    names_read: BTreeSet<VarId>,
    in_condition: u32,
    in_loop: u32,
}

impl<'c> Scan<'c> {
    fn of(defs: &'c Definitions<'c>, body: &[Stmt], own_from: Option<u32>) -> Self {
        let mut scan = Scan {
            defs,
            own_from: own_from.unwrap_or(u32::MAX),
            state: BTreeMap::new(),
            order: Vec::new(),
            components: Vec::new(),
            passed: BTreeSet::new(),
            names_read: BTreeSet::new(),
            in_condition: 0,
            in_loop: 0,
        };
        scan.block(body);
        scan
    }

    fn entry(&mut self, id: VarId, span: Span) -> Option<&mut VarUse> {
        if is_own(self.defs, self.own_from, id) {
            return None;
        }
        let var = self.defs.var(id);
        if matches!(var.storage, Storage::Procedure) {
            return None;
        }
        if !self.state.contains_key(&id) {
            self.order.push(id);
        }
        let is_host_scalar = var.shape.rank() == 0
            && matches!(var.attrs.cuda, None | Some(ast::CudaAttr::Pinned))
            && !matches!(var.storage, Storage::Parameter);
        Some(self.state.entry(id).or_insert(VarUse {
            is_host_scalar,
            read_first: false,
            assigned: false,
            assigned_in_round: false,
            plain_reads: false,
            plain_writes: false,
            set_before: false,
            compared: None,
            recurs: None,
            reduction: None,
            span,
        }))
    }

    fn read(&mut self, id: VarId, span: Span) {
        if let Storage::Alias(target) = &self.defs.var(id).storage {
            let target = target.clone();
            self.names_read.insert(id);
            self.reads(&target);
            return;
        }
        if let Some(s) = self.entry(id, span) {
            s.plain_reads = true;
            s.read_first |= !s.assigned;
        }
    }

    fn reads(&mut self, e: &Expr) {
        let (mut found, mut asked) = (Vec::new(), Vec::new());
        visit::descend(e, &mut |node| match &node.kind {
            ExprKind::Var(id) => {
                found.push((*id, node.span));
                true
            }
            // PRESENT asks for no value.
            ExprKind::Intrinsic { id: Intrinsic::Present, args } => {
                asked.extend(args.iter().flatten().filter_map(|e| Some((root(e)?, e.span))));
                false
            }
            _ => true,
        });
        for (id, span) in asked {
            self.entry(self.behind(id), span);
        }
        for (id, span) in found {
            self.read(id, span);
        }
    }

    /// The variables that a call gets for dummies with one of these intents.
    fn given_for<'s>(&self, s: &'s Stmt, intent: ast::Intent) -> Vec<&'s Expr> {
        let StmtKind::Call { proc, args } = &s.kind else { return Vec::new() };
        let is_it = |param: VarId| self.defs.var(param).attrs.intent == Some(intent);
        let given = self.defs.proc(*proc).params.iter().zip(args).filter(|(param, _)| is_it(**param));
        let given = given.filter_map(|(_, actual)| actual.as_ref()?.expr());
        given.filter(|e| matches!(e.kind, ExprKind::Var(_))).collect()
    }

    fn write(&mut self, target: &Expr) {
        // The subscripts are read.
        let mut found = Vec::new();
        visit::descend(target, &mut |node| {
            if let ExprKind::Var(id) = node.kind {
                found.push((id, node.span));
            }
            true
        });
        let base = root(target);
        let mut skipped = false;
        for (id, span) in found {
            if !skipped && Some(id) == base {
                skipped = true;
                continue;
            }
            self.read(id, span);
        }
        let Some(id) = base else { return };
        if let Storage::Alias(aliased) = &self.defs.var(id).storage {
            let aliased = aliased.clone();
            self.write(&aliased);
            return;
        }
        let whole = matches!(target.kind, ExprKind::Var(_));
        if matches!(target.kind, ExprKind::Field { .. } | ExprKind::ComplexPart { .. }) {
            self.components.push(target.clone());
        }
        let unconditional = self.in_condition == 0;
        let in_round = self.in_loop > 0;
        if let Some(s) = self.entry(id, target.span) {
            s.plain_writes = true;
            s.assigned |= whole && unconditional;
            s.assigned_in_round |= in_round;
            s.read_first |= !whole && !s.assigned;
        }
    }

    /// The variable that a name stands for as a whole.
    fn behind(&self, id: VarId) -> VarId {
        match &self.defs.var(id).storage {
            Storage::Alias(of) => match of.kind {
                ExprKind::Var(inner) => self.behind(inner),
                _ => id,
            },
            _ => id,
        }
    }

    /// The designator that an ASSOCIATE name of the loop stands for; else what is given.
    fn named_by(&self, target: &Expr) -> Expr {
        if let ExprKind::Var(id) = target.kind
            && is_own(self.defs, self.own_from, id)
            && let Storage::Alias(of) = &self.defs.var(id).storage
        {
            return self.named_by(of);
        }
        target.clone()
    }

    /// Notes the variables that the procedures of a statement get.
    fn note_passed(&mut self, s: &Stmt) {
        let note = |args: &[Option<Actual>], passed: &mut BTreeSet<VarId>| {
            let given = args.iter().flatten().filter_map(Actual::expr).filter(|e| is_designator(e));
            passed.extend(given.filter_map(root));
        };
        if let StmtKind::Call { args, .. } = &s.kind {
            note(args, &mut self.passed);
        }
        visit::statement_exprs(s, &mut |e, _| {
            visit::all(e, &mut |part| {
                if let ExprKind::Call { args, .. } = &part.kind {
                    note(args, &mut self.passed);
                }
            });
        });
    }

    /// Notes the scalars that a body assigns and its condition looks at.
    fn note_compared(&mut self, condition: &Expr, body: &Block) {
        for s in body {
            if let StmtKind::Assign { target, .. } = &s.kind
                && let ExprKind::Var(id) = target.kind
                && mentions(condition, id)
                && let Some(state) = self.entry(self.behind(id), target.span).filter(|st| st.is_host_scalar)
            {
                state.compared.get_or_insert(target.span);
            }
        }
    }

    /// The variables that are set by now.
    fn assigned(&self) -> BTreeSet<VarId> {
        self.state.iter().filter(|(_, u)| u.assigned).map(|(id, _)| *id).collect()
    }

    fn block(&mut self, body: &[Stmt]) {
        for s in body {
            self.stmt(s);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        if let StmtKind::Assign { target, value } = &s.kind
            && let ExprKind::Var(id) = target.kind
            && let Some((op, others)) = accumulation(id, value)
        {
            for e in others {
                self.reads(e);
            }
            let fits = op_fits(op, &target.ty);
            if let Some(state) = self.entry(self.behind(id), target.span).filter(|st| st.is_host_scalar) {
                state.set_before |= state.reduction.is_none() && state.plain_writes;
                state.reduction = Some(match state.reduction {
                    None if fits => Ok(op),
                    Some(Ok(old)) if old == op => Ok(op),
                    _ => Err(()),
                });
                state.read_first |= !state.assigned;
                return;
            }
        } else if let StmtKind::Assign { target, value } = &s.kind
            && let ExprKind::Var(id) = target.kind
            && mentions(value, id)
            && let Some(state) = self.entry(self.behind(id), target.span)
            && !state.assigned
            // What a call gets may have been assigned there, and a round of a loop may have begun with a value. What was
            // assigned under a condition before is taken as assigned.
            && !state.plain_reads
            && !state.plain_writes
            && !state.assigned_in_round
        {
            state.recurs = state.recurs.or(Some(target.span));
        }
        if let StmtKind::Assign { target, value } = &s.kind
            && let named = self.named_by(target)
            && let (ExprKind::Field { .. } | ExprKind::ComplexPart { .. }, Some(id)) = (&named.kind, root(&named))
            && target.rank == 0
            && (holds_component(value, &named) || holds_component(value, target))
            && !self.passed.contains(&id)
            && let is_set = self.components.iter().any(|c| is_same_object(c, &named))
            && let Some(state) = self.entry(id, target.span)
            && !state.assigned
            && !is_set
        {
            state.recurs = state.recurs.or(Some(target.span));
        }
        if let StmtKind::If(arms) = &s.kind {
            for (condition, body, _) in arms {
                condition.iter().for_each(|e| self.note_compared(e, body));
            }
        }
        self.note_passed(s);
        if let StmtKind::Block { vars, .. } = &s.kind {
            let vars: Vec<_> = vars.iter().map(|&v| self.defs.var(v)).collect();
            vars.into_iter().flat_map(visit::declared_exprs).for_each(|e| self.reads(e));
        }
        let mut targets = Vec::new();
        // Of what is only defined the value is not asked for.
        let (only_defined, defined_too) = (self.given_for(s, ast::Intent::Out), self.given_for(s, ast::Intent::InOut));
        let is_one_of = |list: &[&Expr], e: &Expr| list.iter().any(|of| std::ptr::eq(*of, e));
        visit::statement_exprs(s, &mut |e, role| match role {
            Role::Definition => targets.push(e),
            Role::Value if is_one_of(&only_defined, e) => targets.push(e),
            Role::Value => {
                self.reads(e);
                if is_one_of(&defined_too, e) {
                    targets.push(e);
                }
            }
        });
        for target in targets {
            self.write(target);
        }
        let conditional = !matches!(s.kind, StmtKind::Block { .. });
        self.in_condition += u32::from(conditional);
        let is_loop = u32::from(matches!(s.kind, StmtKind::Loop { .. }));
        self.in_loop += is_loop;
        // What an EXIT of a construct passes by is not surely set behind it.
        let before_construct =
            matches!(&s.kind, StmtKind::Block { id, body, .. } if may_leave(body, *id)).then(|| self.assigned());
        let mut set_by_all: Option<BTreeSet<VarId>> = None;
        visit::blocks(s, &mut |inner| {
            // What one arm sets is not set in the next.
            let before = self.assigned();
            let depth = std::mem::take(&mut self.in_condition);
            self.block(inner);
            self.in_condition = depth;
            if conditional {
                let set = self.assigned();
                set_by_all = Some(set_by_all.as_ref().map_or_else(|| set.clone(), |all| all & &set));
                for (id, state) in &mut self.state {
                    state.assigned = before.contains(id);
                }
            }
        });
        // After the construct is set what all arms set, if one of them surely runs.
        if let Some(all) = set_by_all.filter(|_| runs_an_arm(s)) {
            for id in all {
                if let Some(state) = self.state.get_mut(&id) {
                    state.assigned = true;
                }
            }
        }
        if let Some(before) = before_construct {
            for (id, state) in &mut self.state {
                state.assigned = before.contains(id);
            }
        }
        self.in_loop -= is_loop;
        self.in_condition -= u32::from(conditional);
        // A counted inner loop sets its variable even when it does not run.
        if let StmtKind::Loop { control, .. } = &s.kind
            && let Some(var) = loop_variable(control)
            && let Some(state) = self.state.get_mut(&var)
        {
            state.assigned = true;
        }
    }
}

/// Whether a statement of a construct leaves it early: EXIT, or a jump.
fn may_leave(body: &Block, id: LoopId) -> bool {
    let mut found = false;
    visit::statements(body, &mut |s| {
        found |= match &s.kind {
            StmtKind::Exit(of) => *of == id,
            StmtKind::Goto(_) | StmtKind::ComputedGoto(..) | StmtKind::ArithmeticIf(..) => true,
            _ => false,
        };
    });
    found
}

/// Whether one of the blocks of a construct is executed in any case.
fn runs_an_arm(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::If(arms) => arms.last().is_some_and(|arm| arm.0.is_none()),
        StmtKind::Select { arms, .. } => arms.iter().any(|arm| arm.0.is_none()),
        _ => false,
    }
}

/// Whether a component of a variable occurs in an expression.
fn holds_component(e: &Expr, component: &Expr) -> bool {
    let mut found = false;
    visit::descend(e, &mut |part| {
        found |= is_same_object(part, component);
        !found
    });
    found
}

/// Whether a variable occurs in an expression.
fn mentions(e: &Expr, id: VarId) -> bool {
    let mut found = false;
    visit::descend(e, &mut |n| {
        found |= matches!(n.kind, ExprKind::Var(v) if v == id);
        !found
    });
    found
}

/// Whether `value` accumulates into a variable: the operation and the other operands.
fn accumulation(id: VarId, value: &Expr) -> Option<(ReduceOp, Vec<&Expr>)> {
    let is_it = |e: &Expr| matches!(bare(e).kind, ExprKind::Var(v) if v == id);
    let uses = |e: &Expr| mentions(e, id);
    let pair = |op: ReduceOp, a: &'_ Expr, b: &'_ Expr| -> Option<(ReduceOp, bool)> {
        if is_it(a) && !uses(b) {
            Some((op, true))
        } else if is_it(b) && !uses(a) {
            Some((op, false))
        } else {
            None
        }
    };
    match &bare(value).kind {
        ExprKind::Binary { op: BinaryOp::Sub, left, right } if is_it(left) && !uses(right) => {
            Some((ReduceOp::Add, vec![right]))
        }
        ExprKind::Binary { op, left, right } => {
            let reduce = match op {
                BinaryOp::Add | BinaryOp::Sub => ReduceOp::Add,
                BinaryOp::Mul => ReduceOp::Mul,
                _ => return None,
            };
            if *op != BinaryOp::Sub
                && let Some((op, first)) = pair(reduce, left, right)
            {
                return Some((op, vec![if first { right } else { left }]));
            }
            // `s + a + b` is `(s + a) + b`, and so is `s + a - b`.
            if !uses(right)
                && let Some((inner, mut others)) = accumulation(id, left)
                && inner == reduce
            {
                others.push(right);
                return Some((reduce, others));
            }
            None
        }
        ExprKind::Logic { op, left, right } => {
            let reduce = match op {
                LogicOp::And => ReduceOp::And,
                LogicOp::Or => ReduceOp::Or,
                LogicOp::Eqv => ReduceOp::Eqv,
                LogicOp::Neqv => ReduceOp::Neqv,
            };
            pair(reduce, left, right).map(|(op, first)| (op, vec![if first { &**right } else { &**left }]))
        }
        ExprKind::Intrinsic { id: name, args } => {
            let reduce = match name {
                Intrinsic::Max => ReduceOp::Max,
                Intrinsic::Min => ReduceOp::Min,
                Intrinsic::Iand => ReduceOp::Iand,
                Intrinsic::Ior => ReduceOp::Ior,
                Intrinsic::Ieor => ReduceOp::Ieor,
                _ => return None,
            };
            let args: Vec<&Expr> = args.iter().flatten().collect();
            let own = args.iter().filter(|e| is_it(e)).count();
            let others: Vec<&Expr> = args.into_iter().filter(|e| !is_it(e)).collect();
            (own == 1 && !others.iter().any(|e| uses(e))).then_some((reduce, others))
        }
        _ => None,
    }
}

fn bare(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Paren(inner) | ExprKind::Convert(inner) => bare(inner),
        _ => e,
    }
}

impl Typing<'_> {
    /// Sorts the variables of a body into reductions, private ones and captured ones.
    ///
    /// Those of `locals` are private because the loop says so.
    pub(super) fn classify(
        &mut self,
        body: &Block,
        loops: &[VarId],
        locals: &[VarId],
        own_from: Option<u32>,
        written: Vec<(VarId, ReduceOp)>,
    ) -> Uses {
        let Scan { state, order, names_read, .. } = Scan::of(self.defs, body, own_from);
        let mut uses = Uses { reductions: written, private: Vec::new(), captured: Vec::new() };
        for id in order {
            let Some(s) = state.get(&id) else { continue };
            if loops.contains(&id) || uses.reductions.iter().any(|r| r.0 == id) {
                continue;
            }
            if !s.is_host_scalar {
                uses.captured.push(id);
                continue;
            }
            let is_local = locals.contains(&id);
            match (&s.reduction, s.plain_reads || names_read.contains(&id), s.plain_writes) {
                (Some(Ok(op)), false, false) if !is_local => {
                    uses.reductions.push((id, *op));
                    continue;
                }
                (Some(_), ..) => {
                    // A private sum is first set, then added to; without the setting it is no reduction either.
                    if s.read_first && !s.set_before && !is_local {
                        let var = self.defs.var(id);
                        let text = format!("`{}` is accumulated over the iterations and used otherwise, too", var.name);
                        let d = Diagnostic::new(Code::KernelDoReduction, s.span, text);
                        self.reporter.report(d.help("a reduction variable has only statements like `s = s + x`"));
                        continue;
                    }
                }
                (None, ..) => {
                    if is_local {
                    } else if let Some(at) = s.compared.filter(|_| s.read_first) {
                        let name = &self.defs.var(id).name;
                        let text =
                            format!("each thread compares `{name}` with a copy of its own, and assigns that copy");
                        let d = Diagnostic::new(Code::ComparedInKernelDo, at, text);
                        let d = d.note(format!(
                            "the loop leaves `{name}` as it was: only sums, `max(…)` and so on are reductions"
                        ));
                        self.reporter.report(d.help(format!("write `{name} = max({name}, …)` or `min`, without `if`")));
                    } else if let Some(at) = s.recurs {
                        let name = &self.defs.var(id).name;
                        let text = format!("each thread has a copy of `{name}` of its own, and goes on from that");
                        let d = Diagnostic::new(Code::ComparedInKernelDo, at, text);
                        self.reporter.report(d.note(format!(
                            "the loop leaves `{name}` as it was: only sums, `max(…)` and so on are reductions"
                        )));
                    }
                }
            }
            if s.plain_writes || s.reduction.is_some() {
                uses.private.push(id);
            }
            if s.read_first || !(s.plain_writes || s.reduction.is_some()) {
                uses.captured.push(id);
            }
        }
        uses
    }

    /// Warns of scalars that are assigned between the loops and that the innermost loop goes on from: the assignment is repeated
    /// in each iteration.
    pub(super) fn note_carried(&mut self, inner: &[Stmt], assigned: &[(VarId, Span)], own_from: Option<u32>) {
        if assigned.is_empty() {
            return;
        }
        let scan = Scan::of(self.defs, inner, own_from);
        for &(id, span) in assigned {
            let is_carried = |s: &VarUse| s.read_first && (s.plain_writes || s.reduction.is_some());
            if !scan.state.get(&id).is_some_and(is_carried) {
                continue;
            }
            let name = &self.defs.var(id).name;
            let text = format!("`{name}` is assigned between the loops, and each iteration begins with that value");
            let d = Diagnostic::new(Code::ComparedInKernelDo, span, text);
            let d = d.note(format!("the value of `{name}` does not go on from one iteration to the next"));
            self.reporter.report(d.help("give a smaller number of loops"));
        }
    }
}

impl Checker<'_> {
    /// Refuses scalars of one kernel that share memory, if one of them is assigned: each would be a copy of its own.
    pub(super) fn refuse_shared_memory(&mut self, uses: &Uses) -> Option<()> {
        let assigned: Vec<VarId> =
            uses.private.iter().copied().chain(uses.reductions.iter().map(|(id, _)| *id)).collect();
        let mut places = Vec::new();
        for &id in assigned.iter().chain(&uses.captured) {
            let var = self.defs.var(id);
            let Storage::Associated { base, offset } = var.storage else { continue };
            let (name, ty, span) = (var.name.clone(), var.ty.clone(), var.span);
            let bytes = self.size_of(&ty).map_or(0, |(bytes, _)| bytes);
            places.push((id, base, offset, offset + bytes, name, span));
        }
        for (id, base, from, to, name, span) in &places {
            let shares = places.iter().find(|p| p.0 != *id && p.1 == *base && p.2 < *to && *from < p.3);
            if let (true, Some(other)) = (assigned.contains(id), shares) {
                let text = format!("assignment to `{name}`, which shares memory with `{}`, in a `!$cuf` loop", other.4);
                return self.reporter.refuse(*span, text);
            }
        }
        Some(())
    }
}

/// The variable of a counted loop.
fn loop_variable(control: &LoopControl) -> Option<VarId> {
    match control {
        LoopControl::Count { var, .. } => root(var),
        _ => None,
    }
}

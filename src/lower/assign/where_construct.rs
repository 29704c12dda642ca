//! WHERE (Fortran 2018, 10.2.3).
//!
//! If nothing in a WHERE can change its masks, and they call pure functions only, each assignment evaluates them again, element by
//! element. Otherwise each mask is evaluated once into a temporary. An element is assigned if its mask holds and the masks of the preceding
//! arms do not; a nested WHERE adds to the enclosing conditions. A mask is evaluated only where the conditions before it
//! hold. `forall` lowers a WHERE in a FORALL that reads what it assigns.

use crate::analysis::expressions::has_effects;
use crate::analysis::overlap::{conflicts, reads, storage_root};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::expr::scattered::scattered;
use crate::function::FunctionLowering;
use crate::types::{assigns_components, has_final};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::element_lvalue;
use ir::op::BinOp;
use ir::{Ty, Val};
use sema::checked::{Actual, Expr, ProcId, Program, Stmt, StmtKind, Type, VarId};
use source::Span;

/// The arms of a WHERE: mask, statements, place.
pub(crate) type Arms = [(Option<Expr>, Vec<Stmt>, Span)];

/// A condition on the elements that are assigned.
#[derive(Clone)]
pub(crate) struct Condition<'p> {
    /// The mask.
    pub(crate) mask: &'p Expr,
    /// The mask as it was at the beginning.
    pub(crate) value: Option<ArrayView>,
    /// Whether it must hold, or must not.
    pub(crate) wanted: bool,
}

impl<'p> FunctionLowering<'_, 'p> {
    pub(crate) fn where_construct(&mut self, arms: &'p Arms) {
        let mut assigned = Vec::new();
        assigned_in(&self.b, arms, &mut assigned);
        let mut masks = Vec::new();
        masks_of(arms, &mut masks);
        let stable = !may_change_others(self.b.program(), arms)
            && assigned.iter().all(|&v| masks.iter().all(|m| !reads(self.b.program(), m, v)))
            && !masks.iter().any(|m| has_effects(self.b.program(), m));
        self.where_arms(arms, &[], stable);
    }

    fn where_arms(&mut self, arms: &'p Arms, outer: &[Condition<'p>], stable: bool) {
        let mut conditions = outer.to_vec();
        for (mask, body, span) in arms {
            let mut mine = conditions.clone();
            if let Some(mask) = mask {
                self.at(*span, |this| {
                    let value = (!stable).then(|| this.materialise_mask(mask, &mine));
                    mine.push(Condition { mask, value: value.clone(), wanted: true });
                    conditions.push(Condition { mask, value, wanted: false });
                });
            }
            for s in body {
                self.b.mark(s.span);
                match &s.kind {
                    StmtKind::Where(arms) => self.where_arms(arms, &mine, stable),
                    _ => self.scope(|this| this.masked_statement(s, &mine)),
                }
            }
        }
    }

    fn masked_statement(&mut self, s: &'p Stmt, conditions: &[Condition<'p>]) {
        match &s.kind {
            StmtKind::Assign { target, value } => {
                self.refuse_owners(target);
                match scattered(self.b.program(), target) {
                    Some(_) => self.masked_parts(target, value, conditions, None),
                    None => self.masked_assign(target, value, conditions),
                }
            }
            StmtKind::Call { proc, args } => self.masked_call(*proc, args, conditions),
            // What a function's result points to is assigned by a name.
            StmtKind::Block { vars, body, .. } => {
                for &v in vars {
                    self.storage.take(v);
                    self.come_to_life(v);
                }
                body.iter().for_each(|s| self.masked_statement(s, conditions));
            }
            _ => self.b.unsupported("this statement in a WHERE construct"),
        }
    }

    /// The value of a mask, false where the enclosing conditions do not hold: there it is not evaluated.
    fn materialise_mask(&mut self, mask: &'p Expr, conditions: &[Condition<'p>]) -> ArrayView {
        if let Some(outer) = conditions.first().and_then(|c| c.value.as_ref()) {
            let copy = self.b.temporary_array(&mask.ty, None, &outer.extents());
            self.b.fill(&copy, &Value::Pred(Val::pred(false)), &mask.ty);
            self.masked_value(&copy, mask, conditions);
            return copy;
        }
        let view = self.view(mask);
        // A variable may change before the mask is used.
        if sema::checked::is_designator(mask) {
            let extents = view.extents();
            let copy = self.b.temporary_array(&mask.ty, None, &extents);
            self.b.copy_array(&copy, &view, &mask.ty);
            return copy;
        }
        view
    }

    fn prepare_conditions(&mut self, conditions: &[Condition<'p>], operands: &mut Operands) {
        for c in conditions {
            match &c.value {
                Some(view) => operands.insert(c.mask, Operand::View(view.clone())),
                None => self.prepare(c.mask, operands),
            }
        }
    }

    /// Whether all conditions hold for the current element. A mask is evaluated only if those before it hold.
    fn holds(&mut self, conditions: &[Condition<'p>]) -> Val {
        let Some((last, before)) = conditions.split_last() else { return Val::pred(true) };
        let all = self.holds(before);
        if before.is_empty() || self.is_pure(last.mask) {
            let p = self.condition(last);
            return self.b.combine(BinOp::And, all, p);
        }
        let result = self.b.mutable(Ty::Pred);
        self.b.set(result, all);
        self.when(all, |this| {
            let p = this.condition(last);
            this.b.set(result, p);
        });
        self.b.freeze(result.into())
    }

    fn condition(&mut self, c: &Condition<'p>) -> Val {
        let p = self.pred(c.mask);
        if c.wanted { p } else { self.b.negate(p) }
    }

    fn masked_assign(&mut self, target: &'p Expr, value: &'p Expr, conditions: &[Condition<'p>]) {
        let Some(view) = self.designator_view(target) else {
            return self.b.unsupported("an assignment to this object in a WHERE construct");
        };
        self.masked_assign_to(&view, target, value, conditions, None);
    }

    /// An assignment to parts of objects that have no stride between them; `ready` is the value where it is known already.
    pub(crate) fn masked_parts(
        &mut self,
        target: &'p Expr,
        value: &'p Expr,
        conditions: &[Condition<'p>],
        ready: Option<ArrayView>,
    ) {
        let mut operands = Operands::masked();
        self.prepare_parts(target, &mut operands);
        let extents = operands.extents(target).unwrap_or_default();
        let from = match ready {
            Some(ready) => ready,
            None => {
                let len = matches!(value.ty, Type::Character(_)).then(|| self.length_of(value, None)).flatten();
                let fresh = self.b.temporary_array(&value.ty, len, &extents);
                self.masked_value(&fresh, value, conditions);
                fresh
            }
        };
        self.prepare_conditions(conditions, &mut operands);
        self.for_each_element(operands, &extents, &[&from], &mut |this, index, linear| {
            let holds = this.holds(conditions);
            this.when(holds, |this| {
                let mem = this.b.element_pos(&from, index, linear);
                let v = this.b.load_value(element_lvalue(mem, from.len), &value.ty);
                let place = this.lvalue(target);
                this.at(target.span, |this| this.check_assigned(place, target, &v));
                this.b.assign_element(place, &target.ty, &v);
            });
        });
    }

    /// Assigns those elements of a target for which the conditions hold; `ready` is the value where it is known already.
    pub(crate) fn masked_assign_to(
        &mut self,
        view: &ArrayView,
        target: &'p Expr,
        value: &'p Expr,
        conditions: &[Condition<'p>],
        ready: Option<ArrayView>,
    ) {
        let extents = view.extents();
        let ty = &target.ty;
        let remote = self.b.is_remote(view.mem);
        let view = &self.sized_view(view.clone(), ty);
        let mut to = view.clone();
        if remote {
            to = self.b.temporary_bytes(ty, view.len, &extents);
            self.b.copy_array(&to, view, ty);
        }
        let is_ready = ready.is_some();
        let mut operands = Operands::masked();
        match ready {
            Some(ready) => operands.insert(value, Operand::View(ready)),
            None => self.prepare(value, &mut operands),
        }
        self.prepare_conditions(conditions, &mut operands);
        check_masked(&mut self.b, &operands, value, &extents, conditions);
        // What is finalised, or assigned by procedures, may change the value with the target.
        let calls = has_final(self.b.program(), ty) || assigns_components(self.b.program(), ty);
        let changes = conflicts(self.b.program(), target, value) || calls && self.may_share(target, value);
        if !remote && !is_ready && changes {
            let fresh = self.b.temporary_array(ty, view.len, &extents);
            self.masked_store((&fresh, None), operands, &extents, value, conditions);
            let mut operands = Operands::default();
            operands.insert(value, Operand::View(fresh));
            self.prepare_conditions(conditions, &mut operands);
            return self.masked_store((&to, Some(target)), operands, &extents, value, conditions);
        }
        self.masked_store((&to, Some(target)), operands, &extents, value, conditions);
        if remote {
            self.b.copy_array(view, &to, ty);
        }
    }

    /// A defined assignment to those elements for which the conditions hold.
    fn masked_call(&mut self, proc: ProcId, args: &'p [Option<Actual>], conditions: &[Condition<'p>]) {
        let proc = self.callee(proc);
        let known = assignment_of(args).filter(|_| self.b.program().proc(proc).elemental);
        let known = known.and_then(|(target, value)| Some((target, value, self.designator_view(target)?)));
        let Some((target, value, view)) = known.filter(|(.., view)| !self.b.is_remote(view.mem)) else {
            return self.b.unsupported("this defined assignment in a WHERE construct");
        };
        let extents = view.extents();
        let ready = if value.rank > 0 && conflicts(self.b.program(), target, value) {
            let len = matches!(value.ty, Type::Character(_)).then(|| self.length_of(value, None)).flatten();
            let fresh = self.b.temporary_array(&value.ty, len, &extents);
            self.masked_value(&fresh, value, conditions);
            Some(Operand::View(fresh))
        } else {
            (value.rank == 0).then(|| Operand::Value(self.scalar_copy(value)))
        };
        let mut operands = Operands::masked();
        match ready {
            Some(ready) => operands.insert(value, ready),
            None => self.prepare(value, &mut operands),
        }
        self.masked_calls(proc, args, (target, &view), (value, operands), conditions);
    }

    /// The same with a value that is known.
    pub(crate) fn masked_call_to(
        &mut self,
        proc: ProcId,
        args: &'p [Option<Actual>],
        place: (&'p Expr, &ArrayView),
        (value, ready): (&'p Expr, Operand),
        conditions: &[Condition<'p>],
    ) {
        let mut operands = Operands::masked();
        operands.insert(value, ready);
        self.masked_calls(proc, args, place, (value, operands), conditions);
    }

    fn masked_calls(
        &mut self,
        proc: ProcId,
        args: &'p [Option<Actual>],
        (target, view): (&'p Expr, &ArrayView),
        (value, mut operands): (&'p Expr, Operands),
        conditions: &[Condition<'p>],
    ) {
        let extents = view.extents();
        operands.insert(target, Operand::View(view.clone()));
        self.prepare_conditions(conditions, &mut operands);
        check_masked(&mut self.b, &operands, value, &extents, conditions);
        self.for_each_element(operands, &extents, &[view], &mut |this, _, _| {
            let holds = this.holds(conditions);
            this.when(holds, |this| this.call_once(proc, args));
        });
    }

    /// Evaluates a value into an array where the conditions hold.
    pub(crate) fn masked_value(&mut self, to: &ArrayView, value: &'p Expr, conditions: &[Condition<'p>]) {
        let mut operands = Operands::masked();
        self.prepare(value, &mut operands);
        self.prepare_conditions(conditions, &mut operands);
        let extents = to.extents();
        check_masked(&mut self.b, &operands, value, &extents, conditions);
        self.masked_store((to, None), operands, &extents, value, conditions);
    }

    /// Stores the elements for which the conditions hold; `target` is there where they are not fresh memory.
    fn masked_store(
        &mut self,
        (to, target): (&ArrayView, Option<&'p Expr>),
        operands: Operands,
        extents: &[Val],
        value: &'p Expr,
        conditions: &[Condition<'p>],
    ) {
        self.for_each_element(operands, extents, &[to], &mut |this, index, linear| {
            let holds = this.holds(conditions);
            this.when(holds, |this| {
                let v = this.value(value);
                let mem = this.b.element_pos(to, index, linear);
                let place = element_lvalue(mem, to.len);
                match target {
                    Some(target) => {
                        this.at(target.span, |this| this.check_assigned(place, target, &v));
                        this.b.assign_element(place, &value.ty, &v);
                    }
                    None => this.b.store_value(place, &value.ty, &v),
                }
            });
        });
    }
}

/// Variable and value of a defined assignment, by the arguments of its procedure.
pub(crate) fn assignment_of(args: &[Option<Actual>]) -> Option<(&Expr, &Expr)> {
    match args {
        [Some(Actual::Expr(target)), Some(Actual::Expr(value))] => Some((target, value)),
        _ => None,
    }
}

fn masks_of<'p>(arms: &'p Arms, out: &mut Vec<&'p Expr>) {
    for (mask, body, _) in arms {
        out.extend(mask);
        for s in body {
            if let StmtKind::Where(arms) = &s.kind {
                masks_of(arms, out);
            }
        }
    }
}

/// Whether a WHERE may change more than what it names as assigned: by a pointer that a function gives, or by procedures that are not pure,
/// also those that assign or finalise.
fn may_change_others(program: &Program, arms: &Arms) -> bool {
    arms.iter().flat_map(|a| &a.1).any(|s| match &s.kind {
        StmtKind::Where(arms) => may_change_others(program, arms),
        StmtKind::Assign { target, value } => {
            let runs = assigns_components(program, &target.ty) || has_final(program, &target.ty);
            runs || has_effects(program, target) || has_effects(program, value)
        }
        StmtKind::Call { proc, args } => {
            let mut arguments = args.iter().flatten().filter_map(Actual::expr);
            !program.proc(*proc).pure || arguments.any(|e| has_effects(program, e))
        }
        kind => matches!(kind, StmtKind::Block { .. }),
    })
}

/// The variables that a WHERE assigns.
fn assigned_in<'p>(b: &Builder<'_, 'p>, arms: &'p Arms, out: &mut Vec<VarId>) {
    for s in arms.iter().flat_map(|a| &a.1) {
        match &s.kind {
            StmtKind::Assign { target, .. } => out.extend(storage_root(b.program(), target)),
            StmtKind::Call { args, .. } => {
                out.extend(assignment_of(args).and_then(|(target, _)| storage_root(b.program(), target)));
            }
            StmtKind::Where(arms) => assigned_in(b, arms, out),
            _ => {}
        }
    }
}

/// With bounds checks on, reports a value or masks whose shape is not that of the target.
fn check_masked<'p>(
    b: &mut Builder<'_, 'p>,
    operands: &Operands,
    value: &'p Expr,
    extents: &[Val],
    conditions: &[Condition<'p>],
) {
    for e in conditions.iter().map(|c| c.mask).chain([value]).filter(|e| e.rank > 0) {
        b.check_operands(e, operands);
        if let Some(own) = operands.extents(e) {
            b.at(e.span, |b| b.check_extents(extents, &own));
        }
    }
}

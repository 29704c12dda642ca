//! WHERE and FORALL.
//!
//! The masks of a WHERE are evaluated again for each assignment, element by element, if no assignment in it could change
//! them; otherwise each is evaluated once into a temporary. An element is assigned if its own mask holds and those of the
//! arms before do not; a nested WHERE adds to the conditions around it.
//!
//! A FORALL assignment whose value or mask may depend on what it assigns is made in two passes over the same indices: the
//! first computes values, the second stores them.

use crate::array::{Env, Leaf, element_place};
use crate::fx::Fx;
use crate::loops::Index;
use crate::place::{Mem, Place};
use crate::types::const_bytes;
use crate::view::View;
use ir::op::BinOp;
use ir::{Ty, Val};
use sema::checked::{Expr, Stmt, StmtKind, Type, VarId};
use source::Span;

type Arms = [(Option<Expr>, Vec<Stmt>, Span)];

/// A condition on the elements that are assigned.
#[derive(Clone)]
struct Condition<'p> {
    mask: &'p Expr,
    /// The mask as it was at the beginning.
    value: Option<View>,
    wanted: bool,
}

impl<'p> Fx<'_, 'p> {
    pub(crate) fn where_construct(&mut self, arms: &'p Arms) {
        let mut assigned = Vec::new();
        self.assigned_in(arms, &mut assigned);
        let mut masks = Vec::new();
        masks_of(arms, &mut masks);
        let stable = assigned.iter().all(|&v| masks.iter().all(|m| !self.mentions(m, v)));
        self.where_arms(arms, &[], stable);
    }

    /// The variables that a WHERE assigns.
    fn assigned_in(&self, arms: &'p Arms, out: &mut Vec<VarId>) {
        for s in arms.iter().flat_map(|a| &a.1) {
            match &s.kind {
                StmtKind::Assign { target, .. } => out.extend(self.storage_root(target)),
                StmtKind::Where(arms) => self.assigned_in(arms, out),
                _ => {}
            }
        }
    }

    fn where_arms(&mut self, arms: &'p Arms, outer: &[Condition<'p>], stable: bool) {
        let mut conditions = outer.to_vec();
        for (mask, body, span) in arms {
            let mut mine = conditions.clone();
            if let Some(mask) = mask {
                self.at(*span, |fx| {
                    let value = (!stable).then(|| fx.materialise_mask(mask));
                    mine.push(Condition { mask, value: value.clone(), wanted: true });
                    conditions.push(Condition { mask, value, wanted: false });
                });
            }
            for s in body {
                self.mark(s.span);
                match &s.kind {
                    StmtKind::Assign { target, value } => {
                        self.scope(|fx| fx.masked_assign(target, value, &mine));
                    }
                    StmtKind::Where(arms) => self.where_arms(arms, &mine, stable),
                    _ => self.unsupported("this statement in a WHERE construct"),
                }
            }
        }
    }

    fn materialise_mask(&mut self, mask: &'p Expr) -> View {
        let view = self.view(mask);
        // A variable may change before the mask is used.
        if crate::designator::is_designator(mask) {
            let extents = view.extents();
            let copy = self.temporary_array(&mask.ty, None, &extents);
            self.copy_array(&copy, &view, &mask.ty);
            return copy;
        }
        view
    }

    fn prepare_conditions(&mut self, conditions: &[Condition<'p>], env: &mut Env) {
        for c in conditions {
            match &c.value {
                Some(view) => env.insert(c.mask, Leaf::View(view.clone())),
                None => self.prepare(c.mask, env),
            }
        }
    }

    /// Whether all conditions hold for the current element.
    fn holds(&mut self, conditions: &[Condition<'p>]) -> Val {
        let mut all = Val::pred(true);
        for c in conditions {
            let mut p = self.pred(c.mask);
            if !c.wanted {
                p = self.negate(p);
            }
            all = self.combine(BinOp::And, all, p);
        }
        all
    }

    fn masked_assign(&mut self, target: &'p Expr, value: &'p Expr, conditions: &[Condition<'p>]) {
        let Some(view) = self.designator_view(target) else {
            return self.unsupported("an assignment to this object in a WHERE construct");
        };
        let extents = view.extents();
        let ty = &target.ty;
        let remote = self.is_remote(view.mem);
        let mut to = view.clone();
        if remote {
            to = self.temporary_array(ty, view.len, &extents);
            self.copy_array(&to, &view, ty);
        }
        let mut env = Env::default();
        self.prepare(value, &mut env);
        self.prepare_conditions(conditions, &mut env);
        if !remote && self.conflicts(target, value) {
            let fresh = self.temporary_array(ty, view.len, &extents);
            self.masked_store(&fresh, env, &extents, value, conditions);
            let mut env = Env::default();
            env.insert(value, Leaf::View(fresh));
            self.prepare_conditions(conditions, &mut env);
            return self.masked_store(&to, env, &extents, value, conditions);
        }
        self.masked_store(&to, env, &extents, value, conditions);
        if remote {
            self.copy_array(&view, &to, ty);
        }
    }

    fn masked_store(&mut self, to: &View, env: Env, extents: &[Val], value: &'p Expr, conditions: &[Condition<'p>]) {
        self.for_each_element(env, extents, &[to], &mut |fx, index, linear| {
            let holds = fx.holds(conditions);
            fx.when(holds, |fx| {
                let v = fx.value(value);
                let mem = fx.element_pos(to, index, linear);
                fx.store(element_place(mem, to.len), &value.ty, &v);
            });
        });
    }

    pub(crate) fn forall(&mut self, vars: &'p [Index], mask: Option<&'p Expr>, body: &'p [Stmt]) {
        for s in body {
            self.b.set_span(s.span);
            let depends = match &s.kind {
                StmtKind::Assign { target, value } => match self.storage_root(target) {
                    Some(v) => {
                        self.mentions(value, v)
                            || self.finds_itself(target)
                            || mask.is_some_and(|m| self.mentions(m, v))
                    }
                    None => true,
                },
                _ => false,
            };
            match &s.kind {
                StmtKind::Assign { target, value } if depends => self.forall_in_two(vars, mask, target, value),
                StmtKind::Assign { .. }
                | StmtKind::PointerAssign { .. }
                | StmtKind::Forall { .. }
                | StmtKind::Where(_) => {
                    self.index_nest(vars, None, &mut |fx| {
                        let p = mask.map_or(Val::pred(true), |m| fx.pred(m));
                        fx.when(p, |fx| fx.statements(std::slice::from_ref(s)));
                    });
                }
                _ => self.unsupported("this statement in a FORALL construct"),
            }
        }
    }

    /// One assignment of a FORALL, values first.
    fn forall_in_two(&mut self, vars: &'p [Index], mask: Option<&'p Expr>, target: &'p Expr, value: &'p Expr) {
        let Some(bytes) = const_bytes(self.program, &target.ty).filter(|_| target.rank == 0) else {
            return self.unsupported("a FORALL assignment to an object of unknown length");
        };
        let mut total = Val::i64(1);
        for (v, first, last, step) in vars {
            let ty = crate::types::ir_ty(&self.program.var(*v).ty);
            let c = self.index_loop(*v, first, last, step.as_ref());
            let (lo, hi, by) = (self.widen(c.first, ty), self.widen(c.last, ty), self.widen(c.step, ty));
            let n = self.count(lo, hi, by);
            total = self.imul(total, n);
        }
        let values = self.temporary_array(&target.ty, Some(Val::i64(bytes as i64)), &[total]);
        let chosen = self.temporary_array(&Type::Logical(1), None, &[total]);
        let ty = &target.ty;
        let len = matches!(ty, Type::Character(_)).then_some(Val::i64(bytes as i64));
        // `p(p(i)) = …`: where to store is found before anything is stored.
        let places = self.finds_itself(target).then(|| self.temporary_array(&Type::Integer(8), None, &[total]));
        let mut found: Option<Place> = None;
        let at = self.b.mutable(Ty::I64);
        for storing in [false, true] {
            self.b.set(at, Val::i64(0));
            self.index_nest(vars, None, &mut |fx| {
                let slot = fx.element_linear(&values, at.into());
                let flag = fx.element_linear(&chosen, at.into());
                if storing {
                    let taken = fx.load(Place::Mem(flag), &Type::Logical(1));
                    let taken = fx.as_pred(&taken, &Type::Logical(1));
                    fx.when(taken, |fx| {
                        let v = fx.load(element_place(slot, len), ty);
                        let place = match (&places, found) {
                            (Some(places), Some(known)) => {
                                let word = fx.element_linear(places, at.into());
                                let addr = fx.load_word(word);
                                at_address(known, addr)
                            }
                            _ => fx.place(target),
                        };
                        fx.store(place, ty, &v);
                    });
                } else {
                    let p = mask.map_or(Val::pred(true), |m| fx.pred(m));
                    fx.store(Place::Mem(flag), &Type::Logical(1), &crate::value::Value::Pred(p));
                    fx.when(p, |fx| {
                        let v = fx.value(value);
                        fx.store(element_place(slot, len), ty, &v);
                        if let Some(places) = &places {
                            let place = fx.place(target);
                            if let Place::Mem(mem) | Place::Char(mem, _) = place {
                                let addr = fx.address(mem);
                                let word = fx.element_linear(places, at.into());
                                fx.store_scalar(word, Ty::I64, addr);
                                found = Some(place);
                            }
                        }
                    });
                }
                let next = fx.b.bin(BinOp::Add, Ty::I64, at, Val::i64(1));
                fx.b.set(at, next);
            });
        }
    }
}

/// The same kind of place at another address.
fn at_address(place: Place, addr: Val) -> Place {
    match place {
        Place::Mem(mem) => Place::Mem(Mem { addr, offset: 0, ..mem }),
        Place::Char(mem, len) => Place::Char(Mem { addr, offset: 0, ..mem }, len),
        other => other,
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

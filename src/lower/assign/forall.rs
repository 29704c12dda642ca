//! FORALL (Fortran 2018, 10.2.4).
//!
//! Each statement of the body runs for all active combinations of index values before the next one starts, and all values
//! of a statement are computed before the first of them is stored. If the construct reads nothing that it assigns, plain
//! loops over the indices, one nest for each statement, have the same result.
//!
//! Otherwise the active combinations are listed first, because bounds and masks are evaluated before any assignment. Those
//! of an inner FORALL are listed for all combinations of the outer one. A statement then walks the list twice: first it
//! computes its values, and its targets where finding them reads what is assigned; then it stores. Values whose size the
//! declaration does not give are allocated for each combination.
//!
//! A defined assignment (`assignment(=)`) that reads what it assigns is a call with the value and the place that were found.

use crate::analysis::overlap::{finds_itself, may_be_associated, reads, storage_root};
use crate::assign::components::assign_elements;
use crate::assign::kept::{Saved, free_kept, keep_view, kept_view, new_block, saved_slot};
use crate::assign::where_construct::{Arms, Condition, assignment_of};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::Operands;
use crate::expr::scattered::scattered;
use crate::function::FunctionLowering;
use crate::stmt::loops::Index;
use crate::types::{Side, assigns_components, const_bytes, has_allocatable, ir_ty};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::{Allocation, Lvalue, MemRef, element_lvalue};
use ir::op::BinOp;
use ir::{Reg, Space, Ty, Val};
use sema::checked::{Actual, Expr, ExprKind, ProcId, Stmt, StmtKind, Type, VarId, visit};

/// The active combinations of index values.
pub(super) struct Active {
    vars: Vec<VarId>,
    /// A row for each combination with the values of the variables, `integer(8)`.
    rows: ArrayView,
    pub(super) count: Val,
}

/// A word for each combination: an address.
#[derive(Clone)]
pub(super) struct Words(ArrayView);

/// A mask of a WHERE, evaluated for each combination.
#[derive(Clone)]
pub(super) struct ListedMask<'p> {
    mask: &'p Expr,
    blocks: Words,
    wanted: bool,
}

impl Builder<'_, '_> {
    pub(super) fn words(&mut self, active: &Active) -> Words {
        Words(self.temporary_array(&Type::Integer(8), None, &[active.count]))
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    pub(crate) fn forall(&mut self, vars: &'p [Index], mask: Option<&'p Expr>, body: &'p [Stmt]) {
        let mut assigned = Some(Vec::new());
        assigned_by(&self.b, body, &mut assigned);
        let fixed = assigned.is_some_and(|vs| vs.iter().all(|&v| !index_mentions(&self.b, vars, mask, v)));
        if !fixed {
            return self.scope(|this| {
                let active = this.list(None, vars, mask);
                this.listed(&active, body);
            });
        }
        for s in body {
            self.b.set_span(s.span);
            if is_independent(&self.b, s) {
                self.index_nest(vars, None, &mut |this| {
                    let p = mask.map_or(Val::pred(true), |m| this.pred(m));
                    this.when(p, |this| this.statements(std::slice::from_ref(s)));
                });
            } else {
                self.scope(|this| {
                    let active = this.list(None, vars, mask);
                    this.listed(&active, std::slice::from_ref(s));
                });
            }
        }
    }

    /// Lists the active combinations of indices, for each of those around them.
    fn list(&mut self, outer: Option<&Active>, vars: &'p [Index], mask: Option<&'p Expr>) -> Active {
        let counter = self.b.mutable(Ty::I64);
        self.b.set(counter, Val::i64(0));
        self.each_candidate(outer, vars, mask, &mut |this| count_up(&mut this.b, counter));
        let count = self.b.freeze(counter.into());
        let mut all: Vec<VarId> = outer.map(|o| o.vars.clone()).unwrap_or_default();
        all.extend(vars.iter().map(|v| v.0));
        let width = Val::i64(all.len() as i64);
        let rows = self.b.temporary_array(&Type::Integer(8), None, &[width, count]);
        self.b.set(counter, Val::i64(0));
        self.each_candidate(outer, vars, mask, &mut |this| {
            let start = this.b.imul(counter.into(), width);
            for (i, &v) in all.iter().enumerate() {
                let ty = &this.b.program().var(v).ty;
                let place = this.index_lvalue(v);
                let value = this.b.load_value(place, ty);
                let value = this.b.as_scalar(&value, ty);
                let value = this.b.widen(value, ir_ty(ty));
                let at = this.b.iadd(start, Val::i64(i as i64));
                let word = this.b.element_linear(&rows, at);
                this.b.store_scalar(word, Ty::I64, value);
            }
            count_up(&mut this.b, counter);
        });
        Active { vars: all, rows, count }
    }

    fn each_candidate(
        &mut self,
        outer: Option<&Active>,
        vars: &'p [Index],
        mask: Option<&'p Expr>,
        body: &mut dyn FnMut(&mut Self),
    ) {
        let mut all = |this: &mut Self| {
            this.index_nest(vars, None, &mut |this| {
                let p = mask.map_or(Val::pred(true), |m| this.pred(m));
                this.when(p, |this| body(this));
            });
        };
        match outer {
            Some(outer) => self.each_row(outer, &mut |this, _| all(this)),
            None => all(self),
        }
    }

    /// Runs `body` with the indices set to each combination, and its number.
    pub(super) fn each_row(&mut self, active: &Active, body: &mut dyn FnMut(&mut Self, Val)) {
        let width = Val::i64(active.vars.len() as i64);
        self.repeat(active.count, &mut |this, row| {
            let start = this.b.imul(row, width);
            for (i, &v) in active.vars.iter().enumerate() {
                let ty = &this.b.program().var(v).ty;
                let at = this.b.iadd(start, Val::i64(i as i64));
                let word = this.b.element_linear(&active.rows, at);
                let value = this.b.load_word(word);
                let value = this.b.narrow(value, ir_ty(ty));
                let place = this.index_lvalue(v);
                this.b.store_value(place, ty, &Value::Scalar(value));
            }
            body(this, row);
        });
    }

    fn listed(&mut self, active: &Active, body: &'p [Stmt]) {
        for s in body {
            self.b.mark(s.span);
            self.scope(|this| match &s.kind {
                StmtKind::Assign { target, value } => this.listed_assign(active, target, value),
                StmtKind::PointerAssign { target, bounds, value } => this.listed_pointer(active, target, bounds, value),
                StmtKind::Where(arms) => this.listed_where(active, arms, &[]),
                StmtKind::Forall { vars, mask, body } => {
                    let inner = this.list(Some(active), vars, mask.as_ref());
                    this.listed(&inner, body);
                }
                StmtKind::Call { proc, args } => this.listed_call(active, *proc, args),
                StmtKind::Nothing => {}
                _ => this.b.unsupported("this statement in a FORALL construct"),
            });
        }
    }

    fn listed_assign(&mut self, active: &Active, target: &'p Expr, value: &'p Expr) {
        self.refuse_owners(target);
        let bytes = const_bytes(self.b.program(), &target.ty).filter(|_| target.rank == 0);
        let Some(bytes) = bytes else { return self.listed_array(active, target, value) };
        let ty = &target.ty;
        let len = matches!(ty, Type::Character(_)).then_some(Val::i64(bytes as i64));
        let values = self.b.temporary_array(ty, len, &[active.count]);
        let places = finds_itself(self.b.program(), target).then(|| self.b.words(active));
        let mut found: Option<Lvalue> = None;
        self.each_row(active, &mut |this, row| {
            let v = this.value(value);
            let slot = this.b.element_linear(&values, row);
            this.b.store_value(element_lvalue(slot, len), ty, &v);
            if let Some(places) = &places {
                let place = this.lvalue(target);
                if let Lvalue::Mem(mem) | Lvalue::Char(mem, _) = place {
                    let addr = this.b.address(mem);
                    keep_word(&mut this.b, places, row, addr);
                    found = Some(place);
                }
            }
        });
        self.each_row(active, &mut |this, row| {
            let slot = this.b.element_linear(&values, row);
            let v = this.b.load_value(element_lvalue(slot, len), ty);
            let place = match (&places, found) {
                (Some(places), Some(known)) => {
                    let addr = kept_word(&mut this.b, places, row);
                    at_address(known, addr)
                }
                _ => this.lvalue(target),
            };
            this.at(target.span, |this| this.check_assigned(place, target, &v));
            this.b.assign_element(place, ty, &v);
        });
    }

    /// A defined assignment.
    fn listed_call(&mut self, active: &Active, proc: ProcId, args: &'p [Option<Actual>]) {
        let Some((target, value)) = assignment_of(args) else {
            return self.b.unsupported("this statement in a FORALL construct");
        };
        if !mentions_assigned(&self.b, target, value) {
            return self.each_row(active, &mut |this, _| this.call_subroutine(proc, args));
        }
        self.listed_defined(active, (proc, args), (target, value), None);
    }

    fn target_view(&mut self, saved: Option<&Saved>, row: Val, target: &'p Expr, space: Space) -> Option<ArrayView> {
        let Some(saved) = saved else { return self.designator_view(target) };
        Some(kept_view(&mut self.b, saved, row, (&target.ty, false), (target.rank, space)))
    }

    /// An assignment whose values get blocks of memory: `find` finds the values for a target and puts them into a block of the
    /// target's shape, `store` stores them. `what` names the assignment where the target has no place.
    fn listed_blocks(
        &mut self,
        active: &Active,
        (target, what): (&'p Expr, &str),
        find: &mut dyn FnMut(&mut Self, Val, &ArrayView, &ArrayView),
        store: &mut dyn FnMut(&mut Self, Val, &ArrayView, &ArrayView),
    ) {
        let ty = &target.ty;
        let blocks = self.b.words(active);
        let saved = saved_targets(&mut self.b, active, target);
        let mut space = Space::Host;
        self.each_row(active, &mut |this, row| {
            let Some(view) = this.designator_view(target) else {
                return this.b.unsupported(what);
            };
            let view = this.sized_view(view, ty);
            space = view.mem.space;
            if let Some(saved) = &saved {
                keep_view(&mut this.b, saved, row, &view);
            }
            let block = new_block_like(&mut this.b, &view, ty, &blocks, row);
            find(this, row, &view, &block);
        });
        self.each_row(active, &mut |this, row| {
            let Some(view) = this.target_view(saved.as_ref(), row, target, space) else { return };
            let view = this.sized_view(view, ty);
            let block = block_at(&mut this.b, &blocks, row, &view);
            store(this, row, &view, &block);
            this.b.release_view(&block, ty);
            free_block(&mut this.b, &blocks, row);
            if let Some(saved) = &saved {
                free_kept(&mut this.b, saved, row, target.rank);
            }
        });
    }

    /// An assignment to parts of objects that have no stride between them, in a WHERE if there are masks.
    fn listed_parts(&mut self, active: &Active, target: &'p Expr, value: &'p Expr, masks: &[ListedMask<'p>]) {
        if finds_itself(self.b.program(), target) {
            return self
                .b
                .unsupported("this assignment to a component with run-time lengths of each object of an array");
        }
        let ty = &value.ty;
        let (blocks, shapes) = (self.b.words(active), self.b.saved(active.count, target.rank));
        self.each_row(active, &mut |this, row| {
            let mut operands = Operands::default();
            this.prepare_parts(target, &mut operands);
            let extents = operands.extents(target).unwrap_or_default();
            let len = matches!(ty, Type::Character(_)).then(|| this.length_of(value, None)).flatten();
            let element = this.b.element_bytes(ty, len);
            let shape = this.b.dense(MemRef::at(Val::i64(0), Space::Host), element, len, &extents);
            let block = new_block_like(&mut this.b, &shape, ty, &blocks, row);
            keep_view(&mut this.b, &shapes, row, &block);
            let conditions = conditions_of(&mut this.b, masks, row, &block);
            this.masked_value(&block, value, &conditions);
        });
        self.each_row(active, &mut |this, row| {
            let block = kept_view(&mut this.b, &shapes, row, (ty, false), (target.rank, Space::Host));
            let conditions = conditions_of(&mut this.b, masks, row, &block);
            this.masked_parts(target, value, &conditions, Some(block.clone()));
            this.b.release_view(&block, ty);
            free_block(&mut this.b, &blocks, row);
        });
    }

    fn listed_array(&mut self, active: &Active, target: &'p Expr, value: &'p Expr) {
        if scattered(self.b.program(), target).is_some() {
            return self.listed_parts(active, target, value, &[]);
        }
        let ty = &target.ty;
        self.listed_blocks(
            active,
            (target, "a FORALL assignment to this object"),
            &mut |this, _, _, block| {
                if value.rank == 0 {
                    let v = this.value(value);
                    this.b.fill(block, &v, ty);
                } else {
                    let (operands, extents) = this.prepared(value);
                    this.b.check_shape(block, &extents);
                    this.fill_from(block, operands, &extents, value);
                }
            },
            &mut |this, _, view, block| {
                this.at(target.span, |this| this.check_value(target, view, block));
                this.b.finalise_view(view, ty);
                if this.b.is_host() && assigns_components(this.b.program(), ty) {
                    return assign_elements(&mut this.b, view, block, ty);
                }
                this.b.copy_array(view, block, ty);
            },
        );
    }

    fn listed_pointer(
        &mut self,
        active: &Active,
        target: &'p Expr,
        bounds: &'p [(Expr, Option<Expr>)],
        value: &'p Expr,
    ) {
        let values = self.b.saved(active.count, target.rank);
        let places = self.b.words(active);
        let mut known: Option<Descriptor> = None;
        self.each_row(active, &mut |this, row| {
            let Some(d) = this.descriptor(target) else { return this.b.unsupported("a pointer to this object") };
            let DescriptorAt::Mem(mem) = d.at else { return this.b.unsupported("a pointer to this object") };
            let addr = this.b.address(mem);
            keep_word(&mut this.b, &places, row, addr);
            let slot = saved_slot(&mut this.b, &values, row);
            match this.pointer_target(value) {
                Some(view) => {
                    this.at(value.span, |this| this.check_taken(target, &view));
                    let view = this.with_bounds(view, bounds, value);
                    let view = this.b.with_type(&d, view, &value.ty);
                    this.b.write_descriptor(slot, &view);
                }
                None => this.b.store_scalar(slot.plus(ir::descriptor::BASE), Ty::I64, Val::i64(0)),
            }
            known = Some(d);
        });
        let Some(known) = known else { return };
        let DescriptorAt::Mem(first) = known.at else { return };
        let is_null = matches!(value.kind, ExprKind::Null);
        self.each_row(active, &mut |this, row| {
            let addr = kept_word(&mut this.b, &places, row);
            let d = Descriptor { at: DescriptorAt::Mem(MemRef { addr, offset: 0, ..first }), ..known.clone() };
            if is_null {
                return this.b.desc_clear(&d);
            }
            let slot = saved_slot(&mut this.b, &values, row);
            let view = this.b.desc_view(&Descriptor { at: DescriptorAt::Mem(slot), ..known.clone() });
            this.b.desc_set(&d, &view);
        });
    }

    fn listed_where(&mut self, active: &Active, arms: &'p Arms, outer: &[ListedMask<'p>]) {
        let mut conditions = outer.to_vec();
        for (mask, body, span) in arms {
            let mut mine = conditions.clone();
            if let Some(mask) = mask {
                let blocks = self.at(*span, |this| this.listed_mask(active, mask));
                mine.push(ListedMask { mask, blocks: blocks.clone(), wanted: true });
                conditions.push(ListedMask { mask, blocks, wanted: false });
            }
            for s in body {
                self.b.mark(s.span);
                match &s.kind {
                    StmtKind::Assign { target, value } => {
                        self.scope(|this| this.listed_masked(active, target, value, &mine));
                    }
                    StmtKind::Where(arms) => self.listed_where(active, arms, &mine),
                    StmtKind::Call { proc, args } => match assignment_of(args) {
                        Some(sides) => {
                            self.scope(|this| this.listed_defined(active, (*proc, args), sides, Some(&mine)));
                        }
                        None => self.b.unsupported("this statement in a WHERE construct"),
                    },
                    StmtKind::Nothing => {}
                    _ => self.b.unsupported("this statement in a WHERE construct"),
                }
            }
        }
        for c in conditions.iter().skip(outer.len()) {
            self.repeat(active.count, &mut |this, row| free_block(&mut this.b, &c.blocks, row));
        }
    }

    fn listed_mask(&mut self, active: &Active, mask: &'p Expr) -> Words {
        let blocks = self.b.words(active);
        self.each_row(active, &mut |this, row| {
            let (operands, extents) = this.prepared(mask);
            let element = this.b.element_bytes(&mask.ty, None);
            let shape = this.b.dense(MemRef::at(Val::i64(0), Space::Host), element, None, &extents);
            let block = new_block_like(&mut this.b, &shape, &mask.ty, &blocks, row);
            this.fill_from(&block, operands, &extents, mask);
        });
        blocks
    }

    fn listed_masked(&mut self, active: &Active, target: &'p Expr, value: &'p Expr, masks: &[ListedMask<'p>]) {
        if scattered(self.b.program(), target).is_some() {
            return self.listed_parts(active, target, value, masks);
        }
        self.listed_blocks(
            active,
            (target, "an assignment to this object in a WHERE construct"),
            &mut |this, row, view, block| {
                let conditions = conditions_of(&mut this.b, masks, row, view);
                this.masked_value(block, value, &conditions);
            },
            &mut |this, row, view, block| {
                let conditions = conditions_of(&mut this.b, masks, row, view);
                this.masked_assign_to(view, target, value, &conditions, Some(block.clone()));
            },
        );
    }
}

/// The same kind of place at another address.
fn at_address(place: Lvalue, addr: Val) -> Lvalue {
    match place {
        Lvalue::Mem(mem) => Lvalue::Mem(MemRef { addr, offset: 0, ..mem }),
        Lvalue::Char(mem, len) => Lvalue::Char(MemRef { addr, offset: 0, ..mem }, len),
        other => other,
    }
}

/// The variables that statements assign; `None` if one of them cannot be told.
fn assigned_by<'p>(b: &Builder<'_, 'p>, body: &'p [Stmt], out: &mut Option<Vec<VarId>>) {
    visit::statements(body, &mut |s| match &s.kind {
        StmtKind::Assign { target, .. } | StmtKind::PointerAssign { target, .. } => {
            match storage_root(b.program(), target) {
                Some(v) => out.iter_mut().for_each(|vs| vs.push(v)),
                None => *out = None,
            }
        }
        StmtKind::Call { args, .. } => {
            match assignment_of(args).and_then(|(target, _)| storage_root(b.program(), target)) {
                Some(v) => out.iter_mut().for_each(|vs| vs.push(v)),
                None => *out = None,
            }
        }
        StmtKind::Forall { .. } | StmtKind::Where(_) | StmtKind::Nothing => {}
        _ => *out = None,
    });
}

fn index_mentions<'p>(b: &Builder<'_, 'p>, vars: &'p [Index], mask: Option<&'p Expr>, v: VarId) -> bool {
    let bounds = vars.iter().flat_map(|(_, first, last, step)| [Some(first), Some(last), step.as_ref()]);
    bounds.chain([mask]).flatten().any(|e| reads(b.program(), e, v))
}

/// Whether a value reads what is assigned, or finding the target does.
fn mentions_assigned<'p>(b: &Builder<'_, 'p>, target: &'p Expr, value: &'p Expr) -> bool {
    let root = storage_root(b.program(), target);
    finds_itself(b.program(), target) || root.is_none_or(|v| reads(b.program(), value, v))
}

/// Whether a statement may be run for one combination after the other: it reads nothing that it assigns, and an inner FORALL or
/// WHERE assigns no variable twice.
fn is_independent<'p>(b: &Builder<'_, 'p>, s: &'p Stmt) -> bool {
    let mut assigned = Some(Vec::new());
    assigned_by(b, std::slice::from_ref(s), &mut assigned);
    let Some(assigned) = assigned else {
        return matches!(s.kind, StmtKind::Unsupported(_));
    };
    let is_shared = |(at, &v): (usize, &VarId)| {
        let shares = |w| may_be_associated(b.program(), v, w) || may_be_associated(b.program(), w, v);
        assigned[..at].iter().any(|&w| v == w || shares(w))
    };
    let mut free = !assigned.iter().enumerate().any(is_shared);
    visit::statements(std::slice::from_ref(s), &mut |inner| {
        let mut check = |e: &'p Expr| free &= assigned.iter().all(|&v| !reads(b.program(), e, v));
        match &inner.kind {
            StmtKind::Assign { value, .. } => check(value),
            StmtKind::Call { args, .. } => assignment_of(args).iter().for_each(|(_, value)| check(value)),
            StmtKind::PointerAssign { value, bounds, .. } => {
                check(value);
                for (lo, hi) in bounds {
                    check(lo);
                    hi.iter().for_each(&mut check);
                }
            }
            _ => visit::statement_exprs(inner, &mut |e, _| check(e)),
        }
        let target = match &inner.kind {
            StmtKind::Assign { target, .. } | StmtKind::PointerAssign { target, .. } => Some(target),
            StmtKind::Call { args, .. } => assignment_of(args).map(|(target, _)| target),
            _ => None,
        };
        if let Some(target) = target {
            let own = storage_root(b.program(), target);
            free &= !finds_itself(b.program(), target);
            free &= assigned.iter().all(|&v| Some(v) == own || !reads(b.program(), target, v));
        }
    });
    free
}

fn count_up(b: &mut Builder<'_, '_>, counter: Reg) {
    let next = b.bin(BinOp::Add, Ty::I64, counter, Val::i64(1));
    b.set_directly(counter, next.into());
}

fn keep_word(b: &mut Builder<'_, '_>, words: &Words, row: Val, addr: Val) {
    let word = b.element_linear(&words.0, row);
    b.store_scalar(word, Ty::I64, addr);
}

fn kept_word(b: &mut Builder<'_, '_>, words: &Words, row: Val) -> Val {
    let word = b.element_linear(&words.0, row);
    b.load_word(word)
}

/// The memory that values of unknown size are put into, for one combination.
fn block_of(b: &mut Builder<'_, '_>, addr: Val, target: &ArrayView) -> ArrayView {
    let space = if b.side() == Side::Device { Space::Global } else { Space::Host };
    let extents = target.extents();
    b.dense(MemRef::at(addr, space), target.element, target.len, &extents)
}

pub(super) fn new_block_like(
    b: &mut Builder<'_, '_>,
    target: &ArrayView,
    ty: &Type,
    words: &Words,
    row: Val,
) -> ArrayView {
    let extents = target.extents();
    let bytes = b.array_bytes(&extents, target.element);
    let addr = new_block(b, bytes);
    keep_word(b, words, row, addr);
    let block = block_of(b, addr, target);
    if has_allocatable(b.program(), ty) {
        b.initialise_view(&block, ty);
    }
    block
}

fn block_at(b: &mut Builder<'_, '_>, words: &Words, row: Val, target: &ArrayView) -> ArrayView {
    let addr = kept_word(b, words, row);
    block_of(b, addr, target)
}

pub(super) fn free_block(b: &mut Builder<'_, '_>, words: &Words, row: Val) {
    let addr = kept_word(b, words, row);
    let location = i32::from(b.side() == Side::Device);
    b.free(&Allocation { location, addr, may_be_null: false });
}

/// Where to store the targets of each combination, if finding them reads what is assigned.
pub(super) fn saved_targets<'p>(b: &mut Builder<'_, 'p>, active: &Active, target: &'p Expr) -> Option<Saved> {
    if !finds_itself(b.program(), target) {
        return None;
    }
    Some(b.saved(active.count, target.rank))
}

/// The conditions on the elements of a target, which has the shape of the masks.
pub(super) fn conditions_of<'p>(
    b: &mut Builder<'_, 'p>,
    masks: &[ListedMask<'p>],
    row: Val,
    target: &ArrayView,
) -> Vec<Condition<'p>> {
    let mut out = Vec::with_capacity(masks.len());
    for m in masks {
        let element = b.element_bytes(&m.mask.ty, None);
        let shape = ArrayView { element, len: None, ..target.clone() };
        let value = Some(block_at(b, &m.blocks, row, &shape));
        out.push(Condition { mask: m.mask, value, wanted: m.wanted });
    }
    out
}

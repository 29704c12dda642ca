//! Array constructors.
//!
//! The elements are counted first, then stored one after another. If the number of elements of an item depends on an
//! enclosing implied DO, counting is a loop too. Plain scalars in an implied DO need no such loop. Where counting would call
//! functions that are not pure a second time, elements are stored in memory that grows.
//!
//! Not here: structure constructors (`expr::structure`).

use crate::analysis::expressions::{has_effects, is_whole};
use crate::assign::kept::new_block;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::types::{HOST_MEMORY, has_allocatable, imm, ir_ty};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Allocation, MemRef, element_lvalue};
use ir::op::{BinOp, CmpOp};
use ir::{Reg, Space, Ty, Val};
use sema::checked::{CharLen, Expr, ExprKind, ImpliedDo, Item, Program, Type, visit};

/// Where the next element goes.
enum Next {
    /// Known when the code is made, or computed once.
    At(Val),
    /// CountedLoop by the code.
    Counter(Reg),
}

/// Room for elements that nobody has counted.
#[derive(Clone, Copy)]
struct Growing {
    /// Where it is, and for how many elements.
    base: Reg,
    room: Reg,
}

/// Where elements are stored.
struct Filled<'t> {
    view: ArrayView,
    ty: &'t Type,
    growing: Option<Growing>,
}

/// Whether counting elements calls a function that is not pure.
fn counts_with_effects(program: &Program, items: &[Item], is_repeated: bool) -> bool {
    items.iter().any(|item| match item {
        Item::Expr(e) => is_repeated && e.rank > 0 && has_effects(program, e),
        Item::Do(of) => {
            let bounds = [Some(&of.first), Some(&of.last), of.step.as_ref()];
            bounds.into_iter().flatten().any(|e| has_effects(program, e))
                || counts_with_effects(program, &of.items, true)
        }
    })
}

impl<'p> FunctionLowering<'_, 'p> {
    /// An array constructor as a temporary.
    pub(crate) fn array_constructor(&mut self, items: &'p [Item], e: &'p Expr) -> ArrayView {
        // Arrays that stand outside of implied DOs are evaluated once, and so is a scalar that says the length.
        let mut operands = Operands::default();
        let has_length = matches!(&e.ty, Type::Character(CharLen::Const(_) | CharLen::Expr(_)));
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Expr(e) if e.rank > 0 => {
                    let view = self.view(e);
                    let view = self.b.local_view(view, &e.ty);
                    operands.insert(e, Operand::View(view));
                }
                Item::Expr(e) if at == 0 && !has_length && matches!(e.ty, Type::Character(_)) => {
                    let value = self.value(e);
                    operands.insert(e, Operand::Value(value));
                }
                _ => {}
            }
        }
        self.with_operands(operands, |this| {
            let len = this.length_of(e, None);
            if this.b.is_host() && counts_with_effects(this.b.program(), items, false) {
                return this.uncounted(items, e, len);
            }
            let count = this.count_items(items);
            let view = this.b.temporary_array(&e.ty, len, &[count]);
            this.keep_lengths_of_items(&view, items);
            let counted = items.iter().any(|item| matches!(item, Item::Do(_)));
            let mut next = if counted {
                let at = this.b.mutable(Ty::I64);
                this.b.set(at, Val::i64(0));
                Next::Counter(at)
            } else {
                Next::At(Val::i64(0))
            };
            let to = Filled { view, ty: &e.ty, growing: None };
            this.store_items(items, &to, &mut next);
            this.check_alike(&to.view, &e.ty);
            to.view
        })
    }

    /// Gives a constructor of no objects the lengths of its first item: an array without elements, or elements of an array in a
    /// loop that does nothing.
    fn keep_lengths_of_items(&mut self, view: &ArrayView, items: &'p [Item]) {
        let from = match items.first() {
            Some(Item::Expr(first)) => self.lookup(first).map(|(operand, ..)| operand),
            Some(Item::Do(implied)) => objects_of_items(&implied.items)
                .filter(|objects| self.b.holds_lengths(&objects.ty))
                .map(|objects| Operand::View(self.view(objects))),
            None => None,
        };
        match (from, items.first().and_then(type_of_item)) {
            (Some(Operand::View(from)), Some(ty)) => self.b.keep_lengths(view, &from, ty),
            _ => self.hold_lengths_of_items(view, items),
        }
    }

    /// The same of what loops that do nothing would evaluate. Its lengths do not depend on the variables of the loops (Fortran 2018, 7.8).
    fn hold_lengths_of_items(&mut self, view: &ArrayView, items: &'p [Item]) {
        let mut first = items.first();
        while let Some(Item::Do(implied)) = first {
            let ty = &self.b.program().var(implied.var).ty;
            if !matches!(ty, Type::Integer(_)) {
                return;
            }
            let place = self.index_lvalue(implied.var);
            self.b.store_value(place, ty, &Value::Scalar(imm(ir_ty(ty), 0)));
            first = implied.items.first();
        }
        let Some(Item::Expr(e)) = first.filter(|_| matches!(items.first(), Some(Item::Do(_)))) else { return };
        let mut elements = Vec::new();
        if !self.finds_elements(e, &mut elements) {
            return;
        }
        let extents = view.extents();
        let count = self.b.product(&extents);
        let none = self.b.icmp(CmpOp::Eq, count, Val::i64(0));
        self.when(none, |this| {
            let mut operands = Operands::default();
            for (element, array) in elements {
                // All elements have the lengths that the array says, which may have none.
                let objects = this.view(array);
                this.b.need_lengths(&objects, &array.ty);
                operands.insert(element, Operand::Value(Value::Object(objects.mem)));
            }
            this.hold_lengths_of(view, e, &operands);
        });
    }

    /// Finds the elements of arrays of objects that hold lengths in what a loop that does nothing would evaluate, and their arrays. Whether
    /// there are no other elements, which may not be there.
    fn finds_elements(&self, e: &'p Expr, found: &mut Vec<(&'p Expr, &'p Expr)>) -> bool {
        match &e.kind {
            ExprKind::Element { base, .. } if self.b.holds_lengths(&e.ty) && is_whole(base) => {
                found.push((e, base));
                let mut within = Vec::new();
                self.finds_elements(base, &mut within) && within.is_empty()
            }
            ExprKind::Element { .. } | ExprKind::Section { .. } => false,
            _ => {
                let mut are_all = true;
                visit::parts(e, &mut |part| are_all &= self.finds_elements(part, found));
                are_all
            }
        }
    }

    /// The same where elements are not counted first.
    fn uncounted(&mut self, items: &'p [Item], e: &'p Expr, len: Option<Val>) -> ArrayView {
        let [base, room, at] = [(); 3].map(|()| self.b.mutable(Ty::I64));
        let element = self.b.element_bytes(&e.ty, len);
        let element = self.b.freeze(element);
        let growing = Growing { base, room };
        self.b.set(at, Val::i64(0));
        self.b.set(room, Val::i64(0));
        self.b.set(base, Val::i64(0));
        let view = self.b.dense(MemRef::at(base.into(), Space::Host), element, len, &[room.into()]);
        let to = Filled { view, ty: &e.ty, growing: Some(growing) };
        self.store_items(items, &to, &mut Next::Counter(at));
        let count = self.b.freeze(at.into());
        let whole = self.b.temporary_array(&e.ty, len, &[count]);
        let bytes = self.b.imul(count, element);
        self.b.copy_bytes(whole.mem, to.view.mem, bytes);
        self.hold_lengths_of_items(&whole, items);
        self.b.free(&Allocation { location: HOST_MEMORY, addr: base.into(), may_be_null: true });
        self.check_alike(&whole, &e.ty);
        whole
    }

    /// Makes room for so many more elements.
    fn make_room(&mut self, to: &Filled<'_>, next: &Next, more: Val) {
        let Some(growing) = to.growing else { return };
        let at = position(next);
        let wanted = self.b.iadd(at, more);
        let lacks = self.b.icmp(CmpOp::Gt, wanted, growing.room.into());
        self.when(lacks, |this| {
            let room = this.b.imul(wanted, Val::i64(2));
            let room = this.b.freeze(room);
            let bytes = this.b.imul(room, to.view.element);
            // Elements may have no bytes.
            let bytes = this.b.iadd(bytes, Val::i64(1));
            let addr = new_block(&mut this.b, bytes);
            let addr = this.b.freeze(addr);
            let block = this.b.dense(MemRef::at(addr, Space::Host), to.view.element, to.view.len, &[room]);
            if has_allocatable(this.b.program(), to.ty) {
                this.b.initialise_view(&block, to.ty);
            }
            let kept = this.b.imul(at, to.view.element);
            this.b.copy_bytes(block.mem, to.view.mem, kept);
            this.b.free(&Allocation { location: HOST_MEMORY, addr: growing.base.into(), may_be_null: true });
            this.b.set(growing.base, addr);
            this.b.set(growing.room, room);
        });
    }

    fn count_items(&mut self, items: &'p [Item]) -> Val {
        let mut total = Val::i64(0);
        for item in items {
            let n = match item {
                Item::Expr(e) if e.rank == 0 => Val::i64(1),
                Item::Expr(e) => self.elements_of(e),
                Item::Do(implied) => self.count_implied(implied),
            };
            total = self.b.iadd(total, n);
        }
        total
    }

    fn elements_of(&mut self, e: &'p Expr) -> Val {
        let extents = match self.lookup(e) {
            Some((Operand::View(view), ..)) => view.extents(),
            _ => self.prepared(e).1,
        };
        self.b.product(&extents)
    }

    fn count_implied(&mut self, implied: &'p ImpliedDo<Item>) -> Val {
        let c = self.index_loop(implied.var, &implied.first, &implied.last, implied.step.as_ref());
        if implied.items.iter().all(|item| matches!(item, Item::Expr(e) if e.rank == 0)) {
            let (lo, hi, by) = (self.b.widen(c.first, c.ty), self.b.widen(c.last, c.ty), self.b.widen(c.step, c.ty));
            let trips = self.b.count(lo, hi, by);
            return self.b.imul(trips, Val::i64(implied.items.len() as i64));
        }
        let total = self.b.mutable(Ty::I64);
        self.b.set(total, Val::i64(0));
        self.simple_loop(&c, &mut |this| {
            let n = this.count_items(&implied.items);
            let sum = this.b.bin(BinOp::Add, Ty::I64, total, n);
            this.b.set(total, sum);
        });
        self.b.freeze(total.into())
    }

    fn store_items(&mut self, items: &'p [Item], to: &Filled<'_>, next: &mut Next) {
        for item in items {
            match item {
                Item::Expr(e) if e.rank == 0 => {
                    let value = self.value(e);
                    self.make_room(to, next, Val::i64(1));
                    let at = position(next);
                    let mem = self.b.element_linear(&to.view, at);
                    self.b.store_value(element_lvalue(mem, to.view.len), &e.ty, &value);
                    advance_next(&mut self.b, next, Val::i64(1));
                }
                Item::Expr(e) => self.store_array_item(e, to, next),
                Item::Do(implied) => {
                    let c = self.index_loop(implied.var, &implied.first, &implied.last, implied.step.as_ref());
                    let Next::Counter(at) = *next else { return self.b.unsupported("this array constructor") };
                    self.simple_loop(&c, &mut |this| {
                        this.store_items(&implied.items, to, &mut Next::Counter(at));
                    });
                }
            }
        }
    }

    fn store_array_item(&mut self, e: &'p Expr, to: &Filled<'_>, next: &mut Next) {
        let (operands, extents) = match self.lookup(e) {
            Some((Operand::View(source), ..)) => {
                let extents = source.extents();
                let mut operands = Operands::default();
                operands.insert(e, Operand::View(source));
                (operands, extents)
            }
            _ => self.prepared(e),
        };
        let count = self.b.product(&extents);
        self.make_room(to, next, count);
        let start = self.b.freeze(position(next));
        let mem = self.b.element_linear(&to.view, start);
        let part = self.b.dense(mem, to.view.element, to.view.len, &extents);
        self.fill_from(&part, operands, &extents, e);
        advance_next(&mut self.b, next, count);
    }
}

fn position(next: &Next) -> Val {
    match next {
        Next::At(at) => *at,
        Next::Counter(reg) => (*reg).into(),
    }
}

fn advance_next(b: &mut Builder<'_, '_>, next: &mut Next, by: Val) {
    match next {
        Next::At(at) => *at = b.iadd(*at, by),
        Next::Counter(reg) => {
            let sum = b.iadd((*reg).into(), by);
            b.set(*reg, sum);
        }
    }
}

/// The type of the objects that an item gives.
fn type_of_item(item: &Item) -> Option<&Type> {
    match item {
        Item::Expr(e) => Some(&e.ty),
        Item::Do(implied) => implied.items.first().and_then(type_of_item),
    }
}

/// The array of which items are elements.
fn objects_of_items(items: &[Item]) -> Option<&Expr> {
    match items.first()? {
        Item::Do(implied) => objects_of_items(&implied.items),
        Item::Expr(e) => match &e.kind {
            ExprKind::Element { base, .. } | ExprKind::Section { base, .. }
                if matches!(base.kind, ExprKind::Var(_)) =>
            {
                Some(base)
            }
            _ => None,
        },
    }
}

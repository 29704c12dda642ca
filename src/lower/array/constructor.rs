//! Array constructors.
//!
//! The elements are counted first, then stored one after another. If the number of elements of an item depends on an
//! enclosing implied DO, counting is a loop too. Plain scalars in an implied DO need no such loop.
//!
//! Not here: structure constructors (`expr::structure`).

use crate::builder::Builder;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::element_lvalue;
use ir::op::BinOp;
use ir::{Reg, Ty, Val};
use sema::checked::{CharLen, Expr, ImpliedDo, Item, Type};

/// Where the next element goes.
enum Next {
    /// Known when the code is made, or computed once.
    At(Val),
    /// CountedLoop by the code.
    Counter(Reg),
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
            let count = this.count_items(items);
            let view = this.b.temporary_array(&e.ty, len, &[count]);
            let counted = items.iter().any(|item| matches!(item, Item::Do(_)));
            let mut next = if counted {
                let at = this.b.mutable(Ty::I64);
                this.b.set(at, Val::i64(0));
                Next::Counter(at)
            } else {
                Next::At(Val::i64(0))
            };
            this.store_items(items, &view, &mut next);
            this.check_alike(&view, &e.ty);
            view
        })
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

    fn store_items(&mut self, items: &'p [Item], view: &ArrayView, next: &mut Next) {
        for item in items {
            match item {
                Item::Expr(e) if e.rank == 0 => {
                    let value = self.value(e);
                    let at = position(next);
                    let mem = self.b.element_linear(view, at);
                    self.b.store_value(element_lvalue(mem, view.len), &e.ty, &value);
                    advance_next(&mut self.b, next, Val::i64(1));
                }
                Item::Expr(e) => self.store_array_item(e, view, next),
                Item::Do(implied) => {
                    let c = self.index_loop(implied.var, &implied.first, &implied.last, implied.step.as_ref());
                    let Next::Counter(at) = *next else { return self.b.unsupported("this array constructor") };
                    self.simple_loop(&c, &mut |this| {
                        this.store_items(&implied.items, view, &mut Next::Counter(at));
                    });
                }
            }
        }
    }

    fn store_array_item(&mut self, e: &'p Expr, view: &ArrayView, next: &mut Next) {
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
        let start = self.b.freeze(position(next));
        let mem = self.b.element_linear(view, start);
        let part = self.b.dense(mem, view.element, view.len, &extents);
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

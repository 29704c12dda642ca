//! Defined assignments in FORALL that read what they assign, also those in a WHERE there: all values and places are found before
//! the first call.
//!
//! Not here: which combinations of indices there are, and other statements (`forall`).

use crate::analysis::designators::is_class;
use crate::analysis::overlap::finds_itself;
use crate::assign::forall::{Active, ListedMask, conditions_of, free_block, new_block_like, saved_targets};
use crate::assign::kept::{free_kept, keep_view, kept_view};
use crate::builder::Builder;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::value::lvalue::{MemRef, element_lvalue};
use ir::{Space, Val};
use sema::checked::{Actual, Expr, ProcId, Type};

impl<'p> FunctionLowering<'_, 'p> {
    /// A defined assignment that reads what is assigned: all values and places are found before the first call. `masks` are those of
    /// a WHERE around it.
    pub(super) fn listed_defined(
        &mut self,
        active: &Active,
        (proc, args): (ProcId, &'p [Option<Actual>]),
        (target, value): (&'p Expr, &'p Expr),
        masks: Option<&[ListedMask<'p>]>,
    ) {
        let proc = self.callee(proc);
        let callee = self.b.program().proc(proc);
        let by_element = callee.elemental && target.rank > 0;
        let has_place = |b: &Builder<'_, 'p>| {
            let first = callee.params.first().map(|&v| &b.program().var(v).attrs);
            !finds_itself(b.program(), target) || first.is_some_and(|attrs| !attrs.allocatable && !attrs.pointer)
        };
        if is_class(self.b.program(), value) || !has_place(&self.b) || (masks.is_some() && !by_element) {
            return self.b.unsupported("this defined assignment in a FORALL construct that reads what it assigns");
        }
        let ty = &value.ty;
        let rank = if masks.is_some() { target.rank } else { value.rank };
        let (blocks, values) = (self.b.words(active), self.b.saved(active.count, rank));
        let places = saved_targets(&mut self.b, active, target);
        let mut spaces = (Space::Host, Space::Host);
        self.each_row(active, &mut |this, row| {
            let view = if masks.is_some() || places.is_some() { this.designator_view(target) } else { None };
            if let Some(view) = &view {
                spaces.0 = view.mem.space;
                if let Some(places) = &places {
                    keep_view(&mut this.b, places, row, view);
                }
            }
            let prepared = masks.is_none().then(|| this.prepared(value));
            let len = matches!(ty, Type::Character(_))
                .then(|| this.length_of(value, prepared.as_ref().map(|(operands, _)| operands)))
                .flatten();
            let element = this.b.element_bytes(ty, len);
            let extents = match (&prepared, &view) {
                (Some((_, extents)), _) => extents.clone(),
                (None, Some(view)) => view.extents(),
                (None, None) => return this.b.unsupported("this defined assignment in a WHERE construct"),
            };
            let shape = this.b.dense(MemRef::at(Val::i64(0), Space::Host), element, len, &extents);
            let block = new_block_like(&mut this.b, &shape, ty, &blocks, row);
            spaces.1 = block.mem.space;
            keep_view(&mut this.b, &values, row, &block);
            match (prepared, &view, masks) {
                (Some((operands, extents)), ..) if value.rank > 0 => this.fill_from(&block, operands, &extents, value),
                (None, Some(view), Some(masks)) => {
                    let conditions = conditions_of(&mut this.b, masks, row, view);
                    this.masked_value(&block, value, &conditions);
                }
                _ => {
                    let v = this.value(value);
                    this.b.store_value(element_lvalue(block.mem, len), ty, &v);
                }
            }
        });
        self.each_row(active, &mut |this, row| {
            let block = kept_view(&mut this.b, &values, row, (ty, false), (rank, spaces.1));
            let view = match &places {
                Some(places) => {
                    let class = is_class(this.b.program(), target);
                    Some(kept_view(&mut this.b, places, row, (&target.ty, class), (target.rank, spaces.0)))
                }
                None if by_element => this.designator_view(target),
                None => None,
            };
            match view {
                Some(view) if by_element => {
                    let conditions = conditions_of(&mut this.b, masks.unwrap_or_default(), row, &view);
                    let ready = if rank == 0 {
                        let value = this.b.load_value(element_lvalue(block.mem, block.len), ty);
                        Operand::Value(value)
                    } else {
                        Operand::View(block.clone())
                    };
                    this.masked_call_to(proc, args, (target, &view), (value, ready), &conditions);
                }
                view => {
                    let mut operands = Operands::default();
                    if rank == 0 {
                        let known = this.b.load_value(element_lvalue(block.mem, block.len), ty);
                        operands.insert(value, Operand::Value(known));
                    } else {
                        operands.insert(value, Operand::View(block.clone()));
                    }
                    if let Some(view) = view {
                        operands.insert(target, Operand::View(view));
                    }
                    this.with_operands(operands, |this| this.call_once(proc, args));
                }
            }
            this.b.release_view(&block, ty);
            free_block(&mut this.b, &blocks, row);
            if let Some(places) = &places {
                free_kept(&mut this.b, places, row, target.rank);
            }
        });
    }
}

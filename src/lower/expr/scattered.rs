//! A part of each object of an array, where length parameters decide about the part: `objects%name`, `objects%x(i)`. Each object
//! has it in memory of its own, so that there is no stride between the parts. What reads them reads a copy.
//!
//! Assignment statements store to the parts one by one. Other statements that would change them are refused by name.

use crate::analysis::designators::field_of;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, element_lvalue};
use ir::op::CmpOp;
use ir::{Ty, Val};
use sema::checked::{Expr, ExprKind, Program, Type};

/// The array of objects whose parts such a designator names.
pub(crate) fn scattered<'p>(program: &'p Program, e: &'p Expr) -> Option<&'p Expr> {
    match &e.kind {
        _ if e.rank == 0 => None,
        ExprKind::Field { base, field } if base.rank > 0 => scattered(program, base)
            .or_else(|| field_of(program, base, *field).filter(|f| f.sized.is_some()).map(|_| &**base)),
        ExprKind::Element { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => scattered(program, base),
        _ => None,
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Says that a statement would change such parts, if it would.
    pub(crate) fn refuse_scattered(&mut self, e: &'p Expr) -> bool {
        let found = scattered(self.b.program(), e).is_some();
        if found {
            self.at(e.span, |this| {
                this.b.unsupported("this use of a component with run-time lengths of each object of an array");
            });
        }
        found
    }

    /// A copy of the parts, unless the element of each object is asked for one by one.
    pub(crate) fn gathered(&mut self, e: &'p Expr) -> Option<ArrayView> {
        let objects = scattered(self.b.program(), e)?;
        if self.lookup(objects).is_some() {
            return None;
        }
        let view = self.designator_view(objects)?;
        let extents = view.extents();
        let mut operands = Operands::default();
        operands.insert(objects, Operand::View(view));
        let len = matches!(e.ty, Type::Character(_)).then(|| self.length_of_parts(e, operands.clone(), &extents));
        let copy = self.b.temporary_array(&e.ty, len, &extents);
        self.for_each_element(operands, &extents, &[&copy], &mut |this, index, linear| {
            let place = this.lvalue(e);
            let value = this.b.load_value(place, &e.ty);
            let mem = this.b.element_pos(&copy, index, linear);
            this.b.store_value(element_lvalue(mem, copy.len), &e.ty, &value);
        });
        Some(copy)
    }

    /// The length of the first of such parts, which is that of all.
    fn length_of_parts(&mut self, e: &'p Expr, operands: Operands, extents: &[Val]) -> Val {
        let len = self.b.mutable(Ty::I64);
        self.b.set(len, Val::i64(0));
        let count = self.b.product(extents);
        let some = self.b.icmp(CmpOp::Gt, count, Val::i64(0));
        let first = vec![Val::i64(0); extents.len()];
        self.when(some, |this| {
            this.with_operands(operands, |this| {
                this.move_to(&first);
                if let Lvalue::Char(_, n) = this.lvalue(e) {
                    this.b.set(len, n);
                }
            });
        });
        len.into()
    }

    /// `target = value` where the target is such parts.
    pub(crate) fn assign_scattered(&mut self, objects: &'p Expr, target: &'p Expr, value: &'p Expr) {
        let from = if value.rank > 0 { Some(self.materialise(value)) } else { None };
        let single = match from {
            Some(_) => None,
            None => match self.value(value) {
                Value::Char(mem, len) => Some(self.b.character_copy(&Value::Char(mem, len), len)),
                Value::Object(mem) => {
                    let copy = self.b.deep_copy(mem, &value.ty);
                    let element = self.b.element_bytes(&value.ty, None);
                    let view = self.b.dense(copy, element, None, &[]);
                    self.b.release_later(view, value.ty.clone());
                    Some(Value::Object(copy))
                }
                other => Some(other),
            },
        };
        let Some(view) = self.designator_view(objects) else {
            return self.b.unsupported("an assignment to this object");
        };
        let extents = view.extents();
        if let Some(from) = &from {
            self.b.check_shape(&view, &from.extents());
        }
        let mut operands = Operands::default();
        operands.insert(objects, Operand::View(view));
        let targets: Vec<&ArrayView> = from.iter().collect();
        self.for_each_element(operands, &extents, &targets, &mut |this, index, linear| {
            let v = match (&from, &single) {
                (Some(from), _) => {
                    let mem = this.b.element_pos(from, index, linear);
                    this.b.load_value(element_lvalue(mem, from.len), &value.ty)
                }
                (None, Some(v)) => v.clone(),
                (None, None) => return,
            };
            let place = this.lvalue(target);
            this.check_assigned(place, target, &v);
            this.b.store_value(place, &target.ty, &v);
        });
    }
}

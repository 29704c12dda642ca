//! REDUCE: a function of the program combines the elements of an array, in array element order.
//!
//! The node brings a call of the function with two variables, the value so far and the next element. The loop sets both.

use super::{Args, arg};
use crate::builder::flow::Flow;
use crate::elements::Operands;
use crate::function::FunctionLowering;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, element_lvalue};
use ir::{Reg, Ty, Val};
use sema::checked::{Expr, ExprKind, Type};

/// A reduction in progress.
struct Combination<'p> {
    array: &'p Expr,
    call: &'p Expr,
    mask: Option<&'p Expr>,
    identity: Option<&'p Expr>,
    ty: &'p Type,
    value: Lvalue,
    element: Lvalue,
    /// Whether there was an element.
    found: Reg,
}

impl<'p> FunctionLowering<'_, 'p> {
    fn combination(&mut self, args: Args<'p>) -> Option<Combination<'p>> {
        let mut variable = |at| match arg(args, at)?.kind {
            ExprKind::Var(v) => self.variable_lvalue(v),
            _ => None,
        };
        let (value, element) = (variable(5)?, variable(6)?);
        let array = arg(args, 0)?;
        let found = self.b.mutable(Ty::Pred);
        Some(Combination {
            array,
            call: arg(args, 1)?,
            mask: arg(args, 3),
            identity: arg(args, 4),
            ty: &array.ty,
            value,
            element,
            found,
        })
    }

    /// REDUCE with a scalar result.
    pub(super) fn combine_scalar(&mut self, args: Args<'p>) -> Option<Value> {
        let c = self.combination(args)?;
        let (operands, extents) = self.prepare_combination(&c)?;
        self.b.set(c.found, Val::pred(false));
        self.for_each_element(operands, &extents, &[], &mut |this, _, _| this.combine(&c));
        Some(self.combined(&c))
    }

    /// REDUCE along one dimension.
    pub(super) fn combine_array(&mut self, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let dim = self.dimension(arg(args, 2)?);
        let c = self.combination(args)?;
        let (operands, extents) = self.prepare_combination(&c)?;
        let (outer, along) = self.b.without_dimension(&extents, dim);
        let view = self.b.temporary_array(&e.ty, None, &outer);
        let result = view.clone();
        self.with_operands(operands, |this| {
            this.nest(&outer, &mut |this, index| {
                this.b.set(c.found, Val::pred(false));
                this.repeat(along, &mut |this, i| {
                    let full = this.b.with_dimension(index, dim, i);
                    this.move_to(&full);
                    this.combine(&c);
                });
                let total = this.combined(&c);
                let mem = this.b.element_by_position(&result, index);
                this.b.store_value(element_lvalue(mem, view.len), &e.ty, &total);
            });
        });
        Some(result)
    }

    fn prepare_combination(&mut self, c: &Combination<'p>) -> Option<(Operands, Vec<Val>)> {
        let mut operands = Operands::default();
        self.prepare(c.array, &mut operands);
        let extents = operands.extents(c.array)?;
        if let Some(mask) = c.mask {
            self.prepare(mask, &mut operands);
        }
        self.b.check_mask(c.array, c.mask, &operands);
        Some((operands, extents))
    }

    /// Takes in the current element.
    fn combine(&mut self, c: &Combination<'p>) {
        let counts = c.mask.map_or(Val::pred(true), |mask| self.pred(mask));
        self.when(counts, |this| {
            let x = this.value(c.array);
            this.either(
                c.found.into(),
                |this| {
                    this.b.store_value(c.element, c.ty, &x);
                    let combined = this.value(c.call);
                    this.b.store_value(c.value, c.ty, &combined);
                },
                |this| {
                    this.b.store_value(c.value, c.ty, &x);
                    this.b.set(c.found, Val::pred(true));
                },
            );
        });
    }

    /// The value of all elements; without any, that of IDENTITY.
    fn combined(&mut self, c: &Combination<'p>) -> Value {
        let is_empty = self.b.bin(ir::op::BinOp::Xor, Ty::Pred, c.found, Val::pred(true));
        self.when(is_empty.into(), |this| match c.identity {
            Some(e) => {
                let identity = this.value(e);
                this.b.store_value(c.value, c.ty, &identity);
            }
            None => this.b.fail("`reduce` of no elements, without `identity=`"),
        });
        let total = self.b.load_value(c.value, c.ty);
        self.b.freeze_value(total)
    }
}

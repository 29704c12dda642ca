//! A part of each object of an array, where length parameters decide about the part: `objects%name`, `objects%x(i)`. Each object
//! has it in memory of its own, so that there is no stride between the parts. What reads them as one array reads a copy.
//!
//! Assignment and READ statements and elemental procedures work on the parts one by one. Other procedures change a copy, which goes
//! back. A pointer to such parts, another name for them, and a dummy argument with TARGET see them where they are: objects that were
//! made together have them at equal distances ([`FunctionLowering::parts_view`]).

use crate::analysis::designators::field_of;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::types::is_flat;
use crate::value::Value;
use crate::value::arguments::{CopyBack, Passed};
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use crate::value::lvalue::{Lvalue, MemRef, element_lvalue};
use ir::op::CmpOp;
use ir::{Reg, Ty, Val};
use sema::checked::{Expr, ExprKind, Program, Type, visit};

/// The array of objects whose parts such a designator names.
pub(crate) fn scattered<'p>(program: &'p Program, e: &'p Expr) -> Option<&'p Expr> {
    match &e.kind {
        _ if e.rank == 0 => None,
        ExprKind::Field { base, field } if base.rank > 0 => scattered(program, base)
            .or_else(|| field_of(program, base, *field).filter(|f| f.sized.is_some()).map(|_| &**base))
            .filter(|_| !is_flat(program, &base.ty)),
        ExprKind::Element { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => scattered(program, base),
        _ => None,
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Whether an expression names the part of the object that is evaluated now.
    pub(crate) fn is_current(&self, e: &Expr) -> bool {
        self.lookup(e).is_some()
            || match &e.kind {
                ExprKind::Field { base, .. }
                | ExprKind::Element { base, .. }
                | ExprKind::Substring { base, .. }
                | ExprKind::ComplexPart { base, .. }
                | ExprKind::Seen { base, .. } => self.is_current(base),
                _ => false,
            }
    }

    /// Whether an expression names such parts as a whole.
    pub(crate) fn is_scattered(&self, e: &'p Expr) -> bool {
        scattered(self.b.program(), e).is_some() && !self.is_current(e)
    }

    /// The view of such parts, for a pointer or another name: those of objects that were made together are at equal distances,
    /// and it is an error if they are not.
    pub(crate) fn parts_view(&mut self, e: &'p Expr) -> Option<ArrayView> {
        let program = self.b.program();
        let objects = scattered(program, e)?;
        let mut operands = Operands::default();
        self.prepare_parts(e, &mut operands);
        let Some(Operand::View(all)) = operands.operand(objects).cloned() else { return None };
        let len = self.length_of(e, Some(&operands));
        let element = self.b.element_bytes(&e.ty, len);
        let extents = all.extents();
        let count = self.b.product(&extents);
        let some = self.b.icmp(CmpOp::Gt, count, Val::i64(0));
        // What names no part has an address nevertheless.
        let first = self.b.address(all.mem);
        let base = self.b.mutable(Ty::I64);
        self.b.set(base, first);
        let strides: Vec<Reg> = extents.iter().map(|_| self.b.mutable(Ty::I64)).collect();
        for &stride in &strides {
            self.b.set(stride, element);
        }
        self.when(some, |this| this.with_operands(operands, |this| this.measure_parts(e, &extents, base, &strides)));
        let (base, length) = (self.b.freeze(base.into()), len);
        let mem = MemRef { addr: base, offset: 0, ..all.mem };
        let dims = extents.iter().zip(&strides).map(|(&extent, &stride)| {
            let stride = self.b.freeze(stride.into());
            ArrayDim { lower: Val::i64(1), extent, stride, gather: None }
        });
        let dims = dims.collect();
        let contiguity = Contiguity::Unknown;
        Some(ArrayView { mem, origin: None, dims, element, len: length, tag: None, contiguity, assumed_size: false })
    }

    /// Finds out where the first of such parts is and how far the next ones are, and looks whether all are at these distances.
    fn measure_parts(&mut self, e: &'p Expr, extents: &[Val], base: Reg, strides: &[Reg]) {
        let first = vec![Val::i64(0); extents.len()];
        let start = self.address_at(e, &first);
        self.b.set(base, start);
        for (dim, (&extent, &stride)) in extents.iter().zip(strides).enumerate() {
            let more = self.b.icmp(CmpOp::Gt, extent, Val::i64(1));
            let mut index = first.clone();
            index[dim] = Val::i64(1);
            self.when(more, |this| {
                let next = this.address_at(e, &index);
                let distance = this.b.isub(next, base.into());
                this.b.set(stride, distance);
            });
        }
        self.nest(extents, &mut |this, index| {
            let at = this.address_at(e, index);
            let regular = index.iter().zip(strides).fold(Val::from(base), |at, (&i, &s)| this.b.imad(i, s.into(), at));
            let differs = this.b.icmp(CmpOp::Ne, at, regular);
            this.when(differs, |this| {
                this.at(e.span, |this| {
                    this.b.unsupported(
                        "another name for a component with run-time lengths of objects that were not made together",
                    );
                });
            });
        });
    }

    /// The address of a part at a position of the evaluation.
    fn address_at(&mut self, e: &'p Expr, index: &[Val]) -> Val {
        self.move_to(index);
        match self.lvalue(e) {
            Lvalue::Mem(mem) | Lvalue::Char(mem, _) => self.b.address(mem),
            _ => Val::i64(0),
        }
    }

    /// The view of a designator, or of a copy of such parts, which only reads may use.
    pub(crate) fn readable_view(&mut self, e: &'p Expr) -> Option<ArrayView> {
        if self.is_scattered(e) { Some(self.at(e.span, |this| this.materialise(e))) } else { self.designator_view(e) }
    }

    /// A copy of such parts, and how it goes back.
    pub(crate) fn copy_of_parts(&mut self, e: &'p Expr) -> (ArrayView, CopyBack) {
        let copy = self.materialise(e);
        let mut operands = Operands::default();
        self.prepare_parts(e, &mut operands);
        let extents = copy.extents();
        let places = self.b.temporary_array(&Type::Integer(8), None, &extents);
        self.for_each_element(operands, &extents, &[&places], &mut |this, index, linear| {
            if let Lvalue::Mem(mem) | Lvalue::Char(mem, _) = this.lvalue(e) {
                let word = this.b.element_pos(&places, index, linear);
                let addr = this.b.address(mem);
                this.b.store_scalar(word, Ty::I64, addr);
            }
        });
        (copy.clone(), CopyBack::Parts { from: copy, places, ty: e.ty.clone() })
    }

    /// Runs `body`, in which those of these expressions that are such parts are copies, which go back.
    pub(crate) fn with_copies<T>(&mut self, changed: &[&'p Expr], body: impl FnOnce(&mut Self) -> T) -> T {
        let mut operands = Operands::default();
        let mut passed = Passed::default();
        for e in changed {
            if self.is_scattered(e) {
                let (copy, back) = self.copy_of_parts(e);
                operands.insert(e, Operand::View(copy));
                passed.back.push(back);
            }
        }
        if passed.back.is_empty() {
            return body(self);
        }
        let result = self.with_operands(operands, body);
        self.b.after_call(passed);
        result
    }

    /// Prepares such parts for an evaluation that finds their own places: the objects, and the subscripts and bounds of
    /// substrings, which are evaluated once. Says whether `e` is such parts.
    pub(crate) fn prepare_parts(&mut self, e: &'p Expr, operands: &mut Operands) -> bool {
        let Some(objects) = scattered(self.b.program(), e).filter(|_| !self.is_current(e)) else { return false };
        let view = self.view(objects);
        operands.insert(objects, Operand::View(view));
        let mut at = e;
        while !std::ptr::eq(at, objects) {
            let mut base = None;
            visit::parts(at, &mut |part| {
                if base.is_none() {
                    base = Some(part);
                } else if !matches!(part.kind, ExprKind::Const(_)) {
                    let value = self.value(part);
                    operands.insert(part, Operand::Value(value));
                }
            });
            let Some(base) = base else { break };
            at = base;
        }
        true
    }

    /// The length of such parts, components of characters, as their declaration says it.
    pub(crate) fn length_of_parts(&mut self, e: &'p Expr, prepared: Option<&Operands>) -> Val {
        let ExprKind::Field { base, field } = &e.kind else { return Val::i64(0) };
        let length = field_of(self.b.program(), base, *field).and_then(|f| f.sized.as_ref()?.len.as_ref());
        let (Some(length), Type::Derived(id)) = (length, &base.ty) else { return Val::i64(0) };
        let held = self.with_operands(prepared.cloned().unwrap_or_default(), |this| this.lengths_of(base));
        self.bind_parameters(*id, &held);
        let n = self.bound(length);
        self.b.at_least_zero(n)
    }

    /// The address of the first of such parts; 0 if there is none.
    pub(crate) fn address_of_parts(&mut self, e: &'p Expr) -> Val {
        let mut operands = Operands::default();
        self.prepare_parts(e, &mut operands);
        let found = self.b.mutable(Ty::I64);
        self.b.set(found, Val::i64(0));
        let extents = operands.extents(e).unwrap_or_default();
        let count = self.b.product(&extents);
        let some = self.b.icmp(CmpOp::Gt, count, Val::i64(0));
        let first = vec![Val::i64(0); extents.len()];
        self.when(some, |this| {
            this.with_operands(operands, |this| {
                this.move_to(&first);
                if let Lvalue::Mem(mem) | Lvalue::Char(mem, _) = this.lvalue(e) {
                    let addr = this.b.address(mem);
                    this.b.set(found, addr);
                }
            });
        });
        found.into()
    }

    /// `target = value` where the target is such parts.
    pub(crate) fn assign_scattered(&mut self, target: &'p Expr, value: &'p Expr) {
        let from = if value.rank > 0 { Some(self.materialise(value)) } else { None };
        let single = match from {
            Some(_) => None,
            None => match self.value(value) {
                Value::Char(mem, len) => Some(self.b.character_copy(&Value::Char(mem, len), len)),
                Value::Object(mem) => Some(Value::Object(self.b.owned_copy(mem, &value.ty))),
                other => Some(other),
            },
        };
        let mut operands = Operands::default();
        self.prepare_parts(target, &mut operands);
        let extents = operands.extents(target).unwrap_or_default();
        if let Some(from) = &from {
            self.at(target.span, |this| this.b.check_extents(&extents, &from.extents()));
        }
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
            this.b.assign_element(place, &target.ty, &v);
        });
    }
}

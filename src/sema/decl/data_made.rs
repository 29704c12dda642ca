//! DATA for objects whose types have length parameters, which are made at run time: assignments, which the main program begins
//! with, give them the values.
//!
//! Not here: which parts a designator names, and the values (`data`).

use crate::checked::{CharLen, Const, Expr, ExprKind, Storage, Type, TypeId, VarId};
use crate::checker::{Checker, DataObject, InitialTarget, TargetValue};
use crate::fold::{Evaluator, NoValue};
use crate::typing::{constant, fit_constant};
use diag::Code;
use source::Span;

impl Checker<'_> {
    /// The value of an object so far, as far as DATA gives it.
    pub(super) fn take_data_object(&mut self, id: VarId, name: &str, span: Span) -> Option<DataObject> {
        if let Some(at) = self.made.data_objects.iter().position(|object| object.var == id) {
            return Some(self.made.data_objects.swap_remove(at));
        }
        let var = self.defs.var(id).clone();
        let Type::Derived(ty) = var.ty else { return None };
        if !matches!(var.storage, Storage::Static) || var.attrs.allocatable || var.attrs.pointer {
            let text = format!("`{name}` cannot be initialised by `data`");
            return self.reporter.error(Code::BadInitialisation, span, text);
        }
        let length = |n: &CharLen| if let CharLen::Const(n) = n { Some(*n) } else { None };
        let (Some(bounds), Some(lengths)) =
            (var.shape.constant_bounds(), var.attrs.lengths.iter().map(length).collect::<Option<Vec<i64>>>())
        else {
            let text = format!("`{name}` cannot be initialised by `data`: its shape or a length is not constant");
            return self.reporter.error(Code::BadInitialisation, span, text);
        };
        let object = match Evaluator::full(&self.defs).new_object(ty, &lengths, span) {
            Ok(object) => object,
            Err(NoValue::Fault(code, span, text)) => return self.reporter.error(code, span, text),
            Err(NoValue::NotConstant(_)) => return self.reporter.refuse(span, "`data` for objects of this type"),
        };
        let value = if bounds.is_empty() { Some(object) } else { super::initial::filled(object, bounds) };
        let Some(value) = value else {
            return self.reporter.refuse(span, format!("an initial value of `{name}`, which is that large,"));
        };
        Some(DataObject { var: id, scope: self.cx.scope, value })
    }

    /// Gives parts of such an object the next values.
    pub(super) fn data_of_object(
        &mut self,
        mut object: DataObject,
        target: &Expr,
        next: &mut dyn FnMut(&mut Self, &Type) -> Option<Const>,
    ) -> Option<()> {
        let done = self.data_parts(target, &mut object.value, &mut |c, slot, ty| {
            let value = next(c, ty)?;
            let value = match &*slot {
                // The length of the component, not of its type, which leaves it open.
                Const::Char(old) => fit_constant(value, &Type::Character(CharLen::Const(old.len() as i64))),
                _ => value,
            };
            c.check_same_lengths(slot, &value, ty, target.span)?;
            *slot = value;
            Some(())
        });
        self.made.data_objects.push(object);
        done
    }

    /// Whole objects have the lengths of their declaration.
    fn check_same_lengths(&mut self, old: &Const, new: &Const, ty: &Type, span: Span) -> Option<()> {
        let (Const::Derived(old), Const::Derived(new), Type::Derived(id)) = (old, new, ty) else { return Some(()) };
        let fields = self.defs.ty(*id).fields.iter().zip(old.iter().zip(new)).filter(|(field, _)| field.is_parameter);
        for (field, values) in fields {
            if let (Const::Int(old), Const::Int(new)) = values
                && old != new
            {
                let text = format!("length parameter `{}` is {old} here, and {new} in the value", field.name);
                return self.reporter.error(Code::BadTypeParameter, span, text);
            }
        }
        Some(())
    }

    /// Makes the values of such objects assignments.
    pub(super) fn assign_data_objects(&mut self) {
        let mut list = Vec::new();
        for object in std::mem::take(&mut self.made.data_objects) {
            let var = self.defs.var(object.var);
            let kind = ExprKind::Var(object.var);
            let whole = Expr { kind, ty: var.ty.clone(), rank: var.shape.rank(), span: var.span };
            self.data_assignments(whole, object.value, &mut |pointer, value| {
                list.push(InitialTarget { pointer, value: TargetValue::Value(value), scope: object.scope });
            });
        }
        self.made.initial_targets.extend(list);
    }

    fn data_assignments(&self, target: Expr, value: Const, f: &mut dyn FnMut(Expr, Expr)) {
        let span = target.span;
        match value {
            Const::Null => {}
            Const::Derived(parts) => {
                let Type::Derived(id) = target.ty else { return };
                let fields = self.defs.ty(id).fields.iter().zip(parts).enumerate();
                for (at, (field, part)) in fields.filter(|(_, (field, _))| !field.is_parameter) {
                    let kind = ExprKind::Field { base: Box::new(target.clone()), field: at as u32 };
                    let (ty, rank) = (field.ty.clone(), field.shape.rank());
                    self.data_assignments(Expr { kind, ty, rank, span }, part, f);
                }
            }
            Const::Array { bounds, items } => {
                let is_whole = |item: &Const| !matches!(item, Const::Null | Const::Derived(_));
                if items.iter().all(is_whole) {
                    let (ty, rank) = (type_of(&items, &target.ty), bounds.len() as u8);
                    let kind = ExprKind::Const(Const::Array { bounds, items });
                    return f(target, Expr { kind, ty, rank, span });
                }
                for (position, item) in items.into_iter().enumerate() {
                    let mut rest = position as i64;
                    let mut subs = Vec::with_capacity(bounds.len());
                    for (lower, extent) in &bounds {
                        let at = Const::Int(lower + rest % extent);
                        subs.push(constant(at, Type::Integer(8), span));
                        rest /= extent;
                    }
                    let ty = target.ty.clone();
                    let kind = ExprKind::Element { base: Box::new(target.clone()), subs };
                    self.data_assignments(Expr { kind, ty, rank: 0, span }, item, f);
                }
            }
            scalar => {
                let ty = type_of(std::slice::from_ref(&scalar), &target.ty);
                f(target, constant(scalar, ty, span));
            }
        }
    }

    /// Whether objects of a type have parts whose sizes length parameters decide.
    pub(super) fn has_lengths(&self, id: TypeId) -> bool {
        self.defs.has_part(id, &|f| f.is_parameter)
    }
}

/// The type of values: the length of characters is their own.
fn type_of(values: &[Const], ty: &Type) -> Type {
    match (values.first(), ty) {
        (Some(Const::Char(text)), Type::Character(_)) => Type::Character(CharLen::Const(text.len() as i64)),
        _ => ty.clone(),
    }
}

//! What an expression reads of the program around it: its slots.
//!
//! Each variable of the expression becomes a pointer of the expression's own, and each special register of a device thread a
//! number. A designator that passes through a pointer or allocatable component becomes a pointer too: the descriptor of such a
//! component says where the object is in the program's memory, and the object has to be brought into the memory of the
//! expression first. If only the address of a designator is wanted, its last such component stays, since its target is not
//! touched.

use super::{CompiledExpr, flat_attributes, slot_variable};
use crate::eval::value::{Eval, fail};
use sema::checked::{
    Actual, Attrs, CharLen, Expr, ExprKind, Intrinsic, Item, ProcBody, Program, Storage, Sub, Type, VarId, Variable,
};
use std::collections::BTreeMap;

/// Something that an expression reads.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// What it is.
    pub(crate) source: Source,
    /// The variable of the expression's own that stands for it.
    pub(crate) var: VarId,
    /// Whether it must be there: not if only that is asked.
    pub(crate) is_needed: bool,
}

/// What a slot stands for.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A variable.
    Variable(VarId),
    /// Whether an optional dummy argument is present.
    Presence(VarId),
    /// A special register, plus a number.
    Special { index: u8, add: i32 },
    /// The object of a designator.
    Part(CompiledExpr),
}

/// The slots of an expression as they are found.
pub(crate) struct Slots<'p> {
    checked: &'p Program,
    found: Vec<Slot>,
    vars: Vec<Variable>,
    known: BTreeMap<VarId, usize>,
}

impl<'p> Slots<'p> {
    /// No slots.
    pub(crate) fn new(checked: &'p Program) -> Slots<'p> {
        Slots { checked, found: Vec::new(), vars: Vec::new(), known: BTreeMap::new() }
    }

    /// The slots and their variables.
    pub(crate) fn finish(self) -> (Vec<Slot>, Vec<Variable>) {
        (self.found, self.vars)
    }

    fn add(&mut self, source: Source, name: &str, ty: &Type, rank: u8, is_needed: bool) -> (VarId, Type) {
        let id = VarId((self.checked.vars.len() + self.vars.len()) as u32);
        let ty = match ty {
            Type::Character(CharLen::Const(n)) => Type::Character(CharLen::Const(*n)),
            Type::Character(_) => Type::Character(CharLen::Deferred),
            ty => ty.clone(),
        };
        let attrs = Attrs { pointer: true, ..flat_attributes(self.checked, &ty) };
        self.vars.push(slot_variable(name, &ty, rank, attrs));
        self.found.push(Slot { source, var: id, is_needed });
        (id, ty)
    }

    /// Cuts an expression loose from the program. `is_place` says that its place is asked.
    pub(crate) fn cut(&mut self, e: &mut Expr, is_place: bool) -> Eval<()> {
        match &mut e.kind {
            ExprKind::Const(_) | ExprKind::Null => Ok(()),
            ExprKind::Unsupported(what) => fail(format!("{what} is not supported")),
            ExprKind::Var(_) => self.cut_variable(e, is_place, true),
            ExprKind::Special { index, add } => {
                let source = Source::Special { index: *index, add: *add };
                let (id, _) = self.add(source, "special", &Type::Integer(4), 0, true);
                e.kind = ExprKind::Var(id);
                Ok(())
            }
            ExprKind::Field { .. } => self.cut_field(e, is_place, true),
            ExprKind::Element { base, subs } => {
                self.cut(base, is_place)?;
                subs.iter_mut().try_for_each(|s| self.cut(s, false))
            }
            ExprKind::Section { base, subs } => {
                self.cut(base, is_place)?;
                subs.iter_mut().try_for_each(|sub| match sub {
                    Sub::Index(e) | Sub::Vector(e) => self.cut(e, false),
                    Sub::Range { lo, hi, step } => {
                        [lo, hi, step].into_iter().flatten().try_for_each(|e| self.cut(e, false))
                    }
                })
            }
            ExprKind::Substring { base, lo, hi } => {
                self.cut(base, is_place)?;
                [lo, hi].into_iter().flatten().try_for_each(|e| self.cut(e, false))
            }
            ExprKind::ComplexPart { base, .. } | ExprKind::Seen { base, .. } => self.cut(base, is_place),
            ExprKind::Procedure(_) => fail("a procedure has no value"),
            ExprKind::Let { .. } => fail("a statement function cannot be called here with the value of a function"),
            ExprKind::IsType { .. } => fail("the dynamic type of an object cannot be asked here"),
            ExprKind::Unary { operand: inner, .. } | ExprKind::Convert(inner) | ExprKind::Paren(inner) => {
                self.cut(inner, false)
            }
            ExprKind::Binary { left, right, .. }
            | ExprKind::Compare { left, right, .. }
            | ExprKind::Logic { left, right, .. }
            | ExprKind::Concat(left, right) => {
                self.cut(left, false)?;
                self.cut(right, false)
            }
            ExprKind::Intrinsic { id, args } => {
                let id = *id;
                let mut args: Vec<&mut Expr> = args.iter_mut().flatten().collect();
                match (id, args.as_mut_slice()) {
                    (Intrinsic::Present, [object]) => {
                        let ExprKind::Var(optional) = object.kind else { return fail("`present` takes a variable") };
                        let (slot, _) = self.add(Source::Presence(optional), "present", &e.ty, 0, true);
                        e.kind = ExprKind::Var(slot);
                        Ok(())
                    }
                    (Intrinsic::Allocated | Intrinsic::Associated, [object, rest @ ..]) => {
                        match &object.kind {
                            ExprKind::Var(_) => self.cut_variable(object, false, false)?,
                            // Two pointers are compared by where their targets are here; of one its descriptor tells enough.
                            ExprKind::Field { .. } => self.cut_field(object, rest.is_empty(), false)?,
                            _ => self.cut(object, false)?,
                        }
                        rest.iter_mut().try_for_each(|e| self.cut(e, false))
                    }
                    (_, args) => args.iter_mut().try_for_each(|e| self.cut(e, false)),
                }
            }
            ExprKind::Call { proc, args } => {
                let callee = self.checked.proc(*proc);
                if callee.parent.is_some() && callee.parent != self.checked.main {
                    return fail(format!("the internal function `{}` cannot be called from the debugger", callee.name));
                }
                if !matches!(callee.body, ProcBody::Statements(_)) {
                    return fail(format!("the function `{}` cannot be called from the debugger", callee.name));
                }
                args.iter_mut().flatten().try_for_each(|a| match a {
                    Actual::Expr(e) | Actual::Address(e) => self.cut(e, false),
                    Actual::Proc(_) => Ok(()),
                })
            }
            ExprKind::Construct { parents, .. } if !parents.is_empty() => {
                fail("a function that gives a parent component cannot be called here")
            }
            ExprKind::Construct { fields, .. } => fields.iter_mut().flatten().try_for_each(|e| self.cut(e, false)),
            ExprKind::Array(items) => items.iter_mut().try_for_each(|item| match item {
                Item::Expr(e) => self.cut(e, false),
                Item::Do(_) => fail("an implied DO cannot be evaluated here"),
            }),
        }
    }

    fn cut_variable(&mut self, e: &mut Expr, is_place: bool, is_needed: bool) -> Eval<()> {
        let ExprKind::Var(id) = e.kind else { return Ok(()) };
        let checked = self.checked;
        let var = checked.var(id);
        match &var.storage {
            Storage::Parameter => Ok(()),
            Storage::Procedure => fail("a procedure has no value"),
            Storage::Alias(target) => {
                *e = (**target).clone();
                self.cut(e, is_place)
            }
            _ => {
                let at = match self.known.get(&id) {
                    Some(&at) => {
                        self.found[at].is_needed |= is_needed;
                        at
                    }
                    None => {
                        self.add(Source::Variable(id), &var.name, &var.ty, var.shape.rank(), is_needed);
                        self.known.insert(id, self.found.len() - 1);
                        self.found.len() - 1
                    }
                };
                e.kind = ExprKind::Var(self.found[at].var);
                e.ty = self.vars[at].ty.clone();
                Ok(())
            }
        }
    }

    fn cut_field(&mut self, e: &mut Expr, is_place: bool, is_needed: bool) -> Eval<()> {
        let ExprKind::Field { base, field } = &mut e.kind else { return Ok(()) };
        let Type::Derived(id) = base.ty else { return fail("only an object of derived type has components") };
        let Some(component) = self.checked.ty(id).fields.get(*field as usize) else { return fail("no such component") };
        let is_indirect = component.allocatable || component.pointer;
        if !is_indirect || is_place {
            return self.cut(base, is_place && !is_indirect);
        }
        let name = component.name.clone();
        let source = Source::Part(CompiledExpr::new(self.checked, e)?);
        let (slot, ty) = self.add(source, &name, &e.ty, e.rank, is_needed);
        e.kind = ExprKind::Var(slot);
        e.ty = ty;
        Ok(())
    }
}

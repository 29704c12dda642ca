//! Constant folding: the value of a typed expression, where it has one at compile time.
//!
//! [`Evaluator`] walks checked expressions. It is used in two ways. *Eagerly*, on each scalar node whose operands are constants:
//! then it does exact operations only, so that the folded value equals that of execution. *In full*, where the language
//! requires a constant (kinds, bounds, PARAMETER values, initial values, CASE values): then it also follows named constants,
//! arrays, implied DO loops and the mathematical functions.
//!
//! An integer result that does not fit its kind is a fault, not a wrapped value, unless the evaluator is told to go on as execution
//! would ([`Evaluator::wrapping`]). Constant arrays are limited in size.
//!
//! The other evaluator of constants is `ir::eval`, for the optimiser. The two divide the work by language: here are Fortran's
//! typed values (characters, complex numbers, arrays) and Fortran's rules, where overflow is an error; there are the raw words
//! of IR operations, which are total and wrap. Both take their arithmetic from `scalar`, so they cannot disagree on a value.
//!
//! Not here: inquiries about types and bounds (`kind`, `huge`, `size` …), which `intrinsics` answers while it types them.

mod array;
mod convert;
mod elemental;
mod math;
mod number;
mod object;
mod reduction;
mod transfer;

pub(crate) use convert::{convert, fits, int_range};
pub(crate) use number::{compare, kind_of};
pub(crate) use transfer::{default_bytes, encoded, of_characters};

use crate::checked::{
    Actual, CharLen, Const, Expr, ExprKind, ImpliedDo, Intrinsic, Item, ProcId, Program, Shape, Storage, Sub, Type,
    VarId,
};
use diag::Code;
use source::Span;

/// The most elements that a constant array may have.
const MOST_ELEMENTS: usize = 1 << 22;

/// Why there is no value.
#[derive(Clone, Debug)]
pub(crate) enum NoValue {
    /// The expression is not constant; the part that is not.
    NotConstant(Span),
    /// It is constant but has no value: overflow, division by zero …
    Fault(Code, Span, String),
}

/// A value or the reason for its absence.
pub(crate) type Value = Result<Const, NoValue>;

/// A fault without its place, as the arithmetic reports it.
pub(crate) type Outcome = Result<Const, (Code, String)>;

/// Evaluates expressions of one program.
pub(crate) struct Evaluator<'p> {
    program: &'p Program,
    /// Whether the mathematical functions are computed too.
    full: bool,
    /// Whether integers that do not fit become what execution makes of them.
    wraps: bool,
    /// Values of implied DO variables.
    bound: Vec<(VarId, Const)>,
    steps: usize,
}

/// The value of an integer expression in which these variables have these values; `None` if it asks for more. A bound or a length of a
/// component is one of the variables of length parameters ([`TypeParam::var`](crate::checked::TypeParam::var)).
pub fn integer_with(program: &Program, e: &Expr, known: &[(VarId, i64)]) -> Option<i64> {
    let bound = known.iter().map(|&(v, n)| (v, Const::Int(n))).collect();
    match (Evaluator { bound, ..Evaluator::wrapping(program) }).eval(e) {
        Ok(Const::Int(n)) => Some(n),
        _ => None,
    }
}

impl<'p> Evaluator<'p> {
    /// An evaluator for single nodes with constant operands: exact operations only.
    pub(crate) fn eager(program: &'p Program) -> Evaluator<'p> {
        Evaluator { program, full: false, wraps: false, bound: Vec::new(), steps: 0 }
    }

    /// An evaluator for expressions that must be constant.
    pub(crate) fn full(program: &'p Program) -> Evaluator<'p> {
        Evaluator { program, full: true, wraps: false, bound: Vec::new(), steps: 0 }
    }

    /// The same where integers that do not fit have the values of execution, as with nvfortran.
    pub(crate) fn wrapping(program: &'p Program) -> Evaluator<'p> {
        Evaluator { wraps: true, ..Evaluator::full(program) }
    }

    /// What came of an operation; of integers that do not fit, what execution makes of them if that is wanted.
    fn or_wrapped(&self, outcome: Outcome, again: impl FnOnce() -> Option<Const>) -> Outcome {
        match outcome {
            Err((Code::ConstantOverflow | Code::ConstantConversion, _)) if self.wraps => match again() {
                Some(value) => Ok(value),
                None => outcome,
            },
            _ => outcome,
        }
    }

    /// The value of an expression.
    pub(crate) fn eval(&mut self, e: &Expr) -> Value {
        self.steps += 1;
        if self.steps > MOST_ELEMENTS * 8 {
            return Err(too_large(e.span));
        }
        let not_constant = || Err(NoValue::NotConstant(e.span));
        match &e.kind {
            ExprKind::Const(c) => Ok(c.clone()),
            ExprKind::Var(id) => self.variable(*id, e.span),
            ExprKind::Paren(inner) => self.eval(inner),
            ExprKind::Convert(inner) => {
                let value = self.eval(inner)?;
                // A logical variable keeps the bits of an integer.
                if !self.full && matches!((&value, &e.ty), (Const::Int(n), Type::Logical(_)) if !matches!(n, 0 | -1)) {
                    return not_constant();
                }
                let this = &*self;
                let f = &mut |c: Const| {
                    this.or_wrapped(convert(&c, &inner.ty, &e.ty), || convert::wrapped(&c, kind_of_integer(&e.ty)?))
                };
                at(e.span, array::map(value, f))
            }
            ExprKind::Unary { op, operand } => {
                let value = self.eval(operand)?;
                let this = &*self;
                let f = &mut |c: Const| {
                    let wrapped = || number::wrapped_negative(*op, &c, kind_of_integer(&e.ty)?);
                    this.or_wrapped(number::unary(*op, &e.ty, &c), wrapped)
                };
                at(e.span, array::map(value, f))
            }
            ExprKind::Binary { op, left, right } => {
                let (a, b) = (self.eval(left)?, self.eval(right)?);
                let this = &*self;
                let f = &mut |a: Const, b: Const| {
                    let wrapped = || number::wrapped_binary(*op, &a, &b, kind_of_integer(&e.ty)?);
                    this.or_wrapped(number::binary(*op, &e.ty, &a, &b, this.full), wrapped)
                };
                self.zip(e.span, a, b, f)
            }
            ExprKind::Compare { op, left, right } => {
                let (a, b) = (self.eval(left)?, self.eval(right)?);
                let f = &mut |a: Const, b: Const| compare(*op, &a, &b).map(Const::Logical).ok_or_else(number::no_fold);
                self.zip(e.span, a, b, f)
            }
            ExprKind::Logic { op, left, right } => {
                let (a, b) = (self.eval(left)?, self.eval(right)?);
                self.zip(e.span, a, b, &mut |a, b| number::logic(*op, &a, &b))
            }
            ExprKind::Concat(left, right) => {
                let (a, b) = (self.eval(left)?, self.eval(right)?);
                self.zip(e.span, a, b, &mut |a, b| number::concat(&a, &b))
            }
            ExprKind::ComplexPart { base, imaginary } => {
                let value = self.eval(base)?;
                at(e.span, array::map(value, &mut |c| number::part(&c, *imaginary)))
            }
            ExprKind::Field { base, field } => match self.eval(base)? {
                Const::Derived(fields) => self.component(&base.ty, fields, *field, e.span),
                Const::Array { bounds, items } => {
                    let mut parts = Vec::with_capacity(items.len());
                    for item in items {
                        let Const::Derived(fields) = item else { return not_constant() };
                        parts.push(self.component(&base.ty, fields, *field, e.span)?);
                    }
                    Ok(Const::Array { bounds, items: parts })
                }
                _ => not_constant(),
            },
            ExprKind::Element { base, subs } => {
                let mut index = Vec::with_capacity(subs.len());
                for sub in subs {
                    index.push(self.integer(sub)?);
                }
                if e.rank > 0 {
                    // The same element of an array component of each object.
                    let pick = |c: Const| {
                        array::element(&c, &index).map_err(|text| (Code::ConstantSubscriptOutOfBounds, text))
                    };
                    let Const::Array { bounds, items } = self.eval(base)? else { return not_constant() };
                    let items = items.into_iter().map(pick).collect::<Result<Vec<_>, _>>();
                    return at(e.span, items.map(|items| Const::Array { bounds, items }));
                }
                let program = self.program;
                let found = match base.kind {
                    // A named constant's array is looked into, not copied.
                    ExprKind::Var(id) => match (&program.var(id).storage, &program.var(id).init) {
                        (Storage::Parameter, Some(value)) => array::element(value, &index),
                        _ => match program.constants.get(&id) {
                            Some(value) => array::element(value, &index),
                            None => return not_constant(),
                        },
                    },
                    _ => array::element(&self.eval(base)?, &index),
                };
                found.map_err(|text| fault(Code::ConstantSubscriptOutOfBounds, e.span, text))
            }
            ExprKind::Section { base, subs } => self.section(base, subs, e.span),
            ExprKind::Substring { base, lo, hi } => {
                let value = self.eval(base)?;
                let lo = lo.as_deref().map(|e| self.integer(e)).transpose()?;
                let hi = hi.as_deref().map(|e| self.integer(e)).transpose()?;
                at(e.span, array::map(value, &mut |c| number::substring(&c, lo, hi)))
            }
            // The shape of a scalar is known, whatever its value.
            ExprKind::Intrinsic { id: Intrinsic::Shape, args }
                if args.first().and_then(Option::as_ref).is_some_and(|a| self.is_scalar(a)) =>
            {
                Ok(Const::Array { bounds: vec![(1, 0)], items: Vec::new() })
            }
            // Another TRANSFER may want the bits of a logical value that has them from elsewhere: it is computed where it is needed.
            ExprKind::Intrinsic { id: Intrinsic::Transfer, args }
                if !self.full
                    && matches!(e.ty, Type::Logical(_))
                    && !matches!(args.first(), Some(Some(Expr { ty: Type::Logical(_), .. }))) =>
            {
                Err(NoValue::NotConstant(e.span))
            }
            ExprKind::Intrinsic { id, args } => {
                let mut values = Vec::with_capacity(args.len());
                for (i, arg) in args.iter().enumerate() {
                    // Of the mold of TRANSFER only the type counts.
                    let arg = arg.as_ref().filter(|_| *id != Intrinsic::Transfer || i != 1);
                    values.push(arg.map(|a| self.eval(a)).transpose()?);
                }
                if let Some(result) = array::transformational(self.program, *id, args, &values, &e.ty) {
                    return at(e.span, result);
                }
                if let Some(Some(Const::Array { bounds, .. })) = values.first()
                    && let Some(result) = array::inquiry(*id, bounds, values.get(1).and_then(Option::as_ref))
                {
                    return Ok(result);
                }
                let this = &*self;
                let types: Vec<Option<&Type>> = args.iter().map(|a| a.as_ref().map(|a| &a.ty)).collect();
                let f = &mut |row: &[Option<Const>]| {
                    let wrapped = || match (id, row.first()) {
                        (Intrinsic::Int, Some(Some(c))) => convert::wrapped(c, kind_of_integer(&e.ty)?),
                        _ => None,
                    };
                    this.or_wrapped(elemental::call(*id, row, &types, &e.ty, this.full), wrapped)
                };
                at(e.span, array::map_row(values, f))
            }
            ExprKind::Construct { parents, fields, ty } if !parents.is_empty() => {
                let known = self.bound.len();
                for (v, own) in parents {
                    let value = self.eval(own)?;
                    self.bound.push((*v, value));
                }
                let bare = ExprKind::Construct { ty: *ty, parents: Vec::new(), fields: fields.clone() };
                let value = self.eval(&Expr { kind: bare, ..e.clone() });
                self.bound.truncate(known);
                value
            }
            ExprKind::Construct { fields, ty, .. } if self.program.ty(*ty).is_made => {
                self.constructed_object(*ty, fields, e.span)
            }
            ExprKind::Construct { fields, ty, .. } => {
                let mut values = Vec::with_capacity(fields.len());
                for (at, field) in fields.iter().enumerate() {
                    // Fortran 2018, 10.1.12: what is allocatable has no constant value but `null()`.
                    let is_allocatable = self.program.ty(*ty).fields.get(at).is_some_and(|f| f.allocatable);
                    if let Some(value) = field.as_ref().filter(|f| is_allocatable && !matches!(f.kind, ExprKind::Null))
                    {
                        return Err(NoValue::NotConstant(value.span));
                    }
                    values.push(field.as_ref().map_or(Ok(Const::Null), |f| self.eval(f))?);
                }
                Ok(Const::Derived(values))
            }
            ExprKind::Array(items) => {
                let mut out = Vec::new();
                self.items(items, &mut out, e.span)?;
                // Items have the length of the constructor (Fortran 2018, 7.8).
                if let Type::Character(CharLen::Const(_)) = e.ty {
                    for item in &mut out {
                        *item = at(e.span, convert(item, &e.ty, &e.ty))?;
                    }
                }
                Ok(Const::Array { bounds: vec![(1, out.len() as i64)], items: out })
            }
            ExprKind::Null => Ok(Const::Null),
            ExprKind::Seen { base, class: false } => self.parent_part(base, &e.ty)?.map_or_else(not_constant, Ok),
            ExprKind::Seen { class: true, .. } => not_constant(),
            ExprKind::Call { proc, args } => self.inquiry_of_module(*proc, args).unwrap_or_else(not_constant),
            ExprKind::Let { .. }
            | ExprKind::Special { .. }
            | ExprKind::IsType { .. }
            | ExprKind::Procedure(_)
            | ExprKind::Unsupported(_) => not_constant(),
        }
    }

    /// A component of an object, in the shape and with the bounds of the component: a constructor may give a scalar for an array.
    fn component(&mut self, of: &Type, mut fields: Vec<Const>, field: u32, span: Span) -> Value {
        if field as usize >= fields.len() {
            return Err(NoValue::NotConstant(span));
        }
        let value = fields.swap_remove(field as usize);
        let declared = match of {
            Type::Derived(id) => self.program.ty(*id).fields.get(field as usize),
            _ => None,
        };
        match declared.filter(|f| !f.pointer && !f.is_allocatable()).and_then(|f| f.shape.constant_bounds()) {
            Some(bounds) if !bounds.is_empty() && !matches!(value, Const::Null) => object::shaped(value, bounds, span),
            _ => Ok(value),
        }
    }

    /// The parent's part of an object or of each element of an array: the first of its components.
    fn parent_part(&mut self, base: &Expr, ty: &Type) -> Result<Option<Const>, NoValue> {
        let Type::Derived(parent) = ty else { return Ok(None) };
        let count = self.program.ty(*parent).fields.len();
        let part = |value: Const| match value {
            Const::Derived(mut fields) if fields.len() >= count => {
                fields.truncate(count);
                Some(Const::Derived(fields))
            }
            _ => None,
        };
        Ok(match self.eval(base)? {
            Const::Array { bounds, items } => {
                let items = items.into_iter().map(part).collect::<Option<Vec<_>>>();
                items.map(|items| Const::Array { bounds, items })
            }
            value => part(value),
        })
    }

    /// What an inquiry function of an intrinsic module says, which constant expressions may refer to (Fortran 2018, 10.1.11, 10.1.12).
    /// The procedures say the same when they are called.
    fn inquiry_of_module(&mut self, proc: ProcId, args: &[Option<Actual>]) -> Option<Value> {
        let program = self.program;
        let (module, name) = program.proc(proc).qualified.split_once('.')?;
        let is_embedded = program.modules.iter().any(|m| m.embedded && &*m.name == module);
        match (module, name) {
            _ if !is_embedded => return None,
            ("iso_fortran_env", "compiler_version") => return Some(Ok(Const::Char(b"cufemu".to_vec().into()))),
            ("iso_fortran_env", "compiler_options") => return Some(Ok(Const::Char(b" ".to_vec().into()))),
            ("ieee_arithmetic" | "ieee_exceptions", _) => {}
            _ => return None,
        }
        let first = match args.first() {
            Some(Some(Actual::Expr(e))) => Some(e),
            _ => None,
        };
        if name.starts_with("cufemu_is_not_supported") {
            return Some(Ok(Const::Logical(false)));
        }
        if name.starts_with("cufemu_support_rounding") {
            let mode = self.eval(first?);
            return Some(mode.map(|mode| {
                let is_known =
                    |c: &Const| matches!(c, Const::Derived(parts) if matches!(parts[..], [Const::Int(1..=4)]));
                Const::Logical(is_known(&mode))
            }));
        }
        if matches!(name, "ieee_support_halting") || name.starts_with("cufemu_support_flag") {
            return Some(self.eval(first?).map(|_| Const::Logical(true)));
        }
        let is_support = name.starts_with("cufemu_is_supported") || name.starts_with("cufemu_support_");
        is_support.then_some(Ok(Const::Logical(true)))
    }

    /// Whether an expression is a scalar, and no dummy of assumed rank.
    fn is_scalar(&self, e: &Expr) -> bool {
        let assumed_rank =
            matches!(e.kind, ExprKind::Var(id) if matches!(self.program.var(id).shape, Shape::AssumedRank));
        e.rank == 0 && !assumed_rank
    }

    /// The value of an integer scalar.
    pub(crate) fn integer(&mut self, e: &Expr) -> Result<i64, NoValue> {
        match self.eval(e)? {
            Const::Int(v) => Ok(v),
            _ => Err(NoValue::NotConstant(e.span)),
        }
    }

    fn variable(&self, id: VarId, span: Span) -> Value {
        if let Some((_, value)) = self.bound.iter().rev().find(|(var, _)| *var == id) {
            return Ok(value.clone());
        }
        let var = self.program.var(id);
        match (&var.storage, &var.init) {
            (Storage::Parameter, Some(value)) => Ok(value.clone()),
            _ => self.program.constants.get(&id).cloned().ok_or(NoValue::NotConstant(span)),
        }
    }

    fn zip(&self, span: Span, a: Const, b: Const, f: &mut dyn FnMut(Const, Const) -> Outcome) -> Value {
        at(span, array::zip(a, b, f))
    }

    fn section(&mut self, base: &Expr, subs: &[Sub], span: Span) -> Value {
        let value = self.eval(base)?;
        let Const::Array { bounds, .. } = &value else { return Err(NoValue::NotConstant(span)) };
        let mut picks = Vec::with_capacity(subs.len());
        for (sub, &(lower, extent)) in subs.iter().zip(bounds) {
            picks.push(match sub {
                Sub::Index(e) => array::Pick::One(self.integer(e)?),
                Sub::Range { lo, hi, step } => {
                    let lo = lo.as_ref().map(|e| self.integer(e)).transpose()?;
                    let hi = hi.as_ref().map(|e| self.integer(e)).transpose()?;
                    let step = step.as_ref().map_or(Ok(1), |e| self.integer(e))?;
                    if step == 0 {
                        return Err(fault(Code::ZeroStride, span, "section with a stride of zero"));
                    }
                    let (first, last) = (lower, lower.saturating_add(extent).saturating_sub(1));
                    array::Pick::Many(
                        trips(lo.unwrap_or(first), hi.unwrap_or(last), step).ok_or_else(|| too_large(span))?,
                    )
                }
                Sub::Vector(e) => match self.eval(e)? {
                    Const::Array { items, .. } => array::Pick::Many(
                        items.iter().filter_map(|c| if let Const::Int(v) = c { Some(*v) } else { None }).collect(),
                    ),
                    _ => return Err(NoValue::NotConstant(e.span)),
                },
            });
        }
        array::section(&value, &picks).map_err(|text| fault(Code::ConstantSubscriptOutOfBounds, span, text))
    }

    fn items(&mut self, items: &[Item], out: &mut Vec<Const>, span: Span) -> Result<(), NoValue> {
        for item in items {
            match item {
                Item::Expr(e) => match self.eval(e)? {
                    Const::Array { items, .. } => out.extend(items),
                    scalar => out.push(scalar),
                },
                Item::Do(implied) => self.implied(implied, out, span)?,
            }
            if out.len() > MOST_ELEMENTS {
                return Err(too_large(span));
            }
        }
        Ok(())
    }

    fn implied(&mut self, d: &ImpliedDo<Item>, out: &mut Vec<Const>, span: Span) -> Result<(), NoValue> {
        let (first, last) = (self.integer(&d.first)?, self.integer(&d.last)?);
        let step = d.step.as_ref().map_or(Ok(1), |e| self.integer(e))?;
        if step == 0 {
            return Err(fault(Code::ZeroStride, span, "implied do loop with a step of zero"));
        }
        for value in trips(first, last, step).ok_or_else(|| too_large(span))? {
            self.bound.push((d.var, Const::Int(value)));
            let done = self.items(&d.items, out, span);
            self.bound.pop();
            done?;
        }
        Ok(())
    }
}

/// The values that a loop takes, unless they are too many.
fn trips(first: i64, last: i64, step: i64) -> Option<Vec<i64>> {
    let count = (i128::from(last) - i128::from(first) + i128::from(step)) / i128::from(step);
    if count > MOST_ELEMENTS as i128 {
        return None;
    }
    Some((0..count.max(0) as i64).map(|i| first.wrapping_add(i.wrapping_mul(step))).collect())
}

fn at(span: Span, outcome: Outcome) -> Value {
    outcome.map_err(
        |(code, text)| {
            if text.is_empty() { NoValue::NotConstant(span) } else { NoValue::Fault(code, span, text) }
        },
    )
}

/// The kind of an integer type.
fn kind_of_integer(ty: &Type) -> Option<u8> {
    match ty {
        Type::Integer(kind) => Some(*kind),
        _ => None,
    }
}

fn fault(code: Code, span: Span, text: impl Into<String>) -> NoValue {
    NoValue::Fault(code, span, text.into())
}

fn too_large(span: Span) -> NoValue {
    fault(Code::ConstantTooLarge, span, "constant is too large to be computed at compile time")
}

//! Values of objects whose types have length parameters that are known at run time only: where their lengths are constant, so are
//! the bounds and lengths of their components.
//!
//! A value holds the length parameters where the objects do: among the components.

use super::{Evaluator, MOST_ELEMENTS, NoValue, Value, array, at, convert, fault, too_large};
use crate::checked::{CharLen, Const, Expr, ExprKind, Field, Type, TypeId};
use diag::Code;
use source::Span;

impl Evaluator<'_> {
    /// What a new object with these length parameters holds: default values, blanks, and null where there is neither.
    pub(crate) fn new_object(&mut self, id: TypeId, lengths: &[i64], span: Span) -> Value {
        let program = self.program;
        let mut next = lengths.iter().copied();
        let parts = program.ty(id).fields.iter().map(|f| f.is_parameter.then(|| next.next()).flatten().map(Const::Int));
        let parts = parts.collect();
        self.object(id, lengths, parts, span)
    }

    /// The value of a structure constructor.
    pub(super) fn constructed_object(&mut self, id: TypeId, given: &[Option<Expr>], span: Span) -> Value {
        let program = self.program;
        let fields = &program.ty(id).fields;
        let mut parts = Vec::with_capacity(fields.len());
        for (field, value) in fields.iter().zip(given) {
            if let Some(value) = value.as_ref().filter(|v| field.is_allocatable() && !matches!(v.kind, ExprKind::Null))
            {
                // Fortran 2018, 10.1.12.
                return Err(NoValue::NotConstant(value.span));
            }
            parts.push(value.as_ref().map(|value| self.eval(value)).transpose()?);
        }
        let length =
            |(_, part): (&Field, &Option<Const>)| if let Some(Const::Int(n)) = part { Ok(*n) } else { Err(()) };
        let lengths = fields.iter().zip(&parts).filter(|(field, _)| field.is_parameter).map(length);
        let lengths: Vec<i64> = lengths.collect::<Result<_, ()>>().map_err(|()| NoValue::NotConstant(span))?;
        self.object(id, &lengths, parts, span)
    }

    fn object(&mut self, id: TypeId, lengths: &[i64], parts: Vec<Option<Const>>, span: Span) -> Value {
        let program = self.program;
        let known = self.bound.len();
        let mut line = Some(id);
        while let Some(ty) = line {
            let def = program.ty(ty);
            self.bound.extend(def.open_parameters().zip(lengths).map(|(param, &n)| (param.var, Const::Int(n))));
            line = def.parent;
        }
        let fields = program.ty(id).fields.iter().zip(parts);
        let values = fields.map(|(field, part)| self.part(field, part, span)).collect::<Result<Vec<_>, _>>();
        self.bound.truncate(known);
        values.map(Const::Derived)
    }

    /// The value of a component, in its shape and length.
    fn part(&mut self, field: &Field, given: Option<Const>, span: Span) -> Value {
        if field.pointer || field.is_allocatable() || field.is_parameter {
            return Ok(given.unwrap_or(Const::Null));
        }
        let (bounds, ty) = match &field.sized {
            None => (field.shape.constant_bounds().ok_or(NoValue::NotConstant(span))?, field.ty.clone()),
            Some(sized) => {
                let mut bounds = Vec::with_capacity(sized.dims.len());
                for dim in &sized.dims {
                    let (lower, upper) = (self.integer(&dim.lower)?, self.integer(&dim.upper)?);
                    bounds.push((lower, upper.saturating_sub(lower).saturating_add(1).max(0)));
                }
                let length = sized.len.as_ref().map(|len| self.integer(len)).transpose()?;
                let ty = length.map(|n| Type::Character(CharLen::Const(n.max(0))));
                (bounds, ty.unwrap_or_else(|| field.ty.clone()))
            }
        };
        let value = match (given, &field.init, &field.start) {
            (Some(given), ..) => given,
            (None, Some(init), _) => init.clone(),
            (None, None, Some(start)) => self.eval(start)?,
            (None, None, None) => self.blank_part(field, &ty, span)?,
        };
        let value = match &ty {
            Type::Character(_) => at(span, array::map(value, &mut |c| convert(&c, &field.ty, &ty)))?,
            _ => value,
        };
        shaped(value, bounds, span)
    }

    /// What a component without a value holds.
    fn blank_part(&mut self, field: &Field, ty: &Type, span: Span) -> Value {
        match ty {
            Type::Derived(inner) => {
                let mut lengths = Vec::with_capacity(field.lengths.len());
                for n in &field.lengths {
                    lengths.push(match n {
                        CharLen::Const(n) => *n,
                        CharLen::Expr(e) => self.integer(e)?,
                        CharLen::Assumed | CharLen::Deferred => return Err(NoValue::NotConstant(span)),
                    });
                }
                self.new_object(*inner, &lengths, span)
            }
            Type::Character(CharLen::Const(n)) => {
                let count = usize::try_from(*n).unwrap_or(0);
                if count > MOST_ELEMENTS {
                    return Err(too_large(span));
                }
                Ok(Const::Char(vec![b' '; count].into()))
            }
            _ => Ok(Const::Null),
        }
    }
}

/// A value in the shape of what holds it; a scalar is the value of all elements.
pub(super) fn shaped(value: Const, bounds: Vec<(i64, i64)>, span: Span) -> Value {
    match (value, bounds.is_empty()) {
        (Const::Array { .. }, true) => Err(NoValue::NotConstant(span)),
        (scalar, true) => Ok(scalar),
        (Const::Array { bounds: given, items }, false) => {
            if given.len() != bounds.len() || given.iter().zip(&bounds).any(|(a, b)| a.1 != b.1) {
                return Err(fault(
                    Code::ShapeMismatch,
                    span,
                    "the value of a component has another shape than the component",
                ));
            }
            Ok(Const::Array { bounds, items })
        }
        (scalar, false) => {
            let count = bounds.iter().try_fold(1i64, |n, b| n.checked_mul(b.1)).and_then(|n| usize::try_from(n).ok());
            match count.filter(|n| *n <= MOST_ELEMENTS) {
                Some(count) => Ok(Const::Array { bounds, items: vec![scalar; count] }),
                None => Err(too_large(span)),
            }
        }
    }
}

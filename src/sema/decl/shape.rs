//! Array shapes as written, and specification expressions (Fortran 2018, 8.5.8 and 10.1.11).

use crate::checked::{Const, Dim, Expr, ExprKind, Shape, Type};
use crate::checker::Checker;
use crate::fold::Evaluator;
use crate::typing::{Typing, one, shape_name};
use ast::Bound;
use diag::Code;

/// Where a shape is declared, as far as its forms depend on it.
#[derive(Clone, Copy, Default)]
pub(crate) struct ShapeRules {
    pub(crate) dummy: bool,
    pub(crate) allocatable: bool,
    pub(crate) pointer: bool,
    /// `(*)` may stand: a named constant, shared data, or a Cray pointee.
    pub(crate) star: bool,
}

impl Checker<'_> {
    /// A scalar integer that may be computed where an object comes to life, as `integer(8)`.
    pub(crate) fn specification(&mut self, e: &ast::Expr) -> Option<Expr> {
        let outer = std::mem::replace(&mut self.cx.specification, true);
        let value = self.expr(e);
        self.cx.specification = outer;
        let value = value?;
        self.typing().whole_number(value, "a bound or length")
    }

    /// The shape that is written.
    pub(crate) fn shape(&mut self, shape: &ast::Shape, place: ShapeRules) -> Option<Shape> {
        if shape.dims.len() > 15 {
            return self.reporter.error(Code::BadBounds, shape.span, "an array has at most 15 dimensions");
        }
        if let [Bound::AssumedRank] = shape.dims[..] {
            if self.options.embedded.contains(&shape.span.file) {
                return Some(Shape::AssumedRank);
            }
            if !place.dummy {
                let text = "`..` is for dummy arguments only";
                return self.reporter.error(Code::BadBounds, shape.span, text);
            }
            if self.cx.side.on_device() {
                return self.reporter.refuse(shape.span, "an assumed-rank argument in device code");
            }
            return Some(Shape::AssumedRank);
        }
        let lower_of = |c: &mut Self, lower: &Option<ast::Expr>| match lower {
            None => Some(one(shape.span)),
            Some(e) => c.specification(e),
        };
        let deferred = place.allocatable || place.pointer;
        let colons = shape.dims.iter().filter(|d| matches!(d, Bound::Colon { .. })).count();
        if colons == shape.dims.len() && deferred {
            if shape.dims.iter().any(|d| matches!(d, Bound::Colon { lower: Some(_) })) {
                let text = "an allocatable array or pointer has no lower bound in its declaration";
                return self.reporter.error_help(Code::BadBounds, shape.span, text, "give it in `allocate`");
            }
            return Some(Shape::Deferred(colons as u8));
        }
        if deferred {
            let text = "an allocatable array or pointer has `:` for each dimension";
            return self.reporter.error_help(
                Code::BadBounds,
                shape.span,
                text,
                "write `(:)` here and the bounds in `allocate`",
            );
        }
        if colons == shape.dims.len() {
            if !place.dummy {
                let text = "`:` is for dummy arguments, allocatable arrays and pointers";
                return self.reporter.error_help(
                    Code::BadBounds,
                    shape.span,
                    text,
                    "give bounds, or add `allocatable`",
                );
            }
            let mut lowers = Vec::with_capacity(colons);
            for dim in &shape.dims {
                if let Bound::Colon { lower } = dim {
                    lowers.push(lower_of(self, lower)?);
                }
            }
            return Some(Shape::AssumedShape(lowers));
        }
        if colons > 0 {
            return self.reporter.error(Code::BadBounds, shape.span, "`:` must stand for all dimensions or for none");
        }
        let mut dims = Vec::with_capacity(shape.dims.len());
        for (i, dim) in shape.dims.iter().enumerate() {
            match dim {
                Bound::Explicit { lower, upper } => {
                    let lower = lower_of(self, lower)?;
                    let upper = self.specification(upper)?;
                    dims.push(Dim { lower, upper });
                }
                Bound::Star { lower } => {
                    if i + 1 != shape.dims.len()
                        && place.star
                        && shape.dims.iter().all(|d| matches!(d, Bound::Star { .. }))
                    {
                        // `(*, 0:*)` of a named constant: the value has the extents.
                        dims.push(Dim { lower: lower_of(self, lower)?, upper: one(shape.span) });
                        continue;
                    }
                    if i + 1 != shape.dims.len() {
                        return self.reporter.error(
                            Code::BadBounds,
                            shape.span,
                            "`*` may stand for the last dimension only",
                        );
                    }
                    if !place.dummy && !place.star {
                        let text = "`*` is for dummy arguments, named constants and shared arrays";
                        return self.reporter.error(Code::BadBounds, shape.span, text);
                    }
                    let lower = lower_of(self, lower)?;
                    return Some(Shape::AssumedSize(dims, Box::new(lower)));
                }
                Bound::Colon { .. } => return None,
                Bound::AssumedRank => {
                    return self.reporter.error(Code::BadBounds, shape.span, "`..` must stand alone");
                }
            }
        }
        Some(Shape::Explicit(dims))
    }
}

impl Typing<'_> {
    /// An integer scalar as `integer(8)`.
    pub(crate) fn whole_number(&mut self, value: Expr, what: &str) -> Option<Expr> {
        if !matches!(value.ty, Type::Integer(_)) {
            let text = format!("{what} must be an integer, not {}", shape_name(self.defs, &value.ty, value.rank));
            return self.reporter.error(Code::IntegerRequired, value.span, text);
        }
        if value.rank != 0 {
            return self.reporter.error(
                Code::ScalarRequired,
                value.span,
                format!("{what} must be a scalar, not an array"),
            );
        }
        let mut value = value;
        if !matches!(value.kind, ExprKind::Const(_))
            && let Ok(known @ Const::Int(_)) = Evaluator::full(self.defs).eval(&value)
        {
            value.kind = ExprKind::Const(known);
        }
        self.convert(value, &Type::Integer(8))
    }
}

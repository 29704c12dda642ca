//! Whether arrays that meet in one operation have the same shape (Fortran 2018, 2.5.2 and 10.1.5).
//!
//! Ranks are compared where expressions are typed. Extents are compared here as far as they are known at compile time, dimension
//! by dimension: from constant bounds, sections with constant bounds, constructors, and through operations and those
//! intrinsics whose result has the shape of an argument. What is not known conforms; the bounds check looks at it at run time.

use crate::checked::{
    BinaryOp, Class, Const, Dim, Expr, ExprKind, ImpliedDo, Intrinsic, Item, Program, Shape, Storage, Sub, VarId,
};
use crate::typing::{Typing, shape_of};
use diag::Code;
use source::Span;

/// A dimension in which two shapes differ.
pub(crate) struct Mismatch {
    /// Counted from 1.
    pub(crate) dimension: usize,
    /// The extent of the first.
    pub(crate) left: i64,
    /// The extent of the second.
    pub(crate) right: i64,
}

/// The value of a constant integer.
fn int(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Const(Const::Int(n)) => Some(*n),
        ExprKind::Convert(inner) | ExprKind::Paren(inner) => int(inner),
        _ => None,
    }
}

fn extent(d: &Dim) -> Option<i64> {
    Some(int(&d.upper)?.checked_sub(int(&d.lower)?)?.checked_add(1)?.max(0))
}

/// How many values `lo:hi:step` has.
fn trips(lo: i64, hi: i64, step: i64) -> Option<i64> {
    if step == 0 {
        return None;
    }
    Some(hi.checked_sub(lo)?.checked_add(step)?.checked_div(step)?.max(0))
}

impl Typing<'_> {
    /// Reports arrays of one operation that do not conform: `what` names them.
    pub(crate) fn check_conform(&mut self, what: &str, a: &Expr, b: &Expr, code: Code, span: Span) -> Option<()> {
        let Some(m) = mismatch(self.defs, a, b) else { return Some(()) };
        let at = if a.rank > 1 { format!(" in dimension {}", m.dimension) } else { String::new() };
        self.reporter.error(code, span, format!("{what} have extents {} and {}{at}", m.left, m.right))
    }

    /// Reports the first of the arrays of an elemental reference that does not conform to the first one.
    pub(crate) fn check_all_conform<'e>(
        &mut self,
        what: &str,
        args: impl IntoIterator<Item = &'e Expr>,
        span: Span,
    ) -> Option<()> {
        let mut arrays = args.into_iter().filter(|e| e.rank > 0);
        let Some(first) = arrays.next() else { return Some(()) };
        arrays.try_for_each(|e| self.check_conform(what, first, e, Code::ElementalShapes, span))
    }

    /// Reports arguments of an intrinsic that must have one shape and are known not to.
    pub(crate) fn check_intrinsic_shapes(&mut self, id: Intrinsic, args: &[Option<Expr>], span: Span) -> Option<()> {
        use Intrinsic as I;
        let arg = |i: usize| args.get(i).and_then(Option::as_ref);
        let pair = match id {
            I::Pack => (0, 1),
            I::Sum | I::Product | I::Maxval | I::Minval | I::Maxloc | I::Minloc => (0, 2),
            I::Reduce => (0, 3),
            I::Unpack => (1, 2),
            I::DotProduct => (0, 1),
            I::Matmul => return self.check_matmul(arg(0)?, arg(1)?, span),
            _ => return Some(()),
        };
        let (Some(a), Some(b)) = (arg(pair.0), arg(pair.1)) else { return Some(()) };
        self.check_conform(&format!("arguments of `{}`", id.name()), a, b, Code::ShapeMismatch, span)
    }

    pub(crate) fn check_matmul(&mut self, a: &Expr, b: &Expr, span: Span) -> Option<()> {
        let (x, y) = (known_extents(self.defs, a), known_extents(self.defs, b));
        match (x.last(), y.first()) {
            (Some(Some(columns)), Some(Some(rows))) if columns != rows => {
                let text = format!("`matmul` of an array with {columns} columns and one with {rows} rows");
                self.reporter.error(Code::ShapeMismatch, span, text)
            }
            _ => Some(()),
        }
    }
}

/// The first dimension in which two arrays are known to differ; scalars conform to everything.
pub(crate) fn mismatch(program: &Program, a: &Expr, b: &Expr) -> Option<Mismatch> {
    if a.rank == 0 || a.rank != b.rank {
        return None;
    }
    let (x, y) = (known_extents(program, a), known_extents(program, b));
    x.into_iter().zip(y).enumerate().find_map(|(i, pair)| match pair {
        (Some(left), Some(right)) if left != right => Some(Mismatch { dimension: i + 1, left, right }),
        _ => None,
    })
}

/// The extents of an expression, those that are known at compile time.
pub(crate) fn known_extents(program: &Program, e: &Expr) -> Vec<Option<i64>> {
    let rank = usize::from(e.rank);
    let mut extents = if rank == 0 { Vec::new() } else { extents_of(program, e) };
    extents.resize(rank, None);
    extents
}

pub(crate) fn extents_of(program: &Program, e: &Expr) -> Vec<Option<i64>> {
    let dims = |dims: &[Dim]| dims.iter().map(extent).collect::<Vec<_>>();
    match &e.kind {
        ExprKind::Const(Const::Array { bounds, .. }) => bounds.iter().map(|b| Some(b.1)).collect(),
        ExprKind::Var(v) => match (&program.var(*v).shape, &program.var(*v).storage) {
            (Shape::Explicit(d) | Shape::AssumedSize(d, _), _) => dims(d),
            (_, Storage::Alias(of)) => known_extents(program, of),
            _ => Vec::new(),
        },
        ExprKind::Field { base, .. } if base.rank == 0 => match shape_of(program, e) {
            Some(Shape::Explicit(d)) => dims(d),
            _ => Vec::new(),
        },
        ExprKind::Section { base, subs } => section_extents(program, base, subs),
        ExprKind::Field { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::Seen { base, .. }
        | ExprKind::Unary { operand: base, .. }
        | ExprKind::Convert(base)
        | ExprKind::Paren(base) => known_extents(program, base),
        ExprKind::Binary { left, right, .. }
        | ExprKind::Compare { left, right, .. }
        | ExprKind::Logic { left, right, .. }
        | ExprKind::Concat(left, right) => merged(program, [&**left, &**right], usize::from(e.rank)),
        ExprKind::Intrinsic { id, args } => intrinsic_extents(program, *id, args, usize::from(e.rank)),
        ExprKind::Call { proc, args } if program.proc(*proc).elemental => {
            let arrays = args.iter().flatten().filter_map(|a| match a {
                crate::checked::Actual::Expr(e) => Some(e),
                crate::checked::Actual::Proc(_) | crate::checked::Actual::Address(_) => None,
            });
            merged(program, arrays, usize::from(e.rank))
        }
        ExprKind::Call { proc, .. } => match program.proc(*proc).result.map(|r| &program.var(r).shape) {
            Some(Shape::Explicit(d)) => dims(d),
            _ => Vec::new(),
        },
        ExprKind::Array(items) => vec![item_count(program, items)],
        _ => Vec::new(),
    }
}

/// The extents of operands that have one shape: of each dimension what one of them tells.
pub(crate) fn merged<'e>(
    program: &Program,
    operands: impl IntoIterator<Item = &'e Expr>,
    rank: usize,
) -> Vec<Option<i64>> {
    let mut out = vec![None; rank];
    for e in operands.into_iter().filter(|e| usize::from(e.rank) == rank) {
        for (known, extent) in out.iter_mut().zip(known_extents(program, e)) {
            *known = known.or(extent);
        }
    }
    out
}

pub(crate) fn intrinsic_extents(
    program: &Program,
    id: Intrinsic,
    args: &[Option<Expr>],
    rank: usize,
) -> Vec<Option<i64>> {
    let arg = |i: usize| args.get(i).and_then(Option::as_ref);
    match (id, arg(0)) {
        (
            Intrinsic::Sum
            | Intrinsic::Product
            | Intrinsic::Maxval
            | Intrinsic::Minval
            | Intrinsic::Norm2
            | Intrinsic::All
            | Intrinsic::Any
            | Intrinsic::Count,
            Some(a),
        ) => reduced_extents(program, a, arg(1)),
        // An argument of assumed rank has the rank 0 here.
        (Intrinsic::Shape, Some(a)) => vec![(a.rank > 0).then(|| i64::from(a.rank))],
        (Intrinsic::Reduce, Some(a)) => reduced_extents(program, a, arg(2)),
        (Intrinsic::Maxloc | Intrinsic::Minloc, Some(a)) => located_extents(program, a, arg(1)),
        (Intrinsic::Findloc, Some(a)) => located_extents(program, a, arg(2)),
        (Intrinsic::Pack, _) => arg(2).map(|vector| known_extents(program, vector)).unwrap_or_default(),
        (Intrinsic::Unpack, _) => arg(1).map(|mask| known_extents(program, mask)).unwrap_or_default(),
        (Intrinsic::Spread, Some(source)) => {
            let mut extents = known_extents(program, source);
            match arg(1).and_then(int).and_then(|dim| usize::try_from(dim - 1).ok()).filter(|at| *at <= extents.len()) {
                Some(at) => extents.insert(at, arg(2).and_then(int).map(|n| n.max(0))),
                None => extents.clear(),
            }
            extents
        }
        (Intrinsic::Transpose, Some(a)) => known_extents(program, a).into_iter().rev().collect(),
        (Intrinsic::Cshift | Intrinsic::Eoshift, Some(a)) => known_extents(program, a),
        (Intrinsic::Matmul, Some(a)) => {
            let (a, b) = (known_extents(program, a), arg(1).map(|b| known_extents(program, b)).unwrap_or_default());
            let rows = a.len().saturating_sub(1);
            a.into_iter().take(rows).chain(b.into_iter().skip(1)).collect()
        }
        (Intrinsic::Reshape, _) => match arg(1).map(|e| &e.kind) {
            Some(ExprKind::Const(Const::Array { items, .. })) => items
                .iter()
                .map(|c| match c {
                    Const::Int(n) => Some(*n),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        },
        _ if id.class() == Class::Elemental => merged(program, args.iter().flatten(), rank),
        _ => Vec::new(),
    }
}

/// The extents of a reduction along a dimension.
fn reduced_extents(program: &Program, array: &Expr, dim: Option<&Expr>) -> Vec<Option<i64>> {
    let mut extents = known_extents(program, array);
    match dim.and_then(int).and_then(|dim| usize::try_from(dim - 1).ok()).filter(|at| *at < extents.len()) {
        Some(at) => {
            extents.remove(at);
        }
        None => extents.clear(),
    }
    extents
}

/// The extents of a location: along a dimension, or one subscript for each dimension.
fn located_extents(program: &Program, array: &Expr, dim: Option<&Expr>) -> Vec<Option<i64>> {
    match dim {
        Some(_) => reduced_extents(program, array, dim),
        None => vec![Some(i64::from(array.rank))],
    }
}

/// How far two bounds are apart that differ from the same variable by constants.
fn distance(lo: &Expr, hi: &Expr) -> Option<i64> {
    fn parts(e: &Expr) -> Option<(VarId, i64)> {
        match &e.kind {
            ExprKind::Var(id) => Some((*id, 0)),
            ExprKind::Convert(inner) | ExprKind::Paren(inner) => parts(inner),
            ExprKind::Binary { op, left, right } => match (op, parts(left), int(right), int(left), parts(right)) {
                (BinaryOp::Add, Some((id, n)), Some(m), ..) | (BinaryOp::Add, _, _, Some(m), Some((id, n))) => {
                    Some((id, n.checked_add(m)?))
                }
                (BinaryOp::Sub, Some((id, n)), Some(m), ..) => Some((id, n.checked_sub(m)?)),
                _ => None,
            },
            _ => None,
        }
    }
    let ((a, x), (b, y)) = (parts(lo)?, parts(hi)?);
    if a == b { y.checked_sub(x) } else { None }
}

pub(crate) fn section_extents(program: &Program, base: &Expr, subs: &[Sub]) -> Vec<Option<i64>> {
    let whole = known_extents(program, base);
    let bounds: Vec<Option<(i64, i64)>> = match shape_of(program, base) {
        Some(Shape::Explicit(dims)) => dims.iter().map(|d| Some((int(&d.lower)?, int(&d.upper)?))).collect(),
        Some(Shape::AssumedSize(dims, _)) => dims.iter().map(|d| Some((int(&d.lower)?, int(&d.upper)?))).collect(),
        _ => Vec::new(),
    };
    let mut out = Vec::new();
    for (i, sub) in subs.iter().enumerate() {
        match sub {
            Sub::Index(_) => {}
            Sub::Vector(e) => out.push(known_extents(program, e).first().copied().flatten()),
            Sub::Range { lo: None, hi: None, step: None } => out.push(whole.get(i).copied().flatten()),
            Sub::Range { lo: Some(lo), hi: Some(hi), step: None } if int(lo).is_none() => {
                out.push(distance(lo, hi).and_then(|n| n.checked_add(1)).map(|n| n.max(0)));
            }
            Sub::Range { lo, hi, step } => {
                let step = step.as_ref().map_or(Some(1), int);
                let declared = bounds.get(i).copied().flatten();
                let lo = lo.as_ref().map_or(declared.map(|b| b.0), int);
                let hi = hi.as_ref().map_or(declared.map(|b| b.1), int);
                out.push(lo.zip(hi).zip(step).and_then(|((lo, hi), step)| trips(lo, hi, step)));
            }
        }
    }
    out
}

/// How many elements an array constructor has.
pub(crate) fn item_count(program: &Program, items: &[Item]) -> Option<i64> {
    let mut total = 0_i64;
    for item in items {
        let n = match item {
            Item::Expr(e) => known_extents(program, e).into_iter().try_fold(1_i64, |n, x| n.checked_mul(x?))?,
            Item::Do(implied) => implied_count(program, implied)?,
        };
        total = total.checked_add(n)?;
    }
    Some(total)
}

pub(crate) fn implied_count(program: &Program, implied: &ImpliedDo<Item>) -> Option<i64> {
    let step = implied.step.as_ref().map_or(Some(1), int)?;
    let count = trips(int(&implied.first)?, int(&implied.last)?, step)?;
    item_count(program, &implied.items)?.checked_mul(count)
}

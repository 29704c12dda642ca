//! Transformational functions: reductions, locations, products, and what rearranges arrays.

use super::Reference;
use super::text::length_of;
use crate::checked::Intrinsic as I;
use crate::checked::{
    CharLen, CmpOp, Const, Expr, ExprKind, Intrinsic, LogicOp, Program, Storage, Type, UnaryOp, is_designator,
};
use crate::checker::{Checker, CodeSide, Entry, Sym};
use crate::fold::Evaluator;
use crate::typing::{
    Typing, assignable, constant, constant_extents, is_numeric, known_extents, promoted, same_type, space_of, type_name,
};
use diag::Code;
use std::sync::Arc;

const INTEGERS: &[u8] = &[1, 2, 4, 8];

impl Checker<'_> {
    /// Types a transformational reference.
    pub(super) fn transformational(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        match id {
            I::Sum | I::Product | I::Maxval | I::Minval | I::Iall | I::Iany | I::Iparity | I::Norm2 => {
                self.typing().reduction(r)
            }
            I::All | I::Any | I::Count | I::Parity => self.mask_reduction(r),
            I::Maxloc | I::Minloc | I::Findloc => self.typing().location(r),
            I::Reduce => self.user_reduction(r),
            I::DotProduct | I::Matmul => self.typing().product(r),
            I::Trim | I::Repeat => self.typing().text_transformation(r),
            I::Transpose => {
                let a = self.typing().need_array(&mut r, 0)?;
                if a.rank != 2 {
                    return self.typing().bad_argument(id, 0, &a, "an array of rank 2");
                }
                let ty = length_type(&a);
                self.typing().intrinsic_node(id, vec![Some(a)], ty, 2, span)
            }
            I::Cshift | I::Eoshift => {
                let a = self.typing().need_array(&mut r, 0)?;
                let Some(shift) = self.typing().take_integer(&mut r, 1, 8, false)? else {
                    return self.typing().need(&mut r, 1);
                };
                if shift.rank > 0 && shift.rank + 1 != a.rank {
                    // Fortran 2018, 16.9.68, 16.9.77.
                    let wanted = match a.rank {
                        1 => "a scalar, since the array has rank 1".to_owned(),
                        rank => format!("a scalar or of rank {}", rank - 1),
                    };
                    return self.typing().bad_argument(id, 1, &shift, &wanted);
                }
                let mut args = vec![None, Some(shift)];
                if id == I::Eoshift {
                    let boundary = match r.take(2) {
                        Some(b) if self.defs.are_flat_twins(&a.ty, &b.ty) => Some(self.typing().as_twin(b, &a.ty)),
                        Some(b) if assignable(&a.ty, &b) => {
                            let ty = a.ty.clone();
                            Some(self.typing().convert(b, &ty)?)
                        }
                        Some(b) => {
                            let wanted = format!("`{}` like the array", type_name(&self.defs, &a.ty));
                            return self.typing().bad_argument(id, 2, &b, &wanted);
                        }
                        None => None,
                    };
                    args.push(boundary);
                }
                let at = args.len();
                args.push(self.typing().take_integer(&mut r, at, 4, true)?);
                let (ty, rank) = (length_type(&a), a.rank);
                args[0] = Some(a);
                self.typing().intrinsic_node(id, args, ty, rank, span)
            }
            I::Pack => {
                let a = self.typing().need_array(&mut r, 0)?;
                let Some(mask) = self.typing().take_logical(&mut r, 1)? else {
                    return self.typing().need(&mut r, 1);
                };
                let vector = self.typing().like(&mut r, 2, &a)?;
                let ty = length_type(&a);
                self.typing().intrinsic_node(id, vec![Some(a), Some(mask), vector], ty, 1, span)
            }
            I::Unpack => {
                let v = self.typing().need_array(&mut r, 0)?;
                let Some(mask) = self.typing().take_logical(&mut r, 1)? else {
                    return self.typing().need(&mut r, 1);
                };
                let Some(field) = self.typing().like(&mut r, 2, &v)? else {
                    return self.typing().need(&mut r, 2);
                };
                let (ty, rank) = (length_type(&v), mask.rank);
                self.typing().intrinsic_node(id, vec![Some(v), Some(mask), Some(field)], ty, rank, span)
            }
            I::Spread => {
                let source = self.typing().need(&mut r, 0)?;
                let Some(dim) = self.typing().take_integer(&mut r, 1, 4, true)? else {
                    return self.typing().need(&mut r, 1);
                };
                let Some(copies) = self.typing().take_integer(&mut r, 2, 8, true)? else {
                    return self.typing().need(&mut r, 2);
                };
                let (ty, rank) = (length_type(&source), source.rank + 1);
                self.typing().intrinsic_node(id, vec![Some(source), Some(dim), Some(copies)], ty, rank, span)
            }
            I::Reshape => self.typing().reshape(r),
            I::Transfer => self.typing().transfer(r),
            I::SelectedCharKind if !self.cx.specification && r.get(0).is_some_and(is_text_of_run) => {
                let name = r.take(0)?;
                // A function of the run-time library does that.
                match self.scopes.external("selected_char_kind") {
                    Some(library) => self.call_library(library, name, span),
                    None => self.reporter.refuse(span, "`selected_char_kind` of a variable".to_owned()),
                }
            }
            I::SelectedIntKind | I::SelectedRealKind | I::SelectedCharKind | I::SelectedLogicalKind => {
                self.typing().selected_kind(r)
            }
            I::CommandArgumentCount => {
                let count = self.typing().intrinsic_node(id, Vec::new(), Type::Integer(4), 0, span)?;
                let default = self.options.integer();
                self.typing().convert(count, &default)
            }
            I::CAssociated => {
                let a = self.typing().need(&mut r, 0)?;
                let b = r.take(1);
                self.typing().intrinsic_node(id, vec![Some(a), b], Type::Logical(4), 0, span)
            }
            _ => self.reporter.refuse(span, format!("intrinsic procedure `{}`", id.name())),
        }
    }

    fn mask_reduction(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        // The result of ALL, ANY and PARITY has the kind of the mask.
        let own = r.get(0).map_or(Type::Logical(4), |mask| mask.ty.clone());
        let Some(mask) = self.typing().take_logical(&mut r, 0)? else {
            return self.typing().need(&mut r, 0);
        };
        if mask.rank == 0 {
            return self.typing().bad_argument(id, 0, &mask, "an array");
        }
        let (dim, rank) = self.typing().dimension(&mut r, 1, mask.rank)?;
        let mut args = vec![Some(mask), dim];
        if id == I::Parity {
            // An odd number of true elements.
            args.push(None);
            let int = Type::Integer(4);
            let count = self.typing().intrinsic_node(I::Count, args, int.clone(), rank, span)?;
            let one = constant(Const::Int(1), int.clone(), span);
            let odd = self.typing().intrinsic_node(I::Iand, vec![Some(count), Some(one.clone())], int, rank, span)?;
            let is_odd = self.operation(&ast::BinaryOp::Eq, odd, one, span)?;
            return self.typing().convert(is_odd, &own);
        }
        let ty = if id == I::Count {
            let default = self.options.integer_kind();
            let kind = self.typing().take_kind(&mut r, 2, default, INTEGERS)?;
            args.push(None);
            Type::Integer(kind)
        } else {
            Type::Logical(4)
        };
        let made = self.typing().intrinsic_node(id, args, ty, rank, span)?;
        if id == I::Count { Some(made) } else { self.typing().convert(made, &own) }
    }
}

/// The type of an argument's elements as a result has it.
fn length_type(e: &Expr) -> Type {
    match &e.ty {
        Type::Character(CharLen::Const(_)) => e.ty.clone(),
        Type::Character(_) => length_of(e),
        other => other.clone(),
    }
}

impl Typing<'_> {
    pub(super) fn need_array(&mut self, r: &mut Reference, at: usize) -> Option<Expr> {
        let e = self.need(r, at)?;
        if e.rank == 0 { self.bad_argument(r.id, at, &e, "an array") } else { Some(e) }
    }

    /// An argument of another's type.
    #[allow(clippy::option_option)]
    pub(super) fn like(&mut self, r: &mut Reference, at: usize, model: &Expr) -> Option<Option<Expr>> {
        match r.take(at) {
            None => Some(None),
            Some(e) if same_type(&e.ty, &model.ty) => Some(Some(e)),
            Some(e) if self.defs.are_flat_twins(&e.ty, &model.ty) => Some(Some(self.as_twin(e, &model.ty))),
            Some(e) => {
                let wanted = format!("`{}` like the first argument", type_name(self.defs, &model.ty));
                self.bad_argument(r.id, at, &e, &wanted)
            }
        }
    }

    /// A DIM argument, and the rank of a result that lacks that dimension.
    pub(super) fn dimension(&mut self, r: &mut Reference, at: usize, rank: u8) -> Option<(Option<Expr>, u8)> {
        let Some(dim) = self.take_integer(r, at, 4, true)? else { return Some((None, 0)) };
        if let ExprKind::Const(Const::Int(d)) = dim.kind
            && !(1..=i64::from(rank)).contains(&d)
        {
            let text = format!("`dim` is {d}, and the array has rank {rank}");
            return self.reporter.error(Code::BadIntrinsicArgument, dim.span, text);
        }
        Some((Some(dim), rank - 1))
    }

    fn reduction(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let a = self.need_array(&mut r, 0)?;
        let fits = match id {
            I::Sum | I::Product => is_numeric(&a.ty),
            I::Maxval | I::Minval => matches!(a.ty, Type::Integer(_) | Type::Real(_) | Type::Character(_)),
            I::Norm2 => matches!(a.ty, Type::Real(_)),
            _ => matches!(a.ty, Type::Integer(_)),
        };
        if !fits {
            let wanted = match id {
                I::Sum | I::Product => "a numeric array",
                I::Norm2 => "a real array",
                I::Maxval | I::Minval => "an integer, real or character array",
                _ => "an integer array",
            };
            return self.bad_argument(id, 0, &a, wanted);
        }
        let (dim, rank) = self.dimension(&mut r, 1, a.rank)?;
        let ty = length_type(&a);
        let array_rank = a.rank;
        let mut args = vec![Some(a), dim];
        if id != I::Norm2 {
            let mask = self.take_logical(&mut r, 2)?;
            if let Some(m) = mask.as_ref().filter(|m| m.rank != 0 && m.rank != array_rank) {
                let m = m.clone();
                return self.bad_argument(id, 2, &m, "a mask of the array's shape");
            }
            args.push(mask);
        }
        if matches!(id, I::Sum | I::Maxval | I::Minval) {
            let stream = self.take_integer(&mut r, 3, 8, true)?;
            let default = || constant(Const::Int(0), Type::Integer(8), span);
            let is_on_device = args.iter().flatten().take(1).any(|array| self.reduces_on_device(id, array));
            args.push(stream.or_else(|| is_on_device.then(default)));
        }
        self.intrinsic_node(id, args, ty, rank, span)
    }

    /// Whether a reduction in host code is that of module `cudafor`, which works on managed data in the default stream, unless the
    /// program has given it another name (CUDA Fortran guide, "Fortran Reduction Intrinsics").
    fn reduces_on_device(&self, id: Intrinsic, array: &Expr) -> bool {
        let is_managed = is_designator(array) && space_of(self.defs, array) == Some(ast::CudaAttr::Managed);
        let is_renamed = |(name, entry): (&Arc<str>, &Entry)| match entry.sym {
            Sym::Intrinsic(renamed) => renamed == id && &**name != id.name(),
            _ => false,
        };
        self.cx.side == CodeSide::Host
            && is_managed
            && self.scopes.reaches_module(self.cx.scope, "cudafor")
            && !self.scopes.around(self.cx.scope).flat_map(|data| data.names.own()).any(is_renamed)
    }

    fn location(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let a = self.need_array(&mut r, 0)?;
        // FINDLOC has VALUE before DIM.
        let first = if id == I::Findloc { 2 } else { 1 };
        let value = if id == I::Findloc {
            let value = self.need(&mut r, 1)?;
            let are_logical = matches!((&a.ty, &value.ty), (Type::Logical(_), Type::Logical(_)));
            if !same_type(&a.ty, &value.ty) && promoted(&a.ty, &value.ty).is_none() && !are_logical {
                let wanted = format!("`{}` like the array", type_name(self.defs, &a.ty));
                return self.bad_argument(id, 1, &value, &wanted);
            }
            let ty = a.ty.clone();
            Some(self.convert(value, &ty)?)
        } else {
            if !matches!(a.ty, Type::Integer(_) | Type::Real(_) | Type::Character(_)) {
                return self.bad_argument(id, 0, &a, "an integer, real or character array");
            }
            None
        };
        // `maxloc(a, mask)` of FINDLOC's later place is not swapped with the others.
        if r.get(first).is_some_and(|e| matches!(e.ty, Type::Logical(_))) && r.get(first + 1).is_none() {
            r.args.swap(first, first + 1);
        }
        let array_rank = a.rank;
        let has_dim = r.get(first).is_some();
        let (dim, rank) = self.dimension(&mut r, first, array_rank)?;
        let mask = self.take_logical(&mut r, first + 1)?;
        let kind = self.take_kind(&mut r, first + 2, self.options.integer_kind(), INTEGERS)?;
        let back = self.take_logical(&mut r, first + 3)?;
        let mut args = vec![Some(a)];
        if id == I::Findloc {
            args.push(value);
        }
        args.extend([dim, mask, None, back]);
        self.intrinsic_node(id, args, Type::Integer(kind), if has_dim { rank } else { 1 }, span)
    }

    fn product(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let (a, b) = (self.need_array(&mut r, 0)?, self.need_array(&mut r, 1)?);
        let ty = match (&a.ty, &b.ty) {
            (Type::Logical(x), Type::Logical(y)) => Some(Type::Logical(*x.max(y))),
            (x, y) => promoted(x, y),
        };
        let Some(ty) = ty else { return self.bad_argument(id, 1, &b, "numeric or logical like the first argument") };
        let rank = match (id, a.rank, b.rank) {
            (I::DotProduct, 1, 1) => 0,
            (I::Matmul, 2, 2) => 2,
            (I::Matmul, 1, 2) | (I::Matmul, 2, 1) => 1,
            _ => {
                let text = format!("`{}` of arrays of ranks {} and {}", id.name(), a.rank, b.rank);
                return self.reporter.error(Code::BadIntrinsicArgument, span, text);
            }
        };
        let args = vec![Some(self.convert(a, &ty)?), Some(self.convert(b, &ty)?)];
        self.intrinsic_node(id, args, ty, rank, span)
    }

    fn reshape(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let source = self.need_array(&mut r, 0)?;
        let Some(shape) = self.take_integer(&mut r, 1, 8, false)? else { return self.need(&mut r, 1) };
        let Some(rank) = vector_length(self.defs, &shape).filter(|n| (1..=15).contains(n) && shape.rank == 1) else {
            let text = "`shape` of `reshape` must be a vector whose length is known at compile time";
            return self.reporter.error(Code::BadIntrinsicArgument, shape.span, text);
        };
        let pad = self.like(&mut r, 2, &source)?;
        let order = self.take_integer(&mut r, 3, 4, false)?;
        if let Some(mut places) = order.as_ref().and_then(|e| constant_integers(self.defs, e)) {
            places.sort_unstable();
            if !places.into_iter().eq(1..=rank) {
                let text = format!("`order` of `reshape` must hold each of the numbers 1 to {rank} once");
                return self.reporter.error(Code::BadIntrinsicArgument, span, text);
            }
        }
        if let (Some(wanted), Some(given), None) =
            (constant_integers(self.defs, &shape), constant_extents(self.defs, &source), pad.as_ref())
        {
            let wanted = wanted.iter().fold(1i64, |n, &extent| n.saturating_mul(extent.max(0)));
            let given = given.iter().fold(1i64, |n, bound| n.saturating_mul(bound.1.max(0)));
            if given < wanted {
                let text = format!("`reshape` needs {wanted} elements, and `source` has {given}");
                return self.reporter.error_help(Code::BadIntrinsicArgument, span, text, "give `pad`");
            }
        }
        let ty = length_type(&source);
        self.intrinsic_node(id, vec![Some(source), Some(shape), pad, order], ty, rank as u8, span)
    }

    fn transfer(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let (mut source, mold) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
        // Bits that are passed on by a logical value come back as they were.
        if let (ExprKind::Intrinsic { id: I::Transfer, .. }, &Type::Logical(kind)) = (&source.kind, &source.ty) {
            source.ty = Type::Integer(kind);
        }
        let size = self.take_integer(&mut r, 2, 8, true)?;
        let ty = length_type(&mold);
        let rank = u8::from(mold.rank > 0 || size.is_some());
        self.intrinsic_node(id, vec![Some(source), Some(mold), size], ty, rank, span)
    }

    fn selected_kind(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        // In a constant expression the index of an implied DO is one too.
        let is_variable = |e: &Expr| {
            matches!(e.ty, Type::Integer(_))
                && !matches!(e.kind, ExprKind::Const(_))
                && (!self.cx.specification || Evaluator::full(self.defs).eval(e).is_err())
        };
        if r.args.iter().flatten().any(is_variable) {
            return self.selected_kind_of_variable(r);
        }
        let mut values = Vec::new();
        for at in 0..r.args.len() {
            values.push(match r.take(at) {
                None => None,
                Some(e) => Some(self.evaluate(&e)?),
            });
        }
        let int = |at: usize| match values.get(at) {
            Some(Some(Const::Int(v))) => Some(*v),
            _ => None,
        };
        let kind = match id {
            I::SelectedIntKind => match int(0) {
                Some(r) if r <= 2 => 1,
                Some(3..=4) => 2,
                Some(5..=9) => 4,
                Some(10..=18) => 8,
                Some(_) => -1,
                None => return self.need(&mut r, 0),
            },
            I::SelectedLogicalKind => match int(0) {
                Some(b) if b <= 8 => 1,
                Some(9..=16) => 2,
                Some(17..=32) => 4,
                Some(33..=64) => 8,
                Some(_) => -1,
                None => return self.need(&mut r, 0),
            },
            I::SelectedRealKind => {
                let (p, range) = (int(0).unwrap_or(0), int(1).unwrap_or(0));
                match (p, range) {
                    _ if int(2).is_some_and(|radix| radix != 2) => -5,
                    (p, e) if p <= 6 && e <= 37 => 4,
                    (p, e) if p <= 15 && e <= 307 => 8,
                    (p, e) if p > 15 && e > 307 => -3,
                    (p, _) if p > 15 => -1,
                    _ => -2,
                }
            }
            _ => match values.first() {
                Some(Some(Const::Char(name))) => {
                    let name = String::from_utf8_lossy(name).trim().to_ascii_lowercase();
                    if name == "ascii" || name == "default" { 1 } else { -1 }
                }
                _ => return self.need(&mut r, 0),
            },
        };
        Some(constant(Const::Int(kind), self.options.integer(), span))
    }
}

impl Typing<'_> {
    /// `selected_int_kind` and kin of numbers that only the run knows: a choice among the kinds that there are.
    fn selected_kind_of_variable(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let kinds: &[(i64, i64, i64)] = match id {
            I::SelectedIntKind => &[(2, 0, 1), (4, 0, 2), (9, 0, 4), (18, 0, 8)],
            I::SelectedLogicalKind => &[(8, 0, 1), (16, 0, 2), (32, 0, 4), (64, 0, 8)],
            // The last three: both are too great, or the precision, or the range.
            _ => &[(6, 37, 4), (15, 307, 8)],
        };
        let is_real = id == I::SelectedRealKind;
        let (first, second) = (r.take(0), r.take(1).filter(|_| is_real));
        let radix = r.take(2).filter(|_| is_real);
        let logical = |kind: ExprKind| Expr { kind, ty: Type::Logical(4), rank: 0, span };
        let test = |e: &Option<Expr>, op: CmpOp, number: i64| {
            let e = e.as_ref()?;
            let (left, right) = (Box::new(e.clone()), Box::new(constant(Const::Int(number), e.ty.clone(), span)));
            let holds = logical(ExprKind::Compare { op, left, right });
            // An argument that is absent rules no kind out.
            let Some(present) = self.presence(e) else { return Some(holds) };
            let absent = Box::new(logical(ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(present) }));
            Some(logical(ExprKind::Logic { op: LogicOp::Or, left: absent, right: Box::new(holds) }))
        };
        let both = |a: Option<Expr>, b: Option<Expr>| match (a, b) {
            (Some(a), Some(b)) => {
                Some(logical(ExprKind::Logic { op: LogicOp::And, left: Box::new(a), right: Box::new(b) }))
            }
            (a, b) => a.or(b),
        };
        let mut choices: Vec<(Option<Expr>, i64)> = kinds
            .iter()
            .map(|&(p, e, kind)| (both(test(&first, CmpOp::Le, p), test(&second, CmpOp::Le, e)), kind))
            .collect();
        let mut otherwise = -1;
        if is_real {
            // Too great are the range, the precision, or both.
            choices.push((test(&first, CmpOp::Le, 15), -2));
            choices.push((test(&second, CmpOp::Le, 307), -1));
            otherwise = if first.is_none() && second.is_none() {
                4
            } else if second.is_none() {
                -1
            } else if first.is_none() {
                -2
            } else {
                -3
            };
        }
        let is_binary = test(&radix, CmpOp::Eq, 2);
        let ty = self.options.integer();
        let mut value = constant(Const::Int(otherwise), ty.clone(), span);
        for (mask, kind) in choices.into_iter().rev() {
            let Some(mask) = mask else { continue };
            let own = constant(Const::Int(kind), ty.clone(), span);
            value = self.intrinsic_node(I::Merge, vec![Some(own), Some(value), Some(mask)], ty.clone(), 0, span)?;
        }
        if let Some(mask) = is_binary {
            let other = constant(Const::Int(-5), ty.clone(), span);
            value = self.intrinsic_node(I::Merge, vec![Some(value), Some(other), Some(mask)], ty, 0, span)?;
        }
        Some(value)
    }
}

/// The length of a vector, where it is known at compile time.
pub(crate) fn vector_length(program: &Program, e: &Expr) -> Option<i64> {
    known_extents(program, e).first().copied().flatten()
}

/// Whether a value is characters that only the run knows.
fn is_text_of_run(e: &Expr) -> bool {
    matches!(e.ty, Type::Character(_)) && e.rank == 0 && !matches!(e.kind, ExprKind::Const(_))
}

/// The numbers of a constant vector.
fn constant_integers(program: &Program, e: &Expr) -> Option<Vec<i64>> {
    let known = match &e.kind {
        ExprKind::Const(value) => value,
        ExprKind::Var(v) if matches!(program.var(*v).storage, Storage::Parameter) => program.var(*v).init.as_ref()?,
        _ => return None,
    };
    let Const::Array { items, .. } = known else { return None };
    items.iter().map(|item| if let Const::Int(n) = item { Some(*n) } else { None }).collect()
}

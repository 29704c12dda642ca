//! Elemental functions of numbers and bits.

use super::Reference;
use crate::checked::Intrinsic as I;
use crate::checked::{CharLen, Const, Expr, ExprKind, ImpliedDo, Item, Shape, Storage, Type, UnaryOp};
use crate::checker::Checker;
use crate::typing::{Typing, constant, is_numeric, promoted, same_type, shape_name, type_name};
use diag::Code;

const INTEGERS: &[u8] = &[1, 2, 4, 8];
const REALS: &[u8] = &[2, 4, 8];
const PARTS: &[u8] = &[4, 8];

impl Checker<'_> {
    /// Types an elemental reference.
    pub(crate) fn elemental(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        match id {
            I::Int => {
                let a = self.typing().need(&mut r, 0)?;
                let default = self.options.integer_kind();
                let kind = self.typing().take_kind(&mut r, 1, default, INTEGERS)?;
                self.typing().conversion(id, a, Type::Integer(kind), span)
            }
            I::Real => {
                let a = self.typing().need(&mut r, 0)?;
                let default = if let Type::Complex(k) = a.ty { k } else { self.options.real_kind() };
                let kind = self.typing().take_kind(&mut r, 1, default, REALS)?;
                self.typing().conversion(id, a, Type::Real(kind), span)
            }
            I::Dble => {
                let a = self.typing().need(&mut r, 0)?;
                self.typing().conversion(id, a, Type::Real(8), span)
            }
            I::Logical => {
                let a = self.typing().need(&mut r, 0)?;
                if !matches!(a.ty, Type::Logical(_) | Type::Integer(_)) {
                    return self.typing().bad_argument(id, 0, &a, "a logical");
                }
                let default = self.options.integer_kind();
                let kind = self.typing().take_kind(&mut r, 1, default, INTEGERS)?;
                self.typing().conversion(id, a, Type::Logical(kind), span)
            }
            I::Cmplx => self.typing().complex_function(r),
            I::Max | I::Min => self.typing().extremum(r),
            I::Merge => self.typing().merge(r),
            I::Abs | I::Aimag | I::Conjg => {
                let a = self.typing().need(&mut r, 0)?;
                let ty = match (id, &a.ty) {
                    (I::Abs, Type::Integer(_) | Type::Real(_)) | (I::Conjg, Type::Complex(_)) => a.ty.clone(),
                    (I::Abs | I::Aimag, Type::Complex(k)) => Type::Real(*k),
                    _ => {
                        return self.typing().bad_argument(
                            id,
                            0,
                            &a,
                            if id == I::Abs { "a number" } else { "complex" },
                        );
                    }
                };
                let rank = a.rank;
                self.typing().intrinsic_node(id, vec![Some(a)], ty, rank, span)
            }
            I::Aint | I::Anint => {
                let a = self.typing().need(&mut r, 0)?;
                let Type::Real(own) = a.ty else { return self.typing().bad_argument(id, 0, &a, "real") };
                let kind = self.typing().take_kind(&mut r, 1, own, REALS)?;
                let rank = a.rank;
                let value = self.typing().intrinsic_node(id, vec![Some(a), None], Type::Real(own), rank, span)?;
                self.typing().convert(value, &Type::Real(kind))
            }
            I::Ceiling | I::Floor | I::Nint => {
                let a = self.typing().need(&mut r, 0)?;
                if !matches!(a.ty, Type::Real(_)) {
                    return self.typing().bad_argument(id, 0, &a, "real");
                }
                let default = self.options.integer_kind();
                let kind = self.typing().take_kind(&mut r, 1, default, INTEGERS)?;
                let rank = a.rank;
                self.typing().intrinsic_node(id, vec![Some(a), None], Type::Integer(kind), rank, span)
            }
            I::Dim | I::Mod | I::Modulo | I::Sign => self.typing().pair(r),
            I::Dprod => {
                let (a, b) = (self.typing().need(&mut r, 0)?, self.typing().need(&mut r, 1)?);
                let default = Type::Real(self.options.real_kind());
                for (at, e) in [&a, &b].into_iter().enumerate() {
                    if !same_type(&e.ty, &default) {
                        let wanted = format!("`{}`", type_name(&self.defs, &default));
                        return self.typing().bad_argument(id, at, e, &wanted);
                    }
                }
                if self.options.real_kind() == 8 {
                    // There is no greater kind, and the product is that of the arguments.
                    return self.operation(&ast::BinaryOp::Mul, a, b, span);
                }
                let args = vec![Some(a), Some(b)];
                let rank = self.typing().elemental_rank(id, &args, span)?;
                self.typing().intrinsic_node(id, args, Type::Real(8), rank, span)
            }
            I::Atan2 | I::Hypot => self.typing().real_pair(r),
            I::Atan if r.get(1).is_some() => self.typing().real_pair(r),
            I::BesselJn | I::BesselYn => self.bessel(r),
            I::Acos
            | I::Acosh
            | I::Asin
            | I::Asinh
            | I::Atan
            | I::Atanh
            | I::Cos
            | I::Cosh
            | I::Exp
            | I::Log
            | I::Sin
            | I::Sinh
            | I::Sqrt
            | I::Tan
            | I::Tanh => self.typing().one_real(r, true),
            I::BesselJ0
            | I::BesselJ1
            | I::BesselY0
            | I::BesselY1
            | I::Erf
            | I::Erfc
            | I::ErfcScaled
            | I::Gamma
            | I::LogGamma
            | I::Log10
            | I::Cbrt
            | I::Exp2
            | I::Exp10
            | I::Expm1
            | I::Log1p
            | I::Log2
            | I::Rsqrt
            | I::Cospi
            | I::Sinpi
            | I::Tanpi
            | I::Fraction
            | I::Rrspacing
            | I::Spacing => self.typing().one_real(r, false),
            I::Fma => self.typing().fused(r),
            I::Isnan => {
                let x = self.typing().need(&mut r, 0)?;
                if !matches!(x.ty, Type::Real(_)) {
                    return self.typing().bad_argument(id, 0, &x, "real");
                }
                self.operation(&ast::BinaryOp::Ne, x.clone(), x, span)
            }
            I::OutOfRange => self.out_of_range(r),
            I::IsIostatEnd | I::IsIostatEor => {
                let Some(i) = self.typing().take_integer(&mut r, 0, 4, false)? else {
                    return self.typing().need(&mut r, 0);
                };
                let code = if id == I::IsIostatEnd { -1 } else { -2 };
                self.operation(&ast::BinaryOp::Eq, i, constant(Const::Int(code), Type::Integer(4), span), span)
            }
            I::Acosd | I::Asind | I::Atand | I::Atan2d | I::Cosd | I::Sind | I::Tand => self.degrees(r),
            I::Acospi | I::Asinpi | I::Atanpi | I::Atan2pi => self.degrees(r),
            I::Cotan | I::Cotand => self.cotangent(r),
            I::Exponent => {
                let x = self.typing().need(&mut r, 0)?;
                if !matches!(x.ty, Type::Real(_)) {
                    return self.typing().bad_argument(id, 0, &x, "real");
                }
                let rank = x.rank;
                let ty = self.options.integer();
                self.typing().intrinsic_node(id, vec![Some(x)], ty, rank, span)
            }
            I::Nearest | I::Scale | I::SetExponent => {
                let x = self.typing().need(&mut r, 0)?;
                if !matches!(x.ty, Type::Real(_)) {
                    return self.typing().bad_argument(id, 0, &x, "real");
                }
                let second = if id == I::Nearest {
                    let s = self.typing().need(&mut r, 1)?;
                    if !matches!(s.ty, Type::Real(_)) {
                        return self.typing().bad_argument(id, 1, &s, "real");
                    }
                    let ty = x.ty.clone();
                    self.typing().convert(s, &ty)?
                } else {
                    let Some(i) = self.typing().take_integer(&mut r, 1, 4, false)? else {
                        return self.typing().need(&mut r, 1);
                    };
                    i
                };
                let ty = x.ty.clone();
                let args = vec![Some(x), Some(second)];
                let rank = self.typing().elemental_rank(id, &args, span)?;
                self.typing().intrinsic_node(id, args, ty, rank, span)
            }
            I::Btest
            | I::Iand
            | I::Ibclr
            | I::Ibits
            | I::Ibset
            | I::Ieor
            | I::Ior
            | I::Ishft
            | I::Ishftc
            | I::Leadz
            | I::Maskl
            | I::Maskr
            | I::Not
            | I::Popcnt
            | I::Poppar
            | I::Shiftl
            | I::Shiftr
            | I::Shifta
            | I::Trailz
            | I::Rshift
            | I::Lshift
            | I::Dshiftl
            | I::Dshiftr => self.bits(r),
            I::MergeBits => self.merge_bits(r),
            I::Bge | I::Bgt | I::Ble | I::Blt => self.bit_order(r),
            _ => self.typing().text_function(r),
        }
    }

    /// `bessel_jn(n, x)`, and `bessel_jn(n1, n2, x)`: an array with the values of all orders from `n1` to `n2`.
    fn bessel(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let Some(n) = self.typing().take_integer(&mut r, 0, 4, false)? else { return self.typing().need(&mut r, 0) };
        // By position, the second of two arguments is `x`.
        let is_range = r.get(1).is_some() && r.get(2).is_some();
        let at = if r.get(2).is_some() { 2 } else { 1 };
        let last = if is_range { self.typing().take_integer(&mut r, 1, 4, true)? } else { None };
        let Some(x) = r.take(at) else { return self.typing().need(&mut r, 2) };
        if !matches!(x.ty, Type::Real(_)) {
            return self.typing().bad_argument(id, 2, &x, "real");
        }
        let ty = x.ty.clone();
        let Some(last) = last else {
            let args = vec![Some(n), Some(x)];
            let rank = self.typing().elemental_rank(id, &args, span)?;
            return self.typing().intrinsic_node(id, args, ty, rank, span);
        };
        for (at, e) in [(0, &n), (2, &x)] {
            if e.rank != 0 {
                return self.typing().bad_argument(id, at, e, "a scalar");
            }
        }
        if self.cx.debugger {
            return self.reporter.refuse(span, "an implied do loop");
        }
        let index = Type::Integer(4);
        let outer = self.enter_block();
        let var = self.construct_variable(&"order".into(), index.clone(), Shape::Scalar, Storage::Local, span);
        self.cx.scope = outer;
        let order = Expr { kind: ExprKind::Var(var), ty: index, rank: 0, span };
        let value = self.typing().intrinsic_node(id, vec![Some(order), Some(x)], ty.clone(), 0, span)?;
        let items = vec![Item::Expr(value)];
        let implied = ImpliedDo { items, var, first: n, last, step: None };
        Some(Expr { kind: ExprKind::Array(vec![Item::Do(Box::new(implied))]), ty, rank: 1, span })
    }

    /// Functions of angles in degrees, and those that give angles in half turns, by those in radians, in double precision: the factor
    /// is no short number.
    fn degrees(&mut self, mut r: Reference) -> Option<Expr> {
        let span = r.span;
        let (radians, is_inverse) = match r.id {
            I::Acosd | I::Acospi => (I::Acos, true),
            I::Asind | I::Asinpi => (I::Asin, true),
            I::Atand | I::Atanpi if r.get(1).is_some() => (I::Atan2, true),
            I::Atand | I::Atanpi => (I::Atan, true),
            I::Atan2d | I::Atan2pi => (I::Atan2, true),
            I::Cosd => (I::Cos, false),
            I::Sind => (I::Sin, false),
            _ => (I::Tan, false),
        };
        let wide = Type::Real(8);
        let mut args = Vec::new();
        let mut own = Type::Real(4);
        for at in 0..if radians == I::Atan2 { 2 } else { 1 } {
            let x = self.typing().need(&mut r, at)?;
            if !matches!(x.ty, Type::Real(_)) {
                return self.typing().bad_argument(r.id, at, &x, "real");
            }
            if matches!(x.ty, Type::Real(8)) {
                own = Type::Real(8);
            }
            args.push(Some(self.typing().convert(x, &wide)?));
        }
        let is_half_turns = matches!(r.id, I::Acospi | I::Asinpi | I::Atanpi | I::Atan2pi);
        let radian = std::f64::consts::PI / if is_half_turns { 1.0 } else { 180.0 };
        let factor = constant(Const::Real8(if is_inverse { 1.0 / radian } else { radian }), wide.clone(), span);
        if !is_inverse && let Some(x) = args[0].take() {
            args[0] = Some(self.operation(&ast::BinaryOp::Mul, x, factor.clone(), span)?);
        }
        let rank = self.typing().elemental_rank(r.id, &args, span)?;
        args.resize(radians.dummies().len(), None);
        let mut value = self.typing().intrinsic_node(radians, args, wide, rank, span)?;
        if is_inverse {
            value = self.operation(&ast::BinaryOp::Mul, value, factor, span)?;
        }
        self.typing().convert(value, &own)
    }

    /// `out_of_range(x, mold[, round])`: whether the type of `mold` cannot hold `x`, by comparisons in the widest kind.
    fn out_of_range(&mut self, mut r: Reference) -> Option<Expr> {
        use ast::BinaryOp as B;
        let span = r.span;
        let (x, mold) = (self.typing().need(&mut r, 0)?, self.typing().need(&mut r, 1)?);
        let round = self.typing().take_logical(&mut r, 2)?;
        let wide = if matches!(x.ty, Type::Integer(_)) { Type::Integer(8) } else { Type::Real(8) };
        let real = |v: f64| constant(Const::Real8(v), Type::Real(8), span);
        let value = match (&x.ty, &mold.ty) {
            (Type::Integer(_) | Type::Real(_), Type::Integer(_) | Type::Real(_)) => self.typing().convert(x, &wide)?,
            (Type::Integer(_) | Type::Real(_), _) => {
                return self.typing().bad_argument(r.id, 1, &mold, "an integer or real");
            }
            _ => return self.typing().bad_argument(r.id, 0, &x, "an integer or real"),
        };
        match (&wide, &mold.ty) {
            (Type::Integer(_), Type::Integer(kind)) => {
                let (lowest, highest) = crate::fold::int_range(*kind);
                let whole = |v: i64| constant(Const::Int(v), Type::Integer(8), span);
                let below = self.operation(&B::Lt, value.clone(), whole(lowest), span)?;
                let above = self.operation(&B::Gt, value, whole(highest), span)?;
                self.operation(&B::Or, below, above, span)
            }
            (_, Type::Integer(kind)) => {
                let part =
                    |c: &mut Self, id: I, x: Expr| c.elemental(Reference { id, args: vec![Some(x), None], span });
                let mut whole = part(self, I::Aint, value.clone())?;
                if let Some(round) = round {
                    let nearest = part(self, I::Anint, value)?;
                    let round = self.if_present(round)?;
                    let args = vec![Some(nearest), Some(whole), Some(round)];
                    whole = self.elemental(Reference { id: I::Merge, args, span })?;
                }
                // No number that is not: comparisons with that are false.
                let end = 2f64.powi(8 * i32::from(*kind) - 1);
                let low = self.operation(&B::Ge, whole.clone(), real(-end), span)?;
                let high = self.operation(&B::Lt, whole, real(end), span)?;
                let inside = self.operation(&B::And, low, high, span)?;
                let outside = constant(Const::Logical(true), Type::Logical(4), span);
                self.operation(&B::Neqv, inside, outside, span)
            }
            (_, Type::Real(kind @ (2 | 4))) => {
                // What is nearer to the next power of two than to the greatest number is rounded to infinity.
                let end = if *kind == 2 { 65520.0 } else { f64::from(f32::MAX) + 2f64.powi(103) };
                let size = self.elemental(Reference { id: I::Abs, args: vec![Some(value)], span })?;
                let beyond = self.operation(&B::Ge, size.clone(), real(end), span)?;
                let finite = self.operation(&B::Le, size, real(f64::MAX), span)?;
                self.operation(&B::And, beyond, finite, span)
            }
            _ => self.operation(&B::Lt, value.clone(), value, span),
        }
    }

    /// A logical argument that may be an absent dummy: false where it is absent.
    fn if_present(&mut self, e: Expr) -> Option<Expr> {
        match self.typing().presence(&e) {
            Some(present) => {
                let span = e.span;
                self.operation(&ast::BinaryOp::And, present, e, span)
            }
            None => Some(e),
        }
    }

    /// `cotan` and `cotand`: the reciprocal of the tangent.
    fn cotangent(&mut self, r: Reference) -> Option<Expr> {
        let span = r.span;
        let of = if r.id == I::Cotan { I::Tan } else { I::Tand };
        let tangent = self.elemental(Reference { id: of, ..r })?;
        let one = match &tangent.ty {
            Type::Real(8) => Const::Real8(1.0),
            Type::Complex(4) => Const::Complex4(1.0, 0.0),
            Type::Complex(_) => Const::Complex8(1.0, 0.0),
            _ => Const::Real4(1.0),
        };
        let one = constant(one, tangent.ty.clone(), span);
        self.operation(&ast::BinaryOp::Div, one, tangent, span)
    }

    /// `merge_bits(i, j, mask)`: the bits of `i` where the mask has ones, those of `j` elsewhere.
    fn merge_bits(&mut self, mut r: Reference) -> Option<Expr> {
        let span = r.span;
        let (i, j, mask) =
            (self.typing().need(&mut r, 0)?, self.typing().need(&mut r, 1)?, self.typing().need(&mut r, 2)?);
        let bits = |c: &mut Self, id: I, args: Vec<Option<Expr>>| c.bits(Reference { id, args, span });
        let kept = bits(self, I::Iand, vec![Some(i), Some(mask.clone())])?;
        let rest = bits(self, I::Not, vec![Some(mask)])?;
        let other = bits(self, I::Iand, vec![Some(j), Some(rest)])?;
        bits(self, I::Ior, vec![Some(kept), Some(other)])
    }

    /// Comparisons of integers as bit patterns: the signed ones after turning the sign bit over. The shorter one is padded with
    /// zero bits (Fortran 2018, 16.3.2).
    fn bit_order(&mut self, mut r: Reference) -> Option<Expr> {
        let span = r.span;
        let (i, j) = (self.typing().need(&mut r, 0)?, self.typing().need(&mut r, 1)?);
        let kind = match (&i.ty, &j.ty) {
            (Type::Integer(a), Type::Integer(b)) => *a.max(b),
            (Type::Integer(_), _) => return self.typing().bad_argument(r.id, 1, &j, "an integer"),
            _ => return self.typing().bad_argument(r.id, 0, &i, "an integer"),
        };
        let ty = Type::Integer(kind);
        let sign = constant(Const::Int(crate::fold::int_range(kind).0), ty.clone(), span);
        let mut turned = Vec::new();
        for e in [i, j] {
            let own = if let Type::Integer(own) = e.ty { own } else { kind };
            let mut e = self.typing().convert(e, &ty)?;
            if own < kind {
                let low = constant(Const::Int((1 << (8 * own)) - 1), ty.clone(), span);
                e = self.bits(Reference { id: I::Iand, args: vec![Some(e), Some(low)], span })?;
            }
            let args = vec![Some(e), Some(sign.clone())];
            turned.push(self.bits(Reference { id: I::Ieor, args, span })?);
        }
        let op = match r.id {
            I::Bge => ast::BinaryOp::Ge,
            I::Bgt => ast::BinaryOp::Gt,
            I::Ble => ast::BinaryOp::Le,
            _ => ast::BinaryOp::Lt,
        };
        let b = turned.pop()?;
        let a = turned.pop()?;
        self.operation(&op, a, b, span)
    }

    fn bits(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let mut i = self.typing().need(&mut r, 0)?;
        // `and`, `or` and `xor` stand for the bit functions, and nvfortran takes logicals there and in `not`.
        if let (Type::Logical(_), I::Iand | I::Ior | I::Ieor) = (&i.ty, id) {
            let j = self.typing().need(&mut r, 1)?;
            if matches!(j.ty, Type::Integer(_)) {
                // The bits of both.
                i = self.typing().convert(i, &j.ty)?;
                return self.bits(Reference { id, args: vec![Some(i), Some(j)], span });
            }
            let op = match id {
                I::Iand => ast::BinaryOp::And,
                I::Ior => ast::BinaryOp::Or,
                _ => ast::BinaryOp::Neqv,
            };
            return self.operation(&op, i, j, span);
        }
        if let (Type::Logical(_), I::Not) = (&i.ty, id) {
            let (ty, rank) = (i.ty.clone(), i.rank);
            let kind = ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(i) };
            return self.typing().fold(Expr { kind, ty, rank, span });
        }
        if !matches!(i.ty, Type::Integer(_)) {
            return self.typing().bad_argument(id, 0, &i, "an integer");
        }
        let own = i.ty.clone();
        let (args, ty) = match id {
            I::Iand | I::Ior | I::Ieor => {
                let mut j = self.typing().need(&mut r, 1)?;
                if matches!(j.ty, Type::Logical(_)) {
                    j = self.typing().convert(j, &own)?;
                }
                let Some(ty @ Type::Integer(_)) = promoted(&own, &j.ty) else {
                    return self.typing().bad_argument(id, 1, &j, "an integer");
                };
                (vec![Some(self.typing().convert(i, &ty)?), Some(self.typing().convert(j, &ty)?)], ty)
            }
            I::Dshiftl | I::Dshiftr => {
                let j = self.typing().need(&mut r, 1)?;
                if !matches!(j.ty, Type::Integer(_)) {
                    return self.typing().bad_argument(id, 1, &j, "an integer");
                }
                let j = self.typing().convert(j, &own)?;
                let Some(shift) = self.typing().take_integer(&mut r, 2, 4, false)? else {
                    return self.typing().need(&mut r, 2);
                };
                (vec![Some(i), Some(j), Some(shift)], own)
            }
            I::Not => (vec![Some(i)], own),
            I::Leadz | I::Popcnt | I::Poppar | I::Trailz => (vec![Some(i)], self.options.integer()),
            I::Maskl | I::Maskr => {
                let default = self.options.integer_kind();
                let kind = self.typing().take_kind(&mut r, 1, default, INTEGERS)?;
                (vec![Some(self.typing().convert(i, &Type::Integer(4))?), None], Type::Integer(kind))
            }
            _ => {
                let mut args = vec![Some(i)];
                for at in 1..id.dummies().len() {
                    let e = self.typing().take_integer(&mut r, at, 4, false)?;
                    let optional = id == I::Ishftc && at == 2;
                    if e.is_none() && !optional {
                        return self.typing().need(&mut r, at);
                    }
                    args.push(e);
                }
                (args, if id == I::Btest { self.options.logical() } else { own })
            }
        };
        let rank = self.typing().elemental_rank(id, &args, span)?;
        self.typing().intrinsic_node(id, args, ty, rank, span)
    }
}

impl Typing<'_> {
    /// A conversion written as a function.
    fn conversion(&mut self, id: I, a: Expr, ty: Type, span: source::Span) -> Option<Expr> {
        let convertible = is_numeric(&a.ty) || matches!(a.ty, Type::Logical(_));
        if !convertible {
            return self.bad_argument(id, 0, &a, "a number");
        }
        if matches!(a.ty, Type::Logical(_)) && matches!(ty, Type::Real(_)) {
            return self.bad_argument(id, 0, &a, "a number");
        }
        if same_type(&a.ty, &ty) {
            // The value, not the variable.
            let (ty, rank) = (a.ty.clone(), a.rank);
            return match a.kind {
                ExprKind::Const(_) => Some(Expr { span, ..a }),
                _ => Some(Expr { kind: ExprKind::Paren(Box::new(a)), ty, rank, span }),
            };
        }
        let value = self.convert(a, &ty)?;
        Some(Expr { span, ..value })
    }

    fn complex_function(&mut self, mut r: Reference) -> Option<Expr> {
        let span = r.span;
        // With a complex first argument the second place is KIND.
        let x = self.need(&mut r, 0)?;
        let kind = self.take_kind(&mut r, 2, self.options.real_kind(), PARTS)?;
        let Some(y) = r.take(1) else {
            return self.conversion(I::Cmplx, x, Type::Complex(kind), span);
        };
        if matches!(x.ty, Type::Complex(_)) {
            return self.reporter.error(Code::BadIntrinsicArgument, y.span, "`cmplx` of a complex value takes no `y`");
        }
        for (at, e) in [&x, &y].into_iter().enumerate() {
            if !matches!(e.ty, Type::Integer(_) | Type::Real(_)) {
                return self.bad_argument(I::Cmplx, at, e, "an integer or real");
            }
        }
        let part = Type::Real(kind);
        let args = vec![Some(self.convert(x, &part)?), Some(self.convert(y, &part)?), None];
        let rank = self.elemental_rank(I::Cmplx, &args, span)?;
        self.intrinsic_node(I::Cmplx, args, Type::Complex(kind), rank, span)
    }

    fn extremum(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        if r.args.iter().flatten().count() < 2 {
            return self.reporter.error(
                Code::ArgumentCount,
                span,
                format!("`{}` takes two arguments or more", id.name()),
            );
        }
        let mut ty: Option<Type> = None;
        for at in 0..r.args.len() {
            let Some(e) = r.get(at) else { continue };
            let e_ty = e.ty.clone();
            let next = match &ty {
                None if matches!(e_ty, Type::Integer(_) | Type::Real(_) | Type::Character(_)) => Some(e_ty),
                Some(Type::Character(a)) => match (&e_ty, a) {
                    (Type::Character(CharLen::Const(b)), CharLen::Const(a)) => {
                        Some(Type::Character(CharLen::Const(*a.max(b))))
                    }
                    (Type::Character(_), _) => Some(Type::Character(CharLen::Deferred)),
                    _ => None,
                },
                Some(old) => promoted(old, &e_ty).filter(|t| !matches!(t, Type::Complex(_))),
                None => None,
            };
            match next {
                Some(next) => ty = Some(next),
                None => {
                    let e = r.get(at).cloned()?;
                    return self.bad_argument(id, at, &e, "integer, real or character like the others");
                }
            }
        }
        let ty = ty?;
        let mut args = Vec::with_capacity(r.args.len());
        for e in std::mem::take(&mut r.args).into_iter().flatten() {
            args.push(Some(self.convert(e, &ty)?));
        }
        let rank = self.elemental_rank(id, &args, span)?;
        self.intrinsic_node(id, args, ty, rank, span)
    }

    fn merge(&mut self, mut r: Reference) -> Option<Expr> {
        let (a, b) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
        let b = if self.defs.are_flat_twins(&a.ty, &b.ty) { self.as_twin(b, &a.ty) } else { b };
        let Some(mask) = self.take_logical(&mut r, 2)? else { return self.need(&mut r, 2) };
        let ty = if same_type(&a.ty, &b.ty) {
            a.ty.clone()
        } else {
            match promoted(&a.ty, &b.ty) {
                // Kinds may differ as with nvfortran, types may not.
                Some(ty) if std::mem::discriminant(&a.ty) == std::mem::discriminant(&b.ty) => ty,
                _ => {
                    return self.bad_argument(
                        r.id,
                        1,
                        &b,
                        &format!("`{}` like `tsource`", type_name(self.defs, &a.ty)),
                    );
                }
            }
        };
        let args = vec![Some(self.convert(a, &ty)?), Some(self.convert(b, &ty)?), Some(mask)];
        let rank = self.elemental_rank(r.id, &args, r.span)?;
        self.intrinsic_node(r.id, args, ty, rank, r.span)
    }

    fn pair(&mut self, mut r: Reference) -> Option<Expr> {
        let (a, b) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
        let same = std::mem::discriminant(&a.ty) == std::mem::discriminant(&b.ty);
        let ty = match promoted(&a.ty, &b.ty) {
            Some(ty @ (Type::Integer(_) | Type::Real(_))) if same => ty,
            _ if !matches!(a.ty, Type::Integer(_) | Type::Real(_)) => {
                return self.bad_argument(r.id, 0, &a, "an integer or real");
            }
            _ => {
                let wanted = format!("`{}` like the first argument", type_name(self.defs, &a.ty));
                return self.bad_argument(r.id, 1, &b, &wanted);
            }
        };
        // The kinds of the arguments of SIGN may differ (Fortran 2018, 16.9.176).
        let own = if r.id == I::Sign { a.ty.clone() } else { ty.clone() };
        let args = vec![Some(self.convert(a, &ty)?), Some(self.convert(b, &ty)?)];
        let rank = self.elemental_rank(r.id, &args, r.span)?;
        let value = self.intrinsic_node(r.id, args, ty, rank, r.span)?;
        self.convert(value, &own)
    }

    fn real_pair(&mut self, mut r: Reference) -> Option<Expr> {
        let (a, b) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
        for (at, e) in [&a, &b].into_iter().enumerate() {
            if !matches!(e.ty, Type::Real(_)) {
                return self.bad_argument(r.id, at, e, "real");
            }
        }
        self.pair(Reference { id: r.id, args: vec![Some(a), Some(b)], span: r.span })
    }

    /// `fma(x, y, z)`: three reals of one kind.
    fn fused(&mut self, mut r: Reference) -> Option<Expr> {
        let mut args = Vec::with_capacity(3);
        let mut ty: Option<Type> = None;
        for at in 0..3 {
            let e = self.need(&mut r, at)?;
            match &ty {
                _ if !matches!(e.ty, Type::Real(_)) => return self.bad_argument(r.id, at, &e, "real"),
                Some(ty) if !same_type(ty, &e.ty) => {
                    let wanted = format!("`{}` like the first argument", type_name(self.defs, ty));
                    return self.bad_argument(r.id, at, &e, &wanted);
                }
                _ => ty = Some(e.ty.clone()),
            }
            args.push(Some(e));
        }
        let rank = self.elemental_rank(r.id, &args, r.span)?;
        self.intrinsic_node(r.id, args, ty?, rank, r.span)
    }

    fn one_real(&mut self, mut r: Reference, complex: bool) -> Option<Expr> {
        let x = self.need(&mut r, 0)?;
        let fits = matches!(x.ty, Type::Real(_)) || (complex && matches!(x.ty, Type::Complex(_)));
        if !fits {
            let wanted = if complex { "real or complex" } else { "real" };
            let text = format!(
                "`{}` of `{}` must be {wanted}, not {}",
                r.id.dummies()[0],
                r.id.name(),
                shape_name(self.defs, &x.ty, x.rank)
            );
            if matches!(x.ty, Type::Integer(_)) {
                return self.reporter.error_help(
                    Code::BadIntrinsicArgument,
                    x.span,
                    text,
                    "convert it with `real(…)` or `dble(…)`",
                );
            }
            return self.reporter.error(Code::BadIntrinsicArgument, x.span, text);
        }
        let (ty, rank) = (x.ty.clone(), x.rank);
        let mut args = vec![Some(x)];
        args.resize(r.id.dummies().len(), None);
        self.intrinsic_node(r.id, args, ty, rank, r.span)
    }
}

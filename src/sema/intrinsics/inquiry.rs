//! Inquiry functions; most are constants.

use super::Reference;
use crate::checked::Intrinsic as I;
use crate::checked::{
    CharLen, CmpOp, Const, Expr, ExprKind, LogicOp, Program, Shape, Storage, Type, is_designator, root,
};
use crate::checker::{Checker, CodeSide, Sym};
use crate::fold::{int_range, kind_of};
use crate::typing::{
    Typing, constant, constant_extents, is_allocatable, is_class, is_dummy_procedure, is_pointer, is_procedure_pointer,
    shape_of,
};
use diag::{Code, Diagnostic};
use source::Span;

const INTEGERS: &[u8] = &[1, 2, 4, 8];

impl Checker<'_> {
    /// Types an inquiry.
    pub(super) fn inquiry(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span, options) = (r.id, r.span, self.options);
        match id {
            I::OnDevice => match self.cx.side {
                CodeSide::Host => Some(constant(Const::Logical(false), Type::Logical(4), span)),
                CodeSide::Device | CodeSide::CufKernel => Some(constant(Const::Logical(true), Type::Logical(4), span)),
                CodeSide::Both => self.typing().intrinsic_node(id, Vec::new(), Type::Logical(4), 0, span),
            },
            I::Rank => {
                let a = self.typing().need(&mut r, 0)?;
                if is_assumed_rank(&self.defs, &a) {
                    return self.typing().intrinsic_node(id, vec![Some(a)], options.integer(), 0, span);
                }
                Some(constant(Const::Int(i64::from(a.rank)), options.integer(), span))
            }
            I::IntPtrKind => Some(constant(Const::Int(8), options.integer(), span)),
            I::BitSize
            | I::Digits
            | I::Epsilon
            | I::Huge
            | I::Kind
            | I::Maxexponent
            | I::Minexponent
            | I::Precision
            | I::Radix
            | I::Range
            | I::Tiny => {
                let x = self.typing().need(&mut r, 0)?;
                self.typing().number_model(id, &x, span)
            }
            I::NewLine => {
                self.typing().need(&mut r, 0)?;
                Some(constant(Const::Char(vec![b'\n'].into()), Type::Character(CharLen::Const(1)), span))
            }
            I::Len => {
                let s = self.typing().need(&mut r, 0)?;
                let kind = self.typing().take_kind(&mut r, 1, options.integer_kind(), INTEGERS)?;
                match &s.ty {
                    Type::Character(CharLen::Const(n)) => Some(constant(Const::Int(*n), Type::Integer(kind), span)),
                    Type::Character(_) => {
                        self.typing().intrinsic_node(id, vec![Some(s), None], Type::Integer(kind), 0, span)
                    }
                    _ => self.typing().bad_argument(id, 0, &s, "a character value"),
                }
            }
            I::Allocated => {
                let a = self.typing().need(&mut r, 0)?;
                if is_pointer(&self.defs, &a) {
                    // nvfortran takes it for the other inquiry.
                    let d = Diagnostic::new(Code::AllocatedOfPointer, span, "`allocated` of a pointer");
                    self.reporter.report(d.help("write `associated`"));
                    return self.typing().intrinsic_node(
                        I::Associated,
                        vec![Some(a), None],
                        options.logical(),
                        0,
                        span,
                    );
                }
                if !is_allocatable(&self.defs, &a) {
                    return self.typing().bad_argument(id, 0, &a, "allocatable");
                }
                self.typing().intrinsic_node(id, vec![Some(a)], options.logical(), 0, span)
            }
            I::Associated => {
                let p = self.typing().need(&mut r, 0)?;
                if is_procedure_pointer(&self.defs, &p) {
                    let mut target = r.take(1);
                    if let Some(dummy) = target.as_mut().filter(|e| is_dummy_procedure(&self.defs, e)) {
                        // Its word, not what the function gives.
                        (dummy.ty, dummy.rank) = (Type::Integer(8), 0);
                    }
                    return Some(procedure_association(p, target, &options.logical(), span));
                }
                if !is_pointer(&self.defs, &p) {
                    return self.typing().bad_argument(id, 0, &p, "a pointer");
                }
                let target = r.take(1);
                self.typing().intrinsic_node(id, vec![Some(p), target], options.logical(), 0, span)
            }
            I::Present => {
                let a = self.typing().need(&mut r, 0)?;
                let optional = matches!(a.kind, ExprKind::Var(v) if self.defs.var(v).attrs.optional);
                if !optional {
                    return self.typing().bad_argument(id, 0, &a, "an optional dummy argument");
                }
                self.typing().intrinsic_node(id, vec![Some(a)], options.logical(), 0, span)
            }
            I::IsContiguous => {
                let a = self.typing().need(&mut r, 0)?;
                if matches!(a.kind, ExprKind::Null) {
                    return self.typing().bad_argument(id, 0, &a, "an associated pointer");
                }
                self.typing().intrinsic_node(id, vec![Some(a)], options.logical(), 0, span)
            }
            I::SameTypeAs | I::ExtendsTypeOf => {
                let (a, b) = (self.typing().need(&mut r, 0)?, self.typing().need(&mut r, 1)?);
                for (at, e) in [&a, &b].into_iter().enumerate() {
                    if !is_class(&self.defs, e) && !matches!(e.ty, Type::Derived(_)) {
                        return self.typing().bad_argument(id, at, e, "of derived type");
                    }
                }
                if let Some(value) = self.typing().relation_of_types(id, &a, &b) {
                    return Some(constant(Const::Logical(value), options.logical(), span));
                }
                self.typing().intrinsic_node(id, vec![Some(a), Some(b)], options.logical(), 0, span)
            }
            I::Lbound | I::Ubound | I::Size | I::Shape => self.typing().bounds(r),
            I::StorageSize | I::Sizeof | I::CSizeof => {
                let x = self.typing().need(&mut r, 0)?;
                let kind = match id {
                    I::StorageSize => self.typing().take_kind(&mut r, 1, options.integer_kind(), INTEGERS)?,
                    _ => 8,
                };
                self.bytes(id, x, kind, span)
            }
            I::Loc | I::CLoc | I::CDevloc => {
                let x = self.typing().need(&mut r, 0)?;
                if !is_designator(&x) {
                    return self.typing().bad_argument(id, 0, &x, "a variable");
                }
                let name = match id {
                    I::CLoc => Some("c_ptr"),
                    I::CDevloc => Some("c_devptr"),
                    _ => None,
                };
                let ty = match name {
                    None => Type::Integer(8),
                    Some(name) => match self.embedded_type(name) {
                        Some(ty) => ty,
                        None => return self.reporter.refuse(span, format!("intrinsic procedure `{}`", id.name())),
                    },
                };
                self.typing().intrinsic_node(id, vec![Some(x)], ty, 0, span)
            }
            _ => self.reporter.refuse(span, format!("intrinsic procedure `{}`", id.name())),
        }
    }

    /// A derived type of the embedded modules.
    pub(super) fn embedded_type(&mut self, name: &str) -> Option<Type> {
        let scopes: Vec<_> = self.scopes.embedded_scopes().collect();
        for scope in scopes {
            if let Some(Sym::Type(id) | Sym::Generic { ty: Some(id), .. }) = self.own(scope, name) {
                return Some(Type::Derived(id));
            }
        }
        self.defs.types.iter().position(|t| &*t.name == name).map(|i| Type::Derived(crate::checked::TypeId(i as u32)))
    }

    fn bytes(&mut self, id: I, x: Expr, kind: u8, span: source::Span) -> Option<Expr> {
        let ty = Type::Integer(kind);
        let is_made = matches!(x.ty, Type::Derived(ty) if self.defs.has_part(ty, &|f| f.is_parameter));
        let element = if is_made || is_class(&self.defs, &x) { None } else { self.size_of(&x.ty).map(|s| s.0) };
        if let Some(element) = element {
            if id == I::StorageSize {
                return Some(constant(Const::Int((element as i64).saturating_mul(8)), ty, span));
            }
            let dynamic = root(&x).is_some_and(|v| matches!(self.defs.var(v).storage, Storage::Alias(_)));
            let count = if dynamic || is_assumed_rank(&self.defs, &x) {
                None
            } else if x.rank == 0 {
                Some(1)
            } else {
                constant_extents(&self.defs, &x).map(|b| b.iter().fold(1, |n: i64, d| n.saturating_mul(d.1)))
            };
            if let Some(count) = count {
                return Some(constant(Const::Int((element as i64).saturating_mul(count)), ty, span));
            }
        }
        let mut args = vec![Some(x)];
        args.resize(id.dummies().len(), None);
        self.typing().intrinsic_node(id, args, ty, 0, span)
    }
}

impl Typing<'_> {
    /// What SAME_TYPE_AS or EXTENDS_TYPE_OF says of two objects that are not polymorphic: a constant (Fortran 2018, 10.1.12).
    fn relation_of_types(&self, id: I, a: &Expr, mold: &Expr) -> Option<bool> {
        let (Type::Derived(own), Type::Derived(wanted)) = (&a.ty, &mold.ty) else { return None };
        if is_class(self.defs, a) || is_class(self.defs, mold) {
            return None;
        }
        let parents = std::iter::successors(Some(*own), |&ty| self.defs.type_info(ty).parent);
        let mut related = parents.take(if id == I::SameTypeAs { 1 } else { usize::MAX });
        Some(related.any(|ty| ty == *wanted))
    }

    fn number_model(&mut self, id: I, x: &Expr, span: source::Span) -> Option<Expr> {
        let int = self.options.integer();
        let whole = |v: i64| Some(constant(Const::Int(v), int.clone(), span));
        let own = |c: Const| Some(constant(c, x.ty.clone(), span));
        match (id, &x.ty) {
            (I::Kind, Type::Derived(_) | Type::Any) => self.bad_argument(id, 0, x, "of intrinsic type"),
            (I::Kind, ty) => whole(i64::from(kind_of(ty))),
            (I::BitSize, Type::Integer(k)) => own(Const::Int(i64::from(*k) * 8)),
            (I::Digits, Type::Integer(k)) => whole(i64::from(*k) * 8 - 1),
            (I::Digits, Type::Real(2)) => whole(11),
            (I::Digits, Type::Real(4)) => whole(24),
            (I::Digits, Type::Real(_)) => whole(53),
            // 2**-10, 65504 and 2**-14.
            (I::Epsilon, Type::Real(2)) => own(Const::Real2(0x1400)),
            (I::Huge, Type::Real(2)) => own(Const::Real2(0x7bff)),
            (I::Tiny, Type::Real(2)) => own(Const::Real2(0x0400)),
            (I::Epsilon, Type::Real(4)) => own(Const::Real4(f32::EPSILON)),
            (I::Epsilon, Type::Real(_)) => own(Const::Real8(f64::EPSILON)),
            (I::Huge, Type::Integer(k)) => own(Const::Int(int_range(*k).1)),
            (I::Huge, Type::Real(4)) => own(Const::Real4(f32::MAX)),
            (I::Huge, Type::Real(_)) => own(Const::Real8(f64::MAX)),
            (I::Tiny, Type::Real(4)) => own(Const::Real4(f32::MIN_POSITIVE)),
            (I::Tiny, Type::Real(_)) => own(Const::Real8(f64::MIN_POSITIVE)),
            (I::Maxexponent, Type::Real(2)) => whole(16),
            (I::Maxexponent, Type::Real(4)) => whole(128),
            (I::Maxexponent, Type::Real(_)) => whole(1024),
            (I::Minexponent, Type::Real(2)) => whole(-13),
            (I::Minexponent, Type::Real(4)) => whole(-125),
            (I::Minexponent, Type::Real(_)) => whole(-1021),
            (I::Precision, Type::Real(2)) => whole(3),
            (I::Precision, Type::Real(4) | Type::Complex(4)) => whole(6),
            (I::Precision, Type::Real(_) | Type::Complex(_)) => whole(15),
            (I::Radix, Type::Integer(_) | Type::Real(_)) => whole(2),
            (I::Range, Type::Integer(k)) => whole(match k {
                1 => 2,
                2 => 4,
                4 => 9,
                _ => 18,
            }),
            (I::Range, Type::Real(2)) => whole(4),
            (I::Range, Type::Real(4) | Type::Complex(4)) => whole(37),
            (I::Range, Type::Real(_) | Type::Complex(_)) => whole(307),
            _ => self.bad_argument(id, 0, x, "a number that has this property"),
        }
    }

    fn bounds(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let a = self.need(&mut r, 0)?;
        let assumed_rank = is_assumed_rank(self.defs, &a);
        if a.rank == 0 && !assumed_rank && id != I::Shape {
            return self.bad_argument(id, 0, &a, "an array");
        }
        // SHAPE has its KIND where the others have DIM.
        let (dim, kind_at) = if id == I::Shape { (None, 1) } else { (self.take_integer(&mut r, 1, 4, true)?, 2) };
        let kind = self.take_kind(&mut r, kind_at, self.options.integer_kind(), INTEGERS)?;
        let ty = Type::Integer(kind);
        let constant_dim = match &dim {
            Some(Expr { kind: ExprKind::Const(Const::Int(d)), span, .. }) => {
                if !(1..=i64::from(a.rank)).contains(d) && !assumed_rank {
                    let text = format!("`dim` is {d}, and the array has rank {}", a.rank);
                    return self.reporter.error(Code::BadIntrinsicArgument, *span, text);
                }
                Some(*d as usize - 1)
            }
            _ => None,
        };
        if matches!(shape_of(self.defs, &a), Some(Shape::AssumedSize(..))) {
            let last = usize::from(a.rank) - 1;
            let needs_last = match id {
                I::Lbound => false,
                _ => dim.is_none() || constant_dim == Some(last),
            };
            if needs_last {
                let text = format!("`{}` of an assumed-size array, whose last extent is not known", id.name());
                return self.reporter.error_help(
                    Code::BadIntrinsicArgument,
                    span,
                    text,
                    "pass the extent as an argument",
                );
            }
        }
        if let Some(bounds) = constant_extents(self.defs, &a) {
            // An empty dimension has the bounds 1 and 0, whatever its declaration says.
            let value = |i: usize| match (id, bounds[i]) {
                (I::Lbound, (_, 0)) => 1,
                (I::Ubound, (_, 0)) => 0,
                (I::Lbound, (lower, _)) => lower,
                (I::Ubound, (lower, extent)) => lower.saturating_add(extent).saturating_sub(1),
                (_, (_, extent)) => extent,
            };
            if let (Some(d), true) = (constant_dim, constant_dim.is_some_and(|d| d < bounds.len())) {
                return Some(constant(Const::Int(value(d)), ty, span));
            }
            if dim.is_none() {
                if id == I::Size {
                    let total = bounds.iter().fold(1, |n: i64, b| n.saturating_mul(b.1));
                    return Some(constant(Const::Int(total), ty, span));
                }
                let items: Vec<Const> = (0..bounds.len()).map(|i| Const::Int(value(i))).collect();
                let value = Const::Array { bounds: vec![(1, items.len() as i64)], items };
                return Some(Expr { kind: ExprKind::Const(value), ty, rank: 1, span });
            }
        }
        let rank = u8::from(dim.is_none() && id != I::Size);
        let args = if id == I::Shape { vec![Some(a), None] } else { vec![Some(a), dim, None] };
        self.intrinsic_node(id, args, ty, rank, span)
    }
}

fn is_assumed_rank(program: &Program, e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Var(v) if matches!(program.var(v).shape, Shape::AssumedRank))
}

/// `associated(pointer[, target])`
fn procedure_association(pointer: Expr, target: Option<Expr>, ty: &Type, span: Span) -> Expr {
    let zero = constant(Const::Int(0), Type::Integer(8), span);
    let logical = |kind: ExprKind| Expr { kind, ty: ty.clone(), rank: 0, span };
    let compare =
        |op, left: Expr, right: Expr| logical(ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) });
    let set = compare(CmpOp::Ne, pointer.clone(), zero);
    match target {
        None => set,
        Some(target) => {
            let same = compare(CmpOp::Eq, pointer, target);
            logical(ExprKind::Logic { op: LogicOp::And, left: Box::new(set), right: Box::new(same) })
        }
    }
}

//! Inquiry functions; most are constants.

use super::Reference;
use crate::checked::{CharLen, Const, Expr, ExprKind, Shape, Storage, Type};
use crate::checker::{Checker, Side};
use crate::expr::{is_designator, root};
use crate::fold::{int_range, kind_of};
use crate::intrinsic::Intrinsic as I;
use crate::scope::Sym;
use diag::Code;

const INTEGERS: &[u8] = &[1, 2, 4, 8];

impl Checker<'_> {
    /// Types an inquiry.
    pub(super) fn inquiry(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        match id {
            I::OnDevice => match self.cx.side {
                Side::Host => Some(Self::constant(Const::Logical(false), Type::Logical(4), span)),
                Side::Device | Side::CufKernel => Some(Self::constant(Const::Logical(true), Type::Logical(4), span)),
                Side::Both => self.intrinsic_node(id, Vec::new(), Type::Logical(4), 0, span),
            },
            I::Rank => {
                let a = self.need(&mut r, 0)?;
                Some(Self::constant(Const::Int(i64::from(a.rank)), self.integer(), span))
            }
            I::IntPtrKind => Some(Self::constant(Const::Int(8), self.integer(), span)),
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
                let x = self.need(&mut r, 0)?;
                self.number_model(id, &x, span)
            }
            I::NewLine => {
                self.need(&mut r, 0)?;
                Some(Self::constant(Const::Char(vec![b'\n'].into()), Type::Character(CharLen::Const(1)), span))
            }
            I::Len => {
                let s = self.need(&mut r, 0)?;
                let kind = self.take_kind(&mut r, 1, self.integer_kind(), INTEGERS)?;
                match &s.ty {
                    Type::Character(CharLen::Const(n)) => {
                        Some(Self::constant(Const::Int(*n), Type::Integer(kind), span))
                    }
                    Type::Character(_) => self.intrinsic_node(id, vec![Some(s), None], Type::Integer(kind), 0, span),
                    _ => self.bad_argument(id, 0, &s, "a character value"),
                }
            }
            I::Allocated => {
                let a = self.need(&mut r, 0)?;
                if !self.is_allocatable(&a) {
                    return self.bad_argument(id, 0, &a, "allocatable");
                }
                self.intrinsic_node(id, vec![Some(a)], self.logical(), 0, span)
            }
            I::Associated => {
                let p = self.need(&mut r, 0)?;
                if self.is_procedure_pointer(&p) {
                    let target = r.take(1);
                    return Some(self.procedure_association(p, target, span));
                }
                if !self.is_pointer(&p) {
                    return self.bad_argument(id, 0, &p, "a pointer");
                }
                let target = r.take(1);
                self.intrinsic_node(id, vec![Some(p), target], self.logical(), 0, span)
            }
            I::Present => {
                let a = self.need(&mut r, 0)?;
                let optional = matches!(a.kind, ExprKind::Var(v) if self.out.var(v).attrs.optional);
                if !optional {
                    return self.bad_argument(id, 0, &a, "an optional dummy argument");
                }
                self.intrinsic_node(id, vec![Some(a)], self.logical(), 0, span)
            }
            I::IsContiguous => {
                let a = self.need(&mut r, 0)?;
                self.intrinsic_node(id, vec![Some(a)], self.logical(), 0, span)
            }
            I::SameTypeAs | I::ExtendsTypeOf => {
                let (a, b) = (self.need(&mut r, 0)?, self.need(&mut r, 1)?);
                for (at, e) in [&a, &b].into_iter().enumerate() {
                    if !self.is_class(e) && !matches!(e.ty, Type::Derived(_)) {
                        return self.bad_argument(id, at, e, "of derived type");
                    }
                }
                self.intrinsic_node(id, vec![Some(a), Some(b)], self.logical(), 0, span)
            }
            I::Lbound | I::Ubound | I::Size | I::Shape => self.bounds(r),
            I::StorageSize | I::Sizeof | I::CSizeof => {
                let x = self.need(&mut r, 0)?;
                let kind = match id {
                    I::StorageSize => self.take_kind(&mut r, 1, self.integer_kind(), INTEGERS)?,
                    _ => 8,
                };
                self.bytes(id, x, kind, span)
            }
            I::Loc | I::CLoc | I::CDevloc => {
                let x = self.need(&mut r, 0)?;
                if !is_designator(&x) {
                    return self.bad_argument(id, 0, &x, "a variable");
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
                        None => return self.refuse(span, format!("intrinsic procedure `{}`", id.name())),
                    },
                };
                self.intrinsic_node(id, vec![Some(x)], ty, 0, span)
            }
            _ => self.refuse(span, format!("intrinsic procedure `{}`", id.name())),
        }
    }

    /// A derived type of the embedded modules.
    pub(super) fn embedded_type(&mut self, name: &str) -> Option<Type> {
        let scopes: Vec<_> = self.modules.iter().filter(|m| m.embedded).map(|m| m.scope).collect();
        for scope in scopes {
            if let Some(Sym::Type(id) | Sym::Generic { ty: Some(id), .. }) = self.own(scope, name) {
                return Some(Type::Derived(id));
            }
        }
        self.out.types.iter().position(|t| &*t.name == name).map(|i| Type::Derived(crate::checked::TypeId(i as u32)))
    }

    fn number_model(&mut self, id: I, x: &Expr, span: source::Span) -> Option<Expr> {
        let int = self.integer();
        let whole = |v: i64| Some(Self::constant(Const::Int(v), int.clone(), span));
        let own = |c: Const| Some(Self::constant(c, x.ty.clone(), span));
        match (id, &x.ty) {
            (I::Kind, Type::Derived(_) | Type::Any) => self.bad_argument(id, 0, x, "of intrinsic type"),
            (I::Kind, ty) => whole(i64::from(kind_of(ty))),
            (I::BitSize, Type::Integer(k)) => own(Const::Int(i64::from(*k) * 8)),
            (I::Digits, Type::Integer(k)) => whole(i64::from(*k) * 8 - 1),
            (I::Digits, Type::Real(4)) => whole(24),
            (I::Digits, Type::Real(_)) => whole(53),
            (I::Epsilon, Type::Real(4)) => own(Const::Real4(f32::EPSILON)),
            (I::Epsilon, Type::Real(_)) => own(Const::Real8(f64::EPSILON)),
            (I::Huge, Type::Integer(k)) => own(Const::Int(int_range(*k).1)),
            (I::Huge, Type::Real(4)) => own(Const::Real4(f32::MAX)),
            (I::Huge, Type::Real(_)) => own(Const::Real8(f64::MAX)),
            (I::Tiny, Type::Real(4)) => own(Const::Real4(f32::MIN_POSITIVE)),
            (I::Tiny, Type::Real(_)) => own(Const::Real8(f64::MIN_POSITIVE)),
            (I::Maxexponent, Type::Real(4)) => whole(128),
            (I::Maxexponent, Type::Real(_)) => whole(1024),
            (I::Minexponent, Type::Real(4)) => whole(-125),
            (I::Minexponent, Type::Real(_)) => whole(-1021),
            (I::Precision, Type::Real(4) | Type::Complex(4)) => whole(6),
            (I::Precision, Type::Real(_) | Type::Complex(_)) => whole(15),
            (I::Radix, Type::Integer(_) | Type::Real(_)) => whole(2),
            (I::Range, Type::Integer(k)) => whole(match k {
                1 => 2,
                2 => 4,
                4 => 9,
                _ => 18,
            }),
            (I::Range, Type::Real(4) | Type::Complex(4)) => whole(37),
            (I::Range, Type::Real(_) | Type::Complex(_)) => whole(307),
            _ => self.bad_argument(id, 0, x, "a number that has this property"),
        }
    }

    fn bounds(&mut self, mut r: Reference) -> Option<Expr> {
        let (id, span) = (r.id, r.span);
        let a = self.need(&mut r, 0)?;
        let assumed_rank = matches!(a.kind, ExprKind::Var(v) if matches!(self.out.var(v).shape, Shape::AssumedRank));
        if a.rank == 0 && !assumed_rank && id != I::Shape {
            return self.bad_argument(id, 0, &a, "an array");
        }
        // SHAPE has its KIND where the others have DIM.
        let (dim, kind_at) = if id == I::Shape { (None, 1) } else { (self.take_integer(&mut r, 1, 4, true)?, 2) };
        let kind = self.take_kind(&mut r, kind_at, self.integer_kind(), INTEGERS)?;
        let ty = Type::Integer(kind);
        let constant_dim = match &dim {
            Some(Expr { kind: ExprKind::Const(Const::Int(d)), span, .. }) => {
                if !(1..=i64::from(a.rank)).contains(d) && !assumed_rank {
                    let text = format!("`dim` is {d}, and the array has rank {}", a.rank);
                    return self.error(Code::BadIntrinsicArgument, *span, text);
                }
                Some(*d as usize - 1)
            }
            _ => None,
        };
        if matches!(self.shape_of(&a), Some(Shape::AssumedSize(..))) {
            let last = usize::from(a.rank) - 1;
            let needs_last = match id {
                I::Lbound => false,
                _ => dim.is_none() || constant_dim == Some(last),
            };
            if needs_last {
                let text = format!("`{}` of an assumed-size array, whose last extent is not known", id.name());
                return self.error_help(Code::BadIntrinsicArgument, span, text, "pass the extent as an argument");
            }
        }
        if let Some(bounds) = self.constant_extents(&a) {
            let value = |i: usize| match id {
                I::Lbound => bounds[i].0,
                I::Ubound => bounds[i].0.saturating_add(bounds[i].1).saturating_sub(1),
                _ => bounds[i].1,
            };
            if let (Some(d), true) = (constant_dim, constant_dim.is_some_and(|d| d < bounds.len())) {
                return Some(Self::constant(Const::Int(value(d)), ty, span));
            }
            if dim.is_none() {
                if id == I::Size {
                    let total = bounds.iter().fold(1, |n: i64, b| n.saturating_mul(b.1));
                    return Some(Self::constant(Const::Int(total), ty, span));
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

    fn bytes(&mut self, id: I, x: Expr, kind: u8, span: source::Span) -> Option<Expr> {
        let ty = Type::Integer(kind);
        let element = if self.is_class(&x) { None } else { self.size_of(&x.ty).map(|s| s.0) };
        if let Some(element) = element {
            if id == I::StorageSize {
                return Some(Self::constant(Const::Int((element as i64).saturating_mul(8)), ty, span));
            }
            let dynamic = root(&x).is_some_and(|v| matches!(self.out.var(v).storage, Storage::Alias(_)));
            let count = if x.rank == 0 {
                Some(1)
            } else if dynamic {
                None
            } else {
                self.constant_extents(&x).map(|b| b.iter().fold(1, |n: i64, d| n.saturating_mul(d.1)))
            };
            if let Some(count) = count {
                return Some(Self::constant(Const::Int((element as i64).saturating_mul(count)), ty, span));
            }
        }
        let mut args = vec![Some(x)];
        args.resize(id.dummies().len(), None);
        self.intrinsic_node(id, args, ty, 0, span)
    }
}

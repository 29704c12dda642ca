//! Types and shapes.

use super::{Const, Expr, ExprKind, ProcId, Program, VarId};
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A derived type of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// The type of a scalar or of an array's elements; kinds are bytes of one part (`complex(8)` has two of 8).
#[derive(Clone, Debug)]
pub enum Type {
    /// `integer(k)`, k = 1, 2, 4, 8
    Integer(u8),
    /// `real(k)`, k = 2, 4, 8; values of kind 2 are computed with as `real(4)`
    Real(u8),
    /// `complex(k)`, k = 4, 8
    Complex(u8),
    /// `logical(k)`, k = 1, 2, 4, 8
    Logical(u8),
    /// `character(len)`, kind 1
    Character(CharLen),
    /// `type(name)`
    Derived(TypeId),
    /// `type(*)`: a dummy of the embedded modules that takes anything; with the class attribute `class(*)`.
    Any,
}

/// Length of a character type.
#[derive(Clone, Debug)]
pub enum CharLen {
    /// Known.
    Const(i64),
    /// Computed where the object comes to life.
    Expr(Box<Expr>),
    /// `*`: that of the actual argument.
    Assumed,
    /// `:`: that of the allocation.
    Deferred,
}

/// A derived type.
#[derive(Clone, Debug)]
pub struct DerivedType {
    /// Name, lower case.
    pub name: Arc<str>,
    /// Its type parameters with the values that they have in this type, those of its parent first.
    pub params: Vec<TypeParam>,
    /// Components in order, the parent's first.
    pub fields: Vec<Field>,
    /// Bytes of an object.
    pub bytes: u64,
    /// Alignment of an object.
    pub align: u64,
    /// The type that it extends.
    pub parent: Option<TypeId>,
    /// What its type-bound names mean for an object of this type, inherited ones included; generic ones are not here.
    pub methods: BTreeMap<Arc<str>, ProcId>,
    /// Its own FINAL subroutines.
    pub finals: Vec<ProcId>,
    /// The type-bound assignments of an object of this type to another, which components of this type are assigned by.
    pub assigns: Vec<ProcId>,
    /// `bind(c)`
    pub is_bound: bool,
    /// Whether its objects are made at run time: they, or objects in them, have length parameters of their own.
    pub is_made: bool,
    /// Whether its objects, which are data of the device, have length parameters that are known at run time only and do not hold
    /// them: those are what the declaration of the variable says. The components lie one after another; `bytes` and the offsets
    /// of the components say nothing.
    pub is_flat: bool,
    /// Of such a type, the one of the host whose objects hold their lengths.
    pub of_host: Option<Type>,
    /// The definition.
    pub span: Span,
}

impl DerivedType {
    /// A type of this name in which nothing is declared.
    pub fn empty(name: Arc<str>, span: Span) -> DerivedType {
        DerivedType {
            name,
            params: Vec::new(),
            fields: Vec::new(),
            bytes: 0,
            align: 1,
            parent: None,
            methods: BTreeMap::new(),
            finals: Vec::new(),
            assigns: Vec::new(),
            is_bound: false,
            is_made: false,
            is_flat: false,
            of_host: None,
            span,
        }
    }

    /// Its length parameters that are known at run time only; objects hold them in components of the same names.
    pub fn open_parameters(&self) -> impl Iterator<Item = &TypeParam> {
        self.params.iter().filter(|p| p.value.is_none())
    }
}

/// A type parameter with its value (Fortran 2018, 7.5.3).
#[derive(Clone, Debug)]
pub struct TypeParam {
    /// Name, lower case.
    pub name: Arc<str>,
    /// Its integer type.
    pub ty: Type,
    /// Its value; `None` for a length that is known at run time only.
    pub value: Option<i64>,
    /// The variable by which bounds and lengths of components name it.
    pub var: VarId,
    /// Whether it is a kind parameter; else a length.
    pub is_kind: bool,
    /// Its declaration.
    pub span: Span,
}

/// A component.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name, lower case.
    pub name: Arc<str>,
    /// Type of it or of its elements.
    pub ty: Type,
    /// Shape: scalar, explicit with constant bounds, or deferred.
    pub shape: Shape,
    /// Byte offset; allocatable and pointer components of any rank store a descriptor there.
    pub offset: u64,
    /// `allocatable`
    pub allocatable: bool,
    /// `pointer`
    pub pointer: bool,
    /// Polymorphic: its descriptor says the dynamic type.
    pub class: bool,
    /// CUDA attribute of what it holds.
    pub cuda: Option<ast::CudaAttr>,
    /// Default initialisation.
    pub init: Option<Const>,
    /// Default initialisation that is done when an object is made at run time: the value of a part whose type has length parameters
    /// that are known then, or the initial target of a pointer.
    pub start: Option<Arc<Expr>>,
    /// Whether this is no component, but where an object holds the length parameter of that name.
    pub is_parameter: bool,
    /// What length parameters of the object decide about it. It is stored like an allocatable component then, which is there as
    /// long as the object, and says so in `allocatable`.
    pub sized: Option<Arc<SizedBy>>,
    /// The length of its characters, if length parameters of the object decide it and it is allocatable or a pointer. Its type says
    /// that the length is deferred.
    pub own_length: Option<Arc<Expr>>,
    /// The length parameters of its own type, where they are known at run time only.
    pub lengths: Vec<CharLen>,
    /// Its declaration.
    pub span: Span,
}

impl Program {
    /// What the address of an object is a multiple of, whose components lie one after another at their natural alignment: that of a flat
    /// one, and of an object of the host as TRANSFER sees it.
    pub fn flat_align(&self, ty: &Type) -> u64 {
        match ty {
            Type::Integer(k) | Type::Real(k) | Type::Logical(k) | Type::Complex(k) => u64::from(*k),
            Type::Character(_) | Type::Any => 1,
            Type::Derived(id) if !self.ty(*id).is_made && !self.ty(*id).is_flat => self.ty(*id).align.max(1),
            Type::Derived(id) => {
                let fields = self.ty(*id).fields.iter().filter(|f| !f.is_parameter);
                fields.map(|f| self.part_align(f)).max().unwrap_or(1)
            }
        }
    }

    /// The same of a component of such an object.
    pub fn part_align(&self, field: &Field) -> u64 {
        if field.is_described() { 8 } else { self.flat_align(&field.ty) }
    }
}

impl Field {
    /// Whether a flat object has a descriptor in its place: it has the attribute `pointer` or `allocatable`.
    pub fn is_described(&self) -> bool {
        self.pointer || self.is_allocatable()
    }

    /// Whether it has the attribute `allocatable`.
    pub fn is_allocatable(&self) -> bool {
        self.allocatable && self.sized.is_none()
    }
}

/// The bounds and the length of a component that length parameters of its object decide.
#[derive(Clone, Debug)]
pub struct SizedBy {
    /// Its bounds; none for a scalar.
    pub dims: Vec<Dim>,
    /// Its length, if it is a character of such a length.
    pub len: Option<Expr>,
}

/// The shape of a variable or component.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A scalar.
    Scalar,
    /// `(lower:upper, …)`
    Explicit(Vec<Dim>),
    /// `(lower:, …)`, a dummy; lower bounds only.
    AssumedShape(Vec<Expr>),
    /// `(…, lower:*)`: all dimensions but the last in full, then the last one's lower bound.
    AssumedSize(Vec<Dim>, Box<Expr>),
    /// `(:, …)`, allocatable or pointer.
    Deferred(u8),
    /// `(..)`, embedded modules only.
    AssumedRank,
}

impl Shape {
    /// Lower bound and extent of each dimension, where they are all constant.
    pub fn constant_bounds(&self) -> Option<Vec<(i64, i64)>> {
        match self {
            Shape::Scalar => Some(Vec::new()),
            Shape::Explicit(dims) => dims
                .iter()
                .map(|d| match (&d.lower.kind, &d.upper.kind) {
                    (ExprKind::Const(Const::Int(l)), ExprKind::Const(Const::Int(u))) => {
                        Some((*l, (u.saturating_sub(*l)).saturating_add(1).max(0)))
                    }
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }

    /// How many dimensions it has.
    pub fn rank(&self) -> u8 {
        match self {
            Shape::Scalar | Shape::AssumedRank => 0,
            Shape::Explicit(dims) => dims.len() as u8,
            Shape::AssumedShape(lower) => lower.len() as u8,
            Shape::AssumedSize(dims, _) => dims.len() as u8 + 1,
            Shape::Deferred(rank) => *rank,
        }
    }
}

/// One explicit dimension; bounds are `integer(8)` scalars, constant where they can be.
#[derive(Clone, Debug)]
pub struct Dim {
    /// Lower bound.
    pub lower: Expr,
    /// Upper bound.
    pub upper: Expr,
}

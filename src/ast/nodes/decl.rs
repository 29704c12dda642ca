//! Specification statements: what is declared, in the order in which it is written.

use super::{Expr, Generic, Name, Subprogram};
use source::Span;
use std::sync::Arc;

/// One specification statement.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// What it declares.
    pub kind: DeclKind,
    /// The statement.
    pub span: Span,
}

/// The forms of a specification statement (Fortran 2018 clause 8; CUDA Fortran guide, chapter 3).
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `implicit none`, with what stands in parentheses
    ImplicitNone(Vec<NoneSpec>),
    /// `implicit real (a-h, o-z)`
    Implicit(Vec<(TypeSpec, Vec<LetterSpec>)>),
    /// `real, device :: a(10)`
    Type {
        /// The type.
        spec: TypeSpec,
        /// The attributes between the type and `::`.
        attrs: Vec<Attr>,
        /// The names declared.
        entities: Vec<Entity>,
    },
    /// An attribute as a statement of its own: `attributes(device) :: a`, `dimension a(10)`, `save`, `intent(in) :: x`. An
    /// empty list (`save`, `private`) means everything. The shape of `Attr::Dimension` is empty here, each entity has its
    /// own. A name may be that of a common block, `/name/` with its slashes, or of a generic, such as `operator(+)`.
    Attr {
        /// The attribute.
        attr: Attr,
        /// The names, each perhaps with a shape.
        entities: Vec<Entity>,
    },
    /// `parameter (a = 1, b = 2)`
    Parameter {
        /// The names and their values.
        items: Vec<(Name, Expr)>,
        /// Whether they stand without parentheses, an extension: names that have no declared type take that of the value.
        is_bare: bool,
    },
    /// `data a, b / 1, 2 /`: object lists and value lists (each value with its repeat count expression). An implied DO
    /// among the objects is an `ExprKind::Array` whose only item is that DO.
    Data(Vec<DataSet>),
    /// `common /name/ a, b(10)`
    Common(Vec<(Option<Name>, Vec<Entity>)>),
    /// `equivalence (a, b(1)), …`
    Equivalence(Vec<Vec<Expr>>),
    /// `namelist /name/ a, b`
    Namelist(Vec<(Name, Vec<Name>)>),
    /// `pointer (p, a(*))`, a Cray pointer.
    CrayPointer(Vec<(Name, Entity)>),
    /// A derived-type definition.
    Derived(DerivedType),
    /// An `enum, bind(c)` block.
    Enum(EnumDef),
    /// An interface block.
    Interface(Interface),
    /// `procedure(iface), attrs :: names`
    Procedure {
        /// The interface or type; `procedure()` has none.
        interface: Option<TypeSpec>,
        /// The attributes.
        attrs: Vec<Attr>,
        /// The names.
        entities: Vec<Entity>,
    },
    /// `import`, inside an interface body.
    Import(Import),
    /// `f(x, y) = expr`, a statement function (sema tells it from an assignment to an array element).
    StatementFunction {
        /// Name.
        name: Name,
        /// Dummies.
        args: Vec<Name>,
        /// Value.
        value: Expr,
    },
    /// `!dir$ ignore_tkr (d) a`: letters and names.
    IgnoreTkr(Vec<(Arc<str>, Name)>),
    /// One or more declarations that could not be read.
    Error,
    /// `10 format (…)`, the text between the parentheses included them.
    Format {
        /// Its label.
        label: u32,
        /// The text, parentheses included.
        text: Arc<str>,
    },
}

/// What IMPLICIT NONE names in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoneSpec {
    /// `type`: no name has a type by its first letter, as without parentheses.
    Type,
    /// `external`: external procedures have an explicit interface or the EXTERNAL attribute.
    External,
}

impl NoneSpec {
    /// The word in the source.
    pub fn word(self) -> &'static str {
        match self {
            NoneSpec::Type => "type",
            NoneSpec::External => "external",
        }
    }
}

/// The objects of a DATA statement and their values, each with its repeat count.
pub type DataSet = (Vec<Expr>, Vec<(Option<Expr>, Expr)>);

/// `import`, with its names (none: everything, unless it says NONE).
#[derive(Clone, Debug)]
pub struct Import {
    /// The names.
    pub names: Vec<Name>,
    /// `import, none`
    pub is_none: bool,
}

/// Letters of an IMPLICIT statement, inclusive, in lower case.
#[derive(Clone, Copy, Debug)]
pub struct LetterSpec {
    /// First letter.
    pub first: char,
    /// Last letter.
    pub last: char,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeSpec {
    /// What it is.
    pub kind: TypeSpecKind,
    /// Its text.
    pub span: Span,
}

/// The forms of a type.
#[derive(Clone, Debug)]
pub enum TypeSpecKind {
    /// `integer`
    Integer(Option<KindParam>),
    /// `real`
    Real(Option<KindParam>),
    /// `double precision`
    DoublePrecision,
    /// `complex`
    Complex(Option<KindParam>),
    /// `double complex`
    DoubleComplex,
    /// `logical`
    Logical(Option<KindParam>),
    /// `character`
    Character {
        /// The length; absent means 1.
        len: Option<CharLen>,
        /// The kind.
        kind: Option<KindParam>,
    },
    /// `type(name)`
    Type(DerivedSpec),
    /// `class(name)`
    Class(DerivedSpec),
    /// `class(*)`
    ClassStar,
    /// `type(*)`
    TypeStar,
}

/// A derived type by its name, with the values of its type parameters (Fortran 2018, 7.5.9).
#[derive(Clone, Debug)]
pub struct DerivedSpec {
    /// The name.
    pub name: Name,
    /// The values, each perhaps with the parameter's name.
    pub params: Vec<(Option<Name>, CharLen)>,
}

impl DerivedSpec {
    /// A type without type parameters.
    pub fn plain(name: Name) -> DerivedSpec {
        DerivedSpec { name, params: Vec::new() }
    }
}

/// A kind: an expression in parentheses, or the bytes of `real*8`.
#[derive(Clone, Debug)]
pub enum KindParam {
    /// `(kind = expr)`
    Expr(Box<Expr>),
    /// `*8`
    Star(u32),
}

/// Length of a character type, or the value of a type parameter.
#[derive(Clone, Debug)]
pub enum CharLen {
    /// An expression.
    Expr(Box<Expr>),
    /// `*`
    Assumed,
    /// `:`
    Deferred,
}

impl DeclKind {
    /// The initial values that it gives as DATA does.
    pub fn data_sets(&self) -> impl Iterator<Item = &DataSet> {
        let (sets, entities): (&[DataSet], &[Entity]) = match self {
            DeclKind::Data(sets) => (sets, &[]),
            DeclKind::Type { entities, .. } => (&[], entities),
            _ => (&[], &[]),
        };
        sets.iter().chain(entities.iter().filter_map(|e| e.data.as_deref()))
    }
}

/// A declared name with what stands beside it.
#[derive(Clone, Debug)]
pub struct Entity {
    /// The name.
    pub name: Name,
    /// `(…)` after it.
    pub shape: Option<Shape>,
    /// `*len` after it.
    pub char_len: Option<CharLen>,
    /// `= expr`
    pub init: Option<Expr>,
    /// `=> expr`
    pub pointer_init: Option<Expr>,
    /// `/ values /`, an older form of DATA: the name and the values.
    pub data: Option<Box<DataSet>>,
    /// The whole.
    pub span: Span,
}

/// An array shape as written.
#[derive(Clone, Debug)]
pub struct Shape {
    /// One per dimension.
    pub dims: Vec<Bound>,
    /// The text in parentheses.
    pub span: Span,
}

/// One dimension of a shape.
#[derive(Clone, Debug)]
pub enum Bound {
    /// `upper` or `lower:upper`
    Explicit {
        /// Before the colon.
        lower: Option<Expr>,
        /// The upper bound.
        upper: Expr,
    },
    /// `:` or `lower:`
    Colon {
        /// Before the colon.
        lower: Option<Expr>,
    },
    /// `*` or `lower:*`
    Star {
        /// Before the colon.
        lower: Option<Expr>,
    },
    /// `..`
    AssumedRank,
}

/// CUDA data attributes (CUDA Fortran guide, 3.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CudaAttr {
    /// `device`
    Device,
    /// `managed`
    Managed,
    /// `shared`
    Shared,
    /// `constant`
    Constant,
    /// `pinned`
    Pinned,
    /// `texture`
    Texture,
    /// `unified`
    Unified,
}

/// Direction of a dummy argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    InOut,
}

/// An attribute of a declaration, with its place.
#[derive(Clone, Debug)]
pub enum Attr {
    /// A CUDA data attribute.
    Cuda(CudaAttr, Span),
    /// `allocatable`
    Allocatable(Span),
    /// `asynchronous`
    Asynchronous(Span),
    /// `bind(c, name=…)`
    Bind(Option<Expr>, Span),
    /// `contiguous`
    Contiguous(Span),
    /// `dimension(…)`
    Dimension(Shape),
    /// `external`
    External(Span),
    /// `intent(…)`
    Intent(Intent, Span),
    /// `intrinsic`
    Intrinsic(Span),
    /// `kind`, of a type parameter.
    Kind(Span),
    /// `len`, of a type parameter.
    Len(Span),
    /// `optional`
    Optional(Span),
    /// `parameter`
    Parameter(Span),
    /// `pointer`
    Pointer(Span),
    /// `private`
    Private(Span),
    /// `protected`
    Protected(Span),
    /// `public`
    Public(Span),
    /// `automatic`, which other compilers have: not saved, whatever SAVE says.
    Automatic(Span),
    /// `save`
    Save(Span),
    /// `target`
    Target(Span),
    /// `value`
    Value(Span),
    /// `volatile`
    Volatile(Span),
    /// An attribute of type-bound procedures: `pass`, `nopass`, `deferred`, `non_overridable`; the name in lower case.
    Binding(Name),
    /// `pass(name)`: the dummy that takes the object.
    PassArg(Name),
}

/// `use module, only: a => b`
#[derive(Clone, Debug)]
pub struct UseStmt {
    /// The module.
    pub module: Name,
    /// `intrinsic` (true) or `non_intrinsic` (false), if written.
    pub intrinsic: Option<bool>,
    /// Whether `only:` is written.
    pub only: bool,
    /// The renames or the names of the ONLY list.
    pub items: Vec<UseItem>,
    /// The statement.
    pub span: Span,
}

/// One item of a USE statement.
#[derive(Clone, Debug)]
pub struct UseItem {
    /// The name in this scope, or the operator.
    pub local: Generic,
    /// The name in the module, where it differs.
    pub module: Option<Generic>,
}

/// A derived-type definition.
#[derive(Clone, Debug)]
pub struct DerivedType {
    /// Its name. That of a STRUCTURE is the word `structure`, a blank and the name between its slashes.
    pub name: Name,
    /// The names of its type parameters.
    pub params: Vec<Name>,
    /// `extends(parent)`
    pub extends: Option<Name>,
    /// `abstract`
    pub is_abstract: bool,
    /// `bind(c)`
    pub bind_c: bool,
    /// `sequence`
    pub sequence: bool,
    /// `public` or `private` on the type itself.
    pub access: Option<Attr>,
    /// What it holds.
    pub items: Vec<TypeItem>,
    /// From TYPE to END TYPE.
    pub span: Span,
}

/// One line of a derived-type definition.
#[derive(Clone, Debug)]
pub enum TypeItem {
    /// Components of one declaration.
    Field(TypeField),
    /// UNION: in each MAP, components that lie over those of the others.
    Union(Vec<Vec<TypeItem>>),
    /// `private`, of the components or, behind CONTAINS, of the type-bound procedures.
    Private {
        /// Whether it stands behind CONTAINS.
        of_bindings: bool,
        /// The statement.
        span: Span,
    },
    /// `procedure[(iface)][, attrs] :: binding => procedure`
    Procedure {
        /// `(iface)`, or the type of a function that a pointer points to.
        interface: Option<TypeSpec>,
        /// The attributes.
        attrs: Vec<Attr>,
        /// Names and what they are bound to.
        bindings: Vec<(Name, Option<Name>)>,
    },
    /// `generic :: spec => names`
    Generic {
        /// Its access attribute, if any.
        attrs: Vec<Attr>,
        /// What is generic.
        spec: Generic,
        /// The specific bindings.
        names: Vec<Name>,
    },
    /// `final :: names`
    Final(Vec<Name>),
    /// One or more components that could not be read.
    Error,
}

/// A component declaration.
#[derive(Clone, Debug)]
pub struct TypeField {
    /// The type.
    pub spec: TypeSpec,
    /// The attributes.
    pub attrs: Vec<Attr>,
    /// The components.
    pub entities: Vec<Entity>,
    /// The statement.
    pub span: Span,
}

/// An ENUM block.
#[derive(Clone, Debug)]
pub struct EnumDef {
    /// Enumerators with their values.
    pub items: Vec<(Name, Option<Expr>)>,
    /// The block.
    pub span: Span,
}

/// An interface block.
#[derive(Clone, Debug)]
pub struct Interface {
    /// What it is.
    pub kind: InterfaceKind,
    /// What it holds.
    pub items: Vec<InterfaceItem>,
    /// The block.
    pub span: Span,
}

/// What an interface block declares.
#[derive(Clone, Debug)]
pub enum InterfaceKind {
    /// `interface`
    Explicit,
    /// `abstract interface`
    Abstract,
    /// `interface name`, `interface operator(+)`, `interface assignment(=)`
    Generic(Generic),
}

/// One item of an interface block.
#[derive(Clone, Debug)]
pub enum InterfaceItem {
    /// A procedure's interface.
    Body(Box<Subprogram>),
    /// `module procedure a, b` or `procedure a, b`
    Names {
        /// Whether `module` says that they are procedures of modules.
        module: bool,
        /// The names.
        names: Vec<Name>,
    },
}

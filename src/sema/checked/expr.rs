//! Typed expressions.

use super::{ProcId, Type, TypeId, VarId};
use crate::checked::Intrinsic;
use source::Span;
use std::sync::Arc;

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Type of its value or of its elements.
    pub ty: Type,
    /// 0 for a scalar.
    pub rank: u8,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a typed expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant; arrays too.
    Const(Const),
    /// A whole variable.
    Var(VarId),
    /// `base%field`; `base` may be an array (then the result has its rank) unless the field is one.
    Field {
        /// An object of derived type.
        base: Box<Expr>,
        /// Index into the type's fields.
        field: u32,
    },
    /// An array element: one scalar subscript (`integer(8)`) per dimension.
    Element {
        /// A whole array: a variable or a field.
        base: Box<Expr>,
        /// Subscripts.
        subs: Vec<Expr>,
    },
    /// An array section.
    Section {
        /// A whole array.
        base: Box<Expr>,
        /// One per dimension; at least one is not an index.
        subs: Vec<Sub>,
    },
    /// `base(lo:hi)` of a character; bounds are `integer(8)`.
    Substring {
        /// A character scalar or array.
        base: Box<Expr>,
        /// First position; 1 when absent.
        lo: Option<Box<Expr>>,
        /// Last position; the length when absent.
        hi: Option<Box<Expr>>,
    },
    /// `%re` (false) and `%im` (true) of a complex object.
    ComplexPart {
        /// The object.
        base: Box<Expr>,
        /// Whether the imaginary part.
        imaginary: bool,
    },
    /// The object as one of another type, which this node has: the parent's part of an extended one, or the type that SELECT
    /// TYPE found.
    Seen {
        /// The object.
        base: Box<Expr>,
        /// Whether it is polymorphic still.
        class: bool,
    },
    /// Whether the dynamic type of an object is `ty` (`exact`), or that or an extension of it; `logical(4)`.
    IsType {
        /// The object.
        object: Box<Expr>,
        /// The type.
        ty: Type,
        /// Whether extensions do not count.
        exact: bool,
    },
    /// A prefix operation.
    Unary {
        /// Operation.
        op: UnaryOp,
        /// Operand, of the same type.
        operand: Box<Expr>,
    },
    /// An arithmetic operation; both operands have the result's type, but the right one of `**` may be an integer.
    Binary {
        /// Operation.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// A comparison of two operands of one type; the result is `logical(4)`.
    Compare {
        /// Relation.
        op: CmpOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// A logical operation.
    Logic {
        /// Operation.
        op: LogicOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `left // right`
    Concat(Box<Expr>, Box<Expr>),
    /// Conversion to this node's type (numeric to numeric, logical to logical, and integer to logical and back as nvfortran
    /// allows).
    Convert(Box<Expr>),
    /// An expression in parentheses: a value, never a variable.
    Paren(Box<Expr>),
    /// A scalar for which variables get values first, each once: a reference to a statement function.
    Let {
        /// Local variables and their values, of the variables' types.
        vars: Vec<(VarId, Expr)>,
        /// The value, in which the variables stand.
        value: Box<Expr>,
    },
    /// An intrinsic procedure; the arguments in the order of its table row, absent ones `None`.
    Intrinsic {
        /// Which.
        id: Intrinsic,
        /// Arguments.
        args: Vec<Option<Expr>>,
    },
    /// A function reference; an elemental function with array arguments has their rank.
    Call {
        /// The function.
        proc: ProcId,
        /// One per dummy; absent optionals are `None`.
        args: Vec<Option<Actual>>,
    },
    /// A structure constructor: one value per field of the type (conversions done), `None` for an unallocated component.
    Construct {
        /// The type.
        ty: TypeId,
        /// Variables that get values first, each once, and stand in those of the fields: references to functions that give
        /// parent components.
        parents: Vec<(VarId, Expr)>,
        /// The values.
        fields: Vec<Option<Expr>>,
    },
    /// An array constructor of rank 1.
    Array(Vec<Item>),
    /// A read of `threadidx%x` and kin: a zero-based special register plus `add` (1 for indices), `integer(4)`.
    Special {
        /// Index 0 to 11 in the order tid.xyz, ntid.xyz, ctaid.xyz, nctaid.xyz of the IR's table of special registers.
        index: u8,
        /// What is added.
        add: i32,
    },
    /// A procedure as the target of a procedure pointer, `integer(8)`.
    Procedure(ProcId),
    /// `null()`
    Null,
    /// What this version refuses; reported at compile time.
    Unsupported(Arc<str>),
}

/// A subscript of a section.
#[derive(Clone, Debug)]
pub enum Sub {
    /// A scalar subscript, `integer(8)`.
    Index(Expr),
    /// `lo:hi:step`, `integer(8)` each; absent bounds are the array's.
    Range {
        /// First.
        lo: Option<Expr>,
        /// Last.
        hi: Option<Expr>,
        /// Step.
        step: Option<Expr>,
    },
    /// A vector subscript of rank 1, `integer(8)`.
    Vector(Expr),
}

/// An item of an array constructor.
#[derive(Clone, Debug)]
pub enum Item {
    /// A scalar or an array in array element order, of the constructor's type.
    Expr(Expr),
    /// An implied DO.
    Do(Box<ImpliedDo<Item>>),
}

/// An implied DO.
#[derive(Clone, Debug)]
pub struct ImpliedDo<T> {
    /// What is repeated.
    pub items: Vec<T>,
    /// The variable.
    pub var: VarId,
    /// First value, of the variable's type.
    pub first: Expr,
    /// Last value.
    pub last: Expr,
    /// Step.
    pub step: Option<Expr>,
}

/// An actual argument.
#[derive(Clone, Debug)]
pub enum Actual {
    /// An expression or variable; what is passed depends on the dummy (value, address, shape, descriptor). The types of
    /// actual and dummy agree.
    Expr(Expr),
    /// A procedure.
    Proc(ProcId),
    /// The address of the memory that the dummy is, `integer(8)`: `%val(address)`.
    Address(Expr),
}

impl Actual {
    /// The expression that is passed, if it is none of a procedure.
    pub fn expr(&self) -> Option<&Expr> {
        if let Actual::Expr(e) = self { Some(e) } else { None }
    }
}

/// Prefix operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `.not.`
    Not,
}

/// Arithmetic operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `**`
    Pow,
}

/// Relations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CmpOp {
    /// `==`
    Eq,
    /// `/=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Logical operations of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogicOp {
    /// `.and.`
    And,
    /// `.or.`
    Or,
    /// `.eqv.`
    Eqv,
    /// `.neqv.`
    Neqv,
}

/// A constant.
#[derive(Clone, PartialEq, Debug)]
pub enum Const {
    /// An integer of any kind, in range.
    Int(i64),
    /// `real(2)`, by its bits (IEEE binary16)
    Real2(u16),
    /// `real(4)`
    Real4(f32),
    /// `real(8)`
    Real8(f64),
    /// `complex(4)`
    Complex4(f32, f32),
    /// `complex(8)`
    Complex8(f64, f64),
    /// A logical of any kind.
    Logical(bool),
    /// A character value.
    Char(Arc<[u8]>),
    /// An object of derived type: one constant per field.
    Derived(Vec<Const>),
    /// An array in array element order.
    Array {
        /// Lower bound and extent per dimension.
        bounds: Vec<(i64, i64)>,
        /// Elements.
        items: Vec<Const>,
    },
    /// An unallocated or disassociated component.
    Null,
}

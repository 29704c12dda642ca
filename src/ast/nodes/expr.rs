//! Expressions as written.

use super::TypeSpec;
use source::Span;
use std::sync::Arc;

/// An identifier, folded to lower case.
#[derive(Clone, Debug)]
pub struct Name {
    /// The identifier in lower case.
    pub text: Arc<str>,
    /// Where it stands.
    pub span: Span,
}

impl Name {
    /// The identifier as a string slice.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The text that it covers.
    pub span: Span,
}

/// The forms of an expression (Fortran 2018, clause 10).
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `42`, `42_8`, `42_int64`: the digits as written, without the kind.
    Int {
        /// Decimal digits.
        digits: Arc<str>,
        /// What follows the underscore: digits or a name.
        kind: Option<Name>,
    },
    /// `1.5`, `1e3`, `1d0`, `1.5_rk`: the text as written, without the kind.
    Real {
        /// The number with its exponent letter.
        text: Arc<str>,
        /// What follows the underscore.
        kind: Option<Name>,
    },
    /// `.true.`, `.false._1`.
    Logical {
        /// The value.
        value: bool,
        /// What follows the underscore.
        kind: Option<Name>,
    },
    /// A character literal; quotes undone, backslash escapes left as written.
    Char {
        /// The characters, one byte each as in the file.
        value: Arc<str>,
        /// What stands before the underscore.
        kind: Option<Name>,
    },
    /// A Hollerith constant, `4habcd`: the characters.
    Hollerith(Arc<str>),
    /// `z'ff'`, `b"101"`, `o'17'`.
    Boz {
        /// The radix.
        radix: Radix,
        /// The digits as written.
        digits: Arc<str>,
    },
    /// `(1.0, 2.0)` as a complex constant.
    Complex(Box<Expr>, Box<Expr>),
    /// A name alone.
    Name(Name),
    /// `base(args)`: element, section, substring, reference or constructor.
    Apply {
        /// What stands before the parenthesis.
        base: Box<Expr>,
        /// What stands inside.
        args: Vec<Arg>,
    },
    /// `base%name`.
    Member {
        /// What stands before the percent sign.
        base: Box<Expr>,
        /// The component.
        name: Name,
    },
    /// A prefix operator.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// An infix operator.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `[1, 2, 3]`, `(/ real :: 1, 2 /)`.
    Array {
        /// The type before `::`.
        spec: Option<Box<TypeSpec>>,
        /// The items.
        items: Vec<ArrayItem>,
    },
    /// An expression in parentheses.
    Paren(Box<Expr>),
    /// The selector of a construct that is not supported, with the construct's name.
    Unsupported(Arc<str>),
    /// What could not be parsed and was reported.
    Error,
}

/// Radix of a BOZ constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Radix {
    /// `b`.
    Binary,
    /// `o`.
    Octal,
    /// `z`.
    Hex,
}

/// Prefix operators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `.not.`
    Not,
    /// `.name.`, without the dots.
    Defined(Arc<str>),
}

/// Infix operators.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// `//`
    Concat,
    /// `==`, `.eq.`
    Eq,
    /// `/=`, `.ne.`
    Ne,
    /// `<`, `.lt.`
    Lt,
    /// `<=`, `.le.`
    Le,
    /// `>`, `.gt.`
    Gt,
    /// `>=`, `.ge.`
    Ge,
    /// `.and.`
    And,
    /// `.or.`
    Or,
    /// `.eqv.`
    Eqv,
    /// `.neqv.`, `.xor.`
    Neqv,
    /// `.name.`, without the dots.
    Defined(Arc<str>),
}

/// One item of a parenthesised list after a name.
#[derive(Clone, Debug)]
pub struct Arg {
    /// `keyword =`
    pub keyword: Option<Name>,
    /// The value.
    pub value: ArgValue,
    /// The whole item.
    pub span: Span,
}

/// The value of an [`Arg`].
#[derive(Clone, Debug)]
pub enum ArgValue {
    /// An expression.
    Expr(Expr),
    /// `lo:hi:step`, each part optional.
    Range {
        /// Before the first colon.
        lo: Option<Expr>,
        /// After the first colon.
        hi: Option<Expr>,
        /// After the second colon.
        step: Option<Expr>,
    },
    /// `*label`, an alternate return, or `*` alone (label 0).
    AltReturn(u32),
}

/// One item of an array constructor.
#[derive(Clone, Debug)]
pub enum ArrayItem {
    /// A value.
    Expr(Expr),
    /// `(items, i = a, b, c)`.
    Do(Box<ImpliedDo<ArrayItem>>),
    /// `a:b:c`, an extension: the numbers from `a` to `b`.
    Range(Box<ArrayRange>),
}

/// The range `first:last:step` in an array constructor.
#[derive(Clone, Debug)]
pub struct ArrayRange {
    /// First value.
    pub first: Expr,
    /// Last value.
    pub last: Expr,
    /// Step.
    pub step: Option<Expr>,
    /// The whole.
    pub span: Span,
}

/// An implied DO over items.
#[derive(Clone, Debug)]
pub struct ImpliedDo<T> {
    /// What is repeated.
    pub items: Vec<T>,
    /// `integer(8) ::` before the variable, if written.
    pub spec: Option<TypeSpec>,
    /// The variable.
    pub var: Name,
    /// First value.
    pub first: Expr,
    /// Last value.
    pub last: Expr,
    /// Step.
    pub step: Option<Expr>,
    /// The whole.
    pub span: Span,
}

//! Values of scalar expressions, as operands of the IR.

pub(crate) mod arguments;
pub(crate) mod array_view;
pub(crate) mod descriptor;
pub(crate) mod lvalue;

use crate::value::lvalue::MemRef;
use ir::Val;

/// A scalar value. Its Fortran type is known to whoever has it.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// An integer or a real; a logical as it is in memory.
    Scalar(Val),
    /// A logical as a predicate.
    Pred(Val),
    /// A complex number: real part, imaginary part.
    Complex(Val, Val),
    /// A character value: where its bytes are, its length.
    Char(MemRef, Val),
    /// An object of derived type: where it is.
    Object(MemRef),
}

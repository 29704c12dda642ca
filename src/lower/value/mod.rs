//! Values as data of lowering: operands of the IR with their meaning.
//!
//! Not here: code that computes them (`builder`, `expr`).

pub(crate) mod arguments;
pub(crate) mod array_view;
pub(crate) mod descriptor;
pub(crate) mod flat_copy;
pub(crate) mod lvalue;

use crate::value::lvalue::MemRef;
use ir::Val;

/// A scalar value. Its holder knows its Fortran type.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// An integer or a real; a logical as it is in memory.
    Scalar(Val),
    /// A logical as a predicate.
    Pred(Val),
    /// A complex number: real part, imaginary part.
    Complex(Val, Val),
    /// A character value: where its bytes are, its length. So is the value of a flat object (`expr::flat_part`), whose bytes its type
    /// does not say.
    Char(MemRef, Val),
    /// An object of derived type: where it is.
    Object(MemRef),
}

//! The syntax tree of CUDA Fortran: plain nodes with spans.
//!
//! The tree says what was written, not what it means: `a(i)` is [`ExprKind::Apply`] whether it is an array element, a
//! function reference, a structure constructor or a substring (invariant I2). Names are folded to lower case; spans lead
//! back to the spelling. Declarations keep their order, since implicit typing and kinds depend on it.
//!
//! Not here: symbols, types, constant values (`sema`).

mod dump;
mod nodes;
mod unparse;

pub use dump::dump;
pub use nodes::*;
pub use unparse::unparse;

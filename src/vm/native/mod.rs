//! Compiled code in place of the interpreter: operations of a variant become segments of `jit`, and a warp is run by them as far
//! as they go.
//!
//! The interpreter is the definition. What is compiled leaves the same registers, memory, schedule points and stops; what it does
//! not know it leaves to the interpreter, which goes on at the operation that it returns. A function is compiled once its first
//! warps have run, for one block shape: only then it is known how the lanes of each address differ. Where these run for long, what they
//! have come to is compiled early, and all of it when they have ended.
//!
//! Not here: machine code (`jit`), the loop of the interpreter (`exec`).

mod accesses;
mod enter;
mod function;
pub(crate) mod host;
mod liveness;
mod nests;
mod resume;
mod splits;
mod straight;
mod translate;

pub(crate) use enter::{Interpreter, Single, enter};
pub(crate) use function::{miss, note, put_back, take};
pub(crate) use resume::{resume, run_in_turn, run_together};
pub(crate) use splits::After;

//! Values and expressions of the program.
//!
//! - `value`: values as bytes with a type
//! - `context`: one lane of one frame, in which an expression is evaluated
//! - `check`: from text to a checked expression, by the front end
//! - `compiled`: from a checked expression to code, and running it in a context
//! - `flat`: components of objects whose length parameters belong to the variable
//! - `names`: names that only the debugger knows
//! - `format`, `rows`, `array`, `printf`: values and arrays as text
//!
//! Not here: which context is in focus (`session`).

pub(crate) mod array;
pub(crate) mod check;
pub(crate) mod compiled;
pub(crate) mod context;
pub(crate) mod flat;
pub(crate) mod format;
pub(crate) mod names;
pub(crate) mod printf;
mod rows;
pub(crate) mod value;

//! What the debugger and the findings learn about a program: types and shapes of variables, and where each variable is.

pub(crate) mod variables;

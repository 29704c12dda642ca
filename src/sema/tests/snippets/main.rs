//! Whole snippets through the parser and the checker: what they mean, and what is said about them.

mod arguments;
mod arrays;
mod checked;
mod constants;
mod cuda_calls;
mod cuda_data;
mod cuf_kernel;
mod debugger;
mod generics;
mod intrinsics;
mod modules;
mod names;
mod rules;
mod statements;
mod support;
mod transfers;
mod types;
mod unsupported;

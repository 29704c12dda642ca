//! Whole snippets through the parser and the checker: what they mean, and what is said about them.

mod checked;
mod support;

//! The text form of a module (`.cir`), both ways.

pub mod parse;
pub mod print;

//! The shadow memory of the first pass: stamps of the last accesses to each cell of memory.

pub(crate) mod cell;
pub(crate) mod global;
pub(crate) mod line;
pub(crate) mod lines;
pub(crate) mod merge;
pub(crate) mod page;
pub(crate) mod shared;
pub(crate) mod sweep;
pub(crate) mod uses;
pub(crate) mod weak;

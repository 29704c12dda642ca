//! Input and output of the host program: units, files, and the statements that use them.
//!
//! Not here: text conversion (`text`), and the files outside the program, which only `machine`'s world touches.

pub(crate) mod connect;
pub(crate) mod dirty;
pub(crate) mod file;
pub(crate) mod finish;
pub(crate) mod input;
pub(crate) mod inquire;
pub(crate) mod namelist;
pub(crate) mod output;
pub(crate) mod statement;
pub(crate) mod unit;

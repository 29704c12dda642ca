//! What a session returns: replies, stops and snapshots as owned plain data, and their text.
//!
//! Not here: where the data come from (`session`), and screens (`tui`).

pub(crate) mod inspect;
pub mod render;
pub(crate) mod reply;
pub(crate) mod snapshot;

//! Whole sessions with compiled programs.

mod sessions;
mod time;

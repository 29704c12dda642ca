//! Whole sessions with compiled programs.

mod sessions;

//! Tests of the race detector as a whole: hand-written patterns, and random event streams judged by a causality graph.

#![allow(clippy::unwrap_used)]
#![allow(missing_docs, unreachable_pub, reason = "a test binary has no readers of its items' pages")]

mod event;
mod forks;
mod generate;
mod graph;
mod patterns;
mod property;
mod speed;
mod wide;

//! A function as the compiler gets it: its segments, and what warps begin and end with.
//!
//! Not here: what a segment is (`segment`), and a kernel without loops (`straight`).

use crate::segment::{Class, Segment};
use crate::straight::StraightLine;

/// Segments that follow each other.
#[derive(Clone, PartialEq, Debug)]
pub struct Routine {
    /// In the order of their operations.
    pub segments: Vec<Segment>,
    /// Bytes from one lane pattern to the next.
    pub pattern_stride: u32,
    /// How many schedule points may pass before others get their turn.
    pub poll_quantum: u32,
    /// The operations at which a warp waits for the others of its block, each with a schedule point: where all lanes of one come
    /// there, the code may go on with the next ([`crate::State::next`]).
    pub barriers: Vec<u32>,
    /// The operations at which the lanes of a kernel end: where all lanes of a warp come there, the code may begin the next warp of the
    /// block in the same registers ([`crate::State::turns`]).
    pub ends: Vec<u32>,
    /// How many lane patterns the frame has.
    pub patterns: u32,
    /// The registers that a warp that begins so finds as [`crate::State::initial`] says.
    pub restored: Vec<(Class, u32)>,
    /// What warps do of which no lane parts from the others, if it can be done for many of them at a time.
    pub straight: Option<StraightLine>,
}

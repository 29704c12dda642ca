//! Machine code for the operations of a warp of 32 lanes, and for loops of the host ([`host`]), which has one lane.
//!
//! The input is a [`Routine`]: segments of straight-line code over the values of a frame, with the segments that follow each of
//! them. [`compile`] makes x86-64 code of it. The code works on a [`State`]: pointers to the registers of a frame, the windows of
//! memory that it may access, and the counters of the executor.
//!
//! # Segments
//!
//! A segment is a transaction. First it checks everything that can prevent it: the budget, the shape of the addresses, the bounds
//! of each access. If a check fails, nothing has changed, and the code returns the operation at which the segment begins. Then it
//! computes, stores, and goes on with the next segment. So the state of the frame at the boundary of a segment is the
//! interpreter's, and any operation that the code does not know can be left to the interpreter.
//!
//! Between its checks and its stores a segment only computes and loads, and there no lane depends on another. So the code takes
//! a *strip* of lanes at a time (8 with AVX2, 16 with AVX-512) and computes the whole segment for it in vector registers. Only what later segments
//! read goes back to the frame.
//!
//! A segment that is a loop and stores nothing is a transaction of as many iterations as are sure to pass their checks: a strip goes
//! through all of them with what they carry in registers, then the next strip.
//!
//! A kernel without loops is one transaction of all warps that are in a line ([`StraightLine`]).
//!
//! Not here: which operations become segments, how the interpreter goes on (`vm`), what operations mean (`ir::eval`, `scalar`).

mod code;
mod emit;
pub mod host;
mod integers;
mod iterations;
mod reals;
mod routine;
mod segment;
mod state;
mod straight;

pub use code::{Entry, NativeCode};
pub use emit::{CompileError, InstructionSet, compile, compile_for, is_available, is_known};
pub use routine::Routine;
pub use segment::{
    Access, AccessId, AddressTerm, Class, Condition, End, Index, Indexed, Leave, LocalPart, Movement, Out, PatternKey,
    PatternRow, PatternUpdate, Place, Segment, Store, Value, ValueId,
};
pub use state::{Outcome, PatternHead, State, Window};
pub use straight::{AccessStep, Difference, Guard, Step, StraightLine};

/// Makes the tables of the encoder, which takes most of a millisecond and is done once. Without it the first code waits for them.
pub fn warm_up() {
    // Any code will do.
    let _ = host::compile(&host::HostRoutine::default());
}

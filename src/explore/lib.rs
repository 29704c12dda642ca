//! Which orders of a program to run next, so that each order of accesses that matters is seen once: partial-order reduction.
//!
//! The caller runs a program, writes down what each launch did ([`LaunchTrace`]) and gives it to a [`Search`], which says
//! which [`Order`] to run next. The crate does no I/O and does not know the program: places, addresses and states are opaque
//! numbers.
//!
//! # Events
//!
//! A *part* of a launch is what goes on by itself: the lanes of a warp that are at one place. A *step* is one operation of a
//! part that others can see: a load, a store, an atomic; also a barrier of the block or the grid, or a `syncwarp`, which is a
//! step of all that meet there. Two steps *depend* on each other if they touch the same four bytes and it can make a difference
//! which is first ([`Effect`]): not if both read, both are atomics of one kind that commute and whose results nobody uses, or
//! both write the same value. An atomic that changes nothing, such as a compare-and-swap that fails, reads.
//! Steps that touch nothing that another part's step depends on are no events. Nor are those that a part repeats: it has only read
//! since it was in the same state after the same step before, and nothing has changed what it reads there.
//!
//! # Choices
//!
//! An [`Order`] says, for some points of some launches, which part goes on there ([`Switch`]); points count the operations of
//! the launch that matter to schedules. Between these places the natural rule holds: a part goes on until it ends, waits or
//! polls, and then comes the next warp of the block, then the next block. For an atomic in which several lanes meet at one
//! place, an order may say in which order these lanes come. So an order is a prefix of choices, and a run is a function of its order.
//!
//! # From a trace to the next orders
//!
//! The trace of a run gives a partial order of its events: those of a part in a row, and those that depend on each other as they
//! came. Two runs with the same partial order give the same result. An event `j` can be put before an event `i` of another
//! part, if it depends on `i` directly, with no other event between them in the partial order. The next order then is: the run
//! up to `i`; everything between them that does not come after `i`; then `j` (Flanagan and Godefroid, "Dynamic partial-order
//! reduction", POPL 2005; the prefix is that of Abdulla, Aronsson, Jonsson and Sagonas, "Optimal dynamic partial order
//! reduction", POPL 2014). An order whose prefix is, up to the order of what does not depend on each other, in a run that was
//! made already is left out. For lanes that meet in an atomic, each other order of them is one order to run.
//!
//! The next order to run is one that puts a pair of places of the program the other way round from what was seen so far, or was
//! seen least often; then the one with the fewest changes.
//!
//! Between ranks of MPI the choices are which message a receive from any rank takes. It takes none as long as a rank can go on, so
//! that all messages that it could take are there; then each of them is one run ([`Choices`]; Vakkalanka, Gopalakrishnan and Kirby,
//! "Dynamic verification of MPI programs with reductions in presence of split operations and relaxed orderings", CAV 2008).
//!
//! Between streams a choice is to put a command off until another one has run, or the host waits ([`Holds`]). Each pair of commands
//! that conflict and that nothing orders is turned round so in one run, and no more: such a pair is a race, and without one the
//! order of commands makes no difference.
//!
//! # When all orders were seen
//!
//! If no order is left, every partial order was seen. For suppose that a run `T` was not made. Among the runs that were made take one,
//! `E`, that has the longest beginning `D` in common with it (a set of events closed under what comes before). Let `t` be the next
//! event of `T`. Its part does its next step after `D` in `E` too, but there after some event `e` that is not in `D` and on which it
//! depends directly: else `D` and `t` were in common. The search has run an order with `D`, then `t` before `e`; what comes before
//! `t` there, outside of `D`, is less than in `E`. After finitely many such steps nothing is left: `D` and `t` are in common
//! with a run that was made, which contradicts the choice of `E`.
//!
//! It is not said where something was left out: a launch with more events than are kept, lanes with more orders than are tried, more
//! orders than fit the queue, parts that poll before a barrier ([`Limit`]). What no order varies is outside of the claim: lanes of a warp that are at one place go on
//! together, the host does not run beside a kernel, and memory is sequentially consistent.

mod choices;
mod graph;
mod holds;
mod order;
mod search;
mod trace;

pub use choices::Choices;
pub use holds::Holds;
pub use order::{Hold, Order, Switch};
pub use search::{Limit, Search};
pub use trace::{Effect, LaunchTrace, Part, Piece, Step, StepKind, Touch};

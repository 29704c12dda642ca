//! The debugger engine: sessions, commands, execution in both directions, breakpoints, and the data that front ends show.
//!
//! A [`Session`] executes a [`Command`] and returns an [`Outcome`]: a [`Reply`], or a [`Stop`] with its reason and place. Both
//! are owned plain data. [`render`] turns them into text in the style of gdb and cuda-gdb, [`LineMode`] is a session in line
//! mode, and [`SessionThread`] runs a session on its own thread for a front end. Nothing here knows a terminal (invariant I5).
//!
//! A folder uses only those above it in this list:
//!
//! - `command`: commands as data, their table, parser and help
//! - `view`: replies, stops and snapshots as data, and their text
//! - `eval`: values and expressions: the evaluation context, and checking, compiling and formatting
//! - `process`: the program as a machine that runs forwards and, from checkpoints, backwards
//! - `session`: the commands on a process: run control, breakpoints, focus, values, tables, snapshots
//! - `script`: scripts as data
//! - `restore`: breakpoints and displays of an earlier session
//! - `line`, `thread`: the two ways to run a session
//!
//! Not here: compiling and running programs (`compile`, `machine`), panes and keys (`tui`), options (the root package).

mod command;
mod eval;
mod line;
mod process;
mod restore;
mod script;
mod session;
mod thread;
mod view;

pub use command::{
    Command, Completer, Completions, FocusRequest, FrameRequest, ListRequest, Over, ProgramArguments, Radix, Topic,
    WatchOn, Where, help, parse, table,
};
pub use finding::launch_name;
pub use line::{LineMode, PROMPT, Terminal, Typed};
pub use process::Progress;
pub use restore::restored;
pub use session::{Attendant, FrameAt, HitRule, Session, SessionError, Setup};
pub use thread::{Event, Request, SessionThread};
pub use view::inspect::{CodeAt, Designator, FindingText, Group, InstructionView, Root, Step, ThreadView, ValueView};
pub use view::render;
pub use view::reply::{
    BarrierRow, BlockRow, BreakpointKind, BreakpointView, DisplayView, FocusView, FrameView, KernelRow, LaneGroup,
    LaneRow, LaneState, Outcome, PlaceView, ProgramView, RankRow, Reply, SourceLine, SourceWindow, Stop, StopReason,
    ThreadRow, VariableRow, WarpRow,
};
pub use view::snapshot::{
    ArrayRequest, ArrayView, BanksView, BlockCell, BlockMap, BlockState, EndView, FileText, FindingView, LaneValue,
    LaneValues, SharedVariable, Snapshot, SnapshotRequest, SplitView, Statistics, TimelineRow, TimelineView,
};

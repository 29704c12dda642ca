//! The debugger's engine: session, commands, stepping both ways, breakpoints, views.
//!
//! A [`Session`] takes a [`Command`] and gives an [`Outcome`]: a [`Reply`], or a [`Stop`] with its reason and place. Both are
//! owned plain data; [`render`] makes text of them in gdb's and cuda-gdb's shapes, [`LineMode`] is a conversation in lines,
//! [`SessionThread`] runs a session apart from a front end. Nothing here knows a terminal (invariant I5).
//!
//! - commands: [`table`] has one row for each, from which [`parse`] and [`help`] are made
//! - time: `watcher` counts statements, `process` moves the machine forwards and backwards, `history` keeps checkpoints
//! - run control: `control`, `breakpoint`, `racing`; threads, frames and source: `look`, `sites`, `info`
//! - values: `expression` asks the front end, `formula` makes code of what it says and runs it; `scene` reads, `show` writes,
//!   `data` ties them to the session
//! - screens: `view` is what they show, `survey` and `array` make it
//!
//! Not here: reading and running programs (`compile`, `machine`), screens (`tui`, `dap`), options (`cli`).

mod array;
mod breakpoint;
mod command;
mod control;
mod data;
mod expression;
mod formula;
pub mod help;
mod history;
mod info;
mod line;
mod look;
pub mod parse;
mod process;
mod racing;
pub mod render;
mod reply;
mod scene;
mod session;
mod show;
mod sites;
mod survey;
pub mod table;
mod thread;
mod value;
mod view;
mod watcher;

pub use command::{Command, FocusRequest, FrameRequest, ListRequest, Over, Radix, Topic, Where};
pub use line::{LineMode, PROMPT, Terminal};
pub use process::Progress;
pub use reply::{
    BarrierRow, BlockRow, BreakpointKind, BreakpointView, DisplayView, FocusView, FrameView, KernelRow, LaneGroup,
    LaneRow, LaneState, Outcome, PlaceView, ProgramView, Reply, SourceLine, SourceWindow, Stop, StopReason, ThreadRow,
    VariableRow, WarpRow,
};
pub use session::{Session, SessionError, Setup};
pub use thread::{Event, Request, SessionThread};
pub use view::{
    ArrayView, ArrayWanted, BanksView, BlockCell, BlockMap, BlockState, EndView, FileText, FindingView, FragmentView,
    LaneValue, LaneValues, SharedVariable, Statistics, Survey, Wanted,
};

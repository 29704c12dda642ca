//! Replies and stops as owned plain data, which a front end can draw as it likes.
//!
//! Indices of blocks and threads are those of `blockidx` and `threadidx`, from 1; warps and lanes count from 0. Kernels are
//! numbered by launch, from 1. Values are text in the form of Fortran.
//!
//! Not here: their text (`render`).

use crate::command::{Topic, WatchOn};
use source::{FileId, Span};

/// The result of a command.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The program did not move.
    Reply(Reply),
    /// The program moved and stopped.
    Stop(Box<Stop>),
}

/// A reply while the program does not move.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// Done; there is nothing to show.
    Done,
    /// A breakpoint or watchpoint was set or changed.
    Breakpoint(BreakpointView),
    /// A value, which got this number.
    Value {
        /// Number in the history of values.
        number: u32,
        /// The value.
        text: String,
    },
    /// The value in many lanes.
    Lanes {
        /// Number in the history of values.
        number: u32,
        /// Values in order of the first lane that has each.
        groups: Vec<LaneGroup>,
    },
    /// The focus; the place if this command changed it.
    Focus(FocusView, Option<PlaceView>),
    /// The focused frame.
    Frame(FrameView, Option<SourceLine>),
    /// The call stack, innermost frame first.
    Stack(Vec<FrameView>),
    /// Some frames of the call stack, perhaps with their variables, and whether more follow.
    Frames {
        /// The frames.
        frames: Vec<(FrameView, Vec<VariableRow>)>,
        /// Whether there are outer frames that are not shown.
        has_more: bool,
    },
    /// Source lines.
    Source(SourceWindow),
    /// The running kernel.
    Kernels(Vec<KernelRow>),
    /// Blocks that have begun.
    Blocks(Vec<BlockRow>),
    /// Warps of a block.
    Warps(Vec<WarpRow>),
    /// Lanes of a warp.
    LaneTable(Vec<LaneRow>),
    /// Threads of the active blocks, equal neighbours joined.
    Threads(Vec<ThreadRow>),
    /// Threads that wait at barriers.
    Barriers(Vec<BarrierRow>),
    /// Variables; of which topic they are.
    Variables(Topic, Vec<VariableRow>),
    /// Breakpoints and watchpoints.
    Breakpoints(Vec<BreakpointView>),
    /// Displays.
    Displays(Vec<DisplayView>),
    /// Findings in words.
    Findings(Vec<String>),
    /// Source files by name.
    Files(Vec<String>),
    /// Where the program is.
    Program(ProgramView),
    /// Where the ranks of MPI are.
    Ranks(Vec<RankRow>),
    /// Text, which may have no line end.
    Text(String),
    /// Help.
    Help(String),
    /// The session ends.
    Quit,
}

/// The program stopped.
#[derive(Clone, PartialEq, Debug)]
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// Findings since the last stop, as text.
    pub findings: Vec<String>,
    /// The focus.
    pub focus: FocusView,
    /// Whether the focus moved to another thread.
    pub switched: bool,
    /// The statement that comes next.
    pub span: Span,
    /// Where that is; none when the program has ended.
    pub place: Option<PlaceView>,
    /// Whether to show the frame with the place: another function or another thread.
    pub with_frame: bool,
    /// Number of statements begun so far in the whole program: the time.
    pub time: u64,
    /// Displays with their values here.
    pub displays: Vec<DisplayView>,
    /// The value that a finished function has returned, with its number in the history of values.
    pub returned: Option<(u32, String)>,
}

/// Why the program stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum StopReason {
    /// At the first statement.
    Start,
    /// A breakpoint was hit.
    Breakpoint {
        /// Its number.
        number: u32,
        /// Whether it was a temporary one.
        temporary: bool,
        /// Why its condition cannot be evaluated, if that is why it stops.
        failed: Option<String>,
    },
    /// A watched value changed.
    Watchpoint {
        /// Its number; 0 for the last change of a value that is not watched.
        number: u32,
        /// What is watched.
        expression: String,
        /// The value before.
        old: String,
        /// The value now.
        new: String,
        /// The thread that wrote it and the place of the write, if known.
        by: Option<(String, Option<PlaceView>)>,
    },
    /// A value was accessed that is watched for reads, or for reads and writes.
    Access {
        /// The number of the watchpoint.
        number: u32,
        /// What is watched.
        expression: String,
        /// For what it is watched.
        on: WatchOn,
        /// Whether the access was a write.
        is_write: bool,
        /// The value after it.
        value: String,
        /// The thread that accessed it and the place of the access, if known.
        by: Option<(String, Option<PlaceView>)>,
    },
    /// The frame of a watched variable is gone; the watchpoint is deleted.
    WatchpointScope {
        /// Its number.
        number: u32,
        /// What was watched.
        expression: String,
    },
    /// A step, next, finish or advance is done.
    Step,
    /// The focused thread has ended before the step was done.
    ThreadEnded,
    /// An error of the program, described by the findings. The thread is at the statement that caused it.
    Fault,
    /// The program has ended with this code.
    Exited(i32),
    /// The user interrupted it.
    Interrupted,
    /// The next statement makes an access of a finding.
    Finding {
        /// Its number, from 1.
        number: usize,
        /// Whether it is the earlier one of a race.
        is_first: bool,
    },
    /// The start of the history.
    HistoryStart,
    /// Another rank of MPI was chosen; it is where it was at the moment where the one before is.
    Rank {
        /// The rank.
        rank: u32,
        /// What it does at that moment: words that follow its name.
        state: String,
    },
}

/// The focus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FocusView {
    /// The host program.
    Host,
    /// A thread of a kernel.
    Thread {
        /// Number of the launch.
        kernel: u64,
        /// `blockidx`
        block: [u32; 3],
        /// `threadidx`
        thread: [u32; 3],
        /// Warp of the block.
        warp: u32,
        /// Lane of the warp.
        lane: u32,
    },
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceView {
    /// The procedure, with its arguments or the configuration of its launch.
    pub function: String,
    /// Name of the file.
    pub file: String,
    /// The file.
    pub file_id: FileId,
    /// Line, from 1.
    pub line: usize,
    /// Text of the line.
    pub text: String,
    /// Which of its characters are the statement, from 0, and how many; given where the line has several statements.
    pub part: Option<(usize, usize)>,
}

/// A frame of a call stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameView {
    /// 0 is the innermost.
    pub level: u32,
    /// Where it is.
    pub place: PlaceView,
    /// Whether it is in focus.
    pub current: bool,
}

/// A source line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// From 1.
    pub number: usize,
    /// Without line end.
    pub text: String,
    /// Whether the focused thread is here.
    pub current: bool,
    /// The breakpoint here, and whether it is enabled.
    pub breakpoint: Option<bool>,
    /// Whether a statement begins here, so that a breakpoint can be set.
    pub statement: bool,
}

/// Lines of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceWindow {
    /// Name of the file.
    pub file: String,
    /// The file.
    pub file_id: FileId,
    /// The lines.
    pub lines: Vec<SourceLine>,
}

/// A breakpoint or watchpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BreakpointView {
    /// Its number.
    pub number: u32,
    /// What it is.
    pub kind: BreakpointKind,
    /// The condition, if it has one.
    pub condition: Option<String>,
    /// Whether it is enabled.
    pub enabled: bool,
    /// Whether it is deleted when it is hit.
    pub temporary: bool,
    /// How often it was hit.
    pub hits: u64,
    /// How many hits to ignore.
    pub ignore: u64,
    /// What it prints instead of stopping: the arguments of `dprintf`.
    pub log: Option<String>,
    /// What line mode executes when it has stopped the program.
    pub commands: Vec<String>,
}

/// What a breakpoint or watchpoint waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BreakpointKind {
    /// A statement.
    Statement {
        /// The procedure.
        function: String,
        /// The file.
        file: String,
        /// The file.
        file_id: FileId,
        /// The line.
        line: usize,
        /// The requested line, if it has no statement.
        asked: Option<usize>,
        /// How many places in the code it stands for.
        places: usize,
    },
    /// A change of a value, or an access to it.
    Watch(String, WatchOn),
}

/// The value that some lanes have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneGroup {
    /// The warp of the block.
    pub warp: u32,
    /// Its lanes.
    pub lanes: u32,
    /// The value, or why there is none.
    pub value: Result<String, String>,
}

/// A running kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelRow {
    /// Number of the launch.
    pub number: u64,
    /// The kernel.
    pub name: String,
    /// Grid extents.
    pub grid: [u32; 3],
    /// Block extents.
    pub block: [u32; 3],
    /// Blocks that have begun.
    pub begun: u64,
    /// Blocks that have ended.
    pub ended: u64,
    /// All blocks.
    pub total: u64,
    /// Whether it is in focus.
    pub current: bool,
}

/// A running block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockRow {
    /// `blockidx`
    pub index: [u32; 3],
    /// Threads that have not exited.
    pub live: u32,
    /// Whether it is the one that runs.
    pub running: bool,
    /// Whether it is in focus.
    pub current: bool,
}

/// The state of a lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LaneState {
    /// It runs with the current part of its warp.
    Active,
    /// It is in another part of the warp, which can run.
    Divergent,
    /// It waits at a reconvergence point.
    Joining,
    /// It waits at a barrier of the block.
    Barrier,
    /// It waits for other lanes of its warp.
    Rendezvous,
    /// It waits for a service.
    Waiting,
    /// It caused the error that stopped the program.
    Faulted,
    /// It has exited.
    Exited,
    /// It does not exist: the block has fewer threads.
    Absent,
}

/// A warp of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WarpRow {
    /// Its number.
    pub number: u32,
    /// The state of each lane.
    pub lanes: Vec<LaneState>,
    /// `threadidx` of its first lane.
    pub first: [u32; 3],
    /// Its parts: lanes and line of each.
    pub splits: Vec<(u32, usize)>,
    /// Whether it is in focus.
    pub current: bool,
}

/// A lane of a warp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneRow {
    /// Its number.
    pub lane: u32,
    /// `threadidx`
    pub thread: [u32; 3],
    /// Its state.
    pub state: LaneState,
    /// File and line, unless it has exited.
    pub place: Option<(String, usize)>,
    /// Whether it is in focus.
    pub current: bool,
}

/// Consecutive threads at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadRow {
    /// `blockidx`
    pub block: [u32; 3],
    /// First thread.
    pub from: [u32; 3],
    /// Last thread.
    pub to: [u32; 3],
    /// How many.
    pub count: u32,
    /// Their state.
    pub state: LaneState,
    /// File and line, unless they have exited.
    pub place: Option<(String, usize)>,
    /// Whether the focused thread is among them.
    pub current: bool,
}

/// A barrier of a block or warp at which threads wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BarrierRow {
    /// `blockidx`
    pub block: [u32; 3],
    /// File and line.
    pub place: (String, usize),
    /// What they wait for.
    pub state: LaneState,
    /// Threads that wait there.
    pub waiting: u32,
    /// Threads of the block that have not exited and are elsewhere.
    pub missing: u32,
}

/// A variable with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableRow {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// The value, or why there is none.
    pub value: Result<String, String>,
}

/// An expression that is shown at each stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DisplayView {
    /// Its number.
    pub number: u32,
    /// The expression.
    pub expression: String,
    /// The value, or why there is none here; none when it was not evaluated.
    pub value: Option<Result<String, String>>,
    /// Whether it is shown at stops.
    pub enabled: bool,
}

/// A rank of MPI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankRow {
    /// Its number.
    pub rank: u32,
    /// What it does: words that follow its name.
    pub state: String,
    /// File and line, where it has a place.
    pub place: Option<(String, usize)>,
    /// That file.
    pub file_id: Option<FileId>,
    /// Whether it is the present one.
    pub current: bool,
}

/// Where the program is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramView {
    /// Whether it has begun.
    pub started: bool,
    /// The code that it ended with.
    pub exited: Option<i32>,
    /// Statements begun so far.
    pub time: u64,
    /// The latest time that was reached.
    pub latest: u64,
    /// Checkpoints held.
    pub checkpoints: usize,
}

//! What a session answers: views as owned plain data, which a front end draws as it likes.
//!
//! Indices of blocks and threads are those of `blockidx` and `threadidx`, from 1; warps and lanes count from 0. Kernels are
//! numbered by launch, from 1. Values are text in Fortran's form.

use crate::command::Topic;
use source::{FileId, Span};

/// What a command gives.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The program did not move.
    Reply(Reply),
    /// The program moved and stopped.
    Stop(Box<Stop>),
}

/// An answer without movement of the program.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// Done; there is nothing to say.
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
    /// The type of an expression.
    Type(String),
    /// The focus; whether it was changed by this command.
    Focus(FocusView, Option<PlaceView>),
    /// The frame that is looked at.
    Frame(FrameView, Option<SourceLine>),
    /// The call stack, innermost frame first.
    Stack(Vec<FrameView>),
    /// Source lines.
    Source(SourceWindow),
    /// The kernel at work.
    Kernels(Vec<KernelRow>),
    /// Blocks that have begun.
    Blocks(Vec<BlockRow>),
    /// Warps of a block.
    Warps(Vec<WarpRow>),
    /// Lanes of a warp.
    LaneTable(Vec<LaneRow>),
    /// Threads of the active blocks, equal neighbours joined.
    Threads(Vec<ThreadRow>),
    /// Who waits at barriers.
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
    /// What was found since the last stop, in words.
    pub findings: Vec<String>,
    /// Who is looked at now.
    pub focus: FocusView,
    /// Whether that is another thread than before.
    pub switched: bool,
    /// The statement that comes next.
    pub span: Span,
    /// Where that is; none when the program has ended.
    pub place: Option<PlaceView>,
    /// Whether the place is to be told with its frame: another function or another thread.
    pub with_frame: bool,
    /// Number of statements begun so far in the whole program: the time.
    pub time: u64,
    /// Displays with their values here.
    pub displays: Vec<DisplayView>,
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
        /// Why its condition cannot be evaluated, where it stops for that.
        failed: Option<String>,
    },
    /// A watched value changed.
    Watchpoint {
        /// Its number.
        number: u32,
        /// What is watched.
        expression: String,
        /// The value before.
        old: String,
        /// The value now.
        new: String,
        /// Who wrote it, and the place of the write, where known.
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
    /// Something is wrong with the program: the findings say what. The thread is at the statement that did it.
    Fault,
    /// The program has ended with this code.
    Exited(i32),
    /// The user interrupted it.
    Interrupted,
    /// The next statement makes an access that a finding speaks of.
    Finding {
        /// Its number, from 1.
        number: usize,
        /// Whether it is the earlier one of a race.
        is_first: bool,
    },
    /// There is nothing before.
    HistoryStart,
}

/// Who is looked at.
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
}

/// A frame of a call stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameView {
    /// 0 is the innermost.
    pub level: u32,
    /// Where it is.
    pub place: PlaceView,
    /// Whether it is looked at.
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
    /// How many hits are still passed.
    pub ignore: u64,
}

/// What a breakpoint or watchpoint looks for.
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
        /// The line asked for, where it has no statement.
        asked: Option<usize>,
        /// How many places in the code it stands for.
        places: usize,
    },
    /// A change of a value.
    Watch(String),
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

/// A kernel at work.
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
    /// Whether it is looked at.
    pub current: bool,
}

/// A block at work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockRow {
    /// `blockidx`
    pub index: [u32; 3],
    /// Threads that have not exited.
    pub live: u32,
    /// Whether it is the one that runs.
    pub running: bool,
    /// Whether it is looked at.
    pub current: bool,
}

/// What a lane is doing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LaneState {
    /// It runs with the current fragment of its warp.
    Active,
    /// It is in another fragment that can run.
    Divergent,
    /// It waits where lanes join.
    Joining,
    /// It waits at a barrier of the block.
    Barrier,
    /// It waits for lanes of its warp.
    Rendezvous,
    /// It waits for a service.
    Waiting,
    /// It did what the program was stopped for.
    Faulted,
    /// It has exited.
    Exited,
    /// It never was: the block has fewer threads.
    Absent,
}

/// A warp of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WarpRow {
    /// Its number.
    pub number: u32,
    /// What each lane is doing.
    pub lanes: Vec<LaneState>,
    /// `threadidx` of its first lane.
    pub first: [u32; 3],
    /// Places of its fragments: lanes, line.
    pub fragments: Vec<(u32, usize)>,
    /// Whether it is looked at.
    pub current: bool,
}

/// A lane of a warp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneRow {
    /// Its number.
    pub lane: u32,
    /// `threadidx`
    pub thread: [u32; 3],
    /// What it is doing.
    pub state: LaneState,
    /// File and line, unless it has exited.
    pub place: Option<(String, usize)>,
    /// Whether it is looked at.
    pub current: bool,
}

/// Threads in a row that are at one place.
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
    /// What they are doing.
    pub state: LaneState,
    /// File and line, unless they have exited.
    pub place: Option<(String, usize)>,
    /// Whether the focused thread is among them.
    pub current: bool,
}

/// A barrier or rendezvous that a block waits at.
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

//! A snapshot: everything that a screen shows, as owned plain data.
//!
//! A front end asks for what it has room for ([`SnapshotRequest`]) and gets a [`Snapshot`] of the stopped program. Only values
//! are text, in the form of Fortran; everything else is data.
//!
//! Not here: how it is collected (`session/snapshot.rs`).

use crate::view::reply::{
    BreakpointView, DisplayView, FocusView, FrameView, KernelRow, LaneRow, LaneState, ProgramView, RankRow,
    VariableRow, WarpRow,
};
use source::FileId;

/// What a snapshot must contain besides what every screen shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SnapshotRequest {
    /// Most cells of the map of blocks.
    pub block_cells: usize,
    /// An expression whose value in all lanes of the focused warp is shown.
    pub lanes: Option<String>,
    /// Whether the session chooses another one if this one says nothing, or if there is none.
    pub chooses_lanes: bool,
    /// An array.
    pub array: Option<ArrayRequest>,
    /// Rows of shared memory: the first one, and how many.
    pub banks: Option<(u64, u64)>,
    /// Rows of the timeline: the first one, from 0, and how many.
    pub timeline: Option<(usize, usize)>,
}

/// The part of an array to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayRequest {
    /// The array, or a section of it.
    pub expression: String,
    /// First row and column of the window, from 0.
    pub first: [u64; 2],
    /// Rows and columns of the window, or of the map.
    pub size: [u64; 2],
    /// Whether to show the whole array as a map of this many cells, instead of a window.
    pub as_map: bool,
}

/// Everything that a screen shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// Where the program is.
    pub program: ProgramView,
    /// The focus.
    pub focus: FocusView,
    /// File and line of the focused frame; before the program begins, those of its main program.
    pub place: Option<(FileId, usize)>,
    /// Which characters of that line are the statement of the focused frame, as in [`PlaceView::part`].
    ///
    /// [`PlaceView::part`]: crate::PlaceView::part
    pub part: Option<(usize, usize)>,
    /// The running launch.
    pub kernel: Option<KernelRow>,
    /// Its blocks.
    pub blocks: Option<BlockMap>,
    /// Warps of the focused block.
    pub warps: Vec<WarpRow>,
    /// Lanes of the focused warp.
    pub lanes: Vec<LaneRow>,
    /// The splits of the focused warp.
    pub splits: Vec<SplitView>,
    /// Dummy arguments and variables of the focused frame.
    pub locals: Vec<VariableRow>,
    /// The call stack, innermost frame first.
    pub stack: Vec<FrameView>,
    /// Breakpoints and watchpoints.
    pub breakpoints: Vec<BreakpointView>,
    /// Expressions shown at each stop.
    pub displays: Vec<DisplayView>,
    /// Findings so far.
    pub findings: Vec<FindingView>,
    /// The requested expression in all lanes.
    pub values: Option<Result<LaneValues, String>>,
    /// The requested array.
    pub array: Option<Result<ArrayView, String>>,
    /// The requested rows of shared memory; `None` without a block.
    pub banks: Option<BanksView>,
    /// The requested rows of the timeline.
    pub timeline: Option<TimelineView>,
    /// Where each rank of MPI is; empty if there is only one.
    pub ranks: Vec<RankRow>,
}

/// What the host has asked of the CUDA runtime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimelineView {
    /// The first row shown, from 0.
    pub first: usize,
    /// How many rows there are.
    pub total: usize,
    /// How many of them are in the past.
    pub past: usize,
    /// The rows from the first on.
    pub rows: Vec<TimelineRow>,
}

/// A call of the CUDA runtime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimelineRow {
    /// From 1.
    pub number: usize,
    /// The number of the statement that makes it.
    pub time: u64,
    /// What it does.
    pub what: String,
    /// The stream, where the call names one.
    pub stream: Option<u64>,
    /// File and line of the statement.
    pub place: Option<(FileId, usize)>,
}

/// The state of the blocks of a cell of the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockState {
    /// They have not begun.
    Waiting,
    /// They have begun and only poll, so another block runs.
    Polling,
    /// One of them is running.
    Running,
    /// Some have ended.
    Partly,
    /// They have ended.
    Ended,
}

/// A cell of the map of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockCell {
    /// The state of its blocks.
    pub state: BlockState,
    /// Whether the focused block is among them.
    pub focused: bool,
}

/// The blocks of a launch in the order of their linear index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockMap {
    /// Extents of the grid.
    pub grid: [u32; 3],
    /// Blocks of each cell; the last one may have fewer.
    pub per_cell: u64,
    /// The cells.
    pub cells: Vec<BlockCell>,
    /// `blockidx` of the blocks that can be focused on.
    pub active: Vec<[u32; 3]>,
}

/// A split of the focused warp: lanes at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SplitView {
    /// Its lanes.
    pub lanes: u32,
    /// The file.
    pub file_id: FileId,
    /// The line.
    pub line: usize,
    /// The state of its lanes.
    pub state: LaneState,
}

/// An access or step of a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndView {
    /// What was done: `write of s(3)`, and by whom.
    pub text: String,
    /// File and line.
    pub place: Option<(FileId, usize)>,
    /// Whether the session can go to its time.
    pub reachable: bool,
}

/// A finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingView {
    /// Its number, from 1.
    pub number: usize,
    /// Its code, such as `R0101`.
    pub code: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// One sentence.
    pub title: String,
    /// Its accesses in order of time.
    pub ends: Vec<EndView>,
}

/// The value of an expression in one lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneValue {
    /// The lane.
    pub lane: u32,
    /// The value, or why there is none.
    pub value: Result<String, String>,
    /// The word of shared memory that it is, counted from the beginning of shared memory.
    pub word: Option<u64>,
}

/// The value of an expression in the lanes of a warp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneValues {
    /// The expression.
    pub expression: String,
    /// In order of lanes.
    pub values: Vec<LaneValue>,
    /// The number of bank cycles if all active lanes access it at once: the most words of one bank.
    pub conflict: Option<u32>,
}

/// Statistics of the elements of an array.
#[derive(Clone, PartialEq, Debug)]
pub struct Statistics {
    /// The minimum and maximum, without NaNs.
    pub range: Option<(f64, f64)>,
    /// The same as text.
    pub shown: Option<(String, String)>,
    /// How many are NaN.
    pub nan_count: u64,
    /// How many elements were counted: of a large array only the first ones.
    pub count: u64,
}

/// A part of an array, or a map of it.
#[derive(Clone, PartialEq, Debug)]
pub struct ArrayView {
    /// The expression.
    pub expression: String,
    /// Type of the elements.
    pub ty: String,
    /// The memory it is in; empty for the value of an expression.
    pub space: &'static str,
    /// Lower bound and extent of each dimension.
    pub dims: Vec<(i64, u64)>,
    /// First row and column shown, from 0. An array of one dimension has rows of as many elements as there are columns.
    pub first: [u64; 2],
    /// Rows and columns in all.
    pub extents: [u64; 2],
    /// Elements of the window as text, row by row; empty for a map.
    pub window: Vec<Vec<String>>,
    /// Cells of the map, row by row: the mean of the elements of each; `None` if one is NaN. The last rows are shorter if the
    /// array ends there.
    pub map: Vec<Vec<Option<f64>>>,
    /// Statistics of the elements; `None` if they are not numbers.
    pub statistics: Option<Statistics>,
}

/// A variable in shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedVariable {
    /// Its name.
    pub name: String,
    /// First byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Bytes of an element.
    pub element_bytes: u64,
    /// Whether its elements are reals, for which the leading digits of a word matter most.
    pub is_real: bool,
}

/// Shared memory of the focused block by banks: a row has 32 words of four bytes, one of each bank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BanksView {
    /// The first row shown.
    pub first: u64,
    /// Rows in all.
    pub rows: u64,
    /// The words of the rows shown.
    pub words: Vec<u32>,
    /// The variables.
    pub variables: Vec<SharedVariable>,
}

/// The text of a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileText {
    /// The file.
    pub file_id: FileId,
    /// Its name.
    pub name: String,
    /// Its lines, without line ends.
    pub lines: Vec<String>,
    /// Whether a statement begins on each line, so that a breakpoint can be set.
    pub statements: Vec<bool>,
}

//! A survey: one snapshot of everything that a screen shows, as owned plain data.
//!
//! A front end says what it has room for ([`Wanted`]) and gets a [`Survey`] of the program where it stands. Nothing in it
//! is worded for a terminal but values, which are text in Fortran's form.

use crate::reply::{
    BreakpointView, DisplayView, FocusView, FrameView, KernelRow, LaneRow, LaneState, ProgramView, VariableRow, WarpRow,
};
use source::FileId;

/// What a survey is to show beside what every screen shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// Most cells of the map of blocks.
    pub block_cells: usize,
    /// An expression whose value in all lanes of the focused warp is shown.
    pub lanes: Option<String>,
    /// An array.
    pub array: Option<ArrayWanted>,
    /// Rows of shared memory: the first one, and how many.
    pub banks: Option<(u64, u64)>,
}

/// What is to be shown of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayWanted {
    /// The array, or a section of it.
    pub expression: String,
    /// First row and column of the window, from 0.
    pub first: [u64; 2],
    /// Rows and columns of the window, or of the map.
    pub size: [u64; 2],
    /// Whether the whole is wanted as a map of so many cells, instead of a window of it.
    pub as_map: bool,
}

/// Everything that a screen shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Survey {
    /// Where the program is.
    pub program: ProgramView,
    /// Who is looked at.
    pub focus: FocusView,
    /// File and line of the focused frame; before the program begins, those of its main program.
    pub place: Option<(FileId, usize)>,
    /// The launch at work.
    pub kernel: Option<KernelRow>,
    /// Its blocks.
    pub blocks: Option<BlockMap>,
    /// Warps of the focused block.
    pub warps: Vec<WarpRow>,
    /// Lanes of the focused warp.
    pub lanes: Vec<LaneRow>,
    /// Where the fragments of the focused warp are.
    pub fragments: Vec<FragmentView>,
    /// Dummy arguments and variables of the focused frame.
    pub locals: Vec<VariableRow>,
    /// The call stack, innermost frame first.
    pub stack: Vec<FrameView>,
    /// Breakpoints and watchpoints.
    pub breakpoints: Vec<BreakpointView>,
    /// Expressions shown at each stop.
    pub displays: Vec<DisplayView>,
    /// What was found so far.
    pub findings: Vec<FindingView>,
    /// The wanted expression in all lanes.
    pub values: Option<Result<LaneValues, String>>,
    /// The wanted array.
    pub array: Option<Result<ArrayView, String>>,
    /// The wanted rows of shared memory; none where there is no block.
    pub banks: Option<BanksView>,
}

/// What the blocks of a cell of the map are doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockState {
    /// They have not begun.
    Waiting,
    /// They have begun and let another one run, since they only poll.
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
    /// What its blocks are doing.
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
    /// `blockidx` of the blocks that can be looked at.
    pub active: Vec<[u32; 3]>,
}

/// A fragment of the focused warp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FragmentView {
    /// Its lanes.
    pub lanes: u32,
    /// The file.
    pub file_id: FileId,
    /// The line.
    pub line: usize,
    /// What its lanes are doing.
    pub state: LaneState,
}

/// An access or step that a finding speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndView {
    /// What was done: `write of s(3)`, and by whom.
    pub text: String,
    /// File and line.
    pub place: Option<(FileId, usize)>,
    /// Whether the session can go to that moment.
    pub reachable: bool,
}

/// Something that was found.
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
    /// How many turns shared memory takes if all active lanes access it at once: the most words of one bank.
    pub conflict: Option<u32>,
}

/// What is known of all elements of an array.
#[derive(Clone, PartialEq, Debug)]
pub struct Statistics {
    /// The least and the greatest value that is no NaN.
    pub range: Option<(f64, f64)>,
    /// The same as text.
    pub shown: Option<(String, String)>,
    /// How many are NaN.
    pub nan_count: u64,
    /// How many elements were looked at: of a large array the first ones only.
    pub count: u64,
}

/// A part of an array, or a map of it.
#[derive(Clone, PartialEq, Debug)]
pub struct ArrayView {
    /// The expression.
    pub expression: String,
    /// Type of the elements.
    pub ty: String,
    /// The memory it is in.
    pub space: &'static str,
    /// Lower bound and extent of each dimension.
    pub dims: Vec<(i64, u64)>,
    /// First row and column shown, from 0. An array of one dimension has rows of as many elements as there are columns.
    pub first: [u64; 2],
    /// Rows and columns in all.
    pub extents: [u64; 2],
    /// Elements of the window as text, row by row; empty for a map.
    pub window: Vec<Vec<String>>,
    /// Cells of the map, row by row: the mean of the elements of each; none where there is none or one is NaN.
    pub map: Vec<Vec<Option<f64>>>,
    /// What is known of all elements; none of what is no number.
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
    /// Whether its elements are reals, of which the leading digits of a word tell most.
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

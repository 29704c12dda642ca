//! Table: the panes of the screen.
//!
//! Not here: what each draws (`draw`).

/// A pane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pane {
    /// Source text, with the lines where the parts of the focused warp are.
    Source,
    /// Map of blocks, strips of lanes.
    Threads,
    /// Variables of the focused frame.
    Locals,
    /// Expressions of the user.
    Watches,
    /// What the program and the debugger wrote.
    Output,
    /// The lanes of the focused warp with the value of an expression.
    Lanes,
    /// An array as a table or heat map.
    Memory,
    /// Shared memory by banks.
    Banks,
    /// The call stack.
    Stack,
    /// Findings.
    Findings,
    /// Breakpoints and watchpoints.
    Breakpoints,
    /// What the host has asked of the CUDA runtime.
    Timeline,
    /// The ranks of MPI.
    Ranks,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct PaneRow {
    /// Which.
    pub pane: Pane,
    /// The key that shows it.
    pub key: &'static str,
    /// Its title.
    pub title: &'static str,
    /// One sentence without a full stop.
    pub brief: &'static str,
}

macro_rules! panes {
    ($($pane:ident $key:literal $title:literal $brief:literal;)*) => {
        /// All panes in the order of their keys.
        pub const PANES: &[PaneRow] =
            &[$(PaneRow { pane: Pane::$pane, key: $key, title: $title, brief: $brief }),*];
    };
}

panes! {
    Source "1" "Source" "Source text. The gutter marks breakpoints, findings and the current statement; the right edge marks lanes of the warp at other lines";
    Threads "2" "Threads" "The blocks of the launch as a map, and the lanes of each warp as a strip";
    Locals "3" "Locals" "Arguments and variables of the focused frame. Changes since the last stop are marked";
    Watches "=" "Watches" "The expressions of \"display\" with their values. Changes since the last stop are marked";
    Output "4" "Output" "Output of the program and replies to commands. Here and in Findings long lines are wrapped as long as you do not move sideways";
    Lanes "5" "Lanes" "Every lane of the focused warp: its state, its line and the value of one expression";
    Memory "6" "Memory" "An array as a table or a heat map, with its minimum, its maximum and its number of NaNs";
    Banks "7" "Banks" "Shared memory of the focused block, with one column for each of the 32 banks. The words of the expression in the Lanes pane, and the banks in which they conflict, are marked";
    Stack "8" "Stack" "The call stack of the focused thread";
    Findings "9" "Findings" "Findings and the locations of their accesses; Enter goes there";
    Breakpoints "0" "Breakpoints" "Breakpoints and watchpoints";
    Timeline "T" "Timeline" "Launches, copies, and what is done with streams and events, in their order; Enter goes to the statement";
    Ranks "R" "Ranks" "With --ranks: where each rank of MPI is, and for what it waits; Enter goes on with it";
}

/// How many panes there are.
pub(crate) const COUNT: usize = PANES.len();

impl Pane {
    /// Its place in the table.
    pub fn index(self) -> usize {
        PANES.iter().position(|r| r.pane == self).unwrap_or(0)
    }

    /// Whether it is a list of rows of text.
    pub(crate) fn is_list(self) -> bool {
        match self {
            Pane::Locals | Pane::Watches | Pane::Output | Pane::Lanes => true,
            Pane::Stack | Pane::Findings | Pane::Breakpoints | Pane::Timeline | Pane::Ranks => true,
            Pane::Source | Pane::Threads | Pane::Memory | Pane::Banks => false,
        }
    }

    /// Its row.
    pub fn row(self) -> &'static PaneRow {
        &PANES[self.index()]
    }
}

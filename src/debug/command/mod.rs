//! The commands of a session as data, with their table, parser and help.
//!
//! Expressions and conditions stay text, because their meaning depends on the focus when they are used.
//!
//! Not here: what the commands do (`session`).

pub mod help;
pub mod parse;
pub mod table;

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Sets a breakpoint.
    Break {
        /// Where.
        at: Where,
        /// A logical expression that must be true in the thread that reaches it.
        condition: Option<String>,
        /// Whether it is deleted once it has stopped the program.
        temporary: bool,
    },
    /// Sets or removes the condition of a breakpoint.
    Condition(u32, Option<String>),
    /// Ignores the next hits of a breakpoint.
    Ignore(u32, u64),
    /// Deletes breakpoints and watchpoints, or all of them.
    Delete(Vec<u32>),
    /// Enables or disables breakpoints and watchpoints, or all of them.
    Enable(bool, Vec<u32>),
    /// Stops when the value of a variable or element changes.
    Watch(String),
    /// Starts the program from the beginning.
    Run,
    /// Starts the program from the beginning and stops at its first statement.
    Start,
    /// Continues; ignores the breakpoint just hit this many times.
    Continue(u64),
    /// Steps to the next statement of the focused thread, this many times.
    Step(u64),
    /// The same without entering procedures.
    Next(u64),
    /// Continues until the focused frame returns.
    Finish,
    /// Continues until the focused thread reaches a location, or its frame returns.
    Advance(Where),
    /// Continues until the focused thread reaches a barrier of its block.
    Barrier,
    /// Steps back to the previous statement of the focused thread, this many times.
    ReverseStep(u64),
    /// The same without entering procedures.
    ReverseNext(u64),
    /// Goes back to the previous hit of a breakpoint or watchpoint.
    ReverseContinue,
    /// Goes back to the call of the focused frame.
    ReverseFinish,
    /// Goes to the time of an access of a finding.
    Finding {
        /// Number of the finding, from 1.
        number: usize,
        /// Whether the earlier access of a race is meant.
        first: bool,
    },
    /// Moves the focus to another thread, or shows it.
    Focus(FocusRequest),
    /// Moves the focus to another frame of the call stack, or shows it.
    Frame(FrameRequest),
    /// Shows the call stack.
    Backtrace,
    /// Shows the value of an expression.
    Print {
        /// The expression.
        expression: String,
        /// In which lanes.
        over: Over,
        /// The base of numbers.
        radix: Radix,
    },
    /// Shows the type of an expression.
    Whatis(String),
    /// Assigns to a variable, element or component.
    SetVar {
        /// The left side.
        target: String,
        /// The right side.
        value: String,
    },
    /// Shows an expression at each stop; without one, shows all of them now.
    Display(Option<String>),
    /// Ends displays, or all of them.
    Undisplay(Vec<u32>),
    /// Shows source lines.
    List(ListRequest),
    /// Shows a table.
    Info(Topic),
    /// Explains commands.
    Help(Option<String>),
    /// Ends the session.
    Quit,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Where {
    /// Where the focused thread is.
    Here,
    /// A line of the file in focus.
    Line(usize),
    /// A line of a file.
    FileLine(String, usize),
    /// The first statement of a procedure or kernel.
    Name(String),
}

/// The thread to focus on; a part that is absent stays as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FocusRequest {
    /// The host.
    pub host: bool,
    /// Number of the launch.
    pub kernel: Option<u64>,
    /// `blockidx`
    pub block: Option<[u32; 3]>,
    /// `threadidx`
    pub thread: Option<[u32; 3]>,
    /// Warp of the block, from 0.
    pub warp: Option<u32>,
    /// Lane of the warp, from 0.
    pub lane: Option<u32>,
    /// Whether a part was given without a value, which asks for the focus.
    pub show: bool,
}

/// The frame to focus on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameRequest {
    /// The one in focus.
    Show,
    /// By level, 0 the innermost.
    Level(u32),
    /// This many callers up.
    Up(u32),
    /// This many frames down.
    Down(u32),
}

/// In which lanes an expression is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Over {
    /// In the focused one.
    #[default]
    Lane,
    /// In all of its warp.
    Warp,
    /// In all of its block.
    Block,
}

/// The base in which integers are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Radix {
    /// As their type says.
    #[default]
    Natural,
    /// In hexadecimal digits of their bits.
    Hex,
    /// In octal digits.
    Octal,
    /// In binary digits.
    Binary,
}

/// Which source lines to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListRequest {
    /// Those that follow the ones shown last.
    More,
    /// Those before the ones shown first.
    Less,
    /// Around a place.
    Around(Where),
    /// From line to line of the file in focus.
    Range(usize, usize),
}

/// A table of `info`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Topic {
    /// Launches.
    Kernels,
    /// Blocks that have begun.
    Blocks,
    /// Warps of the focused block.
    Warps,
    /// Lanes of the focused warp.
    Lanes,
    /// Threads of the focused block.
    Threads,
    /// Threads that wait at barriers.
    Barriers,
    /// Variables of the focused frame.
    Locals,
    /// Dummy arguments of the focused frame.
    Arguments,
    /// Breakpoints and watchpoints.
    Breakpoints,
    /// Watchpoints only.
    Watchpoints,
    /// Displays.
    Displays,
    /// Findings.
    Findings,
    /// The focused frame.
    Frame,
    /// Source files.
    Source,
    /// The session.
    Program,
}

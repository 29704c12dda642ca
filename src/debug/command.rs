//! What a session can be asked: the commands as data.
//!
//! Expressions and conditions stay text here, because what they mean depends on the focus at the time they are used.

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Sets a breakpoint.
    Break {
        /// Where.
        at: Where,
        /// A logical expression that must hold in the thread that comes there.
        condition: Option<String>,
        /// Whether it is deleted once it has stopped the program.
        temporary: bool,
    },
    /// Gives a breakpoint a condition, or takes it away.
    Condition(u32, Option<String>),
    /// Lets a breakpoint pass so many times.
    Ignore(u32, u64),
    /// Deletes breakpoints and watchpoints; all when none is named.
    Delete(Vec<u32>),
    /// Enables (or disables) breakpoints and watchpoints; all when none is named.
    Enable(bool, Vec<u32>),
    /// Stops when the value of a variable or element changes.
    Watch(String),
    /// Starts the program anew.
    Run,
    /// Starts the program anew and stops at its first statement.
    Start,
    /// Goes on; the breakpoint just hit is passed that many times more.
    Continue(u64),
    /// Goes on to the next statement of the focused thread, that many times.
    Step(u64),
    /// The same without entering procedures.
    Next(u64),
    /// Goes on until the focused frame returns.
    Finish,
    /// Goes on until the focused thread comes to a place, or its frame returns.
    Advance(Where),
    /// Goes on until the focused thread comes to a barrier of its block.
    Barrier,
    /// Goes back to the previous statement of the focused thread, that many times.
    ReverseStep(u64),
    /// The same without entering procedures.
    ReverseNext(u64),
    /// Goes back to the previous hit of a breakpoint or watchpoint.
    ReverseContinue,
    /// Goes back to the call of the focused frame.
    ReverseFinish,
    /// Goes to the moment of an access of a finding.
    Finding {
        /// Number of the finding, from 1.
        number: usize,
        /// Whether the earlier access of a race is meant.
        first: bool,
    },
    /// Looks at another thread; or says which is looked at.
    Focus(FocusRequest),
    /// Looks at another frame of the call stack; or says which is looked at.
    Frame(FrameRequest),
    /// Shows the call stack.
    Backtrace,
    /// Shows the value of an expression.
    Print {
        /// The expression.
        expression: String,
        /// In which lanes.
        over: Over,
        /// How numbers are shown.
        radix: Radix,
    },
    /// Says the type of an expression.
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
    /// Ends displays; all when none is named.
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
    /// A line of the file that is looked at.
    Line(usize),
    /// A line of a file.
    FileLine(String, usize),
    /// The first statement of a procedure or kernel.
    Name(String),
}

/// Which thread to look at; what is absent stays.
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
    /// Which part of the focus was asked for without a value.
    pub show: bool,
}

/// Which frame to look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameRequest {
    /// The one that is looked at.
    Show,
    /// By level, 0 the innermost.
    Level(u32),
    /// So many callers up.
    Up(u32),
    /// So many down.
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

/// How integers are shown.
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
    /// From line to line of the file that is looked at.
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
    /// Who waits at barriers.
    Barriers,
    /// Variables of the focused frame.
    Locals,
    /// Dummy arguments of the focused frame.
    Arguments,
    /// Breakpoints and watchpoints.
    Breakpoints,
    /// Displays.
    Displays,
    /// What was found.
    Findings,
    /// The focused frame.
    Frame,
    /// Source files.
    Source,
    /// The session.
    Program,
}

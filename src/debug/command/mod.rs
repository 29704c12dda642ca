//! The commands of a session as data, with their table, parser and help.
//!
//! Expressions and conditions stay text, because their meaning depends on the focus when they are used.
//!
//! Not here: what the commands do (`session`).

pub(crate) mod arguments;
pub(crate) mod complete;
pub(crate) mod foreign;
pub(crate) mod forms;
pub mod help;
pub mod parse;
pub mod table;

pub use arguments::ProgramArguments;
pub use complete::{Completer, Completions};

/// Whether a word is a setting of gdb that changes nothing here.
pub(crate) fn is_setting(word: &str) -> bool {
    foreign::SETTINGS.contains(&word.split_whitespace().next().unwrap_or(""))
}

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
    /// Sets a breakpoint at each procedure whose name contains a text.
    BreakMany(String),
    /// Sets or removes the condition of a breakpoint.
    Condition(u32, Option<String>),
    /// Ignores the next hits of a breakpoint.
    Ignore(u32, u64),
    /// Deletes breakpoints and watchpoints, or all of them.
    Delete(Vec<u32>),
    /// Deletes the breakpoints at a place.
    Clear(Where),
    /// Enables or disables breakpoints and watchpoints, or all of them.
    Enable(bool, Vec<u32>),
    /// Sets the commands that line mode executes when a breakpoint stops the program; without numbers, of the latest one.
    Commands(Vec<u32>, Vec<String>),
    /// Prints a text whenever a place is reached, and goes on.
    LogPoint {
        /// Where.
        at: Where,
        /// The arguments of `printf`.
        format: String,
    },
    /// The commands that set the present breakpoints again, as a text.
    Breakpoints,
    /// Stops when the value of a variable or element changes, or when device code accesses it.
    Watch {
        /// The variable or element.
        expression: String,
        /// At what it stops.
        on: WatchOn,
    },
    /// Starts the program from the beginning, with these arguments or those of the last time.
    Run(Option<ProgramArguments>),
    /// The same, and stops at its first statement.
    Start(Option<ProgramArguments>),
    /// Sets the arguments of the next start.
    SetArguments(ProgramArguments),
    /// Continues; ignores the breakpoint just hit this many times.
    Continue(u64),
    /// Steps to the next statement of the focused thread, this many times.
    Step(u64),
    /// The same without entering procedures.
    Next(u64),
    /// Executes so many statements of whichever threads come next.
    StepAny(u64),
    /// Continues until the focused frame returns.
    Finish,
    /// Continues until the focused thread reaches a later line of its procedure, or its frame returns.
    Until,
    /// Continues until the focused thread reaches a location, or its frame returns.
    Advance(Where),
    /// Continues until the focused thread reaches a barrier of its block.
    Barrier,
    /// Steps back to the previous statement of the focused thread, this many times.
    ReverseStep(u64),
    /// The same without entering procedures.
    ReverseNext(u64),
    /// Goes back by so many statements of whichever threads.
    ReverseStepAny(u64),
    /// Goes back to the previous hit of a breakpoint or watchpoint.
    ReverseContinue,
    /// Goes back to the call of the focused frame.
    ReverseFinish,
    /// Goes back to the statement that changed a value last.
    LastChange(String),
    /// Goes to the time of an access of a finding.
    Finding {
        /// Number of the finding, from 1.
        number: usize,
        /// Whether the earlier access of a race is meant.
        first: bool,
    },
    /// Goes to an entry of the timeline.
    Timeline(usize),
    /// Moves the focus to another thread, or shows it.
    Focus(FocusRequest),
    /// Goes on with another rank of MPI, or shows the present one.
    Rank(Option<u32>),
    /// Moves the focus to another frame of the call stack, or shows it.
    Frame(FrameRequest),
    /// Shows the call stack, or so many of its innermost (or, if negative, outermost) frames.
    Backtrace {
        /// How many.
        count: Option<i64>,
        /// Whether with the variables of each frame.
        is_full: bool,
    },
    /// Shows the value of an expression.
    Print {
        /// The expression.
        expression: String,
        /// In which lanes.
        over: Over,
        /// The base of numbers.
        radix: Radix,
    },
    /// Shows the value of an expression, without a number and a line end.
    Output(String, Radix),
    /// Shows text.
    Echo(String),
    /// Shows values by a format.
    Printf(String),
    /// Shows memory.
    Examine(ExamineRequest),
    /// Shows the type of an expression, or with its components.
    Whatis {
        /// The expression, or the name of a type.
        expression: String,
        /// Whether the components of a derived type are shown.
        is_full: bool,
    },
    /// Keeps a value under a name that begins with `$`.
    SetValue {
        /// The name.
        name: String,
        /// The expression.
        value: String,
    },
    /// Sets how many lines `list` shows.
    ListSize(usize),
    /// Sets how many elements of an array are shown.
    Elements(u32),
    /// Shows the call stacks of all threads of the running blocks.
    Stacks,
    /// Shows a setting.
    Show(String),
    /// Assigns to a variable, element or component.
    SetVar {
        /// The left side.
        target: String,
        /// The right side.
        value: String,
    },
    /// Shows an expression at each stop; without one, shows all of them now.
    Display(Option<(String, Radix)>),
    /// Ends displays, or all of them.
    Undisplay(Vec<u32>),
    /// Shows or hides displays, or all of them.
    EnableDisplays(bool, Vec<u32>),
    /// Shows source lines.
    List(ListRequest),
    /// Finds the next or previous source line with a text.
    Search {
        /// The text.
        text: String,
        /// Whether before the lines shown last.
        is_back: bool,
    },
    /// Shows the code of a procedure.
    Disassemble {
        /// Its name; that of the focused one if none is given.
        name: Option<String>,
        /// Whether as PTX instead of intermediate code.
        is_ptx: bool,
    },
    /// Shows a table; with the arguments that follow its name.
    Info(Topic, String),
    /// Lists the completions of a line.
    Complete(String),
    /// Lists the commands whose description has a word.
    Apropos(String),
    /// Says something, because there is nothing to do.
    Note(String),
    /// A command of scripts, which line mode executes.
    Script(&'static str),
    /// Explains commands.
    Help(Option<String>),
    /// Ends the session.
    Quit,
}

/// At what a watchpoint stops the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WatchOn {
    /// At changes of the value.
    #[default]
    Change,
    /// At reads by device code.
    Read,
    /// At reads and writes by device code.
    Access,
}

impl WatchOn {
    /// The command that sets such a watchpoint.
    pub fn command(self) -> &'static str {
        match self {
            WatchOn::Change => "watch",
            WatchOn::Read => "rwatch",
            WatchOn::Access => "awatch",
        }
    }

    /// What such a watchpoint is called.
    pub fn title(self) -> &'static str {
        match self {
            WatchOn::Change => "Watchpoint",
            WatchOn::Read => "Read watchpoint",
            WatchOn::Access => "Access watchpoint",
        }
    }
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
    /// So many lines after the current one, or before it.
    Offset(i64),
    /// The first statement of a procedure or kernel.
    Name(String),
}

/// What `x` shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExamineRequest {
    /// How many units.
    pub count: u64,
    /// In which form; that of the last time if none is given.
    pub radix: Option<Radix>,
    /// Bytes of a unit; those of the last time, or of the variable's elements, if none is given.
    pub bytes: Option<u64>,
    /// From where on: `&VARIABLE`, a variable or an address; from the end of the last time if nothing is given.
    pub at: Option<String>,
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

/// The form in which numbers are shown.
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
    /// As an integer.
    Decimal,
    /// As an integer without a sign.
    Unsigned,
    /// As an integer and the character of that code.
    Character,
    /// As a real number.
    Real,
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
    /// From line to line of a file, or of the one in focus.
    Range(Option<String>, usize, usize),
    /// From a place on.
    From(Where),
    /// Up to a place.
    UpTo(Where),
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
    /// Calls of the CUDA runtime.
    Timeline,
    /// The focused frame.
    Frame,
    /// Source files.
    Source,
    /// The session.
    Program,
    /// Ranks of MPI.
    Ranks,
    /// The code of a line.
    Line,
    /// What is at an address.
    Symbol,
    /// The variables of a procedure.
    Scope,
    /// Procedures.
    Functions,
    /// Variables of modules and static ones.
    Variables,
    /// Derived types.
    Types,
    /// Special registers of the focused thread.
    Registers,
    /// Devices.
    Devices,
}

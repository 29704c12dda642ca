//! Table: the commands of the debugger, one row each, and the tables of `info`.
//!
//! Dispatch, abbreviations, completion, help and the manual all come from these rows. A command that gdb or cuda-gdb has too
//! has the same name and meaning here.
//!
//! Not here: the arguments of each command (`parse`) and what it does (`session`).

use crate::command::Topic;

/// What a command does; `parse` knows the arguments of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // Each is a row of `COMMANDS`, which says what it does.
pub enum Verb {
    Run,
    Start,
    Continue,
    Step,
    Next,
    Finish,
    Advance,
    Barrier,
    ReverseStep,
    ReverseNext,
    ReverseContinue,
    ReverseFinish,
    Finding,
    Break,
    TemporaryBreak,
    Condition,
    Ignore,
    Delete,
    Enable,
    Disable,
    Watch,
    Kernel,
    Block,
    Thread,
    Warp,
    Lane,
    Host,
    Cuda,
    Backtrace,
    Frame,
    Up,
    Down,
    Print,
    Whatis,
    Set,
    Display,
    Undisplay,
    List,
    Info,
    Help,
    Quit,
}

/// The chapters of help.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Starting, continuing, stepping.
    Running,
    /// Reverse execution.
    Reverse,
    /// Breakpoints and watchpoints.
    Breakpoints,
    /// The focus: the thread that commands refer to.
    Focus,
    /// The call stack.
    Stack,
    /// Values.
    Data,
    /// Source text.
    Files,
    /// Tables.
    Status,
    /// The debugger itself.
    Support,
}

impl Class {
    /// All chapters, in order.
    pub const ALL: [Class; 9] = [
        Class::Running,
        Class::Reverse,
        Class::Breakpoints,
        Class::Focus,
        Class::Stack,
        Class::Data,
        Class::Files,
        Class::Status,
        Class::Support,
    ];

    /// The word that `help` takes.
    pub fn name(self) -> &'static str {
        match self {
            Class::Running => "running",
            Class::Reverse => "reverse",
            Class::Breakpoints => "breakpoints",
            Class::Focus => "focus",
            Class::Stack => "stack",
            Class::Data => "data",
            Class::Files => "files",
            Class::Status => "status",
            Class::Support => "support",
        }
    }

    /// What the chapter is about.
    pub fn title(self) -> &'static str {
        match self {
            Class::Running => "Running the program",
            Class::Reverse => "Reverse execution",
            Class::Breakpoints => "Breakpoints and watchpoints",
            Class::Focus => "Choosing the focused thread",
            Class::Stack => "Examining the stack",
            Class::Data => "Examining and changing data",
            Class::Files => "Showing the source",
            Class::Status => "Tables of the program state",
            Class::Support => "Help and exit",
        }
    }
}

/// What completes the arguments of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// Nothing, or numbers.
    Nothing,
    /// A procedure, a kernel or a file.
    Place,
    /// Variables in scope.
    Expression,
    /// A table of `info`.
    Topic,
    /// Commands and chapters.
    Command,
}

/// A command of the debugger.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What it does.
    pub verb: Verb,
    /// Its name.
    pub name: &'static str,
    /// Other names, including the usual abbreviations. Any other unambiguous prefix is accepted too.
    pub aliases: &'static [&'static str],
    /// Its arguments as help shows them.
    pub arguments: &'static str,
    /// Its chapter.
    pub class: Class,
    /// What completes its arguments.
    pub takes: Takes,
    /// Whether an empty line repeats it.
    pub repeats: bool,
    /// One sentence without a full stop.
    pub brief: &'static str,
    /// More text for `help COMMAND`; may be empty.
    pub text: &'static str,
}

macro_rules! rows {
    ($($verb:ident $name:literal [$($alias:literal)*] $arguments:literal $class:ident $takes:ident $repeats:literal
        $brief:literal $text:literal;)*) => {
        /// All commands, in the order of help.
        pub const COMMANDS: &[Row] = &[$(Row {
            verb: Verb::$verb,
            name: $name,
            aliases: &[$($alias),*],
            arguments: $arguments,
            class: Class::$class,
            takes: Takes::$takes,
            repeats: $repeats,
            brief: $brief,
            text: $text,
        }),*];
    };
}

rows! {
    Run "run" ["r"] "" Running Nothing false
        "Start the program from the beginning"
        "Breakpoints, watchpoints and displays are kept.";
    Start "start" [] "" Running Nothing false
        "Start the program and stop at the first statement of the main program"
        "";
    Continue "continue" ["c" "fg"] "[N]" Running Nothing true
        "Continue to the next breakpoint, watchpoint or error, or to the end"
        "With N, ignore the breakpoint that was just hit N-1 times.";
    Step "step" ["s"] "[N]" Running Nothing true
        "Step to the next statement of the focused thread, entering procedures"
        "Lanes of a warp at the same statement step together. Other warps and blocks run according to the schedule. In host code, a\nlaunch is one step unless a breakpoint in the kernel is hit. While you step a device thread, breakpoints without a condition\nstop only in that thread.";
    Next "next" ["n"] "[N]" Running Nothing true
        "Step to the next statement of the focused thread, over procedure calls"
        "";
    Finish "finish" ["fin"] "" Running Nothing true
        "Continue until the focused procedure returns"
        "";
    Advance "advance" ["until" "u"] "LOCATION" Running Place false
        "Continue until the focused thread reaches a location"
        "";
    Barrier "barrier" [] "" Running Nothing true
        "Continue until the focused thread reaches a barrier of its block"
        "Execution stops before the barrier statement.";
    ReverseStep "reverse-step" ["rs"] "[N]" Reverse Nothing true
        "Step back to the previous statement of the focused thread, entering procedures"
        "The whole program goes back: memory, all threads and the host. Output that was already printed is not printed again.";
    ReverseNext "reverse-next" ["rn"] "[N]" Reverse Nothing true
        "Step back to the previous statement of the focused thread, over procedure calls"
        "";
    ReverseContinue "reverse-continue" ["rc"] "" Reverse Nothing true
        "Go back to the previous breakpoint or watchpoint hit, or to the start"
        "";
    ReverseFinish "reverse-finish" [] "" Reverse Nothing true
        "Go back to the call of the focused procedure"
        "";
    Finding "finding" [] "N [first | second]" Reverse Nothing false
        "Go to the time of an access of finding N, by default the second"
        "A race has two accesses. With --race, the program stops at the second one.";
    Break "break" ["b" "br" "brea"] "[LOCATION] [if CONDITION]" Breakpoints Place false
        "Set a breakpoint at a line, a procedure or a kernel"
        "LOCATION is a line number, FILE:LINE, or the name of a procedure or kernel. The default is the current statement. If the\nline has no statement, the breakpoint goes to the next line that has one. CONDITION is a logical expression in the scope of\nthe location, evaluated in each thread that reaches it:\n    break 12 if threadidx%x == 5 .and. blockidx%x == 3\nThe focus moves to the lowest thread of the warp for which the condition is true.";
    TemporaryBreak "tbreak" ["tb"] "[LOCATION] [if CONDITION]" Breakpoints Place false
        "Set a breakpoint that is deleted when it is hit"
        "";
    Condition "condition" [] "N [CONDITION]" Breakpoints Expression false
        "Set the condition of breakpoint N, or remove it"
        "";
    Ignore "ignore" [] "N COUNT" Breakpoints Nothing false
        "Ignore the next COUNT hits of breakpoint N"
        "";
    Delete "delete" ["d"] "[N]..." Breakpoints Nothing false
        "Delete breakpoints and watchpoints, or all of them"
        "";
    Enable "enable" [] "[N]..." Breakpoints Nothing false
        "Enable breakpoints and watchpoints, or all of them"
        "";
    Disable "disable" ["dis"] "[N]..." Breakpoints Nothing false
        "Disable breakpoints and watchpoints, or all of them"
        "";
    Watch "watch" ["wa"] "VARIABLE" Breakpoints Expression false
        "Stop when the value of a variable, element or component changes"
        "The report shows the old and the new value and the thread that wrote it. A shared variable is that of the focused block, a\nlocal variable that of the focused thread.";
    Kernel "kernel" [] "[N] [block ...] [thread ...]" Focus Nothing false
        "Focus on a kernel, or show the focused one"
        "Kernels are numbered in the order of their launches, from 1.";
    Block "block" ["bl"] "[(X,Y,Z)] [thread ...]" Focus Nothing false
        "Focus on a block of the kernel, or show the focused one"
        "Indices are those of blockidx, from 1; y and z can be left out. Blocks run one after another, so you can focus only on a\nblock that has begun and not ended.";
    Thread "thread" ["t"] "[(X,Y,Z)]" Focus Nothing false
        "Focus on a thread of the block, or show the focused one"
        "Indices are those of threadidx, from 1; y and z can be left out.";
    Warp "warp" [] "[N] [lane N]" Focus Nothing false
        "Focus on a warp of the block, or show the focused one"
        "The warps of a block are numbered from 0.";
    Lane "lane" ["la"] "[N]" Focus Nothing false
        "Focus on a lane of the warp, or show the focused one"
        "Lanes are numbered from 0.";
    Host "host" [] "" Focus Nothing false
        "Focus on the host program"
        "";
    Cuda "cuda" [] "[kernel N] [block (X,Y,Z)] [thread (X,Y,Z)] [warp N] [lane N]" Focus Nothing false
        "Focus on a thread given by its coordinates, as in cuda-gdb"
        "";
    Backtrace "backtrace" ["bt" "where"] "" Stack Nothing false
        "Show the call stack of the focused thread"
        "";
    Frame "frame" ["f"] "[N]" Stack Nothing false
        "Focus on frame N of the call stack, or show the focused frame"
        "Frame 0 is the innermost.";
    Up "up" [] "[N]" Stack Nothing true
        "Focus on the calling frame"
        "";
    Down "down" ["dow"] "[N]" Stack Nothing true
        "Focus on the called frame"
        "";
    Print "print" ["p" "inspect"] "[/x|/o|/t] EXPRESSION[@warp|@block]" Data Expression false
        "Show the value of an expression"
        "EXPRESSION is any Fortran expression in scope: variables, elements, sections, components, operators, intrinsic functions,\nthreadidx, blockidx and so on. It can call functions of the program; changes that they make are discarded. With @warp or\n@block it is evaluated in every thread, and threads with equal values are shown together. /x, /o and /t print in hexadecimal,\noctal and binary.";
    Whatis "whatis" ["ptype"] "EXPRESSION" Data Expression false
        "Show the type of an expression"
        "";
    Set "set" [] "var VARIABLE = EXPRESSION" Data Expression false
        "Assign to a variable, element or component of the focused thread"
        "The assignment is part of the history: going back undoes it, going forward does it again.";
    Display "display" ["disp"] "[EXPRESSION]" Data Expression false
        "Show an expression at each stop, or show all such expressions now"
        "";
    Undisplay "undisplay" [] "[N]..." Data Nothing false
        "Stop showing expressions at each stop, or stop showing all"
        "";
    List "list" ["l"] "[LOCATION | FIRST,LAST | -]" Files Place true
        "Show source lines"
        "Without arguments it shows the next ten lines, with - the ten lines before.";
    Info "info" ["i" "inf"] "TOPIC" Status Topic false
        "Show a table of the program state"
        "";
    Help "help" ["h"] "[COMMAND | CHAPTER]" Support Command false
        "Describe commands"
        "";
    Quit "quit" ["q" "exit"] "" Support Nothing false
        "End the session"
        "";
}

/// A table of `info`.
#[derive(Clone, Copy, Debug)]
pub struct TopicRow {
    /// Which.
    pub topic: Topic,
    /// Its name.
    pub name: &'static str,
    /// Another name, or none.
    pub alias: &'static str,
    /// One sentence without a full stop.
    pub brief: &'static str,
}

macro_rules! topics {
    ($($topic:ident $name:literal $alias:literal $brief:literal;)*) => {
        /// All tables of `info`, in the order of help.
        pub const TOPICS: &[TopicRow] =
            &[$(TopicRow { topic: Topic::$topic, name: $name, alias: $alias, brief: $brief }),*];
    };
}

topics! {
    Kernels "kernels" "" "The running kernel";
    Blocks "blocks" "" "Blocks that have begun and not ended";
    Warps "warps" "" "Warps of the focused block, with their lanes";
    Lanes "lanes" "" "Lanes of the focused warp";
    Threads "threads" "" "Threads of the running blocks, by line";
    Barriers "barriers" "" "Threads that wait at a barrier, and threads still missing";
    Locals "locals" "" "Variables of the focused frame";
    Arguments "args" "" "Dummy arguments of the focused frame";
    Breakpoints "breakpoints" "" "Breakpoints and watchpoints";
    Watchpoints "watchpoints" "" "Watchpoints";
    Displays "display" "" "Expressions shown at each stop";
    Findings "findings" "" "Findings so far";
    Frame "frame" "" "The focused frame";
    Source "source" "sources" "Source files of the program";
    Program "program" "" "The state of the program";
}

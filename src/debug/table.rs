//! Table: the commands of the debugger, one row each, and the tables of `info`.
//!
//! Dispatch, abbreviations, completion, help and the manual are all made from these rows. Names and meanings are gdb's and
//! cuda-gdb's where they have the command.

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
    /// Starting, going on, stepping.
    Running,
    /// Going back.
    Reverse,
    /// Breakpoints and watchpoints.
    Breakpoints,
    /// Which thread is looked at.
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
            Class::Reverse => "Going back in time",
            Class::Breakpoints => "Making the program stop at certain points",
            Class::Focus => "Choosing the thread that is looked at",
            Class::Stack => "Examining the stack",
            Class::Data => "Examining and changing data",
            Class::Files => "Showing the source",
            Class::Status => "Status inquiries",
            Class::Support => "Support facilities",
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
    /// Other names, the usual abbreviations among them; any other prefix that fits one command only is taken too.
    pub aliases: &'static [&'static str],
    /// Its arguments as help shows them.
    pub arguments: &'static str,
    /// Its chapter.
    pub class: Class,
    /// What completes its arguments.
    pub takes: Takes,
    /// Whether an empty line after it does it again.
    pub repeats: bool,
    /// One sentence without a dot.
    pub brief: &'static str,
    /// What else there is to know; may be empty.
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
        "Breakpoints, watchpoints and displays stay.";
    Start "start" [] "" Running Nothing false
        "Start the program and stop at the first statement of the main program"
        "";
    Continue "continue" ["c" "fg"] "[N]" Running Nothing true
        "Go on until a breakpoint, a watchpoint, an error or the end"
        "With N, the breakpoint just hit is passed N-1 times.";
    Step "step" ["s"] "[N]" Running Nothing true
        "Go on to the next statement of the focused thread, into procedures"
        "The lanes of a warp that are at one statement move together; other warps and blocks run as the schedule has it. On the\nhost a launch is one step, unless a breakpoint in the kernel is hit. While a device thread is stepped, breakpoints without\na condition count for that thread only.";
    Next "next" ["n"] "[N]" Running Nothing true
        "Go on to the next statement of the focused thread, over procedures"
        "";
    Finish "finish" ["fin"] "" Running Nothing true
        "Go on until the focused procedure returns"
        "";
    Advance "advance" ["until" "u"] "LOCATION" Running Place false
        "Go on until the focused thread comes to a place"
        "";
    Barrier "barrier" [] "" Running Nothing true
        "Go on until the focused thread comes to a barrier of its block"
        "It stops before the statement that waits there.";
    ReverseStep "reverse-step" ["rs"] "[N]" Reverse Nothing true
        "Go back to the previous statement of the focused thread, into procedures"
        "Everything goes back: memory, all threads, the host, and what the program printed is not printed again.";
    ReverseNext "reverse-next" ["rn"] "[N]" Reverse Nothing true
        "Go back to the previous statement of the focused thread, over procedures"
        "";
    ReverseContinue "reverse-continue" ["rc"] "" Reverse Nothing true
        "Go back to the previous hit of a breakpoint or watchpoint, or to the beginning"
        "";
    ReverseFinish "reverse-finish" [] "" Reverse Nothing true
        "Go back to the call of the focused procedure"
        "";
    Finding "finding" [] "N [first | second]" Reverse Nothing false
        "Go to the moment of an access of finding N, the second one unless told otherwise"
        "With --race the program stops at the second access of a race.";
    Break "break" ["b" "br" "brea"] "[LOCATION] [if CONDITION]" Breakpoints Place false
        "Set a breakpoint at a line, a procedure or a kernel"
        "LOCATION is a line number, FILE:LINE, or the name of a procedure or kernel; without one, it is the current statement. A\nline without a statement means the next one that has one. CONDITION is a logical expression in the scope of that place,\nevaluated in each thread that comes there:\n    break 12 if threadidx%x == 5 .and. blockidx%x == 3\nThe focus switches to the lowest thread of the warp for which it holds.";
    TemporaryBreak "tbreak" ["tb"] "[LOCATION] [if CONDITION]" Breakpoints Place false
        "Set a breakpoint that is deleted when it is hit"
        "";
    Condition "condition" [] "N [CONDITION]" Breakpoints Expression false
        "Give breakpoint N a condition, or take it away"
        "";
    Ignore "ignore" [] "N COUNT" Breakpoints Nothing false
        "Let breakpoint N pass COUNT times"
        "";
    Delete "delete" ["d"] "[N]..." Breakpoints Nothing false
        "Delete breakpoints and watchpoints, all of them when none is named"
        "";
    Enable "enable" [] "[N]..." Breakpoints Nothing false
        "Enable breakpoints and watchpoints"
        "";
    Disable "disable" ["dis"] "[N]..." Breakpoints Nothing false
        "Disable breakpoints and watchpoints"
        "";
    Watch "watch" ["wa"] "VARIABLE" Breakpoints Expression false
        "Stop when the value of a variable, element or component changes"
        "The thread that wrote it is named with the old and the new value. Shared and local variables are those of the focused\nblock and thread.";
    Kernel "kernel" [] "[N] [block ...] [thread ...]" Focus Nothing false
        "Look at a kernel, or say which is looked at"
        "Kernels are numbered by launch, from 1.";
    Block "block" ["bl"] "[(X,Y,Z)] [thread ...]" Focus Nothing false
        "Look at a block of the kernel, or say which is looked at"
        "Indices are those of blockidx, from 1; y and z may be left out. Blocks run one after another, so only those that have\nbegun and not ended can be looked at.";
    Thread "thread" ["t"] "[(X,Y,Z)]" Focus Nothing false
        "Look at a thread of the block, or say which is looked at"
        "Indices are those of threadidx, from 1; y and z may be left out.";
    Warp "warp" [] "[N] [lane N]" Focus Nothing false
        "Look at a warp of the block, or say which is looked at"
        "Warps of a block are numbered from 0.";
    Lane "lane" ["la"] "[N]" Focus Nothing false
        "Look at a lane of the warp, or say which is looked at"
        "Lanes are numbered from 0.";
    Host "host" [] "" Focus Nothing false
        "Look at the host program"
        "";
    Cuda "cuda" [] "[kernel N] [block (X,Y,Z)] [thread (X,Y,Z)] [warp N] [lane N]" Focus Nothing false
        "Look at a thread by all its coordinates, as cuda-gdb has it"
        "";
    Backtrace "backtrace" ["bt" "where"] "" Stack Nothing false
        "Show the call stack of the focused thread"
        "";
    Frame "frame" ["f"] "[N]" Stack Nothing false
        "Look at frame N of the call stack, or show the frame that is looked at"
        "Frame 0 is the innermost.";
    Up "up" [] "[N]" Stack Nothing true
        "Look at the frame that called this one"
        "";
    Down "down" ["dow"] "[N]" Stack Nothing true
        "Look at the frame that this one called"
        "";
    Print "print" ["p" "inspect"] "[/x|/o|/t] EXPRESSION[@warp|@block]" Data Expression false
        "Show the value of an expression"
        "Any Fortran expression over what is in scope: variables, elements, sections, components, operators, intrinsic\nfunctions, threadidx and its kin. Functions of the program can be called; what they\nchange is forgotten. With @warp or @block it is evaluated in every thread, and equal values are shown together.";
    Whatis "whatis" ["ptype"] "EXPRESSION" Data Expression false
        "Show the type of an expression"
        "";
    Set "set" [] "var VARIABLE = EXPRESSION" Data Expression false
        "Assign to a variable, element or component of the focused thread"
        "The assignment becomes part of the history: going back and forth passes it again.";
    Display "display" ["disp"] "[EXPRESSION]" Data Expression false
        "Show an expression at each stop, or show all displays now"
        "";
    Undisplay "undisplay" [] "[N]..." Data Nothing false
        "End displays, all of them when none is named"
        "";
    List "list" ["l"] "[LOCATION | FIRST,LAST | -]" Files Place true
        "Show source lines"
        "Without arguments, ten more; with -, the ten before.";
    Info "info" ["i" "inf"] "TOPIC" Status Topic false
        "Show a table"
        "";
    Help "help" ["h"] "[COMMAND | CHAPTER]" Support Command false
        "Explain commands"
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
    /// One sentence without a dot.
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
    Kernels "kernels" "" "The kernel at work";
    Blocks "blocks" "" "Blocks that have begun and not ended";
    Warps "warps" "" "Warps of the focused block with their lanes";
    Lanes "lanes" "" "Lanes of the focused warp";
    Threads "threads" "" "Threads of the blocks at work, by the line they are at";
    Barriers "barriers" "" "Who waits at a barrier and who has yet to come";
    Locals "locals" "" "Variables of the focused frame";
    Arguments "args" "" "Dummy arguments of the focused frame";
    Breakpoints "breakpoints" "watchpoints" "Breakpoints and watchpoints";
    Displays "display" "" "Expressions shown at each stop";
    Findings "findings" "" "What was found so far";
    Frame "frame" "" "The focused frame";
    Source "source" "sources" "Source files of the program";
    Program "program" "" "Where the program is";
}

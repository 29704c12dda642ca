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
    StepAny,
    Finish,
    Advance,
    Until,
    Barrier,
    ReverseStep,
    ReverseNext,
    ReverseStepAny,
    ReverseContinue,
    ReverseFinish,
    LastChange,
    Timeline,
    Finding,
    Break,
    TemporaryBreak,
    BreakMany,
    Condition,
    Ignore,
    Delete,
    Clear,
    LogPoint,
    Enable,
    Disable,
    Watch,
    ReadWatch,
    AccessWatch,
    Kernel,
    Block,
    Thread,
    Warp,
    Lane,
    Host,
    Rank,
    Cuda,
    Backtrace,
    Frame,
    Up,
    Down,
    Print,
    Output,
    Echo,
    Printf,
    Examine,
    Whatis,
    Ptype,
    Set,
    Show,
    Display,
    Undisplay,
    List,
    Search,
    SearchBack,
    Disassemble,
    Info,
    Script,
    Apropos,
    Complete,
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
    /// Scripts.
    Scripts,
    /// The debugger itself.
    Support,
}

impl Class {
    /// All chapters, in order.
    pub const ALL: [Class; 10] = [
        Class::Running,
        Class::Reverse,
        Class::Breakpoints,
        Class::Focus,
        Class::Stack,
        Class::Data,
        Class::Files,
        Class::Status,
        Class::Scripts,
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
            Class::Scripts => "scripts",
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
            Class::Scripts => "Scripts",
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
    /// A rank of MPI.
    Rank,
    /// A file of the computer.
    File,
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
    Run "run" ["r"] "[ARGUMENTS] [< FILE]" Running Nothing false
        "Start the program from the beginning"
        "Breakpoints, watchpoints and displays are kept. ARGUMENTS replace those of the last time. With \"< FILE\" the program reads its\nstandard input from a file. \"set args\" sets both for later, \"set args\" alone removes them, \"show args\" shows them.";
    Start "start" ["starti"] "[ARGUMENTS] [< FILE]" Running Nothing false
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
    StepAny "stepi" ["si"] "[N]" Running Nothing true
        "Execute the statement that comes next in the whole program, of whichever thread, and focus on the next one"
        "Statements are the smallest steps. \"step\" stays with the focused thread, \"stepi\" follows the order in which the threads run.";
    Finish "finish" ["fin"] "" Running Nothing true
        "Continue until the focused procedure returns"
        "The value of a function is shown and kept as the next value of \"print\".";
    Advance "advance" [] "LOCATION" Running Place false
        "Continue until the focused thread reaches a location"
        "It stops earlier if the focused procedure returns.";
    Until "until" ["u"] "[LOCATION]" Running Place true
        "Continue to a later line of the focused procedure, or to a location"
        "Without a location it is \"next\" that does not go back to the beginning of a loop.";
    Barrier "barrier" [] "" Running Nothing true
        "Continue until the focused thread reaches a barrier of its block"
        "Execution stops before the barrier statement.";
    ReverseStep "reverse-step" ["rs"] "[N]" Reverse Nothing true
        "Step back to the previous statement of the focused thread, entering procedures"
        "The whole program goes back: memory, all threads and the host. Output that was already printed is not printed again.";
    ReverseNext "reverse-next" ["rn"] "[N]" Reverse Nothing true
        "Step back to the previous statement of the focused thread, over procedure calls"
        "";
    ReverseStepAny "reverse-stepi" ["rsi"] "[N]" Reverse Nothing true
        "Go back by one statement of the whole program, of whichever thread"
        "";
    ReverseContinue "reverse-continue" ["rc"] "" Reverse Nothing true
        "Go back to the previous breakpoint or watchpoint hit, or to the start"
        "";
    ReverseFinish "reverse-finish" [] "" Reverse Nothing true
        "Go back to the call of the focused procedure"
        "";
    LastChange "last-change" ["written"] "VARIABLE" Reverse Expression false
        "Go back to the statement that changed a variable, element or component last"
        "Breakpoints do not stop on the way. If nothing has changed it since the program began, the program stays where it is.";
    Finding "finding" [] "N [first | second]" Reverse Nothing false
        "Go to the time of an access of finding N, by default the second"
        "A race has two accesses. With --race, the program stops at the second one.";
    Timeline "timeline" [] "N" Reverse Nothing false
        "Go to the statement that makes call N of \"info timeline\""
        "It goes back, or forwards to a time where the program has been before.";
    Break "break" ["b" "br" "brea" "hbreak"] "[LOCATION] [if CONDITION]" Breakpoints Place false
        "Set a breakpoint at a line, a procedure or a kernel"
        "LOCATION is a line number, FILE:LINE, +N or -N from the current line, or the name of a procedure or kernel. The\ndefault is the current statement. If the line has no statement, the breakpoint goes to the next line that has one.\nCONDITION is a logical expression in the scope of the location, evaluated in each thread that reaches it:\n    break 12 if threadidx%x == 5 .and. blockidx%x == 3\nThe focus moves to the lowest thread of the warp for which the condition is true.";
    TemporaryBreak "tbreak" ["tb" "thbreak"] "[LOCATION] [if CONDITION]" Breakpoints Place false
        "Set a breakpoint that is deleted when it is hit"
        "";
    BreakMany "rbreak" [] "TEXT" Breakpoints Nothing false
        "Set a breakpoint at each procedure whose name contains a text"
        "\"rbreak .\" sets one at every procedure.";
    LogPoint "dprintf" ["logpoint"] "LOCATION,\"FORMAT\"[,EXPRESSION]..." Breakpoints Place false
        "Print values whenever a location is reached, without stopping"
        "FORMAT is that of \"printf\". \"condition N ...\" chooses the threads that print.";
    Script "commands" [] "[N]..." Breakpoints Nothing false
        "Give commands that are executed when a breakpoint stops the program"
        "The commands follow on lines of their own, up to \"end\". Without N they belong to the breakpoint set last. If the first\none is \"silent\", the stop is not shown. What follows a command that runs the program is not executed. Line mode only.";
    Condition "condition" [] "N [CONDITION]" Breakpoints Expression false
        "Set the condition of breakpoint N, or remove it"
        "";
    Ignore "ignore" [] "N COUNT" Breakpoints Nothing false
        "Ignore the next COUNT hits of breakpoint N"
        "";
    Delete "delete" ["d"] "[display] [N | N-M]..." Breakpoints Nothing false
        "Delete breakpoints and watchpoints, or all of them; or displays"
        "";
    Clear "clear" ["cl"] "[LOCATION]" Breakpoints Place false
        "Delete the breakpoints at a location, by default at the current line"
        "";
    Script "save" [] "breakpoints FILE" Breakpoints File false
        "Write the commands that set the present breakpoints again to a file, for \"source\""
        "";
    Enable "enable" [] "[display] [N | N-M]..." Breakpoints Nothing false
        "Enable breakpoints and watchpoints, or displays, or all of them"
        "";
    Disable "disable" ["dis"] "[display] [N | N-M]..." Breakpoints Nothing false
        "Disable breakpoints and watchpoints, or displays, or all of them"
        "";
    Watch "watch" ["wa"] "VARIABLE" Breakpoints Expression false
        "Stop when the value of a variable, element or component changes"
        "The report shows the old and the new value and the thread that wrote it. A shared variable is that of the focused block, a\nlocal variable that of the focused thread.";
    ReadWatch "rwatch" ["rw"] "VARIABLE" Breakpoints Expression false
        "Stop when device code reads a variable, element or component"
        "The variable lies in shared, device or managed memory: reads by the host, and of variables in registers, are not seen.";
    AccessWatch "awatch" ["aw"] "VARIABLE" Breakpoints Expression false
        "Stop when device code reads or writes a variable, element or component"
        "It stops at writes of the same value too. What \"rwatch\" cannot watch, \"awatch\" cannot either.";
    Kernel "kernel" [] "[N] [block ...] [thread ...]" Focus Nothing false
        "Focus on a kernel, or show the focused one"
        "Kernels are numbered in the order of their launches, from 1.";
    Block "block" ["bl"] "[(X,Y,Z)] [thread ...]" Focus Nothing false
        "Focus on a block of the kernel, or show the focused one"
        "Indices are those of blockidx, from 1; y and z can be left out. Blocks run one after another, so you can focus only on a\nblock that has begun and not ended.";
    Thread "thread" ["t"] "[(X,Y,Z)] | apply all {backtrace | print EXPRESSION}" Focus Nothing false
        "Focus on a thread of the block, or show the focused one"
        "Indices are those of threadidx, from 1; y and z can be left out. \"thread apply all print E\" is \"print E@block\".\n\"thread apply all backtrace\" shows the call stacks of all threads of the running blocks and of the host; threads with the same\none are one entry.";
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
    Rank "rank" [] "[N]" Focus Rank false
        "Go on with another rank of MPI, or show the present one"
        "Ranks are counted from 0; \"info ranks\" lists them. The ranks have run once, in turns, and each follows its record of that.\nThe chosen rank goes to where it was when the present one was where it is: before the call in which it waited, at its first\nstatement if it had not begun, at its end if it had ended. Breakpoints do not stop on the way. A rank that has not moved since\nit was chosen leads back to where the other one was left. Breakpoints, watchpoints, displays, settings and kept values stay.";
    Backtrace "backtrace" ["bt" "where"] "[full] [N | -N]" Stack Nothing false
        "Show the call stack of the focused thread"
        "N shows the innermost N frames, -N the outermost ones, and full the variables of each frame.";
    Frame "frame" ["f" "select-frame"] "[N]" Stack Nothing false
        "Focus on frame N of the call stack, or show the focused frame"
        "Frame 0 is the innermost.";
    Up "up" [] "[N]" Stack Nothing true
        "Focus on the calling frame"
        "";
    Down "down" ["dow"] "[N]" Stack Nothing true
        "Focus on the called frame"
        "";
    Print "print" ["p" "inspect" "call"] "[/FORMAT] EXPRESSION[@warp|@block]" Data Expression false
        "Show the value of an expression"
        "EXPRESSION is any Fortran expression in scope: variables, elements, sections, components, operators, intrinsic functions,\nthreadidx, blockidx and so on. It can call functions of the program; changes that they make are discarded. With @warp or\n@block it is evaluated in every thread, and threads with equal values are shown together. FORMAT is x, o, t, d, u, c or f:\nhexadecimal, octal, binary, integer, without sign, character, real.\n\nThe value is kept: $1, $2 ... are the values shown so far, $ the last one, $$ the one before and $$N the one N before it.\nNames that begin with $ are variables of the debugger (\"set $n = 3\"). MODULE::NAME is a variable of a module, 0x1f an integer,\nand &VARIABLE the address of a variable. An array of two or more dimensions is shown by rows.";
    Output "output" [] "[/FORMAT] EXPRESSION" Data Expression false
        "Show the value of an expression without a number and a line end"
        "";
    Printf "printf" [] "\"FORMAT\"[,EXPRESSION]..." Data Expression false
        "Show values by a format of C"
        "Conversions are %d, %u, %x, %o, %c, %f, %e, %g and %s, with flags, width and precision; %s shows any value:\n    printf \"i = %d, a(i) = %g\\n\", i, a(i)";
    Echo "echo" [] "TEXT" Data Nothing false
        "Show a text"
        "\\n is a line end, \\t a tabulator; a text in quotes keeps its spaces.";
    Examine "x" [] "[/NFU] [ADDRESS]" Data Expression true
        "Show memory"
        "ADDRESS is &VARIABLE, a variable, which stands for its address, or an integer. N is how many units, F the form (x, o, t, d, u, c,\nf), U the size of a unit: b, h, w or g for 1, 2, 4 or 8 bytes. Without an address it goes on where it ended.";
    Whatis "whatis" [] "EXPRESSION" Data Expression false
        "Show the type of an expression"
        "";
    Ptype "ptype" [] "EXPRESSION | TYPE | PROCEDURE" Data Expression false
        "Show the type of an expression with its components, a derived type, or the arguments of a procedure"
        "";
    Set "set" [] "[var] NAME = EXPRESSION | args ARGUMENTS | listsize N | print elements N" Data Expression false
        "Assign to a variable, element or component of the focused thread, or to a variable of the debugger"
        "An assignment to a variable of the program is part of the history: going back undoes it, going forward does it again.\n\"set listsize N\" sets how many lines \"list\" shows, \"set print elements N\" how many elements of an array are shown; both take\n\"unlimited\".";
    Show "show" [] "[values | conv | listsize | print elements | args | user | version]" Data Nothing false
        "Show the kept values, the variables of the debugger, or a setting"
        "";
    Display "display" ["disp"] "[[/FORMAT] EXPRESSION]" Data Expression false
        "Show an expression at each stop, or show all such expressions now"
        "";
    Undisplay "undisplay" [] "[N | N-M]..." Data Nothing false
        "Stop showing expressions at each stop, or stop showing all"
        "";
    List "list" ["l"] "[LOCATION | FIRST,LAST | -]" Files Place true
        "Show source lines"
        "Without arguments it shows the next ten lines, with - the ten lines before.";
    Search "search" ["forward-search" "fo"] "TEXT" Files Nothing false
        "Show the next source line that contains a text"
        "";
    SearchBack "reverse-search" ["rev"] "TEXT" Files Nothing false
        "Show the previous source line that contains a text"
        "";
    Disassemble "disassemble" ["disas"] "[/ptx] [PROCEDURE]" Files Place false
        "Show the intermediate code of the focused procedure, or of another one"
        "With /ptx it is the PTX of the kernel, or of the kernel that has called the focused procedure.";
    Info "info" ["i" "inf"] "TOPIC" Status Topic false
        "Show a table of the program state"
        "";
    Script "define" [] "NAME" Scripts Nothing false
        "Define a command by commands on the lines that follow, up to \"end\""
        "In them $arg0, $arg1 ... stand for the words that follow the command, and $argc for their number. Line mode only.";
    Script "document" [] "NAME" Scripts Nothing false
        "Describe a defined command by the lines that follow, up to \"end\""
        "";
    Script "alias" [] "NAME = COMMAND" Scripts Command false
        "Give a command another name"
        "";
    Script "if" [] "EXPRESSION" Scripts Expression false
        "Execute the commands up to \"else\" or \"end\" if an expression is true, else those after \"else\""
        "";
    Script "while" [] "EXPRESSION" Scripts Expression false
        "Execute the commands up to \"end\" as long as an expression is true"
        "\"loop_break\" leaves the loop, \"loop_continue\" goes on with its next iteration.";
    Script "source" [] "FILE" Scripts File false
        "Execute the commands of a file"
        "It ends at the first command that fails.";
    Apropos "apropos" [] "TEXT" Support Nothing false
        "List the commands whose description contains a text"
        "";
    Complete "complete" [] "LINE" Support Command false
        "List the completions of an unfinished line"
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
    /// Its arguments as help shows them; empty if it takes none.
    pub arguments: &'static str,
    /// One sentence without a full stop.
    pub brief: &'static str,
}

macro_rules! topics {
    ($($topic:ident $name:literal $alias:literal $arguments:literal $brief:literal;)*) => {
        /// All tables of `info`, in the order of help.
        pub const TOPICS: &[TopicRow] =
            &[$(TopicRow {
                topic: Topic::$topic,
                name: $name,
                alias: $alias,
                arguments: $arguments,
                brief: $brief,
            }),*];
    };
}

topics! {
    Kernels "kernels" "" "" "The running kernel";
    Blocks "blocks" "" "" "Blocks that have begun and not ended";
    Warps "warps" "" "" "Warps of the focused block, with their lanes";
    Lanes "lanes" "" "" "Lanes of the focused warp";
    Threads "threads" "" "" "Threads of the running blocks, by line";
    Barriers "barriers" "" "" "Threads that wait at a barrier, and threads still missing";
    Locals "locals" "" "" "Variables of the focused frame";
    Arguments "args" "" "" "Dummy arguments of the focused frame";
    Breakpoints "breakpoints" "" "" "Breakpoints and watchpoints";
    Watchpoints "watchpoints" "" "" "Watchpoints";
    Displays "display" "" "" "Expressions shown at each stop";
    Findings "findings" "" "" "Findings so far";
    Timeline "timeline" "" "" "Launches, copies, and what is done with streams and events, in their order";
    Frame "frame" "f" "" "The focused frame";
    Source "source" "sources" "" "Source files of the program";
    Program "program" "inferiors" "" "The state of the program";
    Ranks "ranks" "" "" "Ranks of MPI: where each is, and for what it waits";
    Line "line" "" "[LOCATION]" "The code of a line";
    Symbol "symbol" "" "ADDRESS" "What is at an address";
    Scope "scope" "" "LOCATION" "The variables of the procedure at a location";
    Functions "functions" "" "[TEXT]" "Procedures and kernels, all or those whose names contain a text";
    Variables "variables" "" "[TEXT]" "Variables of modules and other static ones";
    Types "types" "" "[TEXT]" "Derived types";
    Registers "registers" "all-registers" "" "threadidx, blockidx and the like of the focused thread";
    Devices "devices" "" "" "Devices of the program";
}

//! Table: the commands of gdb and cuda-gdb that do not exist here, each with what to use instead.
//!
//! Not here: the commands that exist (`table`).

/// Commands of gdb that are answered with a sentence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Foreign {
    /// Their names.
    pub(crate) names: &'static [&'static str],
    /// Whether a script may go on: the command asks for what is so anyway.
    pub(crate) is_accepted: bool,
    /// What to use instead.
    pub(crate) answer: &'static str,
}

macro_rules! foreign {
    ($([$($name:literal)*] $accepted:literal $answer:literal;)*) => {
        /// All of them.
        pub(crate) const FOREIGN: &[Foreign] =
            &[$(Foreign { names: &[$($name),*], is_accepted: $accepted, answer: $answer }),*];
    };
}

foreign! {
    ["record" "checkpoint"] true "Not needed: the whole run is recorded. \"reverse-continue\", \"reverse-step\" and \"reverse-next\" go back.";
    ["restart"] false "There are no numbered checkpoints: \"reverse-continue\" goes back, \"run\" starts again.";
    ["nexti" "ni" "reverse-nexti" "rni"] false
        "Statements are the smallest steps: use \"next\" and \"reverse-next\", or \"stepi\" for a statement of any thread.";
    ["catch" "tcatch"] false "Not needed: each error that is found stops the program.";
    ["trace" "tp" "ftrace" "strace" "actions" "collect" "tstart" "tstop" "tfind" "tdump"] false
        "There are no tracepoints: \"dprintf\" prints at a line, and the whole run is recorded.";
    ["jump" "j"] false "A jump would skip statements that the recorded run has: \"reverse-step\" goes back, \"advance\" goes on to a line, and \"set var\" changes what happens.";
    ["return"] false "A procedure cannot be left early: \"finish\" runs to its end, and \"set var\" changes its result there.";
    ["kill"] false "\"run\" starts the program again, \"quit\" ends the session.";
    ["attach" "detach" "target" "file" "exec-file" "symbol-file" "add-symbol-file" "load" "core-file" "core" "add-inferior"
        "inferior" "follow-fork-mode"] false
        "The program is the one that the debugger was started with: quit and start \"cufemu --debug FILE\".";
    ["generate-core-file" "gcore" "dump" "restore"] false
        "State cannot be written to a file: runs are deterministic, so a script of commands (\"source FILE\") leads to it again.";
    ["handle" "signal" "queue-signal"] false "Programs get no signals here; Ctrl-C interrupts them.";
    ["shell" "!" "make" "pipe" "|"] false "Commands of the shell are not run here: Ctrl-Z at the prompt suspends the debugger, and \"fg\" of the shell comes back.";
    ["python" "py" "python-interactive" "pi" "guile" "gu"] false
        "Python is not built in: \"define\", \"commands\", \"if\", \"while\" and \"printf\" make scripts.";
    ["pwd" "cd"] false "The debugger has no working directory of its own; files are found from where it was started.";
    ["tui" "layout" "focus" "refresh" "winheight" "wh" "winwidth"] false
        "Panes are those of \"cufemu --tui FILE\", where 1 to 9 show them, z enlarges one and Ctrl-L draws the screen again.";
    ["edit"] false "Sources are edited in another window; \"run\" starts the program as it was compiled, a new session compiles it again.";
    ["explore"] false "\"ptype EXPRESSION\" shows the components of a type, \"print EXPRESSION\" their values.";
    ["with"] false "\"set SETTING\" sets a setting until it is set again.";
    ["unset"] false "\"set args\" without arguments clears those of the program; other settings need not be cleared.";
    ["macro"] false "Macros are expanded before the debugger sees the program, which knows no names of macros.";
    ["compile" "skip" "maintenance" "mt" "monitor" "flushregs" "tty" "directory" "dir" "path" "overlay" "mem"] false
        "This command of gdb has no meaning for an emulated program.";
    ["thread-apply" "taas" "tfaas" "faas"] false
        "Use \"print EXPRESSION@block\" for all threads of the block, \"print EXPRESSION@warp\" for a warp, \"thread apply all backtrace\" for the stacks.";
    ["autostep"] false "Not needed: every error is reported at the access that causes it.";
}

/// Settings of gdb that change nothing here; the first word after `set` or `show`.
pub(crate) const SETTINGS: &[&str] = &[
    "breakpoint",
    "can-use-hw-watchpoints",
    "charset",
    "confirm",
    "cuda",
    "debuginfod",
    "disable-randomization",
    "disassembly-flavor",
    "editing",
    "env",
    "environment",
    "exec-wrapper",
    "follow-fork-mode",
    "height",
    "history",
    "language",
    "logging",
    "max-value-size",
    "non-stop",
    "output-radix",
    "pagination",
    "print",
    "prompt",
    "radix",
    "record",
    "scheduler-locking",
    "startup-with-shell",
    "step-mode",
    "style",
    "tui",
    "unwindonsignal",
    "verbose",
    "width",
];

/// Tables of gdb's and cuda-gdb's `info` with what to use instead.
const INFO: &[(&[&str], &str)] = &[
    (&["signals", "handle"], "Programs get no signals here; Ctrl-C interrupts them."),
    (
        &["sharedlibrary", "dll", "files", "target", "proc", "os", "auxv", "exceptions", "selectors"],
        "An emulated program has no such table.",
    ),
    (&["checkpoints", "record", "rec"], "The whole run is recorded: \"info program\" shows how far."),
    (
        &["streams", "launch", "events"],
        "\"info timeline\" lists launches, copies, and what is done with streams and events; \"info kernels\" shows the running one.",
    ),
    (&["set", "win", "auto-load", "copying", "warranty"], "\"show\" shows settings."),
    (&["float", "vector"], "Values in registers are variables: see \"info locals\" and \"info registers\"."),
    (
        &["sms", "contexts", "managed", "lineinfo"],
        "An emulated device has no such table: see \"info kernels\", \"info blocks\", \"info warps\" and \"info threads\".",
    ),
    (&["address"], "\"print &VARIABLE\" shows the address of a variable."),
    (&["macro", "macros"], "Macros are expanded before the debugger sees the program, which knows no names of macros."),
    (&["tracepoints", "tp"], "There are no tracepoints: \"dprintf\" prints at a line."),
];

/// Settings of cuda-gdb with what to use instead.
const OF_CUDA: &[(&str, &str)] = &[
    (
        "break_on_launch",
        "\"break KERNEL\" stops in each launch of a kernel, \"rbreak TEXT\" in all whose names contain a text.",
    ),
    ("memcheck", "Not needed: each access is checked."),
    ("launch_blocking", "Not needed: \"info timeline\" shows in which order launches and copies happen."),
    ("step_divergent_lanes", "Not needed: a step is one of the focused thread, whose warp may have parted."),
];

/// What to use instead of a setting of cuda-gdb in a line such as `set cuda memcheck on`.
pub(crate) fn of_cuda(line: &str) -> Option<&'static str> {
    let mut words = line.split_whitespace();
    let is_meant = matches!(words.next(), Some("set" | "show")) && words.next() == Some("cuda");
    let name = words.next().filter(|_| is_meant)?;
    OF_CUDA.iter().find(|(setting, _)| *setting == name).map(|(_, answer)| *answer)
}

/// What to use instead of a table of `info`.
pub(crate) fn info(name: &str) -> Option<&'static str> {
    INFO.iter().find(|(names, _)| names.contains(&name)).map(|(_, answer)| *answer)
}

/// The entry of a name.
pub(crate) fn find(name: &str) -> Option<&'static Foreign> {
    FOREIGN.iter().find(|f| f.names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::table::COMMANDS;

    #[test]
    fn no_name_is_both_here_and_foreign() {
        let mut names: Vec<&str> = FOREIGN.iter().flat_map(|f| f.names.iter().copied()).collect();
        names.extend(COMMANDS.iter().flat_map(|r| [r.name].into_iter().chain(r.aliases.iter().copied())));
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "a name stands for two commands");
        assert!(FOREIGN.iter().all(|f| f.answer.ends_with('.')));
        assert!(SETTINGS.is_sorted());
    }
}

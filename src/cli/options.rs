//! The options of the command line: one table from which clap makes the parser, the help text, the manual page and
//! `docs/cli.md`.
//!
//! Not here: the options of nvfortran (`nvfortran.rs`), and what the options do.

use clap::{Parser, ValueEnum};
use explore::Order;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const REPORTS: &str = "Reports";
const MACHINE: &str = "The machine";
const SCREEN: &str = "The terminal debugger";

/// The text below the options.
const AFTER: &str = "Common options of nvfortran are accepted: -cuda -Mcuda[=..] -nocuda -gpu=.. -Mfixed -Mfree -Mpreprocess -cpp \
    -D -U -I -r8 -i8 -O.. -g. cufemu names those that have no effect, and refuses what nvfortran does not have.

-c and -o work for makefiles (`make FC=cufemu`). -c checks a file and writes an object, which names the file and its options. -o \
    writes a program: a script that runs cufemu with the sources and options of its objects. Nothing is compiled ahead, so the \
    sources must stay where they are. The variable CUFEMU_OPTIONS of the environment gives such a program more options, such as \
    --race.

Exit codes: 0 success; the STOP code of the program; 1 errors or findings (see --error-exitcode); 2 wrong usage, unreadable \
    files or no CUDA driver; 101 internal error of cufemu; 124 --timeout reached; 130 interrupted.";

/// Runs, checks and debugs CUDA Fortran programs on any machine.
#[derive(Parser, Debug, Clone)]
#[command(name = "cufemu", version, about, long_about = None, override_usage = "cufemu [OPTIONS] FILES... [-- ARGS...]")]
#[command(term_width = 80, next_line_help = false)]
#[command(after_help = "--help lists all options. Common options of nvfortran are accepted.")]
#[command(after_long_help = AFTER)]
pub(crate) struct Options {
    /// Source files, in any order; `-` is standard input
    ///
    /// Beside Fortran: C files (`.c`), objects, archives and shared libraries with procedures, PTX files (`.ptx`) and CUDA C
    /// files (`.cu`, where NVRTC is installed) with kernels.
    #[arg(value_name = "FILES", hide_short_help = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Arguments for the program
    #[arg(last = true, value_name = "ARGS", hide_short_help = true)]
    pub(crate) args: Vec<String>,

    /// Report data races
    ///
    /// With `--race=strict`, an atomic that reads a released value orders nothing by itself: the reading thread needs a fence
    /// as well. Threads that have returned do not count as arrived at `syncwarp`, and a note names each `syncthreads` that is
    /// reached without them.
    #[arg(long, value_name = "strict", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    #[arg(hide_possible_values = true)]
    pub(crate) race: Option<RaceMode>,

    /// Checks: bounds, init, race, leak, fp, all or none
    ///
    /// A list separated by commas. `bounds`: subscripts outside declared bounds. `init`: reads of memory that nothing has
    /// written. `race`: data races, like `--race`. `leak`: memory that is never freed. `fp`: operations of device code that
    /// produce a NaN or an infinity, divide an integer by zero, or convert a real to an integer that cannot hold it. Accesses
    /// outside of allocations (`mem`) and barriers (`sync`) are always checked, because a run cannot continue after such an
    /// error. `none` also leaves out advice on calls of the CUDA API.
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true)]
    pub(crate) check: Vec<Check>,

    /// Run with many schedules and compare the results
    ///
    /// Runs the program once for each seed from A up to, but not including, B (`A..=B` includes B). The first run is a normal
    /// one. The others get the same input; what they print and write to files is compared or discarded.
    #[arg(long, value_name = "A..B", value_parser = seed_range)]
    #[arg(conflicts_with_all = ["schedule", "debug", "tui", "batch", "ex", "emit"])]
    pub(crate) many_seeds: Option<(u64, u64)>,

    /// Run in all orders that matter, and compare results
    ///
    /// Searches for data races, deadlocks and results that only some orders show. Runs the program at most N times. Each run has blocks and warps in another order, in which two accesses or atomics that
    /// matter to each other come the other way round than in the runs before, until no such order is left. Data races are looked
    /// for in each run. What is found is reported with the order that shows it, for `--schedule`. The first run is a normal one.
    /// The others get the same input; what they print and write to files is compared or discarded.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(conflicts_with_all = ["schedule", "many_seeds", "debug", "tui", "batch", "ex", "emit", "verify"])]
    pub(crate) explore: Option<u64>,

    /// Run blocks and warps in another legal order
    ///
    /// Each seed stands for one order, the same in every run. The default is `seed:0`. `order:...` is an order that `--explore`
    /// has reported.
    #[arg(long, value_name = "seed:N", value_parser = schedule)]
    pub(crate) schedule: Option<Schedule>,

    /// Where kernels run
    #[arg(long, value_name = "emu|gpu", default_value = "emu", hide_possible_values = true)]
    pub(crate) device: DeviceKind,

    /// Run each launch on emulator and GPU and compare
    ///
    /// After each launch, all memory is compared bit by bit; results of libraries within bounds.
    #[arg(long, conflicts_with_all = ["debug", "tui", "batch", "ex", "emit"])]
    pub(crate) verify: bool,

    /// Debug in line mode, as with gdb
    #[arg(long, conflicts_with_all = ["tui", "emit"])]
    pub(crate) debug: bool,

    /// Begin without the init file of the debugger and kept breakpoints
    ///
    /// At a terminal, `--debug` begins with the commands in `~/.config/cufemu/init` (or `$XDG_CONFIG_HOME/cufemu/init`), and
    /// `--debug` and `--tui` with the breakpoints that the last session of the same source files ended with.
    #[arg(long, alias = "nx", hide_short_help = true)]
    pub(crate) no_init: bool,

    /// Debug in the terminal, with panes and keys
    #[arg(long, conflicts_with_all = ["emit"])]
    pub(crate) tui: bool,

    /// With `cufemu dap`: wait for the editor on this port
    ///
    /// `cufemu dap` debugs in an editor by the Debug Adapter Protocol, on standard input and output, or on a port of this
    /// computer; 0 chooses one that is free. `docs/editor.md` says how editors start it.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) port: Option<u16>,

    /// With `cufemu dap`: be the terminal of a program that is debugged, for the adapter on this port
    #[arg(long, value_name = "PORT", hide = true)]
    pub(crate) terminal: Option<u16>,

    /// Run the debugger commands in a file
    ///
    /// With `--debug`, commands are read from the terminal afterwards. Without FILE, only the commands of `--ex` are run and
    /// nothing is read.
    #[arg(long, value_name = "FILE", short_alias = 'x')]
    pub(crate) batch: Option<Option<PathBuf>>,

    /// Run a debugger command; also -ex
    ///
    /// Can be repeated. The commands run after those of `--batch`.
    #[arg(long = "ex", value_name = "CMD")]
    pub(crate) ex: Vec<String>,

    /// Run as this many ranks of MPI, in one process
    ///
    /// Each rank has its own memory and its own devices; they take turns, so that every run is the same. `--schedule seed:N`
    /// varies the order of turns, and with it which message a receive from any rank takes. Without this option a program that
    /// uses MPI is one rank, or one of those that `mpirun` has started.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) ranks: Option<u32>,

    /// Debug this rank of those of `--ranks` first
    ///
    /// The default is rank 0. The ranks run to their end first. Then the debugger has the program of this rank alone, and each call
    /// of MPI does what it did in that run. So it also goes backwards. The command `rank` goes on with another one. Standard input is
    /// empty, and nothing outside of the program is changed again.
    #[arg(long, value_name = "N", requires = "ranks", hide_short_help = true)]
    pub(crate) rank: Option<u32>,

    /// Record each rank of MPI, for `--replay`
    ///
    /// Under `mpirun` and with `--ranks`, rank N writes the file FILE.N: what each call of MPI did to its memory, and what the
    /// program got from outside. The program is compiled as the debugger has it, without optimisation.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    #[arg(conflicts_with_all = ["debug", "tui", "batch", "ex", "emit", "verify", "many_seeds", "explore"])]
    pub(crate) record: Option<PathBuf>,

    /// Debug a rank that `--record` has recorded, without MPI
    ///
    /// FILE is that of the rank, such as `run.2`. Each call of MPI does what it did in that run, so the debugger also goes
    /// backwards. The command `rank` goes on with another rank whose file lies beside it.
    #[arg(long, value_name = "FILE", hide_short_help = true, conflicts_with_all = ["ranks", "record"])]
    pub(crate) replay: Option<PathBuf>,

    /// Under `mpirun`: the MPI library to load
    ///
    /// By default it is the one that belongs to the `mpirun` that has started cufemu: `libmpi.so.40` of Open MPI, `libmpich.so.12`
    /// or `libmpi.so.12` of MPICH, looked for beside `mpirun` and where libraries are.
    #[arg(long, value_name = "FILE", help_heading = MACHINE, hide_short_help = true)]
    pub(crate) mpi: Option<PathBuf>,

    /// Limit memory of host and devices, such as 512m
    ///
    /// Beyond the limit, an allocation fails as it does in CUDA or Fortran when memory is exhausted. Units are k, m and g, or
    /// KB, MB and GB, all powers of 1024.
    /// By default, the memory that the program has written to is limited to seven eighths of the memory of the computer.
    #[arg(long, value_name = "N", value_parser = bytes)]
    pub(crate) memory: Option<u64>,

    /// Stop the run after this time, such as 90, 1.5m or 2h
    ///
    /// A number without a unit counts seconds. Output is written and files are closed. The exit code is 124.
    #[arg(long, value_name = "TIME", value_parser = seconds, conflicts_with_all = ["debug", "tui", "batch", "ex"])]
    pub(crate) timeout: Option<Duration>,

    /// Print ast, ir or ptx instead of running
    ///
    /// `ast`: the syntax tree. `ir`: the intermediate representation. `ir=PASS`: the same after the last run of a pass of the
    /// optimiser, and `ir=PASS:N` after its run N; an unknown name shows all passes. `ptx`: the PTX of the kernels, for arrays of at
    /// most 1 GiB that begin at multiples of 16 bytes and grids of at most 2^30 threads in a direction; `--device gpu` makes it for
    /// what a launch has.
    #[arg(long, value_name = "STAGE", value_parser = stage, hide_short_help = true)]
    pub(crate) emit: Option<Stage>,

    /// Look for errors and warnings only; also `cufemu check FILES` and -fsyntax-only
    ///
    /// The files need not contain a main program. Modules that they use and do not define are looked for in the directories of
    /// the files and of `-I`. Nothing is run and nothing is written. `-c` checks the same and writes an object.
    #[arg(long, hide_short_help = true)]
    #[arg(conflicts_with_all = ["debug", "tui", "batch", "ex", "emit", "verify", "many_seeds", "explore"])]
    pub(crate) only_check: bool,

    /// Explain a code such as R0101
    #[arg(long, value_name = "CODE")]
    pub(crate) explain: Option<String>,

    /// Format of diagnostics and findings
    #[arg(long, value_name = "FORM", default_value = "full", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) message_format: MessageFormat,

    /// What orders the lanes of a warp
    ///
    /// By default only synchronisation in the program does, such as `syncwarp`. With `legacy`, all lanes complete an
    /// instruction before any of them begins the next, as GPUs before Volta did; accesses of two lanes by different
    /// instructions are then no races.
    #[arg(long, value_name = "KIND", default_value = "independent", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) warp_sync: WarpSync,

    /// Do not report the findings that a file lists
    ///
    /// Each line of the file is a rule: a code (`*` for all), and a file, a line of a file or a kernel, such as
    /// `R0109 scan.cuf:17` or `* kernel:warm_up`. Can be repeated.
    #[arg(long, value_name = "FILE", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) suppressions: Vec<PathBuf>,

    /// Exit code for errors and findings
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = REPORTS, hide_short_help = true)]
    pub(crate) error_exitcode: u8,

    /// Lowest severity of a finding that makes the run fail
    #[arg(long, value_name = "LEVEL", default_value = "error", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) fail_on: FailOn,

    /// Largest number of findings to print
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = REPORTS, hide_short_help = true)]
    pub(crate) max_findings: usize,

    /// Say at the end which kernels ran on one thread, and why
    #[arg(long, short, help_heading = REPORTS, hide_short_help = true)]
    pub(crate) verbose: bool,

    /// What runs kernels on emulated devices: the interpreter alone, or machine code where there is some
    ///
    /// Results do not depend on it. Machine code needs a processor with AVX2.
    #[arg(long, value_name = "ENGINE", default_value = "native", help_heading = MACHINE, hide_short_help = true)]
    pub(crate) engine: EngineKind,

    /// Number of emulator threads; one for each core by default
    ///
    /// Results do not depend on the number.
    #[arg(long, value_name = "N", value_parser = jobs, help_heading = MACHINE, hide_short_help = true)]
    pub(crate) jobs: Option<usize>,

    /// Number of devices: emulated ones, or the first GPUs with `--device gpu`
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = MACHINE, hide_short_help = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) devices: u32,

    /// Compute capability times ten, such as 90; also sm_90 or cc90
    ///
    /// From 35 to 121. PTX is generated for 75 or newer, the oldest that CUDA 13 supports.
    #[arg(long, value_name = "N", help_heading = MACHINE, hide_short_help = true)]
    #[arg(value_parser = sm)]
    pub(crate) sm: Option<u32>,

    /// Source of time for clocks and events
    #[arg(long, value_name = "KIND", default_value = "wall", help_heading = MACHINE, hide_short_help = true)]
    pub(crate) clock: ClockKind,

    /// Do not use fused multiply-add in device code
    #[arg(long, help_heading = MACHINE, hide_short_help = true)]
    pub(crate) no_fma: bool,

    /// Use the GPU's approximate operations for real(4)
    ///
    /// Quotients, square roots, powers, exponentials, logarithms, sines and cosines of real(4) in device code become
    /// approximate, and subnormal numbers in them zero, as with `-gpu=fastmath` of nvfortran. It needs `--device gpu` (or
    /// `--emit ptx`): the emulator always computes exactly.
    #[arg(long, help_heading = MACHINE, hide_short_help = true, conflicts_with = "verify")]
    pub(crate) fast_math: bool,

    /// Compile as Fortran without CUDA
    ///
    /// `_CUDA` is not defined, and lines that begin with `!@cuf` or `!$cuf` are comments. nvfortran does the same without
    /// `-cuda`, for files whose names do not end in `.cuf`. By default cufemu enables CUDA Fortran in all files.
    #[arg(long, help_heading = MACHINE, hide_short_help = true)]
    pub(crate) no_cuda: bool,

    /// Colours of the terminal debugger
    #[arg(long, value_name = "THEME", help_heading = SCREEN, hide_short_help = true)]
    pub(crate) theme: Option<Theme>,

    /// Use only ASCII characters in the terminal debugger
    #[arg(long, help_heading = SCREEN, hide_short_help = true)]
    pub(crate) ascii: bool,

    /// Print a manual page, shell completions or the option reference
    #[arg(long, value_name = "WHAT", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) generate: Option<Generated>,

    /// An option of nvfortran, translated before parsing
    #[arg(long = "nvfortran", value_name = "OPTION", hide = true, allow_hyphen_values = true)]
    pub(crate) nvfortran: Vec<String>,

    /// The words of the command line, with options of nvfortran translated.
    #[arg(skip)]
    pub(crate) words: Vec<String>,

    /// The files as they were given, before objects among them were replaced by their sources.
    #[arg(skip)]
    pub(crate) given: Vec<PathBuf>,

    /// All files after that, those that are no Fortran files too.
    #[arg(skip)]
    pub(crate) inputs: Vec<PathBuf>,
}

/// In which order blocks and warps run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Schedule {
    /// The order that a number stands for.
    Seed(u64),
    /// An order that `--explore` has found.
    Order(Arc<Order>),
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Seed(seed) => write!(f, "seed:{seed}"),
            Schedule::Order(order) => order.fmt(f),
        }
    }
}

/// How strictly races are judged.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RaceMode {
    /// An atomic that reads a released value also acquires. It is what the option means without a value.
    #[value(hide = true)]
    On,
    /// The reading thread needs a fence.
    Strict,
}

/// What orders the lanes of a warp.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WarpSync {
    /// Synchronisation in the program, such as `syncwarp`.
    Independent,
    /// Every instruction, as before Volta.
    Legacy,
}

/// A check.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// Accesses outside of allocations; always on.
    Mem,
    /// Subscripts outside declared bounds.
    Bounds,
    /// Reads of memory that nothing has written.
    Init,
    /// Barriers and warp operations; always on.
    Sync,
    /// Data races.
    Race,
    /// Memory that is never freed.
    Leak,
    /// Operations of device code that produce a NaN or an infinity, divide by zero, or do not fit an integer.
    Fp,
    /// All checks.
    All,
    /// Only mem and sync, and no advice on API calls.
    None,
}

/// The source of time.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClockKind {
    /// The clock of the computer.
    Wall,
    /// Executed schedule points; the same in every run.
    Model,
}

/// Where kernels run.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeviceKind {
    /// The emulator.
    Emu,
    /// The GPU of this computer.
    Gpu,
}

/// What runs kernels on emulated devices.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EngineKind {
    /// The interpreter alone.
    Interpreter,
    /// Machine code of this processor, and the interpreter for the rest.
    Native,
}

/// A stage of the compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The syntax tree.
    Ast,
    /// The intermediate representation, as the emulator runs it.
    Ir,
    /// The intermediate representation after a pass of the optimiser.
    IrAfter(PassRun),
    /// PTX of the kernels.
    Ptx,
}

/// One run of a pass of the optimiser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PassRun {
    /// The name of the pass.
    pub(crate) name: String,
    /// Which of its runs, from 1; otherwise the last.
    pub(crate) run: Option<usize>,
}

/// A stage as `--emit` names it.
fn stage(text: &str) -> Result<Stage, String> {
    let unknown = || format!("`{text}` is none of ast, ir, ir=PASS and ptx");
    match text.split_once('=') {
        Some(("ir", pass)) => {
            let (name, run) = match pass.split_once(':') {
                None => (pass, None),
                Some((name, run)) => match run.parse() {
                    Ok(run) if run > 0 => (name, Some(run)),
                    _ => return Err(format!("`{run}` is not the number of a run of the pass, such as 1")),
                },
            };
            Ok(Stage::IrAfter(PassRun { name: name.to_owned(), run }))
        }
        Some(_) => Err(unknown()),
        None => match text {
            "ast" => Ok(Stage::Ast),
            "ir" => Ok(Stage::Ir),
            "ptx" => Ok(Stage::Ptx),
            _ => Err(unknown()),
        },
    }
}

/// Colours of the terminal debugger.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Theme {
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// No colours, as with `NO_COLOR`.
    Plain,
}

/// Format of diagnostics.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageFormat {
    /// With the source lines.
    Full,
    /// One line for each.
    Short,
    /// One JSON object per line.
    Json,
    /// One SARIF 2.1.0 document at the end.
    Sarif,
}

/// What `--generate` prints.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Generated {
    /// A manual page, for `man`.
    Man,
    /// Completions for bash.
    Bash,
    /// Completions for elvish.
    Elvish,
    /// Completions for fish.
    Fish,
    /// Completions for PowerShell.
    Powershell,
    /// Completions for zsh.
    Zsh,
    /// The option reference, `docs/cli.md`.
    Markdown,
}

/// The lowest severity of a finding that fails the run.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailOn {
    /// Errors only.
    Error,
    /// Warnings too.
    Warning,
    /// Never.
    Never,
}

impl Options {
    /// Whether an editor is to be served: `cufemu dap`.
    pub(crate) fn is_for_editor(&self) -> bool {
        matches!(&self.files[..], [word] if word.as_os_str() == "dap" && !word.exists())
    }

    /// The seed of the schedule.
    pub(crate) fn seed(&self) -> u64 {
        if let Some(Schedule::Seed(seed)) = self.schedule { seed } else { 0 }
    }

    /// The order of the schedule, if it is one that `--explore` has found.
    pub(crate) fn order(&self) -> Option<&Arc<Order>> {
        if let Some(Schedule::Order(order)) = &self.schedule { Some(order) } else { None }
    }

    /// Whether the program is debugged.
    pub(crate) fn is_debugging(&self) -> bool {
        self.debug || self.tui || self.batch.is_some() || !self.ex.is_empty()
    }

    /// An error in the combination of options.
    pub(crate) fn conflict(&self) -> Option<String> {
        let has = |what| self.check.contains(&what);
        let alone = [(Check::None, "none"), (Check::All, "all")];
        if self.port.is_some() {
            return Some("`--port` belongs to `cufemu dap`".to_owned());
        }
        if self.terminal.is_some() {
            return Some("`--terminal` belongs to `cufemu dap`".to_owned());
        }
        let order = self.explore.map(|_| "--explore").or(self.order().map(|_| "--schedule order:"));
        if let Some(option) = order.filter(|_| self.device == DeviceKind::Gpu || self.verify) {
            return Some(format!(
                "`{option}` directs the emulator, and a GPU has an order of its own; remove `--device gpu` or `--verify`"
            ));
        }
        let (_, name) = alone.into_iter().find(|&(what, _)| has(what) && self.check.iter().any(|&c| c != what))?;
        Some(format!("`--check {name}` cannot be combined with other checks"))
    }
}

fn schedule(text: &str) -> Result<Schedule, String> {
    if let Some(order) = text.strip_prefix("order:") {
        return Order::parse(order).map(|order| Schedule::Order(Arc::new(order)));
    }
    let seed = text.strip_prefix("seed:").and_then(|n| n.parse().ok());
    seed.map(Schedule::Seed).ok_or_else(|| "write `seed:N` with a number N, such as `seed:7`".to_owned())
}

fn seed_range(text: &str) -> Result<(u64, u64), String> {
    let bad = || "write `A..B` or `A..=B`, such as `0..64`".to_owned();
    let (a, b) = text.split_once("..").ok_or_else(bad)?;
    let (b, is_last) = b.strip_prefix('=').map_or((b, false), |b| (b, true));
    let (a, b): (u64, u64) = (a.parse().map_err(|_| bad())?, b.parse().map_err(|_| bad())?);
    let b = b.saturating_add(u64::from(is_last));
    if a < b { Ok((a, b)) } else { Err("the range is empty".to_owned()) }
}

/// Compute capabilities, times ten, from Kepler to Blackwell.
pub(crate) const KNOWN_SM: std::ops::RangeInclusive<u32> = 35..=121;

fn sm(text: &str) -> Result<u32, String> {
    let number = ["sm_", "sm", "cc", "compute_"].iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
    let known = number.parse().ok().filter(|sm| KNOWN_SM.contains(sm));
    known.ok_or_else(|| {
        format!("write a number from {} to {}, such as `90` or `sm_90`", KNOWN_SM.start(), KNOWN_SM.end())
    })
}

fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=256) => Ok(n),
        _ => Err("write a number from 1 to 256".to_owned()),
    }
}

/// A number of bytes: `65536`, `64k`, `512m`, `2g`, `2GB`, `2GiB`.
fn bytes(text: &str) -> Result<u64, String> {
    let bad = || "write a number of bytes, such as `65536`, `64k`, `512m` or `2GB`".to_owned();
    let (number, unit) = split_unit(text);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(bad()),
    };
    let number: u64 = number.parse().map_err(|_| bad())?;
    number.checked_mul(1 << shift).ok_or_else(bad)
}

/// A time of at most a year: `10`, `0.5`, `90s`, `1.5m`, `2h`.
fn seconds(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => 0.0,
    };
    let number = number.parse::<f64>().ok().map(|n| n * factor).filter(|s| *s > 0.0 && *s <= 366.0 * 86400.0);
    number
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "write a time, such as `10` (seconds), `0.5`, `90s` or `2m`".to_owned())
}

/// A number and the letters behind it.
fn split_unit(text: &str) -> (&str, &str) {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    text.split_at(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_options_is_consistent() {
        <Options as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn bytes_may_have_a_unit() {
        assert_eq!(["7", "2k", "3M", "1g"].map(bytes), [Ok(7), Ok(2048), Ok(3 << 20), Ok(1 << 30)]);
        assert_eq!(["4GB", "4GiB", "4g", "1Mb"].map(bytes), [Ok(4 << 30), Ok(4 << 30), Ok(4 << 30), Ok(1 << 20)]);
        assert!(["", "k", "-1", "1t", "99999999999g", "1.5m", "é", "4G B"].iter().all(|t| bytes(t).is_err()));
    }

    #[test]
    fn seconds_are_positive() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(seconds("250ms"), Ok(Duration::from_millis(250)));
        assert!(["0", "-1", "inf", "nan", "x", "1e99", "1y", "m", "1 m"].iter().all(|t| seconds(t).is_err()));
    }

    #[test]
    fn a_compute_capability_may_be_written_as_nvcc_does() {
        assert_eq!(["80", "sm_80", "cc80", "compute_80"].map(sm), [Ok(80), Ok(80), Ok(80), Ok(80)]);
        assert!(["8.0", "sm_", "sm_34", "x90"].iter().all(|t| sm(t).is_err()));
    }
}

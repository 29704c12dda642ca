//! The options of the command line, in one table for clap, the help text and the documentation.

use clap::{Parser, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

const REPORTS: &str = "Reports";
const MACHINE: &str = "The machine";
const SCREEN: &str = "The terminal debugger";

/// What stands below the options.
const AFTER: &str = "nvfortran's usual options are taken too: -cuda -Mcuda[=..] -nocuda -gpu=.. -Mfixed -Mfree -Mpreprocess -cpp \
    -D -U -I -r8 -i8 -O.. -g. Those without a meaning here are named under --verbose.

Exit codes: 0 success; the program's own STOP code; 1 errors or findings; 2 usage, files or driver; 101 a bug of cufemu; \
    124 the limit of --timeout; 130 interrupted.";

/// Runs, checks and debugs CUDA Fortran programs on any machine.
#[derive(Parser, Debug, Clone)]
#[command(name = "cufemu", version, about, long_about = None, override_usage = "cufemu [OPTIONS] FILES... [-- ARGS...]")]
#[command(term_width = 80, next_line_help = false)]
#[command(after_help = "--help shows all options; nvfortran's usual options are taken too.")]
#[command(after_long_help = AFTER)]
pub(crate) struct Options {
    /// Source files, in any order
    #[arg(value_name = "FILES", hide_short_help = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS", hide_short_help = true)]
    pub(crate) args: Vec<String>,

    /// Report data races
    ///
    /// With `strict` an atomic that reads a released value orders nothing without a fence of its own.
    #[arg(long, value_name = "strict", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    #[arg(hide_possible_values = true)]
    pub(crate) race: Option<RaceMode>,

    /// mem, bounds, init, sync, race, leak, fp, all or none
    ///
    /// What to check, separated by commas: accesses against live allocations, subscripts against declared bounds, reads of
    /// what nothing has written, barriers, data races, memory that is never freed, real operations of device code that make a
    /// NaN or an infinity or do not fit an integer. Accesses and barriers are always checked, since a run cannot go on after
    /// such an error; `none` also leaves out advice on calls of the CUDA API.
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true)]
    pub(crate) check: Vec<Check>,

    /// Run once for each seed, and compare
    ///
    /// The seeds from A up to B, B not included (`A..=B`: included). The first run is the program's; the others get the same input and change
    /// nothing outside.
    #[arg(long, value_name = "A..B", value_parser = seed_range)]
    #[arg(conflicts_with_all = ["schedule", "debug", "tui", "batch", "ex", "emit"])]
    pub(crate) many_seeds: Option<(u64, u64)>,

    /// Another legal order of blocks and warps
    #[arg(long, value_name = "seed:N", value_parser = seed)]
    pub(crate) schedule: Option<u64>,

    /// What runs the kernels
    #[arg(long, value_name = "emu|gpu", default_value = "emu", hide_possible_values = true)]
    pub(crate) device: DeviceKind,

    /// Run every launch on emulator and GPU, and compare
    ///
    /// The bits of all memory are compared after each launch.
    #[arg(long, conflicts_with_all = ["debug", "tui", "batch", "ex", "emit"])]
    pub(crate) verify: bool,

    /// Debug in line mode
    #[arg(long, conflicts_with_all = ["tui", "emit"])]
    pub(crate) debug: bool,

    /// Debug in the terminal, with panes
    #[arg(long, conflicts_with_all = ["batch", "ex", "emit"])]
    pub(crate) tui: bool,

    /// Take debugger commands from a file
    #[arg(long, value_name = "FILE")]
    pub(crate) batch: Option<PathBuf>,

    /// Execute a debugger command; also -ex
    ///
    /// May be repeated.
    #[arg(long = "ex", value_name = "CMD")]
    pub(crate) ex: Vec<String>,

    /// Most memory of host and devices, such as 512m
    ///
    /// An allocation above it fails as CUDA's and Fortran's fail when memory is full. Units are k, m and g. Without it, what
    /// is really written may take seven eighths of the computer's memory.
    #[arg(long, value_name = "N", value_parser = bytes)]
    pub(crate) memory: Option<u64>,

    /// End the run after so many seconds
    ///
    /// It ends in order, and the exit code is 124.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with_all = ["debug", "tui", "batch", "ex"])]
    pub(crate) timeout: Option<Duration>,

    /// Print a stage: ast, ir or ptx
    ///
    /// The program is compiled and not run.
    #[arg(long, value_name = "STAGE", hide_possible_values = true)]
    pub(crate) emit: Option<Stage>,

    /// Explain a code such as R0101
    #[arg(long, value_name = "CODE")]
    pub(crate) explain: Option<String>,

    /// How diagnostics and findings look
    #[arg(long, value_name = "FORM", default_value = "full", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) message_format: MessageFormat,

    /// Whether the lanes of a warp run in step
    ///
    /// `legacy` is the promise of the years before Volta: each instruction of a warp comes after the one before, so that races
    /// between its lanes from instruction to instruction are none. By default only what the program says orders them, such as
    /// `syncwarp`.
    #[arg(long, value_name = "KIND", default_value = "independent", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) warp_sync: WarpSync,

    /// Findings that are not to be reported
    ///
    /// A file of rules, one a line: a code and a file, a line of it or a kernel, such as `R0109 scan.cuf:17` or
    /// `* kernel:warm_up`. May be repeated.
    #[arg(long, value_name = "FILE", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) suppressions: Vec<PathBuf>,

    /// Exit code when something was found
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = REPORTS, hide_short_help = true)]
    pub(crate) error_exitcode: u8,

    /// From which severity on findings make the run fail
    #[arg(long, value_name = "LEVEL", default_value = "error", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) fail_on: FailOn,

    /// Most findings to print
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = REPORTS, hide_short_help = true)]
    pub(crate) max_findings: usize,

    /// Say more: options that have no effect, what was loaded
    #[arg(long, short, help_heading = REPORTS, hide_short_help = true)]
    pub(crate) verbose: bool,

    /// Threads that run the emulator, by default one for each core
    ///
    /// Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = jobs, help_heading = MACHINE, hide_short_help = true)]
    pub(crate) jobs: Option<usize>,

    /// How many devices the emulator has
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = MACHINE, hide_short_help = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) devices: u32,

    /// Compute capability times ten, such as 90
    ///
    /// From 35 to 121; PTX is written for 75 at least, which is the oldest that CUDA 13 compiles.
    #[arg(long, value_name = "N", help_heading = MACHINE, hide_short_help = true)]
    #[arg(value_parser = sm)]
    pub(crate) sm: Option<u32>,

    /// Where clocks and events take their time from
    #[arg(long, value_name = "KIND", default_value = "wall", help_heading = MACHINE, hide_short_help = true)]
    pub(crate) clock: ClockKind,

    /// Do not form fused multiply-adds in device code
    #[arg(long, help_heading = MACHINE, hide_short_help = true)]
    pub(crate) no_fma: bool,

    /// Compile as Fortran without CUDA
    ///
    /// `_CUDA` is not defined, and lines that begin with `!@cuf` or `!$cuf` are comments, as with nvfortran on files whose name does not
    /// end in `.cuf` when `-cuda` is not given. By default CUDA Fortran is on in all files
    #[arg(long, help_heading = MACHINE, hide_short_help = true)]
    pub(crate) no_cuda: bool,

    /// Colours of the terminal debugger
    #[arg(long, value_name = "THEME", help_heading = SCREEN, hide_short_help = true)]
    pub(crate) theme: Option<Theme>,

    /// Draw the terminal debugger with ASCII characters only
    #[arg(long, help_heading = SCREEN, hide_short_help = true)]
    pub(crate) ascii: bool,

    /// Print a manual page, completions or the reference
    #[arg(long, value_name = "WHAT", help_heading = REPORTS, hide_short_help = true)]
    pub(crate) generate: Option<Generated>,

    /// An option of nvfortran, translated before parsing
    #[arg(long = "nvfortran", value_name = "OPTION", hide = true, allow_hyphen_values = true)]
    pub(crate) nvfortran: Vec<String>,
}

/// How strictly races are judged.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RaceMode {
    /// An atomic that reads a released value acquires.
    On,
    /// The consumer needs a fence of its own.
    Strict,
}

/// What orders the lanes of a warp.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WarpSync {
    /// Only what the program says, such as `syncwarp`.
    Independent,
    /// Each instruction, as before Volta.
    Legacy,
}

/// A check.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// Accesses against live allocations; always on, since a run cannot go on after such an error.
    Mem,
    /// Subscripts against declared bounds.
    Bounds,
    /// Reads of what was never written.
    Init,
    /// Barriers and warp operations; always on for the same reason.
    Sync,
    /// Data races.
    Race,
    /// Memory that is never freed.
    Leak,
    /// Operations of device code that make a NaN or infinity, divide by zero, or do not fit an integer.
    Fp,
    /// All of them.
    All,
    /// None but mem and sync, and no advice on API calls.
    None,
}

/// Where time comes from.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClockKind {
    /// The machine's clock.
    Wall,
    /// Counted schedule points; the same in every run.
    Model,
}

/// What runs the kernels.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeviceKind {
    /// The emulator.
    Emu,
    /// The GPU of this machine.
    Gpu,
}

/// A stage of the compiler.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The syntax tree.
    Ast,
    /// The intermediate representation.
    Ir,
    /// PTX of the kernels.
    Ptx,
}

/// Colours of the terminal debugger.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Theme {
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// None; also with `NO_COLOR`.
    Plain,
}

/// How diagnostics look.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageFormat {
    /// With the source lines.
    Full,
    /// One line each.
    Short,
    /// One JSON object a line.
    Json,
    /// A SARIF 2.1.0 document at the end.
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
    /// The reference of the options, as `docs/cli.md`.
    Markdown,
}

/// From which severity on a finding fails the run.
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
    /// What is wrong with the options taken together.
    pub(crate) fn conflict(&self) -> Option<String> {
        let has = |what| self.check.contains(&what);
        let alone = [(Check::None, "none"), (Check::All, "all")];
        let (_, name) = alone.into_iter().find(|&(what, _)| has(what) && self.check.iter().any(|&c| c != what))?;
        Some(format!("`--check {name}` goes with no other check"))
    }
}

fn seed(text: &str) -> Result<u64, String> {
    text.strip_prefix("seed:")
        .and_then(|n| n.parse().ok())
        .ok_or_else(|| format!("`{text}` is no schedule; write `seed:N` with a number N"))
}

fn seed_range(text: &str) -> Result<(u64, u64), String> {
    let bad = || format!("`{text}` is no range of seeds; write `A..B`, such as `0..64`");
    let (a, b) = text.split_once("..").ok_or_else(bad)?;
    let (b, is_last) = b.strip_prefix('=').map_or((b, false), |b| (b, true));
    let (a, b): (u64, u64) = (a.parse().map_err(|_| bad())?, b.parse().map_err(|_| bad())?);
    let b = b.saturating_add(u64::from(is_last));
    if a < b { Ok((a, b)) } else { Err(format!("the range of seeds `{text}` is empty")) }
}

/// Compute capabilities, times ten, from Kepler to Blackwell.
pub(crate) const KNOWN_SM: std::ops::RangeInclusive<u32> = 35..=121;

fn sm(text: &str) -> Result<u32, String> {
    let known = text.parse().ok().filter(|sm| KNOWN_SM.contains(sm));
    known.ok_or_else(|| format!("compute capabilities go from {} to {}", KNOWN_SM.start(), KNOWN_SM.end()))
}

fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n @ 1..=256) => Ok(n),
        _ => Err("from 1 to 256 threads".to_owned()),
    }
}

/// A number of bytes: `65536`, `64k`, `512m`, `2g`.
fn bytes(text: &str) -> Result<u64, String> {
    let bad = || format!("`{text}` is no number of bytes; write such as `65536`, `64k`, `512m` or `2g`");
    let (number, shift) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let number: u64 = number.parse().map_err(|_| bad())?;
    number.checked_mul(1 << shift).ok_or_else(bad)
}

/// A time of at most a year: `10`, `0.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok().filter(|s| *s > 0.0 && *s <= 366.0 * 86400.0);
    number
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("`{text}` is no time; write seconds, such as `10` or `0.5`"))
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
        assert!(["", "k", "-1", "1t", "99999999999g", "1.5m", "é"].iter().all(|t| bytes(t).is_err()));
    }

    #[test]
    fn seconds_are_positive() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(["0", "-1", "inf", "nan", "x", "1e99"].iter().all(|t| seconds(t).is_err()));
    }
}

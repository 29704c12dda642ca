//! How a launch ran: on several threads, or on one and why.
//!
//! No result depends on it. `--verbose` shows it, so that a user can find out why a launch takes long.
//!
//! Not here: the choice (`decide` beside this file).

use std::fmt::{Display, Formatter, Result};

/// How a launch ran.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LaunchMode {
    /// On several threads; its blocks share nothing.
    Independent,
    /// On several threads, speculatively.
    Speculative,
    /// On one thread.
    Serial(SerialReason),
}

/// Why one thread runs a launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SerialReason {
    /// The emulator has one thread.
    OneJob,
    /// The system gave no threads.
    NoThreads,
    /// A debugger follows the launch.
    Observed,
    /// A seed interleaves the blocks.
    Seed,
    /// Each access is checked for uninitialised memory.
    InitCheck,
    /// Barriers are checked for threads that have exited.
    Strict,
    /// The launch has too little work or too few blocks.
    Small,
    /// Blocks of a cooperative launch wait for each other.
    Cooperative,
    /// It launches kernels.
    Launches,
    /// Device code has launched it, and the race detector watches both.
    Nested,
    /// Blocks execute fences, and the race detector watches them.
    Watched,
    /// Blocks execute fences, and the race detector repeats the launch to decide about what it suspects.
    Decided,
    /// Speculation gained nothing, in this launch or in earlier ones of the kernel.
    NoGain,
    /// The launch ran on several threads up to an event whose order matters, such as a fault; one thread repeats it.
    Repeated,
    /// Memory has no room for the copies that several threads need.
    MemoryFull,
}

impl Display for LaunchMode {
    /// What comes after "ran".
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            LaunchMode::Independent => f.write_str("on several threads"),
            LaunchMode::Speculative => {
                f.write_str("on several threads, which repeat blocks that turn out to share memory")
            }
            LaunchMode::Serial(reason) => write!(f, "on one thread: {reason}"),
        }
    }
}

impl Display for SerialReason {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            SerialReason::OneJob => "the emulator has one thread (`--jobs`)",
            SerialReason::NoThreads => "the system refused to start more",
            SerialReason::Observed => "the debugger follows it",
            SerialReason::Seed => "`--schedule` interleaves its blocks",
            SerialReason::InitCheck => "`--check init` follows each access",
            SerialReason::Strict => "`--race=strict` checks its barriers in order",
            SerialReason::Small => "it has too little work for several",
            SerialReason::Cooperative => "blocks of a cooperative launch wait for each other",
            SerialReason::Launches => "it launches kernels",
            SerialReason::Nested => "device code has launched it, and `--race` follows both in order",
            SerialReason::Watched => "its blocks execute fences, and `--race` follows them in order",
            SerialReason::Decided => "its blocks execute fences, and `--race` repeats it to decide what it suspects",
            SerialReason::NoGain => "its blocks share memory, so several threads gain nothing",
            SerialReason::Repeated => "it was repeated after an error or another event whose order matters",
            SerialReason::MemoryFull => "there is not enough memory for several",
        })
    }
}

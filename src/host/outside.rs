//! What a host program asks of the world outside, and what it is told.

use device::{Call, Reply};
use finding::Finding;
use ir::foreign::{ForeignEnd, ForeignStep};
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;
use vm::Site;

/// The standard streams that a program writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stream {
    /// Unit 6.
    Stdout,
    /// Unit 0.
    Stderr,
}

/// Why [`Host::advance`](crate::Host::advance) returned.
#[derive(Clone, PartialEq, Debug)]
pub enum HostYield {
    /// The budget is used up.
    Budget,
    /// The hooks asked to stop before this statement.
    Statement(Site),
    /// Bytes for a standard stream; no answer is due.
    Output {
        /// Which stream.
        stream: Stream,
        /// The bytes, line ends included.
        bytes: Vec<u8>,
    },
    /// A question to the world; answer it.
    Ask(Ask),
    /// A call of the CUDA runtime; answer with [`Answer::Device`].
    Api(Call),
    /// A call of MPI; answer with [`Answer::Done`] when it is done, with [`Answer::CallBack`] when it is interrupted.
    Mpi(MpiCall),
    /// The program ends with an error. What follows puts its files in order, then comes `Done`.
    Fault(Box<Finding>),
    /// The program is over.
    Done {
        /// Its exit code.
        code: i32,
    },
}

/// A call of a routine of MPI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MpiCall {
    /// The number of the routine, by which [`HostOptions::mpi_routine`](crate::HostOptions) knows it.
    pub routine: u32,
    /// Its arguments, see the service `mpi.call`.
    pub words: Vec<u64>,
    /// The statement.
    pub span: Span,
}

/// A question to the world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ask {
    /// The next line of standard input.
    ReadLine,
    /// The contents of a file.
    ReadFile {
        /// Its name as the program gave it.
        path: String,
    },
    /// What there is of a file's name.
    FileStatus {
        /// Its name as the program gave it.
        path: String,
    },
    /// Puts bytes into a file from `offset` on; makes the file if there is none.
    WriteFile {
        /// Its name.
        path: String,
        /// First byte.
        offset: u64,
        /// The bytes.
        bytes: Arc<[u8]>,
        /// Length of the file thereafter, if it is to have one.
        length: Option<u64>,
    },
    /// Bytes of a file: of each piece, an offset and a length, one after another, up to the end of the file.
    ReadPieces {
        /// Its name.
        path: String,
        /// The pieces.
        pieces: Arc<[(u64, u64)]>,
    },
    /// Puts bytes to pieces of a file, which others may write at the same time; makes the file if there is none.
    WritePieces {
        /// Its name.
        path: String,
        /// Offsets and lengths.
        pieces: Arc<[(u64, u64)]>,
        /// The bytes of all, one after another.
        bytes: Arc<[u8]>,
        /// Length of the file thereafter, if it is to have one.
        length: Option<u64>,
    },
    /// Deletes a file.
    DeleteFile {
        /// Its name.
        path: String,
    },
    /// The wall clock: nanoseconds since a fixed moment.
    Clock,
    /// Processor time of the program in nanoseconds.
    CpuClock,
    /// Date and time of day.
    Date,
    /// An environment variable.
    Environment {
        /// Its name.
        name: String,
    },
    /// Has the shell run a command, and waits for it.
    Command {
        /// The command.
        text: String,
        /// The environment variables that the program has set.
        environment: BTreeMap<String, String>,
    },
    /// Calls a procedure of a library, or lets one go on that waits.
    Foreign(Arc<ForeignStep>),
    /// Waits for the turn of the rank: what follows may change what all ranks share.
    Turn,
    /// Lets time pass.
    Sleep {
        /// How long, in milliseconds.
        milliseconds: u64,
    },
}

/// What the world knows about a name of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileStatus {
    /// The one name that the file has, by whichever name it was asked for.
    pub path: String,
    /// What it is; `None` if there is nothing of that name.
    pub kind: Option<FileKind>,
    /// Its length in bytes, as far as it has one.
    pub bytes: u64,
}

/// What a name of a file stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A file with contents of some length.
    Regular,
    /// A pipe, a terminal or another device: what is read comes from elsewhere.
    Stream,
    /// A directory.
    Directory,
}

impl FileStatus {
    /// That there is no such file.
    pub fn absent(path: &str) -> FileStatus {
        FileStatus { path: path.to_owned(), kind: None, bytes: 0 }
    }
}

/// What a command of the shell came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandEnd {
    /// Its exit code.
    pub code: i32,
    /// What it printed to standard output.
    pub output: Vec<u8>,
    /// What it printed to standard error.
    pub errors: Vec<u8>,
}

/// The answer to what a host program asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A line without its line end; `None` at the end of the input.
    Line(Option<Vec<u8>>),
    /// A file's contents; `None` if there is no such file; the reason if it cannot be read.
    File(Result<Option<Vec<u8>>, String>),
    /// What there is of a name.
    Status(FileStatus),
    /// Something was done, or why not.
    Done(Result<(), String>),
    /// Nanoseconds.
    Nanoseconds(u64),
    /// Year, month, day, minutes from UTC, hour, minute, second, millisecond.
    Date([i32; 8]),
    /// A text, if there is one.
    Text(Option<Vec<u8>>),
    /// What a command of the shell came to; `None` if it could not be started.
    Command(Option<CommandEnd>),
    /// What a call of a procedure of a library came to; the reason if it could not be made.
    Foreign(Result<ForeignEnd, String>),
    /// The reply of the CUDA runtime.
    Device(Reply),
    /// A call of MPI is interrupted: procedures of the program are to be called before it goes on.
    CallBack,
    /// There is no answer yet. The host never gets this one: it is asked for again when the run goes on.
    Later,
}

//! Commands of a device.

use ir::FuncId;
use source::Span;
use std::sync::Arc;

/// An argument of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// The bits of a value.
    Bits(u64),
    /// An object passed by value.
    Bytes(Arc<[u8]>),
}

/// A kernel launch.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelLaunch {
    /// The kernel.
    pub func: FuncId,
    /// Grid extents; all 0 for `*`: as many blocks as fit.
    pub grid: [u32; 3],
    /// Block extents.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u64,
    /// The stream.
    pub stream: u64,
    /// The arguments.
    pub args: Vec<Arg>,
    /// Number of the launch in the run, from 1.
    pub number: u64,
    /// The launch statement.
    pub span: Span,
}

/// One side of a strided copy: a descriptor's contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strided {
    /// Address of the first element.
    pub base: u64,
    /// Extent and stride in bytes per dimension.
    pub dims: Vec<(i64, i64)>,
}

/// Setting all elements of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fill {
    /// The array.
    pub target: Strided,
    /// Bytes of one element.
    pub element: Arc<[u8]>,
}

/// Something that a device does.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Runs a kernel.
    Launch(KernelLaunch),
    /// Copies bytes between any two memories.
    Copy {
        /// To.
        destination: u64,
        /// From.
        source: u64,
        /// How many bytes.
        bytes: u64,
        /// The stream.
        stream: u64,
        /// The statement.
        span: Span,
    },
    /// Copies elements between two arrays of one shape.
    CopyStrided {
        /// To.
        destination: Strided,
        /// From.
        source: Strided,
        /// Bytes of one element.
        element_bytes: u64,
        /// The stream.
        stream: u64,
        /// The statement.
        span: Span,
    },
    /// Sets all elements of an array.
    Fill {
        /// What and with what.
        fill: Fill,
        /// The stream.
        stream: u64,
        /// The statement.
        span: Span,
    },
}

impl Command {
    /// The stream that it was put on.
    pub fn stream(&self) -> u64 {
        match self {
            Command::Launch(launch) => launch.stream,
            Command::Copy { stream, .. } | Command::CopyStrided { stream, .. } | Command::Fill { stream, .. } => {
                *stream
            }
        }
    }

    /// The statement that asked for it.
    pub fn span(&self) -> Span {
        match self {
            Command::Launch(launch) => launch.span,
            Command::Copy { span, .. } | Command::CopyStrided { span, .. } | Command::Fill { span, .. } => *span,
        }
    }
}

/// How far a device came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Every command is done.
    Idle,
    /// The budget is used up; there is more to do.
    Busy,
    /// The observer asked to stop.
    Stopped,
}

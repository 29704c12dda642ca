//! Commands of a device: launches, copies, fills, and routines of libraries, which say what they read and write and bring the
//! code that does it, and how far the results of two implementations agree.

use crate::{CudaError, VendorCall};
use finding::{Access, Actor, ApiFault, Finding, FindingKind, ThreadId};
use ir::FuncId;
use mem::{Memory, Origin};
use source::Span;
use std::fmt;
use std::sync::Arc;

/// An argument of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// The bits of a value.
    Bits(u64),
    /// An object passed by value.
    Bytes(Arc<[u8]>, Arc<[Hole]>),
}

/// Bytes of an object passed by value that nothing has written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hole {
    /// Where in the object they begin.
    pub offset: u64,
    /// How many there are.
    pub bytes: u64,
    /// Where they were copied from.
    pub origin: Origin,
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

impl KernelLaunch {
    /// A thread as findings name it, by the number of its block in the grid and its own in the block, from 0.
    pub fn thread(&self, block: u64, thread: u32) -> ThreadId {
        let [gx, gy, _] = self.grid.map(|extent| u64::from(extent.max(1)));
        let [bx, by, _] = self.block.map(|extent| extent.max(1));
        ThreadId {
            block: [block % gx, block / gx % gy, block / (gx * gy)].map(|c| c as u32 + 1),
            thread: [thread % bx, thread / bx % by, thread / (bx * by)].map(|c| c + 1),
            warp: thread / 32,
            lane: thread % 32,
        }
    }
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
    /// Those of them that nothing has written, such as the gaps of an object.
    pub holes: Vec<SourceHole>,
}

impl Fill {
    /// Every element becomes a value of so many bytes.
    pub fn with_value(target: Strided, element: Arc<[u8]>) -> Fill {
        Fill { target, element, holes: Vec::new() }
    }

    /// Every element becomes a copy of an object of `bytes` bytes, as it is now; `None` if it is not in a live allocation.
    pub fn with_object(memory: &Memory, target: Strided, address: u64, bytes: u64) -> Option<Fill> {
        let mut element = vec![0; bytes as usize];
        memory.read_copied(address, &mut element)?;
        let holes = memory.holes(address, bytes).into_iter();
        let holes = holes.map(|(start, len)| SourceHole { start, len, address: address + start }).collect();
        Some(Fill { target, element: element.into(), holes })
    }
}

/// Bytes of what is copied that nothing has written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceHole {
    /// The first one, in bytes from the beginning of what is copied, an array in array element order.
    pub start: u64,
    /// How many.
    pub len: u64,
    /// Where they are copied from.
    pub address: u64,
}

/// Elements that a routine reads or writes, with the bytes of one.
pub type Section = (Strided, u64);

/// The numbers of an array, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// Integers of 4 bytes.
    Integer,
    /// Reals of 2 bytes.
    Real2,
    /// Reals of 4 bytes; a complex number is two.
    Real4,
    /// Reals of 8 bytes; a complex number is two.
    Real8,
}

/// How far two implementations agree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Agreement {
    /// In all bits.
    Bits,
    /// Within so many rounding units of the largest number.
    Units(f64),
    /// The same for the absolute values of complex or real elements of so many numbers: vectors have any sign or phase. Where values
    /// are close to each other, it is more ([`Spectrum`]).
    Magnitudes(f64, usize),
    /// In all bits; where it is not zero, nothing else of the routine counts.
    Status,
}

/// An array that a routine writes.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// Its elements.
    pub sections: Vec<Section>,
    /// Those of them that have a defined value.
    pub known: Vec<Section>,
    /// What they are.
    pub number: Number,
    /// How far it is known.
    pub agreement: Agreement,
    /// What vectors belong to.
    pub spectrum: Option<Spectrum>,
}

/// The values that vectors belong to. The closer two values are, the less is known of their vectors.
#[derive(Clone, PartialEq, Debug)]
pub struct Spectrum {
    /// The values.
    pub values: Section,
    /// Elements of a column.
    pub rows: usize,
    /// Whether the rows are the vectors, and not the columns.
    pub is_by_rows: bool,
}

impl Written {
    /// Memory to work in.
    pub fn undefined(section: Section) -> Written {
        Written {
            sections: vec![section],
            known: Vec::new(),
            number: Number::Integer,
            agreement: Agreement::Bits,
            spectrum: None,
        }
    }

    /// An array of which these elements have a defined value.
    pub fn partly(whole: Section, known: Written) -> Written {
        Written { sections: vec![whole], ..known }
    }

    /// The same with another agreement.
    #[must_use]
    pub fn within(mut self, agreement: Agreement) -> Written {
        self.agreement = agreement;
        self
    }
}

/// What a routine does.
pub type RoutineWork = Arc<dyn Fn(&mut dyn Bytes) -> Result<(), CudaError> + Send + Sync>;

/// Memory by address: that of the device, and what it shares with the host.
pub trait Bytes {
    /// Copies bytes out.
    fn get(&mut self, address: u64, out: &mut [u8]) -> Result<(), CudaError>;

    /// Copies bytes in.
    fn put(&mut self, address: u64, data: &[u8]) -> Result<(), CudaError>;

    /// Says why a routine does not go on with the values that it has found; gives the error that it ends with.
    fn refuse(&mut self, _reason: String) -> CudaError {
        CudaError::InvalidValue
    }
}

impl Bytes for Memory {
    fn get(&mut self, address: u64, out: &mut [u8]) -> Result<(), CudaError> {
        Memory::read(self, address, out).ok_or(CudaError::InvalidValue)
    }

    fn put(&mut self, address: u64, data: &[u8]) -> Result<(), CudaError> {
        Memory::write(self, address, data).ok_or(CudaError::InvalidValue)
    }
}

/// A routine with its arguments.
#[derive(Clone)]
pub struct Routine {
    /// Its name.
    pub name: &'static str,
    /// What it reads.
    pub reads: Vec<Section>,
    /// What it writes.
    pub writes: Vec<Section>,
    /// What two implementations of it have in common.
    pub results: Vec<Written>,
    /// What of the bytes that it reads has to have been written, as far as that is known.
    pub needs: Vec<Section>,
    /// The stream.
    pub stream: u64,
    /// The statement.
    pub span: Span,
    /// What it does.
    pub work: RoutineWork,
    /// The function of NVIDIA's library that does the same, for a device that has it.
    pub vendor: Option<Arc<VendorCall>>,
}

/// Memory of a routine, and why it has refused to go on, if it has.
struct Refusable<'a>(&'a mut dyn Bytes, Option<String>);

impl Bytes for Refusable<'_> {
    fn get(&mut self, address: u64, out: &mut [u8]) -> Result<(), CudaError> {
        self.0.get(address, out)
    }

    fn put(&mut self, address: u64, data: &[u8]) -> Result<(), CudaError> {
        self.0.put(address, data)
    }

    fn refuse(&mut self, reason: String) -> CudaError {
        self.1 = Some(reason);
        CudaError::InvalidValue
    }
}

impl Routine {
    /// Does what it does. A finding tells of values with which it does not go on.
    pub fn run(&self, memory: &mut dyn Bytes, findings: &mut Vec<Finding>) -> Result<(), CudaError> {
        let mut memory = Refusable(memory, None);
        let done = (self.work)(&mut memory);
        if let Some(reason) = memory.1 {
            let kind = FindingKind::Api { call: self.name.to_owned(), fault: ApiFault::InvalidArgument { reason } };
            findings.push(Finding::new(kind, vec![Access::step(Actor::Host, self.span)]));
        }
        done
    }
}

impl fmt::Debug for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Routine { name, reads, writes, stream, .. } = self;
        write!(f, "{name} on stream {stream} reads {reads:?} writes {writes:?}")
    }
}

impl PartialEq for Routine {
    fn eq(&self, other: &Routine) -> bool {
        Arc::ptr_eq(&self.work, &other.work)
    }
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
    /// Does what a routine of a library does.
    Routine(Routine),
}

impl Command {
    /// The stream that it was put on.
    pub fn stream(&self) -> u64 {
        match self {
            Command::Launch(launch) => launch.stream,
            Command::Routine(routine) => routine.stream,
            Command::Copy { stream, .. } | Command::CopyStrided { stream, .. } | Command::Fill { stream, .. } => {
                *stream
            }
        }
    }

    /// The same on another stream.
    #[must_use]
    pub fn on(mut self, on: u64) -> Command {
        match &mut self {
            Command::Launch(launch) => launch.stream = on,
            Command::Routine(routine) => routine.stream = on,
            Command::Copy { stream, .. } | Command::CopyStrided { stream, .. } | Command::Fill { stream, .. } => {
                *stream = on;
            }
        }
        self
    }

    /// The statement that asked for it.
    pub fn span(&self) -> Span {
        match self {
            Command::Launch(launch) => launch.span,
            Command::Routine(routine) => routine.span,
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

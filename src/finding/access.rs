//! Who did what where: the parts of a finding that name threads, memory and launches.

use source::Span;
use std::fmt;

/// A device thread, as CUDA Fortran counts: block and thread from 1, warp and lane from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadId {
    /// `blockidx`.
    pub block: [u32; 3],
    /// `threadidx`.
    pub thread: [u32; 3],
    /// Number of the warp within its block, from 0.
    pub warp: u32,
    /// Lane within the warp, from 0.
    pub lane: u32,
}

/// Who made an access.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Actor {
    /// The host program.
    Host,
    /// A thread of a kernel.
    Thread(ThreadId),
    /// A kernel as a whole.
    Kernel(LaunchInfo),
    /// A copy or fill that runs in a stream on its own.
    Copy {
        /// The routine that asked for it, such as `cudaMemcpyAsync`.
        call: String,
        /// The stream; 0 is the default stream.
        stream: u64,
    },
    /// A message of MPI, or a part in a collective operation.
    Message {
        /// The routine that began it, such as `MPI_Isend`.
        call: String,
    },
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum What {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic operation that reads and writes.
    Atomic,
    /// An atomic operation that has compared, and changed nothing.
    Compare,
    /// A volatile read.
    VolatileRead,
    /// A volatile write.
    VolatileWrite,
    /// The memory is allocated.
    Allocate,
    /// The memory is freed.
    Free,
    /// No memory access: a call, an operation.
    Execute,
}

impl What {
    /// Whether memory may change.
    pub fn is_write(self) -> bool {
        matches!(self, What::Write | What::Atomic | What::VolatileWrite | What::Allocate | What::Free)
    }
}

/// The kind of memory, in the words of CUDA Fortran.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Space {
    /// Device memory.
    Global,
    /// Shared memory of a block.
    Shared,
    /// Constant memory.
    Constant,
    /// Local memory of a thread.
    Local,
    /// Managed or unified memory.
    Managed,
    /// Page-locked host memory.
    Pinned,
    /// Host memory.
    Host,
    /// Not known, such as that of an address that nothing was allocated at.
    Unknown,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Constant => "constant",
            Space::Local => "local",
            Space::Managed => "managed",
            Space::Pinned => "pinned",
            Space::Host => "host",
            Space::Unknown => "unknown",
        })
    }
}

/// An array element or a variable by its name in the source. Prints as the source would have it: `p(3,4)%x`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// Name of the array or variable.
    pub array: String,
    /// Subscripts of the element, in the bounds that the program declares; empty for a scalar or for the whole array.
    pub subscripts: Vec<i64>,
    /// Path of components after it, `%` included; empty when there is none.
    pub component: String,
}

impl Place {
    /// A variable as a whole.
    pub fn variable(name: impl Into<String>) -> Place {
        Place { array: name.into(), subscripts: Vec::new(), component: String::new() }
    }

    /// An element of an array.
    pub fn element(name: impl Into<String>, subscripts: impl Into<Vec<i64>>) -> Place {
        Place { array: name.into(), subscripts: subscripts.into(), component: String::new() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.array)?;
        for (i, subscript) in self.subscripts.iter().enumerate() {
            write!(f, "{}{subscript}", if i == 0 { '(' } else { ',' })?;
        }
        if !self.subscripts.is_empty() {
            f.write_str(")")?;
        }
        f.write_str(&self.component)
    }
}

/// A kernel launch.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LaunchInfo {
    /// Number of the launch in the run, from 1.
    pub number: u64,
    /// Name of the kernel.
    pub kernel: String,
    /// The stream; 0 is the default stream.
    pub stream: u64,
    /// Who launched it, if that was device code.
    pub by: Option<Box<Launcher>>,
}

/// A device thread that launches a kernel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Launcher {
    /// Its own kernel.
    pub kernel: String,
    /// The thread.
    pub thread: ThreadId,
    /// The launch statement.
    pub span: Span,
    /// Extents of the grid that it launches.
    pub grid: [u32; 3],
}

/// The number of the launch of that index, from 1, which device code makes in the launch from the host of that number.
pub fn nested_number(outer: u64, index: u64) -> u64 {
    outer & OUTER | index << OUTER_BITS
}

/// The number of the launch from the host in which a launch is, which may be that itself.
pub fn host_launch(number: u64) -> u64 {
    number & OUTER
}

/// The number of a launch as it is shown: `3`, or `3.2` for the second launch that device code makes in launch 3.
pub fn launch_name(number: u64) -> String {
    let (outer, index) = (number & OUTER, number >> OUTER_BITS);
    if index == 0 { outer.to_string() } else { format!("{outer}.{index}") }
}

/// The number of a launch by how it is shown.
pub fn launch_named(name: &str) -> Option<u64> {
    let (outer, index) = name.split_once('.').map_or((name, None), |(outer, index)| (outer, Some(index)));
    let index = index.map_or(Some(0), |index| index.parse().ok().filter(|&index| index > 0))?;
    outer.parse().ok().filter(|outer| *outer <= OUTER).map(|outer: u64| nested_number(outer, index))
}

/// Bits of a launch's number that say which launch of the host it is in.
const OUTER_BITS: u32 = 32;
const OUTER: u64 = (1 << OUTER_BITS) - 1;

/// One step of a call stack.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Call {
    /// The procedure that was called.
    pub procedure: String,
    /// The place of the call.
    pub called_at: Span,
}

/// One access to memory, or one step of the program that a finding speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Who.
    pub actor: Actor,
    /// What.
    pub what: What,
    /// In which memory.
    pub space: Space,
    /// The element by name, if known.
    pub place: Option<Place>,
    /// The address.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// The place in the source.
    pub span: Span,
    /// Calls that led here, the innermost first; empty in the kernel or main program itself.
    pub stack: Vec<Call>,
    /// The value read or written, as `print *` would show it.
    pub value: Option<String>,
    /// The launch that the thread belongs to, when it is not that of the finding.
    pub launch: Option<LaunchInfo>,
}

impl Access {
    /// An access with only its place in the source; the fields are public, set what is known.
    pub fn new(actor: Actor, what: What, space: Space, span: Span) -> Access {
        Access {
            actor,
            what,
            space,
            place: None,
            address: 0,
            bytes: 0,
            span,
            stack: Vec::new(),
            value: None,
            launch: None,
        }
    }

    /// A step of the program that is no memory access: an operation, a call.
    pub fn step(actor: Actor, span: Span) -> Access {
        Access::new(actor, What::Execute, Space::Unknown, span)
    }

    /// Sets the element by name.
    #[must_use]
    pub fn at(mut self, place: Place) -> Access {
        self.place = Some(place);
        self
    }

    /// Sets address and size in bytes.
    #[must_use]
    pub fn address(mut self, address: u64, bytes: u64) -> Access {
        self.address = address;
        self.bytes = bytes;
        self
    }

    /// Sets the value read or written.
    #[must_use]
    pub fn value(mut self, value: impl Into<String>) -> Access {
        self.value = Some(value.into());
        self
    }

    /// Sets the launch, when it is not that of the finding.
    #[must_use]
    pub fn launch(mut self, launch: LaunchInfo) -> Access {
        self.launch = Some(launch);
        self
    }

    /// Sets the call stack, the innermost call first.
    #[must_use]
    pub fn stack(mut self, stack: Vec<Call>) -> Access {
        self.stack = stack;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_print_as_in_the_source() {
        assert_eq!(Place::variable("total").to_string(), "total");
        let mut place = Place::element("p", [3, -4]);
        place.component = "%pos%x".to_owned();
        assert_eq!(place.to_string(), "p(3,-4)%pos%x");
    }
}

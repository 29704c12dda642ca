//! Errors of the Fortran run time that the program did not handle with `stat=` or `iostat=`.

use diag::Code;

/// What went wrong. Names are those of the source, in lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the line of each variant speaks of its fields")]
pub enum HostFault {
    /// `error stop` was executed, with its message or code.
    ErrorStop { message: Option<String> },
    /// Input or output failed for the reason given, one sentence without a dot.
    Io { unit: Option<i64>, reason: String },
    /// No record is left in the unit; no number means standard input or an internal file.
    EndOfFile { unit: Option<i64> },
    /// A value does not fit the format; the reason is one sentence without a dot.
    FormatMismatch { reason: String },
    /// `text` is not a value of the type (`integer(4)`).
    BadInput { text: String, wanted: String },
    /// `allocate` of something allocated.
    AlreadyAllocated { name: String },
    /// `allocate` of more than there is.
    AllocationTooLarge { name: String, bytes: u64 },
    /// `deallocate` of something that is not allocated.
    NotAllocated { name: String },
    /// `deallocate` of a pointer whose target `allocate` did not make.
    NotFromAllocate { name: String },
    /// Use of something not allocated.
    NotAllocatedUse { name: String },
    /// Use of a pointer without target.
    NullPointer { name: String },
    /// The stack of calls is full.
    StackOverflow { depth: u64 },
    /// Integer division by zero.
    DivisionByZero,
    /// A substring that takes a character, counted from 1, outside of its text of `length` characters.
    Substring { name: String, place: i64, length: i64 },
    /// Extents that differ in one dimension, counted from 1.
    NonconformingShapes { dimension: u32, left: i64, right: i64 },
    /// A length parameter of a derived type that has another value than it must have.
    DifferentLengths { parameter: String, wanted: i64, given: i64 },
    /// An exception of a real operation for which the program has asked to halt; the name of its flag.
    IeeeException { flag: String },
    /// A loop or section with step zero.
    ZeroStep,
    /// The limit on memory, in bytes, is reached.
    MemoryLimit { limit: u64 },
    /// A value that an intrinsic does not take; the reason is one sentence without a dot.
    IntrinsicValue { intrinsic: String, reason: String },
    /// Use of an absent optional dummy.
    AbsentArgument { name: String },
    /// Call of something without definition.
    NoSuchProcedure { name: String },
    /// A procedure of a library that cannot be called; the reason is one sentence without a dot.
    Foreign { name: String, reason: String },
    /// An address where the host has no data.
    InvalidAccess,
}

impl HostFault {
    /// The row of the table of codes.
    pub fn code(&self) -> Code {
        match self {
            HostFault::ErrorStop { .. } => Code::ErrorStop,
            HostFault::Io { .. } => Code::IoError,
            HostFault::EndOfFile { .. } => Code::EndOfFile,
            HostFault::FormatMismatch { .. } => Code::FormatMismatch,
            HostFault::BadInput { .. } => Code::BadInput,
            HostFault::AlreadyAllocated { .. } | HostFault::AllocationTooLarge { .. } => Code::AllocateFailed,
            HostFault::NotAllocated { .. } | HostFault::NotFromAllocate { .. } => Code::DeallocateFailed,
            HostFault::NotAllocatedUse { .. } => Code::NotAllocatedUse,
            HostFault::NullPointer { .. } => Code::NullPointerUse,
            HostFault::StackOverflow { .. } => Code::HostStackOverflow,
            HostFault::DivisionByZero => Code::HostDivisionByZero,
            HostFault::Substring { .. } => Code::SubstringOutOfBounds,
            HostFault::NonconformingShapes { .. } => Code::NonconformingShapes,
            HostFault::DifferentLengths { .. } => Code::DifferentLengths,
            HostFault::IeeeException { .. } => Code::IeeeException,
            HostFault::ZeroStep => Code::ZeroStep,
            HostFault::MemoryLimit { .. } => Code::HostMemoryLimit,
            HostFault::IntrinsicValue { .. } => Code::BadIntrinsicValue,
            HostFault::AbsentArgument { .. } => Code::AbsentArgument,
            HostFault::NoSuchProcedure { .. } => Code::NoSuchProcedure,
            HostFault::Foreign { .. } => Code::ForeignCallFailed,
            HostFault::InvalidAccess => Code::InvalidHostAccess,
        }
    }
}

impl HostFault {
    /// The value of an argument of an intrinsic function that is not from `lower` to `upper`, or stands twice in an array.
    pub fn of_argument(name: String, value: i64, (lower, upper): (i64, i64), is_twice: bool) -> HostFault {
        let reason = match (is_twice, lower, upper) {
            (true, ..) => format!("the value {value} stands twice"),
            (false, 0, i64::MAX) => format!("the value is {value}, and must not be negative"),
            (false, _, i64::MAX) => format!("the value is {value}, and must be at least {lower}"),
            (false, ..) => format!("the value is {value}, and must be from {lower} to {upper}"),
        };
        HostFault::IntrinsicValue { intrinsic: name, reason }
    }
}

//! Conditions of input and output statements: the `iostat=` number, the `iomsg=` text and the finding of each.
//!
//! End of file is −1 and end of record −2, as `iso_fortran_env` names them; errors have nvfortran's numbers where it has one
//! for the case, and [`OTHER`] otherwise.

use finding::HostFault;
use text::{FormatError, IoError};

/// `iostat=` of errors that have no number of their own.
pub(crate) const OTHER: i32 = 299;
/// `iostat_end`.
pub(crate) const END: i32 = -1;
/// `iostat_eor`.
pub(crate) const END_OF_RECORD: i32 = -2;

/// A condition that an input or output statement ends with.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Condition {
    /// No record is left.
    EndOfFile,
    /// The record ends early in a statement without advance.
    EndOfRecord,
    /// A value or a format is wrong.
    Text(IoError),
    /// A format that does not parse.
    Format(FormatError),
    /// Anything else: `iostat=` and a sentence.
    Error(i32, String),
    /// What a procedure that transfers an object says: its `iostat` and `iomsg`.
    Defined(i32, String),
}

impl Condition {
    /// The number for `iostat=`.
    pub(crate) fn iostat(&self) -> i32 {
        match self {
            Condition::EndOfFile => END,
            Condition::EndOfRecord => END_OF_RECORD,
            Condition::Text(IoError::Mismatch { .. }) => 230,
            Condition::Text(IoError::BadValue { .. } | IoError::IntegerOverflow { .. }) => 231,
            Condition::Text(IoError::RecordTooLong { .. }) => 219,
            Condition::Text(IoError::EndOfRecord) => 218,
            Condition::Text(_) => OTHER,
            Condition::Format(_) => 220,
            Condition::Error(number, _) | Condition::Defined(number, _) => *number,
        }
    }

    /// The sentence for `iomsg=`.
    pub(crate) fn message(&self) -> String {
        match self {
            Condition::EndOfFile => "end of file".to_owned(),
            Condition::EndOfRecord => "end of record".to_owned(),
            Condition::Text(error) => error.to_string(),
            Condition::Format(error) => error.to_string(),
            Condition::Defined(number, text) if text.is_empty() => {
                format!("defined input/output gives iostat {number}")
            }
            Condition::Error(_, reason) | Condition::Defined(_, reason) => reason.clone(),
        }
    }

    /// Whether the statement's specifiers (bit 0 `iostat=`, 1 `err=`, 2 `end=`, 3 `eor=`) deal with it.
    pub(crate) fn is_caught(&self, catch: i32) -> bool {
        let by = match self {
            Condition::EndOfFile | Condition::Defined(END, _) => 0b0101,
            Condition::EndOfRecord | Condition::Defined(END_OF_RECORD, _) => 0b1001,
            _ => 0b0011,
        };
        catch & by != 0
    }

    /// The fault of a program that does not deal with it.
    pub(crate) fn fault(&self, unit: Option<i64>) -> HostFault {
        match self {
            Condition::EndOfFile | Condition::Defined(END, _) => HostFault::EndOfFile { unit },
            Condition::Text(IoError::BadValue { item, text }) => {
                HostFault::BadInput { text: text.clone(), wanted: (*item).to_owned() }
            }
            Condition::Text(IoError::IntegerOverflow { text }) => {
                HostFault::BadInput { text: text.clone(), wanted: "an integer of this kind".to_owned() }
            }
            Condition::Text(
                error @ (IoError::Mismatch { .. }
                | IoError::NoDataEdit
                | IoError::Endless
                | IoError::ZeroWidth { .. }
                | IoError::Unsupported { .. }),
            ) => HostFault::FormatMismatch { reason: error.to_string() },
            Condition::Format(error) => HostFault::Io { unit, reason: format!("the format is malformed: {error}") },
            other => HostFault::Io { unit, reason: other.message() },
        }
    }
}

impl From<IoError> for Condition {
    fn from(error: IoError) -> Condition {
        Condition::Text(error)
    }
}

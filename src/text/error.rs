//! What can go wrong in a data transfer, as data, with its wording.
//!
//! Not here: `iostat=` numbers and the end-of-file condition, which belong to the unit.

use std::fmt;

/// An error in a format, with where in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// Byte offset in the format's text.
    pub offset: usize,
    /// What is wrong there; a sentence without final dot.
    pub message: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at character {} of the format", self.message, self.offset + 1)
    }
}

/// An error condition of a data transfer statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IoError {
    /// A data edit descriptor that does not suit the item's type.
    Mismatch {
        /// The descriptor, as `f8.3`.
        edit: String,
        /// The item's type.
        item: &'static str,
    },
    /// Items remain but the part of the format that would repeat has no data edit descriptor.
    NoDataEdit,
    /// The format goes round without end.
    Endless,
    /// A record is longer than the unit allows.
    RecordTooLong {
        /// The longest allowed, in characters.
        limit: usize,
    },
    /// An input field or constant is not what the item's type needs.
    BadValue {
        /// The item's type.
        item: &'static str,
        /// The text that was found.
        text: String,
    },
    /// An integer constant does not fit the item's kind.
    IntegerOverflow {
        /// The text that was found.
        text: String,
    },
    /// The record ends within a field and `pad='no'` is in force; with `advance='no'` this is the end-of-record condition.
    EndOfRecord,
    /// A repeat count of an input list is zero or too great.
    BadRepeat {
        /// The text that was found.
        text: String,
    },
    /// A namelist group holds a name that is not one of its variables.
    NoSuchVariable {
        /// The name that was found.
        name: String,
    },
    /// The text of a namelist group is malformed.
    BadNamelist {
        /// What is wrong.
        message: String,
    },
    /// More values than a variable of a namelist group has elements.
    TooManyValues {
        /// The variable.
        name: String,
    },
    /// An input descriptor of width zero.
    ZeroWidth {
        /// The descriptor, as `i0`.
        edit: String,
    },
    /// An edit descriptor that this position or direction does not allow.
    Unsupported {
        /// The descriptor.
        edit: String,
    },
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IoError::Mismatch { edit, item } => {
                write!(f, "edit descriptor `{edit}` does not suit an item of type {item}")
            }
            IoError::NoDataEdit => {
                f.write_str("data items remain but the format has no data edit descriptor left for them")
            }
            IoError::Endless => f.write_str("the format repeats without ever reaching a data edit descriptor"),
            IoError::RecordTooLong { limit } => write!(f, "the record exceeds {limit} characters"),
            IoError::BadValue { item, text } => write!(f, "`{text}` is not a valid {item} value"),
            IoError::IntegerOverflow { text } => write!(f, "`{text}` does not fit the integer's kind"),
            IoError::EndOfRecord => f.write_str("the record ends before the data edit descriptor's field"),
            IoError::BadRepeat { text } => write!(f, "`{text}` is not a valid repeat count"),
            IoError::NoSuchVariable { name } => write!(f, "`{name}` is not in the namelist group"),
            IoError::BadNamelist { message } => f.write_str(message),
            IoError::TooManyValues { name } => write!(f, "more values than `{name}` has elements"),
            IoError::ZeroWidth { edit } => write!(f, "edit descriptor `{edit}` needs a width on input"),
            IoError::Unsupported { edit } => write!(f, "edit descriptor `{edit}` is not supported"),
        }
    }
}

impl std::error::Error for IoError {}
impl std::error::Error for FormatError {}

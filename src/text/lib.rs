//! Fortran formatted, list-directed and namelist text, in both directions; pure.
//!
//! Values go in as bits with a type and come out as records, or the other way round; nothing here knows a file, a unit or a
//! clock. Each statement is an object that takes one item at a time, can be kept or copied between items, and never panics
//! or waits: a reader says that it needs another record, and goes on when it is fed. Formats are parsed once and shared.
//!
//! The layout is nvfortran's where it is known, and the Fortran 2018 standard's (clause 13) otherwise.
//!
//! Defined input/output: a statement lends the record that it is at to the statements of the procedure that transfers an
//! object, and takes it back (`lend`, `regain`, and `within`, by which a statement begins in a record that it was lent).
//!
//! Not here: units, files, end of file, `iostat=` numbers, unformatted transfer, calls of procedures, characters beyond one
//! byte.

mod c_format;
mod decimal;
mod device;
mod display;
mod error;
mod field;
mod format;
mod hexadecimal;
mod list_read;
mod listed;
mod modes;
mod namelist_read;
mod namelist_write;
mod number_in;
mod parse;
mod read;
mod record;
mod value;
mod write;

pub use c_format::CWriter;
pub use device::{DeviceStatement, stop_line, stop_message};
pub use display::display;
pub use error::{FormatError, IoError};
pub use field::Exponential;
pub use format::{Control, DerivedEdit, Edit, Format};
pub use list_read::ListReader;
pub use listed::{COLUMNS, ListWriter, Target};
pub use modes::{Blank, Decimal, Delim, Modes, Round, Sign};
pub use namelist_read::{Designator, NamelistReader, NamelistTarget, Part, Subscript};
pub use namelist_write::NamelistWriter;
pub use read::{FormatReader, Place, Progress};
pub use record::{Partial, Records, Written};
pub use value::{Datum, Value, Want, real_type, real_value};
pub use write::FormatWriter;

//! An output statement of device code: list-directed, or a `printf` of CUDA C.

use crate::{CWriter, ListWriter, Modes, Target, Value};

/// A statement that a thread has begun.
#[derive(Clone, Debug)]
pub enum DeviceStatement {
    /// PRINT or WRITE: lines.
    Listed(Box<ListWriter>),
    /// `printf`: what the format says.
    Formatted(CWriter),
}

impl DeviceStatement {
    /// The form of `io.begin` that means `printf`.
    pub const C_FORM: u32 = 4;

    /// Begins a statement of that form.
    pub fn begin(form: u32) -> DeviceStatement {
        match form {
            DeviceStatement::C_FORM => DeviceStatement::Formatted(CWriter::default()),
            _ => DeviceStatement::Listed(Box::new(ListWriter::begin(Modes::default(), Target::Stream))),
        }
    }

    /// Takes an item.
    pub fn item(&mut self, value: Value<'_>) {
        match self {
            // A stream target takes any item.
            DeviceStatement::Listed(writer) => drop(writer.item(value)),
            DeviceStatement::Formatted(writer) => writer.item(value),
        }
    }

    /// Writes the statement.
    pub fn finish(self, output: &mut Vec<u8>) {
        match self {
            DeviceStatement::Listed(writer) => {
                for line in writer.finish() {
                    output.extend_from_slice(&line);
                    output.push(b'\n');
                }
            }
            DeviceStatement::Formatted(writer) => output.extend(writer.finish()),
        }
    }
}

/// What STOP or ERROR STOP says (Fortran 2018, 11.4): its text without trailing blanks or its number; nothing for a stop code of
/// 0, and for an ERROR STOP without a stop code, whose number is 1.
pub fn stop_message(is_error: bool, code: i32, text: Option<&[u8]>) -> Option<String> {
    match text {
        Some(text) => Some(String::from_utf8_lossy(text).trim_end().to_owned()),
        None => (code != 0 && !(is_error && code == 1)).then(|| code.to_string()),
    }
}

/// The line that a STOP with a message prints.
pub fn stop_line(message: &str) -> String {
    format!("STOP {message}\n")
}

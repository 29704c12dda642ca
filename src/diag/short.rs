//! The short format: one line per diagnostic, for editors and for `grep`.

use crate::Diagnostic;
use crate::place::Place;
use source::SourceMap;

/// The diagnostic as `file:line:column: severity[code]: message` with a line end. Without a place the line begins with
/// the severity. A line end inside the message becomes a blank.
pub fn short(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    let message = diagnostic.message.replace(['\r', '\n'], " ");
    let head = format!("{}[{}]: {message}\n", diagnostic.severity(), diagnostic.code);
    match Place::of(map, diagnostic.place()) {
        Some(place) => format!("{}: {head}", place.text()),
        None => head,
    }
}

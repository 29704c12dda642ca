//! Input and output of the host program: units, files, and the statements that use them.
//!
//! Not here: text conversion (`text`), and the files outside the program, which only the world of `machine` touches.

mod bytes;
mod child;
mod connect;
mod dirty;
mod file;
mod finish;
mod formats;
mod input;
mod inquire;
mod internal;
mod modes;
mod namelist;
mod output;
mod statement;
mod unit;

pub(crate) use input::Object;

use crate::condition::{Condition, OTHER};
use crate::outside::Stream;
use crate::protocol::{Answers, Halt};
use formats::Formats;
use source::Span;
use statement::Statement;
use std::collections::VecDeque;
use unit::Units;

/// The state of input and output.
#[derive(Clone, Debug)]
pub(crate) struct Io {
    pub(crate) units: Units,
    /// The statements in progress, the innermost last: a function called in an item list may have its own.
    statements: Vec<Statement>,
    formats: Formats,
    /// Bytes for the standard streams.
    pub(crate) outbox: VecDeque<(Stream, Vec<u8>)>,
    /// The source statement that the service at hand belongs to.
    pub(crate) at: Span,
    /// How often others may have written files.
    pub(crate) others: u64,
    /// Whether unformatted files have the most significant byte first unless OPEN says otherwise.
    swaps_bytes: bool,
}

/// A service of input and output at work: the state, and the answers that it has received.
pub(crate) struct IoService<'a> {
    pub(crate) io: &'a mut Io,
    pub(crate) answers: &'a mut Answers,
}

impl Io {
    pub(crate) fn new(swaps_bytes: bool) -> Io {
        let (statements, formats, outbox) = (Vec::new(), Formats::default(), VecDeque::new());
        Io { units: Units::new(), statements, formats, outbox, at: Span::NONE, others: 0, swaps_bytes }
    }

    /// Sends bytes to a standard stream; those for the same one are joined.
    pub(crate) fn send(&mut self, stream: Stream, bytes: &[u8]) {
        match self.outbox.back_mut() {
            Some((last, queue)) if *last == stream && queue.len() < 1 << 16 => queue.extend_from_slice(bytes),
            _ if bytes.is_empty() => {}
            _ => self.outbox.push_back((stream, bytes.to_vec())),
        }
    }

    /// The statement in progress.
    pub(crate) fn statement(&mut self) -> Result<&mut Statement, Halt> {
        let missing = || Condition::Error(OTHER, "an item without its statement".to_owned()).into();
        self.statements.last_mut().ok_or_else(missing)
    }

    /// Whether the statement in progress has met a condition that it catches.
    pub(crate) fn has_failed(&self) -> bool {
        self.statements.last().is_some_and(|statement| statement.failed.is_some())
    }
}

//! Requests: operations that a rank has begun.

use crate::buffer::Buffer;
use crate::errand::{Fold, Own};
use crate::error::Step;
use crate::handle::{ANY_SOURCE, ANY_TAG, PROC_NULL};
use crate::layout::Layout;
use crate::message::{Message, Pattern, Piece};
use std::collections::VecDeque;
use std::sync::Arc;

/// How a message is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Standard,
    Buffered,
    Synchronous,
    Ready,
}

/// Where received data goes.
#[derive(Clone, Debug)]
pub(crate) struct Landing {
    pub(crate) buffer: Buffer,
    pub(crate) layout: Layout,
    pub(crate) count: u64,
}

impl Landing {
    /// Bytes that it has room for.
    pub(crate) fn bytes(&self) -> u64 {
        self.layout.size.saturating_mul(self.count)
    }
}

/// A message as its send call describes it.
#[derive(Clone, Debug)]
pub(crate) struct Sending {
    pub(crate) mode: Mode,
    pub(crate) from: Landing,
    /// Rank in the communicator, or `MPI_PROC_NULL`.
    pub(crate) to: i32,
    pub(crate) tag: i32,
    pub(crate) communicator: u32,
}

/// A receive as its call describes it.
#[derive(Clone, Debug)]
pub(crate) struct Receiving {
    pub(crate) into: Landing,
    pub(crate) pattern: Pattern,
    pub(crate) communicator: u32,
}

/// What a request is for.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Send(Sending),
    Receive(Receiving),
    /// A part in a collective operation: which, and where its results go.
    Collective {
        communicator: u32,
        sequence: u64,
        landings: Vec<Landing>,
        /// Where the handle goes of a communicator that it makes, if nobody else sees to that.
        made_at: u64,
    },
    /// An access to a window: where its result goes, and whether the program has the request.
    Access {
        window: u32,
        target: u32,
        landing: Option<Landing>,
        is_named: bool,
    },
    /// A reduction of one rank: where its result goes.
    Local {
        landing: Landing,
    },
    /// A transfer of a file: where what is read goes.
    Transfer {
        landing: Option<Landing>,
    },
    /// One that the program does itself.
    Own(Own),
}

/// What has come of an operation.
#[derive(Clone, Debug)]
pub(crate) enum Done {
    /// It is done.
    Alone(Status),
    /// A message, not yet in the buffer.
    Message(Message),
    /// What a procedure of the program has to combine before the operation is done.
    Parts(VecDeque<Piece>),
    /// Results of a collective operation, not yet in the buffers, and the communicator that it made.
    Results { pieces: Vec<Piece>, communicator: Option<u32> },
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) step: Step,
    pub(crate) work: Arc<Work>,
    pub(crate) done: Option<Done>,
    /// How a procedure of the program combines what the request gets.
    pub(crate) fold: Option<Arc<Fold>>,
    /// Whether it stays when it is done, to be started again.
    pub(crate) is_persistent: bool,
    /// Whether it was started and not completed.
    pub(crate) is_active: bool,
}

/// What a status says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Status {
    pub(crate) source: i32,
    pub(crate) tag: i32,
    pub(crate) bytes: u64,
    pub(crate) is_cancelled: bool,
}

impl Status {
    /// That of nothing.
    pub(crate) const EMPTY: Status = Status { source: ANY_SOURCE, tag: ANY_TAG, bytes: 0, is_cancelled: false };
    /// That of a receive from `MPI_PROC_NULL`.
    pub(crate) const OF_NOBODY: Status = Status { source: PROC_NULL, tag: ANY_TAG, bytes: 0, is_cancelled: false };

    /// That of a message.
    pub(crate) fn of(message: &Message) -> Status {
        Status { source: message.source as i32, tag: message.tag, bytes: message.bytes, is_cancelled: false }
    }
}

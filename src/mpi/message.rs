//! Messages, and how receives find them.

use crate::error::Step;
use crate::handle::{ANY_SOURCE, ANY_TAG};
use crate::layout::Signature;
use std::collections::VecDeque;
use std::sync::Arc;

/// The bytes of a message; those who hold it share them.
pub(crate) type Bytes = Arc<Vec<u8>>;

/// What is sent: the bytes, what they are, and who sends them.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) data: Bytes,
    pub(crate) signature: Signature,
    pub(crate) step: Step,
}

/// A message of a rank to another.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) piece: Piece,
    /// The sender's rank in the communicator.
    pub(crate) source: u32,
    pub(crate) tag: i32,
    /// The sender's request.
    pub(crate) request: u32,
    /// How many bytes it has.
    pub(crate) bytes: u64,
    pub(crate) delivery: Delivery,
}

/// Where the data of a message is, and what its sender waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Delivery {
    /// The sender is a rank of this process; the data is here.
    Here,
    /// The sender is in another process and waits for nothing; the data is here.
    Eager,
    /// The sender is in another process and waits until the message is received; the data is here.
    Answered,
    /// The sender is in another process and sends the data when a receive has taken the message.
    Announced,
}

/// What a receive or a probe takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    pub(crate) source: i32,
    pub(crate) tag: i32,
}

impl Pattern {
    fn takes(self, source: u32, tag: i32) -> bool {
        (self.source == ANY_SOURCE || self.source == source as i32) && (self.tag == ANY_TAG || self.tag == tag)
    }

    /// Whether it takes messages of any rank.
    pub(crate) fn is_any(self) -> bool {
        self.source == ANY_SOURCE
    }

    /// In words: `a message from rank 1 with tag 7`.
    pub(crate) fn words(self) -> String {
        let from = match self.source {
            ANY_SOURCE => "any rank".to_owned(),
            source => format!("rank {source}"),
        };
        match self.tag {
            ANY_TAG => format!("a message from {from}"),
            tag => format!("a message from {from} with tag {tag}"),
        }
    }
}

/// What is on its way to one rank in one communicator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mailbox {
    /// Messages that no receive has taken, in the order in which they were sent.
    pub(crate) arrived: VecDeque<Message>,
    /// Receives that have no message: their requests, in order.
    pub(crate) posted: VecDeque<(u32, Pattern)>,
}

impl Mailbox {
    /// The first receive that takes a message from that rank with that tag.
    /// With `waits`, one from any rank takes none yet.
    pub(crate) fn take_posted(&mut self, source: u32, tag: i32, waits: bool) -> Option<u32> {
        let at = self.posted.iter().position(|(_, pattern)| pattern.takes(source, tag))?;
        if waits && self.posted.get(at).is_some_and(|(_, pattern)| pattern.is_any()) {
            return None;
        }
        self.posted.remove(at).map(|(request, _)| request)
    }

    /// Whether one of the first `count` receives takes the message at a place.
    pub(crate) fn is_wanted_before(&self, at: usize, count: usize) -> bool {
        let Some(message) = self.arrived.get(at) else { return false };
        self.posted.iter().take(count).any(|(_, pattern)| pattern.takes(message.source, message.tag))
    }

    /// Places of the messages that may be the next for a receive: of each rank the first that it takes.
    pub(crate) fn candidates(&self, pattern: Pattern) -> Vec<usize> {
        let mut sources: Vec<u32> = Vec::new();
        let mut out = Vec::new();
        for (i, message) in self.arrived.iter().enumerate() {
            if pattern.takes(message.source, message.tag) && !sources.contains(&message.source) {
                sources.push(message.source);
                out.push(i);
                if pattern.source != ANY_SOURCE {
                    break;
                }
            }
        }
        out
    }

    /// The place of the message that a receive takes; `choose` takes one of several ranks.
    pub(crate) fn find(&self, pattern: Pattern, choose: impl FnOnce(usize) -> usize) -> Option<usize> {
        let candidates = self.candidates(pattern);
        match candidates.len() {
            0 => None,
            1 => Some(candidates[0]),
            n => Some(candidates[choose(n).min(n - 1)]),
        }
    }
}

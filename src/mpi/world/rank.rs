//! What MPI knows of one rank.

use crate::attribute::Attributes;
use crate::errand::{Errand, Procedure, Reply};
use crate::error::{OwnError, Step};
use crate::file::File;
use crate::group::Group;
use crate::handle::{END, FIRST_OWN, Table};
use crate::message::{Message, Pattern};
use crate::request::{Done, Request};
use crate::topology::Graph;
use crate::types::Types;
use crate::window::{Epochs, WindowWait};
use crate::world::call::Then;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;

/// Where a rank is between `MPI_Init` and `MPI_Finalize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Phase {
    #[default]
    Before,
    Running,
    Over,
}

/// What a rank waits for.
#[derive(Clone, Debug)]
pub(crate) enum Until {
    /// All of these requests.
    All(Vec<u32>),
    /// Any of these requests.
    Any(Vec<u32>),
    /// A message that can be received.
    Probe { communicator: u32, pattern: Pattern },
    /// The end of the errands of the rank.
    Called,
    /// Others at a window.
    Window { window: u32, wait: WindowWait },
}

/// An operation that the rank has made.
#[derive(Clone, Debug)]
pub(crate) struct OwnOperation {
    pub(crate) procedure: Procedure,
    pub(crate) commutes: bool,
}

/// A call that is not done.
#[derive(Clone)]
pub(crate) struct Waiting {
    pub(crate) step: Step,
    pub(crate) until: Until,
    /// What is done then.
    pub(crate) then: Then,
    /// Where its error code goes, 0 if nowhere, and the communicator that says what an error does.
    pub(crate) error_at: u64,
    pub(crate) communicator: u32,
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} waits for {:?}", self.step, self.until)
    }
}

/// A rank.
#[derive(Clone, Debug)]
pub(crate) struct Rank {
    pub(crate) phase: Phase,
    /// Whether its program has ended.
    pub(crate) is_ended: bool,
    /// Its open requests, by number.
    pub(crate) requests: BTreeMap<u32, Request>,
    next_request: u32,
    pub(crate) types: Types,
    /// Its groups, by number.
    pub(crate) groups: BTreeMap<u32, Group>,
    next_group: u32,
    /// Its open files, by the numbers of their communicators.
    pub(crate) files: BTreeMap<u32, File>,
    /// Number of the error handler of each communicator, window and file that does not have the usual one.
    pub(crate) handlers: BTreeMap<u32, u32>,
    /// How many collective operations it has begun on each communicator.
    pub(crate) sequences: BTreeMap<u32, u64>,
    /// Messages that matched probes have taken, with their communicators.
    pub(crate) messages: Table<(u32, Message)>,
    /// Address and bytes of the buffer for `MPI_Bsend`, and what is used of it.
    pub(crate) attached: Option<(u64, u64)>,
    pub(crate) attached_used: u64,
    /// The error handlers that it has made.
    pub(crate) own_handlers: Table<Procedure>,
    /// The classes and codes of errors that it has added.
    pub(crate) own_errors: Vec<OwnError>,
    pub(crate) attributes: Attributes,
    /// What it has begun at each of its windows.
    pub(crate) epochs: BTreeMap<u32, Epochs>,
    /// The calls that made the objects that it has not freed, by their handles.
    pub(crate) made: BTreeMap<i32, Step>,
    /// The graphs of its communicators, as it knows them.
    pub(crate) graphs: BTreeMap<u32, Arc<Graph>>,
    /// The names of its communicators and datatypes, by their handles.
    pub(crate) names: BTreeMap<i32, String>,
    /// Hints for its communicators and windows, by their handles.
    pub(crate) hints: BTreeMap<i32, Vec<(String, String)>>,
    /// Its info objects.
    pub(crate) infos: Table<Vec<(String, String)>>,
    /// The operations that it has made.
    pub(crate) operations: Table<OwnOperation>,
    /// The call that it waits in.
    pub(crate) waiting: Option<Waiting>,
    /// What the program is to do before it goes on, and what it is doing, innermost last.
    pub(crate) errands: VecDeque<Errand>,
    pub(crate) running: Vec<Errand>,
    /// What the last of them came to.
    pub(crate) reply: Reply,
    /// Calls that are interrupted, innermost last; `None` for one that was done already.
    pub(crate) suspended: Vec<Option<Waiting>>,
}

impl Rank {
    pub(crate) fn new() -> Rank {
        Rank {
            phase: Phase::Before,
            is_ended: false,
            requests: BTreeMap::new(),
            next_request: 1,
            types: Types::default(),
            groups: BTreeMap::new(),
            next_group: FIRST_OWN,
            files: BTreeMap::new(),
            handlers: BTreeMap::new(),
            sequences: BTreeMap::new(),
            messages: Table::default(),
            attached: None,
            attached_used: 0,
            own_handlers: Table::default(),
            own_errors: Vec::new(),
            attributes: Attributes::default(),
            epochs: BTreeMap::new(),
            made: BTreeMap::new(),
            graphs: BTreeMap::new(),
            names: BTreeMap::new(),
            hints: BTreeMap::new(),
            infos: Table::default(),
            operations: Table::default(),
            waiting: None,
            errands: VecDeque::new(),
            running: Vec::new(),
            reply: Reply::default(),
            suspended: Vec::new(),
        }
    }

    /// Adds a request; gives its number. Numbers are used again only after all others.
    pub(crate) fn add_request(&mut self, request: Request) -> u32 {
        while self.requests.contains_key(&self.next_request) {
            self.step_request();
        }
        let number = self.next_request;
        self.requests.insert(number, request);
        self.step_request();
        number
    }

    fn step_request(&mut self) {
        self.next_request = if self.next_request + 1 >= END { 1 } else { self.next_request + 1 };
    }

    /// Adds a group; gives its number.
    pub(crate) fn add_group(&mut self, group: Group) -> u32 {
        let number = self.next_group;
        self.next_group = (number + 1).min(END - 1);
        self.groups.insert(number, group);
        number
    }

    /// Whether a request is done.
    pub(crate) fn is_done(&self, request: u32) -> bool {
        self.requests.get(&request).is_none_or(|r| match &r.done {
            Some(Done::Parts(_)) => false,
            Some(_) => true,
            None => !r.is_active,
        })
    }
}

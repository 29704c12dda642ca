//! The ranks and what is between them, and how ranks go on.
//!
//! Not here: what a routine does (`routine`), which one is called (`dispatch`).

pub(crate) mod call;
mod directed;
mod one_sided;
mod progress;
pub(crate) mod rank;
pub(crate) mod remote;

use crate::collective::Collective;
use crate::communicator::Communicator;
use crate::errand::Errand;
use crate::error::{self, Fault};
use crate::handle::{FIRST_OWN, WORLD};
use crate::memory::RankMemory;
use crate::message::Mailbox;
use crate::window::{Access, Window};
use crate::world::call::{Caller, Next};
use crate::world::rank::{Phase, Rank, Until, Waiting};
use crate::world::remote::Remote;
use finding::{Access as Seen, Actor, Finding, FindingKind, MpiFault};
use source::Span;
use std::collections::BTreeMap;

/// Numbers of the communicators that are `MPI_COMM_SELF` of the ranks begin here.
const FIRST_SELF: u32 = 1 << 23;
/// `MPI_ERRORS_ARE_FATAL` and `MPI_ERRORS_RETURN`, by the numbers of their handles.
pub(crate) const FATAL: u32 = 1;
pub(crate) const ERRORS_RETURN: u32 = 2;
/// By this number the error handler is known of files that are not open.
pub(crate) const NO_FILE: u32 = u32::MAX;
/// How the names of the routines begin by which errands are done.
pub(crate) const OWN: &str = "cufemu_";
/// Exit code of ranks that an error of MPI ends.
pub(crate) const FAILED: i32 = 1;

/// What became of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is done.
    Done,
    /// It is done, and found that what it asks for is not there: others should have a turn.
    Polled,
    /// The rank waits.
    Waits,
    /// The program is to call procedures of its own, and then to go on with the call.
    CallsBack,
    /// All ranks end with this code.
    Ended(i32),
}

/// All ranks, and what is between them.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) ranks: Vec<Rank>,
    pub(crate) communicators: BTreeMap<u32, Communicator>,
    pub(crate) next_communicator: u32,
    /// What is on its way, by communicator and receiver.
    pub(crate) mailboxes: BTreeMap<(u32, u32), Mailbox>,
    /// Collective operations that have begun, by communicator and number.
    pub(crate) collectives: BTreeMap<(u32, u64), Collective>,
    pub(crate) windows: BTreeMap<u32, Window>,
    /// Accesses that wait until the memory of their target can be reached.
    pub(crate) accesses: Vec<Access>,
    /// What each rank knows of the others ([`Window::touches`]).
    pub(crate) clocks: Vec<Vec<u32>>,
    /// Uses of memory that end, by target; and the next number of one.
    pub(crate) ended_uses: Vec<(u32, u32)>,
    pub(crate) next_use: u32,
    pub(crate) findings: Vec<Finding>,
    /// The code with which all ranks end, once one has said so.
    end: Option<i32>,
    /// Counts what changes between ranks.
    changes: u64,
    /// The state of the choice among messages of several ranks; 0 takes the one that came first.
    random: u64,
    /// Which messages receives from any rank take, if others choose.
    directed: Option<directed::Directed>,
    /// The other processes, if one rank is in this one.
    pub(crate) remote: Option<Remote>,
}

impl World {
    /// As many ranks, none of which has begun. A seed other than 0 varies which of several messages a receive takes.
    pub fn new(ranks: u32, seed: u64) -> World {
        let mut communicators = BTreeMap::new();
        communicators.insert(WORLD, Communicator::new((0..ranks).collect(), "MPI_COMM_WORLD"));
        for rank in 0..ranks {
            communicators.insert(World::own_communicator(rank), Communicator::new([rank].into(), "MPI_COMM_SELF"));
        }
        World {
            ranks: (0..ranks).map(|_| Rank::new()).collect(),
            communicators,
            next_communicator: FIRST_OWN,
            mailboxes: BTreeMap::new(),
            collectives: BTreeMap::new(),
            windows: BTreeMap::new(),
            accesses: Vec::new(),
            clocks: vec![Vec::new(); ranks as usize],
            ended_uses: Vec::new(),
            next_use: 0,
            findings: Vec::new(),
            end: None,
            changes: 0,
            random: seed,
            directed: None,
            remote: None,
        }
    }

    /// Whether a rank has called `MPI_Finalize`.
    pub fn has_finalized(&self, rank: u32) -> bool {
        self.ranks[rank as usize].phase == Phase::Over
    }

    /// How many ranks there are.
    pub fn size(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// The number of the communicator that is `MPI_COMM_SELF` of a rank.
    pub(crate) fn own_communicator(rank: u32) -> u32 {
        FIRST_SELF + rank
    }

    /// The findings since the last call.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// The code with which all ranks end, once one has ended them.
    pub fn end_code(&self) -> Option<i32> {
        self.end
    }

    /// A number that grows when something changes that a rank may wait for.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn changed(&mut self) {
        self.changes += 1;
    }

    /// One of `count` choices.
    pub(crate) fn choose(&mut self, count: usize) -> usize {
        if self.random == 0 {
            return 0;
        }
        // The generator of Marsaglia, "Xorshift RNGs".
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % count as u64) as usize
    }

    /// Goes on with the call in which a rank waits, if it is ready.
    pub fn resume(&mut self, rank: u32, memory: &mut dyn RankMemory) -> Outcome {
        if let Some(code) = self.end {
            return Outcome::Ended(code);
        }
        if !self.ranks[rank as usize].errands.is_empty() {
            return self.interrupt(rank);
        }
        if !self.is_ready(rank) {
            return Outcome::Waits;
        }
        let Some(waiting) = self.ranks[rank as usize].waiting.take() else { return Outcome::Done };
        let Waiting { step, then, error_at, communicator, .. } = waiting;
        let mut caller =
            Caller { world: self, memory, rank, step, words: &[], is_large: false, taken: 0, communicator };
        let next = then(&mut caller);
        caller.go_on(next, error_at)
    }

    /// The call of a rank, which waits or is done, is interrupted by its errands.
    fn interrupt(&mut self, rank: u32) -> Outcome {
        let own = &mut self.ranks[rank as usize];
        let waiting = own.waiting.take();
        own.suspended.push(waiting);
        Outcome::CallsBack
    }

    /// Goes on with the call that was interrupted last.
    pub(crate) fn go_on(&mut self, rank: u32, memory: &mut dyn RankMemory) -> Outcome {
        let own = &mut self.ranks[rank as usize];
        own.waiting = own.suspended.pop().flatten();
        self.resume(rank, memory)
    }

    /// Whether a rank that waits can go on.
    pub fn is_ready(&self, rank: u32) -> bool {
        let own = &self.ranks[rank as usize];
        if !own.errands.is_empty() {
            return true;
        }
        match own.waiting.as_ref().map(|waiting| &waiting.until) {
            None | Some(Until::Called) => true,
            Some(Until::Window { window, wait }) => self.is_window_ready(rank, *window, wait),
            Some(Until::All(requests)) => requests.iter().all(|r| own.is_done(*r)),
            Some(Until::Any(requests)) => requests.iter().any(|r| own.is_done(*r)),
            Some(Until::Probe { communicator, pattern }) => self
                .mailboxes
                .get(&(*communicator, rank))
                .is_some_and(|mailbox| mailbox.find(*pattern, |_| 0).is_some()),
        }
    }

    /// The program of a rank is over; `span` is its last statement.
    pub fn ended(&mut self, rank: u32, code: i32, span: Span) {
        let own = &mut self.ranks[rank as usize];
        if std::mem::replace(&mut own.is_ended, true) || self.end.is_some() {
            return;
        }
        own.waiting = None;
        self.changed();
        if code == 0 && self.ranks[rank as usize].phase != Phase::Over {
            self.tell_end();
        }
        if self.ranks[rank as usize].phase == Phase::Running {
            if code != 0 {
                self.end = Some(code);
                return;
            }
            let access = Seen::step(Actor::Host, span);
            self.findings.push(Finding::new(FindingKind::Mpi(MpiFault::NotFinalized { rank }), vec![access]));
        }
    }

    /// All ranks end with this code.
    pub(crate) fn end_all(&mut self, code: i32) {
        self.end.get_or_insert(code);
    }
}

impl Caller<'_> {
    /// What becomes of a call: it waits, or it is done.
    pub(crate) fn go_on(mut self, next: Result<Next, Fault>, error_at: u64) -> Outcome {
        let (step, communicator) = (self.step, self.communicator);
        let is_polled = matches!(next, Ok(Next::Polled));
        if is_polled {
            self.world.asks();
        }
        let result = match next {
            Ok(Next::Wait(until, then)) => {
                self.world.asks_by_waiting(&until);
                self.own().waiting = Some(Waiting { step, until, then, error_at, communicator });
                if let Some(remote) = &mut self.world.remote {
                    remote.waits += 1;
                }
                let Caller { world, memory, rank, .. } = self;
                return world.resume(rank, memory);
            }
            Ok(Next::End(code)) => {
                self.world.end_all(code);
                return Outcome::Ended(code);
            }
            Ok(Next::Done | Next::Polled) => Ok(()),
            Err(fault) => Err(fault),
        };
        match self.finish(result, error_at) {
            Outcome::Done if !step.name.starts_with(OWN) && !self.own().errands.is_empty() => {
                self.world.interrupt(self.rank)
            }
            Outcome::Done if is_polled => Outcome::Polled,
            outcome => outcome,
        }
    }

    /// The end of a call: the error code is set, or all ranks end.
    fn finish(&mut self, result: Result<(), Fault>, error_at: u64) -> Outcome {
        let fault = match result.and_then(|()| self.set_int(error_at, 0)) {
            Ok(()) => return Outcome::Done,
            Err(fault) => fault,
        };
        let communicator = self.communicator;
        let own = self.own();
        // Files do not have the procedure that `MPI_COMM_WORLD` has.
        let is_file = communicator == NO_FILE || own.files.contains_key(&communicator);
        let of_world = own.handlers.get(&WORLD).copied().filter(|handler| !is_file || *handler == ERRORS_RETURN);
        let handler = own.handlers.get(&communicator).copied().or(of_world);
        if let Some(procedure) = handler.and_then(|number| own.own_handlers.get(number)).copied() {
            let (object, class) = (self.handle_of_object(communicator), fault.class);
            self.own().errands.push_back(Errand::Handle { procedure, object, class });
            if self.set_int(error_at, class).is_ok() {
                return Outcome::Done;
            }
        }
        let is_told = handler == Some(ERRORS_RETURN) || error::is_of_file(fault.class);
        if is_told && self.set_int(error_at, fault.class).is_ok() {
            return Outcome::Done;
        }
        let class = fault.class;
        self.report(*fault.fault);
        // A file returns codes (MPI 4.0, 14.7). What is a mistake of the program is told all the same.
        if is_file && handler.is_none() && self.set_int(error_at, class).is_ok() {
            return Outcome::Done;
        }
        self.world.end_all(FAILED);
        Outcome::Ended(FAILED)
    }
}

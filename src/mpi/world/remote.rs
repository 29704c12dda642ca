//! Ranks in other processes: what is sent to them, and what comes of what they send.
//!
//! A world with [`Remote`] has one rank of its own. It knows of the others what they send it in notes ([`Note`]); matching,
//! requests and results are as they are among the ranks of one process. Messages of up to 64 KiB go with their first note, the
//! data of longer ones when a receive has taken them. A collective operation waits only for parts that its results need.
//!
//! Nothing is sent or received here: notes are taken with [`World::take_outgoing`] and given to [`World::deliver`].

use crate::collective::{Collective, Operation, Part};
use crate::communicator::Communicator;
use crate::error::Step;
use crate::message::{Bytes, Delivery, Message};
use crate::note::{Names, Note};
use crate::request::{Done, Mode, Status, Work};
use crate::world::progress::{BUFFERED, DEADLOCKED, mismatch};
use crate::world::rank::Until;
use crate::world::{FAILED, World};
use finding::{MpiFault, RankCall};
use std::collections::{BTreeMap, BTreeSet};

/// Collective operations of a communicator that are remembered after their end, so that ranks that are behind are told of
/// a mismatch.
const REMEMBERED: u64 = 32;

/// A note for a rank in another process.
#[derive(Clone, Debug)]
pub struct Packet {
    /// The rank.
    pub to: u32,
    /// The note.
    pub bytes: Vec<u8>,
}

/// Where a rank in a process of its own is.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its number.
    pub rank: u32,
    /// The name of the computer.
    pub computer: String,
    /// A number that ranks on the same computer share.
    pub node: i32,
    /// What carries the notes, in words.
    pub carrier: String,
}

/// What a rank in a process of its own knows of the others.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    pub(crate) place: Place,
    names: Names,
    outgoing: Vec<Packet>,
    /// The data of messages that were announced, by request.
    announced: BTreeMap<u32, Bytes>,
    /// Messages whose data comes, by sender and its request, and the requests that get them.
    awaited: BTreeMap<(u32, u32), (u32, Message)>,
    /// Ranks whose programs have ended.
    ended: BTreeSet<u32>,
    /// How many notes were sent and have come, but for those that say what a rank waits for.
    sent: u64,
    got: u64,
    /// How often the rank has begun to wait.
    pub(crate) waits: u64,
    /// On rank 0: what the others have said that they wait for, the last two times.
    reports: BTreeMap<u32, [Option<Report>; 2]>,
}

/// What a rank has said that waits for long.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Report {
    wait: u64,
    sent: u64,
    got: u64,
    step: Step,
    what: String,
}

impl Remote {
    pub(crate) fn new(place: Place, names: Names) -> Remote {
        Remote {
            place,
            names,
            outgoing: Vec::new(),
            announced: BTreeMap::new(),
            awaited: BTreeMap::new(),
            ended: BTreeSet::new(),
            sent: 0,
            got: 0,
            waits: 0,
            reports: BTreeMap::new(),
        }
    }

    fn push(&mut self, to: u32, note: Note) {
        self.sent += u64::from(!matches!(note, Note::Waiting { .. }));
        self.outgoing.push(Packet { to, bytes: note.bytes() });
    }
}

impl World {
    /// What is to be sent to other processes.
    pub fn take_outgoing(&mut self) -> Vec<Packet> {
        self.remote.as_mut().map(|remote| std::mem::take(&mut remote.outgoing)).unwrap_or_default()
    }

    /// Whether a rank is in another process.
    pub(crate) fn is_elsewhere(&self, rank: u32) -> bool {
        self.remote.as_ref().is_some_and(|remote| remote.place.rank != rank)
    }

    fn own_rank(&self) -> u32 {
        self.remote.as_ref().map_or(0, |remote| remote.place.rank)
    }

    pub(crate) fn push(&mut self, to: u32, note: Note) {
        if let Some(remote) = &mut self.remote {
            remote.push(to, note);
        }
    }

    /// Sends a message to a rank in another process; whether its sender need not wait.
    pub(crate) fn send_away(&mut self, to: u32, communicator: u32, mode: Mode, message: Message) -> bool {
        let delivery = match mode {
            Mode::Buffered => Delivery::Eager,
            _ if message.bytes > BUFFERED => Delivery::Announced,
            Mode::Synchronous => Delivery::Answered,
            Mode::Standard | Mode::Ready => Delivery::Eager,
        };
        if let (Delivery::Announced, Some(remote)) = (delivery, &mut self.remote) {
            remote.announced.insert(message.request, message.piece.data.clone());
        }
        self.push(to, Note::Message { communicator, message: Message { delivery, ..message } });
        delivery == Delivery::Eager
    }

    /// A receive has taken a message; its sender goes on, or sends the data.
    pub(crate) fn matched(&mut self, rank: u32, request: u32, message: Message) {
        let (sender, sent) = (message.piece.step.rank, message.request);
        match message.delivery {
            Delivery::Here => {
                let requests = &self.ranks[sender as usize].requests;
                if requests.get(&sent).is_some_and(|r| r.done.is_none()) {
                    self.set_done(sender, sent, Done::Alone(Status::EMPTY));
                }
            }
            Delivery::Eager => {}
            Delivery::Answered => self.push(sender, Note::Taken { request: sent }),
            Delivery::Announced => {
                self.push(sender, Note::Taken { request: sent });
                if let Some(remote) = &mut self.remote {
                    remote.awaited.insert((sender, sent), (request, message));
                }
                return;
            }
        }
        self.set_done(rank, request, Done::Message(message));
    }

    /// Takes a note of another process; whether it is more than that a rank waits.
    pub fn deliver(&mut self, from: u32, bytes: Vec<u8>) -> bool {
        let names = self.remote.as_ref().map(|remote| remote.names);
        let Some(note) = names.and_then(|names| Note::read(bytes, names)) else { return false };
        let (own, counts) = (self.own_rank(), !matches!(note, Note::Waiting { .. }));
        if let Some(remote) = &mut self.remote {
            remote.got += u64::from(counts);
        }
        match note {
            Note::Message { communicator, message } => {
                let mailbox = self.mailboxes.entry((communicator, own)).or_default();
                match mailbox.take_posted(message.source, message.tag, false) {
                    Some(posted) => self.matched(own, posted, message),
                    None => mailbox.arrived.push_back(message),
                }
            }
            Note::Taken { request } => {
                let data = self.remote.as_mut().and_then(|remote| remote.announced.remove(&request));
                if let Some(data) = data {
                    self.push(from, Note::Data { request, data });
                }
                if self.ranks[own as usize].requests.get(&request).is_some_and(|r| r.done.is_none()) {
                    self.set_done(own, request, Done::Alone(Status::EMPTY));
                }
            }
            Note::Data { request, data } => {
                let awaited = self.remote.as_mut().and_then(|remote| remote.awaited.remove(&(from, request)));
                if let Some((posted, mut message)) = awaited {
                    message.piece.data = data;
                    self.set_done(own, posted, Done::Message(message));
                }
            }
            Note::Part { communicator, sequence, rank, operation, part, .. } => {
                self.take_part((communicator, sequence), rank as usize, operation, part);
            }
            Note::Results { communicator, sequence, pieces } => {
                if let Some(collective) = self.collectives.get_mut(&(communicator, sequence)) {
                    collective.sent = Some(pieces);
                }
                self.give_own_results((communicator, sequence));
            }
            Note::Waiting { wait, sent, got, step, what } => {
                self.take_report(from, Report { wait, sent, got, step, what });
            }
            Note::Access { access } => self.accesses.push(access),
            Note::Accessed { request, fetches, data } => self.accessed_there(own, request, fetches.then_some(data)),
            Note::Window { window, news } => self.take_news(window, from, own, news),
            Note::Ended => {
                if let Some(remote) = &mut self.remote {
                    remote.ended.insert(from);
                }
            }
        }
        counts
    }

    /// A part of a rank in another process.
    fn take_part(&mut self, key: (u32, u64), rank: usize, operation: Operation, part: Part) {
        // The communicator may be one that this rank makes with the results of the parts that are here.
        let known = self.communicators.get(&key.0).map_or(0, Communicator::size) as usize;
        let collective = self.collectives.entry(key).or_insert_with(|| Collective::new(operation, known, rank));
        collective.resize(known.max(rank + 1).max(collective.parts.len()));
        collective.parts[rank] = Some(part);
        let own = self.own_rank();
        let Some(own) = self.communicators.get(&key.0).and_then(|c| c.rank_of(own)) else { return };
        let Some(collective) = self.collectives.get(&key) else { return };
        if let (Some(here), Some(there)) = (&collective.parts[own as usize], &collective.parts[rank])
            && let Some((reason, a, b)) = mismatch(there, here)
        {
            let (first, second) = (there.step.about(a), here.step.about(b));
            let at = second.clone();
            self.report(MpiFault::Collectives { reason, first, second }, &at);
            self.end_all(FAILED);
            return;
        }
        self.give_own_results(key);
    }

    /// Sends the part of the own rank to those that need it, and takes the results that are there.
    pub(crate) fn spread(&mut self, key: (u32, u64), rank: usize) {
        let group = self.communicators[&key.0].group.clone();
        let Some(collective) = self.collectives.get(&key) else { return };
        let operation = collective.operation;
        let is_split_up = matches!(operation, Operation::Scatter | Operation::Alltoall);
        let notes = collective.receivers(rank).into_iter().filter_map(|to| {
            let part = collective.parts[rank].as_ref()?;
            let part = if is_split_up {
                Part { pieces: part.pieces.get(to).cloned().into_iter().collect(), ..part.without_data() }
            } else if operation == Operation::Neighbour
                && !collective.neighbours(rank).is_some_and(|n| n.targets.contains(&(to as i32)))
            {
                part.without_data()
            } else {
                part.clone()
            };
            let only = is_split_up.then_some(to as u32);
            let note = Note::Part { communicator: key.0, sequence: key.1, rank: rank as u32, operation, part, only };
            Some((group[to], note))
        });
        let notes: Vec<(u32, Note)> = notes.collect();
        for (to, note) in notes {
            self.push(to, note);
        }
        self.give_own_results(key);
    }

    /// Gives the own rank its results, if all that they need is here.
    pub(crate) fn give_own_results(&mut self, key: (u32, u64)) {
        let own = self.own_rank();
        let Some(group) = self.communicators.get(&key.0).map(|c| c.group.clone()) else { return };
        let Some(rank) = group.iter().position(|member| *member == own) else { return };
        let Some(mut collective) = self.collectives.remove(&key) else { return };
        let has_come = collective.parts.len() == group.len() && collective.parts[rank].is_some();
        if !has_come || collective.given[rank] || !collective.has_needed(rank) {
            self.collectives.insert(key, collective);
            return;
        }
        collective.prepare();
        let pieces = collective.sent.take().unwrap_or_else(|| collective.results(rank));
        if collective.is_central() && rank == 0 {
            for (to, &member) in group.iter().enumerate().skip(1) {
                let pieces = collective.results(to);
                self.push(member, Note::Results { communicator: key.0, sequence: key.1, pieces });
            }
        }
        let made = self.make_communicators(key.0, &collective)[rank];
        collective.given[rank] = true;
        let request = collective.parts[rank].as_ref().map_or(0, |part| part.request);
        self.set_results(own, request, pieces, made);
        collective.forget_data();
        self.collectives.insert(key, collective);
        let old = (key.0, key.1.wrapping_sub(REMEMBERED));
        if self.collectives.get(&old).is_some_and(|c| c.given.get(rank) == Some(&true)) {
            self.collectives.remove(&old);
        }
    }

    /// Tells the others that the program of the own rank has ended without `MPI_Finalize`.
    pub(crate) fn tell_end(&mut self) {
        let own = self.own_rank();
        for to in (0..self.size()).filter(|to| *to != own) {
            self.push(to, Note::Ended);
        }
    }

    /// Whether the own rank waits for what will never come, because those that it needs have ended; if so, it is reported, and
    /// all ranks end.
    pub fn is_lost(&mut self) -> bool {
        let Some(remote) = &self.remote else { return false };
        let own = remote.place.rank;
        if self.is_ready(own) || !self.waits_for_ended(remote, own) {
            return false;
        }
        let ended = remote.ended.iter().copied().collect();
        let waiting: Vec<RankCall> = self.waits_for(own).into_iter().collect();
        if let Some(at) = waiting.first().cloned() {
            self.report(MpiFault::Deadlock { waiting, ended }, &at);
        }
        self.end_all(DEADLOCKED);
        true
    }

    fn waits_for_ended(&self, remote: &Remote, own: u32) -> bool {
        let is_gone = |communicator: u32, rank: usize| {
            self.communicators
                .get(&communicator)
                .and_then(|c| c.group.get(rank))
                .is_some_and(|r| remote.ended.contains(r))
        };
        let source_is_gone = |communicator: u32, source: i32| match usize::try_from(source) {
            Ok(source) => is_gone(communicator, source),
            Err(_) => {
                let group = self.communicators.get(&communicator).map(|c| c.group.clone()).unwrap_or_default();
                (0..group.len()).all(|rank| group[rank] == own || is_gone(communicator, rank))
            }
        };
        let never = |request: u32| match self.ranks[own as usize].requests.get(&request).map(|r| &*r.work) {
            Some(Work::Send(sending)) => is_gone(sending.communicator, sending.to.max(0) as usize),
            Some(Work::Receive(receiving)) => {
                !remote.awaited.values().any(|(posted, _)| *posted == request)
                    && source_is_gone(receiving.communicator, receiving.pattern.source)
            }
            Some(Work::Collective { communicator, sequence, .. }) => {
                self.collectives.get(&(*communicator, *sequence)).is_some_and(|collective| {
                    let rank = self.communicators[communicator].rank_of(own).unwrap_or(0) as usize;
                    let mut needed = collective.needed(rank).into_iter();
                    needed.any(|from| collective.parts[from].is_none() && is_gone(*communicator, from))
                })
            }
            Some(Work::Local { .. } | Work::Access { .. } | Work::Transfer { .. } | Work::Generalized(_)) | None => {
                false
            }
        };
        match self.ranks[own as usize].waiting.as_ref().map(|waiting| &waiting.until) {
            Some(Until::All(_)) => self.waited_for(own).into_iter().any(never),
            Some(Until::Any(requests)) => !requests.is_empty() && self.waited_for(own).into_iter().all(never),
            Some(Until::Probe { communicator, pattern }) => source_is_gone(*communicator, pattern.source),
            Some(Until::Called | Until::Window { .. }) | None => false,
        }
    }

    /// The own rank has waited for long: rank 0 is told for what. If all ranks say so twice, and nothing was on its way
    /// meanwhile, they wait for each other; that is reported on rank 0, and all ranks end.
    pub fn waits_long(&mut self) {
        let own = self.own_rank();
        let Some(call) = self.waits_for(own) else { return };
        let Some(step) = self.ranks[own as usize].waiting.as_ref().map(|waiting| waiting.step) else { return };
        let Some(remote) = &mut self.remote else { return };
        let (wait, sent, got) = (remote.waits, remote.sent, remote.got);
        if own != 0 {
            remote.push(0, Note::Waiting { wait, sent, got, step, what: call.what });
            return;
        }
        self.take_report(0, Report { wait, sent, got, step, what: call.what });
        self.find_deadlock();
    }

    fn take_report(&mut self, from: u32, report: Report) {
        let Some(remote) = &mut self.remote else { return };
        let known = remote.reports.entry(from).or_default();
        known.swap(0, 1);
        known[1] = Some(report);
    }

    fn find_deadlock(&mut self) {
        let size = self.size() as usize;
        let Some(remote) = &self.remote else { return };
        let stay = |[first, second]: &[Option<Report>; 2]| second.as_ref().filter(|_| first == second).cloned();
        let reports: Vec<Report> = remote.reports.values().filter_map(stay).collect();
        let (sent, got) = reports.iter().fold((0, 0), |(s, g), report| (s + report.sent, g + report.got));
        if reports.len() != size || sent != got {
            return;
        }
        let waiting: Vec<RankCall> = reports.into_iter().map(|report| report.step.about(report.what)).collect();
        if let Some(at) = waiting.first().cloned() {
            self.report(MpiFault::Deadlock { waiting, ended: Vec::new() }, &at);
        }
        self.end_all(DEADLOCKED);
    }
}

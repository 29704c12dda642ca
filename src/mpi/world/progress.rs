//! How messages and collective operations make progress: matching, completion, and what happens when no rank can go on.

use crate::collective::{Collective, Operation, Part};
use crate::communicator::Communicator;
use crate::errand::Errand;
use crate::error::{self, Fault, Step};
use crate::handle::{BSEND_OVERHEAD, Kind, PROC_NULL};
use crate::memory::Use;
use crate::message::{Delivery, Message, Piece};
use crate::reduce::Operator;
use crate::request::{Done, Landing, Mode, Receiving, Request, Sending, Status, Work};
use crate::world::World;
use crate::world::call::Caller;
use crate::world::rank::Until;
use finding::{Access, Actor, Finding, FindingKind, MpiFault, RankCall};
use std::sync::Arc;

/// Bytes of a message of a standard send that a library would buffer.
pub(crate) const BUFFERED: u64 = 64 << 10;
/// Exit code of ranks that wait for each other.
pub(crate) const DEADLOCKED: i32 = 1;

impl Caller<'_> {
    /// Adds a request, which [`Caller::start`] begins.
    pub(crate) fn new_request(&mut self, work: Work, is_persistent: bool) -> u32 {
        let step = self.step;
        self.own().add_request(Request {
            step,
            work: Arc::new(work),
            done: None,
            fold: None,
            is_persistent,
            is_active: false,
        })
    }

    /// Begins a send or a receive.
    pub(crate) fn start(&mut self, request: u32) -> Result<(), Fault> {
        let step = self.step;
        let Some(own) = self.own().requests.get_mut(&request) else { return Ok(()) };
        (own.step, own.is_active, own.done) = (step, true, None);
        let work = own.work.clone();
        match &*work {
            Work::Send(sending) => {
                let started = self.check_sent(sending).and_then(|()| self.start_send(request, sending));
                started.inspect_err(|_| self.drop_request(request))
            }
            Work::Receive(receiving) => {
                // Nothing comes from nobody.
                if receiving.pattern.source != PROC_NULL {
                    self.begin_use(request, &[], std::slice::from_ref(&receiving.into));
                }
                self.start_receive(request, receiving);
                Ok(())
            }
            Work::Collective { .. }
            | Work::Local { .. }
            | Work::Access { .. }
            | Work::Transfer { .. }
            | Work::Generalized(_) => Ok(()),
        }
    }

    /// Checks that what is sent is in memory; nothing of a message to nobody is looked at.
    fn check_sent(&mut self, sending: &Sending) -> Result<(), Fault> {
        let Landing { buffer, layout, count } = &sending.from;
        if sending.to == PROC_NULL {
            return Ok(());
        }
        buffer.check(layout, *count, self.memory).map_err(|at| self.outside(at))
    }

    /// Nothing comes of a request.
    fn drop_request(&mut self, number: u32) {
        self.memory.end_use(number);
        let own = self.own();
        match own.requests.get_mut(&number) {
            Some(request) if request.is_persistent => request.is_active = false,
            _ => drop(own.requests.remove(&number)),
        }
    }

    /// A request uses these places from now on.
    pub(crate) fn begin_use(&mut self, request: u32, read: &[Landing], written: &[Landing]) {
        if !self.memory.is_watching() {
            return;
        }
        let places = |data: &[Landing]| data.iter().flat_map(|d| d.buffer.places(&d.layout, d.count)).collect();
        let (call, span) = (self.step.name, self.step.span);
        self.memory.begin_use(Use {
            request,
            is_access: false,
            call,
            span,
            read: places(read),
            written: places(written),
        });
    }

    /// Sends; gives the request.
    pub(crate) fn send(&mut self, sending: Sending) -> Result<u32, Fault> {
        let request = self.new_request(Work::Send(sending), false);
        self.start(request)?;
        Ok(request)
    }

    /// Receives; gives the request.
    pub(crate) fn receive(&mut self, receiving: Receiving) -> Result<u32, Fault> {
        let request = self.new_request(Work::Receive(receiving), false);
        self.start(request)?;
        Ok(request)
    }

    fn set_done(&mut self, rank: u32, request: u32, done: Done) {
        self.world.set_done(rank, request, done);
    }

    fn start_send(&mut self, request: u32, sending: &Sending) -> Result<(), Fault> {
        let Sending { mode, from: Landing { buffer, layout, count }, to, tag, communicator } = sending;
        let rank = self.rank;
        if *to == PROC_NULL {
            self.set_done(rank, request, Done::Alone(Status::EMPTY));
            return Ok(());
        }
        self.begin_use(request, std::slice::from_ref(&sending.from), &[]);
        let data = Arc::new(buffer.gather(layout, *count, self.memory).map_err(|at| self.outside(at))?);
        let bytes = data.len() as u64;
        let receiver = self.communicator(*communicator).group[*to as usize];
        let source = self.rank_in(*communicator);
        let piece = Piece { data, signature: layout.signature(*count), step: self.step };
        let message = Message { piece, source, tag: *tag, request, bytes, delivery: Delivery::Here };
        if *mode == Mode::Buffered {
            self.take_attached(bytes)?;
        }
        if self.world.is_elsewhere(receiver) {
            if self.world.send_away(receiver, *communicator, *mode, message) {
                self.set_done(rank, request, Done::Alone(Status::EMPTY));
            }
            return Ok(());
        }
        let is_directed = self.world.directed.is_some();
        let mailbox = self.world.mailboxes.entry((*communicator, receiver)).or_default();
        match mailbox.take_posted(source, *tag, is_directed) {
            Some(posted) => {
                self.set_done(receiver, posted, Done::Message(message));
                self.set_done(rank, request, Done::Alone(Status::EMPTY));
            }
            None if *mode == Mode::Ready => {
                let reason = format!("rank {to} has not posted a receive for the message, as a ready send requires");
                return self.wrong(error::OTHER, reason);
            }
            None => {
                mailbox.arrived.push_back(message);
                self.world.changed();
                // A rank in a process of its own has nobody who lets it go on when nobody else can.
                let is_own = self.world.remote.is_some() && *mode == Mode::Standard && bytes <= BUFFERED;
                if *mode == Mode::Buffered || is_own {
                    self.set_done(rank, request, Done::Alone(Status::EMPTY));
                }
            }
        }
        Ok(())
    }

    /// Takes room of the buffer for `MPI_Bsend`. Messages leave it as soon as they are received, which is known here only when
    /// none of the rank is left; then all of it is free.
    fn take_attached(&mut self, bytes: u64) -> Result<(), Fault> {
        let rank = self.rank;
        let is_waiting = |m: &Message| m.piece.step.rank == rank;
        if !self.world.mailboxes.values().any(|mailbox| mailbox.arrived.iter().any(is_waiting)) {
            self.own().attached_used = 0;
        }
        let used = self.own().attached_used;
        let Some((_, room)) = self.own().attached else {
            return self.wrong(error::BUFFER, "there is no buffer; call `MPI_Buffer_attach` first");
        };
        let wanted = bytes + BSEND_OVERHEAD;
        if used + wanted > room {
            let reason = format!("the attached buffer has {room} bytes, {used} are in use, and {wanted} are needed");
            return self.wrong(error::BUFFER, reason);
        }
        self.own().attached_used += wanted;
        Ok(())
    }

    fn start_receive(&mut self, request: u32, receiving: &Receiving) {
        let Receiving { pattern, communicator, .. } = receiving;
        let rank = self.rank;
        if pattern.source == PROC_NULL {
            return self.set_done(rank, request, Done::Alone(Status::OF_NOBODY));
        }
        let mut mailbox = std::mem::take(self.world.mailboxes.entry((*communicator, rank)).or_default());
        let is_deferred = self.world.is_deferred(&mailbox, *pattern);
        let found = if is_deferred { None } else { mailbox.find(*pattern, |count| self.world.choose(count)) };
        let message = found.and_then(|at| mailbox.arrived.remove(at));
        if message.is_none() {
            mailbox.posted.push_back((request, *pattern));
        }
        self.world.mailboxes.insert((*communicator, rank), mailbox);
        if let Some(message) = message {
            self.world.matched(rank, request, message);
        }
    }

    /// Brings a part, of data that is `read`, to the next collective operation of a communicator; gives the request.
    pub(crate) fn join(
        &mut self,
        communicator: u32,
        operation: Operation,
        part: Part,
        read: &[Landing],
        landings: Vec<Landing>,
    ) -> Result<u32, Fault> {
        let own = self.own();
        let next = own.sequences.entry(communicator).or_insert(0);
        let sequence = *next;
        *next += 1;
        let work = Work::Collective { communicator, sequence, landings: landings.clone(), made_at: 0 };
        let request = self.new_request(work, false);
        if let Some(own) = self.own().requests.get_mut(&request) {
            (own.is_active, own.fold) = (true, part.fold.clone());
        }
        self.begin_use(request, read, &landings);
        let (rank, size) = (self.rank_in(communicator) as usize, self.communicator(communicator).size() as usize);
        let (key, is_remote) = ((communicator, sequence), self.world.remote.is_some());
        let collective = self.world.collectives.entry(key).or_insert_with(|| Collective::new(operation, size, rank));
        // Those that have come agree with each other, unless they are in other processes.
        let known = if is_remote { 0..collective.parts.len() } else { collective.first..collective.first + 1 };
        for first in collective.parts[known].iter().flatten() {
            if let Some((reason, a, b)) = mismatch(first, &part) {
                let fault = MpiFault::Collectives { reason, first: first.step.about(a), second: part.step.about(b) };
                return Err(Fault { class: error::OTHER, fault: Box::new(fault) });
            }
        }
        collective.operation = operation;
        collective.resize(size);
        collective.parts[rank] = Some(Part { request, ..part });
        if is_remote {
            self.world.spread(key, rank);
        } else {
            self.world.give_results(key);
        }
        Ok(request)
    }

    /// Ends a request that is done: its data goes to the buffers. One that is not persistent is gone then.
    pub(crate) fn complete(&mut self, number: u32) -> Result<(Status, Option<u32>), Fault> {
        let Some(request) = self.own().requests.get_mut(&number) else { return Ok((Status::EMPTY, None)) };
        let done = request.done.take();
        let work = request.work.clone();
        request.is_active = false;
        if !request.is_persistent {
            self.own().requests.remove(&number);
        }
        self.memory.end_use(number);
        match (done, &*work) {
            (Some(Done::Alone(status)), Work::Generalized(own)) => {
                self.own().errands.push_back(Errand::Release { procedure: own.free, extra: own.extra });
                Ok((status, None))
            }
            (Some(Done::Alone(status)), _) => Ok((status, None)),
            (Some(Done::Results { pieces, .. }), Work::Transfer { landing: Some(landing) }) => {
                pieces.iter().try_for_each(|piece| self.land(piece, landing))?;
                Ok((Status::of_read(&pieces), None))
            }
            (Some(Done::Message(message)), Work::Receive(receiving)) => {
                let status = Status::of(&message);
                self.land(&message.piece, &receiving.into)?;
                Ok((status, None))
            }
            (
                Some(Done::Results { pieces, communicator }),
                Work::Collective { communicator: parent, landings, made_at, .. },
            ) => {
                if let Some(made) = communicator.filter(|_| *made_at != 0) {
                    self.inherit_handler(*parent, made);
                    self.give_made(Kind::Communicator, made, *made_at)?;
                }
                for (piece, landing) in pieces.iter().zip(landings) {
                    let (sent, room) = (piece.data.len() as u64, landing.bytes());
                    if sent != room {
                        let (there, here) = (bytes(sent), bytes(room));
                        let fault = MpiFault::Collectives {
                            reason: "the lengths of their data differ".to_owned(),
                            first: piece.step.about(there),
                            second: self.step.about(here),
                        };
                        return Err(Fault { class: error::TRUNCATE, fault: Box::new(fault) });
                    }
                    self.land(piece, landing)?;
                }
                Ok((Status::EMPTY, communicator))
            }
            (
                Some(Done::Results { pieces, .. }),
                Work::Local { landing } | Work::Access { landing: Some(landing), .. },
            ) => {
                pieces.iter().try_for_each(|piece| self.land(piece, landing))?;
                Ok((Status::EMPTY, None))
            }
            _ => Ok((Status::EMPTY, None)),
        }
    }

    /// A communicator has the error handler of the one that it is made of.
    pub(crate) fn inherit_handler(&mut self, parent: u32, made: u32) {
        let own = self.own();
        if let Some(handler) = own.handlers.get(&parent).copied() {
            own.handlers.insert(made, handler);
        }
    }

    /// Ends a request of a collective operation whose results have no place: gives them.
    pub(crate) fn complete_raw(&mut self, number: u32) -> Vec<Piece> {
        let request = self.own().requests.remove(&number);
        self.memory.end_use(number);
        match request.and_then(|request| request.done) {
            Some(Done::Results { pieces, .. }) => pieces,
            _ => Vec::new(),
        }
    }

    /// Puts data to its place.
    fn land(&mut self, piece: &Piece, landing: &Landing) -> Result<(), Fault> {
        let (sent, room) = (piece.data.len() as u64, landing.bytes());
        if sent > room {
            let (sender, receiver) = (piece.step.about(""), self.step.about(""));
            let fault = MpiFault::Truncated { sent, room, sender, receiver };
            return Err(Fault { class: error::TRUNCATE, fault: Box::new(fault) });
        }
        if let Some((was, is)) = piece.signature.mismatch(&landing.layout.signature(landing.count)) {
            let (sender, receiver) = (piece.step.about(""), self.step.about(""));
            let [sent, received] = [was, is].map(|basic| format!("`{}`", basic.name()));
            self.report(MpiFault::Types { sent, received, sender, receiver });
        }
        let Landing { buffer, layout, count } = landing;
        let whole = sent.checked_div(layout.size).unwrap_or(0).min(*count);
        buffer.check(layout, whole, self.memory).map_err(|at| self.outside(at))?;
        buffer.scatter(layout, *count, &piece.data, self.memory).map_err(|at| self.outside(at))
    }
}

/// Why two ranks do not call the same collective operation, and what is to be said of each.
pub(crate) fn mismatch(first: &Part, second: &Part) -> Option<(String, String, String)> {
    let nothing = || (String::new(), String::new());
    let (reason, (a, b)) = if first.step.name != second.step.name {
        ("the routines differ", nothing())
    } else if first.root != second.root {
        let root = |part: &Part| part.root.map_or_else(String::new, |root| format!("root {root}"));
        ("the roots differ", (root(first), root(second)))
    } else if let (Some((x, _)), Some((y, _))) = (first.operator, second.operator)
        && x.differs(y)
    {
        ("the reduction operations differ", (operation(x), operation(y)))
    } else if let (Some(_), Some(x), Some(y)) = (first.operator, first.pieces.first(), second.pieces.first()) {
        if x.data.len() != y.data.len() {
            ("the lengths of their data differ", (bytes(x.data.len() as u64), bytes(y.data.len() as u64)))
        } else if let Some((p, q)) = x.signature.mismatch(&y.signature) {
            ("the datatypes differ", (format!("`{}`", p.name()), format!("`{}`", q.name())))
        } else {
            return None;
        }
    } else {
        return None;
    };
    Some((reason.to_owned(), a, b))
}

fn operation(operator: Operator) -> String {
    match operator {
        Operator::Own(_) => operator.name().to_owned(),
        known => format!("`{}`", known.name()),
    }
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

impl World {
    /// An operation of a rank is done.
    pub(crate) fn set_done(&mut self, rank: u32, request: u32, done: Done) {
        if let Done::Message(message) = &done {
            self.learn(rank, message.piece.step.rank);
        }
        if let Some(request) = self.ranks[rank as usize].requests.get_mut(&request) {
            request.done = Some(done);
        }
        self.changed();
    }

    /// A rank gets results, or what a procedure of its program has to combine first.
    pub(crate) fn set_results(&mut self, rank: u32, number: u32, pieces: Vec<Piece>, communicator: Option<u32>) {
        let own = &mut self.ranks[rank as usize];
        if let Some(request) = own.requests.get_mut(&number) {
            let mut pieces = pieces;
            let has_values = pieces.first().is_some_and(|piece| !piece.data.is_empty());
            request.done = Some(if request.fold.is_some() && pieces.len() > 1 && has_values {
                own.errands.push_back(Errand::Fold { request: number });
                Done::Parts(pieces.into())
            } else {
                pieces.truncate(if request.fold.is_some() { 1 } else { usize::MAX });
                Done::Results { pieces, communicator }
            });
        }
        self.changed();
    }

    /// Gives the ranks of a collective operation their results, as far as they are there.
    fn give_results(&mut self, key: (u32, u64)) {
        let Some(mut collective) = self.collectives.remove(&key) else { return };
        collective.prepare();
        let group = self.communicators[&key.0].group.clone();
        let made = if collective.is_complete() {
            self.make_communicators(key.0, &collective)
        } else {
            vec![None; group.len()]
        };
        for (rank, &member) in group.iter().enumerate() {
            if !collective.is_ready(rank) {
                continue;
            }
            let pieces = collective.results(rank);
            collective.given[rank] = true;
            let request = collective.parts[rank].as_ref().map_or(0, |part| part.request);
            for (from, _) in collective.parts.iter().enumerate().filter(|(_, part)| part.is_some()) {
                self.learn(member, group[from]);
            }
            self.set_results(member, request, pieces, made[rank]);
        }
        if collective.given.contains(&false) {
            self.collectives.insert(key, collective);
        }
    }

    /// Makes the communicators of a collective operation, if it makes any; gives the number of that of each rank.
    pub(crate) fn make_communicators(&mut self, parent: u32, collective: &Collective) -> Vec<Option<u32>> {
        if collective.operation != Operation::Split {
            // The numbers of the parts are no communicators.
            return vec![None; collective.parts.len()];
        }
        let mut made: Vec<(Arc<[u32]>, u32)> = Vec::new();
        let mut out = Vec::new();
        // Ranks in several processes agree on numbers that none of them has used.
        let used = collective.parts.iter().flatten().filter_map(|part| part.numbers.get(2));
        self.next_communicator = used.map(|next| *next as u32).fold(self.next_communicator, u32::max);
        for new in collective.communicators(&self.communicators[&parent]) {
            out.push(new.map(|new| {
                if let Some((_, number)) = made.iter().find(|(group, _)| Arc::ptr_eq(group, &new.group)) {
                    return *number;
                }
                let number = self.next_communicator;
                self.next_communicator += 1;
                let communicator = Communicator { cart: new.cart, ..Communicator::new(new.group.clone(), "") };
                self.communicators.insert(number, communicator);
                made.push((new.group, number));
                number
            }));
        }
        out
    }

    /// No rank can go on by itself: ranks go on that only wait for buffers, which is reported, or else all end in a deadlock.
    /// `polling` are the ranks that look again and again whether a request is done; they may find it so. Gives whether a rank
    /// can go on.
    pub fn settle(&mut self, polling: &[u32]) -> bool {
        let waiting: Vec<u32> = (0..self.size()).filter(|&rank| self.ranks[rank as usize].waiting.is_some()).collect();
        let mut calls = Vec::new();
        for &rank in &waiting {
            let requests = self.waited_for(rank);
            if requests.iter().any(|r| self.buffer(rank, *r)) {
                calls.extend(self.ranks[rank as usize].waiting.as_ref().map(|waiting| waiting.step.about("")));
            }
        }
        let mut goes_on = !calls.is_empty();
        for &rank in polling {
            let open: Vec<u32> = self.ranks[rank as usize].requests.keys().copied().collect();
            for request in open {
                goes_on |= self.buffer(rank, request);
            }
        }
        let is_collective = !goes_on;
        if is_collective {
            calls = self.relax();
            goes_on = !calls.is_empty();
        }
        if let Some(first) = calls.first().cloned() {
            self.report(MpiFault::NeedsBuffering { waiting: calls, is_collective }, &first);
        }
        if goes_on || !polling.is_empty() {
            return true;
        }
        let calls: Vec<RankCall> = waiting.iter().filter_map(|&rank| self.waits_for(rank)).collect();
        if let Some(first) = calls.first() {
            let first = first.clone();
            let ended = (0..self.size()).filter(|&rank| self.ranks[rank as usize].is_ended).collect();
            self.report(MpiFault::Deadlock { waiting: calls, ended }, &first);
        }
        self.end_all(DEADLOCKED);
        false
    }

    pub(crate) fn report(&mut self, fault: MpiFault, at: &RankCall) {
        self.findings.push(Finding::new(FindingKind::Mpi(fault), vec![Access::step(Actor::Host, at.span)]));
    }

    /// The requests that a rank waits for and that are not done.
    pub(crate) fn waited_for(&self, rank: u32) -> Vec<u32> {
        let own = &self.ranks[rank as usize];
        let requests = match own.waiting.as_ref().map(|waiting| &waiting.until) {
            Some(Until::All(requests) | Until::Any(requests)) => &requests[..],
            _ => &[],
        };
        requests.iter().copied().filter(|r| !own.is_done(*r)).collect()
    }

    /// Completes a standard send whose message a library would buffer; whether it was one.
    fn buffer(&mut self, rank: u32, request: u32) -> bool {
        let Some(request) = self.ranks[rank as usize].requests.get_mut(&request) else { return false };
        match &*request.work {
            Work::Send(sending)
                if sending.mode == Mode::Standard
                    && request.is_active
                    && request.done.is_none()
                    && sending.from.bytes() <= BUFFERED =>
            {
                request.done = Some(Done::Alone(Status::EMPTY));
                self.changed();
                true
            }
            _ => false,
        }
    }

    /// Lets ranks leave collective operations that need no data of those that have not come; gives their calls.
    fn relax(&mut self) -> Vec<RankCall> {
        let mut calls = Vec::new();
        let keys: Vec<(u32, u64)> = self.collectives.keys().copied().collect();
        for key in keys {
            let Some(collective) = self.collectives.get_mut(&key) else { continue };
            let early: Vec<Step> = (0..collective.parts.len())
                .filter(|&rank| collective.could_go_on(rank))
                .filter_map(|rank| collective.parts[rank].as_ref().map(|part| part.step))
                .collect();
            if !early.is_empty() && !collective.is_relaxed {
                collective.is_relaxed = true;
                calls.extend(early.iter().map(|step| step.about("")));
                self.give_results(key);
            }
        }
        calls
    }

    /// The call in which a rank waits, and for what, in words; `None` if it does not wait.
    pub fn waits_for(&self, rank: u32) -> Option<RankCall> {
        let own = &self.ranks[rank as usize];
        let waiting = own.waiting.as_ref()?;
        if let Until::Probe { pattern, .. } = &waiting.until {
            return Some(waiting.step.about(pattern.words()));
        }
        if let Until::Window { window, wait } = &waiting.until {
            return Some(waiting.step.about(self.words_of_window(rank, *window, wait)));
        }
        let open = self.waited_for(rank);
        let what = open.first().and_then(|first| own.requests.get(first)).map_or_else(String::new, |r| self.words(r));
        let more = match open.len() {
            0 | 1 => String::new(),
            2 => ", and one more request".to_owned(),
            n => format!(", and {} more requests", n - 1),
        };
        Some(waiting.step.about(what + &more))
    }

    fn words(&self, request: &Request) -> String {
        match &*request.work {
            Work::Local { .. } | Work::Transfer { .. } => String::new(),
            Work::Generalized(_) => "the program to call `MPI_Grequest_complete`".to_owned(),
            Work::Access { target, .. } => format!("its access to the memory of rank {target}"),
            Work::Send(sending) => {
                format!("rank {} to receive its message with tag {}", sending.to, sending.tag)
            }
            Work::Receive(receiving) => receiving.pattern.words(),
            Work::Collective { communicator, sequence, .. } => {
                let Some(collective) = self.collectives.get(&(*communicator, *sequence)) else { return String::new() };
                let group = &self.communicators[communicator].group;
                let missing: Vec<u32> = collective.missing().into_iter().map(|rank| group[rank]).collect();
                match &missing[..] {
                    [] => String::new(),
                    [one] => format!("rank {one}"),
                    [start @ .., last] if start.len() < 4 => {
                        let start: Vec<String> = start.iter().map(u32::to_string).collect();
                        format!("ranks {} and {last}", start.join(", "))
                    }
                    [first, ..] => format!("rank {first} and {} other ranks", missing.len() - 1),
                }
            }
        }
    }
}

//! Accesses to windows: they wait until the memory of their target can be reached, and are done in the order in which they come.
//!
//! Not here: the calls (`routine::windows`), who reaches the memory when (`machine`).

use crate::buffer::Buffer;
use crate::error;
use crate::memory::{RankMemory, Use};
use crate::message::{Bytes, Piece};
use crate::note::{News, Note};
use crate::request::{Done, Status, Work};
use crate::window::{Access, Effect, Ending, Lock, Touch, Window, WindowWait};
use crate::world::{FAILED, World};
use finding::{Access as Seen, Actor, Finding, FindingKind, MpiFault};
use std::sync::Arc;

/// Touched places of a window that are kept before those are dropped that everyone has an order with.
const MOST_TOUCHES: usize = 256;
/// Numbers of uses of memory by accesses begin here, beyond those of requests.
const FIRST_USE: u32 = 1 << 31;

/// Makes a clock know what another one knows.
fn join(clock: &mut Vec<u32>, other: &[u32]) {
    clock.resize(clock.len().max(other.len()), 0);
    clock.iter_mut().zip(other).for_each(|(own, theirs)| *own = (*own).max(*theirs));
}

fn overlap(a: &[(u64, u64)], b: &[(u64, u64)]) -> Option<u64> {
    let meets = |&(x, n): &(u64, u64), &(y, m): &(u64, u64)| x < y.saturating_add(m) && y < x.saturating_add(n);
    a.iter().find_map(|p| b.iter().find(|q| meets(p, q)).map(|q| p.0.max(q.0)))
}

impl World {
    /// A rank knows what another one knows.
    pub(crate) fn learn(&mut self, rank: u32, from: u32) {
        if self.windows.is_empty() || rank == from {
            return;
        }
        let theirs = self.clocks.get(from as usize).cloned().unwrap_or_default();
        self.learn_of(rank, &theirs);
    }

    pub(crate) fn learn_of(&mut self, rank: u32, clock: &[u32]) {
        if let Some(own) = self.clocks.get_mut(rank as usize) {
            join(own, clock);
        }
    }

    /// What a rank knows.
    pub(crate) fn clock(&self, rank: u32) -> Vec<u32> {
        self.clocks.get(rank as usize).cloned().unwrap_or_default()
    }

    /// The accesses of a rank to these targets, or all, are complete.
    pub(crate) fn end_accesses(&mut self, window: u32, rank: u32, targets: Option<&[u32]>) {
        let Some(own) = self.clocks.get_mut(rank as usize) else { return };
        own.resize(own.len().max(rank as usize + 1), 0);
        let time = own[rank as usize];
        own[rank as usize] += 1;
        let Some(window) = self.windows.get_mut(&window) else { return };
        let is_meant = |target: u32| targets.is_none_or(|targets| targets.contains(&target));
        for touch in window.touches.iter_mut().filter(|t| t.origin == rank && t.end.is_none() && is_meant(t.target)) {
            touch.end = Some(time);
        }
        let passive =
            window.uses.iter().filter(|u| u.1 == rank && u.3 == Ending::Origin && is_meant(u.0)).map(|u| (u.0, u.2));
        let ended: Vec<(u32, u32)> = passive.collect();
        window.uses.retain(|u| !ended.contains(&(u.0, u.2)));
        self.ended_uses.extend(ended);
        if window.touches.len() > MOST_TOUCHES.max(2 * window.kept) {
            let knows = |clock: &Vec<u32>, touch: &Touch| {
                touch.end.is_some_and(|end| clock.get(touch.origin as usize).is_some_and(|&known| known > end))
            };
            let clocks = &self.clocks;
            window.touches.retain(|touch| !clocks.iter().all(|clock| knows(clock, touch)));
            window.kept = window.touches.len();
        }
    }

    /// Whether there is a window.
    pub fn has_windows(&self) -> bool {
        !self.windows.is_empty()
    }

    /// The ranks whose memory is to be reached for others.
    pub fn accessed(&self) -> Vec<u32> {
        self.accesses.iter().map(|access| access.target).chain(self.ended_uses.iter().map(|ended| ended.0)).collect()
    }

    /// Does the accesses to the memory of a rank.
    pub fn serve(&mut self, rank: u32, memory: &mut dyn RankMemory) {
        let mine: Vec<Access> = self.accesses.extract_if(.., |access| access.target == rank).collect();
        mine.into_iter().for_each(|access| self.perform(access, memory));
        self.end_own_uses(rank, memory);
    }

    /// Ends the uses of the memory of a rank that are over.
    pub(crate) fn end_own_uses(&mut self, rank: u32, memory: &mut dyn RankMemory) {
        self.ended_uses.extract_if(.., |u| u.0 == rank).for_each(|(_, number)| memory.end_use(number));
    }

    /// Does an access; the memory is that of its target.
    pub(crate) fn perform(&mut self, access: Access, memory: &mut dyn RankMemory) {
        if self.is_elsewhere(access.origin) && self.is_refused(&access) {
            return;
        }
        let there = Buffer::at(access.address);
        let places = there.places(&access.layout, access.count);
        self.check_order(&access, &places, memory);
        self.tell_use(&access, &places, memory);
        let piece =
            |data| Piece { data: Arc::new(data), signature: access.layout.signature(access.count), step: access.step };
        let mut result = None;
        // What is outside of the window was refused; memory that is gone since has no values.
        if access.effect == Effect::Put {
            let _ = there.scatter(&access.layout, access.count, &access.data, memory);
        } else {
            let old = there.gather(&access.layout, access.count, memory).unwrap_or_default();
            let new = match access.effect {
                Effect::Combine { operator, basic, .. } if old.len() == access.data.len() => {
                    let mut new = old.clone();
                    operator.combine(basic, &mut new, &access.data);
                    Some(new)
                }
                Effect::Swap => {
                    let (new, expected) = access.data.split_at(access.data.len() / 2);
                    (old == expected).then(|| new.to_vec())
                }
                _ => None,
            };
            if let Some(new) = new {
                let _ = there.scatter(&access.layout, access.count, &new, memory);
            }
            result = Some(old).filter(|_| access.effect.fetches());
        }
        if !matches!(access.effect, Effect::Put | Effect::Get) {
            self.order_atomic(&access);
        }
        if self.is_elsewhere(access.origin) {
            let (request, fetches, data) = (access.request, result.is_some(), Arc::new(result.unwrap_or_default()));
            return self.push(access.origin, Note::Accessed { request, fetches, data });
        }
        let done = match result {
            Some(data) => Done::Results { pieces: vec![piece(data)], communicator: None },
            None => Done::Alone(Status::EMPTY),
        };
        self.set_done(access.origin, access.request, done);
    }

    /// Whether an access of a rank in another process is outside of what this one has attached to a dynamic window; that ends all.
    fn is_refused(&mut self, access: &Access) -> bool {
        let Access { window, target, address, layout, count, step, .. } = access;
        let window = self.windows.get(window);
        let Some(reason) = window.and_then(|window| window.not_attached(*target, *address, layout, *count)) else {
            return false;
        };
        let fault = step.argument(error::RANGE, reason).fault;
        let access = Seen::step(Actor::Host, step.span);
        self.findings.push(Finding::new(FindingKind::Mpi(*fault), vec![access]));
        self.end_all(FAILED);
        true
    }

    /// Atomic accesses to the memory of a rank have an order, and with it what comes before and after them.
    fn order_atomic(&mut self, access: &Access) {
        let Some(window) = self.windows.get_mut(&access.window) else { return };
        let known = window.after_atomic.entry(access.target).or_default();
        let before = known.clone();
        join(known, &access.clock);
        self.learn_of(access.origin, &before);
    }

    /// Reports an access that has no order with another one to the same bytes. Ranks in other processes do not say what they know
    /// of each other.
    fn check_order(&mut self, access: &Access, places: &[(u64, u64)], memory: &dyn RankMemory) {
        if self.remote.is_some() {
            return;
        }
        let Some(window) = self.windows.get_mut(&access.window) else { return };
        let is_before = |touch: &Touch| {
            let known = access.clock.get(touch.origin as usize).copied().unwrap_or(0);
            touch.end.is_some_and(|end| known > end)
        };
        let found = window.touches.iter().rev().find_map(|touch| {
            let may = touch.target == access.target
                && touch.effect.conflicts(access.effect, touch.origin == access.origin)
                && !is_before(touch);
            let address = overlap(&touch.places, places).filter(|_| may)?;
            Some((touch.step, address))
        });
        let (origin, target, effect, step) = (access.origin, access.target, access.effect, access.step);
        // Who has no order with an access that is over has none with a later one of its origin, so the later one stands for both.
        window.touches.retain(|touch| {
            let is_same = (touch.origin, touch.target, touch.effect) == (origin, target, effect);
            !(is_same && touch.places == places && is_before(touch))
        });
        window.touches.push(Touch { origin, target, effect, step, places: places.to_vec(), end: None });
        if let Some((first, address)) = found {
            let name = memory.room(address).map(|(_, name)| name).unwrap_or_default();
            let fault = MpiFault::AccessConflict { first: first.about(""), second: step.about(""), target, name };
            let accesses = vec![Seen::step(Actor::Host, first.span), Seen::step(Actor::Host, step.span)];
            self.findings.push(Finding::new(FindingKind::Mpi(fault), accesses));
        }
    }

    /// Tells the target which of its memory is in use until the epoch ends.
    fn tell_use(&mut self, access: &Access, places: &[(u64, u64)], memory: &mut dyn RankMemory) {
        // A rank in another process does not say when its own epoch ends.
        let is_unended = access.ending == Ending::Origin && self.is_elsewhere(access.origin);
        if !memory.is_watching() || is_unended {
            return;
        }
        let request = FIRST_USE | self.next_use;
        self.next_use = (self.next_use + 1) % FIRST_USE;
        let Some(window) = self.windows.get_mut(&access.window) else { return };
        window.uses.push((access.target, access.origin, request, access.ending));
        let (read, written) = match access.effect {
            Effect::Get => (places.to_vec(), Vec::new()),
            _ => (Vec::new(), places.to_vec()),
        };
        let is_access = true;
        memory.begin_use(Use { request, is_access, call: access.step.name, span: access.step.span, read, written });
    }

    /// An epoch in which others may reach the memory of a rank has ended: these of their uses end.
    pub(crate) fn end_exposure(
        &mut self,
        window: u32,
        rank: u32,
        memory: &mut dyn RankMemory,
        is_over: impl Fn(Ending) -> bool,
    ) {
        let Some(window) = self.windows.get_mut(&window) else { return };
        let over = window.uses.extract_if(.., |u| u.0 == rank && is_over(u.3));
        over.for_each(|u| memory.end_use(u.2));
    }

    /// An access of the own rank is done by its target in another process.
    pub(crate) fn accessed_there(&mut self, own: u32, request: u32, data: Option<Bytes>) {
        let Some(known) = self.ranks[own as usize].requests.get(&request) else { return };
        let done = match (&*known.work, data) {
            (Work::Access { landing: Some(landing), .. }, Some(data)) => {
                let signature = landing.layout.signature(landing.count);
                Done::Results { pieces: vec![Piece { data, signature, step: known.step }], communicator: None }
            }
            _ => Done::Alone(Status::EMPTY),
        };
        self.set_done(own, request, done);
    }

    /// Takes what a rank in another process says of a window, which may be one that this rank is still making.
    pub(crate) fn take_news(&mut self, number: u32, from: u32, own: u32, news: News) {
        let window = self.windows.entry(number).or_default();
        match news {
            News::WantsAlone | News::WantsShared => {
                window.locks.entry(own).or_default().queue.push_back((from, news == News::WantsAlone));
                self.give_locks(number, own);
            }
            // The queue of a lock elsewhere is what the own rank has of it.
            News::Locked => window.locks.entry(from).or_default().queue.push_back((own, true)),
            News::Unlocked => self.release_lock(number, from, own),
            News::Posted => drop(window.posted.insert((from, own))),
            News::Completed => drop(window.completed.insert((from, own))),
        }
        self.changed();
    }

    /// Tells the ranks in other processes that hold the lock of the own rank, and do not know yet.
    fn give_locks(&mut self, number: u32, own: u32) {
        if self.remote.is_none() {
            return;
        }
        let Some(lock) = self.windows.get_mut(&number).and_then(|window| window.locks.get_mut(&own)) else { return };
        let all: Vec<u32> = lock.queue.iter().map(|(rank, _)| *rank).collect();
        let new: Vec<u32> =
            all.into_iter().filter(|&r| r != own && lock.is_held_by(r) && !lock.told.contains(&r)).collect();
        lock.told.extend(&new);
        for rank in new {
            self.push(rank, Note::Window { window: number, news: News::Locked });
        }
    }

    /// Tells a rank, if it is in another process, something of a window.
    pub(crate) fn tell(&mut self, window: u32, to: u32, news: News) {
        if self.is_elsewhere(to) {
            self.push(to, Note::Window { window, news });
        }
    }

    /// A rank asks for the lock of another one.
    pub(crate) fn ask_for_lock(&mut self, window: u32, rank: u32, target: u32, is_exclusive: bool) {
        if self.is_elsewhere(target) {
            return self.tell(window, target, if is_exclusive { News::WantsAlone } else { News::WantsShared });
        }
        if let Some(window) = self.windows.get_mut(&window) {
            window.locks.entry(target).or_default().queue.push_back((rank, is_exclusive));
        }
    }

    /// A rank holds a lock from now on, after those that had it before.
    pub(crate) fn take_lock(&mut self, window: u32, rank: u32, target: u32) {
        let Some(lock) = self.windows.get(&window).and_then(|window| window.locks.get(&target)) else { return };
        let is_exclusive = lock.queue.iter().any(|(r, is_exclusive)| *r == rank && *is_exclusive);
        let (exclusive, shared) = (lock.after_exclusive.clone(), lock.after_shared.clone());
        self.learn_of(rank, &exclusive);
        if is_exclusive {
            self.learn_of(rank, &shared);
        }
    }

    /// A rank gives a lock back.
    pub(crate) fn release_lock(&mut self, window: u32, rank: u32, target: u32) {
        let known = self.clock(rank);
        let Some(lock) = self.windows.get_mut(&window).and_then(|window| window.locks.get_mut(&target)) else { return };
        let Some(at) = lock.queue.iter().position(|(r, _)| *r == rank) else { return };
        lock.told.remove(&rank);
        match lock.queue.remove(at) {
            Some((_, true)) => join(&mut lock.after_exclusive, &known),
            _ => join(&mut lock.after_shared, &known),
        }
        self.tell(window, target, News::Unlocked);
        self.give_locks(window, target);
        self.changed();
    }

    /// What a rank waits for at a window, in words.
    pub(crate) fn words_of_window(&self, rank: u32, window: u32, wait: &WindowWait) -> String {
        let window = self.windows.get(&window);
        let missing = window.map(|window| window.missing(rank, wait)).unwrap_or_default();
        let Some(other) = missing.first() else { return String::new() };
        match wait {
            WindowWait::Locked(_) => {
                let holder = window.and_then(|window| window.locks.get(other)).and_then(Lock::holder);
                match holder {
                    Some(holder) => format!("the lock of rank {other}, which rank {holder} holds"),
                    None => format!("the lock of rank {other}"),
                }
            }
            WindowWait::Posted(_) => format!("rank {other} to call `MPI_Win_post`"),
            WindowWait::Completed(_) => format!("rank {other} to call `MPI_Win_complete`"),
        }
    }

    /// Whether what a rank waits for at a window is there.
    pub(crate) fn is_window_ready(&self, rank: u32, window: u32, wait: &WindowWait) -> bool {
        self.windows.get(&window).is_none_or(|window: &Window| window.missing(rank, wait).is_empty())
    }
}

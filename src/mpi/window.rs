//! Windows: memory that each rank of a communicator lets the others read and write, and who may at the moment.

use crate::basic::Basic;
use crate::error::Step;
use crate::layout::Layout;
use crate::reduce::Operator;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a rank lets the others reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exposed {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    /// Bytes of the unit in which others count.
    pub(crate) unit: u64,
    pub(crate) flavour: Flavour,
}

/// Where the memory of a window comes from; the numbers are those of `MPI_WIN_FLAVOR_…`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flavour {
    /// The program has given it.
    Created = 1,
    /// MPI has allocated it.
    Allocated = 2,
    /// The program attaches and detaches it; displacements are addresses.
    Dynamic = 3,
}

impl Flavour {
    /// That with this number.
    pub(crate) fn of(number: u64) -> Flavour {
        match number {
            2 => Flavour::Allocated,
            3 => Flavour::Dynamic,
            _ => Flavour::Created,
        }
    }
}

/// What an access does at its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    Put,
    Get,
    /// Combines the values there with those of the origin.
    Combine {
        operator: Operator,
        basic: Basic,
        fetches: bool,
    },
    /// Puts a value if the one that is there is the one that is expected.
    Swap,
}

impl Effect {
    /// Whether it gives the origin what was there.
    pub(crate) fn fetches(self) -> bool {
        matches!(self, Effect::Get | Effect::Swap | Effect::Combine { fetches: true, .. })
    }

    /// Whether two of them on the same bytes need an order. Accumulate operations of one origin are in order (MPI 4.0, 12.7.2);
    /// those of several must be the same one, or none (12.2.1, `same_op_no_op`).
    pub(crate) fn conflicts(self, other: Effect, is_same_origin: bool) -> bool {
        match (self, other) {
            (Effect::Get, Effect::Get) | (Effect::Swap, Effect::Swap) => false,
            (Effect::Combine { .. }, Effect::Swap) | (Effect::Swap, Effect::Combine { .. }) => false,
            (Effect::Combine { operator: a, .. }, Effect::Combine { operator: b, .. }) => {
                !is_same_origin && a != b && a != Operator::Nothing && b != Operator::Nothing
            }
            _ => true,
        }
    }
}

/// What ends the use of memory by an access, as its target sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// The origin does, by giving its lock back or waiting for its accesses.
    Origin,
    /// The target does, by its next fence after as many.
    Fence(u32),
    /// The target does, by waiting for the origins.
    Wait,
}

/// An access on its way. Ranks are those of `MPI_COMM_WORLD`.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) window: u32,
    pub(crate) origin: u32,
    pub(crate) target: u32,
    /// The request of the origin.
    pub(crate) request: u32,
    pub(crate) step: Step,
    pub(crate) effect: Effect,
    /// Where at the target.
    pub(crate) address: u64,
    pub(crate) layout: Layout,
    pub(crate) count: u64,
    /// What the origin brings; for a swap the new value, then the expected one.
    pub(crate) data: Vec<u8>,
    /// What the origin knows of the others ([`Window::touches`]).
    pub(crate) clock: Vec<u32>,
    /// What ends it for its target.
    pub(crate) ending: Ending,
}

/// Bytes that an access has touched.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub(crate) origin: u32,
    pub(crate) target: u32,
    pub(crate) effect: Effect,
    pub(crate) step: Step,
    /// Addresses and bytes.
    pub(crate) places: Vec<(u64, u64)>,
    /// The time of the origin at which it was complete; `None` before.
    pub(crate) end: Option<u32>,
}

/// A lock of the memory of one rank: those that hold it or wait for it, in order, and whether for themselves alone.
#[derive(Clone, Default, Debug)]
pub(crate) struct Lock {
    pub(crate) queue: VecDeque<(u32, bool)>,
    /// Ranks in other processes that know that they hold it.
    pub(crate) told: BTreeSet<u32>,
    /// What those know that had it alone, and that shared it.
    pub(crate) after_exclusive: Vec<u32>,
    pub(crate) after_shared: Vec<u32>,
}

impl Lock {
    /// Whether a rank holds it.
    pub(crate) fn is_held_by(&self, rank: u32) -> bool {
        let Some(at) = self.queue.iter().position(|(r, _)| *r == rank) else { return false };
        let before_is_shared = self.queue.iter().take(at).all(|(_, is_exclusive)| !is_exclusive);
        at == 0 || (before_is_shared && !self.queue[at].1)
    }

    /// The first of those that hold it.
    pub(crate) fn holder(&self) -> Option<u32> {
        self.queue.front().map(|(rank, _)| *rank)
    }
}

/// A window. It has a communicator with its number.
#[derive(Clone, Default, Debug)]
pub(crate) struct Window {
    /// What each rank exposes, by its rank in `MPI_COMM_WORLD`.
    pub(crate) exposed: BTreeMap<u32, Exposed>,
    /// What the ranks of this process have attached to a dynamic one.
    pub(crate) attached: BTreeMap<u32, Vec<(u64, u64)>>,
    /// Locks of the memory of each rank.
    pub(crate) locks: BTreeMap<u32, Lock>,
    /// Targets that have exposed their memory to an origin, which has not begun yet.
    pub(crate) posted: BTreeSet<(u32, u32)>,
    /// Origins that have completed their accesses to a target, which has not waited yet.
    pub(crate) completed: BTreeSet<(u32, u32)>,
    /// What was accessed, as long as an access may come that has no order with it. The order is that of vector clocks: each rank
    /// counts, and learns the counts of others by messages, collective operations, locks and epochs.
    pub(crate) touches: Vec<Touch>,
    /// How many of them were left when those were dropped last that everyone has an order with.
    pub(crate) kept: usize,
    /// What those know that have made atomic accesses to the memory of a rank.
    pub(crate) after_atomic: BTreeMap<u32, Vec<u32>>,
    /// Uses of memory that the target was told of: target, origin, number, and what ends it.
    pub(crate) uses: Vec<(u32, u32, u32, Ending)>,
}

impl Window {
    /// Why bytes are not in the memory of a rank of this process, if the window is a dynamic one.
    pub(crate) fn not_attached(&self, rank: u32, address: u64, layout: &Layout, count: u64) -> Option<String> {
        self.exposed.get(&rank).filter(|exposed| exposed.flavour == Flavour::Dynamic)?;
        let (low, high) = layout.hull(count)?;
        let (first, bytes) = (address.wrapping_add_signed(low), high.wrapping_sub(low) as u64);
        let holds = |&(start, length): &(u64, u64)| {
            first.checked_sub(start).and_then(|skipped| skipped.checked_add(bytes)).is_some_and(|end| end <= length)
        };
        if self.attached.get(&rank).is_some_and(|attached| attached.iter().any(holds)) {
            return None;
        }
        Some(format!("{bytes} bytes there are not inside of memory that rank {rank} has attached"))
    }
}

/// What a rank waits for at a window.
#[derive(Clone, Debug)]
pub(crate) enum WindowWait {
    /// To hold the locks of these ranks.
    Locked(Vec<u32>),
    /// That these ranks expose their memory.
    Posted(Vec<u32>),
    /// That these ranks complete their accesses.
    Completed(Vec<u32>),
}

impl Window {
    /// The ranks that a rank still waits for.
    pub(crate) fn missing(&self, rank: u32, wait: &WindowWait) -> Vec<u32> {
        let (all, is_there): (_, &dyn Fn(u32) -> bool) = match wait {
            WindowWait::Locked(all) => (all, &|target| self.locks.get(&target).is_some_and(|l| l.is_held_by(rank))),
            WindowWait::Posted(all) => (all, &|target| self.posted.contains(&(target, rank))),
            WindowWait::Completed(all) => (all, &|origin| self.completed.contains(&(origin, rank))),
        };
        all.iter().copied().filter(|other| !is_there(*other)).collect()
    }
}

/// What a rank has begun at a window. Ranks are those of `MPI_COMM_WORLD`.
#[derive(Clone, Default, Debug)]
pub(crate) struct Epochs {
    /// Between two fences; with how many there were, and the first access since the last one.
    pub(crate) is_fenced: bool,
    pub(crate) fences: u32,
    pub(crate) accessed: Option<Step>,
    /// The locks that it holds, and the calls that took them.
    pub(crate) locks: BTreeMap<u32, Step>,
    /// `MPI_Win_lock_all`.
    pub(crate) all: Option<Step>,
    /// The targets of `MPI_Win_start`.
    pub(crate) started: Option<(Step, Vec<u32>)>,
    /// The origins of `MPI_Win_post`.
    pub(crate) exposed: Option<(Step, Vec<u32>)>,
}

impl Epochs {
    /// Whether an access to a rank is allowed; if so, what ends it for its target.
    pub(crate) fn allows(&self, target: u32) -> Option<Ending> {
        if self.all.is_some() || self.locks.contains_key(&target) {
            return Some(Ending::Origin);
        }
        match &self.started {
            Some((_, targets)) => targets.contains(&target).then_some(Ending::Wait),
            None => self.is_fenced.then_some(Ending::Fence(self.fences)),
        }
    }

    /// The call that began an epoch which has not ended.
    pub(crate) fn open(&self) -> Option<Step> {
        let begun = [&self.started, &self.exposed].into_iter().flatten().map(|(step, _)| *step).next();
        self.locks.values().next().copied().or(self.all).or(begun).or(self.accessed)
    }
}

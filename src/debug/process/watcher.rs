//! The observer of the running program: it counts statements and decides where to stop.
//!
//! Time is the number of statements begun so far in the whole program, host and device, without hidden ones. It is the same in
//! every execution with the same answers from outside, so a time names one point of execution (invariant I4). A watcher decides
//! quickly and may stop too often; the session then examines the stop and continues.

use crate::command::WatchOn;
use crate::process::races::Search;
use crate::process::sites::Hidden;
use crate::process::timeline;
use crate::process::trace::SiteSet;
use device::{Call, DeviceAccess, KernelLaunch, Statement};
use ir::{FuncId, Space};
use machine::HostStatement;
use source::Span;
use std::sync::Arc;
use vm::Warp;

/// A thread, the host included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Thread {
    /// The host.
    Host,
    /// A lane of a launch.
    Device {
        /// Number of the launch.
        launch: u64,
        /// Linear index of the block.
        block: u64,
        /// The warp.
        warp: u32,
        /// The lane.
        lane: u32,
    },
}

impl Thread {
    /// Whether the thread begins this statement.
    pub(crate) fn begins(self, s: &Statement) -> bool {
        match self {
            Thread::Host => s.launch == 0,
            Thread::Device { launch, block, warp, lane } => {
                s.block == block && s.warp == warp && s.launch == launch && s.mask >> lane & 1 != 0
            }
        }
    }
}

/// Where a step ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// The thread that steps.
    pub(crate) thread: Thread,
    /// Deeper calls do not end it; with `None`, only `sites` end it.
    pub(crate) most_depth: Option<u32>,
    /// These statements end it whatever their depth; those of kernels by any thread if the host steps.
    pub(crate) sites: Vec<vm::Site>,
}

impl Step {
    /// Whether the step ends here.
    pub(crate) fn ends_at(&self, s: &Statement) -> bool {
        let is_site = self.sites.contains(&vm::Site { func: s.func, pc: s.pc });
        // The host reaches no statement of a kernel itself, so any thread that does ends its step.
        let is_launched = self.thread == Thread::Host && s.launch != 0;
        is_site && is_launched || self.thread.begins(s) && (is_site || self.most_depth.is_some_and(|d| s.depth <= d))
    }
}

/// Watched memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    /// First address.
    pub(crate) address: u64,
    /// How many bytes.
    pub(crate) bytes: u64,
    /// The owner of shared or local memory.
    pub(crate) owner: Option<Owner>,
    /// Which accesses stop the program.
    pub(crate) on: WatchOn,
}

/// The owner of watched shared or local memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    /// Number of the launch.
    pub(crate) launch: u64,
    /// Linear index of the block.
    pub(crate) block: u64,
    /// For local memory, warp and lane.
    pub(crate) lane: Option<(u32, u32)>,
}

impl Range {
    /// Whether an access is of these bytes.
    pub(crate) fn is_hit(&self, a: &DeviceAccess) -> bool {
        let overlaps = a.address < self.address + self.bytes && self.address < a.address + u64::from(a.bytes);
        overlaps
            && match (a.space, self.owner) {
                (Space::Shared, Some(Owner { launch, block, lane: None })) => a.launch == launch && a.block == block,
                (Space::Local, Some(Owner { launch, block, lane: Some((warp, lane)) })) => {
                    a.launch == launch && a.block == block && a.warp == warp && a.lane == lane
                }
                (Space::Shared | Space::Local, _) | (_, Some(_)) => false,
                (_, None) => true,
            }
    }
}

/// The latest accesses to watched memory.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Seen {
    /// The last write.
    pub(crate) write: Option<DeviceAccess>,
    /// The last read of what is watched for reads.
    pub(crate) read: Option<DeviceAccess>,
}

impl Seen {
    fn is_empty(&self) -> bool {
        self.write.is_none() && self.read.is_none()
    }
}

/// A point of execution to find in the past.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Seek {
    /// Where a step would end.
    Step(Step),
    /// The last statement of a launch, of these lanes of that warp if they are known.
    Launch(u64, Option<(u32, u32)>),
    /// A statement of the host that holds this place.
    Span(Span),
}

impl Seek {
    /// Whether this statement is such a point.
    pub(crate) fn fits(&self, s: &Statement) -> bool {
        match self {
            Seek::Step(step) => step.ends_at(s),
            Seek::Launch(launch, lane) => {
                s.launch == *launch && lane.is_none_or(|(warp, lane)| s.warp == warp && s.mask >> lane & 1 != 0)
            }
            Seek::Span(span) => {
                let inside = s.span.file == span.file && s.span.start <= span.start && span.end <= s.span.end;
                s.launch == 0 && inside
            }
        }
    }
}

/// Statements that may end a run, by function and operation.
pub(crate) type Marks = Arc<Vec<Vec<bool>>>;

/// When a launch began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Begun {
    /// The time of its first statement.
    pub(crate) time: u64,
    /// Whether the statement before that is one of the host.
    pub(crate) follows_host: bool,
}

/// The sides of a program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Sides {
    /// The host.
    pub(crate) host: bool,
    /// The devices.
    pub(crate) device: bool,
}

/// Observes the running program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watcher {
    /// Statements begun so far.
    pub(crate) time: u64,
    /// The sides whose statements are only counted.
    pub(crate) unseen: Sides,
    /// Stops at this statement at the latest.
    pub(crate) until: u64,
    /// Code whose statements do not count.
    pub(crate) hidden: Arc<Hidden>,
    /// Stops at these statements.
    pub(crate) marks: Marks,
    /// Stops where this ends.
    pub(crate) step: Option<Step>,
    /// Stops after a write to one of these, or after a read of those that are watched for reads.
    pub(crate) ranges: Vec<Range>,
    /// Stops at every statement of these threads, to compare watched registers.
    pub(crate) threads: Vec<Thread>,
    /// Records the latest matching time before this one.
    pub(crate) seek: Option<(Seek, u64)>,
    /// What `seek` found.
    pub(crate) found: Option<u64>,
    /// Where it stopped.
    pub(crate) at: Option<Statement>,
    /// Whether it stopped for another reason than `until` or an end of a launch.
    pub(crate) wanted: bool,
    /// The accesses to watched memory since the last stop.
    pub(crate) seen: Seen,
    /// The launch of the last statement; 0 is the host.
    pub(crate) launch: u64,
    /// Whether the host has begun a statement after a launch.
    pub(crate) has_returned: bool,
    /// Launches that began.
    pub(crate) begun: Vec<(u64, Begun)>,
    /// The launches that the devices began, with their kernels and the extents of their grids.
    pub(crate) launched: Vec<(u64, FuncId, [u32; 3])>,
    /// The statements that ran.
    pub(crate) ran: SiteSet,
    /// From which times on another block ran, or the host: time, launch and block.
    pub(crate) blocks: Vec<(u64, u64, u64)>,
    /// Stops at the first match of `seek` too.
    pub(crate) halts: bool,
    /// When the thread that steps began a statement last.
    pub(crate) own: Option<u64>,
    /// Races whose accesses are to be located.
    pub(crate) search: Option<Search>,
    /// Calls of the CUDA runtime.
    pub(crate) calls: Vec<timeline::Seen>,
    /// How many the last statement of the host has made.
    pub(crate) made: u32,
    /// Calls of MPI that are entries of the record that the program follows: their numbers and times.
    pub(crate) recorded: Vec<(usize, u64)>,
    /// Stops after the call of this number, or the first after it.
    pub(crate) until_call: Option<usize>,
}

impl Watcher {
    /// The sides on which it may have to stop at a statement, given which functions are device code.
    pub(crate) fn looks_at(&self, is_device: impl Fn(usize) -> bool) -> Sides {
        if self.seek.is_some() || self.search.is_some() || !self.ranges.is_empty() {
            return Sides { host: true, device: true };
        }
        let mut sides = Sides::default();
        for (func, marks) in self.marks.iter().enumerate() {
            if marks.contains(&true) {
                *if is_device(func) { &mut sides.device } else { &mut sides.host } = true;
            }
        }
        // A step of a thread of the device ends when its launch is over, which the next statement of the host shows.
        let threads = self.threads.iter().copied().chain(self.step.as_ref().map(|step| step.thread));
        for thread in threads {
            sides.host = true;
            sides.device |= thread != Thread::Host;
        }
        sides.device |= self.step.as_ref().is_some_and(|step| step.sites.iter().any(|s| is_device(s.func.index())));
        sides
    }

    /// Drops what it has collected for the records of the process.
    pub(crate) fn forget(&mut self) {
        self.begun.clear();
        self.launched.clear();
        self.ran.clear();
        self.blocks.clear();
        self.calls.clear();
        self.recorded.clear();
    }

    /// Another block begins statements, or the host.
    fn enter(&mut self, launch: u64, block: u64) {
        if self.blocks.last().is_none_or(|last| (last.1, last.2) != (launch, block)) {
            self.blocks.push((self.time, launch, block));
        }
        if launch != 0 && launch != self.launch {
            self.begun.push((launch, Begun { time: self.time, follows_host: self.launch == 0 }));
        }
    }

    /// A thread begins a statement; statements of the host have launch 0. Returns whether to stop before it.
    pub(crate) fn statement(&mut self, s: &Statement) -> bool {
        if self.hidden.has_func(s.func) || self.hidden.has_span(s.span) {
            return false;
        }
        self.time += 1;
        self.made = 0;
        self.ran.add(s.func, s.pc);
        self.enter(s.launch, s.block);
        let mut is_halt = false;
        if let Some((seek, before)) = &self.seek
            && self.time < *before
            && seek.fits(s)
        {
            is_halt = self.halts && self.found.is_none();
            self.found = Some(self.time);
        }
        let marked = self.marks.get(s.func.index()).and_then(|f| f.get(s.pc as usize)).copied().unwrap_or(false);
        let is_edge = self.launch != s.launch;
        self.wanted = marked
            || is_halt
            || !self.seen.is_empty()
            || self.step.as_ref().is_some_and(|step| step.ends_at(s) || may_have_ended(step.thread, s, is_edge))
            || self.threads.iter().any(|t| t.begins(s));
        if let Some(search) = &mut self.search {
            self.wanted |= search.statement(s, self.time);
        }
        if self.step.as_ref().is_some_and(|step| step.thread.begins(s)) {
            self.own = Some(self.time);
        }
        // After a launch the session examines its findings; before one there may be a checkpoint.
        self.has_returned |= is_edge && s.launch == 0;
        self.launch = s.launch;
        let stop = self.wanted || is_edge || self.time >= self.until;
        if stop {
            self.at = Some(*s);
        }
        stop
    }
}

/// Whether a thread may reach no further statement when this one begins, because that is of another launch. If both are in one launch
/// from the host, it depends on whether the thread's launch has ended, which may be where another one begins or goes on.
fn may_have_ended(thread: Thread, s: &Statement, is_edge: bool) -> bool {
    let Thread::Device { launch, .. } = thread else { return false };
    s.launch != launch && (is_edge || finding::host_launch(s.launch) != finding::host_launch(launch))
}

impl device::Observer for Watcher {
    fn wants_statements(&self) -> bool {
        !self.unseen.device
    }

    fn counts_statements(&self) -> bool {
        self.unseen != Sides::default()
    }

    fn on_launch(&mut self, launch: &KernelLaunch) {
        self.launched.push((launch.number, launch.func, launch.grid));
    }

    fn on_unseen(&mut self, launch: u64, block: u64, statements: u64) {
        self.time += 1;
        self.enter(launch, block);
        self.time += statements - 1;
        self.made = 0;
        self.has_returned |= self.launch != launch && launch == 0;
        self.launch = launch;
        self.ran.add_unknown();
    }

    fn wants_accesses(&self) -> bool {
        !self.ranges.is_empty() || self.search.is_some()
    }

    fn on_statement(&mut self, statement: &Statement) -> bool {
        self.statement(statement)
    }

    fn on_access(&mut self, access: &DeviceAccess) -> bool {
        if let Some(search) = &mut self.search {
            return search.access(access);
        }
        let mut hits = self.ranges.iter().filter(|r| r.is_hit(access));
        if access.write && hits.next().is_some() {
            self.seen.write = Some(*access);
        } else if !access.write && hits.any(|r| r.on != WatchOn::Change) {
            self.seen.read = Some(*access);
        } else {
            return false;
        }
        true
    }
}

impl machine::Observer for Watcher {
    fn wants_host_statements(&self) -> bool {
        !self.unseen.host
    }

    fn on_host_statement(&mut self, _: &Warp<1>, s: &HostStatement) -> bool {
        self.statement(&Statement {
            launch: 0,
            block: 0,
            warp: 0,
            mask: 1,
            frame: s.frame,
            depth: s.depth,
            func: s.site.func,
            pc: s.site.pc,
            span: s.span,
        })
    }

    fn on_call(&mut self, call: &Call) {
        self.calls.push((self.time, self.made, call.clone()));
        self.made += 1;
    }

    fn on_recorded_call(&mut self, number: usize) -> bool {
        self.recorded.push((number, self.time));
        self.until_call.is_some_and(|until| number >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::FuncId;
    use source::FileId;

    fn at(launch: u64, block: u64, mask: u32, depth: u32, pc: u32) -> Statement {
        let span = Span::new(FileId(0), 0, 1);
        Statement { launch, block, warp: 0, mask, frame: 0, depth, func: FuncId(0), pc, span }
    }

    #[test]
    fn time_counts_statements_and_a_step_ends_at_its_thread() {
        let thread = Thread::Device { launch: 1, block: 2, warp: 0, lane: 3 };
        let step = Step { thread, most_depth: Some(0), sites: Vec::new() };
        let mut w = Watcher {
            until: u64::MAX,
            hidden: Arc::new(Hidden::nothing(1, 1)),
            step: Some(step),
            launch: 1,
            ..Watcher::default()
        };
        assert!(!w.statement(&at(1, 1, u32::MAX, 0, 0)), "another block");
        assert!(!w.statement(&at(1, 2, 0b0111, 0, 0)), "other lanes");
        assert!(!w.statement(&at(1, 2, u32::MAX, 1, 0)), "a deeper call");
        assert!(w.statement(&at(1, 2, u32::MAX, 0, 0)) && w.wanted);
        assert_eq!(w.time, 4);
        assert!(w.statement(&at(0, 0, 1, 0, 0)), "the launch is over");
    }

    #[test]
    fn a_seek_remembers_the_latest_fit_before_its_end() {
        let step = Step { thread: Thread::Host, most_depth: Some(u32::MAX), sites: Vec::new() };
        let hidden = Arc::new(Hidden::nothing(1, 1));
        let mut w = Watcher { until: 9, hidden, seek: Some((Seek::Step(step), 4)), ..Watcher::default() };
        for _ in 0..8 {
            w.statement(&at(0, 0, 1, 0, 0));
        }
        assert_eq!(w.found, Some(3));
    }
}

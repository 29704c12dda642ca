//! The accesses of races in the run that is debugged: when each of the two happens.
//!
//! A device that rehearses launches reports the races of a launch before its first statement. The launch is then executed once
//! with all accesses observed, until both accesses of each race have happened in their order, and undone. From then on the
//! second access of a race is a stop, and the user can go to both.
//!
//! Limit: if a thread repeats the same access, the closest pair counts, which may differ from the pair that the detector saw.
//!
//! Not here: the commands that use the times (`session/races.rs`).

use super::watcher::Thread;
use super::{IoHooks, Process, Ran};
use device::{DeviceAccess, Statement};
use finding::{Access, Actor, Finding, FindingKind, LaunchInfo, host_launch};
use source::Span;

/// When the accesses of a finding happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AccessTimes {
    /// The index of the finding.
    pub(crate) finding: usize,
    /// Time and thread of the earlier access of a race.
    pub(crate) first: Option<(u64, Thread)>,
    /// The same for the access at which it was found.
    pub(crate) second: Option<(u64, Thread)>,
}

/// An access to locate.
#[derive(Clone, Debug)]
struct End {
    thread: Thread,
    span: Span,
    address: u64,
    bytes: u64,
    /// When the thread began its last statement.
    begun: u64,
    /// When it made the access.
    time: Option<u64>,
}

impl End {
    /// `of_host` are the extents of the grid that the host has launched.
    fn new(access: &Access, of_finding: &LaunchInfo, of_host: [u32; 3]) -> Option<End> {
        let Actor::Thread(t) = &access.actor else { return None };
        let LaunchInfo { number: launch, by, .. } = access.launch.as_ref().unwrap_or(of_finding);
        let grid = by.as_ref().map_or(of_host, |by| by.grid);
        let [gx, gy, _] = grid.map(u64::from);
        let [x, y, z] = t.block.map(|i| u64::from(i.saturating_sub(1)));
        let thread = Thread::Device { launch: *launch, block: (z * gy + y) * gx + x, warp: t.warp, lane: t.lane };
        Some(End { thread, span: access.span, address: access.address, bytes: access.bytes, begun: 0, time: None })
    }

    fn is(&self, a: &DeviceAccess) -> bool {
        let by = Thread::Device { launch: a.launch, block: a.block, warp: a.warp, lane: a.lane };
        let overlaps = a.address < self.address + self.bytes && self.address < a.address + u64::from(a.bytes);
        by == self.thread && a.span == self.span && overlaps
    }
}

/// The races of a launch from the host to locate in its run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    launch: u64,
    races: Vec<(usize, End, End)>,
}

impl Search {
    /// A thread begins a statement; returns whether the search is over.
    pub(crate) fn statement(&mut self, s: &Statement, time: u64) -> bool {
        for end in self.races.iter_mut().flat_map(|(_, first, second)| [first, second]) {
            if end.thread.begins(s) {
                end.begun = time;
            }
        }
        finding::host_launch(s.launch) != self.launch || self.is_done()
    }

    /// A lane accesses memory; returns whether all accesses are located.
    pub(crate) fn access(&mut self, a: &DeviceAccess) -> bool {
        for (_, first, second) in &mut self.races {
            if second.time.is_some() {
                continue;
            }
            if first.time.is_some() && second.is(a) {
                second.time = Some(second.begun);
            } else if first.is(a) {
                first.time = Some(first.begun);
            }
        }
        self.is_done()
    }

    fn is_done(&self) -> bool {
        self.races.iter().all(|(_, _, second)| second.time.is_some())
    }
}

/// Whether a finding is a race between two threads of one launch from the host. Such a finding stops the program at its accesses, not
/// where it is reported.
pub(crate) fn is_race(finding: &Finding) -> bool {
    let Some(launch) = finding.launch.as_ref().map(|launch| host_launch(launch.number)) else { return false };
    let is_within = |a: &Access| a.launch.as_ref().is_none_or(|own| host_launch(own.number) == launch);
    let by_thread = |a: &Access| matches!(a.actor, Actor::Thread(_)) && is_within(a);
    matches!(finding.kind, FindingKind::Race { .. })
        && finding.accesses.len() == 2
        && finding.accesses.iter().all(by_thread)
}

impl Process {
    /// Locates the accesses of the races from finding `from` on. The process stays where it is.
    pub(crate) fn find_races(&mut self, from: usize, hooks: &mut IoHooks<'_>) -> Vec<AccessTimes> {
        let (here, told) = (self.time(), self.reported());
        let new_findings: Vec<(usize, Finding)> =
            self.machine().findings().iter().cloned().enumerate().skip(from).filter(|(_, f)| is_race(f)).collect();
        let mut launches: Vec<u64> =
            new_findings.iter().filter_map(|(_, f)| f.launch.as_ref().map(|l| host_launch(l.number))).collect();
        launches.dedup();
        let mut found = Vec::new();
        for launch in launches {
            let of_launch = |f: &Finding| f.launch.as_ref().is_some_and(|l| host_launch(l.number) == launch);
            if let Some(begun) = self.begun(launch)
                && !self.go_to(begun)
            {
                continue;
            }
            let Some(grid) = self.grid(launch).map(|r| r.launch.grid) else {
                continue;
            };
            let races = new_findings.iter().filter(|(_, f)| of_launch(f)).filter_map(|(i, f)| {
                let ([a, b], info) = (f.accesses.as_slice(), f.launch.as_ref()?) else { return None };
                Some((*i, End::new(a, info, grid)?, End::new(b, info, grid)?))
            });
            let mut search = Search { launch, races: races.collect() };
            // The next statement has been counted already.
            if let Some(s) = self.at().copied() {
                search.statement(&s, self.time());
            }
            let mut watcher = self.watcher();
            watcher.search = Some(search);
            self.set_reported(usize::MAX);
            let ran = self.go(&mut watcher, u64::MAX, hooks);
            for (finding, first, second) in watcher.search.take().unwrap_or_default().races {
                let moment = |end: &End| end.time.map(|t| (t, end.thread));
                found.push(AccessTimes { finding, first: moment(&first), second: moment(&second) });
            }
            if ran == Ran::Interrupted {
                break;
            }
        }
        if self.time() != here || self.over().is_some() {
            self.go_to(here);
        }
        self.set_reported(told);
        found
    }
}

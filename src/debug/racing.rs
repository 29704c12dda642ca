//! Races as moments: when the two accesses of a race happen in the run that is debugged.
//!
//! A device that rehearses launches reports the races of a launch before its first statement. The launch is then run ahead
//! once with all its accesses watched, until both accesses of each race have been seen in their order, and taken back. From
//! then on a race is a moment like a breakpoint's: going forwards stops at its second access, and both ends can be gone to.
//!
//! What it may miss: of a thread that makes the same access again and again, the pair that lies closest counts, which need
//! not be the pair that the detector saw.

use crate::process::{Ears, Process, Ran};
use crate::reply::{Outcome, StopReason};
use crate::session::{Session, SessionError, refuse};
use crate::watcher::Thread;
use device::{DeviceAccess, Statement};
use finding::{Access, Actor, Finding, FindingKind};
use source::Span;

/// The moments of a finding's accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Moments {
    /// Its index.
    pub(crate) finding: usize,
    /// Time and thread of the earlier access of a race.
    pub(crate) first: Option<(u64, Thread)>,
    /// The same of the access at which it was found.
    pub(crate) second: Option<(u64, Thread)>,
}

/// An access that is looked for.
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
    fn new(access: &Access, launch: u64, grid: [u32; 3]) -> Option<End> {
        let Actor::Thread(t) = &access.actor else { return None };
        let [gx, gy, _] = grid.map(u64::from);
        let [x, y, z] = t.block.map(|i| u64::from(i.saturating_sub(1)));
        let thread = Thread::Device { launch, block: (z * gy + y) * gx + x, warp: t.warp, lane: t.lane };
        Some(End { thread, span: access.span, address: access.address, bytes: access.bytes, begun: 0, time: None })
    }

    fn is(&self, a: &DeviceAccess) -> bool {
        let by = Thread::Device { launch: a.launch, block: a.block, warp: a.warp, lane: a.lane };
        let overlaps = a.address < self.address + self.bytes && self.address < a.address + u64::from(a.bytes);
        by == self.thread && a.span == self.span && overlaps
    }
}

/// The races of a launch that are looked for in its run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    launch: u64,
    races: Vec<(usize, End, End)>,
}

impl Search {
    /// A thread begins a statement; whether the search is over.
    pub(crate) fn statement(&mut self, s: &Statement, time: u64) -> bool {
        for end in self.races.iter_mut().flat_map(|(_, first, second)| [first, second]) {
            if end.thread.begins(s) {
                end.begun = time;
            }
        }
        s.launch != self.launch || self.is_done()
    }

    /// A lane touches memory; whether all has been found.
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

/// Whether a finding is a race of two threads of one launch.
fn is_race(finding: &Finding) -> bool {
    let by_thread = |a: &Access| matches!(a.actor, Actor::Thread(_)) && a.launch.is_none();
    matches!(finding.kind, FindingKind::Race { .. })
        && finding.launch.is_some()
        && finding.accesses.len() == 2
        && finding.accesses.iter().all(by_thread)
}

impl Process {
    /// Looks for the moments of the races that were found since the last time. The process stands where it stood.
    fn find_races(&mut self, from: usize, ears: &mut Ears<'_>) -> Vec<Moments> {
        let (here, told) = (self.time(), self.reported());
        let news: Vec<(usize, Finding)> =
            self.machine().findings().iter().cloned().enumerate().skip(from).filter(|(_, f)| is_race(f)).collect();
        let mut launches: Vec<u64> = news.iter().filter_map(|(_, f)| f.launch.as_ref().map(|l| l.number)).collect();
        launches.dedup();
        let mut found = Vec::new();
        for launch in launches {
            let of_launch = |f: &Finding| f.launch.as_ref().is_some_and(|l| l.number == launch);
            if let Some(begun) = self.begun(launch)
                && !self.travel(begun)
            {
                continue;
            }
            let Some(grid) = self.emulator(Some(launch)).and_then(|e| e.grid()).map(|r| r.launch.grid) else {
                continue;
            };
            let races = news.iter().filter(|(_, f)| of_launch(f)).filter_map(|(i, f)| {
                let [a, b] = f.accesses.as_slice() else { return None };
                Some((*i, End::new(a, launch, grid)?, End::new(b, launch, grid)?))
            });
            let mut search = Search { launch, races: races.collect() };
            // The statement that comes next has been counted.
            if let Some(s) = self.at().copied() {
                search.statement(&s, self.time());
            }
            let mut watcher = self.watcher();
            watcher.search = Some(search);
            self.set_reported(usize::MAX);
            let ran = self.go(&mut watcher, u64::MAX, ears);
            for (finding, first, second) in watcher.search.take().unwrap_or_default().races {
                let moment = |end: &End| end.time.map(|t| (t, end.thread));
                found.push(Moments { finding, first: moment(&first), second: moment(&second) });
            }
            if ran == Ran::Interrupted {
                break;
            }
        }
        if self.time() != here || self.over().is_some() {
            self.travel(here);
        }
        self.set_reported(told);
        found
    }
}

impl Session {
    /// Learns of races that were found since the last look.
    pub(crate) fn learn_races(&mut self, output: &mut dyn FnMut(&[u8])) {
        let interrupt = self.interrupt.clone();
        let from = self.process.scanned();
        self.process.scan();
        let found = self.process.find_races(from, &mut Ears { output, interrupt: &interrupt });
        self.moments.extend(found);
    }

    /// The second access of a race that comes first after `from` and not after `to`.
    pub(crate) fn next_race(&self, from: u64, to: u64) -> Option<(u64, StopReason, Thread)> {
        let due = |m: &Moments| {
            m.first?;
            let (time, thread) = m.second.filter(|s| from < s.0 && s.0 <= to)?;
            Some((time, StopReason::Finding { number: m.finding + 1, is_first: false }, thread))
        };
        self.moments.iter().filter_map(due).min_by_key(|m| m.0)
    }

    /// The command `finding`.
    pub(crate) fn finding_command(&mut self, number: usize, first: bool) -> Result<Outcome, SessionError> {
        if number == 0 || number > self.findings().len() {
            return refuse(format!("No finding number {number}."));
        }
        let moments = self.moments.iter().find(|m| m.finding + 1 == number).copied();
        let end = moments.and_then(|m| if first { m.first } else { m.second });
        let Some((time, thread)) = end else {
            return refuse(format!("The moment of that access of finding {number} is not known."));
        };
        if !self.process.travel(time) {
            return refuse("There is no way back to that moment.");
        }
        Ok(self.stopped(StopReason::Finding { number, is_first: first }, thread))
    }

    /// What was found so far, in this run; what was found after the present moment included.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.seen
    }

    /// Keeps what the machine has found.
    pub(crate) fn see_findings(&mut self) {
        let now = self.process.machine().findings();
        if now.len() >= self.seen.len() {
            self.seen = now.iter().cloned().collect();
        }
    }

    /// Whether a moment of a finding can be gone to.
    pub(crate) fn is_reachable(&self, finding: usize, end: usize, ends: usize) -> bool {
        let moments = self.moments.iter().find(|m| m.finding == finding);
        moments.is_some_and(|m| if end + 1 == ends { m.second.is_some() } else { end == 0 && m.first.is_some() })
    }
}

/// Whether a finding stops the program by its moments and not where it is reported.
pub(crate) fn has_moments(finding: &Finding) -> bool {
    is_race(finding)
}

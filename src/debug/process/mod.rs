//! The program under the debugger: a machine that runs forwards, and backwards by restoring a checkpoint and running to the
//! requested time.
//!
//! Invariant: between two calls the machine is before a statement, whose number is [`Process::time`], or at the start or the
//! end of the program. Output is never repeated, because the world records it.
//!
//! Not here: what the user wants to stop at (`session`).

mod approach;
mod editing;
pub(crate) mod history;
pub(crate) mod outside;
pub(crate) mod races;
mod ranks;
mod seeking;
pub(crate) mod sites;
pub(crate) mod timeline;
pub(crate) mod trace;
pub(crate) mod watcher;

use crate::process::history::{History, Point};
use crate::process::outside::{Attended, Outside};
use crate::process::races::is_race;
use crate::process::sites::Hidden;
use crate::process::timeline::Timeline;
use crate::process::trace::{Blocks, Reach, Trace};
use crate::process::watcher::{Begun, Seen, Sides, Watcher};
use device::Statement;
use emu::{Block, Emulator, Grid};
use finding::{Finding, Severity};
use host::{Answer, Ask};
use machine::{Machine, MachineStop, RecordingWorld};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Fewest statements between two checkpoints. A step back executes about as many again, twice.
pub(crate) const SLICE: u64 = 1 << 12;
/// Most statements between two checkpoints, for programs that write to much memory between two.
const MOST_SLICE: u64 = 1 << 18;
/// Schedule points for each of these statements, after which a checkpoint is due too.
const WORK: u64 = 1 << 6;
/// Schedule points between two checks for output and interruption.
const BUDGET: u64 = 1 << 16;
/// So many times as many where statements are only counted; checkpoints are as much more seldom there.
const UNSEEN: u64 = 1 << 3;
/// So many times as many statements lie between two checkpoints there as elsewhere.
const COUNTED: u64 = 1 << 6;
/// Bytes of pages that may be copied between two checkpoints before the next ones are made more seldom.
const COPIED: u64 = 1 << 23;
/// Bytes that all checkpoints may hold beside the memory of the program.
const HELD: u64 = 1 << 30;
/// About how many bytes a copy of a warp has.
const WARP: u64 = 1 << 14;
/// Budgets that an interrupted statement gets to finish.
const PATIENCE: u32 = 64;

/// Why the machine stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ran {
    /// Before a statement where the watcher stops, or at the requested time.
    Statement,
    /// A finding is an error.
    Found,
    /// There are new races, whose accesses are not located yet.
    Raced,
    /// The program is over.
    Over(i32),
    /// The user interrupted it.
    Interrupted,
    /// The host has made the call of MPI that the watcher waits for.
    Called,
}

/// The I/O hooks of a running program.
pub(crate) struct IoHooks<'a> {
    /// Takes the output of the program.
    pub(crate) output: &'a mut dyn FnMut(&[u8]),
    /// Set from outside to interrupt the program.
    pub(crate) interrupt: &'a AtomicBool,
    /// The same, if someone wants to do something between two statements and let the program go on.
    pub(crate) attention: Option<&'a AtomicBool>,
}

impl IoHooks<'_> {
    fn flags(&self) -> impl Iterator<Item = &AtomicBool> {
        [Some(self.interrupt), self.attention].into_iter().flatten()
    }

    /// Whether the program is to be interrupted.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.flags().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// The program has been interrupted.
    pub(crate) fn interrupted(&self) -> Ran {
        self.flags().for_each(|flag| flag.store(false, Ordering::Relaxed));
        Ran::Interrupted
    }
}

/// Findings that do not stop the program, by the beginnings of their codes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Passed(pub(crate) Vec<String>);

impl Passed {
    /// Whether a finding is among them.
    pub(crate) fn has(&self, finding: &Finding) -> bool {
        self.0.iter().any(|beginning| finding.code().id().starts_with(beginning.as_str()))
    }
}

/// The progress of the program, for other threads to read while it runs.
#[derive(Debug, Default)]
pub struct Progress {
    time: AtomicU64,
    begun: AtomicU64,
    blocks: AtomicU64,
}

impl Progress {
    /// Statements begun so far.
    pub fn time(&self) -> u64 {
        self.time.load(Ordering::Relaxed)
    }

    /// Blocks of the running launch that have begun, and all of them; `None` while the host runs.
    pub fn blocks(&self) -> Option<(u64, u64)> {
        let all = self.blocks.load(Ordering::Relaxed);
        (all > 0).then(|| (self.begun.load(Ordering::Relaxed), all))
    }

    fn update(&self, time: u64, emulator: Option<&Emulator>) {
        let blocks = emulator.and_then(Emulator::grid).map_or((0, 0), |r| (r.begun, r.total));
        self.time.store(time, Ordering::Relaxed);
        self.begun.store(blocks.0, Ordering::Relaxed);
        self.blocks.store(blocks.1, Ordering::Relaxed);
    }
}

/// A program under the debugger.
#[derive(Debug)]
pub(crate) struct Process {
    machine: Machine,
    world: RecordingWorld<Outside>,
    history: History,
    hidden: Arc<Hidden>,
    /// Number of the statement that comes next; 0 at the very beginning.
    time: u64,
    /// The latest time that was reached.
    latest: u64,
    /// The statement that comes next.
    at: Option<Statement>,
    /// The code that the program ended with.
    over: Option<i32>,
    /// How many findings were reported to the user.
    reported: usize,
    /// Statements between two checkpoints, a power of two.
    slice: u64,
    /// Schedule points at the last checkpoint, and its time.
    kept: u64,
    kept_at: u64,
    /// Statements for each schedule point where statements were only counted last.
    rate: u64,
    /// Bytes of pages held at the last checkpoint.
    held: u64,
    /// How many findings were searched for races.
    scanned: usize,
    /// Launches by number.
    begun: BTreeMap<u64, Begun>,
    /// Which statements ran when.
    trace: Trace,
    /// Which blocks ran when.
    blocks: Blocks,
    /// Which functions a kernel may call.
    reach: Reach,
    /// What the host has asked of the CUDA runtime.
    timeline: Timeline,
    /// The times of calls of MPI, by the number of their entry in the record that the program follows.
    recorded: BTreeMap<usize, u64>,
    /// The progress that other threads read.
    progress: Arc<Progress>,
    /// Findings that do not stop the program.
    passed: Passed,
}

impl Process {
    /// A process at the start of the program.
    pub(crate) fn new(machine: Machine, world: Outside, hidden: Arc<Hidden>, progress: Arc<Progress>) -> Process {
        let reach = Reach::new(machine.program().module());
        let mut process = Process {
            machine,
            world: RecordingWorld::new(world),
            history: History::default(),
            hidden,
            time: 0,
            latest: 0,
            at: None,
            over: None,
            reported: 0,
            slice: SLICE,
            kept: 0,
            kept_at: 0,
            rate: 1,
            held: 0,
            scanned: 0,
            begun: BTreeMap::new(),
            trace: Trace::default(),
            blocks: Blocks::default(),
            reach,
            timeline: Timeline::default(),
            recorded: BTreeMap::new(),
            progress,
            passed: Passed::default(),
        };
        process.keep(0);
        process
    }

    /// The world, to be given to the next process.
    pub(crate) fn into_world(mut self) -> Outside {
        std::mem::replace(self.world.inner_mut(), Outside::empty())
    }

    /// Sets the world of the process; its record starts again.
    pub(crate) fn set_world(&mut self, world: Outside) {
        self.world = RecordingWorld::new(world);
    }

    /// The contents of a file, or why there are none.
    pub(crate) fn file(&mut self, path: &str) -> Result<Vec<u8>, String> {
        match self.world.inner_mut().world.ask(&Ask::ReadFile { path: path.to_owned() }) {
            Answer::File(Ok(Some(bytes))) => Ok(bytes),
            Answer::File(Err(why)) => Err(format!("Cannot read \"{path}\": {why}.")),
            _ => Err(format!("Cannot read \"{path}\": there is no such file.")),
        }
    }

    /// Lets the program read its standard input from these bytes, or from the world.
    pub(crate) fn set_input(&mut self, bytes: Option<Vec<u8>>) {
        let lines = |bytes: Vec<u8>| {
            let mut lines: VecDeque<Vec<u8>> = bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            lines.iter_mut().for_each(|line| line.truncate(line.len() - usize::from(line.ends_with(b"\r"))));
            // What follows the last line end is a line only if it is not empty.
            if lines.back().is_some_and(Vec::is_empty) {
                lines.pop_back();
            }
            lines
        };
        self.world.inner_mut().input = bytes.map(lines);
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) fn time(&self) -> u64 {
        self.time
    }

    pub(crate) fn latest(&self) -> u64 {
        self.latest
    }

    pub(crate) fn at(&self) -> Option<&Statement> {
        self.at.as_ref()
    }

    pub(crate) fn over(&self) -> Option<i32> {
        self.over
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    pub(crate) fn checkpoints(&self) -> usize {
        self.history.len()
    }

    /// A watcher that starts now and stops nowhere.
    pub(crate) fn watcher(&self) -> Watcher {
        Watcher {
            time: self.time,
            until: u64::MAX,
            hidden: self.hidden.clone(),
            launch: self.at.map_or(0, |s| s.launch),
            ..Watcher::default()
        }
    }

    /// Findings that were not reported yet; they count as reported now.
    pub(crate) fn new_findings(&mut self) -> Vec<Finding> {
        let all = self.machine.findings();
        let new_findings: Vec<Finding> = all.iter().skip(self.reported).cloned().collect();
        self.reported = self.reported.max(all.len());
        new_findings
    }

    /// The emulator that runs a launch, or any launch.
    pub(crate) fn emulator(&self, launch: Option<u64>) -> Option<&Emulator> {
        let emulators = self.machine.devices().iter().filter_map(|d| d.emulator());
        let runs = |e: &&Emulator| e.grids().any(|r| launch.is_none_or(|n| r.launch.number == n));
        emulators.into_iter().find(runs)
    }

    /// The grid of a launch that has begun and not ended.
    pub(crate) fn grid(&self, launch: u64) -> Option<&Grid> {
        self.emulator(Some(launch))?.grids().find(|grid| grid.launch.number == launch)
    }

    /// A running block.
    pub(crate) fn block(&self, launch: u64, linear: u64) -> Option<&Block> {
        self.grid(launch)?.active.iter().find(|b| b.linear == linear)
    }

    fn is_checkpoint_due(&self, is_seen: bool) -> bool {
        let points = self.machine.points() - self.kept;
        if is_seen { points > self.slice * WORK } else { points > SLICE * WORK * UNSEEN || self.counted() == 0 }
    }

    /// How many statements may still be counted before a checkpoint is due.
    fn counted(&self) -> u64 {
        (self.kept_at + SLICE * COUNTED).saturating_sub(self.time)
    }

    /// The sides of the program whose statements need only be counted until the watcher stops.
    fn unseen(&self, watcher: &Watcher, limit: u64) -> Sides {
        if limit != u64::MAX || self.machine.is_checked() {
            return Sides::default();
        }
        let module = self.machine.program().module();
        let looks = watcher.looks_at(|func| module.funcs.get(func).is_some_and(|f| f.kind != ir::FuncKind::Host));
        Sides { host: !looks.host, device: !looks.device }
    }

    /// Notes how many statements went with a schedule point since this time, and since so many points.
    fn note_rate(&mut self, time: u64, points: u64) {
        let points = (self.machine.points() - points).max(1);
        self.rate = (self.time - time).div_ceil(points).max(self.rate / 2).max(1);
    }

    /// Makes a checkpoint. `here` is where the process is going.
    fn keep(&mut self, here: u64) {
        let was_seen = self.time - self.kept_at <= self.slice;
        (self.kept, self.kept_at) = (self.machine.points(), self.time);
        self.machine.memory_mut().release_retired();
        let memory = self.machine.memory();
        let bytes = self.state_bytes();
        // Each page that is written after a checkpoint is copied once: if these are many, checkpoints are made more seldom.
        let copied = memory.held().saturating_sub(self.held) + bytes;
        if was_seen && copied > COPIED {
            self.slice = (self.slice * 2).min(MOST_SLICE);
        } else if was_seen && copied < COPIED / 4 {
            self.slice = (self.slice / 2).max(SLICE);
        }
        let resident = memory.resident();
        let is_much = |history: &History| {
            memory.held() + history.bytes() + bytes > resident + HELD || memory.page_room() < resident
        };
        while is_much(&self.history) && self.history.thin(here) {}
        // The program needs the pages that a checkpoint would make it copy.
        if (!is_much(&self.history) || self.history.len() == 0)
            && let Some(checkpoint) = self.machine.checkpoint()
        {
            self.history.keep(Point { time: self.time, checkpoint, mark: self.world.mark(), bytes }, here);
        }
        self.held = self.machine.memory().held();
    }

    /// About how many bytes of a checkpoint are no pages of memory: those of the running blocks.
    fn state_bytes(&self) -> u64 {
        let emulators = self.machine.devices().iter().filter_map(machine::DeviceBox::emulator);
        let blocks = emulators.filter_map(Emulator::grid).flat_map(|grid| &grid.active);
        blocks.map(|block| block.warps.len() as u64 * WARP + block.shared.len() as u64).sum()
    }

    /// Runs until the watcher stops, the time is `limit`, or the program cannot continue.
    pub(crate) fn go(&mut self, watcher: &mut Watcher, limit: u64, hooks: &mut IoHooks<'_>) -> Ran {
        if let Some(code) = self.over {
            return Ran::Over(code);
        }
        let mut patience: Option<u32> = None;
        let mut unseen = self.unseen(watcher, limit);
        loop {
            // Multiples of the slice, so a repeated execution finds the same checkpoints.
            let slice = (self.time / self.slice + 1) * self.slice;
            let edit = self.history.next_edit(self.time).unwrap_or(u64::MAX);
            watcher.until = limit.min(slice).min(edit);
            let may_skip = unseen != Sides::default() && edit == u64::MAX;
            let is_landing = patience.is_some() || self.is_checkpoint_due(!may_skip);
            if is_landing {
                watcher.until = watcher.until.min(self.time + 1);
            }
            watcher.unseen = if may_skip && !is_landing { unseen } else { Sides::default() };
            let is_seen = watcher.unseen == Sides::default();
            watcher.time = self.time;
            watcher.at = None;
            let before = self.time;
            let budget = if is_seen { BUDGET } else { (self.counted() / self.rate).clamp(1, BUDGET * UNSEEN) };
            let points = self.machine.points();
            let mut world = Attended { world: &mut self.world, output: hooks.output, is_later: false };
            let stop = self.machine.advance(budget, &mut world, watcher);
            world.show_output();
            let is_later = world.is_later;
            self.time = watcher.time;
            if !is_seen {
                self.note_rate(before, points);
            }
            self.latest = self.latest.max(self.time);
            self.progress.update(self.time, self.emulator(None));
            self.trace.add(before, self.time, &mut watcher.ran);
            self.timeline.add(&mut watcher.calls, self.machine.program(), self.machine.memory());
            let is_called = watcher.until_call.is_some_and(|until| watcher.recorded.iter().any(|at| at.0 >= until));
            self.recorded.extend(watcher.recorded.drain(..));
            let has_begun = !watcher.begun.is_empty();
            self.blocks.add(before, self.time, &mut watcher.blocks);
            for (launch, kernel, grid) in watcher.launched.drain(..) {
                self.blocks.launched(launch, kernel, grid);
            }
            for (launch, begun) in watcher.begun.drain(..) {
                self.begun.entry(launch).or_insert(begun);
            }
            if !is_seen && !is_later && (self.has_new_error() || self.has_new_race()) {
                // What happened shows where and how only to who sees it happen.
                unseen = Sides::default();
                if self.rewind(before) {
                    self.at = if self.time > 0 { self.statement_here() } else { None };
                    (watcher.launch, watcher.seen) = (self.at.map_or(0, |s| s.launch), Seen::default());
                    continue;
                }
            }
            if is_later {
                // The statement that asks is done again when the program goes on.
                hooks.interrupt.store(false, Ordering::Relaxed);
                let reported = self.reported;
                self.go_to(self.time);
                self.reported = reported;
                return Ran::Interrupted;
            }
            match stop {
                MachineStop::Done(code) => {
                    self.over = Some(code);
                    self.at = None;
                }
                MachineStop::Budget | MachineStop::Fault | MachineStop::OthersTurn => {}
                MachineStop::Host(_) | MachineStop::Device => self.at = watcher.at,
            }
            if watcher.at.is_some() {
                for edit in self.history.edits_at(self.time) {
                    self.apply(&edit);
                }
                // Going back over a launch ends before it, where the host has begun few statements since the launch before.
                let is_edge = std::mem::take(&mut watcher.has_returned) || has_begun;
                let is_launch = is_edge && self.machine.points() - self.kept > self.slice;
                if self.time.is_multiple_of(self.slice) || self.is_checkpoint_due(!may_skip) || is_launch {
                    self.keep(limit);
                }
            }
            if self.has_new_error() {
                return Ran::Found;
            }
            if self.has_new_race() {
                return Ran::Raced;
            }
            if is_called {
                return Ran::Called;
            }
            if let Some(code) = self.over {
                return Ran::Over(code);
            }
            if watcher.at.is_some() {
                if watcher.wanted || self.time >= limit {
                    return Ran::Statement;
                }
                if patience.is_some() {
                    return hooks.interrupted();
                }
            }
            if patience.is_none() && hooks.is_interrupted() {
                patience = Some(PATIENCE);
            }
            if let Some(left) = &mut patience {
                if *left == 0 {
                    return hooks.interrupted();
                }
                *left -= 1;
            }
        }
    }

    /// Sets the findings that do not stop the program.
    pub(crate) fn pass(&mut self, passed: Passed) {
        self.passed = passed;
    }

    fn has_new_error(&self) -> bool {
        let findings = self.machine.findings();
        let stops = |f: &Finding| f.severity() == Severity::Error && !is_race(f) && !self.passed.has(f);
        findings.len() > self.reported && findings.iter().skip(self.reported).any(stops)
    }

    fn has_new_race(&self) -> bool {
        let findings = self.machine.findings();
        self.reported != usize::MAX && findings.iter().skip(self.scanned).any(is_race)
    }

    /// How many findings were searched for races.
    pub(crate) fn scanned(&self) -> usize {
        self.scanned
    }

    /// Marks all findings as searched for races.
    pub(crate) fn scan(&mut self) {
        self.scanned = self.scanned.max(self.machine.findings().len());
    }

    /// How many findings were reported to the user.
    pub(crate) fn reported(&self) -> usize {
        self.reported
    }

    /// Sets the number of reported findings.
    pub(crate) fn set_reported(&mut self, count: usize) {
        self.reported = count;
    }

    /// The time of the first statement of a launch, if it has been seen.
    pub(crate) fn begun(&self, launch: u64) -> Option<u64> {
        self.begun.get(&launch).map(|begun| begun.time)
    }

    /// Restores the latest checkpoint not after `time` and returns its time. No error stops the machine until the next
    /// [`Process::go_to`].
    pub(crate) fn go_to_checkpoint(&mut self, time: u64) -> Option<u64> {
        self.rewind(time).then_some(())?;
        self.reported = usize::MAX;
        if self.time > 0 {
            // The machine is before the statement already; its state shows which one it is.
            self.at = self.statement_here();
        }
        Some(self.time)
    }

    /// Goes back to the latest checkpoint not after `time`.
    fn rewind(&mut self, time: u64) -> bool {
        let Some(point) = self.history.at_most(time) else { return false };
        if !self.machine.restore(&point.checkpoint) {
            return false;
        }
        self.world.rewind(point.mark);
        (self.kept, self.kept_at) = (self.machine.points(), point.time);
        self.held = self.machine.memory().held();
        self.time = point.time;
        self.at = None;
        self.over = None;
        true
    }

    /// Goes to a time in the past, or in a future that was executed before, without output or reports.
    pub(crate) fn go_to(&mut self, time: u64) -> bool {
        if self.approach(time, SLICE).is_none() {
            return false;
        }
        if self.time < time {
            let mut watcher = self.watcher();
            self.replay(&mut watcher, time);
        }
        self.reported = self.machine.findings().len();
        if self.time == time {
            self.keep_if_far();
        }
        self.time == time
    }

    /// Makes a checkpoint here if the way from the last one is long, so that the next visit is fast.
    pub(crate) fn keep_if_far(&mut self) {
        let is_far = self.history.at_most(self.time).is_some_and(|p| p.time + SLICE / 16 < self.time)
            || self.machine.points() - self.kept > SLICE
            || self.machine.memory().held() > self.held + COPIED / 8;
        if is_far {
            self.keep(self.time);
        }
    }

    /// Repeats an execution, without output or interruption.
    pub(crate) fn replay(&mut self, watcher: &mut Watcher, limit: u64) -> Ran {
        let never = AtomicBool::new(false);
        self.go(watcher, limit, &mut IoHooks { output: &mut |_| (), interrupt: &never, attention: None })
    }

    /// The statement before which the machine is, from its state alone.
    fn statement_here(&self) -> Option<Statement> {
        let program = self.machine.program();
        let make = |launch, block, warp, mask, frame, stack: &[vm::Site]| {
            let site = *stack.first()?;
            let span = program.span(site);
            let depth = stack.len() as u32 - 1;
            Some(Statement { launch, block, warp, mask, frame, depth, func: site.func, pc: site.pc, span })
        };
        if let Some(running) = self.emulator(None).and_then(Emulator::grid) {
            let block = running.active.front()?;
            let stopped = |w: &'_ vm::Warp<32>| {
                let split = w.splits().find(vm::SplitView::is_stopped)?;
                Some((w.number(), split.mask(), split.frame_number(), split.call_stack()))
            };
            let (warp, mask, frame, stack) = block.warps.iter().find_map(stopped)?;
            return make(running.launch.number, block.linear, warp, mask, frame, &stack);
        }
        let split = self.machine.host().warp().splits().next()?;
        make(0, 0, 0, 1, split.frame_number(), &split.call_stack())
    }
}

/// How many statements may be executed one by one after a search among `near` statements has found nothing: going on from checkpoint
/// to checkpoint costs time too.
pub(crate) fn wider(near: u64) -> u64 {
    (near * 2).min(SLICE << 4)
}

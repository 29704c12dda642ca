//! `--explore`: runs a program in other orders that matter, until none is left, and says what only some of them show.
//!
//! The first run is a normal run. The other runs get the same input from outside and change nothing there; their output is only
//! compared. What each launch did in a run says which orders come next.
//!
//! Not here: which order is the next (`explore`), how a launch is directed (`emu`).

use crate::cli::libraries::Loaded;
use crate::cli::live::Live;
use crate::cli::options::{MessageFormat, Options, Schedule};
use crate::cli::report::{Reporter, output_lost, say};
use crate::cli::seeds::{Listening, Once, first_difference};
use crate::cli::slice::{self, Slices, Step};
use crate::cli::stopping::{Stopper, place};
use crate::cli::usage;
use emu::HostCopy;
use explore::{Choices, Holds, LaunchTrace, Limit, Order, Search};
use finding::Findings;
use machine::{DeviceBox, Machine, Mark, Ranks, RealWorld, RecordingWorld, Whereabouts};
use source::{SourceMap, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The result of a run.
struct Outcome {
    printed: Vec<u8>,
    copies: Vec<HostCopy>,
    code: u8,
}

/// What differs from the first run, with the first order that shows it.
#[derive(Default)]
struct Differences {
    /// How many runs differ.
    count: u64,
    /// The number of the first line that does, how it reads, and how it read in the first run.
    output: Option<(usize, String, String, Schedule)>,
    /// The statement whose copy to the host gives other bytes.
    copy: Option<(Span, Schedule)>,
    /// The exit code.
    code: Option<(u8, Schedule)>,
}

impl Differences {
    /// Compares a run with the first one.
    fn note(&mut self, first: &Outcome, other: &Outcome, order: &Schedule) {
        let is_printed = first.printed != other.printed;
        let copy = || {
            let pairs = first.copies.iter().zip(&other.copies);
            pairs.filter(|(a, b)| a != b).map(|(_, b)| b.span).next()
        };
        let copied = if is_printed || first.copies == other.copies { None } else { Some(copy()) };
        self.count += u64::from(is_printed || copied.is_some() || first.code != other.code);
        if is_printed && self.output.is_none() {
            let (line, was, is) = first_difference(&first.printed, &other.printed);
            self.output = Some((line, is, was, order.clone()));
        }
        if let Some(Some(span)) = copied
            && self.copy.is_none()
        {
            self.copy = Some((span, order.clone()));
        }
        if first.code != other.code && self.code.is_none() {
            self.code = Some((other.code, order.clone()));
        }
    }

    /// A description; empty if nothing differs.
    fn text(&self, runs: u64, of: &str, first: &Outcome, map: &SourceMap) -> String {
        if self.count == 0 {
            return String::new();
        }
        let mut out = format!(
            "cufemu: the result depends on the order {of}: {} of {runs} orders differ from the first\n",
            self.count
        );
        if let Some((line, is, was, order)) = &self.output {
            out += &format!("cufemu: line {line} is `{is}` with --schedule {order} and `{was}` in the first run\n");
        }
        if let Some((span, order)) = &self.copy {
            let at = map.location(*span).map(|at| format!(" at {}:{}", at.file, at.line)).unwrap_or_default();
            out += &format!("cufemu: what is copied to the host{at} differs with --schedule {order}\n");
        }
        if let Some((code, order)) = &self.code {
            out += &format!(
                "cufemu: the exit code is {code} with --schedule {order} and {} in the first run\n",
                first.code
            );
        }
        out
    }
}

/// What the runs have shown so far.
struct Shown<'a> {
    options: &'a Options,
    map: &'a SourceMap,
    reporter: &'a mut Reporter,
    world: RecordingWorld<Once>,
    start: Mark,
    stopper: Stopper,
    slices: Slices,
    most: u64,
    runs: u64,
    known: BTreeSet<(&'static str, Span, Span)>,
    first: Option<Outcome>,
    differences: Differences,
    code: u8,
}

impl<'a> Shown<'a> {
    fn new(
        options: &'a Options,
        map: &'a SourceMap,
        reporter: &'a mut Reporter,
        libraries: &Loaded,
        most: u64,
    ) -> Shown<'a> {
        let stopper = Stopper::new(options.timeout);
        let real = libraries.world(RealWorld::ended_by(stopper.end_wanted()));
        let live = Live::only_progress(real, options.message_format == MessageFormat::Full);
        let world = RecordingWorld::new(Once { world: live, is_over: false });
        let start = world.mark();
        Shown {
            options,
            map,
            reporter,
            world,
            start,
            stopper,
            slices: Slices::new(),
            most,
            runs: 0,
            known: BTreeSet::new(),
            first: None,
            differences: Differences::default(),
            code: 0,
        }
    }

    /// Makes a run with `step`, which runs a slice; gives what was printed, or the exit code if it was ended from outside.
    fn run(
        &mut self,
        mut step: impl FnMut(&mut Listening<'_>, &Stopper, &mut Slices) -> (Step, Option<Whereabouts>),
    ) -> Result<Vec<u8>, u8> {
        self.runs += 1;
        self.world.rewind(self.start);
        let Shown { options, map, runs, most, stopper, slices, .. } = self;
        let mut listening = Listening { world: &mut self.world, printed: Vec::new() };
        loop {
            let (step, at) = step(&mut listening, stopper, slices);
            let live = &mut listening.world.inner_mut().world;
            if !matches!(step, Step::Running) {
                live.hide_progress();
            }
            match step {
                Step::Running => live.show_progress(|| {
                    let at = at.map(|at| place(&at, map)).unwrap_or_default();
                    format!(" order {runs} of at most {most}{at}")
                }),
                Step::Over => return Ok(listening.printed),
                Step::Ended(reason, at) => return Err(reason.report(options.timeout, &at, map)),
            }
        }
    }

    /// Takes the result of a run by that order; the exit code if nothing more can be printed.
    fn take(&mut self, order: &Schedule, findings: &Findings, outcome: Outcome) -> Result<(), u8> {
        for finding in findings {
            // What an earlier run has shown is not shown again, nor a race with its ends the other way round.
            let mut diagnostic = finding.diagnostic();
            let (one, other) =
                (finding.span(), diagnostic.secondary.first().map_or(finding.span(), |label| label.span));
            if self.known.insert((finding.code().id(), one.min(other), one.max(other))) {
                if self.first.is_some() {
                    // A finding of a seed names it itself.
                    let replay = match order {
                        Schedule::Seed(_) => String::new(),
                        Schedule::Order(_) => format!("; replay with --schedule {order}"),
                    };
                    diagnostic.notes.push(format!("not in all orders{replay}"));
                }
                self.reporter.report(&diagnostic, self.map);
            }
        }
        if let Some(error) = self.world.inner().world.output_error() {
            return Err(output_lost(error));
        }
        self.world.inner_mut().is_over = true;
        self.code = if self.code == 0 { outcome.code } else { self.code };
        match &self.first {
            None => self.first = Some(outcome),
            Some(first) => self.differences.note(first, &outcome, order),
        }
        Ok(())
    }

    /// Says what differs and how much was seen; gives the exit code.
    fn finish(self, of: &str, known: usize, by_chance: u64, limits: &[&str]) -> u8 {
        let Some(first) = &self.first else { return self.code };
        let text = self.differences.text(self.runs, of, first, self.map);
        say(&text);
        if self.options.message_format == MessageFormat::Full {
            say(&summary(self.runs, known, by_chance, limits));
        }
        if !text.is_empty() && self.code == 0 { self.options.error_exitcode } else { self.code }
    }
}

/// Runs the program at most `most` times; returns the exit code.
pub(crate) fn run(
    options: &Options,
    map: &SourceMap,
    reporter: &mut Reporter,
    libraries: &Loaded,
    mut load: impl FnMut(&Schedule) -> Result<Machine, u8>,
    most: u64,
) -> u8 {
    let mut shown = Shown::new(options, map, reporter, libraries, most);
    let (mut search, mut holds) = (Search::default(), Holds::default());
    let mut next = Some(Order::default());
    let mut seed = 0;
    while shown.runs < most {
        let schedule = match next.take() {
            Some(order) => Schedule::Order(Arc::new(order)),
            // Where the search cannot know all orders, the runs that are left are made by chance.
            None if search.limits().next().is_some() => {
                seed += 1;
                Schedule::Seed(seed)
            }
            None => break,
        };
        let mut machine = match load(&schedule) {
            Ok(machine) => machine,
            Err(code) => return code,
        };
        let printed = shown.run(|world, stopper, slices| {
            let step = slice::step(&mut machine, world, stopper, slices);
            let at = matches!(step, Step::Running).then(|| machine.whereabouts());
            (step, at)
        });
        let (traces, copies) = taken(&mut machine);
        let code = slice::exit_code(&machine, options);
        let taken =
            printed.and_then(|printed| shown.take(&schedule, machine.findings(), Outcome { printed, copies, code }));
        if let Err(code) = taken {
            return code;
        }
        let Schedule::Order(order) = schedule else { continue };
        holds.record(order.holds(), &machine.command_conflicts());
        if order.holds().is_empty() {
            search.record(&order, &traces);
        }
        next = holds.next_holds().map(|holds| Order::of_holds(&holds)).or_else(|| search.next_order());
    }
    let known = if next.is_some() { search.waiting() + holds.waiting() + 1 } else { 0 };
    let limits: Vec<&str> = search.limits().map(reason).collect();
    shown.finish("of blocks, warps and commands", known, seed, &limits)
}

/// Runs several ranks at most `most` times, with other orders of messages; `machine` is the program at its start. Returns the exit
/// code.
pub(crate) fn run_ranks(
    options: &Options,
    map: &SourceMap,
    reporter: &mut Reporter,
    libraries: &Loaded,
    (machine, findings): (&Machine, impl Fn() -> Findings),
    most: u64,
) -> u8 {
    let mut shown = Shown::new(options, map, reporter, libraries, most);
    let mut search = Choices::default();
    let mut next = Some(Vec::new());
    let mut has_asked = false;
    while shown.runs < most
        && let Some(given) = next.take()
    {
        let order = Schedule::Order(Arc::new(Order::of_messages(&given)));
        let Some(mut ranks) = Ranks::new(machine, options.ranks.unwrap_or(1), 0, findings()) else {
            return usage("the devices of several ranks are emulated");
        };
        ranks.direct(&given);
        let printed = shown.run(|world, stopper, slices| {
            let step = slice::step_ranks(&mut ranks, world, stopper, slices);
            let at = matches!(step, Step::Running).then(|| ranks.whereabouts().1);
            (step, at)
        });
        let code = (ranks.exit_code(slice::threshold(options), i32::from(options.error_exitcode)) & 0xff) as u8;
        let taken = printed.and_then(|printed| {
            // Whose line comes first is not compared, only what the lines are.
            let mut lines: Vec<&[u8]> = printed.split_inclusive(|&byte| byte == b'\n').collect();
            lines.sort_unstable();
            let outcome = Outcome { printed: lines.concat(), copies: Vec::new(), code };
            shown.take(&order, ranks.findings(), outcome)
        });
        if let Err(code) = taken {
            return code;
        }
        let (made, asked) = ranks.choices();
        has_asked |= asked;
        search.record(&given, made);
        next = search.next_choices();
    }
    let known = search.waiting() + usize::from(next.is_some());
    let limits = if has_asked { &["a rank asks which message is there"][..] } else { &[] };
    shown.finish("of messages", known, 0, limits)
}

/// What the devices of a machine have written down.
fn taken(machine: &mut Machine) -> (Vec<LaunchTrace>, Vec<HostCopy>) {
    let (mut traces, mut copies) = (Vec::new(), Vec::new());
    for emulator in machine.devices_mut().iter_mut().filter_map(DeviceBox::emulator_mut) {
        traces.extend(emulator.take_traces());
        copies.extend(emulator.take_copies());
    }
    traces.sort_by_key(|trace| trace.number);
    (traces, copies)
}

/// How much was seen.
fn summary(runs: u64, known: usize, by_chance: u64, limits: &[&str]) -> String {
    let orders = if runs == 1 { "1 order".to_owned() } else { format!("{runs} orders") };
    let mut out = format!("cufemu: {orders} run");
    if by_chance > 0 {
        out += &format!(", {by_chance} of them by a seed");
    }
    if known > 0 {
        out += &format!("; {known} more are known, which a larger `--explore` runs");
    } else if limits.is_empty() {
        out += "; all orders seen";
    } else {
        out += "; no other is known";
    }
    if !limits.is_empty() {
        out += &format!("; there may be more, since {}", limits.join(", and "));
    }
    out + "\n"
}

/// Why there may be more orders than are known.
fn reason(limit: Limit) -> &'static str {
    match limit {
        Limit::Events => "a launch has more accesses that matter than are kept",
        Limit::Lanes => "lanes meet in an atomic in more orders than are tried",
        Limit::Orders => "more orders were found than are kept",
        Limit::Polls => "a warp polls before a barrier of its block",
    }
}

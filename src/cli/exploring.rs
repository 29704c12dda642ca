//! `--explore`: runs a program in other orders that matter, until none is left, and says what only some of them show.
//!
//! The first run is a normal run. The other runs get the same input from outside and change nothing there; their output is only
//! compared. What each launch did in a run says which orders come next.
//!
//! Not here: which order is the next (`explore`), how a launch is directed (`emu`).

use crate::cli::libraries::Loaded;
use crate::cli::live::Live;
use crate::cli::options::{MessageFormat, Options};
use crate::cli::report::{Reporter, output_lost, say};
use crate::cli::seeds::{Key, Listening, Once, first_difference};
use crate::cli::slice::{self, Slices, Step};
use crate::cli::stopping::{Stopper, place};
use emu::HostCopy;
use explore::{LaunchTrace, Limit, Order, Search};
use machine::{DeviceBox, Machine, Mark, RealWorld, RecordingWorld};
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
    output: Option<(usize, String, String, Arc<Order>)>,
    /// The statement whose copy to the host gives other bytes.
    copy: Option<(Span, Arc<Order>)>,
    /// The exit code.
    code: Option<(u8, Arc<Order>)>,
}

impl Differences {
    /// Compares a run with the first one.
    fn note(&mut self, first: &Outcome, other: &Outcome, order: &Arc<Order>) {
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
    fn text(&self, runs: u64, first: &Outcome, map: &SourceMap) -> String {
        if self.count == 0 {
            return String::new();
        }
        let mut out = format!(
            "cufemu: the result depends on the order of blocks and warps: {} of {runs} orders differ from the first\n",
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

/// Runs the program at most `most` times; returns the exit code.
pub(crate) fn run(
    options: &Options,
    map: &SourceMap,
    reporter: &mut Reporter,
    libraries: &Loaded,
    mut load: impl FnMut(&Arc<Order>) -> Result<Machine, u8>,
    most: u64,
) -> u8 {
    let stopper = Stopper::new(options.timeout);
    let real = libraries.world(RealWorld::ended_by(stopper.end_wanted()));
    let is_full = options.message_format == MessageFormat::Full;
    let live = Live::only_progress(real, is_full);
    let mut world = RecordingWorld::new(Once { world: live, is_over: false });
    let start: Mark = world.mark();
    let mut slices = Slices::new();
    let mut search = Search::default();
    let mut known: BTreeSet<Key> = BTreeSet::new();
    let mut first: Option<Outcome> = None;
    let mut differences = Differences::default();
    let mut next = Some(Order::default());
    let (mut runs, mut code) = (0, 0);
    while runs < most
        && let Some(order) = next.take()
    {
        let order = Arc::new(order);
        runs += 1;
        let mut machine = match load(&order) {
            Ok(machine) => machine,
            Err(code) => return code,
        };
        world.rewind(start);
        let mut listening = Listening { world: &mut world, printed: Vec::new() };
        loop {
            let step = slice::step(&mut machine, &mut listening, &stopper, &mut slices);
            let live = &mut listening.world.inner_mut().world;
            if !matches!(step, Step::Running) {
                live.hide_progress();
            }
            match step {
                Step::Running => {
                    live.show_progress(|| {
                        format!(" order {runs} of at most {most}{}", place(&machine.whereabouts(), map))
                    });
                }
                Step::Over => break,
                Step::Ended(reason, at) => return reason.report(options.timeout, &at, map),
            }
        }
        let printed = listening.printed;
        for finding in machine.findings() {
            // What an earlier run has shown is not shown again.
            if known.insert((finding.code().id(), finding.span())) {
                let mut diagnostic = finding.diagnostic();
                if first.is_some() {
                    diagnostic.notes.push(format!("not in all orders; replay with --schedule {order}"));
                }
                reporter.report(&diagnostic, map);
            }
        }
        if let Some(error) = world.inner().world.output_error() {
            return output_lost(error);
        }
        world.inner_mut().is_over = true;
        let own = slice::exit_code(&machine, options);
        code = if code == 0 { own } else { code };
        let (traces, copies) = taken(&mut machine);
        search.record(&order, &traces);
        next = search.next();
        let outcome = Outcome { printed, copies, code: own };
        match &first {
            None => first = Some(outcome),
            Some(first) => differences.note(first, &outcome, &order),
        }
    }
    let Some(first) = first else { return code };
    let text = differences.text(runs, &first, map);
    say(&text);
    if is_full {
        say(&summary(runs, next.is_some(), &mut search));
    }
    if !text.is_empty() && code == 0 { options.error_exitcode } else { code }
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
fn summary(runs: u64, is_left: bool, search: &mut Search) -> String {
    let orders = |n: u64| if n == 1 { "1 order".to_owned() } else { format!("{n} orders") };
    let mut out = format!("cufemu: {} run", orders(runs));
    let limits: Vec<&str> = search.limits().map(reason).collect();
    if is_left {
        out += &format!("; {} more are known, which a larger `--explore` runs", search.waiting() + 1);
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
    }
}

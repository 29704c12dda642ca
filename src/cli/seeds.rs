//! `--many-seeds`: runs a program with many schedules and compares the results.
//!
//! The run of the first seed is a normal run. The other runs get the same input from outside and change nothing there; their
//! output is only compared. A different result depends on the order of blocks and warps.

use crate::cli::libraries::Loaded;
use crate::cli::live::Live;
use crate::cli::options::{MessageFormat, Options};
use crate::cli::report::{Reporter, output_lost, say};
use crate::cli::slice::{self, Slices, Step};
use crate::cli::stopping::{Stopper, place};
use crate::cli::usage;
use host::{Answer, Ask, CommandEnd, Stream};
use machine::{Machine, Mark, RealWorld, RecordingWorld, World};
use source::{FileId, SourceMap, Span};
use std::collections::BTreeSet;

/// The real world in the first run; read-only afterwards.
#[derive(Debug)]
pub(crate) struct Once {
    pub(crate) world: Live,
    pub(crate) is_over: bool,
}

impl World for Once {
    fn enter(&mut self, rank: usize) {
        self.world.enter(rank);
    }

    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::WriteFile { .. } | Ask::WritePieces { .. } | Ask::DeleteFile { .. } | Ask::Sleep { .. }
                if self.is_over =>
            {
                Answer::Done(Ok(()))
            }
            Ask::Command { .. } if self.is_over => {
                Answer::Command(Some(CommandEnd { code: 0, output: Vec::new(), errors: Vec::new() }))
            }
            _ => self.world.ask(question),
        }
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if !self.is_over {
            self.world.write(stream, bytes);
        }
    }
}

/// Keeps the standard output of a run.
pub(crate) struct Listening<'a> {
    pub(crate) world: &'a mut RecordingWorld<Once>,
    pub(crate) printed: Vec<u8>,
}

impl World for Listening<'_> {
    fn enter(&mut self, rank: usize) {
        self.world.enter(rank);
    }

    fn ask(&mut self, question: &Ask) -> Answer {
        self.world.ask(question)
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Stdout {
            self.printed.extend_from_slice(bytes);
        }
        self.world.write(stream, bytes);
    }
}

/// The part of a finding that does not depend on the order: its code and place.
type Key = (&'static str, Span);

/// A finding as the comparison shows it: its code, its file and line.
type Shown = (&'static str, FileId, usize);

/// The result of a run.
struct Outcome {
    seed: u64,
    printed: Vec<u8>,
    found: BTreeSet<Shown>,
    code: i32,
}

/// Runs the program once for each seed from `from` up to `to`, not included; returns the exit code.
pub(crate) fn run(
    options: &Options,
    map: &SourceMap,
    reporter: &mut Reporter,
    libraries: &Loaded,
    mut load: impl FnMut(u64) -> Result<Machine, u8>,
    (from, to): (u64, u64),
) -> u8 {
    let stopper = Stopper::new(options.timeout);
    let real = libraries.world(RealWorld::ended_by(stopper.end_wanted()));
    let live = Live::only_progress(real, options.message_format == MessageFormat::Full);
    let mut world = RecordingWorld::new(Once { world: live, is_over: false });
    let start: Mark = world.mark();
    let mut first: Option<Outcome> = None;
    let mut others: Vec<Outcome> = Vec::new();
    let mut known: BTreeSet<Key> = BTreeSet::new();
    let mut code = 0;
    let mut slices = Slices::new();
    for seed in from..to {
        let mut machine = match load(seed) {
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
                        format!(" seed:{seed} of {from}..{to}{}", place(&machine.whereabouts(), map))
                    });
                }
                Step::Over => break,
                Step::Ended(reason, at) => return reason.report(options.timeout, &at, map),
            }
        }
        let printed = listening.printed;
        let mut found = BTreeSet::new();
        for finding in machine.findings() {
            let (id, span) = (finding.code().id(), finding.span());
            found.insert((id, span.file, map.location(span).map_or(0, |place| place.line)));
            // What an earlier seed has shown is not shown again.
            if known.insert((id, span)) {
                reporter.report(&finding.diagnostic(), map);
            }
        }
        if let Some(error) = world.inner().world.output_error() {
            return output_lost(error);
        }
        world.inner_mut().is_over = true;
        let own = slice::exit_code(&machine, options);
        code = if code == 0 { own } else { code };
        let outcome = Outcome { seed, printed, found, code: i32::from(own) };
        match &first {
            None => first = Some(outcome),
            Some(_) => others.push(outcome),
        }
    }
    let Some(first) = first else { return usage("no seed to run with") };
    match differences(&first, &others) {
        text if text.is_empty() => code,
        text => {
            say(&text);
            if code == 0 { options.error_exitcode } else { code }
        }
    }
}

/// A description of the runs that differ from the first; empty if none does.
fn differences(first: &Outcome, others: &[Outcome]) -> String {
    let differs = |o: &&Outcome| o.printed != first.printed || o.found != first.found || o.code != first.code;
    let different: Vec<&Outcome> = others.iter().filter(differs).collect();
    if different.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "cufemu: the result depends on the order of blocks and warps: {} of {} seeds differ from seed:{}\n",
        different.len(),
        others.len() + 1,
        first.seed
    );
    let seeds = |list: &[u64]| list.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let of = |f: &dyn Fn(&Outcome) -> bool| different.iter().filter(|o| f(o)).map(|o| o.seed).collect::<Vec<u64>>();
    let printed = of(&|o| o.printed != first.printed);
    if let Some(other) = different.iter().find(|o| o.printed != first.printed) {
        let (line, a, b) = first_difference(&first.printed, &other.printed);
        out += &format!("cufemu: different output with seeds {}\n", seeds(&printed));
        out += &format!("cufemu: line {line} is `{b}` with seed:{} and `{a}` with seed:{}\n", other.seed, first.seed);
    }
    let codes = of(&|o| o.code != first.code);
    if !codes.is_empty() {
        out += &format!("cufemu: different exit code with seeds {}\n", seeds(&codes));
    }
    let keys: BTreeSet<Shown> = first.found.iter().chain(different.iter().flat_map(|o| &o.found)).copied().collect();
    for key in keys {
        let with = of(&|o| o.found.contains(&key));
        let line = key.2;
        if !first.found.contains(&key) {
            out += &format!("cufemu: {} in line {line} only with seeds {}\n", key.0, seeds(&with));
        } else if with.len() < different.len() {
            let without = of(&|o| !o.found.contains(&key));
            out += &format!("cufemu: {} in line {line} not with seeds {}\n", key.0, seeds(&without));
        }
    }
    out
}

/// The number of the first line that differs, from 1, and how it reads in both.
pub(crate) fn first_difference(a: &[u8], b: &[u8]) -> (usize, String, String) {
    let (mut x, mut y) = (a.split(|&c| c == b'\n'), b.split(|&c| c == b'\n'));
    let mut number = 0;
    loop {
        number += 1;
        let (left, right) = (x.next(), y.next());
        if left != right || left.is_none() {
            let text = |line: Option<&[u8]>| String::from_utf8_lossy(line.unwrap_or_default()).trim_end().to_owned();
            return (number, text(left), text(right));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert_eq!(first_difference(b"a\nb\nc\n", b"a\nx\nc\n"), (2, "b".to_owned(), "x".to_owned()));
        assert_eq!(first_difference(b"a\n", b"a\nb\n"), (2, String::new(), "b".to_owned()));
    }
}

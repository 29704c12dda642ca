//! `--explore`: what the search of orders finds in small programs whose faults are known, and how soon.
//!
//! Each program in `tests/explore` is two: as it stands it is right in every order, with the macro `RACY` defined some order is
//! wrong, as `! wrong:` in its head says: by a finding of that code, or by another `result` than that of the first run.
//!
//! * Of the right twin all orders are seen, none has a finding, and all print `right`. `! orders: many` is for one of which not
//!   all orders are run.
//! * Of the wrong twin one of the first orders shows the fault, and the order that shows it shows it again.
//!
//! The table of `docs/races.md` says how many runs it takes, beside those of `--many-seeds`, also for the programs of the labelled
//! suite whose races depend on the schedule. `CUFEMU_BLESS=1` renews it.

use crate::annotated::{Expected, Program, programs, read, root};
use crate::run::{Variant, compile, load};
use crate::{kept, trial};
use ::explore::{Order, Search};
use emu::Emulator;
use libtest_mimic::Trial;
use machine::{ClosedWorld, DeviceBox};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Orders within which a fault has to be seen.
const SOON: usize = 32;
/// Orders that are run of a right twin, and of one that has many.
const ALL: usize = 2000;
const MANY: usize = 100;
/// Seeds that are tried.
const SEEDS: u64 = 400;

pub(crate) fn trials() -> Vec<Trial> {
    let one = |program: Program| trial(format!("explore/{}", program.name), move || check(&program));
    let suite = |program: Program| trial(format!("explore/suite/{}", program.name), move || check_suite(&program));
    let table = trial("explore/table".to_owned(), renew_table);
    let own = programs("tests/explore").into_iter().map(one);
    own.chain(programs("tests/suite").into_iter().map(suite)).chain([table]).collect()
}

/// What a run showed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Run {
    codes: Vec<String>,
    printed: String,
    code: i32,
}

fn module(program: &Program, is_wrong: bool) -> Arc<ir::Module> {
    let name = program.path.file_name().expect("a name").to_string_lossy();
    let compiled = compile(&name, &program.text(), Variant::twin(is_wrong));
    compiled.module.filter(|_| compiled.said.is_empty()).unwrap_or_else(|| panic!("{}", compiled.said))
}

fn run(module: &Arc<ir::Module>, options: emu::Options) -> (Run, Vec<::explore::LaunchTrace>) {
    let mut machine = load(module, emu::Options { race: Some(race::Rules::default()), ..options });
    let mut world = ClosedWorld::default();
    machine.run(&mut world);
    let emulators = machine.devices_mut().iter_mut().filter_map(DeviceBox::emulator_mut);
    let traces = emulators.flat_map(Emulator::take_traces).collect();
    let run = Run {
        codes: machine.findings().iter().map(|finding| finding.code().id().to_owned()).collect(),
        printed: String::from_utf8_lossy(&world.printed).trim().to_owned(),
        code: machine.exit_code(Some(diag::Severity::Error), 1).unwrap_or(0),
    };
    (run, traces)
}

/// The runs of a search, until `is_enough`; and whether all orders were seen.
fn search(
    module: &Arc<ir::Module>,
    most: usize,
    is_enough: impl Fn(&[(Order, Run)]) -> bool,
) -> (Vec<(Order, Run)>, bool) {
    let mut search = Search::default();
    let mut next = Some(Order::default());
    let mut runs = Vec::new();
    while runs.len() < most
        && !is_enough(&runs)
        && let Some(order) = next.take()
    {
        let options = emu::Options { order: Some(Arc::new(order.clone())), trace: true, ..emu::Options::default() };
        let (run, traces) = run(module, options);
        search.record(&order, &traces);
        runs.push((order, run));
        next = search.next_order();
    }
    let is_whole = next.is_none() && search.limits().next().is_none();
    (runs, is_whole)
}

/// Whether the last of the runs shows the fault.
fn shows<'a>(expected: &Expected, runs: impl DoubleEndedIterator<Item = &'a Run> + Clone) -> bool {
    let (Some(first), Some(last)) = (runs.clone().next(), runs.clone().next_back()) else { return false };
    match expected.notes.get("wrong").map(String::as_str) {
        Some("result") => last.printed != first.printed,
        Some(code) => last.codes.iter().any(|found| found == code),
        // Of the suite any report counts.
        None => !last.codes.is_empty(),
    }
}

fn check(program: &Program) -> Vec<String> {
    let expected = read(program);
    let mut wrong = Vec::new();
    let is_many = expected.notes.get("orders").is_some_and(|orders| orders == "many");
    let (runs, is_whole) = search(&module(program, false), if is_many { MANY } else { ALL }, |_| false);
    if !is_whole && !is_many {
        wrong.push(format!("right: not all orders are seen in {} runs", runs.len()));
    }
    let is_bad = |run: &Run| run.printed != "right" || run.code != 0 || !run.codes.is_empty();
    if let Some((order, run)) = runs.iter().find(|(_, run)| is_bad(run)) {
        wrong.push(format!("right, {order}: {run:?}"));
    }
    let module = module(program, true);
    let (runs, _) = search(&module, SOON, |runs| shows(&expected, runs.iter().map(|(_, run)| run)));
    match runs.last() {
        Some((order, found)) if shows(&expected, runs.iter().map(|(_, run)| run)) => {
            let again = emu::Options { order: Some(Arc::new(order.clone())), ..emu::Options::default() };
            let (again, _) = run(&module, again);
            if again != *found {
                wrong.push(format!("wrong, {order}: {found:?} and then {again:?}"));
            }
        }
        _ => wrong.push(format!("wrong: the fault is not seen in {SOON} orders")),
    }
    wrong
}

/// The clean twin of a program of the suite is clean in other orders, too; the racy one is seen to be.
fn check_suite(program: &Program) -> Vec<String> {
    let expected = read(program);
    let mut wrong = Vec::new();
    let (runs, _) = search(&module(program, false), SOON, |_| false);
    let is_bad = |run: &Run| run.printed != "right" || run.code != 0 || !run.codes.is_empty();
    if let Some((order, run)) = runs.iter().find(|(_, run)| is_bad(run)) {
        wrong.push(format!("clean, {order}: {run:?}"));
    }
    let (runs, _) = search(&module(program, true), SOON, |runs| shows(&expected, runs.iter().map(|(_, run)| run)));
    if !shows(&expected, runs.iter().map(|(_, run)| run)) {
        wrong.push(format!("racy: no race is seen in {SOON} orders"));
    }
    wrong
}

/// How many runs it takes until the fault is seen, with seeds and with the search.
fn runs_until_seen(program: &Program, expected: &Expected) -> (Option<u64>, Option<usize>) {
    let module = module(program, true);
    let mut seeded: Vec<Run> = Vec::new();
    let by_seed = (0..SEEDS).find(|&seed| {
        seeded.push(run(&module, emu::Options { seed, ..emu::Options::default() }).0);
        shows(expected, seeded.iter())
    });
    let is_seen = |runs: &[(Order, Run)]| shows(expected, runs.iter().map(|(_, run)| run));
    let (runs, _) = search(&module, ALL, is_seen);
    (by_seed.map(|seed| seed + 1), is_seen(&runs).then_some(runs.len()))
}

/// The table of `docs/races.md`.
fn renew_table() -> Vec<String> {
    let mut table =
        "| program | fault | `--many-seeds` | `--explore` | orders of the right twin |\n|---|---|---:|---:|---:|\n"
            .to_owned();
    let count = |n: Option<String>, most: u64| n.unwrap_or_else(|| format!("not in {most}"));
    for program in programs("tests/explore") {
        let expected = read(&program);
        let (seeds, orders) = runs_until_seen(&program, &expected);
        let fault = match expected.notes.get("wrong").map(String::as_str) {
            Some("R0405") => "never ends".to_owned(),
            Some("result") => "result".to_owned(),
            Some(code) => format!("race {code}"),
            None => panic!("{}: no fault is named", program.name),
        };
        let (right, is_whole) = search(&module(&program, false), ALL, |_| false);
        let right = if is_whole { right.len().to_string() } else { format!("more than {ALL}") };
        let seeds = count(seeds.map(|n| n.to_string()), SEEDS);
        let orders = count(orders.map(|n| n.to_string()), ALL as u64);
        writeln!(table, "| {} | {fault} | {seeds} | {orders} | {right} |", program.name).expect("room");
    }
    for program in programs("tests/suite") {
        let expected = read(&program);
        if expected.notes.get("seeds").is_none_or(|seeds| seeds != "some") {
            continue;
        }
        let (seeds, orders) = runs_until_seen(&program, &expected);
        let seeds = count(seeds.map(|n| n.to_string()), SEEDS);
        let orders = count(orders.map(|n| n.to_string()), ALL as u64);
        writeln!(table, "| suite: {} | race | {seeds} | {orders} | |", program.name).expect("room");
    }
    let page = Path::new("docs/races.md");
    let text = std::fs::read_to_string(root().join(page)).expect("the page");
    let (before, rest) = text.split_once("| program |").expect("a table");
    let after = rest.split_once("\n\n").map_or(String::new(), |(_, after)| format!("\n{after}"));
    kept::compare(page, &format!("{before}{table}{after}")).into_iter().collect()
}

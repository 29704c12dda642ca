//! The labelled suite: what the race check says of small kernels whose races are known.
//!
//! Each program in `tests/suite/<kind>` is two: as it stands it is clean, with the macro `RACY` defined it has the races that
//! its markers name (see `annotated`). All runs are with the race check, in this process, each program compiled once.
//!
//! * The clean twin reports nothing, prints `right` and ends with code 0, whatever the schedule.
//! * The racy twin reports exactly the marked places, each with its code and its other end, when blocks and warps run in
//!   their natural order (seed 0). Another schedule may see the two ends the other way round, and of several accesses of one
//!   thread another one; then only marked lines with their codes may be reported, and something must be. A marker
//!   `!~ ?CODE` is for what only other schedules report.
//! * Where locks, flags or fences order the accesses, whether a run can show the race depends on the schedule. Such a
//!   program says so in its head and is run with 64 schedules: `! seeds: every` if the race is in every run, `! seeds: some`
//!   if only in some; then each marked place has to be reported in at least one. The others are run with a few.
//! * The same run done twice, by machine code and by the interpreter, gives the same output and findings.
//!
//! So every report is marked (precision 1) and every marked place is reported (recall 1), program by program. The number of
//! twins and runs of each kind is in `tests/suite/README.md`; `CUFEMU_BLESS=1` renews the table.

use crate::annotated::{Expected, Marker, Program, difference, programs, read, root};
use crate::run::{Variant, compile, load_for};
use crate::{kept, trial};
use libtest_mimic::Trial;
use machine::{ClosedWorld, Engine};
use source::{SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Schedules of a program whose races depend on the schedule, and of the others.
const SEEDS: u64 = 64;
const FEW_SEEDS: u64 = 4;

pub(crate) fn trials() -> Vec<Trial> {
    let one = |program: Program| trial(format!("suite/{}", program.name), move || check(&program));
    let table = trial("suite/table".to_owned(), renew_table);
    programs("tests/suite").into_iter().map(one).chain([table]).collect()
}

/// One of a pair of twins, compiled.
struct Twin {
    module: Arc<ir::Module>,
    map: SourceMap,
}

/// What a run showed.
#[derive(PartialEq, Eq, Debug)]
struct Run {
    found: Vec<Marker>,
    printed: String,
    code: i32,
    /// The reports in full.
    reports: String,
}

impl Twin {
    fn compile(program: &Program, is_racy: bool) -> Twin {
        let name = program.path.file_name().expect("a name").to_string_lossy();
        let compiled = compile(&name, &program.text(), Variant::twin(is_racy));
        let module = compiled.module.filter(|_| compiled.said.is_empty());
        Twin { module: module.unwrap_or_else(|| panic!("{}", compiled.said)), map: compiled.map }
    }

    fn run(&self, seed: u64) -> Run {
        self.run_by(Engine::default(), seed)
    }

    fn run_by(&self, engine: Engine, seed: u64) -> Run {
        let options = emu::Options { race: Some(race::Rules::default()), seed, ..emu::Options::default() };
        let mut machine = load_for(&self.module, options, engine);
        let mut world = ClosedWorld::default();
        machine.run(&mut world);
        let mut run = Run {
            found: Vec::new(),
            printed: String::from_utf8_lossy(&world.printed).trim().to_owned(),
            code: machine.exit_code(Some(diag::Severity::Error), 1).unwrap_or(0),
            reports: String::new(),
        };
        while let Some(finding) = machine.findings().get(run.found.iter().filter(|m| !m.first).count()) {
            let diagnostic = finding.diagnostic();
            let code = diagnostic.code.id().to_owned();
            let line = |span: Span| self.map.location(span).map_or(0, |place| place.line);
            run.found.push(Marker { line: line(diagnostic.primary.span), first: false, code: code.clone() });
            if let Some(other) = diagnostic.secondary.first() {
                run.found.push(Marker { line: line(other.span), first: true, code });
            }
            run.reports += &diag::short(&diagnostic, &self.map);
        }
        run.found.sort();
        run
    }
}

/// How many schedules each twin of a program is run with.
fn seeds(expected: &Expected) -> u64 {
    match expected.notes.get("seeds").map(String::as_str) {
        None => FEW_SEEDS,
        Some("every" | "some") => SEEDS,
        Some(other) => panic!("seeds `{other}`"),
    }
}

/// Runs both twins of a program by all its schedules.
fn check(program: &Program) -> Vec<String> {
    let expected = read(program);
    let mut wrong = clean(program, seeds(&expected));
    wrong.extend(racy(program, &expected));
    wrong
}

fn clean(program: &Program, seeds: u64) -> Vec<String> {
    let twin = Twin::compile(program, false);
    let mut wrong = Vec::new();
    for seed in 0..seeds {
        let run = twin.run(seed);
        if run.printed != "right" || run.code != 0 || !run.found.is_empty() {
            wrong.push(format!("clean, seed {seed}: code {}, printed {}\n{}", run.code, run.printed, run.reports));
        }
    }
    wrong
}

fn racy(program: &Program, expected: &Expected) -> Vec<String> {
    let twin = Twin::compile(program, true);
    let some = expected.notes.get("seeds").is_some_and(|s| s == "some");
    let lines = |markers: &[Marker]| -> BTreeSet<(usize, String)> {
        markers.iter().map(|m| (m.line, m.code.clone())).collect()
    };
    let (rare, usual): (Vec<Marker>, Vec<Marker>) =
        expected.markers.iter().cloned().partition(|m| m.code.starts_with('?'));
    let marked = lines(&usual);
    let rare = rare.iter().map(|m| (m.line, m.code[1..].to_owned()));
    let allowed: BTreeSet<(usize, String)> = marked.iter().cloned().chain(rare).collect();
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for seed in 0..seeds(expected) {
        let run = twin.run(seed);
        let found = lines(&run.found);
        let strange: Vec<_> = found.difference(&allowed).collect();
        let silent = found.is_empty() && !some;
        if !strange.is_empty() || silent {
            wrong.push(format!("racy, seed {seed}: silent {silent}, not marked {strange:?}\n{}", run.reports));
        }
        if seed == 0 && !some {
            let differs = difference(&usual, run.found.clone());
            if !differs.is_empty() {
                wrong.push(format!("racy, seed 0: {}\n{}", differs.join(", "), run.reports));
            }
        }
        if seed == 0 {
            let other = twin.run_by(Engine::Interpreter, 0);
            if run != other {
                wrong.push(format!("racy: by the interpreter\n{}by machine code\n{}", other.reports, run.reports));
            }
        }
        seen.extend(found);
    }
    if some {
        let never: Vec<_> = marked.difference(&seen).collect();
        if !never.is_empty() {
            wrong.push(format!("racy: no seed reports {never:?}"));
        }
    }
    if usual.is_empty() {
        wrong.push("no race is marked".to_owned());
    }
    wrong
}

/// The number of twins and runs of each kind, as the description of the suite has them.
fn renew_table() -> Vec<String> {
    let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for program in programs("tests/suite") {
        let kind = program.name.split('/').next().expect("a kind").to_owned();
        let (twins, runs) = kinds.entry(kind).or_default();
        *twins += 1;
        *runs += 2 * seeds(&read(&program));
    }
    let all = kinds.values().fold((0, 0), |sum, &(twins, runs)| (sum.0 + twins, sum.1 + runs));
    let mut table = "| kind | twins | runs |\n|---|---:|---:|\n".to_owned();
    for (kind, (twins, runs)) in kinds.into_iter().chain([("all".to_owned(), all)]) {
        writeln!(table, "| {kind} | {twins} | {runs} |").expect("room");
    }
    let readme = Path::new("tests/suite/README.md");
    let text = std::fs::read_to_string(root().join(readme)).expect("the description");
    let (before, rest) = text.split_once("| kind |").expect("a table");
    let after = rest.split_once("\n\n").map_or(String::new(), |(_, after)| format!("\n{after}"));
    kept::compare(readme, &format!("{before}{table}{after}")).into_iter().collect()
}

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
//! * The same run done twice gives the same output and findings.
//!
//! Precision is the share of the reports that are marked, over all runs; recall is the share of the marked places that are
//! reported, at seed 0 or over all seeds of `some`. Both are 1. The table is kept in `tests/suite/README.md`;
//! `CUFEMU_BLESS=1` writes it anew.

mod annotated;

use annotated::{Expected, Marker, difference, programs, read};
use diag::Diagnostics;
use emu::Emulator;
use machine::{ClosedWorld, DeviceBox, Machine, MachineOptions};
use source::{SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Schedules of a program whose races depend on the schedule, and of the others.
const SEEDS: u64 = 64;
const FEW_SEEDS: u64 = 4;

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
    fn compile(path: &Path, racy: bool) -> Twin {
        let mut map = SourceMap::new();
        let text = std::fs::read_to_string(path).expect("a readable program");
        let file = map.add(path.file_name().expect("a name").to_string_lossy(), text);
        let mut options = compile::Options::default();
        options.parse.preprocess = Some(true);
        options.parse.macros.extend(racy.then(|| compile::MacroOption::Define("RACY".to_owned())));
        let mut diags = Diagnostics::new();
        let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
        let said: String = diags.into_sorted().iter().map(|d| diag::short(d, &map)).collect();
        let compiled = compiled.filter(|_| said.is_empty());
        Twin { module: compiled.unwrap_or_else(|| panic!("{}: {said}", path.display())).module, map }
    }

    fn run(&self, seed: u64) -> Run {
        let options = emu::Options { race: Some(race::Rules::default()), seed, ..emu::Options::default() };
        let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, options)))];
        let settings = MachineOptions { clock: machine::ClockKind::Model, ..MachineOptions::default() };
        let mut machine =
            Machine::load(self.module.clone(), devices, &gpu::GpuOptions::default(), settings).expect("it loads");
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

/// What is counted of a kind.
#[derive(Default, Clone, Copy)]
struct Tally {
    twins: usize,
    runs: usize,
    reports: usize,
    reports_marked: usize,
    marked: usize,
    marked_reported: usize,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.twins += other.twins;
        self.runs += other.runs;
        self.reports += other.reports;
        self.reports_marked += other.reports_marked;
        self.marked += other.marked;
        self.marked_reported += other.marked_reported;
    }

    fn share(part: usize, whole: usize) -> f64 {
        if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
    }
}

/// Runs both twins of a program by all its schedules; gives what is wrong, too.
fn examine(path: &Path) -> (Tally, Vec<String>) {
    let expected = read(path);
    let seeds = match expected.notes.get("seeds").map(String::as_str) {
        None => FEW_SEEDS,
        Some("every" | "some") => SEEDS,
        Some(other) => panic!("{}: seeds `{other}`", path.display()),
    };
    let mut tally = Tally { twins: 1, runs: 2 * seeds as usize, ..Tally::default() };
    let mut wrong = clean(path, seeds, &mut tally);
    wrong.extend(racy(path, &expected, seeds, &mut tally));
    (tally, wrong)
}

fn clean(path: &Path, seeds: u64, tally: &mut Tally) -> Vec<String> {
    let twin = Twin::compile(path, false);
    let mut wrong = Vec::new();
    for seed in 0..seeds {
        let run = twin.run(seed);
        tally.reports += run.found.iter().filter(|m| !m.first).count();
        if run.printed != "right" || run.code != 0 || !run.found.is_empty() {
            wrong.push(format!("clean, seed {seed}: code {}, printed {}\n{}", run.code, run.printed, run.reports));
        }
    }
    wrong
}

fn racy(path: &Path, expected: &Expected, seeds: u64, tally: &mut Tally) -> Vec<String> {
    let twin = Twin::compile(path, true);
    let some = expected.notes.get("seeds").is_some_and(|s| s == "some");
    let lines = |markers: &[Marker]| -> BTreeSet<(usize, String)> {
        markers.iter().map(|m| (m.line, m.code.clone())).collect()
    };
    let own = |markers: &[Marker]| markers.iter().filter(|m| !m.first).count();
    let (rare, usual): (Vec<Marker>, Vec<Marker>) =
        expected.markers.iter().cloned().partition(|m| m.code.starts_with('?'));
    let marked = lines(&usual);
    let rare = rare.iter().map(|m| (m.line, m.code[1..].to_owned()));
    let allowed: BTreeSet<(usize, String)> = marked.iter().cloned().chain(rare).collect();
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for seed in 0..seeds {
        let run = twin.run(seed);
        let found = lines(&run.found);
        tally.reports += own(&run.found);
        tally.reports_marked +=
            run.found.iter().filter(|m| !m.first && allowed.contains(&(m.line, m.code.clone()))).count();
        let strange: Vec<_> = found.difference(&allowed).collect();
        let silent = found.is_empty() && !some;
        if !strange.is_empty() || silent {
            wrong.push(format!("racy, seed {seed}: silent {silent}, not marked {strange:?}\n{}", run.reports));
        }
        if seed == 0 && !some {
            let differs = difference(&usual, run.found.clone());
            tally.marked += own(&usual);
            tally.marked_reported += usual.iter().filter(|m| !m.first && run.found.contains(m)).count();
            if !differs.is_empty() {
                wrong.push(format!("racy, seed 0: {}\n{}", differs.join(", "), run.reports));
            }
        }
        if seed == 0 && run != twin.run(0) {
            wrong.push("racy: a second run differs".to_owned());
        }
        seen.extend(found);
    }
    if some {
        tally.marked += marked.len();
        tally.marked_reported += marked.intersection(&seen).count();
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

/// Examines programs on all processors; the results are in the order of the programs.
fn examine_all(paths: &[PathBuf]) -> Vec<(Tally, Vec<String>)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((path, examine(path)));
        }
        done
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|h| h.join().expect("no panic")).collect()
    });
    all.sort_by_key(|&(path, _)| path);
    all.into_iter().map(|(_, result)| result).collect()
}

/// The table by kind.
fn table(kinds: &BTreeMap<String, Tally>) -> String {
    let mut out = "| kind | twins | runs | precision | recall |\n|---|---:|---:|---:|---:|\n".to_owned();
    let mut all = Tally::default();
    for (kind, tally) in kinds {
        all.add(*tally);
        out += &row(kind, tally);
    }
    out + &row("all", &all)
}

fn row(kind: &str, t: &Tally) -> String {
    let precision = Tally::share(t.reports_marked, t.reports);
    let recall = Tally::share(t.marked_reported, t.marked);
    format!("| {kind} | {} | {} | {precision:.3} | {recall:.3} |\n", t.twins, t.runs)
}

#[test]
fn races_of_the_suite_are_found_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite");
    let mut paths = Vec::new();
    programs(&folder, &mut paths);
    let results = examine_all(&paths);
    let mut kinds: BTreeMap<String, Tally> = BTreeMap::new();
    let mut failed = Vec::new();
    for (path, (tally, wrong)) in paths.iter().zip(results) {
        let kind = path.parent().and_then(Path::file_name).expect("a kind").to_string_lossy().into_owned();
        kinds.entry(kind).or_default().add(tally);
        if !wrong.is_empty() {
            failed.push(format!("{}:\n{}", path.display(), wrong.join("\n")));
        }
    }
    let table = table(&kinds);
    assert!(failed.is_empty(), "{} of {} programs:\n{}\n{table}", failed.len(), paths.len(), failed.join("\n\n"));
    let readme = folder.join("README.md");
    let text = std::fs::read_to_string(&readme).expect("the suite's description");
    let (before, rest) = text.split_once("| kind |").expect("a table");
    let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
    let due = if after.is_empty() { format!("{before}{table}") } else { format!("{before}{table}\n{after}") };
    if std::env::var_os("CUFEMU_BLESS").is_some() {
        std::fs::write(&readme, due).expect("a writable description");
    } else {
        assert_eq!(text, due, "the table in {} is old; CUFEMU_BLESS=1 writes it anew", readme.display());
    }
}

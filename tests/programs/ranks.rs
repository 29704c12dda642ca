//! Programs of several ranks, right and wrong: what is said of them.
//!
//! Each program in `tests/ranks/<kind>` is two: as it stands it is right, with the macro `WRONG` defined it has the errors that
//! its markers name (see `annotated`). All runs are with the checks of races and leaks, in this process; `! ranks: N` is the
//! number of ranks, two if it is not there.
//!
//! * The right twin reports nothing and ends with code 0, whatever the order of ranks and the choice of messages (seeds).
//! * The wrong twin reports exactly the marked lines, each with its code, when ranks take turns in their order (seed 0). With
//!   another seed the report may be at the other place of the two; a marker `!~ ?CODE` is for what only other seeds report.
//!   Something must be reported in each.
//! * The same run done twice gives the same output and findings.
//!
//! So every report is marked (precision 1) and every error is reported (recall 1), program by program. The number of twins of
//! each kind, and of those with kernels or device buffers, is in `tests/ranks/README.md`; `CUFEMU_BLESS=1` renews the table.

use crate::annotated::{Program, programs, read, root};
use crate::run::{Variant, compile};
use crate::{kept, trial};
use emu::Emulator;
use finding::Findings;
use libtest_mimic::Trial;
use machine::{ClosedWorld, DeviceBox, Machine, MachineOptions, Ranks, RanksStop};
use source::SourceMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// The folder of the programs.
const FOLDER: &str = "tests/ranks";
/// How many seeds each twin is run with.
const SEEDS: u64 = 6;
/// Schedule points that no program needs.
const AMPLE: u64 = 20_000_000;

pub(crate) fn trials() -> Vec<Trial> {
    let one = |program: Program| trial(format!("ranks/{}", program.name), move || check(&program));
    let table = trial("ranks/table".to_owned(), renew_table);
    programs(FOLDER).into_iter().map(one).chain([table]).collect()
}

/// One of a pair of twins, compiled.
struct Twin {
    module: Arc<ir::Module>,
    map: SourceMap,
    ranks: u32,
}

/// What a run showed.
#[derive(PartialEq, Eq, Debug)]
struct Run {
    /// Lines and codes.
    found: BTreeSet<(usize, String)>,
    code: i32,
    printed: String,
    reports: String,
}

impl Twin {
    fn compile(program: &Program, is_wrong: bool, ranks: u32) -> Twin {
        let name = program.path.file_name().expect("a name").to_string_lossy();
        let compiled = compile(&name, &program.text(), Variant::twin(is_wrong));
        let module = compiled.module.filter(|_| compiled.said.is_empty());
        Twin { module: module.unwrap_or_else(|| panic!("{}", compiled.said)), map: compiled.map, ranks }
    }

    fn run(&self, seed: u64) -> Run {
        let options = emu::Options { race: Some(race::Rules::default()), seed, ..emu::Options::default() };
        let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, options)))];
        let settings =
            MachineOptions { clock: machine::ClockKind::Model, check_leaks: true, ..MachineOptions::default() };
        let machine = Machine::load(self.module.clone(), devices, &gpu::GpuOptions::default(), settings);
        let machine = machine.expect("it loads");
        let mut ranks = Ranks::new(&machine, self.ranks, seed, Findings::new()).expect("emulators");
        let mut world = ClosedWorld::default();
        if ranks.advance(AMPLE, &mut world) != RanksStop::Done {
            ranks.end(124);
            while ranks.advance(AMPLE, &mut world) != RanksStop::Done {}
        }
        let mut run = Run {
            found: BTreeSet::new(),
            code: ranks.exit_code(Some(diag::Severity::Warning), 1),
            printed: String::from_utf8_lossy(&world.printed).into_owned(),
            reports: String::new(),
        };
        for finding in ranks.findings() {
            let diagnostic = finding.diagnostic();
            let line = self.map.location(diagnostic.primary.span).map_or(0, |place| place.line);
            run.found.insert((line, diagnostic.code.id().to_owned()));
            run.reports += &diag::short(&diagnostic, &self.map);
        }
        run
    }
}

fn ranks_of(notes: &BTreeMap<String, String>) -> u32 {
    notes.get("ranks").map_or(2, |n| n.parse().expect("a number of ranks"))
}

/// Runs both twins of a program with all seeds.
fn check(program: &Program) -> Vec<String> {
    let expected = read(program);
    let count = ranks_of(&expected.notes);
    let mut wrong = Vec::new();
    let twin = Twin::compile(program, false, count);
    for seed in 0..SEEDS {
        let run = twin.run(seed);
        if run.code != 0 || !run.found.is_empty() {
            wrong.push(format!("right, seed {seed}: code {}, printed {}\n{}", run.code, run.printed, run.reports));
        }
    }
    let place = |line: usize, code: &str| (line, code.trim_start_matches('?').to_owned());
    let allowed: BTreeSet<_> = expected.markers.iter().map(|m| place(m.line, &m.code)).collect();
    let usual = expected.markers.iter().filter(|m| !m.code.starts_with('?'));
    let usual: BTreeSet<_> = usual.map(|m| place(m.line, &m.code)).collect();
    let twin = Twin::compile(program, true, count);
    for seed in 0..SEEDS {
        let run = twin.run(seed);
        let strange: Vec<_> = run.found.difference(&allowed).collect();
        if !strange.is_empty() || run.found.is_empty() || run.code == 124 {
            wrong.push(format!("wrong, seed {seed}: code {}, not marked {strange:?}\n{}", run.code, run.reports));
        }
        if seed == 0 && run.found != usual {
            wrong.push(format!("wrong, seed 0: found {:?}, marked {usual:?}\n{}", run.found, run.reports));
        }
        if seed == 0 && run != twin.run(0) {
            wrong.push("wrong: a second run differs".to_owned());
        }
    }
    if usual.is_empty() {
        wrong.push("no error is marked".to_owned());
    }
    wrong
}

/// The number of twins of each kind, as the description has them.
fn renew_table() -> Vec<String> {
    let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for program in programs(FOLDER) {
        let kind = program.name.split('/').next().expect("a kind").to_owned();
        let (twins, on_devices) = kinds.entry(kind).or_default();
        *twins += 1;
        *on_devices += u64::from(program.text().contains(", device"));
    }
    let all = kinds.values().fold((0, 0), |sum, &(twins, on_devices)| (sum.0 + twins, sum.1 + on_devices));
    let mut table = "| kind | twins | with device buffers |\n|---|---:|---:|\n".to_owned();
    for (kind, (twins, on_devices)) in kinds.into_iter().chain([("all".to_owned(), all)]) {
        writeln!(table, "| {kind} | {twins} | {on_devices} |").expect("room");
    }
    let readme = Path::new(FOLDER).join("README.md");
    let text = std::fs::read_to_string(root().join(&readme)).expect("the description");
    let (before, _) = text.split_once("| kind | twins |").expect("a table");
    kept::compare(&readme, &format!("{before}{table}")).into_iter().collect()
}

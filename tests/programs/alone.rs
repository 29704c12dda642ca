//! One rank of several, run alone by the record of a run of all, as the debugger does it.
//!
//! The programs are those of `tests/ranks`, both twins, and those of `tests/ui` that give `--ranks`. Each rank is run alone once.
//! Records go by way of their bytes, as in files. Together the ranks print the same lines as in the run of all, and find the same errors; nothing outside is asked. A rank
//! that is stopped now and then, and continued as a copy, prints the same bytes.

use crate::annotated::{Program, programs, read};
use crate::run::{Variant, compile};
use crate::trial;
use emu::Emulator;
use finding::Findings;
use host::{Answer, Ask, Stream};
use libtest_mimic::Trial;
use machine::{
    ClosedWorld, DeviceBox, Machine, MachineOptions, MachineStop, NoObserver, Ranks, RanksStop, RecordHead, Records,
    World,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Schedule points that no program needs.
const AMPLE: u64 = 20_000_000;
/// Schedule points between two stops.
const SLICE: u64 = 97;

pub(crate) fn trials() -> Vec<Trial> {
    let all = ["tests/ranks", "tests/ui/pass/mpi", "tests/ui/fail/mpi"].into_iter().flat_map(|folder| {
        let of = folder.strip_prefix("tests/").unwrap_or(folder);
        programs(folder).into_iter().map(move |program| (of, program))
    });
    all.map(|(of, program)| trial(format!("alone/{of}/{}", program.name), move || check(&program))).collect()
}

/// A world that answers nothing; it keeps what is printed.
#[derive(Clone, Default)]
struct NoWorld {
    printed: Vec<u8>,
    asked: Vec<Ask>,
}

impl World for NoWorld {
    fn ask(&mut self, question: &Ask) -> Answer {
        self.asked.push(question.clone());
        ClosedWorld::answer(question)
    }

    fn write(&mut self, _: Stream, bytes: &[u8]) {
        self.printed.extend_from_slice(bytes);
    }
}

fn machine(module: &Arc<ir::Module>) -> Machine {
    let options = emu::Options { race: Some(race::Rules::default()), ..emu::Options::default() };
    let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, options)))];
    let settings = MachineOptions { clock: machine::ClockKind::Model, check_leaks: true, ..MachineOptions::default() };
    Machine::load(module.clone(), devices, &gpu::GpuOptions::default(), settings).expect("it loads")
}

/// Runs all ranks: what they print, their errors, and their records.
fn together(module: &Arc<ir::Module>, count: u32) -> (Vec<u8>, BTreeSet<String>, Arc<Records>) {
    let mut ranks = Ranks::new(&machine(module), count, 0, Findings::new()).expect("emulators");
    ranks.keep_records();
    let mut bytes: Vec<Vec<u8>> = (0..count).map(|rank| RecordHead { rank, count, program: 7 }.bytes()).collect();
    let mut world = ClosedWorld::default();
    if ranks.advance(AMPLE, &mut world) != RanksStop::Done {
        ranks.end(124);
        while ranks.advance(AMPLE, &mut world) != RanksStop::Done {}
    }
    let mut records = Records::missing(count);
    for (rank, bytes) in (0..).zip(&mut bytes) {
        bytes.extend(ranks.take_record(rank));
        bytes.extend(ranks.end_record(rank));
        records.add(bytes).expect("a record");
    }
    (world.printed, errors(ranks.findings()), Arc::new(records))
}

fn errors(findings: &Findings) -> BTreeSet<String> {
    let errors = findings.iter().filter(|finding| finding.severity() == diag::Severity::Error);
    errors.map(|finding| format!("{} {:?}", finding.code().id(), finding.diagnostic().primary.span)).collect()
}

/// The rank alone, in slices, each by a copy of the machine before.
fn alone(module: &Arc<ir::Module>, records: &Arc<Records>, rank: u32, budget: u64) -> (NoWorld, BTreeSet<String>) {
    let (mut machine, mut world) = (machine(module), NoWorld::default());
    machine.follow_records(records.clone(), rank);
    loop {
        let checkpoint = machine.checkpoint().expect("an emulator");
        let mut thrown_away = world.clone();
        machine.advance(budget, &mut thrown_away, &mut NoObserver);
        assert!(machine.restore(&checkpoint));
        if let MachineStop::Done(_) = machine.advance(budget, &mut world, &mut NoObserver) {
            return (world, errors(machine.findings()));
        }
    }
}

fn sorted(printed: &[u8]) -> Vec<String> {
    let mut lines: Vec<String> = String::from_utf8_lossy(printed).lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

fn check(program: &Program) -> Vec<String> {
    let expected = read(program);
    let given = expected.options.iter().position(|option| option == "--ranks").map(|at| &expected.options[at + 1]);
    let count = given.or_else(|| expected.notes.get("ranks")).map_or(2, |n| n.parse().expect("a number of ranks"));
    let name = program.path.file_name().expect("a name").to_string_lossy();
    let mut wrong = Vec::new();
    for is_wrong in [false, true].into_iter().filter(|is_wrong| !is_wrong || program.text().contains("WRONG")) {
        let compiled = compile(&name, &program.text(), Variant::twin(is_wrong));
        let Some(module) = compiled.module else { continue };
        let (mut printed, mut found) = (Vec::new(), BTreeSet::new());
        let (text, errors, records) = together(&module, count);
        for rank in 0..count {
            let (world, errors_alone) = alone(&module, &records, rank, AMPLE);
            let (in_slices, _) = alone(&module, &records, rank, SLICE);
            if !world.asked.is_empty() {
                wrong.push(format!("wrong {is_wrong}: rank {rank} asks {:?}", world.asked));
            }
            if in_slices.printed != world.printed {
                let [a, b] =
                    [&world.printed, &in_slices.printed].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                wrong.push(format!("wrong {is_wrong}: rank {rank} prints\n{a}\nand in slices\n{b}"));
            }
            printed.extend(world.printed);
            found.extend(errors_alone);
        }
        if sorted(&printed) != sorted(&text) {
            let [a, b] = [&text, &printed].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            wrong.push(format!("wrong {is_wrong}: all print\n{a}\nand each alone\n{b}"));
        }
        if found != errors {
            wrong.push(format!("wrong {is_wrong}: all find {errors:?}, and each alone {found:?}"));
        }
    }
    wrong
}

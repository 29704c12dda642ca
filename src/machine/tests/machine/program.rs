//! From Fortran text to a machine.

use compile::Options;
use diag::Diagnostics;
use emu::Emulator;
use host::{Answer, Ask, FileStatus, Stream};
use machine::{ClockKind, DeviceBox, LoadError, Machine, MachineOptions, World};
use source::SourceMap;
use std::collections::{BTreeMap, VecDeque};

/// Compiles a program that is valid, and loads it.
pub(crate) fn load(text: &str, options: MachineOptions) -> Machine {
    load_on(text, Emulator::new(0, emu::Options::default()), options)
}

/// The same with an emulator of the caller's.
pub(crate) fn load_on(text: &str, emulator: Emulator, options: MachineOptions) -> Machine {
    try_load_on(text, emulator, options).expect("a program that loads")
}

/// Compiles a program that is valid, and loads it if it can be.
pub(crate) fn try_load(text: &str, options: MachineOptions) -> Result<Machine, LoadError> {
    try_load_on(text, Emulator::new(0, emu::Options::default()), options)
}

fn try_load_on(text: &str, emulator: Emulator, options: MachineOptions) -> Result<Machine, LoadError> {
    let mut map = SourceMap::new();
    let file = map.add("test.cuf", text);
    let mut diags = Diagnostics::new();
    let compiled = compile::compile(&mut map, &[file], &Options::default(), &mut |_, _| None, &mut diags);
    let said: Vec<String> = diags.iter().map(|d| d.message.clone()).collect();
    let compiled = compiled.unwrap_or_else(|| panic!("{said:?}"));
    let device = DeviceBox::Emulator(Box::new(emulator));
    Machine::load(compiled.module, vec![device], &gpu::GpuOptions::default(), options)
}

pub(crate) fn modelled() -> MachineOptions {
    MachineOptions { clock: ClockKind::Model, ..MachineOptions::default() }
}

/// A world of made-up answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestWorld {
    pub(crate) input: VecDeque<&'static str>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) out: String,
    pub(crate) asked: usize,
}

impl World for TestWorld {
    fn ask(&mut self, question: &Ask) -> Answer {
        self.asked += 1;
        match question {
            Ask::ReadLine => Answer::Line(self.input.pop_front().map(|l| l.as_bytes().to_vec())),
            Ask::Foreign(_) | Ask::ReadPieces { .. } | Ask::WritePieces { .. } => {
                machine::ClosedWorld::answer(question)
            }
            Ask::ReadFile { path } => Answer::File(Ok(self.files.get(path).cloned())),
            Ask::FileStatus { path } => Answer::Status(FileStatus::absent(path)),
            Ask::WriteFile { path, offset, bytes, length } => {
                let file = self.files.entry(path.clone()).or_default();
                file.truncate(*offset as usize);
                file.extend_from_slice(bytes);
                file.truncate(length.map_or(usize::MAX, |length| length as usize));
                Answer::Done(Ok(()))
            }
            Ask::DeleteFile { .. } | Ask::Sleep { .. } | Ask::Turn => Answer::Done(Ok(())),
            Ask::Clock | Ask::CpuClock => Answer::Nanoseconds(self.asked as u64 * 1_000_000),
            Ask::Date => Answer::Date([2024, 1, 1, 0, 0, 0, 0, 0]),
            Ask::Environment { .. } => Answer::Text(None),
            Ask::Command { .. } => Answer::Command(None),
        }
    }

    fn write(&mut self, _: Stream, bytes: &[u8]) {
        self.out.push_str(&String::from_utf8_lossy(bytes));
    }
}

/// Runs a program to its end: exit code, output, codes of what was found.
pub(crate) fn run(text: &str) -> (i32, String, Vec<&'static str>) {
    let mut machine = load(text, modelled());
    let mut world = TestWorld::default();
    let code = machine.run(&mut world);
    (code, world.out, machine.findings().iter().map(|f| f.code().id()).collect())
}

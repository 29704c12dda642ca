//! Services of the run time can start again: none changes anything before it asks.
//!
//! A service that needs an answer from outside halts and later starts from its beginning. Each program runs in a mode in
//! which every run of a service is rehearsed on copies and compared with its rehearsal (`host::HostOptions`). Its files are
//! in memory; standard input has a few lines of numbers.

use crate::annotated::{Program, programs};
use crate::run::{AMPLE, Variant, compile};
use crate::trial;
use emu::Emulator;
use host::{Answer, Ask, FileKind, FileStatus, Stream};
use libtest_mimic::Trial;
use machine::{ClosedWorld, DeviceBox, HostOptions, Machine, MachineOptions, MachineStop, World};
use std::collections::BTreeMap;

/// Most calls of `advance` in one run. A program that takes more is checked up to there.
const SLICES: usize = 100;

/// Lines that standard input has.
const LINES: usize = 20;

pub(crate) fn trials() -> Vec<Trial> {
    let one = |folder: &'static str| {
        let family = folder.trim_start_matches("tests/");
        let check =
            move |program: Program| trial(format!("restart/{family}/{}", program.name), move || check(&program));
        programs(folder).into_iter().map(check)
    };
    ["tests/ui", "examples"].into_iter().flat_map(one).collect()
}

/// A world of files in memory.
#[derive(Default)]
struct Files {
    files: BTreeMap<String, Vec<u8>>,
    lines: usize,
}

impl World for Files {
    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => {
                self.lines += 1;
                Answer::Line((self.lines <= LINES).then(|| b"1 2 3".to_vec()))
            }
            Ask::ReadFile { path } => Answer::File(Ok(self.files.get(path).cloned())),
            Ask::FileStatus { path } => {
                let file = self.files.get(path);
                let kind = file.map(|_| FileKind::Regular);
                Answer::Status(FileStatus { path: path.clone(), kind, bytes: file.map_or(0, |f| f.len() as u64) })
            }
            Ask::WriteFile { path, offset, bytes, length } => {
                let file = self.files.entry(path.clone()).or_default();
                let (from, to) = (*offset as usize, *offset as usize + bytes.len());
                file.resize(file.len().max(to), 0);
                file[from..to].copy_from_slice(bytes);
                file.resize(length.map_or(file.len(), |length| length as usize), 0);
                Answer::Done(Ok(()))
            }
            Ask::DeleteFile { path } => {
                self.files.remove(path);
                Answer::Done(Ok(()))
            }
            other => ClosedWorld::answer(other),
        }
    }

    fn write(&mut self, _: Stream, _: &[u8]) {}
}

fn check(program: &Program) -> Vec<String> {
    let Some(module) = compile("program.cuf", &program.text(), Variant::plain()).module else { return Vec::new() };
    let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, emu::Options::default())))];
    let host = HostOptions { checks_restarts: true, ..HostOptions::default() };
    let settings = MachineOptions { clock: machine::ClockKind::Model, host, ..MachineOptions::default() };
    let mut machine = Machine::load(module, devices, &gpu::GpuOptions::default(), settings).expect("it loads");
    let mut world = Files::default();
    let mut advance = || machine.advance(AMPLE, &mut world, &mut machine::NoObserver);
    let _ = (0..SLICES).any(|_| matches!(advance(), MachineStop::Done(_)));
    machine.host().restart_violations().to_vec()
}

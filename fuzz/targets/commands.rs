//! Any lines as commands of the debugger, in a session with a small program that ends on its own.
//!
//! The first byte chooses the program, and whether races are looked for.

#![no_main]

use compile::{Compiled, Options};
use debug::{Completer, LineMode, Session, Setup, Terminal, Typed};
use diag::Diagnostics;
use host::HostOptions;
use libfuzzer_sys::fuzz_target;
use machine::{ClockKind, ClosedWorld, DeviceBox, Machine, MachineOptions};
use source::SourceMap;
use std::sync::{Arc, OnceLock};

/// The programs: name and text.
const PROGRAMS: [(&str, &str); 6] = [
    ("divergent.cuf", include_str!("../../tests/debug/divergent.cuf")),
    ("expressions.cuf", include_str!("../../tests/debug/expressions.cuf")),
    ("fault.cuf", include_str!("../../tests/debug/fault.cuf")),
    ("host.cuf", include_str!("../../tests/debug/host.cuf")),
    ("saxpy.cuf", include_str!("../../tests/debug/saxpy.cuf")),
    ("shared.cuf", include_str!("../../tests/debug/shared.cuf")),
];

/// Most commands of a session.
const LINES: usize = 24;

/// Longest command.
const LINE_BYTES: usize = 300;

/// Memory that the program may have, so that no command asks for more than the fuzzer allows.
const MEMORY: u64 = 256 << 20;

/// A program ready to be debugged.
struct Ready {
    compiled: Compiled,
    map: Arc<SourceMap>,
}

fn programs() -> &'static Vec<Ready> {
    static PROGRAM: OnceLock<Vec<Ready>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        PROGRAMS
            .iter()
            .map(|(name, text)| {
                let mut map = SourceMap::new();
                let file = map.add(*name, *text);
                let options = Options { level: 0, whole_modules: true, ..Options::default() };
                let mut diags = Diagnostics::new();
                let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
                Ready { compiled: compiled.expect("a program of the tests"), map: Arc::new(map) }
            })
            .collect()
    })
}

/// The lines of the input; what is shown is thrown away.
struct Lines<'a>(std::iter::Take<std::str::Lines<'a>>);

impl Terminal for Lines<'_> {
    fn read_line(&mut self, _: &str, completer: &dyn Fn() -> Completer) -> Typed {
        let Some(line) = self.0.next() else { return Typed::End };
        let line: String = line.chars().take(LINE_BYTES).collect();
        // What is completed is part of the line.
        assert!(completer().complete(&line).start <= line.len());
        Typed::Line(line)
    }

    fn write(&mut self, _: &str) {}

    fn write_output(&mut self, _: &[u8]) {}

    // Nothing outside is read or written.
    fn read_file(&mut self, _: &str) -> Result<String, String> {
        Err("no such file".to_owned())
    }

    fn write_file(&mut self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let ready = &programs()[usize::from(choice & 0x7f) % PROGRAMS.len()];
    let module = ready.compiled.module.clone();
    let race = (choice & 0x80 != 0).then(race::Rules::default);
    let start = move |_: &[String], _: u32| {
        let emulator = emu::Options { race: race.clone(), rehearse: race.is_some(), ..emu::Options::default() };
        let devices = vec![DeviceBox::Emulator(Box::new(emu::Emulator::new(0, emulator)))];
        let host = HostOptions { stack_bytes: 1 << 20, ..HostOptions::default() };
        let options =
            MachineOptions { host, host_memory: MEMORY, clock: ClockKind::Model, ..MachineOptions::default() };
        Machine::load(module.clone(), devices, &gpu::GpuOptions::default(), options)
    };
    let (checked, sources) = (ready.compiled.program.clone(), ready.map.clone());
    let setup = Setup { checked, sources, start: Box::new(start), arguments: Vec::new(), rank: 0 };
    let session = Session::new(setup, Box::new(ClosedWorld::default())).expect("a session");
    LineMode::new(session).run(&mut Lines(text.lines().take(LINES)));
});

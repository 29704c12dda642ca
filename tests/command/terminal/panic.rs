//! A panic while the debugger has the terminal. The test runs itself in a pseudo-terminal, with a program whose outside
//! world panics at its first line of input.

use crate::terminal::pty::Pty;
use debug::{Session, Setup};
use diag::Diagnostics;
use emu::Emulator;
use host::{Answer, Ask, HostOptions, Stream};
use machine::{DeviceBox, Machine, MachineOptions, World};
use portable_pty::CommandBuilder;
use source::SourceMap;
use std::sync::Arc;

/// Says to the test that it is the one in the terminal.
const INSIDE: &str = "CUFEMU_TEST_PANICS";

/// A world in which nothing can be read.
struct Broken;

impl World for Broken {
    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => panic!("nothing can be read here"),
            other => machine::ClosedWorld::answer(other),
        }
    }

    fn write(&mut self, _: Stream, _: &[u8]) {}
}

fn session() -> Session {
    let mut map = SourceMap::new();
    let file = map.add("hello.cuf", "read *, n\nend\n");
    let options = compile::Options { level: 0, ..compile::Options::default() };
    let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut Diagnostics::new());
    let compiled = compiled.expect("a program");
    let module = compiled.module.clone();
    let start = move |_: &[String], _: u32| {
        let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, emu::Options::default())))];
        let options = MachineOptions { host: HostOptions::default(), ..MachineOptions::default() };
        Machine::load(module.clone(), devices, &gpu::GpuOptions::default(), options)
    };
    let setup = Setup {
        checked: compiled.program,
        sources: Arc::new(map),
        start: Box::new(start),
        arguments: Vec::new(),
        rank: 0,
    };
    Session::new(setup, Box::new(Broken)).expect("a session")
}

#[test]
fn a_panic_leaves_the_terminal_as_it_was_and_its_message_on_it() {
    if std::env::var_os(INSIDE).is_some() {
        let (_reader, writer) = tui::stdin_channel();
        let result = tui::run(session(), writer, tui::Look::default(), "", Vec::new());
        std::process::exit(if result == Err(tui::Failure::Session) { 101 } else { 1 });
    }
    let mut command = CommandBuilder::new(std::env::current_exe().expect("this test"));
    command.args([
        "--exact",
        "terminal::panic::a_panic_leaves_the_terminal_as_it_was_and_its_message_on_it",
        "--nocapture",
    ]);
    command.env(INSIDE, "1");
    command.env("RUST_BACKTRACE", "0");
    let mut pty = Pty::run(command);
    pty.wait_for("not started");
    pty.type_in("c");
    pty.wait_for("nothing can be read here");
    assert!(pty.find("1 Source").is_none(), "{}", pty.contents());
    assert_eq!(pty.end(), 101);
}

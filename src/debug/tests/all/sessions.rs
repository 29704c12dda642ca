//! Sessions by script: each `tests/debug/PROGRAM[.CASE].txt` is a transcript of a session with `tests/debug/PROGRAM.cuf`.
//!
//! The lines that begin with the prompt are typed in; everything else is what must come out. With `CUFEMU_BLESS` in the
//! environment the transcripts are renewed.

use compile::Options;
use cufemu_debug::{Completer, LineMode, PROMPT, Session, Setup, Terminal, Typed};
use diag::Diagnostics;
use emu::Emulator;
use host::{Answer, Ask, HostOptions, Stream};
use machine::{ClockKind, DeviceBox, Machine, MachineOptions, World};
use source::SourceMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A world with one file, whose input is one line.
struct Still {
    lines: Vec<&'static [u8]>,
}

impl World for Still {
    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => Answer::Line(self.lines.pop().map(<[u8]>::to_vec)),
            Ask::ReadFile { path } if path == "numbers.txt" => Answer::File(Ok(Some(b"7\n8".to_vec()))),
            other => machine::ClosedWorld::answer(other),
        }
    }

    fn write(&mut self, _: Stream, _: &[u8]) {}
}

/// Types the lines of a script and keeps what is shown.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) lines: std::vec::IntoIter<String>,
    pub(crate) shown: String,
    pub(crate) files: std::collections::BTreeMap<String, String>,
}

impl Script {
    pub(crate) fn new(lines: impl IntoIterator<Item = impl Into<String>>) -> Script {
        Script { lines: lines.into_iter().map(Into::into).collect::<Vec<_>>().into_iter(), ..Script::default() }
    }
}

impl Terminal for Script {
    fn read_line(&mut self, prompt: &str, _: &dyn Fn() -> Completer) -> Typed {
        let Some(line) = self.lines.next() else { return Typed::End };
        self.shown.push_str(prompt);
        self.shown.push_str(&line);
        self.shown.push('\n');
        Typed::Line(line)
    }

    fn write(&mut self, text: &str) {
        self.shown.push_str(text);
    }

    fn write_output(&mut self, bytes: &[u8]) {
        self.shown.push_str(&String::from_utf8_lossy(bytes));
    }

    fn read_file(&mut self, path: &str) -> Result<String, String> {
        self.files.get(path).cloned().ok_or_else(|| "no such file".to_owned())
    }

    fn write_file(&mut self, path: &str, text: &str) -> Result<(), String> {
        self.files.insert(path.to_owned(), text.to_owned());
        Ok(())
    }
}

/// A session with a program given as text.
pub(crate) fn session(name: &str, text: &str) -> Session {
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let mut diags = Diagnostics::new();
    let options = Options { level: 0, whole_modules: true, ..Options::default() };
    let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
    let shown: String = diags.into_sorted().iter().map(|d| diag::full(d, &map, diag::Style::PLAIN)).collect();
    let compiled = compiled.unwrap_or_else(|| panic!("{name} does not compile:\n{shown}"));
    let module = compiled.module.clone();
    let start = move |words: &[String], _: u32| {
        let arguments = std::iter::once("main").chain(words.iter().map(String::as_str));
        let arguments = arguments.map(|word| word.as_bytes().to_vec()).collect();
        let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, emu::Options::default())))];
        let host = HostOptions { stack_bytes: 1 << 20, arguments, ..HostOptions::default() };
        let options = MachineOptions { host, clock: ClockKind::Model, ..MachineOptions::default() };
        Machine::load(module.clone(), devices, &gpu::GpuOptions::default(), options)
    };
    let setup = Setup {
        checked: compiled.program,
        sources: Arc::new(map),
        start: Box::new(start),
        arguments: Vec::new(),
        rank: 0,
    };
    Session::new(setup, Box::new(Still { lines: vec![b"42"] })).expect("a session")
}

/// The transcript of a script.
pub(crate) fn talk(name: &str, text: &str, lines: impl IntoIterator<Item = impl Into<String>>) -> String {
    let mut script = Script::new(lines);
    LineMode::new(session(name, text)).run(&mut script);
    script.shown
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/debug")
}

#[test]
fn scripted_sessions_read_as_their_transcripts() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder of transcripts")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|n| Path::new(n).extension().is_some_and(|e| e == "txt"))
        .collect();
    names.sort();
    assert!(!names.is_empty());
    let mut wrong = Vec::new();
    for name in names {
        let program = format!("{}.cuf", name.split('.').next().expect("a name"));
        let text = std::fs::read_to_string(folder().join(&program)).expect("a program");
        let expected = std::fs::read_to_string(folder().join(&name)).expect("a transcript");
        let typed = expected.lines().filter_map(|l| {
            // A line of a block has a prompt of its own.
            l.strip_prefix(PROMPT).or((l == PROMPT.trim_end()).then_some("")).or(l.strip_prefix('>'))
        });
        let actual: String = talk(&program, &text, typed).lines().map(|l| l.trim_end().to_owned() + "\n").collect();
        if actual != expected {
            if std::env::var_os("CUFEMU_BLESS").is_some() {
                std::fs::write(folder().join(&name), &actual).expect("written");
            } else {
                wrong.push(format!("{name}:\n{actual}"));
            }
        }
    }
    assert!(wrong.is_empty(), "these transcripts differ; what came out:\n\n{}", wrong.join("\n\n"));
}

#[test]
fn the_intermediate_code_of_a_procedure_is_shown() {
    // Not among the transcripts: the numbers of variables depend on the embedded modules.
    let program = std::fs::read_to_string(folder().join("shared.cuf")).expect("a program");
    let text = talk("shared.cuf", &program, ["disassemble k::reverse"]);
    assert!(text.contains("kernel @k.reverse(") && text.contains("barrier.sync"), "{text}");
    let text = talk("shared.cuf", &program, ["disassemble /ptx k::reverse"]);
    assert!(text.contains(".visible .entry") && text.contains("bar.sync"), "{text}");
}

/// Lines of an earlier session, one of which is gone since.
#[test]
fn breakpoints_of_an_earlier_session_are_set_again_with_what_belongs_to_them() {
    let text = std::fs::read_to_string(folder().join("shared.cuf")).expect("a program");
    let lines = [
        "break p.cuf:99999",
        "commands",
        "print 1",
        "end",
        "disable $bpnum",
        "break p.cuf:14",
        "commands",
        "silent",
        "if t > 3",
        "print t",
        "end",
        "end",
        "dprintf p.cuf:14,\"x\\n\"",
        "condition $bpnum t == 3",
        "display t",
    ];
    let mut session = session("p.cuf", &text);
    let said = cufemu_debug::restored(&mut session, &lines.map(str::to_owned));
    let said: Vec<&str> = said.lines().map(|line| line.split(' ').next().unwrap_or_default()).collect();
    assert_eq!(said, ["No", "Breakpoint", "Dprintf"]);
    let script = "break p.cuf:14\ncommands\nsilent\nif t > 3\nprint t\nend\nend\ndprintf p.cuf:14,\"x\\n\"\n\
                  condition $bpnum t == 3\ndisplay t\n";
    assert_eq!(session.breakpoint_script(), script);
}

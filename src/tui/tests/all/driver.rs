//! Types keys into a model that is tied to a real session, and draws into a buffer.

use compile::Options;
use cufemu_tui::{Effect, Input, InputLine, Look, Model, render, update};
use debug::{Session, SessionThread, Setup};
use diag::Diagnostics;
use emu::Emulator;
use host::{Answer, Ask, HostOptions, Stream};
use machine::{ClockKind, DeviceBox, Machine, MachineOptions, World};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;
use source::SourceMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The root of the repository, whichever crate's tests these are.
pub(crate) fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    crates.filter(|folder| folder.join("tests/tui").is_dir()).last().expect("the repository").to_owned()
}

/// A world without files whose input is the reader of the screen.
struct Still {
    reader: cufemu_tui::StdinReader,
}

impl World for Still {
    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => match self.reader.read_line() {
                InputLine::Typed(line) => Answer::Line(Some(line.into_bytes())),
                InputLine::End => Answer::Line(None),
                InputLine::Later => Answer::Later,
            },
            other => machine::ClosedWorld::answer(other),
        }
    }

    fn write(&mut self, _: Stream, _: &[u8]) {}
}

/// The text of a program of the repository.
pub(crate) fn program(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("a program")
}

/// A session with a program.
pub(crate) fn session(name: &str, text: &str, race: bool, reader: cufemu_tui::StdinReader) -> Session {
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let mut diags = Diagnostics::new();
    let options = Options { level: 0, whole_modules: true, ..Options::default() };
    let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
    let compiled = compiled.unwrap_or_else(|| panic!("{name} does not compile"));
    let module = compiled.module.clone();
    let start = move |_: &[String], _: u32| {
        let race = race.then(race::Rules::default);
        let options = emu::Options { race, rehearse: true, ..emu::Options::default() };
        let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, options)))];
        let host = HostOptions { stack_bytes: 1 << 20, ..HostOptions::default() };
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
    Session::new(setup, Box::new(Still { reader })).expect("a session")
}

/// A screen with a session behind it.
pub(crate) struct Driver {
    pub(crate) model: Model,
    session: SessionThread,
    writer: cufemu_tui::StdinWriter,
    pub(crate) has_quit: bool,
}

impl Driver {
    pub(crate) fn new(path: &str, race: bool, size: (u16, u16), look: Look) -> Driver {
        let name = path.rsplit('/').next().expect("a name");
        Driver::of_text(name, &program(path), race, size, look)
    }

    pub(crate) fn of_text(name: &str, text: &str, race: bool, size: (u16, u16), look: Look) -> Driver {
        let (reader, writer) = cufemu_tui::stdin_channel();
        let session = session(name, text, race, reader);
        let files = session.texts();
        let session = SessionThread::spawn(session).expect("a thread");
        let mut driver = Driver { model: Model::new(size, look, files), session, writer, has_quit: false };
        driver.feed(Input::Resize(size.0, size.1));
        driver.settle();
        driver
    }

    /// Hands an event in and does what comes out.
    pub(crate) fn feed(&mut self, input: Input) {
        for effect in update(&mut self.model, input) {
            match effect {
                Effect::Ask(request) => assert!(self.session.ask(request)),
                Effect::Interrupt => self.session.interrupt(),
                Effect::Answer(line) => self.writer.answer(line),
                Effect::Quit => self.has_quit = true,
                Effect::Redraw | Effect::Suspend => {}
            }
        }
    }

    /// Waits until the session has said all that it has to say, or the program waits for a line.
    pub(crate) fn settle(&mut self) {
        while !self.model.is_at_rest() && !self.has_quit && !self.model.reads_input() {
            if self.writer.is_line_wanted() {
                // What the program has written before.
                while let Ok(event) = self.session.events().try_recv() {
                    self.feed(Input::Session(event));
                }
                self.feed(Input::LineWanted);
                return;
            }
            if let Ok(event) = self.session.events().recv_timeout(Duration::from_millis(20)) {
                self.feed(Input::Session(event));
            }
        }
    }

    /// Presses a key, called as in the table of keys, and waits for what it does.
    pub(crate) fn key(&mut self, name: &str) {
        self.press(name);
        self.settle();
    }

    /// Presses a key without waiting.
    pub(crate) fn press(&mut self, name: &str) {
        let (modifiers, base) = match (name.strip_prefix("Ctrl-"), name.strip_prefix("Shift-")) {
            (Some(base), _) => (KeyModifiers::CONTROL, base),
            (_, Some(base)) => (KeyModifiers::SHIFT, base),
            _ => (KeyModifiers::NONE, name),
        };
        let code = match base {
            "Space" => KeyCode::Char(' '),
            "Enter" => KeyCode::Enter,
            "Escape" => KeyCode::Esc,
            "Tab" => KeyCode::Tab,
            "BackTab" => KeyCode::BackTab,
            "Up" => KeyCode::Up,
            "Down" => KeyCode::Down,
            "Left" => KeyCode::Left,
            "Right" => KeyCode::Right,
            "PageDown" => KeyCode::PageDown,
            "PageUp" => KeyCode::PageUp,
            "Backspace" => KeyCode::Backspace,
            _ if base.chars().count() == 1 => KeyCode::Char(base.chars().next().expect("a character")),
            _ => KeyCode::F(base.strip_prefix('F').and_then(|n| n.parse().ok()).expect("a key")),
        };
        self.feed(Input::Key(KeyEvent::new(code, modifiers)));
    }

    /// Types a text.
    pub(crate) fn text(&mut self, text: &str) {
        for c in text.chars() {
            self.feed(Input::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
            self.settle();
        }
    }

    /// Clicks at a place.
    pub(crate) fn click(&mut self, column: u16, row: u16) {
        let kind = MouseEventKind::Down(MouseButton::Left);
        self.feed(Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
        self.settle();
    }

    /// The screen as text, without spaces at the ends of lines.
    pub(crate) fn screen(&self) -> String {
        let buffer = self.buffer();
        let row = |y: u16| {
            let line: String = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
            line.trim_end().to_owned() + "\n"
        };
        (0..buffer.area.height).map(row).collect()
    }

    /// What is underlined on the screen.
    pub(crate) fn underlined(&self) -> String {
        let buffer = self.buffer();
        let cells = buffer.content.iter().filter(|cell| cell.modifier.contains(Modifier::UNDERLINED));
        cells.map(ratatui::buffer::Cell::symbol).collect()
    }

    fn buffer(&self) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(self.model.size.0, self.model.size.1)).expect("a buffer");
        terminal.draw(|frame| render(&self.model, frame)).expect("a drawing");
        terminal.backend().buffer().clone()
    }

    /// Does a line of a script: `keys K...`, `type TEXT` (with Enter), `write TEXT` (without), `click X Y`.
    pub(crate) fn line(&mut self, line: &str) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "keys" => rest.split_whitespace().for_each(|k| self.key(k)),
            "type" => {
                self.text(rest);
                self.key("Enter");
            }
            "write" => self.text(rest),
            "click" => {
                let (x, y) = rest.split_once(' ').expect("two numbers");
                self.click(x.parse().expect("a column"), y.parse().expect("a row"));
            }
            _ => panic!("`{line}` is no line of a script"),
        }
    }
}

//! A pseudo-terminal of 80 by 24 with a process in it, and what a terminal would show of it.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a screen may take; a test machine may be busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// A terminal of 80 by 24 with the debugger in it.
pub(crate) struct Pty {
    pub(crate) child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    parser: Arc<Mutex<vt100::Parser>>,
    _master: Box<dyn MasterPty + Send>,
}

impl Pty {
    /// The debugger with these options, in the folder of examples.
    pub(crate) fn new(options: &[&str]) -> Pty {
        Pty::with_variables(options, &[])
    }

    /// The same with variables of the environment.
    pub(crate) fn with_variables(options: &[&str], variables: &[(&str, &str)]) -> Pty {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_cufemu"));
        command.args(options);
        // A session of a test leaves nothing to the next one.
        command.env("XDG_STATE_HOME", "/dev/null");
        variables.iter().for_each(|(name, value)| command.env(name, value));
        Pty::run(command)
    }

    /// Any command.
    pub(crate) fn run(mut command: CommandBuilder) -> Pty {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        command.cwd(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"));
        command.env("LANG", "C.UTF-8");
        command.env("LC_ALL", "C.UTF-8");
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).expect("a process");
        drop(pair.slave);
        let parser = Arc::new(Mutex::new(vt100::Parser::new(24, 80, 0)));
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let screen = parser.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                screen.lock().expect("the screen").process(&bytes[..n]);
            }
        });
        let writer = pair.master.take_writer().expect("a writer");
        Pty { child, writer, parser, _master: pair.master }
    }

    /// What is on the screen.
    pub(crate) fn contents(&self) -> String {
        self.parser.lock().expect("the screen").screen().contents()
    }

    /// Presses the left button at a column and a row, from 1, and lets it go.
    pub(crate) fn click(&mut self, column: u16, row: u16) {
        self.type_in(&format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m"));
    }

    /// Where a text stands: column and row, from 1.
    pub(crate) fn find(&self, text: &str) -> Option<(u16, u16)> {
        let contents = self.contents();
        let (row, line) = contents.lines().enumerate().find(|(_, line)| line.contains(text))?;
        Some((line[..line.find(text)?].chars().count() as u16 + 1, row as u16 + 1))
    }

    /// Whether any cell of the screen has a colour.
    pub(crate) fn is_coloured(&self) -> bool {
        let parser = self.parser.lock().expect("the screen");
        let plain = vt100::Color::Default;
        let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
        cells
            .filter_map(|(row, column)| parser.screen().cell(row, column))
            .any(|cell| cell.fgcolor() != plain || cell.bgcolor() != plain)
    }

    /// Waits until a text is on the screen.
    pub(crate) fn wait_for(&self, text: &str) {
        let start = Instant::now();
        while !self.contents().contains(text) {
            assert!(start.elapsed() < PATIENCE, "`{text}` does not appear:\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for a text, and then for the prompt behind it: a control character that comes before is not the debugger's.
    pub(crate) fn wait_for_prompt_behind(&self, text: &str) {
        self.wait_for(text);
        let start = Instant::now();
        let is_ready = || self.contents().trim_end().lines().last().is_some_and(|line| line.trim_end() == "(cufemu)");
        while !is_ready() {
            assert!(start.elapsed() < PATIENCE, "there is no prompt:\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types.
    pub(crate) fn type_in(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush()).expect("a terminal");
    }

    /// Waits for the end; gives the exit code, and checks that the terminal is as before.
    pub(crate) fn end(mut self) -> u32 {
        let start = Instant::now();
        let status = loop {
            match self.child.try_wait().expect("a process") {
                Some(status) => break status,
                None => assert!(start.elapsed() < PATIENCE, "it does not end:\n{}", self.contents()),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        // What was written last may still be on its way.
        let is_left = |pty: &Pty| {
            let parser = pty.parser.lock().expect("the screen");
            !parser.screen().alternate_screen() && !parser.screen().hide_cursor()
        };
        while !is_left(&self) && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        let parser = self.parser.lock().expect("the screen");
        assert!(!parser.screen().alternate_screen(), "the terminal shows the debugger's screen");
        assert!(!parser.screen().hide_cursor(), "the cursor is hidden");
        assert_eq!(parser.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        status.exit_code()
    }
}

//! `--tui` in a real pseudo-terminal: what it draws, what keys do, and that the terminal is as before however it ends.

#![cfg(unix)]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a screen may take; a test machine may be busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// A terminal of 80 by 24 with the debugger in it.
struct Pty {
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    parser: Arc<Mutex<vt100::Parser>>,
    _master: Box<dyn MasterPty + Send>,
}

impl Pty {
    fn new(options: &[&str]) -> Pty {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_cufemu"));
        command.args(options);
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

    fn contents(&self) -> String {
        self.parser.lock().expect("the screen").screen().contents()
    }

    fn wait_for(&self, text: &str) {
        let start = Instant::now();
        while !self.contents().contains(text) {
            assert!(start.elapsed() < PATIENCE, "`{text}` does not appear:\n{}", self.contents());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn type_in(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush()).expect("a terminal");
    }

    /// Waits for the end; gives the exit code, and checks that the terminal is as before.
    fn end(mut self) -> u32 {
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

#[test]
fn a_session_in_a_terminal_steps_breaks_and_leaves_it_as_it_was() {
    let mut pty = Pty::new(&["--tui", "reduce_racy.cuf"]);
    pty.wait_for("not started");
    pty.type_in("n");
    pty.wait_for("step 1");
    pty.type_in(":break 13\r");
    pty.wait_for("Breakpoint 1 at reduce");
    pty.type_in("c");
    pty.wait_for("reduce #1  block 1  thread 1");
    pty.type_in("qq");
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_program_reads_lines_that_are_typed_and_ctrl_c_stops_one_that_never_ends() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("reads.cuf");
    let text = "integer :: n\nread *, n\nprint *, 'got', n\ndo while (n > 0)\n  n = n + 1 - 1\nend do\nend\n";
    std::fs::write(&path, text).expect("a file");
    let mut pty = Pty::new(&["--tui", &path.display().to_string()]);
    pty.wait_for("not started");
    pty.type_in("c");
    pty.wait_for("the program reads a line");
    pty.type_in("42\r");
    pty.wait_for("Ctrl-C stops it");
    pty.type_in("\x03");
    pty.wait_for("Interrupted");
    pty.type_in("4qq");
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_killed_session_leaves_the_terminal_as_it_was() {
    let pty = Pty::new(&["--tui", "reduce_racy.cuf"]);
    pty.wait_for("not started");
    let id = pty.child.process_id().expect("a process").to_string();
    assert!(Command::new("kill").arg(id).status().expect("kill").success());
    assert_eq!(pty.end(), 130);
}

#[test]
fn without_a_terminal_there_is_one_sentence() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cufemu"));
    command.args(["--tui", "examples/reduce_racy.cuf"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.stdin(Stdio::null()).output().expect("a run");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("needs a terminal") && said.lines().count() == 1, "{said}");
}

//! The real terminal: raw mode, the thread that reads keys, and the loop that connects screen and session.
//!
//! Invariant: however the process ends (quit, a panic on any thread, a signal that can be caught), the terminal is restored.

use crate::command::{Effect, InputLine};
use crate::look::Look;
use crate::model::{Model, Voice};
use crate::update::{Input, update};
use crossbeam::channel::{Receiver, Sender, never, select, unbounded};
use debug::{Session, SessionThread};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, Event, KeyCode,
    KeyEvent, KeyEventKind, KeyModifiers,
};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute};
use ratatui::layout::Position;
use std::io::{IsTerminal, Write, stdin, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two progress updates of a running program.
const TICK: Duration = Duration::from_millis(100);
/// The exit code of an interrupted process.
const INTERRUPTED: i32 = 130;

/// Why the session in the terminal failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// One sentence: standard input or output is not a terminal, or the terminal refuses something.
    Terminal(String),
    /// The session thread panicked; its message is on standard error.
    Session,
}

/// The program's end of its standard input while the debugger has the terminal.
#[derive(Clone, Debug)]
pub struct StdinReader {
    wanted: Sender<()>,
    lines: Receiver<InputLine>,
}

impl StdinReader {
    /// What the user types for the program. Without a screen the input is at its end.
    pub fn read_line(&self) -> InputLine {
        match self.wanted.send(()) {
            Ok(()) => self.lines.recv().unwrap_or(InputLine::End),
            Err(_) => InputLine::End,
        }
    }
}

/// The debugger's end of the standard input of the program.
#[derive(Debug)]
pub struct StdinWriter {
    wanted: Receiver<()>,
    lines: Sender<InputLine>,
}

impl StdinWriter {
    /// Whether the program has begun to wait for a line since the last call.
    pub fn is_line_wanted(&self) -> bool {
        self.wanted.try_recv().is_ok()
    }

    /// Answers the program that waits for a line.
    pub fn answer(&self, line: InputLine) {
        // A session that has ended needs no line.
        let _ = self.lines.send(line);
    }
}

/// Connects the standard input of a program with the screen.
pub fn stdin_channel() -> (StdinReader, StdinWriter) {
    let (ask, wanted) = unbounded();
    let (answer, lines) = unbounded();
    (StdinReader { wanted: ask, lines }, StdinWriter { wanted, lines: answer })
}

/// Whether the terminal is in raw mode and must be restored.
static RAW: AtomicBool = AtomicBool::new(false);

fn restore() {
    if RAW.swap(false, Ordering::SeqCst) {
        // If the terminal has gone away, nothing can be reported.
        let _ = execute!(stdout(), DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
        let _ = stdout().flush();
    }
}

fn seize() -> std::io::Result<()> {
    enable_raw_mode()?;
    RAW.store(true, Ordering::SeqCst);
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)
}

/// Stops the process as a job of the shell, and goes on when the shell continues it.
fn suspend() -> std::io::Result<()> {
    restore();
    // To this thread: it must not go on before the process has stopped.
    #[cfg(unix)]
    nix::sys::signal::raise(nix::sys::signal::Signal::SIGTSTP)?;
    seize()
}

/// The terminal in raw mode, until it is dropped.
struct Raw;

impl Raw {
    fn enter() -> std::io::Result<Raw> {
        let raw = Raw;
        seize()?;
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            hook(info);
        }));
        // A signal that ends the process; Ctrl-C is a key in raw mode. Without a handler the process still ends.
        let _ = ctrlc::set_handler(|| {
            restore();
            std::process::exit(INTERRUPTED);
        });
        Ok(raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        restore();
    }
}

/// The thread that waits for keys; it ends when this is dropped.
struct Keys {
    events: Receiver<Event>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Keys {
    fn spawn() -> std::io::Result<Keys> {
        let (sender, events) = unbounded();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let read = move || {
            while !stopped.load(Ordering::Relaxed) {
                match event::poll(TICK) {
                    Ok(false) => {}
                    Ok(true) => {
                        let Ok(event) = event::read() else { return };
                        if sender.send(event).is_err() {
                            return;
                        }
                    }
                    Err(_) => return,
                }
            }
        };
        let thread = std::thread::Builder::new().name("keys".to_owned()).spawn(read)?;
        Ok(Keys { events, stop, thread: Some(thread) })
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Converts an event of the terminal. Pasted text counts as typed, and a line feed as Enter.
fn inputs(event: Event) -> Vec<Input> {
    match event {
        // Ctrl-J ends a line for readline, and so ends what was typed before the terminal became raw.
        Event::Key(key) if key.code == KeyCode::Char('j') && key.modifiers == KeyModifiers::CONTROL => {
            vec![Input::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE))]
        }
        Event::Key(key) if key.kind != KeyEventKind::Release => vec![Input::Key(key)],
        Event::Mouse(mouse) => vec![Input::Mouse(mouse)],
        Event::Resize(width, height) => vec![Input::Resize(width, height)],
        Event::Paste(text) => {
            let one = |c: char| {
                let code = if c == '\n' || c == '\r' { KeyCode::Enter } else { KeyCode::Char(c) };
                Input::Key(KeyEvent::new(code, KeyModifiers::NONE))
            };
            text.chars().map(one).collect()
        }
        _ => Vec::new(),
    }
}

/// Runs a session on this terminal until the user quits. It begins with this text and these command lines. Returns the commands
/// that set its breakpoints again.
pub fn run(
    session: Session,
    writer: StdinWriter,
    look: Look,
    text: &str,
    lines: Vec<String>,
) -> Result<String, Failure> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        let text =
            "`--tui` needs a terminal as standard input and output; `--debug` has the same commands in line mode";
        return Err(Failure::Terminal(text.to_owned()));
    }
    let refused = |e: std::io::Error| Failure::Terminal(format!("cannot use the terminal: {e}"));
    let files = session.texts();
    let session = SessionThread::spawn(session).map_err(refused)?;
    let raw = Raw::enter().map_err(refused)?;
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout())).map_err(refused)?;
    let size = terminal.size().map_err(refused)?;
    let mut model = Model::new((size.width, size.height), look, files);
    if !text.is_empty() {
        model.write(Voice::Reply, text);
    }
    model.queue(lines);
    let keys = Keys::spawn().map_err(refused)?;
    let result = serve(&mut terminal, &mut model, &session, &writer, &keys);
    // The program may wait for a line that nobody will type.
    drop(writer);
    drop(keys);
    drop(raw);
    let breakpoints = session.end();
    result.map(|()| breakpoints)
}

fn serve(
    terminal: &mut Terminal<CrosstermBackend<std::io::Stdout>>,
    model: &mut Model,
    session: &SessionThread,
    writer: &StdinWriter,
    keys: &Keys,
) -> Result<(), Failure> {
    let refused = |e: std::io::Error| Failure::Terminal(format!("cannot use the terminal: {e}"));
    let mut pending = vec![Input::Resize(model.size.0, model.size.1)];
    let nobody = never();
    loop {
        for input in pending.drain(..) {
            for effect in update(model, input) {
                match effect {
                    // That a session has ended is said by its channel, behind what it answered last: the answer to a second
                    // `q` is that to the first.
                    Effect::Ask(request) => _ = session.ask(request),
                    Effect::Interrupt => session.interrupt(),
                    // `clear` would ask the terminal for its cursor, and the answer would count as keys.
                    Effect::Redraw => {
                        let size = terminal.size().map_err(refused)?;
                        terminal.resize((Position::ORIGIN, size).into()).map_err(refused)?;
                    }
                    Effect::Suspend => {
                        suspend().map_err(refused)?;
                        let size = terminal.size().map_err(refused)?;
                        terminal.resize((Position::ORIGIN, size).into()).map_err(refused)?;
                    }
                    Effect::Answer(line) => writer.answer(line),
                    Effect::Quit => return Ok(()),
                }
            }
        }
        // After a panic on another thread the terminal is no longer ours; that thread's channel tells of it soon.
        if RAW.load(Ordering::SeqCst) {
            terminal.draw(|frame| crate::render(model, frame)).map_err(refused)?;
        }
        let tick = if model.running.is_some() { crossbeam::channel::after(TICK) } else { nobody.clone() };
        select! {
            recv(keys.events) -> event => match event {
                Ok(event) => pending.extend(inputs(event)),
                // The terminal is gone, so nobody can see an error.
                Err(_) => return Ok(()),
            },
            recv(session.events()) -> event => match event {
                Ok(event) => pending.push(Input::Session(event)),
                Err(_) => return Err(Failure::Session),
            },
            recv(writer.wanted) -> wanted => if wanted.is_ok() { pending.push(Input::LineWanted) },
            recv(tick) -> _ => {
                let progress = session.progress();
                pending.push(Input::Tick(progress.time(), progress.blocks()));
            }
        }
        // Whatever has come in the meantime is drawn at once.
        while let Ok(event) = keys.events.try_recv() {
            pending.extend(inputs(event));
        }
        while let Ok(event) = session.events().try_recv() {
            pending.push(Input::Session(event));
        }
    }
}

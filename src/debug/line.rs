//! Line mode: reads commands, executes them, writes text. It also executes scripts: commands that the user defined, those of
//! breakpoints, `if`, `while` and files.
//!
//! Not here: the terminal, which the caller provides, and scripts as data (`script`).

use crate::command::parse;
use crate::command::{Command, Completer};
use crate::restore::restored;
use crate::script::{self, Block, Definition, Definitions};
use crate::session::{Attendant, Session};
use crate::view::render;
use crate::view::reply::{Outcome, Reply, Stop, StopReason};
use std::sync::atomic::Ordering;

/// The prompt before each command.
pub const PROMPT: &str = "(cufemu) ";
/// The prompt before each line of a block.
const BLOCK_PROMPT: &str = ">";
/// How deep scripts may call one another.
const MOST_DEPTH: u32 = 64;

/// What came of reading a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typed {
    /// A line.
    Line(String),
    /// The user has given up the line, with Ctrl-C.
    Cancelled,
    /// The end of the input.
    End,
}

/// The source of lines and the destination of text.
pub trait Terminal {
    /// The next line, after showing the prompt. `completer` has the words that complete it.
    fn read_line(&mut self, prompt: &str, completer: &dyn Fn() -> Completer) -> Typed;

    /// Text of the debugger.
    fn write(&mut self, text: &str);

    /// Output of the program.
    fn write_output(&mut self, bytes: &[u8]);

    /// The text of a file, or why it cannot be read.
    fn read_file(&mut self, path: &str) -> Result<String, String>;

    /// Writes a file, or says why it cannot.
    fn write_file(&mut self, path: &str, text: &str) -> Result<(), String>;

    /// The program has stopped; the text follows.
    fn stopped(&mut self, _: &Stop) {}

    /// The program was interrupted between two statements; whether it goes on. See [`Attendant::interrupted`].
    fn interrupted(&mut self, _: &mut Session) -> bool {
        false
    }
}

/// A terminal as the attendant of a program.
struct ByTerminal<'a>(&'a mut dyn Terminal);

impl Attendant for ByTerminal<'_> {
    fn output(&mut self, bytes: &[u8]) {
        self.0.write_output(bytes);
    }

    fn interrupted(&mut self, session: &mut Session) -> bool {
        self.0.interrupted(session)
    }
}

/// How a script goes on after a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    /// With the next line.
    Next,
    /// After the loop.
    Break,
    /// With the next iteration of the loop.
    Again,
    /// Not at all: a line failed.
    Failed,
    /// Not at all: the session ends.
    Quit,
}

/// A session in line mode.
#[derive(Debug)]
pub struct LineMode {
    session: Session,
    /// The last line, if an empty line repeats it.
    repeated: Option<String>,
    /// Whether the last line failed.
    failed: bool,
    /// The block that is being typed.
    block: Option<Block>,
    definitions: Definitions,
    /// How deep scripts have called one another.
    depth: u32,
    /// The commands of the breakpoint that has just stopped the program.
    due: Option<Vec<String>>,
    /// Whether commands of a breakpoint are being executed, and whether one of them has run the program.
    in_commands: bool,
    has_run: bool,
}

impl LineMode {
    /// Line mode for this session.
    pub fn new(session: Session) -> LineMode {
        LineMode {
            session,
            repeated: None,
            failed: false,
            block: None,
            definitions: Definitions::new(),
            depth: 0,
            due: None,
            in_commands: false,
            has_run: false,
        }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, for a front end that does more than line mode.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Whether a line that is no command of the session means something here: it belongs to a block or begins one, or its
    /// command is one of the user's own.
    pub fn has_use_for(&self, line: &str) -> bool {
        let (word, _) = script::words(line);
        let is_own = self.definitions.contains_key(&word.to_ascii_lowercase());
        is_own || self.block.is_some() || script::opener(line).is_some()
    }

    /// The prompt before the next line.
    pub fn prompt(&self) -> &'static str {
        if self.block.is_some() { BLOCK_PROMPT } else { PROMPT }
    }

    /// Reads and executes commands until `quit` or the end of input; returns whether it was `quit`.
    pub fn run(&mut self, terminal: &mut dyn Terminal) -> bool {
        let interrupt = self.session.interrupt_flag();
        loop {
            let typed = terminal.read_line(self.prompt(), &|| self.completer());
            // An interruption that came while nothing ran is not meant for the program.
            interrupt.store(false, Ordering::Relaxed);
            match typed {
                Typed::Line(line) if self.line(&line, terminal) => {}
                Typed::Line(_) => return true,
                Typed::Cancelled => {
                    self.block = None;
                    self.repeated = None;
                    terminal.write("Quit\n");
                }
                Typed::End => return false,
            }
        }
    }

    /// What completes lines now.
    pub fn completer(&self) -> Completer {
        Completer { own: self.definitions.keys().cloned().collect(), ..self.session.completer() }
    }

    /// Sets the breakpoints and displays of an earlier session again.
    pub fn restore(&mut self, lines: &[String], terminal: &mut dyn Terminal) {
        terminal.write(&restored(&mut self.session, lines));
    }

    /// Whether the last line failed, so that a script can stop there.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Executes one line; `false` if it ends the session.
    pub fn line(&mut self, line: &str, terminal: &mut dyn Terminal) -> bool {
        self.failed = false;
        let flow = if let Some(mut block) = self.block.take() {
            if block.take(line) {
                self.execute_block(&block, terminal)
            } else {
                self.block = Some(block);
                Flow::Next
            }
        } else {
            let line = match (line.trim().is_empty(), &self.repeated) {
                (true, Some(again)) => again.clone(),
                (true, None) => return true,
                (false, _) => line.to_owned(),
            };
            if script::opener(&line).is_some() {
                self.repeated = None;
                self.block = Some(Block::new(&line));
                return true;
            }
            let flow = self.execute(&line, terminal);
            // A repeated `list` continues where the last one ended, and a repeated `x` too.
            self.repeated = match parse::parse(&line) {
                Ok(Some(Command::List(_))) => Some("list".to_owned()),
                Ok(Some(Command::Examine(_))) => Some("x".to_owned()),
                Ok(_) if parse::repeats(&line) => Some(line),
                _ => None,
            };
            flow
        };
        flow != Flow::Quit
    }

    fn fail(&mut self, text: &str, terminal: &mut dyn Terminal) -> Flow {
        self.failed = true;
        terminal.write(&format!("{text}\n"));
        Flow::Failed
    }

    /// Executes one line that begins no block, and then the commands of the breakpoint that it has run into.
    fn execute(&mut self, line: &str, terminal: &mut dyn Terminal) -> Flow {
        let mut flow = self.execute_line(line, terminal);
        if self.in_commands {
            return flow;
        }
        while flow == Flow::Next
            && let Some(lines) = self.due.take()
        {
            self.in_commands = true;
            self.has_run = false;
            flow = self.execute_lines(&lines, terminal);
            self.in_commands = false;
        }
        self.due = None;
        flow
    }

    fn execute_line(&mut self, line: &str, terminal: &mut dyn Terminal) -> Flow {
        let (word, rest) = script::words(line);
        match word {
            "loop_break" => return Flow::Break,
            "loop_continue" => return Flow::Again,
            "end" | "else" | "silent" => {
                return self.fail(&format!("\"{word}\" has a meaning only within the blocks of scripts."), terminal);
            }
            _ => {}
        }
        if let Some(definition) = self.definitions.get(&word.to_ascii_lowercase()) {
            let lines = definition.with_arguments(rest);
            return self.execute_script(&lines, terminal);
        }
        let line = line.replace("$bpnum", &self.session.latest_breakpoint().to_string());
        let command = match parse::parse(&line) {
            Ok(Some(command)) => command,
            Ok(None) => return Flow::Next,
            Err(error) => return self.fail(&error.0, terminal),
        };
        match &command {
            Command::Script(name) => return self.execute_own(name, rest, terminal),
            Command::Help(Some(name)) if name == "user-defined" => {
                let brief = |(name, d): (&String, &Definition)| {
                    format!("{name} -- {}\n", d.text.lines().next().unwrap_or("User-defined."))
                };
                let list: String = self.definitions.iter().map(brief).collect();
                terminal.write(if list.is_empty() {
                    "No commands have been defined; \"define\" does it.\n"
                } else {
                    &list
                });
                return Flow::Next;
            }
            Command::Help(Some(name)) => {
                if let Some(definition) = self.definitions.get(&name.to_ascii_lowercase()) {
                    let text = if definition.text.is_empty() { "User-defined.\n" } else { &definition.text };
                    terminal.write(text);
                    return Flow::Next;
                }
            }
            Command::Show(about) if words_of(about) == Some("user") => {
                let shown = |(name, d): (&String, &Definition)| {
                    let body: String = d.lines.iter().flat_map(|l| ["  ", l, "\n"]).collect();
                    format!("User command \"{name}\":\n{body}\n")
                };
                terminal.write(&self.definitions.iter().map(shown).collect::<String>());
                return Flow::Next;
            }
            _ => {}
        }
        match self.session.execute(&command, &mut ByTerminal(terminal)) {
            Ok(Outcome::Reply(Reply::Quit)) => Flow::Quit,
            Ok(Outcome::Stop(stop)) => {
                self.show_stop(&stop, terminal);
                Flow::Next
            }
            Ok(outcome) => {
                terminal.write(&render::outcome(&outcome));
                Flow::Next
            }
            Err(error) => self.fail(&error.0, terminal),
        }
    }

    /// Shows a stop, and takes note of the commands of its breakpoint.
    fn show_stop(&mut self, stop: &Stop, terminal: &mut dyn Terminal) {
        self.has_run = true;
        terminal.stopped(stop);
        let number = match &stop.reason {
            StopReason::Breakpoint { number, .. }
            | StopReason::Watchpoint { number, .. }
            | StopReason::Access { number, .. } => Some(*number),
            _ => None,
        };
        let commands = number.map_or(&[][..], |n| self.session.commands_of(n));
        let is_silent = commands.first().is_some_and(|c| c == "silent");
        let due = commands[usize::from(is_silent)..].to_vec();
        terminal.write(&if is_silent { stop.findings.concat() } else { render::stop(stop) });
        self.due = (!due.is_empty()).then_some(due);
    }

    /// Executes a script that another one has called.
    fn execute_script(&mut self, lines: &[String], terminal: &mut dyn Terminal) -> Flow {
        if self.depth >= MOST_DEPTH {
            return self.fail("Max user call depth exceeded -- command aborted.", terminal);
        }
        self.depth += 1;
        let flow = self.execute_lines(lines, terminal);
        self.depth -= 1;
        match flow {
            Flow::Break | Flow::Again => Flow::Next,
            other => other,
        }
    }

    /// Executes lines with the blocks among them.
    fn execute_lines(&mut self, lines: &[String], terminal: &mut dyn Terminal) -> Flow {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let flow = if script::opener(line).is_some() {
                let Some((block, next)) = script::block_at(lines, at) else {
                    return self.fail(&format!("The `end` of \"{}\" is missing.", line.trim()), terminal);
                };
                at = next;
                self.execute_block(&block, terminal)
            } else {
                at += 1;
                self.execute(line, terminal)
            };
            // As in gdb: what follows a command that has run the program belongs to the stop before.
            if flow != Flow::Next || self.in_commands && self.has_run {
                return flow;
            }
        }
        Flow::Next
    }

    /// Executes a block.
    fn execute_block(&mut self, block: &Block, terminal: &mut dyn Terminal) -> Flow {
        let (_, rest) = script::words(&block.head);
        match script::opener(&block.head) {
            Some("define") => match script::new_name(rest) {
                Ok(name) => {
                    self.definitions.entry(name).or_default().lines.clone_from(&block.lines);
                    Flow::Next
                }
                Err(why) => self.fail(&why, terminal),
            },
            Some("document") => match self.definitions.get_mut(&rest.to_ascii_lowercase()) {
                Some(definition) => {
                    definition.text = block.lines.join("\n") + "\n";
                    Flow::Next
                }
                None => self.fail(&format!("\"{rest}\" is not defined."), terminal),
            },
            Some("commands") => {
                let numbers = rest.replace("$bpnum", &self.session.latest_breakpoint().to_string());
                let command = parse::numbers(&numbers).map(|n| Command::Commands(n, block.lines.clone()));
                let done = match command {
                    Ok(command) => self.session.execute(&command, &mut |_: &[u8]| ()).map_err(|e| e.0),
                    Err(error) => Err(error.0),
                };
                done.map_or_else(|why| self.fail(&why, terminal), |_| Flow::Next)
            }
            Some("while") => self.execute_loop(rest, &block.lines, terminal),
            _ => match self.session.is_true(rest) {
                Ok(is_true) => {
                    let (yes, no) = script::branches(&block.lines);
                    self.execute_lines(if is_true { yes } else { no }, terminal)
                }
                Err(why) => self.fail(&why.0, terminal),
            },
        }
    }

    fn execute_loop(&mut self, condition: &str, lines: &[String], terminal: &mut dyn Terminal) -> Flow {
        let interrupt = self.session.interrupt_flag();
        loop {
            if interrupt.swap(false, Ordering::Relaxed) {
                return self.fail("Quit", terminal);
            }
            match self.session.is_true(condition) {
                Ok(true) => {}
                Ok(false) => return Flow::Next,
                Err(why) => return self.fail(&why.0, terminal),
            }
            match self.execute_lines(lines, terminal) {
                Flow::Next | Flow::Again => {}
                Flow::Break => return Flow::Next,
                other => return other,
            }
            if self.in_commands && self.has_run {
                return Flow::Next;
            }
        }
    }

    /// Executes a command that the session does not know.
    fn execute_own(&mut self, name: &str, rest: &str, terminal: &mut dyn Terminal) -> Flow {
        let done = match name {
            "source" => {
                let path = rest.trim_start_matches("-v ").trim();
                if path.is_empty() {
                    return self.fail("Argument required (a file).", terminal);
                }
                match terminal.read_file(path) {
                    Ok(text) => {
                        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                        return self.execute_script(&lines, terminal);
                    }
                    Err(why) => Err(format!("{path}: {why}.")),
                }
            }
            "save" => match rest.strip_prefix("breakpoints").map(str::trim).filter(|path| !path.is_empty()) {
                Some(path) => match self.session.execute(&Command::Breakpoints, &mut |_: &[u8]| ()) {
                    Ok(Outcome::Reply(Reply::Text(text))) => match terminal.write_file(path, &text) {
                        Ok(()) => {
                            terminal.write(&format!("Saved to file '{path}'.\n"));
                            Ok(())
                        }
                        Err(why) => Err(format!("{path}: {why}.")),
                    },
                    Ok(_) => Ok(()),
                    Err(why) => Err(why.0),
                },
                None => Err("Argument required (breakpoints FILE).".to_owned()),
            },
            _ => match rest.split_once('=') {
                Some((name, command)) if !command.trim().is_empty() => {
                    script::new_name(name.trim().trim_start_matches("-a ").trim_start_matches("-- ")).map(|name| {
                        let lines = vec![format!("{} $*", command.trim())];
                        let text = format!("Another name for \"{}\".\n", command.trim());
                        self.definitions.insert(name, Definition { lines, text });
                    })
                }
                _ => Err("Argument required (NAME = COMMAND).".to_owned()),
            },
        };
        done.map_or_else(|why| self.fail(&why, terminal), |()| Flow::Next)
    }
}

/// The first word of a text.
fn words_of(text: &str) -> Option<&str> {
    text.split_whitespace().next()
}

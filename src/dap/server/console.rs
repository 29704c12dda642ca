//! The request `evaluate`: expressions for watches and hovers, and commands of the debugger in the console.
//!
//! A line of the console is a command of line mode. If there is no such command, it is an expression. Commands apply to the frame
//! that is selected in the editor. `input TEXT` gives a line to a program that reads its standard input.

use crate::arguments::{self, ExpressionArguments};
use crate::server::run::{Attending, runs};
use crate::server::{Phase, Server};
use crate::wire::{Answer, Request, refuse};
use debug::{
    Attendant, Command, Completer, Designator, LineMode, Radix, Session, Stop, Terminal, Typed as Line, parse,
};
use serde_json::json;

/// The console as the terminal of line mode. It shows what a command writes when the command has ended.
struct Console<'s> {
    server: &'s mut Server,
    text: String,
    /// The last stop.
    stop: Option<Stop>,
}

impl Terminal for Console<'_> {
    fn read_line(&mut self, _: &str, _: &dyn Fn() -> Completer) -> Line {
        Line::End
    }

    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn write_output(&mut self, bytes: &[u8]) {
        self.server.program_output(bytes);
    }

    fn read_file(&mut self, path: &str) -> Result<String, String> {
        std::fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned()).map_err(|e| e.to_string())
    }

    fn write_file(&mut self, path: &str, text: &str) -> Result<(), String> {
        std::fs::write(path, text).map_err(|e| e.to_string())
    }

    fn stopped(&mut self, stop: &Stop) {
        self.stop = Some(stop.clone());
    }

    fn interrupted(&mut self, session: &mut Session) -> bool {
        Attending(self.server).interrupted(session)
    }
}

/// Whether a command may change a variable.
fn sets(command: Option<&Command>) -> bool {
    match command {
        Some(Command::SetVar { .. }) | None => true,
        Some(Command::Print { expression, .. }) => expression.contains('='),
        Some(_) => false,
    }
}

/// What answers a line of the console.
enum Typed {
    /// This, at once.
    Answered(Answer),
    /// What a command has written, and where the program has stopped.
    Done(Answer, Option<Stop>),
}

impl Server {
    /// The request `evaluate`.
    pub(crate) fn evaluate(&mut self, program: &mut LineMode, request: &Request) {
        let typed = match arguments::of::<ExpressionArguments>(request) {
            Ok(wanted) if wanted.context == "repl" => self.typed(program, &wanted),
            Ok(wanted) => Typed::Answered(self.expression(program.session_mut(), &wanted)),
            Err(failure) => Typed::Answered(Err(failure)),
        };
        match typed {
            Typed::Answered(answer) => self.client.respond(request, answer),
            Typed::Done(answer, stop) => {
                self.client.respond(request, answer);
                let session = program.session_mut();
                match stop {
                    Some(stop) => {
                        self.departs();
                        self.arrived(session, &stop);
                    }
                    None if self.phase == Phase::Running => {
                        self.end_progress();
                        // The client was told that the program runs.
                        self.phase = Phase::Stopped;
                        self.say_stopped(session, "step", &json!({}));
                    }
                    None => {}
                }
            }
        }
    }

    /// The value of an expression.
    fn expression(&mut self, session: &mut Session, wanted: &ExpressionArguments) -> Answer {
        self.need_stopped()?;
        let frame = self.frame_or_focus(session, wanted.frame_id)?;
        let radix = if wanted.format.hex { Radix::Hex } else { Radix::Natural };
        let designator = Designator::expression(wanted.expression.trim());
        let view = session.within(frame, |s| s.value_of(&designator, radix))??;
        let mut shown = self.value(frame, &view);
        shown["result"] = view.value.unwrap_or_default().into();
        Ok(shown)
    }

    /// A line of the console.
    fn typed(&mut self, program: &mut LineMode, wanted: &ExpressionArguments) -> Typed {
        let text = wanted.expression.trim();
        if text == "input" || text.starts_with("input ") {
            self.input.give(text.strip_prefix("input ").map(str::as_bytes));
            return Typed::Answered(Ok(json!({ "result": "", "variablesReference": 0 })));
        }
        if let Err(failure) = self.need_stopped() {
            return Typed::Answered(Err(failure));
        }
        let first = text.lines().next().unwrap_or("");
        let command = match parse::parse(first) {
            Ok(command) => command,
            Err(_) if program.has_use_for(first) => None,
            Err(why) => {
                let value = self.expression(program.session_mut(), wanted);
                let is_command = !why.0.starts_with("Undefined") && !why.0.starts_with("Ambiguous");
                return Typed::Answered(if value.is_err() && is_command { refuse(why.0) } else { value });
            }
        };
        let focused = self.frame_or_focus(program.session(), wanted.frame_id);
        let focused = focused.and_then(|frame| Ok(program.session_mut().focus_at(frame)?));
        if let Err(failure) = focused {
            return Typed::Answered(Err(failure));
        }
        let before = program.session().focused().thread;
        let can_run = program.session().is_running() || matches!(command, Some(Command::Run(_) | Command::Start(_)));
        if can_run && command.as_ref().is_some_and(runs) {
            let thread = self.numbers.of_thread(before);
            self.client.event("continued", json!({ "threadId": thread, "allThreadsContinued": true }));
            self.departs();
        }
        let mut console = Console { server: self, text: String::new(), stop: None };
        let mut goes_on = true;
        for line in text.lines() {
            goes_on = goes_on && program.line(line, &mut console);
            if program.has_failed() {
                break;
            }
        }
        let Console { text, stop, .. } = console;
        let text = text.trim_end_matches('\n').to_owned();
        let answer =
            if program.has_failed() { refuse(text) } else { Ok(json!({ "result": text, "variablesReference": 0 })) };
        if !goes_on {
            self.phase = Phase::Over;
            self.client.event("terminated", json!({}));
            return Typed::Answered(answer);
        }
        if stop.is_none() {
            self.tell_breakpoints(program.session());
        }
        if stop.is_none() && self.phase == Phase::Stopped {
            if program.session().focused().thread != before {
                self.tell_focus(program.session_mut());
            } else if sets(command.as_ref()) {
                self.tell_values();
            }
        }
        Typed::Done(answer, stop)
    }

    /// The request `completions`.
    pub(crate) fn completions(&mut self, session: &mut Session, request: &Request) -> Answer {
        let wanted: ExpressionArguments = arguments::of(request)?;
        let column = wanted.column.saturating_sub(usize::from(self.can.lines_start_at_1));
        let line: String = wanted.text.chars().take(column).collect();
        let targets: Vec<_> = session.complete(&line).into_iter().map(|label| json!({ "label": label })).collect();
        Ok(json!({ "targets": targets }))
    }
}

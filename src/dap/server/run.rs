//! What makes the program run, forwards and backwards, and what the client hears when it stops.
//!
//! The order of events is: output of the program, findings, changes of breakpoints, then `stopped`; or `exited` and `terminated`.

use crate::arguments::{self, ThreadArguments};
use crate::numbers;
use crate::server::{Phase, Server, not_stopped};
use crate::wire::{Answer, Failure, Request, refuse};
use debug::{Attendant, Command, FrameAt, LineMode, Outcome, Session, SessionError, Stop, StopReason};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// What the user reads when the program waits for input.
const INPUT_WANTED: &str = "The program reads its standard input. Type `input TEXT` here for a line, or `input` alone for its \
    end, and continue.\n";

/// The server as the attendant of the running program.
pub(crate) struct Attending<'s>(pub(crate) &'s mut Server);

impl Attendant for Attending<'_> {
    fn output(&mut self, bytes: &[u8]) {
        self.0.program_output(bytes);
    }

    fn interrupted(&mut self, session: &mut Session) -> bool {
        self.0.serve_running(session)
    }
}

impl Server {
    /// Sends output of the program, whole characters at a time.
    pub(crate) fn program_output(&mut self, bytes: &[u8]) {
        if let Some(terminal) = &mut self.terminal {
            if terminal.write(bytes).is_ok() {
                return;
            }
            self.terminal = None;
        }
        self.unfinished.extend_from_slice(bytes);
        let end = match std::str::from_utf8(&self.unfinished) {
            // An unfinished character at the end waits for its rest.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.unfinished.len(),
        };
        let rest = self.unfinished.split_off(end);
        let whole = std::mem::replace(&mut self.unfinished, rest);
        if !whole.is_empty() {
            let text = String::from_utf8_lossy(&whole);
            self.client.event("output", json!({ "category": "stdout", "output": text }));
        }
    }

    /// Sends text of the debugger.
    pub(crate) fn say(&mut self, text: &str) {
        self.client.event("output", json!({ "category": "console", "output": text }));
    }

    /// The program begins.
    pub(crate) fn begin(&mut self, program: &mut LineMode) {
        if self.manner.is_without_debugger {
            program.session_mut().pass_findings(vec![String::new()]);
            // All are off.
            let _ = program.session_mut().execute(&Command::Enable(false, Vec::new()), &mut |_: &[u8]| ());
        }
        self.go(program, if self.manner.stops_on_entry { &Command::Start(None) } else { &Command::Run(None) });
    }

    /// Requests that run the program: `continue`, `next`, `stepIn`, `stepOut`, `stepBack`, `reverseContinue`.
    pub(crate) fn run_on(&mut self, program: &mut LineMode, request: &Request) {
        match self.prepare(program.session_mut(), request) {
            Ok(Command::Continue(_) | Command::Next(_) | Command::Step(_)) if !program.session().is_running() => {
                // It has ended, and the user has seen its end.
                self.client.respond(request, Ok(Value::Null));
                self.ended(program.session());
            }
            Ok(command) => {
                let is_continued = matches!(command, Command::Continue(_));
                let body = if is_continued { json!({ "allThreadsContinued": true }) } else { Value::Null };
                self.client.respond(request, Ok(body));
                self.go(program, &command);
            }
            Err(failure) => self.client.respond(request, Err(failure)),
        }
    }

    /// Moves the focus to the thread of the request, and returns the command.
    fn prepare(&mut self, session: &mut Session, request: &Request) -> Result<Command, crate::wire::Failure> {
        let wanted: ThreadArguments = arguments::of(request)?;
        if self.phase != Phase::Stopped {
            return refuse(if self.phase == Phase::Over {
                "The program has ended."
            } else {
                "The program has not begun."
            });
        }
        if let Some(rank) = wanted.thread_id.and_then(numbers::rank) {
            session.execute(&Command::Rank(Some(rank)), &mut Attending(self))?;
            // That rank has findings of its own, and the client knows none of them.
            self.told = 0;
        }
        // Where the program runs on does not depend on a thread.
        let is_step = !matches!(request.command.as_str(), "continue" | "reverseContinue");
        if let Some(number) = wanted.thread_id.filter(|number| is_step && numbers::rank(*number).is_none()) {
            let thread = self.numbers.thread(number)?;
            // After the end there is no thread to choose.
            if session.is_running() {
                session.focus_at(FrameAt { thread, level: 0 })?;
            }
        }
        Ok(match request.command.as_str() {
            "next" => Command::Next(1),
            "stepIn" => Command::Step(1),
            "stepOut" if session.call_stack().len() < 2 => {
                return refuse("This is the outermost frame: there is nothing to step out of.");
            }
            "stepOut" => Command::Finish,
            "stepBack" => Command::ReverseNext(1),
            "reverseContinue" => Command::ReverseContinue,
            _ => Command::Continue(1),
        })
    }

    /// Chooses another rank of MPI, and tells the client where that is.
    pub(crate) fn choose_rank(&mut self, session: &mut Session, rank: u32) -> Result<(), Failure> {
        match session.execute(&Command::Rank(Some(rank)), &mut Attending(self))? {
            Outcome::Stop(stop) => {
                self.departs();
                self.arrived(session, &stop);
            }
            Outcome::Reply(_) => {}
        }
        Ok(())
    }

    /// Executes a command that runs the program, and tells the client where it has arrived.
    fn go(&mut self, program: &mut LineMode, command: &Command) {
        self.departs();
        let outcome = program.session_mut().execute(command, &mut Attending(self));
        match outcome {
            Ok(Outcome::Stop(stop)) => self.arrived(program.session_mut(), &stop),
            Ok(Outcome::Reply(_)) => self.stayed(program.session_mut(), ""),
            Err(SessionError(why)) => self.stayed(program.session_mut(), &why),
        }
    }

    /// The program is about to move.
    pub(crate) fn departs(&mut self) {
        self.phase = Phase::Running;
        self.progress.depart();
        self.numbers.forget();
        self.exception = None;
    }

    /// The program has not moved after all.
    fn stayed(&mut self, session: &mut Session, why: &str) {
        self.end_progress();
        if !why.is_empty() {
            self.say(&format!("{why}\n"));
        }
        if session.exit_code().is_some() {
            return self.ended(session);
        }
        self.phase = Phase::Stopped;
        self.say_stopped(session, "step", &json!({}));
    }

    /// The program has ended, and nobody wants to go back.
    fn ended(&mut self, session: &Session) {
        self.phase = Phase::Over;
        self.terminal = None;
        self.client.event("exited", json!({ "exitCode": session.exit_code().unwrap_or(0) }));
        self.client.event("terminated", json!({}));
    }

    /// Tells the findings that the client does not know.
    fn tell_findings(&mut self, session: &Session) {
        let new = session.finding_texts(self.told);
        self.told += new.len();
        for finding in new {
            let mut body = json!({ "category": "console", "output": finding.text });
            if let Some((file, line)) = finding.place {
                body["source"] = self.sources.source(file);
                body["line"] = self.line_out(line).into();
            }
            self.client.event("output", body);
        }
    }

    /// The program has stopped or ended.
    pub(crate) fn arrived(&mut self, session: &mut Session, stop: &Stop) {
        self.end_progress();
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.unfinished)).into_owned();
        if !rest.is_empty() {
            self.client.event("output", json!({ "category": "stdout", "output": rest }));
        }
        // A change of a variable may have taken findings back.
        let count = session.finding_texts(0).len();
        self.told = match stop.reason {
            // Another rank has findings of its own.
            StopReason::Rank { .. } => count.saturating_sub(stop.findings.len()),
            _ => self.told.min(count),
        };
        let known = self.told;
        self.tell_findings(session);
        if let Some((number, value)) = &stop.returned {
            self.say(&format!("Value returned is ${number} = {value}\n"));
        }
        self.tell_breakpoints(session);
        if stop.reason == StopReason::Interrupted && !self.waiting.is_empty() {
            // A request that ends or replaces the program comes next.
            return;
        }
        self.phase = Phase::Stopped;
        let about = |description: &str| json!({ "description": description });
        match &stop.reason {
            StopReason::Exited(_) if !self.manner.stops_at_end => self.ended(session),
            StopReason::Exited(code) => {
                self.say_stopped(session, "exit", &about(&format!("Ended with code {code}")));
            }
            StopReason::Rank { rank, state } => {
                let text = format!("rank {rank}, which {state}");
                self.say_stopped(session, "focus", &json!({ "description": "Rank", "text": text }));
            }
            StopReason::Start => self.say_stopped(session, "entry", &json!({})),
            StopReason::HistoryStart => self.say_stopped(session, "entry", &about("Beginning")),
            StopReason::Step => self.say_stopped(session, "step", &json!({})),
            StopReason::ThreadEnded => self.say_stopped(session, "step", &about("Thread has ended")),
            StopReason::Interrupted if self.input.is_wanted() => {
                self.say(INPUT_WANTED);
                self.say_stopped(session, "pause", &about("Waiting for input"));
            }
            StopReason::Interrupted => self.say_stopped(session, "pause", &json!({})),
            StopReason::Breakpoint { number, failed, .. } => {
                let reason = if self.points.is_function(*number) { "function breakpoint" } else { "breakpoint" };
                let mut body =
                    json!({ "hitBreakpointIds": self.points.id_of(*number).into_iter().collect::<Vec<_>>() });
                if let Some(why) = failed {
                    body["text"] = format!("The condition cannot be evaluated: {why}").into();
                }
                self.say_stopped(session, reason, &body);
            }
            StopReason::Watchpoint { number, expression, old, new, by } => {
                let who = by.as_ref().map(|(who, _)| format!(", written by {who}")).unwrap_or_default();
                let text = format!("{expression}: {old} -> {new}{who}");
                self.say(&format!("{text}\n"));
                let ids: Vec<i64> = self.points.id_of(*number).into_iter().collect();
                let body = json!({ "hitBreakpointIds": ids, "description": "Changed", "text": text });
                self.say_stopped(session, "data breakpoint", &body);
            }
            StopReason::Access { number, expression, is_write, value, by, .. } => {
                let who = by.as_ref().map(|(who, _)| format!(" by {who}")).unwrap_or_default();
                let how = if *is_write { "written" } else { "read" };
                let text = format!("{expression} = {value} {how}{who}");
                self.say(&format!("{text}\n"));
                let ids: Vec<i64> = self.points.id_of(*number).into_iter().collect();
                let body = json!({ "hitBreakpointIds": ids, "description": "Accessed", "text": text });
                self.say_stopped(session, "data breakpoint", &body);
            }
            StopReason::WatchpointScope { expression, .. } => {
                let text = format!("`{expression}` is watched no longer: its block or procedure has ended");
                self.say_stopped(session, "data breakpoint", &about(&text));
            }
            StopReason::Finding { .. } | StopReason::Fault => {
                let all = session.finding_texts(0);
                self.exception = match &stop.reason {
                    StopReason::Finding { number, .. } => all.get(number.wrapping_sub(1)).cloned(),
                    _ => all.iter().skip(known).find(|f| f.is_error).or(all.last()).cloned(),
                };
                let found = self.exception.as_ref();
                let text = found.map(|f| format!("{}: {}", f.code, f.title)).unwrap_or_default();
                let which = match &stop.reason {
                    StopReason::Finding { is_first: true, .. } => "Race, first access",
                    StopReason::Finding { .. } => "Race, second access",
                    _ => "Error",
                };
                self.say_stopped(session, "exception", &json!({ "description": which, "text": text }));
            }
        }
    }

    /// Sends the event `stopped` for the focused thread.
    pub(crate) fn say_stopped(&mut self, session: &mut Session, reason: &str, more: &Value) {
        let thread = self.numbers.of_thread(session.focused().thread);
        let mut body = json!({ "reason": reason, "threadId": thread, "allThreadsStopped": true });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        self.client.event("stopped", body);
    }

    /// The request `pause`. That the program stops is said by an event.
    pub(crate) fn pause(&mut self, _: &mut Session, _: &Request) -> Answer {
        self.interrupt.store(false, Ordering::Relaxed);
        Ok(Value::Null)
    }

    /// The request `exceptionInfo`.
    pub(crate) fn exception_info(&mut self, _: &mut Session, _: &Request) -> Answer {
        let Some(found) = &self.exception else { return refuse("No finding has stopped the program.") };
        Ok(json!({
            "exceptionId": found.code,
            "description": found.title,
            "breakMode": "always",
            "details": { "message": found.text, "typeName": found.code },
        }))
    }

    /// Refuses while the program is not there to be looked at.
    pub(crate) fn need_stopped(&self) -> Result<(), crate::wire::Failure> {
        match self.phase {
            Phase::Stopped => Ok(()),
            Phase::Running => not_stopped().map(|_| ()),
            Phase::Over => refuse("The program has ended."),
            Phase::Absent | Phase::Configuring => refuse("The program has not begun."),
        }
    }
}

/// Whether a command makes the program run forwards for a while.
pub(crate) fn runs(command: &Command) -> bool {
    matches!(
        command,
        Command::Run(_)
            | Command::Start(_)
            | Command::Continue(_)
            | Command::Step(_)
            | Command::Next(_)
            | Command::Finish
            | Command::Until
            | Command::Advance(_)
            | Command::Barrier
    )
}

/// The name of a thread.
pub(crate) fn thread_name(thread: &debug::FocusView) -> String {
    match thread {
        debug::FocusView::Host => "host".to_owned(),
        debug::FocusView::Thread { block, thread, lane, .. } => {
            let show = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
            // Lists of threads are narrow: what differs comes first.
            format!("lane {lane}: thread {} of block {}", show(*thread), show(*block))
        }
    }
}

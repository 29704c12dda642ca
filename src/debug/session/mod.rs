//! A debugging session: it executes commands and returns replies and stops.
//!
//! The focus (a thread and a frame) is independent of where the machine stopped. The session knows no terminal (invariant I5):
//! `render` makes text of its results, and `line` and the front ends deal with the user.
//!
//! The other files of this folder add the commands by subject: `control`, `focus`, `values`, `examine`, `text`, `info`,
//! `symbols`, `races`; `kept` has the values that the debugger keeps, and `snapshot` collects what a screen shows.

mod attendant;
mod breakpoint;
mod breakpoints;
mod clean;
mod code;
mod control;
mod examine;
mod focus;
mod groups;
mod info;
mod inspect;
mod kept;
mod races;
mod ranks;
mod snapshot;
mod symbols;
mod text;
mod timeline;
mod values;

use crate::command::complete::{Name, Scope};
use crate::command::help;
use crate::command::{Command, Completer, ProgramArguments, Radix, parse};
use crate::eval::check::{self, Typed};
use crate::eval::compiled::CompiledExpr;
use crate::eval::format::MOST_SHOWN;
use crate::eval::value::{Eval, EvalError};
use crate::process::outside::Outside;
use crate::process::races::AccessTimes;
use crate::process::sites::Sites;
use crate::process::watcher::{Marks, Thread};
use crate::process::{Passed, Process, Progress};
pub use crate::session::attendant::Attendant;
pub use crate::session::breakpoint::HitRule;
use crate::session::breakpoint::{Breakpoint, Display, Kind};
use crate::session::clean::Clean;
use crate::session::examine::Examined;
pub use crate::session::inspect::FrameAt;
use crate::session::kept::Kept;
use crate::session::ranks::{Chosen, OtherRank};
use crate::view::reply::{FocusView, Outcome, ProgramView, Reply};
use finding::{Finding, Severity};
use ir::FuncId;
use machine::{LoadError, Machine, World};
use sema::checked::{ProcId, Program, Type};
use source::{FileId, SourceMap};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is debugged.
pub struct Setup {
    /// What the program means.
    pub checked: Arc<Program>,
    /// Its sources.
    pub sources: Arc<SourceMap>,
    /// Makes the machine at the start of the program with these arguments, as this rank of those of MPI; called once at first, at
    /// each `run`, and for each rank that is chosen. Its devices are emulators. With race detection they rehearse each launch,
    /// since only a run without it can be observed.
    pub start: Box<dyn Fn(&[String], u32) -> Result<Machine, LoadError> + Send>,
    /// The arguments of the program at first.
    pub arguments: Vec<String>,
    /// The rank that is debugged at first; 0 if there are no others.
    pub rank: u32,
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup").finish_non_exhaustive()
    }
}

/// Why a command failed: one sentence for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionError(pub String);

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SessionError {}

impl From<EvalError> for SessionError {
    fn from(error: EvalError) -> SessionError {
        let mut chars = error.0.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase()).unwrap_or_default();
        let dot = if error.0.ends_with(['.', '?', '!']) { "" } else { "." };
        SessionError(format!("{first}{}{dot}", chars.as_str()))
    }
}

/// An error with this sentence.
pub(crate) fn refuse<T>(text: impl Into<String>) -> Result<T, SessionError> {
    Err(SessionError(text.into()))
}

/// A debugging session.
#[derive(Debug)]
pub struct Session {
    pub(crate) setup: Setup,
    pub(crate) process: Process,
    /// The ranks that were chosen before, by number.
    others: BTreeMap<u32, OtherRank>,
    /// When the present rank was chosen.
    chosen: Option<Chosen>,
    pub(crate) sites: Sites,
    /// Whether the program has begun.
    pub(crate) started: bool,
    /// The arguments of the next start.
    pub(crate) arguments: ProgramArguments,
    pub(crate) focus: Thread,
    pub(crate) level: u32,
    pub(crate) breakpoints: Vec<Breakpoint>,
    /// The number and the commands of the temporary breakpoint that was hit last.
    pub(crate) gone: Option<(u32, Vec<String>)>,
    pub(crate) displays: Vec<Display>,
    next_breakpoint: u32,
    next_display: u32,
    /// The values that were shown, and those of the user.
    pub(crate) kept: Kept,
    /// Where `x` ended.
    pub(crate) examined: Option<Examined>,
    /// How many lines `list` shows.
    pub(crate) list_size: usize,
    /// How many elements of an array are shown.
    pub(crate) most_shown: u32,
    /// File, first and last line that `list` showed.
    pub(crate) listed: Option<(FileId, usize, usize)>,
    /// The thread and procedure that were shown last.
    pub(crate) last_shown: Option<(FocusView, FuncId, u32)>,
    /// The device thread that ended during a step, and when.
    pub(crate) ended: Option<(Thread, u64)>,
    pub(crate) interrupt: Arc<AtomicBool>,
    pub(crate) attention: Arc<AtomicBool>,
    /// Findings that do not stop the program.
    pub(crate) passed: Passed,
    progress: Arc<Progress>,
    marks: Marks,
    /// Times at which no breakpoint stops.
    pub(crate) clean: Clean,
    /// From when on the program has run without passing a breakpoint, if that is to be kept.
    pub(crate) searched: Option<u64>,
    /// When the thread that stepped last began its last statement.
    pub(crate) last_own: u64,
    /// When the accesses of findings happen.
    pub(crate) access_times: Vec<AccessTimes>,
    /// The findings of this run.
    pub(crate) seen: Vec<Finding>,
    /// When an error stopped the program, and the thread that caused it.
    pub(crate) faulted: Option<(u64, Thread)>,
    /// The latest compiled expressions, by text and procedure: displays and panes evaluate the same ones at each stop.
    pub(crate) compiled: RefCell<Vec<(String, Option<ProcId>, CompiledExpr)>>,
}

/// The derived type of a type, by number.
fn derived(ty: &Type) -> Option<usize> {
    match ty {
        Type::Derived(id) => Some(id.0 as usize),
        _ => None,
    }
}

impl Session {
    /// A session whose program has not begun. `world` is what the program reaches outside; its output goes to the caller of
    /// [`Session::execute`].
    pub fn new(setup: Setup, world: Box<dyn World + Send>) -> Result<Session, SessionError> {
        let machine = (setup.start)(&setup.arguments, setup.rank).map_err(|e| SessionError(e.sentence))?;
        let arguments = ProgramArguments { words: setup.arguments.clone(), input: None };
        let sites = Sites::new(machine.program(), &setup.checked, &setup.sources);
        let progress = Arc::new(Progress::default());
        let process = Process::new(machine, Outside::new(world), sites.hidden(), progress.clone());
        Ok(Session {
            setup,
            process,
            others: BTreeMap::new(),
            chosen: None,
            sites,
            started: false,
            arguments,
            focus: Thread::Host,
            level: 0,
            breakpoints: Vec::new(),
            gone: None,
            displays: Vec::new(),
            next_breakpoint: 1,
            next_display: 1,
            kept: Kept::default(),
            examined: None,
            list_size: 10,
            most_shown: MOST_SHOWN,
            listed: None,
            last_shown: None,
            ended: None,
            interrupt: Arc::new(AtomicBool::new(false)),
            attention: Arc::new(AtomicBool::new(false)),
            passed: Passed::default(),
            progress,
            marks: Marks::default(),
            clean: Clean::default(),
            searched: None,
            last_own: 0,
            access_times: Vec::new(),
            seen: Vec::new(),
            faulted: None,
            compiled: RefCell::default(),
        })
    }

    /// A flag that interrupts the running program when it is set.
    pub fn interrupt_flag(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    /// Takes the flags of a front end: one that interrupts the running program, and one that calls its attendant
    /// ([`Attendant::interrupted`]).
    pub fn use_flags(&mut self, interrupt: Arc<AtomicBool>, attention: Arc<AtomicBool>) {
        (self.interrupt, self.attention) = (interrupt, attention);
    }

    /// Sets the findings that do not stop the program, by the beginnings of their codes.
    pub fn pass_findings(&mut self, beginnings: Vec<String>) {
        self.passed = Passed(beginnings);
        self.process.pass(self.passed.clone());
    }

    /// Sets a display of an earlier session again; `false` if the line is another command. Where it has a value is seen at stops.
    pub(crate) fn restore_display(&mut self, line: &str) -> bool {
        match parse::parse(line) {
            Ok(Some(Command::Display(Some((text, radix))))) => {
                self.add_display(&text, radix);
                true
            }
            _ => false,
        }
    }

    /// The progress of the program, for another thread to read while a command runs.
    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// The code that the program ended with.
    pub fn exit_code(&self) -> Option<i32> {
        self.process.over()
    }

    /// Whether the program has had an error so far.
    pub fn has_errors(&self) -> bool {
        self.seen.iter().any(|f| f.severity() == Severity::Error)
    }

    /// The sources of the program.
    pub fn sources(&self) -> &Arc<SourceMap> {
        &self.setup.sources
    }

    /// Executes a command. The attendant takes what the program writes to its standard streams.
    pub fn execute(&mut self, command: &Command, attendant: &mut dyn Attendant) -> Result<Outcome, SessionError> {
        let done = || Ok(Outcome::Reply(Reply::Done));
        let say = |text: String| Ok(Outcome::Reply(Reply::Text(text)));
        match command {
            Command::Break { at, condition, temporary } => self.set_breakpoint(at, condition.as_deref(), *temporary),
            Command::Condition(number, condition) => self.set_condition(*number, condition.as_deref()),
            Command::Ignore(number, count) => {
                self.breakpoint(*number)?.ignore = *count;
                let hits =
                    if *count == 1 { "the next crossing".to_owned() } else { format!("the next {count} crossings") };
                say(format!("Will ignore {hits} of breakpoint {number}.\n"))
            }
            Command::Delete(numbers) => {
                self.known(numbers)?;
                self.breakpoints.retain(|b| !numbers.is_empty() && !numbers.contains(&b.number));
                self.mark();
                done()
            }
            Command::Enable(on, numbers) => {
                self.known(numbers)?;
                let chosen = |b: &&mut Breakpoint| numbers.is_empty() || numbers.contains(&b.number);
                self.breakpoints.iter_mut().filter(chosen).for_each(|b| b.enabled = *on);
                self.clean.clear();
                self.mark();
                done()
            }
            Command::BreakMany(text) => self.break_many(text),
            Command::Clear(at) => self.clear(at),
            Command::Commands(numbers, lines) => {
                self.known(numbers)?;
                let latest = self.latest_breakpoint();
                let is_meant =
                    |b: &&mut Breakpoint| numbers.contains(&b.number) || numbers.is_empty() && b.number == latest;
                let mut chosen = self.breakpoints.iter_mut().filter(is_meant).peekable();
                if chosen.peek().is_none() {
                    return refuse("No breakpoints specified.");
                }
                chosen.for_each(|b| b.commands.clone_from(lines));
                done()
            }
            Command::LogPoint { at, format } => self.set_log_point(at, format),
            Command::Breakpoints => say(self.breakpoint_script()),
            Command::Watch { expression, on } => self.set_watch(expression, *on),
            Command::Run(given) => self.run(given.as_ref(), false, attendant),
            Command::Start(given) => self.run(given.as_ref(), true, attendant),
            Command::SetArguments(given) => {
                self.arguments.clone_from(given);
                done()
            }
            Command::Continue(count) => self.continue_run(*count, attendant),
            Command::Step(count) => self.step(*count, false, attendant),
            Command::Next(count) => self.step(*count, true, attendant),
            Command::StepAny(count) => self.step_any(*count, attendant),
            Command::Finish => self.finish(attendant),
            Command::Advance(at) => self.advance(at, attendant),
            Command::Until => self.until(attendant),
            Command::Barrier => self.barrier(attendant),
            Command::ReverseStep(count) => self.step_back(*count, false),
            Command::ReverseNext(count) => self.step_back(*count, true),
            Command::ReverseStepAny(count) => self.step_any_back(*count),
            Command::ReverseContinue => self.continue_back(),
            Command::ReverseFinish => self.finish_back(),
            Command::LastChange(text) => self.last_change(text),
            Command::Finding { number, first } => self.finding_command(*number, *first),
            Command::Timeline(number) => self.go_to_entry(*number),
            Command::Focus(request) => self.focus_command(request),
            Command::Rank(number) => self.rank_command(*number, attendant),
            Command::Frame(request) => self.frame_command(*request),
            Command::Backtrace { count, is_full } => self.backtrace(*count, *is_full),
            Command::Print { expression, over, radix } => self.print(expression, *over, *radix),
            Command::Output(text, radix) => say(self.value_text(text, *radix)?),
            Command::Echo(text) => Ok(Session::echo(text)),
            Command::Printf(text) => self.printf(text),
            Command::Examine(request) => self.examine(request),
            Command::Whatis { expression, is_full } => self.whatis(expression, *is_full),
            Command::SetVar { target, value } => self.set_variable(target, value),
            Command::SetValue { name, value } => self.set_kept(name, value),
            Command::ListSize(lines) => {
                self.list_size = (*lines).max(1);
                done()
            }
            Command::Elements(count) => {
                self.most_shown = *count;
                done()
            }
            Command::Stacks => say(self.stacks_text()?),
            Command::Show(about) => self.show(about),
            Command::Display(None) => Ok(Outcome::Reply(Reply::Displays(self.display_values()))),
            Command::Display(Some((text, radix))) => self.set_display(text, *radix),
            Command::EnableDisplays(on, numbers) => {
                self.known_displays(numbers)?;
                let is_meant = |d: &&mut Display| numbers.is_empty() || numbers.contains(&d.number);
                self.displays.iter_mut().filter(is_meant).for_each(|d| d.enabled = *on);
                done()
            }
            Command::Undisplay(numbers) => {
                self.known_displays(numbers)?;
                self.displays.retain(|d| !numbers.is_empty() && !numbers.contains(&d.number));
                done()
            }
            Command::List(request) => self.list(request),
            Command::Search { text, is_back } => self.search(text, *is_back),
            Command::Disassemble { name, is_ptx } => self.disassemble(name.as_deref(), *is_ptx),
            Command::Info(topic, arguments) => self.info(*topic, arguments),
            Command::Complete(line) => {
                let found = self.completer().complete(line);
                let whole = |word: &String| format!("{}{word}\n", &line[..found.start]);
                say(found.words.iter().map(whole).collect())
            }
            Command::Apropos(word) => say(help::apropos(word)),
            Command::Note(text) => say(format!("{text}\n")),
            Command::Script(name) => {
                refuse(format!("\"{name}\" works in line mode: in \"cufemu --debug\", and in scripts for --batch."))
            }
            Command::Help(about) => match help::help(about.as_deref()) {
                Ok(text) => Ok(Outcome::Reply(Reply::Help(text))),
                Err(text) => refuse(text),
            },
            Command::Quit => Ok(Outcome::Reply(Reply::Quit)),
        }
    }

    /// The completions of the last word of an unfinished line.
    pub fn complete(&self, line: &str) -> Vec<String> {
        self.completer().complete(line).words
    }

    /// What completes lines as long as the focus stays where it is.
    pub fn completer(&self) -> Completer {
        let checked = &self.setup.checked;
        let variables_of = |proc: Option<ProcId>| {
            let names = proc.map(|proc| checked.proc(proc).scope.all()).unwrap_or_default();
            let variables = names.iter().filter_map(|(name, symbol)| match symbol {
                sema::checked::Symbol::Var(id) => {
                    Some(Name { name: name.to_string(), ty: derived(&checked.var(*id).ty) })
                }
                _ => None,
            });
            variables.collect::<Vec<_>>()
        };
        let field = |f: &sema::checked::Field| Name { name: f.name.to_string(), ty: derived(&f.ty) };
        let files = self.setup.sources.files().filter(|(_, f)| !f.name().starts_with('<'));
        let file_name = |file| self.setup.sources.file(file).map_or_else(String::new, |f| f.name().to_owned());
        let module = self.process.machine().program().module();
        let scope = |(func, (file, first, last)): (FuncId, (FileId, usize, usize))| Scope {
            procedure: module.func(func).short_name().to_owned(),
            file: file_name(file),
            lines: (first, last),
            variables: variables_of(self.sites.proc(func)),
        };
        let place = |b: &Breakpoint| match &b.kind {
            Kind::Statement(place) => Some((b.number, file_name(place.file), place.line)),
            Kind::Watch(_) => None,
        };
        Completer {
            variables: variables_of(self.here_proc()),
            scopes: self.sites.extents().into_iter().map(scope).collect(),
            here: self.current_line().map(|(file, line)| (file_name(file), line)),
            breakpoints: self.breakpoints.iter().filter_map(place).collect(),
            types: checked.types.iter().map(|t| t.fields.iter().map(field).collect()).collect(),
            procedures: self.sites.procedures(self.process.machine().program()),
            files: files.map(|(_, f)| f.name().to_owned()).collect(),
            ranks: self.process.machine().rank_count(),
            own: Vec::new(),
        }
    }

    pub(crate) fn need_running(&self) -> Result<(), SessionError> {
        if self.started && self.process.over().is_none() {
            return Ok(());
        }
        match self.process.over() {
            Some(_) => refuse(
                "The program is not being run: it has ended. \"run\" starts it again, \"reverse-step\" goes back.",
            ),
            None => refuse("The program is not being run."),
        }
    }

    fn known_displays(&self, numbers: &[u32]) -> Result<(), SessionError> {
        match numbers.iter().find(|n| self.displays.iter().all(|d| d.number != **n)) {
            Some(n) => refuse(format!("No display number {n}.")),
            None => Ok(()),
        }
    }

    /// Starts the program again from the beginning.
    pub(crate) fn restart(&mut self) -> Result<(), SessionError> {
        let input = self.arguments.input.as_ref().map(|path| self.process.file(path));
        let input = input.transpose().map_err(SessionError)?;
        if self.started || self.arguments.words != self.setup.arguments {
            let fresh = self.fresh(self.rank())?;
            let old = std::mem::replace(&mut self.process, fresh);
            self.process.set_world(old.into_world());
            self.others.clear();
            self.chosen = None;
        }
        self.process.set_input(input);
        self.started = true;
        self.focus = Thread::Host;
        self.level = 0;
        self.access_times.clear();
        self.clean.clear();
        self.seen.clear();
        self.faulted = None;
        self.last_shown = None;
        self.listed = None;
        Ok(())
    }

    /// A process of a rank at the start of the program, without a world.
    fn fresh(&self, rank: u32) -> Result<Process, SessionError> {
        let machine = (self.setup.start)(&self.arguments.words, rank).map_err(|e| SessionError(e.sentence))?;
        let mut process = Process::new(machine, Outside::empty(), self.sites.hidden(), self.progress.clone());
        process.pass(self.passed.clone());
        Ok(process)
    }

    /// A number for a new display.
    pub(crate) fn add_display(&mut self, text: &str, radix: Radix) -> u32 {
        let number = self.next_display;
        self.next_display += 1;
        self.displays.push(Display { number, text: text.to_owned(), radix, enabled: true });
        number
    }

    /// The checked form of an expression in a procedure that is not in focus.
    fn typed_in(&self, proc: Option<ProcId>, func: FuncId, text: &str) -> Eval<Typed<'_>> {
        let locals = &self.process.machine().program().module().func(func).vars;
        check::checked(&self.setup.checked, proc, locals, &|name| self.kept_value(name), text, None)
    }

    /// Its code.
    pub(crate) fn compile_in(&self, proc: Option<ProcId>, func: FuncId, text: &str) -> Eval<CompiledExpr> {
        let typed = self.typed_in(proc, func, text)?;
        CompiledExpr::new(&typed.program, &typed.expr)
    }

    /// Marks the statements of enabled breakpoints.
    pub(crate) fn mark(&mut self) {
        let program = self.process.machine().program();
        let mut marks: Vec<Vec<bool>> = vec![Vec::new(); program.module().funcs.len()];
        for b in self.breakpoints.iter().filter(|b| b.enabled) {
            let Kind::Statement(place) = &b.kind else { continue };
            for site in &place.sites {
                let row = &mut marks[site.func.index()];
                row.resize(program.site_count(site.func), false);
                if let Some(mark) = row.get_mut(site.pc as usize) {
                    *mark = true;
                }
            }
        }
        self.marks = Arc::new(marks);
    }

    /// Statements of enabled breakpoints.
    pub(crate) fn marks(&self) -> Marks {
        self.marks.clone()
    }

    /// The text of a finding.
    pub(crate) fn word(&self, finding: &Finding) -> String {
        diag::full(&finding.diagnostic(), &self.setup.sources, diag::Style::PLAIN)
    }

    /// The state of the program.
    pub(crate) fn program_view(&self) -> ProgramView {
        ProgramView {
            started: self.started,
            exited: self.process.over(),
            time: self.process.time(),
            latest: self.process.latest(),
            checkpoints: self.process.checkpoints(),
        }
    }
}

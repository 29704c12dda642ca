//! The host program: where it is, and how it is moved on.

use crate::cuda::Symbols;
use crate::fault::{self, Where};
use crate::foreign::{CallSite, Foreign};
use crate::mpi::Mpi;
use crate::outside::{Answer, HostYield};
use crate::protocol::{Args, Halt};
use crate::restart::RestartCheck;
use crate::runtime::Runtime;
use crate::service::AtOnce;
use crate::service::foreign_services;
use crate::storage;
use ::foreign::Caller;
use device::{Api, Arg, Call, Hole, KernelLaunch};
use finding::{Access, Actor, Finding, FindingKind};
use ir::ParamKind;
use ir::rt::Rt;
use mem::{Memory, Origin, Region};
use source::Span;
use std::sync::Arc;
use vm::{Context, Geometry, Hooks, HostStack, LaunchRequest, Program, RtRequest, Site, Stop, Warp, WindowTable};

/// Exit code of a program whose files could not be written when it ended.
const LOST: i32 = 2;
/// Arguments of a service at most.
const MOST_ARGS: usize = 12;

/// What a host program is given at its start.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Its arguments, its own name first.
    pub arguments: Vec<Vec<u8>>,
    /// Bytes of its stack of local variables.
    pub stack_bytes: u64,
    /// Whether unformatted files have the most significant byte first unless OPEN says otherwise.
    pub swaps_bytes: bool,
    /// Which procedures that libraries have are routines of CUDA's libraries.
    pub has_routine: fn(&str) -> bool,
    /// Whether such a routine gives a number, and no status.
    pub gives_result: fn(&str) -> bool,
    /// The names of routines that the program's own libraries define, and which are then called there.
    pub defined: Arc<[String]>,
    /// The numbers of the routines of MPI.
    pub mpi_routine: fn(&str) -> Option<u32>,
    /// For tests: whether to run each service twice, to check that it can start again ([`Host::restart_violations`]).
    pub checks_restarts: bool,
}

impl Default for HostOptions {
    fn default() -> HostOptions {
        HostOptions {
            arguments: vec![b"main".to_vec()],
            stack_bytes: 256 << 20,
            swaps_bytes: false,
            has_routine: |_| false,
            gives_result: |_| false,
            defined: Arc::default(),
            mpi_routine: |_| None,
            checks_restarts: false,
        }
    }
}

/// A host program at some point of its run.
#[derive(Clone, Debug)]
pub struct Host {
    warp: Warp<1>,
    windows: WindowTable,
    runtime: Runtime,
    phase: Phase,
    restarts: Option<RestartCheck>,
    unseen: u64,
}

/// What a host program is about to do.
#[derive(Clone, Debug)]
enum Phase {
    /// Run its code.
    Run,
    /// Have a service served.
    Service(RtRequest),
    /// Launch a kernel.
    Launch(LaunchRequest),
    /// Put its files in order, then be over with this code.
    Ending(i32),
    /// It is over.
    Over(i32),
}

impl Host {
    /// A host program at its first statement. `None` if the program has no main program or memory has no room for a stack.
    pub fn new(program: &Program, memory: &mut Memory, options: &HostOptions) -> Option<Host> {
        let main = program.module().main?;
        let base = memory.alloc(Region::HostStack, options.stack_bytes, "", Span::NONE).ok()?;
        let stack = HostStack { top: base, limit: base + options.stack_bytes };
        let warp = Warp::host(program, main, stack).ok()?;
        let arguments = Arc::from(options.arguments.clone());
        let foreign = Foreign::new(options.has_routine, options.gives_result, options.defined.clone());
        let mpi = Mpi::new(options.mpi_routine);
        let runtime = Runtime::new(arguments, Symbols::new(program), options.swaps_bytes, foreign, mpi);
        let restarts = options.checks_restarts.then(RestartCheck::default);
        Some(Host { warp, windows: WindowTable::default(), runtime, phase: Phase::Run, restarts, unseen: 0 })
    }

    /// Its activation records.
    pub fn warp(&self) -> &Warp<1> {
        &self.warp
    }

    /// Its activation records, for a debugger that sets variables.
    pub fn warp_mut(&mut self) -> &mut Warp<1> {
        &mut self.warp
    }

    /// Schedule points that it has passed.
    pub fn points(&self) -> u64 {
        self.warp.points()
    }

    /// Its exit code, once it is over.
    pub fn exit_code(&self) -> Option<i32> {
        match self.phase {
            Phase::Over(code) => Some(code),
            _ => None,
        }
    }

    /// The operation it is at.
    pub fn site(&self) -> Option<Site> {
        self.warp.splits().next().map(|split| split.site())
    }

    /// The place of an operation as the user knows it: what a procedure of an embedded module does is where the program calls
    /// that.
    fn place_of(&self, program: &Program, site: Site) -> Site {
        let stack = || self.warp.splits().next().map(|split| split.call_stack()).unwrap_or_default();
        fault::own_site(program, site, stack)
    }

    /// Whether what needs a caller waits for the turn of the rank from now on (`Ask::Turn`).
    pub fn wait_with_calls(&mut self, waits: bool) {
        self.runtime.foreign.is_ahead = waits;
    }

    /// Whether a check wants to know from now on what procedures change that are called at once.
    pub fn watch_calls(&mut self, watches: bool) {
        self.runtime.foreign.is_watched = watches;
    }

    /// Runs for at most `budget` schedule points, which it counts down, until something is needed from outside.
    ///
    /// A question that was not answered is put again. With a `caller`, procedures of libraries are called at once: the run is not done
    /// again. A host has the same caller all the time, or never one, but that of a rank
    /// that goes on before its turn waits for it ([`Host::wait_with_calls`]).
    pub fn advance(
        &mut self,
        program: &Program,
        memory: &mut Memory,
        budget: &mut u64,
        mut hooks: Option<&mut dyn Hooks<1>>,
        mut caller: Option<&mut Caller>,
    ) -> HostYield {
        loop {
            if let Some((stream, bytes)) = self.runtime.io.outbox.pop_front() {
                return HostYield::Output { stream, bytes };
            }
            let halted = match &self.phase {
                Phase::Run => match self.run(program, memory, budget, reborrow(&mut hooks), caller.as_deref_mut()) {
                    Some(out) => return out,
                    None => continue,
                },
                Phase::Service(request) => {
                    let (rt, site, count) = (request.rt, request.site, request.arg_count().min(MOST_ARGS));
                    let mut args = [0; MOST_ARGS];
                    for (i, arg) in args.iter_mut().enumerate().take(count) {
                        *arg = self.warp.arg(request, i, 0);
                    }
                    let own = self.place_of(program, site);
                    let (args, span) = (Args(&args[..count]), program.span(own));
                    let is_foreign = matches!(rt, foreign_services!());
                    let served = if is_foreign {
                        let warp = &self.warp;
                        let locals = |address| warp.local_extent_at(program, address);
                        let top = warp.stack_top().unwrap_or(0);
                        let at = CallSite { locals: &locals, top, span };
                        self.runtime
                            .serve_foreign(memory, rt, args, &at, caller.as_deref_mut())
                            .map(|result| [result, 0])
                    } else {
                        if let Some(check) = &mut self.restarts {
                            check.rehearse(&self.runtime, memory, rt, args, span);
                        }
                        let served = self.runtime.serve(memory, rt, args, span);
                        if let Some(check) = &mut self.restarts {
                            check.compare(&self.runtime, memory, &served);
                        }
                        served
                    };
                    if let Some(hooks) = &mut hooks {
                        for touch in memory.take_touches() {
                            hooks.on_bulk(own, touch.address, touch.bytes, touch.is_write);
                        }
                    }
                    match served {
                        Ok(results) => {
                            self.runtime.answers.clear();
                            self.warp.answer(program, |i, _| results.get(i).copied().unwrap_or(0));
                            self.phase = Phase::Run;
                            continue;
                        }
                        Err(halt) => (halt, site),
                    }
                }
                Phase::Launch(request) => {
                    let request = request.clone();
                    let launched = self.launch(program, memory, &request);
                    // What is read once more after the launch is not used again.
                    let touches = memory.take_touches();
                    if let (Some(hooks), Err(_)) = (&mut hooks, &launched) {
                        let own = self.place_of(program, request.site);
                        touches.iter().for_each(|touch| hooks.on_passed(own, touch.address, touch.bytes));
                    }
                    match launched {
                        Ok(()) => {
                            self.runtime.answers.clear();
                            self.warp.answer(program, |_, _| 0);
                            self.phase = Phase::Run;
                            continue;
                        }
                        Err(halt) => (halt, request.site),
                    }
                }
                Phase::Ending(code) => {
                    let code = *code;
                    match self.runtime.close_all() {
                        Err((Halt::Ask(ask), _)) => return HostYield::Ask(ask),
                        Err((Halt::Fault(fault), opened_at)) => {
                            self.phase = Phase::Ending(if code == 0 { LOST } else { code });
                            let step = Access::step(Actor::Host, opened_at);
                            return HostYield::Fault(Box::new(Finding::new(FindingKind::Host(fault), vec![step])));
                        }
                        _ => self.phase = Phase::Over(code),
                    }
                    continue;
                }
                Phase::Over(code) => return HostYield::Done { code: *code },
            };
            if let Some(out) = self.halted(program, memory, halted) {
                return out;
            }
        }
    }

    /// Answers what the last yield asked.
    pub fn answer(&mut self, answer: Answer) {
        self.runtime.answers.receive(answer);
    }

    /// Whether its code is over: its files are put in order, or that is done too.
    pub fn is_ending(&self) -> bool {
        matches!(self.phase, Phase::Ending(_) | Phase::Over(_))
    }

    /// Ends the program from outside: its files are put in order by what follows.
    pub fn end(&mut self, code: i32) {
        if self.exit_code().is_none() {
            self.phase = Phase::Ending(code);
        }
    }

    /// How many statements it has begun unobserved since the last call, of code that keeps them.
    pub fn take_unseen(&mut self) -> u64 {
        std::mem::take(&mut self.unseen)
    }

    fn run(
        &mut self,
        program: &Program,
        memory: &mut Memory,
        budget: &mut u64,
        hooks: Option<&mut dyn Hooks<1>>,
        caller: Option<&mut Caller>,
    ) -> Option<HostYield> {
        let is_unseen = hooks.is_none() && self.restarts.is_none() && memory.initialised().is_none();
        let mut at_once = AtOnce { runtime: &mut self.runtime, caller, is_unseen };
        let mut ctx = Context {
            memory: memory.view(),
            cluster: &mut [],
            shared: &mut [],
            windows: &mut self.windows,
            geometry: Geometry::default(),
            blocks: 0,
            budget: *budget,
            statements: 0,
            atomics: None,
            services: Some(&mut at_once),
        };
        let stop = self.warp.run(program, &mut ctx, hooks);
        *budget = ctx.budget;
        self.unseen += ctx.statements;
        match stop {
            Stop::Done => self.phase = Phase::Ending(0),
            Stop::Budget => return Some(HostYield::Budget),
            // A loop that only reads looks like polling to the executor.
            Stop::Polling | Stop::Waiting => self.warp.wake_pollers(),
            Stop::Rt(request) => self.phase = Phase::Service(request),
            // Host code has one lane.
            Stop::Launch(requests) => self.phase = requests.into_iter().next().map_or(Phase::Run, Phase::Launch),
            Stop::Statement => return Some(HostYield::Statement(self.site().unwrap_or_default())),
            Stop::Fault(fault) => {
                let has_foreign = self.runtime.has_called_c();
                let at = Where { program, warp: &self.warp, site: fault.site, has_foreign };
                let finding = fault::of_fault(at, memory, &fault);
                self.phase = Phase::Ending(1);
                return Some(HostYield::Fault(Box::new(finding)));
            }
        }
        None
    }

    /// A service that cannot go on.
    fn halted(&mut self, program: &Program, memory: &Memory, (halt, site): (Halt, Site)) -> Option<HostYield> {
        match halt {
            Halt::Ask(ask) => return Some(HostYield::Ask(ask)),
            Halt::Api(call) => return Some(HostYield::Api(call)),
            Halt::Mpi(call) => return Some(HostYield::Mpi(call)),
            Halt::Stop(code) => {
                self.runtime.answers.clear();
                self.phase = Phase::Ending(code);
                return None;
            }
            _ => {}
        }
        let code = match &halt {
            Halt::ErrorStop(code, _) if *code != 0 => *code,
            _ => 1,
        };
        let has_foreign = self.runtime.has_called_c();
        let at = Where { program, warp: &self.warp, site, has_foreign };
        let finding = fault::of_halt(at, memory, halt);
        self.runtime.answers.clear();
        self.phase = Phase::Ending(code);
        finding.map(|f| HostYield::Fault(Box::new(f)))
    }

    fn launch(&mut self, program: &Program, memory: &Memory, request: &LaunchRequest) -> Result<(), Halt> {
        let kernel = program.module().func(request.func);
        let span = program.span(request.site);
        let mut args = Vec::with_capacity(request.args.len());
        for (param, &bits) in kernel.params.iter().zip(&request.args) {
            args.push(match param.kind {
                ParamKind::Value => Arg::Bits(bits),
                ParamKind::Bytes { bytes, .. } => object_passed(memory, (bits, bytes), span)?,
            });
        }
        let launch = KernelLaunch {
            func: request.func,
            grid: request.grid,
            block: request.block,
            // CUDA takes it as a size, so that a negative number is a large one.
            dynamic_shared: request.bytes as u64,
            stream: request.stream as u64,
            args,
            number: 0,
            span,
        };
        self.runtime.answers.call(|| Call { api: Api::Launch(launch), span }).map(|_| ())
    }

    /// Services that changed something before they asked, if that is checked; empty in a program without errors.
    pub fn restart_violations(&self) -> &[String] {
        self.restarts.as_ref().map_or(&[], RestartCheck::violations)
    }

    /// The service it is at.
    pub fn service(&self) -> Option<Rt> {
        match &self.phase {
            Phase::Service(request) => Some(request.rt),
            _ => None,
        }
    }
}

/// An object at an address, of so many bytes, as an argument of a kernel: what nothing has written is passed on.
fn object_passed(memory: &Memory, (address, bytes): (u64, u64), span: Span) -> Result<Arg, Halt> {
    let copy = storage::read(memory, address, bytes)?;
    let known = |at| memory.initialised().and_then(|bits| bits.with(|bits| bits.origin(at)));
    let hole = |(offset, bytes)| {
        let here = Origin { span, address: address + offset };
        Hole { offset, bytes, origin: known(here.address).unwrap_or(here) }
    };
    Ok(Arg::Bytes(copy.into(), memory.holes(address, bytes).into_iter().map(hole).collect()))
}

/// The same observer for a shorter time.
fn reborrow<'a>(hooks: &'a mut Option<&mut dyn Hooks<1>>) -> Option<&'a mut dyn Hooks<1>> {
    match hooks {
        Some(hooks) => Some(&mut **hooks),
        None => None,
    }
}

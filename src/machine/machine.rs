//! The run loop: host and devices run in turn, questions go to the world, findings are collected.
//!
//! A command runs as soon as it is submitted, before the host continues. The output of kernels is shown when the host waits
//! for the device, and at the end. The loop never waits, except for an answer of the world.

use crate::checks::command_order::{CommandOrder, OrderHooks};
use crate::checks::init::{HostInit, InitHooks};
use crate::devices::DeviceBox;
use crate::holding::{Holding, changes_at_once};
use crate::instances::Instances;
use crate::load::{self, LoadError};
use crate::observer::{HostHooks, Observer};
use crate::solo::Solo;
use crate::world::World;
use device::{Api, Call, KernelInfo, Kernels, Progress, Runtime, Step, Waiting};
use diag::Severity;
use emu::Emulator;
use explore::Hold;
use finding::{Access, Actor, Finding, FindingKind, Findings, HostFault};
use host::{Answer, Ask, Host, HostOptions, HostYield, Stream};
use ir::{FuncId, Module};
use library::Library;
use mem::{Memory, Region};
use source::Span;
use std::sync::Arc;
use vm::{Before, Program, Site};

/// Where clocks and events take their time from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ClockKind {
    /// The world's clock.
    #[default]
    Wall,
    /// Schedule points of host and devices, a nanosecond each: the same in every run.
    Model,
}

/// How a machine runs a program.
#[derive(Clone, Debug)]
pub struct MachineOptions {
    /// The program's arguments and stack.
    pub host: HostOptions,
    /// Bytes of host memory that it may allocate at one time.
    pub host_memory: u64,
    /// Bytes that host and devices may allocate together at one time, if that is limited.
    pub total_memory: Option<u64>,
    /// Bytes that the pages of their memory may really hold, if that is limited: what the computer can give. Allocated memory
    /// takes a page when it is first written.
    pub page_memory: Option<u64>,
    /// Where time comes from.
    pub clock: ClockKind,
    /// What runs kernels on emulated devices.
    pub engine: vm::Engine,
    /// Whether memory and handles that are never given back are reported.
    pub check_leaks: bool,
    /// Whether memory keeps which bytes were written, and reads of others are reported.
    pub check_init: bool,
    /// Commands that are put off, so that others come first.
    pub holds: Vec<Hold>,
    /// Where findings go, with limit and suppression.
    pub findings: Findings,
}

impl Default for MachineOptions {
    fn default() -> MachineOptions {
        MachineOptions {
            host: HostOptions::default(),
            host_memory: 64 << 30,
            total_memory: None,
            page_memory: None,
            clock: ClockKind::Wall,
            engine: vm::Engine::default(),
            check_leaks: false,
            check_init: false,
            holds: Vec::new(),
            findings: Findings::new(),
        }
    }
}

/// Why [`Machine::advance`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MachineStop {
    /// The budget is used up, or one of several ranks has made a call of MPI.
    Budget,
    /// The observer asked to stop before a statement of host code.
    Host(Site),
    /// The observer asked to stop a device.
    Device,
    /// The host program met an error that ends it; the last finding says which. Continuing closes its files.
    Fault,
    /// The program waits for another rank of MPI, or looks for a message that is not there; [`Ranks`](crate::Ranks) goes on.
    OthersTurn,
    /// The program is over; its own exit code.
    Done(i32),
}

/// A program at some point of its run.
#[derive(Debug)]
pub struct Machine {
    program: Arc<Program>,
    pub(crate) memory: Memory,
    pub(crate) host: Host,
    pub(crate) devices: Vec<DeviceBox>,
    instances: Instances,
    pub(crate) runtime: Runtime,
    library: Library,
    pub(crate) findings: Findings,
    pub(crate) turn: Turn,
    /// Its number among the ranks of MPI, and what is between them: during its turn, if there are others.
    pub(crate) rank: u32,
    pub(crate) mpi: mpi::World,
    /// What reaches the ranks in other processes, if there are any.
    pub(crate) transport: Option<Box<dyn mpi::Transport>>,
    /// How many milliseconds the host has waited for other processes.
    pub(crate) waited: u64,
    /// How many calls of MPI the host has made in its turn, where there are windows.
    pub(crate) calls_in_turn: u32,
    /// Whether a rank goes on before its turn ([`crate::ahead`]).
    pub(crate) is_ahead: bool,
    /// The record of what a rank gets from the others, if it keeps or follows one.
    pub(crate) solo: Solo,
    /// When the clock of the world began, for a record with times instead of turns; 0 if it has turns.
    pub(crate) epoch: u64,
    pub(crate) clock: ClockKind,
    pub(crate) check_leaks: bool,
    /// A device has reported an error itself.
    is_explained: bool,
    /// Modelled time that the program has slept, in nanoseconds.
    pub(crate) slept: u64,
    /// The order of commands and host, if races are checked.
    pub(crate) order: Option<CommandOrder>,
    /// Commands that are put off.
    pub(crate) holding: Holding,
    /// The check of uninitialised reads by the host, if it is on.
    init: Option<HostInit>,
    /// Whether the program and C code reach each other's memory: by descriptors and variables.
    shares_with_c: bool,
}

/// The kernels of a program, for the CUDA runtime.
struct KernelTable<'a>(&'a Program);

impl Kernels for KernelTable<'_> {
    fn kernel(&self, func: FuncId) -> Option<KernelInfo> {
        emu::kernel_info(self.0, func)
    }
}

/// Whose turn it is.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    Host,
    /// The host has asked for something before the turn of its rank.
    Yielded(Box<HostYield>),
    /// The host waits in a call of MPI.
    Messages,
    /// The host waits for what the world did not have when it was asked.
    Asking(Ask),
    Device(Waiting),
    /// The devices run what was put off, before a call that cannot be made without.
    Calling(Call),
    /// The host is over with this code; the devices finish.
    Ending(i32),
    Over(i32),
}

/// A machine's state, to go back to.
#[derive(Debug)]
pub struct Checkpoint {
    machine: Machine,
}

impl Machine {
    /// Loads a module: places its variables, compiles it for the executor, starts the host. At least one device is needed.
    pub fn load(
        module: Arc<Module>,
        mut devices: Vec<DeviceBox>,
        gpu: &gpu::GpuOptions<'_>,
        options: MachineOptions,
    ) -> Result<Machine, LoadError> {
        let mut memory = Memory::new();
        memory.set_limit(Region::Host, options.host_memory);
        if let Some(bytes) = options.total_memory {
            memory.set_total_limit(bytes);
        }
        if let Some(bytes) = options.page_memory {
            memory.set_page_limit(bytes);
        }
        if options.check_init {
            memory.track_initialised();
        }
        let first = devices.first_mut().ok_or_else(|| LoadError::new("there is no device"))?;
        let globals = load::place_globals(&module, &mut memory, first)?;
        let mut program = vm::compile(module, globals)
            .map_err(|e| LoadError::new(format!("`{}` cannot be loaded: {}", e.function, e.message)))?;
        program.set_engine(options.engine);
        let program = Arc::new(program);
        for device in &mut devices {
            device.load(&program, gpu).map_err(LoadError::new)?;
        }
        let host_options = HostOptions {
            has_routine: library::has,
            gives_result: library::gives_result,
            mpi_routine: mpi::number,
            ..options.host
        };
        let host = Host::new(&program, &mut memory, &host_options)
            .ok_or_else(|| LoadError::new("the program has no main program"))?;
        let runtime = Runtime::new(devices.len() as u32);
        let instances = Instances::new(&program, &memory, &devices);
        let is_racing = devices.iter().filter_map(DeviceBox::emulator).any(Emulator::is_racing);
        let is_order_kept = is_racing || !options.holds.is_empty();
        let order = is_order_kept.then(|| CommandOrder::new(&program, devices.len(), is_racing));
        let shares_with_c = load::shares_with_c(program.module());
        Ok(Machine {
            program,
            memory,
            host,
            devices,
            instances,
            runtime,
            library: Library::default(),
            findings: options.findings,
            turn: Turn::Host,
            rank: 0,
            mpi: mpi::World::new(1, 0),
            transport: None,
            waited: 0,
            calls_in_turn: 0,
            is_ahead: false,
            solo: Solo::default(),
            epoch: 0,
            clock: options.clock,
            check_leaks: options.check_leaks,
            is_explained: false,
            slept: 0,
            order,
            holding: Holding::new(&options.holds),
            init: options.check_init.then(HostInit::default),
            shares_with_c,
        })
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Its memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Its memory, for a debugger that sets variables.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// The host program.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The host program, for a debugger that sets variables.
    pub fn host_mut(&mut self) -> &mut Host {
        &mut self.host
    }

    /// The devices.
    pub fn devices(&self) -> &[DeviceBox] {
        &self.devices
    }

    /// The devices, for a debugger.
    pub fn devices_mut(&mut self) -> &mut [DeviceBox] {
        &mut self.devices
    }

    /// The CUDA runtime.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Pairs of commands, the first before the second in this run, that conflict and are in no order; `None` is the host.
    pub fn command_conflicts(&self) -> Vec<(u64, Option<u64>)> {
        self.order.as_ref().map(CommandOrder::conflicts).unwrap_or_default()
    }

    /// The findings so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Whether a device has work to do.
    pub fn is_device_at_work(&self) -> bool {
        matches!(self.turn, Turn::Device(_))
    }

    /// Schedule points that host and devices have passed: the program's own time.
    pub fn points(&self) -> u64 {
        let devices: u64 = self.devices.iter().filter_map(|d| d.emulator().map(Emulator::points)).sum();
        self.host.points() + devices
    }

    /// Whether accesses are watched for races or uninitialised memory.
    pub fn is_checked(&self) -> bool {
        self.order.is_some() || self.init.is_some()
    }

    /// Whether the host waits in a call of MPI.
    pub(crate) fn waits_for_messages(&self) -> bool {
        matches!(self.turn, Turn::Messages)
    }

    /// Whether the program is over.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.turn, Turn::Over(_))
    }

    /// Whether the program is over, or ends.
    pub(crate) fn is_ending(&self) -> bool {
        matches!(self.turn, Turn::Over(_) | Turn::Ending(_)) || self.host.is_ending()
    }

    /// The state, to go back to; `None` if a device cannot be copied.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        Some(Checkpoint { machine: self.copy()? })
    }

    /// Goes back to a checkpoint of this machine; `false` if it cannot be copied.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> bool {
        match checkpoint.machine.copy() {
            Some(machine) => {
                *self = machine;
                true
            }
            None => false,
        }
    }

    pub(crate) fn copy(&self) -> Option<Machine> {
        // What the others have been sent is not taken back.
        if self.transport.is_some() {
            return None;
        }
        let devices = self.devices.iter().map(DeviceBox::copy).collect::<Option<Vec<_>>>()?;
        Some(Machine {
            program: self.program.clone(),
            memory: self.memory.clone(),
            host: self.host.clone(),
            devices,
            instances: self.instances.clone(),
            runtime: self.runtime.clone(),
            library: self.library.clone(),
            findings: self.findings.clone(),
            turn: self.turn.clone(),
            rank: self.rank,
            mpi: self.mpi.clone(),
            transport: None,
            waited: self.waited,
            calls_in_turn: self.calls_in_turn,
            is_ahead: self.is_ahead,
            solo: self.solo.clone(),
            epoch: self.epoch,
            clock: self.clock,
            check_leaks: self.check_leaks,
            is_explained: self.is_explained,
            slept: self.slept,
            order: self.order.clone(),
            holding: self.holding.clone(),
            init: self.init.clone(),
            shares_with_c: self.shares_with_c,
        })
    }

    /// The exit code of the whole run: the program's own unless that is 0 and findings of `threshold` and worse were made.
    pub fn exit_code(&self, threshold: Option<Severity>, findings_code: i32) -> Option<i32> {
        let Turn::Over(code) = self.turn else { return None };
        let failed = code == 0 && threshold.is_some_and(|t| self.findings.fails(t));
        Some(if failed { findings_code } else { code })
    }

    /// Ends the program from outside; continuing closes its files. Unfinished work of the devices is dropped.
    pub fn end(&mut self, code: i32) {
        self.host.end(code);
        if !matches!(self.turn, Turn::Over(_)) {
            self.devices.iter_mut().for_each(|d| d.as_device().abandon());
            self.turn = Turn::Host;
        }
    }

    /// Runs to the end without an observer; gives the program's own exit code.
    pub fn run(&mut self, world: &mut dyn World) -> i32 {
        loop {
            if let MachineStop::Done(code) = self.advance(u64::MAX, world, &mut device::NoObserver) {
                return code;
            }
        }
    }

    /// Runs for about `budget` schedule points.
    pub fn advance(&mut self, budget: u64, world: &mut dyn World, observer: &mut dyn Observer) -> MachineStop {
        let mut budget = budget;
        // A checkpoint may have gone since, whose pages only this memory still keeps.
        self.memory.release_retired();
        let told = self.findings.len();
        self.take_accesses(world);
        loop {
            self.see_exhaustion();
            if observer.counts_statements() && self.findings.len() > told {
                return MachineStop::Budget;
            }
            match self.turn.clone() {
                Turn::Asking(question) => match self.answer(&question, world) {
                    Answer::Later => return MachineStop::Budget,
                    answer => {
                        self.host.answer(answer);
                        self.turn = Turn::Host;
                    }
                },
                Turn::Messages if self.transport.is_some() && !self.await_note(world) => return MachineStop::Budget,
                Turn::Messages => {
                    if let Some(stop) = self.resume_mpi(world) {
                        return stop;
                    }
                }
                Turn::Yielded(out) => {
                    self.turn = Turn::Host;
                    if let Some(stop) = self.host_yielded(*out, world, observer) {
                        return stop;
                    }
                }
                Turn::Host => {
                    if let Some(stop) = self.host_turn(&mut budget, world, observer) {
                        return stop;
                    }
                }
                Turn::Device(waiting) => match self.device_turn(&mut budget, observer) {
                    Some(stop) => return stop,
                    None => self.finish(&waiting, world),
                },
                Turn::Calling(call) => match self.device_turn(&mut budget, observer) {
                    Some(stop) => return stop,
                    None => self.make_call(call),
                },
                Turn::Ending(code) => {
                    if let Some(stop) = self.device_turn(&mut budget, observer) {
                        return stop;
                    }
                    self.devices.iter_mut().for_each(|device| self.runtime.absorb(device.as_device()));
                    let check_leaks = self.check_leaks && code == 0;
                    let heap: Vec<u64> = self.devices.iter_mut().flat_map(|d| d.as_device().heap_made()).collect();
                    self.runtime.end(&self.memory, self.is_explained, check_leaks.then_some(&heap));
                    self.gather();
                    if check_leaks {
                        for leak in self.library.leaks() {
                            self.findings.add(leak);
                        }
                    }
                    self.show_output(world);
                    self.turn = Turn::Over(code);
                }
                Turn::Over(code) => return MachineStop::Done(code),
            }
        }
    }

    /// Ends the program if memory ran out where no statement could report it, such as for results that are stored after a launch.
    fn see_exhaustion(&mut self) {
        let Some(limit) = self.memory.take_exhaustion() else { return };
        let span = self.host.site().map_or(Span::NONE, |site| self.program.span(site));
        let kind = FindingKind::Host(HostFault::MemoryLimit { limit });
        self.findings.add(Finding::new(kind, vec![Access::step(Actor::Host, span)]));
        self.end(1);
    }

    fn host_turn(
        &mut self,
        budget: &mut u64,
        world: &mut dyn World,
        observer: &mut dyn Observer,
    ) -> Option<MachineStop> {
        let program = self.program.clone();
        let (host, memory) = (&mut self.host, &mut self.memory);
        let is_observed = observer.wants_host_statements();
        let mut observing = HostHooks { observer, program: &program };
        let mut hooks = is_observed.then_some(&mut observing as &mut dyn vm::Hooks<1>);
        let (mut keeping, mut ordering);
        let keeps = self.init.is_some();
        // A device that has failed copies nothing more; its error was reported.
        let init = self.init.as_mut().filter(|_| !self.runtime.has_failed());
        if let (Some(state), Some(bits)) = (init, memory.initialised()) {
            keeping = Before::new(InitHooks { state, bits, program: &program }, hooks);
            hooks = Some(&mut keeping);
        }
        // Checks and records want to know what procedures of libraries change. A program that shares more than arguments with them needs
        // them to be called at once: then checks are told behind each call, which takes longer.
        let is_checked = (self.order.is_some() || keeps) && !self.shares_with_c;
        let is_told = is_checked || self.solo.changes().is_some();
        let caller = if is_told { None } else { world.caller() };
        host.wait_with_calls(self.is_ahead && !is_told);
        let order = self.order.as_ref().filter(|order| order.watches_host());
        let is_noting = order.is_some() || keeps;
        memory.note_touches(is_noting);
        host.watch_calls(is_noting);
        let (out, seen) = match order {
            Some(order) => {
                ordering = Before::new(OrderHooks::new(order, &program), hooks);
                let out = host.advance(&program, memory, budget, Some(&mut ordering), caller);
                (out, ordering.first.seen)
            }
            None => (host.advance(&program, memory, budget, hooks, caller), Vec::new()),
        };
        let unseen = host.take_unseen();
        if unseen > 0 && !is_observed {
            observing.observer.on_unseen(0, 0, unseen);
        }
        if let Some(order) = &mut self.order {
            order.host_raced(seen, memory);
        }
        if is_noting {
            memory.note_touches(false);
            self.gather();
        }
        match out {
            HostYield::Mpi(_) | HostYield::Done { .. } if self.is_ahead => {
                self.turn = Turn::Yielded(Box::new(out));
                Some(MachineStop::Budget)
            }
            out => self.host_yielded(out, world, observer),
        }
    }

    /// Does what the host has asked for.
    fn host_yielded(
        &mut self,
        out: HostYield,
        world: &mut dyn World,
        observer: &mut dyn Observer,
    ) -> Option<MachineStop> {
        match out {
            HostYield::Budget => return Some(MachineStop::Budget),
            HostYield::Statement(site) => return Some(MachineStop::Host(site)),
            HostYield::Output { stream, bytes } => world.write(stream, &bytes),
            HostYield::Ask(question) => match self.answer(&question, world) {
                Answer::Later => {
                    self.turn = Turn::Asking(question);
                    return Some(MachineStop::Budget);
                }
                answer => self.host.answer(answer),
            },
            HostYield::Api(call) => {
                observer.on_call(&call);
                if !self.holding.is_empty() && changes_at_once(&call.api) {
                    let all = self.holding.take_all();
                    self.submit_again(all);
                    self.turn = Turn::Calling(call);
                } else {
                    self.make_call(call);
                }
            }
            HostYield::Mpi(call) => {
                let number = self.solo.position().map(|(_, _, at)| at);
                let is_stop = number.is_some_and(|number| observer.on_recorded_call(number));
                let stop = self.call_mpi(call, world);
                return if is_stop { Some(MachineStop::Budget) } else { stop };
            }
            HostYield::Fault(finding) => {
                // What kernels printed before comes first.
                self.show_output(world);
                self.findings.add(*finding);
                return Some(MachineStop::Fault);
            }
            HostYield::Done { code } => {
                let span = self.host.site().map_or(Span::NONE, |site| self.program.span(site));
                self.end_mpi(code, span);
                let all = self.holding.take_all();
                self.submit_again(all);
                self.devices.iter_mut().for_each(|d| d.as_device().finish());
                self.gather();
                self.turn = Turn::Ending(code);
            }
        }
        None
    }

    /// Lets the devices work until all are idle.
    fn device_turn(&mut self, budget: &mut u64, observer: &mut dyn Observer) -> Option<MachineStop> {
        for i in 0..self.devices.len() {
            if self.devices[i].emulator().is_some_and(Emulator::has_work) {
                self.instances.select(i, &mut self.memory);
            }
            let before = self.points();
            let progress = self.devices[i].as_device().advance(&mut self.memory, *budget, observer);
            self.gather();
            match progress {
                // Gives the caller control now and then, even if the host program never waits long.
                Progress::Idle => *budget = budget.saturating_sub(self.points() - before),
                Progress::Busy => {
                    *budget = 0;
                    return Some(MachineStop::Budget);
                }
                Progress::Stopped => return Some(MachineStop::Device),
            }
        }
        None
    }

    /// The devices are idle: the call that waited for them is answered.
    fn finish(&mut self, waiting: &Waiting, world: &mut dyn World) {
        let now_ms = if waiting.needs_time() { self.now_ms(world) } else { 0.0 };
        let current = self.runtime.current_device() as usize % self.devices.len();
        let reply = self.runtime.finish(self.devices[current].as_device(), waiting, now_ms);
        self.instances.select(current, &mut self.memory);
        self.gather();
        if waiting.shows_output() {
            self.show_output(world);
        }
        self.host.answer(Answer::Device(reply));
        self.turn = Turn::Host;
    }

    /// The time of an event by the model's clock or the world's.
    fn now_ms(&mut self, world: &mut dyn World) -> f64 {
        match self.answer(&Ask::Clock, world) {
            Answer::Nanoseconds(n) => n as f64 * 1e-6,
            _ => 0.0,
        }
    }

    /// Makes a call of the host.
    fn make_call(&mut self, call: Call) {
        let program = self.program.clone();
        let current = self.runtime.current_device() as usize % self.devices.len();
        let device = self.devices[current].as_device();
        let step = match &call.api {
            Api::Library(routine) => {
                self.library.begin(&mut self.runtime, device, &mut self.memory, routine, call.span)
            }
            _ => self.runtime.begin(device, &mut self.memory, call, &KernelTable(&program)),
        };
        self.instances.select(self.runtime.current_device() as usize, &mut self.memory);
        match step {
            Step::Done(reply) => {
                self.host.answer(Answer::Device(reply));
                self.turn = Turn::Host;
            }
            Step::Wait(waiting) => self.turn = Turn::Device(waiting),
        }
        self.keep_order();
        self.gather();
    }

    /// Takes what the last call ordered, before the commands that it submitted run.
    fn keep_order(&mut self) {
        let steps = self.runtime.take_order_steps();
        let submitted = self.order.as_mut().map(|order| order.steps(steps, &self.memory)).unwrap_or_default();
        self.hold(submitted);
        if let Some(order) = &mut self.order {
            let wanted = order.wants_use();
            for emulator in self.devices.iter_mut().filter_map(DeviceBox::emulator_mut) {
                emulator.want_use(wanted);
            }
        }
    }

    pub(crate) fn gather(&mut self) {
        for device in &mut self.devices {
            for finding in device.as_device().take_findings() {
                self.is_explained |= finding.severity() == Severity::Error;
                self.findings.add(finding);
            }
        }
        for finding in self.runtime.take_findings().into_iter().chain(self.mpi.take_findings()) {
            self.findings.add(finding);
        }
        if let Some(init) = &mut self.init {
            for finding in init.take_findings(&self.program, &self.memory) {
                self.findings.add(finding);
            }
        }
        let Some(order) = &mut self.order else { return };
        for emulator in self.devices.iter_mut().filter_map(DeviceBox::emulator_mut) {
            let uses = emulator.take_uses();
            let has_clones = !uses.is_empty();
            uses.into_iter().for_each(|launch| order.launch_used(launch, &self.memory));
            if has_clones {
                self.memory.reclaim();
            }
        }
        for finding in order.take_findings() {
            self.findings.add(finding);
        }
    }

    fn show_output(&mut self, world: &mut dyn World) {
        for device in &mut self.devices {
            let output = device.as_device().take_output();
            if !output.is_empty() {
                world.write(Stream::Stdout, &output);
            }
        }
    }
}

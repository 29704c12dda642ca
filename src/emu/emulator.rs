//! The emulator as a device: its queue, its launches, its errors.

use crate::block::BlockStop;
use crate::checks::init::InitHooks;
use crate::checks::race::{Deciding, Mode, RaceHooks};
use crate::checks::reals;
use crate::footprint::KnownLaunches;
use crate::observer::ObserverHooks;
use crate::parallel::independent::{Crew, Grain, Pool, Turn};
use crate::parallel::speculative::{Habits, Speculation};
use crate::report;
use crate::schedule::grid::{Gathering, Running};
use crate::service::print::{self, Served};
use device::{Command, CudaError, Device, KernelLaunch, Observer, Progress, Properties};
use finding::{Finding, GridSyncFault};
use mem::{Memory, Region};
use race::{ByteSet, Detector, Exact, Launch, Rules};
use source::Span;
use std::collections::VecDeque;
use std::sync::Arc;
use vm::{Before, Hooks, Program};

/// How the emulator works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Compute capability times ten.
    pub sm: u32,
    /// Whether, and by which rules, to look for races.
    pub race: Option<Rules>,
    /// Whether to look for reads of what nothing has written; the memory has to keep it ([`Memory::track_initialised`]).
    pub check_init: bool,
    /// Order of blocks and warps; 0 is the natural one.
    pub seed: u64,
    /// Whether the search for races leaves out accesses that are proven to race with nothing. The findings are the same.
    pub is_proving: bool,
    /// How many threads run blocks. The result of a launch does not depend on it.
    pub jobs: usize,
    /// From which sizes on they do.
    pub grain: Grain,
    /// Whether races are looked for in a rehearsal of each launch, of which nothing stays but what was found: then the
    /// launch runs again, and only this run can be watched. For debuggers, which so know of a race before it happens.
    pub rehearse: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sm: 90,
            race: None,
            check_init: false,
            seed: 0,
            is_proving: true,
            rehearse: false,
            jobs: 1,
            grain: Grain::default(),
        }
    }
}

/// The emulated GPU.
#[derive(Clone, Debug)]
pub struct Emulator {
    properties: Properties,
    options: Options,
    number: u8,
    program: Option<Arc<Program>>,
    queue: VecDeque<Command>,
    running: Option<Running>,
    detector: Option<Box<Detector>>,
    known: KnownLaunches,
    findings: Vec<Finding>,
    output: Vec<u8>,
    error: Option<CudaError>,
    sticky: Option<CudaError>,
    points: u64,
    uses: Vec<LaunchUse>,
    pool: Pool,
    habits: Habits,
    speculation: Speculation,
}

/// Global memory that a launch used.
#[derive(Clone, Debug)]
pub struct LaunchUse {
    /// Number of the launch in the run.
    pub number: u64,
    /// Bytes that it wrote.
    pub written: ByteSet,
    /// Bytes that it read; those that it also wrote may be missing.
    pub read: ByteSet,
}

impl Emulator {
    /// Device number `number` with nothing loaded.
    pub fn new(number: u8, options: Options) -> Emulator {
        let pool = Pool::new(options.jobs);
        let detector = options.race.map(|rules| Box::new(Detector::new(race::Options { rules, ..Default::default() })));
        Emulator {
            properties: Properties::emulated(options.sm),
            options,
            number,
            program: None,
            queue: VecDeque::new(),
            running: None,
            detector,
            known: KnownLaunches::default(),
            findings: Vec::new(),
            output: Vec::new(),
            error: None,
            sticky: None,
            points: 0,
            uses: Vec::new(),
            pool,
            habits: Habits::default(),
            speculation: Speculation::default(),
        }
    }

    /// Gives the device its code.
    pub fn load(&mut self, program: Arc<Program>) {
        self.program = Some(program);
    }

    /// The code of the device.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.program.as_ref()
    }

    /// The launch at work.
    pub fn running(&self) -> Option<&Running> {
        self.running.as_ref()
    }

    /// The launch at work, for a debugger that changes it.
    pub fn running_mut(&mut self) -> Option<&mut Running> {
        self.running.as_mut()
    }

    /// Whether it looks for races.
    pub fn is_racing(&self) -> bool {
        self.options.race.is_some()
    }

    /// Says whether launches that begin from now on tell what they used; only a device that looks for races knows it.
    pub fn want_use(&mut self, is_wanted: bool) {
        if let Some(detector) = &mut self.detector {
            detector.want_use(is_wanted);
        }
    }

    /// What launches that have ended used, if wanted.
    pub fn take_uses(&mut self) -> Vec<LaunchUse> {
        std::mem::take(&mut self.uses)
    }

    /// Schedule points passed since the beginning; those of the race detector's second passes do not count.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// How blocks that ran ahead of their turn have fared; it depends on the number of threads, but no result depends on it.
    pub fn speculation(&self) -> Speculation {
        self.speculation
    }

    /// What a launch needs beyond the limits that `device::Runtime` has checked.
    fn check(&self, launch: &KernelLaunch) -> Result<(), CudaError> {
        let Some(program) = &self.program else { return Err(CudaError::InvalidDeviceFunction) };
        let blocks: u64 = launch.grid.iter().map(|&g| u64::from(g)).product();
        let is_cooperative = program.module().func(launch.func).cooperative;
        if is_cooperative && blocks > u64::from(self.resident_grid(launch.block)[0]) {
            return Err(CudaError::CooperativeLaunchTooLarge);
        }
        Ok(())
    }

    /// The grid of a launch with `*`: as many blocks as the device holds at once.
    fn resident_grid(&self, block: [u32; 3]) -> [u32; 3] {
        let threads = block.iter().fold(1u32, |n, &b| n.saturating_mul(b)).max(1);
        let each = (self.properties.max_threads_per_multiprocessor / threads).clamp(1, 32);
        [each * self.properties.multiprocessors, 1, 1]
    }

    fn begin(&mut self, memory: &Memory, launch: KernelLaunch) {
        let Some(program) = &self.program else { return };
        // Whoever wants to know what the launch uses wants to know of all accesses.
        let is_proving = self.options.is_proving && self.detector.as_ref().is_some_and(|d| !d.is_use_wanted());
        let sharing = is_proving.then(|| self.known.of(program, memory, &launch));
        let is_free = sharing.as_ref().is_some_and(|s| s.is_free_of_races());
        let mode = match self.detector.take_if(|_| !is_free) {
            None => Mode::Plain,
            Some(mut detector) => {
                detector.begin_launch(race_launch(program, &launch));
                Mode::Detect(detector)
            }
        };
        let before = matches!(mode, Mode::Detect(_)).then(|| memory.clone());
        let mut running = Running::new(launch, mode, before, self.options.seed);
        running.sharing = sharing;
        running.init = self.options.check_init.then(Box::default);
        self.running = Some(running);
    }

    /// Runs the launch at work; `None` when it has ended.
    fn run(&mut self, memory: &mut Memory, budget: &mut u64, observer: &mut dyn Observer) -> Option<Progress> {
        let program = self.program.clone()?;
        let statements = observer.wants_statements();
        let accesses = observer.wants_accesses();
        loop {
            let running = self.running.as_mut()?;
            let mut handed = None;
            if running.active.is_empty() {
                // Under a seed blocks take turns, which is another order than one after another.
                // What a rehearsal prints is not shown.
                let is_rehearsal = self.options.rehearse && !matches!(running.mode, Mode::Plain);
                let is_watched = statements || accesses || is_rehearsal;
                let is_alone = !is_watched && running.seed == 0 && running.init.is_none();
                if is_alone && self.options.jobs > 1 {
                    let crew = Crew {
                        program: &program,
                        pool: &self.pool,
                        grain: self.options.grain,
                        known: &mut self.known,
                        output: &mut self.output,
                        points: &mut self.points,
                        habits: &mut self.habits,
                        speculation: &mut self.speculation,
                    };
                    match running.run_parallel(crew, memory, budget) {
                        Turn::Spent => return Some(Progress::Busy),
                        Turn::Serial => {}
                        Turn::Handed(stop) => handed = Some(stop),
                    }
                }
                if running.active.is_empty() {
                    if running.begun == running.total {
                        self.end(memory, None);
                        continue;
                    }
                    running.begin_block(&program);
                }
            }
            if handed.is_none() && running.active.front().is_some_and(|b| b.waits_for_grid) {
                if running.gather(&program) == Gathering::Never {
                    let fault = GridSyncFault::NotReached { ended: running.total - running.active.len() as u64 };
                    let found = report::grid_sync(&program, running, fault);
                    self.end(memory, Some((found, CudaError::LaunchTimeout)));
                }
                continue;
            }
            let before = (*budget).min(running.turn());
            let Running { active, mode, launch, sharing, init, .. } = &mut *running;
            let Some(block) = active.front_mut() else { continue };
            let mut rest = before;
            let linear = block.linear;
            let (mut racing, mut observing);
            let mut hooks: Option<&mut dyn Hooks<32>> = if !matches!(mode, Mode::Plain) {
                racing = RaceHooks { slot: block.slot, mode, sharing: sharing.as_deref() };
                Some(&mut racing)
            } else if statements || accesses {
                let launch = launch.number;
                let observer = &mut *observer;
                observing = ObserverHooks { observer, program: &program, launch, block: linear, accesses, stop: false };
                Some(&mut observing)
            } else {
                None
            };
            let stop = match (handed, init, memory.initialised()) {
                (Some(stop), ..) => stop,
                (None, Some(launch), Some(global)) => {
                    let first = InitHooks { program: &program, global, launch, block: linear };
                    block.run(&program, memory, Some(&mut Before::new(first, hooks)), None, &mut rest)
                }
                _ => block.run(&program, memory, hooks.take(), None, &mut rest),
            };
            let passed = before - rest;
            // Second passes do not count: whether there is one depends on what the first suspects, which may be too much and
            // more on one thread than on several.
            if !matches!(running.mode, Mode::Decide(_)) {
                self.points += passed;
            }
            *budget -= passed;
            running.points += passed;
            let over = running.spend(passed);
            match stop {
                BlockStop::Done => running.end_block(),
                BlockStop::Budget if over => running.give_way(&program),
                BlockStop::Budget => return Some(Progress::Busy),
                BlockStop::Stopped => return Some(Progress::Stopped),
                BlockStop::Polling => {
                    running.blocks_are_apart(&program, &mut self.known, memory);
                    if !running.rotate(&program) {
                        let found = report::livelock(&program, running);
                        self.end(memory, Some((found, CudaError::LaunchTimeout)));
                    }
                }
                BlockStop::AtGrid => {
                    if !program.module().func(running.launch.func).cooperative {
                        let found = report::grid_sync(&program, running, GridSyncFault::NotCooperative);
                        self.end(memory, Some((found, CudaError::LaunchFailure)));
                    }
                }
                BlockStop::Rt(warp, request) if request.rt == ir::rt::Rt::RealMade => {
                    reals::serve(&program, memory, running, warp, &request);
                }
                BlockStop::Rt(warp, request) => {
                    let Running { active, mode, heap, .. } = &mut *running;
                    let Some(block) = active.front_mut() else { continue };
                    // What is printed counts once.
                    let again =
                        matches!(mode, Mode::Decide(_)) || !matches!(mode, Mode::Plain) && self.options.rehearse;
                    let mut ignored = Vec::new();
                    let output = if again { &mut ignored } else { &mut self.output };
                    let shared = &block.shared;
                    let served = if matches!(request.rt, ir::rt::Rt::Alloc | ir::rt::Rt::Free) {
                        let place = (Region::Device(self.number), program.span(request.site), heap);
                        crate::service::heap::serve(&program, &mut block.warps[warp], &request, memory, shared, place)
                    } else {
                        let state = &mut block.prints[warp];
                        print::serve(&program, &mut block.warps[warp], &request, state, memory, shared, output)
                    };
                    match served {
                        Served::Done => {}
                        Served::Exit => block.warps[warp].exit_current(),
                        Served::Error(kind, name) => {
                            let found = report::raised(&program, running, (kind, name), warp, &request);
                            self.end(memory, found.map(|f| (f, CudaError::LaunchFailure)));
                        }
                        Served::Refused => {
                            let kind = vm::FaultKind::Trap(ir::Trap::Unsupported);
                            let fault =
                                vm::Fault { kind, site: request.site, mask: request.mask, addresses: Vec::new() };
                            self.fail(memory, &program, warp, &fault);
                        }
                    }
                }
                BlockStop::Fault(warp, fault) => self.fail(memory, &program, warp, &fault),
                BlockStop::Stuck => {
                    let found = running.active.front().cloned().map(|b| report::stuck(&program, running, &b));
                    self.end(memory, found.map(|f| (f, CudaError::LaunchTimeout)));
                }
            }
        }
    }

    fn fail(&mut self, memory: &mut Memory, program: &Program, warp: usize, fault: &vm::Fault) {
        let Some(running) = self.running.as_mut() else { return };
        if running.witness.is_none() {
            running.witness = running.active.front().and_then(|b| b.warps[warp].frame(0)).cloned();
        }
        let Some(block) = running.active.front() else { return };
        let failure = report::fault(program, memory, running, block, warp, fault);
        self.end(memory, Some(failure));
    }

    /// Ends the launch, or its first pass: then it begins anew if bytes came under suspicion.
    fn end(&mut self, memory: &mut Memory, failure: Option<(Finding, CudaError)>) {
        let Some(mut running) = self.running.take() else { return };
        let Some(program) = self.program.clone() else { return };
        match std::mem::replace(&mut running.mode, Mode::Plain) {
            Mode::Plain => {}
            Mode::Detect(mut detector) => {
                let mut suspicion = detector.end_launch();
                let (written, read) = (std::mem::take(&mut suspicion.written), std::mem::take(&mut suspicion.read));
                if !(written.is_empty() && read.is_empty()) {
                    self.uses.push(LaunchUse { number: running.launch.number, written, read });
                }
                self.findings.extend(report::incomplete(&program, &running, suspicion.incomplete));
                self.detector = Some(detector);
                if !suspicion.watch.is_empty()
                    && let Some(before) = running.before.take()
                {
                    *memory = before;
                    memory.settle();
                    let rules = self.options.race.unwrap_or_default();
                    let exact = Exact::new(rules, race_launch(&program, &running.launch), suspicion);
                    running.before = self.options.rehearse.then(|| memory.clone());
                    self.running = Some(running.again(Mode::Decide(Box::new(Deciding::new(exact)))));
                    return;
                }
                if self.perform(memory, &mut running) {
                    self.running = Some(running.again(Mode::Plain));
                    return;
                }
            }
            Mode::Decide(deciding) => {
                self.findings.extend(report::races(&program, memory, &running, *deciding));
                if self.perform(memory, &mut running) {
                    self.running = Some(running.again(Mode::Plain));
                    return;
                }
            }
        }
        self.findings.extend(std::mem::take(&mut running.made).findings());
        if let Some(init) = running.init.take() {
            self.findings.extend(init.findings(&program, memory, &running));
        }
        if let Some((finding, error)) = failure {
            self.findings.push(finding);
            self.error = Some(error);
            if error.is_sticky() {
                self.sticky = Some(error);
            }
        }
    }

    /// Lets go of the state before the launch. After a rehearsal memory is set back to it for the launch itself; an error of
    /// the rehearsal will come again.
    fn perform(&self, memory: &mut Memory, running: &mut Running) -> bool {
        let Some(before) = running.before.take() else { return false };
        if self.options.rehearse {
            *memory = before;
        } else {
            drop(before);
        }
        memory.settle();
        self.options.rehearse
    }

    /// Does a command that is no launch.
    fn transfer(memory: &mut Memory, command: &Command) -> Result<(), CudaError> {
        let done = match command {
            Command::Launch(_) => Some(()),
            Command::Copy { destination, source, bytes, .. } => memory.copy(*destination, *source, *bytes),
            Command::CopyStrided { destination, source, element_bytes, .. } => {
                device::copy_strided(memory, destination, source, *element_bytes).ok()
            }
            Command::Fill { fill, .. } => device::fill(memory, fill).ok(),
        };
        done.ok_or_else(|| failure(memory))
    }
}

/// Why bytes of memory could not be written.
fn failure(memory: &Memory) -> CudaError {
    if memory.take_exhaustion().is_some() { CudaError::MemoryAllocation } else { CudaError::InvalidValue }
}

fn race_launch(program: &Program, launch: &KernelLaunch) -> Launch {
    let shared = program.dynamic_shared_offset(launch.func) + launch.dynamic_shared;
    Launch { threads_per_block: launch.block.iter().product(), shared_bytes: shared as u32 }
}

impl Device for Emulator {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn alloc(
        &mut self,
        memory: &mut Memory,
        region: Region,
        bytes: u64,
        name: &str,
        span: Span,
    ) -> Result<u64, CudaError> {
        let region = if matches!(region, Region::Device(_)) { Region::Device(self.number) } else { region };
        memory.set_limit(region, self.properties.total_global_mem);
        memory.alloc(region, bytes, name, span).map_err(|_| CudaError::MemoryAllocation)
    }

    fn free(&mut self, memory: &mut Memory, address: u64, span: Span) -> Result<(), CudaError> {
        let id = memory.free(address, span).map_err(|_| CudaError::InvalidValue)?;
        if let Some(detector) = &mut self.detector {
            let freed = memory.info(id);
            detector.forget(freed.base, freed.bytes);
        }
        Ok(())
    }

    fn submit(&mut self, _: &mut Memory, mut command: Command) -> Result<(), CudaError> {
        if let Some(error) = self.sticky {
            return Err(error);
        }
        if let Command::Launch(launch) = &mut command {
            if launch.grid == [0; 3] {
                launch.grid = self.resident_grid(launch.block);
            }
            self.check(launch)?;
        }
        self.queue.push_back(command);
        Ok(())
    }

    fn advance(&mut self, memory: &mut Memory, mut budget: u64, observer: &mut dyn Observer) -> Progress {
        loop {
            if self.running.is_some()
                && let Some(progress) = self.run(memory, &mut budget, observer)
            {
                return progress;
            }
            match self.queue.pop_front() {
                None => return Progress::Idle,
                Some(_) if self.sticky.is_some() => {}
                Some(Command::Launch(launch)) => self.begin(memory, launch),
                Some(command) => {
                    if let Err(error) = Emulator::transfer(memory, &command) {
                        self.error = Some(error);
                    }
                }
            }
        }
    }

    fn read(&mut self, memory: &Memory, address: u64, out: &mut [u8]) -> Result<(), CudaError> {
        memory.read(address, out).ok_or(CudaError::InvalidValue)
    }

    fn write(&mut self, memory: &mut Memory, address: u64, data: &[u8]) -> Result<(), CudaError> {
        memory.write(address, data).ok_or_else(|| failure(memory))
    }

    fn abandon(&mut self) {
        self.queue.clear();
        self.running = None;
    }

    fn reset(&mut self) -> Result<(), CudaError> {
        (self.error, self.sticky) = (None, None);
        Ok(())
    }

    fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    fn take_error(&mut self) -> Option<CudaError> {
        self.sticky.or_else(|| self.error.take())
    }

    fn elapsed_ms(&self) -> Option<f64> {
        // A schedule point counts as a nanosecond of a model device.
        Some(self.points as f64 * 1e-6)
    }
}

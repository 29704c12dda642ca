//! The emulator as a device: what it holds, and its options.
//!
//! `run` advances the active launch, `nested` serves what that launches itself, `device` takes commands and implements [`device::Device`].

mod device;
mod nested;
mod run;

use crate::footprint::KnownLaunches;
use crate::launch::ActiveLaunch;
use crate::parallel::{Grain, GuardHistory, Heuristics, LaunchMode, Pool, Speculation, Threads};
use crate::schedule::Grid;
use ::device::{Command, CudaError, KernelLaunch, Properties};
use explore::{LaunchTrace, Order};
use finding::Finding;
use ir::FuncId;
use mem::Memory;
use race::{Detector, Rules, UsedBytes};
use source::Span;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use vm::Program;

/// How the emulator works.
#[derive(Clone, Debug)]
pub struct Options {
    /// Compute capability times ten.
    pub sm: u32,
    /// Whether, and by which rules, to look for races.
    pub race: Option<Rules>,
    /// Whether to look for reads of memory that nothing has written ([`mem::Memory::track_initialised`] has to be on).
    pub check_init: bool,
    /// How many devices the program has.
    pub devices: u8,
    /// Order of blocks and warps; 0 is the natural one.
    pub seed: u64,
    /// Where the order departs from the natural one, if others say so; then there is no seed.
    pub order: Option<Arc<Order>>,
    /// Whether launches with such an order write down what they do ([`Emulator::take_traces`]).
    pub trace: bool,
    /// Whether the race detector skips accesses that provably race with nothing. The findings are the same.
    pub is_proving: bool,
    /// How many threads run blocks. The result of a launch does not depend on it.
    pub jobs: usize,
    /// Whether this process is a copy of the one whose threads they are.
    pub has_lost_threads: fn() -> bool,
    /// From which sizes on several threads work.
    pub grain: Grain,
    /// Whether each launch is checked for races in a rehearsal, whose effects are undone: then the launch runs again, and the
    /// observer sees only that run. For debuggers, which then know of a race before it happens.
    pub rehearse: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sm: 90,
            race: None,
            check_init: false,
            devices: 1,
            seed: 0,
            order: None,
            trace: false,
            is_proving: true,
            rehearse: false,
            jobs: 1,
            has_lost_threads: || false,
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
    /// What `cudaDeviceSetLimit` has set.
    limits: BTreeMap<i32, u64>,
    /// Where device code has allocated memory that may not have been freed.
    heap_made: BTreeSet<u64>,
    program: Option<Arc<Program>>,
    queue: VecDeque<Command>,
    launch: Option<ActiveLaunch>,
    /// The race detector while no launch uses it.
    detector: Option<Box<Detector>>,
    known: KnownLaunches,
    findings: Vec<Finding>,
    output: Vec<u8>,
    error: Option<CudaError>,
    sticky: Option<CudaError>,
    points: u64,
    uses: Vec<LaunchUse>,
    use_wanted: UseWanted,
    traces: Vec<LaunchTrace>,
    copies: Vec<HostCopy>,
    pool: Pool,
    heuristics: Heuristics,
    /// Which kernels are worth a guard.
    guards: GuardHistory,
    /// Kernels of which a launch has used bytes that nothing had written.
    suspects: BTreeSet<FuncId>,
    speculation: Speculation,
    /// How often each kernel ran in which mode.
    modes: BTreeMap<(FuncId, LaunchMode), u64>,
}

/// Global memory that a launch used.
#[derive(Clone, Debug)]
pub struct LaunchUse {
    /// Number of the launch in the run.
    pub number: u64,
    /// The bytes.
    pub bytes: UsedBytes,
    /// Memory before and after the launch; `None` if nobody wanted it ([`UseWanted::Bytes`]) and it was not kept.
    pub memory: Option<[Memory; 2]>,
}

/// Whether launches report which global memory they use.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum UseWanted {
    /// They do not.
    #[default]
    Nothing,
    /// They do.
    Bytes,
    /// They do, and give memory before and after.
    BytesAndMemory,
}

/// A copy to memory of the host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HostCopy {
    /// The statement.
    pub span: Span,
    /// A hash of the bytes.
    pub hash: u64,
}

impl Emulator {
    /// Device number `number` with nothing loaded.
    pub fn new(number: u8, options: Options) -> Emulator {
        let pool = Pool::new(options.jobs, options.has_lost_threads);
        let detector = options.race.map(|rules| Box::new(Detector::new(race::Options { rules, ..Default::default() })));
        Emulator {
            properties: Properties::emulated(options.sm),
            options,
            number,
            limits: BTreeMap::new(),
            heap_made: BTreeSet::new(),
            program: None,
            queue: VecDeque::new(),
            launch: None,
            detector,
            known: KnownLaunches::default(),
            findings: Vec::new(),
            output: Vec::new(),
            error: None,
            sticky: None,
            points: 0,
            uses: Vec::new(),
            use_wanted: UseWanted::default(),
            traces: Vec::new(),
            copies: Vec::new(),
            pool,
            heuristics: Heuristics::default(),
            guards: GuardHistory::default(),
            suspects: BTreeSet::new(),
            speculation: Speculation::default(),
            modes: BTreeMap::new(),
        }
    }

    /// A device with the same code and options that looks for races, and has done nothing yet.
    #[must_use]
    pub fn racing(&self) -> Emulator {
        let rules = self.options.race.unwrap_or_default();
        self.with_options(Options { race: Some(rules), ..self.options.clone() })
    }

    /// Another emulator of the same program that runs launches alike and looks for nothing.
    #[must_use]
    pub fn unwatched(&self) -> Emulator {
        self.with_options(Options { race: None, check_init: false, rehearse: false, ..self.options.clone() })
    }

    fn with_options(&self, options: Options) -> Emulator {
        let mut other = Emulator::new(self.number, options);
        other.program.clone_from(&self.program);
        other
    }

    /// Gives the device its code.
    pub fn load(&mut self, program: Arc<Program>) {
        self.program = Some(program);
    }

    /// The code of the device.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.program.as_ref()
    }

    /// The blocks of the running grid of the active launch.
    pub fn grid(&self) -> Option<&Grid> {
        self.launch.as_ref().map(|launch| &launch.grid)
    }

    /// The grids of the active launch that have begun and not ended: the running one, those in it that poll, then those that have launched
    /// it, the one of the host last.
    pub fn grids(&self) -> impl Iterator<Item = &Grid> {
        self.launch.iter().flat_map(|launch| std::iter::once(&launch.grid).chain(launch.nested.aside()))
    }

    /// The same, for a debugger that changes them.
    pub fn grids_mut(&mut self) -> impl Iterator<Item = &mut Grid> {
        self.launch.iter_mut().flat_map(|launch| std::iter::once(&mut launch.grid).chain(launch.nested.aside_mut()))
    }

    /// Whether it checks for races.
    pub fn is_racing(&self) -> bool {
        self.options.race.is_some()
    }

    /// Says whether launches that begin from now on report what they use. Only a device that checks for races knows it.
    pub fn want_use(&mut self, wanted: UseWanted) {
        self.use_wanted = wanted;
        if let Some(detector) = &mut self.detector {
            detector.want_use(wanted != UseWanted::Nothing);
        }
    }

    /// What launches that have ended used, if that was wanted.
    pub fn take_uses(&mut self) -> Vec<LaunchUse> {
        std::mem::take(&mut self.uses)
    }

    /// What launches that have ended did, if that was to be written down.
    pub fn take_traces(&mut self) -> Vec<LaunchTrace> {
        std::mem::take(&mut self.traces)
    }

    /// Takes the commands that wait to be run.
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.queue).into()
    }

    /// The copies to memory of the host that were made, if that was to be written down.
    pub fn take_copies(&mut self) -> Vec<HostCopy> {
        std::mem::take(&mut self.copies)
    }

    /// The threads that run blocks.
    pub fn threads(&self) -> Threads {
        Threads(self.pool.clone())
    }

    /// Schedule points passed since the beginning; those of the race detector's second passes do not count.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// Whether commands are left to run.
    pub fn has_work(&self) -> bool {
        self.launch.is_some() || !self.queue.is_empty()
    }

    /// What became of speculative work. It depends on the number of threads; no result depends on it.
    pub fn speculation(&self) -> Speculation {
        self.speculation
    }

    /// How the launches so far have run, and how often: name of the kernel, mode, count. A launch that the race detector repeats
    /// counts again.
    pub fn launch_modes(&self) -> impl Iterator<Item = (&str, LaunchMode, u64)> {
        let name = |func| self.program.as_ref().map_or("", |program| program.module().func(func).short_name());
        self.modes.iter().map(move |(&(func, mode), &count)| (name(func), mode, count))
    }

    /// Checks what a launch needs beyond the limits that `device::Runtime` has checked.
    pub(super) fn check(&self, launch: &KernelLaunch) -> Result<(), CudaError> {
        let Some(program) = &self.program else { return Err(CudaError::InvalidDeviceFunction) };
        let blocks: u64 = launch.grid.iter().map(|&g| u64::from(g)).product();
        let is_cooperative = program.module().func(launch.func).cooperative;
        if is_cooperative && blocks > u64::from(self.resident_grid(launch.block)[0]) {
            return Err(CudaError::CooperativeLaunchTooLarge);
        }
        Ok(())
    }

    /// The grid of a launch with `*`: as many blocks as the device holds at once.
    pub(super) fn resident_grid(&self, block: [u32; 3]) -> [u32; 3] {
        let threads = block.iter().fold(1u32, |n, &b| n.saturating_mul(b)).max(1);
        let each = (self.properties.max_threads_per_multiprocessor / threads).clamp(1, 32);
        [each * self.properties.multiprocessors, 1, 1]
    }
}

//! Makes the machine of a run from the options: its devices, its checks, its collector of findings.
//!
//! Not here: compiling the program and running the machine (`run`).

use crate::cli::nvfortran::Compiler;
use crate::cli::options::{Check, ClockKind, DeviceKind, EngineKind, Options, RaceMode, WarpSync};
use crate::cli::suppress::Suppressions;
use crate::cli::{computer, ranks};
use diag::Code;
use emu::Emulator;
use finding::Findings;
use foreign::CudaLibraries;
use gpu::{GpuDevice, GpuOptions};
use machine::{DeviceBox, HostOptions, Machine, MachineOptions};
use source::SourceMap;
use std::sync::Arc;

/// Findings that are only advice. `--check none` leaves them out.
const ADVICE: [Code; 2] = [Code::UncheckedError, Code::AsyncFromPageable];

/// Whether a check is on.
pub(crate) fn checks(options: &Options, what: Check) -> bool {
    options.check.contains(&what) || options.check.contains(&Check::All)
}

fn race_rules(options: &Options) -> Option<race::Rules> {
    let on = options.race.is_some() || options.explore.is_some() || checks(options, Check::Race);
    let is_strict = options.race == Some(RaceMode::Strict);
    on.then_some(race::Rules { is_strict, is_legacy_warp_sync: options.warp_sync == WarpSync::Legacy })
}

/// Whether a run depends on the number of schedule points: by the order of threads, by a clock, or by what races are told apart.
pub(crate) fn counts_points(options: &Options) -> bool {
    let is_ordered = options.seed() != 0 || options.order().is_some() || options.many_seeds.is_some();
    is_ordered || race_rules(options).is_some() || options.clock == ClockKind::Model
}

/// The options of the machine.
pub(crate) fn machine_options(
    options: &Options,
    compiler: &Compiler,
    suppressions: &Suppressions,
    map: &SourceMap,
) -> MachineOptions {
    let mut arguments = vec![options.files[0].display().to_string().into_bytes()];
    arguments.extend(options.args.iter().map(|a| a.clone().into_bytes()));
    MachineOptions {
        host: HostOptions { arguments, swaps_bytes: compiler.swaps_bytes, ..HostOptions::default() },
        clock: match options.clock {
            ClockKind::Wall => machine::ClockKind::Wall,
            ClockKind::Model => machine::ClockKind::Model,
        },
        engine: match options.engine {
            EngineKind::Interpreter => machine::Engine::Interpreter,
            EngineKind::Native => machine::Engine::Native,
        },
        total_memory: options.memory,
        page_memory: if options.memory.is_none() { computer::memory() } else { None },
        check_leaks: checks(options, Check::Leak),
        check_init: checks(options, Check::Init),
        holds: options.order().map(|order| order.holds().to_vec()).unwrap_or_default(),
        findings: findings(options, suppressions, map),
        ..MachineOptions::default()
    }
}

/// Makes the machine of a debugged program, once for each run.
pub(crate) struct Loader {
    pub(crate) module: Arc<ir::Module>,
    pub(crate) settings: MachineOptions,
    pub(crate) emulator: emu::Options,
    pub(crate) devices: u32,
    /// The number of the program, see [`recording::program`](crate::cli::recording::program).
    pub(crate) program: u64,
}

impl Loader {
    /// The arguments of the program on the command line.
    pub(crate) fn arguments(&self) -> Vec<String> {
        self.settings.host.arguments.iter().skip(1).map(|a| String::from_utf8_lossy(a).into_owned()).collect()
    }

    /// The program at its start with these arguments, on emulators that rehearse launches for `--race`.
    pub(crate) fn machine(&self, arguments: &[String]) -> Result<Machine, machine::LoadError> {
        let devices = emulators(self.devices, &self.emulator);
        let mut settings = self.settings.clone();
        settings.host.arguments.truncate(1);
        settings.host.arguments.extend(arguments.iter().map(|a| a.clone().into_bytes()));
        Machine::load(self.module.clone(), devices, &GpuOptions::default(), settings)
    }
}

/// The number of threads that run blocks.
fn jobs(options: &Options) -> usize {
    // Ranks that a launcher has started share the cores, unless it has given each some.
    let ranks = ranks::launch(options).map_or(1, |launch| launch.local_ranks as usize);
    let of_this = || {
        let given = std::thread::available_parallelism().map_or(1, usize::from);
        given.min(computer::cores().div_ceil(ranks)).clamp(1, 256)
    };
    options.jobs.unwrap_or_else(of_this)
}

pub(crate) fn emulator_options(options: &Options, sm: u32) -> emu::Options {
    // Of several ranks only the order of messages is directed.
    let has_ranks = options.ranks.is_some_and(|ranks| ranks > 1);
    emu::Options {
        sm,
        devices: u8::try_from(options.devices).unwrap_or(u8::MAX),
        race: race_rules(options),
        check_init: checks(options, Check::Init),
        seed: options.seed(),
        order: options.order().filter(|_| !has_ranks).cloned(),
        trace: options.explore.is_some() && !has_ranks,
        jobs: jobs(options),
        ..emu::Options::default()
    }
}

/// Emulated devices.
fn emulators(count: u32, options: &emu::Options) -> Vec<DeviceBox> {
    let emulator = |n| DeviceBox::Emulator(Box::new(Emulator::new(n, options.clone())));
    (0..count as u8).map(emulator).collect()
}

/// The devices of the run, or a sentence if there is no GPU.
pub(crate) fn devices(options: &Options, sm: u32, libraries: &Arc<CudaLibraries>) -> Result<Vec<DeviceBox>, String> {
    if options.verify {
        let mut gpu = GpuDevice::open(0, 0).map_err(|e| e.to_string())?;
        gpu.use_libraries(libraries.clone());
        return Ok(vec![DeviceBox::verify(
            Emulator::new(0, emu::Options { sm, jobs: jobs(options), ..emu::Options::default() }),
            gpu,
        )]);
    }
    match options.device {
        DeviceKind::Emu => Ok(emulators(options.devices, &emulator_options(options, sm))),
        DeviceKind::Gpu => {
            let count = u8::try_from(options.devices).unwrap_or(u8::MAX);
            let gpus = GpuDevice::open_several(count).map_err(|e| e.to_string())?;
            let with_libraries = |mut gpu: GpuDevice| {
                gpu.use_libraries(libraries.clone());
                DeviceBox::Gpu(Box::new(gpu))
            };
            Ok(gpus.into_iter().map(with_libraries).collect())
        }
    }
}

/// The collector of findings, with the suppressions of the user.
fn findings(options: &Options, suppressions: &Suppressions, map: &SourceMap) -> Findings {
    let (map, suppressions) = (map.clone(), suppressions.clone());
    let unwanted: &[Code] = if options.check.contains(&Check::None) { &ADVICE } else { &[] };
    let findings = Findings::new().with_limit(options.max_findings).without(unwanted);
    findings.with_suppression(move |finding| suppressions.has(finding, &map))
}

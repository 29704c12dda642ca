//! Compiling and running a program.

use crate::cli::nvfortran::Compiler;
use crate::cli::options::{Check, ClockKind, DeviceKind, FailOn, Options, RaceMode, Stage, WarpSync};
use crate::cli::report::{Reporter, output_lost, say};
use crate::cli::stopping::{Reason, Stopper};
use crate::cli::suppress::Suppressions;
use crate::cli::{computer, debugging, emit, files, seeds, usage};
use compile::{Compiled, MacroOption, ParseOptions, SourceForm};
use diag::{Code, Diagnostics, Severity};
use emu::Emulator;
use finding::Findings;
use gpu::{GpuDevice, GpuOptions};
use machine::{
    DeviceBox, HostOptions, Machine, MachineOptions, MachineStop, NoObserver, RealWorld, Whereabouts, World,
};
use source::SourceMap;
use std::sync::Arc;

/// Findings that are advice, which `--check none` leaves out.
const ADVICE: [Code; 2] = [Code::UncheckedError, Code::AsyncFromPageable];

/// Schedule points between two looks at whether the user pressed Ctrl-C.
const SLICE: u64 = 8_000_000;

/// Compiles the files and does what the options ask: print a stage, debug, or run.
pub(crate) fn run(options: &Options, compiler: &Compiler) -> u8 {
    let mut map = SourceMap::new();
    let mut reporter = Reporter::new(options.message_format);
    let mut ids = Vec::new();
    for path in &options.files {
        match files::read(&mut map, path) {
            Ok(id) => ids.push(id),
            Err(sentence) => return usage(&sentence),
        }
    }
    let settings = settings(options, compiler);
    let mut diags = Diagnostics::new();
    let includes = compiler.includes.clone();
    let mut include = |name: &str, asking: &str| files::include(name, asking, &includes);
    if options.emit == Some(Stage::Ast) {
        let parsed = compile::parse(&mut map, &ids, &settings.parse, &mut include, &mut diags);
        return if finish_compile(diags, &mut reporter, &map) { emit::trees(&parsed.program) } else { failed(options) };
    }
    let compiled = compile::compile(&mut map, &ids, &settings, &mut include, &mut diags);
    let ok = finish_compile(diags, &mut reporter, &map);
    let Some(compiled) = compiled.filter(|_| ok) else {
        reporter.finish(&map);
        return failed(options);
    };
    let sm = options.sm.or(compiler.sm).unwrap_or(90);
    let mut suppressions = Suppressions::default();
    for path in &options.suppressions {
        if let Err(sentence) = suppressions.read(path) {
            return usage(&sentence);
        }
    }
    suppressions.add_comments(&compiled.ignores, &map);
    if let Some(stage) = options.emit {
        return emit::code(stage, &compiled, sm, compiler.debug.then_some(&map));
    }
    if is_debugging(options) {
        if options.device == DeviceKind::Gpu {
            return usage("the debugger runs kernels on the emulator; leave out `--device gpu`");
        }
        let loader = Loader {
            module: compiled.module.clone(),
            settings: machine_options(options, compiler, &suppressions, &map),
            devices: options.devices,
            // Blocks run one after another where they are watched.
            emulator: emu::Options { rehearse: true, jobs: 1, ..emulator_options(options, sm) },
        };
        return if options.tui {
            debugging::screen(options, &compiled, &map, loader)
        } else {
            debugging::run(options, &compiled, &map, loader)
        };
    }
    let program = Program { options, compiler, sm, compiled: &compiled, map: &map, suppressions: &suppressions };
    let code = program.execute(&mut reporter);
    reporter.finish(&map);
    code
}

fn failed(options: &Options) -> u8 {
    options.error_exitcode
}

/// Prints what the compiler has to say; whether there was no error.
fn finish_compile(diags: Diagnostics, reporter: &mut Reporter, map: &SourceMap) -> bool {
    for diagnostic in diags.into_sorted() {
        reporter.report(&diagnostic, map);
    }
    reporter.errors() == 0
}

fn settings(options: &Options, compiler: &Compiler) -> compile::Options {
    let mut macros: Vec<MacroOption> = Vec::new();
    for (name, value) in &compiler.defines {
        macros.push(MacroOption::Define(match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        }));
    }
    macros.extend(compiler.undefines.iter().cloned().map(MacroOption::Undefine));
    let mut settings = compile::Options {
        parse: ParseOptions {
            form: compiler.fixed.map(|fixed| if fixed { SourceForm::Fixed } else { SourceForm::Free }),
            preprocess: compiler.preprocess.then_some(true),
            extended_columns: compiler.extended_columns,
            cuda: !(options.no_cuda || compiler.no_cuda),
            expression_height: crate::cli::EXPRESSION_HEIGHT,
            macros,
            ..ParseOptions::default()
        },
        level: compiler.level.unwrap_or(if is_debugging(options) { 0 } else { 1 }),
        whole_modules: is_debugging(options),
        watched: is_debugging(options) || compiler.debug,
        ..compile::Options::default()
    };
    settings.sema.real8 = compiler.real8;
    settings.sema.integer8 = compiler.int8;
    settings.sema.managed = compiler.managed;
    settings.sema.needs_main = options.emit.is_none();
    settings.lower.managed = compiler.managed;
    settings.lower.fma = !(options.no_fma || compiler.no_fma);
    settings.lower.check_bounds = checks(options, Check::Bounds);
    settings.lower.check_init = checks(options, Check::Init);
    settings.lower.check_fp = checks(options, Check::Fp) && options.device == DeviceKind::Emu && !options.verify;
    settings
}

fn is_debugging(options: &Options) -> bool {
    options.debug || options.tui || options.batch.is_some() || !options.ex.is_empty()
}

fn checks(options: &Options, what: Check) -> bool {
    options.check.contains(&what) || options.check.contains(&Check::All)
}

fn race_rules(options: &Options) -> Option<race::Rules> {
    let on = options.race.is_some() || checks(options, Check::Race);
    let is_strict = options.race == Some(RaceMode::Strict);
    on.then_some(race::Rules { is_strict, is_legacy_warp_sync: options.warp_sync == WarpSync::Legacy })
}

/// A compiled program and how it is to be run.
#[derive(Clone, Copy)]
struct Program<'a> {
    options: &'a Options,
    compiler: &'a Compiler,
    sm: u32,
    compiled: &'a Compiled,
    map: &'a SourceMap,
    suppressions: &'a Suppressions,
}

impl Program<'_> {
    /// Runs it; gives the exit code.
    fn execute(self, reporter: &mut Reporter) -> u8 {
        let Program { options, map, .. } = self;
        if let Some(range) = options.many_seeds {
            let load = |seed| {
                let options = Options { schedule: Some(seed), ..options.clone() };
                Program { options: &options, ..self }.load()
            };
            return seeds::run(options, map, reporter, load, range);
        }
        let mut machine = match self.load() {
            Ok(machine) => machine,
            Err(code) => return code,
        };
        let stopper = Stopper::new(options.timeout);
        let mut world = RealWorld::ended_by(stopper.end_wanted());
        let mut shown = 0;
        loop {
            let step = step(&mut machine, &mut world, &stopper);
            show_findings(&machine, &mut shown, map, reporter);
            if let Some(error) = world.output_error() {
                return output_lost(error);
            }
            match step {
                Step::Running => {}
                Step::Over => break,
                Step::Ended(reason, at) => return reason.tell(options.timeout, &at, map),
            }
        }
        if let Some(text) = machine.findings().summary()
            && options.message_format == crate::cli::options::MessageFormat::Full
        {
            say(&format!("cufemu: {text}\n"));
        }
        exit_code(&machine, options)
    }

    /// The machine with the program at its beginning; what to exit with if there is none.
    fn load(self) -> Result<Machine, u8> {
        let Program { options, compiler, sm, compiled, map, suppressions } = self;
        let devices = devices(options, sm).map_err(|sentence| usage(&sentence))?;
        let gpu_options = GpuOptions { sm: options.sm.or(compiler.sm), debug: compiler.debug, sources: Some(map) };
        let settings = machine_options(options, compiler, suppressions, map);
        Machine::load(compiled.module.clone(), devices, &gpu_options, settings).map_err(|error| {
            match map.location(error.span) {
                Some(at) => usage(&format!("{}:{}:{}: {error}", at.file, at.line, at.column)),
                None => usage(&error.to_string()),
            }
        })
    }
}

/// How far a run has come.
pub(crate) enum Step {
    /// It goes on.
    Running,
    /// The program has ended.
    Over,
    /// It was ended from outside, where it was then.
    Ended(Reason, Whereabouts),
}

/// Runs on until it is time to look up. A program that is ended from outside ends in order, so that nothing that it has
/// printed is lost.
pub(crate) fn step(machine: &mut Machine, world: &mut dyn World, stopper: &Stopper) -> Step {
    if let MachineStop::Done(_) = machine.advance(SLICE, world, &mut NoObserver) {
        return Step::Over;
    }
    let Some(reason) = stopper.reason() else { return Step::Running };
    let at = machine.whereabouts();
    machine.end(i32::from(reason.code()));
    while !matches!(machine.advance(SLICE, world, &mut NoObserver), MachineStop::Done(_)) {}
    Step::Ended(reason, at)
}

/// What a run that is over exits with.
pub(crate) fn exit_code(machine: &Machine, options: &Options) -> u8 {
    let threshold = match options.fail_on {
        FailOn::Error => Some(Severity::Error),
        FailOn::Warning => Some(Severity::Warning),
        FailOn::Never => None,
    };
    let code = machine.exit_code(threshold, i32::from(options.error_exitcode)).unwrap_or(0);
    (code & 0xff) as u8
}

fn machine_options(
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
        total_memory: options.memory,
        page_memory: if options.memory.is_none() { computer::memory() } else { None },
        check_leaks: checks(options, Check::Leak),
        check_init: checks(options, Check::Init),
        findings: findings(options, suppressions, map),
        ..MachineOptions::default()
    }
}

/// Makes the machine of a debugged program, as often as it is run.
pub(crate) struct Loader {
    module: Arc<ir::Module>,
    settings: MachineOptions,
    emulator: emu::Options,
    devices: u32,
}

impl Loader {
    /// The program at its very beginning, on emulators that rehearse launches where races are looked for.
    pub(crate) fn machine(&self) -> Result<Machine, machine::LoadError> {
        let devices = emulators(self.devices, &self.emulator);
        Machine::load(self.module.clone(), devices, &GpuOptions::default(), self.settings.clone())
    }
}

/// How many threads run blocks.
fn jobs(options: &Options) -> usize {
    options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from).min(256))
}

fn emulator_options(options: &Options, sm: u32) -> emu::Options {
    emu::Options {
        sm,
        race: race_rules(options),
        check_init: checks(options, Check::Init),
        seed: options.schedule.unwrap_or(0),
        jobs: jobs(options),
        ..emu::Options::default()
    }
}

/// So many emulated devices, as far as there may be.
fn emulators(count: u32, options: &emu::Options) -> Vec<DeviceBox> {
    let emulator = |n| DeviceBox::Emulator(Box::new(Emulator::new(n, options.clone())));
    (0..count as u8).map(emulator).collect()
}

fn devices(options: &Options, sm: u32) -> Result<Vec<DeviceBox>, String> {
    if options.verify {
        let gpu = GpuDevice::open(0, 0).map_err(|e| e.to_string())?;
        return Ok(vec![DeviceBox::verify(
            Emulator::new(0, emu::Options { sm, jobs: jobs(options), ..emu::Options::default() }),
            gpu,
        )]);
    }
    match options.device {
        DeviceKind::Emu => Ok(emulators(options.devices, &emulator_options(options, sm))),
        DeviceKind::Gpu => {
            let gpu = GpuDevice::open(0, 0).map_err(|e| e.to_string())?;
            Ok(vec![DeviceBox::Gpu(Box::new(gpu))])
        }
    }
}

/// The collector of findings, without those that the user does not want to see.
fn findings(options: &Options, suppressions: &Suppressions, map: &SourceMap) -> Findings {
    let (map, suppressions) = (map.clone(), suppressions.clone());
    let unwanted: &[Code] = if options.check.contains(&Check::None) { &ADVICE } else { &[] };
    let findings = Findings::new().with_limit(options.max_findings).without(unwanted);
    findings.with_suppression(move |finding| suppressions.has(finding, &map))
}

fn show_findings(machine: &Machine, shown: &mut usize, map: &SourceMap, reporter: &mut Reporter) {
    while let Some(finding) = machine.findings().get(*shown) {
        reporter.report(&finding.diagnostic(), map);
        *shown += 1;
    }
}

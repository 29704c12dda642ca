//! Compiles a program and runs it, or hands it to `--emit`, the debugger or `--many-seeds`.

use crate::cli::libraries::Loaded;
use crate::cli::live::Live;
use crate::cli::nvfortran::Compiler;
use crate::cli::options::{Check, DeviceKind, MessageFormat, Options, Schedule, Stage};
use crate::cli::recording::Recording;
use crate::cli::report::{Reporter, has_launched, output_lost, say, show_findings, show_launch_modes};
use crate::cli::setup::{Loader, checks, counts_points, devices, emulator_options, machine_options};
use crate::cli::slice::{Slices, Step, exit_code, step};
use crate::cli::stopping::{Stopper, place};
use crate::cli::suppress::Suppressions;
use crate::cli::{check, debugging, emit, exploring, files, kernels, lacking, objects, ranks, recording, seeds, usage};
use compile::{Compiled, MacroOption, ParseOptions, SourceForm};
use diag::Diagnostics;
use foreign::Inputs;
use gpu::GpuOptions;
use host::{Answer, Ask};
use machine::{Machine, RealWorld, World};
use mpilib::Launch;
use source::{FileId, SourceMap};
use std::io::IsTerminal;
use std::time::SystemTime;

/// Compiles the files, then prints a stage, debugs or runs, as the options say.
pub(crate) fn run(options: &Options, compiler: &Compiler, inputs: &Inputs) -> u8 {
    let mut map = SourceMap::new();
    let mut reporter = Reporter::new(options.message_format);
    let ids = match read(options, &mut map) {
        Ok(ids) => ids,
        Err(sentence) => return usage(&sentence),
    };
    let mut settings = settings(options, compiler);
    let mut diags = Diagnostics::new();
    let includes = compiler.includes.clone();
    let mut include = |name: &str, asking: &str| files::include(name, asking, &includes);
    if options.emit == Some(Stage::Ast) {
        let parsed = compile::parse(&mut map, &ids, &settings.parse, &mut include, &mut diags);
        return if finish_compile(diags, &mut reporter, &map) { emit::trees(&parsed.program) } else { failed(options) };
    }
    let libraries = match Loaded::new(inputs) {
        Ok(libraries) => libraries,
        Err(text) => return usage(&text),
    };
    settings.sema.foreign = libraries.names();
    settings.kernels = match kernels::read(&mut map, inputs, &mut diags) {
        Ok(kernels) => kernels,
        Err(text) => return usage(&text),
    };
    if diags.has_errors() {
        finish_compile(diags, &mut reporter, &map);
        reporter.finish(&map);
        return failed(options);
    }
    if is_checking(options, compiler) {
        check::check(&mut map, ids, &settings, &includes, &mut diags);
        let ok = finish_compile(diags, &mut reporter, &map);
        reporter.finish(&map);
        if ok && compiler.writes_objects && !options.only_check && !compiler.only_checks {
            return written(objects::compile(options, compiler.output.as_deref()));
        }
        return if ok { 0 } else { failed(options) };
    }
    let compiled = compile::compile(&mut map, &ids, &settings, &mut include, &mut diags);
    let launch = ranks::launch(options);
    // One rank of several says what the compiler warns of; errors are said by the first that ends.
    let is_told = launch.as_ref().is_none_or(|launch| launch.rank == 0) || diags.has_errors();
    let ok = !is_told || finish_compile(diags, &mut reporter, &map);
    let Some(compiled) = compiled.filter(|_| ok) else {
        reporter.finish(&map);
        return failed(options);
    };
    let sm = sm(options, compiler);
    let suppressions = match suppressions(options, &compiled, &map) {
        Ok(suppressions) => suppressions,
        Err(sentence) => return usage(&sentence),
    };
    if let Some(stage) = &options.emit {
        let optimise = compiler.level != Some(0) && !compiler.debug;
        return emit::code(
            stage,
            &compiled,
            &emit::PtxStyle {
                sm,
                optimise,
                flushes: is_fast(options, compiler),
                sources: compiler.debug.then_some(&map),
            },
        );
    }
    if let Some(output) = &compiler.output {
        reporter.finish(&map);
        return written(objects::link(options, output));
    }
    if let Some(sentence) = ranks::conflict(options) {
        return usage(sentence);
    }
    if let Some(sentence) = libraries.missing(names_for_c(&compiled)) {
        return usage(&sentence);
    }
    let launch = match ranks::launched(options, &compiled.module) {
        Ok(launch) => launch,
        Err(sentence) => return usage(sentence),
    };
    if options.is_debugging() {
        let loader = match loader(options, compiler, &compiled, &suppressions, (&map, &libraries)) {
            Ok(loader) => loader,
            Err(sentence) => return usage(&sentence),
        };
        return if options.tui {
            debugging::screen(options, &compiled, &map, loader, &libraries)
        } else {
            debugging::run(options, &compiled, &map, loader, &libraries)
        };
    }
    let program = Program {
        options,
        compiler,
        sm,
        compiled: &compiled,
        map: &map,
        suppressions: &suppressions,
        libraries: &libraries,
        launch: launch.as_ref(),
    };
    let code = program.execute(&mut reporter);
    reporter.finish(&map);
    code
}

/// A program that can be debugged.
pub(crate) struct Debugged {
    pub(crate) compiled: Compiled,
    pub(crate) map: SourceMap,
    pub(crate) loader: Loader,
    pub(crate) libraries: Loaded,
}

/// Compiles the files for the debugger; the error is one sentence. `tell` takes the diagnostics.
pub(crate) fn debugged(
    options: &Options,
    compiler: &Compiler,
    inputs: &Inputs,
    tell: &mut dyn FnMut(&str),
) -> Result<Debugged, String> {
    let mut map = SourceMap::new();
    let ids = read(options, &mut map)?;
    let mut settings = settings(options, compiler);
    let libraries = Loaded::new(inputs)?;
    settings.sema.foreign = libraries.names();
    let mut diags = Diagnostics::new();
    settings.kernels = kernels::read(&mut map, inputs, &mut diags)?;
    let mut include = |name: &str, asking: &str| files::include(name, asking, &compiler.includes);
    let compiled = compile::compile(&mut map, &ids, &settings, &mut include, &mut diags);
    let has_errors = diags.has_errors();
    diags.into_sorted().iter().for_each(|d| tell(&diag::full(d, &map, diag::Style::PLAIN)));
    let compiled = compiled.filter(|_| !has_errors).ok_or("the program has errors")?;
    if let Some(sentence) = libraries.missing(names_for_c(&compiled)) {
        return Err(sentence);
    }
    let suppressions = suppressions(options, &compiled, &map)?;
    let loader = loader(options, compiler, &compiled, &suppressions, (&map, &libraries))?;
    Ok(Debugged { compiled, map, loader, libraries })
}

/// The names of the program that C code uses.
fn names_for_c(compiled: &Compiled) -> impl Iterator<Item = &str> {
    let variables = compiled.program.shared.iter().map(|shared| &*shared.label);
    compiled.program.named.iter().map(|(name, _)| &**name).chain(variables)
}

fn read(options: &Options, map: &mut SourceMap) -> Result<Vec<FileId>, String> {
    options.files.iter().map(|path| files::read(map, path)).collect()
}

fn sm(options: &Options, compiler: &Compiler) -> u32 {
    options.sm.or(compiler.sm).unwrap_or(90)
}

/// What the user does not want to be told, in files and in comments.
fn suppressions(options: &Options, compiled: &Compiled, map: &SourceMap) -> Result<Suppressions, String> {
    let mut suppressions = Suppressions::default();
    options.suppressions.iter().try_for_each(|path| suppressions.read(path))?;
    suppressions.add_comments(&compiled.ignores, map);
    Ok(suppressions)
}

/// What makes the machine of a debugged program.
fn loader(
    options: &Options,
    compiler: &Compiler,
    compiled: &Compiled,
    suppressions: &Suppressions,
    (map, libraries): (&SourceMap, &Loaded),
) -> Result<Loader, String> {
    if options.device == DeviceKind::Gpu {
        return Err("the debugger runs kernels on the emulator only; remove `--device gpu`".to_owned());
    }
    let mut settings = machine_options(options, compiler, suppressions, map);
    settings.host.defined = libraries.defined();
    Ok(Loader {
        module: compiled.module.clone(),
        settings,
        devices: options.devices,
        program: if options.replay.is_some() { recording::program(map, &compiled.module) } else { 0 },
        // The debugger runs one block after another.
        emulator: emu::Options { rehearse: true, jobs: 1, ..emulator_options(options, sm(options, compiler)) },
    })
}

/// The exit code after something was to be written.
fn written(result: Result<(), String>) -> u8 {
    result.map_or_else(|sentence| usage(&sentence), |()| 0)
}

fn failed(options: &Options) -> u8 {
    options.error_exitcode
}

/// Prints the diagnostics of the compiler. Returns whether there was no error.
fn finish_compile(diags: Diagnostics, reporter: &mut Reporter, map: &SourceMap) -> bool {
    for mut diagnostic in diags.into_sorted() {
        lacking::name_file(&mut diagnostic, map);
        reporter.report(&diagnostic, map);
    }
    reporter.errors() == 0
}

fn settings(options: &Options, compiler: &Compiler) -> compile::Options {
    let mut macros: Vec<MacroOption> = compiler.predefined().into_iter().map(MacroOption::Define).collect();
    for (name, value) in &compiler.defines {
        macros.push(MacroOption::Define(match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        }));
    }
    macros.extend(compiler.undefines.iter().cloned().map(MacroOption::Undefine));
    // A rank that is recorded is debugged later.
    let is_debugged = options.is_debugging() || options.record.is_some();
    let mut settings = compile::Options {
        parse: ParseOptions {
            form: compiler.fixed.map(|fixed| if fixed { SourceForm::Fixed } else { SourceForm::Free }),
            preprocess: compiler.preprocess.then_some(true),
            openmp: compiler.openmp,
            extended_columns: compiler.extended_columns,
            cuda: !(options.no_cuda || compiler.no_cuda),
            standard: compiler.standard,
            expression_height: crate::cli::EXPRESSION_HEIGHT,
            macros,
        },
        level: match options.emit {
            Some(Stage::IrAfter(_)) => 0,
            _ => compiler.level.unwrap_or(if is_debugged { 0 } else { 1 }),
        },
        whole_modules: is_debugged,
        watched: is_debugged || compiler.debug,
        keeps_points: counts_points(options),
        ..compile::Options::default()
    };
    settings.sema.real8 = compiler.real8;
    settings.sema.integer8 = compiler.int8;
    settings.sema.plain_backslash = compiler.plain_backslash;
    settings.sema.save = compiler.saves;
    settings.sema.standard = compiler.standard;
    settings.sema.managed = compiler.managed;
    settings.sema.charstring = compiler.charstring;
    settings.sema.separate = compiler.writes_objects;
    settings.sema.needs_main = options.emit.is_none() && !is_checking(options, compiler);
    settings.lower.managed = compiler.managed;
    settings.lower.fma = !(options.no_fma || compiler.no_fma);
    settings.lower.fast_math = is_fast(options, compiler);
    settings.lower.check_bounds = checks(options, Check::Bounds) || compiler.bounds;
    settings.lower.check_init = checks(options, Check::Init);
    settings.lower.check_fp = checks(options, Check::Fp) && options.device == DeviceKind::Emu && !options.verify;
    settings
}

/// A compiled program and the options of its run.
#[derive(Clone, Copy)]
struct Program<'a> {
    options: &'a Options,
    compiler: &'a Compiler,
    sm: u32,
    compiled: &'a Compiled,
    map: &'a SourceMap,
    suppressions: &'a Suppressions,
    libraries: &'a Loaded,
    launch: Option<&'a Launch>,
}

impl Program<'_> {
    /// Runs it; returns the exit code.
    fn execute(self, reporter: &mut Reporter) -> u8 {
        let Program { options, map, libraries, .. } = self;
        if let Some(range) = options.many_seeds {
            let load = |seed| {
                let options = Options { schedule: Some(Schedule::Seed(seed)), ..options.clone() };
                Program { options: &options, ..self }.load()
            };
            return seeds::run(options, map, reporter, libraries, load, range);
        }
        if let Some(runs) = options.explore
            && options.ranks.is_none_or(|ranks| ranks == 1)
        {
            let load = |schedule: &Schedule| {
                let options = Options { schedule: Some(schedule.clone()), ..options.clone() };
                Program { options: &options, ..self }.load()
            };
            return exploring::run(options, map, reporter, libraries, load, runs);
        }
        let mut machine = match self.load() {
            Ok(machine) => machine,
            Err(code) => return code,
        };
        if options.ranks.is_some_and(|ranks| ranks > 1) {
            let new_findings = || machine_options(options, self.compiler, self.suppressions, map).findings;
            if let Some(runs) = options.explore {
                let of = (&machine, new_findings);
                return exploring::run_ranks(options, map, reporter, libraries, of, runs);
            }
            let findings = new_findings();
            return ranks::run(options, map, reporter, libraries, &machine, findings, self.program());
        }
        if let Some(launch) = self.launch {
            match mpilib::connect(launch, options.mpi.as_deref()) {
                Ok(transport) => machine.connect(transport),
                Err(sentence) => return usage(&sentence),
            }
        }
        let (rank, count) = self.launch.map_or((0, 1), |launch| (launch.rank, launch.ranks));
        let mut recording = match Recording::of_rank(options, rank, count, self.program()) {
            Ok(recording) => recording,
            Err(sentence) => return usage(&sentence),
        };
        if self.launch.is_none() && recording.is_none() && options.device == DeviceKind::Emu {
            foreign::permit_fork();
        }
        let code = self.watch(&mut machine, reporter, recording.as_mut());
        if let Some(recording) = recording {
            recording.end(&machine.end_record(i32::from(code)));
        }
        machine.leave(i32::from(code));
        code
    }

    /// Its number in a record, if one is wanted.
    fn program(self) -> u64 {
        if self.options.record.is_some() { recording::program(self.map, &self.compiled.module) } else { 0 }
    }

    /// Runs the machine, and says what it finds; returns the exit code.
    fn watch(self, machine: &mut Machine, reporter: &mut Reporter, mut recording: Option<&mut Recording>) -> u8 {
        let Program { options, map, libraries, .. } = self;
        let stopper = Stopper::new(options.timeout);
        let is_full = options.message_format == MessageFormat::Full;
        let mut world = Live::new(libraries.world(RealWorld::ended_by(stopper.end_wanted())), is_full);
        if recording.is_some() {
            machine.keep_record(epoch(&mut world));
        }
        let mut shown = 0;
        let mut slices = Slices::new();
        loop {
            let step = step(machine, &mut world, &stopper, &mut slices);
            if let Some(recording) = &mut recording {
                recording.add(&machine.take_record());
            }
            if !matches!(step, Step::Running) || machine.findings().get(shown).is_some() {
                world.hide_progress();
            }
            show_findings(machine.findings(), &mut shown, map, reporter);
            if let Some(error) = world.output_error() {
                return output_lost(error);
            }
            match step {
                Step::Running => world.show_progress(|| place(&machine.whereabouts(), map)),
                Step::Over => break,
                Step::Ended(reason, at) => return reason.report(options.timeout, &at, map),
            }
        }
        if options.verbose {
            show_launch_modes(machine);
        }
        if let Some(text) = machine.findings().summary()
            && is_full
        {
            say(&format!("cufemu: {text}\n"));
        }
        let is_watched = options.race.is_some() || checks(options, Check::Race);
        if is_full && !is_watched && std::io::stderr().is_terminal() && has_launched(machine) {
            say("cufemu: data races were not looked for; `--race` reports them\n");
        }
        exit_code(machine, options)
    }

    /// The machine with the program at its start, or the exit code if it cannot be loaded.
    fn load(self) -> Result<Machine, u8> {
        let Program { options, compiler, sm, compiled, map, suppressions, libraries, .. } = self;
        if options.verify
            && let Some(sentence) = approximate(&compiled.module, map)
        {
            return Err(usage(&sentence));
        }
        let devices = devices(options, sm, libraries.of_cuda()).map_err(|sentence| usage(&sentence))?;
        let gpu_options = GpuOptions {
            sm: options.sm.or(compiler.sm),
            debug: compiler.debug,
            sources: Some(map),
            unoptimised: compiler.level == Some(0),
            flushes: is_fast(options, compiler),
        };
        let mut settings = machine_options(options, compiler, suppressions, map);
        settings.host.defined = self.libraries.defined();
        Machine::load(compiled.module.clone(), devices, &gpu_options, settings).map_err(|error| {
            match map.location(error.span) {
                Some(at) => usage(&format!("{}:{}:{}: {error}", at.file, at.line, at.column)),
                None => usage(&error.to_string()),
            }
        })
    }
}

/// When the clock of the world began, in nanoseconds since 1970: a time that all ranks on a computer have.
fn epoch(world: &mut Live) -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    match world.ask(&Ask::Clock) {
        Answer::Nanoseconds(since) => now.saturating_sub(since),
        _ => now,
    }
}

/// Why device code cannot be compared with a GPU's: it has approximate operations.
fn approximate(module: &ir::Module, map: &SourceMap) -> Option<String> {
    let device = module.funcs.iter().filter(|f| f.kind != ir::FuncKind::Host);
    let mut all = device.flat_map(|f| &f.blocks).flat_map(|block| &block.insts);
    let inst = all.find(|inst| match inst.kind {
        ir::InstKind::Un { op, .. } => op.is_approximate(),
        ir::InstKind::Bin { op, .. } => op.is_approximate(),
        _ => false,
    })?;
    let at = map.location(inst.span).map(|at| format!("{}:{}:{}: ", at.file, at.line, at.column)).unwrap_or_default();
    Some(format!(
        "{at}only a GPU has the bits of an approximate function, so `--verify` cannot compare this program; \
         use the exact function, such as `sin` for `__sinf`"
    ))
}

/// Whether device code is made of approximate operations.
pub(crate) fn is_fast(options: &Options, compiler: &Compiler) -> bool {
    let is_for_gpu = options.device == DeviceKind::Gpu && !options.verify || options.emit == Some(Stage::Ptx);
    is_for_gpu && (options.fast_math || compiler.fast_math.is_some())
}

/// Whether the files are only checked.
fn is_checking(options: &Options, compiler: &Compiler) -> bool {
    options.only_check || compiler.only_checks || compiler.writes_objects
}

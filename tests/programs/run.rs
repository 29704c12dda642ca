//! Compiles programs and runs them in this process, on the emulator and without the outside world.

use diag::Diagnostics;
use emu::Emulator;
use machine::{ClosedWorld, DeviceBox, Machine, MachineOptions, MachineStop};
use source::SourceMap;
use std::sync::Arc;

/// What compiling gave.
pub(crate) struct Compiled {
    /// The code; none for a program that is not valid.
    pub(crate) module: Option<Arc<ir::Module>>,
    /// The sources.
    pub(crate) map: SourceMap,
    /// The diagnostics, in the short form.
    pub(crate) said: String,
}

/// How to compile.
#[derive(Clone, Copy)]
pub(crate) struct Variant {
    /// Whether the macros `RACY` and `WRONG` are defined.
    pub(crate) is_racy: bool,
    /// The level of the optimiser.
    pub(crate) level: u8,
}

impl Variant {
    /// The program as it stands, optimised.
    pub(crate) fn plain() -> Variant {
        Variant { is_racy: false, level: compile::Options::default().level }
    }

    /// One twin of a program, optimised.
    pub(crate) fn twin(is_racy: bool) -> Variant {
        Variant { is_racy, ..Variant::plain() }
    }
}

/// The twins of a program: as it stands and, if its text speaks of the macro `RACY`, with that macro defined.
pub(crate) fn twins(text: &str) -> &'static [bool] {
    if text.contains("RACY") { &[false, true] } else { &[false] }
}

/// The routines of CUDA's libraries, and no files of C.
struct Routines;

impl compile::NamesOfC for Routines {
    fn has(&self, name: &str) -> bool {
        library::has(name)
    }
}

/// Compiles a program of one file.
pub(crate) fn compile(name: &str, text: &str, variant: Variant) -> Compiled {
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let mut options = compile::Options { level: variant.level, ..compile::Options::default() };
    options.parse.preprocess = Some(true);
    let macros = ["RACY", "WRONG"].map(|name| compile::MacroOption::Define(name.to_owned()));
    options.parse.macros.extend(macros.into_iter().filter(|_| variant.is_racy));
    options.sema.foreign = compile::ForeignNames::new(Routines);
    let mut diags = Diagnostics::new();
    let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
    let said = diags.into_sorted().iter().map(|d| diag::short(d, &map)).collect();
    Compiled { module: compiled.map(|c| c.module), map, said }
}

/// A machine with one emulated device, before its first step.
pub(crate) fn load(module: &Arc<ir::Module>, options: emu::Options) -> Machine {
    load_for(module, options, machine::Engine::default())
}

/// The same for one engine.
pub(crate) fn load_for(module: &Arc<ir::Module>, options: emu::Options, engine: machine::Engine) -> Machine {
    let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, options)))];
    let settings = MachineOptions { clock: machine::ClockKind::Model, engine, ..MachineOptions::default() };
    Machine::load(module.clone(), devices, &gpu::GpuOptions::default(), settings).expect("it loads")
}

/// Everything that a run shows.
pub(crate) struct Run {
    /// Whether the program ended within the steps allowed.
    pub(crate) is_over: bool,
    /// Its exit code.
    pub(crate) code: i32,
    /// What it printed.
    pub(crate) printed: String,
    /// The findings, in order.
    pub(crate) found: Vec<String>,
    /// Base and contents of the allocations that the device can reach.
    pub(crate) memory: Vec<(u64, Vec<u8>)>,
    /// Number of schedule points.
    pub(crate) points: u64,
    /// How blocks fared that ran ahead of their turn.
    pub(crate) speculation: emu::Speculation,
}

/// Most calls of `advance` in one run; a program that takes more is not compared.
const SLICES: usize = 4000;

/// A budget with which nearly every program ends in one slice.
pub(crate) const AMPLE: u64 = 50_000_000;

/// Runs a program in slices of `budget` schedule points.
pub(crate) fn run(module: &Arc<ir::Module>, options: emu::Options, budget: u64) -> Run {
    let mut machine = load(module, options);
    let mut world = ClosedWorld::default();
    let is_over = (0..SLICES)
        .any(|_| matches!(machine.advance(budget, &mut world, &mut machine::NoObserver), MachineStop::Done(_)));
    let memory = machine.memory();
    let shared = memory.live().filter(|(_, alloc)| alloc.region.is_device_accessible());
    let contents = shared.map(|(_, alloc)| {
        let mut bytes = vec![0; alloc.bytes as usize];
        memory.read(alloc.base, &mut bytes).map(|()| (alloc.base, bytes)).unwrap_or_default()
    });
    Run {
        is_over,
        code: machine.exit_code(Some(diag::Severity::Error), 1).unwrap_or(-1),
        printed: String::from_utf8_lossy(&world.printed).into_owned(),
        found: machine.findings().iter().map(|f| format!("{:?}", f.diagnostic())).collect(),
        memory: contents.collect(),
        points: machine.points(),
        speculation: machine.devices()[0].emulator().map(Emulator::speculation).unwrap_or_default(),
    }
}

/// Where two runs of `place` differ; memory is compared only `with_memory`.
pub(crate) fn differences(place: &str, first: &Run, other: &Run, with_memory: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut differ = |what: &str, a: String, b: String| {
        if a != b {
            wrong.push(format!("{place}: {what}\nfirst:\n{a}\nother:\n{b}"));
        }
    };
    differ("output", first.printed.clone(), other.printed.clone());
    differ("findings", first.found.join("\n"), other.found.join("\n"));
    differ("exit code", first.code.to_string(), other.code.to_string());
    differ("schedule points", first.points.to_string(), other.points.to_string());
    if with_memory && first.memory != other.memory {
        wrong.push(format!("{place}: memory"));
    }
    wrong
}

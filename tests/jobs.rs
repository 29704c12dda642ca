//! The number of threads does not show: programs print the same, find the same and leave the same memory with any.
//!
//! Every program of the tests and examples is run with one thread, which is the definition, and with several, which begin
//! early, take small parts, wait at random before each block and are interrupted by small budgets. Programs of this file have
//! what only larger launches have: blocks that share nothing, atomics that are put off, prints, errors in the middle.
//!
//! The same programs show that the optimiser does not show either: passes keep schedule points and every access that another
//! thread could see.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)] // Only the list of programs is asked for here.
mod annotated;
mod ordered;

use annotated::programs;
use diag::Diagnostics;
use emu::{Emulator, Grain};
use machine::{ClosedWorld, DeviceBox, Machine, MachineOptions, MachineStop};
use source::SourceMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn compile(text: &str, racy: bool) -> Option<Arc<ir::Module>> {
    compile_at(text, racy, compile::Options::default().level)
}

fn compile_at(text: &str, racy: bool, level: u8) -> Option<Arc<ir::Module>> {
    let mut map = SourceMap::new();
    let file = map.add("program.cuf", text);
    let mut options = compile::Options { level, ..compile::Options::default() };
    options.parse.preprocess = Some(true);
    options.parse.macros.extend(racy.then(|| compile::MacroOption::Define("RACY".to_owned())));
    let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut Diagnostics::new());
    compiled.map(|c| c.module)
}

/// Everything that a run shows.
struct Run {
    is_over: bool,
    code: i32,
    printed: String,
    found: Vec<String>,
    memory: Vec<(u64, Vec<u8>)>,
    points: u64,
    speculation: emu::Speculation,
}

/// Most calls that a run may take; a program that goes on for longer is not compared.
const SLICES: usize = 4000;

fn run(module: &Arc<ir::Module>, options: emu::Options, budget: u64) -> Run {
    let devices = vec![DeviceBox::Emulator(Box::new(Emulator::new(0, options)))];
    let settings = MachineOptions { clock: machine::ClockKind::Model, ..MachineOptions::default() };
    let mut machine = Machine::load(module.clone(), devices, &gpu::GpuOptions::default(), settings).expect("it loads");
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

/// Runs a program with one thread and with several; gives what the first showed.
fn same_with_any_jobs(name: &str, module: &Arc<ir::Module>, race: bool, seed: u64) -> Run {
    let rules = race.then(race::Rules::default);
    let with = |jobs, jitter| emu::Options {
        race: rules,
        seed,
        jobs,
        grain: Grain { prologue: 1, worth: 1, chunk: 60, jitter, insists: true },
        ..emu::Options::default()
    };
    let first = run(module, with(1, 0), 50_000_000);
    for (jobs, jitter, budget) in [(2, 1, 50_000_000), (7, 2, 50_000_000), (2, 3, 7_000)] {
        let other = run(module, with(jobs, jitter), budget);
        if !other.is_over {
            continue;
        }
        let place = format!("{name}, seed {seed}, {jobs} jobs, budget {budget}");
        assert_eq!(other.printed, first.printed, "{place}: output");
        assert_eq!(other.found, first.found, "{place}: findings");
        assert_eq!(other.code, first.code, "{place}: exit code");
        assert!(other.memory == first.memory, "{place}: memory");
        assert_eq!(other.points, first.points, "{place}: schedule points");
    }
    first
}

/// The programs of the tests and examples: name, text, whether their racy twin is meant.
fn twins() -> Vec<(String, String, bool)> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["tests/ui", "tests/suite", "examples"] {
        programs(&root.join(folder), &mut paths);
    }
    assert!(paths.len() > 50);
    let mut all = Vec::new();
    for path in paths {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let twins: &[bool] = if text.contains("RACY") { &[false, true] } else { &[false] };
        all.extend(twins.iter().map(|&racy| (path.display().to_string(), text.clone(), racy)));
    }
    all
}

#[test]
fn every_program_is_the_same_with_any_jobs() {
    for (name, text, racy) in twins() {
        if let Some(module) = compile(&text, racy) {
            for race in [false, true] {
                same_with_any_jobs(&name, &module, race, 0);
            }
        }
    }
}

#[test]
fn every_program_is_the_same_at_any_level_of_the_optimiser() {
    for (name, text, racy) in twins() {
        let Some(plain) = compile_at(&text, racy, 0) else { continue };
        let Some(optimised) = compile_at(&text, racy, 1) else { panic!("{name} compiles") };
        for module in [&plain, &optimised] {
            assert_eq!(ir::verify::module(module), [], "{name}: invariant I3");
        }
        for seed in [0, 3] {
            let options = || emu::Options { race: Some(race::Rules::default()), seed, ..emu::Options::default() };
            let (first, other) = (run(&plain, options(), 50_000_000), run(&optimised, options(), 50_000_000));
            if !first.is_over || !other.is_over {
                continue;
            }
            assert_eq!(other.printed, first.printed, "{name}, seed {seed}: output");
            assert_eq!(other.found, first.found, "{name}, seed {seed}: findings");
            assert_eq!(other.code, first.code, "{name}, seed {seed}: exit code");
            assert_eq!(other.points, first.points, "{name}, seed {seed}: schedule points");
        }
    }
}

/// A program that launches `kernel` on `n` elements in blocks of 64 and prints what came out.
fn program(kernel: &str, after: &str) -> String {
    format!(
        "module m\ncontains\n{kernel}\nend module\nprogram p\nuse cudafor\nuse m\ninteger, parameter :: n = 10000\n\
        integer, managed :: x(n), y(n)\nreal, managed :: r(16)\ninteger, managed :: h(64)\ninteger :: i, istat\n\
        do i = 1, n\nx(i) = mod(i*7919, 1009)\nend do\ny = 0\nr = 0\nh = 0\n\
        call k<<<(n+63)/64, 64>>>(x, y, r, h, n)\nistat = cudaDeviceSynchronize()\n\
        print *, istat, sum(y), h(1), h(17), r(1), r(5)\n{after}end program\n"
    )
}

fn kernel(body: &str) -> String {
    format!(
        "attributes(global) subroutine k(x, y, r, h, n)\ninteger, value :: n\ninteger :: x(n), y(n), h(64)\nreal :: r(16)\n\
        integer :: i, j, old\nreal :: was\ninteger, shared :: s(64)\n\
        i = (blockidx%x-1)*blockdim%x + threadidx%x\n{body}\nend subroutine"
    )
}

#[test]
fn launches_of_many_blocks_are_the_same_with_any_jobs() {
    let bodies = [
        ("disjoint", "if (i <= n) y(i) = 2*x(i) + y(i)"),
        ("shared memory", "s(threadidx%x) = i\ncall syncthreads()\nif (i <= n) y(i) = s(65-threadidx%x)"),
        ("integer sums", "if (i <= n) old = atomicadd(h(iand(x(i),63)+1), x(i))"),
        ("integer maxima", "if (i <= n) old = atomicmax(h(1), x(i))"),
        ("real sums", "if (i <= n) was = atomicadd(r(iand(x(i),15)+1), 1.0/x(i))"),
        ("two operations", "if (i <= n) then\nold = atomicadd(h(17), x(i))\nold = atomicxor(h(17), i)\nend if"),
        ("a race in each block", "s(threadidx%x) = i\nif (i <= n) y(i) = s(65-threadidx%x)"),
        ("a race in a late block", "s(merge(1, threadidx%x, i > 9000)) = i\nif (i <= n) y(i) = s(threadidx%x)"),
        ("a global race in each block", "if (i < n .and. threadidx%x < 64) y(i) = y(i+1) + x(i)"),
        (
            "a race beside sums",
            "s(iand(i,7)+1) = 0\nif (i <= n) old = atomicadd(s(iand(x(i),7)+1), 1)\ncall syncthreads()\n\
            if (i <= n) old = atomicadd(h(iand(x(i),63)+1), s(iand(i,7)+1))",
        ),
        ("prints", "if (i <= n .and. mod(i,500) == 3) print *, 'thread', i, x(i)"),
        ("a result that is used", "if (i <= n) y(atomicadd(h(1), 1) + 1) = i"),
        ("racy", "if (i <= n) y(mod(i,97)+1) = i"),
        ("in place", "if (i > 1 .and. i < n) y(i) = x(i-1) + y(i+1)"),
        ("a scatter", "if (i <= n) y(x(i)+1) = i"),
        ("beyond the end", "y(i + i/9000*4000000) = i\nif (mod(i,64) == 0) print *, i"),
        ("far beyond the end", "if (i == 7000) then\ny(i*100000) = 1\nelse if (i <= n) then\ny(i) = i\nend if"),
        ("a barrier for some", "if (i /= 5000) call syncthreads()\nif (i <= n) y(i) = i"),
        (
            "an endless wait",
            "if (i <= n) y(i) = i\nif (i == 6000) then\ndo while (h(1) == 0)\nj = h(2)\nend do\nend if",
        ),
        ("a long loop of loads", "if (i <= 300) then\ndo j = 1, n\ny(i) = y(i) + x(j)\nend do\nend if"),
    ];
    for (name, body) in bodies {
        let text = program(&kernel(body), "");
        let module = compile(&text, false).unwrap_or_else(|| panic!("{name}: {text}"));
        for seed in [0, 5] {
            for race in [false, true] {
                let first = same_with_any_jobs(name, &module, race, seed);
                assert_ne!(first.code, -1, "{name} ends");
            }
        }
    }
}

#[test]
fn a_long_loop_that_only_reads_is_no_livelock() {
    let body = "if (i == 1) then\nold = 0\ndo j = 1, 100000\nold = old + x(mod(j,n)+1)\nend do\nh(1) = old\nend if";
    let module = compile(&program(&kernel(body), ""), false).unwrap();
    let first = same_with_any_jobs("reads", &module, false, 0);
    assert_eq!(first.found, Vec::<String>::new());
    assert_eq!(first.code, 0);
}

/// The bench programs, each with what makes its full size and what makes a small one.
const BENCHES: [(&str, &str, &str); 8] = [
    ("blackscholes", "count = 2**22, launches = 4", "count = 2**11, launches = 2"),
    ("collatz", "last = 2**21 - 1", "last = 2**10 - 1"),
    ("mm", "extent = 1024", "extent = 48"),
    ("nbody", "count = 8192", "count = 512"),
    ("reduce", "elements = 2**24", "elements = 2**13"),
    ("saxpy", "elements = 2**24, threads = 256, launches = 10", "elements = 2**12, threads = 64, launches = 2"),
    ("stencil", "points = 2048, sweeps = 20", "points = 70, sweeps = 3"),
    ("transpose", "extent = 4096, launches = 10", "extent = 64, launches = 2"),
];

#[test]
fn bench_programs_of_small_size_are_the_same_with_any_jobs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs");
    let read = |name: &str| std::fs::read_to_string(folder.join(name).with_extension("cuf")).unwrap();
    for (name, full, small) in BENCHES {
        let text = read(name);
        assert!(text.contains(full), "{name} has another size");
        let clean = read("timing") + &text.replace(full, small);
        // Without its barriers a program that shares memory races.
        let racy = clean.replace("call syncthreads()", "");
        let is_sharing = racy != clean;
        for (text, is_racy) in [(clean, false), (racy, true)] {
            if is_racy && !is_sharing {
                continue;
            }
            let module = compile(&text, false).unwrap_or_else(|| panic!("{name} compiles"));
            for (race, seed) in [(false, 0), (true, 0), (true, 4)] {
                let first = same_with_any_jobs(name, &module, race, seed);
                assert!(first.is_over, "{name} ends");
                assert_eq!(!first.found.is_empty(), is_racy && race, "{name}: {:?}", first.found);
            }
        }
    }
}

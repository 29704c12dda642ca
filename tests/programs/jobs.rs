//! The number of threads does not show: programs print the same, find the same and leave the same memory with any.
//!
//! Each program of the tests and examples runs with one thread, which is the definition, and with several, which start early,
//! take small parts, wait at random before each block and are interrupted by small budgets. The kernels of this file have what
//! only larger launches have: blocks that share nothing, atomics that are deferred, prints, errors in the middle.

use crate::annotated::{Program, programs, root};
use crate::run::{AMPLE, Run, Variant, compile, differences, run, twins};
use crate::trial;
use emu::Grain;
use libtest_mimic::Trial;
use std::sync::Arc;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    // The programs of mathematics compute for long in one block, which threads do not share.
    for (family, program) in everything().filter(|(_, program)| !program.name.contains("/mathematics/")) {
        trials.push(trial(format!("jobs/{family}/{}", program.name), move || check_program(&program)));
    }
    for (name, body) in KERNELS {
        trials.push(trial(format!("jobs/kernel/{}", name.replace(' ', "_")), || check_kernel(body)));
    }
    trials.push(trial("jobs/kernel/long_loop_of_reads".to_owned(), check_reads));
    for bench in BENCHES {
        trials.push(trial(format!("jobs/bench/{}", bench.0), move || check_bench(bench)));
    }
    trials
}

/// The programs of the tests and examples, each with the name of its family.
pub(crate) fn everything() -> impl Iterator<Item = (&'static str, Program)> {
    let families = [("ui", "tests/ui"), ("suite", "tests/suite"), ("example", "examples")];
    families.into_iter().flat_map(|(family, folder)| programs(folder).into_iter().map(move |p| (family, p)))
}

/// Runs a program with one thread and with several; returns the first run and where the others differ from it.
fn with_any_jobs(module: &Arc<ir::Module>, race: bool, seed: u64) -> (Run, Vec<String>) {
    let rules = race.then(race::Rules::default);
    let with = |jobs, jitter| emu::Options {
        race: rules,
        seed,
        jobs,
        grain: Grain { prologue: 1, worth: 1, chunk: 60, jitter, insists: true },
        ..emu::Options::default()
    };
    let first = run(module, with(1, 0), AMPLE);
    let mut wrong = Vec::new();
    for (jobs, jitter, budget) in [(2, 1, AMPLE), (7, 2, AMPLE), (2, 3, 7_000)] {
        let other = run(module, with(jobs, jitter), budget);
        if other.is_over {
            let place = format!("race check {race}, seed {seed}, {jobs} jobs, budget {budget}");
            wrong.extend(differences(&place, &first, &other, true));
        }
    }
    (first, wrong)
}

fn check_program(program: &Program) -> Vec<String> {
    let text = program.text();
    let mut wrong = Vec::new();
    for &is_racy in twins(&text) {
        // A program that is not valid has its test in `ui/fail`.
        let Some(module) = compile("program.cuf", &text, Variant::twin(is_racy)).module else { continue };
        for race in [false, true] {
            wrong.extend(with_any_jobs(&module, race, 0).1);
        }
    }
    wrong
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

/// Bodies of kernels whose blocks run in each of the ways there are.
const KERNELS: &[(&str, &str)] = &[
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
    ("an endless wait", "if (i <= n) y(i) = i\nif (i == 6000) then\ndo while (h(1) == 0)\nj = h(2)\nend do\nend if"),
    ("a long loop of loads", "if (i <= 300) then\ndo j = 1, n\ny(i) = y(i) + x(j)\nend do\nend if"),
];

fn check_kernel(body: &str) -> Vec<String> {
    let text = program(&kernel(body), "");
    let module = compile("program.cuf", &text, Variant::plain()).module.unwrap_or_else(|| panic!("{text}"));
    let mut wrong = Vec::new();
    for seed in [0, 5] {
        for race in [false, true] {
            let (first, differs) = with_any_jobs(&module, race, seed);
            assert_ne!(first.code, -1, "the program ends");
            wrong.extend(differs);
        }
    }
    wrong
}

/// A long loop that only reads is no livelock.
fn check_reads() -> Vec<String> {
    let body = "if (i == 1) then\nold = 0\ndo j = 1, 100000\nold = old + x(mod(j,n)+1)\nend do\nh(1) = old\nend if";
    let module = compile("program.cuf", &program(&kernel(body), ""), Variant::plain()).module.unwrap();
    let (first, wrong) = with_any_jobs(&module, false, 0);
    assert_eq!(first.found, Vec::<String>::new());
    assert_eq!(first.code, 0);
    wrong
}

/// A bench program: its name, what makes its full size, what makes a small one.
type Bench = (&'static str, &'static str, &'static str);
const BENCHES: [Bench; 8] = [
    ("blackscholes", "count = 2**22, launches = 4", "count = 2**11, launches = 2"),
    ("collatz", "last = 2**21 - 1", "last = 2**10 - 1"),
    ("mm", "extent = 1024", "extent = 48"),
    ("nbody", "count = 8192", "count = 512"),
    ("reduce", "elements = 2**24", "elements = 2**13"),
    ("saxpy", "elements = 2**24, threads = 256, launches = 10", "elements = 2**12, threads = 64, launches = 2"),
    ("stencil", "points = 2048, sweeps = 20", "points = 70, sweeps = 3"),
    ("transpose", "extent = 4096, launches = 10", "extent = 64, launches = 2"),
];

fn check_bench((name, full, small): Bench) -> Vec<String> {
    let folder = root().join("benches/programs");
    let read = |name: &str| std::fs::read_to_string(folder.join(name).with_extension("cuf")).unwrap();
    let text = read(name);
    assert!(text.contains(full), "{name} has another size");
    let clean = read("timing") + &text.replace(full, small);
    // Without its barriers a program that shares memory races.
    let racy = clean.replace("call syncthreads()", "");
    let is_sharing = racy != clean;
    let mut wrong = Vec::new();
    for (text, is_racy) in [(clean, false), (racy, true)] {
        if is_racy && !is_sharing {
            continue;
        }
        let module = compile(name, &text, Variant::plain()).module.unwrap_or_else(|| panic!("{name} compiles"));
        for (race, seed) in [(false, 0), (true, 0), (true, 4)] {
            let (first, differs) = with_any_jobs(&module, race, seed);
            assert!(first.is_over, "{name} ends");
            assert_eq!(!first.found.is_empty(), is_racy && race, "{name}: {:?}", first.found);
            wrong.extend(differs);
        }
    }
    wrong
}

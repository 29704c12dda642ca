//! Launches whose blocks may share memory: that blocks run ahead of their turn does not show, watched by the race detector or not.
//!
//! The kernels are those on which ways to run blocks in parallel differ most, and random ones that overlap in plain accesses,
//! atomics, flags and polls. The tests also ask how many pieces were committed, discarded or had to wait, so they fail where
//! nothing ran ahead.

use crate::run::{AMPLE, Variant, compile, differences, run};
use crate::trial;
use emu::{Grain, Speculation};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    let one = |(name, fate, body): &'static (&str, Fate, &str)| {
        trial(format!("jobs/ahead/{}", name.replace(' ', "_")), move || check(fate, body))
    };
    KERNELS.iter().map(one).chain([trial("jobs/ahead/random".to_owned(), check_random)]).collect()
}

/// A program that launches a kernel of this body in 60 blocks of 64 threads on arrays of 3840 elements.
fn program(body: &str) -> String {
    format!(
        "module m\ncontains\n\
        attributes(global) subroutine k(x, y, v, r, d, c, h, n)\ninteger, value :: n\ninteger :: x(n), y(n), h(64)\n\
        integer, volatile :: v(n)\nreal :: r(64)\nreal(8) :: d(n)\ninteger(1) :: c(n)\n\
        integer :: i, j, old\nreal :: was\ninteger, shared :: s(64)\n\
        i = (blockidx%x-1)*blockdim%x + threadidx%x\nold = 0\ns(threadidx%x) = i\n{body}\nend subroutine\nend module\n\
        program p\nuse cudafor\nuse m\ninteger, parameter :: n = 3840\ninteger, managed :: x(n), y(n), v(n), h(64)\n\
        real, managed :: r(64)\nreal(8), managed :: d(n)\ninteger(1), managed :: c(n)\ninteger :: i, istat\n\
        do i = 1, n\nx(i) = mod(i*7919, 1009)\nd(i) = i\nend do\ny = 0\nv = 0\nr = 0\nc = 0\nh = 0\n\
        call k<<<n/64, 64>>>(x, y, v, r, d, c, h, n)\nistat = cudaDeviceSynchronize()\n\
        print *, istat, sum(y), sum(v), h(1), h(2), sum(r), sum(d), sum(int(c))\nend program\n"
    )
}

/// Runs a program with one thread and with several, checked for races or not; returns how pieces fared with several, and what
/// differs.
fn fared(body: &str, race: Option<race::Rules>, runs: &[(usize, u64, u64, u64)]) -> (Speculation, Vec<String>) {
    let text = program(body);
    let module = compile("program.cuf", &text, Variant::plain()).module.unwrap_or_else(|| panic!("{text}"));
    let with = |jobs, chunk, jitter| emu::Options {
        jobs,
        race,
        grain: Grain { prologue: 1, worth: 1, chunk, jitter, insists: true },
        ..emu::Options::default()
    };
    let first = run(&module, with(1, 60, 0), AMPLE);
    let mut all = Speculation::default();
    let mut wrong = Vec::new();
    for &(jobs, chunk, jitter, budget) in runs {
        let other = run(&module, with(jobs, chunk, jitter), budget);
        let place = format!("{jobs} jobs, chunks of {chunk}, budget {budget}, {race:?}\n{text}");
        wrong.extend(differences(&place, &first, &other, true));
        add(&mut all, &other.speculation);
    }
    (all, wrong)
}

fn add(all: &mut Speculation, one: &Speculation) {
    all.committed += one.committed;
    all.discarded += one.discarded;
    all.waited += one.waited;
}

const RUNS: [(usize, u64, u64, u64); 6] = [
    (2, 60, 1, AMPLE),
    (3, 700, 2, AMPLE),
    (7, 200, 3, AMPLE),
    (2, 5000, 4, AMPLE),
    (3, 60, 5, 3000),
    (2, 300, 6, 20_000),
];

/// What becomes of most pieces.
#[derive(PartialEq, Debug)]
enum Fate {
    Committed,
    Discarded,
    Waited,
    Any,
    /// There are none: under a guard the blocks are independent.
    Guarded,
}

/// Kernels by what becomes of most of their pieces.
const KERNELS: &[(&str, Fate, &str)] = &[
    ("a scatter", Fate::Committed, "y(x(i)+1) = i"),
    ("a scatter and a gather", Fate::Committed, "y(x(i)+1) = i + int(d(x(n+1-i)+1))"),
    ("a histogram through an index", Fate::Guarded, "old = atomicadd(y(x(i)+1), i)"),
    (
        "one atomic a block",
        Fate::Committed,
        "y(x(i)+1) = i\ncall syncthreads()\nif (threadidx%x == 1) was = atomicadd(r(2), 1.0/i)",
    ),
    (
        "the last block",
        Fate::Waited,
        "if (threadidx%x == 1) then\ndo j = 1, 64\nold = old + x(i+j-1)\nend do\nv(blockidx%x) = old\n\
        call threadfence()\nif (atomicadd(h(1), 1) == griddim%x - 1) then\ndo j = 1, griddim%x\nh(2) = h(2) + v(j)\n\
        end do\nend if\nend if",
    ),
    (
        "a lock",
        Fate::Waited,
        "if (threadidx%x == 1) then\ndo j = 1, 64\nold = old + x(i+j-1)\nend do\n\
        do while (atomiccas(h(1), 0, 1) /= 0)\nend do\nr(1) = r(1)*0.5 + old\ncall threadfence()\n\
        old = atomicexch(h(1), 0)\nend if",
    ),
    (
        "look-back",
        Fate::Waited,
        "if (threadidx%x == 1) then\ndo j = 1, 64\nold = old + x(i+j-1)\nend do\nif (blockidx%x > 1) then\n\
        do while (v(blockidx%x-1) == 0)\nend do\nold = old + v(blockidx%x-1)\nend if\nv(blockidx%x) = old\nend if",
    ),
    ("racy", Fate::Committed, "y(mod(i,97)+1) = i"),
    ("in place", Fate::Discarded, "if (i > 1 .and. i < n) y(i) = y(i-1) + y(i+1) + x(i)"),
    ("a queue", Fate::Waited, "y(atomicadd(h(1), 1) + 1) = i"),
    ("a count in place", Fate::Discarded, "y(x(i)+1) = y(x(i)+1) + 1"),
    ("own elements beside a scatter", Fate::Committed, "y(x(i)+1) = i\nd(i) = 2*d(i)\nc(i) = c(i) + int(i, 1)"),
    ("bytes beside each other", Fate::Committed, "c(mod(i*61, n)+1) = int(i, 1)\ny(x(i)+1) = i"),
    ("an atomic that is read", Fate::Any, "old = atomicadd(y(x(i)+1), i)\nv(i) = y(x(i)+1)"),
    ("an atomic after a store", Fate::Committed, "v(i) = i\nold = atomicadd(v(i), x(i))\ny(x(i)+1) = i"),
    ("prints", Fate::Committed, "y(x(i)+1) = i\nif (mod(i,500) == 3) print *, 'thread', i, x(i)"),
    ("stops", Fate::Committed, "y(x(i)+1) = i\nif (mod(i,500) == 3) stop\nd(i) = i"),
    ("beyond the end", Fate::Any, "y(x(i)+1) = i\nif (i == 3000) y(x(i)*1000000+8000000) = 1\nd(i) = 1"),
    ("a fault that is not", Fate::Any, "if (i > 64) then\nif (y(i-64) == 0) y(-x(i)*1000000) = 1\nend if\ny(i) = i"),
    ("a barrier for some", Fate::Any, "y(x(i)+1) = i\nif (i /= 3000) call syncthreads()\nd(i) = 1"),
    ("an endless wait", Fate::Any, "y(x(i)+1) = i\nif (i == 2000) then\ndo while (v(1) == 0)\nend do\nend if"),
    (
        "a wait for the next block",
        Fate::Any,
        "if (i == 700) then\ndo while (v(1) == 0)\nend do\nend if\nif (i == 3000) v(1) = 1\ny(x(i)+1) = i",
    ),
    ("many polls", Fate::Any, "do j = 1, 600\nold = old + y(mod(i+j,n)+1)\nend do\ny(x(i)+1) = old"),
];

fn check(fate: &Fate, body: &str) -> Vec<String> {
    let (all, mut wrong) = fared(body, None, &RUNS);
    let (watched, differs) = fared(body, Some(race::Rules::default()), &RUNS[..4]);
    wrong.extend(differs);
    // Where blocks execute fences, the race detector follows them in order.
    if *fate != Fate::Guarded && !body.contains("fence") && watched.committed + watched.discarded + watched.waited == 0
    {
        wrong.push("nothing ran ahead while it was checked for races".to_owned());
    }
    let Speculation { committed, discarded, waited } = all;
    let is_so = match fate {
        Fate::Committed => committed > 100 && committed > discarded,
        Fate::Discarded => discarded > 20,
        Fate::Waited => waited > 100,
        Fate::Any => committed + discarded + waited > 0,
        Fate::Guarded => committed + discarded + waited == 0,
    };
    if !is_so {
        wrong.push(format!("{fate:?}, but {all:?}"));
    }
    wrong
}

/// A random kernel body.
fn random(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut below = |n: usize| rng.usize(..n);
    let places = ["i", "x(i)+1", "mod(i,97)+1", "n+1-i", "blockidx%x", "mod(i*61,n)+1", "threadidx%x", "max(i-64,1)"];
    let mut out = String::new();
    for _ in 0..2 + below(5) {
        let (at, from, small) = (places[below(8)], places[below(8)], below(3) + 1);
        let value = [format!("y({from})"), "i".to_owned(), format!("x({from})"), format!("int(d({from}))")];
        let value = &value[below(4)];
        let statement = match below(13) {
            0..3 => format!("y({at}) = {value} + {small}"),
            3 => format!("y({at}) = ieor(y({at}), i)"),
            4 => format!("d({at}) = d({from})*0.5d0 + {value}"),
            5 => format!("c({at}) = int(iand({value}, 63), 1)"),
            6 => format!("old = atomicadd(y({at}), {value})"),
            7 => format!("was = atomicadd(r({small}), real({value})*0.1)"),
            8 => format!("y({at}) = atomicadd(h({small}), 1)"),
            9 => "call threadfence()".to_owned(),
            10 => format!("do j = 1, 5\nif (v({small}) > 3) exit\nend do\nv({small}) = j"),
            11 => format!("old = atomicmax(h({small}), {value})"),
            _ => format!("v({at}) = {value}"),
        };
        let guarded = match below(4) {
            0 => format!("if (mod(i, {}) == {}) then\n{statement}\nend if", 2 + below(90), below(3)),
            1 => format!("if (y({from}) < {}) then\n{statement}\nend if", below(3000)),
            2 => format!(
                "do j = 1, {}\n{}\nend do",
                1 + below(3),
                statement.replace("do j", "do old").replace("= j", "= i")
            ),
            _ => statement,
        };
        out += &guarded;
        out.push('\n');
        if below(5) == 0 {
            out += "call syncthreads()\n";
        }
    }
    out
}

fn check_random() -> Vec<String> {
    let (mut all, mut wrong) = (Speculation::default(), Vec::new());
    for seed in 0..50 {
        let (speculation, differs) = fared(&random(seed), None, &[RUNS[seed as usize % 6], (7, 90, seed + 1, AMPLE)]);
        let (_, watched) = fared(&random(seed), Some(race::Rules::default()), &[(3, 90, seed + 1, AMPLE)]);
        wrong.extend(differs.into_iter().chain(watched).map(|what| format!("seed {seed}: {what}")));
        add(&mut all, &speculation);
    }
    assert!(all.committed > 200 && all.discarded > 200 && all.waited > 50, "{all:?}");
    wrong
}

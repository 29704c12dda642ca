//! What is proven before a launch leaves accesses out of the search for races; that must not show in what is found.
//!
//! Random kernels with arrays in shared and global memory, barriers in straight code and in loops, trees, atomics, guards and
//! early returns run with and without proofs. Some barriers are missing, so that about half of the kernels race.
//!
//! Kernels that gather and scatter do too, of which something is assumed that is checked while they run: some keep it, some do not.

use crate::program::{TestWorld, load_on, modelled};
use emu::{Emulator, Grain, Options};
use fastrand::Rng;
use std::fmt::Write;

/// An index of shared memory, at most 160 for blocks of at most 64 threads.
fn index(rng: &mut Rng) -> String {
    match rng.usize(..12) {
        0..=3 => "i".into(),
        4 => format!("i+{}", rng.choice(["1", "32", "64", "h", "n"]).unwrap()),
        5 => "65-i".into(),
        6 => format!("2*i{}", rng.choice(["", "-1", "+1"]).unwrap()),
        7 => format!("mod(i,{})+1", rng.choice(["16", "32", "n"]).unwrap()),
        8 => "threadidx%y+9*threadidx%x".into(),
        9 => "threadidx%x+8*h".into(),
        10 => rng.choice(["1", "i/2+1", "h", "n", "i+64*mod(h,2)"]).unwrap().into(),
        _ => format!("{}(i,{})", rng.choice(["min", "max"]).unwrap(), rng.choice(["16", "n", "h"]).unwrap()),
    }
}

fn guard(rng: &mut Rng) -> String {
    format!(
        "i {} {}",
        rng.choice(["<=", "<", ">", "=="]).unwrap(),
        rng.choice(["16", "32", "h", "n", "1", "8"]).unwrap()
    )
}

fn simple(rng: &mut Rng, out: &mut String) {
    let (a, b) = (index(rng), index(rng));
    let text = match rng.usize(..11) {
        0 | 1 => format!("s({a}) = i"),
        2 => format!("s({a}) = s({b}) + 1"),
        3 => format!("t(threadidx%x,threadidx%y) = s({a})"),
        4 => format!("s({a}) = t(threadidx%y,threadidx%x)"),
        5 => format!("u = u + s({a})*s({b})"),
        6 => format!("x(i + 64*(blockidx%x-1)) = s({a})"),
        7 => format!("y({a}) = x(i) + u"),
        8 => format!(
            "u = atomicadd(y({}), {})",
            rng.choice(["1", "n", "mod(i,4)+4001"]).unwrap(),
            rng.choice(["1", "i"]).unwrap()
        ),
        9 => format!("u = {}(s({a}), 1)", rng.choice(["atomicadd", "atomicmax", "atomicor"]).unwrap()),
        _ => format!("s({a}) = x({b})"),
    };
    if rng.usize(..4) == 0 {
        writeln!(out, "if ({}) {text}", guard(rng)).expect("a string");
    } else {
        writeln!(out, "{text}").expect("a string");
    }
}

fn phase(rng: &mut Rng, out: &mut String, missing: usize) {
    for _ in 0..=rng.usize(..2) {
        simple(rng, out);
    }
    if rng.usize(..100) >= missing {
        out.push_str("call syncthreads()\n");
    }
}

/// A loop over widths that are halved or doubled.
fn tree(rng: &mut Rng, out: &mut String, missing: usize) {
    let loops = [
        ("h = 8\ndo while (h >= 1)", "h = h/2"),
        ("h = 32\ndo while (h > 0)", "h = ishft(h, -1)"),
        ("h = 1\ndo while (h < 32)", "h = h*2"),
        ("h = n\ndo while (h > 1)", "h = (h+1)/2"),
    ];
    let (head, step) = loops[rng.usize(..loops.len())];
    writeln!(out, "{head}").expect("a string");
    let text = match rng.usize(..8) {
        0 | 1 => "if (i <= h) s(i) = s(i) + s(i+h)",
        2 => "if (i < h) s(i) = s(i) + s(i+h)",
        3 => "if (i <= h-1) s(i) = s(i) + s(i+h)",
        4 => "if (mod(i-1, 2*h) == 0) s(i) = s(i) + s(i+h)",
        5 => "if (2*h*i <= 64) s(2*h*i) = s(2*h*i) + s(2*h*i-h)",
        6 => "if (i > h) u = s(i-h)",
        _ => "u = atomicadd(s(mod(i,h+1)+1), 1)",
    };
    writeln!(out, "{text}").expect("a string");
    if rng.usize(..3) == 0 {
        phase(rng, out, missing);
    } else if rng.usize(..100) >= missing {
        out.push_str("call syncthreads()\n");
    }
    writeln!(out, "{step}\nend do").expect("a string");
}

fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let missing = [0, 15, 40][rng.usize(..3)];
    let mut body = String::new();
    if rng.usize(..4) == 0 {
        writeln!(body, "if ({}) return", guard(&mut rng)).expect("a string");
    }
    for _ in 0..=rng.usize(..3) {
        match rng.usize(..4) {
            0 | 1 => phase(&mut rng, &mut body, missing),
            2 => {
                writeln!(body, "do h = 1, {}", rng.choice(["3", "n", "4"]).unwrap()).expect("a string");
                phase(&mut rng, &mut body, missing);
                if rng.usize(..2) == 0 {
                    phase(&mut rng, &mut body, missing);
                }
                body.push_str("end do\n");
            }
            _ => tree(&mut rng, &mut body, missing),
        }
    }
    simple(&mut rng, &mut body);
    let block = rng.choice(["8,4", "8,8", "4,8", "8,1"]).unwrap();
    let n = rng.choice(["5", "16", "32"]).unwrap();
    format!(
        "module m\nuse cudafor\ncontains\nattributes(global) subroutine k(n, x, y)\ninteger, value :: n\n\
        integer :: x(*), y(*)\ninteger, shared :: s(160), t(9,9)\ninteger :: i, h, u\n\
        i = threadidx%x + (threadidx%y-1)*blockdim%x\nu = 0\nh = 2\n{body}end subroutine\nend module\n\
        program p\nuse m\ninteger, device :: x(4096), y(4096)\ninteger :: h(4096), istat\nx = 1\ny = 2\n\
        call k<<<2, dim3({block},1)>>>({n}, x, y)\nistat = cudaDeviceSynchronize()\nh = x\nprint *, sum(h)\nh = y\n\
        print *, sum(h)\nend program\n"
    )
}

/// A statement of a kernel that gathers and scatters; `i` is the thread of the grid, `p` an array of subscripts.
fn irregular_statement(rng: &mut Rng) -> String {
    let mut array = || rng.choice(["x", "y", "z"]).unwrap();
    let (to, from) = (array(), array());
    match rng.usize(..14) {
        0..=2 => format!("{to}(i) = {from}(p(i))"),
        3 => format!("u = u + {from}(p(i))"),
        4 => format!("{to}(p(i)) = i"),
        5 => format!("{to}(p(i)) = {from}(i) + {from}(p(i))"),
        6 => format!("u = atomicadd({to}(p(i)), 1)"),
        7 => format!("{to}(i) = {to}(i) + u"),
        8 => format!("do h = 1, mod(i, 4)\n u = u + {from}(p(i + h))\nend do"),
        9 => format!("if ({from}(p(i)) > 4) {to}(i + 1) = u"),
        10 => format!("{to}(p(p(i))) = 7"),
        11 => format!("{to}(p(i) + 1024) = u"),
        12 => format!("if (mod(i, 5) < 3) {to}(p(i)) = 7*i"),
        _ => format!("if (u > 1000) {to}(u) = {from}(i)"),
    }
}

fn irregular_program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let body: String = (0..=rng.usize(..3)).map(|_| irregular_statement(&mut rng) + "\n").collect();
    let subscripts = rng.choice(["mod(7919*i, 1024) + 1", "mod(i, 100) + 1", "1025 - i", "i"]).unwrap();
    // Arrays of their own, or sections of one; in one stream, or in one besides the default stream.
    let (arrays, actual) =
        if rng.bool() { ("x(2048), y(2048), z(2048)", "x, y, z") } else { ("w(6144)", "w(1), w(2049), w(4097)") };
    let stream = if rng.bool() { ", 0, s" } else { "" };
    let clear = if arrays.starts_with('w') { "w = 3\n" } else { "x = 3\ny = 4\nz = 5\n" };
    let sum = if arrays.starts_with('w') { "h = w" } else { "h(:2048) = x\nh(2049:4096) = y\nh(4097:) = z" };
    format!(
        "module m\nuse cudafor\ncontains\nattributes(global) subroutine k(p, x, y, z)\ninteger :: p(*), x(*), y(*), z(*)\n\
        integer :: i, h, u\ni = threadidx%x + (blockidx%x-1)*blockdim%x\nu = 0\n{body}end subroutine\nend module\n\
        program t\nuse m\ninteger, device :: p(2048), {arrays}\ninteger :: h(6144), q(2048), i, istat\n\
        integer(cuda_stream_kind) :: s\nistat = cudaStreamCreate(s)\ndo i = 1, 2048\nq(i) = {subscripts}\nend do\n\
        p = max(1, min(q, 1024))\n{clear}istat = cudaDeviceSynchronize()\ndo i = 1, 3\n\
        call k<<<4, 256{stream}>>>(p, {actual})\nend do\nistat = cudaDeviceSynchronize()\n{sum}\nprint *, sum(h)\n\
        end program\n"
    )
}

/// What a program prints and what is found in it.
fn observe(text: &str, is_proving: bool) -> (String, String) {
    observe_on(text, is_proving, 1)
}

fn observe_on(text: &str, is_proving: bool, jobs: usize) -> (String, String) {
    observe_with(text, Options { race: Some(race::Rules::default()), is_proving, jobs, ..Options::default() })
}

/// What it prints where nobody looks for races.
fn unwatched_on(text: &str, jobs: usize) -> String {
    observe_with(text, Options { jobs, ..Options::default() }).0
}

fn observe_with(text: &str, options: Options) -> (String, String) {
    let grain = Grain { prologue: 10, worth: 10, chunk: 200, insists: true, ..Grain::default() };
    let options = Options { grain, ..options };
    let mut machine = load_on(text, Emulator::new(0, options), modelled());
    let mut world = TestWorld::default();
    machine.run(&mut world);
    let found: Vec<String> = machine.findings().iter().map(|f| format!("{f:#?}\n")).collect();
    (world.out, found.concat())
}

#[test]
fn proofs_change_no_finding_of_random_kernels() {
    let (mut racy, mut clean) = (0, 0);
    for seed in 0..400 {
        let text = program(seed);
        let (with, without) = (observe(&text, true), observe(&text, false));
        // A fault ends a launch, and then proofs say nothing.
        if without.1.contains("OutOfBounds") {
            continue;
        }
        assert!(with == without, "seed {seed}:\n{text}\nwith proofs {}\nwithout {}", with.1, without.1);
        if without.1.contains("Race {") { racy += 1 } else { clean += 1 }
    }
    assert!(racy > 100 && clean > 60, "{racy} racy, {clean} clean");
}

#[test]
fn assumptions_change_no_finding_of_kernels_that_gather_and_scatter() {
    let (mut racy, mut clean) = (0, 0);
    for seed in 0..300 {
        let text = irregular_program(seed);
        let without = observe(&text, false);
        assert!(!without.1.contains("OutOfBounds"), "seed {seed}:\n{text}\n{}", without.1);
        for jobs in [1, 3] {
            let with = observe_on(&text, true, jobs);
            assert!(
                with == without,
                "seed {seed}:\n{text}\nwith {} {}\nwithout {} {}",
                with.0,
                with.1,
                without.0,
                without.1
            );
            assert!(unwatched_on(&text, jobs) == without.0, "seed {seed} unwatched on {jobs} threads:\n{text}");
        }
        if without.1.contains("Race {") { racy += 1 } else { clean += 1 }
    }
    assert!(racy > 60 && clean > 60, "{racy} racy, {clean} clean");
}

#[test]
fn a_gather_of_the_last_blocks_is_held_against_the_assumption_on_every_number_of_threads() {
    let text = |subscript: i32| {
        format!(
            "module m\nuse cudafor\ncontains\nattributes(global) subroutine k(p, x, y)\ninteger :: p(*), i, j\n\
            real :: x(*), y(*), s\ni = threadidx%x + (blockidx%x-1)*blockdim%x\ns = 0\ndo j = 1, 20\n\
            s = s + x(p(i))\nend do\ny(i) = s\nend subroutine\nend module\nprogram t\nuse m\n\
            integer, parameter :: n = 4096\ninteger, device :: p(n)\nreal, device :: w(2*n)\n\
            integer :: i, istat, q(n)\ndo i = 1, n\nq(i) = i\nend do\nq(n) = {subscript}\np = q\nw = 1\n\
            call k<<<n/64, 64>>>(p, w, w(n+1))\nistat = cudaDeviceSynchronize()\nprint *, istat\nend program\n"
        )
    };
    // The first is what another block writes, which the last one reads.
    for (subscript, is_racy) in [(4097, true), (8192, false), (1, false)] {
        let text = text(subscript);
        let without = observe(&text, false);
        assert_eq!(without.1.contains("Race {"), is_racy, "{}", without.1);
        for jobs in [1, 2, 3] {
            assert!(observe_on(&text, true, jobs) == without, "{subscript} on {jobs} threads");
        }
    }
}

#[test]
fn a_store_of_the_last_blocks_to_what_an_earlier_one_stored_to_is_seen_on_every_number_of_threads() {
    // Besides stores, atomics with a result, by which blocks wait for their turn, or without one.
    for beside in [
        "",
        "if (mod(i, 500) == 0) u = atomicadd(c(1), 1)\nif (u > 10000) y(1) = u",
        "u = atomicadd(c(mod(p(i), 7) + 1), i)",
    ] {
        for last in [4096, 3, 4095] {
            let text = format!(
                "module m\nuse cudafor\ncontains\nattributes(global) subroutine k(p, y, c)\ninteger :: p(*), y(*), c(*), i, u\n\
                i = threadidx%x + (blockidx%x-1)*blockdim%x\nu = 0\n{beside}\ny(p(i)) = i\nend subroutine\nend module\n\
                program t\nuse m\ninteger, parameter :: n = 4096\ninteger, device :: p(n), y(n), c(7)\n\
                integer :: i, istat, q(n), h(n)\ndo i = 1, n - 1\nq(i) = n - i\nend do\nq(n) = {last}\np = q\nc = 0\n\
                do i = 1, 3\ncall k<<<n/64, 64>>>(p, y, c)\nend do\nistat = cudaDeviceSynchronize()\nh = y\n\
                print *, sum(int(h, 8)*q)\nq(:7) = c\nprint *, q(:7)\nend program\n"
            );
            let without = observe(&text, false);
            assert_eq!(without.1.contains("Race {"), last != 4096, "{}", without.1);
            for jobs in [1, 2, 3, 7] {
                let with = observe_on(&text, true, jobs);
                assert!(with == without, "{last} on {jobs} threads:\n{text}\n{} {}", with.1, without.1);
                assert!(unwatched_on(&text, jobs) == without.0, "{last} unwatched on {jobs} threads:\n{text}");
            }
        }
    }
}

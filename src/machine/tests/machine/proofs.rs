//! What is proven before a launch leaves accesses out of the search for races; that must not show in what is found.
//!
//! Random kernels with arrays in shared and global memory, barriers in straight code and in loops, trees, atomics, guards and
//! early returns run with and without proofs. Some barriers are missing, so that about half of the kernels race.

use crate::program::{TestWorld, load_on, modelled};
use emu::{Emulator, Options};
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

/// What a program prints and what is found in it.
fn observe(text: &str, is_proving: bool) -> (String, String) {
    let options = Options { race: Some(race::Rules::default()), is_proving, ..Options::default() };
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

//! What is claimed of kernels that take indices apart and put them together otherwise: colours of a grid, stages of a Fourier
//! transform, partners of a sorting network; in these shapes, and on random ones against counting.

use crate::count::{Run, accesses, counted, is_access, races};
use crate::{Launch, analyse, array, compile, kernel, letters, lin};
use fastrand::Rng;
use ir::analysis::footprint::{AccessId, Sharing};
use std::collections::BTreeMap;
use std::fmt::Write;

/// One sweep over the points of a colour; the guard and the neighbours are given.
fn sweep(guard: &str, a: &str, b: &str) -> String {
    format!(
        "attributes(global) subroutine kernel(n, c, u)\n integer, value :: n, c\n integer :: i, j\n real :: u(n,n)\n \
        i = (blockidx%x-1)*blockdim%x + threadidx%x\n j = (blockidx%y-1)*blockdim%y + threadidx%y\n \
        if (i == 1 .or. i >= n .or. j == 1 .or. j >= n) return\n \
        if ({guard}) u(i,j) = u(i,j) + u({a}) + u({b})\nend subroutine\n"
    )
}

#[test]
fn points_of_a_colour_are_apart_from_their_neighbours() {
    let launch = |colour| Launch { grid: [8, 32, 1], block: [32, 8, 1], args: vec![256, colour, array(0)] };
    for colour in [0, 1] {
        assert_eq!(letters(&sweep("mod(i+j,2) == c", "i-1,j", "i,j+1"), &launch(colour)), "TRRT");
        assert_eq!(letters(&sweep("iand(i+j,1) == c", "i+1,j", "i,j-1"), &launch(colour)), "TRRT");
        assert_eq!(letters(&sweep("mod(i+2*j,5) == c", "i-1,j", "i,j+1"), &launch(colour)), "TRRT", "five colours");
        assert_eq!(letters(&sweep("mod(i+j,2) == c", "i-1,j", "i-1,j-1"), &launch(colour)), "TRUU", "a diagonal");
        assert_eq!(letters(&sweep("mod(i+2*j,4) == c", "i-1,j", "i,j+2"), &launch(colour)), "TRUU", "two rows on");
        assert_eq!(letters(&sweep("mod(i+j,2) <= c", "i-1,j", "i,j+1"), &launch(1)), "TUUU", "both colours");
    }
}

/// A stage of a transform in place.
fn stage(a: &str) -> String {
    format!(
        "attributes(global) subroutine kernel(n, h, x)\n integer, value :: n, h\n integer :: i, a, b, v\n \
        integer :: x(0:n-1)\n i = (blockidx%x-1)*blockdim%x + threadidx%x - 1\n a = {a}\n b = a + h\n \
        v = x(b)\n x(b) = x(a)\n x(a) = v\nend subroutine\n"
    )
}

#[test]
fn butterflies_of_a_stage_are_apart() {
    let launch = |h| Launch { grid: lin(16), block: lin(64), args: vec![2048, h, array(0)] };
    for h in [1, 2, 3, 8, 64, 96, 512, 1024] {
        assert_eq!(letters(&stage("i/h*2*h + mod(i,h)"), &launch(h)), "TTTT", "{h}");
    }
    assert_eq!(letters(&stage("i/h*2*h + mod(i,h+1)"), &launch(8)), "UUUU", "an element too many");
    assert_eq!(letters(&stage("i/h*h + mod(i,h)"), &launch(8)), "UUUU", "too near");
}

#[test]
fn partners_that_differ_in_one_bit_are_a_pair() {
    let text = |a: &str| {
        format!(
            "attributes(global) subroutine kernel(j, x)\n integer, value :: j\n integer :: i, a, b, v\n \
            integer :: x(0:*)\n i = (blockidx%x-1)*blockdim%x + threadidx%x - 1\n a = {a}\n b = ieor(a, j)\n \
            v = x(b)\n x(b) = x(a)\n x(a) = v\nend subroutine\n"
        )
    };
    let launch = |j| Launch { grid: lin(16), block: lin(64), args: vec![j, array(0)] };
    for j in [1, 2, 16, 64, 512] {
        assert_eq!(letters(&text("2*i - iand(i, j-1)"), &launch(j)), "TTTT", "{j}");
    }
    assert_eq!(letters(&text("i"), &launch(16)), "UUUU", "both partners do it");
    assert_eq!(letters(&text("2*i - iand(i, j-1)"), &launch(6)), "UUUU", "two bits");
    let text = "attributes(global) subroutine kernel(x)\n integer :: i, x(*)\n i = threadidx%x - 1\n \
        x(100 + ieor(-i, 8)) = i\n if (i == 0) x(91) = i\nend subroutine\n";
    // -1 with that bit flipped is -9.
    assert_eq!(letters(text, &Launch { grid: lin(1), block: lin(8), args: vec![array(0)] }), "BB", "negative numbers");
}

#[test]
fn upper_bits_of_a_real_are_a_small_number() {
    let text = |by: &str| {
        format!(
            "attributes(global) subroutine kernel(r, t, x)\n real :: r(*)\n integer :: t(0:*), x(*), i\n \
            i = (blockidx%x-1)*blockdim%x + threadidx%x\n x(i) = t(ishft(transfer(r(i), 1), {by}))\nend subroutine\n"
        )
    };
    // The table lies before `x`, with room for so many elements.
    let launch =
        |room: u64| Launch { grid: lin(4), block: lin(64), args: vec![array(0), array(2) - 4 * room, array(2)] };
    assert_eq!(letters(&text("-23"), &launch(512)), "RRT");
    assert_eq!(letters(&text("-23"), &launch(511)), "RUU", "the sign is one of the bits");
    assert_eq!(letters(&text("-22"), &launch(1024)), "RRT");
}

/// What random kernels know: whole numbers that are the same in all threads.
const UNIFORM: [&str; 9] = ["h", "h", "2*h", "n", "1", "2", "3", "4", "8"];

/// A value that an index consists of.
fn part(rng: &mut Rng, depth: usize) -> String {
    let by = *rng.choice(&UNIFORM).unwrap();
    if depth == 0 {
        return rng.choice(["i", "i", "i", "j", "j", "u", "k", "threadidx%x", "blockidx%x"]).unwrap().into();
    }
    let inner = if rng.usize(..3) == 0 { sum(rng, depth - 1) } else { part(rng, 0) };
    match rng.usize(..13) {
        0 | 1 => format!("({inner})/{}", by.replace("2*h", "(2*h)")),
        2 | 3 => format!("mod({inner},{by})"),
        4 => format!("iand({inner},{by}-1)"),
        5 | 6 => {
            let from = rng.choice(["", "", "4-", "1-", "-"]).unwrap();
            format!("ieor({from}({inner}),{})", rng.choice(["h", "1", "2", "4", "8", "3"]).unwrap())
        }
        7 => format!("({inner})/h*2*h + mod({inner},h)"),
        8 => format!("2*({inner}) - iand({inner},h-1)"),
        9 => format!("ishft({inner},{})", rng.choice(["1", "-1", "-2", "2"]).unwrap()),
        10 => format!("({inner})/h*h*{} + mod({inner},{by})", rng.choice(["2", "3", "n"]).unwrap()),
        11 => format!("{}({inner},{by})", rng.choice(["min", "max"]).unwrap()),
        _ => inner,
    }
}

/// Parts with factors, and a constant.
fn sum(rng: &mut Rng, depth: usize) -> String {
    let mut out = part(rng, depth);
    for _ in 0..[0, 0, 1, 1, 2][rng.usize(..5)] {
        let factor = rng.choice(["", "", "", "2*", "h*", "2*h*", "n*", "8*", "(-1)*"]).unwrap();
        write!(out, " {} {factor}({})", rng.choice(["+", "+", "-"]).unwrap(), part(rng, depth)).unwrap();
    }
    match rng.usize(..40) {
        0..=9 => write!(out, " {}", rng.choice(["+1", "-1", "+h", "-h", "+n", "-7"]).unwrap()).unwrap(),
        // Near the ends of 32 bits.
        10 => write!(out, " {}", rng.choice(["+2147483640", "-2147483640", "+1073741824"]).unwrap()).unwrap(),
        _ => {}
    }
    out
}

fn condition(rng: &mut Rng) -> String {
    let of = |rng: &mut Rng| {
        rng.choice(["i+j", "i+j", "i+j+k", "i+2*j", "i-j", "i", "j", "3*i+j", "i+u", "i+j+u", "2*i+j"])
            .unwrap()
            .to_owned()
    };
    match rng.usize(..9) {
        0..=3 => {
            let m = rng.choice(["2", "2", "2", "3", "4", "h"]).unwrap();
            format!(
                "mod({},{m}) {} {}",
                of(rng),
                rng.choice(["==", "==", "==", "/="]).unwrap(),
                rng.choice(["c", "c", "1-c", "0"]).unwrap()
            )
        }
        4 => format!("iand({},1) == c", of(rng)),
        5 => format!("{} == 2*u + c", of(rng)),
        6 => format!("{} == {}", sum(rng, 1), sum(rng, 0)),
        7 => format!("{} < {}", of(rng), rng.choice(["h", "n", "8", "5"]).unwrap()),
        _ => format!("{} {} c", part(rng, 1), rng.choice(["==", ">=", "<"]).unwrap()),
    }
}

fn place(rng: &mut Rng) -> String {
    let near = |rng: &mut Rng| (*rng.choice(&["", "", "+1", "-1", "+2", "+h"]).unwrap()).to_owned();
    match rng.usize(..10) {
        0..=2 => format!("a(i{},j{})", near(rng), near(rng)),
        3..=5 => format!("x(v{})", near(rng)),
        6 => format!("x(w{})", near(rng)),
        7 => format!("s({})", rng.choice(["v", "w", "v+h", "ieor(v,h)"]).unwrap()),
        _ => format!("x({})", sum(rng, 2)),
    }
}

fn statement(rng: &mut Rng, out: &mut String) {
    match rng.usize(..8) {
        0 | 1 => writeln!(out, "{} = i", place(rng)),
        2..=4 => writeln!(out, "{} = {}", place(rng), place(rng)),
        5 => writeln!(
            out,
            "u = {}",
            rng.choice(["x(0)", "iand(x(i),7)", "mod(x(j),3)", "i/2", "(i+j)/2", "ieor(i,1)"]).unwrap()
        ),
        6 => writeln!(out, "{} = {}", rng.choice(["v", "w"]).unwrap(), sum(rng, 2)),
        _ => writeln!(
            out,
            "v = {}",
            rng.choice(["ieor(v,h)", "ieor(-v,h)", "v+h", "w", "v/2", "ieor(w,h)", "h-v"]).unwrap()
        ),
    }
    .unwrap();
}

fn random_kernel(seed: u64) -> (String, Launch) {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let mut body = String::new();
    body += rng
        .choice([
            "i = (blockidx%x-1)*blockdim%x + threadidx%x\n",
            "i = (blockidx%x-1)*blockdim%x + threadidx%x - 1\n",
            "i = (blockidx%x-1)*blockdim%x + threadidx%x - 1\n",
            "i = threadidx%x - 1\n",
            "i = (blockidx%x-1)*blockdim%x + threadidx%x - 6\n",
            "i = 7 - threadidx%x - blockdim%x*blockidx%x\n",
            "i = 2147483647 - threadidx%x\n",
        ])
        .unwrap();
    body += rng
        .choice([
            "j = (blockidx%y-1)*blockdim%y + threadidx%y\n",
            "j = threadidx%y - 1\n",
            "j = i/h\n",
            "j = blockidx%x\n",
            "j = mod(i, n)\ni = i/n\n",
        ])
        .unwrap();
    writeln!(body, "u = {}", rng.choice(["0", "i", "iand(x(i),3)", "x(j)"]).unwrap()).unwrap();
    body += rng
        .choice(["v = i/h*2*h + mod(i,h)\nw = v + h\n", "v = 2*i - iand(i,h-1)\nw = ieor(v,h)\n", "v = i\nw = j\n"])
        .unwrap();
    let wide = rng.usize(..5) == 0;
    let looped = rng.usize(..5) == 0;
    if looped {
        writeln!(
            body,
            "do k = {}, {}, {}",
            rng.choice(["0", "1", "c", "i"]).unwrap(),
            rng.choice(["3", "n", "6"]).unwrap(),
            rng.choice(["1", "2", "h"]).unwrap()
        )
        .unwrap();
    } else {
        writeln!(body, "k = {}", rng.choice(["1", "i", "j"]).unwrap()).unwrap();
    }
    let guards = rng.usize(..3);
    for g in 0..guards {
        if rng.usize(..6) == 0 && !looped {
            writeln!(body, "if ({}) return", condition(rng)).unwrap();
        }
        if g + 1 == guards || rng.bool() {
            writeln!(body, "if ({}) then", condition(rng)).unwrap();
            for _ in 0..=rng.usize(..2) {
                statement(rng, &mut body);
            }
            if rng.usize(..4) == 0 {
                body += "else\n";
                statement(rng, &mut body);
            }
            body += "end if\n";
        }
    }
    if rng.usize(..3) == 0 || guards == 0 {
        statement(rng, &mut body);
        writeln!(body, "{} = {}", place(rng), place(rng)).unwrap();
    }
    if looped {
        body += "end do\n";
    }
    let kind = if wide { "integer(8)" } else { "integer" };
    let text = format!(
        "attributes(global) subroutine kernel(n, h, c, x, a)\ninteger, value :: n, h, c\ninteger :: x(0:*), a(0:n-1,0:*)\n\
        integer, shared :: s(0:63)\ninteger :: i, j, k, u\n{kind} :: v, w\n{body}end subroutine\n"
    );
    // `ieor` and the like want operands of one kind.
    let text = if wide { text.replace("v,h)", "v,int(h,8))").replace("w,h)", "w,int(h,8))") } else { text };
    let small = |rng: &mut Rng, most: usize| 1 + rng.usize(..most) as u32;
    let block = [small(rng, 8), small(rng, 3), 1];
    let grid = [small(rng, 4), small(rng, 2), 1];
    let n = 1 + rng.usize(..12) as u64;
    let h = *rng.choice(&[1, 2, 4, 8, 2, 4, 3, 5]).unwrap();
    let c = rng.usize(..2) as u64;
    let a = if rng.bool() { array(0) + 4 * rng.usize(..12) as u64 } else { array(1) };
    (text, Launch { grid, block, args: vec![n, h, c, array(0), a] })
}

#[test]
fn what_is_claimed_of_random_digits_holds() {
    let number = |name: &str, other| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(other);
    let (first, count) = (number("CUFEMU_FOOTPRINT_SEED", 0), number("CUFEMU_FOOTPRINT_KERNELS", 600));
    let (mut apart, mut proven) = (0u32, 0u32);
    for seed in first..first + count {
        let (text, launch) = random_kernel(seed);
        let module = compile(&text, (seed % 3 != 0).into());
        let func = kernel(&module);
        let f = module.func(func);
        let Some(run) = Run::all(f, &launch) else { continue };
        let found = analyse(&module, &launch);
        let kinds: BTreeMap<u32, bool> = accesses(f).into_iter().collect();
        let context = || format!("seed {seed} {:?} {:?} {:?}\n{text}", launch.grid, launch.block, launch.args);
        let global: BTreeMap<_, _> =
            run.notes.iter().filter(|(n, _)| kinds.contains_key(n)).map(|(&n, of)| (n, of.clone())).collect();
        for &number in kinds.keys() {
            let claimed = found.sharing(AccessId { func, number });
            let counted = counted(&global, &kinds, number);
            assert!(claimed >= counted, "access {number} is {counted:?}, claimed is {claimed:?}\n{}", context());
            apart += u32::from(counted < Sharing::BlockDisjoint);
            proven += u32::from(claimed < Sharing::BlockDisjoint);
        }
        let numbers = f.blocks.iter().flat_map(|b| &b.insts).filter(|inst| is_access(&inst.kind)).count();
        for number in 0..numbers as u32 {
            let is_racing = races(f, &run.notes, number);
            let is_claimed = !found.races(AccessId { func, number });
            assert!(!(is_racing && is_claimed), "access {number} races\n{}", context());
        }
        let is_any = (0..numbers as u32).any(|number| races(f, &run.notes, number));
        assert!(!(is_any && found.is_free_of_races()), "{}", context());
    }
    assert!(proven * 3 > apart, "{proven} of {apart} claims that could be made were made");
}

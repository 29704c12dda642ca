//! The claims of the analysis on random kernels, against counting.

use crate::count::{Run, accesses, counted};
use crate::{Launch, analyse, array, compile, kernel};
use fastrand::Rng;
use ir::analysis::footprint::{AccessId, Footprint, Sharing};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A random integer expression of thread indices, variables and arguments.
fn index(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.usize(..4) == 0 {
        return rng
            .choice(["i", "i", "j", "k", "u", "n", "m", "1", "2", "threadidx%x", "blockidx%x", "threadidx%y"])
            .unwrap()
            .into();
    }
    let (a, b) = (index(rng, depth - 1), index(rng, depth - 1));
    match rng.usize(..14) {
        0..=3 => format!("({a}+{b})"),
        4 | 5 => format!("({a}-{b})"),
        6 => format!("({a}*{})", rng.choice(["2", "3", "n", "m", "8"]).unwrap()),
        7 => format!("(({b}-1)*n+{a})"),
        8 => format!("mod({a},{})", rng.choice(["n", "4", "m"]).unwrap()),
        9 => format!("({a}/{})", rng.choice(["2", "n", "4", "m"]).unwrap()),
        10 => format!("{}({a},{b})", rng.choice(["min", "max"]).unwrap()),
        11 => format!("iand({a},{})", rng.choice(["3", "7", "12"]).unwrap()),
        12 => format!("ishft({a},{})", rng.choice(["1", "2", "-1"]).unwrap()),
        _ => format!("int(int({a},8)*{b})"),
    }
}

fn condition(rng: &mut Rng) -> String {
    let one = |rng: &mut Rng| {
        let op = rng.choice(["<=", "<", ">", ">=", "==", "/="]).unwrap();
        format!("{} {op} {}", index(rng, 1), rng.choice(["n", "m", "1", "2", "n*m", "j", "5"]).unwrap())
    };
    let first = one(rng);
    match rng.usize(..4) {
        0 => format!("{first} .and. {}", one(rng)),
        1 => format!("{first} .or. {}", one(rng)),
        _ => first,
    }
}

fn statements(rng: &mut Rng, out: &mut String, depth: usize, count: usize) {
    for _ in 0..count {
        match rng.usize(..if depth == 0 { 8 } else { 14 }) {
            0..=2 => writeln!(out, "{}({}) = i", rng.choice(["x", "x", "y"]).unwrap(), index(rng, 2)).unwrap(),
            3 => writeln!(out, "y({}) = x({}) + 1", index(rng, 2), index(rng, 2)).unwrap(),
            4 => writeln!(out, "u = {}", index(rng, 2)).unwrap(),
            5 => writeln!(out, "a(i,j) = x({})", index(rng, 1)).unwrap(),
            6 => writeln!(out, "y(i) = y(i) + a(j,i)").unwrap(),
            7 => writeln!(out, "u = x({})", rng.choice(["1", "n", "i"]).unwrap()).unwrap(),
            8..=10 => {
                writeln!(out, "if ({}) then", condition(rng)).unwrap();
                let count = 1 + rng.usize(..2);
                statements(rng, out, depth - 1, count);
                writeln!(out, "end if").unwrap();
            }
            11 | 12 => {
                let first = index(rng, 1);
                let (last, step) =
                    (rng.choice(["n", "m", "4", "i", "n*m"]).unwrap(), rng.choice(["1", "1", "2", "n", "-1"]).unwrap());
                let var = if depth == 2 { "k" } else { "j" };
                writeln!(out, "do {var} = {first}, {last}, {step}").unwrap();
                let count = 1 + rng.usize(..2);
                statements(rng, out, depth - 1, count);
                writeln!(out, "end do").unwrap();
            }
            _ => {
                writeln!(out, "do while (u <= {})", rng.choice(["n", "m", "9"]).unwrap()).unwrap();
                let count = 1 + rng.usize(..2);
                statements(rng, out, 0, count);
                writeln!(out, "u = u + {}", rng.choice(["1", "n", "2", "griddim%x*blockdim%x"]).unwrap()).unwrap();
                writeln!(out, "end do").unwrap();
            }
        }
    }
}

fn random_kernel(seed: u64) -> (String, Launch) {
    let mut rng = Rng::with_seed(seed);
    let mut body = String::new();
    body += rng
        .choice([
            "i = (blockidx%x-1)*blockdim%x + threadidx%x\n",
            "i = (blockidx%x-1)*blockdim%x + threadidx%x\n",
            "i = threadidx%x\n",
            "i = blockdim%x*griddim%x - ((blockidx%x-1)*blockdim%x + threadidx%x)\n",
        ])
        .unwrap();
    body += rng
        .choice([
            "j = (blockidx%y-1)*blockdim%y + threadidx%y\n",
            "j = threadidx%y\n",
            "j = blockidx%x\n",
            "j = mod(i, n) + 1\ni = i/n + 1\n",
        ])
        .unwrap();
    body += rng.choice(["k = 1\nu = 0\n", "k = i\nu = j\n", "k = j\nu = i + n*(j-1)\n"]).unwrap();
    body += rng
        .choice(["", "", "if (i > n) return\n", "if (i <= n .and. j <= m) then\nk = 2\nelse\nreturn\nend if\n"])
        .unwrap();
    let count = 1 + rng.usize(..4);
    statements(&mut rng, &mut body, 2, count);
    let text = format!(
        "attributes(global) subroutine kernel(n, m, x, y, a)\ninteger, value :: n, m\ninteger :: x(*), y(*), a(n,m)\n\
        integer :: i, j, k, u\n{body}end subroutine\n"
    );
    let small = |rng: &mut Rng, most: usize| 1 + rng.usize(..most) as u32;
    let block = [small(&mut rng, 6), small(&mut rng, 3), 1];
    let grid = [small(&mut rng, 4), small(&mut rng, 3), 1];
    let n = 1 + rng.usize(..9) as u64;
    let m = 1 + rng.usize(..9) as u64;
    let y = if rng.usize(..3) == 0 { array(0) + 4 * rng.usize(..12) as u64 } else { array(1) };
    let a = if rng.usize(..3) == 0 { array(1) + 4 * rng.usize(..12) as u64 } else { array(2) };
    (text, Launch { grid, block, args: vec![n, m, array(0), y, a] })
}

/// The bytes that a launch is said to read, and to write, if anything is said of them.
fn touched(found: &Footprint) -> Vec<(bool, BTreeSet<u64>)> {
    let Some(runs) = found.runs() else { return Vec::new() };
    let of = |is_write: bool| {
        let mut out = BTreeSet::new();
        for runs in runs.iter().filter(|runs| runs.is_write == is_write) {
            runs.for_each(&mut |low| out.extend(low..low + runs.bytes));
        }
        (is_write, out)
    };
    vec![of(false), of(true)]
}

#[test]
fn what_is_claimed_of_random_kernels_holds() {
    let count = std::env::var("CUFEMU_FOOTPRINT_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let (mut claims, mut exact, mut told) = (0u32, 0u32, 0u32);
    for seed in 0..count {
        let (text, launch) = random_kernel(seed);
        for level in [0, 1] {
            let module = compile(&text, level);
            let func = kernel(&module);
            let f = module.func(func);
            let Some(run) = Run::all(f, &launch) else { continue };
            let found = analyse(&module, &launch);
            let kinds: BTreeMap<u32, bool> = accesses(f).into_iter().collect();
            for (is_write, claimed) in touched(&found) {
                let by = run.notes.iter().filter(|(number, _)| kinds.get(number) == Some(&is_write));
                let counted: BTreeSet<u64> = by.flat_map(|(_, notes)| notes.keys().copied()).collect();
                assert!(claimed == counted, "seed {seed}, level {level}: {claimed:?} not {counted:?}\n{text}");
                told += u32::from(is_write && !counted.is_empty());
            }
            for &number in kinds.keys() {
                let claimed = found.sharing(AccessId { func, number });
                let counted = counted(&run.notes, &kinds, number);
                assert!(
                    claimed >= counted,
                    "seed {seed}, level {level}: access {number} is {counted:?}, claimed is {claimed:?}\n\
                    {:?} {:?} {:?}\n{text}",
                    launch.grid,
                    launch.block,
                    launch.args,
                );
                claims += u32::from(counted != Sharing::Unknown);
                exact += u32::from(counted != Sharing::Unknown && claimed != Sharing::Unknown);
            }
        }
    }
    assert!(told > 60, "the bytes of {told} launches are told exactly");
    assert!(exact * 4 > claims, "{exact} of {claims} claims that could be made were made");
}

/// The bytes that a kernel of one or two dimensions writes, as runs: first element, elements, stride and count of each level.
#[test]
fn bytes_are_told_where_each_dimension_has_bounds_of_its_own() {
    let of = |body: &str, grid, block, n: u64, m: u64| {
        let text = format!(
            "attributes(global) subroutine kernel(n, m, x)\n integer, value :: n, m\n real :: x(n,m)\n integer :: i, j, t\n \
            i = (blockidx%x-1)*blockdim%x + threadidx%x\n j = (blockidx%y-1)*blockdim%y + threadidx%y\n {body}\nend \
            subroutine\n"
        );
        let found = analyse(&compile(&text, 1), &Launch { grid, block, args: vec![n, m, array(0)] });
        let runs = found.runs()?.iter().filter(|runs| runs.is_write);
        Some(runs.map(|r| (r.low - array(0), r.bytes, r.levels.clone())).collect::<Vec<_>>())
    };
    let (grid, block) = ([4, 3, 1], [16, 8, 1]);
    let inside = "if (i > 1 .and. i < n .and. j > 1 .and. j < m) x(i,j) = 1.0";
    assert_eq!(of(inside, grid, block, 50, 20), Some(vec![(4 * 51, 4 * 48, vec![(4 * 50, 18)])]));
    assert_eq!(of("if (i > n .or. j > m) return\n x(i,j) = 1.0", grid, block, 50, 20), Some(vec![(0, 4000, vec![])]));
    assert_eq!(of("if (i <= n .and. j == 2) x(n+1-i,m) = 0", grid, block, 50, 20), Some(vec![(3800, 200, vec![])]));
    assert_eq!(of("if (2*i <= n) x(2*i,1) = 0", grid, block, 50, 1), Some(vec![(4, 4, vec![(8, 25)])]));
    // Behind a loop that all threads leave, and in one that does the same in each iteration.
    let rows = "do t = 1, m\n if (i <= n) x(i,t) = 2\n end do";
    assert_eq!(of(rows, grid, block, 50, 20), Some(vec![(0, 4000, vec![])]));
    assert_eq!(of("do t = 1, m, 2\n x(i,t) = 2\n end do", grid, block, 64, 5), Some(vec![(0, 256, vec![(512, 3)])]));
    assert_eq!(of("do t = i, n, 64\n x(t,1) = 2\n end do", grid, block, 200, 5), None, "not the same for all threads");
    assert_eq!(of("do t = 1, m\n if (x(t,1) > 0) exit\n x(i,t) = 2\n end do", grid, block, 64, 5), None);
    let behind = "do t = 1, m\n if (i <= n) x(i,1) = x(i,1) + t\n end do\n if (i <= n) x(i,2) = 1";
    let alone = Some(vec![(0, 200, vec![]), (200, 200, vec![])]);
    assert!(of(behind, grid, block, 50, 20).is_none_or(|runs| Some(runs) == alone));
    // Conditions of which nothing is known, and of which no conjunction of forms is made.
    assert_eq!(of("if (x(i,j) > 0) x(i,j) = 0", grid, block, 64, 24), None);
    assert_eq!(of("if (i == 3 .or. j == 4) x(i,j) = 0", grid, block, 64, 24), None);
}

//! The claims of the analysis on random kernels, against counting.

use crate::count::{Run, accesses, counted};
use crate::{Launch, analyse, array, compile, kernel};
use ir::analysis::footprint::{AccessId, Sharing};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A small generator of random numbers (Steele, Lea and Flood's `SplitMix64`).
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// A random integer expression of thread indices, variables and arguments.
fn index(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.below(4) == 0 {
        return rng
            .pick(&["i", "i", "j", "k", "u", "n", "m", "1", "2", "threadidx%x", "blockidx%x", "threadidx%y"])
            .into();
    }
    let (a, b) = (index(rng, depth - 1), index(rng, depth - 1));
    match rng.below(14) {
        0..=3 => format!("({a}+{b})"),
        4 | 5 => format!("({a}-{b})"),
        6 => format!("({a}*{})", rng.pick(&["2", "3", "n", "m", "8"])),
        7 => format!("(({b}-1)*n+{a})"),
        8 => format!("mod({a},{})", rng.pick(&["n", "4", "m"])),
        9 => format!("({a}/{})", rng.pick(&["2", "n", "4", "m"])),
        10 => format!("{}({a},{b})", rng.pick(&["min", "max"])),
        11 => format!("iand({a},{})", rng.pick(&["3", "7", "12"])),
        12 => format!("ishft({a},{})", rng.pick(&["1", "2", "-1"])),
        _ => format!("int(int({a},8)*{b})"),
    }
}

fn condition(rng: &mut Rng) -> String {
    let one = |rng: &mut Rng| {
        let op = rng.pick(&["<=", "<", ">", ">=", "==", "/="]);
        format!("{} {op} {}", index(rng, 1), rng.pick(&["n", "m", "1", "2", "n*m", "j", "5"]))
    };
    let first = one(rng);
    match rng.below(4) {
        0 => format!("{first} .and. {}", one(rng)),
        1 => format!("{first} .or. {}", one(rng)),
        _ => first,
    }
}

fn statements(rng: &mut Rng, out: &mut String, depth: usize, count: usize) {
    for _ in 0..count {
        match rng.below(if depth == 0 { 8 } else { 14 }) {
            0..=2 => writeln!(out, "{}({}) = i", rng.pick(&["x", "x", "y"]), index(rng, 2)).unwrap(),
            3 => writeln!(out, "y({}) = x({}) + 1", index(rng, 2), index(rng, 2)).unwrap(),
            4 => writeln!(out, "u = {}", index(rng, 2)).unwrap(),
            5 => writeln!(out, "a(i,j) = x({})", index(rng, 1)).unwrap(),
            6 => writeln!(out, "y(i) = y(i) + a(j,i)").unwrap(),
            7 => writeln!(out, "u = x({})", rng.pick(&["1", "n", "i"])).unwrap(),
            8..=10 => {
                writeln!(out, "if ({}) then", condition(rng)).unwrap();
                let count = 1 + rng.below(2);
                statements(rng, out, depth - 1, count);
                writeln!(out, "end if").unwrap();
            }
            11 | 12 => {
                let first = index(rng, 1);
                let (last, step) = (rng.pick(&["n", "m", "4", "i", "n*m"]), rng.pick(&["1", "1", "2", "n", "-1"]));
                let var = if depth == 2 { "k" } else { "j" };
                writeln!(out, "do {var} = {first}, {last}, {step}").unwrap();
                let count = 1 + rng.below(2);
                statements(rng, out, depth - 1, count);
                writeln!(out, "end do").unwrap();
            }
            _ => {
                writeln!(out, "do while (u <= {})", rng.pick(&["n", "m", "9"])).unwrap();
                let count = 1 + rng.below(2);
                statements(rng, out, 0, count);
                writeln!(out, "u = u + {}", rng.pick(&["1", "n", "2", "griddim%x*blockdim%x"])).unwrap();
                writeln!(out, "end do").unwrap();
            }
        }
    }
}

fn random_kernel(seed: u64) -> (String, Launch) {
    let mut rng = Rng(seed);
    let mut body = String::new();
    body += rng.pick(&[
        "i = (blockidx%x-1)*blockdim%x + threadidx%x\n",
        "i = (blockidx%x-1)*blockdim%x + threadidx%x\n",
        "i = threadidx%x\n",
        "i = blockdim%x*griddim%x - ((blockidx%x-1)*blockdim%x + threadidx%x)\n",
    ]);
    body += rng.pick(&[
        "j = (blockidx%y-1)*blockdim%y + threadidx%y\n",
        "j = threadidx%y\n",
        "j = blockidx%x\n",
        "j = mod(i, n) + 1\ni = i/n + 1\n",
    ]);
    body += rng.pick(&["k = 1\nu = 0\n", "k = i\nu = j\n", "k = j\nu = i + n*(j-1)\n"]);
    body += rng.pick(&["", "", "if (i > n) return\n", "if (i <= n .and. j <= m) then\nk = 2\nelse\nreturn\nend if\n"]);
    let count = 1 + rng.below(4);
    statements(&mut rng, &mut body, 2, count);
    let text = format!(
        "attributes(global) subroutine k(n, m, x, y, a)\ninteger, value :: n, m\ninteger :: x(*), y(*), a(n,m)\n\
        integer :: i, j, k, u\n{body}end subroutine\n"
    );
    let small = |rng: &mut Rng, most: usize| 1 + rng.below(most) as u32;
    let block = [small(&mut rng, 6), small(&mut rng, 3), 1];
    let grid = [small(&mut rng, 4), small(&mut rng, 3), 1];
    let n = 1 + rng.below(9) as u64;
    let m = 1 + rng.below(9) as u64;
    let y = if rng.below(3) == 0 { array(0) + 4 * rng.below(12) as u64 } else { array(1) };
    let a = if rng.below(3) == 0 { array(1) + 4 * rng.below(12) as u64 } else { array(2) };
    (text, Launch { grid, block, args: vec![n, m, array(0), y, a] })
}

#[test]
fn what_is_claimed_of_random_kernels_holds() {
    let count = std::env::var("CUFEMU_FOOTPRINT_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let (mut claims, mut exact) = (0u32, 0u32);
    for seed in 0..count {
        let (text, launch) = random_kernel(seed);
        for level in [0, 1] {
            let module = compile(&text, level);
            let func = kernel(&module);
            let f = module.func(func);
            let Some(run) = Run::all(f, &launch) else { continue };
            let found = analyse(&module, &launch);
            let kinds: BTreeMap<u32, bool> = accesses(f).into_iter().collect();
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
    assert!(exact * 4 > claims, "{exact} of {claims} claims that could be made were made");
}

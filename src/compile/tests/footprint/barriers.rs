//! What is claimed of races between barriers: in the shapes of tiles, trees and scans, and on random ones against counting.

use crate::count::{Run, is_access, races};
use crate::{Launch, TRANSPOSE, analyse, array, compile, kernel, lin};
use fastrand::Rng;
use ir::InstKind;
use ir::analysis::footprint::AccessId;
use std::fmt::Write;

/// The kernel's accesses of shared memory in the order of the code, as letters: `B` if another thread of the block may race,
/// `-` if not.
fn shared_letters(text: &str, launch: &Launch) -> String {
    let module = compile(text, 1);
    let func = kernel(&module);
    let found = analyse(&module, launch);
    let is_shared = |kind: &InstKind| match kind {
        InstKind::Load { space, .. } | InstKind::Store { space, .. } | InstKind::Atomic { space, .. } => {
            *space == ir::Space::Shared
        }
        _ => false,
    };
    let insts = module.func(func).blocks.iter().flat_map(|b| &b.insts).filter(|inst| is_access(&inst.kind));
    let shared = insts.enumerate().filter(|(_, inst)| is_shared(&inst.kind));
    let letter = |number| if found.races_between_barriers(AccessId { func, number }) { 'B' } else { '-' };
    shared.map(|(number, _)| letter(number as u32)).collect()
}

#[test]
fn tiles_between_barriers_are_disjoint() {
    let product = |first: &str, second: &str| {
        format!(
            "attributes(global) subroutine kernel(a, b, c, n)\n integer, value :: n\n real :: a(n,n), b(n,n), c(n,n)\n \
            integer :: i, j, kb, k, tx, ty\n real, shared :: asub(16,16), bsub(16,16)\n real :: cij\n \
            tx = threadidx%x\n ty = threadidx%y\n i = (blockidx%x-1)*16 + tx\n j = (blockidx%y-1)*16 + ty\n \
            cij = 0.0\n do kb = 1, n, 16\n asub(tx,ty) = a(i,kb+ty-1)\n bsub(tx,ty) = b(kb+tx-1,j)\n {first}\n \
            do k = 1, 16\n cij = cij + asub(tx,k)*bsub(k,ty)\n end do\n {second}\n end do\n c(i,j) = cij\n\
            end subroutine\n"
        )
    };
    let args = vec![array(0), array(1), array(2), 128];
    let launch = Launch { grid: [8, 8, 1], block: [16, 16, 1], args };
    let barrier = "call syncthreads()";
    assert_eq!(shared_letters(&product(barrier, barrier), &launch), "----");
    assert_eq!(shared_letters(&product(barrier, ""), &launch), "BBBB");
    assert_eq!(shared_letters(&product("", barrier), &launch), "BBBB");
    let large = Launch { block: [17, 16, 1], ..launch };
    assert_eq!(shared_letters(&product(barrier, barrier), &large), "BB--", "a block larger than the tile");
}

#[test]
fn a_padded_tile_is_disjoint() {
    let launch = Launch { grid: [8, 8, 1], block: [32, 8, 1], args: vec![array(0), array(4), 256] };
    assert_eq!(shared_letters(TRANSPOSE, &launch), "--");
}

/// A kernel that fills shared memory, does `body`, and has one thread store a sum.
fn fold(declared: &str, body: &str) -> String {
    format!(
        "attributes(global) subroutine kernel(x, n, r)\n integer :: x(*), r(*)\n integer, value :: n\n \
        integer, shared :: {declared}\n integer :: t, i, h, k, m, v\n t = threadidx%x\n s(t) = 0\n \
        do i = (blockidx%x-1)*blockdim%x + t, n, blockdim%x*griddim%x\n s(t) = s(t) + x(i)\n end do\n \
        call syncthreads()\n {body}\n if (t == 1) r(blockidx%x) = s(1)\nend subroutine\n"
    )
}

fn is_free(text: &str) -> bool {
    let module = compile(text, 1);
    let launch = Launch { grid: lin(8), block: lin(256), args: vec![array(0), 100_003, array(1)] };
    analyse(&module, &launch).is_free_of_races()
}

/// Trees and scans in shared memory; each passes `BARRIER` in every iteration.
const TREES: [&str; 9] = [
    "h = 128\n do while (h >= 1)\n if (t <= h) s(t) = s(t) + s(t+h)\n BARRIER\n h = h/2\n end do",
    "h = blockdim%x/2\n do\n if (h == 0) exit\n if (t <= h) s(t) = s(t) + s(t+h)\n BARRIER\n h = ishft(h, -1)\n end do",
    "h = 1\n do while (h < 256)\n if (mod(t-1, 2*h) == 0) s(t) = s(t) + s(t+h)\n BARRIER\n h = h*2\n end do",
    "h = 1\n do while (h < 256)\n if (iand(t-1, 2*h-1) == 0) s(t) = s(t) + s(t+h)\n BARRIER\n h = ishft(h, 1)\n end do",
    "h = 1\n do while (h < 256)\n i = 2*h*(t-1) + 1\n if (i+h <= 256) s(i) = s(i) + s(i+h)\n BARRIER\n h = h*2\n end do",
    "m = 200\n do while (m > 1)\n h = (m+1)/2\n if (t+h <= m) s(t) = s(t) + s(t+h)\n BARRIER\n m = h\n end do",
    "do k = 0, 7\n h = ishft(128, -k)\n if (t <= h) s(t) = s(t) + s(t+h)\n BARRIER\n end do",
    "h = 1\n do while (h < 256)\n v = 0\n if (t > h) v = s(t-h)\n call syncthreads()\n s(t) = s(t) + v\n BARRIER\n \
     h = h*2\n end do",
    "h = 1\n m = 128\n do while (m > 0)\n if (t <= m) s(h*2*t) = s(h*2*t) + s(h*(2*t-1))\n BARRIER\n h = h*2\n \
     m = m/2\n end do",
];

#[test]
fn trees_with_a_barrier_in_each_iteration_are_free_of_races() {
    for tree in TREES {
        for declared in ["s(256)", "s(*)"] {
            assert!(is_free(&fold(declared, &tree.replace("BARRIER", "call syncthreads()"))), "{declared} {tree}");
        }
        assert!(!is_free(&fold("s(256)", &tree.replace("BARRIER", ""))), "without barrier: {tree}");
    }
    let from_zero = "t = t - 1\n call syncthreads()\n h = 128\n do while (h > 0)\n if (t < h) s(t) = s(t) + s(t+h)\n \
        call syncthreads()\n h = h/2\n end do\n t = t + 1";
    assert!(is_free(&fold("s(0:256)", from_zero)));
    assert!(!is_free(&fold("s(0:256)", &from_zero.replace("t < h", "t <= h"))), "one thread too many");
}

#[test]
fn trees_whose_guard_or_step_is_wrong_may_race() {
    let tree = TREES[0].replace("BARRIER", "call syncthreads()");
    for (from, to) in [
        ("t <= h", "t <= h+1"),
        ("t <= h", "t <= 2*h"),
        ("s(t+h)", "s(t+1)"),
        ("if (t <= h) s(t)", "s(t)"),
        ("call syncthreads()\n h = h/2", "h = h/2\n if (t <= h) s(t+h) = 0\n call syncthreads()"),
        ("call syncthreads()", "if (h > 2) call syncthreads()"),
        ("call syncthreads()", "if (t <= 32) call syncthreads()"),
    ] {
        let wrong = tree.replace(from, to);
        assert_ne!(wrong, tree);
        assert!(!is_free(&fold("s(256)", &wrong)), "{wrong}");
    }
}

#[test]
fn atomics_do_not_race_within_their_scope() {
    let text = |atomic: &str, more: &str| {
        format!(
            "attributes(global) subroutine kernel(x, n, r)\n use cudafor\n integer :: x(*), r(*)\n integer, value :: n\n \
            integer, shared :: s(256)\n integer :: i, old\n i = (blockidx%x-1)*blockdim%x + threadidx%x\n \
            s(threadidx%x) = 0\n call syncthreads()\n old = atomicadd(s(iand(x(i), 255)+1), 1)\n \
            call syncthreads()\n old = {atomic}\n {more}\nend subroutine\n"
        )
    };
    assert!(is_free(&text("atomicadd(r(iand(i, 7)+1), s(threadidx%x))", "")));
    assert!(is_free(&text("atomicadd(r(1), 1)", "x(i) = old")), "the result is used");
    assert!(is_free(&text("atomicadd(r(1), 1)", "r(i+1) = 1")), "other bytes");
    assert!(!is_free(&text("atomicadd(r(1), 1)", "r(i) = 1")), "a plain store to the same word");
    assert!(!is_free(&text("atomicadd(r(1), 1)", "x(i) = r(1)")), "a plain load of the same word");
    assert!(!is_free(&text("atomicadd(s(threadidx%x), 1)", "x(i) = s(1)")), "no barrier before the load");
    assert!(is_free(&text("atomicadd(s(1), 1)", "call syncthreads()\n x(i) = s(1)")));
}

#[test]
fn a_barrier_orders_what_a_block_does_to_its_part_of_an_array() {
    let text = |barrier: &str| {
        format!(
            "attributes(global) subroutine kernel(x, n, r)\n integer :: x(*), r(*)\n integer, value :: n\n \
            integer :: b\n b = (blockidx%x-1)*blockdim%x\n x(b + threadidx%x) = b\n {barrier}\n \
            r(b + threadidx%x) = x(b + 257 - threadidx%x)\nend subroutine\n"
        )
    };
    assert!(is_free(&text("call syncthreads()")));
    assert!(!is_free(&text("")));
}

/// A random index of shared memory.
fn index(rng: &mut Rng) -> &str {
    rng.choice([
        "t",
        "t",
        "t",
        "t+h",
        "t+h",
        "t-h",
        "2*h*(t-1)+1",
        "2*h*(t-1)+1+h",
        "2*t",
        "h",
        "t+1",
        "mod(t,h+1)",
        "1",
    ])
    .unwrap()
}

fn guarded(rng: &mut Rng, out: &mut String) {
    let guards =
        ["t <= h", "t <= h", "t > h", "t+h <= n", "mod(t-1,2*h+2) == 0", "iand(t-1,h) == 0", "t == h", "h > 2"];
    if rng.usize(..3) != 0 {
        write!(out, "if ({}) ", *rng.choice(&guards).unwrap()).unwrap();
    }
    let (a, b, c) = (index(rng).to_owned(), index(rng).to_owned(), index(rng).to_owned());
    match rng.usize(..6) {
        0 | 1 => writeln!(out, "s({a}) = s({a}) + s({b})"),
        2 => writeln!(out, "s({a}) = s({b}) + s({c})"),
        3 => writeln!(out, "v = v + s({a})"),
        4 => writeln!(out, "v = atomicadd(s({a}), 1)"),
        _ => writeln!(out, "y(t + n*blockidx%x) = y(t + n*blockidx%x) + y({a} + n*blockidx%x)"),
    }
    .unwrap();
}

fn barrier_loop(rng: &mut Rng, out: &mut String, depth: usize) {
    let loops = [
        ("h = N", "h >= 1", "h = h/2"),
        ("h = N/2", "h > 0", "h = ishft(h, -1)"),
        ("h = 1", "h < N", "h = h*2"),
        ("h = 1", "h <= 5", "h = h + 1"),
        ("h = 6", "h > 1", "h = h - 2"),
        ("h = N", "h > 1", "h = (h+1)/2"),
    ];
    let (first, test, step) = loops[rng.usize(..loops.len())];
    let size = rng.choice(["4", "8", "n", "blockdim%x"]).unwrap().to_owned();
    let size = |s: &str| s.replace('N', &size);
    writeln!(out, "{}\ndo while ({})", size(first), size(test)).unwrap();
    for _ in 0..=rng.usize(..2) {
        guarded(rng, out);
        match rng.usize(..8) {
            0..=4 => out.push_str("call syncthreads()\n"),
            5 => writeln!(out, "if ({}) call syncthreads()", rng.choice(["h > 1", "h < 5", "n > 3", "t > 0"]).unwrap())
                .unwrap(),
            6 if depth == 0 => {
                writeln!(out, "if ({}) exit", rng.choice(["t > 3", "h == 2", "h == 99"]).unwrap()).unwrap();
            }
            _ => {}
        }
    }
    if depth > 0 && rng.usize(..2) == 0 {
        out.push_str("do k = 1, 2\n");
        guarded(rng, out);
        out.push_str("call syncthreads()\nend do\n");
    }
    writeln!(out, "{step}\nend do").unwrap();
}

#[test]
fn what_is_claimed_of_races_in_random_loops_holds() {
    let count = std::env::var("CUFEMU_FOOTPRINT_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(80);
    let (mut clean, mut proven) = (0u32, 0u32);
    for seed in 0..count {
        let mut rng = Rng::with_seed(seed);
        let mut body = String::new();
        if rng.usize(..2) == 0 {
            body.push_str("s(t) = t\ncall syncthreads()\n");
        }
        for _ in 0..=rng.usize(..2) {
            barrier_loop(&mut rng, &mut body, usize::from(seed % 3 == 0));
            if rng.usize(..3) != 0 {
                body.push_str("call syncthreads()\n");
            }
        }
        let text = format!(
            "attributes(global) subroutine kernel(n, y)\nuse cudafor\ninteger, value :: n\ninteger :: y(*)\n\
            integer, shared :: s(64)\ninteger :: t, h, k, v\nt = threadidx%x\nv = 0\n{body}y(t) = v\nend subroutine\n"
        );
        let block = lin([3, 6, 8, 13][rng.usize(..4)]);
        let launch =
            Launch { grid: lin(1 + rng.usize(..2) as u32), block, args: vec![1 + rng.usize(..9) as u64, array(0)] };
        for level in [0, 1] {
            let module = compile(&text, level);
            let func = kernel(&module);
            let f = module.func(func);
            let Some(run) = Run::all(f, &launch) else { continue };
            // Threads that come to other barriers than the rest of their block are a finding of another kind.
            let first = |cta: u32| &run.barriers[&(cta, 0)];
            if run.barriers.iter().any(|(&(cta, _), passed)| passed != first(cta)) {
                continue;
            }
            let found = analyse(&module, &launch);
            let numbers = f.blocks.iter().flat_map(|b| &b.insts).filter(|inst| is_access(&inst.kind)).count();
            let mut any = false;
            for number in 0..numbers as u32 {
                let races = races(f, &run.notes, number);
                any |= races;
                let claimed = found.races(AccessId { func, number });
                assert!(
                    claimed || !races,
                    "seed {seed}, level {level}: access {number} races\n{:?} {:?} {:?}\n{text}",
                    launch.grid,
                    launch.block,
                    launch.args,
                );
            }
            assert!(!(any && found.is_free_of_races()), "seed {seed}, level {level}\n{text}");
            clean += u32::from(!any);
            proven += u32::from(found.is_free_of_races());
        }
    }
    assert!(proven * 3 > clean, "{proven} of {clean} launches without a race were proven to have none");
}

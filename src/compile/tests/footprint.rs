//! What the analysis of a launch claims, on kernels in the shapes that programs have, and on random ones against counting.
//!
//! The random kernels are CUDA Fortran text, so that what is analysed is what lowering makes of such loops and guards. Each
//! thread is run by itself with the reference evaluator; every byte that an access touches is noted with its thread, and
//! each claim is checked against the notes.

#![allow(clippy::unwrap_used)]

use ir::analysis::footprint::{AccessId, Footprint, LaunchFacts, Sharing, footprint};
use ir::op::Special;
use ir::{FuncId, FuncKind, Function, InstKind, Module, Term, Ty, Val, eval};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

fn compile(text: &str, level: u8) -> Arc<Module> {
    let mut map = source::SourceMap::new();
    let file = map.add("kernel.cuf", text.to_owned());
    let mut diags = diag::Diagnostics::new();
    let mut options = compile::Options { level, ..compile::Options::default() };
    options.sema.needs_main = false;
    let compiled = compile::compile(&mut map, &[file], &options, &mut |_, _| None, &mut diags);
    let errors: Vec<String> = diags.into_sorted().iter().map(|d| format!("{d:?}")).collect();
    compiled.unwrap_or_else(|| panic!("{text}\n{errors:#?}")).module
}

fn kernel(module: &Module) -> FuncId {
    FuncId(module.funcs.iter().position(|f| f.kind == FuncKind::Kernel).unwrap() as u32)
}

/// A word of memory before the launch.
fn memory(address: u64, ty: Ty) -> u64 {
    scalar_of(ty, address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60)
}

fn scalar_of(ty: Ty, bits: u64) -> u64 {
    eval::eval_cvt(ir::op::CvtOp::Cast, Ty::I64, ty, bits)
}

struct Launch {
    grid: [u32; 3],
    block: [u32; 3],
    args: Vec<u64>,
}

const SHARED: i64 = 1 << 40;
const LOCAL: i64 = 1 << 41;

fn analyse(module: &Module, launch: &Launch) -> Footprint {
    let args: Vec<Option<u64>> = launch.args.iter().map(|&a| Some(a)).collect();
    let globals: Vec<u64> = (0..module.globals.len() as u64).map(|i| (9 << 42) + (i << 20)).collect();
    let facts = LaunchFacts {
        grid: launch.grid,
        block: launch.block,
        args: &args,
        globals: &globals,
        shared: (SHARED, SHARED + 49152),
        shared_at: &|_, id| Some(SHARED + i64::from(id.0) * 8192),
        local: (LOCAL, LOCAL + 49152),
        windows: (SHARED, 2 * LOCAL),
        read: &|address, ty| Some(memory(address, ty)),
    };
    footprint(module, kernel(module), &facts)
}

/// Accesses of the kernel's own that touch global memory: number, whether they write.
fn accesses(f: &Function) -> Vec<(u32, bool)> {
    let all = f.blocks.iter().flat_map(|b| &b.insts).filter_map(|inst| match inst.kind {
        InstKind::Load { space, .. } => Some((space, false)),
        InstKind::Store { space, .. } | InstKind::Atomic { space, .. } => Some((space, true)),
        _ => None,
    });
    let numbered = all.enumerate().filter(|(_, (space, _))| *space == ir::Space::Global);
    numbered.map(|(i, (_, write))| (i as u32, write)).collect()
}

/// The sharing of the kernel's global accesses in the order of the code, as letters: R T B A U.
fn letters(text: &str, launch: &Launch) -> String {
    let module = compile(text, 1);
    let func = kernel(&module);
    let found = analyse(&module, launch);
    let letter = |number| match found.sharing(AccessId { func, number }) {
        Sharing::ReadOnly => 'R',
        Sharing::ThreadDisjoint => 'T',
        Sharing::BlockDisjoint => 'B',
        Sharing::Reduction => 'A',
        Sharing::Unknown => 'U',
    };
    accesses(module.func(func)).into_iter().map(|(number, _)| letter(number)).collect()
}

/// What happens to the kernel's accesses of shared memory between barriers, in the order of the code, as letters: R T B.
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
    let letter = |number| match found.between_barriers(AccessId { func, number }) {
        Sharing::ReadOnly => 'R',
        Sharing::ThreadDisjoint => 'T',
        _ => 'B',
    };
    shared.map(|(number, _)| letter(number as u32)).collect()
}

#[test]
fn tiles_between_barriers_are_disjoint() {
    let product = |first: &str, second: &str| {
        format!(
            "attributes(global) subroutine k(a, b, c, n)\n integer, value :: n\n real :: a(n,n), b(n,n), c(n,n)\n \
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
    assert_eq!(shared_letters(&product(barrier, barrier), &launch), "TTRR");
    assert_eq!(shared_letters(&product(barrier, ""), &launch), "BBBB");
    assert_eq!(shared_letters(&product("", barrier), &launch), "BBBB");
    let large = Launch { block: [17, 16, 1], ..launch };
    assert_eq!(shared_letters(&product(barrier, barrier), &large), "BBRR", "a block larger than the tile");
}

#[test]
fn a_padded_tile_is_disjoint_and_a_fold_is_left_to_the_detector() {
    let transpose = "attributes(global) subroutine k(o, x, n)\n integer, value :: n\n real :: o(n,n), x(n,n)\n \
        real, shared :: tile(33,32)\n integer :: i, j, k\n i = (blockidx%x-1)*32 + threadidx%x\n \
        j = (blockidx%y-1)*32 + threadidx%y\n do k = 0, 24, 8\n tile(threadidx%x, threadidx%y+k) = x(i, j+k)\n end do\n \
        call syncthreads()\n i = (blockidx%y-1)*32 + threadidx%x\n j = (blockidx%x-1)*32 + threadidx%y\n \
        do k = 0, 24, 8\n o(i, j+k) = tile(threadidx%y+k, threadidx%x)\n end do\nend subroutine\n";
    let launch = Launch { grid: [8, 8, 1], block: [32, 8, 1], args: vec![array(0), array(4), 256] };
    assert_eq!(shared_letters(transpose, &launch), "TR");
    let fold = "attributes(global) subroutine k(x, n, r)\n integer :: x(*), r(*)\n integer, value :: n\n \
        integer, shared :: s(256)\n integer :: t, i, h\n t = threadidx%x\n s(t) = 0\n \
        do i = (blockidx%x-1)*blockdim%x + t, n, blockdim%x*griddim%x\n s(t) = s(t) + x(i)\n end do\n \
        call syncthreads()\n h = 128\n do while (h >= 1)\n if (t <= h) s(t) = s(t) + s(t+h)\n call syncthreads()\n \
        h = h/2\n end do\n if (t == 1) r(blockidx%x) = s(1)\nend subroutine\n";
    let launch = Launch { grid: lin(8), block: lin(256), args: vec![array(0), 100_003, array(1)] };
    assert!(shared_letters(fold, &launch).starts_with("TTT"), "{}", shared_letters(fold, &launch));
}

/// The address of array number `i`, each of 64 MiB.
fn array(i: u64) -> u64 {
    (8 << 42) + (i << 26)
}

fn lin(n: u32) -> [u32; 3] {
    [n, 1, 1]
}

#[test]
fn accesses_by_the_thread_index_are_disjoint() {
    let text = "attributes(global) subroutine k(n, a, x, y)\n real, dimension(*) :: x, y\n real, value :: a\n \
        integer, value :: n\n integer :: i\n i = (blockidx%x-1)*blockdim%x + threadidx%x\n \
        if (i <= n) y(i) = a*x(i) + y(i)\nend subroutine\n";
    let launch = |n: u64, x, y| Launch { grid: lin(4096), block: lin(256), args: vec![n, 0, x, y] };
    assert_eq!(letters(text, &launch(1_048_000, array(0), array(1))), "RTT");
    assert_eq!(letters(text, &launch(1_048_000, array(0), array(0))), "TTT", "the same array twice");
    assert_eq!(letters(text, &launch(1_048_000, array(0), array(0) + 4)), "UTU", "shifted by an element");
    assert_eq!(letters(text, &launch(1_048_000, array(0), array(0) + 4 * 1_048_000)), "RTT", "halves of one array");
    assert_eq!(letters(text, &launch(1_048_001, array(0), array(0) + 4 * 1_048_000)), "UTU", "overlap of one element");
}

#[test]
fn a_transpose_through_a_tile_is_disjoint() {
    let text = "attributes(global) subroutine k(o, x, n)\n integer, value :: n\n real :: o(n,n), x(n,n)\n \
        real, shared :: tile(33,32)\n integer :: i, j, k\n i = (blockidx%x-1)*32 + threadidx%x\n \
        j = (blockidx%y-1)*32 + threadidx%y\n do k = 0, 24, 8\n tile(threadidx%x, threadidx%y+k) = x(i, j+k)\n end do\n \
        call syncthreads()\n i = (blockidx%y-1)*32 + threadidx%x\n j = (blockidx%x-1)*32 + threadidx%y\n \
        do k = 0, 24, 8\n o(i, j+k) = tile(threadidx%y+k, threadidx%x)\n end do\nend subroutine\n";
    let launch = |grid, n| Launch { grid: [grid, grid, 1], block: [32, 8, 1], args: vec![array(0), array(4), n] };
    assert_eq!(letters(text, &launch(32, 1024)), "RT");
    assert_eq!(letters(text, &launch(33, 1024)), "RU", "a grid larger than the array");
}

#[test]
fn tiles_of_a_product_are_disjoint() {
    let text = "attributes(global) subroutine k(a, b, c, n, m, l)\n real :: a(n,m), b(m,l), c(n,l)\n \
        integer, value :: n, m, l\n integer :: i, j, kb, k, tx, ty\n real, shared :: asub(16,16), bsub(16,16)\n \
        real :: cij\n tx = threadidx%x\n ty = threadidx%y\n i = (blockidx%x-1)*16 + tx\n j = (blockidx%y-1)*16 + ty\n \
        cij = 0.0\n do kb = 1, m, 16\n asub(tx,ty) = a(i,kb+ty-1)\n bsub(tx,ty) = b(kb+tx-1,j)\n call syncthreads()\n \
        do k = 1, 16\n cij = cij + asub(tx,k)*bsub(k,ty)\n end do\n call syncthreads()\n end do\n \
        c(i,j) = cij\nend subroutine\n";
    let args = vec![array(0), array(1), array(2), 256, 512, 128];
    assert_eq!(letters(text, &Launch { grid: [16, 8, 1], block: [16, 16, 1], args }), "TRR");
}

#[test]
fn a_guarded_stencil_reads_one_array_and_writes_another() {
    let text = "attributes(global) subroutine k(a, b, n)\n integer, value :: n\n real(8) :: a(n,n), b(n,n)\n \
        integer :: i, j\n i = (blockidx%x-1)*blockdim%x + threadidx%x\n j = (blockidx%y-1)*blockdim%y + threadidx%y\n \
        if (i > 1 .and. i < n .and. j > 1 .and. j < n) then\n \
        b(i,j) = 0.25d0*(a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1))\n end if\nend subroutine\n";
    let launch = |a, b, n| Launch { grid: [4, 16, 1], block: [32, 8, 1], args: vec![a, b, n] };
    assert_eq!(letters(text, &launch(array(0), array(1), 100)), "RRRRT");
    assert_eq!(letters(text, &launch(array(0), array(0), 100)), "UUUUU", "in place");
}

#[test]
fn a_grid_stride_loop_stays_below_its_bound() {
    let text = "attributes(global) subroutine k(x, y, n, t)\n integer, value :: n\n integer :: x(n), y(n), t(*)\n \
        integer :: i, s\n s = 0\n do i = (blockidx%x-1)*blockdim%x + threadidx%x, n, blockdim%x*griddim%x\n \
        y(i) = x(i)\n s = s + x(i)\n end do\n if (threadidx%x == 1) t(blockidx%x) = s\nend subroutine\n";
    let launch = |t| Launch { grid: lin(8), block: lin(64), args: vec![array(0), array(1), 100_003, t] };
    assert_eq!(letters(text, &launch(array(2))), "RTRT");
    assert_eq!(letters(text, &launch(array(1) + 4 * 100_003)), "RTRT", "right behind y");
    assert_eq!(letters(text, &launch(array(1) + 4 * 100_002)), "RURU", "one element of y");
}

#[test]
fn a_loop_that_ends_by_its_condition_has_bounds() {
    let text = "attributes(global) subroutine k(x, n)\n integer, value :: n\n integer :: x(n)\n integer :: i\n \
        i = (blockidx%x-1)*blockdim%x + threadidx%x\n do while (i <= n)\n x(i) = x(i) + i\n \
        i = i + blockdim%x*griddim%x\n end do\nend subroutine\n";
    assert_eq!(letters(text, &Launch { grid: lin(8), block: lin(64), args: vec![array(0), 100_003] }), "TT");
}

#[test]
fn atomics_without_a_result_are_reductions() {
    let text = "attributes(global) subroutine k(x, h, n)\n integer, value :: n\n integer :: x(n), h(*), old, i\n \
        i = (blockidx%x-1)*blockdim%x + threadidx%x\n if (i <= n) old = atomicadd(h(x(i)), 1)\nend subroutine\n";
    let launch = |x, h| Launch { grid: lin(8), block: lin(64), args: vec![x, h, 500] };
    // The bins may be anywhere, also in the values.
    assert_eq!(letters(text, &launch(array(0), array(1))), "UU");
    let text = text.replace("h(x(i))", "h(iand(x(i), 255))");
    assert_eq!(letters(&text, &launch(array(0), array(1))), "RA");
    let text = text.replace(", 1)\n", ", 1)\n x(i) = old\n");
    assert_eq!(letters(&text, &launch(array(0), array(1))), "TTU", "the result is used");
}

#[test]
fn an_index_in_two_parts_is_one_index() {
    let text = "attributes(global) subroutine k(a, b, n, m)\n integer, value :: n, m\n real :: a(n,m), b(n*m)\n \
        integer :: t, i, j\n t = (blockidx%x-1)*blockdim%x + threadidx%x - 1\n if (t < n*m) then\n \
        i = mod(t, n) + 1\n j = t/n + 1\n a(i,j) = b(t+1)\n end if\nend subroutine\n";
    assert_eq!(letters(text, &Launch { grid: lin(20), block: lin(128), args: vec![array(0), array(1), 37, 61] }), "RT");
}

#[test]
fn a_value_by_reference_is_read_before_the_launch() {
    let text = "attributes(global) subroutine k(n, x)\n integer :: n\n integer :: x(*)\n integer :: i\n \
        i = (blockidx%x-1)*blockdim%x + threadidx%x\n x(i*iand(n,7)) = i\nend subroutine\n";
    let launch = |n: u64, x: u64| Launch { grid: lin(8), block: lin(64), args: vec![n, x] };
    let odd = (0..64).map(|i| array(1) + 4 * i).find(|&a| memory(a, Ty::I32) & 7 == 3).unwrap();
    assert_eq!(letters(text, &launch(odd, array(0))), "RT");
    assert_eq!(letters(text, &launch(array(0) + 4 * 300, array(0))), "UU", "it lies in the array");
}

/// Who touched a byte through an access: the threads, as block and thread.
type Notes = BTreeMap<u64, BTreeSet<(u32, u64)>>;

/// What the threads of a launch did: for each access, the bytes and who touched them.
struct Run<'a> {
    f: &'a Function,
    launch: &'a Launch,
    notes: BTreeMap<u32, Notes>,
    steps: u32,
}

impl Run<'_> {
    fn thread(&mut self, cta: u64, tid: u64) -> Option<()> {
        let f = self.f;
        let digits = |n: u64, [x, y, _]: [u32; 3]| {
            [n % u64::from(x), n / u64::from(x) % u64::from(y), n / (u64::from(x) * u64::from(y))]
        };
        let (t, c) = (digits(tid, self.launch.block), digits(cta, self.launch.grid));
        let mut regs = vec![0u64; f.regs.len()];
        for (param, &arg) in f.params.iter().zip(&self.launch.args) {
            regs[param.reg.index()] = arg;
        }
        let firsts: Vec<u32> = f
            .blocks
            .iter()
            .scan(0, |next, block| {
                let first = *next;
                *next += block.insts.iter().filter(|i| is_access(&i.kind)).count() as u32;
                Some(first)
            })
            .collect();
        let mut bb = 0;
        loop {
            let mut number = firsts[bb];
            for inst in &f.blocks[bb].insts {
                self.steps = self.steps.checked_sub(1)?;
                let val = |v: Val| match v {
                    Val::Imm(bits) => bits,
                    Val::Reg(r) => regs[r.index()],
                };
                let mut touch = |space: ir::Space, addr: Val, offset: i64, ty: Ty| {
                    let at = val(addr).wrapping_add(offset as u64);
                    if space == ir::Space::Global {
                        let notes = self.notes.entry(number).or_default();
                        for byte in 0..u64::from(ty.bytes()) {
                            notes.entry(at + byte).or_default().insert((cta as u32, tid));
                        }
                    }
                    number += 1;
                    memory(at, ty)
                };
                let result = match inst.kind {
                    InstKind::Un { op, ty, a, .. } => eval::eval_un(op, ty, val(a)),
                    InstKind::Bin { op, ty, a, b, .. } => eval::eval_bin(op, ty, val(a), val(b)),
                    InstKind::Tri { op, ty, a, b, c, .. } => eval::eval_tri(op, ty, val(a), val(b), val(c)),
                    InstKind::Cmp { op, ty, a, b, .. } => u64::from(eval::eval_cmp(op, ty, val(a), val(b))),
                    InstKind::Select { cond, a, b, .. } => val(if val(cond) & 1 != 0 { a } else { b }),
                    InstKind::Cvt { op, from, to, a, .. } => eval::eval_cvt(op, from, to, val(a)),
                    InstKind::Special { reg, .. } => match reg {
                        Special::TidX => t[0],
                        Special::TidY => t[1],
                        Special::TidZ => t[2],
                        Special::CtaidX => c[0],
                        Special::CtaidY => c[1],
                        Special::CtaidZ => c[2],
                        Special::NtidX => u64::from(self.launch.block[0]),
                        Special::NtidY => u64::from(self.launch.block[1]),
                        Special::NtidZ => u64::from(self.launch.block[2]),
                        Special::NctaidX => u64::from(self.launch.grid[0]),
                        Special::NctaidY => u64::from(self.launch.grid[1]),
                        Special::NctaidZ => u64::from(self.launch.grid[2]),
                        _ => tid % 32,
                    },
                    InstKind::Load { ty, space, addr, offset, .. }
                    | InstKind::Atomic { ty, space, addr, offset, .. } => touch(space, addr, offset, ty),
                    InstKind::Store { ty, space, addr, offset, .. } => {
                        touch(space, addr, offset, ty);
                        continue;
                    }
                    InstKind::Stmt | InstKind::BackEdge | InstKind::Barrier { .. } => continue,
                    ref other => panic!("{other:?}"),
                };
                if let Some(dst) = inst.kind.def() {
                    regs[dst.index()] = result;
                }
            }
            let val = |v: Val| match v {
                Val::Imm(bits) => bits,
                Val::Reg(r) => regs[r.index()],
            };
            bb = match &f.blocks[bb].term {
                Term::Jump(to) => to.index(),
                Term::Branch { cond, then_bb, else_bb } => {
                    if val(*cond) & 1 != 0 {
                        then_bb.index()
                    } else {
                        else_bb.index()
                    }
                }
                Term::Return(_) | Term::Exit | Term::Trap(_) => return Some(()),
                Term::Switch { .. } => panic!("a switch"),
            };
        }
    }
}

fn is_access(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Load { .. } | InstKind::Store { .. } | InstKind::Atomic { .. })
}

/// What the notes say of an access.
fn counted(notes: &BTreeMap<u32, Notes>, kinds: &BTreeMap<u32, bool>, number: u32) -> Sharing {
    let empty = Notes::new();
    let own = notes.get(&number).unwrap_or(&empty);
    if own.is_empty() {
        return Sharing::ReadOnly;
    }
    let mut worst = if kinds[&number] { Sharing::ThreadDisjoint } else { Sharing::ReadOnly };
    for (other, theirs) in notes {
        if !kinds[&number] && !kinds[other] {
            continue;
        }
        for (byte, threads) in own {
            let Some(others) = theirs.get(byte) else { continue };
            worst = worst.max(Sharing::ThreadDisjoint);
            for &(cta, tid) in threads {
                for &(c, t) in others {
                    if c != cta {
                        return Sharing::Unknown;
                    }
                    if t != tid {
                        worst = Sharing::BlockDisjoint;
                    }
                }
            }
        }
    }
    worst
}

/// A small generator of random numbers (Steele, Lea and Flood's `SplitMix64`).
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
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
            let mut run = Run { f, launch: &launch, notes: BTreeMap::new(), steps: 400_000 };
            let (blocks, threads) = (launch.grid.iter().product::<u32>(), launch.block.iter().product::<u32>());
            let ended = (0..blocks).all(|c| (0..threads).all(|t| run.thread(u64::from(c), u64::from(t)).is_some()));
            if !ended {
                continue;
            }
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

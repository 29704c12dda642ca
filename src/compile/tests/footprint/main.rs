//! What the analysis of a launch claims, on kernels in the shapes that programs have, and on random ones against counting.
//!
//! The random kernels are CUDA Fortran text, so that what is analysed is what lowering makes of such loops and guards. Each
//! thread is run by itself with the reference evaluator; every byte that an access touches is noted with its thread, and
//! each claim is checked against the notes.

#![allow(clippy::unwrap_used)]

mod barriers;
mod count;
mod digits;
mod random;

use count::accesses;
use ir::analysis::footprint::{AccessId, Footprint, LaunchFacts, Sharing, footprint};
use ir::{FuncId, FuncKind, Module, Ty, eval};
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

/// Where a shared variable lies.
fn shared(id: ir::SharedId) -> i64 {
    SHARED + 16384 + i64::from(id.0) * 8192
}

fn analyse(module: &Module, launch: &Launch) -> Footprint {
    let args: Vec<Option<u64>> = launch.args.iter().map(|&a| Some(a)).collect();
    let globals: Vec<u64> = (0..module.globals.len() as u64).map(|i| (9 << 42) + (i << 20)).collect();
    let facts = LaunchFacts {
        grid: launch.grid,
        block: launch.block,
        cluster: [1; 3],
        args: &args,
        globals: &globals,
        shared: (SHARED, SHARED + 49152),
        shared_at: &|_, id| Some(shared(id)),
        local: (LOCAL, LOCAL + 49152),
        windows: (SHARED, 2 * LOCAL),
        read: &|address, ty| Some(memory(address, ty)),
    };
    footprint(module, kernel(module), &facts)
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

/// The address of array number `i`, each of 64 MiB.
fn array(i: u64) -> u64 {
    (8 << 42) + (i << 26)
}

fn lin(n: u32) -> [u32; 3] {
    [n, 1, 1]
}

#[test]
fn accesses_by_the_thread_index_are_disjoint() {
    let text = "attributes(global) subroutine kernel(n, a, x, y)\n real, dimension(*) :: x, y\n real, value :: a\n \
        integer, value :: n\n integer :: i\n i = (blockidx%x-1)*blockdim%x + threadidx%x\n \
        if (i <= n) y(i) = a*x(i) + y(i)\nend subroutine\n";
    let launch = |n: u64, x, y| Launch { grid: lin(4096), block: lin(256), args: vec![n, 0, x, y] };
    assert_eq!(letters(text, &launch(1_048_000, array(0), array(1))), "RTT");
    assert_eq!(letters(text, &launch(1_048_000, array(0), array(0))), "TTT", "the same array twice");
    assert_eq!(letters(text, &launch(1_048_000, array(0), array(0) + 4)), "UTU", "shifted by an element");
    assert_eq!(letters(text, &launch(1_048_000, array(0), array(0) + 4 * 1_048_000)), "RTT", "halves of one array");
    assert_eq!(letters(text, &launch(1_048_001, array(0), array(0) + 4 * 1_048_000)), "UTU", "overlap of one element");
}

/// A transpose through a padded tile of shared memory.
const TRANSPOSE: &str = "attributes(global) subroutine kernel(o, x, n)\n integer, value :: n\n real :: o(n,n), x(n,n)\n \
    real, shared :: tile(33,32)\n integer :: i, j, k\n i = (blockidx%x-1)*32 + threadidx%x\n \
    j = (blockidx%y-1)*32 + threadidx%y\n do k = 0, 24, 8\n tile(threadidx%x, threadidx%y+k) = x(i, j+k)\n end do\n \
    call syncthreads()\n i = (blockidx%y-1)*32 + threadidx%x\n j = (blockidx%x-1)*32 + threadidx%y\n \
    do k = 0, 24, 8\n o(i, j+k) = tile(threadidx%y+k, threadidx%x)\n end do\nend subroutine\n";

#[test]
fn a_transpose_through_a_tile_is_disjoint() {
    let launch = |grid, n| Launch { grid: [grid, grid, 1], block: [32, 8, 1], args: vec![array(0), array(4), n] };
    assert_eq!(letters(TRANSPOSE, &launch(32, 1024)), "RT");
    assert_eq!(letters(TRANSPOSE, &launch(33, 1024)), "RU", "a grid larger than the array");
}

#[test]
fn tiles_of_a_product_are_disjoint() {
    let text = "attributes(global) subroutine kernel(a, b, c, n, m, l)\n real :: a(n,m), b(m,l), c(n,l)\n \
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
    let text = "attributes(global) subroutine kernel(a, b, n)\n integer, value :: n\n real(8) :: a(n,n), b(n,n)\n \
        integer :: i, j\n i = (blockidx%x-1)*blockdim%x + threadidx%x\n j = (blockidx%y-1)*blockdim%y + threadidx%y\n \
        if (i > 1 .and. i < n .and. j > 1 .and. j < n) then\n \
        b(i,j) = 0.25d0*(a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1))\n end if\nend subroutine\n";
    let launch = |a, b, n| Launch { grid: [4, 16, 1], block: [32, 8, 1], args: vec![a, b, n] };
    assert_eq!(letters(text, &launch(array(0), array(1), 100)), "RRRRT");
    assert_eq!(letters(text, &launch(array(0), array(0), 100)), "UUUUU", "in place");
}

#[test]
fn assignments_of_whole_arrays_of_a_thread_stay_within_them() {
    // Such loops have no number of iterations in a register: they count up to a bound.
    let text = "attributes(global) subroutine kernel(a, n)\n integer, value :: n\n integer :: a(5, n), v(5), i\n \
        i = (blockidx%x-1)*blockdim%x + threadidx%x\n if (i > n) return\n v = a(:, i)\n v(2:4) = v(2:4) + v(1:3)\n \
        a(:, i) = v\nend subroutine\n";
    let launch = |n| Launch { grid: lin(4), block: lin(64), args: vec![array(0), n] };
    assert_eq!(letters(text, &launch(250)), "TT");
    let text = text.replace("a(:, i) = v", "a(:, max(1, i - 1)) = v");
    assert_eq!(letters(&text, &launch(250)), "UU", "the array of another thread");
}

#[test]
fn a_solver_of_one_system_a_thread_is_disjoint() {
    let text = "attributes(global) subroutine kernel(n, r, x)\n integer, value :: n\n real(8) :: r(n, 24), x(n, 24), c(24), d(24), m\n \
        integer :: i, k\n i = (blockidx%x - 1)*blockdim%x + threadidx%x\n if (i > n) return\n c(1) = -0.25d0\n \
        d(1) = r(i, 1)/4\n do k = 2, 24\n m = 1/(4 + c(k - 1))\n c(k) = -m\n d(k) = (r(i, k) + d(k - 1))*m\n end do\n \
        x(i, 24) = d(24)\n do k = 23, 1, -1\n x(i, k) = d(k) - c(k)*x(i, k + 1)\n end do\nend subroutine\n";
    let launch = Launch { grid: lin(256), block: lin(256), args: vec![65536, array(0), array(1)] };
    assert_eq!(letters(text, &launch), "RTRTT");
    let text = text.replace("x(i, k + 1)", "x(min(i + 1, n), k + 1)");
    assert_eq!(letters(&text, &launch), "RURUU", "the next system");
}

#[test]
fn a_grid_stride_loop_stays_below_its_bound() {
    let text = "attributes(global) subroutine kernel(x, y, n, t)\n integer, value :: n\n integer :: x(n), y(n), t(*)\n \
        integer :: i, s\n s = 0\n do i = (blockidx%x-1)*blockdim%x + threadidx%x, n, blockdim%x*griddim%x\n \
        y(i) = x(i)\n s = s + x(i)\n end do\n if (threadidx%x == 1) t(blockidx%x) = s\nend subroutine\n";
    let launch = |t| Launch { grid: lin(8), block: lin(64), args: vec![array(0), array(1), 100_003, t] };
    assert_eq!(letters(text, &launch(array(2))), "RTRT");
    assert_eq!(letters(text, &launch(array(1) + 4 * 100_003)), "RTRT", "right behind y");
    assert_eq!(letters(text, &launch(array(1) + 4 * 100_002)), "RURU", "one element of y");
}

#[test]
fn a_loop_that_ends_by_its_condition_has_bounds() {
    let text = "attributes(global) subroutine kernel(x, n)\n integer, value :: n\n integer :: x(n)\n integer :: i\n \
        i = (blockidx%x-1)*blockdim%x + threadidx%x\n do while (i <= n)\n x(i) = x(i) + i\n \
        i = i + blockdim%x*griddim%x\n end do\nend subroutine\n";
    assert_eq!(letters(text, &Launch { grid: lin(8), block: lin(64), args: vec![array(0), 100_003] }), "TT");
}

#[test]
fn atomics_without_a_result_are_reductions() {
    let text = "attributes(global) subroutine kernel(x, h, n)\n integer, value :: n\n integer :: x(n), h(*), old, i\n \
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
    let text = "attributes(global) subroutine kernel(a, b, n, m)\n integer, value :: n, m\n real :: a(n,m), b(n*m)\n \
        integer :: t, i, j\n t = (blockidx%x-1)*blockdim%x + threadidx%x - 1\n if (t < n*m) then\n \
        i = mod(t, n) + 1\n j = t/n + 1\n a(i,j) = b(t+1)\n end if\nend subroutine\n";
    assert_eq!(letters(text, &Launch { grid: lin(20), block: lin(128), args: vec![array(0), array(1), 37, 61] }), "RT");
}

#[test]
fn a_value_by_reference_is_read_before_the_launch() {
    let text = "attributes(global) subroutine kernel(n, x)\n integer :: n\n integer :: x(*)\n integer :: i\n \
        i = (blockidx%x-1)*blockdim%x + threadidx%x\n x(i*iand(n,7)) = i\nend subroutine\n";
    let launch = |n: u64, x: u64| Launch { grid: lin(8), block: lin(64), args: vec![n, x] };
    let odd = (0..64).map(|i| array(1) + 4 * i).find(|&a| memory(a, Ty::I32) & 7 == 3).unwrap();
    assert_eq!(letters(text, &launch(odd, array(0))), "RT");
    assert_eq!(letters(text, &launch(array(0) + 4 * 300, array(0))), "UU", "it lies in the array");
}

//! Kernels and device procedures.

use crate::{code, count, function, module, module_with};
use cufemu_lower::LowerOptions;
use expect_test::expect;
use ir::op::TriOp;
use ir::rt::Rt;
use ir::{FuncKind, InstKind, SharedSize, Space, Ty};

const SAXPY: &str = "
module m
contains
  attributes(global) subroutine saxpy(x, y, a, n)
    real :: x(n), y(n)
    real, value :: a
    integer, value :: n
    integer :: i
    i = (blockidx%x - 1)*blockdim%x + threadidx%x
    if (i <= n) y(i) = a*x(i) + y(i)
  end subroutine
end module
program p
  use m
  real, device :: x(100), y(100)
  x = 1.0
  call saxpy<<<4, 32>>>(x, y, 2.0, 100)
end program
";

#[test]
fn kernel_addresses_elements_from_constant_offsets() {
    let module = module(SAXPY);
    expect![[r#"
        kernel @m.saxpy(%0: i64 "x" unaliased, %1: i64 "y" unaliased, %2: f32 "a", %3: i32 "n") {
        bb0:
          jump bb1
        bb1:
          %4 = cvt.cast.i64.i32 %3
          %5 = max.i64 %4, 0
          %6 = cvt.cast.i64.i32 %3
          %7 = max.i64 %6, 0
          stmt
          %9 = special.ctaid.x
          %10 = add.i32 %9, 1
          %11 = sub.i32 %10, 1
          %12 = special.ntid.x
          %13 = mul.i32 %11, %12
          %14 = special.tid.x
          %15 = add.i32 %14, 1
          %8 = add.i32 %13, %15
          stmt
          %17 = cmp.le.i32 %8, %3
          branch %17, bb4, bb5
        bb2:
          stmt
          return
        bb3:
          jump bb2
        bb4:
          stmt
          %18 = cvt.cast.i64.i32 %8
          %19 = mad.i64 %18, 4, %0
          %20 = load.global.f32 [%19-4]
          %21 = cvt.cast.i64.i32 %8
          %22 = mad.i64 %21, 4, %1
          %23 = load.global.f32 [%22-4]
          %24 = fma.f32 %2, %20, %23
          %25 = cvt.cast.i64.i32 %8
          %26 = mad.i64 %25, 4, %1
          store.global.f32 [%26-4], %24
          jump bb3
        bb5:
          jump bb3
    "#]]
    .assert_eq(&code(&module, "m.saxpy"));
}

#[test]
fn launch_passes_values_and_addresses() {
    let module = module(SAXPY);
    let main = function(&module, "p");
    let launch = main.blocks.iter().flat_map(|b| &b.insts).find_map(|i| match &i.kind {
        InstKind::Launch { args, config, .. } => Some((args.clone(), *config)),
        _ => None,
    });
    let (args, config) = launch.expect("there is a launch");
    assert_eq!(args.len(), 4);
    assert_eq!(args[2], ir::Val::f32(2.0));
    assert_eq!(config.grid, [4, 1, 1].map(ir::Val::i32));
    assert_eq!(config.block, [32, 1, 1].map(ir::Val::i32));
}

#[test]
fn products_are_fused_only_in_device_code_and_only_when_asked() {
    let text = "
module m
contains
  attributes(host,device) real function f(a, b, c)
    real, value :: a, b, c
    f = a*b + c - (a*c) + b - c*a
  end function
  attributes(global) subroutine k(x)
    real :: x(*)
    x(1) = f(x(2), x(3), x(4))
  end subroutine
end module
program p
  use m
  print *, f(1.0, 2.0, 3.0)
end program
";
    let fused = |module: &ir::Module, kind: FuncKind| -> usize {
        let of_kind = module.funcs.iter().filter(|f| f.kind == kind && f.name.starts_with("m.f"));
        of_kind.map(|f| count(f, |i| matches!(i, InstKind::Tri { op: TriOp::Fma, .. }))).sum()
    };
    let with = module(text);
    // `a*b + c` and `… - c*a`; not the product in parentheses.
    assert_eq!((fused(&with, FuncKind::Device), fused(&with, FuncKind::Host)), (2, 0));
    let without = module_with(text, LowerOptions { fma: false, ..LowerOptions::default() });
    assert_eq!(fused(&without, FuncKind::Device), 0);
}

#[test]
fn device_procedure_is_cloned_for_each_space_of_its_arguments() {
    let module = module(
        "
module m
contains
  attributes(device) subroutine bump(a)
    real :: a
    a = a + 1.0
  end subroutine
  attributes(global) subroutine k(x)
    real :: x(*)
    real, shared :: s(32)
    real :: l(2)
    call bump(x(1))
    call bump(s(1))
    call bump(l(2))
  end subroutine
end module
program p
end program
",
    );
    let mut spaces = Vec::new();
    for f in module.funcs.iter().filter(|f| f.name.starts_with("m.bump")) {
        for i in f.blocks.iter().flat_map(|b| &b.insts) {
            if let InstKind::Store { space, .. } = &i.kind {
                spaces.push(*space);
            }
        }
    }
    assert_eq!(spaces, [Space::Global, Space::Shared, Space::Local]);
}

#[test]
fn automatic_shared_arrays_follow_each_other_in_dynamic_memory() {
    let module = module(
        "
module m
contains
  attributes(global) subroutine k(o, n)
    integer, value :: n
    real(8) :: o(n)
    real(8), shared :: a(n)
    integer, shared :: b(n), c(16)
    a(1) = 1.0
    b(1) = 2
    c(1) = 3
    o(1) = a(1) + b(1) + c(1)
  end subroutine
end module
program p
end program
",
    );
    let sizes: Vec<SharedSize> = function(&module, "m.k").shared.iter().map(|s| s.size).collect();
    assert_eq!(sizes, [SharedSize::Dynamic, SharedSize::Dynamic, SharedSize::Static(64)]);
}

#[test]
fn synchronisation_and_warp_functions_become_instructions() {
    let module = module(
        "
module m
contains
  attributes(global) subroutine k(o)
    integer :: o(*)
    integer :: v
    v = threadidx%x
    call syncthreads()
    v = __shfl(v, 3)
    o(1) = ballot(v > 1)
    v = atomicadd(o(2), 5)
    if (syncthreads_count(v > 2) > 3) call threadfence()
  end subroutine
end module
program p
end program
",
    );
    let k = function(&module, "m.k");
    assert_eq!(count(k, |i| matches!(i, InstKind::Barrier { .. })), 2);
    assert_eq!(count(k, |i| matches!(i, InstKind::Fence { .. })), 1);
    assert_eq!(count(k, |i| matches!(i, InstKind::Atomic { ty: Ty::I32, space: Space::Global, .. })), 1);
    let lane = k.blocks.iter().flat_map(|b| &b.insts).find_map(|i| match &i.kind {
        InstKind::Shuffle { lane, .. } => Some(*lane),
        _ => None,
    });
    assert_eq!(lane, Some(ir::Val::i32(2)));
}

#[test]
fn cuf_kernel_is_outlined_with_a_reduction_tree() {
    let module = module(
        "
program p
  integer, parameter :: n = 1000
  real, device :: a(n)
  real :: s
  integer :: i
  a = 1.0
  s = 0.0
  !$cuf kernel do <<<*, 64>>>
  do i = 1, n
    a(i) = a(i)*2.0
    s = s + a(i)
  end do
  print *, s
end program
",
    );
    let kernel = module.funcs.iter().find(|f| f.kind == FuncKind::Kernel).expect("there is a kernel");
    assert_eq!(&*kernel.name, "p_9_gpu");
    assert_eq!(kernel.shared.len(), 1);
    assert_eq!(kernel.shared[0].size, SharedSize::Static(4 * 64));
    // One barrier after the threads have stored, one after each of the six halvings.
    assert_eq!(count(kernel, |i| matches!(i, InstKind::Barrier { .. })), 7);
    let main = function(&module, "p");
    assert_eq!(count(main, |i| matches!(i, InstKind::Launch { .. })), 1);
    assert_eq!(count(main, |i| matches!(i, InstKind::Rt { rt: Rt::Copy, .. })), 1);
}

#[test]
fn cuf_kernel_of_a_long_loop_reckons_its_positions_in_64_bits() {
    let mads = |index: &str, grid: &str| {
        let module = module(&format!(
            "
program p
  integer, device :: d
  integer({index}) :: i
  integer :: blocks
  blocks = 2
  !$cuf kernel do <<<{grid}, 1024>>>
  do i = 1, 2147483647
    if (i == 7) d = 1
  end do
end program
"
        ));
        let kernel = module.funcs.iter().find(|f| f.kind == FuncKind::Kernel).expect("there is a kernel");
        [Ty::I32, Ty::I64].map(|t| count(kernel, |i| matches!(i, InstKind::Tri { op: TriOp::Mad, ty, .. } if *ty == t)))
    };
    assert_eq!(mads("4", "*"), [1, 0]);
    assert_eq!(mads("4", "64"), [1, 0]);
    assert_eq!(mads("4", "blocks"), [0, 1]);
    assert_eq!(mads("4", "4194304"), [0, 1]);
    assert_eq!(mads("8", "*"), [0, 1]);
}

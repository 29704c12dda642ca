//! Host code.

use crate::{code, count, function, module, module_with};
use cufemu_lower::LowerOptions;
use expect_test::expect;
use ir::rt::Rt;
use ir::{InstKind, Space, VarLoc};

fn calls(f: &ir::Function, rt: Rt) -> usize {
    count(f, |i| matches!(i, InstKind::Rt { rt: r, .. } if *r == rt))
}

#[test]
fn loop_by_one_counts_without_overflow() {
    let module = module(
        "
subroutine s(n, t)
  integer, value :: n
  integer :: t, i
  do i = 1, n
    t = t + i
  end do
end subroutine
program p
end program
",
    );
    expect![[r#"
        host @s(%0: i32 "n", %1: i64 "t" unaliased) {
        bb0:
          jump bb1
        bb1:
          stmt
          %3 = mov.i32 %0
          %2 = mov.i32 1
          %4 = sub.i32 %3, 1
          %5 = cmp.le.i32 1, %3
          %6 = mov.i32 %4
          branch %5, bb5, bb3
        bb2:
          stmt
          return
        bb3:
          jump bb2
        bb4:
          stmt
          %2 = add.i32 %2, 1
          %10 = cmp.ne.i32 %6, 0
          %6 = sub.i32 %6, 1
          backedge
          branch %10, bb5, bb3
        bb5:
          stmt
          %7 = load.host.i32 [%1]
          %8 = add.i32 %7, %2
          store.host.i32 [%1], %8
          jump bb4
    "#]]
    .assert_eq(&code(&module, "s"));
}

#[test]
fn step_zero_traps() {
    let module = module("program p\ninteger :: i, k\nread *, k\ndo i = 1, 10, k\nprint *, i\nend do\nend program\n");
    let traps = function(&module, "p").blocks.iter().filter(|b| b.term == ir::Term::Trap(ir::Trap::ZeroStep)).count();
    assert_eq!(traps, 1);
}

#[test]
fn a_division_by_what_may_be_zero_traps_in_host_code_only() {
    let traps = |text: &str, name: &str| {
        let module = module(text);
        let ends = |b: &&ir::BlockData| b.term == ir::Term::Trap(ir::Trap::ZeroDivisor);
        function(&module, name).blocks.iter().filter(ends).count()
    };
    let program = |statement: &str| format!("program p\ninteger :: i, k\nread *, i, k\n{statement}\nend program\n");
    assert_eq!(traps(&program("print *, i/k, mod(i, k), modulo(i, k)"), "p"), 3);
    assert_eq!(traps(&program("print *, i/4, mod(i, -7), 1.0/k"), "p"), 0);
    let kernel = "module m\ncontains\nattributes(global) subroutine s(a, k)\ninteger, value :: k\ninteger :: a(*)
a(1) = a(2)/k + mod(a(3), k)\nend subroutine\nend module\n";
    assert_eq!(traps(kernel, "m.s"), 0);
}

#[test]
fn contiguous_transfer_is_one_copy_and_a_strided_one_goes_by_descriptors() {
    let module = module(
        "
program p
  real :: a(10,10)
  real, device :: d(10,10)
  d = a
  a(2:5,:) = d(2:5,:)
  d(:,3) = 1.5
  a = d + 1.0
end program
",
    );
    let main = function(&module, "p");
    // The whole array there, and the operand of the expression back.
    assert_eq!(calls(main, Rt::Copy), 2);
    assert_eq!(calls(main, Rt::CopyStrided), 1);
    assert_eq!(calls(main, Rt::Fill), 1);
}

#[test]
fn scalars_of_the_main_program_live_in_registers_unless_they_are_passed() {
    let module = module(
        "
program p
  integer :: a, b, c
  a = 1
  b = 2
  c = a + b
  call s(b)
  call t(c)
  print *, a, b, c
contains
  subroutine s(x)
    integer :: x
    x = x + 1
  end subroutine
  subroutine t(x)
    integer, intent(in) :: x
    print *, x
  end subroutine
end program
",
    );
    let main = function(&module, "p");
    let place = |name: &str| main.vars.iter().find(|v| &*v.name == name).map(|v| v.loc.clone());
    assert!(matches!(place("a"), Some(VarLoc::Reg(_))));
    assert!(matches!(place("b"), Some(VarLoc::Memory(_))));
    // An INTENT(IN) dummy gets the address of a copy.
    assert!(matches!(place("c"), Some(VarLoc::Reg(_))));
}

#[test]
fn internal_procedure_gets_the_variables_of_a_recursive_host_as_hidden_parameters() {
    let module = module(
        "
recursive subroutine host(n)
  integer, intent(in) :: n
  integer :: acc, tab(n)
  acc = 0
  call inner
  if (n > 1) call host(n - 1)
contains
  subroutine inner
    acc = acc + tab(n)
  end subroutine
end subroutine
program p
  call host(3)
end program
",
    );
    let inner = function(&module, "host.inner");
    let names: Vec<&str> = inner.params.iter().map(|p| &*p.name).collect();
    assert_eq!(names, ["host.n", "host.acc", "host.tab", "host.tab.lower1", "host.tab.extent1", "host.tab.stride1"]);
}

#[test]
fn overlapping_array_assignment_goes_through_a_temporary() {
    let text = |rhs: &str| format!("program p\ninteger :: a(8)\na = 1\na(2:8) = {rhs}\nprint *, a\nend program\n");
    let slots = |rhs: &str| function(&module(&text(rhs)), "p").locals.len();
    assert_eq!(slots("a(1:7) + 1"), 1);
    assert_eq!(slots("a(2:8) + 1"), 0);
}

#[test]
fn operand_that_could_fail_is_not_evaluated_when_the_left_one_decides() {
    let module = module(
        "
subroutine s(a, i, n)
  integer :: a(n), i, n
  if (i <= n .and. a(i) > 0) print *, i
end subroutine
program p
end program
",
    );
    let s = function(&module, "s");
    let branches = s.blocks.iter().filter(|b| matches!(b.term, ir::Term::Branch { .. })).count();
    assert_eq!(branches, 2);
}

#[test]
fn subscripts_are_checked_only_when_asked() {
    let text = "program p\ninteger :: a(8), i\nread *, i\na(i) = 1\nprint *, a\nend program\n";
    assert_eq!(calls(function(&module(text), "p"), Rt::ErrorBounds), 0);
    let checked = module_with(text, LowerOptions { check_bounds: true, ..LowerOptions::default() });
    assert_eq!(calls(function(&checked, "p"), Rt::ErrorBounds), 1);
}

#[test]
fn local_allocatable_is_freed_on_return_and_what_a_main_program_holds_is_not() {
    let module = module(
        "
subroutine s(n)
  integer :: n
  real, allocatable :: a(:)
  allocate(a(n))
  if (n > 3) return
  a = 1.0
end subroutine
program p
  real, allocatable :: b(:)
  allocate(b(4))
end program
",
    );
    // All ways out lead through one block.
    assert_eq!(calls(function(&module, "s"), Rt::Free), 1);
    assert_eq!(calls(function(&module, "p"), Rt::Free), 0);
}

#[test]
fn device_scalar_in_a_host_expression_is_fetched() {
    let module = module("program p\nreal, device :: d(4)\nreal :: r\nd = 1.0\nr = d(2)*3.0\nprint *, r\nend program\n");
    let main = function(&module, "p");
    assert_eq!(calls(main, Rt::Copy), 1);
    let remote = |i: &InstKind| matches!(i, InstKind::Load { space, .. } if *space != Space::Host);
    assert_eq!(count(main, remote), 0);
}

#[test]
fn debugger_finds_bounds_and_descriptors_where_they_live() {
    let module = module(
        "
subroutine s(a, b, n)
  integer :: n
  real :: a(n), b(:,:)
  real, allocatable :: c(:)
  allocate(c(n))
  c = a + b(:,1)
end subroutine
program p
end program
",
    );
    let s = function(&module, "s");
    let var = |name: &str| s.vars.iter().find(|v| &*v.name == name).expect("the variable is described");
    assert!(var("a").is_dummy && matches!(var("a").loc, VarLoc::At(_)));
    assert!(matches!(&var("b").shape, ir::VarShape::Array(dims) if dims.len() == 2));
    // Its descriptor is in registers, because nothing needs its address.
    assert!(matches!((&var("c").loc, &var("c").shape), (VarLoc::At(_), ir::VarShape::Array(dims)) if dims.len() == 1));
}

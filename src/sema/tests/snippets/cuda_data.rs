//! Rules of CUDA Fortran for declarations and for data in device code.

use crate::support::{check_with, dump, errors};
use expect_test::expect;

#[test]
fn data_attributes_are_checked() {
    expect![[r#"
        2:17 E0510 `a` has both `device` and `managed`
            a variable lives in one kind of memory: keep one of them
        3:9 E0511 constant data `c1` cannot be a target
        4:9 E0511 constant data `c2` cannot be allocatable
        5:9 E0512 shared data `s1` must be declared in device code
            declare it in the kernel that uses it
        6:9 W0515 `pinned` has no effect on `p1`, which is not allocatable
            add `allocatable`
        8:9 E0516 texture `t1` must be a pointer
            add `pointer`
        9:20 E0521 named constant `k` cannot be `device` data
            named constants can be used in device code as they are
        10:9 E0510 `f` is a procedure and cannot be `device` data
        13:11 E0513 device component `x` must be allocatable or a pointer
        14:11 E0513 component `y` cannot be `shared` data
        20:11 E0511 constant data `c3` cannot be declared in a host procedure
            declare it in a module
        21:11 E0512 shared data `s2` must be declared in device code
            declare it in the kernel that uses it
        22:27 E0518 device data `d1` of a host procedure cannot be saved
            make it allocatable, or put it into a module
        28:11 E0512 shared data `s6` cannot be a target
        29:21 E0512 shared data `s7` cannot have an initial value
            let one thread assign it, then call `syncthreads()`
        30:21 E0522 bounds of shared array `s8` differ between threads
            use a bound that all threads of the block agree on
        31:11 E0515 `p3` cannot be pinned: pinned data is host data, and this is device code
        32:11 E0516 `u` cannot be unified data in device code
            declare it in host code
        33:22 W0520 pointer `q` is declared in device code
            pointers are best associated in host code
        34:16 W0518 `counter` is saved in host code; in device code each thread sets it anew at each call
            assign it in the first statement instead
        35:22 W0518 `saved` is saved in host code; in device code each thread sets it anew at each call
            assign it in the first statement instead
        36:25 E0519 `name` is `character(len=3)`, and device code has only characters of length 1
            use an array of `character(len=1)`, or compile with `-cuda=charstring`
        41:9 E0511 constant data `c4` cannot be declared in a main program
            declare it in a module
        42:25 E0510 `b` comes from another scope and cannot be given a CUDA attribute here
            put the attribute where it is declared
        44:19 E0517 `x` is `device` data and cannot be in `common` or `equivalence`
    "#]]
    .assert_eq(&errors(
        "module m
  real, device, managed :: a
  real, constant, target :: c1
  real, constant, allocatable :: c2(:)
  real, shared :: s1
  real, pinned :: p1(3)
  real, pinned, allocatable :: p2(:)
  real, texture :: t1
  real, parameter, device :: k = 1
  real, device, external :: f
  character(len=4), device :: text
  type t
    real, device :: x
    real, shared, allocatable :: y(:)
    real, device, allocatable :: z(:)
  end type
contains
  subroutine h(n)
    integer :: n
    real, constant :: c3
    real, shared :: s2(n)
    real, device, save :: d1(3)
    real, device :: d2(n)
  end subroutine
  attributes(global) subroutine k1(n)
    integer, value :: n
    real, shared :: s3(n), s4(*), s5
    real, shared, target :: s6
    real, shared :: s7 = 1.0
    real, shared :: s8(threadidx%x)
    real, pinned, allocatable :: p3(:)
    real, unified :: u
    real, pointer :: q(:)
    integer :: counter = 0
    integer, save :: saved
    character(len=3) :: name
  end subroutine
end module
program p
  use m, only: b => a
  real, constant :: c4
  attributes(device) :: b
  common /blk/ x
  real, device :: x
end program
",
    ));
}

#[test]
fn host_data_in_device_code_is_refused() {
    let text = "module m
  real :: h(10), s
  real, device :: d(10)
  real, managed :: g(10)
  real, constant :: c(10)
  real, allocatable :: al(:)
  integer, parameter :: table(3) = [1, 2, 3]
contains
  attributes(global) subroutine k(a)
    real :: a(*)
    a(1) = h(1) + s
    a(2) = d(1) + g(1) + c(1) + table(2)
    a(3) = al(1)
    c(1) = 2
    s = 1
    threadidx%x = 3
    blockdim = 1
  end subroutine
end module
";
    expect![[r"
        11:12 E0536 host array `h` is used in device code
            declare `h` with `device` or `managed`, and copy the data
        11:19 E0536 host variable `s` is used in device code
            pass `s` as an argument with `value`, or declare it `device`, `constant` or `managed`
        13:12 E0536 host array `al` is used in device code
            declare `al` with `device` or `managed`, and copy the data
        14:5 E0537 `c` is constant data and cannot be changed by device code
            assign it in host code before the launch
        15:5 E0536 host variable `s` is used in device code
            pass `s` as an argument with `value`, or declare it `device`, `constant` or `managed`
        16:5 E0538 `threadidx` is predefined and cannot be assigned
        17:5 E0538 `blockdim` is predefined and cannot be assigned
    "]]
    .assert_eq(&errors(text));
    expect![[r"
        11:12 E0536 host array `h` is used in device code
            declare `h` with `device` or `managed`, and copy the data
        11:19 E0536 host variable `s` is used in device code
            pass `s` as an argument with `value`, or declare it `device`, `constant` or `managed`
        14:5 E0537 `c` is constant data and cannot be changed by device code
            assign it in host code before the launch
        15:5 E0536 host variable `s` is used in device code
            pass `s` as an argument with `value`, or declare it `device`, `constant` or `managed`
        16:5 E0538 `threadidx` is predefined and cannot be assigned
        17:5 E0538 `blockdim` is predefined and cannot be assigned
    "]]
    .assert_eq(&check_with(text, |o| o.managed = true).short);
}

#[test]
fn device_statements_that_are_not_possible_are_refused() {
    expect![[r#"
        8:5 W0535 device code has only list-directed output to unit `*`
            write `print *, …`
        9:5 W0535 device code has only list-directed output to unit `*`
            write `print *, …`
        10:11 E0535 `!$cuf kernel do` stands in host code only
        14:5 E0535 device code has no `pause`
    "#]]
    .assert_eq(&errors(
        "module m
contains
  attributes(global) subroutine k(a)
    real :: a(10)
    integer :: i
    print *, 'x', a(1)
    write(*, *) a(2)
    write(*, '(f5.1)') a(3)
    read(*, *) a(1)
    !$cuf kernel do
    do i = 1, 10
      a(i) = 0
    end do
    pause
  end subroutine
end module
",
    ));
}

#[test]
fn device_variable_kinds_become_storage() {
    expect![[r"
        11:16 W0518 `steps` is saved in host code; in device code each thread sets it anew at each call
            assign it in the first statement instead
        module m
          real(4) d(:) [static] device allocatable
          real(4) c(3) [static] constant
          integer(4) g [static] managed = 4
        kernel subroutine m.k(a, n)
          integer(4) n [dummy 1] value
          real(4) a(integer(8)<n>,*) [dummy 0]
          real(4) tile(16,16) [local] shared
          real(4) dyn(integer(8)<n>) [local] shared
          real(4) over(*) [local] shared
          real(4) local(4) [local]
          real(4) acc [local]
          integer(4) steps [local]
          type(dim3) whole [local]
          steps = 3
          acc = sum(local)
          whole = dim3(tid.x+1, tid.y+1, tid.z+1)
          a(1, 1) = ((((acc + dyn(1)) + tile(1, 1)) + over(2)) + real(4)<steps>)
    "]]
    .assert_eq(&dump(
        "module m
  real, device, allocatable :: d(:)
  real, constant :: c(3)
  integer, managed :: g = 4
contains
  attributes(global) subroutine k(a, n)
    real :: a(n, *)
    integer, value :: n
    real, shared :: tile(16, 16), dyn(n), over(*)
    real :: local(4), acc
    integer :: steps = 3
    type(dim3) :: whole
    acc = sum(local)
    whole = threadidx
    a(1, 1) = acc + dyn(1) + tile(1, 1) + over(2) + steps
  end subroutine
end module
",
    ));
}

#[test]
fn allocate_options_fit_their_objects() {
    expect![[r"
        13:25 W0546 `pinned=` has no effect on an object without the `pinned` attribute
        15:3 E0546 `stream=` is for device data
        16:29 E0546 `stat=` is given twice
        17:18 E0546 there is no option `state=` here
            did you mean `stat`?
        18:12 E0547 device component `dc` of a device object can be allocated in device code only
            make the object managed or host data
        19:12 E0547 `pinned` component `pc` of a device object cannot be allocated
            make the object managed or host data
    "]]
    .assert_eq(&errors(
        "program p
  real, allocatable :: h(:)
  real, allocatable, pinned :: pn(:)
  real, allocatable, device :: d(:)
  type t
    real, device, allocatable :: dc(:)
    real, pinned, allocatable :: pc(:)
  end type
  type(t), device :: obj
  logical :: flag
  integer :: ierr
  allocate(pn(3), pinned=flag)
  allocate(h(3), pinned=flag)
  allocate(d(3), stream=1)
  allocate(h(3), stream=1)
  allocate(d(3), stat=ierr, stat=ierr)
  allocate(d(3), state=ierr)
  allocate(obj%dc(3))
  allocate(obj%pc(3))
end program
",
    ));
}

//! Rules of CUDA Fortran for subprograms, calls and launches.

use crate::support::{dump, errors};
use expect_test::expect;

#[test]
fn kernel_prefixes_that_exclude_each_other_are_refused() {
    expect![[r#"
        3:14 E0501 function `f` cannot be a kernel
            make it a subroutine that stores its result in device memory
        7:22 E0502 kernel `k1` cannot be `recursive`
        10:22 W0502 kernel `k2` is declared `pure`, which means nothing for a kernel
        13:22 E0503 `attributes(global)` and `attributes(device)` exclude each other
            a kernel is nothing else beside
        16:31 W0503 `attributes(host)` is given twice
        18:22 E0505 `launch_bounds` applies to kernels only, and `d` is not a kernel
        20:22 E0505 `launch_bounds` takes one to three positive integer constants
        22:41 E0505 `launch_bounds` is given twice
        24:22 E0505 `cluster_dims` takes three positive integer constants
    "#]]
    .assert_eq(&errors(
        "module m
contains
  attributes(global) integer function f(a)
    integer :: a(*)
    f = 1
  end function
  attributes(global) recursive subroutine k1(a)
    integer :: a(*)
  end subroutine
  attributes(global) pure subroutine k2(a)
    integer, intent(in) :: a(*)
  end subroutine
  attributes(global, device) subroutine k3(a)
    integer :: a(*)
  end subroutine
  attributes(host) attributes(host) subroutine h()
  end subroutine
  attributes(device) launch_bounds(128, 2) subroutine d()
  end subroutine
  attributes(global) launch_bounds(0) subroutine k4()
  end subroutine
  attributes(global) launch_bounds(256) launch_bounds(128) subroutine k5()
  end subroutine
  attributes(global) cluster_dims(1, 2) subroutine k6()
  end subroutine
end module
",
    ));
}

#[test]
fn internal_device_procedures_are_refused() {
    expect![[r"
        5:16 E0504 `inner` is an internal procedure of device code, which has none
            put it beside its caller with `attributes(device)`
        10:16 E0504 `inner2` is an internal procedure and cannot be device code
            put it into a module, beside its caller
    "]]
    .assert_eq(&errors(
        "module m
contains
  attributes(device) subroutine d()
  contains
    subroutine inner()
    end subroutine
  end subroutine
  subroutine h()
  contains
    attributes(device) subroutine inner2()
    end subroutine
  end subroutine
end module
",
    ));
}

#[test]
fn recursion_of_device_code_needs_the_prefix() {
    expect![[r"
        5:9 E0506 device procedure `a` calls itself and is not `recursive`
            add the prefix `recursive`
        9:9 E0506 device procedure `b` calls itself and is not `recursive`
            add the prefix `recursive`
        17:16 W0401 `h` calls itself and is not `recursive`
            add the prefix `recursive`
    "]]
    .assert_eq(&errors(
        "module m
contains
  attributes(device) integer function a(n) result(r)
    integer, value :: n
    r = b(n)
  end function
  attributes(device) integer function b(n) result(r)
    integer, value :: n
    r = a(n - 1)
  end function
  attributes(device) recursive integer function c(n) result(r)
    integer, value :: n
    r = c(n - 1)
  end function
  subroutine h(n)
    integer :: n
    if (n > 0) call h(n - 1)
  end subroutine
end module
",
    ));
}

#[test]
fn calls_to_the_wrong_side_are_refused() {
    expect![[r#"
        17:5 E0525 host procedure `host` is called in device code
            declare `host` with `attributes(device)` or `attributes(host,device)`
        20:5 E0540 device code has no `exit`
            call it in host code
        27:7 E0525 device procedure `dev` is called in host code
            call it from a kernel, or declare it with `attributes(host,device)`
        28:8 E0523 kernel `k` is called without a launch configuration
            write `<<<grid, block>>>` after its name
        29:12 E0523 `host` is not a kernel and takes no chevrons
            declare it with `attributes(global)`, or remove `<<< >>>`
        31:3 E0548 `syncthreads` is a procedure of device code and is used in host code
        32:7 E0548 `threadidx` has a value in device code only
    "#]]
    .assert_eq(&errors(
        "module m
contains
  subroutine host(x)
    real :: x
    x = 1
  end subroutine
  attributes(device) real function dev(x)
    real, value :: x
    dev = x
  end function
  attributes(host, device) real function both(x)
    real, value :: x
    both = x
  end function
  attributes(global) subroutine k(a)
    real :: a(*)
    call host(a(1))
    a(1) = dev(1.0) + both(2.0)
    call random_seed()
    call exit(1)
  end subroutine
end module
program p
  use m
  real :: x
  real, device :: a(3)
  x = dev(1.0) + both(2.0)
  call k(a)
  call host<<<1, 1>>>(x)
  call k<<<1, 1>>>(a)
  call syncthreads()
  x = threadidx%x
end program
",
    ));
}

#[test]
fn launch_parameters_are_checked() {
    expect![[r"
        14:12 E0524 the grid must be an integer or `type(dim3)`, not `real(4)`
            write `dim3(x, y, z)` for more than one dimension
        15:15 E0524 the block must be an integer or `type(dim3)`, not `integer(4)` of rank 1
            write `dim3(x, y, z)` for more than one dimension
        16:19 E0524 the bytes of shared memory must be an integer, not `logical(4)`
        17:15 W0534 a block of 2000 threads: it can have 1 to 1024
        18:15 W0534 a block of 2048 threads: it can have 1 to 1024
    "]]
    .assert_eq(&errors(
        "module m
contains
  attributes(global) subroutine k(a)
    real :: a(*)
  end subroutine
end module
program p
  use cudafor
  use m
  implicit none
  real, device :: a(3)
  integer :: list(3)
  type(dim3) :: g
  call k<<<1.5, 32>>>(a)
  call k<<<g, list>>>(a)
  call k<<<1, 32, .true.>>>(a)
  call k<<<1, 2000>>>(a)
  call k<<<1, dim3(32, 64, 1)>>>(a)
end program
",
    ));
}

#[test]
fn kernel_arguments_must_be_device_data_or_values() {
    expect![[r#"
        20:20 E0528 argument `a` must be `device` data, and host data is given
            declare `h` with `device`, or copy it to device data first and pass that
        21:23 E0528 argument `n` must be `device` data, and host data is given
            add `value` to the dummy argument, so that the host passes a copy
        22:23 E0528 argument `n` must be `device` data, and host data is given
            add `value` to the dummy argument, so that the host passes a copy
        23:28 E0402 argument `m` must be `integer(4)`, not `real(4)`
            convert it with `int(…, 4)`
        24:3 E0401 argument `m` of `k` is missing
    "#]]
    .assert_eq(&errors(
        "module m
  real, constant :: c
contains
  attributes(global) subroutine k(a, n, m)
    real :: a(*)
    integer :: n
    integer, value :: m
  end subroutine
end module
program p
  use m
  implicit none
  real :: h(3)
  real, device :: d(3)
  real, managed :: mg(3)
  integer, device :: n_d
  integer :: n
  call k<<<1, 1>>>(d, n_d, n)
  call k<<<1, 1>>>(mg, n_d, n_d)
  call k<<<1, 1>>>(h, n_d, 4)
  call k<<<1, 1>>>(d, n, 4)
  call k<<<1, 1>>>(d, 4, 4)
  call k<<<1, 1>>>(d, n_d, 4.0)
  call k<<<1, 1>>>(d, n_d)
end program
",
    ));
}

#[test]
fn external_kernel_needs_an_interface() {
    expect![[r#"
        17:8 W0405 kernel `k` is launched without an explicit interface
            put it into a module, or write an interface block
        18:8 E0530 `s` has the `value` argument `n` and needs an explicit interface
            put it into a module, or write an interface block
        19:8 E0405 `t` has the assumed-shape argument `a` and needs an explicit interface
            put it into a module, or write an interface block
        20:8 W0529 `u` has the device argument `a` and no explicit interface here
            put it into a module, or write an interface block
    "#]]
    .assert_eq(&errors(
        "attributes(global) subroutine k(a, n)
  real :: a(*)
  integer, value :: n
end subroutine
subroutine s(n)
  integer, value :: n
end subroutine
subroutine t(a)
  real :: a(:)
end subroutine
subroutine u(a)
  real, device :: a(*)
end subroutine
program p
  real, device :: d(3)
  real :: h(3)
  call k<<<1, 1>>>(d, 3)
  call s(3)
  call t(h)
  call u(d)
end program
",
    ));
}

#[test]
fn interface_body_stands_for_the_definition() {
    expect![[r#"
        kernel subroutine k(a, n)
          real(4) a(*) [dummy 0]
          integer(4) n [dummy 1] value
          a(integer(8)<n>) = 1.0_4
        host program p
          real(4) d(3) [static] device
          launch k<<<1, 1>>>(d, 3)
        kernel subroutine k.interface.9(b, m)
          real(4) b(*) [dummy 0]
          integer(4) m [dummy 1] value
          missing
    "#]]
    .assert_eq(&dump(
        "attributes(global) subroutine k(a, n)
  real :: a(*)
  integer, value :: n
  a(n) = 1
end subroutine
program p
  interface
    attributes(global) subroutine k(b, m)
      real :: b(*)
      integer, value :: m
    end subroutine
  end interface
  real, device :: d(3)
  call k<<<1, 1>>>(d, 3)
end program
",
    ));
    expect![[r"
        5:16 E0416 interface of `s` has 1 arguments, its definition has 2
    "]]
    .assert_eq(&errors(
        "subroutine s(a, n)
end subroutine
program p
  interface
    subroutine s(a)
    end subroutine
  end interface
  call s(1.0, 2)
end program
",
    ));
}

#[test]
fn dummies_of_kernels_are_restricted() {
    expect![[r#"
        3:41 E0507 argument `f` of kernel `k` cannot be a procedure
        4:22 E0507 argument `a` of kernel `k` cannot be a pointer
        5:33 E0507 argument `n` of kernel `k` cannot be optional and have `value`
        12:23 W0507 `constant` means nothing on argument `c` of device code
            use `device`, or nothing
        13:17 E0508 `threadfence` is a procedure of device code and cannot be declared anew
            choose another name, or remove the declaration to call the procedure
        14:5 E0507 device code has no `entry`
    "#]]
    .assert_eq(&errors(
        "module m
contains
  attributes(global) subroutine k(a, n, f)
    real, pointer :: a(:)
    integer, value, optional :: n
    interface
      subroutine f()
      end subroutine
    end interface
  end subroutine
  attributes(device) subroutine d(c)
    real, constant :: c(3)
    external :: threadfence
    entry e(c)
  end subroutine
end module
",
    ));
}

#[test]
fn conditional_barriers_are_warned_of() {
    expect![[r"
        10:7 W0552 `syncthreads` under a condition that may differ between the threads of a block
            let all threads of the block come to the barrier
        14:7 W0552 `syncthreads` under a condition that may differ between the threads of a block
            let all threads of the block come to the barrier
    "]]
    .assert_eq(&errors(
        "module m
contains
  attributes(global) subroutine k(a, n)
    integer :: a(*)
    integer, value :: n
    integer :: i, t
    t = threadidx%x
    i = t + blockdim%x * (blockidx%x - 1)
    if (i <= n) then
      call syncthreads()
    end if
    if (n > 3) call syncthreads()
    do i = t, n
      call syncthreads()
    end do
    do i = 1, n
      call syncthreads()
    end do
    if (a(1) > 0) call syncthreads()
    do i = t, 256, blockdim%x
      call syncthreads()
    end do
    do i = t + 1, (n + t) + 128, 32
      call syncthreads()
    end do
  end subroutine
end module
",
    ));
}

#[test]
fn launch_from_device_code_and_star_grid_are_typed() {
    expect![[r"
        module m
        host program p
          integer(4) a(64) [static] device
          launch m.parent<<<*, 256>>>(a)
        kernel subroutine m.child(a)
          integer(4) a(*) [dummy 0]
          a(integer(8)<tid.x+1>) = 32
        kernel subroutine m.parent(a) cooperative max_threads=256
          integer(4) a(*) [dummy 0]
          launch m.child<<<1, 32>>>(a)
    "]]
    .assert_eq(&dump(
        "module m
contains
  attributes(global) subroutine child(a)
    integer :: a(*)
    a(threadidx%x) = warpsize
  end subroutine
  attributes(grid_global) launch_bounds(256, 2) subroutine parent(a)
    integer :: a(*)
    call child<<<1, 32>>>(a)
  end subroutine
end module
program p
  use m
  integer, device :: a(64)
  call parent<<<*, 256>>>(a)
end program
",
    ));
}

#[test]
fn copy_counts_in_bytes_are_warned_of() {
    expect![[r#"
        6:28 W0554 the count of `cudamemcpy` looks like bytes, and it counts elements
            leave the size of an element out
    "#]]
    .assert_eq(&errors(
        "program p
  use cudafor
  real :: h(10)
  real, device :: d(10)
  integer :: istat
  istat = cudaMemcpy(d, h, 10_8 * sizeof(h(1)))
  istat = cudaMemcpy(d, h, 10_8)
end program
",
    ));
}

#[test]
fn calls_of_one_side_need_a_guard_in_code_for_both() {
    expect![[r#"
        9:5 E0525 host procedure `h` is called in device code
            declare `h` with `attributes(device)` or `attributes(host,device)`
        10:5 E0525 device procedure `d` is called in host code
            call it from a kernel, or declare it with `attributes(host,device)`
        16:16 E0525 host procedure `h` is called in device code
            declare `h` with `attributes(device)` or `attributes(host,device)`
    "#]]
    .assert_eq(&errors(
        "module m
contains
  subroutine h()
  end subroutine
  attributes(device) subroutine d()
  end subroutine
  attributes(host, device) subroutine both(n)
    integer, value :: n
    call h()
    call d()
    if (on_device()) then
      call d()
    else
      call h()
    end if
    if (n > 3) call h()
  end subroutine
  attributes(host, device) subroutine early()
    if (on_device()) return
    call h()
  end subroutine
end module
",
    ));
}

#[test]
fn generic_prefers_what_can_be_called_from_here() {
    expect![[r#"
        module m
        type v bytes=4 align=4
          real(4) :: x @0
        host function m.add_host(a, b) result(c)
          type(v) a [dummy 0] intent(in)
          type(v) b [dummy 1] intent(in)
          type(v) c [result]
          c%x = (a%x + b%x)
        device function m.add_device(a, b) result(c)
          type(v) a [dummy 0] intent(in)
          type(v) b [dummy 1] intent(in)
          type(v) c [result]
          c%x = (a%x + b%x)
        kernel subroutine m.k(a)
          type(v) a(2) [dummy 0]
          a(1) = m.add_device(a(1), a(2))
    "#]]
    .assert_eq(&dump(
        "module m
  type v
    real :: x
  end type
  interface operator(+)
    module procedure add_host, add_device
  end interface
contains
  function add_host(a, b) result(c)
    type(v), intent(in) :: a, b
    type(v) :: c
    c%x = a%x + b%x
  end function
  attributes(device) function add_device(a, b) result(c)
    type(v), intent(in) :: a, b
    type(v) :: c
    c%x = a%x + b%x
  end function
  attributes(global) subroutine k(a)
    type(v) :: a(2)
    a(1) = a(1) + a(2)
  end subroutine
end module
",
    ));
}

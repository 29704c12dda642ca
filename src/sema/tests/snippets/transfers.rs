//! Device data in host statements.

use crate::support::{dump, errors};
use expect_test::expect;

#[test]
fn copies_between_host_and_device_are_assignments() {
    expect![[r"
        host program p
          real(4) a_d(10) [static] device
          real(4) b_d(10) [static] device
          real(4) a(10) [static]
          real(4) x [static]
          real(8) big(10) [static]
          integer(4) n_d [static] device
          a_d = a
          a = a_d
          a_d = b_d
          a_d = 0.0_4
          a_d(2:5) = a(1:4)
          x = a_d(3)
          a_d(3) = x
          big = real(8)<a_d>
          n_d = 4
          a = (a + b_d)
          x = sum(a_d)
          x = maxval(a_d, -, -, 4)
    "]]
    .assert_eq(&dump(
        "program p
  real, device :: a_d(10), b_d(10)
  real :: a(10), x
  real(8) :: big(10)
  integer, device :: n_d
  a_d = a
  a = a_d
  a_d = b_d
  a_d = 0
  a_d(2:5) = a(1:4)
  x = a_d(3)
  a_d(3) = x
  big = a_d
  n_d = 4
  a = a + b_d
  x = sum(a_d)
  x = maxval(a_d, stream=4_8)
end program
",
    ));
}

#[test]
fn host_code_does_not_compute_with_device_data() {
    expect![[r"
        6:13 E0541 more than one device object on the right-hand side of a host assignment
            compute it in a kernel or in a `!$cuf kernel do` loop, or copy the objects to host data first
        8:3 E0542 host code can copy device data, but not compute with it
            compute it in a kernel or in a `!$cuf kernel do` loop
        9:3 E0542 host code can copy device data, but not compute with it
            compute it in a kernel or in a `!$cuf kernel do` loop
        11:7 E0544 device data `a_d` is used in host code
            copy it to host data first
        12:7 W0544 host code reads device scalar `s_d`, which is copied each time
            copy it to a host variable first
        13:12 E0545 device data `a_d` in an input/output statement
            copy it to host data first
        15:15 E0545 device data `a_d` in an input/output statement
            copy it to host data first
        16:15 E0532 `eoshift` works on host data, and its argument is device data
            copy it to host data first, or use it in device code
        17:17 W0544 host code reads device scalar `s_d`, which is copied each time
            copy it to a host variable first
        22:9 E0543 an assumed-size array cannot be copied as a whole
            write a section with all bounds
    "]]
    .assert_eq(&errors(
        "program p
  real, device :: a_d(10), b_d(10), s_d
  real, managed :: m(10)
  real :: a(10), r(2, 5)
  integer :: i
  a = a_d + b_d
  a = a_d + a_d
  a_d = a_d + 1
  a_d = a_d + a
  m = m + 1
  if (a_d(1) > 0) a = 0
  if (s_d > 0) a = 0
  print *, a_d
  print *, size(a_d), m
  write(*, *) a_d(1)
  r = eoshift(a_d, 1)
  do i = 1, int(s_d)
  end do
contains
  subroutine s(x)
    real, device :: x(*)
    a = x
  end subroutine
end program
",
    ));
}

#[test]
fn discontiguous_device_sections_are_refused_where_a_shape_is_assumed() {
    expect![[r"
        11:20 E0531 section has gaps in its first dimension, and `x` is an assumed-shape device argument
            copy it to a contiguous device array first
        12:20 E0531 section has gaps in its first dimension, and `x` is an assumed-shape device argument
            copy it to a contiguous device array first
    "]]
    .assert_eq(&errors(
        "module m
contains
  attributes(global) subroutine k(x)
    real :: x(:)
  end subroutine
end module
program p
  use m
  real, device :: a(4, 4)
  call k<<<1, 1>>>(a(:, 1))
  call k<<<1, 1>>>(a(1, :))
  call k<<<1, 1>>>(a(1:4:2, 1))
end program
",
    ));
}

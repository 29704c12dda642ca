//! What is not supported becomes a node and a warning, and stops nothing else.

use crate::support::dump;
use expect_test::expect;

#[test]
fn refused_features_leave_the_rest_of_the_program() {
    expect![[r#"
        module m
          real(2) half [static]
        type t bytes=16 align=8
          integer(8) :: f @0 = 0
          integer(4) :: n @8
        host program p
          type(t) o [static]
          integer(4) i [static]
          integer(4) e(2) [byte 0 of /e/]
          integer(4) f(2) [byte 0 of /e/]
          i = 1
          half = 1.0_2
          if (real(4)<half> > 2.0_4)
            i = 3
          call m.s(i)
          call m.second()
          call external.f.13(o%f, i)
          o%n = 2
          e(1) = 3
          i = 2
        host subroutine m.s(x)
          type(*) x [dummy 0]
          integer(4) x [alias as<x>]
          block #0 ()
            if type_is(x, integer(4))
              block #1 (x)
                x = 1
        host subroutine m.r(x)
          real(4) x(..) [dummy 0]
        host subroutine m.alt(n, alternate return)
          integer(4) n [dummy 0]
          integer(8) alternate return [dummy 1]
          alternate return = 0
          block #0 ()
            alternate return = 1
            return
        host subroutine m.two()
          return
          100000: continue
        host subroutine m.second()
          goto 100000
        host subroutine external.f.13(pointer, x) recursive
          through a pointer
    "#]]
    .assert_eq(&dump(
        "module m
  real(2) :: half
  type t
    procedure(s), pointer, nopass :: f
    integer :: n
  end type
contains
  subroutine s(x)
    class(*) :: x
    select type (x)
    type is (integer)
      x = 1
    end select
  end subroutine
  subroutine r(x)
    real :: x(..)
  end subroutine
  subroutine alt(n, *)
    integer :: n
    return 1
  end subroutine
  subroutine two()
    return
    entry second()
  end subroutine
end module
program p
  use m
  type(t) :: o
  integer :: i, e(2), f(2)
  equivalence (e, f)
  i = 1
  half = 1.0
  if (half > 2.0) i = 3
  call s(i)
  call second()
  call o%f(i)
  o%n = 2
  e(1) = 3
  i = 2
end program
",
    ));
}

#[test]
fn foreign_procedures_are_named() {
    expect![[r#"
        3:5 W0905 procedure `c_code` is written in C, and no given file or library defines it
            give its C file, or the library that has it, such as `-lfoo` or `libfoo.so`, on the command line
        6:5 W0901 procedure `fortran_code` is declared here, but no given file defines it
        9:5 W0904 procedure `c_kernel` is written in CUDA C, and no given file defines it
            give its `.ptx` or `.cu` file on the command line
        12:5 W0509 procedure `device_code` is declared here, but no given file defines it
        module m
        host program p
          call m.c_code(1)
          call m.c_code(2)
          call m.fortran_code(3)
          launch m.c_kernel<<<1, 1>>>(4)
        kernel subroutine m.k(n)
          integer(4) n [dummy 0] value
          call m.device_code(n)
        host subroutine m.c_code(n)
          integer(4) n [dummy 0] value
          missing
        host subroutine m.fortran_code(n)
          integer(4) n [dummy 0]
          missing
        kernel subroutine m.c_kernel(n)
          integer(4) n [dummy 0] value
          missing
        device subroutine m.device_code(n)
          integer(4) n [dummy 0] value
          missing
    "#]]
    .assert_eq(&dump(
        "module m
  interface
    subroutine c_code(n) bind(c, name='c_code')
      integer, value :: n
    end subroutine
    subroutine fortran_code(n)
      integer :: n
    end subroutine
    attributes(global) subroutine c_kernel(n) bind(c)
      integer, value :: n
    end subroutine
    attributes(device) subroutine device_code(n)
      integer, value :: n
    end subroutine
  end interface
contains
  attributes(global) subroutine k(n)
    integer, value :: n
    call device_code(n)
  end subroutine
end module
program p
  use m
  call c_code(1)
  call c_code(2)
  call fortran_code(3)
  call c_kernel<<<1, 1>>>(4)
end program
",
    ));
}

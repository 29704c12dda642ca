//! Modules, use association, submodules.

use crate::support::{dump, errors};
use expect_test::expect;

#[test]
fn modules_are_found_in_any_order_and_renamed() {
    expect![[r#"
        module a
          integer(4) n [static] = 3
          integer(4) x [static]
        module b
        host program p
          x = b.twice(n)
        host function b.twice(i) result(twice)
          integer(4) i [dummy 0] intent(in)
          integer(4) twice [result]
          twice = (2 * i)
    "#]]
    .assert_eq(&dump(
        "program p
  use b, only: local => n, twice
  use a, mine => x
  implicit none
  mine = twice(local)
end program
module b
  use a, only: n
contains
  integer function twice(i)
    integer, intent(in) :: i
    twice = 2 * i
  end function
end module
module a
  integer :: n = 3, x
end module
",
    ));
}

#[test]
fn names_that_modules_do_not_give_are_reported() {
    expect![[r#"
        10:7 E0206 no file defines module `nosuch`
            give all files of the program, in any order
        11:16 E0208 module `a` keeps `hidden` private
            add `public :: hidden` to the module
        11:24 E0207 module `a` has no `visibel`
            did you mean `visible`?
        12:7 E0206 no file defines module `cudaforr`
            did you mean `cudafor`?
            give all files of the program, in any order
        14:9 E0214 there is a second main program
            give the files of one program only
        20:3 E0209 `visible` comes from module `a` and, with another meaning, from module `b`
            use one of the modules with an `only` list, or rename the name there
        21:11 E0201 `hidden` has no declaration
            declare it, or check its spelling
        25:14 E0205 `other` comes from module `b` and cannot be declared again
            rename one of them, or use `b` with an `only` list
    "#]]
    .assert_eq(&errors(
        "module a
  private
  integer, public :: visible
  integer :: hidden
end module
module b
  integer :: visible, other
end module
program p
  use nosuch
  use a, only: hidden, visibel
  use cudaforr
end program
program q
end program
subroutine s
  use a
  use b
  implicit none
  visible = 1
  other = hidden
end subroutine
subroutine t
  use b
  integer :: other
end subroutine
",
    ));
}

#[test]
fn circular_use_is_refused() {
    expect![[r#"
        5:7 E0210 module `a` uses itself, directly or through others
            move what both modules need into a third one
    "#]]
    .assert_eq(&errors(
        "module a
  use b
end module
module b
  use a
end module
",
    ));
}

#[test]
fn unknown_names_of_a_missing_module_are_not_reported() {
    expect![[r#"
        2:7 E0206 no file defines module `nosuch`
            give all files of the program, in any order
    "#]]
    .assert_eq(&errors(
        "program p
  use nosuch
  implicit none
  real(kind_of_it) :: x
  type(thing) :: t
  x = value_of_it + f(t%a)
  call g(x)
end program
",
    ));
}

#[test]
fn submodules_implement_what_their_module_declares() {
    expect![[r#"
        module m
        host subroutine m.s(n)
          integer(4) n [dummy 0] intent(inout)
          n = (n + 2)
        host function m.f(n) result(f)
          integer(4) n [dummy 0] intent(in)
          integer(4) f [result]
          f = (n * 2)
        host function m.f.interface.9(n) result(f)
          integer(4) n [dummy 0] intent(in)
          integer(4) f [result]
          missing
    "#]]
    .assert_eq(&dump(
        "module m
  interface
    module subroutine s(n)
      integer, intent(inout) :: n
    end subroutine
    module integer function f(n)
      integer, intent(in) :: n
    end function
  end interface
end module
submodule (m) sub
  integer, parameter :: two = 2
contains
  module procedure s
    n = n + two
  end procedure
  module integer function f(n)
    integer, intent(in) :: n
    f = n * two
  end function
end submodule
",
    ));
    expect![[r#"
        5:20 E0226 no ancestor module declares an interface of `s`
        8:12 E0226 no file defines module `nosuch`
    "#]]
    .assert_eq(&errors(
        "module m
end module
submodule (m) sub
contains
  module procedure s
  end procedure
end submodule
submodule (nosuch) other
end submodule
",
    ));
}

#[test]
fn imports_reach_the_host_scope_only_when_written() {
    expect![[r#"
        14:12 E0201 `k` is not known in this interface body
            add `import :: k` to it
        17:17 E0225 the host scope has no `nosuch` to import
    "#]]
    .assert_eq(&errors(
        "module m
  implicit none
  integer, parameter :: k = 8
  interface
    subroutine a(x)
      import :: k
      real(k) :: x
    end subroutine
    subroutine b(x)
      import
      real(k) :: x
    end subroutine
    subroutine c(x)
      real(k) :: x
    end subroutine
    subroutine d(x)
      import :: nosuch
      real :: x
    end subroutine
  end interface
end module
",
    ));
}

#[test]
fn names_of_unsupported_modules_are_refused_where_they_are_used() {
    expect![[r#"
        2:7 W0902 module `mpi` is not supported
        3:30 W0901 `real128` of module `iso_fortran_env` is not supported
            did you mean `real32`?
        host program p
          integer(4) ierr [static]
          integer(4) i [static]
          i = 1
          unsupported<module `mpi`>
          if (i > 3)
            unsupported<module `mpi`>
          unsupported<module `mpi`>
          i = 2
    "#]]
    .assert_eq(&dump(
        "program p
  use mpi
  use iso_fortran_env, only: real128
  use cudafor
  implicit none
  integer :: ierr, i
  i = 1
  call mpi_init(ierr)
  if (i > 3) call mpi_abort(mpi_comm_world, 1, ierr)
  ierr = cudaNoSuchThing(i)
  i = 2
end program
",
    ));
}

#[test]
fn namelist_groups_list_variables() {
    expect![[r#"
        host program p
          integer(4) n [static]
          integer(4) a(3) [static]
          read(*, nml=group) n, a
          write(*, nml=group) n, a
    "#]]
    .assert_eq(&dump(
        "program p
  integer :: n, a(3)
  namelist /group/ n, a
  read(*, nml=group)
  write(*, group)
end program
",
    ));
    expect![[r#"
        3:12 E0223 `nml=` needs the name of a namelist group
    "#]]
    .assert_eq(&errors("program p\n  integer :: n\n  write(*, nml=n)\nend program\n"));
}

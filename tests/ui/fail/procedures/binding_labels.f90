! Variables and procedures with binding labels that C could not have.
module m
  use iso_c_binding
  implicit none
  type :: plain
    integer :: i
  end type
  type, bind(c) :: text
    character(len=2) :: c !~ E0420
  end type
  integer(c_int), bind(c, name="count") :: count_of
  integer(c_int), bind(c, name="count") :: second !~ E0230
  integer(c_int), bind(c, name="pair") :: a, b !~ E0420, E0230
  character(len=3), bind(c) :: word !~ W0420
  integer(c_int) :: shared_one, other
  bind(c) :: shared_one !~ E0420
  equivalence (shared_one, other)
  abstract interface
    subroutine callback() bind(c, name="cb") !~ E0420
    end subroutine
  end interface
contains
  elemental subroutine each(x) bind(c) !~ E0420
    integer(c_int), intent(inout) :: x
    x = x + 1
  end subroutine
  subroutine takes(p, q, r, s, t) bind(c)
    type(plain), intent(in) :: p !~ W0420
    class(plain), intent(in) :: q !~ E0420
    integer(c_int), value, optional :: r !~ E0420
    integer(c_int), pointer, contiguous, intent(in) :: s(:) !~ E0420
    class(*), intent(in) :: t(:) !~ E0420
  end subroutine
  function long() bind(c)
    character(len=2) :: long !~ E0420
    long = 'ab'
  end function
  subroutine leaves(*) bind(c) !~ E0420
    return 1
  end subroutine
  subroutine outer() bind(c, name="outside") !~ E0230
  end subroutine
end module

subroutine outside()
end subroutine

subroutine caller(f)
  interface
    subroutine f() bind(c, name="f") !~ E0420
    end subroutine
  end interface
  integer, bind(c) :: i !~ E0420
  integer, target :: j
  target :: j !~ E0219
  call f()
end subroutine

program main
end program

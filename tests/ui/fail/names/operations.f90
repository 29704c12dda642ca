! Procedures that cannot define an operator or an assignment (Fortran 2018, 15.4.3.4).
module m
  implicit none
  type t
    integer :: n
  end type
  interface operator(.twice.)
    module procedure double
  end interface
  interface operator(.three.)
    module procedure three
  end interface
  interface assignment(=)
    module procedure set, copied
  end interface
contains
  subroutine double(x) !~ E0422
    type(t), intent(inout) :: x
  end subroutine
  integer function three(x, y, z) !~ E0422
    type(t), intent(in) :: x, y, z
    three = x%n + y%n + z%n
  end function
  subroutine set(x, *) !~ E0422
    type(t), intent(out) :: x
    x%n = 0
  end subroutine
  subroutine copied(x, n, m) !~ E0422
    type(t), intent(out) :: x
    integer, intent(in) :: n, m
    x%n = n + m
  end subroutine
end module

program main
end program

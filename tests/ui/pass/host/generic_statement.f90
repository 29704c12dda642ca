! GENERIC as a statement of its own (Fortran 2018, 15.4.3.3).
module m
  implicit none
  private
  generic, public :: g => a, b
  generic, public :: operator(.foo.) => c
  generic :: assignment(=) => d
  type, public :: t
    integer :: i = 0
  end type
  public :: assignment(=)
contains
  integer function a(i)
    integer, intent(in) :: i
    a = i + 1
  end function
  integer function b(x)
    real, intent(in) :: x
    b = 100
  end function
  integer function c(x, y)
    integer, intent(in) :: x, y
    c = x*10 + y
  end function
  subroutine d(l, i)
    type(t), intent(out) :: l
    integer, intent(in) :: i
    l%i = i + 7
  end subroutine
end module
program p
  use m
  implicit none
  type(t) :: x
  x = 3
  print *, g(1), g(2.0), 3 .foo. 4, x%i
end program

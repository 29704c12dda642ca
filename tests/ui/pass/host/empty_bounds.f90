! LBOUND and UBOUND of an empty dimension are 1 and 0, whatever the declaration says.
program main
  implicit none
  type :: holder
    integer :: none(5:4)
  end type
  integer :: a(3:2), b(0:-1, 2:4)
  integer, parameter :: low = lbound(a, 1), high = ubound(a, 1), lows(2) = lbound(b)
  integer, allocatable :: c(:)
  type(holder) :: h
  print *, lbound(a), ubound(a), lbound(a, 1), ubound(a, 1)
  print *, lbound(b), ubound(b), lbound(b, 2), ubound(b, 2)
  print *, lbound(h%none), ubound(h%none)
  print *, low, high, lows
  allocate (c(3:2))
  print *, lbound(c), ubound(c)
  associate (s => a)
    print *, lbound(s), ubound(s)
  end associate
  call explicit(0)
  call assumed(a)
contains
  subroutine explicit(n)
    integer, intent(in) :: n
    integer :: x(5:4 + n)
    print *, lbound(x), ubound(x), size(x)
  end subroutine
  subroutine assumed(x)
    integer, intent(in) :: x(7:)
    print *, lbound(x), ubound(x), size(x)
  end subroutine
end program

! The length of a function's result may ask for the bounds that a dummy argument declares, not for those of the actual argument
! (Fortran 2018, 8.5.8.3, 15.5.2.11), and for dummies that only such bounds name.
module m
  implicit none
  type line(n)
    integer, len :: n
    integer :: x(n) = 2
  end type
contains
  pure function shifted(x) result(r)
    character(*), intent(in) :: x(2:)
    character(len=ubound(x, 1)) :: r(2)
    r = x(2)
  end function
  pure function counted(n, x) result(r)
    integer, intent(in) :: n, x(n:n + 3)
    character(len=ubound(x, 1)) :: r(2)
    r = 'r'
  end function
  function sized(v, n) result(r)
    integer, intent(in) :: n
    integer, intent(in) :: v(n)
    type(line(size(v))) :: r
    r%x = 1
  end function
  function lowest(v) result(r)
    integer, intent(in) :: v(0:*)
    type(line(lbound(v, 1) + v(0))) :: r
    r%x = 1
  end function
  function highest(v) result(r)
    integer, intent(in) :: v(0:)
    type(line(ubound(v, 1) + v(0))) :: r
    r%x = 1
  end function
  integer function total(a)
    type(line(*)), intent(in) :: a
    total = sum(a%x) + 1000*a%n
  end function
end module
program p
  use m
  implicit none
  character(3) :: s(4) = 'abc'
  integer :: a(4) = [1, 2, 3, 4], v(3) = [1, 2, 3], w(2, 2) = 2
  print *, len(shifted(s)), len(counted(2, a))
  print *, shifted(s(1:3))
  print *, total(sized(v, 1)), total(lowest(v)), total(highest(v)), total(highest(v(3:1:-1)))
  print *, total(sized(w, 3)), total(sized(w, 4))
end program

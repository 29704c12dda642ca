! Array constructors of no objects, whose loops would call functions or make objects: their length parameters (Fortran 2018, 7.8).
module m
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: x(n) = 1
  end type
  integer :: calls = 0
contains
  function made(n, k) result(r)
    integer, intent(in) :: n, k
    type(row(2*n)) :: r
    calls = calls + 1
    r%x = k
  end function
  pure function several(n, k) result(r)
    integer, intent(in) :: n, k
    type(row(n)) :: r(k)
    r = row(n)()
  end function
  elemental function like(a) result(r)
    type(row(*)), intent(in) :: a
    type(row(a%n + 1)) :: r
  end function
  integer function last()
    calls = calls + 10
    last = 0
  end function
end module
program p
  use m
  implicit none
  type(row(:)), allocatable :: a(:), b(:)
  integer :: i, j, none
  none = 0
  a = [(made(3, i), i = 1, none)]
  print '(3i4)', size(a), a%n, calls
  a = [(made(3, i), i = 1, 2)]
  print '(5i4)', size(a), a%n, calls, a%x(6)
  a = [((row(5)(), i = 1, j), j = 1, none)]
  print '(3i4)', size(a), a%n, calls
  a = [(several(4, i), i = 1, none)]
  print '(3i4)', size(a), a%n, calls
  a = [(made(2, i), i = 1, last())]
  print '(3i4)', size(a), a%n, calls
  b = like(a)
  print '(3i4)', size(b), b%n, calls
end program

! An array that has no objects, where only a function that is never called would say their length parameters.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: x(n) = 1
  end type
contains
  function made(n) result(r)
    integer, intent(in) :: n
    type(row(n)) :: r
  end function
end module
program p
  use m
  implicit none
  type(row(:)), allocatable :: a(:)
  integer :: i
  a = [(made(3), i = 1, 0)]
  print *, size(a)
  print *, a%n !~ R0901
end program

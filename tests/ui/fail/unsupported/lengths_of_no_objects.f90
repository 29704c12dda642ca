! An array that has no objects, where only an element of a section would say their length parameters, which is never asked for.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: x(n) = 1
  end type
contains
  function like(a) result(r)
    type(row(*)), intent(in) :: a(:)
    type(row(a%n)) :: r
  end function
end module
program p
  use m
  implicit none
  type(row(:)), allocatable :: a(:)
  type(row(3)) :: b(2)
  integer :: i
  a = [(like(b(i:i)), i = 1, 0)]
  print *, size(a)
  print *, a%n !~ R0901
end program

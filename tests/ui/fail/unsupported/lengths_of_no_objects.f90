! A deferred length parameter of an array that has no objects.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: x(n) = 1
  end type
  type(row(:)), allocatable :: a(:)
  allocate (row(3) :: a(0))
  print *, size(a)
  print *, a%n !~ R0901
end program

! Arrays that have no objects, and whose length parameters only a type in a constructor says.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: x(n) = 1
  end type
  type(row(:)), allocatable :: a(:)
  a = [row(3) :: ]
  print *, size(a)
  print *, a%n !~ R0901
end program

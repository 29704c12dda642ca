! An array constructor of objects with different lengths.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type(row(:)), allocatable :: b(:)
  b = [row(2)(5), row(2)(6)]
  print *, b%n
  b = [row(1)(5), row(2)(6)] !~ R0822
end program

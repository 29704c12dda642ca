! MOLD= with another length than the declaration of the object.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type(row(3)), allocatable :: a
  type(row(:)), allocatable :: b
  allocate(row(4) :: b)
  allocate(a, mold=b) !~ R0822
end program

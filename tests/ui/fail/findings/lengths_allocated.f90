! An object of a parameterised derived type that is allocated with another length than its declaration gives.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 0
  end type
  call allocates(3, 3)
  call allocates(3, 4)
contains
  subroutine allocates(n, m)
    integer, intent(in) :: n, m
    type(row(n)), allocatable :: r
    allocate(row(m) :: r) !~ R0822
    print *, r%n
  end subroutine
end program

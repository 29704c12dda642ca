! MOVE_ALLOC to an object that is declared with another length.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type(row(3)), allocatable :: a
  type(row(:)), allocatable :: b
  call move_alloc(b, a)
  allocate(row(4) :: b)
  call move_alloc(b, a) !~ R0822
end program

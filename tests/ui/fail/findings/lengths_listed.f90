! FORALL with values of another length.
program p
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type(row(3)) :: a(2)
  type(row(:)), allocatable :: b(:)
  integer :: i
  allocate(row(4) :: b(2))
  forall (i = 1:2) a(i) = b(3 - i) !~ R0822
end program

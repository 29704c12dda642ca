! FORALL that assigns the parts with run-time lengths of each object of an array.
program p
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type(line(:)), allocatable :: r(:)
  integer :: i
  allocate(line(3) :: r(2))
  forall (i = 1:3) r%x(i) = r%x(4 - i) !~ R0901
end program

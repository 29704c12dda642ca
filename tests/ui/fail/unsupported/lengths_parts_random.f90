! RANDOM_NUMBER of the parts with run-time lengths of each object of an array.
program p
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n) = 1
  end type
  type(line(:)), allocatable :: r(:)
  allocate(line(3) :: r(2))
  call random_number(r%x(1)) !~ R0901
end program

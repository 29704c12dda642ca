! A pointer to a part of each object of an array some of whose objects were made again: their parts stay where they are.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n) = 2
  end type
  type, extends(line) :: longer
    integer :: more = 1
  end type
contains
  subroutine reset(r)
    class(line(*)), intent(out) :: r(:)
  end subroutine
end module
program p
  use m
  implicit none
  type(line(:)), allocatable, target :: r(:)
  real, pointer :: q(:)
  allocate (line(3) :: r(4))
  r%x(2) = 4
  call reset(r(2:3))
  print '(4f4.1)', r%x(2)
  q => r%x(2)
end program

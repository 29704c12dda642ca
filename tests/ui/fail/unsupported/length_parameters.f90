! Objects with length type parameters that are known at run time only, where they cannot be used.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    real :: x(n)
  end type
end module
program p
  use m
  implicit none
  class(line(:)), device, allocatable :: c !~ W0901
  allocate (line(2) :: c) !~ R0901
end program

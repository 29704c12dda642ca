! ALIGN= of ALLOCATE that is known at run time only is a power of two.
program p
  implicit none
  integer :: n
  real, allocatable :: a(:)
  n = 48
  allocate (a(10), align=n/3)
  deallocate (a)
  allocate (a(10), align=n) !~ R0801
end program

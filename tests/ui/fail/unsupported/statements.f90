! Statements that are not supported are named, and stop the program only where it comes to them.
program p
  implicit none
  integer :: x(2)
  real, allocatable :: a(:)
  x = 1
  if (x(1) > 1) then
    allocate (a(4), align=x(2))          !~ W0901
  end if
  allocate (a(4), align=4*1024*1024)    !~ W0901, R0901
end program

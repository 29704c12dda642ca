! Statements that are not supported are named, and stop the program only where it comes to them.
program p
  implicit none
  integer :: x(2)
  x = 1
  if (x(1) > 1) then
    pause                               !~ W0901
  end if
  wait (7)                              !~ W0901, R0901
end program

! ASSIGN and assigned GO TO with labels and variables that do not fit.
program p
  implicit none
  integer :: i, a(2)
  real :: x
  assign 10 to x                        !~ E0301
  assign 10 to a                        !~ E0301
  assign 20 to i                        !~ E0113
  go to i, (10, 30)                     !~ E0113
  go to x                               !~ E0301
  print i, 1                            !~ E0327
10 continue
end program

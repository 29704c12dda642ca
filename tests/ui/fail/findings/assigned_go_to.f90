! An assigned GO TO whose variable holds none of its labels.
program p
  implicit none
  integer :: i
  i = 1
  if (i > 1) assign 10 to i
  go to i                               !~ R0801
10 continue
end program

! A program that has ranks is one process, which it cannot copy.
! run: --ranks 2
program p
  implicit none
  integer, external :: fork
  print *, fork() !~ R0801
end program

! QUIET= of STOP: the program ends with its code and says nothing (Fortran 2018, 11.4).
! exit: 7
program quiet_stop
  implicit none
  logical(1) :: q
  q = command_argument_count() == 0
  print '(a)', 'here'
  stop 7, quiet=q
end program

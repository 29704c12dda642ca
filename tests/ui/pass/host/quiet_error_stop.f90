! run: -- loud
! exit: 3
program quiet_error_stop
  implicit none
  if (command_argument_count() == 0) error stop 4, quiet=.false.
  error stop 3, quiet=command_argument_count() == 1
end program

! The statuses and logical arguments of EXECUTE_COMMAND_LINE and RANDOM_INIT may have any kind (Fortran 2018, 16.9.83).
program kinds_of_statuses
  implicit none
  integer(8) :: status(2) = -1, message = -1
  integer(2) :: short = 7
  logical(1) :: yes = .true.
  call execute_command_line('exit 3', yes, exitstat=status(2), cmdstat=message)
  print *, status, message
  call execute_command_line('true', cmdstat=short)
  print *, short
  call execute_command_line('exit 5', exitstat=short)
  print *, short
  call random_init(yes, .false._8)
  call given
contains
  subroutine given(status)
    integer, optional, intent(out) :: status
    call execute_command_line('exit 4', exitstat=status)
    print *, present(status)
  end subroutine
end program

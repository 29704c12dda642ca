! run: --check init
! A routine of the run-time library reads what nothing has written: the place is that of the call.
program p
  implicit none
  character(8) :: name
  integer :: status, access
  status = access(name, 'r') !~ R0304
  print *, status > 0
end program

! What `putenv` sets belongs to the program: it finds it, and so do the commands that it runs.
program p
  implicit none
  integer :: putenv, status, system
  character(20) :: text
  print *, putenv('CUFEMU_OF_TEST=some value'), putenv('CUFEMU_EMPTY=')
  call get_environment_variable('CUFEMU_OF_TEST', text)
  print *, text
  call get_environment_variable('CUFEMU_EMPTY', text, status=status)
  print *, status, len_trim(text)
  call execute_command_line('echo "child: $CUFEMU_OF_TEST"')
  status = system('test "$CUFEMU_OF_TEST" = "some value"')
  print *, status
  print *, putenv('CUFEMU_OF_TEST=another one')
  call getenv('CUFEMU_OF_TEST', text)
  print *, text
end program

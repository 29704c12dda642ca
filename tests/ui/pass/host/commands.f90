! run: -- one two words
! Commands for the shell see the files of the program as they are; what they print is output of the program, in order.
program commands
  implicit none
  integer :: code, status, length
  character(30) :: message
  character(2000) :: line
  open (10, file='cufemu_commands.tmp')
  write (10, '(a)') 'written before'
  print '(a)', 'first'
  call system('cat cufemu_commands.tmp')
  print '(a)', 'second'
  close (10)
  call execute_command_line('rm cufemu_commands.tmp', wait=.true., exitstat=code, cmdstat=status)
  print *, code, status
  message = 'unchanged'
  call execute_command_line('exit 3', exitstat=code, cmdmsg=message)
  print *, code, message
  call system('exit 4', code)
  print *, code
  call get_command(line, length, status)
  print *, line(length - 12:length), status
  call get_command(line(:3), status=status)
  print *, status
end program

! What I/O statements cannot do is an error that they tell.
program io_errors
  implicit none
  character(80) :: message
  integer :: status, n, minus = -1
  integer(8) :: great = 2_8**33 + 6
  character(10) :: word
  word = 'whatever'
  open (10, status='scratch')
  close (10, status=word, iostat=status)
  print '(a,l2)', 'close', status > 0
  word = 'DELETE'
  close (10, status=word, iostat=status)
  print '(a,l2)', 'close', status > 0
  open (10, status='scratch', access='stream', form='unformatted')
  write (10, rec=1, iostat=status) 5
  print '(a,l2)', 'rec', status > 0
  close (10)
  write (minus, *, iostat=status) 5
  print '(a,l2)', 'unit', status > 0
  write (great, *, iostat=status) 5
  print '(a,l2)', 'unit', status > 0
  backspace (33, iostat=status)
  print '(a,l2)', 'backspace', status > 0
  rewind (35, iostat=status)
  print '(a,l2)', 'rewind', status > 0
  open (10, status='scratch', form='unformatted')
  write (10) 1
  rewind (10)
  read (10, iostat=status) n
  read (10, iostat=status) n
  print '(a,l2)', 'end', status < 0
  read (10, iostat=status) n
  print '(a,l2)', 'after the end', status > 0
  close (10)
  word = 'plus?'
  write (*, '(i3)', sign=word, iostat=status) 1
  print '(a,l2)', 'sign', status > 0
  message = ''
  backspace (33, iostat=status, iomsg=message)
  print '(a,2l2)', 'backspace', status > 0, message /= ''
  message = 'none'
  rewind (33, iostat=status, iomsg=message)
  print '(a,l2,a)', 'rewind', status > 0, trim(message)
  open (10, status='scratch', access='direct', recl=4, form='unformatted')
  message = ''
  endfile (10, iostat=status, iomsg=message)
  print '(a,2l2)', 'endfile', status > 0, message /= ''
  write (10, rec=2) 7
  ! A record that was not written is no end of the file.
  read (10, rec=2, iostat=status) n
  print '(a,l2,i3)', 'record', status /= 0, n
  read (10, rec=3, iostat=status) n
  print '(a,l2)', 'record', status > 0
  read (10, rec=3, err=20, end=10) n
10 print '(a)', 'end='
20 print '(a)', 'err='
  message = ''
  word = 'burn'
  close (10, status=word, iostat=status, iomsg=message)
  print '(a,2l2)', 'close', status > 0, message /= ''
end program

! A formatted record that is written ends a stream file only if it is at its end.
program stream
  implicit none
  character(10) :: line
  integer :: i, status, at
  open (10, status='scratch', access='stream', form='formatted')
  write (10, '(a)') 'first', 'second', 'third'
  rewind (10)
  read (10, '(a)') line
  inquire (10, pos=at)
  write (10, '(a)') 'SECOND'
  rewind (10)
  do i = 1, 4
    read (10, '(a)', iostat=status) line
    if (status /= 0) exit
    print '(a)', trim(line)
  end do
  close (10)
  open (10, status='scratch', access='stream', form='unformatted')
  write (10) 'abcdef'
  write (10, pos=2) 'X'
  read (10, pos=1) line(1:6)
  print '(a)', line(1:6)
  close (10)
end program

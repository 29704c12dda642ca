! After the end of a file has been read, BACKSPACE goes before the end-of-file record, not before the last record.
program backspace_at_end
  implicit none
  integer :: i, status, k
  open (10, status='scratch', form='unformatted')
  do i = 1, 3
    write (10) i
  end do
  rewind (10)
  do
    read (10, iostat=status) k
    if (status /= 0) exit
  end do
  backspace (10)
  write (10) 4
  rewind (10)
  do i = 1, 4
    read (10, iostat=status) k
    print '(i3,l2)', k, status == 0
  end do
  backspace (10)
  read (10) k
  print '(i3)', k
  close (10)
  open (10, status='scratch', form='formatted')
  write (10, '(i3)') 1, 2
  rewind (10)
  do
    read (10, '(i3)', iostat=status) k
    if (status /= 0) exit
  end do
  backspace (10)
  write (10, '(i3)') 3
  rewind (10)
  read (10, '(i3)') i, k
  read (10, '(i3)') k
  print '(i3)', k
end program

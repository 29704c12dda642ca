! ACCEPT reads standard input as READ without a unit does. Variables may have that name.
program main
  implicit none
  integer :: accept(2), i
  character(8) :: text
  namelist /group/ i
  open (5, file='accept.tmp', status='replace')
  write (5, '(a)') '12 13', '  14abc', '&group i = 15 /', '16', 'read'
  rewind 5
  accept *, accept
  print *, accept
  accept 100, i, text
100 format (i4, a3)
  print *, i, text
  accept group
  print *, i
  accept '(i2)', accept(1)
  accept(2) = 17
  print *, accept
  accept 200
200 format (a)
  close (5, status='delete')
end program

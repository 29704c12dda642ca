! Procedures of lib3f for the next character of a unit and for what the system knows of files; `idate` with one argument.
program lib3f_units
  implicit none
  integer, external :: fgetc, stat, fstat, lstat, getuid
  integer :: u, s(13), t(13), today(3), now(8)
  character(1) :: c
  open (newunit=u, file='lib3f_units.tmp', form='formatted')
  write (u, '(a)') 'ab', 'c'
  rewind u
  print *, fgetc(u, c), iachar(c)
  print *, fgetc(u, c), iachar(c)
  print *, fgetc(u, c), iachar(c)
  print *, fgetc(u, c), iachar(c)
  close (u)
  print *, fgetc(u, c)
  open (newunit=u, file='lib3f_units.tmp', form='formatted')
  print *, stat('lib3f_units.tmp', s), s(4), s(5) == getuid(), s(8)
  print *, fstat(u, t), all(t == s), lstat('lib3f_units.tmp', t), all(t == s)
  close (u, status='delete')
  print *, stat('lib3f_units.tmp', s) /= 0, fstat(u, s) /= 0
  call date_and_time(values=now)
  call idate(today)
  print *, all(today == now(3:1:-1))
end program

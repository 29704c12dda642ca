! Procedures of lib3f for characters and positions of a unit and for what the system knows of files; `idate` with one argument.
program lib3f_units
  implicit none
  integer, external :: fgetc, fputc, ftell, fseek, stat, fstat, lstat, getuid
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
  ! Characters are written without a record: nothing ends the last line.
  open (newunit=u, file='lib3f_units.tmp', form='formatted')
  print *, fputc(u, 'x'), fputc(u, achar(10)), fputc(u, 'y'), fputc(u, 'z'), ftell(u)
  rewind u
  read (u, '(a1)') c
  print *, c, ftell(u), fgetc(u, c), c, fgetc(u, c), c, fgetc(u, c)
  print *, fseek(u, 2, 0), fgetc(u, c), c, fseek(u, -4, 1) /= 0, fseek(u, -1, 2), ftell(u), fgetc(u, c), c
  rewind u
  read (u, '(a1)', advance='no') c
  print *, ftell(u), fgetc(u, c), iachar(c), ftell(u), fseek(u, 0, 7) /= 0
  close (u, status='delete')
  print *, fputc(u, 'x') /= 0, ftell(u) < 0, fseek(u, 0, 0) /= 0
  open (newunit=u, file='lib3f_units.tmp', form='formatted')
  write (u, '(a)') 'ab', 'c'
  close (u)
  open (newunit=u, file='lib3f_units.tmp', form='formatted')
  print *, stat('lib3f_units.tmp', s), s(4), s(5) == getuid(), s(8)
  print *, fstat(u, t), all(t == s), lstat('lib3f_units.tmp', t), all(t == s)
  close (u, status='delete')
  print *, stat('lib3f_units.tmp', s) /= 0, fstat(u, s) /= 0
  call date_and_time(values=now)
  call idate(today)
  print *, all(today == now(3:1:-1))
end program

! The rest of nvfortran's library of a UNIX system: times, files and the process.
program p
  implicit none
  integer :: getpid, getuid, getgid, getcwd, hostnm, chdir, chmod, access, rename, unlink, link, symlnk, rindex, kill
  integer :: month, day, year, times(3), fields(9), now(8), status
  real :: second
  real(8) :: dclock, timef
  logical :: isatty, ok
  character(200) :: directory, other
  character(24) :: text
  character(9) :: short
  print *, getpid() > 0, getuid() >= 0, getgid() >= 0, kill(getpid(), 0)
  print *, second() >= 0, dclock() >= 0, timef() >= 0
  call date_and_time(values=now)
  call fdate(text)
  print *, text(4:4) == ' ', text(14:14) == ':', text(21:22), len_trim(text)
  call date(short)
  print *, short(3:3), short(7:7)
  call time(short)
  print *, short(3:3), short(6:6), len_trim(short)
  call idate(month, day, year)
  call itime(times)
  print *, month == now(2), day == now(3), year == mod(now(1), 100), all(times >= 0)
  call gmtime(1000000000, fields)
  print '(9i5)', fields
  call gmtime(951782400, fields)
  print '(9i5)', fields
  call gmtime(-1, fields)
  print '(9i5)', fields
  call ltime(0, fields)
  print *, fields(6) == 70 .or. fields(6) == 69
  print *, getcwd(directory), len_trim(directory) > 0, hostnm(other), len_trim(other) > 0
  call getlog(other)
  open (10, file='cufemu_lib3f.tmp')
  write (10, *) 1
  close (10)
  print *, access('cufemu_lib3f.tmp', 'r'), access('cufemu_lib3f.tmp', 'rw'), access('cufemu_lib3f.tmp', ' ') == 0
  print *, chmod('cufemu_lib3f.tmp', 384), rename('cufemu_lib3f.tmp', 'cufemu_lib3f.b'), access('cufemu_lib3f.tmp', ' ') /= 0
  print *, link('cufemu_lib3f.b', 'cufemu_lib3f.c'), symlnk('cufemu_lib3f.b', 'cufemu_lib3f.d')
  inquire (file='cufemu_lib3f.c', exist=ok)
  print *, ok
  print *, unlink('cufemu_lib3f.b'), unlink('cufemu_lib3f.c'), unlink('cufemu_lib3f.d'), unlink('cufemu_lib3f.b') /= 0
  print *, chdir('/no/such/place') /= 0, chdir(trim(directory)), getcwd(other), other == directory
  print *, rindex('abcabc', 'bc'), isatty(7)
  status = chdir('.')
end program

! `fork` copies the process, `wait` waits for the copy; errors of the system have numbers and texts.
program p
  implicit none
  integer, external :: fork, wait, getpid, ierrno, chdir, access, unlink, getfd, setvbuf3f, outstr
  integer, external :: times
  integer(8) :: ticks(4)
  integer :: child, status, parent, seed, i
  real :: ran
  character(40) :: text, ttynam, files(3)
  parent = getpid()
  do i = 1, 3
    write (files(i), '(2(a, i0))') 'process', parent, '_', i
  end do
  open (10, file=files(1))
  write (10, '(a)') 'before'
  print *, 'before'
  child = fork()
  if (child == 0) then
    print *, 'copy', getpid() /= parent
    open (11, file=files(2))
    write (11, '(a)') 'from the copy'
    close (11)
    stop 3, quiet=.true.
  end if
  print *, wait(status) == child, ishft(status, -8)
  open (11, file=files(2))
  rewind 10
  do i = 10, 11
    read (i, '(a)') text
    print *, trim(text)
    close (i, status='delete')
  end do
  print *, wait(status), ierrno()
  print *, chdir('/there/is/no/such'), ierrno(), access('/', 'r'), unlink('/there/is/no/such')
  call gerror(text)
  print *, trim(text)
  open (0, file=files(3))
  call perror('unlink')
  rewind 0
  read (0, '(a)') text
  print *, trim(text)
  close (0, status='delete')
  open (12, file='/there/is/no/such', status='old', iostat=status)
  print *, status /= 0, ierrno()
  print *, getfd(0), getfd(5), getfd(6), getfd(99), setvbuf3f(6, 1, 4096), setvbuf3f(98, 1, 4096)
  print *, '[', trim(ttynam(12)), ']'
  if (outstr('as it is') /= 0) print *, 'not written'
  print *
  seed = 42
  print *, ran(seed), seed, ran(seed), seed
  print *, times(ticks) > 0, all(ticks >= 0)
end program

! Asynchronous input and output, WAIT, ID=; a call of a library's function for its effect; ALLOCATE with a boundary.
program asynchronous
  implicit none
  integer :: id, other, status, a(3), wait(2)
  logical :: pending
  real, allocatable :: x(:)
  character(len=20) :: message
  character(len=9) :: answers(3)
  wait(1) = 4
  open (10, status='scratch', asynchronous='yes')
  status = 7
  write (10, *, asynchronous='yes', id=id) 5, wait(1)
  write (10, *, asynchronous='yes', id=other) 6
  inquire (10, id=id, pending=pending)
  message = 'none'
  wait (10, id=id, iostat=status, iomsg=message, err=20)
  wait (unit=10)
  rewind 10
  read (10, *, asynchronous='yes', id=id) a(1), a(2)
  read (10, *, asynchronous='yes') a(3)
  wait (10, end=20)
  inquire (10, asynchronous=answers(1))
  open (12, status='scratch')
  inquire (12, asynchronous=answers(2))
  close (12)
  inquire (12, asynchronous=answers(3))
  print '(3(a, 1x))', answers
  print '(3i3, i3, 2l2, 1x, a)', a, status, pending, id > 0, trim(message)
  close (10)
  open (11, file='asynchronous.txt')
  close (11)
  call unlink('asynchronous.txt')
  inquire (file='asynchronous.txt', exist=pending)
  allocate (x(100), align=128)
  x = 1
  print '(l2, f7.1)', pending, sum(x)
  stop
20 print *, 'an error'
end program

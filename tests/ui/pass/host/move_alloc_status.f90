! MOVE_ALLOC with STAT= and ERRMSG= (Fortran 2018, 16.9.137).
program p
  implicit none
  integer, allocatable :: x(:), y(:)
  integer :: i = 5
  integer(8) :: j = 6
  character(20) :: message = 'kept'
  allocate (x(2))
  call move_alloc(x, y, stat=i, errmsg=message)
  print '(i0, 1x, 2l1, 1x, a)', i, allocated(x), allocated(y), trim(message)
  call move_alloc(y, x, j)
  print '(i0, 1x, 2l1)', j, allocated(x), allocated(y)
end program

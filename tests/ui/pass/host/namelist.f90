! Namelist groups, written and read: scalars, arrays, sections, parts of characters, null and repeated values, comments, groups that
! are passed over, records of a character array, and what goes wrong.
program p
  implicit none
  integer :: n = 1, m(0:4) = [5, 4, 3, 2, 1], grid(2, 3) = 0, ios, u
  real :: x = 2.5
  real(8) :: d(2) = [1d0, 2d0]
  logical :: on = .true.
  complex :: z = (1.0, -1.0)
  character(8) :: name = 'old'
  character(60) :: text(4), message
  integer, allocatable :: a(:)
  namelist /run/ n, m, x, d, on, z, name, grid, a
  namelist /small/ n, name
  allocate(a(2:4), source=9)
  write(*, nml=small)
  text(1) = ' &other n = 77 /'
  text(2) = ' &run n = 12, m(1) = 10, 2*20, x=.5'
  text(3) = ' on=f z=(3,4) name=''new one'' ! a comment'
  text(4) = ' m(4)=7, grid(2,:) = 1 2 3 d= ,8 a(3:)=2*1/'
  read(text, nml=run)
  print *, n, m
  print *, x, d, on, z
  print *, name, grid, a
  open(newunit=u, status='scratch', delim='quote')
  write(u, small)
  write(u, '(a)') '&small name(2:3) = ''xy'' / text behind it', '$small n = 5 $end'
  rewind(u)
  name = ' '
  read(u, small)
  print *, n, name
  read(u, small)
  read(u, small)
  print *, n, name
  read(u, small, iostat=ios)
  print *, ios
  close(u)
  text = ' '
  text(1) = '&small missing = 1 /'
  message = ' '
  read(text, small, iostat=ios, iomsg=message)
  print *, ios > 0, message
end program p

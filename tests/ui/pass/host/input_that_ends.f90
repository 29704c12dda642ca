! A condition ends an input statement: the items behind it are not determined (Fortran 2018, 12.11.2, 12.11.3), so that what was to be
! read need not be a good subscript.
program main
  implicit none
  integer :: i, j, n, ios, u, calls = 0
  real :: b(5,5) = 0, x(3) = 0
  character(8) :: text = '2 '
  open (newunit=u, status='scratch')
  read (u, *, iostat=ios) i, j, b(i, j)
  print '(l1)', is_iostat_end(ios)
  read (text, *, iostat=ios) n, x(place(n)), (x(i), i = 1, n)
  print '(l1,i2,3f4.1)', is_iostat_end(ios), n, x
  print '(i0)', calls
  text = '1 7'
  read (text, *, end=10) n, x(place(n)), x(place(n + 1))
10 print '(3f4.1,i2)', x, calls
  text = '2 1 a'
  read (text, *, err=20) i, j, b(i, j), x(int(b(i, j)))
20 print '(2i2,f4.1)', i, j, b(2, 1)
contains
  integer function place(n)
    integer, intent(in) :: n
    calls = calls + 1
    place = n
  end function
end program

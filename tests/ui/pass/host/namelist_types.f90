! Namelist input of objects of derived type, of their components and of parts of them.
module settings_of
  implicit none
  type inner
    integer :: a = 1, b(3) = [1, 2, 3]
    character(4) :: name = 'none'
  end type
  type outer
    real :: x = 0.5
    type(inner) :: in
    type(inner) :: many(2)
    logical :: flag = .false.
    complex :: z = (0., 0.)
  end type
end module

program namelist_types
  use settings_of
  implicit none
  type(outer) :: o, list(0:2)
  type(inner) :: i
  integer :: n = 0
  namelist /deck/ o, list, i, n
  character(60) :: lines(12)
  lines = ' '
  lines(1) = '&deck o%x = 2.5, o%in%a = 7'
  lines(2) = '  o%in%b = 10, 20, 30  o%in%b(2) = 21'
  lines(3) = '  o%in%name = "abcd" o%in%name(2:3) = "XY"'
  lines(4) = '  o%many(2)%b(1:3:2) = 5, 6'
  lines(5) = '  o%many%a = 8, 9'
  lines(6) = '  o%flag = T, o%z = (1.5, -2)'
  lines(7) = '  list(1)%x = 3.5, list(2)%in%a = 4'
  lines(8) = "  list(1)%many(1)%a = 31"
  lines(9) = '  i = 5, 3*6, "five"'
  lines(10) = '  list(0)%in%b(2) = 50, 51'
  lines(11) = '  n = 12'
  lines(12) = '/'
  read (lines, nml=deck)
  print '(f5.1,i4,3i4,1x,a,6(i4,3i4,1x,a))', o%x, o%in
  print '(2(i4,3i4,1x,a))', o%many
  print '(l2,2f6.1)', o%flag, o%z
  print '(3f5.1)', list%x
  print '(3i4)', list%in%a
  print '(3i4)', list(0)%in%b
  print '(3i4)', list%many(1)%a
  print '(4i4,1x,a)', i
  print '(i4)', n
end program

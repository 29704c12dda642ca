! A scalar that is assigned to an allocated array with a deferred length gives it its length; the bounds stay (Fortran 2018, 10.2.1.3).
program p
  implicit none
  character(:), allocatable :: r(:), s(:, :)
  allocate (character(2) :: r(0:1), s(2:3, -1:0))
  r = 'xyzwv'
  print '(3(i0, 1x), 2(a, "|"))', lbound(r), size(r), len(r), r
  r = r(1)(2:3)
  print '(3(i0, 1x), 2(a, "|"))', lbound(r), size(r), len(r), r
  r = ''
  print '(3(i0, 1x))', lbound(r), size(r), len(r)
  s = 'abc'
  print '(5(i0, 1x), 4(a, "|"))', lbound(s), shape(s), len(s), s
end program

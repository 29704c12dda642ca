! Named constants whose extents are those of their values, with lower bounds of their own.
program implied_shapes
  implicit none
  integer, parameter :: a(2:*, *) = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  integer, parameter :: b(0:*) = [7, 8, 9], c(*, -1:*) = a, d(-2:*, 0:*) = a
  print '(6i4)', lbound(a), ubound(a), a(3, 3)
  print '(6i4)', lbound(b), ubound(b), b(0)
  print '(6i4)', lbound(c), ubound(c), c(1, 1)
  print '(6i4)', lbound(d), ubound(d), d(-1, 2)
end program

! Two forms that nvfortran takes: ranges in array constructors, and output lists in parentheses.
program ranges_and_lists
  implicit none
  integer :: a(4), n = 3, j, k
  real :: x = 1.5
  a = (/0:3:1/)
  print *, a
  print *, [1:n, 10, n:1:-1], size([1_8:4_8])
  print *, [real :: 1:2], [integer :: 5:4]
  print '(i2, f5.1)', (j, x, j=1, 2)
  print '(3(i2, f5.1))', ((j, x), j=1, 3)
  print '(8i3)', (((j, k), k=j, 2), j=1, 2)
  print *, (n, x)
  print *, (1.0, 2.0)
end program

! SPREAD along a dimension that only the run knows.
program spread_dimensions
  implicit none
  integer :: a(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3]), d
  integer, allocatable :: b(:, :, :), c(:, :)
  do d = 1, 3
    b = spread(a, d, 2)
    print '(3i2,a,12i2)', shape(b), ':', b
  end do
  do d = 1, 2
    c = spread(a(2, :), d, 2)
    print '(2i2,a,6i2)', shape(c), ':', c
    c = spread(a(:, 3)*2, dim=d, ncopies=d)
    print '(2i2,a,4i3)', shape(c), ':', c
  end do
end program

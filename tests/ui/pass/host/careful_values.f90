! Values of intrinsic functions where simple formulas fail.
program careful_values
  implicit none
  real :: x(3) = [1e30, 1e30, 0.], tiny_ones(2) = [3e-30, 4e-30]
  real(8) :: d(2) = [3d200, 4d200], e(2) = [3d-200, 4d-200]
  real :: h = .5
  print '(es12.5)', norm2(x), norm2(tiny_ones)
  print '(es12.5)', norm2(d), norm2(e), norm2(reshape(d, [1, 2]), 1)
  print '(es12.5)', norm2([real ::]), norm2([0., 0.])
  print '(2i3)', len(max('', '  ')), len(min('abc', 'b', 'cc'))
  print '(3a)', '[', max('a', 'b  '), ']'
  print '(6f12.6)', acosd(h), asind(h), atand(1.), sind(30.), cosd(60.), tand(45.)
end program

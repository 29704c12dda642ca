! WHERE evaluates an elemental expression only where its mask is true.
program where_masks
  implicit none
  integer :: n(6) = [0, 1, 2, 0, 4, 5], m(6), i
  real :: x(6) = [-1., 4., 9., -4., 0., 1.], y(6)
  integer :: a(2, 3) = reshape([0, 1, 2, 3, 0, 4], [2, 3]), b(2, 3)
  m = -1
  where (n /= 0) m = 12 / n
  print '(6i4)', m
  where (n == 0)
    m = 0
  elsewhere (n > 3)
    m = 100 / n
  elsewhere
    m = mod(7, n)
  end where
  print '(6i4)', m
  y = -1
  where (x >= 0) y = sqrt(x)
  print '(6f5.1)', y
  b = 9
  where (a > 0) b = b / a + 6 / a
  print '(6i4)', b
  n = [0, 1, 2, 0, 4, 5]
  where (n > 0) n = 20 / n + m(6:1:-1)
  print '(6i4)', n
  forall (i = 1:6, m(i) /= 0) n(i) = 100 / m(i)
  print '(6i4)', n
  where (m /= 0) n = [(i, i = 1, 6)] * (12 / m)
  print '(6i4)', n
  n = [0, 1, 2, 0, 4, 5]
  m = -1
  where (n /= 0)
    where (12 / n > 4) m = 100 / n
    where (m > 0)
      n = 5 / n
    elsewhere (60 / n > 12)
      n = 6 / n
    elsewhere
      n = 99
    end where
  elsewhere
    m = 7
  end where
  print '(6i4)', n
  print '(6i4)', m
end program

! Intrinsic procedures on arrays and characters: mvbits, maxval and minval of text, out_of_range.
program every_element
  implicit none
  integer :: a(3) = [1, 2, 3], b(3) = 0, m(2, 2) = 15, n, k
  character(3) :: c(4) = ['abc', 'zzz', 'aaa', 'b  '], none(0)
  character(:), allocatable :: t
  real(8) :: x
  real :: r(4) = [-128.9, 127.5, 128., 0.]
  logical :: up
  call mvbits(a, 0, 2, b, 1)
  print '(3i4)', b
  call mvbits(a(3:1:-1), [0, 0, 1], 1, b, [0, 0, 3])
  print '(3i4)', b
  call mvbits(0, 0, 2, m(:, 2), 1)
  print '(4i4)', m
  print '(4(1x,a))', minval(c), maxval(c), minval(c, c > 'aaa'), maxval(c, mask=c < 'b')
  print '(2i3)', iachar(maxval(none)), len(minval(none))
  t = maxval(c(1:3)//'!')
  print '(a,i2)', t, len(t)
  n = 300
  k = 3
  x = 1d300
  up = k > 2
  print *, out_of_range(n, 1_1), out_of_range(n, 1_2), out_of_range(n, 1.), out_of_range(-n, k)
  print *, out_of_range(3e9, 1), out_of_range(x, 1.), out_of_range(1d0, 1.), out_of_range(2.**63, 1_8)
  print *, out_of_range(r, 1_1)
  print *, out_of_range(r, 1_1, up), out_of_range(-128.5, 1_1, .true.), out_of_range(-2.**63, 1_8)
end program

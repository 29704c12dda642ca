! Constant positions, counts and directions that intrinsic procedures do not take, whatever the variable is.
program limits
  implicit none
  integer :: i = 42, j = 7
  integer(8) :: k = 42
  real :: x = 1.0
  character(3) :: text = 'abc'
  integer, parameter :: turned(2) = [2, 2]
  print *, btest(i, 31), btest(k, 63)
  print *, btest(i, 32) !~ E0606
  print *, ibset(k, -1) !~ E0606
  print *, ibits(i, 30, 3) !~ E0606
  print *, ishft(i, -32), ishftc(i, 4, 4)
  print *, ishft(i, 33) !~ E0606
  print *, ishftc(i, 5, 4) !~ E0606
  print *, ishftc(i, 0, 0) !~ E0606
  print *, dshiftl(i, j, 33) !~ E0606
  print *, shiftl([1_1, int(i, 1)], 9) !~ E0606
  call mvbits(i, 30, 2, j, 30)
  call mvbits(i, 30, 2, j, 31) !~ E0606
  print *, repeat(text, 0)
  print *, repeat(text, -1) !~ E0412
  print *, nearest(x, 0.0) !~ E0412
  print *, reshape([1, 2, 3], [2, 2]) !~ E0412
  print *, reshape([i, j, i, j], [2, 2], order=turned) !~ E0412
  print *, is_contiguous(null()) !~ E0412
end program

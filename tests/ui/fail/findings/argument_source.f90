! Without PAD, SOURCE of RESHAPE has enough elements for the result.
program p
  integer :: a(6) = [1, 2, 3, 4, 5, 6], s(2) = [2, 3]
  print *, reshape(a + 1, s)
  s(1) = 10
  print *, size(reshape(a + 1, s)) !~ R0817
end program

! ORDER of RESHAPE is a permutation of the dimensions.
program p
  integer :: a(6) = [1, 2, 3, 4, 5, 6], o(2) = [2, 1]
  print *, reshape(a, [2, 3], order=o)
  o = 1
  print *, reshape(a, [2, 3], order=o) !~ R0817
end program

! SPREAD takes one dimension more than the array has.
program p
  integer :: a(2) = [1, 2], n = 3
  print *, spread(a, n, 2) !~ R0817
end program

! The same where the result is a scalar.
program p
  integer :: a(3) = [1, 2, 3], n = 2
  print *, sum(a, n - 1), maxloc(a, n - 1)
  print *, sum(a, n) !~ R0817
end program

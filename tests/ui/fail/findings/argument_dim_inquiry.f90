! The same of an inquiry.
program p
  integer :: a(3) = [1, 2, 3], n = 0
  print *, lbound(a, n) !~ R0817
end program

! NCOPIES of REPEAT is not negative.
program p
  integer :: n = 2
  print *, repeat('ab', n), '|', repeat('ab', n - 2), '|'
  print *, repeat('ab', n - 3) !~ R0817
end program

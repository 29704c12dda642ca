! DIM that is no dimension of the array, known at run time only (Fortran 2018, 16.9.188): an error without any check.
program p
  integer :: a(3) = [1, 2, 3], b(2, 2) = 1, n = 2
  print *, sum(b, n), size(b, n), ubound(b, n), spread(a, n, 1)
  print *, cshift(a, 1, n) !~ R0817
end program

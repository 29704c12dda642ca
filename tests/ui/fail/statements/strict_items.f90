! Items of one array constructor have one type, and arguments of a statement function the type of the dummy (Fortran 2018, C7110, 15.6.4);
! nvfortran converts.
! run: -Mstandard
program p
  real :: f, x
  f(x) = x + 1
  print *, [1.0, 2.0], f(1.0)
  print *, [1, 2.0]     !~ E0316
  print *, f(1)         !~ E0402
end program

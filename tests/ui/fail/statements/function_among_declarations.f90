! A FUNCTION statement among the declarations is one mistake and is reported as one.
program p !~ E0102
  implicit none
  integer :: m
  real function f(x) !~ (1) E0102
  m = 3
  print *, m
end program

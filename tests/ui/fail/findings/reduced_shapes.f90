! Operands of an expression that a function reduces conform (Fortran 2018, 10.1.5).
! run: --check bounds
program main
  implicit none
  integer :: n
  real :: a(4), b(4)
  n = 4
  a = 1
  b = 2
  print '(l1)', any(a(1:n) > b(1:n))
  if (any(a(1:n) > b(1:n-1))) print '(a)', 'not reached' !~ R0814
end program

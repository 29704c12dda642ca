! The columns of one matrix are as many as the rows of the other (Fortran 2018, 16.9.130).
! run: --check bounds
program main
  implicit none
  integer :: n
  real :: a(3, 3), v(3)
  n = 3
  a = 1
  v = matmul(a(:, 1:n), a(1:n, 2))
  v = matmul(a(:, 1:n-1), a(1:n, 2)) !~ R0814
end program

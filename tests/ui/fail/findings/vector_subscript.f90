! Each element of a vector subscript lies in the bounds of the dimension (Fortran 2018, 9.5.3.3.3).
! run: --check bounds
program main
  implicit none
  integer :: a(4, 8), at(2)
  a = 0
  at = [1, 4]
  a(at, 1) = 1
  at = [1, 5]
  print '(*(i3))', a(at, 1) !~ R0803
end program

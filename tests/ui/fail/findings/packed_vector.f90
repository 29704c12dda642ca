! VECTOR of PACK has an element for each that is chosen (Fortran 2018, 16.9.146).
! run: --check bounds
program main
  implicit none
  integer :: n, a(4)
  n = 4
  a = [1, 2, 3, 4]
  print '(*(i3))', pack(a, a > 2, [7, 8, 9])
  print '(*(i3))', pack(a, a > 0, [(7, n=1, n-1)]) !~ R0814
end program

! run: -Mstandard
! Names that declarations use before they are declared (Fortran 2018, 8.1, 8.6.7, 8.9, 10.1.11).
program main
  implicit none
  real :: a(n) !~ W0107
  integer, parameter :: n = 3
  integer, parameter :: twice = 2 * m !~ W0107
  integer, parameter :: m = 4
  namelist /group/ late !~ W0107
  integer :: late
  data filled / 1.0, 2.0 / !~ W0107
  real :: filled(2)
  integer, parameter :: known = n + m
  a = 'text' !~ E0301
end program

! Integers of constant expressions that do not fit have the values of execution, as with nvfortran.
program p
  implicit none
  integer, parameter :: kb = 1024*8, mb = 1024*kb, gb = 1024*mb   !~ W0601
  integer, parameter :: next = huge(1) + 1                        !~ W0601
  integer(1), parameter :: small(2) = [300, -129]                 !~ W0601
  integer, parameter :: power = 3**25                             !~ W0601
  integer :: great = 1e10                                         !~ W0601
  integer(8) :: long = 4294967296_8
  integer :: low = 4294967297_8                                   !~ W0601
  integer :: a = huge(1), x = 3
  print *, kb, mb, gb, next, small, power, great, long, low
  a = a + 1
  x = x**25
  print *, a == next, x == power
end program

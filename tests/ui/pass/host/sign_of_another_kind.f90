! The result of SIGN has the kind of its first argument, whatever that of the second one (Fortran 2018, 16.9.176).
program sign_of_another_kind
  implicit none
  real :: a = 2.5
  real(8) :: tiny_one = -1d-300
  integer(1) :: small = 5
  integer(8) :: large = -500
  real(2) :: half = 1.5
  real(4), parameter :: fixed = sign(3.0, -1d300)
  print *, kind(sign(a, tiny_one)), kind(sign(tiny_one, a)), kind(sign(small, large)), kind(sign(half, a))
  print *, sign(a, tiny_one), sign(tiny_one, a), sign(small, large), sign(half, tiny_one), fixed
end program

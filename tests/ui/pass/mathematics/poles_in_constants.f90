! The poles of `tanpi` are infinities in constants, as they are for execution.
program p
  implicit none
  real, parameter :: up = tanpi(0.5), down = tanpi(1.5)
  real(8), parameter :: back(2) = tanpi([-0.5d0, 2.5d0])
  real :: x = 0.5
  real(8) :: y = -0.5d0
  print *, up, down, back
  print *, tanpi(x) == up, tanpi(3*x) == down, tanpi(y) == back(1)
end program

! EQUIVALENCE that puts variables at addresses that are no multiples of their sizes.
program main
  real :: r(6) !~ W0901
  real(8) :: a, b !~ W0901, W0901
  equivalence (r(1), a), (r(2), b)
  a = 1.5d0 !~ R0901
  print *, b
end program

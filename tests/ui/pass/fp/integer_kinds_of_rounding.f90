! IEEE_INT with KIND (Fortran 2018, 17.11.12).
program integer_kinds_of_rounding
  use, intrinsic :: ieee_arithmetic, rounded => ieee_int
  implicit none
  print *, rounded(2.5, ieee_nearest), rounded(2.5, ieee_up, 8), rounded(-2.7d0, ieee_to_zero, kind=8)
  print *, kind(rounded(2.5d0, ieee_down, kind=2)), kind(rounded(2.5, kind=1, round=ieee_up)), rounded(3.0e9, ieee_nearest, 8)
  print *, rounded([1.5, 2.5], ieee_nearest, kind=8)
end program

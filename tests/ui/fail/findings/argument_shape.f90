! SHAPE of RESHAPE has no negative element (Fortran 2018, 16.9.163).
program p
  integer :: s(2) = [-1, 2]
  print *, shape(reshape([1, 2], abs(s)))
  print *, shape(reshape([1, 2], s)) !~ R0817
end program

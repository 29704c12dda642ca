! An implied DO of DATA has array elements and components; a part of a complex variable is an object of DATA alone (Fortran 2018, R838,
! R841).
program main
  implicit none
  complex :: z, w(2)
  integer :: i
  data z%re /1.0/, z%im /2.0/
  data (w(i)%re, i=1, 2) /1.0, 2.0/ !~ E0321
  print *, z, w
end program

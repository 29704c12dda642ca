! `NaN(...)` as a part of a complex constant in list-directed input.
program nan_input
  implicit none
  character(40) :: line
  complex :: z(2)
  real :: x
  line = '(NaN(0x7f), 2.5) (1, nan(q)) 3'
  read (line, *) z, x
  print *, real(z(1)) /= real(z(1)), aimag(z(1)) == 2.5
  print *, real(z(2)) == 1, aimag(z(2)) /= aimag(z(2)), x
end program

! A suffix stands behind parentheses (Fortran 2018, R1530, R1535, R1542).
subroutine plain bind(c) !~ E0111
end subroutine

integer function f()
  f = 1
  entry g result(r) !~ E0111
end function

program main
end program

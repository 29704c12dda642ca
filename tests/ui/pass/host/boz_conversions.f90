! INT, REAL, DBLE and CMPLX take as many rightmost bits of a constant as their results have (Fortran 2018, 16.3.3).
program p
  implicit none
  print *, int(z'234567890abcdef1'), int(z'0abcdef1'), int(b'111111111', 1), int(o'17777777777777', 2)
  print *, real(z'ffff3f800000') == 1.0, dble(z'13ff0000000000000') == 1d0
  print *, int(z'1ffffffffffffffff', 8), real(cmplx(z'13f800000', 0.0)) == 1.0
end program

! A number that is read is that of the literal where no rounding mode is given: what is halfway between two goes to the even one.
program main
  implicit none
  real(4) :: r, s
  real(8) :: d
  character(20) :: whole = '16777217', great = '9007199254740993', near = '1.00000005960464477539'
  read (whole, *) r
  read (great, *) d
  print '(f12.1,f20.1,2l2)', r, d, r == 16777217.0, d == 9007199254740993d0
  read (whole, '(f8.0)') r
  read (great, '(f16.0)') d
  print '(f12.1,f20.1)', r, d
  read (whole, '(rc,f8.0)') r
  read (whole, '(rn,f8.0)') s
  print '(2f12.1)', r, s
  read (whole, *, round='compatible') r
  read (near, *) s
  print '(f12.1,f14.9,2f5.1)', r, s, 0.25, 0.75
end program

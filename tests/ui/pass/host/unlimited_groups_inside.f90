! Unlimited format items within other groups, which compilers take beyond the standard (Fortran 2018, 13.3.1).
program p
  implicit none
  print '(3(i3,*(1x,i2)))', 1, 2, 3, 4
  print '("a",2(i2,*(",",i0)),"z")', 1, 2, 3, 4
  print '(2(i2,*(1x,a)))', 1
end program

! What a section leaves out is the lower bound first and the upper bound last, with a negative stride too.
! exit: 0
program half_open_descents
  implicit none
  integer :: a(4) = [1, 2, 3, 4], b(0:3) = [1, 2, 3, 4], n = -1
  integer, parameter :: c(3) = [1, 2, 3]
  print '(a,i2)', 'none', size(a(::-1))              !~ W0306
  print '(a,i2)', 'from the lower', size(a(:1:-2))   !~ W0306
  print '(a,2i2)', 'to the upper', a(4::-1)          !~ W0306
  print '(a,i2)', 'constant', size(c(::-1))          !~ W0306
  print '(a,i2)', 'constant', c(3::-1)               !~ W0306
  print '(a,i2)', 'not known before', size(b(::n)), size(b(3::n)), b(3::n)
  print '(a,4i2)', 'both', a(4:1:-1)
end program

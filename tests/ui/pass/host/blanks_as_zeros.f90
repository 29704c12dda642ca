! Blanks that pad a record count for BZ as those that are in it (Fortran 2018, 12.6.4 and 13.8).
program blanks_as_zeros
  implicit none
  integer :: i, j
  real :: x
  character(6) :: record = '123456'
  read (record, '(bz,i8)') i
  print '(i9)', i
  read (record, '(bn,i8)') i
  print '(i9)', i
  read (record, '(bz,i4,i4)') i, j
  print '(2i9)', i, j
  read (record, '(bz,o8)') i
  print '(o9)', i
  read (record, '(bz,z8)') i
  print '(z9)', i
  record = '1.5'
  read (record(:3), '(bz,f6.1)') x
  print '(f6.2)', x
  read (record(4:5), '(bz,i4)') i
  print '(i9)', i
end program

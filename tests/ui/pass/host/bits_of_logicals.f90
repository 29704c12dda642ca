! Bits go through a logical value by TRANSFER and come back as they were (Fortran 2018, 16.9).
program bits_of_logicals
  implicit none
  integer, parameter :: n = 42, m = transfer(transfer(n, .true.), 0)
  logical, parameter :: l = transfer(0, .true.)
  integer :: i = 42, a(2) = [42, 43]
  print '(i4)', m
  print '(i4)', transfer(transfer(n, .true.), 0)
  print '(i4)', transfer(transfer(i, .true.), 0)
  a = transfer(transfer(a, .false., 2), a)
  print '(2i4)', a
  print '(2i4)', transfer(transfer([42, 43], [.false.]), a)
  print '(3l2)', l, transfer(1, .true.), transfer(transfer(.true., 1.0), .false.)
end program

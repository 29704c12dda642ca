! Large arrays that begin with one value, by DATA too; parts of complex variables in DATA (Fortran 2018, 8.6.7, R838); SPREAD and
! statement functions of great lengths.
program main
  implicit none
  complex :: z
  complex(8) :: w(2)
  real(8) :: a(5000, 5000), b(6000, 3000) = 2.5
  integer :: d(70000), e(100000) = 7, first, i
  character(100000) :: c, sf, x
  character(3) :: y
  equivalence (first, e(1))
  data a /25000000*1d0/
  data (d(i), i=1, 70000) /35000*2, 35000*3/
  data z%re /1.5/, z%im /2.5/, w%im /2*3d0/
  sf(x) = x
  print '(4f14.1)', a(1, 1) + a(5000, 5000), sum(a), b(6000, 3000), sum(b)
  print '(*(i0, 1x))', d(35000), d(35001), first, e(100000), size(spread(1, 1, 3000000))
  print '(6f5.1)', z, w
  y = 'xyz'
  c = sf(y)
  print '(i0)', len_trim(c)
end program

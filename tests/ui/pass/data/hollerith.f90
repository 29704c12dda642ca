! Hollerith constants in free source form, as characters and as the bytes of numbers.

program hollerith
  implicit none
  integer :: i, k(2)
  integer(8) :: j
  real :: r
  complex :: c
  logical :: l
  character(12) :: text
  integer, parameter :: p = 3hxyz !~ W0333
  data k(1) / 4hab!d /            !~ W0333
  data k(2) / 4hwxyz /            !~ W0333
  i = 4h a b                      !~ W0333
  j = 5hhello                     !~ W0333
  r = 13hreal and more            !~ W0333
  c = 8hone two ; text = 6h  a; b !~ W0333
  print '(a4, a8, a4, 2a4, a4, a, "!")', i, j, r, c, p, text
  print '(2a4)', k
  if (i == 4h a b) print *, 'the same' !~ W0333
  if (4h a a < i) print *, 'less'      !~ W0333
  l = 4hzero                            !~ W0333
  print 10, 1
10 format (12h(no comment!, i2, 2x1h), 2(1h!))
end program

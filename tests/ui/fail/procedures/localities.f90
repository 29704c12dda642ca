! Localities of DO CONCURRENT (Fortran 2018, 11.1.7.5).
program main
  implicit none
  integer, parameter :: n = 3
  integer :: i, s, t, outside, a(n)
  s = 0
  t = 0
  outside = 1
  do concurrent (i = 1:n) local(t) shared(a, t) !~ E0340
    a(i) = i
  end do
  do concurrent (i = 1:n) local(i) !~ E0340
    a(i) = i
  end do
  do concurrent (i = 1:n) default(none) local(t) shared(a) reduce(+:s)
    block
      integer :: inner
      inner = i + n
      t = inner + outside !~ E0340
      a(i) = t
      s = s + t
    end block
  end do
  do concurrent (i = 1:n) default(none) local(t) shared(a, outside)
    t = outside
    a(i) = t
  end do
end program

! FORALL whose indices have a type of their own (Fortran 2018, R1125): names outside keep theirs.
program p
  implicit none
  real :: a(4), i = 2.5
  integer(8) :: b(3, 3)
  forall (integer :: i = 1:4) a(i) = i
  print '(4f5.1, f6.2)', a, i
  b = 0
  forall (integer(8) :: k = 1:3, j = 1:3, k /= j)
    b(k, j) = huge(k) - 10*k - j
  end forall
  print '(3i21)', b
  forall (integer(2) :: k = 4:1:-1, a(k) > 1) a(k) = a(k) + kind(k)
  print '(4f5.1)', a
  do concurrent (integer(2) :: k = 1:4, a(k) > 4)
    a(k) = -storage_size(k)
  end do
  print '(4f6.1)', a
end program

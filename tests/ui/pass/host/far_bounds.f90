! DO over integer(8) whose bounds are further apart than the largest number (Fortran 2018, 11.1.7.4.1); the selector of a computed
! GO TO and the number of an alternate return may be of any kind (R1158, R1542).
program main
  implicit none
  integer(8) :: i, n, s, k = 4294967297_8
  integer(2) :: j = 2
  n = 0
  do i = 1, huge(i), 2
    n = n + i
    if (i > 10) exit
  end do
  print '(i0)', n
  s = 2_8**62
  do i = -huge(i), huge(i), s
    print '(i0)', i
  end do
  do i = huge(i), -huge(i), -huge(i)
    print '(i0)', i
  end do
  s = -huge(s) - 1
  do i = huge(i), -huge(i), s
    print '(i0)', i
  end do
  do i = 5, 1, s
    print '(i0)', i
  end do
  s = 3
  do i = 10, 20, s
    print '(i0)', i
  end do
  do i = 10, -20, -3*s
    print '(i0)', i
  end do
  do i = 10, 9, s
    print '(a)', 'never'
  end do
  print '(*(i3))', [(i, i=1_8, 10_8, s)]
  go to (10, 20), k
  print '(a)', 'no label'
  go to (10, 20), j
10 print '(a)', 'the first'
20 call leave(k, *30)
  print '(a)', 'no alternate'
  call leave(1_8, *30)
  print '(a)', 'never'
30 continue
contains
  subroutine leave(n, *)
    integer(8) :: n
    return n
  end subroutine
end program

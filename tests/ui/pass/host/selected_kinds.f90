! Kinds selected by numbers that only the run knows.
program selected_kinds
  implicit none
  integer :: i, p(4) = [5, 10, 20, 6], r(4) = [30, 200, 400, 500]
  integer :: radices(3) = [2, 3, 10]
  integer :: n(6) = [1, 3, 7, 15, 18, -2]
  do i = 1, 6
    print '(2i4)', n(i), selected_int_kind(n(i))
  end do
  do i = 1, 2
    print '(3i4)', selected_real_kind(p(i), r(i)), selected_real_kind(p(i)), selected_real_kind(r=r(i))
  end do
  do i = 1, 3
    print '(3i4)', selected_real_kind(p(1), r(1), radices(i)), selected_real_kind(radix=radices(i)), selected_real_kind(6, 30, radices(i))
  end do
end program

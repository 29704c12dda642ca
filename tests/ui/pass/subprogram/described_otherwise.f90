! An interface whose arrays are of assumed shape, for a procedure that takes them in sequence: what it takes is passed.
module interfaces
  implicit none
  interface total
    subroutine total_of_columns(a, n, answer) !~ W0416
      real, intent(in) :: a(:, :)
      integer, intent(in) :: n
      real, intent(out) :: answer
    end subroutine total_of_columns
  end interface total
end module interfaces

subroutine total_of_columns(a, n, answer)
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: a(n, *)
  real, intent(out) :: answer
  integer :: i, j
  answer = 0
  do j = 1, 2
    do i = 1, n
      answer = 10*answer + a(i, j)
    end do
  end do
end subroutine total_of_columns

program described_otherwise
  use interfaces
  implicit none
  real :: a(4, 2), answer
  a(:, 1) = [1, 2, 3, 4]
  a(:, 2) = [5, 6, 7, 8]
  call total(a(:2, :), 2, answer)
  print *, answer
  call total(a(1:4:2, :), 2, answer)
  print *, answer
end program described_otherwise

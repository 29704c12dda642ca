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
  interface
    subroutine scaled(a, n, factor) !~ W0416
      integer :: n
      real :: a(:), factor(*)
    end subroutine scaled
    subroutine bits_of(x, k) !~ W0416
      real(8) :: x
      integer :: k(2)
    end subroutine bits_of
    subroutine increased(n) !~ W0417
      integer, intent(in) :: n
    end subroutine increased
  end interface
end module interfaces

subroutine scaled(a, n, factor)
  implicit none
  integer :: n
  real :: a(n), factor
  a = factor*a
end subroutine scaled

subroutine bits_of(x, k)
  implicit none
  integer(8) :: x, k
  k = x
end subroutine bits_of

subroutine increased(n)
  implicit none
  integer, intent(inout) :: n
  print *, n + 1
end subroutine increased

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
  real :: a(4, 2), answer, factors(2) = [2, 3]
  integer :: k(2)
  a(:, 1) = [1, 2, 3, 4]
  a(:, 2) = [5, 6, 7, 8]
  call total(a(:2, :), 2, answer)
  print *, answer
  call total(a(1:4:2, :), 2, answer)
  print *, answer
  call scaled(a(:, 2), 4, factors)
  print *, a(:, 2)
  call bits_of(1d0, k)
  print *, k
  call increased(5) !~ W0411
end program described_otherwise

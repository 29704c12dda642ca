! Defined assignment in WHERE and FORALL: only where the masks hold, and after all values have been found.
module m
  implicit none
  type pair
    integer :: a = 0
    logical :: b = .false.
  end type
  interface assignment(=)
    module procedure from_integer, from_logical, to_integer
  end interface
contains
  elemental subroutine from_integer(to, from)
    type(pair), intent(inout) :: to
    integer, intent(in) :: from
    to%a = from
  end subroutine
  elemental subroutine from_logical(to, from)
    type(pair), intent(inout) :: to
    logical, intent(in) :: from
    to%b = from
  end subroutine
  elemental subroutine to_integer(to, from)
    integer, intent(out) :: to
    type(pair), intent(in) :: from
    to = from%a
  end subroutine
end module

program defined_assignment_in_where
  use m
  implicit none
  type(pair) :: x(4), y(2, 2)
  integer :: i, j, n(4), k(2, 2)
  where ([.true., .false., .true., .false.])
    x = [10, 20, 30, 40]
    x = x%a > 15
  elsewhere
    x = -1
  end where
  print *, x%a
  print *, x%b
  ! The values are found before the first assignment.
  where (x%a /= 0) x = x(4:1:-1)%a
  print *, x%a
  where (x%a == -1) n = x
  where (x%a /= -1) n = [(i, i=1, 4)]
  print *, n
  y = reshape([1, 2, 3, 4], [2, 2])
  forall (i=1:2, j=1:2) k(j, i) = y(i, j)
  print *, k
  forall (i=2:4) x(i) = x(i - 1)%a
  print *, x%a
  forall (i=1:2) y(i, :) = 7*i
  print *, y%a
end program

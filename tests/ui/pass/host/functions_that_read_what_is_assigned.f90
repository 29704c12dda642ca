! FORALL, WHERE and assignments with elemental functions take the old values that functions read by host and use association.
module grid
  integer :: m(4) = [1, 2, 3, 4]
contains
  pure integer function at_left(i)
    integer, intent(in) :: i
    at_left = through(max(i - 1, 1))
  end function
  pure integer function through(i)
    integer, intent(in) :: i
    through = m(i)
  end function
end module

program main
  use grid
  implicit none
  integer :: a(4), i
  integer, allocatable :: b(:)
  logical :: mask(4)

  a = [1, 2, 3, 4]
  forall (i = 2:4) a(i) = previous(i)
  print '(4i4)', a

  forall (i = 2:4) m(i) = at_left(i)
  print '(4i4)', m

  m = [4, 3, 2, 1]
  forall (i = 1:4) m(through(i)) = 10 * i
  print '(4i4)', m

  a = [1, 2, 3, 4]
  forall (i = 2:4, previous(i) < 3) a(i) = 9
  print '(4i4)', a

  a = [1, 2, 3, 4]
  mask = .false.
  forall (i = 2:4)
    a(i) = 0
    mask(i) = previous(i) == 1
  end forall
  print '(4l4)', mask

  m = [1, 2, 3, 4]
  where (first_is([1, 1, 1, 1]))
    m = [5, 6, 7, 8]
  elsewhere
    m = -1
  end where
  print '(4i4)', m

  m = [1, 2, 3, 4]
  m = last([0, 1, 2, 3])
  print '(4i4)', m

  b = [1, 2, 3]
  b = total([1, 2, 3, 4])
  print '(4i4)', b

contains

  pure integer function previous(i)
    integer, intent(in) :: i
    previous = a(i - 1)
  end function

  elemental logical function first_is(v)
    integer, intent(in) :: v
    first_is = m(1) == v
  end function

  elemental integer function last(back)
    integer, intent(in) :: back
    last = m(1 + back / 3) + back
  end function

  elemental integer function total(v)
    integer, intent(in) :: v
    total = sum(b) + v
  end function

end program

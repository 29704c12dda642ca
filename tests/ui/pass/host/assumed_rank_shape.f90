! The shape of an argument of assumed rank beside arrays, whose extents are not known before.
program assumed_rank_shape
  implicit none
  integer :: a(2, 3) = 1
  call show(a)
contains
  subroutine show(x)
    integer, intent(in) :: x(..)
    if (any(lbound(x) /= [1, 1])) stop 1
    if (any(shape(x) /= [2, 3])) stop 2
    print *, ubound(x) - [0, 0], shape(x) + [1, 1]
  end subroutine
end program

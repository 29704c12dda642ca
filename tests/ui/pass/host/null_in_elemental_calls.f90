! NULL() for an optional argument of an elemental subroutine is an absent argument, for each element.
program main
  implicit none
  integer :: a(3) = [1, 2, 3], scalar = 5
  integer, pointer :: nothing => null()
  call raise(a, null())
  call raise(a, null(nothing))
  call raise(a, nothing)
  print '(3i4)', a
  call raise(a, scalar)
  print '(3i4)', a
contains
  elemental subroutine raise(x, by)
    integer, intent(inout) :: x
    integer, intent(in), optional :: by
    if (present(by)) then
      x = x + by
    else
      x = 2 * x
    end if
  end subroutine
end program

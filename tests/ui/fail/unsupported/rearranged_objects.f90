! Intrinsic procedures that rearrange an array give objects of its declared type: those of an extension would lose what it adds.
program rearranged
  implicit none
  type point
    integer :: x
  end type
  type, extends(point) :: pixel
    integer :: colour
  end type
  class(point), allocatable :: a(:), b(:, :)
  allocate (a(2))
  a%x = [1, 2]
  b = spread(a, 2, 2)
  print *, b%x
  a = [pixel(1, 2), pixel(3, 4)]
  b = spread(a, 2, 2) !~ R0901
end program

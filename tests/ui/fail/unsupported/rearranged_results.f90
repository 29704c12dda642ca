! The same where the objects are the result of a function, and MERGE of them.
program rearranged
  implicit none
  type point
    integer :: x
  end type
  type, extends(point) :: pixel
    integer :: colour
  end type
  class(point), allocatable :: a(:), b(:), c
  allocate (a(2))
  a%x = [1, 2]
  b = cshift(same(a), 1)
  print *, b%x
  b = merge(a, same(a), [.true., .false.])
  c = merge(a(1), a(2), b(1)%x > 1)
  print *, b%x, c%x
  a = [pixel(1, 2), pixel(3, 4)]
  select case (command_argument_count())
  case (0)
    b = merge(same(a), a, [.true., .false.]) !~ R0901
  case default
    b = cshift(same(a), 1)
  end select
contains
  function same(x) result(y)
    class(point), intent(in) :: x(:)
    class(point), allocatable :: y(:)
    allocate (y, source=x)
  end function
end program

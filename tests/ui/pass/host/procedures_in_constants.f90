! Procedures and targets as components of constants: a structure constructor in an initial value, in a named constant or in
! DATA may have an initial target for a pointer component (Fortran 2018, 10.1.12 (3), 7.5.10).
module shapes
  implicit none
  type shape
    integer :: sides
    procedure(size_of), pointer, nopass :: area
    integer, pointer :: colour
  end type
  type pair
    type(shape) :: first, second
  end type
  abstract interface
    real function size_of(x)
      real, intent(in) :: x
    end function
  end interface
  integer, target, save :: red = 5
  type(shape), save :: square = shape(4, area_of_square, red)
  type(shape), parameter :: line = shape(1, area_of_line, null()), point = shape(0, null(), null())
  type(shape), parameter :: list(2) = [shape(4, area_of_square, null()), line]
contains
  real function area_of_square(x)
    real, intent(in) :: x
    area_of_square = x*x
  end function
  real function area_of_line(x)
    real, intent(in) :: x
    area_of_line = 0*x
  end function
end module

program main
  use shapes
  implicit none
  type(shape) :: a, b(2), c
  type(pair) :: d = pair(line, shape(4, area_of_square, null()))
  data a / shape(7, area_of_square, null()) /
  data b / 2*shape(8, area_of_line, null()) /
  integer :: i
  print '(i0,f5.1,i3)', square%sides, square%area(3.0), square%colour
  print '(i0,f5.1,l2)', line%sides, line%area(3.0), associated(point%area)
  do i = 1, 2
    c = list(i)
    print '(i0,f5.1,2l2)', c%sides, c%area(4.0), associated(c%area), associated(c%area, area_of_line)
  end do
  print '(i0,f5.1)', a%sides, a%area(5.0)
  print '(i0,f5.1,l2)', b(2)%sides, b(2)%area(5.0), associated(b(1)%colour)
  print '(2f5.1)', d%first%area(6.0), d%second%area(6.0)
end program

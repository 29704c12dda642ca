! Assignment to an allocated polymorphic variable whose type and shape stay assigns its components where they are: a defined
! assignment of a component's type sees what was there (Fortran 2018, 10.2.1.3).
module parts
  implicit none
  type :: part
    integer :: n = 5
  contains
    procedure :: take
    generic :: assignment(=) => take
  end type
  type :: whole
    type(part) :: c
    integer, allocatable :: list(:)
  end type
  type, extends(whole) :: more
    integer :: k = 0
  end type
contains
  subroutine take(l, r)
    class(part), intent(inout) :: l
    class(part), intent(in) :: r
    l%n = 10*l%n + r%n
  end subroutine
end module

program assigned
  use parts
  implicit none
  class(whole), allocatable, target :: x, y, xs(:), ys(:)
  class(whole), pointer :: p
  allocate (whole :: x, y)
  x%c%n = 1
  y%c%n = 2
  y%list = [7, 8]
  p => x
  x = y
  print *, p%c%n, p%list, associated(p, x)
  x = x
  print *, p%c%n, p%list
  allocate (more :: xs(2), ys(3:4))
  xs%c%n = [1, 2]
  ys%c%n = [3, 4]
  xs = ys
  print *, xs%c%n, lbound(xs)
  xs = xs(2:1:-1)
  print *, xs%c%n
  ! Another type is allocated anew: the component has its default value first.
  deallocate (y)
  allocate (more :: y)
  y%c%n = 3
  x = y
  print *, x%c%n
end program

! A value that is the target of a pointer function and overlaps what is assigned, or passed beside it, is copied first
! (Fortran 2018, 10.2.1.3).
module m
  implicit none
  type :: t(n)
    integer, len :: n
    integer :: k(n)
  end type
contains
  function part(a, i, j, s) result(p)
    integer, target, intent(in) :: a(:)
    integer, intent(in) :: i, j, s
    integer, pointer :: p(:)
    p => a(i:j:s)
  end function
  function objects(a, i, j) result(p)
    type(t(*)), target, intent(in) :: a(:)
    integer, intent(in) :: i, j
    type(t(:)), pointer :: p(:)
    p => a(i:j)
  end function
  elemental subroutine add(x, y)
    integer, intent(inout) :: x
    integer, intent(in) :: y
    x = x + y
  end subroutine
end module
program p
  use m
  implicit none
  integer, allocatable, target :: b(:)
  integer, target :: a(6) = [1, 2, 3, 4, 5, 6]
  type(t(2)), target :: o(4)
  integer :: i
  b = [1, 2, 3, 4, 5, 6]
  b = part(b, 2, 5, 1)
  print *, b
  a(6:1:-1) = part(a, 1, 6, 1)
  print *, a
  a(2:5) = part(a, 1, 4, 1)
  print *, a
  call add(a(2:5), part(a, 1, 4, 1))
  print *, a
  a([3, 2, 1]) = part(a, 1, 3, 1)
  print *, a
  do i = 1, 4
    o(i)%k = i
  end do
  o(4:1:-1) = objects(o, 1, 4)
  print *, (o(i)%k, i = 1, 4)
end program

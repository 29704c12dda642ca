! An allocatable that is allocated by assignment has the bounds of a whole array, also where the value may lie in it (Fortran 2018,
! 10.2.1.3). What a function reads in bounds, lengths and selectors is read before the first element is assigned.
module parts
  implicit none
  type :: t
    integer, allocatable :: d(:)
    integer, pointer :: p(:)
  end type
  integer :: a(4)
contains
  elemental integer function by_bound(i)
    integer, intent(in) :: i
    integer :: t(a(5 - i))
    by_bound = size(t)
  end function
  elemental integer function by_length(i)
    integer, intent(in) :: i
    character(a(5 - i)) :: t
    by_length = len(t)
  end function
  elemental integer function by_block(i)
    integer, intent(in) :: i
    block
      integer :: t(inner(i))
      by_block = size(t)
    end block
  end function
  elemental integer function by_name(i)
    integer, intent(in) :: i
    associate (q => inner(i))
      by_name = q
    end associate
  end function
  elemental integer function by_result(i)
    integer, intent(in) :: i
    by_result = size(bounds(i))
  end function
  pure integer function inner(i)
    integer, intent(in) :: i
    inner = a(5 - i)
  end function
  pure function bounds(i) result(r)
    integer, intent(in) :: i
    integer :: r(a(5 - i))
    r = 0
  end function
end module
program main
  use parts
  implicit none
  integer, allocatable, target :: v(:)
  integer, pointer :: p(:)
  integer, target :: s(5:7) = [1, 2, 3]
  real, allocatable :: x(:)
  type(t), allocatable :: r(:)
  allocate (p(2:5), r(2))
  p = 1
  v = p
  print '(2i4)', lbound(v), ubound(v)
  r(1)%d = s
  r(2)%d = r(1)%d
  r(2)%p => s
  print '(2i4)', lbound(r(2)%d), ubound(r(2)%d)
  v = r(2)%p
  print '(2i4)', lbound(v), ubound(v)
  x = p
  v = (p)
  print '(2i4)', lbound(x), ubound(x), lbound(v), ubound(v)
  associate (q => p)
    r(1)%d = q
  end associate
  print '(2i4)', lbound(r(1)%d), ubound(r(1)%d)
  a = [1, 2, 3, 4]
  a = by_bound([1, 2, 3, 4])
  print '(4i3)', a
  a = [1, 2, 3, 4]
  a = by_length([1, 2, 3, 4])
  print '(4i3)', a
  a = [1, 2, 3, 4]
  a = by_block([1, 2, 3, 4])
  print '(4i3)', a
  a = [1, 2, 3, 4]
  a = by_name([1, 2, 3, 4])
  print '(4i3)', a
  a = [1, 2, 3, 4]
  a = by_result([1, 2, 3, 4])
  print '(4i3)', a
end program

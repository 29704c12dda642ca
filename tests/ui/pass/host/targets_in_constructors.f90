! The value of a pointer component in a structure constructor may be an initial target, in declarations and in DATA.
! Kinds that are selected by the index of an implied DO.
program targets_in_constructors
  implicit none
  type :: holder
    integer, pointer :: h => null()
    integer :: n = 0
  end type
  type :: outer
    type(holder) :: inner
    real, pointer :: r(:)
  end type
  type :: plain
    integer, pointer :: h
  end type
  integer, target :: i = 42, k(3) = [1, 2, 3]
  real, target :: x(2) = [1.5, 2.5]
  type(holder) :: a = holder(i, 5), b = holder(null(), 6)
  type(outer) :: o = outer(holder(k(2), 7), x)
  type(plain) :: d, e, f(2)
  integer :: kinds(3) = [(selected_int_kind(4 * j), integer :: j = 1, 3)]
  data d / plain(i) /, e / plain(null()) /
  data f(1) / plain(k(3)) /, f(2) / plain(null()) /
  print '(l2,2i4)', associated(a%h, i), a%h, a%n
  print '(l2,i4)', associated(b%h), b%n
  print '(2i4,2f5.1)', o%inner%h, o%inner%n, o%r
  print '(2l2,i4)', associated(d%h, i), associated(e%h), f(1)%h
  i = 43
  print '(3i4)', a%h, d%h, size(o%r)
  print '(3i3)', kinds
  call saved()
  call saved()
contains
  subroutine saved()
    type(holder) :: s = holder(i)
    print '(i4)', s%h
    s%h => k(1)
  end subroutine
end program

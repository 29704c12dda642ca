! Elements of array components of named constants, and of such a component of each object, as bounds and values.
module m
  implicit none
  type t
    integer k(3)
    character(3) :: name
  end type
  type(t), parameter :: one = t([3, 2, 4], 'abc'), table(2) = [t([1, 2, 3], 'def'), t([4, 5, 6], 'ghi')]
  integer, parameter :: second(2) = table%k(2), third(2) = table(2:1:-1)%k(3)
  character(1), parameter :: letters(2) = table%name(2:2)
  integer :: x(one%k(1), one%k(2):table(2)%k(3))
end module
program p
  use m
  implicit none
  print '(4i3)', second, third
  print '(2(1x, a))', letters
  print '(2i3, i4)', shape(x), lbound(x, 2)
end program

! Components that length parameters decide, of a type with length parameters of its own, with default values.
module m
  implicit none
  type :: inner(k)
    integer, len :: k
    integer :: v(k) = 1
  end type
  type :: outer(n)
    integer, len :: n
    type(inner(2)) :: parts(n) = inner(2)([3, 4])
    type(inner(n)) :: one = inner(2)([5, 6])
    type(inner(n)) :: plain(n)
  end type
end module
program p
  use m
  implicit none
  type(outer(:)), allocatable :: o
  integer :: i
  allocate (outer(2) :: o)
  print '(6i3)', (o%parts(i)%v, i = 1, 2), o%one%v
  print '(6i3)', (o%plain(i)%v, i = 1, 2)
end program

! ALLOCATE with MOLD= finalises nothing, whatever lengths the objects have (Fortran 2018, 7.5.6.3).
module m
  implicit none
  type :: a(n)
    integer, len :: n
    integer :: v(n) = 1
  contains
    final :: finish
  end type
  type, extends(a) :: b
    integer :: more = 2
  end type
contains
  subroutine finish(x)
    type(a(*)), intent(inout) :: x
    print '(a, *(i3))', 'final', x%v
  end subroutine
end module
program p
  use m
  implicit none
  class(a(:)), allocatable :: o, q
  allocate (b(2) :: o)
  o%v = 5
  allocate (q, mold=o)
  print '(a, *(i3))', 'made', q%v
  deallocate (q)
end program

! The polymorphic allocatable result of a function is assigned as a whole; it is not allocated before.
module m
  implicit none
  type :: t
    integer :: k = 1
  end type
  type, extends(t) :: u
    integer :: z = 2
  end type
contains
  function same(b) result(r)
    class(t), intent(in) :: b(:)
    class(t), allocatable :: r(:)
    r = b
    r = r(size(r):1:-1)
  end function
end module
program p
  use m
  implicit none
  class(t), allocatable :: a(:), b(:)
  allocate (a(2))
  a%k = [3, 4]
  b = same(a)
  print *, b%k
end program

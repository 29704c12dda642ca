! Bounds and lengths of a function result that ask for a dummy argument are those that the dummy has in the function (Fortran 2018,
! 10.1.11, 8.5.8): of any rank, polymorphic, by value.
module functions
  implicit none
  type :: t
    integer :: k = 2
  end type
  type, extends(t) :: u
    integer :: z = 0
  end type
contains
  function of_rank(x, n) result(r)
    integer, intent(in) :: x(..), n
    integer :: r(rank(x) + size(x) + n)
    r = n
  end function
  function text_of_rank(x) result(r)
    class(*), intent(in) :: x(..)
    character(rank(x) + 1) :: r
    r = 'abcdefg'
  end function
  function from_zero(x) result(r)
    class(t), intent(in) :: x(0:)
    integer :: r(ubound(x, 1))
    r = x(0:ubound(x, 1) - 1)%k
  end function
  function first(x, n) result(r)
    integer, intent(in) :: n
    class(t), intent(in) :: x(n)
    integer :: r(size(x))
    r = x%k
  end function
  function as_many(x) result(r)
    type(t), value :: x
    integer :: r(x%k)
    r = x%k + 1
  end function
  function twice(c) result(r)
    character(*), value :: c
    character(2*len(c)) :: r
    r = c // c
  end function
end module

program main
  use functions
  implicit none
  class(t), allocatable :: a(:)
  type(t) :: w
  integer :: one(3) = 1, two(2,2) = 1
  print '(*(i0,1x))', of_rank(1, 2), of_rank(one, 1), of_rank(two, 0)
  print '(3(a,1x))', text_of_rank(1.), text_of_rank(one), text_of_rank(two)
  allocate (u :: a(5:8))
  a%k = [1, 2, 3, 4]
  print '(*(i0,1x))', size(from_zero(a)), from_zero(a)
  print '(*(i0,1x))', size(first(a, 3)), first(a, 3)
  print '(*(i0,1x))', as_many(w), as_many(t(3))
  print '(a)', twice('abc')
end program

! Elemental procedures with polymorphic dummy arguments get each element of a value that nothing holds as a whole (Fortran 2018, 15.8.2).
module m
  implicit none
  type :: item
    integer :: x = 2
  end type
  type, extends(item) :: wide
    integer :: y(7) = 1
  end type
contains
  elemental integer function total(a)
    class(item), intent(in) :: a
    total = a%x
  end function
  elemental integer function times(k, a)
    integer, intent(in) :: k
    class(*), intent(in) :: a
    times = 0
    select type (a)
    class is (item)
      times = a%x*k
    type is (integer)
      times = -a*k
    end select
  end function
  elemental subroutine get(a, b)
    class(item), intent(in) :: a
    integer, intent(out) :: b
    b = a%x
  end subroutine
  elemental function twice(a) result(r)
    type(item), intent(in) :: a
    type(item) :: r
    r%x = a%x*2
  end function
  elemental function make(k) result(r)
    integer, intent(in) :: k
    type(wide) :: r
    r%x = k
  end function
end module
program p
  use m
  implicit none
  type(item) :: q(3)
  integer :: v(3)
  q%x = [10, 20, 30]
  print *, total(twice(q)), total(twice(twice(q)))
  print *, total(make([1, 2, 3]))
  print *, total((q)), total(merge(q, q(3:1:-1), [.true., .false., .false.]))
  print *, times([1, 2, 3], twice(q))
  print *, times(2, [1, 2, 3] + [1, 1, 1])
  call get(twice(q), v)
  print *, v
  call get(make([4, 5, 6]), v)
  print *, v
end program

! Results of elemental functions are arguments of elemental procedures: each element is computed from its own.

module results
  implicit none
  type :: answer
    integer :: value = 0
  end type
  type :: text
    character(len=:), allocatable :: s
  end type
  interface operator(.and.)
    module procedure both
  end interface
contains
  elemental function same(a, b) result(r)
    integer, intent(in) :: a, b
    type(answer) :: r
    r%value = merge(a, -1, a == b)
  end function

  elemental function both(l, r) result(res)
    type(answer), intent(in) :: l, r
    type(answer) :: res
    res%value = l%value * 10 + r%value
  end function

  elemental integer function inner(l)
    class(answer), intent(in) :: l
    inner = l%value
  end function

  elemental function bracket(self) result(res)
    class(text), intent(in) :: self
    type(text) :: res
    res%s = '[' // self%s // ']'
  end function

  elemental logical function equal(l, r)
    class(text), intent(in) :: l
    type(text), intent(in) :: r
    equal = l%s == r%s
  end function

  elemental subroutine negate(a, b)
    real, intent(in) :: a
    real, intent(out) :: b
    b = -a
  end subroutine
end module

program elemental_results
  use results
  implicit none
  type(answer) :: d(3)
  type(text) :: t(2), wanted(2)
  real :: x(3), y(3)
  integer :: i
  d = same([1, 2, 3], [1, 0, 3]) .and. same([4, 5, 6], 5)
  print *, d%value
  print *, inner(same([1, 2, 3], [1, 2, 0]))
  t(1)%s = 'ab'
  t(2)%s = 'cde'
  wanted = [text('[ab]'), text('[cd]')]
  print *, equal(bracket(t), wanted)
  x = [1., 2., 3.]
  call negate(x + 1., y)
  print *, y
  call negate((x(3:1:-1)), x)
  print *, x
  call negate([(real(i), i = 4, 6)], y)
  print *, y
end program

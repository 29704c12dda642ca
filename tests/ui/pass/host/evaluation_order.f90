! What an assignment or a call needs is complete before anything is stored: vector subscripts, FORALL places, values that
! overlap their target, and functions in bounds, which are called once.
module types
  implicit none
  type pair
    integer :: a = 1, b = 2
  end type
  type row
    integer :: values(3)
  end type
  interface assignment(=)
    module procedure set_pair
  end interface
  integer :: calls = 0
  integer, target :: shared(3)
contains
  elemental subroutine set_pair(left, right)
    type(pair), intent(out) :: left
    type(pair), intent(in) :: right
    left%a = right%a
    left%b = -right%b
  end subroutine
  integer function counted(n)
    integer, intent(in) :: n
    calls = calls + 1
    counted = n
  end function
  subroutine by_value(x, c)
    type(pair), value :: x
    character(2), value :: c
    x%a = 9
    c = 'zz'
    print *, x%a, x%b, c
  end subroutine
  subroutine overwrite(x)
    integer, target :: x(:)
    shared(2:3) = x(1:2)
  end subroutine
  subroutine packed(x)
    integer, contiguous, intent(inout) :: x(:, :)
    call first_four(x)
  end subroutine
  subroutine first_four(x)
    integer, intent(inout) :: x(*)
    print *, x(1:4)
    x(1:4) = -x(1:4)
  end subroutine
  elemental subroutine double(x, y)
    integer, intent(in) :: x
    integer, intent(out) :: y
    y = 2 * x
  end subroutine
  elemental function padded(s) result(r)
    character(*), intent(in) :: s
    character(len(s) + 1) :: r
    r = s // '.'
  end function
  function named(i) result(r)
    integer, intent(in) :: i
    character(:), allocatable :: r
    r = repeat('ab', i)
  end function
  subroutine show(s)
    character(*), intent(in) :: s(:)
    print *, len(s), '|', s, '|'
  end subroutine
end module

program order
  use types
  implicit none
  integer :: p(4) = [2, 4, 1, 3], i, a(5), b(3) = [10, 20, 30], m(3, 3)
  integer, allocatable :: list(:)
  type(pair) :: one, many(3)
  type(row) :: table
  character(4), external :: greeting
  character(6) :: text
  data table%values(2), table%values(1) / 5, 4 /, text(1:3), text(4:6) / 'abc', 'def' /
  p(p) = [(i, i = 1, 4)]
  print *, p
  p = [2, 4, 1, 3]
  forall (i = 1:4) p(p(i)) = i
  print *, p
  a(1:3) = b(counted(1):3)
  b(counted(1):counted(3)) = a(3:1:-1)
  print *, calls, b
  one = pair(3, 4)
  print *, one%a, one%b
  one = one
  print *, one%a, one%b
  many%a = [1, 2, 3]
  many = many([2, 3, 1])
  print *, many%a
  call by_value(one, 'ab')
  print *, one%a
  shared = [1, 2, 3]
  call overwrite(shared)
  print *, shared
  m = reshape([(i, i = 1, 9)], [3, 3])
  call packed(m(1:3:2, 1:3:2))
  print *, m
  a = [1, 2, 3, 4, 5]
  call double(a(1:4) + 1, a(2:5))
  print *, a
  associate (picked => b([3, 1]))
    print *, picked(1), picked(2), ubound(picked)
  end associate
  call show(padded(['ab', 'cd']))
  call show([(named(i), i = 2, 2)])
  allocate(list(3), source=[1, 2, 3])
  list = list(2:3)
  print *, list
  print *, greeting(), '|', table%values(1:2), text
end program

character(*) function greeting()
  greeting = 'hello'
end function

! Parts with run-time lengths of each object of an array: nested parts, elemental procedures, subscripts evaluated once, lengths.
module m
  implicit none
  integer :: calls = 0
  type :: small
    integer :: i = 0
  contains
    procedure :: bump
  end type
  type :: inner(k)
    integer, len :: k
    integer :: c(k) = 7
    complex :: z(k) = (1, 2)
  end type
  type :: outer(n)
    integer, len :: n
    type(inner(n)) :: list(n)
    type(small) :: t(n)
    integer :: x(n) = 1
    character(n) :: s = 'abc'
  end type
  interface assignment(=)
    procedure twice
  end interface
contains
  elemental subroutine bump(a)
    class(small), intent(inout) :: a
    a%i = a%i + 1
  end subroutine
  elemental subroutine twice(a, b)
    type(small), intent(out) :: a
    integer, intent(in) :: b
    a%i = 2*b
  end subroutine
  elemental subroutine add(a, n)
    integer, intent(inout) :: a
    integer, intent(in) :: n
    a = a + n
  end subroutine
  elemental subroutine star(s)
    character(*), intent(inout) :: s
    s = repeat('*', len(s))
  end subroutine
  integer function id(n)
    integer, intent(in) :: n
    calls = calls + 1
    id = n
  end function
  subroutine show(x)
    class(*), intent(in) :: x(:)
    select type (x)
    type is (integer)
      print '(a, *(i3))', 'show', x
    end select
  end subroutine
  function made(n) result(r)
    integer, intent(in) :: n
    type(outer(n)) :: r(2)
    calls = calls + 1
  end function
end module
program p
  use m
  implicit none
  type(outer(:)), allocatable :: g(:), h(:)
  integer :: i
  allocate(outer(3) :: g(2))
  g%list(1)%c(2) = [8, 9]
  print '(a, *(i3))', 'nested', g(1)%list(1)%c, g(2)%list(1)%c, g%list(1)%c(2), g%list(3)%c(1)
  g%list(2)%z(1)%im = 5
  print '(a, *(f4.1))', 'complex', g(2)%list(2)%z(1), g(2)%list(1)%z(1), g%list(2)%z(1)%im
  call add(g%x(1), [10, 20])
  call add(g%x(2), g%x(1))
  print '(a, *(i3))', 'elemental', g(1)%x, g(2)%x
  g%t(1) = 4
  g(1:2)%t(2) = [3, 5]
  call g%t(1)%bump()
  print '(a, *(i3))', 'assigned', g(1)%t%i, g(2)%t%i
  call mvbits(g%x(3), 0, 1, g%x(1), 2)
  print '(a, *(i3))', 'bits', g%x(1)
  call star(g%s(2:2))
  print '(*(a, 1x))', 'text', g%s
  print '(a, *(i3))', 'length', len(g%s), len(g%s(2:3))
  call show(g%x(1))
  g(1)%x = [1, 2, 3]
  g(2)%x = [1, 2, 3]
  g%x(g(1)%x(1)) = g%x(3)
  print '(a, *(i3))', 'subscript', g(1)%x, g(2)%x
  g%x(id(2)) = 5
  print '(a, *(i3))', 'values', g%x(id(1)) + g%x(id(2))
  g%s(id(1):id(2)) = 'xy'
  print '(*(a, 1x))', 'text', g%s(id(1):id(3))
  print '(a, i3)', 'calls', calls
  calls = 0
  allocate(h, mold=made(2))
  print '(a, *(i3))', 'mold', calls, size(h), h%n
  forall (i = 1:2) g%t(i) = i
  print '(a, *(i3))', 'forall', g(1)%t%i, g(2)%t%i
end program

! Array constructors of no objects whose lengths functions of elements of arrays would say, in loops that do nothing (Fortran 2018, 7.8).
module m
  implicit none
  type :: row(n)
    integer, len :: n
    integer :: x(n) = 1
  end type
  type :: pair(n)
    integer, len :: n
    type(row(n + 1)) :: list(2)
  end type
contains
  function like(a) result(r)
    type(row(*)), intent(in) :: a
    type(row(a%n)) :: r
    r%x = a%x
  end function
  function longer(a, b) result(r)
    type(row(*)), intent(in) :: a, b
    type(row(a%n + b%n)) :: r
  end function
  subroutine empty(b, p, n)
    integer, intent(in) :: n
    type(row(*)), intent(in) :: b(n)
    type(pair(*)), intent(in) :: p
    type(row(:)), allocatable :: a(:)
    integer :: i, j
    a = [(like(b(i)), i = 1, 0)]
    print *, size(a), a%n
    a = [((longer(b(i), p%list(j)), i = 1, j - 3), j = 1, 2)]
    print *, size(a), a%n
    a = [(longer(like(b(i)), like(p%list(i))), i = 5, 4)]
    print *, size(a), a%n
    a = [(like(b(i)), i = 1, n)]
    print *, size(a), a%n
  end subroutine
end module
program p
  use m
  implicit none
  type(row(:)), allocatable :: a(:)
  type(row(3)) :: b(2)
  type(pair(4)) :: q
  integer :: i
  a = [(like(b(i)), i = 1, 0)]
  print *, size(a), a%n
  call empty(b, q, 2)
  call empty(b, q, 0)
  call empty(b(1:0), q, 0)
end program

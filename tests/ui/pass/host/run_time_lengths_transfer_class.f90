! checked: R0304
! TRANSFER and sizes of polymorphic objects with run-time lengths: those of the dynamic type count.
module m
  implicit none
  type :: line(n)
    integer, len :: n
    integer(2) :: id = 3
    real :: x(n) = 0
  end type
  type, extends(line) :: longer(k)
    integer, len :: k
    integer(1) :: more(k) = 9
  end type
  type :: base
    integer :: i = 4
  end type
  type, extends(base) :: open_one(n)
    integer, len :: n
    integer :: v(n) = 6
  end type
contains
  subroutine bits(r)
    class(line(*)), intent(in) :: r
    integer(1), allocatable :: b(:)
    integer(2) :: first
    b = transfer(r, b)
    first = transfer(r, first)
    print '(a, 4i5)', 'class', size(b), first, storage_size(r)/8, sizeof(r)
    print '(*(f5.1))', transfer(b(5:4 + 4*r%n), 1.0, r%n)
    print '(a, *(i4))', 'rest', b(5 + 4*r%n:)
  end subroutine
  subroutine each(r)
    class(line(*)), intent(in) :: r(:)
    integer(1), allocatable :: b(:)
    b = transfer(r, b)
    print '(a, 3i5)', 'array', size(b), storage_size(r)/8, sizeof(r)
  end subroutine
  subroutine of_base(r)
    class(base), intent(in) :: r
    print '(a, *(i4))', 'base', transfer(r, [0])
    print '(a, *(i4))', 'size', storage_size(r)
  end subroutine
  subroutine anything(r)
    class(*), intent(in) :: r
    print '(a, *(i4))', 'any', transfer(r, [0])
  end subroutine
  subroutine back(from, to)
    class(line(*)), intent(in) :: from
    type(line(*)), intent(inout) :: to
    to = transfer(from, to)
    print '(a, i4, *(f5.1))', 'back', to%id, to%x
  end subroutine
end module
program p
  use m
  implicit none
  type(line(2)) :: a, c
  type(longer(3, 4)) :: b, many(2)
  class(line(:)), allocatable :: d
  type(open_one(3)) :: o
  type(base) :: plain
  a%x = [1.0, 2.0]
  b%x = [3.0, 4.0, 5.0]
  b%more = [1_1, 2_1, 3_1, 4_1]
  call bits(a)
  call bits(b)
  call each(many)
  allocate (longer(1, 2) :: d)
  d%x = 8
  call bits(d)
  call of_base(o)
  call of_base(plain)
  call anything(o)
  call anything(plain)
  call anything(12)
  a%id = 11
  call back(a, c)
end program

! A scalar fills a polymorphic array as it is allocated, and gives it its type; the array may hold the scalar itself.
module shapes
  implicit none
  type :: base
    integer :: id = 0
  end type
  type, extends(base) :: named
    character(:), allocatable :: name
  end type
  type :: holder
    class(base), allocatable :: items(:)
  end type
end module
program p
  use shapes
  implicit none
  class(base), allocatable :: a(:), m(:,:)
  class(*), allocatable :: any(:)
  type(holder) :: h
  integer :: i
  allocate (a(2:4))
  a = named(7, 'seven')
  call show(a)
  a(3)%id = 9
  a = a(3)
  call show(a)
  a = base(1)
  call show(a)
  print *, lbound(a), ubound(a)
  allocate (named :: m(2, 2))
  m = named(2, 'two')
  print *, shape(m)
  call show(m(:, 2))
  allocate (h%items(0:1))
  h%items = named(5, 'five')
  call show(h%items)
  allocate (integer :: any(3))
  any = 2.5
  select type (any)
  type is (real)
    print *, any
  end select
contains
  subroutine show(list)
    class(base), intent(in) :: list(:)
    select type (list)
    type is (named)
      do i = 1, size(list)
        print *, list(i)%id, list(i)%name
      end do
    class default
      print *, 'base', list%id
    end select
  end subroutine
end program

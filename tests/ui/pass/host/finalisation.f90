! FINAL subroutines: of objects that are deallocated, that their procedure or BLOCK ends, that are assigned, of INTENT(OUT)
! arguments, components and parents; by rank, and elemental.
module m
  implicit none
  type base
    integer :: id = 0
  contains
    final :: end_base, end_bases
  end type
  type, extends(base) :: child
    type(base) :: part = base(90)
    integer, allocatable :: data(:)
  contains
    final :: end_child
  end type
  type item
    integer :: n = 0
  contains
    final :: end_item
  end type
contains
  subroutine end_base(x)
    type(base), intent(inout) :: x
    print '(a,i0)', 'base ', x%id
  end subroutine
  subroutine end_bases(x)
    type(base), intent(inout) :: x(:)
    print '(a,*(1x,i0))', 'bases', x%id
  end subroutine
  subroutine end_child(x)
    type(child), intent(inout) :: x
    print '(a,i0,l2)', 'child ', x%id, allocated(x%data)
  end subroutine
  impure elemental subroutine end_item(x)
    type(item), intent(inout) :: x
    print '(a,i0)', 'item ', x%n
  end subroutine
  subroutine local()
    type(base) :: x
    type(child), allocatable :: c
    x%id = 1
    allocate (c)
    c%id = 2
    allocate (c%data(3))
    print '(a)', 'leaving'
  end subroutine
  subroutine fresh(x)
    type(base), intent(out) :: x
    print '(a,i0)', 'fresh ', x%id
  end subroutine
end module
program finalisation
  use m
  implicit none
  type(base) :: a, b
  type(base), allocatable :: list(:)
  type(item), allocatable :: items(:)
  class(base), allocatable :: p
  a%id = 5
  b%id = 6
  a = b
  print '(i0)', a%id
  call fresh(b)
  call local()
  allocate (list(3))
  list%id = [1, 2, 3]
  deallocate (list)
  allocate (items(2))
  items(2)%n = 7
  deallocate (items)
  allocate (child :: p)
  p%id = 8
  deallocate (p)
  block
    type(item) :: i
    i%n = 9
  end block
  print '(a)', 'end'
end program

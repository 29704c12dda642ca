! A dummy that is no pointer is associated with the target of its actual argument, whatever becomes of the pointer in the call
! (Fortran 2018, 15.5.2.4).
module nodes
  implicit none
  type :: node
    integer :: id = 0
    class(node), pointer :: next => null()
  contains
    procedure :: visit
  end type
  type, extends(node) :: big
    real :: w = 0
  end type
  class(node), pointer :: current => null()
  class(*), pointer :: any => null()
  class(node), pointer :: rows(:) => null()
contains
  subroutine visit(self)
    class(node), intent(inout) :: self
    current => self%next
    self%id = -self%id
  end subroutine
  integer function last(self)
    class(node), intent(in), optional :: self
    current => null()
    last = 0
    if (present(self)) last = self%id
  end function
  subroutine forget(x)
    class(*), intent(inout) :: x
    any => null()
    select type (x)
    type is (integer)
      x = x + 1
    type is (big)
      x%w = x%w + 0.5
    end select
  end subroutine
  subroutine turn(list)
    class(node), intent(inout) :: list(:)
    rows => null()
    list%id = list%id*2
  end subroutine
end module

program main
  use nodes
  implicit none
  type(node), target :: a
  type(big), target :: b
  integer, target :: n = 5
  type(node), target :: some(3)
  a%id = 1
  b%id = 2
  a%next => b
  current => a
  call current%visit()
  print '(2i4,l2)', a%id, b%id, associated(current, b)
  call current%visit()
  print '(2i4,l2)', a%id, b%id, associated(current)
  current => a
  print '(2i4)', last(current), last(current)
  any => n
  call forget(any)
  any => b
  call forget(any)
  print '(i4,f5.1,l2)', n, b%w, associated(any)
  some%id = [1, 2, 3]
  rows => some
  call turn(rows)
  print '(3i4,l2)', some%id, associated(rows)
end program

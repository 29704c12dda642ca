! A defined assignment in a FORALL whose polymorphic value is an object of what is assigned.
module kinds
  implicit none
  type :: counted
    integer :: x = 0
  end type
  type, extends(counted) :: named
    character(4) :: name = ' '
  end type
  interface assignment(=)
    procedure :: take
  end interface
contains
  elemental subroutine take(to, from)
    type(named), intent(inout) :: to
    class(counted), intent(in) :: from
    to%x = from%x
  end subroutine
end module
program p
  use kinds
  implicit none
  class(named), allocatable :: b(:)
  integer :: i
  allocate(b(4))
  b%x = [1, 2, 3, 4]
  call shift(b)
contains
  subroutine shift(b)
    class(named), intent(inout) :: b(:)
    select type (b)
    type is (named)
      forall (i = 1:3) b(i) = element(b, i + 1) !~ R0901
    end select
  end subroutine
  pure function element(all, at) result(one)
    class(counted), intent(in) :: all(:)
    integer, intent(in) :: at
    class(counted), allocatable :: one
    allocate(one, source=all(at))
  end function
end program

! A defined assignment in a FORALL whose place is found by what is assigned.
module kinds
  implicit none
  type :: counted
    integer :: x = 0
  end type
  interface assignment(=)
    procedure :: take
  end interface
contains
  elemental subroutine take(to, from)
    type(counted), intent(inout) :: to
    integer, intent(in) :: from
    to%x = from
  end subroutine
end module
program p
  use kinds
  implicit none
  type(counted) :: b(4)
  integer :: i
  b%x = [2, 1, 4, 3]
  forall (i = 1:4) b(b(i)%x) = i   !~ R0901
end program

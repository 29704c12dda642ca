! A defined assignment in a FORALL is by a pure subroutine.
module kinds
  implicit none
  type :: counted
    integer :: x = 0
  end type
  interface assignment(=)
    procedure :: say
  end interface
contains
  subroutine say(to, from)
    type(counted), intent(out) :: to
    integer, intent(in) :: from
    print *, from
    to%x = from
  end subroutine
end module
program p
  use kinds
  implicit none
  type(counted) :: a(2)
  integer :: i
  forall (i = 1:2) a(i) = i   !~ E0329
end program

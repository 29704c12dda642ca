! Length type parameters that are known at run time only.
module m
  implicit none
  type :: row(n)
    integer, len :: n
    real :: x(n)
  end type
contains
  subroutine assumed(r)
    type(row(*)), intent(in) :: r !~ W0901
    print *, r%x
  end subroutine
  subroutine automatic(n)
    integer, intent(in) :: n
    type(row(n)) :: r !~ W0901
    r%x = 1
  end subroutine
end module
program p
  use m
  implicit none
  type(row(:)), allocatable :: r !~ W0901
  allocate(row(3) :: r) !~ R0901
  print *, r%n
end program

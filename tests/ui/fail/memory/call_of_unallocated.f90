! run: --check bounds
! The object of a type-bound call must be there (Fortran 2018, 15.5.1).
module shapes
  implicit none
  type, abstract :: shape
  contains
    procedure(draw), deferred :: show
  end type
  abstract interface
    subroutine draw(x)
      import :: shape
      class(shape), intent(in) :: x
    end subroutine
  end interface
  type, extends(shape) :: circle
  contains
    procedure :: show => show_circle
  end type
contains
  subroutine show_circle(x)
    class(circle), intent(in) :: x
    print *, 'circle'
  end subroutine
end module

program call_of_unallocated
  use shapes
  implicit none
  class(shape), allocatable :: x
  call x%show() !~ R0806
end program

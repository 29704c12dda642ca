! A type-bound procedure may have another INTENT than the inherited one, which compilers do not notice.
module shapes
  implicit none
  type, abstract :: shape
  contains
    procedure(scaled), deferred :: scale
  end type
  abstract interface
    subroutine scaled(self, factor)
      import :: shape
      class(shape), intent(inout) :: self
      real, intent(in) :: factor
    end subroutine
  end interface
  type, extends(shape) :: square
    real :: side = 2
  contains
    procedure :: scale => scale_square
  end type
contains
  subroutine scale_square(self, factor)        !~ W0417
    class(square), intent(inout) :: self
    real, intent(inout) :: factor
    self%side = self%side*factor
  end subroutine
end module

program overridden
  use shapes
  implicit none
  class(shape), allocatable :: any
  type(square) :: own
  real :: factor = 1.5
  allocate (square :: any)
  call any%scale(2.0)
  call own%scale(factor)
  select type (any)
  type is (square)
    print *, any%side, own%side
  end select
end program

! Generic names whose procedures cannot be told apart, and procedures that do not have the interface that is asked for.
module generics
  implicit none
  interface scale
    procedure scale_one, scale_more
  end interface
  interface mix
    procedure mix_int_real, mix_real_int
  end interface
  interface pick
    procedure pick_one, pick_two
  end interface
  type :: shape
  contains
    procedure :: area
    procedure, non_overridable :: fixed
  end type
  type, extends(shape) :: square
  contains
    procedure :: area => square_area
    procedure :: fixed => square_fixed !~ E0418
  end type
contains
  subroutine scale_one(x)
    real :: x
  end subroutine
  subroutine scale_more(x, factor) !~ E0409
    real :: x
    real, optional :: factor
  end subroutine
  subroutine mix_int_real(a, b)
    integer :: a
    real :: b
  end subroutine
  subroutine mix_real_int(b, a) !~ E0409
    real :: b
    integer :: a
  end subroutine
  subroutine pick_one(i)
    integer :: i
  end subroutine
  subroutine pick_two(i, j)
    integer :: i, j
  end subroutine
  real function area(this, unit)
    class(shape), intent(in) :: this
    real, intent(in) :: unit
    area = unit
  end function
  real function square_area(this) !~ E0418
    class(square), intent(in) :: this
    square_area = 1
  end function
  subroutine fixed(this)
    class(shape), intent(in) :: this
  end subroutine
  subroutine square_fixed(this)
    class(square), intent(in) :: this
  end subroutine
end module
program main
  use generics
  implicit none
  abstract interface
    subroutine step(x)
      real, intent(in) :: x
    end subroutine
  end interface
  procedure(step), pointer :: p
  p => right
  p => whole !~ E0313
  call run(right)
  call run(changes) !~ E0413
  call run(whole) !~ E0413
contains
  subroutine run(f)
    procedure(step) :: f
    call f(1.0)
  end subroutine
  subroutine right(x)
    real, intent(in) :: x
  end subroutine
  subroutine changes(x)
    real, intent(inout) :: x
  end subroutine
  subroutine whole(x)
    integer, intent(in) :: x
  end subroutine
end program

! Procedures whose interfaces differ from those that a dummy, a pointer, or an interface body gives them.
module shapes
  implicit none
  type t
    integer :: i = 1
    procedure(on_class), pointer, nopass :: run => null()
  end type
  abstract interface
    subroutine on_class(x)
      import :: t
      class(t), intent(in) :: x
    end subroutine
    subroutine on_array(a)
      real, intent(in) :: a(:)
    end subroutine
    subroutine on_vector(a)
      real, intent(in) :: a(3)
    end subroutine
    pure real function simple(x)
      real, intent(in) :: x
    end function
    subroutine nested(f)
      import :: simple
      procedure(simple) :: f
    end subroutine
  end interface
contains
  subroutine take_class(p)
    procedure(on_class) :: p
  end subroutine
  subroutine take_array(p)
    procedure(on_array) :: p
  end subroutine
  subroutine take_vector(p)
    procedure(on_vector) :: p
  end subroutine
  subroutine take_simple(p)
    procedure(simple) :: p
  end subroutine
  subroutine take_nested(p)
    procedure(nested) :: p
  end subroutine
  subroutine take_real(p)
    real, external :: p
  end subroutine
  subroutine plain(x)
    type(t), intent(in) :: x
  end subroutine
  subroutine fits(x)
    class(t), intent(in) :: x
  end subroutine
  subroutine vector(a)
    real, intent(in) :: a(3)
  end subroutine
  subroutine longer(a)
    real, intent(in) :: a(2:5)
  end subroutine
  subroutine moved(a)
    real, intent(in) :: a(2:4)
  end subroutine
  real function impure_one(x)
    real, intent(in) :: x
    impure_one = x
  end function
  integer function whole(x)
    real, intent(in) :: x
    whole = int(x)
  end function
  subroutine takes_whole(f)
    procedure(whole) :: f
  end subroutine
  subroutine number(x)
    integer, intent(in) :: x
  end subroutine
  subroutine anything(x)
    class(*), intent(in) :: x
  end subroutine
end module

real function half(x)
  real, intent(in) :: x
  half = x / 2
end function

integer function twice(i)
  integer, intent(in) :: i
  twice = 2 * i
end function

subroutine store(a, n)
  integer, intent(in) :: n
  real, intent(out) :: a(n)
  a = 1
end subroutine

program main
  use shapes
  implicit none
  interface
    integer function half(x) !~ E0416
      real, intent(in) :: x
    end function
    subroutine store(a, n)
      integer, intent(in) :: n
      real, intent(out) :: a(*)
    end subroutine
  end interface
  real, external :: twice !~ E0416
  type(t) :: x
  procedure(on_class), pointer :: p
  call take_class(fits)
  call take_class(plain) !~ E0413
  call take_array(vector) !~ E0413
  call take_vector(moved)
  call take_vector(longer) !~ E0413
  call take_simple(impure_one) !~ E0413
  call take_nested(takes_whole) !~ E0413
  call take_real(impure_one)
  call take_real(whole) !~ E0413
  p => fits
  p => plain !~ E0313
  x%run => fits
  x%run => plain !~ E0313
  call take_array(x%run) !~ E0413
  call anything(x)
  call anything(x%run) !~ E0402
end program

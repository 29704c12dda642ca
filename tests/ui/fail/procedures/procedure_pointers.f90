! Targets of procedure pointers, their interfaces and first values, and procedures that are no pointers
! (Fortran 2018, 8.5.16, 10.2.2.4, 15.4.2.2, 15.4.3.6).
module m
  implicit none
  type shape
    real :: size = 1
    procedure(area_of), pointer :: area => null()
  end type
  type broken
    procedure(plain), pointer, pass :: f !~ E0418
    procedure(), pointer, pass :: g !~ E0418
    procedure(of_plain_object), pointer, pass :: h !~ E0418
  end type
  abstract interface
    real function area_of(this)
      import :: shape
      class(shape), intent(in) :: this
    end function
    integer function of_integer(i)
      integer, intent(in) :: i
    end function
    subroutine plain()
    end subroutine
    subroutine of_plain_object(x)
      import :: broken
      type(broken) :: x
    end subroutine
    subroutine plain_two() !~ E0220
    end subroutine
    character(len=*) function any_length() !~ E0317
    end function
  end interface
  pointer :: plain_two
  procedure(of_integer), pointer :: start => twice
  procedure(of_integer), pointer :: again => start !~ E0321
contains
  integer function twice(i)
    integer, intent(in) :: i
    twice = 2 * i
  end function
  real function of_object(this)
    type(shape), intent(in) :: this
    of_object = this%size
  end function
  subroutine of_class(this)
    class(shape), intent(in) :: this
  end subroutine
  subroutine apply(f)
    procedure(of_integer), pointer, intent(in) :: f
  end subroutine
  real function of_real(i)
    integer, intent(in) :: i
    of_real = i
  end function
  subroutine wants_function(f)
    interface
      real function f()
      end function
    end interface
  end subroutine
end module

subroutine saves(f)
  use m
  implicit none
  procedure(of_integer), save :: f !~ E0219
end subroutine

function result_of_two_kinds()
  interface
    integer function result_of_two_kinds()
    end function
  end interface
  pointer :: result_of_two_kinds
  integer :: result_of_two_kinds !~ E0220
end function

function no_pointer() !~ E0417
  interface
    integer function no_pointer()
    end function
  end interface
end function

subroutine outer()
  use m
  implicit none
  procedure(plain), pointer :: inner => local !~ E0321
contains
  subroutine local()
  end subroutine
end subroutine

program main
  use m
  implicit none
  type(shape) :: all(2), one
  procedure(), pointer :: any
  procedure(of_integer), pointer :: known
  procedure(of_class), pointer :: method
  external :: unknown
  interface
    integer function declared(i)
      integer, intent(in) :: i
    end function
  end interface
  integer :: declared !~ E0220
  all%area => null() !~ E0303
  one = shape(1.0, of_object) !~ E0313
  any => of_class !~ E0313
  method => unknown !~ E0313
  known => maker() !~ E0313
  call apply(twice)
  call apply(of_real) !~ E0413
  call wants_function(unknown) !~ E0413
  known => null()
contains
  function maker()
    procedure(of_real), pointer :: maker
    maker => of_real
  end function
end program

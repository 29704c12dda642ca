! Procedures that define operators and assignments (Fortran 2018, 15.4.3.4.2, 15.4.3.4.3).
module m
  implicit none
  type t
    integer :: i = 0
  contains
    procedure :: less
    generic :: operator(<) => less
  end type
  interface operator(+)
    procedure :: add, add_optional
  end interface
  interface assignment(=)
    procedure :: set
  end interface
contains
  function add(a, b)
    type(t) :: a   !~ W0422
    type(t), intent(in) :: b
    type(t) :: add
    add%i = a%i + b%i
  end function
  function add_optional(a, b)   !~ E0422
    type(t), intent(in) :: a
    integer, intent(in), optional :: b
    type(t) :: add_optional
    add_optional = a
  end function
  subroutine set(a, i)
    type(t), intent(inout) :: a
    integer, intent(inout) :: i   !~ W0422
    a%i = i
  end subroutine
  logical function less(a, b)
    class(t), intent(in) :: a
    type(t), intent(inout) :: b   !~ W0422
    less = a%i < b%i
  end function
end module
program p
  use m
end program

! Type-bound procedures and generics that do not fit their type or cannot be told apart.
module m
  implicit none
  type :: t
    integer :: i = 0
  contains
    procedure :: none !~ E0418
    procedure :: other !~ E0418
    procedure :: array !~ E0418
    procedure :: plain !~ E0418
    procedure, pass(z) :: missing !~ E0418
    procedure, pass(this) :: first
    procedure, pass(this) :: second
    procedure :: by_value
    procedure, nopass :: free
    procedure :: three
    generic :: both => first, second !~ E0409
    generic :: again => both !~ E0418
    generic :: nothing => unknown !~ E0418
    generic :: mixed => by_value, first !~ E0409
    generic :: operator(.plus.) => free !~ E0418
    generic :: operator(.minus.) => three !~ E0418
    generic :: assignment(=) => by_value !~ E0418
    generic :: fine => first, three
  end type
  type, extends(t) :: u
  contains
    procedure :: own
    generic :: fine => own !~ E0409
  end type
contains
  subroutine none()
  end subroutine
  subroutine other(x)
    class(u), intent(in) :: x
  end subroutine
  subroutine array(x)
    class(t), intent(in) :: x(:)
  end subroutine
  subroutine plain(x)
    type(t), intent(in) :: x
  end subroutine
  subroutine missing(x)
    class(t), intent(in) :: x
  end subroutine
  subroutine first(x, this)
    integer, intent(in) :: x
    class(t), intent(in) :: this
  end subroutine
  subroutine second(this, y)
    class(t), intent(in) :: this
    integer, intent(in) :: y
  end subroutine
  integer function by_value(this, x)
    class(t), intent(in) :: this
    integer, intent(in) :: x
    by_value = this%i + x
  end function
  integer function free(x)
    class(t), intent(in) :: x
    free = x%i
  end function
  subroutine three(a, b, c)
    class(t), intent(in) :: a, b, c
  end subroutine
  subroutine own(this, n)
    class(u), intent(in) :: this
    integer, intent(in) :: n
  end subroutine
end module

program main
  use m
  type(t) :: x
  call x%fine(1)
end program

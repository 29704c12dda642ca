! A type that is declared alike in two scopes is taken by generic names too.
module m
  interface show
    procedure show_point, show_number
  end interface
  interface only_one
    procedure show_point
  end interface
contains
  subroutine show_point(x)
    type point
      real :: a(2)
    end type
    type(point), intent(in) :: x
    print *, 'point', x%a
  end subroutine
  subroutine show_number(x)
    integer, intent(in) :: x
    print *, 'number', x
  end subroutine
end module
program main
  use m
  implicit none
  type point
    real :: a(2)
  end type
  type(point) :: x
  integer, intent(in) :: n   !~ W0328
  x%a = [1, 2]
  n = 3
  call show(x)               !~ W0404
  call only_one(x)           !~ W0404
  call show(n)
end program

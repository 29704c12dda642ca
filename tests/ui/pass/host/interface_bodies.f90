! The implicit typing of an interface body is the standard one, with IMPORT too, whatever holds in its host.
module shapes
  implicit none
  integer, parameter :: dp = kind(1d0)
  abstract interface
    subroutine visit(i, x)
      import
      real(dp) :: x
    end subroutine
    function weight(y)
      import :: dp
      real(dp) :: weight
    end function
  end interface
contains
  subroutine each(v, w)
    procedure(visit) :: v
    procedure(weight) :: w
    call v(3, w(2.5))
  end subroutine
end module

program interface_bodies
  use shapes
  implicit none
  call each(show, doubled)
contains
  subroutine show(i, x)
    integer :: i
    real(dp) :: x
    print '(i3,f6.2)', i, x
  end subroutine
  function doubled(y)
    real :: y
    real(dp) :: doubled
    doubled = 2*y
  end function
end program

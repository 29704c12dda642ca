! Separate module procedures that do not repeat their interfaces as they are.
module m
  implicit none
  interface
    module subroutine fewer(i)
      integer, intent(in) :: i
    end subroutine
    pure module subroutine impure_now()
    end subroutine
    elemental module function same(x) result(y)
      real, intent(in) :: x
      real :: y
    end function
    integer module function kind_of()
    end function
    module subroutine named() bind(c, name="first")
    end subroutine
  end interface
end module

submodule (m) s
contains
  module subroutine fewer !~ E0416
  end subroutine
  module subroutine impure_now() !~ E0416
  end subroutine
  pure elemental module function same(x) result(y)
    real, intent(in) :: x
    real :: y
    y = x
  end function
  integer(8) module function kind_of() !~ E0416
    kind_of = 1
  end function
  module subroutine named() bind(c, name="second") !~ E0416
  end subroutine
end submodule

program main
  use m
  call fewer(1) !~ E0401
end program

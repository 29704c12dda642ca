! MODULE stands before interface bodies of modules and submodules only (Fortran 2018, C1547). Compilers take it before abstract ones.
module one
  interface
    module integer function allowed(i)
      integer, intent(in) :: i
    end function
  end interface
  abstract interface
    module integer function never(i)
      integer, intent(in) :: i
    end function
  end interface
contains
  subroutine inner
    interface
      module subroutine there() !~ E0219
      end subroutine
    end interface
  end subroutine
end module

submodule (one) two
contains
  module integer function allowed(i)
    integer, intent(in) :: i
    allowed = i
  end function
end submodule

program main
  use one
  implicit none
  interface
    module subroutine here() !~ E0219
    end subroutine
  end interface
  print *, allowed(3)
end program

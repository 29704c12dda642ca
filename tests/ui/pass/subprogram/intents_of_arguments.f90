! A procedure argument that may change what the interface of the dummy says is `intent(in)` (Fortran 2018, 15.3.2.2).
module m
  abstract interface
    real function f(x)
      real, intent(in) :: x
    end function
  end interface
contains
  subroutine go(g)
    procedure(f) :: g
    print *, g(1.0)
  end subroutine
  real function changes(x)
    real :: x
    x = x + 1
    changes = x
  end function
  real function reads(x)
    real, intent(in) :: x
    reads = x
  end function
end module
program p
  use m
  call go(reads)
  call go(changes)  !~ W0417
end program

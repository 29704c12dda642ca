! An internal procedure that uses an assumed-rank argument of its host cannot be an actual argument: who calls it does not know
! the rank.
module m
contains
  subroutine s(a)
    real, intent(inout) :: a(..)
    call inner()
    call apply(inner) !~ R0901
  contains
    subroutine inner()
      print *, rank(a)
    end subroutine
  end subroutine
  subroutine apply(f)
    interface
      subroutine f()
      end subroutine
    end interface
    call f()
  end subroutine
end module
program main
  use m
  implicit none
  real :: x(2, 2)
  call s(x)
end program

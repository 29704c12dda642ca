! An assumed-rank argument in an internal procedure of the one whose argument it is.
module m
  implicit none
contains
  subroutine host(x)
    integer, intent(in) :: x(..)
    print *, rank(x)
    call inner !~ R0901
  contains
    subroutine inner
      print *, rank(x)
    end subroutine
  end subroutine
end module
program p
  use m
  call host([1, 2])
end program

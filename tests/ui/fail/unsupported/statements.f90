! Statements that are not supported are named, and stop the program only where it comes to them.
program p
  implicit none
  integer :: target, x(2)
  x = 1
  if (x(1) > 1) then
    assign 10 to target               !~ W0901
    goto target                       !~ W0901
  end if
10 continue
  call show(x)                        !~ R0901
contains
  subroutine show(a)
    integer :: a(..)                  !~ W0901
    select rank (a)
    rank (1)
      print *, a
    end select
  end subroutine
end program

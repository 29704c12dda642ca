! run: --check init,bounds
! A unit that cannot be opened leaves the variable of NEWUNIT= alone, and defines it otherwise without a look at it.
program p
  implicit none
  integer :: u, code, numbers(3, 2)
  open (newunit=u, file='/no/such/folder/file', iostat=code)
  print *, code /= 0
  u = 5
  open (newunit=u, file='/no/such/folder/file', iostat=code)
  print *, u
  numbers = reshape([1, 2, 3, 4, 5, 6], [3, 2])
  call stars(numbers, 3)
contains
  subroutine stars(x, n)
    integer, intent(in) :: n, x(n, *)
    call ends(x)
  end subroutine
  ! In RANK (*) the argument is a vector without an end (Fortran 2018, 11.1.10.3).
  subroutine ends(x)
    integer, intent(in) :: x(..)
    select rank (x)
    rank (*)
      print *, x(1:5), x(6), lbound(x)
    end select
  end subroutine
end program

! run: -cuda
! CUDA Fortran in a file with another suffix, by option; `!dir$ ignore_tkr` lets a procedure take any kind and rank.
module m
contains
  subroutine show(x, n)
    !dir$ ignore_tkr(tkr) x
    integer :: n
    integer :: x(n)
    print *, x
  end subroutine
end module
program p
  use m
  integer, device :: a_d(2)
  integer :: a(2), b(2, 2)
  a_d = 5
  a = a_d
  b = 6
  call show(a, 2)
  call show(b, 4)
end program

! A procedure of a library is no misspelt procedure for another type.
program p
  real :: x(2)
  double precision :: y(2)
  x = 1
  y = 1
  call sscale(x)
  call dscale(y)        !~ W0901, R0901
contains
  subroutine sscale(x)
    real :: x(:)
    x = 2*x
  end subroutine
end program

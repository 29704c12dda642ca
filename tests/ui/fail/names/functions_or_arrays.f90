! A name that is applied and is neither an array nor a function of the given files.
program p
  real :: shapeless, x
  integer :: values(3)
  x = shapeless(1)        !~ E0310
  x = value(1)            !~ E0201
  zeros(3) = 1            !~ E0201
contains
  subroutine s
    implicit none
    x = elapsed(1)        !~ E0201
  end subroutine
end program

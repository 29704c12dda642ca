! An IMPLICIT statement of a module procedure leaves the letters that it does not name as the module has them (Fortran 2018, 8.7).
module m
  implicit none
contains
  subroutine s
    implicit integer (i)
    i = 1
    x = 2.5 !~ E0201
    print *, i
  end subroutine
end module
program main
  use m
  call s
end program

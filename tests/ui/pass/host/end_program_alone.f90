! END PROGRAM alone is a main program, here one that does nothing (Fortran 2018, 14.1).
module unused
  implicit none
  integer :: n = 1
end module
end program

! Procedures of nvfortran's lib3f that are not supported are refused by name, declared or not; a definition of one's own counts.
module m
contains
  real function second(x)
    real :: x
    second = x + 1
  end function
end module
program p
  use m
  real :: x
  integer :: perror
  integer :: i
  character(20) :: s
  external :: idate
  x = second(1.0)
  if (x > 3) then
    i = perror('a')      !~ W0901
    s = ttynam(3)        !~ W0901
  end if
  call getarg(1, s)
  call flush(6)
  print *, x, iargc()
  i = ierrno()           !~ W0901, R0901
end program

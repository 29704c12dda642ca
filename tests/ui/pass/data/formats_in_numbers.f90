! Formats in the bytes of arrays of numbers, as old programs keep them.
program formats_in_numbers
  implicit none
  type lines
    integer :: words(2)
  end type
  integer, parameter :: whole(3) = transfer('("a", i4)  ', 1, size=3)
  type(lines) :: l
  real(8) :: r(2), z(1, 2)
  r = transfer('(3h r=, f5.1)   ', 1d0, size=2)
  z(1, 1) = 0
  z(1, 2) = transfer('(i3,i3)', 1d0)
  l%words = transfer("('x',2x)", 1, size=2)
  print whole, 12           !~ W0333
  write (*, r) 2.5          !~ W0333
  print z(1, 2), 1, 2       !~ W0333
  print l%words             !~ W0333
end program

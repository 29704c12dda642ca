! An exception for which halting is on ends the program at its operation.
program ieee_halting
  use, intrinsic :: ieee_exceptions
  implicit none
  real :: x, y
  logical :: halts(5)
  x = 1
  y = 0
  call ieee_set_halting_mode(ieee_usual, .false.)
  print *, x/y
  call ieee_set_halting_mode(ieee_divide_by_zero, .true.)
  call ieee_get_halting_mode(ieee_all, halts)
  print *, halts
  y = x - y
  print *, x/y
  y = x/(x - y) !~ R0823
  print *, y
end program

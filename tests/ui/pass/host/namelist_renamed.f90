! A namelist group that USE renames keeps its name in the records.
module settings
  implicit none
  integer :: steps = 1
  real :: width = 2.5
  namelist /setup/ steps, width
end module
program main
  use settings, only: own => setup, steps
  implicit none
  character(80) :: lines(4)
  write (lines, nml=own)
  print *, trim(lines(1))
  lines(1) = ' &setup steps = 7 /'
  read (lines, nml=own)
  print *, steps
end program

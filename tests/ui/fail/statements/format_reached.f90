! A format that cannot be read is an error where a statement uses it.
program format_reached
  implicit none
  integer :: code
  write (*, '(a, ***)', iostat=code) 'x' !~ W0118
  if (code == 0) stop 1
  write (*, 10) 'y' !~ R0802
10 format (a, k)    !~ W0118
end program
